"""Players of games of sealed plans: they choose a whole plan and play it action by action.

``plan:fill`` buys at random while anything fits. ``plan:<archetype>`` plays a plan that people
would make, ``plan:level?k=K``, ``plan:climb`` and ``plan:mixture`` one of a frozen pool
(``plan_pools``), ``plan:best?n=N`` the best of N fills. In later rounds these keep their plan.
``plan:reply?evals=E`` answers the other's last plan by hill climbing; at first it plays the best of
12 fills.

A plan is drawn by the seed of its first action. Later actions have other seeds and a player has no
memory, so an action goes on with a plan, drawn again, of those that begin with what stands in the
record: all together each plan is played as often as it is drawn. What is computed, such as a reply,
is computed from the position alone and kept. No player goes over budget, also where that can be
done. A plan that does not fit the budget, or that somebody else has begun, is gone on with by
filling.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.agents.plan_search import Fights
from stratagym.envs import core, sealed
from stratagym.envs.prompts import is_legal

FIRST_FILLS = 12
"""Of ``plan:reply`` in the first round."""
DRAWN = 24
"""Plans of a pool that is computed."""
AGAINST = 16
"""Random plans of the other role that fills are measured by."""
EVALS = 1200
CLIMBED = (2, 3, 4)
"""Levels whose plans were climbed."""
TOP = 5
KINDS = ("fill", "best", "level", "climb", "mixture", "reply")
FROZEN = ("level", "climb", "mixture")
"""Those that play frozen plans."""


@dataclass(frozen=True)
class Pool:
    """Plans of one seat, as micro-actions, and how often each is drawn.

    Attributes:
        beginnings: by what stands in a record after the first n actions, the plans that begin so.
    """

    plans: Sequence[np.ndarray]
    weights: Sequence[float]
    beginnings: Mapping[tuple[int, bytes], list[int]] = field(repr=False)

    def draw(self, rules: Any, states: np.ndarray, seat: int, seed: int) -> int | None:
        """The next action of a plan that begins as the seat's in ``states[0]``, if there is one."""
        acts = int(states["acts"][0][seat])
        found = self.beginnings.get((acts, standing(states, seat)), [])
        if not found:
            return None
        weights = [self.weights[k] for k in found]
        k = random.Random(f"{seed}/plan").choices(found, weights)[0]
        return int(self.plans[k][acts])


def standing(states: np.ndarray, seat: int) -> bytes:
    """What the running commit of a seat has written into ``states[0]``."""
    names = own_fields(states.dtype)
    return b"".join(np.ascontiguousarray(states[name][0][seat]).tobytes() for name in names)


@lru_cache(maxsize=8)
def own_fields(dtype: np.dtype) -> tuple[str, ...]:
    """The fields of a record that hold plans in the making, by seat first."""
    fields: Mapping[str, Any] = dtype.fields or {}
    found = [name for name in fields if f"last_{name}" in fields]
    clock = fields.get("clock")
    return (*found, "clock") if clock is not None and clock[0].shape == (2,) else tuple(found)


def make_pool(
    rules: Any, seat: int, plans: Sequence[np.ndarray], weights: Sequence[float] | None = None
) -> Pool:
    """A pool of plans, each drawn as often as the next unless there are weights."""
    states = core.new_states(rules)
    beginnings: dict[tuple[int, bytes], list[int]] = {}
    for k, plan in enumerate(plans):
        for n in range(len(plan)):
            sealed.set_plan(rules, states, 0, seat, plan[:n])
            beginnings.setdefault((n, standing(states, seat)), []).append(k)
    return Pool(plans, [1.0] * len(plans) if weights is None else weights, beginnings)


class PlanPolicy(Policy):
    """A player of plans; see the module.

    Args:
        kind: one of ``KINDS``, or an archetype. option: its number, 0 if it has none.
    """

    def __init__(self, name: str, spec: core.GameSpec, kind: str, option: int = 0):
        self.name, self.spec, self.kind, self.option = name, spec, kind, option
        self._pools: dict[Any, Pool] = {}
        self._fights: dict[Any, Fights] = {}

    def act(self, decision: Decision) -> int:
        states, seat = decision.states, decision.seat
        # Where a plan over budget can be made, it loses.
        rules = decision.rules._replace(loses=0)
        replies = self.kind == "reply" or (self.kind, self.option) == ("level", TOP)
        is_first = int(states["round"][0]) == 0
        if self.kind != "fill" and not is_first and not replies:
            keep = int(self.spec.module("rules").KEEP)
            if is_legal(rules, states, keep):
                return keep
        if self.kind != "fill":
            pool = self._reply(rules, states, seat) if not is_first and replies else None
            pool = pool or self._first(rules, seat)
            action = pool.draw(rules, states, seat, decision.seed)
            if action is not None and is_legal(rules, states, action):
                return action
        return self.fights(rules).fill_action(states, decision.seed)

    def fights(self, rules: Any) -> Fights:
        """The simulations of a game under these rules."""
        if rules not in self._fights:
            self._fights[rules] = Fights(self.spec, rules)
        return self._fights[rules]

    def _first(self, rules: Any, seat: int) -> Pool:
        """What is played in the first round."""
        key = (rules, seat)
        if key not in self._pools:
            self._pools[key] = self._make_first(rules, seat)
        return self._pools[key]

    def _make_first(self, rules: Any, seat: int) -> Pool:
        from stratagym.agents import plan_pools

        if self.kind in ("best", "reply"):
            n = self.option if self.kind == "best" else FIRST_FILLS
            fights, plans = self.fights(rules), []
            for k in range(DRAWN):
                against = fights.fills(1 - seat, AGAINST, seed_of("against", n, k), fill=False)
                plans.append(fights.best_fill(seat, n, against, seed_of("best", n, k)))
            return make_pool(rules, seat, plans)
        if self.kind == "mixture" or (self.kind, self.option) == ("level", TOP):
            return make_pool(rules, seat, *plan_pools.mixture(self.spec, rules, seat))
        if self.kind in ("level", "climb"):
            return make_pool(rules, seat, plan_pools.level(self.spec, rules, self.option, seat))
        own = plan_pools.archetypes(self.spec, rules)[seat]
        # The other role has no plan of this name: it plays any of its own.
        return make_pool(rules, seat, [own[self.kind]] if self.kind in own else [*own.values()])

    def _reply(self, rules: Any, states: np.ndarray, seat: int) -> Pool:
        """The answer to the other's last plan."""
        n = int(states["last_n"][0][1 - seat])
        names = [name for name in own_fields(states.dtype) if name != "clock"]
        last = [states[f"last_{name}"][0][1 - seat].tobytes() for name in names]
        key = (rules, seat, n, b"".join(last))
        if key not in self._pools:
            if len(self._pools) > 1000:
                self._pools.clear()
            evals = self.option if self.kind == "reply" else EVALS
            seed = seed_of("reply", evals, *last)
            reply = self.fights(rules).reply(states, seat, evals, seed)
            self._pools[key] = make_pool(rules, seat, [reply])
        return self._pools[key]


def seed_of(*parts: Any) -> int:
    """A seed that follows from these and nothing else."""
    return zlib.crc32("/".join(map(repr, parts)).encode())


def plan_policy(spec: core.GameSpec, parsed: PolicyString) -> Policy:
    """``plan:KIND``.

    Raises:
        ValueError: a game without sealed plans, an unknown kind or option, in one line.
    """
    names = known(spec)
    if not names:
        raise ValueError(f"{spec.name} is no game of sealed plans: the policy plan cannot play it")
    kind = parsed.argument
    if kind not in names:
        raise ValueError(f"policy plan: unknown plan {kind!r}; the plans are: {', '.join(names)}")
    wanted = {"best": ("n", 3, 1, 1000), "level": ("k", 1, 0, TOP), "climb": ("k", 4, 2, 4)}
    wanted["reply"] = ("evals", EVALS, 1, 100_000)
    options, value = dict(parsed.options), 0
    name = f"plan:{kind}"
    if kind in wanted:
        option, value, low, high = wanted[kind]
        if option in options:
            try:
                value = core.integer(low, high)(options.pop(option))
            except ValueError as error:
                raise ValueError(f"policy {name}: {option}: {error}") from None
            name += f"?{option}={value}"
    if options:
        raise ValueError(f"policy {name}: unknown option {next(iter(options))!r}")
    if (kind, value) == ("level", 0):
        from stratagym.agents.kernel_policies import RANDOM, KernelPolicy

        return KernelPolicy(name, RANDOM)
    if kind in FROZEN:
        from stratagym.agents import plan_pools

        try:
            plan_pools.frozen(spec)
        except ValueError as error:
            raise ValueError(f"policy {name}: {error}") from None
    return PlanPolicy(name, spec, kind, value)


def known(spec: core.GameSpec) -> tuple[str, ...]:
    """The plans that can be named in a game; none if it has no sealed plans."""
    own = hooks.found(spec, "ARCHETYPES")
    return (*KINDS, *own) if own else ()
