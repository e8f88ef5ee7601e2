"""Planning in words: PDDL or sentences, plans as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from stratagym.envs.planning import task as engine
from stratagym.envs.planning.checking import (
    VERDICTS,
    check_plan,
    plan_lines,
    static_fault,
    unmet_goals,
    words_of,
)
from stratagym.envs.planning.checking import (
    move_text as text_of,
)
from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.planning.pddl import number_text, problem_text
from stratagym.envs.planning.problems import grounded_of, texts_of
from stratagym.envs.planning.rules import SOLVED, STUCK
from stratagym.envs.planning.sentences import domain_sentences, formula_words
from stratagym.envs.plans import PLAN_LIMIT, PlanError, json_plan
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import section

PROMPT_VERSION, MERGED_VERSION = "planning-2", "planning-1"
EARLIER_PROMPTS = {"planning-1": POSITION_FIRST}
ANSWER = json_plan('{"plan": ["(action object object)", "(action object)", ...]}')
PLAN = "all"
POSITION_FORMS = ("pddl", "words")
ROLE_TEXT = "You are an expert in planning. You find a sequence of actions that reaches a goal."
TASK_TEXT = (
    "Work out the initial state, the goal, and a plan: for each of its actions say why it is "
    "taken, that its condition holds, and what it changes. Then check the plan by carrying it out "
    "step by step. The last state has to satisfy the whole goal."
)
HINTS = (
    "An action can be taken only if its whole condition holds just then.",
    "Look for what one part of the goal undoes of another, and take the parts in a good order.",
    "Names of actions and objects have to be written exactly as they are given.",
)


def _state(grounded: Grounded, s: Any) -> tuple[np.ndarray, np.ndarray]:
    """(words of the true atoms, numbers) of a record."""
    return np.ascontiguousarray(s["bits"]), np.ascontiguousarray(s["values"])


def seat_name(rules: Any, s: Any, player: int) -> str:
    return "Planner"


# --- the position --------------------------------------------------------------------------------


def _true(grounded: Grounded, s: Any) -> list[int]:
    bits = np.unpackbits(np.ascontiguousarray(s["bits"]).view(np.uint8), bitorder="little")
    return np.flatnonzero(bits[: grounded.task.atoms]).tolist()


def board_text(rules: Any, s: Any) -> str:
    """The objects, what is true and can change, the numbers that can, and what is still wanted."""
    grounded = grounded_of(rules)
    kinds: dict[str, list[str]] = {}
    for name, types in {**grounded.domain.constants, **grounded.problem.objects}.items():
        kinds.setdefault(" or ".join(types), []).append(name)
    lines = [f"{kind}: {' '.join(names)}" for kind, names in kinds.items()]
    facts: dict[str, list[str]] = {}
    for atom in _true(grounded, s):
        name, *args = grounded.atoms[atom]
        facts.setdefault(name, []).append(" ".join(args) or "yes")
    lines += ["", *(f"{name}: {', '.join(args)}" for name, args in facts.items())]
    numbers = s["values"].tolist()
    lines += [
        f"{' '.join(place)} = {number_text(x) if x == x else 'not given'}"
        for place, x in zip(grounded.values, numbers, strict=False)
    ]
    unmet = unmet_goals(grounded, *_state(grounded, s))
    lines += ["", f"wanted: {', '.join(unmet) or 'nothing more'}"]
    last = int(s["last"])
    done = {SOLVED: "goal reached", STUCK: "nothing can be done any more"}.get(int(s["done"]))
    lines.append(f"step {int(s['steps'])} of {rules.max_steps}" + (f", {done}" if done else ""))
    if last >= 0:
        lines.append(f"last action: {text_of(grounded.actions[last])}")
    return "\n".join(lines)


def problem_now(rules: Any, s: Any) -> str:
    """The problem as PDDL, with the state of a record as its start."""
    grounded = grounded_of(rules)
    problem = grounded.problem
    if not int(s["steps"]):
        return texts_of(rules)[1].strip()
    can_change = {name for name, *_ in grounded.atoms}
    atoms = [atom for atom in problem.atoms if atom[0] not in can_change]
    atoms += [grounded.atoms[k] for k in _true(grounded, s)]
    values = {place: x for place, x in problem.values.items() if place not in grounded.value_of}
    numbers = s["values"].tolist()
    values |= {place: x for place, x in zip(grounded.values, numbers, strict=False) if x == x}
    return problem_text(replace(problem, atoms=tuple(atoms), values=values)).strip()


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """Domain and problem, in PDDL or in sentences."""
    steps, most = int(s["steps"]), rules.max_steps
    limit = f"Steps taken so far: {steps}; at most {most} may be taken."
    if form == "pddl":
        domain = texts_of(rules)[0].strip()
        return "\n\n".join(
            [
                section("Domain", "```pddl", domain, "```"),
                section("Problem (its initial state is the state now)", "```pddl",
                        problem_now(rules, s), "```"),
                limit,
            ]
        )  # fmt: skip
    grounded = grounded_of(rules)
    problem = grounded.problem
    kinds: dict[str, list[str]] = {}
    for name, types in {**grounded.domain.constants, **problem.objects}.items():
        kinds.setdefault(" or ".join(types), []).append(name)
    can_change = {name for name, *_ in grounded.atoms}
    fixed = [" ".join(atom) for atom in problem.atoms if atom[0] not in can_change]
    true = [" ".join(grounded.atoms[k]) for k in _true(grounded, s)]
    numbers = [
        f"{' '.join(place)} = {number_text(x)}"
        for place, x in problem.values.items()
        if place not in grounded.value_of
    ]
    numbers += [
        f"{' '.join(place)} = {number_text(x)}"
        for place, x in zip(grounded.values, s["values"].tolist(), strict=False)
        if x == x
    ]
    parts = [
        section("Actions", *domain_sentences(grounded.domain)),
        section("Objects", *(f"- {kind}: {', '.join(names)}" for kind, names in kinds.items())),
        section("True now, and nothing else is", ", ".join(true) or "nothing"),
    ]
    if fixed:
        parts.append(section("True always", ", ".join(fixed)))
    if numbers:
        parts.append(section("Numbers now", ", ".join(numbers)))
    parts.append(section("Goal", formula_words(problem.goal)))
    if problem.metric:
        parts.append(section("To be kept small", formula_words(problem.metric)))
    return "\n\n".join([*parts, limit])


def rules_text(rules: Any) -> str:
    """How actions, plans and the end of a problem work."""
    paid = (
        "Reaching the goal is worth 1, everything else 0."
        if rules.reward == 0
        else "What counts is the problem's metric at the end, the smaller the better."
        if rules.has_metric
        else "What counts is the number of steps, the fewer the better."
    )
    return section(
        "Rules",
        "- A domain says which actions there are: the objects that each takes, the condition under "
        "which it can be taken, and its effect. A problem says which objects there are, what is "
        "true at the start, and the goal. What is not told is false.",
        "- Within an action all conditions and numbers are read from the state before it; then "
        "what it deletes becomes false, then what it adds becomes true, then numbers change.",
        "- One object may stand for two parameters of an action.",
        "- A number that was not given satisfies no comparison.",
        "- It is over when the goal holds, when no action can be taken, or when there are no steps "
        f"left. {paid}",
        "- A plan is a list of actions, each written as (name object object ...), in the order in "
        "which they are taken. One action that cannot be taken refuses the whole plan.",
    )


def forfeit_returns(rules: Any, s: Any, seat: int) -> list[float]:
    """What giving up comes to: 0 where the goal counts, else no better than all steps in vain."""
    if rules.reward == 0:
        return [0.0]
    cost = engine.metric_of(rules, s["values"]) if rules.has_metric else 0.0
    return [0.0 - max(float(rules.max_steps), float(cost))]


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """``(stack b1 b2)``."""
    return text_of(grounded_of(rules).actions[action])


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action of such a text.

    Raises:
        ValueError: a word of ``checking.STATIC``; ``precondition`` for what no state allows.
    """
    grounded = grounded_of(rules)
    lines = plan_lines(text)
    if len(lines) != 1:
        raise ValueError("malformed")
    if fault := static_fault(grounded, lines[0]):
        raise ValueError(fault)
    found = grounded.action_of.get(words_of(lines[0]))
    if found is None:
        raise ValueError(WHY_ILLEGAL)
    return found


WHY_ILLEGAL = "precondition"


def move_text(rules: Any, s: Any, action: int) -> str:
    """A move told in one sentence."""
    return f"The planner took {action_to_string(rules, s, action)}."


# --- replies -------------------------------------------------------------------------------------


def moves_of(text: str) -> list[str]:
    """The actions of a reply, as ``checking.plan_lines`` has them.

    Raises:
        ReplyError: there is no JSON object with a plan that is a list or a text, or its plan is
            too long (``too_many``).
    """
    plan = last_json(text, dict, "plan")["plan"]
    if isinstance(plan, str):
        moves = plan_lines(plan)
    elif isinstance(plan, list):
        moves = []
        for item in plan:
            found = plan_lines(item) if isinstance(item, str) else []
            moves += found or [str(item)]
    else:
        raise ReplyError("no_plan")
    if len(moves) > PLAN_LIMIT:
        raise ReplyError("too_many")
    return moves


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The actions of a reply up to the one that reaches the goal, where the game is over.

    Faults that show without carrying anything out refuse a plan first.
    """
    grounded, moves = grounded_of(rules), moves_of(text)
    for move in moves:
        if fault := static_fault(grounded, move):
            raise PlanError(move, fault)
    task, (bits, values) = grounded.task, _state(grounded, s)
    numbers = [grounded.action_of.get(words_of(move), -1) for move in moves]
    known = numbers.index(-1) if -1 in numbers else len(numbers)
    scratch = (bits.copy(), values.copy(), *engine.scratch_of(task)[2:])
    played = int(engine.run_to_goal(task, np.array(numbers[:known], np.int64), *scratch))
    return moves[:played] if engine.goal_holds(task, *scratch[:2]) else moves


def plan_facts(rules: Any, s: Any, text: str, actions: Any) -> dict[str, int]:
    """What the whole plan of a reply comes to from this position, as whole numbers.

    ``verdict`` is an index into ``checking.VERDICTS``; ``step`` that of the action at fault;
    ``met`` of ``parts`` of the goal hold then; ``length`` counts the plan's actions, and
    ``metric_milli`` is the metric at that place in thousandths, the steps where there is none.
    """
    grounded = grounded_of(rules)
    try:
        moves = moves_of(text)
    except ReplyError:
        return {"verdict": VERDICTS.index("unreadable")}
    checked = check_plan(grounded, moves, *_state(grounded, s))
    return {
        "verdict": VERDICTS.index(checked.verdict),
        "step": checked.step,
        "met": checked.met,
        "parts": checked.parts,
        "length": checked.length,
        "metric_milli": round(1000 * checked.metric),
    }
