"""The rules of planning: one kernel for every problem, which is arrays in ``Rules``.

The engine is ``task``. A state here is a record that is large enough for all problems that fit:
4,096 atoms and 256 numbers that change.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, TRUNCATED, seed_rng, sizes
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.problems import Chosen, choose

WORDS, VALUES = 64, 256
MOST_FIRED, MOST_FRESH = 16, 32
"""Words for the conditional effects of one action, and room for its changes of numbers."""
PLAYING, SOLVED, STUCK = 0, 1, 2
NO_ACTION = -1
REWARDS = ("goal", "cost")
LONGEST = 2000
"""The most steps of a game."""
UNKNOWN_STEPS = 500
"""The most steps where no plan is known."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("bits", "u8", (WORDS,)),  # atoms that are true
        ("values", "f8", (VALUES,)),  # NaN for a number that was never given
        ("fired", "u8", (MOST_FIRED,)),  # scratch of a step, 0 between steps
        ("fresh", "f8", (MOST_FRESH,)),  # the same
        ("steps", "i4"),
        ("last", "i4"),  # action, or NO_ACTION
        ("done", "i1"),  # PLAYING, SOLVED or STUCK
    ],
    align=True,
)


@sizes(
    actions=lambda rules: rules.actions,
    observation=lambda rules: (2 * rules.atoms + rules.values + rules.goals,),
    decisions=lambda rules: rules.max_steps,
    dtype=np.float32,
    low=lambda rules: -np.inf if rules.values else -1,
    high=lambda rules: np.inf if rules.values else 1,
    arrays={"ints": np.int32, "floats": np.float64, "first": np.uint64, "text": np.uint8},
)
class Rules(NamedTuple):
    """A problem and how it is played; the fields from ``atoms`` on are those of ``task.Task``.

    Attributes:
        goals: parts of the goal, over all ways in which it can hold. number: a hash of the problem.
        text: domain and problem as compressed PDDL, from which the words are made.
    """

    max_steps: int
    reward: int
    number: int
    goals: int
    atoms: int
    values: int
    actions: int
    operators: int
    ways: int
    has_metric: int
    ints: np.ndarray
    floats: np.ndarray
    first: np.ndarray
    text: np.ndarray
    num_players: int = 1

    @property
    def key(self) -> tuple[int, int, int]:
        """What these rules are told apart by."""
        return self.number, self.max_steps, self.reward


def make_rules(max_steps: int, reward: str, **which: Any) -> Rules:
    """Rules of the problem that the other options choose.

    Raises:
        ValueError: options that do not go together, a file that is no PDDL as it is read here, or
            a problem that does not fit, is solved at the start or cannot be begun.
    """
    chosen = choose(**which)
    task = chosen.grounded.task
    _check(chosen)
    if not max_steps:
        known = len(chosen.plan)
        max_steps = min(LONGEST, 4 * known + 20) if known else UNKNOWN_STEPS
    text = "\0".join((chosen.domain_text, chosen.problem_text)).encode()
    digest = hashlib.blake2b(text, digest_size=7).digest()
    return Rules(
        max_steps=max_steps,
        reward=REWARDS.index(reward),
        number=int.from_bytes(digest, "little"),
        goals=_goal_parts(task),
        text=np.frombuffer(zlib.compress(text, 9), np.uint8),
        **task._asdict(),
    )


def _goal_parts(task: Any) -> int:
    count = 0
    for section in (engine.GOAL_PRE, engine.GOAL_NEG, engine.GOAL_NUM):
        at = task.ints[section]
        count += int(task.ints[at + task.ways] - task.ints[at])
    return count


def _check(chosen: Chosen) -> None:
    """Raises ``ValueError`` for a problem that cannot be played here."""
    task, name = chosen.grounded.task, chosen.grounded.problem.name
    limits = (
        ("atoms", task.atoms, 64 * WORDS),
        ("numbers that change", task.values, VALUES),
        ("effects of one action", engine.most_effects(task), 64 * MOST_FIRED),
        ("changes of numbers by one action", engine.most_changes(task), MOST_FRESH),
    )
    for what, found, most in limits:
        if found > most:
            raise ValueError(
                f"planning: {name} has {found:,} {what}; environments hold {most:,} at most"
            )
    bits, values, *_ = engine.scratch_of(task)
    engine.start_state(task, bits, values)
    if engine.goal_holds(task, bits, values):
        raise ValueError(f"planning: the goal of {name} holds at the start")
    if not engine.any_applicable(task, bits, values):
        raise ValueError(f"planning: no action of {name} can be taken at the start")


@njit(cache=True)
def _settle(rules, s):
    """Note whether the goal holds, or nothing can be done any more."""
    if engine.goal_holds(rules, s.bits, s.values):
        s.done = SOLVED
    elif not engine.any_applicable(rules, s.bits, s.values):
        s.done = STUCK


@njit(cache=True)
def reset(rules, s, seed):
    """The start is the problem's; the seed changes nothing in it."""
    seed_rng(s, seed)
    engine.start_state(rules, s.bits, s.values)
    for k in range(MOST_FIRED):
        s.fired[k] = 0
    for k in range(MOST_FRESH):
        s.fresh[k] = 0.0
    s.steps = 0
    s.last = NO_ACTION
    s.done = PLAYING
    _settle(rules, s)


@njit(cache=True)
def current_player(rules, s):
    if s.done != PLAYING:
        return TERMINAL
    return TRUNCATED if s.steps >= rules.max_steps else 0


@njit(cache=True)
def legal_actions(rules, s, out):
    return engine.applicable(rules, s.bits, s.values, out)


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    return 0 <= action < rules.actions and engine.is_applicable(rules, action, s.bits, s.values)


@njit(cache=True)
def step(rules, s, action):
    engine.apply(rules, action, s.bits, s.values, s.fired, s.fresh)
    s.steps += 1
    s.last = action
    _settle(rules, s)


@njit(cache=True)
def returns(rules, s, out):
    """1 at the goal, else 0; or minus the metric, where there is none minus the steps."""
    if rules.reward == 0:
        out[0] = 1.0 if s.done == SOLVED else 0.0
    else:
        cost = engine.metric_of(rules, s.values) if rules.has_metric else float(s.steps)
        out[0] = 0.0 - cost


@njit(cache=True)
def round_return(rules, value):
    """Numbers of a metric have at most six decimals here."""
    return np.rint(value * 1e6) / 1e6 + 0.0


@njit(cache=True)
def observe(rules, s, player, out):
    """Atoms, atoms wanted by the goal (1, -1 or 0), numbers, parts of the goal that hold."""
    atoms, ints = rules.atoms, rules.ints
    for atom in range(atoms):
        out[atom] = 1.0 if engine.is_true(s.bits, atom) else 0.0
        out[atoms + atom] = 0.0
    for way in range(rules.ways):
        at = ints[engine.GOAL_PRE] + way
        for k in range(ints[at], ints[at + 1]):
            out[atoms + ints[k]] = 1.0
        at = ints[engine.GOAL_NEG] + way
        for k in range(ints[at], ints[at + 1]):
            out[atoms + ints[k]] = -1.0
    scales = ints[engine.SECTIONS + engine.SCALES]
    for k in range(rules.values):
        value = s.values[k]
        # NaN, which is not equal to itself, is a number that was never given.
        out[2 * atoms + k] = value / rules.floats[scales + k] if value == value else 0.0
    engine.goals_met(rules, s.bits, s.values, out[2 * atoms + rules.values :])
