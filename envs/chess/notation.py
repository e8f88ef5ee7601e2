"""Positions and moves as text: FEN, UCI, SAN, PGN."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.chess import encoding, moves, rules
from stratagym.envs.chess.tables import (
    BLACK,
    DESTINATION,
    KING,
    KNIGHT,
    NUM_PLANES,
    PAWN,
    PLANE,
    UNDERPROMOTION,
    WHITE,
)

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KINDS = "pnbrqk"
KIND_FIELDS = ("pawns", "knights", "bishops", "rooks", "queens", "kings")
_RIGHTS = "KQkq"
_ROOK_SQUARES = (56, 0, 63, 7)


# --- squares and boards --------------------------------------------------------------------------


def square_name(square: int) -> str:
    """``e4`` for 35."""
    return "abcdefgh"[square >> 3] + str((square & 7) + 1)


def parse_square(name: str) -> int:
    """35 for ``e4``."""
    return 8 * "abcdefgh".index(name[0]) + int(name[1]) - 1


def piece_map(s: Any) -> dict[int, tuple[int, int]]:
    """(colour, kind) of the piece on each square that is not empty."""
    white = int(s["white"])
    pieces = {}
    for kind, name in enumerate(KIND_FIELDS):
        board = int(s[name])
        for square in range(64):
            if board >> square & 1:
                pieces[square] = (WHITE if white >> square & 1 else BLACK, kind)
    return pieces


def piece_symbol(colour: int, kind: int) -> str:
    """``N`` for White's knight, ``n`` for Black's."""
    return KINDS[kind].upper() if colour == WHITE else KINDS[kind]


# --- FEN -----------------------------------------------------------------------------------------


def fen(s: Any) -> str:
    """The position as FEN; an en passant square is named only where the capture is legal."""
    pieces = piece_map(s)
    ranks = []
    for rank in range(7, -1, -1):
        row = "".join(
            piece_symbol(*pieces[8 * file + rank]) if 8 * file + rank in pieces else "1"
            for file in range(8)
        )
        ranks.append(re.sub("1+", lambda ones: str(len(ones[0])), row))
    rights = "".join(right for k, right in enumerate(_RIGHTS) if int(s["castling"]) >> k & 1)
    ep = square_name(int(s["ep_square"])) if moves.has_legal_en_passant(s) else "-"
    return (
        f"{'/'.join(ranks)} {'wb'[int(s['turn'])]} {rights or '-'} {ep} "
        f"{s['halfmove_clock']} {s['fullmove_number']}"
    )


def parse_fen(text: str) -> dict[str, int]:
    """The fields of ``moves.BOARD`` but ``hash`` from a FEN; the two counters may be left out.

    Castling rights without king and rook in their places are dropped, as is an en passant square
    that no pawn has just passed.

    Raises:
        ValueError: not a FEN, or not a position the rules can play on, in one line.
    """
    parts = text.split()
    if len(parts) not in (4, 6):
        raise ValueError(f"FEN {text!r}: 6 fields are needed (or 4, without the counters)")
    placement, turn, rights, ep = parts[:4]
    fields = dict.fromkeys(("white", "black", *KIND_FIELDS), 0)
    ranks = placement.split("/")
    if len(ranks) != 8:
        raise ValueError(f"FEN {text!r}: 8 ranks are needed")
    for rank, row in zip(range(7, -1, -1), ranks, strict=True):
        cells = re.sub("[1-8]", lambda digit: "." * int(digit[0]), row)
        if not re.fullmatch("[.pnbrqkPNBRQK]{8}", cells):
            raise ValueError(f"FEN {text!r}: rank {rank + 1} is {row!r}")
        for file, cell in enumerate(cells):
            if cell != ".":
                here = 1 << 8 * file + rank
                fields["white" if cell.isupper() else "black"] |= here
                fields[KIND_FIELDS[KINDS.index(cell.lower())]] |= here
    if turn not in ("w", "b"):
        raise ValueError(f"FEN {text!r}: the side to move is w or b")
    if not re.fullmatch("-|[KQkq]{1,4}", rights) or not re.fullmatch("-|[a-h][36]", ep):
        raise ValueError(f"FEN {text!r}: castling is such as KQkq or -, en passant such as e3 or -")
    counters = parts[4:] or ["0", "1"]
    if not all(re.fullmatch("[0-9]{1,4}", count) for count in counters):
        raise ValueError(f"FEN {text!r}: the counters are whole numbers below 10000")
    fields["turn"] = BLACK if turn == "b" else WHITE
    fields["halfmove_clock"], fields["fullmove_number"] = int(counters[0]), int(counters[1])
    _check(text, fields)
    fields["castling"] = 0
    for k, (right, rook) in enumerate(zip(_RIGHTS, _ROOK_SQUARES, strict=True)):
        side = fields["white" if k < 2 else "black"]
        stands = fields["kings"] & side & 1 << (32 if k < 2 else 39)
        if right in rights and stands and fields["rooks"] & side & 1 << rook:
            fields["castling"] |= 1 << k
    fields["ep_square"] = _passed(fields, parse_square(ep)) if ep != "-" else -1
    return fields


def _check(text: str, fields: dict[str, int]) -> None:
    """What the kernels rely on."""
    first_and_last = 0x8181818181818181
    for name in ("white", "black"):
        side = fields[name]
        if (fields["kings"] & side).bit_count() != 1:
            raise ValueError(f"FEN {text!r}: {name} needs one king")
        if side.bit_count() > 16 or (fields["pawns"] & side).bit_count() > 8:
            raise ValueError(f"FEN {text!r}: {name} has more than 16 pieces or 8 pawns")
    if fields["pawns"] & first_and_last:
        raise ValueError(f"FEN {text!r}: a pawn stands on the first or last rank")


def _passed(fields: dict[str, int], ep: int) -> int:
    """The en passant square if a pawn of the side that just moved can have passed it, or -1."""
    black = fields["turn"] == BLACK
    pawn, origin = (ep + 1, ep - 1) if black else (ep - 1, ep + 1)
    theirs = fields["pawns"] & fields["white" if black else "black"]
    occupied = fields["white"] | fields["black"]
    right_rank = ep & 7 == (2 if black else 5)
    free = not occupied >> ep & 1 and not occupied >> origin & 1
    return ep if right_rank and theirs >> pawn & 1 and free else -1


def set_fen(game_rules: Any, states: np.ndarray, text: str, i: int = 0) -> None:
    """Start ``states[i]`` from a FEN; the position is the newest in the observation's history.

    Positions before it are not known, so it counts as new.

    Raises:
        ValueError: as ``parse_fen``, and where the side that moved last is in check.
    """
    fields = parse_fen(text)
    board = np.zeros(1, rules.STATE)
    for name, value in fields.items():
        board[name] = value
    board["turn"] ^= 1
    if moves.is_check(board[0]):
        raise ValueError(f"FEN {text!r}: the side that is not to move is in check")
    board["turn"] ^= 1
    board["rng"] = states["rng"][i]
    board["hash"] = rules.board_hash(board[0])
    rules.begin(game_rules, board[0])
    encoding.remember(board[0])
    states[i] = board[0]


# --- UCI -----------------------------------------------------------------------------------------


def _squares(s: Any, action: int) -> tuple[int, int]:
    side = 7 if s["turn"] else 0
    return action // NUM_PLANES ^ side, int(DESTINATION[action]) ^ side


def _promotion(s: Any, action: int) -> str:
    """Letter of the piece a pawn becomes; empty for other moves."""
    here, there = _squares(s, action)
    plane = action % NUM_PLANES
    if plane >= UNDERPROMOTION:
        return KINDS[KNIGHT + (plane - UNDERPROMOTION) % 3]
    return "q" if moves.kind_at(s, here) == PAWN and there & 7 in (0, 7) else ""


def uci(s: Any, action: int) -> str:
    """``e2e4``, ``e7e8q``; castling is the king's move, ``e1g1``."""
    here, there = _squares(s, action)
    return square_name(here) + square_name(there) + _promotion(s, action)


def parse_uci(s: Any, text: str) -> int:
    """The action a UCI move names, legal or not.

    Raises:
        ValueError: no piece moves so (``no_such_move``), or a promotion without its piece or the
            other way round (``promotion_piece_missing``, ``not_a_promotion``).
    """
    if not re.fullmatch("[a-h][1-8][a-h][1-8][nbrq]?", text):
        raise ValueError("no_such_move")
    here, there, piece = parse_square(text[:2]), parse_square(text[2:4]), text[4:]
    side = 7 if s["turn"] else 0
    last = moves.kind_at(s, here) == PAWN and there & 7 == 7 - side
    if last and not piece:
        raise ValueError("promotion_piece_missing")
    if piece and not last:
        raise ValueError("not_a_promotion")
    plane = int(PLANE[here ^ side, there ^ side])
    step = (there >> 3) - (here >> 3)
    if piece and piece != "q":
        near = abs(step) < 2 and (here - there) & 7 in (1, 7)
        plane = UNDERPROMOTION + 3 * (step + 1) + "nbr".index(piece) if near else -1
    if plane < 0:
        raise ValueError("no_such_move")
    return NUM_PLANES * (here ^ side) + plane


# --- SAN -----------------------------------------------------------------------------------------


def legal_list(s: Any) -> list[int]:
    """The legal actions of the side to move."""
    out = np.empty(moves.MAX_MOVES, np.int64)
    return out[: moves.legal_moves(s, out)].tolist()


def after(s: Any, action: int) -> np.void:
    """The board after a legal action, in a copy; what follows from it (the end) is not noted."""
    copy = np.array([s])
    moves.push(copy[0], action)
    return copy[0]


def san(s: Any, action: int) -> str:
    """A legal action in standard algebraic notation: ``Nf3``, ``exd5``, ``O-O``, ``e8=Q#``."""
    here, there = _squares(s, action)
    kind = int(moves.kind_at(s, here))
    takes = moves.kind_at(s, there) >= 0 or (kind == PAWN and here >> 3 != there >> 3)
    if kind == KING and abs(there - here) == 16:
        text = "O-O" if there > here else "O-O-O"
    elif kind == PAWN:
        promotion = _promotion(s, action).upper()
        text = (square_name(here)[0] + "x" if takes else "") + square_name(there)
        text += f"={promotion}" if promotion else ""
    else:
        text = KINDS[kind].upper() + _which(s, action, kind, here, there)
        text += ("x" if takes else "") + square_name(there)
    in_check, has_moves = moves.find_end(after(s, action))
    return text + ("" if not in_check else "+" if has_moves else "#")


def _which(s: Any, action: int, kind: int, here: int, there: int) -> str:
    """What tells a piece from others of its kind that may go to the same square."""
    others = [
        origin
        for origin, target in (_squares(s, other) for other in legal_list(s) if other != action)
        if target == there and origin != here and moves.kind_at(s, origin) == kind
    ]
    if not others:
        return ""
    name = square_name(here)
    if all(origin >> 3 != here >> 3 for origin in others):
        return name[0]
    return name[1] if all(origin & 7 != here & 7 for origin in others) else name


_PIECE = r"(?:=?[QRBNqrbn]|\([QRBN]\))?"
_COORDINATES = r"(?:[a-h][1-8][-x:]?[a-h][1-8]|[A-H][1-8][-x:]?[A-H][1-8])" + _PIECE
_SAN = rf"[KQRBN][a-h]?[1-8]?[-x:]?[a-h][1-8]|(?:[a-h][1-8]?[-x:]?)?[a-h][1-8]{_PIECE}"
_CASTLING = "[Oo0]-[Oo0](?:-[Oo0])?"
_MARKS = r"[+#]{0,2}(?: ?e\.?p\.?)?[+#]{0,2}[!?]{0,2}"
MOVE = f"(?:{_COORDINATES}|{_SAN}|{_CASTLING}){_MARKS}"
"""Regular expression of a move as chess players write it.

Squares (``e2e4``, ``e2-e4``, ``E2E4``) or SAN (``Nf3``, ``Ng1-f3``, ``exd6``, ``e8=Q``, ``e8(Q)``,
``O-O``, ``0-0``), each with marks of check, en passant and judgement (``Qh5+``, ``exd6 e.p.``,
``e4!``).
"""


def parse_move(s: Any, text: str) -> int:
    """The action that a move in any form of ``MOVE`` names: by squares legal or not, else legal.

    Raises:
        ValueError: as ``parse_uci`` and ``parse_san``; ``ambiguous`` too for ``B2B4`` where both
            a bishop of the second rank and what stands on b2 may be meant.
    """
    bare, en_passant = _without_marks(text)
    if not re.fullmatch(_COORDINATES, bare):
        return parse_san(s, text)
    if bare[0] == "B" and _san_actions(s, f"B{bare[1:].lower()}"):
        raise ValueError("ambiguous")
    action = parse_uci(s, re.sub("[-x:=()]", "", bare).lower())
    if en_passant and action not in filter(lambda a: is_en_passant(s, a), legal_list(s)):
        raise ValueError("no_such_move")
    return action


def parse_san(s: Any, text: str) -> int:
    """The legal action that a move in SAN names; ``x``, ``=`` and marks may be left out.

    Raises:
        ValueError: ``no_such_move`` if no legal move is so written, ``ambiguous`` if several are.
    """
    bare, en_passant = _without_marks(text)
    found = _san_actions(s, bare)
    if en_passant:
        found = [action for action in found if is_en_passant(s, action)]
    if len(found) != 1:
        raise ValueError("ambiguous" if found else "no_such_move")
    return found[0]


def is_en_passant(s: Any, action: int) -> bool:
    """Whether a legal action captures en passant."""
    here, there = _squares(s, action)
    slants = here >> 3 != there >> 3
    return slants and moves.kind_at(s, here) == PAWN and moves.kind_at(s, there) < 0


def _without_marks(text: str) -> tuple[str, bool]:
    """A written move without its marks, and whether one of them says en passant."""
    match = re.fullmatch(rf"(?P<bare>.*?)(?P<marks>{_MARKS})", text)
    return (match["bare"], "p" in match["marks"]) if match else (text, False)


def _san_actions(s: Any, bare: str) -> list[int]:
    """The legal actions that are so written in SAN; a pawn captures only with its file."""
    if re.fullmatch(_CASTLING, bare):
        step = 16 if len(bare) == 3 else -16
        return [
            action
            for action in legal_list(s)
            for here, there in [_squares(s, action)]
            if moves.kind_at(s, here) == KING and there - here == step
        ]
    if not re.fullmatch(_SAN, bare):
        return []
    letter, bare = (bare[0], bare[1:]) if bare[0].isupper() else ("", bare)
    bare = re.sub("[-x:=()]", "", bare)
    piece = bare[-1].lower() if bare[-1].isalpha() else ""
    origin, target = bare[: len(bare) - len(piece) - 2], bare[len(bare) - len(piece) - 2 :][:2]
    kind = KINDS.index(letter.lower()) if letter else PAWN
    if not letter and origin == target[0]:
        return []  # bb4 is a bishop's move in small letters, or none
    if not letter and not origin:
        origin = target[0]
    return [
        action
        for action in legal_list(s)
        for here, there in [_squares(s, action)]
        if square_name(there) == target
        and moves.kind_at(s, here) == kind
        and _promotion(s, action) == piece
        and all(part in square_name(here) for part in origin)
        and (kind, abs(there - here)) != (KING, 16)
    ]


# --- whole games ---------------------------------------------------------------------------------


def result(s: Any) -> str:
    """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` while the game goes on."""
    if s["termination"] == rules.ONGOING:
        return "*"
    if s["termination"] != rules.CHECKMATE:
        return "1/2-1/2"
    return "0-1" if s["turn"] == WHITE else "1-0"


def pgn(game_rules: Any, actions: Iterable[int], start: str | None = None, **headers: str) -> str:
    """A game as PGN.

    Args:
        actions: the game's actions from the start. start: a FEN, if not the usual start.
        **headers: tags such as ``White="heuristic"``; the seven of the standard are always there.
    """
    states = core.new_states(game_rules)
    rules.reset(game_rules, states[0], np.uint64(0))
    if start is not None:
        set_fen(game_rules, states, start)
    words = []
    for action in actions:
        number = int(states[0]["fullmove_number"])
        if states[0]["turn"] == WHITE:
            words.append(f"{number}.")
        elif not words:
            words.append(f"{number}...")
        words.append(san(states[0], action))
        rules.step(game_rules, states[0], action)
    words.append(result(states[0]))
    tags = {
        "Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?",
        **headers, "Result": words[-1],
    }  # fmt: skip
    if start is not None:
        tags |= {"SetUp": "1", "FEN": start}
    quoted = {tag: text.replace("\\", "\\\\").replace('"', '\\"') for tag, text in tags.items()}
    lines = [f'[{tag} "{text}"]' for tag, text in quoted.items()]
    return "\n".join([*lines, "", *_wrap(words), ""])


def _wrap(words: list[str]) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > 80:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines
