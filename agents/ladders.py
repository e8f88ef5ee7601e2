"""Ladders: frozen policies of rising strength that skill is measured against.

A game has one if what its players know (``core.home``) defines ``LADDER``. A ladder never changes:
another one for the same game has another version in its name, and those that it takes the place of
stay in ``EARLIER_LADDERS``. What a calibration measured is kept in ``data/ladders``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from stratagym.agents import hooks
from stratagym.agents.core import PolicyString, at_version, make_policy
from stratagym.envs import core, spec, specs


@dataclass(frozen=True)
class Ladder:
    """Levels of one game, from uniformly random play upwards.

    Attributes:
        name: ``<game>/ladder-v<version>``.
        levels: the policies of every level, as policy strings; level 0 is ``random``.
        options: of the game, where they are not the defaults.
        measure: ``wins``: a policy meets a level's policies. ``points``: likewise, but what counts
            is the mean of the points, for games in which most is not won. ``pairs``: likewise, for
            two sides of which one is stronger: who wins both games of a seed, one on each side,
            wins the pair, and other pairs are drawn. ``score``, for games that nobody wins: a
            team of the policy plays the seeds that a team of the level's plays.
        least: of a ladder of scores, the least score there is.
        solved: whether the last level plays perfectly in a game that is then drawn: it is as high
            as there is, whatever its win rate, and progress against it is the rate of draws.
        opening: random moves that games of a ladder of wins begin with, the same for all seats.
        players: the policy that plays a level's policy, where its string has come to mean another.
        is_variant: whether it is the levels of a ladder under other rules, as ``under`` makes it.
    """

    name: str
    levels: tuple[tuple[str, ...], ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    measure: str = "wins"
    least: float = 0.0
    solved: bool = False
    opening: int = 0
    players: Mapping[str, str] = field(default_factory=dict)
    is_variant: bool = False

    def under(self, **options: Any) -> Ladder:
        """The same levels under other options of the game; nobody has measured them there."""
        return replace(self, options={**self.options, **options}, is_variant=True)

    @property
    def game(self) -> core.GameSpec:
        return spec(self.name.partition("/")[0])

    @property
    def top(self) -> int:
        """The number of the last level."""
        return len(self.levels) - 1

    def is_solved(self, level: int) -> bool:
        return self.solved and level == self.top

    @property
    def path(self) -> Path:
        """The file of the calibration's results, whether there or not."""
        folder = hooks.data_folder(self.game, "ladders")
        return folder / f"{self.name.replace('/ladder', '')}.json"

    @cached_property
    def calibration(self) -> dict[str, Any]:
        """What the calibration measured; nothing where the levels play under other rules.

        Raises:
            ValueError: the ladder has not been calibrated as it stands, in one line.
        """
        if self.is_variant:
            return {"ratings": {}, "ties": 0.0, "engines": {}}
        if not self.path.exists():
            raise ValueError(
                f"{self.name} has no calibration in {self.path}; run: "
                f"python -m benchmarks.anchored_levels calibrate --game {self.game.name} --freeze"
            )
        found = json.loads(self.path.read_text())
        if found["facts"] != self.facts():
            raise ValueError(
                f"{self.name}: {self.path} is the calibration of other levels or rules; give the "
                "ladder a new version and calibrate it"
            )
        return found

    def player(self, policy: str) -> str:
        """The policy string that plays a level's policy."""
        return self.players.get(policy, policy)

    def facts(self) -> dict[str, Any]:
        """All that results on the ladder depend on."""
        return {
            "ladder": self.name,
            "game_version": self.game.version,
            "rules": self.game.options_in_force(**self.options),
            "measure": self.measure,
            "solved": self.solved,
            "levels": [list(level) for level in self.levels],
            **({"opening": self.opening} if self.opening else {}),
        }

    def missing(self) -> dict[int, str]:
        """Why policies cannot be made here, by level: engines that are not installed."""
        found = {}
        for level, names in enumerate(self.levels):
            for name in names:
                if PolicyString.parse(name).name not in ("uci", "gtp", "piskvork"):
                    continue
                try:
                    make_policy(self.game, name)
                except ValueError as error:
                    found[level] = str(error)
        return found

    def reachable(self) -> tuple[int, str]:
        """The last level that can be played here, and why the ladder ends there, in one line.

        The line is empty where all levels can be played.
        """
        missing = self.missing()
        if not missing:
            return self.top, ""
        last = min(missing) - 1
        return last, f"{self.name} ends at level {last} of {self.top} here: {missing[last + 1]}"


def players_at(levels: tuple[tuple[str, ...], ...], **versions: int) -> dict[str, str]:
    """``players`` of a ladder that holds earlier players: what of the levels has which version.

    Args:
        versions: by the name that policy strings begin with, such as ``mcts=1``.
    """
    return {
        name: at_version(name, versions[kind])
        for level in levels
        for name in level
        if (kind := PolicyString.parse(name).name) in versions
    }


def find_ladder(game: str) -> Ladder | None:
    """The game's ``LADDER``, or None. Raises ``ValueError`` for a game that there is not."""
    return hooks.found(spec(game), "LADDER")


def earlier_ladders(game: str) -> tuple[Ladder, ...]:
    """The ladders that the game's present one took the place of."""
    return hooks.found(spec(game), "EARLIER_LADDERS") or ()


def ladder_of(name: str) -> Ladder:
    """A game's ladder, or the one of a whole name, such as ``chess/ladder-v1``.

    Raises:
        ValueError: there is no such game or ladder, in one line.
    """
    game, _, version = name.partition("/")
    ladder = find_ladder(game)
    if ladder is None:
        raise ValueError(f"{game} has no ladder; games with one are: {', '.join(laddered())}")
    known = {each.name: each for each in (*earlier_ladders(game), ladder)}
    if version and name not in known:
        raise ValueError(f"{game} has no ladder {name}; it has: {', '.join(known)}")
    return known[name] if version else ladder


def is_kept(facts: dict[str, Any]) -> bool:
    """Whether there is still a ladder of these ``Ladder.facts``."""
    try:
        return json.loads(json.dumps(ladder_of(facts["ladder"]).facts())) == facts
    except ValueError:
        return False


def laddered() -> list[str]:
    """The games that have a ladder."""
    return [game.name for game in specs() if hooks.found(game, "LADDER") is not None]
