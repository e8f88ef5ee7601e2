"""Tower defence as text for a terminal: plans, moments of a battle, what a side sees of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stratagym.envs import sealed, sealed_words
from stratagym.envs.tower_defence.rules import PLANNING
from stratagym.envs.tower_defence.simulation import ALL, HP, KIND, LIVING, NONE, ROW, UNIT, P
from stratagym.envs.tower_defence.units import (
    ATTACKER,
    CODES,
    COLUMN_WIDTH,
    COLUMNS,
    DEFENDER,
    ROWS,
    STEP_MS,
    TICK_MS,
)

_SIDES = ("attacker", "defender")


def seconds(tick: int) -> str:
    """A tick as seconds, such as ``10.05 s``."""
    return f"{tick * TICK_MS / 1000:g} s"


def points(tenths: int) -> str:
    """Tenths of HP as points."""
    return f"{tenths / 10:g}"


def battle_grid(s: Any) -> list[str]:
    """The field of a record that holds a moment of a battle, a line a row, then the demons."""
    marks = [["."] * COLUMNS for _ in range(ROWS)]
    for cell, kind in enumerate(s["cells"][:, KIND].tolist()):
        if kind != NONE:
            marks[cell // COLUMNS][cell % COLUMNS] = CODES[DEFENDER][kind]
    demons: list[list[str]] = [[] for _ in range(ROWS)]
    for demon in s["demons"][: int(s["rows"][ALL, LIVING])].tolist():
        place = f"{CODES[ATTACKER][demon[UNIT]]} {demon[P] / COLUMN_WIDTH:.1f}"
        demons[demon[ROW]].append(f"{place} ({points(demon[HP])})")
    return _grid(marks, ["  " + ", ".join(row) if row else "" for row in demons])


def plan_grid(s: Any, seats: Sequence[int] = (ATTACKER, DEFENDER), past: str = "") -> list[str]:
    """The field with the plans of some seats that stand or are being made.

    Args:
        past: ``last_`` for the plans of the round before.
    """
    plans = {seat: s[f"{past}plan"][seat][: int(s[f"{past}n"][seat])].tolist() for seat in seats}
    marks = [["."] * COLUMNS for _ in range(ROWS)]
    for unit, cell, _ in plans.get(DEFENDER, []):
        marks[cell // COLUMNS][cell % COLUMNS] = CODES[DEFENDER][unit]
    demons: list[list[str]] = [[] for _ in range(ROWS)]
    for unit, row, step in plans.get(ATTACKER, []):
        demons[row].append(f"{CODES[ATTACKER][unit]} at {step * STEP_MS / 1000:g} s")
    return _grid(marks, ["  " + ", ".join(row) if row else "" for row in demons])


def _grid(marks: list[list[str]], right: list[str]) -> list[str]:
    head = "  " + " ".join(f"{x:>2}" for x in range(COLUMNS))
    lines = [
        f"{y} " + " ".join(f"{mark:>2}" for mark in marks[y]) + f" |{right[y]}" for y in range(ROWS)
    ]
    return [head, *lines]


def budget_line(rules: Any, s: Any, seat: int) -> str:
    """What a seat's plan costs, of its budget."""
    side = ("Attacker", "Defender")[seat]
    return f"{side}: {int(s['spent'][seat])} of {sealed.budget_of.py_func(rules, seat)} spent"


def round_line(s: Any, k: int) -> str:
    """Who won a round, counted from 0, and when."""
    result = int(s["result"][k])
    who = {1: "The attacker won", 0: "Nobody won", -1: "The defender won"}[result]
    end = int(s["end"][k])
    return f"{who} round {k + 1}" + (f" after {seconds(end)}" if end >= 0 else " without a battle")


def board_text(rules: Any, s: Any) -> str:
    """Plans, or a moment of a battle, for a terminal, as a spectator sees it."""
    if int(s["moment"]) != PLANNING:
        return "\n".join([f"Battle, {seconds(int(s['moment']))}", *battle_grid(s)])
    lines = [round_line(s, k) for k in range(int(s["round"]))]
    if int(s["round"]) >= rules.rounds:
        fought = int(s["why"][rules.rounds - 1]) == sealed.SIMULATED
        return "\n".join(
            [*(battle_grid(s) if fought else plan_grid(s)), *lines, "The game is over"]
        )
    clock = f"clock {int(s['clock'][s['seat']])} ms"
    budgets = [budget_line(rules, s, k) for k in range(2)]
    return "\n".join([*plan_grid(s), *lines, *budgets, f"{_now(rules, s)}, {clock}"])


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The same as a player sees it: without the plan that the other side is making."""
    k = int(s["round"])
    if k >= rules.rounds or int(s["moment"]) != PLANNING:
        return board_text(rules, s)
    lines = [f"The plans of round {k}:", *plan_grid(s, past="last_")] if k else []
    lines += [round_line(s, before) for before in range(k)]
    lines.append(_now(rules, s, player))
    if player in sealed_words.planners(rules, s):
        clock = f"clock {int(s['clock'][player])} ms"
        lines += [*plan_grid(s, (player,)), f"{budget_line(rules, s, player)}, {clock}"]
    return "\n".join(lines)


def who_plans(rules: Any, s: Any, seat: int | None) -> str:
    """Who plans in the running round: to a spectator the side to move, else all that do."""
    planning = sealed_words.planners(rules, s)
    if seat is not None and len(planning) > 1:
        return "both sides plan"
    return f"the {_SIDES[planning[0] if seat is not None else int(s['seat'])]} plans"


def _now(rules: Any, s: Any, seat: int | None = None) -> str:
    return f"Round {int(s['round']) + 1} of {rules.rounds}: {who_plans(rules, s, seat)}"
