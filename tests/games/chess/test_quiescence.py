"""Captures and quiescence of chess, as Monte Carlo tree search uses them."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym.agents import hooks
from stratagym.agents.games.chess import quiescence
from stratagym.agents.games.chess.evaluation import estimate
from stratagym.agents.games.chess.ordering import is_quiet
from stratagym.envs import core, spec
from stratagym.envs.chess.captures import legal_captures
from stratagym.envs.chess.moves import MAX_MOVES, is_check
from stratagym.envs.chess.tables import NUM_PLANES, UNDERPROMOTION

FACTS = spec("chess")
RULES = FACTS.make_rules()
MEMORY, SCRATCH = quiescence.memory(), np.zeros(2)
WIDE = 10**6


def settle(s, alpha=-WIDE, beta=WIDE):
    return quiescence.settle(RULES, s, alpha, beta, MEMORY, SCRATCH)


def everything(s):
    return s["white"] | s["black"]


def positions(rng, games):
    """Those of random games that go on, with their legal actions."""
    states, (legal, probs) = core.new_states(RULES), core.new_scratch(RULES)
    for _ in range(games):
        seat = core.start_at(RULES, states, 0, np.uint64(1), probs)
        while seat >= 0:
            n = core.legal_actions_at(RULES, states, 0, legal)
            yield states[0], legal[:n]
            seat, _ = core.play_at(RULES, states, 0, int(rng.choice(legal[:n])), legal, probs)


def test_captures_are_the_legal_ones(rng):
    """Found among all legal moves: captures and promotions to a queen."""
    out, seen = np.zeros(MAX_MOVES, np.int64), 0
    for s, legal in positions(rng, 12):
        wanted = [a for a in legal if not is_quiet(RULES, s, a) and a % NUM_PLANES < UNDERPROMOTION]
        n = legal_captures(s, everything(s), out)
        assert sorted(out[:n].tolist()) == [int(a) for a in wanted]
        seen += n
    assert seen > 1000


def test_nothing_to_capture_is_worth_the_estimate(rng):
    """And where there is something, standing pat bounds it from below; windows bound the result."""
    plain, out, inside, same = 0, np.zeros(MAX_MOVES, np.int64), 0, 0
    for s, _ in positions(rng, 4):
        if is_check(s):
            continue
        value, static = settle(s), estimate(RULES, s, SCRATCH)
        assert value >= static
        if legal_captures(s, everything(s), out) == 0:
            plain += 1
            assert value == static
        assert settle(s, static - 1, static) >= static
        inside += 1
        same += settle(s, value - 40, value + 40) == value
    assert plain > 20
    # Captures that can hardly reach the window are left out, and sometimes would have.
    assert same > 0.9 * inside


@pytest.mark.parametrize(
    ("fen", "least", "most"),
    [
        # A queen hangs, and is the other side's to save; a guarded rook is worth no queen.
        ("4k3/7p/8/3q4/8/4N3/7P/4K3 w - - 0 1", 200, 500),
        ("4k3/7p/8/3q4/8/4N3/7P/4K3 b - - 0 1", 450, 900),
        ("4k3/8/3p4/4r3/8/8/4Q3/4K3 w - - 0 1", 100, 600),
        # Mated; a mate that is no capture is not looked for; a pawn is promoted.
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", -30_000, -30_000),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 0, 1000),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", 700, 1300),
    ],
)
def test_what_stands_at_the_end_of_captures(fen, least, most):
    states = core.new_states(RULES)
    FACTS.module("notation").set_fen(RULES, states, fen)
    assert least <= settle(states[0]) <= most


def test_judgements_are_opposite_and_stay_within_a_return(rng):
    memory, out = hooks.judge_memory(RULES), np.zeros(2)
    for s, _ in positions(rng, 2):
        hooks.judge(RULES, s, -np.inf, np.inf, memory, out)
        assert out[0] == -out[1] and abs(out[0]) < 1
        seat = core.current_player(RULES, s)
        assert out[seat] == pytest.approx(0.999 * np.tanh(settle(s) / 600))
