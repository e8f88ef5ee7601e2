"""Nim in words: a move is ``heap:stones``, the heaps numbered from 1."""

import re
from typing import Any

PROMPT_VERSION = "nim-1"
PERSONAS = {"none": ""}


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


def extract(text: str, lenient: bool = False) -> str | None:
    head = r"(?:move:\s*)?" if lenient else r"move:\s*"
    found = re.findall(rf"(?im)^\W*{head}(\d+\s*:\s*\d+)\W*$", text)
    return found[-1] if found else None


def prompt(
    rules: Any,
    s: Any,
    player: int,
    *,
    persona: str = "none",
    history: str = "",
    list_legal: list[int] | None = None,
) -> list[dict[str, str]]:
    parts = [
        f"You are player {player} in a game of Nim. Two players take turns; whoever moves takes "
        "one or more stones, all from one heap, and must take at least one. Whoever takes the last "
        f"stone of all {'wins' if rules.last_wins else 'loses'}.",
        "The heaps now, one o a stone:\n" + board_text(rules, s),
    ]
    if list_legal is not None:
        moves = " ".join(action_to_string(rules, s, action) for action in list_legal)
        parts.append(f"Legal moves (heap:stones): {moves}")
    if history:
        parts.append(f"What happened before:\n{history}")
    parts.append("End your answer with a line of exactly this form:\nMove: <heap>:<stones>")
    return [{"role": "user", "content": "\n\n".join(parts)}]
