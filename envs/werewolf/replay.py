"""What a replay shows of a game beside its picture: who is what, who lives, and what is said."""

from __future__ import annotations

from typing import Any

from stratagym.envs.werewolf.acts import ROLE_NAMES, name_of, names
from stratagym.envs.werewolf.render import ROLE_COLOURS
from stratagym.envs.werewolf.state import (
    AT_DOCTOR,
    AT_KILLER,
    AT_SEER,
    BID,
    EXILED,
    KILLED,
    LIVING,
    SHOT,
    VOTE,
    WOLVES,
)
from stratagym.envs.werewolf.view import action_to_string

_TOLD = {
    WOLVES: "names {}", AT_DOCTOR: "protects {}", AT_SEER: "looks at {}", AT_KILLER: "attacks {}",
    BID: "bids {}", VOTE: "votes for {}", SHOT: "shoots {}",
}  # fmt: skip


def move(rules: Any, s: Any, action: int) -> str:
    """A decision as a stage direction, such as ``protects Ada`` or ``claim seer``."""
    told = action_to_string(rules, s, action)
    return _TOLD.get(int(s["phase"]), "{}").format(told)


def beside(rules: Any, s: Any, seat: int) -> str:
    """A seat's name, role and fate."""
    day = int(s["fate_day"][seat])
    fate = {LIVING: "", KILLED: f", killed in night {day}", EXILED: f", voted out on day {day}"}
    told = fate.get(int(s["fate"][seat]), f", shot on day {day}")
    return f"{name_of(rules, s, seat)}, {ROLE_NAMES[int(s['role'][seat])]}{told}"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """The shortest beginning of a seat's name that no other name has, and its role's colour."""
    own, *others = (names(rules, s)[seat - k] for k in range(rules.num_players))
    length = 1
    while length < len(own) and any(other.startswith(own[:length]) for other in others):
        length += 1
    return own[:length], ROLE_COLOURS[int(s["role"][seat])]
