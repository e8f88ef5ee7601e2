"""Chess moves as players write them, against python-chess's reader and in every usual form."""

from __future__ import annotations

import re

import numpy as np
import pytest

from stratagym.envs import core, spec
from stratagym.envs.chess import notation, view
from stratagym.envs.text import TextOptions, judge
from stratagym.testing import RandomGame

chess = pytest.importorskip("chess")

CHESS = spec("chess")
RULES = CHESS.make_rules()
LENIENT = TextOptions(lenient=True)


def state(fen: str) -> np.ndarray:
    states = core.new_states(RULES)
    notation.set_fen(RULES, states, fen)
    return states


EN_PASSANT = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"
BISHOP_AND_PAWN = "4k3/8/8/8/8/8/1P1B4/4K3 w - - 0 1"
CASTLING = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
PROMOTION = "3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1"  # e8 is taken, d8 can be captured
FREE_PROMOTION = "8/4P2k/8/8/8/8/8/4K3 w - - 0 1"
KNIGHTS = "4k3/8/8/8/8/8/8/N3KNN1 w - - 0 1"
START = notation.START_FEN


@pytest.mark.parametrize(
    ("fen", "written", "uci"),
    [
        (START, "e4", "e2e4"), (START, "e4!", "e2e4"), (START, "e4?!", "e2e4"),
        (START, "E2E4", "e2e4"), (START, "e2-e4", "e2e4"), (START, "E2-E4", "e2e4"),
        (START, "Nf3", "g1f3"), (START, "Ng1-f3", "g1f3"), (START, "Ngf3", "g1f3"),
        (START, "Ng1f3", "g1f3"), (START, "N1f3", "g1f3"), (START, "N1c3", "b1c3"),
        (EN_PASSANT, "exd6", "e5d6"), (EN_PASSANT, "exd6 e.p.", "e5d6"),
        (EN_PASSANT, "exd6e.p.", "e5d6"), (EN_PASSANT, "exd6 ep", "e5d6"),
        (EN_PASSANT, "ed6", "e5d6"), (EN_PASSANT, "e5xd6 e.p.", "e5d6"),
        (EN_PASSANT, "e5d6", "e5d6"), (EN_PASSANT, "e:d6", "e5d6"),
        (CASTLING, "O-O", "e1g1"), (CASTLING, "0-0", "e1g1"), (CASTLING, "O-O+", "e1g1"),
        (CASTLING, "o-o-o", "e1c1"), (CASTLING, "0-0-0!", "e1c1"), (CASTLING, "e1g1", "e1g1"),
        (PROMOTION, "exd8=Q+", "e7d8q"), (PROMOTION, "exd8(N)", "e7d8n"),
        (PROMOTION, "exd8R", "e7d8r"), (PROMOTION, "e7xd8=B", "e7d8b"),
        (PROMOTION, "e7d8q", "e7d8q"), (PROMOTION, "E7D8Q", "e7d8q"),
        (FREE_PROMOTION, "e8=Q", "e7e8q"), (FREE_PROMOTION, "e8Q", "e7e8q"),
        (FREE_PROMOTION, "e8(Q)", "e7e8q"), (FREE_PROMOTION, "e8=n", "e7e8n"),
        (BISHOP_AND_PAWN, "B2B3", "b2b3"), (BISHOP_AND_PAWN, "b2b4", "b2b4"),
        (BISHOP_AND_PAWN, "Bb4+", "d2b4"), (BISHOP_AND_PAWN, "B2b4", "d2b4"),
        (KNIGHTS, "Nf1e3", "f1e3"), (KNIGHTS, "Ngf3", "g1f3"),
    ],
)  # fmt: skip
def test_moves_as_players_write_them(fen, written, uci):
    states = state(fen)
    for reply, options in (
        (f"{written} | why", TextOptions()),
        (f"{written} | why", LENIENT),
        (written, LENIENT),
        (f"12. {written}", LENIENT),
        (f"12... {written}", LENIENT),
        (f"`{written}`", LENIENT),
        (f"Evaluation: even\nReason: why\nAnswer: {written}", TextOptions(answer="evaluation")),
    ):
        outcome = judge(CHESS, RULES, states, reply, options)
        assert outcome.kind == "ok", (reply, outcome)
        assert notation.uci(states[0], outcome.action) == uci, (reply, outcome)


@pytest.mark.parametrize(
    ("fen", "written", "reason"),
    [
        (EN_PASSANT, "d6", "no_such_move"),  # a push of a pawn that is not there
        (EN_PASSANT, "e6 e.p.", "no_such_move"),
        ("4k3/8/8/8/8/8/1P6/4K3 w - - 0 1", "B2b4", "no_such_move"),  # no bishop
        (BISHOP_AND_PAWN, "B2B4", "ambiguous"),  # b2-b4, or the bishop of rank 2
        (BISHOP_AND_PAWN, "bb4", "no_such_move"),  # perhaps the bishop
        ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Nd2", "ambiguous"),
        (FREE_PROMOTION, "e8", "no_such_move"),
        (FREE_PROMOTION, "e7e8", "promotion_piece_missing"),
        (START, "exd3", "no_such_move"), (START, "O-O", "no_such_move"),
        (START, "-e4", None), (START, "xe4", None), (START, "e9", None), (START, "e2e4e5", None),
        (START, "e\uff14", None), (START, "Pe4", None), (START, "E4", None),
    ],
)  # fmt: skip
def test_nothing_is_guessed(fen, written, reason):
    states = state(fen)
    for options in (TextOptions(), LENIENT):
        outcome = judge(CHESS, RULES, states, f"{written} | why", options)
        if reason is None:
            assert outcome.kind != "ok" and outcome.action is None, outcome
        else:
            assert (outcome.kind, outcome.reason) == ("illegal", reason)


def texts_near(rng: np.random.Generator, board: chess.Board, move: chess.Move) -> list[str]:
    """A move in usual forms, and the same with one character changed, left out or put in."""
    san, uci = board.san(move), move.uci()
    bare = re.sub("[x+#=]", "", san)
    long = board.lan(move)
    texts = [san, bare, long, uci, uci[:2] + uci[2:4] + uci[4:].upper(), san.rstrip("+#")]
    letters = "abcdefghNBRQKOx=+#-12345678"
    for text in list(texts):
        k = int(rng.integers(len(text)))
        letter = str(rng.choice(list(letters)))
        texts += [text[:k] + letter + text[k + 1 :], text[:k] + text[k + 1 :]]
        texts += [text[:k] + letter + text[k:]]
    return texts


def theirs(board: chess.Board, text: str) -> str | None:
    try:
        move = board.parse_san(text)
    except ValueError:
        return None
    return move.uci() if move else None


def ours(states: np.ndarray, text: str, legal: set[str]) -> str | None:
    try:
        uci = notation.uci(states[0], notation.parse_move(states[0], text))
    except ValueError:
        return None
    return uci if uci in legal else None


OURS_ALONE = r"[A-H][1-8].*|.*:.*|.*\(.\)|[a-h][1-8][-x]?[a-h][1-8].*|.*[!?]|.*[+#]{2,}|.*e\.?p\.?"
"""What python-chess does not take, and names one move: squares in capitals, ``e:d6``, ``e8(Q)``."""
THEIRS_ALONE = r"([a-h])[-x:]?\1[1-8].*|[-x1-8].*|.*[-+#]|K[a-h]?[1-8]?[-x]?[cg][18].*"
"""What it takes and we do not: ``bb4``, ``xd6``, ``1e4``, ``e4-``, ``Ke1g1`` for castling."""


@pytest.mark.oracle
def test_what_both_readers_take_names_one_move(seed):
    rng = np.random.default_rng(seed)
    taken = refused = 0
    for k in range(2):
        played = RandomGame(RULES, seed + k)
        for states in played.states[:200:7]:
            board = chess.Board(notation.fen(states[0]))
            legal = list(board.legal_moves)
            names = {move.uci() for move in legal}
            for move in (legal[i] for i in rng.choice(len(legal), min(4, len(legal)), False)):
                assert ours(states, board.san(move), names) == move.uci()
                assert ours(states, board.lan(move), names) == move.uci()
                for text in texts_near(rng, board, move):
                    mine, other = ours(states, text, names), theirs(board, text)
                    about = (text, mine, other, board.fen())
                    taken, refused = taken + (mine is not None), refused + (mine is None)
                    if mine is None and other is not None:
                        assert re.fullmatch(THEIRS_ALONE, text), about
                    elif mine is not None and other is None:
                        assert re.fullmatch(OURS_ALONE, text), about
                    else:
                        assert mine == other, about
    assert taken > 100 and refused > 100


def test_view_reads_what_it_writes(seed):
    played = RandomGame(RULES, seed)
    for states, choice in zip(played.states[::7], played.choices[::7], strict=True):
        for action in choice.tolist():
            for text in (notation.uci(states[0], action), notation.san(states[0], action)):
                assert view.string_to_action(RULES, states[0], text) == action
