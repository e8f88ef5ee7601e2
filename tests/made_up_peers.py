"""Peers to be measured that are good for nothing; a process of its own imports them by name."""

import os

from stratagym.benchmarks.harness.measuring import Batched


def missing_module(game):
    import no_such_peer  # noqa: F401


def missing_java(game):
    raise ImportError("Java is needed")


def broken(game):
    raise RuntimeError(f"no game\nnamed {game}")


def steady(game):
    return lambda: 10


def on_processors(game):
    """Its batch is as large as there are processors to run on."""
    return Batched(lambda: 10, len(os.sched_getaffinity(0)))


def dying(game):
    return lambda: os._exit(5)
