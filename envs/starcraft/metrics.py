"""DSGBench's metrics of StarCraft, counted by playing recorded games again.

``rates`` turns the counts of a policy's seats into the metrics as the paper defines them and, under
names that end with ``_coded``, as its released code computes them. Actions that were refused are
EMPTY ACTIONS in a game; the records of games list them, and ``rates`` takes their number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay
from stratagym.envs.starcraft.economy import finished, supply_cap, supply_used
from stratagym.envs.starcraft.state import UNIT_OF_STORE
from stratagym.envs.starcraft.tables import (
    EMPTY,
    FIRST_RESEARCH,
    RESEARCHES,
    SCOUT_PROBE,
    STRUCTURES,
    WARP_GATE,
)

COUNTS = (
    "decisions", "ticks", "executed", "used", "cap", "used_share", "mined", "spent", "technologies",
    "kinds", "begun", "coded_share", "games",
)  # fmt: skip
"""What ``game_counts`` counts, for each seat.

decisions: of the seat. ticks: that passed. executed: actions other than EMPTY. used, cap: supply,
summed over decisions; used_share: used / cap, summed. mined, spent: minerals and gas at the end
(the 50 at the start are mined). technologies: kinds of structures standing at the end and research
done. kinds: the first of these alone. begun: research begun. coded_share: (mined minerals + spent
gas) / mined, summed over decisions. games: 1.
"""
COUNTS_DTYPE = np.float64
TECHNOLOGIES = WARP_GATE + RESEARCHES
"""15 kinds of structures, a Warp Gate counting as a Gateway, and 26 research."""
TICKS_A_MINUTE = 1344


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    own = counts[seat]
    used, cap = supply_used(s, seat), supply_cap(s, seat)
    own[0] += 1
    own[2] += action != EMPTY
    own[3] += used
    own[4] += cap
    own[5] += used / cap if cap > 0 else 0.0
    own[10] += FIRST_RESEARCH <= action < SCOUT_PROBE
    mined = s.mined[seat, 0] + s.mined[seat, 1]
    own[11] += (s.mined[seat, 0] + s.spent[seat, 1] * UNIT_OF_STORE) / mined
    own[12] = 1


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    if s.seat != 0:
        return
    for one in range(2):
        own = counts[one]
        own[1] = s.tick
        own[6] = (s.mined[one, 0] + s.mined[one, 1]) / UNIT_OF_STORE
        own[7] = s.spent[one, 0] + s.spent[one, 1]
        kinds = done = 0
        for kind in range(STRUCTURES - 1):
            kinds += finished(s, one, kind) + (kind == 3) * finished(s, one, WARP_GATE) > 0
        for k in range(RESEARCHES):
            done += s.research[one, k] == 2
        own[8] = kinds + done
        own[9] = kinds


def rates(counts: np.ndarray, refused: int = 0, unreadable: int = 0) -> dict[str, Any]:
    """The metrics of a policy, of its counts.

    Args:
        counts: (len(COUNTS),), summed over games and the policy's seats.
        refused: its actions that could not be carried out or have no meaning.
        unreadable: its replies that named nothing; each counts as five actions in ``GA``.

    Returns:
        ``RPM`` minerals and gas mined a minute (without the 50 of the start); ``EER`` spent /
        mined; ``SUR`` supply used / cap; ``TCR`` technologies at the end / 41; ``APM`` and ``EPM``
        actions asked and carried out a minute; ``GA`` carried out / asked. nan without a case.
    """
    c = dict(zip(COUNTS, np.asarray(counts, float).tolist(), strict=True))
    minutes = c["ticks"] / TICKS_A_MINUTE
    asked = c["executed"] + refused

    def ratio(one: float, other: float) -> float:
        return one / other if other else float("nan")

    return {
        "RPM": ratio(c["mined"] - 50 * c["games"], minutes),
        "EER": ratio(c["spent"], c["mined"]),
        "SUR": ratio(c["used"], c["cap"]),
        "TCR": ratio(c["technologies"], TECHNOLOGIES * c["games"]),
        "APM": ratio(asked, minutes),
        "EPM": ratio(c["executed"], minutes),
        "GA": ratio(c["executed"], asked + 5 * unreadable),
        "EER_coded": ratio(100 * c["coded_share"], c["decisions"]),
        "SUR_coded": ratio(c["used_share"], c["decisions"]),
        "TCR_coded": ratio(c["technologies"], c["begun"]),
    }
