"""How a game has ended, as a word of ``golden/told.json``, read from its last record.

Where a kernel keeps a code of the end in a field, the word is the constant's name; else it is found
from who won and what is left.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

from stratagym.envs import sealed, spec

CODED = {
    "ataxx": ("over", "GOING"),
    "chess": ("termination", "ONGOING"),
    "diplomacy": ("over", "PLAYING"),
    "go": ("over", "GOING"),
    "gomoku": ("ended", "RUNNING"),
    "planning": ("done", "PLAYING"),
    "reversi": ("over", "GOING"),
}
"""The field with the code, and its value while the game goes on."""


def coded(game: str) -> dict[str, int]:
    """The codes that a kernel gives the field, by their names in small letters.

    They are read from its source: all constants that are assigned to the field, or returned by a
    function whose result is.
    """
    field, going = CODED[game]
    kernel = spec(game).module("rules")
    step = kernel.current_player.py_func
    module = sys.modules[step.__module__]
    tree = ast.parse(inspect.getsource(module))
    functions = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    names: set[str] = set()
    for one in ast.walk(tree):
        if isinstance(one, ast.Assign) and any(
            isinstance(to, ast.Attribute) and to.attr == field for to in one.targets
        ):
            names |= set(_constants(one.value, functions))
    return {name.lower(): int(getattr(module, name)) for name in names - {going}}


def _constants(value: ast.expr, functions: dict[str, ast.FunctionDef]) -> Iterator[str]:
    if isinstance(value, ast.IfExp):  # the condition is none of the values
        yield from _constants(value.body, functions)
        yield from _constants(value.orelse, functions)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        for one in ast.walk(functions[value.func.id]):
            if isinstance(one, ast.Return) and one.value is not None:
                yield from _constants(one.value, functions)
    elif isinstance(value, ast.Name):
        yield value.id


def _by_code(game: str, s: Any) -> str:
    field, _ = CODED[game]
    names = {code: name for name, code in coded(game).items()}
    return names[int(s[field])]


def _planning(rules: Any, s: Any) -> str:
    return _by_code("planning", s) if s["done"] else "max_steps"


def _breakthrough(rules: Any, s: Any) -> str:
    return "farthest_row" if int(s["white"]) and int(s["black"]) else "captured"


def _hanabi(rules: Any, s: Any) -> str:
    if s["life_tokens"] == 0:
        return "lives"
    return "points" if s["score"] == rules.colours * 5 else "last_round"


def _sealed(limit: int) -> Callable[[Any, Any], str]:
    """Of the last round; ``limit`` is the round or tick at whose end a fight is broken off."""

    def ended(rules: Any, s: Any) -> str:
        k = int(s["round"]) - 1
        why, result = int(s["why"][k]), int(s["result"][k])
        if why == sealed.SIMULATED:
            if int(s["end"][k]) >= limit:
                return "limit"
            return "attacker_won" if result > 0 else "defender_won"
        flags = [why % 4, why // 4]
        worst = [2 if flag & sealed.VOID else int(flag > 0) for flag in flags]
        if 0 in worst:
            return ("", "one_over", "one_void")[max(worst)]
        if worst == [2, 2]:
            return "both_void"
        if worst == [1, 1]:
            return "both_over" if result else "both_over_alike"
        return "void_against_over"

    return ended


STRATEGO = ("flag_taken", "stuck", "both_stuck", "max_moves", "no_attack")
WEREWOLF = ("by_village", "by_wolves", "by_jester", "by_killer", "by_nobody", "undecided")


def _civilization(rules: Any, s: Any) -> str:
    return "alone" if int(s["alive"][: rules.num_players].sum()) == 1 else "last_turn"


STARCRAFT = {-1: "time", 0: "lost", 1: "lost", 2: "both_lost"}
ENDED: dict[str, Callable[[Any, Any], str]] = {
    "breakthrough": _breakthrough,
    "civilization": _civilization,
    "coin_game": lambda rules, s: "length",
    "connect_four": lambda rules, s: "full" if s["winner"] < 0 else "line",
    "dou_dizhu": lambda rules, s: "no_bid" if s["landlord"] < 0 else "no_cards",
    "hanabi": _hanabi,
    "ludo": lambda rules, s: "max_rolls" if s["winner"] < 0 else "finished",
    "mcr_mahjong": lambda rules, s: "won" if s["winner"] >= 0 else "undecided",
    "planning": _planning,
    "texas_holdem": lambda rules, s: "hands" if s["hand"] == rules.hands else "no_chips",
    "tictactoe": lambda rules, s: "full" if s["winner"] < 0 else "line",
    "welfare_diplomacy": lambda rules, s: {1: "ended"}[int(s["over"])],
    "starcraft": lambda rules, s: STARCRAFT[int(s["winner"])],
    "stratego": lambda rules, s: STRATEGO[int(s["over"]) - 1],
    "street_fighter": lambda rules, s: "drawn" if s["wins"][0] == s["wins"][1] else "rounds",
    "werewolf": lambda rules, s: WEREWOLF[int(s["winner"]) - 1],
    "battle_card": _sealed(100),
    "elemental_duel": _sealed(50),
    "tower_defence": _sealed(3600),
}


def ending(game: str, rules: Any, s: Any) -> str:
    """How a game that is over has ended."""
    assert game in ENDED or game in CODED, game
    return ENDED[game](rules, s) if game in ENDED else _by_code(game, s)
