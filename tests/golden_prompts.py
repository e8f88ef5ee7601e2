"""Prompts and readings of replies in every game, as data to compare with.

``golden/record_prompts.py`` makes them with a version that is known to be right;
``test_golden_prompts.py`` asks today's code the same.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from golden_runs import load, save

from stratagym.envs import spec

try:
    from stratagym.envs.text import TextGame, TextOptions, judge, messages
except ModuleNotFoundError:  # where the core of text stood in 0.1
    from stratagym.wrappers.text import TextGame, TextOptions, judge, messages

__all__ = ["FOLDER", "GAMES", "asked", "cases", "load", "read", "save", "verdicts"]

FOLDER = Path(__file__).resolve().parent / "golden" / "prompts"
GAMES = ("chess", "connect_four", "hanabi", "ludo", "texas_holdem", "tictactoe")
MERGED: dict[str, Any] = {
    name: value
    for name, value in (("system", "merge"), ("reader", 1))
    if name in TextOptions.__dataclass_fields__
}
"""The fields of ``TextOptions`` that give prompts and readers of 0.1, which knew no others."""

RULES: dict[str, list[dict[str, Any]]] = {
    "chess": [{}, {"draws": "fide"}, {"judge": "botzone"}],
    "connect_four": [{}],
    "hanabi": [
        {}, {"players": 4}, {"players": 4, "score": "spin"}, {"players": 3, "score": "keep"},
        {"players": 5}, {"variant": "small"}, {"variant": "very_small", "players": 3},
    ],
    "ludo": [
        {}, {"players": 2}, {"players": 3, "stacking": "safe"}, {"home": "exact"},
        {"players": 2, "seats": "0+2", "stacking": "safe", "home": "exact"},
    ],
    "texas_holdem": [
        {}, {"raises": "pot"}, {"stacks": "carry", "stack": 3000}, {"judge": "botzone"},
        {"hands": 3, "stack": 1000},
    ],
    "tictactoe": [{}],
}  # fmt: skip
"""By game, options that change the words of its rules; the others are at text's defaults."""

TEXTS: list[dict[str, Any]] = [
    {},
    {"list_legal": True},
    {"history": 5},
    {"memory": 2},
    {"renamed": True},
    {"list_legal": True, "history": 40, "memory": 1, "renamed": True},
    {"list_legal": True, "history": 2},
]

NOISE = (
    "", " ", "<think>0 | no</think>", "no move here", "Move:", "Move: ", "|", "0", "-1", "9",
    "0 | ok", "3 | ok", "7 | ok", " 2 | ok", "1|x", "1 - x", "piece 1 | x", "2.", "0 | a\n1 | b",
    "Move: 1", "move: 3", "Move: 1\nMove: 2", "**Move: 4**", "Move: 4.", "Move: 9", "Move: -1",
    "Move: 2,2", "Move: (1, 3)", "Move: 4,4", "2,2", "(3,1)", "Move: 1,1 because", "Move: １",
    "e2e4 | centre", "e4 | centre", "1. e4 | centre", "e2e4", "`e2e4` | x", "O-O | castle",
    "Nf3 | x", "e7e8k | x", "a1a1 | x", "z9z9 | x",
    '{"reason": "r", "action": 0}', '{"reason": "r", "action": "Play 0"}', '{"action": 99}',
    '```json\n{"reason": "r", "action": 7}\n```', '{"action": 5} and more', '{"action": null}',
    '{"action": 5, "action": 6}', "Play 0", "Discard 1", '{"action": [1]}',
    "fold | x", "call | x", "check | x", "raise 600 | x", "raise to 1,000 | x", "bet 400 | x",
    "all-in | x", "all in", "raise | x", "raise 10 | x", "raise 999999 | x", "fold", "Call.",
)  # fmt: skip
"""Replies for every game, of every form, most of them bad in most games."""


def cases(game: str) -> list[dict[str, Any]]:
    """What to ask: positions of random games, from fixed seeds, under options of game and text.

    A case has the game's ``options``, ``text`` options, ``seed``, and ``moves`` from the start,
    of which those in ``said`` were replies and are remembered.
    """
    view, found = spec(game).module("view"), []
    personas = list(getattr(view, "PERSONAS", {"none": ""}))
    depths = (0, 1, 2, 3, 5, 8, 12, 20, 33, 60)
    for k in range(28):
        text = TEXTS[k % len(TEXTS)]
        options = RULES[game][(k // 2) % len(RULES[game])]
        if personas[k % len(personas)] != "none":
            text = {**text, "persona": personas[k % len(personas)]}
        case: dict[str, Any] = {"options": options, "text": text, "seed": 1000 + k, "moves": []}
        rng, table = random.Random(f"{game} {k}"), _begun(game, case)
        for _ in range(depths[k % len(depths)]):
            action = rng.choice(_legal(table))
            table.play(action)
            if table.over:  # nobody is asked there; the case stops a move before
                break
            case["moves"].append(action)
        found.append(case)
    return found


def _begun(game: str, case: dict[str, Any]) -> Any:
    table = TextGame(game, TextOptions(**case["text"], **MERGED), **case["options"])
    table.reset(case["seed"])
    return table


def _legal(table: Any) -> list[int]:
    return list(table.observe().legal)


def table_of(game: str, case: dict[str, Any]) -> Any:
    """The game of a case in its position; every move a reply where replies are remembered."""
    table = _begun(game, case)
    for action in case["moves"]:
        if case["text"].get("memory"):
            reply = f"As I said.\n{reply_for(game, table, action)}"
            if table.submit(reply).kind == "ok":
                continue
            if table.submit(reply_for(game, table, action)).kind == "ok":
                continue
        table.play(action)
    return table


def reply_for(game: str, table: Any, action: int) -> str:
    """A reply in the game's own form that names an action."""
    move = spec(game).module("view").action_to_string(table.rules, table.states[0], action)
    if game == "hanabi":
        return f'{{"reason": "why", "action": {action}}}'
    return f"Move: {move}" if game in ("tictactoe", "connect_four") else f"{move} | why"


def asked(game: str, case: dict[str, Any]) -> dict[str, Any]:
    """The question in a case's position: the seat, its messages, and those without a game."""
    table = table_of(game, case)
    turn = table.observe()
    alone = messages(table.spec, table.rules, table.states, table.text, "Told before.")
    return {"seat": turn.seat, "messages": turn.messages, "alone": alone}


def verdicts(game: str, case: dict[str, Any]) -> list[list[Any]]:
    """[reply, lenient, kind, action, move, reason] for good replies and for bad ones."""
    table = table_of(game, case)
    legal = _legal(table)
    some = legal if len(legal) < 8 else [legal[0], legal[len(legal) // 2], legal[-1]]
    good = [reply_for(game, table, action) for action in some]
    good += [f"<think>hm | {x}</think>\n\n{x}" for x in good[:1]]
    good += [f"```\n{x}\n```" for x in good[:1]] + [f"{x}\n{x}" for x in good[-1:]]
    return [
        [reply, lenient, *read(table, reply, {**case["text"], "lenient": lenient})]
        for reply in [*good, *NOISE]
        for lenient in (False, True)
    ]


def read(table: Any, reply: str, text: dict[str, Any]) -> list[Any]:
    """What a reply comes to."""
    options = TextOptions(**text, **MERGED)
    outcome = judge(table.spec, table.rules, table.states, reply, options)
    return [outcome.kind, outcome.action, outcome.move, outcome.reason]
