"""Who plays whom in a run of Werewolf: sides against frozen players, one among them, alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.pairings import Contest, sides_by_seed
from stratagym.envs import spec
from stratagym.envs.core import GameSpec

GAME: GameSpec = spec("werewolf")
SIDES, ONE, SELF = "sides", "one", "self"
SETTINGS = (SIDES, ONE, SELF)
SCENE = {"kill": "one", "votes": "secret"}
"""DSGBench's scene; its other rules are the game's defaults."""
VILLAGE, WOLVES, MIXED = "village", "wolves", "mixed"


@dataclass(frozen=True)
class Setting:
    """Matches of one policy that are counted together.

    Attributes:
        name: of ``SETTINGS``. policy: whose results they are. other: the frozen player of the
            other seats; empty where there are none.
    """

    name: str
    policy: str
    other: str

    @property
    def pairing(self) -> str:
        """What the names of the matches begin with."""
        return "/".join(filter(None, (self.name, self.policy, self.other)))

    def matches(self, contest: Contest, rules: Any) -> list[Match]:
        """All matches: each seed once on each side, or in each seat, or once."""
        if self.name == SIDES:
            sides_at = sides_by_seed(GAME, rules)
            assert sides_at is not None
            return contest.among(self.pairing, sides_at, (self.policy, self.other))
        if self.name == ONE:
            return contest.copies(self.pairing, rules.num_players, (self.policy, self.other))
        return contest.team(self.pairing, rules.num_players, self.policy)


def settings_of(names: Sequence[str], policies: Sequence[str], other: str) -> list[Setting]:
    """All settings of a run; the frozen player alone is the measure of one among its like."""
    found = []
    for name in SETTINGS:
        if name in names:
            against = "" if name == SELF else other
            found += [Setting(name, policy, against) for policy in policies]
    if ONE in names and not any(one == Setting(SELF, other, "") for one in found):
        found.append(Setting(SELF, other, ""))
    return found


def own_side(record: Any, policy: str) -> str:
    """The side that a policy has in a game: ``VILLAGE`` or ``WOLVES``, ``MIXED`` if seats of both.

    An outsider is of no side; it is ``MIXED`` too.
    """
    seats = {seat for seat, name in enumerate(record["seats"]) if name == policy}
    for name, side in zip((VILLAGE, WOLVES), record["sides"], strict=False):
        if seats and seats <= set(side):
            return name
    return MIXED


def checked(names: Sequence[str], rules: Any) -> None:
    """Raises ``InputError`` where sides are asked for in a game with outsiders."""
    if SIDES in names and rules.jester + rules.killer:
        raise InputError(
            "--setting sides needs two sides, and a jester or a killer is a side of its own; use "
            "--setting one"
        )
