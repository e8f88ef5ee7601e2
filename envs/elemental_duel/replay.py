"""What a replay shows of a game beside its picture: the duel, turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from stratagym.envs import sealed, sealed_words
from stratagym.envs.elemental_duel.fight import HIT, RETURNED, SKILL, TICK
from stratagym.envs.elemental_duel.render import draw
from stratagym.envs.elemental_duel.story import SIDES, Duel
from stratagym.envs.elemental_duel.tables import FIGHTERS
from stratagym.envs.elemental_duel.view import action_to_string

BEGIN = "The duel begins"
MOST_FRAMES = 72
"""Of a duel; of a longer one only rounds are shown."""


def move(rules: Any, s: Any, action: int) -> str:
    """A legal move in short: ``Fire``, ``flame_splash``."""
    return action_to_string(rules, s, action).partition(" ")[2] or action_to_string(
        rules, s, action
    )


def beside(rules: Any, s: Any, seat: int) -> str:
    """What a seat's plan costs, and the rounds it has won."""
    return sealed_words.cost_text(rules, s, seat)


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A side's letter, and a colour for it."""
    return sealed_words.BADGES[seat]


def frames(
    rules: Any, before: Any, after: Any, size: int = 640
) -> list[tuple[str, str, Callable[[], np.ndarray]]]:
    """The duel that came between two positions: (what happens, the fighters, a picture) as it
    begins and of each turn; nothing where there was none."""
    k = int(after["round"])
    if k == int(before["round"]) or after["why"][k - 1] != sealed.SIMULATED:
        return []
    events = sealed.last_events(rules, after)
    by_round = len(np.unique(events[:, 0])) > MOST_FRAMES
    keys = events[:, 0] // 100 if by_round else events[:, 0]
    duel = Duel(rules, after)
    paint = partial(draw, rules, after, deepcopy(duel), BEGIN, "", True, size)
    found: list[tuple[str, str, Callable[[], np.ndarray]]] = [(BEGIN, _fighters(duel), paint)]
    for key in dict.fromkeys(keys.tolist()):
        told, acts, struck = [], set(), set()
        for event in events[keys == key]:
            kind, actor, target = int(event[1]), int(event[2]), int(event[3])
            if not by_round:
                told.append(duel.tell(event))
                if kind == SKILL:
                    acts.add(actor)
                elif kind in (HIT, TICK):
                    struck.add(target)
                elif kind == RETURNED:
                    struck.add(actor)
            duel.apply(event)
        number = key if by_round else key // 100
        label = f"Round {number} of the duel" if by_round else f"{number}: {', '.join(told)}"
        now = deepcopy(duel)
        headline = f"Round {number} of the duel"
        line = ", ".join(told)
        paint = partial(draw, rules, after, now, headline, line, True, size, acts, struck - acts)
        found.append((label, _fighters(now), paint))
    return found


def _fighters(duel: Duel) -> str:
    """How the fighters of both sides stand, as text."""
    return "\n".join(
        f"{SIDES[side]}: {', '.join(map(str, duel.fighters[FIGHTERS * side :][:FIGHTERS]))}"
        for side in range(2)
    )
