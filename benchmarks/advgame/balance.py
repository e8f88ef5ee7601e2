"""How even a game of sealed plans is, and whether a plan beats all that is found against it.

Pools of plans of both roles grow by double oracle with hill climbing; those of its second half are
called late. A plan dominates if no reply to it is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from stratagym.agents.plan_pools import ROLES, Maker
from stratagym.agents.plan_search import Fights
from stratagym.benchmarks.reporting.stats import wilson
from stratagym.envs import core, sealed

STARTS = 8
"""Plans of each role that the double oracle begins with: fills."""


def balance(
    game: core.GameSpec, rules: Any, seed: int, pairs: int, evals: int
) -> Iterator[tuple[str, str]]:
    """What is found, as (what, figures), in the order in which it is measured.

    Args:
        pairs: of random plans. evals: simulations that a reply may cost.
    """
    maker = Maker(game, seed, rules)
    for what, filled in (("uniform random micro-actions", False), ("plans that fill", True)):
        share = wilson(defender_wins(maker, pairs, filled), pairs).text(3)
        yield f"{what}, {pairs:,} pairs", f"the defender wins {share}"
    starts = [maker.fights.fills(seat, STARTS, maker.one_seed()) for seat in range(2)]
    pools, weights, values = maker.equilibrium(starts)
    half = (1 - np.mean(values[len(values) // 2 :])) / 2
    in_use = [int((one > 0.01).sum()) for one in weights]
    yield (
        f"double oracle, {len(values)} replies a role",
        f"worth {(1 - values[-1]) / 2:.2f} to the defender, {half:.2f} in the mean of its second "
        f"half; it mixes {in_use[0]} plans of the attacker and {in_use[1]} of the defender",
    )
    late = [pool[STARTS + len(values) // 2 :] for pool in pools]
    points = (maker.payoffs(*late) + 1) / 2
    yield "late plans against each other", f"the defender wins {1 - points.mean():.2f}"
    for seat, role in enumerate(ROLES):
        best = points.mean(1).max() if seat == 0 else 1 - points.mean(0).min()
        plans = late[seat]
        found = sum(has_reply(maker.fights, seat, plan, evals, maker.one_seed()) for plan in plans)
        yield (
            f"the {role}'s late plans",
            f"the best wins {best:.2f} against the other's; winning replies were found to {found} "
            f"of {len(plans)} ({evals:,} simulations each)",
        )


def defender_wins(maker: Maker, pairs: int, filled: bool) -> int:
    """How many of so many pairs of random plans the defender wins."""
    states, results = core.new_states(maker.rules, pairs), np.zeros(pairs, np.int64)
    for seat in range(2):
        for k, plan in enumerate(maker.fights.fills(seat, pairs, maker.one_seed(), filled)):
            sealed.set_plan(maker.rules, states, k, seat, plan)
    sealed.resolve_plans(maker.rules, states, results)
    return int((results < 0).sum())


def has_reply(fights: Fights, seat: int, plan: np.ndarray, evals: int, seed: int) -> bool:
    """Whether ``plan:reply`` finds a plan that beats this one of ``seat``."""
    states, (legal, probs) = core.new_states(fights.rules), core.new_scratch(fights.rules)
    plans = [fights.fills(own, 1, seed)[0] for own in range(2)]
    plans[seat] = plan
    core.start_at(fights.rules, states, 0, np.uint64(0), probs)
    for action in np.concatenate(plans).tolist():
        core.play_at(fights.rules, states, 0, action, legal, probs)
    reply = fights.reply(states, 1 - seat, evals, seed)
    return fights.mean(1 - seat, reply, fights.board(seat, [plan])) > 0
