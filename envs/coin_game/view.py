"""The coin game in words: players are digits, coins letters, moves ``up``, ``down`` and so on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from stratagym.envs.coin_game.rules import NONE, beside
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import board_move, section

PROMPT_VERSION, MERGED_VERSION = "coin_game-2", "coin_game-1"
EARLIER_PROMPTS = {"coin_game-1": POSITION_FIRST}
MOVES = ("up", "down", "left", "right", "stand")
COLOURS = "abcdefg"
ANSWER = board_move(
    "<move>",
    r"(?:[Uu][Pp]|[Dd][Oo][Ww][Nn]|[Ll][Ee][Ff][Tt]|[Rr][Ii][Gg][Hh][Tt]|[Ss][Tt][Aa][Nn][Dd]|[0-4])",
    what="one of up, down, left, right and stand",
)
POSITION_FORMS = ("grid", "list")
HINTS = (
    "Take coins of your own goal, the nearest first, and walk around coins that may be nobody's.",
    "What another player takes on purpose is likely of its goal: then these coins are good ones.",
    "Coins count by their square: many of one goal are worth more than a few of each.",
    "Look at how many moves you still have: a coin farther away than that is no use.",
    "To stand is better than to take a coin of nobody's goal.",
)
PERSONAS = {
    "none": "",
    "helper": (
        "You care for the others. You watch what they take, and help them once you know their goal."
    ),
    "collector": "You keep to your own goal and do not guess at what others want.",
}
RENAMED = {
    "coin game": "pearl hunt", "coin": "pearl", "coins": "pearls", "colour": "shade",
    "colours": "shades", "goal": "wish", "goals": "wishes", "board": "reef", "stand": "float",
}  # fmt: skip
"""The game's words under ``TextOptions.renamed``."""


def _letter(colour: Any) -> str:
    return COLOURS[int(colour)]


def _letters(rules: Any) -> str:
    return ", ".join(COLOURS[: rules.colours])


def _place(rules: Any, cell: Any) -> str:
    row, column = divmod(int(cell), rules.columns)
    return f"({row},{column})"


def _seats(rules: Any) -> range:
    return range(rules.num_players)


def _grid(rules: Any, s: Any) -> str:
    """Digits, letters and ``.``, row 0 first, with numbers on all edges."""
    marks = ["." if coin == NONE else _letter(coin) for coin in s["coins"].tolist()]
    for seat in _seats(rules):
        marks[int(s["where"][seat])] = str(seat)
    names, lines = "  " + " ".join(str(k) for k in range(rules.columns)), []
    for row in range(rules.rows):
        cells = marks[row * rules.columns : (row + 1) * rules.columns]
        lines.append(f"{row} {' '.join(cells)} {row}")
    return "\n".join([names, *lines, names])


def _taken(rules: Any, s: Any, seat: int) -> str:
    counts = s["taken"][seat].tolist()
    return ", ".join(f"{_letter(k)} {counts[k]}" for k in range(rules.colours))


def _goals(rules: Any, s: Any, shown: Sequence[int]) -> str:
    """All goals; a question mark for a seat that is not among those ``shown``."""
    goals = {seat: _letter(s["goals"][seat]) if seat in shown else "?" for seat in _seats(rules)}
    return ", ".join(f"{seat}: {goal}" for seat, goal in goals.items())


def _recent(rules: Any, s: Any) -> list[str]:
    """The last moves, the latest last, each with who made it."""
    moves = [move for move in s["recent"].tolist() if move != NONE]
    first = int(s["moves"]) - len(moves)
    return [
        f"Player {(first + k) % rules.num_players}: {MOVES[move]}" for k, move in enumerate(moves)
    ]


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, goals included, with what was taken and whose turn it is."""
    return _table(rules, s, _seats(rules))


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The same as a player sees it: without the goals that it was not told."""
    return _table(rules, s, _seats(rules) if rules.told else (player,))


def _table(rules: Any, s: Any, shown: Sequence[int]) -> str:
    """The board with the goals of the seats ``shown``."""
    over = s["moves"] == rules.length
    lines = [_grid(rules, s), f"Goals: {_goals(rules, s, shown)}"]
    lines += [f"Player {seat} has taken {_taken(rules, s, seat)}" for seat in _seats(rules)]
    if s["last"] != NONE:
        lines.append(f"Last move: {_recent(rules, s)[-1]}")
    left = rules.length - int(s["moves"])
    lines.append("The game is over" if over else f"Player {int(s['player'])} to move, {left} left")
    return "\n".join(lines)


def chance_text(rules: Any, before: Any, after: Any, outcome: int | None) -> str:
    """What was drawn at the start, for a spectator."""
    if before is not None:
        return ""
    return " ".join(
        f"Player {seat} starts at {_place(rules, after['where'][seat])} with goal "
        f"{_letter(after['goals'][seat])}."
        for seat in _seats(rules)
    )


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The move's name."""
    return MOVES[action]


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action of a move's name, in any case, or of its number.

    Raises:
        ValueError: ``no_such_move``.
    """
    text = text.strip().lower()
    if re.fullmatch("[0-4]", text):
        return int(text)
    if text not in MOVES:
        raise ValueError("no_such_move")
    return MOVES.index(text)


def destination(rules: Any, s: Any, action: int) -> int:
    """Where the seat to move is after an action."""
    where = s["where"][: rules.num_players].tolist()
    here = where[int(s["player"])]
    cell = int(beside.py_func(rules, here, action))
    return here if cell == NONE or cell in where else cell


def move_text(rules: Any, s: Any, action: int) -> str:
    """A move told in one sentence, with what came of it."""
    seat = int(s["player"])
    here, cell = int(s["where"][seat]), destination(rules, s, action)
    name = f"Player {seat}"
    if MOVES[action] == "stand":
        return f"{name} stood still at {_place(rules, here)}."
    if cell == here:
        return f"{name} tried to go {MOVES[action]} and stayed at {_place(rules, here)}."
    coin = int(s["coins"][cell])
    taking = "" if coin == NONE else f" and took a coin of colour {_letter(coin)}"
    return f"{name} went {MOVES[action]} to {_place(rules, cell)}{taking}."


def role_text(rules: Any, player: int) -> str:
    """Which player the seat is."""
    return (
        f"You are Player {player} in the coin game with {rules.num_players} players, who move in "
        "turn, Player 0 first."
    )


def _end(rules: Any) -> str:
    if rules.num_players == 2:
        return (
            "When the game is over count, of all coins taken by anybody, n of your goal, m of the "
            "other player's goal and k of nobody's goal. Both players score n*n + m*m - k*k: you "
            "win or lose together."
        )
    return (
        "When the game is over count, of all coins taken by anybody, n of your goal, m of the "
        "other players' goals together and k of nobody's goal. You score n*n + m*m - k*k."
    )


def _told(rules: Any) -> str:
    if rules.told:
        return "All goals are told to everyone."
    return "Each player is told its own goal only; what the others want shows in what they do."


def rules_text(rules: Any) -> str:
    """All rules."""
    extra = rules.colours - rules.num_players
    nobody = "no colour is" if not extra else "one is" if extra == 1 else f"{extra} are"
    return section(
        "Rules",
        f"- {_board(rules)}",
        f"- There are {rules.coins} coins of each of {rules.colours} colours: {_letters(rules)}. "
        f"Each player has a colour of its own as its goal; {nobody} nobody's goal.",
        f"- {_told(rules)}",
        "- A move is one cell up, down, left or right, or to stand. Off the board or onto a "
        "player you stay where you are, and the move is used up.",
        "- Walking onto a coin takes it, whatever its colour. Coins do not come back.",
        f"- The game is over after {rules.length} moves of all players together. {_end(rules)}",
    )


RULES_BRIEF = section(
    "Rules",
    "You walk on a grid and take coins by walking onto them. Coins of any player's goal are good "
    "for all, by the square of their number; coins of nobody's goal cost the same.",
)


def _board(rules: Any) -> str:
    return (
        f"The board has {rules.rows} rows and {rules.columns} columns; a cell is (row,column), "
        "both counted from 0 at the top left corner."
    )


def notation_text(rules: Any) -> str:
    """How cells, players and coins are written."""
    return section(
        "How the board is written",
        f"{_board(rules)} Players are digits, coins the letters of their colours: "
        f"{_letters(rules)}. Moves are up, down, left, right and stand, or their numbers 0 to 4.",
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """What the seat knows: its goal, what was taken, where all are, the last moves."""
    others = ""
    if rules.told:
        others = f" The goals of all: {_goals(rules, s, _seats(rules))}."
    told = [
        section("Your goal", f"Your goal is colour {_letter(s['goals'][player])}.{others}"),
        section("Coins taken", *(f"Player {k}: {_taken(rules, s, k)}" for k in _seats(rules))),
        section(
            "Where the players are",
            *(f"Player {k}: {_place(rules, s['where'][k])}" for k in _seats(rules)),
        ),
    ]
    coins = s["coins"][: rules.rows * rules.columns].tolist()
    lines = []
    for colour in range(rules.colours):
        places = [_place(rules, cell) for cell, coin in enumerate(coins) if coin == colour]
        lines.append(f"{_letter(colour)}: {' '.join(places) or 'none'}")
    told.append(section("Coins on the board", *lines))
    if form == "grid":
        told.append(section("The board (a dot is an empty cell)", _grid(rules, s)))
    told.append(section("Last moves, the latest last", *(_recent(rules, s) or ["None yet."])))
    left = rules.length - int(s["moves"])
    mine = -(-left // rules.num_players)
    told.append(f"Moves to go: {left} of all players, {mine} of them yours. It is your turn.")
    return "\n\n".join(told)


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The moves by number."""
    return section("Legal moves", *(f"- {action}: {MOVES[action]}" for action in legal))
