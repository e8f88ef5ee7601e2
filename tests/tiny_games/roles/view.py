"""Hidden roles in words."""

from __future__ import annotations

import re

from stratagym.envs.plans import json_plan
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.words import section
from tiny_games.roles.rules import CLAIM, END, SEATS, VOTE

PROMPT_VERSION = "roles-2"
ANSWER = json_plan(
    '{"messages": [{"to": "all" or <seat>, "text": "<words>"}], '
    '"acts": ["accuse <seat>", "claim"]} or, when all vote, {"vote": <seat>}'
)
PLAN = "each"
SPEECH = "messages"


def is_vote(rules, s):
    return s["turn"] == rules.talks * SEATS


def board_text(rules, s):
    turns = f"turn {int(s['turn']) + 1} of {rules.talks * SEATS}, after {int(s['acts'])} acts"
    lines = ["All vote." if is_vote(rules, s) else f"Player {int(s['seat'])} speaks, {turns}."]
    for seat in range(SEATS):
        *accused, claimed = s["said"][seat].tolist()
        lines.append(f"Player {seat}: accusations {accused}, claims {claimed}")
    return "\n".join(lines)


def role_text(rules, player):
    return f"You are Player {player} of {SEATS}."


def rules_text(rules):
    return section("Rules", "One player is the spy. All talk in turn, then all vote at once.")


def position_text(rules, s, player, form):
    role = "You are the spy." if s["spy"] == player else "You are innocent."
    return section("Position now", role, board_text(rules, s))


def action_to_string(rules, s, action):
    if action >= VOTE:
        return f"vote {action - VOTE}"
    return {CLAIM: "claim", END: "end"}.get(action, f"accuse {action}")


def string_to_action(rules, s, text):
    match = re.fullmatch(r"(?:(accuse|vote) ([0-2])|claim|end)", text)
    if match is None:
        raise ValueError("no_such_act")
    if match[1]:
        return int(match[2]) + VOTE * (match[1] == "vote")
    return CLAIM if text == "claim" else END


def move_text(rules, s, action):
    return f"Player {int(s['seat'])}: {action_to_string(rules, s, action)}."


def why_illegal(rules, s, action):
    return "not_now" if (action >= VOTE) != is_vote(rules, s) else "not_oneself_or_too_many"


def read_plan(rules, s, text):
    said = last_json(text)
    if is_vote(rules, s):
        if "vote" not in said:
            raise ReplyError("no_vote")
        return [f"vote {said['vote']}"]
    acts = said.get("acts", [])
    if not isinstance(acts, list):
        raise ReplyError("bad_type")
    return [str(act) for act in acts]


def default_actions(rules, s):
    return [] if is_vote(rules, s) else [END]


def listeners(rules, s, seat):
    return [] if is_vote(rules, s) else [k for k in range(SEATS) if k != seat]
