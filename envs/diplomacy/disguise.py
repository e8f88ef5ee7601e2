"""Made-up names of powers, provinces and the game, for prompts that do not give it away."""

from __future__ import annotations

from itertools import product

from stratagym.envs.diplomacy.geography import POWERS, PROVINCES

_POWERS = ("korvin", "lumera", "madris", "nolvek", "peruna", "solgar", "tavish")
_CODES = ["".join(letters) for letters in product("qxz", "aeiou", "bdklm")]
"""75 abbreviations that are no words."""


def _renamed() -> dict[str, str]:
    names = {"welfare diplomacy": "the compact", "diplomacy": "compact"}
    names |= dict(zip((power.lower() for power in POWERS), _POWERS, strict=True))
    for one, code in zip(PROVINCES, _CODES, strict=True):
        names[one.short.lower()] = code
        # Names of several words have their capitals; others are found in all cases.
        is_one_word = one.name.isalpha()
        names[one.name.lower() if is_one_word else one.name] = (
            f"{code}una" if is_one_word else f"{code.capitalize()}una"
        )
    return names


RENAMED = _renamed()
"""The game's names and what they are called under ``TextOptions.renamed``; units and orders keep
theirs, as do the letters of units and coasts."""
