"""Stratego in words: ``6 3 5 3`` moves the piece at row 6, column 3 to row 5, column 3.

Rows and columns are those of the board that the seat is shown, its own side always at the bottom.
A setup is a list of rows of letters, the front row first.
"""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.plans import PlanError, json_plan
from stratagym.envs.reading import last_line
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.stratego import telling
from stratagym.envs.stratego.boards import (
    BOMB,
    FLAG,
    KINDS,
    LETTERS,
    MARSHAL,
    MOST_PIECES,
    NAMES,
    SCOUT,
    SEATS,
)
from stratagym.envs.stratego.dealing import BACK_ROWS, PLACE, count_of
from stratagym.envs.stratego.moves import cell_of, is_lake, move_id, moves_from
from stratagym.envs.stratego.rules import (
    BOTH_STUCK,
    FLAG_TAKEN,
    MAX_MOVES,
    NO_ATTACK,
    NOBODY,
    PLACING,
    PLAYING,
    RUNNING,
    STUCK,
    first_placing,
)
from stratagym.envs.words import section

PROMPT_VERSION = "stratego-1"
PLAN = "all"
_MOVE_FORM = '{"reasoning": "<why>", "move": "<r c x y>"}'
_SETUP_FORM = '{"reasoning": "<why>", "setup": ["<front row>", ..., "<back row>"]}'
MOVE_ANSWER = json_plan(_MOVE_FORM)
ANSWER = json_plan(f"{_MOVE_FORM}\nor, while you set up your pieces:\n{_SETUP_FORM}")
POSITION_FORMS = ("grid", "paper")
"""``paper``: with the signs that DSGBench writes, ``R(5)`` a captain and ``B(#)`` unknown."""
TOLD_WHEN_DUE = "moves that the rules on two squares and on chasing forbid"
SIDE_NAMES = SEATS
RULES_BRIEF = (
    "Both sides move pieces whose kinds the other side does not see. Higher numbers beat lower "
    "ones in an attack, a miner removes bombs, a spy that attacks the marshal wins, and whoever "
    "attacks the flag wins the game."
)
HINTS = (
    "Win as fast as you can: a game that drags on is drawn.",
    "Keep your high pieces unknown as long as you can, and attack unknown pieces with cheap ones.",
    "Pieces that never move are likely bombs or the flag; the flag mostly stands at the back.",
    "Use scouts to find out what stands where, and keep miners for the bombs around the flag.",
    "A piece that runs from yours is lower, and one that comes nearer is higher or bluffs.",
    "Do not move a piece to and fro without a purpose.",
)
PERSONAS = {
    "none": "",
    "attacker": "You love to attack. You find out the enemy's pieces early and take what you can.",
    "guardian": "You are careful. You guard your flag well and let the enemy come to you.",
}
RENAMED = {
    "Stratego": "Veilmarch", "piece": "token", "pieces": "tokens", "flag": "lantern",
    "bomb": "thorn", "bombs": "thorns", "marshal": "oldest", "general": "elder",
    "colonel": "senior", "colonels": "seniors", "major": "warden", "majors": "wardens",
    "captain": "keeper", "captains": "keepers", "lieutenant": "ranger",
    "lieutenants": "rangers", "sergeant": "walker", "sergeants": "walkers", "miner": "weeder",
    "miners": "weeders", "scout": "runner", "scouts": "runners", "spy": "moth", "spies": "moths",
    "lake": "crag", "lakes": "crags", "board": "field", "attack": "strike", "attacks": "strikes",
    "attacked": "struck", "Red": "Amber", "Blue": "Teal", "RED": "AMBER", "BLUE": "TEAL",
}  # fmt: skip
"""The game's words under ``TextOptions.renamed``; the letters of kinds stay."""
ENDINGS = {
    FLAG_TAKEN: "the flag is taken", STUCK: "the other side has no legal move",
    BOTH_STUCK: "neither side has a legal move", MAX_MOVES: "the most moves are made",
    NO_ATTACK: "nobody has attacked for too long",
}  # fmt: skip
_PAPER = (".", "s", "¹", "²", "3", "4", "5", "6", "7", "8", "9", "¶", "o")
"""The paper's signs of kinds."""


# --- the board -----------------------------------------------------------------------------------


def _cell_text(rules: Any, s: Any, viewer: int, cell: int, knows_all: bool, form: str) -> str:
    """One cell of the board as a seat reads it; ``cell`` is absolute."""
    if is_lake.py_func(rules, cell):
        return "" if form == "paper" else "~~"
    piece = int(s["board"][cell]) - 1
    if piece < 0:
        return "..." if form == "paper" else "."
    own = (piece >= MOST_PIECES) == (viewer == 1)
    if not own and s["phase"] == PLACING and not knows_all:
        return "..." if form == "paper" else "."
    known = own or knows_all or bool(s["shown"][piece])
    kind = int(s["kind"][piece])
    if form == "paper":
        return f"{'R' if own else 'B'}({_PAPER[kind] if known else '#'})"
    return f"{'R' if own else 'B'}{LETTERS[kind] if known else '?'}"


def grid(rules: Any, s: Any, viewer: int, knows_all: bool = False, form: str = "grid") -> str:
    """The board as a seat sees it, its own side at the bottom, row 0 at the top."""
    lines = []
    for row in range(rules.rows):
        first = rules.columns * (rules.rows - 1 - row)
        cells = [int(cell_of.py_func(rules, viewer, first + k)) for k in range(rules.columns)]
        lines.append([_cell_text(rules, s, viewer, cell, knows_all, form) for cell in cells])
    names = [f"c{k}" for k in range(rules.columns)]
    if form == "paper":
        rows = [", ".join([f"r{k}", *line]) for k, line in enumerate(lines)]
        return "\n".join([", ".join(["", *names]).strip(), *rows])
    rows = [
        f"r{k}  {''.join(f'{one:<5}' for one in line)}".rstrip() for k, line in enumerate(lines)
    ]
    return "\n".join([f"    {''.join(f'{name:<5}' for name in names)}".rstrip(), *rows])


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, all kinds open, Red at the bottom, and how the game stands."""
    lines = [grid(rules, s, 0, knows_all=True)]
    if s["ply"]:
        mover, start, end, attacker, defender = telling.last_moves(rules, s)[0]
        places = f"{telling.place_text(rules, 0, start)} -> {telling.place_text(rules, 0, end)}"
        battle = f" ({telling.battle_text(attacker, defender)})" if attacker else ""
        lines.append(f"Last move: {SEATS[mover]} {places}{battle}")
    return "\n".join([*lines, standing(s)])


def standing(s: Any) -> str:
    """Who is to move or how the game ended, in a few words."""
    if s["over"] == RUNNING:
        what = "set up its pieces" if s["phase"] == PLACING else "move"
        return f"{SEATS[s['player']]} to {what}"
    who = "Drawn" if s["winner"] == NOBODY else f"{SEATS[s['winner']]} has won"
    return f"{who}: {ENDINGS[int(s['over'])]}"


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """``6 3 5 3``: from row 6, column 3 to row 5, column 3; or the letter that is placed."""
    first = int(first_placing.py_func(rules))
    if action >= first:
        return LETTERS[action - first]
    source, target = (int(cell) for cell in moves_from.py_func(rules, action))
    (row, column), (to_row, to_column) = (divmod(cell, rules.columns) for cell in (source, target))
    top = rules.rows - 1
    return f"{top - row} {column} {top - to_row} {to_column}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action of a move's text, legal or not.

    Raises:
        ValueError: ``no_such_move``, ``off_board``, ``not_straight``.
    """
    if s["phase"] == PLACING:
        kind = kind_of(text)
        if kind is None:
            raise ValueError("no_such_move")
        return int(first_placing.py_func(rules)) + kind
    found = re.fullmatch(r"(-?\d{1,4}) (-?\d{1,4}) (-?\d{1,4}) (-?\d{1,4})", text.strip(), re.ASCII)
    if found is None:
        raise ValueError("no_such_move")
    row, column, to_row, to_column = map(int, found.groups())
    for k, most in ((row, rules.rows), (to_row, rules.rows),
                    (column, rules.columns), (to_column, rules.columns)):  # fmt: skip
        if not 0 <= k < most:
            raise ValueError("off_board")
    if (row == to_row) == (column == to_column):
        raise ValueError("not_straight")
    top = rules.rows - 1
    source = rules.columns * (top - row) + column
    return int(move_id.py_func(rules, source, rules.columns * (top - to_row) + to_column))


def kind_of(word: str) -> int | None:
    """The kind of a letter or name in a setup, 0 for an empty cell; None for what is none."""
    plain = word.strip().casefold()
    for kind in range(KINDS + 1):
        if plain in (LETTERS[kind].casefold(), NAMES[kind] or "."):
            return kind
    return MARSHAL if plain == "t" else None


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence, with what both sides see of it."""
    seat = int(s["player"])
    if s["phase"] == PLACING:
        return f"{SEATS[seat]} set up a home cell."
    source, target = moves_from.py_func(rules, action)
    start, end = (int(cell_of.py_func(rules, seat, cell)) for cell in (source, target))
    piece, other = int(s["board"][start]) - 1, int(s["board"][end]) - 1
    row, column, to_row, to_column = action_to_string(rules, s, action).split()
    far = max(abs(int(row) - int(to_row)), abs(int(column) - int(to_column))) > 1
    known = s["shown"][piece] or other >= 0 or far
    what = NAMES[int(s["kind"][piece])] if known else "piece"
    said = f"{SEATS[seat]}'s {what} at ({row} {column}) as {SEATS[seat]} counts"
    if other < 0:
        return f"{said} moved to ({to_row} {to_column})."
    kind, enemy = int(s["kind"][piece]), int(s["kind"][other])
    came = telling.battle_text(kind, enemy).rpartition(", ")[2]
    result = {"won": "and won", "lost": "and was lost", "both lost": "and both were lost"}[came]
    return f"{said} attacked the {NAMES[enemy]} at ({to_row} {to_column}) {result}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not play this, as one word of a short list.

    ``not_own_piece``, ``immovable``, ``lake``, ``own_piece``, ``too_far``, ``blocked``,
    ``two_square``, ``chase``; while pieces are set up ``wrong_counts`` and ``flag_row``.
    """
    first, seat = int(first_placing.py_func(rules)), int(s["player"])
    if s["phase"] == PLACING:
        kind = action - first
        if not 0 <= kind <= KINDS:
            return "not_now"
        cells = rules.home_rows * rules.columns - int(s["cell"])
        left = int(s["left"])
        if kind:
            short = count_of.py_func(left, kind) == 0
        else:
            short = cells <= sum(int(count_of.py_func(left, k)) for k in range(1, KINDS + 1))
        return "wrong_counts" if short else "flag_row"
    if action >= first:
        return "not_now"
    source, target = (int(cell) for cell in moves_from.py_func(rules, action))

    def piece_at(cell: int) -> int:
        return int(s["board"][int(cell_of.py_func(rules, seat, cell))]) - 1

    def is_own(piece: int) -> bool:
        return piece >= 0 and (piece >= MOST_PIECES) == (seat == 1)

    piece = piece_at(source)
    if not is_own(piece):
        return "not_own_piece"
    if s["kind"][piece] in (FLAG, BOMB):
        return "immovable"
    if is_lake.py_func(rules, target):
        return "lake"
    if is_own(piece_at(target)):
        return "own_piece"
    stride = rules.columns if source % rules.columns == target % rules.columns else 1
    between = range(min(source, target) + stride, max(source, target), stride)
    if between and s["kind"][piece] != SCOUT:
        return "too_far"
    if any(piece_at(cell) >= 0 or is_lake.py_func(rules, cell) for cell in between):
        return "blocked"
    return telling.why_barred(rules, s, action) or "not_legal"


# --- replies -------------------------------------------------------------------------------------

_NUMBER, _BETWEEN = r"-?\d{1,4}", r"(?:[ ,;()\[\]]|->){1,8}"
_FOUR = rf"[(\[]{{0,2}}{_NUMBER}(?:{_BETWEEN}{_NUMBER}){{3}}"


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """A reply's move, or while pieces are set up the letters of its setup.

    Raises:
        ReplyError: ``no_json``, ``no_move``, and those of ``replies``.
        PlanError: ``wrong_shape``, ``wrong_counts``, ``flag_row`` of a setup.
    """
    try:
        found = last_json(text, dict)
    except ReplyError as error:
        if str(error) != "no_json" or s["phase"] == PLACING:
            raise
        line = last_line(text, _FOUR).move
        if line is None:
            raise
        return [_four(line)]
    if s["phase"] == PLACING:
        return _setup(rules, s, found)
    move = found.get("move")
    if isinstance(move, list):
        whole = all(isinstance(k, int) and not isinstance(k, bool) for k in move)
        move = " ".join(map(str, move)) if whole else None
    if not isinstance(move, str):
        raise ReplyError("no_move")
    return [_four(move)]


def _four(text: str) -> str:
    """Four numbers with a blank between; raises ``ReplyError`` for what are none."""
    numbers = re.findall(_NUMBER, text, re.ASCII)
    if len(numbers) != 4 or not re.fullmatch(rf"{_FOUR}[)\]]{{0,2}}", text.strip(), re.ASCII):
        raise ReplyError("no_move")
    return " ".join(str(int(k)) for k in numbers)


def _setup(rules: Any, s: Any, found: dict[str, Any]) -> list[str]:
    """The letters of a setup in the order of placing: the back row first, from the left."""
    rows = found.get("setup")
    if rows is None:
        raise ReplyError("no_move")
    if not isinstance(rows, list) or len(rows) != rules.home_rows:
        raise PlanError("setup", "wrong_shape")
    kinds = []
    for k, row in enumerate(rows):
        words = re.split(r"[ ,;|]+", row.strip(" ,;|")) if isinstance(row, str) else row
        if isinstance(row, str) and len(words) == 1:
            words = list(row.strip())
        read = [kind_of(w) if isinstance(w, str) else None for w in words] if (
            isinstance(words, list)
        ) else []  # fmt: skip
        if len(read) != rules.columns or None in read:
            raise PlanError(f"row {k + 1} of setup", "wrong_shape")
        kinds.append(read)
    flat = [kind for row in reversed(kinds) for kind in row]
    for kind in range(1, KINDS + 1):
        if flat.count(kind) != int(count_of.py_func(rules.pieces, kind)):
            raise PlanError(f"{flat.count(kind)} x {LETTERS[kind]}", "wrong_counts")
    far = BACK_ROWS * rules.columns
    if rules.back_two and FLAG in flat[far:]:
        raise PlanError(LETTERS[FLAG], "flag_row")
    return [LETTERS[kind or 0] for kind in flat[int(s["cell"]) :]]


# --- prompts -------------------------------------------------------------------------------------


def answer_of(rules: Any) -> Any:
    """A move; or a setup too, where setting up is part of the game."""
    return ANSWER if rules.setup == PLACE else MOVE_ANSWER


def seat_name(rules: Any, s: Any, player: int) -> str:
    """Its colour."""
    return SEATS[player]


def role_text(rules: Any, player: int) -> str:
    """Who plays, and for what."""
    return (
        f"You play Stratego as {SEATS[player]} against {SEATS[1 - player]}. Your aim is to take "
        "the other side's flag, or all of its pieces that can move. Win as fast as you can."
    )


def rules_text(rules: Any) -> str:
    """The rules in force, and how boards and moves are written."""
    return "\n\n".join([telling.rules_of(rules), notation_text(rules)])


def notation_text(rules: Any) -> str:
    """How boards, moves and setups are written."""
    told = [
        "- Your side is always at the bottom of the board. Rows are r0 (top) to "
        f"r{rules.rows - 1} (bottom), columns c0 (left) to c{rules.columns - 1}.",
        "- Your own pieces are R and a letter, such as RS or R7; the other side's are B and a "
        "letter, or B? while you do not know the kind. A lake is ~~, an empty cell a dot.",
        "- A move is four numbers r c x y: from row r, column c to row x, column y.",
    ]
    if rules.setup == PLACE:
        told.append(
            f"- A setup is a list of {rules.home_rows} text{'s' if rules.home_rows > 1 else ''}, "
            f"the front row first, each with {rules.columns} letters from the left, a blank "
            "between them and a dot for an empty cell."
        )
    return section("How boards and moves are written", *told)


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The board as a seat sees it, what was lost, and the last moves."""
    other = 1 - player
    board = grid(rules, s, player, form=form)
    if form == "paper":
        signs = ", ".join(f"{_PAPER[k]} {NAMES[k]}" for k in range(1, KINDS + 1))
        board = f"{board}\nSigns: {signs}; # unknown."
    if s["phase"] == PLACING:
        return section("Board", board, *_placing_text(rules, s, player))
    limit = f" (drawn at {rules.no_attack})" if rules.no_attack else ""
    told = [
        f"Moves made: {int(s['ply'])} of at most {rules.max_moves}. "
        f"Since the last attack: {int(s['since'])}{limit}.",
        f"You lost: {telling.counts_text(telling.lost(rules, s, player))}.",
        f"{SEATS[other]} lost: {telling.counts_text(telling.lost(rules, s, other))}.",
        *telling.known_text(rules, s, player),
        f"Your last moves, newest first: {telling.moves_told(rules, s, player, player)}",
        f"{SEATS[other]}'s last moves, newest first: {telling.moves_told(rules, s, player, other)}",
    ]
    if s["player"] == player and (barred := telling.forbidden(rules, s)):
        moves = "; ".join(f"{action_to_string(rules, s, a)} ({why})" for a, why in barred)
        told.append(f"Forbidden now because of repetition: {moves}")
    if s["over"] != RUNNING:
        told.append(standing(s))
    return section("Board", board, "", *told)


def _placing_text(rules: Any, s: Any, player: int) -> list[str]:
    """What is to be set up, and where."""
    if s["player"] != player:
        return ["", f"{SEATS[s['player']]} sets up its pieces."]
    rows = f"r{rules.rows - rules.home_rows}"
    if rules.home_rows > 1:
        rows += f" to r{rules.rows - 1}"
    army = telling.counts_text(telling.army(rules))
    left = [0, *(int(count_of.py_func(int(s["left"]), k)) for k in range(1, KINDS + 1))]
    told = ["", f"Set up your pieces on {rows}: {army}.{telling.flag_rows_text(rules)}"]
    if s["cell"]:
        row, column = divmod(int(s["cell"]), rules.columns)
        told.append(
            "Cells are filled row by row from the back. The next is "
            f"{rules.rows - 1 - row} {column}; still to be set up: {telling.counts_text(left)}. "
            "What stands already stays."
        )
    return told


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The legal moves, piece by piece: ``Captain at 5 0: 4 0, 5 1``."""
    if s["phase"] != PLAYING:
        letters = ", ".join(action_to_string(rules, s, action) for action in legal)
        return section("Legal for the next cell", letters)
    found: dict[str, list[str]] = {}
    for action in legal:
        source = int(moves_from.py_func(rules, action)[0])
        kind = int(s["kind"][int(s["board"][int(cell_of.py_func(rules, player, source))]) - 1])
        row, column, to_row, to_column = action_to_string(rules, s, action).split()
        found.setdefault(f"{NAMES[kind].capitalize()} at {row} {column}", []).append(
            f"{to_row} {to_column}"
        )
    return section("Legal moves", *(f"{piece}: {', '.join(to)}" for piece, to in found.items()))


def task_text(rules: Any) -> str:
    """What to do now."""
    if rules.setup == PLACE:
        return "Set up your pieces if the game has not begun, else choose your move."
    return "Choose your move."
