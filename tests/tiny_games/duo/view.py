"""One against two in words."""

from __future__ import annotations

from stratagym.envs.words import move_line, section

PROMPT_VERSION = "duo-1"
ANSWER = move_line("<number> from <seat>", r"[12] from [0-2]")


def board_text(rules, s):
    return f"Held: {s['held'].tolist()}, move {int(s['ply'])}"


def role_text(rules, player):
    return f"You are Player {player} of 3."


def rules_text(rules):
    return section("Rules", "Take 1 or 2 from another. Player 0 plays against Players 1 and 2.")


def action_to_string(rules, s, action):
    return f"{1 + action // 2} from {(int(s['ply']) + 1 + action % 2) % 3}"


def string_to_action(rules, s, text):
    for action in range(4):
        if text == action_to_string(rules, s, action):
            return action
    raise ValueError("no_such_move")


def move_text(rules, s, action):
    return f"Player {int(s['ply']) % 3}: {action_to_string(rules, s, action)}."
