"""Tic-tac-toe against PettingZoo, OpenSpiel, known numbers and a plain search."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np
import pytest
from game_trees import after_each_move

from stratagym.agents.core import make_policy
from stratagym.agents.games.tictactoe import solve
from stratagym.agents.kernel_policies import play_many
from stratagym.agents.perfect import ILLEGAL, ranks
from stratagym.envs import core, spec
from stratagym.envs.prompts import prompt
from stratagym.envs.text import ILLEGAL as ILLEGAL_REPLY
from stratagym.envs.text import OK, UNPARSEABLE, TextOptions, judge
from stratagym.envs.tictactoe import view
from stratagym.envs.tictactoe.metrics import COUNTS, game_counts
from stratagym.envs.tictactoe.rules import LINES
from stratagym.testing import position, same_as_openspiel, same_as_pettingzoo

GAME = spec("tictactoe")
RULES = GAME.make_rules()
MERGED = TextOptions(system="merge")


@pytest.mark.oracle
def test_observations_masks_and_rewards_are_pettingzoos(rng):
    same_as_pettingzoo("tictactoe", "tictactoe_v3", 100, rng)


@pytest.mark.oracle
def test_games_are_openspiels(rng):
    # OpenSpiel numbers the squares row by row: the transposed grid, which is the same game.
    same_as_openspiel("tictactoe", "tic_tac_toe", 500, rng)


@lru_cache(maxsize=1)
def reachable():
    """All positions that can arise, ended games included."""
    states = core.new_states(RULES)
    core.start_at(RULES, states, 0, np.uint64(0), np.zeros(core.MAX_OUTCOMES))
    found = [states]
    for _ in range(9):
        after = after_each_move(RULES, found[-1])
        after["last"] = 0  # by whatever move
        found.append(np.unique(after))
    return np.concatenate(found)


def is_over(states):
    return np.array([core.current_player_at(RULES, states, i) < 0 for i in range(len(states))])


def test_numbers_of_positions_and_games():
    assert len(reachable()) == 5478
    ended = reachable()[is_over(reachable())]
    assert len(ended) == 958
    assert [(ended["winner"] == winner).sum() for winner in (0, 1, -1)] == [626, 316, 16]
    states, games = reachable()[:1], 0
    for _ in range(9):
        states = after_each_move(RULES, states)
        games += int(is_over(states).sum())
    assert games == 255168


def plain_value(own, other, plies):
    """Value of a position by looking at everything."""
    if any(other & line == line for line in LINES):
        return -((11 - plies) // 2)
    free = [1 << k for k in range(9) if not (own | other) >> k & 1]
    return max((-memo_value(other, own | mark, plies + 1) for mark in free), default=0)


memo_value = lru_cache(maxsize=None)(plain_value)


def test_the_solution_is_that_of_a_plain_search():
    states = reachable()[~is_over(reachable())]
    scores = solve(RULES, states)
    for s, row in zip(states, scores, strict=True):
        own, other = int(s["crosses"]), int(s["noughts"])
        plies = (own | other).bit_count()
        if s["player"]:
            own, other = other, own
        for k in range(9):
            if (own | other) >> k & 1:
                assert row[k] == ILLEGAL
            else:
                assert row[k] == -memo_value(other, own | 1 << k, plies + 1)
    assert scores[0].tolist() == [0] * 9
    assert (solve(RULES, reachable()[is_over(reachable())]) == ILLEGAL).all()


def test_ranks_share_places():
    scores = np.array([[3, 0, 0, ILLEGAL, -2], [1, 1, 1, 1, 1]], np.int8)
    assert ranks(scores).tolist() == [[1, 2, 2, 5, 4], [1, 1, 1, 1, 1]]


def test_the_perfect_player_never_loses_and_its_moves_vary(seed):
    perfect = make_policy(GAME, "perfect")
    others = [make_policy(GAME, name) for name in ("random", "heuristic", "perfect")]
    legal, probs = core.new_scratch(RULES)
    results = []
    for other in others:
        states = core.new_states(RULES, 200)
        for i in range(len(states)):
            core.start_at(RULES, states, i, np.uint64(0), probs)
        for ply in range(9):
            seeds = np.array([core.derive_seed(np.uint64(seed), k) for k in range(200)], np.uint64)
            alive = np.flatnonzero(~is_over(states))
            # The perfect player begins in the even games.
            for mine in (True, False):
                those = alive[((alive + ply) % 2 == 0) == mine]
                if len(those):
                    policy = perfect if mine else other
                    actions = policy.act_each(RULES, states[those], seeds[those] + np.uint64(ply))
                    for i, action in zip(those, actions, strict=True):
                        core.play_at(RULES, states, i, int(action), legal, probs)
        winners = states["winner"]
        seat = np.arange(200) % 2
        assert not ((winners >= 0) & (winners != seat)).any() or other is others[2]
        results.append((winners == seat).mean())
    assert results[0] > 0.6
    assert results[2] == 0
    with pytest.raises(ValueError, match="games with one are: connect_four, tictactoe"):
        make_policy(spec("ludo"), "perfect")
    with pytest.raises(ValueError, match="takes no options"):
        make_policy(GAME, "perfect:3")


def test_the_rule_based_player_beats_the_random_one(seed):
    policies = [make_policy(GAME, "heuristic"), make_policy(GAME, "random")]
    seeds = np.arange(seed % 2**32, seed % 2**32 + 1000, dtype=np.uint64)
    seating = np.array([[0, 1], [1, 0]] * 500)
    games = play_many(RULES, policies, seeds, seating)
    mine = games.returns[np.arange(1000), seating.argmin(axis=1)]
    assert (mine > 0).mean() > 0.8
    assert (mine < 0).mean() < 0.06
    counts = dict(zip(COUNTS, game_counts(RULES, seeds, games.actions, games.plies).T, strict=True))
    seat = seating.argmin(axis=1), np.arange(1000)
    assert (counts["wins_taken"][seat] == counts["wins_offered"][seat]).all()
    assert (counts["blocks_made"][seat] == counts["blocks_needed"][seat]).all()
    assert counts["decisions"].sum() == games.plies.sum()


@pytest.mark.parametrize(
    ("reply", "kind", "lenient_kind"),
    [
        ("Move: 2,3", OK, OK),
        ("I take the edge.\n**Move: 2, 3**", OK, OK),
        ("Move: 1,1\nNo, that is taken.\nMove: 2,3", OK, OK),
        ("2,3", UNPARSEABLE, OK),
        ("(2,3).", UNPARSEABLE, OK),
        ("I think 2,3 is best", UNPARSEABLE, UNPARSEABLE),
        ("Move: 1,1", ILLEGAL_REPLY, ILLEGAL_REPLY),
        ("Move: 4,1", ILLEGAL_REPLY, ILLEGAL_REPLY),
        ("", UNPARSEABLE, UNPARSEABLE),
    ],
)
def test_replies(reply, kind, lenient_kind):
    states = position(RULES, 0)
    assert judge(GAME, RULES, states, reply).kind == kind
    lenient = judge(GAME, RULES, states, reply, TextOptions(lenient=True))
    assert lenient.kind == lenient_kind
    assert lenient.action in (None, 7) or kind == ILLEGAL_REPLY


def test_words():
    states = position(RULES, 0, 4, 6)  # X in two corners of the top row, O in the centre
    assert view.board_text(RULES, states[0]) == "  1 2 3\n1 X . X\n2 . O .\n3 . . .\nO to move"
    assert view.move_text(RULES, states[0], 3) == "O marked 1,2."
    assert judge(GAME, RULES, states, "Move: 1,1").reason == "taken"
    assert judge(GAME, RULES, states, "Move: 0,1").reason == "no_such_square"
    (message,) = prompt(view, RULES, states[0], 1, MERGED, "X marked 1,1.", legal=[1, 3])
    for part in ("mark O", "1 X . X", "X marked 1,1.", "Move: <row>,<column>", "2,1  1,2"):
        assert part in message["content"]
    text = TextOptions(position="lines")
    told = prompt(view, RULES, states[0], 1, text)[-1]["content"].splitlines()
    assert told[1:9] == [
        "X X: 1,2", "O: 2,1  2,3", "none: 3,1  3,2  3,3",
        "X: 2,1  3,1", "O: 1,2  3,2", "X: 2,3  3,3", "X O: 3,3", "X O: 3,1",
    ]  # fmt: skip
    assert view.board_text(RULES, position(RULES, 0, 1, 4, 2, 8)[0]).endswith("X has won")
    assert view.board_text(RULES, position(RULES, 4, 0, 2, 6, 3, 5, 1, 7, 8)[0]).endswith("Draw")


def test_picture_shows_marks_and_the_winning_line():
    render = GAME.module("render")
    empty = render.picture(RULES, position(RULES)[0])
    assert empty.shape == (546, 480, 3) and empty.dtype == np.uint8
    won = render.picture(RULES, position(RULES, 0, 1, 4, 2, 8)[0])
    unit = 480 / render.WIDTH

    def at(picture, column, row):
        x, y = render.LEFT + column, render.TOP + row
        return picture[int(y * unit), int(x * unit)].astype(int)

    assert np.abs(at(won, 0.5, 0.5) - render.SEAT_COLOURS[0]).max() < 10
    assert (at(won, 2.5, 1.5) == at(empty, 2.5, 1.5)).all()
    assert not (at(won, 1.5, 1.5) == at(empty, 1.5, 1.5)).all()
    # The last square is shaded, in a corner that the winning line leaves free.
    assert (at(won, 2.88, 2.12) != at(empty, 2.88, 2.12)).any()
    assert (at(won, 0.12, 0.88) == at(empty, 0.12, 0.88)).all()


def test_picture_says_whose_turn_it_is_and_numbers_the_squares():
    render = GAME.module("render")
    unit = 480 / render.WIDTH
    pictures = [render.picture(RULES, position(RULES, *moves)[0]) for moves in ((), (4,))]
    heads = [picture[: int(0.6 * unit)].astype(int) for picture in pictures]
    for seat, head in enumerate(heads):
        for colour in range(2):
            there = (np.abs(head - render.SEAT_COLOURS[colour]).max(axis=-1) < 30).any()
            assert there == (colour == seat)
    inked = (pictures[0] < 200).any(axis=-1)
    for k in range(3):
        x, y = (int((start + k + 0.5) * unit) for start in (render.LEFT, render.TOP))
        assert inked[int(0.65 * unit) : int(0.9 * unit), x - 12 : x + 12].any()
        assert inked[y - 12 : y + 12, int(0.1 * unit) : int(0.4 * unit)].any()


def test_recorded_games_replay(shared_data):
    lines = (shared_data / "botzone_games" / "TicTacToe.jsonl").read_text().splitlines()
    rules = spec("tictactoe").make_rules()
    for record in map(json.loads, lines):
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        seat = core.start_at(rules, states, 0, np.uint64(0), probs)
        for move in record["moves"]:
            assert seat == move["player"], record["id"]
            action = 3 * move["x"] + move["y"]
            n = core.legal_actions_at(rules, states, 0, legal)
            assert action in legal[:n], record["id"]
            seat, _ = core.play_at(rules, states, 0, action, legal, probs)
        over = seat == core.TERMINAL
        assert over == (record["result"]["reason"] in ("rules", "draw")), record["id"]
        if over:
            totals = np.zeros(2)
            core.returns_at(rules, states, 0, totals)
            assert (totals + 1).tolist() == record["result"]["scores"], record["id"]
