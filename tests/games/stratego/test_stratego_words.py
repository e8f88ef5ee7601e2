"""Stratego in words: boards, replies, setups, why moves are refused, replays."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stratagym.envs import core, prompts, spec
from stratagym.envs.stratego import replay, telling
from stratagym.envs.stratego.boards import BOARDS, BOMB, FLAG, LETTERS, SCOUT
from stratagym.envs.stratego.notation import action_of, position
from stratagym.envs.text import OK, TextGame, TextOptions, judge
from stratagym.testing import check_replies

GAME = spec("stratego")
view = GAME.module("view")
RULES = GAME.make_rules(setup="random")
ROWS = ["6 2 2 5 7 2 5 B 3 4", "6 7 8 6 10 4 2 5 9 2", "2 B 3 S 4 7 B 2 B 3", "2 F B 3 4 5 6 8 B 3"]
"""A setup of classic, the front row first: as a reply has it."""


def table():
    """A position with something of everything: Red's piece on (5, 4) has been to and fro."""
    pieces = [(0, 4, 34), (0, SCOUT, 31), (0, 5, 39), (0, 6, 24), (0, FLAG, 0), (0, BOMB, 1),
              (1, 7, 64), (1, 3, 60), (1, 3, 99), (1, FLAG, 90)]  # fmt: skip
    states, (legal, probs) = position(RULES, pieces), core.new_scratch(RULES)
    for start, end in ((34, 44), (99, 98), (44, 34), (98, 99), (34, 44), (99, 98)):
        seat = int(states["player"][0])
        core.play_at(RULES, states, 0, action_of(RULES, seat, start, end), legal, probs)
    return states


def test_the_board_as_both_seats_see_it():
    s = table()[0]
    red = view.seat_text(RULES, s, 0).splitlines()
    assert red[1].split() == [f"c{k}" for k in range(10)]
    assert red[2].split() == ["r0", "B?", *"." * 7, "B?", "."]
    assert red[7].split() == ["r5", ".", ".", "~~", "~~", "R4", ".", "~~", "~~", ".", "."]
    assert red[8].split() == ["r6", ".", "R2", *"." * 7, "R5"]
    blue = view.seat_text(RULES, s, 1).splitlines()
    assert blue[5].split() == ["r3", "B?", *"." * 7, "B?", "."]
    assert blue[8].split() == ["r6", *"." * 5, "R7", *"." * 3, "R3"]
    assert blue[11].split() == ["r9", ".", "R3", *"." * 7, "RF"]
    paper = view.position_text(RULES, s, 0, "paper").splitlines()
    assert paper[7] == "r5, ..., ..., , , R(3), ..., , , ..., ..."
    assert paper[11].startswith("r9, R(¶), R(o), ...") and "B(#)" in paper[2]
    assert "B3" in view.board_text(RULES, s) and view.standing(s) == "Red to move"


def test_what_the_prompt_tells():
    text = view.position_text(RULES, table()[0], 0, "grid")
    assert "Moves made: 6 of at most 2000. Since the last attack: 6 (drawn at 200)." in text
    assert "Your last moves, newest first: 6 4 -> 5 4; 5 4 -> 6 4; 6 4 -> 5 4" in text
    assert "Blue's last moves, newest first: 0 9 -> 0 8; 0 8 -> 0 9; 0 9 -> 0 8" in text
    assert "Blue's unknown pieces that have moved: 0 8" in text
    assert "Forbidden now because of repetition: 5 4 6 4 (two_square)" in text
    legal = prompts.legal_list(RULES, table())
    told = view.legal_text(RULES, table()[0], 0, legal)
    assert "Sergeant at 5 4: 4 4, 5 5" in told
    assert "Scout at 6 1: 9 1" not in told and "Scout at 6 1: 8 1, 7 1, 5 1" in told


MOVES = {
    '{"reasoning": "up", "move": "5 4 4 4"}': (44, 54),
    'I think so.\n```json\n{"move": "5, 4, 5, 5"}\n```': (44, 45),
    '{"move": [5, 4, 4, 4]}': (44, 54),
    '{"move": "(5 4) -> (4 4)"}': (44, 54),
    "Move: 5 4 4 4": (44, 54),
    "No object here.\nMove: (5, 4) (4, 4)": (44, 54),
    '{"move": "6 1 0 1"}': (31, 91),
}
REFUSED = {
    "5 4 4 4": "unparseable: no_json",
    "": "unparseable: empty",
    '{"reasoning": "none"}': "unparseable: no_move",
    '{"move": "forward"}': "unparseable: no_move",
    '{"move": "5 4 4"}': "unparseable: no_move",
    '{"move": "5 4 4 4 4"}': "unparseable: no_move",
    '{"move": [5, 4, 4, true]}': "unparseable: no_move",
    '{"move": "5 4 4 4", "move": "5 4 5 5"}': "unparseable: duplicate_key",
    '{"move": "<r c x y>"}': "unparseable: example",
    '{"move": "5 4 10 4"}': "illegal: off_board",
    '{"move": "-1 4 0 4"}': "illegal: off_board",
    '{"move": "3 0 4 0"}': "illegal: not_own_piece",
    '{"move": "4 0 5 0"}': "illegal: not_own_piece",
    '{"move": "9 0 8 0"}': "illegal: immovable",
    '{"move": "9 1 8 1"}': "illegal: immovable",
    '{"move": "5 4 4 5"}': "illegal: not_straight",
    '{"move": "5 4 5 4"}': "illegal: not_straight",
    '{"move": "6 1 6 9"}': "illegal: own_piece",
    '{"move": "6 9 4 9"}': "illegal: too_far",
    '{"move": "5 4 5 3"}': "illegal: lake",
    '{"move": "5 4 6 4"}': "illegal: two_square",
    '{"setup": ["S"]}': "unparseable: no_move",
}


def test_replies():
    states = table()
    wanted = {text: action_of(RULES, 0, *move) for text, move in MOVES.items()}
    check_replies(GAME, {**wanted, **REFUSED}, states, rules=RULES)


def test_a_scout_is_blocked_and_a_chase_refused():
    states = position(RULES, [(0, SCOUT, 30), (0, FLAG, 0), (1, 4, 60), (1, FLAG, 99), (1, 5, 70)])
    cases = {
        '{"move": "6 0 2 0"}': "illegal: blocked",
        '{"move": "6 0 3 0"}': action_of(RULES, 0, 30, 60),
    }
    check_replies(GAME, cases, states, rules=RULES)
    pieces = [(0, 9, 34), (0, FLAG, 0), (0, 4, 9), (1, 3, 45), (1, FLAG, 99), (1, 4, 90)]
    states, (legal, probs) = position(RULES, pieces), core.new_scratch(RULES)
    moves = ((34, 44), (45, 55), (44, 45), (55, 54), (45, 55), (54, 44), (55, 54), (44, 45))
    for start, end in moves:
        seat = int(states["player"][0])
        core.play_at(RULES, states, 0, action_of(RULES, seat, start, end), legal, probs)
    check_replies(GAME, {'{"move": "4 4 5 4"}': "illegal: chase"}, states, rules=RULES)
    assert "4 4 5 4 (chase)" in view.position_text(RULES, states[0], 0, "grid")


def test_a_setup_by_text_and_by_actions_is_one_record():
    game = TextGame("stratego")
    game.reset(seed=3)
    asked = game.observe()
    compact = ["".join(row.split()).replace("10", "T") for row in ROWS]
    names = [", ".join(row.split()) for row in ROWS]
    for rows in (ROWS, compact, names, [row.split() for row in ROWS]):
        reply = json.dumps({"reasoning": "so", "setup": rows})
        outcome = judge(game.spec, game.rules, asked.states, reply)
        assert outcome.kind == OK and len(outcome.actions) == 40
        states, (legal, probs) = asked.states.copy(), core.new_scratch(game.rules)
        for letter in " ".join(reversed(ROWS)).split():
            action = game.rules.num_actions - 13 + LETTERS.index(letter)
            core.play_at(game.rules, states, 0, action, legal, probs)
        twin = asked.states.copy()
        for action in outcome.actions:
            core.play_at(game.rules, twin, 0, action, legal, probs)
        assert twin == states and states["player"][0] == 1
    board = view.grid(game.rules, states[0], 0).splitlines()
    assert board[7].split()[1:] == [f"R{letter}" for letter in ROWS[0].split()]
    assert board[10].split()[1:] == [f"R{letter}" for letter in ROWS[3].split()]
    # Blue is not shown what Red has set up.
    assert "R" not in view.seat_text(game.rules, states[0], 1).split("Set up")[0].split("\n", 2)[2]


def bad(rows):
    return json.dumps({"setup": rows})


def test_bad_setups():
    rules = GAME.make_rules(flag_rows="back_two")
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(0), probs)
    forward = [ROWS[3], *ROWS[1:3], ROWS[0]]
    cases = {
        bad(ROWS[:3]): "illegal: wrong_shape",
        bad([*ROWS[:3], ROWS[3][:-2]]): "illegal: wrong_shape",
        bad([*ROWS[:3], ROWS[3].replace("F", "X")]): "illegal: wrong_shape",
        bad("F"): "illegal: wrong_shape",
        bad([*ROWS[:3], 7]): "illegal: wrong_shape",
        bad([*ROWS[:3], ROWS[3].replace("8", "9")]): "illegal: wrong_counts",
        bad([*ROWS[:3], ROWS[3].replace("8", ".")]): "illegal: wrong_counts",
        bad(forward): "illegal: flag_row",
        '{"move": "5 4 4 4"}': "unparseable: no_move",
        "Move: 5 4 4 4": "unparseable: no_json",
    }
    check_replies(GAME, cases, states, rules=rules)
    assert judge(GAME, rules, states, bad(ROWS)).kind == OK
    assert judge(GAME, GAME.make_rules(), states, bad(forward)).kind == OK


@pytest.mark.parametrize("options", [{}, {"two_square": "five"}, {"two_square": "stratego_env"},
                                     {"two_square": "none"}, {"chase": "kinds"}, {"chase": "none"},
                                     {"no_attack": 0}, {"both_stuck": "mover_wins"},
                                     {"setup": "human"}, {"flag_rows": "back_two"},
                                     {"max_moves": 77}])  # fmt: skip
def test_every_option_says_something_else(options):
    told = {board: view.rules_text(GAME.make_rules(board=board)) for board in BOARDS}
    assert len(set(told.values())) == len(BOARDS)
    assert bool(options) == (view.rules_text(GAME.make_rules(**options)) != told["classic"])


def test_moves_told_and_replayed():
    states = table()
    s = states[0]
    scout = action_of(RULES, 0, 31, 91)
    assert view.move_text(RULES, s, scout) == ("Red's scout at (6 1) as Red counts moved to (0 1).")
    step = action_of(RULES, 0, 44, 54)
    assert view.move_text(RULES, s, step) == "Red's piece at (5 4) as Red counts moved to (4 4)."
    assert replay.move(RULES, s, step) == "4 5 4-4 4"
    legal, probs = core.new_scratch(RULES)
    core.play_at(RULES, states, 0, step, legal, probs)
    attack = action_of(RULES, 1, 64, 54)
    assert view.move_text(RULES, states[0], attack) == (
        "Blue's major at (6 5) as Blue counts attacked the sergeant at (5 5) and won."
    )
    assert replay.move(RULES, states[0], attack) == "7 3 4x4 4 (4) wins"
    core.play_at(RULES, states, 0, attack, legal, probs)
    assert replay.beside(RULES, states[0], 0) == "5 pieces, 0 known"
    assert replay.beside(RULES, states[0], 1) == "4 pieces, 1 known"
    assert telling.counts_text(telling.lost(RULES, states[0], 0)).startswith("5 bombs")
    assert len(replay.arrow(RULES, states[0], step, 640)) == 2


def test_prompts_of_the_scenes():
    """DSGBench's two scenes as options; the seat of the model has its setup."""
    options = {"two_square": "stratego_env", "chase": "none", "no_attack": 0,
               "both_stuck": "mover_wins"}  # fmt: skip
    for setup in ("fixed", "scene"):
        game = TextGame("stratego", text=TextOptions(list_legal=True), setup=setup, **options)
        game.reset(seed=1)
        text = game.observe().messages[-1]["content"]
        assert "r6  RB   R2   R5   R4" in text and "B?   B?" in text
        assert "## Legal moves\nScout at 6 1: 5 1, 4 1, 3 1\nScout at 6 4: 5 4, 4 4, 3 4" in text
