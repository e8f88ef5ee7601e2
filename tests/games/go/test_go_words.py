"""Go in words and pictures, and what is counted of its moves."""

from __future__ import annotations

import numpy as np
import pytest
from ours import assert_in_order
from plain_go import Plain, points

from stratagym.envs import sgf, spec
from stratagym.envs.go import gtp, view
from stratagym.envs.go.metrics import COUNTS, game_counts
from stratagym.envs.go.rules import FREE, grid_of
from stratagym.envs.prompts import prompt
from stratagym.envs.text import TextOptions
from stratagym.testing import RandomGame, check_replies, position

GAME = spec("go")
RULES = GAME.make_rules()
LENIENT = TextOptions(lenient=True)


def test_replies():
    start = position(RULES, *points("D4"))
    strict = {
        "Move: E5": 40,
        "I think.\n**Move: c3**": 56,
        "Move: (A,9)": 0,
        "Move: D5\nNo.\nMove: J1.": 80,
        "Move: pass": 81,
        "Move: None": 81,
        "Move: D4": "illegal: occupied",
        "Move: I5": "illegal: off_board",
        "Move: K5": "illegal: off_board",
        "Move: a0": "illegal: off_board",
        "Move: A10": "illegal: off_board",
        "Answer: D5": 39,
        "E5": "unparseable",
        "Move: dd": "unparseable",
        "": "unparseable",
    }
    lenient = {
        "Answer: E5": 40,
        "e5": 40,
        'First {"action": "D4"}, no: {"reason": "good", "action": "E5"} it is': 40,
        '{"reason": "good", "action": 40}': 40,
        '{"reason": "good", "action": 99}': "illegal: no_such_move",
        "Move: d4": "illegal: occupied",
        "I put it somewhere.": "unparseable",
    }
    check_replies("go", strict, start)
    check_replies("go", lenient, start, options=LENIENT)
    around = position(RULES, *points("A8 pass B9"))
    check_replies("go", {"Move: A9": "illegal: suicide", "Move: pass": 81}, around)
    ko = position(RULES, *points("A9 B9 B8 C8 E5 D9 C9"))
    check_replies("go", {"Move: B9": "illegal: repetition", "Move: C9": "illegal: occupied"}, ko)


def test_words():
    states = position(RULES, *points("A9 B9 B8 C8 E5 D9"))
    assert (
        view.move_text(RULES, states[0], points("C9")[0]) == "X put a stone on C9 and took 1 off."
    )
    states = position(RULES, *points("A9 B9 B8 C8 E5 D9 C9"))
    assert view.board_text(RULES, states[0]).splitlines() == [
        "  A B C D E F G H J",
        "9 X . X O . . . . . 9",
        "8 . X O . . . . . . 8",
        "7 . . . . . . . . . 7",
        "6 . . . . . . . . . 6",
        "5 . . . . X . . . . 5",
        "4 . . . . . . . . . 4",
        "3 . . . . . . . . . 3",
        "2 . . . . . . . . . 2",
        "1 . . . . . . . . . 1",
        "  A B C D E F G H J",
        "Stones: X 4, O 2. Prisoners taken: X 1, O 0. Komi: 7.5",
        "Last move: X C9",
        "O to move",
    ]
    assert view.move_text(RULES, states[0], 81) == "O passed."
    (message,) = prompt(view, RULES, states[0], 1, TextOptions(system="merge"), legal=[40, 81])
    assert_in_order(
        message["content"],
        "white stones, shown as O", "Rules: the board has 9 columns, A to J", "without I",
        "any earlier position", "5 . . . . X . . . . 5", "Prisoners taken: X 1", "Last move: X C9",
        "stopped: 155", "Legal moves: E5, pass", "Move: <column",
    )  # fmt: skip
    told = view.position_text(RULES, states[0], 1, "list")
    assert "X: A9 C9 B8 E5" in told and "O: D9 C8" in told
    over = position(RULES, *points("E5 pass pass"))
    assert view.board_text(RULES, over[0]).endswith("X has won by 73.5")
    assert gtp.score(RULES, over[0]) == "B+73.5"
    draw = GAME.make_rules(size=2, komi=0)
    assert view.result_text(draw, position(draw, 4, 4)[0]) == "Draw"


@pytest.mark.parametrize(
    ("options", "told", "untold"),
    [
        ({"ko": "simple"}, "not be taken so at once", "earlier position"),
        ({"ko": "situational"}, "with the same player to move", "at once"),
        ({"handicap": 3}, "X has 3 stones on the board, and O moves first", "empty at the start"),
        ({"komi": 6}, "exactly so many is a draw", "at once"),
        ({"komi": 0}, "as many is a draw", "compensation"),
        ({"size": 7}, "A to G from the left,", "without I"),
        ({"max_length": 50}, "or after 50 moves", "162"),
    ],
)
def test_prompts_tell_the_rules_in_force(options, told, untold):
    text = view.rules_text(GAME.make_rules(**options))
    assert told in text and untold not in text


def allows_capture(plain, action):
    """Whether a chain of the mover's has one liberty after an action, and the game goes on."""
    seat, stones = plain.seat, plain.stones
    plies = len(plain.past)
    if action == plain.rules.size**2:
        passed_before = plies > 1 and plain.past[-1][0] == plain.past[-2][0]
        if passed_before:
            return False
    else:
        stones, _ = plain.after(divmod(action, plain.rules.size))
    alone = any(
        owner == seat and len(plain.chain(stones, point)[1]) == 1 for point, owner in stones.items()
    )
    return alone and plies < plain.rules.max_length


def test_moves_are_counted(rng):
    """As a plain count over the same games."""
    for k in range(6):
        rules = GAME.make_rules(size=5 if k < 2 else 3)
        game, plain = RandomGame(rules, int(rng.integers(2**63))), Plain(rules)
        expected = np.zeros((2, len(COUNTS)), int)
        at = COUNTS.index
        for seat, legal, action in zip(game.players, game.choices, game.actions, strict=True):
            own = expected[seat]
            own[at("decisions")] += 1
            n, points = len(legal), rules.size**2
            allowing = sum(allows_capture(plain, move) for move in legal.tolist())
            own[at("captures_chance")] += round(1000 * allowing / n)
            eyes = {move for move in legal.tolist() if move < points and plain.is_eye(move)}
            if 0 < len(eyes) < n - 1:
                own[at("eyes_possible")] += 1
                own[at("eyes_filled")] += action in eyes
                own[at("eyes_chance")] += round(1000 * len(eyes) / n)
            if (plain.area() - rules.komi) * (1 - 2 * seat) < 0:
                own[at("behind")] += 1
                own[at("passes_behind")] += action == points
                own[at("passes_chance")] += round(1000 / n)
            plain.play(action)
            alone = [
                point
                for point, owner in plain.stones.items()
                if owner == seat and len(plain.chain(plain.stones, point)[1]) == 1
            ]
            over = len(plain.past) - 1 == len(game.actions)
            own[at("captures_allowed")] += bool(alone) and not over
            if (plies := len(plain.past) - 1) in (20, 40, 60, 80):
                expected[:, at(f"lead_{plies}")] = plain.area(), -plain.area()
        actions = np.array([game.actions])
        counts = game_counts(rules, np.zeros(1, np.uint64), actions, np.array([len(game.actions)]))
        chances = [k for k, name in enumerate(COUNTS) if name.endswith("chance")]
        assert np.abs(counts[0] - expected)[:, chances].max() <= 30  # halves are rounded
        counts[0][:, chances] = expected[:, chances] = 0
        assert (counts[0] == expected).all()


@pytest.mark.parametrize("options", [{}, {"size": 19, "handicap": 9}, {"size": 5}])
def test_picture_shows_stones_where_they_are(options):
    render, rules = GAME.module("render"), GAME.make_rules(**options)
    size = rules.size
    top = points(f"A{size} B{size} B{size - 1} C{size - 1} E5 D{size} C{size}", size)
    ko = top[1]
    states = position(rules, *[size * size] * (rules.handicap > 0), *top)
    picture = render.picture(rules, states[0]).astype(int)
    far = (render.pixel(rules, 1)[0] - render.pixel(rules, 0)[0]) // 5
    for action, there in enumerate(grid_of(rules, states[0]).ravel().tolist()):
        x, y = render.pixel(rules, action)
        shade = picture[y - far : y + far + 1, x - far : x + far + 1].reshape(-1, 3)
        if there == FREE:
            red = (shade[:, 0] > 190) & (shade[:, 1] < 110)
            assert red.any() == (action == ko), action
            assert (shade[:, 0] > shade[:, 2] + 60).mean() > 0.3, action
        elif action != states["last"][0]:
            assert (shade.mean() < 80) == (there == 0), action
    x, y = render.pixel(rules, top[-1])
    assert picture[y, x, 0] > 180 > 120 > picture[y, x, 1]


@pytest.mark.oracle
@pytest.mark.parametrize("options", [{}, {"size": 5, "komi": 0.5, "ko": "simple"}, {"handicap": 4}])
def test_games_in_sgf_are_read_again_and_by_sgfmill(options, rng):
    """Moves, passes, stones set up, and the result that sgfmill counts."""
    sgfmill = pytest.importorskip("sgfmill.sgf", reason="pip install sgfmill")
    from sgfmill import sgf_moves

    rules = GAME.make_rules(**options)
    for _ in range(20):
        game = RandomGame(rules, int(rng.integers(2**63)))
        text = sgf.write(sgf.from_game(GAME, rules, game.actions, ("A]", "B")))
        (record,) = sgf.read(text)
        assert sgf.to_game(GAME, record) == (rules, game.actions)
        theirs = sgfmill.Sgf_game.from_string(text)
        assert theirs.get_size() == rules.size and theirs.get_komi() == rules.komi
        assert theirs.get_player_name("b") == "A]" and theirs.get_handicap() == (
            rules.handicap or None
        )
        board, moves = sgf_moves.get_setup_and_moves(theirs)
        for colour, point in moves:
            if point is not None:
                board.play(*point, colour)
        lead = board.area_score() - rules.komi
        assert theirs.get_winner() == ("b" if lead > 0 else "w" if lead < 0 else None)
        assert record.result == (f"{'BW'[lead < 0]}+{abs(lead):g}" if lead else "Draw")


def test_what_sgf_does_not_say_is_usual():
    (record,) = sgf.read("(;GM[1]SZ[9]RU[Chinese];B[ee];W[])")
    rules, actions = sgf.to_game(GAME, record)
    assert (rules, actions) == (RULES, [40, 81])
    for text, words in (
        ("(;GM[1]SZ[9:7])", "9 x 7"),
        ("(;GM[1]SZ[9]AB[aa][bb])", "other stones"),
        ("(;GM[1]SZ[9];B[ee];W[ee])", "move 2"),
    ):
        with pytest.raises(ValueError, match=words):
            sgf.to_game(GAME, *sgf.read(text))
