"""Frozen plans of games of sealed plans:  python -m stratagym.agents.plan_pools GAME

Writes ``<game>-v<VERSION>.json`` into ``data/plans``, for a game of another package into that
folder beside its agents: for each level and role 24 plans, and a mixture of plans with weights,
with the seed, the options and the program's constants that made them. A level's
plans are climbed against those of the level below, the mixture by double oracle. Tables or rules
that change need another version; ladders stand on the plans as they are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.plan_search import Fights
from stratagym.envs import core, sealed, sealed_words, spec

VERSION, SEED = 1, 20
PLANS = 24
"""Of a level and role."""
BEST, RANDOM = 3, 16
"""Level 1: the best of so many fills against so many random plans."""
START = 6
"""A climb starts from the best of so many fills."""
STEPS = (400, 400), (600, 600), (600, 600)
"""Of the attacker's and the defender's climbs of levels 2, 3 and 4, unless ``PLAN_STEPS`` of the
game's agents says otherwise."""
ITERATIONS, SAMPLE = 40, 16
"""Of the double oracle: replies of each role, plans that each is climbed against."""
ORACLE_STEPS = 250, 250
"""Of its climbs, the attacker's and the defender's, unless ``ORACLE_STEPS`` of the game's agents
says otherwise."""
MIXED_IN = 4
"""One opponent in so many of a climb is a fill, so that climbers do not forget simple play."""
ROLES = ("attacker", "defender")


def oracle_steps(game: core.GameSpec) -> tuple[int, int]:
    """``ORACLE_STEPS`` of a game."""
    return hooks.found(game, "ORACLE_STEPS") or ORACLE_STEPS


def path_of(game: core.GameSpec) -> Path:
    """The file of a game's frozen plans, whether there or not."""
    return hooks.data_folder(game, "plans") / f"{game.name}-v{VERSION}.json"


def frozen(game: core.GameSpec) -> dict[str, Any]:
    """A game's frozen plans.

    Raises:
        ValueError: there are none, in one line.
    """
    path = path_of(game)
    if not path.exists():
        raise ValueError(
            f"{game.name} has no frozen plans; run: python -m stratagym.agents.plan_pools "
            f"{game.name}"
        )
    return _read(path)


@cache
def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def level(game: core.GameSpec, rules: Any, k: int, seat: int) -> list[np.ndarray]:
    """The frozen plans of a level, 1 to 4, as micro-actions."""
    plans = frozen(game)["levels"][str(k)][ROLES[seat]]
    view = game.module("view")
    return [sealed_words.plan_actions(view, rules, seat, plan) for plan in plans]


def mixture(game: core.GameSpec, rules: Any, seat: int) -> tuple[list[np.ndarray], list[float]]:
    """The frozen mixture: plans as micro-actions, and their weights."""
    rows, view = frozen(game)["mixture"][ROLES[seat]], game.module("view")
    plans = [sealed_words.plan_actions(view, rules, seat, row["plan"]) for row in rows]
    return plans, [row["weight"] for row in rows]


def archetypes(game: core.GameSpec, rules: Any) -> list[dict[str, np.ndarray]]:
    """Each seat's plans that people would make, by name, as micro-actions."""
    found: list[dict[str, np.ndarray]] = [{}, {}]
    for name, (seat, moves) in hooks.found(game, "ARCHETYPES").items():
        actions = sealed_words.move_actions(game.module("view"), rules, seat, moves)
        found[seat][name] = actions
    return found


# --- making them ---------------------------------------------------------------------------------


class Maker:
    """Makes the plans of a game, one level after the other; by its default rules unless given."""

    def __init__(self, game: core.GameSpec, seed: int = SEED, rules: Any = None):
        self.game, self.rules, self.seed = game, rules or game.make_rules(), seed
        self.fights, self.draws = Fights(game, self.rules), np.random.default_rng(seed)

    def one_seed(self) -> int:
        return int(self.draws.integers(2**62))

    def drawn(self, plans: Sequence[np.ndarray], n: int) -> list[np.ndarray]:
        return [plans[k] for k in self.draws.choice(len(plans), n, replace=n > len(plans))]

    def best(self, seat: int, n: int, against: Sequence[np.ndarray]) -> np.ndarray:
        return self.fights.best_fill(seat, n, against, self.one_seed())

    def opponents(self, seat: int, plans: Sequence[np.ndarray], n: int) -> list[np.ndarray]:
        """Plans of ``seat`` to climb against: ``n`` in all, some of them fills."""
        fills = n // MIXED_IN
        return [*self.drawn(plans, n - fills), *self.fights.fills(seat, fills, self.one_seed())]

    def first(self) -> list[list[np.ndarray]]:
        """Level 1 of both roles."""
        return [
            [
                self.best(
                    seat, BEST, self.fights.fills(1 - seat, RANDOM, self.one_seed(), fill=False)
                )
                for _ in range(PLANS)
            ]
            for seat in range(2)
        ]

    def climbed(
        self, below: Sequence[Sequence[np.ndarray]] | None, steps: Sequence[int]
    ) -> list[list[np.ndarray]]:
        """A level of both roles, climbed against the one below, or against fills."""
        own = archetypes(self.game, self.rules) if min(steps) > 300 and below is None else [{}, {}]
        found: list[list[np.ndarray]] = []
        for seat in range(2):
            plans = []
            for k in range(PLANS):
                against = (
                    self.fights.fills(1 - seat, PLANS, self.one_seed())
                    if below is None
                    else self.opponents(1 - seat, below[1 - seat], PLANS)
                )
                known = [*own[seat].values()]
                start = known[k % len(known)] if known else self.best(seat, START, against)
                plans.append(self.fights.climb(seat, start, against, steps[seat], self.one_seed()))
            found.append(plans)
        return found

    def equilibrium(
        self, starts: Sequence[Sequence[np.ndarray]]
    ) -> tuple[list[list[np.ndarray]], list[np.ndarray], list[float]]:
        """Double oracle by climbing: (plans of each role, weights, value for the attacker as it
        went)."""
        pools = [list(plans) for plans in starts]
        payoffs = self.payoffs(*pools)
        values: list[float] = []
        weights = solve(payoffs)
        steps = oracle_steps(self.game)
        for _ in range(ITERATIONS):
            new = []
            for seat in range(2):
                share = weights[1 - seat] / weights[1 - seat].sum()
                picks = self.draws.choice(len(pools[1 - seat]), SAMPLE, p=share)
                against = [pools[1 - seat][k] for k in picks]
                against += self.fights.fills(1 - seat, SAMPLE // MIXED_IN, self.one_seed())
                start = pools[seat][int(self.draws.choice(len(pools[seat]), p=weights[seat]))]
                new.append(self.fights.climb(seat, start, against, steps[seat], self.one_seed()))
            rows = self.payoffs([new[0]], [*pools[1], new[1]])
            column = self.payoffs(pools[0], [new[1]])
            payoffs = np.vstack([np.hstack([payoffs, column]), rows])
            for seat in range(2):
                pools[seat].append(new[seat])
            weights = solve(payoffs)
            values.append(float(weights[0] @ payoffs @ weights[1]))
        return pools, weights, values

    def payoffs(
        self, attackers: Sequence[np.ndarray], defenders: Sequence[np.ndarray]
    ) -> np.ndarray:
        """Results for the attacker: (attackers, defenders)."""
        found = np.zeros((len(attackers), len(defenders)))
        for k, defender in enumerate(defenders):
            board = self.fights.board(1, [defender])
            for i, attacker in enumerate(attackers):
                found[i, k] = self.fights.mean(0, attacker, board)
        return found

    def told(self, seat: int, plan: np.ndarray) -> dict[str, Any]:
        """A plan as JSON."""
        states = core.new_states(self.rules)
        sealed.set_plan(self.rules, states, 0, seat, plan)
        return self.game.module("view").plan_json(self.rules, states[0], seat, False)

    def share(self, one: Sequence[Sequence[np.ndarray]], other: Any) -> list[float]:
        """Points a game of each role of ``one`` against the other role of ``other``."""
        return [
            float((self.payoffs(one[0], other[1]).mean() + 1) / 2),
            float((1 - self.payoffs(other[0], one[1]).mean()) / 2),
        ]


def solve(payoffs: np.ndarray, rounds: int = 20_000) -> list[np.ndarray]:
    """Both sides' mixtures of a matrix game, nearly optimal: regret matching plus, averaged.

    Args:
        payoffs: (rows, columns), what the column player pays the row player.
    """
    own = np.ascontiguousarray(payoffs, float)
    sums = [np.zeros(n) for n in own.shape]
    _match_regrets(own, np.ascontiguousarray(-own.T), rounds, *sums)
    return [one / one.sum() for one in sums]


@njit(cache=True)
def _match_regrets(own, other, rounds, own_sums, other_sums):
    """Add up what both play, later rounds for more. A side's payoffs are (its, the other's)."""
    own_regrets, other_regrets = np.zeros(len(own)), np.zeros(len(other))
    own_now, other_now = np.zeros(len(own)), np.zeros(len(other))
    for k in range(rounds):
        _mix(own_regrets, own_now)
        _mix(other_regrets, other_now)
        _regret(own, own_regrets, own_now, other_now)
        _regret(other, other_regrets, other_now, own_now)
        for i in range(len(own)):
            own_sums[i] += (k + 1) * own_now[i]
        for i in range(len(other)):
            other_sums[i] += (k + 1) * other_now[i]


@njit(cache=True)
def _mix(regrets, now):
    total = regrets.sum()
    for i in range(len(now)):
        now[i] = regrets[i] / total if total > 0 else 1 / len(now)


@njit(cache=True)
def _regret(payoffs, regrets, now, against):
    """Add how much more each choice would have brought than the mixture did, at least to 0."""
    gains = np.zeros(len(now))
    for i in range(len(now)):
        for j in range(len(against)):
            gains[i] += payoffs[i, j] * against[j]
    brought = (now * gains).sum()
    for i in range(len(now)):
        regrets[i] = max(0.0, regrets[i] + gains[i] - brought)


def make(game: core.GameSpec, say: Any = print) -> dict[str, Any]:
    """All frozen plans of a game."""
    maker = Maker(game)
    steps = hooks.found(game, "PLAN_STEPS") or STEPS
    levels = [
        [maker.fights.fills(seat, PLANS, maker.one_seed(), fill=False) for seat in range(2)],
        maker.first(),
    ]
    levels.append(maker.climbed(None, steps[0]))
    levels.append(maker.climbed(levels[2], steps[1]))
    levels.append(maker.climbed(levels[3], steps[2]))
    shares = {}
    for k in range(1, len(levels)):
        shares[str(k)] = maker.share(levels[k], levels[k - 1])
        say(f"level {k} against level {k - 1}, attacker and defender: {shares[str(k)]}")
    own = archetypes(game, maker.rules)
    starts = [[*levels[4][seat][:8], *own[seat].values()] for seat in range(2)]
    pools, weights, values = maker.equilibrium(starts)
    say(f"value of the mixture for the attacker, 0 to 1: {(values[-1] + 1) / 2:.3f}")
    return {
        "game": game.name,
        "version": VERSION,
        "game_version": game.version,
        "command": f"python -m stratagym.agents.plan_pools {game.name}",
        "seed": maker.seed,
        "options": game.options_in_force(),
        "constants": {
            "plans": PLANS, "best": BEST, "random": RANDOM, "start": START, "steps": list(steps),
            "iterations": ITERATIONS, "sample": SAMPLE, "mixed_in": MIXED_IN,
            "oracle_steps": list(oracle_steps(game)),
        },
        "shares": shares,
        "value": (values[-1] + 1) / 2,
        "levels": {
            str(k): {
                role: [maker.told(seat, plan) for plan in levels[k][seat]]
                for seat, role in enumerate(ROLES)
            }
            for k in range(1, len(levels))
        },
        "mixture": {
            role: [
                {"weight": round(float(weight), 6), "plan": maker.told(seat, plan)}
                for plan, weight in zip(pools[seat], weights[seat], strict=True)
                if weight > 0.001
            ]
            for seat, role in enumerate(ROLES)
        },
    }  # fmt: skip


def in_lines(value: Any, pad: str = "") -> str:
    """A file's JSON, with a line for each plan of a list."""
    if isinstance(value, dict):
        rows = [
            f"{pad} {json.dumps(name)}: {in_lines(of, pad + ' ')}" for name, of in value.items()
        ]
        return "{\n" + ",\n".join(rows) + f"\n{pad}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"{pad} {json.dumps(one)}" for one in value) + f"\n{pad}]"
    return json.dumps(value)


def main(arguments: Sequence[str]) -> int:
    """Make a game's file; 2 for a game that has no plans."""
    try:
        (name,) = arguments
        game = spec(name)
        if hooks.found(game, "ARCHETYPES") is None:
            raise ValueError(f"{name} is no game of sealed plans")
    except ValueError as error:
        print(f"plan_pools: {error}; write: plan_pools GAME", file=sys.stderr)
        return 2
    made = make(game)
    path_of(game).parent.mkdir(parents=True, exist_ok=True)
    path_of(game).write_text(in_lines(made) + "\n", encoding="utf-8")
    print(path_of(game))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
