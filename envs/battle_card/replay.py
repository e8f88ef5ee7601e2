"""What a replay shows of a game beside its picture: the battle, attack by attack."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from stratagym.envs import sealed, sealed_words
from stratagym.envs.battle_card.battle import BURNT, DEATH, HIT, SHIELDED, STRIKE, SUMMON
from stratagym.envs.battle_card.render import frame_picture
from stratagym.envs.battle_card.story import Battle
from stratagym.envs.battle_card.view import action_to_string

BEGIN = "The battle begins"
MOST_FRAMES = 60
"""Of a battle; of a longer one only rounds are shown."""


def move(rules: Any, s: Any, action: int) -> str:
    """A legal move in short: ``King gold``, ``first King``."""
    words = action_to_string(rules, s, action)
    return words.removeprefix("buy ").removesuffix(" bronze").replace("prefer", "first")


def beside(rules: Any, s: Any, seat: int) -> str:
    """What a seat's plan costs, and the rounds it has won."""
    return sealed_words.cost_text(rules, s, seat)


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A side's letter, and a colour for it."""
    return sealed_words.BADGES[seat]


def frames(
    rules: Any, before: Any, after: Any, size: int = 640
) -> list[tuple[str, str, Callable[[], np.ndarray]]]:
    """The battle that came between two positions: (what happens, the units, a picture) as it
    begins and of each attack; nothing where there was none."""
    k = int(after["round"])
    if k == int(before["round"]) or after["why"][k - 1] != sealed.SIMULATED:
        return []
    events = sealed.last_events(rules, after)
    times = np.unique(events[:, 0])
    by_round = len(times) > MOST_FRAMES
    keys = events[:, 0] // 100 if by_round else events[:, 0]
    battle = Battle(rules, after)
    begun = [list(side) for side in map(deepcopy(battle).living, range(2))]
    paint = partial(frame_picture, rules, after, begun, BEGIN, [], [], size)
    found: list[tuple[str, str, Callable[[], np.ndarray]]] = [(BEGIN, _units(battle), paint)]
    for key in dict.fromkeys(keys.tolist()):
        happening = events[keys == key]
        first = [list(side) for side in map(battle.living, range(2))]
        told, acts, struck = [], [], []
        for event in happening:
            kind = int(event[1])
            if kind in (STRIKE, DEATH, SUMMON) and not by_round:
                told.append(battle.tell(event))
            if kind == STRIKE:
                acts.append(battle.unit(int(event[2])))
            elif kind in (HIT, SHIELDED, BURNT) and int(event[3]) >= 0:
                struck.append(battle.unit(int(event[3])))
            battle.apply(event)
        number = key if by_round else key // 100
        label = "Start effects" if number == 0 else f"Battle round {number}"
        if told:
            label += ": " + ", ".join(told)
        now = deepcopy(battle)
        same = {id(one): other for a, b in zip(battle.sides, now.sides, strict=True)
                for one, other in zip(a, b, strict=True)}  # fmt: skip
        shown = [[same[id(one)] for one in side] for side in first]
        for side in range(2):
            known = {id(one) for one in shown[side]}
            shown[side] += [one for one in now.living(side) if id(one) not in known]
        lead = [] if by_round else acts[:1]
        hurt = [] if by_round else [same[id(one)] for one in struck if one not in lead]
        marked = [same[id(one)] for one in lead]
        paint = partial(frame_picture, rules, after, shown, label, marked, hurt, size)
        found.append((label, _units(now), paint))
    return found


def _units(battle: Battle) -> str:
    """Who lives on both sides, as text."""
    return "\n".join(
        f"{name}: {', '.join(map(str, battle.living(side))) or 'nobody'}"
        for side, name in ((1, "defenders"), (0, "invaders"))
    )
