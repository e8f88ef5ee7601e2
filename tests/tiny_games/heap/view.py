"""The heap in words."""

from __future__ import annotations

from stratagym.envs.words import move_line, section

PROMPT_VERSION = "heap-1"
ANSWER = move_line("<number>", r"[0-3]")


def board_text(rules, s):
    taken = s["taken"][: rules.num_players].tolist()
    left = rules.num_players * rules.rounds - int(s["ply"])
    return f"Taken: {taken}, {left} turns left"


def role_text(rules, player):
    return f"You are Player {player} of {rules.num_players}."


def rules_text(rules):
    return section("Rules", "In turn, take 0 to 3. Your result is what you took.")
