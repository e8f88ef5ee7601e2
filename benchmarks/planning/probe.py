"""What a model knows of the state in which its own plan broke down (``--probe``).

Of a plan whose action k breaks its condition, the model is asked which facts hold after the actions
before it: those whose lack refused the action, and as many of the other truth. Who answers these no
better than by a coin has lost track of the state; who answers them has planned badly.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from stratagym.benchmarks.planning import plans
from stratagym.benchmarks.planning.retrieval import true_atoms
from stratagym.benchmarks.planning.tasks import GAME, Item
from stratagym.benchmarks.reporting.stats import ratio_rate
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.checking import VERDICTS, check_plan, move_text, words_of
from stratagym.envs.plans import OK, UNPARSEABLE, Outcome
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.text import Inquiry, TextOptions, answer
from stratagym.envs.words import section

VERSION = "planning-probe-1"
TASK = "probe"


@dataclass(frozen=True)
class Probe:
    """One question: facts with their truth after the first actions of a plan.

    Attributes:
        name: unique for a policy in a run. facts: as ``(on b1 b2)``, with whether each holds.
        told: the actions before the one at fault.
    """

    name: str
    item: Item
    told: tuple[str, ...]
    facts: tuple[tuple[str, bool], ...]

    def inquiry(self, text: TextOptions) -> Inquiry:
        """The question in words."""
        view = GAME.module("view")
        form = text.position or view.POSITION_FORMS[0]
        position = view.position_text(self.item.rules, self.item.states()[0], 0, form)
        lines = [f"{k}. {move}" for k, move in enumerate(self.told, 1)]
        shape = ", ".join(f'"{fact}": "yes or no"' for fact, _ in self.facts)
        user = "\n\n".join(
            [
                view.rules_text(self.item.rules),
                position,
                section("Actions that were taken from the start", *(lines or ["none"])),
                section(
                    "Question",
                    "Which of these facts are true after these actions? Work it out, then end "
                    "your answer with one JSON object of this form:",
                    f"{{{shape}}}",
                ),
            ]
        )
        return Inquiry([{"role": "user", "content": user}], partial(judge, self.facts), VERSION)


def judge(facts: Sequence[tuple[str, bool]], text: str) -> Outcome:
    """How many facts a reply has right; one that is not answered by yes or no is wrong."""
    try:
        found = last_json(text, dict)
    except ReplyError as error:
        return Outcome(UNPARSEABLE, None, None, str(error))
    given = {_plain(name): _is_yes(value) for name, value in found.items()}
    if not any(_plain(fact) in given for fact, _ in facts):
        return Outcome(UNPARSEABLE, None, None, "no_fact")
    right = sum(given.get(_plain(fact)) is holds for fact, holds in facts)
    return Outcome(OK, None, None, facts={"right": right, "asked": len(facts)})


def _plain(name: Any) -> str:
    return " ".join(str(name).lower().strip().strip("()").split())


def _is_yes(value: Any) -> bool | None:
    word = str(value).strip().lower()
    return {"yes": True, "true": True, "no": False, "false": False}.get(word)


def probes(
    records: Iterable[Mapping[str, Any]], items: Mapping[str, Item], policy: str, seed: int
) -> tuple[list[Probe], int]:
    """(questions about a model's plans with the verdict ``precondition``, plans without one).

    A plan has none where no fact that can change refused the action, but a number or what can never
    be, or where its state has not as many facts of the other truth.
    """
    found, without = [], 0
    for (who, name), record in plans.last_of(records).items():
        facts = record.get("plan") or {}
        if who != policy or name not in items or not record["reply"]:
            continue
        if facts.get("verdict") == VERDICTS.index("precondition"):
            probe = _probe(items[name], record["reply"], seed)
            found += [] if probe is None else [probe]
            without += probe is None
    return found, without


def _probe(item: Item, reply: str, seed: int) -> Probe | None:
    view, grounded = GAME.module("view"), item.grounded
    moves = view.moves_of(answer(reply))
    checked = check_plan(grounded, moves)
    scratch = engine.scratch_of(grounded.task)
    engine.start_state(grounded.task, *scratch[:2])
    before = [grounded.action_of[words_of(move)] for move in moves[: checked.step]]
    engine.run_plan(grounded.task, np.array(before, np.int64), *scratch)
    true = true_atoms(grounded, scratch[0])
    failed = {}
    for literal in checked.failed:
        atom = words_of(literal.removeprefix("not "))
        if atom in grounded.atom_of:
            failed[atom] = literal.startswith("not ")
    rng = random.Random(f"{seed} {item.name} probe")
    chosen = dict(failed)
    names = {atom[0] for atom in failed}
    for holds in (True, False):
        wanted = sum(one is not holds for one in failed.values())
        able = [atom for atom in grounded.atoms if (atom in true) is holds and atom not in failed]
        alike = [atom for atom in able if atom[0] in names]
        others = [atom for atom in able if atom[0] not in names]
        rng.shuffle(alike)
        rng.shuffle(others)
        if len(able) < wanted:
            return None
        chosen |= dict.fromkeys([*alike, *others][:wanted], holds)
    if not failed:
        return None
    listed = sorted((move_text(atom), holds) for atom, holds in chosen.items())
    rng.shuffle(listed)
    return Probe(f"{item.name}/probe", item, tuple(moves[: checked.step]), tuple(listed))


def scored(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """By policy: the share of facts right, a plan a cluster, and how many plans were asked of."""
    by: dict[str, dict[str, tuple[int, int]]] = {}
    for record in records:
        if record.get("task") == TASK and record["reply"] is not None:
            facts = record.get("facts") or {}
            right = facts.get("right", 0)
            by.setdefault(record["policy"], {})[record["item"]] = right, record["asked"]
    found = {}
    for policy, own in by.items():
        table = np.array(list(own.values()), float)
        rate = ratio_rate(table[:, 0], table[:, 1], chance=0.5)
        found[policy] = {"plans": len(own), "right": rate.record()}
    return found
