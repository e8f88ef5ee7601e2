"""The games of this project: tests register others in the same process."""

from __future__ import annotations

from stratagym.envs import games, spec


def our_games() -> list[str]:
    """Names of the games that stratagym ships."""
    return [name for name in games() if spec(name).package.startswith("stratagym.")]
