"""How the units of the start are told."""

from __future__ import annotations

from typing import Any

LETTERS = {"c": 0, "w": 1, "x": 2, "d": 3, "D": 4, "a": 9, "A": 12}
"""Units of the start by Freeciv's letters: what founds cities, works, explores, defends (well),
attacks fast, attacks strongly."""
MOST_STARTING = 15


def starting_units(letters: Any) -> str:
    """A ``choices`` function: the units of the start by Freeciv's letters.

    Raises:
        ValueError: no Settlers, unknown letters, or too many of a kind.
    """
    text = str(letters)
    if "c" not in text or set(text) - set(LETTERS) or len(text) > MOST_STARTING:
        raise ValueError(
            f"letters of {''.join(LETTERS)} are needed, {MOST_STARTING} at most, one c among them"
        )
    return text
