"""Makes the weights of the chess evaluation, by fitting them to an engine's judgement.

    python -m stratagym.agents.games.chess.fit [POSITIONS]

Positions come from games of a weakened alpha-beta with itself; those in which a capture is the
engine's best move, or the king is in check, are left out. The engine is Stockfish at a few thousand
nodes a position. The weights minimise the squared difference of winning chances, a sigmoid of the
centipawns, drawn towards values set by hand. It needs an hour on two cores for 200,000 positions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numba import njit

from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.engines import find_engine
from stratagym.agents.games.chess import evaluation
from stratagym.agents.games.chess import ordering
from stratagym.agents.games.chess.evaluation import FULL_PHASE, NUM_WEIGHTS, weigh
from stratagym.envs import core, spec
from stratagym.envs.chess import notation

NODES = 3000
SCALE = 250.0
"""Centipawns at which the sigmoid's argument is 1."""
RIDGE = 3.0


def by_hand() -> np.ndarray:
    """(2, NUM_WEIGHTS) centipawns: plain values that the fit starts from."""
    weights = np.zeros((2, NUM_WEIGHTS))
    middle, ending = weights
    material = ((82, 95), (325, 290), (340, 305), (460, 520), (960, 950), (0, 0))
    for kind, (mid, end) in enumerate(material):
        for square in range(64):
            file, rank = square >> 3, square & 7
            centre = 3.5 - max(abs(file - 3.5), abs(rank - 3.5))
            inner = 3.5 - abs(file - 3.5)
            at = evaluation.SQUARES + 64 * kind + square
            by_kind = (
                (4 * (rank - 1) + 4 * inner, 2 * (rank - 1)),
                (12 * centre - 20 + 3 * rank, 8 * centre - 12),
                (5 * centre - 6, 4 * centre - 5),
                (3 * inner + (12 if rank == 6 else 0), 6 if rank == 6 else 0),
                (2 * centre, 7 * centre - 8),
                (20 * (inner < 1.6) - 14 * rank - 6 * inner, 12 * centre - 18),
            )
            middle[at], ending[at] = mid + by_kind[kind][0], end + by_kind[kind][1]
    for kind, (mid, end, usual) in enumerate(((4, 4, 4), (4, 4, 6), (2, 4, 7), (1, 3, 13))):
        for moves in range(28):
            at = evaluation.MOBILITY + 28 * kind + moves
            middle[at], ending[at] = mid * (moves - usual), end * (moves - usual)
    for rank in range(8):
        middle[evaluation.PASSED + rank] = 2 * rank**2
        ending[evaluation.PASSED + rank] = 4 * rank**2
        weights[:, evaluation.PASSED_BLOCKED + rank] = -rank * 4
        weights[:, evaluation.PASSED_GUARDED + rank] = rank * 3
        weights[:, evaluation.CONNECTED + rank] = 4 + 2 * rank
        ending[evaluation.KING_TO_PASSED + rank] = -4 * rank
        ending[evaluation.KING_FROM_PASSED + rank] = 6 * rank
    weights[:, evaluation.DOUBLED] = -12
    weights[:, evaluation.ISOLATED : evaluation.ISOLATED + 2] = -12
    weights[:, evaluation.BACKWARD : evaluation.BACKWARD + 2] = -8
    weights[:, evaluation.PAIR] = 30, 50
    weights[:, evaluation.ROOK_OPEN], weights[:, evaluation.ROOK_HALF_OPEN] = (28, 8), (12, 8)
    weights[:, evaluation.PAWN_THREAT + 1 : evaluation.PAWN_THREAT + 5] = 45
    weights[:, evaluation.HANGING + 1 : evaluation.HANGING + 5] = 25
    for weight in range(40):
        middle[evaluation.DANGER + weight] = min(0.45 * weight**2, 14 * weight)
    middle[evaluation.SHELTER : evaluation.SHELTER + 4] = -25, -10, 5, 12
    middle[evaluation.OPEN_KING_FILE : evaluation.OPEN_KING_FILE + 4] = 8, -6, -20, -30
    weights[:, evaluation.OUTPOST] = 20, 12
    weights[:, evaluation.OUTPOST + 1] = 12, 6
    weights[:, evaluation.TEMPO] = 14, 10
    return weights


@njit(cache=True)
def _features(s, packed, trace):
    """Write White's counts less Black's; returns the phase."""
    for k in range(trace.shape[0]):
        trace[k] = 0
    _, _, phase = weigh(s, packed, trace)
    return phase


def positions(number: int, seed: int) -> Iterator[np.ndarray]:
    """Quiet states, (1,) records, a few from each game."""
    game = spec("chess")
    rules = game.make_rules()
    rng = np.random.default_rng(seed)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    policy = make_policy(game, "alphabeta:2")
    found = 0
    while found < number:
        seat = core.start_at(rules, states, 0, np.uint64(1), probs)
        n = core.legal_actions_at(rules, states, 0, legal)
        erring = rng.choice([0.03, 0.1, 0.25])
        ply = 0
        while seat >= 0 and ply < 160:
            if ply < 8 or rng.random() < erring:
                action = int(rng.choice(legal[:n]))
            else:
                action = policy.act(decision_for(game, rules, states, ply))
            seat, n = core.play_at(rules, states, 0, action, legal, probs)
            ply += 1
            if seat >= 0 and ply >= 8 and rng.random() < 0.2 and not ordering.is_check(rules, states[0]):
                yield states.copy()
                found += 1
                if found == number:
                    return


def judged(number: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(counts (N, NUM_WEIGHTS) int8, phases (N,), the engine's centipawns for White (N,))."""
    import subprocess

    rules = spec("chess").make_rules()
    engine = subprocess.Popen(
        [find_engine("stockfish")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert engine.stdin is not None and engine.stdout is not None
    engine.stdin.write("uci\nsetoption name Hash value 1\n")
    packed = evaluation.pack(evaluation.WEIGHTS)
    rows, phases, scores = [], [], []
    trace = np.zeros(NUM_WEIGHTS, np.int64)
    for states in positions(number, seed):
        engine.stdin.write(f"position fen {notation.fen(states[0])}\ngo nodes {NODES}\n")
        engine.stdin.flush()
        score = None
        for line in engine.stdout:
            words = line.split()
            if "score" in words:
                at = words.index("score")
                score = float(words[at + 2]) if words[at + 1] == "cp" else None
            if line.startswith("bestmove"):
                break
        move = notation.parse_uci(states[0], words[1])
        if score is None or move is None or not ordering.is_quiet(rules, states[0], move):
            continue
        white = states[0]["turn"] == 0
        phases.append(_features(states[0], packed, trace))
        rows.append(trace.astype(np.int8))
        scores.append(score if white else -score)
    engine.stdin.write("quit\n")
    engine.stdin.flush()
    engine.wait()
    return np.array(rows), np.array(phases), np.array(scores)


def fit(counts: np.ndarray, phases: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """(2, NUM_WEIGHTS) centipawns: Gauss-Newton on differences of sigmoids."""
    share = phases[:, None] / FULL_PHASE
    inputs = np.concatenate([counts * share, counts * (1 - share)], 1).astype(np.float32)
    start = by_hand().ravel()
    weights = start.copy()
    wanted = np.tanh(scores / (2 * SCALE))
    for _ in range(8):
        now = np.tanh(inputs @ weights / (2 * SCALE))
        slope = (1 - now**2) / 2 + 1e-3
        scaled = inputs * slope[:, None].astype(np.float32)
        residual = (wanted - now) * SCALE - 0.0
        system = (scaled.T @ scaled).astype(float) + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(
            system, (scaled.T @ residual).astype(float) - RIDGE * (weights - start)
        )
        weights += step
        print(f"mean squared error {np.mean((wanted - now) ** 2):.5f}", file=sys.stderr)
    return weights.reshape(2, -1)


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    weights = by_hand() if number == 0 else fit(*judged(number, 0))
    np.save(evaluation.FILE, np.round(weights).astype(np.int16))


if __name__ == "__main__":
    main()
