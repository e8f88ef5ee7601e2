"""Nim in words: a move is ``heap:stones``, the heaps numbered from 1."""

import re
from typing import Any

from stratagym.envs.words import move_line

PROMPT_VERSION = "nim-1"
ANSWER = move_line("<heap>:<stones>", r"\d+\s*:\s*\d+")


def board_text(rules: Any, s: Any) -> str:
    return "\n".join(f"heap {k + 1}: {'o' * n}".rstrip() for k, n in enumerate(s["heaps"].tolist()))


def action_to_string(rules: Any, s: Any, action: int) -> str:
    return f"{action // 5 + 1}:{action % 5 + 1}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    if not (match := re.fullmatch(r"([123])\s*:\s*([1-5])", text)):
        raise ValueError("no_such_move")
    return 5 * (int(match[1]) - 1) + int(match[2]) - 1


def move_text(rules: Any, s: Any, action: int) -> str:
    return f"Player {s['player']} took {action % 5 + 1} from heap {action // 5 + 1}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    return "too_many"


def role_text(rules: Any, player: int) -> str:
    return f"You are player {player} in a game of Nim."


def rules_text(rules: Any) -> str:
    return (
        "Two players take turns; whoever moves takes one or more stones, all from one heap, and "
        "must take at least one. Whoever takes the last stone of all "
        f"{'wins' if rules.last_wins else 'loses'}."
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    return "The heaps now, one o a stone:\n" + board_text(rules, s)
