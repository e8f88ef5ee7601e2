"""Plans as text, and what is wrong with one: the first fault, by the same words everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.envs.planning import task as engine
from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.planning.pddl import Atom

VERDICTS = (
    "valid", "goal", "precondition", "type", "unknown_object", "arity", "unknown_action",
    "malformed", "unreadable",
)  # fmt: skip
"""What a plan comes to: it solves the problem; it can be carried out and the goal does not hold; an
action's condition does not hold; an object is of another type; there is no such object; an action
has another number of objects; there is no such action; an item is no action; there is no plan."""
STATIC = VERDICTS[3:8]
"""Faults that show without carrying anything out."""

_ACTION = re.compile(r"\(([^()]*)\)")
_TIMED = re.compile(r"^\d+(?:\.\d+)?\s*:\s*")
_LASTS = re.compile(r"\s*\[[\d.]+\]\s*$")
_CALL = re.compile(r"([^\s(),]+)\s*\(([^()]*)\)")
_WORDS = re.compile(r"[^\s()\[\]{}\"',;:]+(?:[ \t]+[^\s()\[\]{}\"',;:]+)*")


@dataclass(frozen=True)
class Checked:
    """What a plan comes to.

    Attributes:
        verdict: one of ``VERDICTS``. step: index from 0 of the action at fault; the plan's length
            where it can be carried out. move: that action. failed: the atoms and comparisons that
            do not hold: of the action's condition, or of the goal.
        met, parts: of the goal, at the end or before the action at fault. length: of the plan.
        metric: of the problem, at the same place; steps where it has none.
    """

    verdict: str
    step: int
    move: str
    failed: tuple[str, ...]
    met: int
    parts: int
    length: int
    metric: float


def move_text(action: Atom) -> str:
    """``(stack b1 b2)``."""
    return f"({' '.join(action)})"


def plan_lines(text: str) -> list[str]:
    """The actions of a plan's text, each as ``(name arg ...)`` in small letters.

    One a line, or several in parentheses behind one another; ``name(a, b)`` and ``name a b`` too.
    A number and a colon before it, a duration in brackets behind it and comments after ``;`` are
    passed over. What is no action stands as it was found.
    """
    found: list[str] = []
    for line in text.lower().splitlines():
        rest = _LASTS.sub("", _TIMED.sub("", line.partition(";")[0].strip())).strip()
        if not rest:
            continue
        if rest.startswith("("):
            between = _ACTION.sub("\n", rest)
            inside = [" ".join(match.split()) for match in _ACTION.findall(rest)]
            if between.strip() or not all(inside):
                found.append(rest)
            else:
                found += [f"({one})" for one in inside]
        elif call := _CALL.fullmatch(rest):
            found.append(f"({' '.join([call[1], *call[2].replace(',', ' ').split()])})")
        elif _WORDS.fullmatch(rest):
            found.append(f"({' '.join(rest.split())})")
        else:
            found.append(rest)
    return found


def words_of(move: str) -> Atom:
    """``(stack b1 b2)`` as words; none for what is no action."""
    match = _ACTION.fullmatch(move)
    return tuple(match[1].split()) if match else ()


def static_fault(grounded: Grounded, move: str) -> str:
    """What is wrong with an action whatever the state, as one word of ``STATIC``; empty if it is
    well-formed."""
    name, *args = words_of(move) or ("",)
    if not name:
        return "malformed"
    domain = grounded.domain
    schema = next((one for one in domain.schemas if one.name == name), None)
    if schema is None:
        return "unknown_action"
    if len(args) != len(schema.parameters):
        return "arity"
    kinds = {**domain.constants, **grounded.problem.objects}
    if any(arg not in kinds for arg in args):
        return "unknown_object"
    for arg, (_, types) in zip(args, schema.parameters, strict=True):
        if not domain.types_of(kinds[arg]) & set(types):
            return "type"
    return ""


def check_plan(
    grounded: Grounded,
    moves: Sequence[str],
    bits: np.ndarray | None = None,
    values: np.ndarray | None = None,
) -> Checked:
    """Try a plan.

    Args:
        moves: actions such as ``(stack b1 b2)``, as ``plan_lines`` has them. bits, values: the
            state that it begins in; by default the start of the problem.
    """
    task = grounded.task
    scratch = engine.scratch_of(task)
    engine.start_state(task, *scratch[:2])
    if bits is not None and values is not None:
        scratch = bits.copy(), values.copy(), *scratch[2:]
    for step, move in enumerate(moves):
        if fault := static_fault(grounded, move):
            return _checked(grounded, scratch, fault, step, moves, (move,))
    numbers = [grounded.action_of.get(words_of(move), -1) for move in moves]
    known = numbers.index(-1) if -1 in numbers else len(numbers)
    actions = np.array(numbers[:known], np.int64)
    step = int(engine.run_plan(task, actions, *scratch))
    if step < len(moves):
        failed = unmet_condition(grounded, words_of(moves[step]), *scratch[:2])
        return _checked(grounded, scratch, "precondition", step, moves, failed)
    if engine.goal_holds(task, *scratch[:2]):
        return _checked(grounded, scratch, "valid", step, moves, ())
    return _checked(grounded, scratch, "goal", step, moves, unmet_goals(grounded, *scratch[:2]))


def _checked(
    grounded: Grounded,
    scratch: Any,
    verdict: str,
    step: int,
    moves: Sequence[str],
    failed: Iterable[str],
) -> Checked:
    task, (bits, values, *_) = grounded.task, scratch
    met, parts = goal_progress(task, bits, values)
    metric = float(engine.metric_of(task, values)) if task.has_metric else float(step)
    move = moves[step] if step < len(moves) else ""
    return Checked(verdict, step, move, tuple(failed), met, parts, len(moves), metric)


def goal_progress(task: Any, bits: np.ndarray, values: np.ndarray) -> tuple[int, int]:
    """(parts of the goal that hold, all its parts); of several ways the one with most."""
    ints, out = task.ints, np.zeros(len(task.ints), np.int64)
    n = int(engine.goals_met(task, bits, values, out))
    best, at = (0, max(n, 1)), 0
    for way in range(task.ways):
        size = sum(
            int(ints[ints[section] + way + 1] - ints[ints[section] + way])
            for section in (engine.GOAL_PRE, engine.GOAL_NEG, engine.GOAL_NUM)
        )
        met = int(out[at : at + size].sum())
        if not way or met / size > best[0] / best[1]:
            best = met, size
        at += size
    return best


def literals(grounded: Grounded, section: int, k: int) -> list[tuple[str, int, str]]:
    """The condition in list k of a section and the two behind it.

    As (kind, number, words): kind ``+`` for an atom that must be true, ``-`` false, ``#`` for a
    comparison.
    """
    ints, found = grounded.task.ints, []
    for kind, offset in (("+", 0), ("-", 1), ("#", 2)):
        at = ints[section + offset] + k
        for one in ints[ints[at] : ints[at + 1]].tolist():
            if kind == "#":
                words = comparison_text(grounded, one)
            else:
                words = ("not " if kind == "-" else "") + move_text(grounded.atoms[one])
            found.append((kind, one, words))
    return found


def comparison_text(grounded: Grounded, comparison: int) -> str:
    """A comparison of a sum with 0 in words, such as ``(cash) - 7 >= 0``."""
    task = grounded.task
    ints, floats = task.ints, task.floats
    expression = int(ints[ints[engine.COMPARISON_EXPRESSION] + comparison])
    kind = int(ints[ints[engine.COMPARISON_KIND] + comparison])
    at = ints[engine.EXPRESSION] + expression
    shift = ints[engine.SECTIONS + engine.FACTORS]
    parts = []
    for k in range(int(ints[at]), int(ints[at + 1])):
        factor, name = float(floats[shift + k]), move_text(grounded.values[ints[k]])
        sign = "- " if factor < 0 else "+ "
        parts.append(f"{sign}{'' if abs(factor) == 1 else f'{abs(factor):g} * '}{name}")
    constant = float(floats[ints[engine.SECTIONS + engine.CONSTANTS] + expression])
    if constant or not parts:
        parts.append(f"{'- ' if constant < 0 else '+ '}{abs(constant):g}")
    told = (">=", ">", "=")[kind & 3]
    whole = f"{' '.join(parts).removeprefix('+ ')} {told} 0"
    return f"not {whole}" if kind >= engine.NOT else whole


def does_hold(grounded: Grounded, literal: tuple[str, int, str], bits: Any, values: Any) -> bool:
    """Whether a literal of ``literals`` holds."""
    kind, one, _ = literal
    if kind == "#":
        return bool(engine.compares(grounded.task, one, values))
    return bool(engine.is_true(bits, one)) == (kind == "+")


def unmet_condition(grounded: Grounded, action: Atom, bits: Any, values: Any) -> tuple[str, ...]:
    """What of an action's condition does not hold; of several ways of the one with the least.

    Of an action that can never be reached nothing is told.
    """
    number = grounded.action_of.get(action)
    if number is None:
        return ()
    ints = grounded.task.ints
    at = ints[engine.ACTION_OPS] + number
    ways = [
        _unmet(grounded, engine.PRE, operator, bits, values)
        for operator in range(int(ints[at]), int(ints[at + 1]))
    ]
    return min(ways, key=len, default=())


def unmet_goals(grounded: Grounded, bits: Any, values: Any) -> tuple[str, ...]:
    """The parts of the goal that do not hold; of several ways of the one with the least."""
    ways = [
        _unmet(grounded, engine.GOAL_PRE, way, bits, values) for way in range(grounded.task.ways)
    ]
    return min(ways, key=len, default=())


def _unmet(grounded: Grounded, section: int, k: int, bits: Any, values: Any) -> tuple[str, ...]:
    return tuple(
        literal[2]
        for literal in literals(grounded, section, k)
        if not does_hold(grounded, literal, bits, values)
    )
