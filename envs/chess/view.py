"""Chess in words: board, moves, prompt and reply."""

from __future__ import annotations

from typing import Any

from stratagym.envs.chess import moves, notation, rules
from stratagym.envs.chess.moves import bishop_attacks, rook_attacks
from stratagym.envs.chess.notation import square_name
from stratagym.envs.chess.past import moves_since
from stratagym.envs.chess.tables import (
    BISHOP,
    DESTINATION,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    NUM_PLANES,
    PAWN,
    QUEEN,
    ROOK,
)
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import move_and_reason, section

PROMPT_VERSION, MERGED_VERSION = "chess-4", "chess-1"
EARLIER_PROMPTS = {"chess-3": POSITION_FIRST}
ANSWER = move_and_reason(
    "<move>",
    notation.MOVE,
    what="the move in UCI notation",
    before=r"[\s`*\"']*(?:[0-9]{1,4}[.…]{1,3}\s*)?",
    after=r"[`*\"']*",
)
POSITION_FORMS = ("grid_fen", "grid", "fen", "pieces")
HINTS = (
    "Look first at every check, capture and threat, yours and your opponent's.",
    "Before you move, see whether the piece can be captured where it goes and what it leaves "
    "unguarded.",
    "In the opening bring out knights and bishops, hold the middle and castle early.",
    "In the endgame the king is a strong piece and free pawns decide.",
)
RENAMED = {
    "chess": "siege",
    "king": "keeper",
    "kings": "keepers",
    "queen": "quartz",
    "rook": "ram",
    "rooks": "rams",
    "bishop": "bolt",
    "bishops": "bolts",
    "knight": "nomad",
    "knights": "nomads",
    "pawn": "pike",
    "pawns": "pikes",
    "white": "wheat",
    "black": "basalt",
    "checkmate": "downfall",
    "check": "peril",
    "mate": "downfall",
    "stalemate": "deadlock",
    "castling": "sheltering",
    "castle": "shelter",
    "promotion": "training",
    "promoted": "trained",
    "capture": "seizure",
    "captures": "seizes",
    "captured": "seized",
    "en passant": "in the wake",
    "FEN": "Code",
    "UCI notation": "path notation",
    "UCI": "this notation",
}
"""The game's words and what they are called under ``TextOptions.renamed``."""

COLOUR_NAMES = ("White", "Black")
ENDINGS = {
    rules.CHECKMATE: "checkmate",
    rules.STALEMATE: "stalemate",
    rules.INSUFFICIENT_MATERIAL: "insufficient material",
    rules.MOVE_LIMIT: "too long without a capture or pawn move",
    rules.REPETITION: "repetition",
}


def diagram(s: Any) -> str:
    """The board with ranks and files at its edges; capitals are White's pieces."""
    pieces = notation.piece_map(s)
    rows = []
    for rank in range(7, -1, -1):
        cells = [
            notation.piece_symbol(*pieces[8 * file + rank]) if 8 * file + rank in pieces else "."
            for file in range(8)
        ]
        rows.append(f"{rank + 1}  {' '.join(cells)}  {rank + 1}")
    files = "   a b c d e f g h"
    return "\n".join([files, *rows, files])


def board_text(game_rules: Any, s: Any) -> str:
    """The board for a terminal, with the last move, whose turn it is or how the game ended."""
    lines = [diagram(s), "", notation.fen(s)]
    if s["from_square"] >= 0:
        last = square_name(int(s["from_square"])) + square_name(int(s["to_square"]))
        lines.append(f"Last move: {last}")
    return "\n".join([*lines, status(s)])


def status(s: Any) -> str:
    """``White to move``, ``Black to move, in check`` or ``1-0 by checkmate``."""
    if s["termination"] == rules.ONGOING:
        check = ", in check" if moves.is_check(s) else ""
        return f"{COLOUR_NAMES[int(s['turn'])]} to move{check}"
    return f"{notation.result(s)} by {ENDINGS[int(s['termination'])]}"


def action_to_string(game_rules: Any, s: Any, action: int) -> str:
    """The move in UCI."""
    return notation.uci(s, action)


def string_to_action(game_rules: Any, s: Any, text: str) -> int:
    """The action a move's text names: its squares, legal or not, or the SAN of a legal move.

    Raises:
        ValueError: one word, as ``notation.parse_move`` gives it.
    """
    return notation.parse_move(s, text.strip())


def move_text(game_rules: Any, s: Any, action: int) -> str:
    """A legal move told in one line: ``12. White played Nf3 (g1f3).``"""
    number, colour = int(s["fullmove_number"]), COLOUR_NAMES[int(s["turn"])]
    return f"{number}. {colour} played {notation.san(s, action)} ({notation.uci(s, action)})."


def why_illegal(game_rules: Any, s: Any, action: int) -> str:
    """Why the side to move may not play this action, as one word.

    ``off_the_board``, ``empty_square``, ``not_your_piece``, ``own_piece_there``, ``cannot_castle``,
    ``piece_cannot_go_there`` (its kind does not move so, or something stands between), or
    ``king_in_check`` (afterwards).
    """
    side = 7 if s["turn"] else 0
    here, there = action // NUM_PLANES ^ side, int(DESTINATION[action])
    if there < 0:
        return "off_the_board"
    there ^= side
    pieces = notation.piece_map(s)
    if here not in pieces:
        return "empty_square"
    colour, kind = pieces[here]
    if colour != s["turn"]:
        return "not_your_piece"
    if there in pieces and pieces[there][0] == colour:
        return "own_piece_there"
    if kind == KING and abs(there - here) == 16:
        return "cannot_castle"
    return "king_in_check" if _reaches(s, kind, here, there) else "piece_cannot_go_there"


def _reaches(s: Any, kind: int, here: int, there: int) -> bool:
    """Whether a piece moves so, kings in check or not."""
    occupied = s["white"] | s["black"]
    if kind == PAWN:
        side = 7 if s["turn"] else 0
        start, target = here ^ side, there ^ side
        if target - start in (9, -7):
            return bool(int(occupied) >> there & 1) or there == s["ep_square"]
        ahead = [start + k for k in range(1, target - start + 1)]
        free = not any(int(occupied) >> (square ^ side) & 1 for square in ahead)
        return free and (len(ahead) == 1 or (len(ahead) == 2 and start & 7 == 1))
    attacks = {
        KNIGHT: lambda: KNIGHT_ATTACKS[here],
        BISHOP: lambda: bishop_attacks(here, occupied),
        ROOK: lambda: rook_attacks(here, occupied),
        QUEEN: lambda: bishop_attacks(here, occupied) | rook_attacks(here, occupied),
        KING: lambda: KING_ATTACKS[here],
    }[kind]()
    return bool(int(attacks) >> there & 1)


def _drawing_rules(game_rules: Any) -> str:
    plies = f"{game_rules.max_halfmoves} moves in a row, both sides counted,"
    parts = ["stalemate"]
    if game_rules.dead_positions:
        parts.append("neither side having the material to give mate")
    if game_rules.max_repetitions:
        times = {3: "third", 5: "fifth"}[game_rules.max_repetitions]
        parts.append(f"the same position standing on the board for the {times} time")
    parts.append(f"{plies} without a capture or a pawn move")
    return f"The game is drawn, without anyone claiming it, by: {'; '.join(parts)}."


def rules_in_full(game_rules: Any) -> str:
    """A section of a prompt for who does not know the game by its name."""
    return section(
        "The game of chess",
        "- White and Black move one piece at a time, one after the other, White first. The board "
        "has files a to h and ranks 1 to 8. White's pieces begin on ranks 1 and 2, Black's on "
        "ranks 8 and 7: pawns in front, behind them from a to h rook, knight, bishop, queen, king, "
        "bishop, knight, rook.",
        "- A piece goes to an empty square or to one with an opponent's piece, which leaves the "
        "board: a capture. Only knights pass over other pieces.",
        "- King (K): one square in any direction. Rook (R): along its rank or file. Bishop (B): "
        "along a diagonal. Queen (Q): as a rook or a bishop. Knight (N): two squares along a rank "
        "or file and one to the side.",
        "- Pawn (P): one square forward to an empty square, or two, both empty, from where it "
        "began. It captures one square diagonally forward. A pawn that goes two squares can be "
        "captured at once by a pawn beside it, as if it had gone one (en passant). On the last "
        "rank it becomes a queen, rook, bishop or knight (promotion).",
        "- A king that could be captured next is in check, and no move may leave one's own king "
        "so. Who is in check and has no legal move has lost (checkmate); who has none and is not "
        "in check draws (stalemate).",
        "- Castling: a king and a rook that have not moved, with no piece between them. The king "
        "goes two squares towards the rook, and the rook to the square that the king passed. Not "
        "out of check, nor over or to a square that an opponent's piece attacks.",
    )


def seat_name(rules: Any, s: Any, player: int) -> str:
    """White or Black."""
    return COLOUR_NAMES[player ^ rules.white]


def role_text(game_rules: Any, player: int) -> str:
    """Which side the seat has."""
    return (
        f"You are playing a game of chess as {COLOUR_NAMES[player ^ game_rules.white]}, and it is "
        "your move. Choose ONE legal move."
    )


_WRITING = (
    "- UCI names the square a piece leaves and the square it goes to: e2e4. Castling is "
    "the king's move of two squares: e1g1. A promotion adds the new piece's letter, "
    "q, r, b or n: e7e8q."
)


def rules_text(game_rules: Any) -> str:
    """What ends a game, the rest of the rules as known; how moves are written."""
    return section(
        "Rules",
        "- The usual rules of chess hold. Checkmate wins.",
        f"- {_drawing_rules(game_rules)}",
        _WRITING,
    )


def rules_brief(game_rules: Any) -> str:
    """That the rules are the usual ones."""
    return section("Rules", "The usual rules of chess hold. Checkmate wins.")


def notation_text(game_rules: Any) -> str:
    """How moves are written."""
    return section("How to write moves", _WRITING)


def position_text(game_rules: Any, s: Any, player: int, form: str) -> str:
    """The position as a diagram, a FEN, both, or a list of the pieces, and what else matters."""
    told = []
    if "grid" in form:
        about = "Capitals are White's pieces, small letters Black's, dots empty squares."
        told.append(section("Board", about, "", diagram(s)))
    elif form == "pieces":
        told.append(section("Pieces", *piece_list(s)))
    fen = notation.fen(s)
    facts = [f"FEN: {fen}"]
    if "fen" not in form:
        castling, passant = fen.split()[2:4]
        facts = [f"Castling rights, as in FEN: {castling}", f"En passant square: {passant}"]
    check = " You are in check." if moves.is_check(s) else ""
    now = section(
        "Position now",
        *facts,
        f"You play {COLOUR_NAMES[player ^ game_rules.white]}, and {COLOUR_NAMES[int(s['turn'])]} "
        f"is to move.{check}",
        f"Moves since the last capture or pawn move, both sides counted: "
        f"{int(s['halfmove_clock'])}",
    )
    return "\n\n".join([*told, now])


def past_text(game_rules: Any, s: Any, player: int) -> str:
    """The moves by which positions may have been repeated, where repetition draws."""
    if not game_rules.max_repetitions:
        return ""
    stood = int(s["repeated"]) + 1
    return (
        "The moves since the last capture or pawn move, the oldest first: "
        f"{' '.join(moves_since(s)) or 'none'}\n"
        "How often this position has stood on the board, now included: "
        f"{stood} {'time' if stood == 1 else 'times'}"
    )


def piece_list(s: Any) -> list[str]:
    """Where every piece stands, one line for each side and kind."""
    squares: dict[tuple[int, int], list[str]] = {}
    for square, (colour, kind) in sorted(notation.piece_map(s).items()):
        squares.setdefault((colour, kind), []).append(square_name(square))
    return [
        f"{COLOUR_NAMES[colour]} {notation.KIND_FIELDS[kind][:-1]}: {' '.join(where)}"
        for (colour, kind), where in sorted(
            squares.items(), key=lambda one: (one[0][0], -one[0][1])
        )
    ]
