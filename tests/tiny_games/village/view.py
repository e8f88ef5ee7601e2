"""The village in words."""

from __future__ import annotations

from stratagym.envs.words import move_line, section
from tiny_games.village.rules import SEATS, WOLF, knows

PROMPT_VERSION = "village-1"
ANSWER = move_line("<seat>", r"[0-4]")
SIDE_NAMES = ("village", "wolves")
ROLES = ("villager", "seer", "wolf")


def board_text(rules, s):
    return f"Votes: {s['votes'].tolist()}"


def role_text(rules, player):
    return f"You are Player {player} of {SEATS}."


def rules_text(rules):
    return section("Rules", "Two of five are wolves. Each votes another out, who has most is out.")


def position_text(rules, s, player, form):
    known = [f"Player {k}: {dealt_role(rules, s, k)}" for k in range(SEATS) if knows(s, player, k)]
    return section("Position now", *known, board_text(rules, s))


def seat_text(rules, s, player):
    return position_text(rules, s, player, "board")


def dealt_sides(rules, s):
    wolves = tuple(seat for seat in range(SEATS) if s["role"][seat] == WOLF)
    return tuple(seat for seat in range(SEATS) if seat not in wolves), wolves


def dealt_role(rules, s, seat):
    return ROLES[int(s["role"][seat])]


def why_illegal(rules, s, action):
    return "not_oneself"
