"""Ataxx against python-ataxx, Fairy-Stockfish, Botzone's games, known counts and a plain second."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numba import njit
from ours import assert_in_order
from perft import perft
from plain_ataxx import (
    BLOCKS,
    BOTZONE,
    GAME,
    RULES,
    grid_of,
    make_move,
    moves_in,
    placed,
    played,
    results,
    start_grid,
)

from stratagym.envs import core
from stratagym.envs.ataxx import notation, render, replay, view
from stratagym.envs.ataxx import rules as kernel
from stratagym.envs.prompts import messages
from stratagym.envs.text import TextOptions
from stratagym.testing import RandomGame, check_replies, position, random_positions

TOP = GAME.make_rules(numbering="top")
PERFT = (16, 256, 6460, 155888, 4752668)


# --- the rules -----------------------------------------------------------------------------------


def test_numbers_of_games():
    assert tuple(perft(RULES, position(RULES), depth) for depth in range(1, 6)) == PERFT


@pytest.mark.slow
def test_number_of_games_of_six_plies():
    assert perft(RULES, position(RULES), 6) == 141865520


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("judge", ["uai", "botzone"])
@pytest.mark.parametrize("max_quiet", [100, 3])
def test_games_follow_the_definition(blocks, judge, max_quiet, rng):
    """Moves, passes, counters, ends and results of random games, by a slow second of the rules."""
    rules = GAME.make_rules(blocks=blocks, judge=judge, max_quiet=max_quiet)
    planes = np.zeros(rules.observation_shape, np.int8)
    passes = 0
    for _ in range(10):
        game = RandomGame(rules, int(rng.integers(2**63)))
        grid, seat, quiet = start_grid(blocks), 0, 0
        for states, player, legal, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            mark = "xo"[seat]
            assert player == seat and grid_of(rules, states[0]) == grid
            moves = moves_in(grid, mark)
            assert moves or (judge == "uai" and moves_in(grid, "xo"[1 - seat]))
            assert legal.tolist() == (sorted(moves) or [833])
            core.observe_at(rules, states, 0, seat, planes)
            for row in range(7):
                for column in range(7):
                    sign = grid.get((row, column), "-")
                    kinds = (mark, "xo"[1 - seat], "-")
                    assert planes[row, column].tolist() == [*(sign == k for k in kinds), quiet]
            if moves:
                make_move(grid, mark, moves[action])
            passes += not moves
            quiet = 0 if action < 49 else quiet + 1
            seat = 1 - seat
        first, second, empty = (list(grid.values()).count(sign) for sign in "xo.")
        own, other = "xo"[seat], "xo"[1 - seat]
        if judge == "botzone":
            stuck = not moves_in(grid, own)
            assert stuck or len(game.actions) == 401
            if stuck:
                first, second = first + empty * seat, second + empty * (1 - seat)
            winner = (0 if first > second else 1) if first != second else 1 - seat
        elif not empty or own not in grid.values():
            assert other in grid.values()
            winner = 0 if first > second else 1
        else:
            assert quiet == max_quiet
            winner = None
        expected = [0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1]
        assert game.returns(game.end).tolist() == expected
    assert game.ending == core.TERMINAL


def uai_name(action):
    return "0000" if action == 833 else view.action_to_string(RULES, None, action)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("blocks", "games"),
    [("none", 10), ("corners", 2), ("sides", 2), pytest.param("none", 200, marks=pytest.mark.slow)],
)
def test_games_are_python_ataxxs(blocks, games, rng):
    """Legal moves, positions and results of random games."""
    ataxx = pytest.importorskip("ataxx", reason="pip install ataxx")
    rules = GAME.make_rules(blocks=blocks)
    for k in range(games):
        board = ataxx.Board(f"{BLOCKS[blocks]} x 0 1")
        game = QuietGame(rules, rng) if k % 2 else RandomGame(rules, int(rng.integers(2**63)))
        told = []
        for states, legal, action in zip(game.states, game.choices, game.actions, strict=True):
            assert not board.gameover(), told
            theirs = {str(move) for move in board.legal_moves()}
            assert theirs == {uai_name(one) for one in legal.tolist()}, told
            told.append(uai_name(action))
            board.makemove(ataxx.Move.from_san(told[-1]))
            assert board.halfmove_clock == (0 if action < 49 else states["quiet"][0] + 1), told
        assert board.gameover(), told
        expected = {"1-0": [1, -1], "0-1": [-1, 1], "1/2-1/2": [0, 0]}[board.result()]
        assert game.returns(game.end).tolist() == expected, told


class QuietGame(RandomGame):
    """A random game with few clones: most end by quiet play or without one side's stones."""

    def __init__(self, rules, rng):
        self.rules = rules
        self.legal, self.probs = core.new_scratch(rules)
        self.states, self.players, self.choices, self.actions = [], [], [], []
        state = core.new_states(rules)
        player = core.start_at(rules, state, 0, np.uint64(0), self.probs)
        n = core.legal_actions_at(rules, state, 0, self.legal)
        while player >= 0:
            legal = self.legal[:n].copy()
            jumps = legal[legal >= 49]
            some = jumps if len(jumps) and rng.random() < 0.98 else legal
            self.states.append(state.copy())
            self.players.append(int(player))
            self.choices.append(legal)
            self.actions.append(int(rng.choice(some)))
            player, n = self.play(state, self.actions[-1])
        self.end, self.ending = state, int(player)


@pytest.mark.oracle
@pytest.mark.parametrize("games", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_games_are_fairy_stockfishs(games, rng):
    """Legal moves of random games, passes, and results where the board is full or a side gone."""
    sf = pytest.importorskip("pyffish", reason="pip install pyffish")
    for _ in range(games):
        game, told = RandomGame(RULES, int(rng.integers(2**63))), []
        fen = sf.start_fen("ataxx")
        for legal, action in zip(game.choices, game.actions, strict=True):
            theirs = sf.legal_moves("ataxx", fen, [])
            if legal[0] == 833:
                assert len(theirs) == 1 and "@" not in theirs[0], told
                told += theirs
            else:
                assert sorted(theirs) == sorted(map(fairy_name, legal.tolist())), told
                told.append(fairy_name(action))
            fen = sf.get_fen("ataxx", fen, told[-1:])
        assert game.end["over"][0] in (kernel.FULL, kernel.WIPED_OUT)
        assert sf.legal_moves("ataxx", fen, []) == []
        mine = game.returns(game.end)[len(told) % 2]
        assert np.sign(sf.game_result("ataxx", fen, [])) == mine, told


@pytest.mark.oracle
def test_positions_and_moves_are_fairy_stockfishs(rng):
    """What engines are told of a position and answer, passes too."""
    sf = pytest.importorskip("pyffish", reason="pip install pyffish")
    legal = np.zeros(RULES.num_actions, np.int64)
    passes = 0
    found = list(random_positions(RULES, 20, rng, range(100, 180)))
    while passes == 0:
        game = RandomGame(RULES, int(rng.integers(2**63)))
        stuck = [states[0] for states in game.states if core.is_legal_action_at(
            RULES, states, 0, 833, legal)]  # fmt: skip
        passes += len(stuck)
        found += stuck
    for s in found:
        states, told = np.array([s]), notation.fen(s)
        n = core.legal_actions_at(RULES, states, 0, legal)
        moves = sf.legal_moves("ataxx", told, [])
        assert sorted(notation.parse_uci(s, move) for move in moves) == legal[:n].tolist()
        assert sf.get_fen("ataxx", told, []).split()[:2] == told.split()[:2]
    start = sf.start_fen("ataxx")
    assert notation.fen(position(RULES)[0]).split()[:2] == start.split()[:2]
    assert notation.parse_uci(position(RULES)[0], "0000") == 833
    for wrong in ("a1", "h1h2", "P@a8", "(none)", "a2a3q"):
        with pytest.raises(ValueError, match="no_such_move"):
            notation.parse_uci(position(RULES)[0], wrong)


@pytest.mark.parametrize(
    ("options", "words"), [({"judge": "botzone"}, "Botzone"), ({"blocks": "sides"}, "blocked")]
)
def test_engines_play_by_the_usual_rules_alone(options, words):
    assert notation.why_not(RULES) == ""
    assert words in notation.why_not(GAME.make_rules(**options))


def fairy_name(action):
    name = view.action_to_string(RULES, None, action)
    return f"P@{name}" if action < 49 else name


def botzone_action(move):
    """Botzone tells a move by two points (x, y); here x is the row, and it makes no difference."""
    x, y, to_x, to_y = (move[name] for name in ("x0", "y0", "x1", "y1"))
    down, right = x - to_x, y - to_y
    if max(abs(down), abs(right)) == 1:
        return 7 * to_x + to_y
    return 49 * (1 + kernel.OFFSETS.index((right, down))) + 7 * to_x + to_y


def test_recorded_games_replay(shared_data):
    lines = (shared_data / "botzone_games" / "Ataxx.jsonl").read_text().splitlines()
    legal, probs = core.new_scratch(BOTZONE)
    assert len(lines) == 12
    ends = []
    for record in map(json.loads, lines):
        states = core.new_states(BOTZONE)
        seat = core.start_at(BOTZONE, states, 0, np.uint64(0), probs)
        for move in record["moves"]:
            assert seat == move["player"], record["id"]
            action = botzone_action(move)
            n = core.legal_actions_at(BOTZONE, states, 0, legal)
            assert action in legal[:n], record["id"]
            seat, _ = core.play_at(BOTZONE, states, 0, action, legal, probs)
        assert seat == core.TERMINAL, record["id"]
        winner = record["result"]["winner"]
        assert results(BOTZONE, states) == [1 - 2 * winner, 2 * winner - 1], record["id"]
        ends.append(int(states["over"][0]))
    assert ends.count(kernel.FULL) == 3 and ends.count(kernel.WIPED_OUT) == 7
    assert ends.count(kernel.STUCK) == 2


@njit
def random_results(rules, states, legal, probs, seed, out):
    total = np.zeros(2)
    for game in range(len(out)):
        core.start(rules, states[0], core.derive_seed(seed, game), probs)
        out[game] = 0
        while core.current_player(rules, states[0]) >= 0:
            n = core.legal_actions(rules, states[0], legal)
            out[game, 1] += legal[0] == 833
            core.step(rules, states[0], legal[core.random_below(states[0], n)])
            out[game, 0] += 1
        core.returns(rules, states[0], total)
        out[game, 2], out[game, 3] = total[0], states[0].over


def test_random_games_are_as_long_and_won_as_often_as_known(seed):
    """100,000 random games of another program: within 5.5 errors of both, rounding included."""
    n = 20_000
    out = np.zeros((n, 4))
    random_results(RULES, core.new_states(RULES), *core.new_scratch(RULES), np.uint64(seed), out)
    length, passes, result, over = out.T
    for sample, mean, digit in (
        (length, 183.9, 0.1),
        (passes, 0.24, 0.01),
        (result > 0, 0.503, 0.001),
        (over == kernel.FULL, 0.914, 0.001),
        (over == kernel.WIPED_OUT, 0.086, 0.001),
    ):
        error = sample.std() * (1 / n + 1 / 100_000) ** 0.5
        assert abs(sample.mean() - mean) < 5.5 * error + digit / 2, mean
    assert (result != 0).all()


def test_legal_at_once_is_what_the_list_says(rng):
    for rules in (RULES, BOTZONE, GAME.make_rules(blocks="sides")):
        legal = np.zeros(rules.num_actions, np.int64)
        scratch = legal.copy()
        # Somebody who has to pass; by Botzone's judge that game would be over.
        forced = () if rules.botzone else placed("a7", "a6 b6 b7 c7 c6 c5 b5 a5", rules=rules)
        for s in [*random_positions(rules, 12, rng), *forced]:
            states = np.array([s])
            n = core.legal_actions_at(rules, states, 0, legal)
            listed = set(legal[:n].tolist())
            for action in range(-3, rules.num_actions + 3):
                said = core.is_legal_action_at(rules, states, 0, action, scratch)
                assert said == (action in listed)


def test_who_cannot_move_passes_and_by_botzones_judge_loses_the_empty_cells():
    """X has but a7, and a5 is the last cell in its reach."""
    first, second, legal = "a7", "a6 b6 b7 c7 c6 c5 b5 e5", np.zeros(834, np.int64)
    states, seat = played(RULES, placed(first, second, player=1), "e5c4")
    assert seat == 0 and states["quiet"][0] == 1
    n = core.legal_actions_at(RULES, states, 0, legal)
    assert [view.action_to_string(RULES, states[0], one) for one in legal[:n]] == ["a7a5"]
    states, seat = played(RULES, placed(first, second + " a5", player=1), "e5c4")
    assert core.legal_actions_at(RULES, states, 0, legal) == 1 and legal[0] == kernel.PASS
    check_replies(
        GAME, {"Move: pass": 833, "Move: 0000": 833, "Move: d1": "illegal: must_pass"}, states
    )
    assert view.move_text(RULES, states[0], 833) == "X passed."
    states, seat = played(RULES, states, "pass")
    assert seat == 1 and states["quiet"][0] == 2 and states["over"][0] == kernel.GOING
    states, seat = played(BOTZONE, placed(first, second + " a5", player=1, rules=BOTZONE), "e5c4")
    assert seat == core.TERMINAL and states["over"][0] == kernel.STUCK
    assert results(BOTZONE, states) == [-1, 1]
    assert view.board_text(BOTZONE, states[0]).endswith("O has won by 48 to 1, X cannot move")


ROWS = [[f"{column}{row}" for column in "abcdefg"] for row in range(7, 0, -1)]


def test_a_stuck_side_with_most_of_the_board_wins_by_botzones_judge():
    """25 stones out of reach of the empty cells: the mover gets those and has 24."""
    cells = [name for row in ROWS for name in row]
    stuck = cells[:25]
    states = placed(" ".join(stuck), " ".join([*cells[25:42], "a1"]), player=1, rules=BOTZONE)
    # Row 4 has a4 to d4 of X; O's moves to b1: nothing of X within two of row 1 is left.
    states, seat = played(BOTZONE, states, "b1")
    assert seat == core.TERMINAL and states["over"][0] == kernel.STUCK
    assert results(BOTZONE, states) == [1, -1]
    assert view.board_text(BOTZONE, states[0]).endswith("X has won by 25 to 24, X cannot move")


def test_quiet_play_is_a_draw_and_a_win_comes_first():
    states = placed("a7 g1", "g7 a1", quiet=98)
    after, seat = played(RULES, states, "a7c5")
    assert seat == 1 and after["quiet"][0] == 99
    for move, end in (("g7e5", core.TERMINAL), ("f6", 0)):
        then, seat = played(RULES, after, move)
        assert seat == end and results(RULES, then) == [0, 0]
    assert view.board_text(RULES, played(RULES, after, "g7e5")[0][0]).endswith(
        "Draw after 100 moves without a clone"
    )
    states = placed("a7", "c4 d3", quiet=99)
    after, seat = played(RULES, states, "a7c5")
    assert seat == core.TERMINAL and results(RULES, after) == [0, 0]
    states = placed("a7", "c4 d4", quiet=99)
    after, seat = played(RULES, states, "a7c5")
    assert seat == core.TERMINAL and results(RULES, after) == [1, -1]
    assert after["over"][0] == kernel.WIPED_OUT


@pytest.mark.parametrize("options", [{"max_quiet": 0}, {"judge": "botzone"}])
def test_games_are_stopped(options):
    """After 4,500 moves as a draw; by Botzone's judge after 401, the last mover winning ties."""
    rules = GAME.make_rules(**options)
    assert rules.max_game_length == (401 if options.get("judge") else 4500)
    states = placed("a7 g1", "g7 a1", rules=rules, plies=rules.max_game_length - 2, quiet=3000)
    states, seat = played(rules, states, "a7c5")
    assert seat == 1
    states, seat = played(rules, states, "g7e7")
    assert seat == core.TERMINAL and states["over"][0] == kernel.MOVE_LIMIT
    assert results(rules, states) == ([-1, 1] if rules.botzone else [0, 0])


@pytest.mark.parametrize(
    ("blocks", "quiet", "most"), [("none", 100, 4500), ("none", 7, 315), ("sides", 10, 410)]
)
def test_games_are_no_longer_than_told(blocks, quiet, most, seed, rng):
    rules = GAME.make_rules(blocks=blocks, max_quiet=quiet)
    assert rules.max_game_length == most
    for _ in range(5):
        assert len(QuietGame(rules, rng).actions) <= most


# --- words, pictures -----------------------------------------------------------------------------


def test_replies():
    """Every kind of failure, and the forms a move may have."""
    states = placed("a7 d4 e4", "d5 g1")
    jump = 49 * (1 + kernel.OFFSETS.index((1, -2))) + 7 * 5 + 2  # d4 to c2
    check_replies(
        GAME,
        {
            "Move: b7": 1,
            "I think.\n**Move: B7**": 1,
            "Move: d4c2": jump,
            "Move: d4-c2": jump,
            "Move: D4 -> C2": jump,
            "Move: (D,4) -> (C,2)": jump,
            "Move: (D, 4) -> (C, 2)": jump,
            "Move: a7b6": 8,
            "Move: a7d4": "illegal: too_far",
            "Move: a7a7": "illegal: occupied",
            "Move: b6b7": "illegal: not_your_piece",
            "Move: d5c6": "illegal: not_your_piece",
            "Move: d5d7": "illegal: not_your_piece",
            "Move: d5": "illegal: occupied",
            "Move: a7c5\nNo.\nMove: d4d5": "illegal: occupied",
            "Move: a1": "illegal: too_far",
            "Move: h8": "illegal: off_board",
            "Move: a7a8": "illegal: off_board",
            "Move: pass": "illegal: cannot_pass",
            "Move: None": "illegal: cannot_pass",
            "Move: 0000": "illegal: cannot_pass",
            "Answer: b7": 1,
            "b7": "unparseable",
            "Move: castle": "unparseable",
            "": "unparseable",
        },
        states,
    )
    check_replies(
        GAME,
        {
            "b7": 1,
            "Answer: (A,7) -> (C,5)": 49 + 7 * 2 + 2,
            '{"reason": "I like it", "action": "d4c2"}': jump,
            f'{{"reason": "no"}} {{"reason": "x", "action": {jump}}}': jump,
            '{"action": 834}': "illegal: no_such_move",
            '{"action": 49}': "illegal: off_board",
            "no move": "unparseable",
        },
        states,
        options=TextOptions(lenient=True),
    )
    blocked = GAME.make_rules(blocks="corners")
    states = placed("b4", "g1", rules=blocked)
    check_replies(GAME, {"Move: c5": "illegal: blocked"}, states, rules=blocked)
    check_replies(GAME, {"Move: b1": 1, "Move: a1b2": 8, "Move: b7": "illegal: too_far"}, rules=TOP)


def test_words():
    states = played(RULES, placed("a7 d4 e4", "d5 g1"), "d4c6")[0]
    assert view.board_text(RULES, states[0]).splitlines() == [
        "  a b c d e f g",
        "7 X . . . . . . 7",
        "6 . . X . . . . 6",
        "5 . . . X . . . 5",
        "4 . . . . X . . 4",
        "3 . . . . . . . 3",
        "2 . . . . . . . 2",
        "1 . . . . . . O 1",
        "  a b c d e f g",
        "X 4, O 1, empty 44",
        "Last move: X d4c6",
        "O to move",
    ]
    jump = view.string_to_action(RULES, states[0], "g1e3")
    assert view.move_text(RULES, states[0], jump) == "O jumped from g1 to e3 and turned over 1."
    assert view.move_text(RULES, states[0], 47) == "O cloned onto f1 and turned over 0."
    (message,) = messages(GAME, RULES, states, TextOptions(system="merge", list_legal=True))
    assert_in_order(
        message["content"],
        "white stones, shown as O", "1 to 7 from the bottom", "X has stones on a7 and g1",
        "After 100 moves in a row without a clone", "6 . . X . . . . 6",
        "Count: X 4, O 1, empty 44.", "Last move: X d4c6",
        "Moves in a row without a clone: 1 of 100", "Legal moves: f2, g2, f1", "Move: <cell>",
    )  # fmt: skip
    listed = messages(GAME, RULES, states, TextOptions(position="list"))[1]["content"]
    assert "X: a7 c6 d5 e4\nO: g1\nAll other cells are empty." in listed
    system, user = messages(GAME, TOP, position(TOP), TextOptions())
    assert "1 to 7 from the top" in system["content"] and "X has stones on a1" in system["content"]
    assert user["content"].index("\n1 X") < user["content"].index("\n7 O")
    system, user = messages(GAME, BOTZONE, position(BOTZONE), TextOptions())
    assert "stopped after 401 moves" in system["content"] and "must pass" not in system["content"]
    assert "Moves made: 0 of 401" in user["content"]
    blocked = GAME.make_rules(blocks="sides", max_quiet=0)
    system, user = messages(GAME, blocked, position(blocked), TextOptions())
    assert "hold no stones: d5 c4 e4 d3" in system["content"]
    assert "Moves made: 0 of 4500" in user["content"] and "4 . . # . # . . 4" in user["content"]
    assert view.count_text(blocked, position(blocked)[0]) == "X 2, O 2, empty 41"


def test_a_picture_shows_stones_the_last_move_and_where_one_may_go():
    rules = GAME.make_rules(blocks="corners")
    states = played(rules, placed("a7 d4 e4", "f5 g1", rules=rules), "d4d6")[0]
    picture = render.picture(rules, states[0]).astype(int)

    def at(name, right=0, down=0):
        x, y = render.pixel(rules, 8 * (7 - int(name[1])) + "abcdefg".index(name[0]))
        return picture[y + down, x + right]

    unit = round((render.pixel(rules, 1)[0] - render.pixel(rules, 0)[0]) / 2)
    corner = unit - 6
    for name, seat in (("a7", 0), ("d6", 0), ("e4", 0), ("f5", 1), ("g1", 1)):
        assert np.abs(at(name, 12, 12) - render.PAINT[seat]).max() < 30, name
    for name in ("c5", "e5", "c3", "e3"):
        assert np.abs(at(name) - render.FELT).max() > 60, name
    for name in ("d4", "d6"):
        assert at(name, corner, corner)[0] > at(name, corner, corner)[2] + 40, name  # yellow
    assert np.abs(at("b2", corner, corner) - render.FELT).max() < 12
    assert np.abs(at("b2") - render.FELT).max() < 12  # nobody comes to b2
    dot, ring = at("f2"), at("e1")  # O's clones and jumps, in white
    assert (dot > np.array(render.FELT) + 20).all() and np.abs(ring - render.FELT).max() < 12
    assert (at("e1", round(0.22 * unit)) > np.array(render.FELT) + 20).all()
    plain, top = (render.picture(each, position(each)[0]) for each in (RULES, TOP))
    named = (plain != top).any(axis=2)
    x, y = render.pixel(RULES, 0)
    inside = slice(y - unit, y + 13 * unit), slice(x - unit, x + 13 * unit)
    assert named.any() and not named[inside].any()  # rows are called otherwise, no more
    assert replay.beside(rules, states[0], 0) == "3 stones"
    assert [replay.badge(rules, states[0], k) for k in range(2)] == [
        ("X", render.PAINT[0]), ("O", render.PAINT[1])
    ]  # fmt: skip
