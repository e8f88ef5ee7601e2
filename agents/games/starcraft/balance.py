"""No build beats all others: builds with the supply that attacks, each against each.

python -m stratagym.agents.games.starcraft.balance      prints the table of the game's page
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np

from stratagym.agents.games.starcraft import THRESHOLD
from stratagym.agents.games.starcraft.levels import BUILDS, RANDOM_BUILD
from stratagym.agents.kernel_policies import RULE, KernelPolicy, play_many
from stratagym.envs import spec

THRESHOLDS = (4, 8, 12, 16, 20, 24, 28, 34, 40)


def shares(level: int, games: int, seed: int = 0) -> tuple[list[tuple[int, int]], np.ndarray]:
    """All plans, (build, supply that attacks), and what each wins of each, draws as half a win.

    Args:
        games: of a pair of plans, an even number: each seed is played from both seats.
    """
    rules = spec("starcraft").make_rules()
    plans = list(itertools.product(range(RANDOM_BUILD), THRESHOLDS))
    policies = [KernelPolicy("", RULE, level + 8 * b + THRESHOLD * at) for b, at in plans]
    seeds = np.repeat(np.arange(games // 2, dtype=np.uint64) + np.uint64(seed * games), 2)
    seating = np.array([(0, 1), (1, 0)] * (games // 2))
    won = np.full((len(plans), len(plans)), 0.5)
    for i, j in itertools.combinations(range(len(plans)), 2):
        returns = play_many(rules, [policies[i], policies[j]], seeds, seating).returns
        own = np.take_along_axis(returns, seating.argmin(1)[:, None], 1)[:, 0]
        won[i, j] = ((1 + own) / 2).mean()
        won[j, i] = 1 - won[i, j]
    return plans, won


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--level", type=int, default=5, help="1 to 7")
    parser.add_argument("--games", type=int, default=20, help="of each pair of plans")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    plans, won = shares(args.level, args.games, args.seed)
    of_build = np.array([build for build, _ in plans])
    names = BUILDS[:RANDOM_BUILD]
    print("| Build | Attacks at | " + " | ".join(f"against {name}" for name in names), end=" | ")
    print("loses most to |\n| --- " * 1 + "| --- " * (len(names) + 2) + "|")
    for i, (build, at) in enumerate(plans):
        means = [won[i, of_build == other].mean() for other in range(RANDOM_BUILD)]
        others = np.where(of_build == build, 2.0, won[i])
        worst = int(others.argmin())
        told = f"{names[plans[worst][0]]} at {plans[worst][1]}: wins {others[worst]:.2f}"
        cells = " | ".join(f"{mean:.2f}" for mean in means)
        print(f"| {names[build]} | {at} | {cells} | {told} |")


if __name__ == "__main__":
    main()
