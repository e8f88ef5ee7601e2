"""How a rate is taken and told: CPU and wall time, the machine it was taken on, three digits."""

from __future__ import annotations

import math
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.bits import ONE, load_word, lowest, popcount
from stratagym.envs.threads import processors

Episode: TypeAlias = Callable[[], float]
"""Plays one or more games; returns the number of player decisions."""
TRIAL = 0.15
"""Seconds that a batch size is tried for."""


@dataclass(frozen=True)
class Sample:
    """One repeat: decisions, the CPU-seconds of all threads of the process, and seconds."""

    decisions: float
    cpu: float
    wall: float

    def rate(self, clock: str = "cpu") -> float:
        """Decisions per second of ``clock``, "cpu" or "wall"."""
        return self.decisions / (self.cpu if clock == "cpu" else self.wall)


def sample(episode: Episode, seconds: float) -> Sample:
    """Play whole episodes for about ``seconds`` of wall time."""
    decisions = 0.0
    start, cpu = time.perf_counter(), time.process_time()
    while True:
        decisions += episode()
        wall, used = time.perf_counter() - start, time.process_time() - cpu
        if wall >= seconds and used > 0:
            return Sample(decisions, used, wall)


def rate(episode: Episode, seconds: float) -> float:
    """Decisions per CPU-second over about ``seconds`` of wall time."""
    return sample(episode, seconds).rate()


@dataclass(frozen=True)
class Batched:
    """An episode of ``batch`` games stepped together."""

    play: Episode
    batch: int

    def __call__(self) -> float:
        return self.play()


def best_batch(make: Callable[[int], Episode], sizes: Iterable[int], clock: str = "cpu") -> Batched:
    """The episode of the fastest batch size here; each size is tried for ``TRIAL`` seconds."""
    tried = []
    for size in sizes:
        episode = make(size)
        episode()  # so that it is compiled
        tried.append((sample(episode, TRIAL).rate(clock), Batched(episode, size)))
    return max(tried, key=lambda pair: pair[0])[1]


def median_interval(
    values: Sequence[float], confidence: float = 0.95
) -> tuple[float, float] | None:
    """An interval for the median of the distribution of ``values``, whatever its shape.

    Its ends are two of the values, as few as possible from the middle (the sign test's interval).
    Fewer than 6 values have none: both ends would have to lie outside of them.
    """
    n = len(values)
    # Cutting k values off either end misses the median as often as a coin falls so unevenly.
    outside, cut = 2 * 0.5**n, 0
    if outside > 1 - confidence:
        return None
    while outside + 2 * math.comb(n, cut + 1) * 0.5**n <= 1 - confidence:
        cut += 1
        outside += 2 * math.comb(n, cut) * 0.5**n
    ordered = sorted(values)
    return ordered[cut], ordered[n - 1 - cut]


@njit(cache=True)
def choose_random(masks, generators, actions):
    """A uniformly random legal action for every game, from its action mask (int8, C order).

    Masks are read eight actions at a time: a one is one bit.
    """
    width = masks.shape[1]
    words = width // 8
    for i in range(masks.shape[0]):
        n = 0
        for k in range(words):
            n += popcount(load_word(masks, width * i + 8 * k))
        for action in range(8 * words, width):
            n += masks[i, action]
        left = core.random_below(generators[0], n)
        chosen = -1
        for k in range(words):
            word = load_word(masks, width * i + 8 * k)
            here = popcount(word)
            if left < here:
                for _ in range(left):
                    word &= word - ONE
                chosen = 8 * k + (lowest(word) >> 3)
                break
            left -= here
        action = 8 * words
        while chosen < 0:
            if masks[i, action]:
                if left == 0:
                    chosen = action
                left -= 1
            action += 1
        actions[i] = chosen


@njit(cache=True, nogil=True)
def observed_games(rules, states, legal, probs, observation, seed, decisions):
    """Random games in ``states[0]``, the seat to move observing before every decision.

    Returns the decisions in whole games, at least ``decisions``.
    """
    s = states[0]
    done, games = 0, 0
    while done < decisions:
        player = core.start(rules, s, core.derive_seed(seed, games), probs)
        while player >= 0:
            core.observe(rules, s, player, observation)
            n = core.legal_actions(rules, s, legal)
            player = core.play(rules, s, legal[core.random_below(s, n)], probs)
            done += 1
        games += 1
    return done


@njit(cache=True)
def _nothing():
    return 0


def empty_calls(number: int = 200_000) -> dict[str, float]:
    """Nanoseconds of a call of an empty compiled function from Python, without arguments.

    By ``core.direct``, and as it is, where numba looks up what to call; the loop is not counted.
    """
    direct, found = core.direct(_nothing), {}
    for name, call in (("direct", direct), ("looked_up", _nothing), ("loop", None)):
        times = []
        for _ in range(5):
            start = time.process_time()
            if call is None:
                for _ in range(number):
                    pass
            else:
                for _ in range(number):
                    call()
            times.append(time.process_time() - start)
        found[name] = 1e9 * min(times) / number
    return {name: found[name] - found["loop"] for name in ("direct", "looked_up")}


def spread_of(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def short(value: float) -> str:
    """Three digits: 9.70M, 677k, 950."""
    value = float(f"{value:.3g}")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:#.3g}".rstrip(".") + letter
    return f"{value:#.3g}".rstrip(".")


def machine() -> dict[str, Any]:
    """Where and when the rates were taken."""
    try:
        cpu = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        cpu = None
    return {
        "cpu": cpu[1] if cpu else platform.processor() or platform.machine(),
        "cores": processors(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "date": datetime.now(timezone.utc).isoformat(timespec="minutes"),
    }


def machine_line(where: dict[str, Any]) -> str:
    return (
        f"{where['cpu']}, {where['cores']} cores; Python {where['python']}, "
        f"numba {where['numba']}, numpy {where['numpy']}; {where['date']}"
    )
