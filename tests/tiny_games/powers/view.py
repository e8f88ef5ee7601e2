"""Seven powers in words."""

from __future__ import annotations

from stratagym.envs.plans import json_plan
from stratagym.envs.replies import last_json
from stratagym.envs.words import section
from tiny_games.powers.rules import PASS

PROMPT_VERSION = "powers-1"
ANSWER = json_plan('{"messages": {"<power, all or me>": "<words>"}, "choice": "<power or pass>"}')
PLAN = "each"
SPEECH = "messages"
HEARD = 40
NAMES = ("Austria", "England", "France", "Germany", "Italy", "Russia", "Turkey")


def is_talk(s):
    return s["turn"] % 2 == 0


def seat_name(rules, s, player):
    return NAMES[player]


def present(rules, s):
    return [seat for seat in range(rules.num_players) if s["alive"][seat]]


def phase_text(rules, s):
    return f"Year {int(s['turn']) // 2 + 1}, {'talk' if is_talk(s) else 'orders'}"


def listeners(rules, s, seat):
    return [k for k in present(rules, s) if k != seat] if is_talk(s) else []


def spoken_text(rules, s, action):
    return f"I will attack {NAMES[action - 1]}." if is_talk(s) and action != PASS else ""


def _choice(number):
    return "nobody" if number < 0 else NAMES[number]


def board_text(rules, s):
    lines = [phase_text(rules, s)]
    for seat in range(rules.num_players):
        announced, attacked = int(s["announced"][seat]), int(s["attacked"][seat])
        state = f"announces {_choice(announced)}, attacked {_choice(attacked)} last year"
        lines.append(f"{NAMES[seat]}: {state if s['alive'][seat] else 'out'}")
    return "\n".join(lines)


def role_text(rules, player):
    return f"You are {NAMES[player]}."


def rules_text(rules):
    return section(
        "Rules",
        f"Over {rules.years} years all powers talk, then all attack a power or pass, at the same "
        "time. Whom two or more attack is out.",
    )


def position_text(rules, s, player, form):
    chosen = int(s["chosen"][player]) - 1
    return section("Position now", board_text(rules, s), f"Your choice: {_choice(chosen)}")


def action_to_string(rules, s, action):
    return "pass" if action == PASS else NAMES[action - 1]


def string_to_action(rules, s, text):
    names = [name.lower() for name in NAMES]
    if text.lower() == "pass":
        return PASS
    if text.lower() not in names:
        raise ValueError("no_such_power")
    return 1 + names.index(text.lower())


def why_illegal(rules, s, action):
    return "not_there_or_oneself"


def read_plan(rules, s, text):
    said = last_json(text)
    return [str(said["choice"])] if "choice" in said else []


def default_actions(rules, s):
    return [PASS]
