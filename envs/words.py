"""What the prompts and boards of all games are made of: sections, answer forms, other names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from stratagym.envs.reading import Reading, last_line, last_object, shown
from stratagym.envs.reading import alone as alone_in
from stratagym.envs.replies import ReplyError, find_json

MARKS = "XO"
"""What the two players of a board game of marks or stones put down, the first player's first."""

COLOURS = ("black", "white")
"""Of the two players' stones, the first player's first."""

REASONING = ("free", "steps", "answer")
"""How much a reply may think: as the answer form has it, step by step first, or not at all."""
_STEPS, _MAY = "Think step by step first.", "You may think first."


def mark_name(rules: Any, s: Any, player: int) -> str:
    """What a seat is called by the mark of what it puts down; see ``View.seat_name``."""
    return MARKS[player]


def section(title: str, *lines: str) -> str:
    """A titled part of a prompt."""
    return "\n".join([f"## {title}", *lines])


def marks_text(first: int, second: int, squares: range, marks: str = MARKS) -> str:
    """A row of two marks and ``.`` for an empty square, from two bitboards."""
    mask = (1 << squares.stop - squares.start) - 1
    first, second = int(first) >> squares.start & mask, int(second) >> squares.start & mask
    return _marks_text(first, second, len(squares), squares.step, marks)


@lru_cache(maxsize=10_000)  # boards of one game have most rows in common
def _marks_text(first: int, second: int, count: int, step: int, marks: str) -> str:
    return " ".join(
        marks[0] if first >> k & 1 else marks[1] if second >> k & 1 else "."
        for k in range(0, count * step, step)
    )


def colours_text(game: str, player: int, stones: str = "stones") -> str:
    """Which colour a seat has in a game of Black and White, whose seat 0 is Black."""
    other = 1 - player
    return (
        f"You play {game} with the {COLOURS[player]} {stones}, shown as {MARKS[player]}; your "
        f"opponent has the {COLOURS[other]} ones, shown as {MARKS[other]}."
    )


def stones_name(player: int) -> str:
    """What a seat is called in a game of Black and White: by its colour, with its mark."""
    return f"{COLOURS[player].capitalize()} ({MARKS[player]})"


def labelled_grid(columns: Sequence[str], rows: Mapping[int, str]) -> str:
    """A board, the top row first, with the names of columns and the numbers of rows on all edges.

    Args:
        columns: letters. rows: by its number, each row's text, with a blank between its squares.
    """
    wide = len(str(max(rows)))
    names = f"{'':{wide}} {' '.join(columns)}"
    return "\n".join([names, *(f"{k:>{wide}} {row} {k}" for k, row in rows.items()), names])


def standing(s: Any, *lines: str, result: str = "") -> str:
    """A board for a terminal: its lines, then the seat to move or, of a game that is over, how.

    Args:
        s: a record with ``player``. lines: those that are empty are left out.
    """
    return "\n".join([*filter(None, lines), result or f"{MARKS[s['player']]} to move"])


def last_text(action_to_string: Callable[[Any, Any, int], str], rules: Any, s: Any) -> str:
    """``Last move: X d4``, made by the seat that is not to move; nothing at the start.

    Args:
        action_to_string: the view's. s: a record with ``player`` and ``last``, an action or -1.
    """
    last = int(s["last"])
    if last < 0:
        return ""
    return f"Last move: {MARKS[1 - s['player']]} {action_to_string(rules, s, last)}"


def square_named(text: str, columns: str, size: int) -> tuple[int, int]:
    """(column, number - 1) of a square board's square, told as ``d4``, ``D 4`` or ``(d,4)``.

    Args:
        columns: letters of one case; the text's may be of either.

    Raises:
        ValueError: ``off_board``, or ``no_such_move`` if the text names no square.
    """
    match = re.fullmatch(r"\(?([A-Za-z]) ?,? ?([0-9]{1,2})\)?", text)
    if not match:
        raise ValueError("no_such_move")
    column, number = columns.lower().find(match[1].lower()), int(match[2]) - 1
    if not (0 <= column < size and 0 <= number < size):
        raise ValueError("off_board")
    return column, number


# --- answer forms --------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReplyWords:
    """What a reply says beside its move, a line each: how the seat stands, and why the move."""

    evaluation: str
    reason: str


def evaluated(move: str, words: ReplyWords | None) -> str:
    """The line ``Answer``, after the lines ``Evaluation`` and ``Reason`` where there are words."""
    first = f"Evaluation: {words.evaluation}\nReason: {words.reason}\n" if words else ""
    return f"{first}Answer: {move}"


@dataclass(frozen=True)
class AnswerForm:
    """How a reply names its move: the words that ask for it, and the reader.

    Readers take time linear in a reply's length, whatever it holds. For that ``move`` must neither
    begin nor end with what may be blank, such as ``\\s*``.

    Attributes:
        form: what stands for the move where the form is shown, such as ``<column>``.
        move: regular expression of a move.
        note: is added to the sentence that asks for the form.
        what: the move in words, such as ``the piece's index``.
        tidy: makes of the text that was found the text that the view reads.
    """

    form: str
    move: str
    note: str = ""
    what: str = "the move"
    tidy: Callable[[str], str] = str

    title = "Answer"
    """Of the section that asks for the form; empty for none."""
    kind = "line"
    """What holds the move."""

    def shown(self, reasoning: str = "free") -> str:
        """The form of what holds the move."""
        return self.form

    def opening(self, reasoning: str = "free") -> str:
        """What a prompt in one message says of the form at its beginning, if anything."""
        return ""

    def request(self, reasoning: str = "free") -> str:
        """The part of a prompt that asks for the form."""
        raise NotImplementedError

    def invitation(self) -> str:
        """``request`` with the words that a reply may think first.

        That is the request for steps as an offer; a form that has other words for steps says what
        it says without an invitation.
        """
        asked = self.request("steps")
        return asked.replace(_STEPS, _MAY) if _STEPS in asked else self.request()

    def asked(self, reasoning: str = "free", invites: bool = False) -> tuple[str, str]:
        """The ``opening`` and the ``request``, or nothing and the ``invitation``.

        Args:
            invites: whether a reply that is free to think is told so.
        """
        if invites and reasoning == "free":
            return "", self.invitation()
        return self.opening(reasoning), self.request(reasoning)

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        """The move's text in a reply, or None; it never guesses.

        Args:
            lenient: also take a reply that is the move alone.
            reasoning: what was asked for.
        """
        raise NotImplementedError

    def read(self, text: str, lenient: bool = False, reasoning: str = "free") -> Reading:
        """What a reply says by the one rule of ``reading``; ``extract`` is the first reader.

        Raises:
            ReplyError: why nothing can be read, as one word.
        """
        return Reading(self.extract(text, lenient, reasoning))

    def _read_line(self, text: str, lenient: bool, reasoning: str, bar: bool = False) -> Reading:
        """The same of a form in a line; what is lenient counts where no answer is stated."""
        found = last_line(text, self.move, bar)
        if found == Reading() and bar and reasoning == "answer":
            found = Reading(alone_in(text, self.move))
        if found == Reading() and lenient:
            return Reading(self.extract(text, lenient, reasoning))
        return found if found.move is None else Reading(self.tidy(found.move))

    def written(self, move: str) -> str:
        """A move's text as a reply has it where ``form`` stands."""
        return move

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        """A whole reply that names a move, with no thoughts before it.

        Args:
            move: the move's text.
            words: what stands in the other places of the form; None for as short as can be.
            action: the move's number, for forms that ask for it.
        """
        return self.written(move)

    def evaluation(self) -> AnswerForm:
        """The second form that every game has: ``Evaluation``, ``Reason`` and ``Answer``."""
        return _Evaluation(
            self.form, self.move, what=self.what, tidy=self.tidy, titled=bool(self.title)
        )


@dataclass(frozen=True)
class _MoveLine(AnswerForm):
    title = ""

    def shown(self, reasoning: str = "free") -> str:
        return f"Move: {self.form}"

    def request(self, reasoning: str = "free") -> str:
        first = {
            "free": "You may think first. End your answer with a line of exactly this form",
            "steps": "Think step by step first. End your answer with a line of exactly this form",
            "answer": "Answer with one line of exactly this form and nothing else",
        }[reasoning]
        return f"{first}{self.note}:\n{self.shown(reasoning)}"

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        found = _labelled(text, "move", self.move)
        if found is None and lenient:
            found = _alone(text, self.move)
        return None if found is None else self.tidy(found)

    def read(self, text: str, lenient: bool = False, reasoning: str = "free") -> Reading:
        return self._read_line(text, lenient, reasoning)

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        return f"Move: {self.written(move)}"


def move_line(form: str, move: str, note: str = "", what: str = "the move") -> AnswerForm:
    """A reply has a line ``Move: <move>``; the last of them counts."""
    return _MoveLine(form, move, note, what)


@dataclass(frozen=True)
class _MoveAndReason(AnswerForm):
    before: str = ""
    after: str = ""

    def shown(self, reasoning: str = "free") -> str:
        return self.form if reasoning == "answer" else f"{self.form} | <one line reason>"

    def opening(self, reasoning: str = "free") -> str:
        bar = f"{self.what}, a bar, and your reason in one line"
        first = {
            "free": f"Answer with {bar}.",
            "steps": f"Think step by step first, then answer with {bar}.",
            "answer": f"Answer with {self.what} and nothing else.",
        }[reasoning]
        return f"{first} Any other form of answer is invalid{self.note}."

    def request(self, reasoning: str = "free") -> str:
        if reasoning == "answer":
            return section("Answer (exactly this form)", self.form)
        whole = self.shown(reasoning)
        if reasoning == "free":
            return section("Answer (exactly this form)", whole)
        first = "Think step by step first. End your answer with a line of exactly this form:"
        return section(self.title, first, whole)

    def invitation(self) -> str:
        ask = f"{_MAY} End your answer with {self.what}, a bar, and your reason, in one line of"
        return section(self.title, f"{ask} exactly this form{self.note}:", self.shown())

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        move = rf"(?P<move>{self.move})"
        if lenient or reasoning == "answer":
            pattern = rf"{self.before}{move}{self.after}\s*(?:\||$|\.\s*$)"
        else:
            pattern = rf"{move}\s*\|"
        lines = [text.strip()]
        if reasoning == "steps":
            lines = [line.strip().lstrip(" >*`\"'#") for line in text.split("\n")]
        matches = re.compile(pattern).match
        for line in reversed(lines):
            if match := matches(line):
                return self.tidy(match["move"])
        return None

    def read(self, text: str, lenient: bool = False, reasoning: str = "free") -> Reading:
        return self._read_line(text, lenient, reasoning, bar=True)

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        return self.written(move) + (f" | {words.reason}" if words else "")


def move_and_reason(
    form: str,
    move: str,
    note: str = "",
    what: str = "the move",
    *,
    before: str = "",
    after: str = "",
    tidy: Callable[[str], str] = str,
) -> AnswerForm:
    """A reply is ``<move> | <reason>``.

    Args:
        before, after: regular expressions of what a lenient reader passes over around a move.
    """
    return _MoveAndReason(form, move, note, what, tidy, before, after)


@dataclass(frozen=True)
class _JsonField(AnswerForm):
    name: str = "action"
    lead: str = ""

    kind = "JSON object"

    def shown(self, reasoning: str = "free") -> str:
        reason = "" if reasoning == "answer" else '"reason": "<one or two sentences>", '
        return f'{{{reason}"{self.name}": {self.form}}}'

    def request(self, reasoning: str = "free") -> str:
        first = {
            "free": "End your answer with this JSON object and nothing after it:",
            "steps": "Think step by step first. End your answer with this JSON object and nothing "
            "after it:",
            "answer": "Answer with this JSON object alone:",
        }[reasoning]
        ask = f"{self.lead} {first}".lstrip()
        return section(self.title, ask, self.shown(reasoning))

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        text = text.strip()
        if text.endswith("```"):
            text = text[:-3].rstrip()
        try:
            objects = find_json(text)
        except ReplyError:
            objects = []
        for value, _, end in reversed(objects):
            if isinstance(value, dict) and self.name in value and (lenient or end == len(text)):
                move = value[self.name]
                named = isinstance(move, int | str) and not isinstance(move, bool)
                return self.tidy(str(move)) if named else None
        match = re.fullmatch(self.move, text) if lenient else None
        return self.tidy(match[0]) if match else None

    def read(self, text: str, lenient: bool = False, reasoning: str = "free") -> Reading:
        move, place = last_object(text, self.name)
        if place is None:
            return Reading(self.extract(text, lenient, reasoning) if lenient else None)
        named = isinstance(move, int | str) and not isinstance(move, bool)
        if named and re.fullmatch(self.move, str(move).strip()):
            return Reading(self.tidy(str(move).strip()))
        return Reading(None, shown(text[place.start : place.end]))

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        # Where the form has no quotation marks, it asks for the action's number.
        as_text = action is None or self.form.startswith('"')
        named = {self.name: self.written(move) if as_text else action}
        first = {"reason": words.reason} if words else {}
        return json.dumps(first | named, ensure_ascii=False)


def json_field(
    name: str, form: str, move: str, lead: str = "", what: str = "the move"
) -> AnswerForm:
    """A reply ends with a JSON object, bare or fenced, whose field ``name`` is the move.

    A lenient reader takes the last such object wherever it stands.

    Args:
        lead: a sentence in front of the one that asks for the object.
    """
    return _JsonField(form, move, what=what, name=name, lead=lead)


@dataclass(frozen=True)
class _BoardMove(_MoveLine):
    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        found = super().extract(text, lenient, reasoning)
        if found is None and lenient:
            found = _labelled(text, "answer", self.move)
            found = None if found is None else self.tidy(found)
        if found is None and lenient:
            found = json_field("action", self.form, self.move).extract(text, lenient=True)
        return found


def board_move(form: str, move: str, note: str = "", what: str = "the move") -> AnswerForm:
    """``move_line``, whose lenient reader also takes what other benchmarks of boards ask for.

    These are BotzoneBench's line ``Answer: <move>``, and SPIN-Bench's JSON object whose ``action``
    is the move or its number; the view has to read both.
    """
    return _BoardMove(form, move, note, what)


@dataclass(frozen=True)
class _Evaluation(AnswerForm):
    titled: bool = True

    def shown(self, reasoning: str = "free") -> str:
        return f"Answer: {self.form}"

    def request(self, reasoning: str = "free") -> str:
        lines = (
            f"End your answer with exactly these three lines, {self.what} in the last:",
            "Evaluation: <how you stand, in one line>",
            "Reason: <one line>",
            f"Answer: {self.form}",
        )
        if reasoning == "steps":
            lines = (f"Think step by step first. {lines[0]}", *lines[1:])
        return section(self.title, *lines) if self.titled else "\n".join(lines)

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        return evaluated(self.written(move), words)

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        found = _labelled(text, "answer", self.move)
        if found is None and lenient:
            found = _alone(text, self.move)
        return None if found is None else self.tidy(found)

    def read(self, text: str, lenient: bool = False, reasoning: str = "free") -> Reading:
        return self._read_line(text, lenient, reasoning)


@dataclass(frozen=True)
class _EvaluationFirst(_Evaluation):
    def request(self, reasoning: str = "free") -> str:
        if reasoning != "answer":
            return super().request(reasoning)
        line = "Answer with one line of exactly this form and nothing else:"
        return section(self.title, line, f"Answer: {self.form}")

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        found = super().extract(text, lenient, reasoning)
        if found is None and lenient:
            found = move_and_reason(self.form, self.move, tidy=self.tidy).extract(text)
        return found


def evaluation(
    form: str, move: str, what: str = "the move", tidy: Callable[[str], str] = str
) -> AnswerForm:
    """A reply ends with the lines ``Evaluation``, ``Reason`` and ``Answer: <move>``.

    A lenient reader also takes ``<move> | <reason>`` and the move alone.
    """
    return _EvaluationFirst(form, move, what=what, tidy=tidy)


def _labelled(text: str, label: str, move: str) -> str | None:
    """The last move in a line ``label: move``, with nothing but punctuation around it."""
    if ":" not in text:
        return None
    found = None
    pattern = re.compile(rf"\s*(?P<move>{move})\W*$", re.MULTILINE)
    for start in re.finditer(rf"(?im)^[^\w\n]*{label}:", text):
        match = pattern.match(text, start.end())
        found = match["move"] if match else found
    return found


def _alone(text: str, move: str) -> str | None:
    """The move, if the text is nothing else but punctuation."""
    match = re.match(rf"\W*?(?P<move>{move})\W*$", text)
    return match["move"] if match else None


# --- other names ---------------------------------------------------------------------------------


class Renaming:
    """Words of a game and those that stand for them, both ways.

    A word is found in small letters, with a capital and in capitals, and never inside another
    word; letters that stand for something (``X``) only as they are given.
    """

    def __init__(self, words: Mapping[str, str]):
        self._new: dict[str, str] = {}
        for old, new in words.items():
            for form in (str, str.capitalize, str.upper):
                self._new.setdefault(form(old), form(new))
        self._old: dict[str, str] = {}
        for old, new in self._new.items():
            self._old.setdefault(new, old)

    def renamed(self, text: str) -> str:
        """The text with the other words."""
        return _replaced(text, self._new)

    def original(self, text: str) -> str:
        """The text with the game's own words again."""
        return _replaced(text, self._old)


def _replaced(text: str, words: Mapping[str, str]) -> str:
    longest_first = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pattern = rf"(?<![A-Za-z])(?:{longest_first})(?![A-Za-z])"
    return re.sub(pattern, lambda match: words[match[0]], text)
