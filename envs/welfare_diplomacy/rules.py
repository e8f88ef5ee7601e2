"""Rules of Welfare Diplomacy: the kernel of Diplomacy with its variant switched on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stratagym.envs.core import sizes
from stratagym.envs.diplomacy.observation import SHAPE
from stratagym.envs.diplomacy.observation import observe as observe
from stratagym.envs.diplomacy.options import WELFARE_POINTS, numbers
from stratagym.envs.diplomacy.rules import current_player as current_player
from stratagym.envs.diplomacy.rules import determinize as determinize
from stratagym.envs.diplomacy.rules import legal_actions as legal_actions
from stratagym.envs.diplomacy.rules import longest
from stratagym.envs.diplomacy.rules import reset as reset
from stratagym.envs.diplomacy.rules import returns as returns
from stratagym.envs.diplomacy.rules import step as step
from stratagym.envs.diplomacy.rules import turn as turn
from stratagym.envs.diplomacy.state import STATE as STATE
from stratagym.envs.diplomacy.tables import NUM_ACTIONS


@sizes(
    actions=NUM_ACTIONS,
    observation=SHAPE,
    decisions=longest,
    dtype=np.int16,
    high=NUM_ACTIONS,
)
class Rules(NamedTuple):
    """Options in force, as numbers: the fields of Diplomacy's ``Rules``, with ``welfare`` 1."""

    map: int
    win: int
    years: int
    rounds: int
    winter_press: int
    scoring: int
    welfare: int
    teams: int
    convoy: int
    paradox: int
    unit_order: int
    num_players: int


def make_rules(**options: Any) -> Rules:
    """The rules for options as words."""
    return Rules(**numbers(**options) | {"welfare": 1, "scoring": WELFARE_POINTS})
