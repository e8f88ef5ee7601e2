"""What an answer may be: any in its form, or one that names a legal move or this turn's names.

Clients hold a model to it by a grammar, a regular expression or a JSON schema. Every answer that
names a legal move has been read back as that move, by the reader that judges replies.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.plan_schemas import gbnf, has_schema, plan_schema, quoted
from stratagym.envs.plans import plan_kind
from stratagym.envs.prompts import TextOptions, answer_form, legal_list, written_reply
from stratagym.envs.text import OK, judge
from stratagym.envs.words import ReplyWords

# What patterns are made of has no public name, and another one before Python 3.11.
if sys.version_info >= (3, 11):
    from re import _constants as ops  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as ops
    import sre_parse as parser

OFF, FORM, LEGAL = "off", "form", "legal"
CONSTRAINTS = (OFF, FORM, LEGAL)
REASON, THOUGHTS = r"[^\n]{1,200}", r"(?:[^\n]{1,200}\n){0,5}"
"""The reason behind a bar, and what may stand before an answer that is to be reasoned about: short,
so that a small model comes to its end."""
MARK = "stratagym"
"""Stands for a move where only what is around it is looked at."""
Wrap = Callable[[str], str]
"""From a move's text to a whole answer."""


@dataclass(frozen=True)
class Shape:
    """What an answer may be; one of the three is given.

    Attributes:
        answers: it is one of these.
        pattern: it is what this regular expression matches, of literals, sets, groups, ``|`` and
            repetitions alone.
        schema: it is a plan, an object of this JSON schema, made as in ``plan_schemas``.
    """

    answers: tuple[str, ...] = ()
    pattern: str = ""
    schema: Mapping[str, Any] | None = field(default=None, hash=False)

    def grammar(self) -> str:
        """The answers, the pattern or the schema as a grammar of llama.cpp (GBNF)."""
        if self.schema is not None:
            return f"root ::= {gbnf(self.schema)}"
        if self.answers:
            return "root ::= " + " | ".join(map(quoted, self.answers))
        return f"root ::= {_written(parser.parse(self.pattern), _GBNF)}"


def constrained(
    game: core.GameSpec, rules: Any, states: np.ndarray, options: TextOptions, constrain: str
) -> Shape | None:
    """What the answer of the seat to move in ``states[0]`` may be; None for anything.

    Raises:
        ValueError: the game's answers are plans without a schema, or of no known form.
    """
    if constrain == OFF:
        return None
    check_constraint(game, constrain)
    if plan_kind(game) is not None:
        return Shape(schema=plan_schema(game, rules, states, options, constrain == LEGAL))
    if constrain == LEGAL:
        return Shape(answers=tuple(legal_answers(game, rules, states, options).values()))
    return Shape(pattern=form_pattern(game, rules, states, options))


def check_constraint(game: core.GameSpec, constrain: str) -> None:
    """Raises ``ValueError`` where a game's answers can be held to nothing."""
    if constrain != OFF and plan_kind(game) is not None and not has_schema(game):
        raise ValueError(f"constrain={constrain}: answers in {game.name} are plans without a form")


def legal_answers(
    game: core.GameSpec, rules: Any, states: np.ndarray, options: TextOptions
) -> dict[int, str]:
    """The shortest answer that names each legal move of the seat to move in ``states[0]``.

    Raises:
        ValueError: no answer of a known form is read as one of the moves.
    """
    return _legal_answers(game, rules, states, options)[0]


def _legal_answers(
    game: core.GameSpec, rules: Any, states: np.ndarray, options: TextOptions
) -> tuple[dict[int, str], Wrap]:
    """The answers, and what made the last of them of its move's text."""
    view = game.module("view")
    ways = _ways(view, rules, options)
    found: dict[int, str] = {}
    for action in legal_list(rules, states):
        text = str(view.action_to_string(rules, states[0], action))
        for way in ways:
            outcome = judge(game, rules, states, way(text), options)
            if outcome.kind == OK and outcome.action == action:
                found[action] = way(text)
                ways = [way, *(one for one in ways if one is not way)]
                break
        else:
            raise ValueError(f"{game.name}: no answer is known to be read as the move {text!r}")
    return found, ways[0]


def form_pattern(game: core.GameSpec, rules: Any, states: np.ndarray, options: TextOptions) -> str:
    """A regular expression of answers in the game's form, whatever their move.

    Where the form has no pattern that all of this turn's moves have, any short text may be one.

    Raises:
        ValueError: as ``legal_answers``.
    """
    form = answer_form(game.module("view"), rules, options)
    answers, way = _legal_answers(game, rules, states, options)
    before, _, after = way(MARK).partition(MARK)
    whole = _plain(re.escape(before) + f"(?:{form.move})" + re.escape(after))
    if not all(re.fullmatch(whole, answer) for answer in answers.values()):
        # Other texts beside, so that what this turn's moves share by chance is not taken for form.
        known = [*answers.values(), way(MARK), way("0")]
        before = _begin(known)
        after = _begin([answer[len(before) :][::-1] for answer in known])[::-1]
        move = r'[^\n|{}"]{1,60}' if hasattr(form, "name") else r"[^\n|{}]{0,60}"
        whole = _plain(re.escape(before) + move + re.escape(after))
    if after.strip() == "|" and options.reasoning != "answer":
        whole += REASON
    return (_plain(THOUGHTS) if options.reasoning == "steps" else "") + whole


def _begin(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    same = (k for k, letter in enumerate(first) if last[k : k + 1] != letter)
    return first[: next(same, len(first))]


def _ways(view: Any, rules: Any, options: TextOptions) -> list[Wrap]:
    """Ways in which an answer may name a move, the shortest first."""
    write = partial(written_reply, view, rules, options)
    return [write, lambda move: write(move, ReplyWords("", ""))]


# --- regular expressions in other hands ----------------------------------------------------------


@dataclass(frozen=True)
class _Syntax:
    """How a regular expression is written."""

    literal: Callable[[str], str]
    join: str
    group: str
    alternatives: str


_GBNF = _Syntax(quoted, " ", "({})", " | ")
_REGEX = _Syntax(re.escape, "", "(?:{})", "|")
_CATEGORIES = {
    ops.CATEGORY_DIGIT: "0-9",
    ops.CATEGORY_SPACE: " ",
    ops.CATEGORY_WORD: "A-Za-z0-9_",
}


def _plain(pattern: str) -> str:
    """A pattern without what only Python knows, such as flags within groups."""
    return _written(parser.parse(pattern), _REGEX)


def _written(tree: Any, syntax: _Syntax, ignore_case: bool = False) -> str:
    parts = []
    for kind, value in tree:
        part = _one(kind, value, syntax, ignore_case)
        if part:
            parts.append(part)
    return syntax.join.join(parts)


def _one(kind: Any, value: Any, syntax: _Syntax, ignore_case: bool) -> str:
    if kind is ops.LITERAL:
        letter = chr(value)
        if ignore_case and letter.lower() != letter.upper():
            return f"[{letter.lower()}{letter.upper()}]"
        return syntax.literal(letter)
    if kind is ops.NOT_LITERAL:
        return f"[^{_in_set(value)}]"
    if kind is ops.ANY:
        return r"[^\n]"
    if kind is ops.IN:
        return _set(value, ignore_case)
    if kind is ops.BRANCH:
        branches = (_written(one, syntax, ignore_case) for one in value[1])
        return syntax.group.format(syntax.alternatives.join(branches))
    if kind is ops.SUBPATTERN:
        _, added, _, inner = value
        ignored = ignore_case or bool(added & re.IGNORECASE)
        return syntax.group.format(_written(inner, syntax, ignored))
    if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        least, most, inner = value
        upper = "" if most is ops.MAXREPEAT else most
        times = f"{{{least}}}" if least == most else f"{{{least},{upper}}}"
        return syntax.group.format(_written(inner, syntax, ignore_case)) + times
    if kind in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return ""  # what stands around a move is not the move
    raise ValueError(f"a pattern with {kind}, which no grammar can say")


def _set(members: Iterable[Any], ignore_case: bool) -> str:
    negated, inner = "", ""
    for kind, value in members:
        if kind is ops.NEGATE:
            negated = "^"
        elif kind is ops.LITERAL:
            letter = chr(value)
            cases = {letter.lower(), letter.upper()} if ignore_case else {letter}
            inner += "".join(_in_set(ord(one)) for one in sorted(cases))
        elif kind is ops.RANGE:
            inner += f"{_in_set(value[0])}-{_in_set(value[1])}"
        elif kind is ops.CATEGORY and value in _CATEGORIES:
            inner += _CATEGORIES[value]
        else:
            raise ValueError(f"a set with {value}, which no grammar can say")
    return f"[{negated}{inner}]"


def _in_set(code: int) -> str:
    letter = chr(code)
    if letter == "\n":
        return r"\n"
    return f"\\{letter}" if letter in r"\]^-" else letter
