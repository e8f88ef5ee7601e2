"""Alpha-beta: its values, wins taken at once and played out, limits, the frozen first version."""

from __future__ import annotations

import numpy as np
import pytest
from game_trees import minimax, random_position

from stratagym.agents import hooks, pvs
from stratagym.agents.alphabeta import MAX_DEPTH, AlphaBeta
from stratagym.agents.alphabeta_v1 import AlphaBetaV1
from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.agents.games.chess import ordering
from stratagym.agents.perfect import solver_of
from stratagym.envs import core, spec
from stratagym.envs.chess import notation

CHESS = spec("chess")


def after(game, moves):
    """(facts, rules, states) after a game's moves."""
    facts = spec(game)
    rules = facts.make_rules()
    states, scratch = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(1), scratch[1])
    for move in moves:
        core.play_at(rules, states, 0, move, *scratch)
    return facts, rules, states


def chess_position(fen):
    rules = CHESS.make_rules()
    states = core.new_states(rules)
    notation.set_fen(rules, states, fen)
    return CHESS, rules, states


def winning_moves(facts, rules, states):
    """The moves that end the game with a win for the seat to move."""
    view = decision_for(facts, rules, states, 1)
    found, out = [], np.zeros(2)
    for action in view.legal.tolist():
        then = states.copy()
        seat, _ = core.play_at(rules, then, 0, action, *core.new_scratch(rules))
        core.returns_at(rules, then, 0, out)
        if seat < 0 and out[view.seat] > 0:
            found.append(action)
    return found


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "plies"), [("tictactoe", 3), ("connect_four", 36)])
def test_it_finds_the_value_of_trying_everything(game, plies, rng):
    for _ in range(12):
        facts, rules, states = random_position(game, plies, rng)
        view = decision_for(facts, rules, states, 1)
        found = AlphaBeta(42).search(view)
        value = minimax(facts, rules, states) * (1 if view.seat == 0 else -1)
        assert np.sign(found.value) == value
        assert (found.result is None) == (value == 0)
        then = states.copy()
        core.play_at(rules, then, 0, found.action, *core.new_scratch(rules))
        assert minimax(facts, rules, then) * (1 if view.seat == 0 else -1) == value


@pytest.mark.parametrize(
    ("game", "plies", "marks"), [("tictactoe", 2, 9), ("connect_four", 30, 42)]
)
def test_the_shortest_win_and_the_longest_defence_are_played(game, plies, marks, rng):
    """Solvers score a move the higher the sooner it wins and the later it loses."""
    solve = solver_of(game)
    decided = 0
    for _ in range(40):
        facts, rules, states = random_position(game, int(rng.integers(plies, marks - 3)), rng)
        view = decision_for(facts, rules, states, 1)
        scores = solve(rules, states)[0]
        action = AlphaBeta(42).act(view)
        assert scores[action] == scores.max(), states
        decided += scores.max() != 0
    assert decided > 5


# --- immediate wins ------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", range(1, 9))
def test_the_positions_that_were_passed_over(depth):
    """Tic-tac-toe's win on square 3, and a mate in one that took 55 plies, at every depth."""
    view = decision_for(*after("tictactoe", [2, 4, 8, 5, 0]), 1)
    assert AlphaBeta(depth).act(view) == 3
    facts, rules, states = chess_position("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1")
    action = AlphaBeta(depth).act(decision_for(facts, rules, states, 1))
    assert action in winning_moves(facts, rules, states)


@pytest.mark.parametrize(
    ("game", "plies", "number"),
    [("tictactoe", (4, 8), 60), ("connect_four", (8, 36), 150), ("chess", (20, 120), 40)],
)
def test_an_immediate_win_is_taken_at_each_depth(game, plies, number, rng):
    deepest = 5 if game == "chess" else 7
    searches = [AlphaBeta(depth) for depth in range(1, deepest + 1)]
    searches += [AlphaBeta(positions=20_000), AlphaBeta(milliseconds=1)]
    met = 0
    while met < number:
        facts, rules, states = random_position(game, int(rng.integers(*plies)), rng)
        wins = winning_moves(facts, rules, states)
        if wins:
            met += 1
            for search in searches:
                view = decision_for(facts, rules, states, 1)
                assert search.act(view) in wins, (search.name, states)


# --- wins played out -----------------------------------------------------------------------------

MATES = {
    "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1": 1,
    "6k1/5ppp/8/8/8/8/r4PPP/1r4K1 b - - 0 1": 0,
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": 2,
    "r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1": 3,
    "8/8/8/8/8/5k2/4q3/7K b - - 0 1": 1,
    "8/8/8/4k3/8/3K4/8/7Q w - - 0 1": None,
    "8/8/8/3k4/8/3K4/8/7R w - - 0 1": None,
}
"""Positions and in how many moves the side to move mates: known problems, and endings."""


@pytest.mark.parametrize("fen", [fen for fen, moves in MATES.items() if moves])
@pytest.mark.parametrize("more", [1, 3])
def test_a_mate_in_n_is_found_and_played_out(fen, more):
    """With a ply to spare: late moves are searched less deeply."""
    facts, rules, states = chess_position(fen)
    moves = MATES[fen]
    search = AlphaBeta(2 * moves - 1 + more)
    view = decision_for(facts, rules, states, 1)
    assert search.search(view).result == 2 * moves - 1
    assert plies_to_mate(search, search, rules, states) == 2 * moves - 1


@pytest.mark.parametrize("fen", [fen for fen, moves in MATES.items() if moves is None])
def test_endings_are_won(fen):
    _, rules, states = chess_position(fen)
    assert plies_to_mate(AlphaBeta(10), AlphaBeta(4), rules, states) is not None


def plies_to_mate(attacker: Policy, defender: Policy, rules, states):
    """Plies until the side to move has mated; None if it does not."""
    own, out = states.copy(), np.zeros(2)
    first = seat = core.current_player_at(rules, own, 0)
    plies = 0
    while seat >= 0:
        view = decision_for(CHESS, rules, own, plies)
        action = (attacker if seat == first else defender).act(view)
        seat, _ = core.play_at(rules, own, 0, action, *core.new_scratch(rules))
        plies += 1
    core.returns_at(rules, own, 0, out)
    return plies if out[first] > 0 else None


# --- limits --------------------------------------------------------------------------------------


def test_a_limit_of_positions_gives_the_last_finished_depth(rng):
    facts, rules, states = random_position("connect_four", 4, rng)
    found = AlphaBeta(20, positions=3000).search(decision_for(facts, rules, states, 1))
    assert 1 <= found.depth < 20
    assert found.positions <= 3000
    assert found.action in decision_for(facts, rules, states, 1).legal
    tiny = AlphaBeta(20, positions=1).search(decision_for(facts, rules, states, 1))
    assert tiny.depth == 0


@pytest.mark.parametrize("game", ["connect_four", "chess"])
def test_a_search_that_stops_and_goes_on_comes_to_the_same(game, rng, monkeypatch):
    positions = [random_position(game, 12, rng) for _ in range(4)]
    if game == "chess":
        positions.append(chess_position("7k/8/8/8/8/8/7P/r6K w - - 0 1"))
    for facts, rules, states in positions:
        view = decision_for(facts, rules, states, 1)
        # With a single move there is nothing to choose: against a clock it is not looked into.
        whole = AlphaBeta(4 if len(view.legal) > 1 else 1).search(view)
        limited = AlphaBeta(4, milliseconds=1e9)
        monkeypatch.setattr("stratagym.agents.alphabeta._SLICE", 7)
        assert limited.search(view) == whole


def test_decisions_follow_from_the_position_alone(rng):
    """What a search leaves behind does not change the next one."""
    used = AlphaBeta(4)
    for _ in range(5):
        facts, rules, states = random_position("chess", 30, rng)
        view = decision_for(facts, rules, states, 1)
        before = view.states.copy()
        assert used.search(view) == AlphaBeta(4).search(view)
        assert np.array_equal(before, view.states)


def test_a_time_is_a_limit(rng):
    facts, rules, states = random_position("chess", 10, rng)
    view = decision_for(facts, rules, states, 1)
    policy = make_policy(facts, "alphabeta:5ms")
    assert policy.name == "alphabeta:5ms" and policy.act(view) in view.legal
    found = policy.search(view)
    assert 1 <= found.depth < MAX_DEPTH


@pytest.mark.parametrize(
    "text", ["alphabeta:0ms", "alphabeta:ms", "alphabeta:5ms?positions=9", "alphabeta:65",
             "alphabeta:5s", "alphabeta:5ms?version=1"],
)  # fmt: skip
def test_words_that_make_no_sense_are_refused(text):
    with pytest.raises(ValueError, match="policy alphabeta: write alphabeta:DEPTH"):
        make_policy(spec("chess"), text)


# --- what a game answers -------------------------------------------------------------------------


def test_a_margin_game_is_searched_beyond_a_return_of_one():
    """A return of 1 is no reason to stop where there are larger ones; ``result`` is a win's."""
    assert pvs.plies_to_result(hooks.UNIT - 5) == 5 == pvs.plies_to_result(5 - hooks.UNIT)
    assert pvs.plies_to_result(hooks.RESULT - 1) is None
    assert pvs.plies_to_result(3 * hooks.UNIT) is None


@pytest.mark.parametrize(
    ("fen", "move", "gain"),
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
        ("4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1", "e2e5", -400),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
        ("3r2k1/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8q", 1350),
        ("4k3/4r3/8/4p3/8/8/4R3/4RK2 w - - 0 1", "e2e5", 100),
    ],
)
def test_exchanges(fen, move, gain):
    """Results of exchanges worked out by hand; the first two are well-known examples."""
    s = chess_position(fen)[2][0]
    action = notation.parse_uci(s, move)
    here, there, plane = ordering.squares_of(s, action)
    _, becomes, won = ordering.gain_of(s, action, here, there, plane)
    for threshold in range(-1000, 1500, 10):
        gains = ordering.exchange_gains(s, here, there, won, becomes, threshold)
        assert gains == (gain >= threshold), threshold


def test_colours_are_alike(rng):
    """The evaluation of a position turned around is the same for the side to move."""
    total = np.zeros(2)
    for _ in range(30):
        _, rules, states = random_position("chess", int(rng.integers(4, 100)), rng)
        board, turn, castling, _, clock, number = notation.fen(states[0]).split()
        turned = "/".join(reversed(board.split("/"))).swapcase()
        other = chess_position(
            f"{turned} {'b' if turn == 'w' else 'w'} {castling.swapcase()} - {clock} {number}"
        )[2]
        one = hooks.estimate(rules, states[0], total)
        assert one == hooks.estimate(rules, other[0], total)


# --- the first version ---------------------------------------------------------------------------


def test_the_first_version_plays_as_it_did():
    """It is on the first ladders, faults included."""
    view = decision_for(*after("tictactoe", [2, 4, 8, 5, 0]), 1)
    policy = make_policy(spec("tictactoe"), "alphabeta:4?version=1")
    assert isinstance(policy, AlphaBetaV1) and policy.name == "alphabeta:4?version=1"
    assert policy.act(view) == 1
