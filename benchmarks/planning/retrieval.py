"""Factual retrieval: what was true after a step in the middle of a told sequence of actions.

A property is a function of the state with one value out of a closed list, such as the floor of a
lift. A question tells the initial state, the goal, and what each of T actions changed, and asks for
the values of some properties after k of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from stratagym.benchmarks.planning.tasks import Item
from stratagym.benchmarks.reporting.stats import Rate, mean_rate, wilson
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.checking import move_text
from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.planning.sentences import domain_sentences, formula_words
from stratagym.envs.plans import OK, UNPARSEABLE, Outcome
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.text import Inquiry
from stratagym.envs.words import section

VERSION = "planning-retrieval-1"
DOMAINS = ("elevator", "grid", "floortile")
LENGTHS = (1, *range(5, 51, 5))
"""Actions that are told."""
SETTINGS: tuple[int | str, ...] = (1, 2, 4, "all")
"""Properties that are asked for."""
CHANGES, FULL = "changes", "full"
Atoms = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Property:
    """One thing that a state tells: its name, its values, and how the value is read."""

    name: str
    values: tuple[str, ...]
    read: Callable[[Atoms], str]


@dataclass(frozen=True)
class Retrieval:
    """One question with its answer.

    Attributes:
        name: unique in a run. asked: names of properties. right, first, last: their values after
            step ``step``, at the start and at the end. sizes: how many values each may have.
        source: ``plan``, or ``walk`` where the plan is shorter than the question.
    """

    name: str
    domain: str
    length: int
    step: int
    setting: str
    source: str
    asked: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    right: tuple[str, ...]
    first: tuple[str, ...]
    last: tuple[str, ...]
    prompt: str

    def inquiry(self) -> Inquiry:
        message = {"role": "user", "content": self.prompt}
        return Inquiry([message], partial(judge, self.asked, self.right), VERSION)


# --- properties ----------------------------------------------------------------------------------


def _of(atoms: Atoms, name: str, where: int, what: str, take: int, default: str = "none") -> str:
    """The argument ``take`` of the atom of this name that has ``what`` at ``where``."""
    for atom in atoms:
        if atom[0] == name and atom[1 + where] == what:
            return atom[1 + take]
    return default


def properties_of(grounded: Grounded) -> list[Property]:
    """What can be asked of a problem. Raises ``ValueError`` for a domain without properties."""
    domain, problem = grounded.domain, grounded.problem
    kinds = {
        name: domain.types_of(types)
        for name, types in {**domain.constants, **problem.objects}.items()
    }
    of_kind = lambda kind: [name for name, own in kinds.items() if kind in own]  # noqa: E731
    makers = {
        "elevators-sequencedstrips": _of_elevator, "grid": _of_grid, "floor-tile": _of_floortile,
    }  # fmt: skip
    if domain.name not in makers:
        raise ValueError(f"{domain.name}: nothing is asked of this domain")
    found = makers[domain.name](grounded, of_kind)
    return [one for one in found if len(one.values) > 1]


def _values(grounded: Grounded, name: str, where: int, what: str, take: int) -> tuple[str, ...]:
    """What an argument can be in the atoms that can be reached."""
    return tuple(
        atom[1 + take] for atom in grounded.atoms if atom[0] == name and atom[1 + where] == what
    )


def _of_elevator(grounded: Grounded, of_kind: Any) -> list[Property]:
    found = []
    for lift in of_kind("elevator"):
        floors = _values(grounded, "lift-at", 0, lift, 1)
        found.append(Property(f"floor of {lift}", floors, partial(_floor, lift)))
        loads = _values(grounded, "passengers", 0, lift, 1)
        found.append(Property(f"load of {lift}", loads, partial(_load, lift)))
    for one in of_kind("passenger"):
        places = (
            *_values(grounded, "passenger-at", 0, one, 1),
            *_values(grounded, "boarded", 0, one, 1),
        )
        found.append(Property(f"place of {one}", places, partial(_place, one)))
    return found


def _floor(lift: str, atoms: Atoms) -> str:
    return _of(atoms, "lift-at", 0, lift, 1)


def _load(lift: str, atoms: Atoms) -> str:
    return _of(atoms, "passengers", 0, lift, 1)


def _place(one: str, atoms: Atoms) -> str:
    return _of(atoms, "passenger-at", 0, one, 1, "") or _of(atoms, "boarded", 0, one, 1)


def _of_grid(grounded: Grounded, of_kind: Any) -> list[Property]:
    static = grounded.always
    keys = sorted(atom[1] for atom in static if atom[0] == "key")
    places = tuple(sorted(atom[1] for atom in static if atom[0] == "place"))
    locks = sorted({atom[1] for atom in grounded.problem.atoms if atom[0] == "locked"})
    reached = {atom[1] for atom in grounded.atoms if atom[0] == "at-robot"}
    found = [Property("place of the robot", tuple(sorted(reached)), _robot_place)]
    found.append(Property("key in hand", (*keys, "none"), _held))
    found += [
        Property(f"place of {key}", (*places, "hand"), partial(_key_place, key)) for key in keys
    ]
    found += [
        Property(f"door of {lock}", ("locked", "open"), partial(_door, lock))
        for lock in locks
        if ("open", lock) in grounded.atom_of
    ]
    return found


def _robot_place(atoms: Atoms) -> str:
    return next((atom[1] for atom in atoms if atom[0] == "at-robot"), "none")


def _held(atoms: Atoms) -> str:
    return next((atom[1] for atom in atoms if atom[0] == "holding"), "none")


def _key_place(key: str, atoms: Atoms) -> str:
    return _of(atoms, "at", 0, key, 1, "hand")


def _door(lock: str, atoms: Atoms) -> str:
    return "open" if ("open", lock) in atoms else "locked"


def _of_floortile(grounded: Grounded, of_kind: Any) -> list[Property]:
    colours = tuple(of_kind("color"))
    found = []
    for robot in of_kind("robot"):
        tiles = _values(grounded, "robot-at", 0, robot, 1)
        found.append(Property(f"tile of {robot}", tiles, partial(_tile, robot)))
        found.append(Property(f"colour of {robot}", colours, partial(_colour, robot)))
    for tile in of_kind("tile"):
        if any(atom[0] == "painted" and atom[1] == tile for atom in grounded.atoms):
            values = (*colours, "unpainted")
            found.append(Property(f"paint of {tile}", values, partial(_paint, tile)))
    return found


def _tile(robot: str, atoms: Atoms) -> str:
    return _of(atoms, "robot-at", 0, robot, 1)


def _colour(robot: str, atoms: Atoms) -> str:
    return _of(atoms, "robot-has", 0, robot, 1)


def _paint(tile: str, atoms: Atoms) -> str:
    return _of(atoms, "painted", 0, tile, 1, "unpainted")


# --- trajectories --------------------------------------------------------------------------------


def true_atoms(grounded: Grounded, bits: np.ndarray) -> Atoms:
    """The atoms that are true and can change."""
    flags = np.unpackbits(bits.view(np.uint8), bitorder="little")[: grounded.task.atoms]
    return frozenset(grounded.atoms[k] for k in np.flatnonzero(flags))


def trajectory(item: Item, length: int, rng: random.Random) -> tuple[list[int], list[Atoms], str]:
    """(actions, the states before, between and after them, where they are from).

    The first ``length`` actions of the plan, if it has as many; else a random walk of legal
    actions that goes back to the state before the last only where nothing else is legal.
    """
    grounded, task = item.grounded, item.grounded.task
    bits, values, fired, fresh = engine.scratch_of(task)
    engine.start_state(task, bits, values)
    plan = item.plan or ()
    source = "plan" if len(plan) >= length else "walk"
    actions: list[int] = []
    states = [true_atoms(grounded, bits)]
    legal = np.zeros(task.actions, np.int64)
    for step in range(length):
        if source == "plan":
            action = plan[step]
            engine.apply(task, action, bits, values, fired, fresh)
        else:
            n = int(engine.applicable(task, bits, values, legal))
            if not n:
                break
            kept = bits.copy(), values.copy()
            for action in rng.sample(legal[:n].tolist(), n):
                engine.apply(task, action, bits, values, fired, fresh)
                back = len(states) > 1 and true_atoms(grounded, bits) == states[-2]
                if not back or n == 1:
                    break
                bits[:], values[:] = kept
            else:  # everything leads back
                action = int(legal[rng.randrange(n)])
                engine.apply(task, action, bits, values, fired, fresh)
        actions.append(int(action))
        states.append(true_atoms(grounded, bits))
    return actions, states, source


def question(
    item: Item, length: int, setting: int | str, number: int, seed: int, told: str = CHANGES
) -> Retrieval:
    """A question about one trajectory."""
    rng = random.Random(f"{seed} {item.name} {length} {setting} {number}")
    actions, states, source = trajectory(item, length, rng)
    step = rng.randint(1, len(actions))
    all_of = properties_of(item.grounded)
    count = len(all_of) if setting == "all" else min(int(setting), len(all_of))
    asked = sorted(rng.sample(range(len(all_of)), count))
    chosen = [all_of[k] for k in asked]

    def read(state: Atoms) -> tuple[str, ...]:
        return tuple(one.read(state) for one in chosen)

    return Retrieval(
        f"{item.name}-T{length}-m{setting}-{number}",
        item.domain,
        length,
        step,
        str(setting),
        source,
        tuple(one.name for one in chosen),
        tuple(one.values for one in chosen),
        read(states[step]),
        read(states[0]),
        read(states[-1]),
        _prompt(item.grounded, actions, states, chosen, step, told),
    )


def _prompt(
    grounded: Grounded,
    actions: Sequence[int],
    states: Sequence[Atoms],
    asked: Sequence[Property],
    step: int,
    told: str,
) -> str:
    def words(atoms: Atoms) -> str:
        return ", ".join(sorted(map(move_text, atoms))) or "nothing"

    lines = []
    for k, action in enumerate(actions):
        before, after = states[k], states[k + 1]
        text = f"Step {k + 1}: {move_text(grounded.actions[action])}"
        if told == FULL:
            text += f". True then: {words(after)}"
        else:
            changes = [f"+ {move_text(atom)}" for atom in sorted(after - before)]
            changes += [f"- {move_text(atom)}" for atom in sorted(before - after)]
            text += f". Changes: {', '.join(changes) or 'none'}"
        lines.append(text)
    fixed = words(grounded.always)
    form = ", ".join(f'"{one.name}": "<value>"' for one in asked)
    listed = [f"- {one.name}: one of {', '.join(one.values)}" for one in asked]
    return "\n\n".join(
        [
            "Facts change step by step. A fact is written as (name object object ...). + marks "
            "what becomes true, - what becomes false; all else stays as it is.",
            section("Actions", *domain_sentences(grounded.domain)),
            section("True always", fixed),
            section("True at the start, and nothing else that can change", words(states[0])),
            section("Goal", formula_words(grounded.problem.goal)),
            section("What was done", *lines),
            section(
                "Question",
                f"What is the state right after step {step}? Give these values:",
                *listed,
                "End your answer with one JSON object of this form:",
                f"{{{form}}}",
            ),
        ]
    )


def judge(asked: Sequence[str], right: Sequence[str], text: str) -> Outcome:
    """How many of the asked values a reply has right; a value that is not given is wrong."""
    try:
        found = last_json(text, dict)
    except ReplyError as error:
        return Outcome(UNPARSEABLE, None, None, str(error))
    given = {str(name).strip().lower(): value for name, value in found.items()}
    if not any(name in given for name in asked):
        return Outcome(UNPARSEABLE, None, None, "no_property")
    hits = sum(
        str(given.get(name, "")).strip().strip("()").lower() == value
        for name, value in zip(asked, right, strict=True)
    )
    facts = {"right": hits, "asked": len(asked), "exact": int(hits == len(asked))}
    return Outcome(OK, None, None, facts=facts)


def questions(
    items: Sequence[Item],
    lengths: Sequence[int],
    settings: Sequence[int | str],
    each: int,
    seed: int,
    told: str = CHANGES,
) -> Iterator[Retrieval]:
    """``each`` questions for every domain, length and setting, of the domain's problems in turn."""
    for domain in DOMAINS:
        own = [item for item in items if item.domain == domain]
        if not own:
            continue
        for length in lengths:
            for setting in settings:
                for number in range(each):
                    item = own[number % len(own)]
                    yield question(item, length, setting, number, seed, told)


# --- scores --------------------------------------------------------------------------------------


def baselines(asked: Sequence[Retrieval]) -> dict[str, dict[str, Any]]:
    """(exact, per property) without following the steps.

    ``uniform``: any value of each property; ``no_change``: the values at the start;
    ``last_state``: those at the end; ``majority``: the value that is right most often for the
    property's kind, which is told by its first word.
    """
    kinds: dict[tuple[str, str], Counter[str]] = {}
    for one in asked:
        for name, value in zip(one.asked, one.right, strict=True):
            kinds.setdefault((one.domain, name.split()[0]), Counter())[value] += 1

    def guessed(one: Retrieval) -> tuple[str, ...]:
        counts = (kinds[one.domain, name.split()[0]] for name in one.asked)
        return tuple(count.most_common(1)[0][0] for count in counts)

    answers: dict[str, Callable[[Retrieval], tuple[str, ...]]] = {
        "no_change": lambda one: one.first,
        "last_state": lambda one: one.last,
        "majority": guessed,
    }
    found: dict[str, dict[str, Any]] = {}
    for name, answer in answers.items():
        shares = [
            np.mean([a == b for a, b in zip(answer(one), one.right, strict=True)]) for one in asked
        ]
        hits = sum(share == 1 for share in shares)
        found[name] = {
            "exact": wilson(hits, len(asked)).record(),
            "per_property": mean_rate(np.array(shares)).record(),
        }
    uniform = [[1 / len(values) for values in one.values] for one in asked]
    found["uniform"] = {
        "exact": _known([float(np.prod(parts)) for parts in uniform]).record(),
        "per_property": _known([float(np.mean(parts)) for parts in uniform]).record(),
    }
    return found


def _known(values: Sequence[float]) -> Rate:
    """A mean that is no sample."""
    value = float(np.mean(values)) if len(values) else None
    return Rate(value, value, value, len(values))


def scored(asked: Sequence[Retrieval], facts: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Exact answers and properties, over all, by domain, length and setting.

    Args:
        facts: of each answered question, by its name; a question without is wrong.
    """

    def rates(own: Sequence[Retrieval]) -> dict[str, Any]:
        exact = sum(facts.get(one.name, {}).get("exact", 0) for one in own)
        shares = [facts.get(one.name, {}).get("right", 0) / len(one.asked) for one in own]
        return {
            "exact": wilson(exact, len(own)).record(),
            "per_property": mean_rate(np.array(shares)).record(),
        }

    def split(key: Callable[[Retrieval], str]) -> dict[str, Any]:
        groups: dict[str, list[Retrieval]] = {}
        for one in asked:
            groups.setdefault(key(one), []).append(one)
        return {name: rates(own) for name, own in groups.items()}

    return {
        **rates(asked),
        "by_domain": split(lambda one: one.domain),
        "by_length": split(lambda one: str(one.length)),
        "by_setting": split(lambda one: one.setting),
    }
