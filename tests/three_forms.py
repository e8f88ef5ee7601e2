"""Random games in ``BatchEnv``, ``VectorEnv`` and the AEC environment, compared step by step.

    PYTHONPATH=tests python tests/three_forms.py [GAME ...] [--games 1000] [--seed 1]

Rewards of all seats, ends, truncation and what every seat sees at the end have to be equal. Some
games are played under a limit that truncates them. Prints a line for each game.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from ours import our_games

from stratagym.envs import core, make_batch
from stratagym.envs.aec import GameEnv
from stratagym.wrappers.vector import VectorEnv

LIMITS = {"ludo": {"players": 2, "max_rolls": 40}, "diplomacy": {"years": 1},
          "planning": {"max_steps": 20}}  # fmt: skip
"""Options under which random games of these are truncated."""
AT_ONCE = 8


def compared(game: str, games: int, seed: int, **options: Any) -> tuple[int, int, int]:
    """Play at least so many games in all three forms.

    Returns:
        How many games were compared, how many of them were truncated, and steps.

    Raises:
        AssertionError: something differs.
    """
    batch = make_batch(game, AT_ONCE, seed=seed, final_observations=True, **options)
    vector = VectorEnv(game, AT_ONCE, "self", autoreset_mode=AutoresetMode.SAME_STEP, **options)
    vector.reset(seed=batch.seeds)
    assert batch.final_observations is not None
    rng = np.random.default_rng(seed)
    singles = [GameEnv(batch.spec, batch.rules) for _ in range(AT_ONCE)]

    def begin(i: int) -> None:
        own = core.derive_seed(batch.seeds[i], np.uint64(batch.episodes[i]))
        singles[i].reset(seed=int(own))
        assert singles[i].states["rng"][0] == batch.states["rng"][i] == vector.states["rng"][i]

    for i in range(AT_ONCE):
        begin(i)
    ended = truncated = steps = 0
    while ended < games:
        masks = batch.action_masks
        actions = (masks * (1 + rng.random(masks.shape))).argmax(1)
        batch.step(actions)
        _, _, over, stopped, infos = vector.step(actions)
        steps += AT_ONCE
        assert (over == batch.terminations).all() and (stopped == batch.truncations).all()
        assert (infos["rewards"] == batch.rewards).all()
        for i, env in enumerate(singles):
            env.step(int(actions[i]))
            names = env.possible_agents
            assert batch.rewards[i].tolist() == [env.rewards[name] for name in names]
            assert batch.terminations[i] == all(env.terminations.values())
            assert batch.truncations[i] == all(env.truncations.values())
            if not (batch.terminations[i] or batch.truncations[i]):
                continue
            for seat, name in enumerate(names):
                seen = env.observe(name)["observation"]
                assert (batch.final_observations[i, seat] == seen).all()
            mover = int(infos["final_info"]["seat"][i])
            assert (infos["final_obs"][i] == batch.final_observations[i, mover]).all()
            ended, truncated = ended + 1, truncated + int(batch.truncations[i])
            begin(i)
    return ended, truncated, steps


def main() -> int:
    """Compare the games that are named, by default all."""
    parser = argparse.ArgumentParser(description="The same random games in three forms.")
    parser.add_argument("game", metavar="GAME", nargs="*")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for game in given.game or our_games():
        begun = time.process_time()
        limit = LIMITS.get(game)
        found = [compared(game, given.games, given.seed)]
        if limit:
            found.append(compared(game, given.games // 4, given.seed, **limit))
        ended, truncated, steps = map(sum, zip(*found, strict=True))
        print(
            f"{game}: {ended} games equal, {truncated} of them truncated, {steps} steps, "
            f"{time.process_time() - begun:.0f} CPU-s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
