"""SGF: what is written is read again, here and by sgfmill; what others write is read."""

from __future__ import annotations

import pytest

from stratagym.envs import sgf
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
        assert tuple(map(sorted, again.stones)) == tuple(
            sorted(set(points)) for points in record.stones
        )


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
