"""What fighters did in recorded games: attacks, hits, meter well spent, health lost a second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay
from stratagym.envs.street_fighter.stage import HEALTH, relative

COUNTS = ("decisions", "inputs", "blocks", "hits_taken", "parries")
"""What ``game_counts`` counts, for a seat.

decisions: all of them. inputs: those that are no No-Move. blocks, hits_taken, parries: decisions in
which the seat blocked, was hit, parried.
"""
RESULTS = (
    "begun_0", "begun_1", "landed_0", "landed_1", "strong_0", "strong_1",
    "strong_landed_0", "strong_landed_1",
    "health_0_0", "health_0_1", "health_1_0", "health_1_1", "health_2_0", "health_2_1",
    "frames_0", "frames_1", "frames_2",
)  # fmt: skip
"""What ``replay`` tells of the end.

By seat: attacks begun, attacks that touched for damage, EX moves and supers that came out and that
touched for damage. By round and seat the health at its end; by round its frames, 0 where it was not
played.
"""


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    counts[seat, 0] += 1
    counts[seat, 1] += action != 0


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    if seat == 1:  # the decision has been played
        for i in range(2):
            counts[i, 2] += s.events[i, 1]
            counts[i, 3] += s.events[i, 0]
            counts[i, 4] += s.events[i, 2]


@njit(cache=True)
def count_end(rules, s, results):
    for i in range(2):
        results[i] = s.begun[i]
        results[2 + i] = s.landed[i]
        results[4 + i] = s.strong[i]
        results[6 + i] = s.strong_landed[i]
        for k in range(3):
            results[8 + 2 * k + i] = s.rounds_health[k, i]
    for k in range(3):
        results[14 + k] = s.rounds_frames[k]


def measures(results: np.ndarray, seat: int) -> dict[str, Any]:
    """DSGBench's metrics of one game and seat.

    Args:
        results: (len(RESULTS),), a game's row.

    Returns:
        ``ahr``, attacks that touched for damage of those begun; ``smhr``, the same of EX moves and
        supers; ``hcr``, the change of the seat's health a second, the mean over rounds. None where
        there is no case.
    """
    row = np.asarray(results, float)
    begun, landed, strong, strong_landed = (row[2 * k + seat] for k in range(4))
    rates = [
        (row[8 + 2 * k + seat] - HEALTH) / (row[14 + k] / 60) for k in range(3) if row[14 + k] > 0
    ]
    return {
        "ahr": float(landed / begun) if begun else None,
        "smhr": float(strong_landed / strong) if strong else None,
        "hcr": float(np.mean(rates)) if rates else None,
    }


def dsgbench(
    rules: Any, record: Mapping[str, Any], seats: Sequence[int], as_published: bool = False
) -> dict[str, float | None]:
    """DSGBench's AHR, SMHR and HCR of a recorded game, by their names.

    Args:
        record: with ``seed`` and ``actions``. seats: one.
        as_published: as the released code computes them, with WR by the first round; see
            ``as_coded``.
    """
    (seat,) = seats
    if as_published:
        return as_coded(rules, record, seat)
    actions = np.array([record["actions"] or [0]], np.int32)
    plies, seeds = np.array([len(record["actions"])]), np.array([record["seed"]], np.uint64)
    _, results = replay(rules, seeds, actions, plies)
    return {name.upper(): value for name, value in measures(results[0], seat).items()}


STRONG = ("Megafireball", "Super attack 2", "Super attack 3", "Super attack 4")
"""The named moves that SMHR counts."""


def as_coded(rules: Any, record: Mapping[str, Any], seat: int) -> dict[str, float | None]:
    """The metrics as the released code has them.

    An attack is whatever is given between two No-Moves, walking included; a hit of the last attack
    is a No-Move at which the other's health has fallen since the one before. SMHR goes by the names
    of moves, whether they came out or not. HCR is 1 less a 160th of the mean, over the No-Moves, of
    health lost by seconds gone, values that repeat or are 0 left out. WR is the first round.
    """
    from stratagym.envs.street_fighter.view import MACROS  # words, which kernels do not depend on

    tried = hit = strong = strong_hit = 0
    health, given, values = HEALTH, [], [0.0]
    is_strong, first = False, None
    for before, own, s in _decisions(rules, record, seat):
        if first is None and s["round"] > 0:
            own_health, others = (int(s["rounds_health"][0, k]) for k in (seat, 1 - seat))
            first = float(own_health > others)
        if own:
            given.append(int(relative(int(before["facing"][seat]), own)))
            continue
        now = int(s["health"][1 - seat])
        if given:
            name = next((k for k, inputs in MACROS.items() if list(inputs) == given), "")
            is_strong = name in STRONG
            tried, strong = tried + 1, strong + is_strong
        if now < health:
            hit, strong_hit = hit + 1, strong_hit + is_strong
        gone = int(s["clock"]) / 60
        value = (HEALTH - int(s["health"][seat])) / gone if gone else 0.0
        if value not in (0.0, values[-1]):
            values.append(value)
        health, given = now, []
    return {
        "AHR": min(1.0, hit / tried) if tried else None,
        "SMHR": min(1.0, strong_hit / strong) if strong else None,
        "HCR": 1 - float(np.mean(values[1:])) / HEALTH if len(values) > 1 else None,
        "WR": first,
    }


def _decisions(
    rules: Any, record: Mapping[str, Any], seat: int
) -> Iterator[tuple[Any, int, np.ndarray]]:
    """(the position before, the seat's input, the position after) of each decision of both."""
    states, scratch = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"]), scratch[1])
    pairs = record["actions"][: len(record["actions"]) // 2 * 2]
    for k in range(0, len(pairs), 2):
        before = states.copy()
        for action in pairs[k : k + 2]:
            core.play_at(rules, states, 0, action, *scratch)
        yield before[0], pairs[k + seat], states[0]
