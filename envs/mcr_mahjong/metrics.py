"""How mahjong was played, and which fans were made."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay
from stratagym.envs.mcr_mahjong.fan_tables import NAMES, NUM_FANS, VALUES
from stratagym.envs.mcr_mahjong.table import (
    CHI,
    CLAIM,
    GANG,
    HU,
    NONE,
    OVER,
    PASS,
    PENG,
    ROB,
)

BEHAVIOUR = (
    "decisions",
    "questions",
    "passes",
    "wins_declined",
    "chows",
    "pungs",
    "kongs",
    "hands",
    "wins",
    "self_drawn",
    "dealt_in",
    "drawn",
    "fans_of_wins",
)
COUNTS = (*BEHAVIOUR, *NAMES[1:])
"""What ``game_counts`` counts, then how often each fan was in a seat's wins.

questions: decisions about another's tile. passes: of these. wins_declined: passes and other moves
where a win was open. chows, pungs, kongs: asked for, whoever got the tile; kongs of all kinds.
hands: that ended. dealt_in: another won on this seat's tile. drawn: hands without a winner.
fans_of_wins: their sum, flowers included.
"""
(
    _DECISIONS, _QUESTIONS, _PASSES, _DECLINED, _CHOWS, _PUNGS, _KONGS, _HANDS, _WINS, _SELF_DRAWN,
    _DEALT_IN, _DRAWN, _FANS,
) = range(len(BEHAVIOUR))  # fmt: skip
MANY, SOME = 8, 4
"""A fan of ``MANY`` points can win alone; those from ``SOME`` up are the next best."""
RAREFIED = 20
"""Wins at which numbers of different fans are compared."""


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    own = counts[seat]
    own[_DECISIONS] += 1
    if s.phase == CLAIM or s.phase == ROB:
        own[_QUESTIONS] += 1
        own[_PASSES] += action == PASS
    own[_DECLINED] += s.fan >= rules.minimum and action != HU
    if CHI <= action < PENG:
        own[_CHOWS] += 1
    elif PENG <= action < GANG:
        own[_PUNGS] += 1
    elif action >= GANG:
        own[_KONGS] += 1


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    over = s.hand + (s.phase == OVER)
    if over == counts[0, _HANDS]:  # the hand goes on
        return
    for player in range(4):
        own = counts[player]
        own[_HANDS] = over
        own[_DRAWN] += s.winner == NONE
        own[_DEALT_IN] += s.winner != NONE and s.loser == player
        if s.winner == player:
            own[_WINS] += 1
            own[_SELF_DRAWN] += s.loser == NONE
            own[_FANS] += s.won_fan
            for fan in range(1, NUM_FANS):
                own[len(BEHAVIOUR) + fan - 1] += s.fans[fan]


def rates(counts: np.ndarray) -> dict[str, float]:
    """Behaviour from ``COUNTS`` summed over games; nan where nothing was counted.

    Shares of hands: won, self_drawn, dealt_in, drawn. mean_fan: of wins. Per hand: decisions,
    claims (chows, pungs, kongs).

    Args:
        counts: (len(COUNTS),) numbers.
    """
    of: Mapping[str, float] = dict(zip(BEHAVIOUR, np.asarray(counts, float).tolist(), strict=False))

    def share(part: float, whole: float) -> float:
        return part / whole if whole else float("nan")

    return {
        "won": share(of["wins"], of["hands"]),
        **{name: share(of[name], of["hands"]) for name in ("self_drawn", "dealt_in", "drawn")},
        "mean_fan": share(of["fans_of_wins"], of["wins"]),
        "decisions": share(of["decisions"], of["hands"]),
        "claims": share(of["chows"] + of["pungs"] + of["kongs"], of["hands"]),
    }


def fans_of_wins(counts: np.ndarray) -> np.ndarray:
    """The fans of each win, (wins, 83), by fan, from ``game_counts`` of games of one hand.

    Args:
        counts: (..., len(COUNTS)): games and seats whose wins are asked for.
    """
    rows = np.asarray(counts).reshape(-1, len(COUNTS))
    won = rows[rows[:, _WINS] > 0][:, len(BEHAVIOUR) :]
    return np.concatenate([np.zeros((len(won), 1), won.dtype), won], 1)


def diversity(fans: np.ndarray) -> dict[str, Any]:
    """How many different fans wins were made of (BotzoneBench's table 4).

    It grows with the number of wins, so that ``rarefied`` is what to compare: the number expected
    in ``RAREFIED`` of the wins, None with fewer.

    Args:
        fans: (wins, 83), how often each win has each fan.

    Returns:
        wins; fans, how many different ones; rarefied; and for "8 and more" and "4 to 6" points:
        fans, frequency (of all fans of all wins) and wins_with (share of wins that have one).
    """
    fans = np.asarray(fans)
    wins, has = len(fans), fans > 0
    total = int(fans.sum())
    rarefied = None
    if wins >= RAREFIED:
        missing = [comb(wins - int(n), RAREFIED) for n in has.sum(0)]
        rarefied = sum(1 - part / comb(wins, RAREFIED) for part in missing)
    groups = {"8 and more": VALUES >= MANY, "4 to 6": (VALUES >= SOME) & (VALUES < MANY)}
    found: dict[str, Any] = {"wins": wins, "fans": int(has.any(0).sum()), "rarefied": rarefied}
    for name, group in groups.items():
        found[name] = {
            "fans": int(has[:, group].any(0).sum()),
            "frequency": float(fans[:, group].sum() / total) if total else float("nan"),
            "wins_with": float(has[:, group].any(1).mean()) if wins else float("nan"),
        }
    return found
