"""How replies name actions: CivRealm's JSON object with a command."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from stratagym.envs.reading import Reading, last_object, shown
from stratagym.envs.replies import ReplyError, find_json
from stratagym.envs.words import AnswerForm, ReplyWords, section

FINAL, LOOK_UP = "finalDecision", "manualAndHistorySearch"
_FORM = (
    '{"thoughts": {"thought": "<what you see>", "review": "<what was done>", '
    '"reasoning": "<why>", "plan": "<what follows>"}, '
    '"command": {"name": "finalDecision", "input": {"action": "<action>"}}}'
)
_SHORT = '{"command": {"name": "finalDecision", "input": {"action": "<action>"}}}'


def _action_of(command: Any) -> str | None:
    """The action in the member ``command`` of an answer; None where there is none."""
    if not isinstance(command, dict):
        return command if isinstance(command, str) else None
    given = command.get("input", {})
    if command.get("name") == LOOK_UP or (isinstance(given, dict) and "look_up" in given):
        return "look_up"
    action = given.get("action") if isinstance(given, dict) else given
    return action if isinstance(action, str) else None


@dataclass(frozen=True)
class _Command(AnswerForm):
    kind = "JSON object"

    def shown(self, reasoning: str = "free") -> str:
        return _SHORT if reasoning == "answer" else _FORM

    def request(self, reasoning: str = "free") -> str:
        first = {
            "free": "Answer with a JSON object of this form:",
            "steps": "Think step by step first. End your answer with a JSON object of this form:",
            "answer": "Answer with a JSON object of this form and nothing else:",
        }[reasoning]
        return section(self.title, first, self.shown(reasoning))

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        try:
            found = find_json(text)
        except ReplyError:
            return None
        for value, _, _ in reversed(found):
            if isinstance(value, dict) and "command" in value:
                return _action_of(value["command"])
        return None

    def read(self, text: str, lenient: bool = False, reasoning: str = "free") -> Reading:
        command, place = last_object(text, "command")
        if place is None:
            return Reading(None)
        action = _action_of(command)
        if action is None or action.strip() in ("", "<action>"):
            return Reading(None, shown(text[place.start : place.end]))
        return Reading(action.strip())

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        said: dict[str, Any] = {}
        if words:
            said["thoughts"] = {
                "thought": words.evaluation, "review": "", "reasoning": words.reason, "plan": "",
            }  # fmt: skip
        said["command"] = {"name": FINAL, "input": {"action": move}}
        return json.dumps(said, ensure_ascii=False)


ANSWER = _Command(
    "<action>",
    r"(?!action\b(?! [0-9]))[A-Za-z0-9](?:[A-Za-z0-9_/ ]{0,70}[A-Za-z0-9])?",
    what="the action",
)
