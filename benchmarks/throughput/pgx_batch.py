"""Pgx: games stepped together in one jitted loop, with the cheapest random numbers found for it."""

from __future__ import annotations

import warnings
from typing import Any

from stratagym.benchmarks.harness.measuring import Batched, Episode, best_batch
from stratagym.benchmarks.throughput.native import private_folder

SIZES = {"chess": (16, 64), "go_9x9": (64, 256), "go_19x19": (16, 64)}
SIZES_OTHERS = (256, 4096, 16384)
"""Batch sizes that are tried; the quickest is measured."""
DECISIONS = {"chess": 1024, "go_9x9": 16_384, "go_19x19": 1024}
DECISIONS_OTHERS = 200_000
"""Decisions of an episode: few enough for its time, many enough for jit's call to be nothing."""


def batch_of(name: str, size: int) -> Episode:
    """``size`` games stepped inside one jitted loop, with observations, masks and new starts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax
        import pgx
        from pgx.experimental import auto_reset

    # Compiling chess takes most of a minute for each size; the next run finds it here.
    jax.config.update("jax_compilation_cache_dir", str(private_folder() / "jax"))
    env, numpy = pgx.make(name), jax.numpy
    steps = max(1, DECISIONS.get(name, DECISIONS_OTHERS) // size)
    advance = jax.vmap(auto_reset(env.step, env.init))
    games = numpy.arange(size, dtype=numpy.uint32)

    def turn(_: Any, carry: Any) -> Any:
        states, key = carry
        key, choosing, stepping = jax.random.split(key, 3)
        # A key a game by counting up from one; jax.random.split would cost more than the games.
        keys = numpy.stack([numpy.full(size, stepping[0]), stepping[1] + games], axis=-1)
        # One uniform number a game and a running sum of its mask: jax.random.categorical draws
        # one for every action.
        reached = numpy.cumsum(states.legal_action_mask, axis=-1, dtype=numpy.int32)
        chosen = jax.random.uniform(choosing, (size, 1)) * reached[:, -1:]
        actions = numpy.argmax(reached > chosen, axis=-1)
        return advance(states, actions, keys), key

    run = jax.jit(lambda *carry: jax.lax.fori_loop(0, steps, turn, carry))
    carry = (
        jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), size)),
        jax.random.PRNGKey(1),
    )

    def episode() -> int:
        nonlocal carry
        carry = jax.block_until_ready(run(*carry))
        return size * steps

    return episode


def by_cpu(name: str) -> Batched:
    """The batch size with most decisions per CPU-second."""
    return best_batch(lambda size: batch_of(name, size), SIZES.get(name, SIZES_OTHERS))


def by_wall(name: str) -> Batched:
    """The batch size with most decisions per second."""
    return best_batch(lambda size: batch_of(name, size), SIZES.get(name, SIZES_OTHERS), "wall")
