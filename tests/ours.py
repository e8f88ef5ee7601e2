"""What tests of many modules ask: our games' names, whether a policy is refused, what is told."""

from __future__ import annotations

import pytest
import tiny_games

from stratagym.agents import hooks
from stratagym.agents.core import make_policy
from stratagym.envs import games, spec
from stratagym.envs.plans import plan_kind

NAMELESS = {"planning", "starcraft"}
"""Our games without other names: words come from files of problems, or are a hundred names of a
game that everybody knows. Nothing is told in brief."""


def our_games() -> list[str]:
    """Names of the games that stratagym ships; tests register others in the same process."""
    return [name for name in games() if spec(name).package.startswith("stratagym.")]


def all_games() -> list[str]:
    """Our games, those of packages that are installed, and the tests' own.

    The same whichever modules of tests were imported before, and what these registered besides.
    """
    tiny = tiny_games.register()
    return [
        name
        for name in games()
        if name in tiny or not spec(name).package.startswith(tiny_games.__name__)
    ]


def games_of_moves() -> list[str]:
    """Those of our games in which a reply names one move, not a plan of several."""
    return [name for name in our_games() if plan_kind(spec(name)) is None]


def rule_based(game: str) -> str:
    """The game's rule-based policy; where it has none, random play."""
    return "heuristic" if hooks.found(spec(game), "heuristic") else "random"


def assert_no_policy(game: str, text: str, words: str) -> None:
    """That a policy string is refused in one line with these words, a regular expression."""
    with pytest.raises(ValueError, match=words) as raised:
        make_policy(spec(game), text)
    assert "\n" not in str(raised.value)


def assert_in_order(text: str, *parts: str) -> None:
    """That a text has these parts, each behind the one before."""
    places = [text.find(part) for part in parts]
    assert places == sorted(places) and places[0] >= 0, list(zip(parts, places, strict=True))
