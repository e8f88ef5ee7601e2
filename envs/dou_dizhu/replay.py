"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs.dou_dizhu.cards import size
from stratagym.envs.dou_dizhu.view import role_of


def beside(rules: Any, s: Any, seat: int) -> str:
    """A seat's role and how many cards it has."""
    left = f"{int(size(np.uint64(s['hands'][seat])))} cards"
    role = role_of(s, seat)
    return f"{role.partition(' ')[0]}, {left}" if role else left
