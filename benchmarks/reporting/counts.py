"""Successes counted over games, as shares with intervals."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from stratagym.benchmarks.reporting.stats import ratio_rate


class Counts:
    """Successes and totals by name, and by the game's seed as clusters."""

    def __init__(self) -> None:
        self._found: defaultdict[str, defaultdict[int, list[int]]] = defaultdict(
            lambda: defaultdict(lambda: [0, 0])
        )

    def add(self, name: str, seed: int, successes: int, total: int) -> None:
        """Count more cases."""
        kept = self._found[name][seed]
        kept[0] += successes
        kept[1] += total

    def record(self, name: str) -> dict[str, Any]:
        """The share with its interval, and the numbers that it is of."""
        parts = np.array(list(self._found[name].values()) or np.zeros((0, 2)), float)
        rate = ratio_rate(parts[:, 0], parts[:, 1])
        successes, total = (int(parts[:, k].sum()) for k in range(2))
        return rate.record() | {"successes": successes, "total": total}
