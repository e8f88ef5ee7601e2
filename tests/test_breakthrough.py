"""Breakthrough against OpenSpiel, pyffish, known counts and values, and a plain search."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from stratagym.envs import core, spec
from stratagym.envs.breakthrough import rules as kernel
from stratagym.envs.breakthrough import view
from stratagym.testing import position, random_positions, same_as_openspiel

GAME = spec("breakthrough")
RULES = GAME.make_rules()
SIZES = ((8, 8), (3, 2), (4, 4), (5, 5), (6, 5), (7, 3), (8, 2))
MEAN_LENGTH, FIRST_WINS = 64.0, 0.509  # of random games, 300,000 by another program


def placed(rules, black, white, player=0):
    """A position (1,) by the names of cells."""
    states = position(rules)
    for side, cells in (("black", black), ("white", white)):
        bits = 0
        for cell in cells.split():
            row, column = rules.rows - int(cell[1]), "abcdefgh".index(cell[0])
            bits |= 1 << 8 * row + column
        states[side] = bits
    states["player"] = player
    return states


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_games_are_openspiels(rows, columns, rng):
    """With the actions' ids and names, and the planes."""
    rules = GAME.make_rules(rows=rows, columns=columns)
    planes = np.zeros(rules.observation_shape, np.int8)

    def same_words(states, state):
        if state.is_terminal():
            return
        for action in state.legal_actions():
            told = state.action_to_string(action)
            assert view.action_to_string(rules, states[0], action) == told
            assert view.string_to_action(rules, states[0], told) == action
        theirs = np.array(state.observation_tensor()).reshape(3, rows, columns)
        for seat in range(2):
            core.observe_at(rules, states, 0, seat, planes)
            assert (planes[..., 0] == theirs[seat]).all()
            assert (planes[..., 1] == theirs[1 - seat]).all()
            assert (planes[..., 2] == seat).all()

    theirs = f"breakthrough(rows={rows},columns={columns})"
    same_as_openspiel(rules, theirs, 200 if rows * columns == 64 else 40, rng)
    same_as_openspiel(rules, theirs, 5, rng, compare=same_words)


def uci(action):
    """Our action as Fairy-Stockfish's move: its White, at the bottom, moves first."""
    start, end = kernel.squares_of(RULES, action)
    return "".join(f"{'abcdefgh'[at & 7]}{(at >> 3) + 1}" for at in (start, end))


@pytest.mark.parametrize("games", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_games_are_fairy_stockfishs(games, rng):
    """Legal moves and ends of random games; theirs is ours upside down."""
    sf = pytest.importorskip("pyffish", reason="pip install pyffish")
    states, (legal, probs) = core.new_states(RULES), core.new_scratch(RULES)
    start = sf.start_fen("breakthrough")
    for _ in range(games):
        told = []
        player = core.start_at(RULES, states, 0, np.uint64(0), probs)
        while player >= 0:
            n = core.legal_actions_at(RULES, states, 0, legal)
            names = {uci(action): action for action in legal[:n].tolist()}
            assert sorted(names) == sorted(sf.legal_moves("breakthrough", start, told)), told
            told.append(str(rng.choice(sorted(names))))
            player, _ = core.play_at(RULES, states, 0, names[told[-1]], legal, probs)
        assert sf.is_immediate_game_end("breakthrough", start, told)[0], told


@njit
def leaves(rules, states, legal, depth, level):
    """Move sequences of ``depth`` from ``states[level]``; a game that is over adds none."""
    if core.current_player(rules, states[level]) < 0:
        return 0
    n = core.legal_actions(rules, states[level], legal[level])
    if depth == 1:
        return n
    count = 0
    for k in range(n):
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[level, k])
        count += leaves(rules, states, legal, depth - 1, level + 1)
    return count


def mirrored(states, columns):
    """The positions with left and right exchanged."""
    out = states.copy()
    for side in ("black", "white"):
        bits = [int(bits) for bits in states[side]]
        out[side] = [
            sum((b >> 8 * row + column & 1) << 8 * row + columns - 1 - column
                for row in range(8) for column in range(columns))
            for b in bits
        ]  # fmt: skip
    return out


def perft(rules, states, depth):
    levels = np.repeat(states, depth + 1)
    return leaves(rules, levels, np.zeros((depth + 1, rules.num_actions), np.int64), depth, 0)


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (8, 8, (22, 484, 11132, 256036, 6182818)),
        (6, 5, (13, 169, 2331, 31545, 453608, 6401274)),
        (5, 5, (13, 169, 1911, 21514, 232478, 2467006)),
        (4, 4, (10, 100, 814, 6324, 46350, 303122, 1868262, 9815640)),
    ],
)
def test_numbers_of_move_sequences(rows, columns, expected):
    rules = GAME.make_rules(rows=rows, columns=columns)
    found = [perft(rules, position(rules), depth + 1) for depth in range(len(expected))]
    assert tuple(found) == expected


def test_a_mirrored_position_has_as_many_move_sequences(rng):
    for rows, columns in SIZES:
        rules = GAME.make_rules(rows=rows, columns=columns)
        for state in random_positions(rules, 5, rng):
            twin = mirrored(np.array([state]), columns)
            assert perft(rules, np.array([state]), 3) == perft(rules, twin, 3)


def test_legal_at_once_is_what_the_list_says(rng):
    for rows, columns in SIZES:
        rules = GAME.make_rules(rows=rows, columns=columns)
        legal = np.zeros(rules.num_actions, np.int64)
        scratch = legal.copy()
        for state in random_positions(rules, 10, rng):
            states = np.array([state])
            n = core.legal_actions_at(rules, states, 0, legal)
            assert n > 0
            listed = set(legal[:n].tolist())
            for action in range(-3, rules.num_actions + 3):
                said = core.is_legal_action_at(rules, states, 0, action, scratch)
                assert said == (action in listed)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_random_games_are_no_longer_than_told(rows, columns, seed):
    rules = GAME.make_rules(rows=rows, columns=columns)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    for k in range(200):
        one = np.uint64(core.derive_seed(np.uint64(seed), np.uint64(k)))
        assert core.random_games(rules, states, legal, probs, one, 1)[0] <= rules.max_game_length


def test_the_longest_game_is_as_long_as_told():
    """On 3 x 2: both pawns of each side one step on is all there is before somebody must win."""
    rules = GAME.make_rules(rows=3, columns=2)
    legal, probs = core.new_scratch(rules)

    def longest(states):
        n = core.legal_actions_at(rules, states, 0, legal)
        found = 0
        for action in legal[:n].tolist():
            after = states.copy()
            player, _ = core.play_at(rules, after, 0, action, legal.copy(), probs)
            found = max(found, 1 + (longest(after) if player >= 0 else 0))
        return found

    assert longest(position(rules)) <= rules.max_game_length == 5
    assert RULES.max_game_length == 177 == GAME.max_game_length


@njit
def played(rules, states, legal, probs, seed, lengths, winners):
    s = states[0]
    for game in range(lengths.shape[0]):
        player = core.start(rules, s, core.derive_seed(seed, game), probs)
        plies = 0
        while player >= 0:
            n = core.legal_actions(rules, s, legal)
            player = core.play(rules, s, legal[core.random_below(s, n)], probs)
            plies += 1
        lengths[game], winners[game] = plies, s.winner


def test_random_play_is_as_long_and_as_often_won_as_known(seed):
    """Within four standard errors of either figure, the known ones' rounding included."""
    games = 40_000
    lengths, winners = np.zeros(games), np.zeros(games)
    legal, probs = core.new_scratch(RULES)
    played(RULES, core.new_states(RULES), legal, probs, np.uint64(seed), lengths, winners)
    error = lengths.std() * (1 / games + 1 / 300_000) ** 0.5
    assert abs(lengths.mean() - MEAN_LENGTH) < 4 * error + 0.05
    error = 0.5 * (1 / games + 1 / 300_000) ** 0.5
    assert abs((winners == 0).mean() - FIRST_WINS) < 4 * error + 0.0005


def test_the_game_ends_on_the_far_row_and_with_the_last_pawn():
    states = placed(RULES, "a2 h8", "c5 d5")
    legal, probs = core.new_scratch(RULES)
    action = view.string_to_action(RULES, states[0], "a2b1")
    assert core.play_at(RULES, states, 0, action, legal, probs)[0] == core.TERMINAL
    assert states["winner"] == 0
    states = placed(RULES, "d6", "c5 h2", player=1)
    action = view.string_to_action(RULES, states[0], "c5d6*")
    assert core.play_at(RULES, states, 0, action, legal, probs)[0] == core.TERMINAL
    assert states["winner"] == 1
