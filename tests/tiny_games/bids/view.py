"""Sealed bids in words."""

from __future__ import annotations

import re

from stratagym.envs.plans import json_plan
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.words import section
from tiny_games.bids.rules import BUDGET, HIGHEST, ITEMS, VALUES

PROMPT_VERSION = "bids-1"
ANSWER = json_plan('{"bids": [<coins>, <coins>, <coins>]}')
PLAN = "all"


def board_text(rules, s):
    lines = [f"Round {int(s['round']) + 1} of {rules.rounds}"]
    for seat in range(rules.num_players):
        gained = float(s["gained"][seat])
        lines.append(f"Player {seat}: gained {gained:g}, bid {s['last'][seat].tolist()} last")
    return "\n".join(lines)


def role_text(rules, player):
    return f"You are Player {player} of {rules.num_players}."


def rules_text(rules):
    return section(
        "Rules",
        f"Each round all players bid at the same time for {ITEMS} items, worth {VALUES}. Of "
        f"{BUDGET} coins a round, up to {HIGHEST} for an item. Who alone bids most gets the item "
        "for the bid.",
    )


def position_text(rules, s, player, form):
    bids = s["bids"][player][: s["item"]].tolist()
    return section("Position now", board_text(rules, s), f"Your bids so far: {bids}")


def action_to_string(rules, s, action):
    return str(action)


def string_to_action(rules, s, text):
    if re.fullmatch(r"\d{1,3}", text) is None or int(text) > HIGHEST:
        raise ValueError("no_such_bid")
    return int(text)


def move_text(rules, s, action):
    return f"Player {int(s['seat'])} bid {action} for item {int(s['item'])}."


def why_illegal(rules, s, action):
    return "over_budget"


def read_plan(rules, s, text):
    bids = last_json(text, dict, "bids")
    if "bids" not in bids or not isinstance(bids["bids"], list):
        raise ReplyError("bad_type")
    return [str(bid) for bid in bids["bids"]]
