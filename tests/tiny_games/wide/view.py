"""Wide in words."""

from __future__ import annotations

from stratagym.envs.words import move_line, section

PROMPT_VERSION = "wide-1"
ANSWER = move_line("no. <number>", r"no\. \d+")
asked = []
"""The actions whose texts were asked for."""


def board_text(rules, s):
    return f"Move {int(s['ply'])}, sums {s['named'].tolist()}"


def rules_text(rules):
    return section("Rules", "Name a number. Who has named more in all after 20 moves wins.")


def action_to_string(rules, s, action):
    asked.append(int(action))
    return f"no. {action}"
