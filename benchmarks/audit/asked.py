"""What a recorded prompt says, beside what the game says of its seat, rules and position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from stratagym.benchmarks.audit.faults import Findings
from stratagym.benchmarks.reporting.terminal import one_line
from stratagym.envs.core import GameSpec
from stratagym.envs.prompts import TextOptions, prompt_version, spoken
from stratagym.envs.text import ILLEGAL, UNPARSEABLE, Asking, Turn
from stratagym.envs.views import part
from stratagym.envs.words import Renaming

SHOWN = 160
"""Characters of a line that an example shows."""


def words_of(game: GameSpec, record: Mapping[str, Any], options: TextOptions) -> TextOptions | None:
    """The options in whose words a recorded prompt was made; None for words no longer known."""
    view, version = game.module("view"), record["prompt_version"]
    if version == prompt_version(view, options):
        return options
    if version in part(view, "EARLIER_PROMPTS"):
        return replace(options, prompt_version=version)
    merged = replace(options, system="merge")
    return merged if version == prompt_version(view, merged) else None


def check_prompt(
    findings: Findings,
    record: Mapping[str, Any],
    game: GameSpec,
    turn: Turn,
    options: TextOptions,
) -> None:
    """Look for the lines of role, rules and position in a recorded prompt.

    Args:
        turn: the seat and its position. options: as of ``words_of``.
    """
    view = spoken(game.module("view"), options)
    rules, seat, s = turn.rules, turn.seat, turn.states[0]
    there = {line for message in record["prompt"] for line in message["content"].split("\n")}

    def lines(text: str) -> list[str]:
        text = Renaming(view.RENAMED).renamed(text) if options.renamed else text
        return [line for line in text.split("\n") if line.strip()]

    def missing(text: str) -> list[str]:
        return [line for line in lines(text) if line not in there]

    def told(field: str) -> bool:
        return not options.template or f"{{{field}}}" in options.template

    role = part(view, "role_text")
    if told("role"):
        lost, others = missing(role(rules, seat)), ""
        if lost:
            seats = (k for k in range(rules.num_players) if k != seat)
            own = set(lines(role(rules, seat)))
            theirs = (x for k in seats for x in lines(role(rules, k)) if x not in own)
            others = next((line for line in theirs if line in there), "")
        findings.reply("other_seat", record, one_line(others, SHOWN))
    rest = [] if not told("rules") or options.rules not in ("usual", "full") else missing(
        part(view, "rules_text")(rules)
    )  # fmt: skip
    findings.reply("rule_untold", record, one_line(rest[0], SHOWN) if rest else "")
    if told("position") and not hasattr(view, "refusal_text"):
        form = options.position or part(view, "POSITION_FORMS")[0]
        lost = missing(part(view, "position_text")(rules, s, seat, form))
        findings.reply("other_position", record, one_line(lost[0], SHOWN) if lost else "")


def check_asked_again(
    findings: Findings,
    records: Sequence[Mapping[str, Any]],
    game: GameSpec,
    turn: Turn,
    options: TextOptions,
) -> None:
    """Look whether a model was told what was wrong with its answers to one question.

    Args:
        records: of the answers, oldest first.
    """
    for before, after in pairwise(records):
        if before["kind"] not in (UNPARSEABLE, ILLEGAL) or len(after["prompt"]) < 3:
            continue
        asking = Asking(game, turn.rules, turn, 2, options)
        if asking.answer(before["reply"]).kind != before["kind"]:
            continue  # it is read in another way today, and counted as such
        due, told = asking.messages[-1]["content"], after["prompt"][-1]["content"]
        shown = "" if due == told else one_line(told, SHOWN)
        findings.reply("asked_again", after, shown)
