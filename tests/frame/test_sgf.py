"""SGF: what is written is read again, here and by sgfmill; what others write is read."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym.envs import core, sgf, spec
from stratagym.envs.sgf import GO, GOMOKU, OTHELLO, GameRecord

ODD = r"a]b\c:d;e(f)[g] \]ö"


def random_record(rng):
    game = int(rng.choice([GO, OTHELLO, GOMOKU]))
    columns, rows = (int(size) for size in rng.integers(1, 53, 2))

    def points(n):
        return [(int(rng.integers(columns)), int(rng.integers(rows))) for _ in range(n)]

    record = GameRecord(game, columns, rows, stones=(points(3), points(rng.integers(3))))
    for point in points(rng.integers(40)):
        record.moves.append((int(rng.integers(2)), None if rng.random() < 0.1 else point))
    record.komi = None if rng.random() < 0.5 else float(rng.integers(20)) / 2
    record.rules, record.result, record.black, record.white = (
        "".join(rng.choice(list(ODD), rng.integers(12))).strip() for _ in range(4)
    )
    record.more = {"EV": [ODD], "DT": ["2026-11-22"], "C": ["two\nlines\n" + ODD]}
    return record


def test_records_are_read_as_they_were_written(rng):
    records = [random_record(rng) for _ in range(50)]
    text = sgf.write(*records)
    assert sgf.read(text) == records
    assert sgf.write(*sgf.read(text)) == text
    assert sgf.serialize(sgf.parse(text)) == text


def test_what_is_written():
    moves = [(0, (15, 3)), (1, (3, 3)), (0, None)]
    record = GameRecord(GO, 19, 19, moves, ([(3, 15)], []), 7.5, "Chinese", "B+3.5", "A]", "B\\\n")
    assert sgf.write(record) == (
        "(;FF[4]GM[1]CA[UTF-8]SZ[19]KM[7.5]RU[Chinese]PB[A\\]]PW[B\\\\]RE[B+3.5]AB[dp];B[pd]\n"
        ";W[dd];B[])\n"
    )
    assert "SZ[7:5]" in sgf.write(GameRecord(GOMOKU, 7, 5))


def test_sgfmill_reads_the_same(rng):
    sgfmill = pytest.importorskip("sgfmill.sgf", reason="pip install sgfmill")
    for _ in range(20):
        record = random_record(rng)
        record.game, record.columns = GO, min(record.rows, 26)
        record.rows = record.columns
        inside = lambda p: p is None or max(p) < record.rows  # noqa: E731, B023
        record.moves = [move for move in record.moves if inside(move[1])]
        record.stones = tuple([p for p in points if inside(p)] for points in record.stones)
        game = sgfmill.Sgf_game.from_string(sgf.write(record))
        turned = lambda p: None if p is None else (record.rows - 1 - p[1], p[0])  # noqa: E731, B023
        root = game.get_root()
        black, white, _ = root.get_setup_stones()
        assert (black, white) == tuple({turned(p) for p in points} for points in record.stones)
        assert [node.get_move() for node in game.get_main_sequence()[1:]] == [
            ("bw"[colour], turned(point)) for colour, point in record.moves
        ]
        assert game.get_size() == record.rows and game.get_komi() == (record.komi or 0)
        for name, value in (("PB", record.black), ("PW", record.white), ("RE", record.result)):
            assert root.has_property(name) == bool(value)
            assert not value or root.get(name) == value
        assert root.get("C") == record.more["C"][0]
        # And what sgfmill writes is read.
        (again,) = sgf.read(game.serialise().decode())
        assert (again.moves, again.komi) == (record.moves, record.komi)
        assert [*map(set, again.stones)] == [*map(set, record.stones)]


def test_what_others_write_is_read():
    text = """A game: (not here)
    ( ;FileFormat[3]GaMe[1] SZ [9]KM[]PlayerBlack[a\\
b\tc
d]AB[aa:bb] [dd]C[kept\\: \\\\ \\]
line]
      (;B[ee] ; W [tt] (;Black[ff](;W[]) (;W[aa])) (;B[gg]))
      (;B[bb]))
    (;GM[2];B[d3];W[];B[pass];W[ab];B[H8])
    rest; [of] the file
    """
    go, othello = sgf.read(text)
    assert (go.game, go.columns, go.rows, go.komi, go.black) == (GO, 9, 9, None, "ab c d")
    assert go.stones == ([(0, 0), (1, 0), (0, 1), (1, 1), (3, 3)], [])
    assert go.moves == [(0, (4, 4)), (1, None), (0, (5, 5)), (1, None)]
    assert go.more["C"] == ["kept: \\ ]\nline"]
    assert (othello.game, othello.columns) == (OTHELLO, 8)
    assert [point for _, point in othello.moves] == [(3, 2), None, None, (0, 1), (7, 7)]
    (root, _) = sgf.parse(text)
    assert len(root.children) == 2 and len(root.children[0].children[0].children) == 2
    (large,) = sgf.read("(;SZ[21];B[tt])")
    assert large.moves == [(0, (19, 19))]
    assert sgf.read("(;GM[4])")[0].columns == 15


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no game tree"),
        ("()", "no game tree"),
        ("(;B[aa]", "the last tree does not end"),
        ("(;\nB[aa];W[bb)", "line 2: '\\[bb\\)' is no part of a tree"),
        ("(;B)", "'B\\)' is no part"),
        ("(;[aa])", "the value \\[aa\\] has no property"),
        ("(;B[aa];[bb])", "has no property"),
        ("(;(B[aa]))", "before a tree's first node"),
        ("(;GM[11])", "GM\\[11\\]: only games 1, 2, 4"),
        ("(;SZ[x])", "SZ\\[x\\]: a whole number"),
        ("(;SZ[53])", "sizes of 1 to 52"),
        ("(;SZ[9];B[jj])", "B\\[jj\\]: the board is 9 x 9"),
        ("(;SZ[9];B[tt];W[zz])", "W\\[zz\\]: the board is 9 x 9"),
        ("(;KM[much])", "KM\\[much\\]: a number"),
        ("(;B[d4])", "a point such as 'dc'"),
        ("(;B[aa]W[bb])", "a node holds 2 moves"),
        ("(;B[aa];AB[bb])", "added after a move"),
        ("(;AE[aa])", "taken away"),
    ],
)
def test_what_cannot_be_read_is_one_line(text, words):
    with pytest.raises(ValueError, match=words) as raised:
        sgf.read(text)
    assert str(raised.value).startswith("sgf: ") and "\n" not in str(raised.value)


def test_long_and_hostile_texts_take_linear_time():
    deep = "(;B[aa]" * 20_000 + ")" * 20_000
    (record,) = sgf.read(deep)
    assert len(record.moves) == 20_000
    assert len(sgf.serialize(sgf.parse(deep))) > 120_000
    for text in (
        "(;C[" + "\\" * 999_999,
        "(;" + "A[" * 300_000,
        "(;B" + " " * 999_999,
        "(" * 999_999,
    ):
        with pytest.raises(ValueError, match="sgf: "):
            sgf.read(text)


# --- our games -----------------------------------------------------------------------------------

CASES = (
    ("gomoku", {}),
    ("gomoku", {"line": "exact"}),
    ("gomoku", {"line": "renju"}),
    ("gomoku", {"columns": 7, "rows": 5, "connect": 4}),
    ("gomoku", {"columns": 7, "rows": 7, "opening": "centre", "numbering": "top"}),
    ("gomoku", {"columns": 5, "rows": 6, "opening": "swap2"}),
    ("gomoku", {"opening": "swap2", "numbering": "top", "connect": 6}),
    ("go", {"size": 3}),
    ("go", {"size": 4, "max_length": 11, "ko": "simple", "komi": 0.5}),
    ("reversi", {}),
    ("reversi", {"size": 6, "passing": "voluntary"}),
)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_games_are_read_as_they_were_played(name, options, rng):
    game = spec(name)
    rules = game.make_rules(**options)
    for _ in range(8):
        states, actions, record = played(game, rules, rng, ("Ann", "Bob"))
        totals = np.zeros(2)
        core.returns_at(rules, states, 0, totals)
        assert record.result[:1] == "WDB"[int(totals[black_of(states)]) + 1]
        (again,) = sgf.read(sgf.write(record))
        assert sgf.to_game(game, again) == (rules, actions)
        seats = ("Bob", "Ann") if black_of(states) else ("Ann", "Bob")
        assert (record.black, record.white) == seats
        for length in (len(actions) - 1, *range(min(len(actions), 8))):  # swap2's phases
            stopped = sgf.from_game(game, rules, actions[:length])
            assert (stopped.result, stopped.black) == ("", "")
            (again_stopped,) = sgf.read(sgf.write(stopped))
            assert sgf.to_game(game, again_stopped) == (rules, actions[:length])
        if name == "reversi":  # passes that are forced need not be told
            again.moves = [move for move in again.moves if move[1] is not None]
            assert rules.voluntary or sgf.to_game(game, again)[1] == actions


def black_of(states):
    """The seat that plays Black."""
    return int(states["black"][0]) if "black" in (states.dtype.names or ()) else 0


def played(game, rules, rng, names):
    """A random game: the record at its end, its actions and its SGF record."""
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(0), probs)
    actions = []
    while seat >= 0:
        n = core.legal_actions_at(rules, states, 0, legal)
        actions.append(int(rng.choice(legal[:n])))
        seat, _ = core.play_at(rules, states, 0, actions[-1], legal, probs)
    return states, actions, sgf.from_game(game, rules, actions, names)


@pytest.mark.parametrize("line", ["at_least", "exact", "renju"])
def test_the_renju_package_reads_our_gomoku(line, rng):
    renju = pytest.importorskip("renju", reason="pip install renju")
    game = spec("gomoku")
    rules = game.make_rules(line=line)
    for _ in range(20):
        _, actions, record = played(game, rules, rng, ("Ann", "Bob"))
        board = renju.RenjuBoard.from_sgf(sgf.write(record))
        assert board.get_moves() == [[action % 15, action // 15] for action in actions]
        assert board.status.name[0] == (record.result[:1] or "O")
        (again,) = sgf.read(board.to_sgf("Ann", "Bob"))
        assert sgf.to_game(game, again) == (rules, actions)
        assert (again.black, again.white, again.result[0]) == ("Ann", "Bob", record.result[0])


def test_who_is_black_under_swap2():
    game = spec("gomoku")
    rules = game.make_rules(opening="swap2")
    record = sgf.from_game(game, rules, [112, 0, 98, 225, 1], ("Ann", "Bob"))
    assert (record.black, record.white) == ("Bob", "Ann")
    assert [colour for colour, _ in record.moves] == [0, 1, 0, 1]
    assert record.more == {"ON": ["swap2, black"]}
    assert sgf.to_game(game, record) == (rules, [112, 0, 98, 225, 1])
    del record.more["ON"]  # as other programs write it: the colours alternate all the same
    assert sgf.to_game(game, record) == (game.make_rules(), [112, 0, 98, 1])
    record.more["ON"] = ["swap2"]
    assert sgf.to_game(game, record) == (game.make_rules(), [112, 0, 98, 1])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("gomoku", "(;GM[2])", "GM\\[2\\] is not gomoku, which is 4"),
        ("gomoku", "(;GM[4]AB[aa])", "other stones are set up"),
        ("gomoku", "(;GM[4];B[aa];W[aa])", "move 2, W\\[aa\\], is not legal"),
        ("gomoku", "(;GM[4];W[aa])", "move 1, W\\[aa\\], is not legal"),
        ("gomoku", "(;GM[4]SZ[20])", "from 3 to 19"),
        ("reversi", "(;GM[2];B[d3];W[])", "move 2, W\\[\\], is not legal"),
        ("reversi", "(;GM[2]SZ[8:6])", "board of 8 x 6"),
        ("ludo", "(;GM[1])", "ludo is not written in this format"),
    ],
)
def test_records_that_are_no_games_of_ours(name, text, words):
    with pytest.raises(ValueError, match=words):
        sgf.to_game(spec(name), *sgf.read(text))
