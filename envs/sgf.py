"""SGF, the Smart Game Format FF[4] (Hollosi 1997): games in which stones are placed on a board.

``read`` and ``write`` go between a text and ``GameRecord``, which holds what go (``GM[1]``),
reversi (``GM[2]``) and gomoku (``GM[4]``) have in common. ``parse`` and ``serialize`` go between a
text and its trees, with every property as it stands. ``from_game`` and ``to_game`` go between
records and the actions of this package's games.

Points are (column, row), both from 0, row 0 at the top; ``dc`` is (3, 2). A pass is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagym.envs import core

GO, OTHELLO, GOMOKU = 1, 2, 4
"""Numbers of games, ``GM``."""
SIZES = {GO: 19, OTHELLO: 8, GOMOKU: 15}
"""Columns and rows where a file does not say."""
MAX_SIZE = 52
BLACK, WHITE = 0, 1
Point = tuple[int, int]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAMES = ("B", "W")
_OWN = ("FF", "GM", "CA", "SZ", "KM", "RU", "RE", "PB", "PW", "AB", "AW")
_LINE_WIDTH = 80


# --- trees ---------------------------------------------------------------------------------------


@dataclass
class Node:
    """A node of a tree of moves.

    Attributes:
        properties: identifiers, such as ``PB``, and their values with escapes undone.
        children: the first one goes on with the main line.
    """

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def first(self, name: str) -> str | None:
        """A property's first value, None where the node does not have the property."""
        values = self.properties.get(name)
        return values[0] if values else None


_TREE = re.compile(r"\(\s*;")
_TOKEN = re.compile(
    r"\s*(?:(?P<sign>[();])|(?P<name>[A-Za-z]+)(?=\s*\[)"
    r"|\[(?P<value>[^\]\\]*(?:\\.[^\]\\]*)*)\])",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:\r\n|\n\r|\r|\n)|\\(.)|\r\n|\n\r|\r|[\t\v\f]", re.DOTALL)


def parse(text: str) -> list[Node]:
    """The roots of the trees in a text; what stands before, between and behind is passed over.

    Raises:
        ValueError: the text is no SGF; the line says where and why.
    """
    roots: list[Node] = []
    node: Node | None = None
    branches: list[Node | None] = []  # where the open trees branch off, None for the outermost
    name, at = "", 0
    while True:
        if not branches:
            start = _TREE.search(text, at)
            if start is None:
                break
            at = start.start()
        match = _TOKEN.match(text, at)
        fault = ""
        if match is None:
            rest = text[at : at + 200].strip()
            fault = f"{rest[:10]!r} is no part of a tree" if rest else "the last tree does not end"
        elif match["sign"] == "(":
            branches.append(node)
        elif match["sign"] == ";":
            new = Node()
            (roots if node is None else node.children).append(new)
            node = new
        elif node is None or node is branches[-1]:
            fault = f"{match[0].strip()[:10]!r} stands before a tree's first node"
        elif match["sign"] == ")":
            node = branches.pop()
        elif match["name"]:
            # Older formats write names out: Black is B.
            name = "".join(letter for letter in match["name"] if letter.isupper())
        elif name:
            node.properties.setdefault(name, []).append(_unescaped(match["value"]))
        else:
            fault = f"the value [{match['value'][:10]}] has no property"
        if fault or match is None:
            raise ValueError(f"sgf: line {1 + text.count(chr(10), 0, at)}: {fault}")
        if match["sign"]:
            name = ""
        at = match.end()
    if not roots:
        raise ValueError("sgf: no game tree; one begins with '(;'")
    return roots


def _unescaped(value: str) -> str:
    """A value's text: soft line breaks left out, other white space a space or a line feed."""

    def text(match: re.Match[str]) -> str:
        found = match[0]
        if match[1] is not None:
            return " " if match[1] in "\t\v\f" else match[1]
        return "" if found[0] == "\\" else "\n" if "\n" in found or "\r" in found else " "

    return _ESCAPE.sub(text, value)


def escaped(text: str) -> str:
    """A text as it stands between ``[`` and ``]``."""
    return re.sub(r"([\]\\])", r"\\\1", text)


def serialize(roots: Iterable[Node]) -> str:
    """The text of trees, one after the other."""
    parts: list[str] = []
    for root in roots:
        # What is still to be written: nodes, and the signs between them.
        waiting: list[Node | str] = [")\n", root, "("]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            parts.append(_node_text(item))
            if len(item.children) == 1:
                waiting.append(item.children[0])
            else:
                for child in reversed(item.children):
                    waiting += [")", child, "("]
    return _wrapped(parts)


def _node_text(node: Node) -> str:
    return ";" + "".join(
        name + "".join(f"[{escaped(value)}]" for value in values)
        for name, values in node.properties.items()
    )


def _wrapped(parts: Iterable[str]) -> str:
    """The parts in lines of about 80 characters, broken between nodes."""
    lines, length = [], 0
    for part in parts:
        if part.startswith(";") and length and length + len(part) > _LINE_WIDTH:
            lines.append("\n")
            length = 0
        lines.append(part)
        length = 0 if part.endswith("\n") else length + len(part)
    return "".join(lines)


# --- games ---------------------------------------------------------------------------------------


@dataclass
class GameRecord:
    """A game without its variations.

    Attributes:
        game: ``GO``, ``OTHELLO`` or ``GOMOKU``.
        moves: (colour, point) each, ``BLACK`` or ``WHITE``; the point is None for a pass.
        stones: Black's and White's points that are set up before the first move.
        komi: what White gets on top, None if it is not said.
        rules, result, black, white: the texts of ``RU``, ``RE``, ``PB`` and ``PW``; empty if not
            said. A result is such as ``B+3.5``, ``W+R`` (resigned), ``W+F`` (forfeit), ``B+`` or
            ``Draw``.
        more: further properties of the root, such as ``DT`` or ``EV``, with their values.
    """

    game: int
    columns: int
    rows: int
    moves: list[tuple[int, Point | None]] = field(default_factory=list)
    stones: tuple[list[Point], list[Point]] = field(default_factory=lambda: ([], []))
    komi: float | None = None
    rules: str = ""
    result: str = ""
    black: str = ""
    white: str = ""
    more: dict[str, list[str]] = field(default_factory=dict)


def write(*records: GameRecord) -> str:
    """The text of one or several games."""
    return serialize(_tree(record) for record in records)


def _tree(record: GameRecord) -> Node:
    square = record.columns == record.rows
    properties = {
        "FF": ["4"],
        "GM": [str(record.game)],
        "CA": ["UTF-8"],
        "SZ": [str(record.columns) if square else f"{record.columns}:{record.rows}"],
    }
    texts = {"RU": record.rules, "PB": record.black, "PW": record.white, "RE": record.result}
    if record.komi is not None:
        properties["KM"] = [f"{record.komi:g}"]
    properties |= {name: [_simple(text)] for name, text in texts.items() if text}
    properties |= record.more
    for name, points in zip(("AB", "AW"), record.stones, strict=True):
        if points:
            properties[name] = [point_text(point) for point in points]
    root = last = Node(properties)
    for colour, point in record.moves:
        node = Node({_NAMES[colour]: [point_text(point)]})
        last.children.append(node)
        last = node
    return root


def read(text: str) -> list[GameRecord]:
    """The games in a text, along their main lines.

    Raises:
        ValueError: the text is no SGF, or says what a ``GameRecord`` cannot hold: another game,
            points off the board, stones added or taken away after the first move.
    """
    return [_record(root) for root in parse(text)]


def _record(root: Node) -> GameRecord:
    game = _number("GM", root.first("GM") or "1")
    if game not in SIZES:
        raise ValueError(f"sgf: GM[{game}]: only games {', '.join(map(str, SIZES))} are read")
    columns, rows = _size(root.first("SZ") or str(SIZES[game]))
    record = GameRecord(game, columns, rows)
    komi = (root.first("KM") or "").strip()
    if komi:
        try:
            record.komi = float(komi)
        except ValueError:
            raise ValueError(f"sgf: KM[{komi[:20]}]: a number is needed") from None
    record.rules, record.result, record.black, record.white = (
        _simple(root.first(name) or "") for name in ("RU", "RE", "PB", "PW")
    )
    kept = {*_OWN, *_NAMES}
    record.more = {name: values for name, values in root.properties.items() if name not in kept}
    node: Node | None = root
    while node is not None:
        _read_node(node, record)
        node = node.children[0] if node.children else None
    return record


def _read_node(node: Node, record: GameRecord) -> None:
    """Take a node's stones and its move into the record."""
    for colour, name in enumerate(("AB", "AW")):
        for value in node.properties.get(name, ()):
            if record.moves:
                raise ValueError(f"sgf: {name}[{value[:20]}]: stones are added after a move")
            record.stones[colour].extend(_points(name, value, record))
    if "AE" in node.properties:
        raise ValueError("sgf: AE: stones are taken away by hand, which no record holds")
    moves = [(k, value) for k, name in enumerate(_NAMES) for value in node.properties.get(name, ())]
    if len(moves) > 1:
        raise ValueError(f"sgf: a node holds {len(moves)} moves")
    for colour, value in moves:
        record.moves.append((colour, _move(_NAMES[colour], value, record)))


def _simple(text: str) -> str:
    """A text of one line."""
    return re.sub(r"\s", " ", text).strip()


def _number(name: str, text: str) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,4}\s*", text):
        raise ValueError(f"sgf: {name}[{text[:20]}]: a whole number is needed")
    return int(text)


def _size(text: str) -> tuple[int, int]:
    """(columns, rows)."""
    parts = [_number("SZ", part) for part in text.split(":", 1)]
    columns, rows = parts[0], parts[-1]
    if not (1 <= columns <= MAX_SIZE and 1 <= rows <= MAX_SIZE):
        raise ValueError(f"sgf: SZ[{text[:20]}]: sizes of 1 to {MAX_SIZE} are needed")
    return columns, rows


def point_text(point: Point | None) -> str:
    """``dc`` for (3, 2); nothing for a pass."""
    return "" if point is None else _LETTERS[point[0]] + _LETTERS[point[1]]


def _point(name: str, text: str, record: GameRecord) -> Point:
    text = text.strip()
    point = None
    if re.fullmatch(r"[A-Za-z]{2}", text):
        point = _LETTERS.index(text[0]), _LETTERS.index(text[1])
    elif record.game == OTHELLO and re.fullmatch(r"[A-Za-z][0-9]{1,2}", text):
        # As most servers write it; numbers count from the top there too.
        point = _LETTERS.index(text[0].lower()), int(text[1:]) - 1
    if point is None:
        raise ValueError(f"sgf: {name}[{text[:20]}]: a point such as 'dc' is needed")
    if not (point[0] < record.columns and 0 <= point[1] < record.rows):
        raise ValueError(f"sgf: {name}[{text}]: the board is {record.columns} x {record.rows}")
    return point


def _points(name: str, text: str, record: GameRecord) -> list[Point]:
    """One point, or the rectangle between two, ``aa:cc``."""
    corners = [_point(name, part, record) for part in text.split(":", 1)]
    (left, top), (right, bottom) = corners[0], corners[-1]
    return [(column, row) for row in range(top, bottom + 1) for column in range(left, right + 1)]


def _move(name: str, text: str, record: GameRecord) -> Point | None:
    """A point, None for a pass: nothing, or ``tt`` where that is no point."""
    if not text.strip() or (text.strip() == "tt" and max(record.columns, record.rows) <= 19):
        return None
    if record.game == OTHELLO and text.strip().lower() == "pass":
        return None
    return _point(name, text, record)


# --- the games of this package -------------------------------------------------------------------


def move_on_square_board(rules: Any, s: Any, action: int) -> tuple[int, Point | None]:
    """(colour, point), None for a pass, where actions are the points by rows, then the pass.

    This and ``seat_of_black`` are ``move`` and ``black`` of games whose seat 0 always is Black.
    """
    row, column = divmod(action, rules.size)
    return int(s["player"]), None if row == rules.size else (column, row)


def seat_of_black(s: Any) -> int:
    """The seat that plays Black: 0."""
    return 0


def result_of_score(score: str) -> str:
    """``RE`` of a score as the Go Text Protocol tells it: ``B+3.5``, or ``Draw`` for ``0``."""
    return "Draw" if score == "0" else score


def from_game(
    spec: core.GameSpec,
    rules: Any,
    actions: Iterable[int],
    names: Sequence[str] = ("", ""),
    forfeited_by: int | None = None,
) -> GameRecord:
    """A game that was played from its start.

    A game has a module ``sgf`` for it: ``GAME``, ``start(rules)``, a ``GameRecord`` without moves,
    ``move(rules, s, action)``, its (colour, point), or None for what is no move on the board,
    ``result(rules, s)``, ``black(s)``, the seat that plays Black, and ``options(record)``, what
    ``make_rules`` takes. A game in which moves may stand beside the board has ``tell_choices(
    record, rules, actions)``, which writes these into the record, and ``choices(record, rules)``,
    the actions again.

    Args:
        actions: of both seats, from the start. names: the seats' players.
        forfeited_by: the seat that lost without the rules saying so.

    Raises:
        ValueError: the game has no words of the format, or an action is not legal.
    """
    words = _words(spec)
    record: GameRecord = words.start(rules)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(0), probs)
    choices: list[int] = []
    for ply, action in enumerate(actions):
        n = core.legal_actions_at(rules, states, 0, legal) if seat >= 0 else 0
        if action not in legal[:n]:
            raise ValueError(f"sgf: action {action} at ply {ply} is not legal in {spec.name}")
        move = words.move(rules, states[0], action)
        if move is None:
            choices.append(int(action))
        else:
            record.moves.append(move)
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    if choices:
        words.tell_choices(record, rules, choices)
    black = words.black(states[0])
    record.black, record.white = names[black], names[1 - black]
    record.result = words.result(rules, states[0])
    if forfeited_by is not None:
        record.result = "W+F" if forfeited_by == black else "B+F"
    return record


def to_game(spec: core.GameSpec, record: GameRecord) -> tuple[Any, list[int]]:
    """(rules, actions) of a record, as far as it goes.

    Passes that had to be made and are not told are put in.

    Raises:
        ValueError: it is a record of another game, or a move is not legal in ours.
    """
    words = _words(spec)
    if record.game != words.GAME:
        raise ValueError(f"sgf: GM[{record.game}] is not {spec.name}, which is {words.GAME}")
    rules = spec.make_rules(**words.options(record))
    start: GameRecord = words.start(rules)
    if any(record.stones) and [*map(set, record.stones)] != [*map(set, start.stones)]:
        raise ValueError(f"sgf: other stones are set up than {spec.name} begins with")
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(0), probs)
    actions: list[int] = []
    choices = iter(words.choices(record, rules) if hasattr(words, "choices") else ())
    # Behind the last move a choice may stand beside the board.
    for number, move in enumerate([*record.moves, None], 1):
        while True:
            n = core.legal_actions_at(rules, states, 0, legal) if seat >= 0 else 0
            told = {words.move(rules, states[0], action): action for action in legal[:n].tolist()}
            if set(told) == {None}:
                choice = next(choices, None)
                if choice is not None and choice in legal[:n]:
                    actions.append(int(choice))
                    seat, _ = core.play_at(rules, states, 0, choice, legal, probs)
                    continue
            if move is None:
                break
            passes = [colour for colour, point in told if point is None]
            action = told.get(move)
            if action is None and len(told) == 1 and passes == [1 - move[0]]:
                action = told[passes[0], None]  # many files leave such passes out
            if action is None:
                name = f"{_NAMES[move[0]]}[{point_text(move[1])}]"
                raise ValueError(f"sgf: move {number}, {name}, is not legal in {spec.name}")
            actions.append(action)
            seat, _ = core.play_at(rules, states, 0, action, legal, probs)
            if move in told:
                break
    return rules, actions


def _words(spec: core.GameSpec) -> Any:
    words = spec.optional_module("sgf")
    if words is None:
        raise ValueError(f"sgf: {spec.name} is not written in this format")
    return words
