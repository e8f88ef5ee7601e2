"""Catch in words."""

from __future__ import annotations

from stratagym.envs.plans import json_plan
from stratagym.envs.replies import last_json
from stratagym.envs.words import section
from tiny_games.catch.rules import FALL

PROMPT_VERSION = "catch-2"
ANSWER = json_plan('{"moves": ["left", "right", "stay", ...]}', ", a move for each next tick")
PLAN = "queue"
IDLE = 0
MOVES = ("stay", "left", "right")


def board_text(rules, s):
    ticks = FALL - int(s["tick"]) % FALL
    lanes = s["lane"].tolist()
    return (
        f"Tick {int(s['tick'])} of {rules.ticks}. Ball in lane {int(s['ball'])}, down in {ticks} "
        f"ticks. Players in lanes {lanes}. Points {s['points'].tolist()}."
    )


def role_text(rules, player):
    return f"You are Player {player} of 2."


def rules_text(rules):
    return section("Rules", "Stand in the ball's lane when it is down.")


def action_to_string(rules, s, action):
    return MOVES[action]


def string_to_action(rules, s, text):
    if text not in MOVES:
        raise ValueError("no_such_move")
    return MOVES.index(text)


def move_text(rules, s, action):
    return f"Player {int(s['seat'])}: {MOVES[action]}."


def why_illegal(rules, s, action):
    return "edge"


def read_plan(rules, s, text):
    moves = last_json(text, dict, "moves")["moves"]
    return [str(move) for move in moves] if isinstance(moves, list) else [str(moves)]
