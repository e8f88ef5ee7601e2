"""What prompts say of Stratego's rules and of what happened; the board is in ``view``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.stratego.boards import (
    BOMB,
    FLAG,
    KINDS,
    LETTERS,
    MINER,
    MOST_PIECES,
    NAMES,
    SCOUT,
    SEATS,
)
from stratagym.envs.stratego.dealing import BACK_ROWS, PLACE, count_of
from stratagym.envs.stratego.moves import cell_of, is_lake, moves_from
from stratagym.envs.stratego.observation import RECENT
from stratagym.envs.stratego.repetition import (
    AS_STRATEGO_ENV,
    CHASE,
    FIVE,
    FREE,
    KIND_CHASE,
    NO_CHASE,
    NO_TWO_SQUARE,
    THREE,
    barred,
)
from stratagym.envs.stratego.rules import PLAYING, beats
from stratagym.envs.words import section

SHOWN_MOVES = 5
"""The last moves of each seat that a prompt tells."""


def counts_text(counts: Any) -> str:
    """Numbers by kind, index 0 unused, such as ``3 scouts, 1 miner``; ``none`` for none."""
    told = [
        f"{int(n)} {NAMES[kind]}{'s' if n > 1 else ''}"
        for kind, n in enumerate(counts)
        if kind and n
    ]
    return ", ".join(reversed(told)) or "none"


def army(rules: Any) -> np.ndarray:
    """How many of each kind a seat starts with, (13,) with index 0 unused."""
    counts = [int(count_of.py_func(rules.pieces, kind)) for kind in range(1, KINDS + 1)]
    return np.array([0, *counts])


def on_board(s: Any, seat: int) -> np.ndarray:
    """How many of each kind a seat has on the board, (13,)."""
    own = slice(MOST_PIECES * seat, MOST_PIECES * (seat + 1))
    return np.bincount(s["kind"][own][s["pos"][own] >= 0], minlength=KINDS + 1)


def lost(rules: Any, s: Any, seat: int) -> np.ndarray:
    """How many of each kind a seat has lost, (13,)."""
    return army(rules) - on_board(s, seat)


def place_text(rules: Any, seat: int, cell: int) -> str:
    """An absolute cell as a seat reads it off its board: ``row column``, the top row 0."""
    row, column = divmod(int(cell_of.py_func(rules, seat, cell)), rules.columns)
    return f"{rules.rows - 1 - row} {column}"


# --- the rules -----------------------------------------------------------------------------------


def _pieces_text(rules: Any) -> list[str]:
    counts = army(rules)
    ranks = [
        f"{LETTERS[kind]} {NAMES[kind]} ({counts[kind]})"
        for kind in range(KINDS, 0, -1)
        if counts[kind]
    ]
    return [f"- Each side has {counts.sum()} pieces, letter, name and number: {', '.join(ranks)}."]


def _special_text(rules: Any) -> list[str]:
    has = army(rules) > 0
    told = []
    if has[SCOUT]:
        told.append(
            "- A scout goes any number of empty cells in a straight line, and may attack at the "
            "end of it. When it goes two cells or more the other side sees that it is a scout."
        )
    if has[BOMB]:
        told.append(
            "- Whoever attacks a bomb is lost and the bomb stays, known to both"
            + (", but a miner removes it and takes its cell." if has[MINER] else ".")
        )
    if has[1] and has[10]:
        told.append(
            "- A spy that attacks the marshal wins. Against every other piece, and whenever it is "
            "attacked, it loses; two spies are both lost."
        )
    return told


_TWO_SQUARE = {
    THREE: "- Two squares: with four moves running a piece may not cross the same border between "
    "two cells each time, on its way or at the end, whether it attacks or not. So after three "
    "moves to and fro the fourth is forbidden.",
    FIVE: "- Two squares: a piece may not move between the same two cells for the sixth time "
    "running, whether it attacks or not.",
    AS_STRATEGO_ENV: "- Two squares: a piece that has moved to and fro between the same two cells "
    "three times running may not do it again, unless it attacks. A move into the cell that another "
    "piece of its side left with the move before counts as the second of three.",
}
_CHASE = (
    "- Chasing: a seat whose moves threaten the enemy's pieces again and again, while the enemy "
    "moves away, may not, by a move to a cell next to an enemy, make a position that there was "
    "before in that chase, unless it takes its last move back."
)


def _limits_text(rules: Any) -> list[str]:
    told = []
    if rules.two_square != NO_TWO_SQUARE:
        told.append(_TWO_SQUARE[rules.two_square])
    if rules.chase != NO_CHASE:
        alike = " Pieces of one kind count as the same." if rules.chase == KIND_CHASE else ""
        told.append(_CHASE + alike)
    return told


def rules_of(rules: Any) -> str:
    """The rules in force."""
    lakes = [cell for cell in range(rules.rows * rules.columns) if is_lake.py_func(rules, cell)]
    places = ", ".join(f"({place_text(rules, 0, cell)})" for cell in sorted(lakes, reverse=True))
    both = "the side that moved last wins" if rules.mover_wins else "the game is drawn"
    told = [
        f"- The board has {rules.rows} rows and {rules.columns} columns."
        + (f" Nobody can enter the lakes: {places}." if lakes else ""),
        *_pieces_text(rules),
    ]
    if rules.setup == PLACE:
        told.append(
            f"- Red sets up all its pieces first, then Blue, on their {rules.home_rows} home "
            f"row{'s' if rules.home_rows > 1 else ''}; neither sees the other's."
        )
    if rules.back_two and rules.home_rows >= BACK_ROWS:
        told.append("- The flag is set up on the two rows at the back.")
    told += [
        "- Red moves first, then the sides take turns. A piece goes to a neighbouring cell, not "
        "diagonally, that is empty or holds an enemy, which it attacks. Flag and bombs do not "
        "move.",
        "- In an attack both pieces are shown to both sides. The higher number wins, and takes the "
        "cell if it attacked; if both are equal both are lost. A defender that wins stays.",
        *_special_text(rules),
        "- Whoever attacks the flag wins the game.",
        f"- A side that has no legal move when it is to move loses. If the other side would have "
        f"none either, {both}.",
        *_limits_text(rules),
        f"- The game is drawn after {rules.max_moves} moves of both sides together"
        + (f", or {rules.no_attack} moves running without an attack." if rules.no_attack else "."),
    ]
    return section("Rules", *told)


# --- what happened -------------------------------------------------------------------------------


def last_moves(rules: Any, s: Any) -> list[tuple[int, int, int, int, int]]:
    """The moves that the record keeps, newest first: (seat, from, to, attacker, attacked)."""
    ply, player = int(s["ply"]), int(s["player"])
    return [
        ((player + 1 + k) % 2, *s["recent"][(ply - 1 - k) % RECENT].tolist())
        for k in range(min(RECENT, ply))
    ]


def battle_text(attacker: int, defender: int) -> str:
    """What came of an attack, by the kinds, in a few words."""
    result = int(beats.py_func(attacker, defender))
    came = {1: "won", -1: "lost", 0: "both lost"}[result]
    return f"{NAMES[attacker]} attacked {NAMES[defender]}, {came}"


def moves_told(rules: Any, s: Any, player: int, seat: int) -> str:
    """A seat's last moves, newest first, as ``player`` reads the board."""
    told: list[str] = []
    for mover, start, end, attacker, defender in last_moves(rules, s):
        if mover == seat and len(told) < SHOWN_MOVES:
            words = f"{place_text(rules, player, start)} -> {place_text(rules, player, end)}"
            told.append(words + (f" ({battle_text(attacker, defender)})" if attacker else ""))
    return "; ".join(told) or "none"


def forbidden(rules: Any, s: Any) -> list[tuple[int, str]]:
    """Moves of the seat to move that repetition alone forbids: (action, two_square or chase)."""
    if s["phase"] != PLAYING or s["over"]:
        return []
    states, (legal, _) = np.array([s]), core.new_scratch(rules)
    free = rules._replace(two_square=NO_TWO_SQUARE, chase=NO_CHASE)
    allowed = set(legal[: core.legal_actions_at(rules, states, 0, legal)].tolist())
    n = core.legal_actions_at(free, states, 0, legal)
    return [
        (action, why_barred(rules, s, action))
        for action in legal[:n].tolist()
        if action not in allowed
    ]


def why_barred(rules: Any, s: Any, action: int) -> str:
    """``two_square`` or ``chase`` if repetition forbids a move that is legal else; or empty."""
    source, target = moves_from.py_func(rules, action)
    why = int(barred_at(rules, np.array([s]), int(s["player"]), int(source), int(target)))
    return {FREE: "", CHASE: "chase"}.get(why, "two_square")


@njit(cache=True)
def barred_at(rules, states, seat, source, target):
    return barred(rules, states[0], seat, source, target)


def known_text(rules: Any, s: Any, player: int) -> list[str]:
    """What the board does not show: whose kind is known, which hidden pieces have moved."""
    own = [MOST_PIECES * player + k for k in range(MOST_PIECES)]
    theirs = [MOST_PIECES * (1 - player) + k for k in range(MOST_PIECES)]

    def places(pieces: list[int], wanted: Any) -> str:
        cells = sorted(
            int(cell_of.py_func(rules, player, s["pos"][p]))
            for p in pieces
            if s["pos"][p] >= 0 and wanted(p)
        )
        found = [place_text(rules, player, cell_of.py_func(rules, player, c)) for c in cells[::-1]]
        return "; ".join(found) or "none"

    known = places(own, lambda p: s["shown"][p])
    moved = places(theirs, lambda p: s["moved"][p] and not s["shown"][p])
    return [
        f"Your pieces that {SEATS[1 - player]} knows: {known}",
        f"{SEATS[1 - player]}'s unknown pieces that have moved: {moved}",
    ]


def flag_rows_text(rules: Any) -> str:
    """Where a seat's flag may be set up."""
    return f" {LETTERS[FLAG]} stands in one of the last two rows." if rules.back_two else ""
