"""Controls for games of sealed plans: players that do not learn from what happened.

``control:keep`` plans at random once and keeps that plan. ``control:redraw=P`` asks the policy P
for a first plan each time, as if nothing had happened. What a policy's revisions are worth is what
they do better than its redraws. A language model's redraws all have the same prompt, so they are
sampled at a temperature of their own unless one is named: at 0 they would all be one plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from stratagym.agents.core import (
    LANGUAGE_MODELS,
    Decision,
    Policy,
    PolicyString,
    decision_for,
    make_policy,
)
from stratagym.agents.llm import LanguageModel
from stratagym.envs import core, sealed

REDRAW = "control:redraw="
REDRAW_TEMPERATURE = 1.0
"""Of a language model's redraws, where neither they nor the model have one above 0."""
_PAST = ("last_n", "last_spent", "last_flags", "last_plan", "result", "why", "end", "left")


class Keep(Policy):
    """A first plan of random legal actions within the budget, and that plan from then on."""

    name = "control:keep"

    def act(self, decision: Decision) -> int:
        if decision.states["round"][0] > 0:
            word = decision.spec.module("view").string_to_action
            return int(word(decision.rules, decision.states[0], "keep"))
        return random_within(decision)


class Redraw(Policy):
    """A policy without a memory: every plan is its first one."""

    def __init__(self, policy: Policy):
        self.policy = policy
        self.name = f"{REDRAW}{policy.name}"

    def act(self, decision: Decision) -> int:
        states = without_past(decision.states)
        return self.policy.act(decision_for(decision.spec, decision.rules, states, decision.seed))


class RedrawnModel(LanguageModel):
    """A language model that is asked for a first plan each time, in the prompt of the first round.

    Its requests are its own: it has the settings, prices and tries of ``model``.
    """

    def __init__(self, model: LanguageModel):
        super().__init__(
            model.chat, model.text, model.tries, f"{REDRAW}{model.name}", model.prices,
            model.price_cached, model.answering,
        )  # fmt: skip

    def shown(self, states: np.ndarray) -> np.ndarray:
        return without_past(states)


def without_past(states: np.ndarray) -> np.ndarray:
    """A copy of (N,) states in their first round, with none of what was planned and what happened.

    The plans that stand in it are no part of what a seat is shown or can play.
    """
    first = states.copy()
    first["round"] = 0
    for name in _PAST:
        first[name] = 0
    return first


LOOKS = 30
"""Positions in which a way to the end of a plan is looked for; where that is not enough there are
many ways, and one of them is taken to be within the budget."""


def random_within(decision: Decision) -> int:
    """A random legal action behind which a plan that is not void can be handed in within the
    budget. In some games what a part costs is counted only when all of it has been chosen.
    """
    rng = np.random.default_rng(decision.seed)
    ends = _Ends(decision)
    for action in rng.permutation(decision.legal).tolist():
        if ends.may_follow(decision.states, action, iter(range(LOOKS))):
            return int(action)
    return int(decision.legal[0])


class _Ends:
    """Ends of the plan that a decision is a part of."""

    def __init__(self, decision: Decision):
        self.rules, self.seat = decision.rules, decision.seat
        self.void = decision.spec.module("rules").VOID
        self.budget = sealed.budget_of.py_func(self.rules, self.seat)
        self.legal, self.probs = core.new_scratch(self.rules)

    def may_follow(self, states: np.ndarray, action: int, looks: Iterator[int]) -> bool:
        """Whether a plan with this action next can end within the budget."""
        if action == self.void:
            return False
        rules, twin = self.rules, states.copy()
        core.play_at(rules, twin, 0, action, self.legal, self.probs)
        now = twin[0]
        resolved = now["round"] != states[0]["round"]
        if int(now["last_spent" if resolved else "spent"][self.seat]) > self.budget:
            return False
        if resolved or now["seat"] != self.seat or next(looks, None) is None:
            return True
        following = self.legal[: core.legal_actions_at(rules, twin, 0, self.legal)].tolist()
        return any(self.may_follow(twin, one, looks) for one in following)


def control_policy(spec: core.GameSpec, text: PolicyString) -> Policy:
    """``control:keep``, ``control:redraw=POLICY``."""
    if not hasattr(spec.module("rules"), "take"):
        raise ValueError(f"policy control: {spec.name} is no game of sealed plans")
    word, _, inner = text.argument.partition("=")
    if word == "keep" and not inner:
        return Keep()
    if word == "redraw" and inner:
        redrawn = text.inner()
        if redrawn.name in LANGUAGE_MODELS:
            options = dict(redrawn.options)
            options.setdefault("temperature", f"{REDRAW_TEMPERATURE:g}")
            redrawn = replace(redrawn, options=options)
        policy = make_policy(spec, redrawn)
        return RedrawnModel(policy) if isinstance(policy, LanguageModel) else Redraw(policy)
    raise ValueError(
        f"policy control:{text.argument}: choose control:keep or control:redraw=POLICY"
    )
