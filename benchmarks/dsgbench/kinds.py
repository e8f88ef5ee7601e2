"""What trajectories tell of a game's decisions: stages, types of actions, how far to look ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stratagym.envs import core

EARLY, MID, LATE = "early", "mid", "late"
STAGES = (EARLY, MID, LATE)
WAIT = "wait"


@dataclass(frozen=True)
class Moment:
    """An action in a recorded game.

    Attributes:
        rules: of the game. before, after: records (1,) around the action, ``after`` with its turn
            resolved. seat, action: who did what. share: how much of the game is over, 0 .. 1.
        seconds: of the game in real time that have passed, 0 in others.
    """

    rules: Any
    before: Any
    after: Any
    seat: int
    action: int
    share: float
    seconds: float


def thirds(moment: Moment) -> str:
    """The third of the game's decisions."""
    return STAGES[min(2, int(3 * moment.share))]


def no_type(moment: Moment) -> str:
    """Games without types of their own: an action."""
    return "action"


def nothing(moment: Moment) -> float:
    """Games without a bank: nothing is committed."""
    return 0.0


@dataclass(frozen=True)
class Stock:
    """A seat's economy in a game that has one.

    Attributes:
        bank: what it could spend. idle: whether something that produces stands idle. blocked:
            whether it has no supply for another unit. army, other: what the armies have cost.
    """

    bank: int
    idle: bool
    blocked: bool
    army: int
    other: int


def no_stock(s: Any, seat: int) -> Stock | None:
    """Games without an economy."""
    return None


@dataclass(frozen=True)
class Kinds:
    """What is told of a game's decisions.

    Attributes:
        stage, type: of a moment. horizon: turns after which an outcome is looked at.
        commits: the share of a bank or an army that an action commits. stock: of a record and seat.
    """

    stage: Callable[[Moment], str] = thirds
    type: Callable[[Moment], str] = no_type
    horizon: Callable[[core.GameSpec, Any], int] = lambda game, rules: 10
    commits: Callable[[Moment], float] = nothing
    stock: Callable[[Any, int], Stock | None] = no_stock


def seconds_ahead(seconds: float) -> Callable[[core.GameSpec, Any], int]:
    """A horizon of seconds in a game in real time."""

    def turns(game: core.GameSpec, rules: Any) -> int:
        return max(1, round(seconds / (game.decision_seconds_of(rules) or 1.0)))

    return turns


# --- street fighter ------------------------------------------------------------------------------


def _fight_stage(moment: Moment) -> str:
    left = 99 - int(moment.before["clock"]) / 60
    return EARLY if left > 66 else MID if left > 33 else LATE


def _fight_type(moment: Moment) -> str:
    before, after, seat = moment.before, moment.after, moment.seat
    if after["begun"][seat] == before["begun"][seat]:
        ex = after["strong"][seat] > before["strong"][seat]
        return "special" if ex else WAIT if moment.action == 0 else "move"
    did = int(after["did"][seat])
    if did >= 36:
        return "super"
    return "special" if did >= 27 else "throw" if 22 <= did <= 24 else "normal"


def _fight_commits(moment: Moment) -> float:
    had = int(moment.before["meter"][moment.seat])
    return max(0, had - int(moment.after["meter"][moment.seat])) / had if had else 0.0


# --- starcraft -----------------------------------------------------------------------------------

_PROTOSS = {
    "economy": (0, 20, 21, 66),
    "production": (19, 22),
    "defence": (32, 33),
    "scouting": range(60, 64),
    "battle": (64, 65),
    "army": range(1, 19),
    "tech": (*range(23, 32), *range(34, 60), *range(67, 71)),
    WAIT: (71,),
}


def _protoss_stage(moment: Moment) -> str:
    return EARLY if moment.seconds < 300 else MID if moment.seconds < 720 else LATE


def _protoss_type(moment: Moment) -> str:
    return next(name for name, own in _PROTOSS.items() if moment.action in own)


def _protoss_stock(s: Any, seat: int) -> Stock:
    from stratagym.envs.starcraft import economy, rules, state, tables

    halls = (
        (state.FIRST_GATEWAY, int(s["gates"][seat])),
        (state.FIRST_ROBOTICS, economy.finished(s, seat, tables.ROBOTICS)),
        (state.FIRST_STARGATE, economy.finished(s, seat, tables.STARGATE)),
    )
    idle = any((s["job"][seat, first : first + number] == 0).any() for first, number in halls)
    cap = economy.supply_cap(s, seat)
    return Stock(
        bank=int(s["minerals"][seat]) // state.UNIT_OF_STORE,
        idle=bool(idle),
        blocked=bool(economy.supply_used(s, seat) >= cap < 200),
        army=int(rules.army_value(s, seat)),
        other=int(rules.army_value(s, 1 - seat)),
    )


def _protoss_commits(moment: Moment) -> float:
    seat = moment.seat
    stores = int(moment.before["minerals"][seat] + moment.before["gas"][seat])
    spent = int((moment.after["spent"][seat] - moment.before["spent"][seat]).sum())
    return spent * 1344 / stores if stores else 0.0


# --- civilization --------------------------------------------------------------------------------

_EMPIRE = {
    "explore": (*range(1, 9), 19),
    "expand": (11, 12),
    "work": (13, 14, 15, 17, 18, 20),
    "war": (9, 10, 16),
    "produce": (*range(24, 39), *range(40, 73)),
    "research": range(80, 120),
    "government": range(120, 139),
    "diplomacy": range(139, 174),
}


def _empire_stage(moment: Moment) -> str:
    share = int(moment.before["turn"]) / max(1, int(moment.rules.turns))
    return STAGES[min(2, int(3 * share))]


def _empire_type(moment: Moment) -> str:
    return next((name for name, own in _EMPIRE.items() if moment.action in own), WAIT)


KINDS = {
    "street_fighter": Kinds(_fight_stage, _fight_type, seconds_ahead(2), _fight_commits),
    "starcraft": Kinds(
        _protoss_stage, _protoss_type, seconds_ahead(60), _protoss_commits, _protoss_stock
    ),
    "civilization": Kinds(_empire_stage, _empire_type, lambda game, rules: 5),
}
"""By game; others have thirds, and one type of action."""


def kinds_of(game: str) -> Kinds:
    """What is told of a game's decisions."""
    return KINDS.get(game, Kinds())
