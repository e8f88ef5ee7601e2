"""What agents know of ataxx: symmetries, the evaluator, the players, what is counted of games."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from perft import perft
from plain_ataxx import (
    BLOCKS,
    BOTZONE,
    GAME,
    RULES,
    gain,
    grid_of,
    make_move,
    moves_in,
    near,
    placed,
    results,
)

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.ataxx import action_cells, evaluate, symmetries
from stratagym.agents.kernel_policies import play_many
from stratagym.envs import core
from stratagym.envs.ataxx import rules as kernel
from stratagym.envs.ataxx.metrics import COUNTS, game_counts
from stratagym.testing import RandomGame, position, random_positions


def images(states, permutation):
    """The positions under a permutation of cells."""
    out = states.copy()
    for field in ("own", "opp"):
        for i in range(len(out)):
            bits = int(states[field][i])
            out[field][i] = sum(
                1 << int(kernel.square_of(int(permutation[cell])))
                for cell in range(49)
                if bits >> int(kernel.square_of(cell)) & 1
            )
    return out


@pytest.mark.parametrize("blocks", BLOCKS)
def test_a_transformed_position_has_the_transformed_moves(blocks, rng):
    """And as many games, and the same worth."""
    rules = GAME.make_rules(blocks=blocks)
    table = symmetries(rules)
    assert table.shape == (8, 834) and (table[:, 833] == 833).all()
    assert len({tuple(row) for row in table.tolist()}) == 8
    assert (np.sort(table) == np.arange(834)).all() and (table[0] == np.arange(834)).all()
    start = position(rules)
    same = [images(start, row) == start for row in table]
    assert sum(map(bool, same)) == 4
    legal, out, other = np.zeros(834, np.int64), np.zeros(2), np.zeros(2)
    for s in random_positions(rules, 4, rng, range(10, 60)):
        states = np.array([s])
        n = core.legal_actions_at(rules, states, 0, legal)
        actions, games = legal[:n].copy(), perft(rules, states, 2)
        estimate(rules, states, out)
        for permutation in table:
            twin = images(states, permutation)
            n = core.legal_actions_at(rules, twin, 0, legal)
            assert legal[:n].tolist() == sorted(permutation[actions].tolist())
            assert perft(rules, twin, 2) == games
            estimate(rules, twin, other)
            assert other.tolist() == out.tolist()
    assert action_cells(rules).tolist() == list(range(834))


@njit
def estimate(rules, states, out):
    evaluate(rules, states[0], out)


def test_the_evaluator(rng):
    """Stones, the move, empty cells of one side alone; the result at the end; fair to both."""
    out, other = np.zeros(2), np.zeros(2)
    estimate(RULES, position(RULES), out)
    assert out == pytest.approx([0.02, -0.02])
    # Of 46 empty cells X alone can come to 8, O alone to 10.
    estimate(RULES, placed("a7", "g1 f1"), out)
    assert out[0] == pytest.approx(-1 / 49 + 0.02 + 0.1 * (8 - 10) / 46)
    for judge in ("uai", "botzone"):
        rules = GAME.make_rules(judge=judge)
        for _ in range(10):
            game = RandomGame(rules, int(rng.integers(2**63)))
            estimate(rules, game.end, out)
            assert out.tolist() == game.returns(game.end).tolist()
            states = game.states[rng.integers(len(game.states))]
            estimate(rules, states, out)
            assert abs(out[0]) < 1 and out[1] == -out[0]
            twin = states.copy()
            twin["player"] = 1 - states["player"]
            estimate(rules, twin, other)
            assert other[0] == out[1]


@njit
def hash_of(rules, states):
    return hooks.position_hash(rules, states[0])


def test_hashes_are_of_positions(rng):
    """Stones and mover alone, until a counter may end the game within a search."""
    seen = {}
    for _ in range(15):
        for states in RandomGame(RULES, int(rng.integers(2**63))).states:
            late = int(states["quiet"][0]) if states["quiet"][0] >= 36 else -1
            key = int(states["own"][0]), int(states["opp"][0]), int(states["player"][0]), late
            assert seen.setdefault(hash_of(RULES, states), key) == key
    assert len(seen) > 1000 and len(set(seen.values())) == len(seen)
    for rules, field, early, late in (
        (RULES, "quiet", 35, 36),
        (BOTZONE, "plies", 336, 337),
        (GAME.make_rules(max_quiet=0), "plies", 4435, 4436),
    ):
        values = (0, early, late, late + 1)
        hashes = [hash_of(rules, placed("a7", "g1", rules=rules, **{field: k})) for k in values]
        assert hashes[0] == hashes[1] and len(set(hashes)) == 3


def worth(grid, mark, action, move):
    """How a move ranks: its gain, whether it is a clone, own stones around, low numbers."""
    source, to = move
    return gain(grid, mark, move), source is None, near(grid, to).count(mark), -action


def test_the_rule_based_player_takes_what_it_can(rng):
    assert make_policy(GAME, "rule:greedy").name == "rule:greedy"
    policy = make_policy(GAME, "heuristic")
    for s in random_positions(RULES, 30, rng, range(120)):
        action = policy.act(decision_for(GAME, RULES, np.array([s]), 1))
        grid, mark = grid_of(RULES, s), "xo"[s["player"]]
        ranks = {k: worth(grid, mark, k, move) for k, move in moves_in(grid, mark).items()}
        assert action == max(ranks, key=ranks.get) if ranks else 833
    forced = placed("a7", "a6 b6 b7 c7 c6 c5 b5 a5 c4")
    assert policy.act(decision_for(GAME, RULES, forced, 1)) == 833


def scores(names, seed, n):
    """Mean return of the first of two kernel policies, from both seats."""
    policies = [make_policy(GAME, name) for name in names]
    seeds = np.arange(seed % 2**32, seed % 2**32 + n, dtype=np.uint64)
    seating = np.array([[0, 1], [1, 0]] * (n // 2))
    games = play_many(RULES, policies, seeds, seating)
    return games, games.returns[np.arange(n), seating.argmin(axis=1)]


def test_greed_beats_chance_and_is_counted(seed):
    games, mine = scores(["heuristic", "random"], seed, 200)
    assert mine.mean() > 0.9
    counts = game_counts(RULES, games.seeds, games.actions, games.plies)
    seat = games.seating.argmin(axis=1)
    rule, rand = (
        dict(zip(COUNTS, counts[np.arange(200), one].sum(axis=0), strict=True))
        for one in (seat, 1 - seat)
    )
    assert rule["decisions"] + rand["decisions"] == games.plies.sum()
    assert rule["gain"] == rule["gain_best"] > 1.5 * rule["gain_chance"]
    assert rule["jumps_instead"] == 0 < rule["clones_as_good"]
    # A random player does what chance does, within five standard errors.
    assert abs(rand["gain"] - rand["gain_chance"]) < 5 * (2 * rand["decisions"]) ** 0.5
    for done, of, chance in (
        ("jumps_instead", "clones_as_good", "jumps_chance"),
        ("exposed", "decisions", "exposed_chance"),
    ):
        assert 0 < rand[done] < rand[of]
        assert abs(rand[done] - rand[chance]) < 2.5 * rand[of] ** 0.5


def exposed_by(grid, mark, moves):
    """{action: whether the reply can gain more than the move does}, the pass among them."""
    other, found = "xo"[mark == "x"], {}
    for action, move in (moves or {833: None}).items():
        after = dict(grid)
        if move:
            make_move(after, mark, move)
        replies = [gain(after, other, reply) for reply in moves_in(after, other).values()]
        found[action] = max(replies, default=0) > (gain(grid, mark, move) if move else 0)
    return found


def test_counts_are_those_of_a_plain_count(rng):
    for blocks in ("none", "corners"):
        rules = GAME.make_rules(blocks=blocks)
        game = RandomGame(rules, int(rng.integers(2**63)))
        expected, plies = np.zeros((2, len(COUNTS))), min(25, len(game.actions))
        for ply in range(plies):
            seat, action = game.players[ply], game.actions[ply]
            grid, mark = grid_of(rules, game.states[ply][0]), "xo"[seat]
            moves = moves_in(grid, mark)
            gains = {k: gain(grid, mark, move) for k, move in moves.items()} or {833: 0}
            exposed, n = exposed_by(grid, mark, moves), len(gains)
            clone = max((value for k, value in gains.items() if k < 49), default=-1)
            poor = [k for k, value in gains.items() if 49 <= k < 833 and value <= clone]
            expected[seat] += [
                1, gains[action], max(gains.values()), sum(gains.values()) / n,
                bool(poor), action in poor, len(poor) / n, exposed[action],
                sum(exposed.values()) / n,
            ]  # fmt: skip
        actions = np.array([game.actions[:plies]])
        counts = game_counts(rules, np.zeros(1, np.uint64), actions, np.array([plies]))
        assert counts[0] == pytest.approx(expected)


def test_deeper_search_beats_greed(seed):
    deep, greedy = make_policy(GAME, "alphabeta:3"), make_policy(GAME, "heuristic")
    legal, probs = core.new_scratch(RULES)
    total = 0
    # Measured: both games of a pair in 32 of 40, one of two in the others.
    for s in random_positions(RULES, 24, seed % 2**32, range(6, 7)):
        for mine in (0, 1):
            states = np.array([s])
            seat = int(s["player"])
            while seat >= 0:
                policy = deep if seat == mine else greedy
                action = policy.act(decision_for(GAME, RULES, states, 1))
                seat, _ = core.play_at(RULES, states, 0, action, legal, probs)
            total += results(RULES, states)[mine]
    assert total > 8
