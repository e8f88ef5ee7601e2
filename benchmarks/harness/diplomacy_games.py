"""Recorded games of Diplomacy and of its variants, played again, with and without talk."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs import spec
from stratagym.envs.diplomacy.metrics import Told, play_again
from stratagym.envs.diplomacy.tables import HOME, NUM_POWERS

PRESS, SILENT = "press", "silent"
"""Games with and without rounds of talk."""
TITLES = {PRESS: "With talk", SILENT: "Without talk"}
START_CENTRES = np.bincount(HOME[HOME >= 0], minlength=NUM_POWERS).tolist()
"""Centres in 1901."""


class Again:
    """Games played again, each once."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, int], Told] = {}

    def __call__(self, record: Any) -> Told:
        key = record["match"], record["plies"]
        if key not in self._told:
            rules = spec(record["game"]).make_rules(**record["rules"])
            self._told[key] = play_again(rules, record["actions"], record["seed"])
        return self._told[key]


def options_of(options: dict[str, Any], variant: str) -> dict[str, Any]:
    """A game's options in a variant: without rounds of talk in ``SILENT``."""
    return options | ({} if variant == PRESS else {"rounds": 0})
