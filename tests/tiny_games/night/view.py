"""Night in words."""

from __future__ import annotations

from stratagym.envs.words import move_line, section

PROMPT_VERSION = "night-1"
ANSWER = move_line("<0 or 1>", "[01]")
RULES_TEXT = section(
    "Rules",
    "Each of three players chooses 0 or 1 once, in an order that nobody knows. Who alone has "
    "chosen what it has wins 1.",
)


def board_text(rules, s):
    return f"Chosen: {s['chosen'].tolist()}, order: {s['order'].tolist()}"


def position_text(rules, s, player, form):
    chosen = int(s["chosen"][player])
    return section("Position now", f"You chose {chosen}." if chosen >= 0 else "You may choose.")


def seat_text(rules, s, player):
    return str(s["chosen"].tolist() if s["ply"] == 3 else int(s["chosen"][player]))


def move_text(rules, s, action):
    return ""
