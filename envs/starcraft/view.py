"""StarCraft in words: what a seat has and sees, the actions, replies with decisions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from stratagym.envs.replies import ReplyError
from stratagym.envs.starcraft.economy import supply_cap, supply_used
from stratagym.envs.starcraft.orders import REASONS, why_not
from stratagym.envs.starcraft.tables import ACTIONS, EMPTY, WORDS
from stratagym.envs.starcraft.telling import clock, side_lines
from stratagym.envs.starcraft.words import CATALOGUE, RULES, length_text
from stratagym.envs.words import AnswerForm, ReplyWords, section

PROMPT_VERSION = "starcraft-1"
POSITION_FORMS = ("lines", "json")
PLAN, IDLE = "queue", EMPTY
DECISIONS, MOST_LINES = 5, 50
"""Decisions that a reply holds, and lines after which it is not read."""
TEXT_OPTIONS: dict[str, Any] = {}
PERSONAS = {"none": ""}
HINTS = (
    "Train Probes until every patch has two, and build a Pylon before supply runs out.",
    "Minerals that lie unspent win no fight: add Gateways when you have too many of them.",
    "Zealots never hurt flyers, and Phoenixes hurt nothing on the ground.",
    "Cannons and Observers see Dark Templar; nothing else at home does.",
    "Who comes later in a fight strikes later: melee units that come lose two seconds.",
    "A second Nexus pays for itself in about three minutes.",
    "New units stay at home until the next MULTI-ATTACK.",
)
_KEY = re.compile(r"[^A-Z0-9]")
_HEADING = re.compile(r"^[\s#*_>-]*decisions?[\s*_]*:?[\s*_]*$", re.IGNORECASE)
_LINE = re.compile(r"^[\s*>-]*\d{1,5}\s*[:.)-]\s*(.*)$")


def _key(text: str) -> str:
    """A name without case, blanks, brackets, hyphens and the like."""
    return _KEY.sub("", text.upper())


_ACTION = {_key(word): action for action, word in enumerate(WORDS)}
_LINES = "\n".join(f"{k}: <ACTION>" for k in range(DECISIONS))


@dataclass(frozen=True)
class DecisionsForm(AnswerForm):
    """A reply ends with a block ``Decisions:`` of numbered lines, an action in each."""

    kind = "block"

    def request(self, reasoning: str = "free") -> str:
        first = {
            "free": "You may first write about six points: overview, stage of the game, our "
            "situation, our strategy, the enemy's strategy, key information; then suggestions. "
            "End your answer with a block of exactly this form",
            "steps": "Think step by step first, about six points: overview, stage of the game, our "
            "situation, our strategy, the enemy's strategy, key information; then suggestions. "
            "End your answer with a block of exactly this form",
            "answer": "Answer with one block of exactly this form and nothing else",
        }[reasoning]
        note = (
            f"The {DECISIONS} actions are played one after the other, one at each of your next "
            "decisions. Write names as the list of actions has them."
        )
        return section(self.title, f"{first}:", "Decisions:", _LINES, note)

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        moves = lines_of(text)
        return moves[0] if moves else None

    def written(self, move: str) -> str:
        return f"0: <{move}>"

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        first = f"Overview: {words.evaluation}\nSuggestions: {words.reason}\n" if words else ""
        return f"{first}Decisions:\n0: <{move}>"


ANSWER = DecisionsForm("0: <ACTION>", r"[A-Z][A-Z0-9 -]*[A-Z0-9]")


# --- actions --------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """A name of the paper's list, such as ``BUILD PYLON``."""
    return WORDS[action]


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action of a name; case, blanks, hyphens, underscores and brackets do not matter.

    Raises:
        ValueError: ``no_such_action``.
    """
    action = _ACTION.get(_key(text))
    if action is None:
        raise ValueError("no_such_action")
    return action


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """A word of ``orders.REASONS``."""
    if not 0 <= action < ACTIONS:
        return "no_such_action"
    seat = int(s["seat"])
    room = int(supply_cap(s, seat) - supply_used(s, seat))
    return REASONS[int(why_not(s, seat, action, room))]


def move_text(rules: Any, s: Any, action: int) -> str:
    """Nothing: nobody sees what the other orders."""
    return ""


# --- replies --------------------------------------------------------------------------------------


def lines_of(text: str) -> list[str]:
    """What stands in the lines of the last block ``Decisions:`` of a reply, at most ``MOST_LINES``
    and one."""
    found: list[str] = []
    is_open = False
    for line in text.splitlines():
        if _HEADING.match(line):
            found, is_open = [], True
        elif is_open and line.strip():
            match = _LINE.match(line)
            if match is None:
                is_open = False
            elif len(found) <= MOST_LINES:
                found.append(match[1].strip().strip("<>*`.").strip())
    return found


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The first ``DECISIONS`` names of a reply's last block ``Decisions:``.

    Under ``plan="spread"`` an EMPTY ACTION follows each.

    Raises:
        ReplyError: ``no_decisions``, ``too_many``.
    """
    moves = lines_of(text)
    if not moves:
        raise ReplyError("no_decisions")
    if len(moves) > MOST_LINES:
        raise ReplyError("too_many")
    moves = moves[:DECISIONS]
    return [one for move in moves for one in (move, WORDS[IDLE])] if rules.spread else moves


def default_actions(rules: Any, s: Any) -> list[int]:
    """What a seat does that does nothing."""
    return [IDLE]


# --- prompts --------------------------------------------------------------------------------------


def role_text(rules: Any, player: int) -> str:
    return (
        "You command the Protoss in a game of StarCraft II, in a simplified simulation of it, "
        f"against another Protoss player. You are Player {player} of 0 and 1; the map is the same "
        "for both, and regions are named from your side."
    )


def rules_text(rules: Any) -> str:
    return section("Rules", *RULES, *length_text(rules))


def catalogue_text(rules: Any, player: int) -> str:
    return section("Actions", CATALOGUE)


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """What a seat has, sees and remembers, as lines or as one JSON object of the same words."""
    lines = side_lines(rules, s, player)
    if form == "lines":
        return section("Position now", *lines)
    told: dict[str, Any] = {"now": lines[0].rstrip(".")}
    title = "now"
    for line in lines[1:]:
        if line.startswith("- "):
            told[title] = [*(told[title] or ()), line[2:]]
        else:
            title, _, rest = line.partition(":")
            told[title] = rest.strip()
    return section("Position now", json.dumps(told, ensure_ascii=False))


def task_text(rules: Any) -> str:
    return f"Name the actions of your next {DECISIONS} decisions."


def board_text(rules: Any, s: Any) -> str:
    """Both sides, for a spectator."""
    lines = [f"Game time {clock(int(s['tick']))}."]
    for seat in range(2):
        lines += ["", f"Player {seat}", *side_lines(rules, s, seat)[1:]]
    return "\n".join(lines)


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    return section("Legal now", ", ".join(WORDS[action] for action in legal))
