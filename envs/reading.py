"""The one rule by which free answers of every form are read.

Reasoning is cut off. Of what is left the last answer counts, with markup and a remark around it
or without. If the last statement of an answer is not well-formed there is no answer, whatever was
stated before: the model has changed its mind, and a guess is never made. A form that is shown with
its placeholders (``Move: <column>``) is no statement.

Readers have numbers, which records hold: 1 is the reader of each form by itself, as records without
a number were read; 2 is this rule. Time is linear in a reply's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from stratagym.envs.replies import Found, ReplyError, find_json

FIRST, READER = 1, 2
"""The numbers of the first reader and of the newest."""
READERS = (FIRST, READER)
FOUND = 120
"""Characters that are kept of a statement that cannot be read."""


class Reading(NamedTuple):
    """What was found in a reply: a move's text or None, and then the statement that names none."""

    move: str | None = None
    found: str = ""


# --- reasoning -----------------------------------------------------------------------------------

_THOUGHT = r"(?:think|thinking|thought|reasoning)"
_CLOSED = re.compile(
    rf"(?i)</{_THOUGHT}>|\[/THINK\]|◁/think▷|<\|channel\|>final(?:<\|constrain\|>\w{{1,20}})?<\|message\|>"
)
_OPEN = re.compile(rf"(?i)<{_THOUGHT}>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)\b")
_ENDED = re.compile(
    r"<\|(?:im_end|im_start|end|return|eot_id|eom_id|endoftext|end_of_text)\|>|<end_of_turn>|</s>"
)
"""Ends of a turn, which some servers leave in: what follows is somebody else's."""

_MARKS = (_CLOSED, _OPEN, _ENDED)
_BEGINNINGS = "<[◁"
"""What the marks begin with."""


def answer_of(text: str) -> str:
    """A reply without reasoning: behind the last end of it, up to one that was not ended.

    Templates of many servers open the reasoning themselves, so that a reply only ends it.
    """
    if not any(letter in text for letter in _BEGINNINGS):  # as in most replies
        return text.strip()
    objects = _objects(text) if any(p.search(text) for p in _MARKS) else []
    rest = 0
    for mark in _apart(_CLOSED, text, objects):
        rest = mark.end()
    text, objects = text[rest:], [(start - rest, end - rest) for start, end in objects]
    for pattern in (_OPEN, _ENDED):
        for cut in _apart(pattern, text, objects):
            text = text[: cut.start()]
            break
    return text.strip()


def _objects(text: str) -> list[tuple[int, int]]:
    """Where a reply's JSON objects are: what their texts quote is no end of reasoning."""
    try:
        return [(one.start, one.end) for one in find_json(text)]
    except ReplyError:
        return []


def _apart(
    pattern: re.Pattern[str], text: str, objects: list[tuple[int, int]]
) -> Iterator[re.Match[str]]:
    """The places of a mark in a text that stand in none of its objects."""
    k = 0
    for mark in pattern.finditer(text):
        while k < len(objects) and objects[k][1] <= mark.start():
            k += 1
        if k == len(objects) or mark.start() < objects[k][0]:
            yield mark


# --- markup --------------------------------------------------------------------------------------

_TAGS = re.compile(
    r"(?i)</?(?:b|strong|i|em|u|code|pre|p|br|span|div|answer|final|final_answer|response|output)"
    r" ?/?>"
)
_TEX = re.compile(r"\\(?:boxed|text|textbf|textit|mathbf|mathrm|mathtt)\{([^{}\n]{0,200})\}")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff]")
_BLANKS = re.compile("[\u00a0\u2007\u202f\u3000\t\r]")


def plain_lines(text: str) -> list[str]:
    """The lines of an answer without tags, TeX's boxes and what is not seen."""
    if "<" in text:
        text = _TAGS.sub("", text)
    if text.isascii():
        text = text.replace("\t", " ").replace("\r", " ")
    else:
        text = _BLANKS.sub(" ", _INVISIBLE.sub("", text))
    for _ in range(2 if "\\" in text else 0):
        text = _TEX.sub(r"\1", text)
    return text.split("\n")


_LEAD = (
    r"(?:so|therefore|thus|hence|then|my|our|the|final|best|chosen|selected|answer|move|action|is|"
    r"response|result|conclusion|decision|in)"
)
_GAP = r"(?:[^\w\n|:：]|_)*"
_LEADING = re.compile(rf"(?i)[\W_]*(?:{_LEAD}(?![^\W_])[\W_]*)*")
_LABEL = re.compile(rf"(?i)(?<![^\W_])(?:move|answer)(?![^\W_]){_GAP}(?:is(?![^\W_]){_GAP})?[:：]")
_SOFT = " *_`\"'“”‘’«»$~"
"""Marks on either side of a move."""
_OPENING, _CLOSING = "<([{", ">)]}"
_REMARK = re.compile(r"(?:\||\(|[-–—]+ |[.;,!:] |//|#)(?= ?[^\W\d])|(?=(?i:because|since|as)\b)")
"""What stands between a move and a remark on it, which begins with a letter."""
_DOUBT = re.compile(
    r"(?i)\?|\b(?:or|no|not|wait|actually|instead|if|unless|else|rather|maybe|perhaps|but|however|"
    r"alternatively|otherwise|then|and|also)\b|\b(?:move|answer) *[:：]"
)
"""What makes a remark one that may take the move back, or name another."""
_PLACEHOLDER = re.compile(r"<(?=[^<>\n]{0,60}[^\W\d])\w[^<>\n]{0,60}>|\.\.\.|…")
_WORD = re.compile(r"\w")


@lru_cache(maxsize=256)
def _pattern(move: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{move})(?!\w)")


def _begins(text: str, move: str) -> tuple[str, str] | None:
    """The move that a text begins with, and what is behind it, without the marks around it."""
    text = text.lstrip(_SOFT)
    for _ in range(4):
        if match := _pattern(move).match(text):
            return match[0], text[match.end() :].lstrip(_SOFT + _CLOSING)
        if text[:1] not in _OPENING:
            return None
        text = text[1:].lstrip(_SOFT)
    return None


def _ends(rest: str) -> bool:
    """Whether nothing of meaning stands behind a move."""
    return not _WORD.search(rest) and "?" not in rest


def _is_remark(rest: str, move: str) -> bool:
    """Whether what stands behind a move speaks of that move alone."""
    match = _REMARK.match(rest)
    if match is None or _DOUBT.search(rest, match.end()):
        return False
    return _begins(rest[match.end() :], move) is None


# --- answers in lines ----------------------------------------------------------------------------


def last_line(text: str, move: str, bar: bool = False) -> Reading:
    """The move that the last answer in a line of its own names.

    That is a line ``Move: <move>`` or ``Answer: <move>``, with words such as ``My final`` in front;
    the move may stand below it, alone.

    Args:
        move: regular expression of a move. bar: whether ``<move> | <reason>`` is an answer too.
    """
    below = ""  # the nearest line below that says something
    for line in reversed(plain_lines(text)):
        if not line or line.isspace():
            continue
        if (rest := _labelled(line)) is not None:
            if not _WORD.search(rest):
                named = _alone(below, move)
                return Reading(named) if named else Reading(None, shown(line))
            if found := _begins(rest, move):
                named, behind = found
                if _ends(behind) or (bar and behind[:1] == "|") or _is_remark(behind, move):
                    return Reading(named)
            if not _PLACEHOLDER.search(rest):
                return Reading(None, shown(line))
        elif bar and "|" in line:
            found = _begins(_unlisted(line), move)
            if found and found[1][:1] == "|":
                return Reading(found[0])
            head = line.partition("|")[0]
            if _WORD.search(head) and len(head) < 60 and not _PLACEHOLDER.search(line):
                return Reading(None, shown(line))
        if _WORD.search(line):
            below = line
    return Reading()


def _labelled(line: str) -> str | None:
    """What a line says behind ``Move:`` or ``Answer:``; None for a line without these."""
    if ":" not in line and "：" not in line:
        return None
    lead = _LEADING.match(line, 0, len(line.partition("|")[0]))
    assert lead is not None
    end = None
    for label in _LABEL.finditer(line, 0, lead.end()):
        end = label.end()
    return None if end is None else line[end:]


def _unlisted(line: str) -> str:
    """A line without the signs of a quotation, a heading and an entry of a list."""
    line = line.lstrip(" >#")
    return line[2:] if line[:2] in ("- ", "* ", "+ ", "• ", "– ") else line


def _alone(line: str, move: str) -> str | None:
    found = _begins(_unlisted(line), move)
    return found[0] if found and _ends(found[1]) else None


def alone(text: str, move: str) -> str | None:
    """The move, if it is all that a reply says."""
    lines = [line for line in plain_lines(text) if _WORD.search(line)]
    return _alone(lines[0], move) if len(lines) == 1 else None


def shown(line: str) -> str:
    """What a reply says, in one line and cut, to be told to who said it."""
    line = " ".join(line.split())
    return line if len(line) <= FOUND else line[:FOUND] + " ..."


# --- answers in JSON -----------------------------------------------------------------------------

_OBJECT = re.compile(r"""\{\s{0,50}["'](?P<key>[\w ]{1,60})["']\s{0,50}:""")


def last_object(text: str, name: str) -> tuple[Any, Found | None]:
    """The member ``name`` of the last object that has it, and where the object is; or None twice.

    Words may follow, and the object may be the only one in a list. One that holds a form's
    placeholder does not count.

    Raises:
        ReplyError: as ``check_last``.
    """
    found = find_json(text)
    check_last(text, found)
    for one in reversed(found):
        value = one.value
        if isinstance(value, list) and len(value) == 1:
            (value,) = value
        if isinstance(value, dict) and name in value and not _is_placeholder(value[name]):
            return value[name], one
    return None, None


def _is_placeholder(value: Any) -> bool:
    said = value if isinstance(value, list) else [value]
    return any(isinstance(one, str) and _PLACEHOLDER.search(one) for one in said)


_BLANK = re.compile(r"<[^<>\n]{1,60}>")


def has_blanks(value: Any) -> bool:
    """Whether a JSON value has a text that is a placeholder, such as ``"<unit>"``."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str) and _BLANK.fullmatch(one.strip()):
            return True
    return False


def without_forms(text: str) -> str:
    """A reply without the JSON objects that only show a form, with placeholders in it.

    Raises:
        ReplyError: ``example``: it has such objects and no other; and as ``find_json``.
    """
    found = find_json(text)
    kept, end, forms, others = [], 0, 0, 0
    for one in found:
        if has_blanks(one.value):
            kept.append(text[end : one.start])
            end, forms = one.end, forms + 1
        elif isinstance(one.value, dict):
            others += 1
    text = "".join([*kept, text[end:]])
    begun = [_blank_form(text, mark) for mark in _OBJECT.finditer(text)]
    if (forms or any(begun)) and not others and all(begun):
        raise ReplyError("example")
    return text


def _blank_form(text: str, begun: re.Match[str]) -> bool:
    """Whether an object that begins in a text shows a form: a placeholder stands in it."""
    end = text.find("}", begun.start(), begun.start() + 400)
    at = begun.start(), begun.start() + 400 if end < 0 else end
    return _PLACEHOLDER.search(text, *at) is not None


def check_last(text: str, found: Iterable[Found] | None = None) -> None:
    """Look whether the last JSON object that a reply begins is JSON.

    Raises:
        ReplyError: ``not_json`` if a well-formed object was given before it, for which it might be
            taken; and as ``find_json``.
    """
    objects = find_json(text) if found is None else list(found)
    ends = [one.end for one in objects if isinstance(one.value, dict)]
    if not ends:
        return
    k = 0
    begins: dict[str, int] = {}  # by the name of a member, where the last object with it does
    for one in objects:
        if isinstance(one.value, dict):
            begins |= dict.fromkeys(one.value, one.start)
    for begun in _OBJECT.finditer(text):
        at = begun.start()
        while k < len(objects) and objects[k].end <= at:
            k += 1
        inside = k < len(objects) and objects[k].start <= at
        if inside or at < ends[0] or begins.get(begun["key"], -1) > at:
            continue
        if not _blank_form(text, begun):
            raise ReplyError("not_json")
