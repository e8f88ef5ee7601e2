"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any


def beside(rules: Any, s: Any, seat: int) -> str:
    """A seat's chips."""
    return f"{int(s['stack'][seat]):,} chips"
