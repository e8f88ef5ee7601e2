"""What tests of many modules ask: which games are ours, and whether a policy is refused."""

from __future__ import annotations

import pytest

from stratagym.agents.core import make_policy
from stratagym.envs import games, spec


def our_games() -> list[str]:
    """Names of the games that stratagym ships; tests register others in the same process."""
    return [name for name in games() if spec(name).package.startswith("stratagym.")]


def assert_no_policy(game: str, text: str, words: str) -> None:
    """That a policy string is refused in one line with these words, a regular expression."""
    with pytest.raises(ValueError, match=words) as raised:
        make_policy(spec(game), text)
    assert "\n" not in str(raised.value)
