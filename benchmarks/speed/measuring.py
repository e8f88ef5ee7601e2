"""How a rate is taken and told: CPU time, the machine it was taken on, three digits."""

from __future__ import annotations

import os
import platform
import re
import statistics
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np
from numba import njit

from stratagym.envs import core

Episode: TypeAlias = Callable[[], float]
"""Plays one or more games; returns the number of player decisions."""


def rate(episode: Episode, seconds: float) -> float:
    """Decisions per CPU-second over about ``seconds`` of wall time."""
    decisions = 0.0
    end, cpu = time.perf_counter() + seconds, time.process_time()
    while True:
        decisions += episode()
        if time.perf_counter() >= end and time.process_time() > cpu:
            return decisions / (time.process_time() - cpu)


@njit(cache=True)
def choose_random(masks, generators, actions):
    """A uniformly random legal action for every game, from its action mask."""
    for i in range(masks.shape[0]):
        n = 0
        for action in range(masks.shape[1]):
            n += masks[i, action]
        k = core.random_below(generators[0], n)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if k == 0:
                    actions[i] = action
                    break
                k -= 1


def spread_of(values: list[float]) -> dict[str, float] | None:
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
        "cores": os.cpu_count(),
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
