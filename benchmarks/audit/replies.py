"""What a recorded reply says, and what was made of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stratagym.benchmarks.audit.faults import Findings
from stratagym.benchmarks.reporting.terminal import one_line
from stratagym.envs.core import GameSpec
from stratagym.envs.plans import plan_kind
from stratagym.envs.prompts import TextOptions, extract
from stratagym.envs.reading import READER, has_blanks
from stratagym.envs.replies import ReplyError, find_json
from stratagym.envs.text import OK, UNPARSEABLE, Outcome, answer, judge
from stratagym.envs.words import Renaming

SHOWN = 160
"""Characters of a reply that an example shows: the last ones, where its answer stands."""
Meant = tuple[str, Any, Any] | None
"""What a reply comes to: its kind, the action and, of plans, all actions; None for no answer."""


def check_reply(
    findings: Findings,
    record: Mapping[str, Any],
    game: GameSpec,
    rules: Any,
    states: np.ndarray | None,
    options: TextOptions,
) -> None:
    """Read a reply again, by today's reader, and compare.

    Args:
        states: the position, (1,) record, as the seat saw it; without one texts of moves are
            compared.
        options: those that the reply was asked with.
    """
    today = replace(options, reader=READER)
    said = record["reply"]
    if states is not None:
        outcome = judge(game, rules, states, said, today)
        before, now = _recorded(record), _meant(outcome, record)
        repeats = outcome.reason == "example"
    elif plan_kind(game) is None:
        move = stated(game, rules, said, today)
        before = None if record["kind"] == UNPARSEABLE else ("", record["move_text"], None)
        now, repeats = None if move is None else ("", move, None), False
    else:
        findings.passed_over["plans without their position"] += 1
        return
    shown = _end_of(said)
    for fault, is_so in (
        ("earlier_answer", None not in (before, now) and before != now),
        ("guessed", before is not None and now is None and not repeats),
        ("unread", before is None and now is not None),
        ("example_played", before is not None and is_example(game, rules, record, today)),
        ("form_repeated", repeats and before is None),
    ):
        findings.reply(fault, record, shown if is_so else "")


def _recorded(record: Mapping[str, Any]) -> Meant:
    kind = record["kind"]
    if kind == UNPARSEABLE:
        return None
    return kind, record["chosen"], record.get("actions") if kind == OK else None


def _meant(outcome: Outcome, record: Mapping[str, Any]) -> Meant:
    if outcome.kind == UNPARSEABLE:
        return None
    actions = list(outcome.actions) if outcome.kind == OK and record.get("actions") else None
    return outcome.kind, outcome.action, actions


def stated(game: GameSpec, rules: Any, text: str, options: TextOptions) -> str | None:
    """The move's text that a reply states last, by one reader."""
    try:
        said = answer(text, options.reader)
        return extract(game.module("view"), rules, said, options).move
    except ReplyError:
        return None


def _end_of(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= SHOWN else f"... {line[-SHOWN:]}"


# --- examples in prompts -------------------------------------------------------------------------


def is_example(game: GameSpec, rules: Any, record: Mapping[str, Any], options: TextOptions) -> bool:
    """Whether a reply's answer is one that the prompt itself gives, read as a reply.

    Only what is the same over a game is looked at: the system message or, without one, the first.
    """
    (first, *_) = record["prompt"]
    if plan_kind(game) is not None:
        mine, given = _objects(answer(record["reply"])), _objects(first["content"])
        return bool(mine) and mine[-1] in given
    move = stated(game, rules, record["reply"], options)
    return move is not None and move == stated(game, rules, first["content"], options)


def _objects(text: str) -> list[Any]:
    try:
        found = [one.value for one in find_json(text)]
    except ReplyError:
        return []
    return [one for one in found if isinstance(one, dict) and one and not has_blanks(one)]


# --- who one is ----------------------------------------------------------------------------------

_BEFORE = r"(?:^|[.!?:;,\n]\s*|\b(?:and|but|so|because|since|as|that)\s+)"
_CLAIM = r"I(?:\s+am|['’]m|\s+play)(?:\s+playing)?(?:\s+as|\s+with)?(?:\s+the)?\s+"
_BEHIND = r"(?![\w'’])(?!\s+(?:to\s+move\s+next|next))"


def check_seat(
    findings: Findings, record: Mapping[str, Any], names: Sequence[str], options: TextOptions,
    view: Any,
) -> None:  # fmt: skip
    """Look whether a reply says that it plays a seat that is another's.

    Args:
        names: of all seats, as the game calls them.
    """
    renaming = Renaming(view.RENAMED) if options.renamed else None
    called = [_words_of(renaming.renamed(name) if renaming else name) for name in names]
    seat, claimed = record["seat"], ""
    for other, words in enumerate(called):
        for word in words - called[seat] if other != seat else ():
            if match := re.search(
                f"{_BEFORE}({_CLAIM}{re.escape(word)}){_BEHIND}", record["reply"]
            ):
                claimed = f"{names[seat]} says: {one_line(match[1])}"
    findings.reply("seat_mistaken", record, claimed)


def _words_of(name: str) -> set[str]:
    """What a seat may be called: ``Black (X)`` is Black and X."""
    parts = [part for one in name.split("(") if (part := one.strip(" )"))]
    return {*parts, *(part.lower() for part in parts if len(part) > 1)}
