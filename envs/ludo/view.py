"""Ludo in words: board, moves, prompt and reply.

The prompt carries the fields of LudoBench's template (arXiv:2604.05681, appendix G) in its order
and asks for its answer format; the sentences are this project's.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from stratagym.envs.ludo.rules import (
    BASE,
    FINISHED,
    FORBIDDEN,
    PIECES,
    TRACK,
    destination,
    is_safe,
    position,
)
from stratagym.envs.ludo.tables import BOARD, SQUARES
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import move_and_reason, section

PROMPT_VERSION, MERGED_VERSION = "ludo-4", "ludo-1"
EARLIER_PROMPTS = {"ludo-3": POSITION_FIRST}
ANSWER = move_and_reason(
    "<int>",
    "-?[0-9]+",
    note="; do not answer with a board position",
    what="the piece's index (0, 1, 2 or 3)",
)
POSITION_FORMS = ("numbers", "steps", "grid")
HINTS = (
    "Capturing sends a piece back to base, and costs most who had brought it far.",
    "On a safe square nothing can be captured; less than seven squares in front of an opponent it "
    "is at risk.",
    "More pieces in play give more choice for every throw.",
    "A piece in its home path is out of reach of everybody.",
)

PERSONAS = {
    "none": "",
    "aggressive": (
        "You love to attack. Whenever you can capture an opponent's piece, that comes first; "
        "attacking matters more to you than keeping your pieces safe or bringing them home."
    ),
    "greedy": (
        "You only care about winning the race. Moving your own pieces towards home comes first; "
        "finishing pieces matters more to you than capturing opponents."
    ),
    "safe": (
        "You are careful. Reaching safe squares and staying out of danger come first; protecting "
        "your pieces from capture matters more to you than attacking."
    ),
    "unforgiving": (
        "You never forgive. When an opponent has captured a piece of yours, capturing that "
        "opponent's pieces in return comes first; no attack on you may go unpunished."
    ),
}
"""Playing styles a prompt can ask for (LudoBench, appendix E), in this project's words."""

RENAMED = {
    "ludo": "portage",
    "piece": "wagon",
    "pieces": "wagons",
    "dice": "dial",
    "threw": "dialled",
    "thrown": "dialled",
    "throw": "turn of the dial",
    "base": "depot",
    "home": "harbour",
    "track": "circuit",
    "ring": "loop",
    "captures": "topples",
    "captured": "toppled",
    "capture": "topple",
    "capturing": "toppling",
    "safe": "walled",
    "lap": "tour",
}
"""The game's words and what they are called under ``TextOptions.renamed``."""

COLOUR_NAMES = ("red", "green", "yellow", "blue")


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, with a list of all pieces below it.

    A piece is its colour's letter and its index, such as R0; ``*`` is a safe square, a small
    letter a colour's home path or start. Three and more on a square show as the first and ``+n``.
    """
    cells = dict.fromkeys(SQUARES, ".")
    for number, square in enumerate(SQUARES):
        if number >= TRACK:
            cells[square] = COLOUR_NAMES[(number - TRACK) // 6][0]
        elif number % 13 == 0:
            cells[square] = f"*{COLOUR_NAMES[number // 13][0]}"
        elif is_safe(number):
            cells[square] = "*"
    standing: dict[tuple[float, float], list[str]] = {}
    lines = []
    for player, colour in enumerate(rules.colours):
        letter = COLOUR_NAMES[colour][0].upper()
        places = []
        for piece, number in enumerate(positions(rules, s, player)):
            done = s["steps"][player, piece] == FINISHED
            places.append("base" if number == BASE else "finished" if done else str(number))
            if number != BASE:
                standing.setdefault(SQUARES[number], []).append(f"{letter}{piece}")
        turn = ">" if player == s["player"] and s["dice"] > 0 else " "
        won = "  WINNER" if player == s["winner"] else ""
        lines.append(
            f"{turn} Player {colour} {COLOUR_NAMES[colour]:<6} "
            + "  ".join(f"{letter}{k}: {place}" for k, place in enumerate(places))
            + won
        )
    for square, pieces in standing.items():
        cells[square] = "".join(pieces) if len(pieces) < 3 else f"{pieces[0]}+{len(pieces) - 1}"
    rows = [
        "".join(f"{cells.get((column, row), ''):^5}" for column in range(BOARD)).rstrip()
        for row in range(BOARD)
    ]
    dice = f"Dice: {int(s['dice'])}" if s["dice"] > 0 else "Dice: -"
    return "\n".join([*rows, "", *lines, dice])


def chance_text(rules: Any, before: Any, after: Any, outcome: int | None) -> str:
    """What the dice did between two states, in one sentence; empty before the first throw."""
    if outcome is None:
        return ""
    told = f"Player {rules.colours[int(before['player'])]} threw {outcome + 1}"
    return told + ("." if after["dice"] > 0 else " and could not move.")


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The piece's index."""
    return str(action)


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not. Raises ``ValueError`` if it names none."""
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) >= PIECES:
        raise ValueError("no_such_piece")
    return int(text)


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    player, dice = int(s["player"]), int(s["dice"])
    steps = int(s["steps"][player, action])
    target = int(destination(rules, steps, dice))
    colour = rules.colours[player]
    begin, end = (int(position(rules, player, x)) for x in (steps, target))
    told = f"Player {colour} threw {dice} and moved piece {action} from {begin} to {end}"
    hit = captured(rules, s, player, target)
    if hit:
        victims = " and ".join(f"Player {rules.colours[other]}" for other in hit)
        told += f", sending {victims} back to base"
    return told + "."


def captured(rules: Any, s: Any, player: int, target: int) -> list[int]:
    """The players who would lose a piece by a move of ``player`` to ``target`` steps."""
    if target >= TRACK or is_safe(position(rules, player, target)):
        return []
    square = position(rules, player, target)
    return [
        other
        for other in range(rules.num_players)
        if other != player and square in positions(rules, s, other)
    ]


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not move this piece, as one word.

    ``needs_six``, ``finished``, ``overshoot``, ``step_52`` (no move may end there), ``not_exact``
    (under ``home="exact"``) or ``blocked`` (by an own piece).
    """
    steps, dice = int(s["steps"][s["player"], action]), int(s["dice"])
    if steps == BASE and dice != 6:
        return "needs_six"
    if steps == FINISHED:
        return "finished"
    if steps + dice > FINISHED:
        return "overshoot"
    if steps + dice == TRACK:
        return "step_52"
    return "not_exact" if destination(rules, steps, dice) == FORBIDDEN else "blocked"


def positions(rules: Any, s: Any, player: int) -> list[int]:
    """A player's four positions in the paper's numbers: -1, 0-51, 52+6c .. 57+6c."""
    numbers = _numbers(rules, player)
    return [numbers[steps - BASE] for steps in s["steps"][player].tolist()]


@lru_cache(maxsize=256)
def _numbers(rules: Any, player: int) -> list[int]:
    """The number of a player's piece by its steps, from ``BASE`` on; a call each takes longer."""
    return [position(rules, player, steps) for steps in range(BASE, FINISHED + 1)]


def role_text(rules: Any, player: int) -> str:
    """Who the seat is."""
    return (
        f"You are Player {rules.colours[player]} in a game of Ludo. Decide which ONE of your four "
        "pieces to move."
    )


def notation_text(rules: Any) -> str:
    """What position numbers mean."""
    return section(
        "What a position number means",
        "- -1: the piece is in base, not yet in play",
        "- 0 to 51: on the main track",
        "- 52 or more: in a home path",
        "- the last number of the home path: the piece has finished",
    )


def rules_text(rules: Any) -> str:
    """The track, its numbers and all rules."""
    sharing = (
        "Two of your own pieces may share a safe square or a home square, never another square."
        if rules.stack_safe
        else "Two of your own pieces never share a square, save on the last home square."
    )
    inside = (
        "A piece already in the home path may move only if that move ends on the last home square."
        if rules.exact_home
        else "A piece already in the home path may move any number that does not overshoot."
    )
    board = section(
        "Board and positions",
        "- The main track is a ring of 52 squares, numbered 0 to 51.",
        "- Every player has a start square and moves forward from it around the ring.",
        "- After its lap a piece leaves the ring for its player's own home path of 6 squares, "
        "numbered from 52 upwards, different numbers for each player.",
        "- Counted in steps from the start square, the ring is steps 0 to 51 and the home path "
        "is steps 53 to 58. No move may end on step 52.",
        "- The last home square is reached by exact count only; a move beyond it is illegal.",
    )
    moves = section(
        "Rules",
        "1. All pieces begin in base.",
        "2. A piece leaves base only on a 6, and goes to its start square.",
        "3. Other pieces move forward by the number thrown, over any pieces in between.",
        f"4. {sharing}",
        "5. Landing on opponents on a square that is not safe captures them: they return to "
        "base. On safe squares nothing is captured and all may stand together.",
        f"6. {inside}",
        "7. A 6 gives another throw.",
        "8. Who has no legal move is passed over.",
        "9. The first player with all four pieces finished wins.",
    )
    return f"{board}\n\n{notation_text(rules)}\n\n{moves}"


def rules_brief(rules: Any) -> str:
    """The race in a few sentences."""
    return section(
        "Rules",
        "Bring your four pieces around the ring of 52 squares and onto the last square of your "
        "home path, by exact count, before the others do. A piece leaves base on a 6; landing on "
        "an opponent's piece on a square that is not safe sends it back to base.",
    )


FORM_NOTES = {
    "numbers": [],
    "steps": ["Pieces are given in steps from their own start square; -1 is in base."],
    "grid": [
        "A piece on the board is its colour's letter and its index; * is a safe square, a small "
        "letter a colour's start or home path."
    ],
}


@cache
def safe_squares() -> str:
    """The squares that are safe, in a prompt's words."""
    return ", ".join(str(square) for square in range(TRACK) if is_safe(square))


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The pieces by their position numbers or by their steps, or the board as it is drawn."""
    colours = rules.colours
    me, home = colours[player], TRACK + 6 * colours[player]

    def places(seat: int) -> list[int]:
        return s["steps"][seat].tolist() if form == "steps" else positions(rules, s, seat)

    about = FORM_NOTES[form]
    if form == "grid":
        about = [*about, board_text(rules, s), ""]
    return section(
        "Position now",
        *about,
        f"Number of players: {rules.num_players}",
        f"Players: {', '.join(map(str, colours))}",
        f"Dice: {int(s['dice'])}",
        f"Your pieces (Player {me}): {places(player)}",
        "Other players' pieces:",
        *(
            f"- Player {colour}: {places(other)}"
            for other, colour in enumerate(colours)
            if other != player
        ),
        f"Your start square: {rules.starts[player]}",
        f"Your home path: {home} to {home + 5}",
        f"Safe squares: {safe_squares()}",
        "Start square and home path of every player: "
        + "; ".join(
            f"Player {c}: start {13 * c}, home {TRACK + 6 * c} to {TRACK + 6 * c + 5}"
            for c in colours
        ),
    )


def past_text(rules: Any, s: Any, player: int) -> str:
    """The limit of throws, and how many there were."""
    return (
        f"After {rules.max_rolls} throws of all players together the game is stopped and nobody "
        f"wins. Throws so far, this one included: {int(s['rolls'])}"
    )


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The pieces that may move."""
    return section("Legal moves", f"Pieces you may move: {', '.join(map(str, legal))}")


def task_text(rules: Any) -> str:
    """What to choose for."""
    return "Choose the legal move that serves you best in winning the game."
