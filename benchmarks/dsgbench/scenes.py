"""DSGBench's scenes: games, options, opponents and clocks, and who sits where in their matches.

A scene whose game is not registered, or does not have its options, is not there; everything else
goes on without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stratagym.agents.core import make_policy
from stratagym.agents.ladders import ladder_of, laddered
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.pairings import Contest, sides_by_seed
from stratagym.benchmarks.harness.protocol import SYNC, AnswerProtocol
from stratagym.envs import core, games, spec
from stratagym.envs.facts import alone

NAME = "dsgbench"
ASYNC = "tokens:50"
"""The clock of scenes that do not wait."""
LEVEL = "level:"
"""``level:3`` is level 3 of a game's ladder."""
ITERATIONS = {
    "starcraft": 450,
    "civilization": 141,
    "street_fighter": 24,
    "welfare_diplomacy": 60,
    "werewolf": 32,
    "stratego": 1270,
}
"""The mean iterations of a game in the paper's table 4."""


@dataclass(frozen=True)
class Scene:
    """A scene: a game under options, an opponent, a clock.

    Attributes:
        name: ``game/scene``. opponent: a policy string, or ``level:3``.
        options: of the game, where they are not its defaults.
        clock: as ``--clock``. seats: those of the policy, where they are always the same; else
            seats are exchanged, and where roles are dealt a policy plays each side of a deal.
        prompt: what prompts hold, by the names of ``TextOptions``.
        metrics, weights: of a scene of one's own, which make a score by themselves.
    """

    name: str
    opponent: str
    options: Mapping[str, Any] = field(default_factory=dict)
    clock: str = SYNC
    seats: tuple[int, ...] = ()
    prompt: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def game(self) -> str:
        return self.name.partition("/")[0]

    @property
    def rules(self) -> Any:
        """The kernel's rules; raises ``ValueError`` where the game has other options."""
        return spec(self.game).make_rules(**self.options)

    def pairing(self, label: str) -> str:
        """What the names of a policy's matches begin with."""
        return f"{self.name}/{label}"

    def matches(
        self, label: str, seated: str, other: str, games: int, seed: int, protocol: AnswerProtocol
    ) -> list[Match]:
        """A policy's matches: every seed from every seat, or from the scene's seats.

        Args:
            label: the policy's name in the run. seated, other: it and the opponent, in the game.
        """
        contest = Contest(NAME, self.game, dict(self.options), games, seed, protocol)
        rules, pairing = self.rules, self.pairing(label)
        players = rules.num_players
        if self.seats:
            seats = tuple(seated if k in self.seats else other for k in range(players))
            return contest.seated(pairing, seats, self.seats[0])
        sides = sides_by_seed(spec(self.game), rules)
        return contest.among(pairing, sides or alone(players), (seated, other))

    def record(self) -> dict[str, Any]:
        """The scene as plain data for a run's configuration."""
        return {
            "name": self.name,
            "rules": spec(self.game).options_in_force(**self.options),
            "opponent": self.opponent,
            "clock": self.clock,
            **({"prompt": dict(self.prompt)} if self.prompt else {}),
            **({"metrics": {k: list(v) for k, v in self.metrics.items()}} if self.metrics else {}),
            **({"weights": dict(self.weights)} if self.weights else {}),
        }


_BUILDS = {"macro": "rule:lv3", "rush": "rule:lv3-rush", "random": "rule:lv3-randombuild"}
"""Starcraft's opponents by their build."""
SCENES: tuple[Scene, ...] = (
    *(
        Scene(f"starcraft/{build}-{mode}", opponent, clock=clock)
        for build, opponent in _BUILDS.items()
        for mode, clock in (("sync", SYNC), ("async", ASYNC))
    ),
    Scene("civilization/world", "level:3", {"players": 4, "size": "32x24"}),
    Scene("civilization/france", "level:3", {"players": 2, "map": "pangaea"}),
    Scene("civilization/british-isles", "level:3", {"players": 2, "map": "continents"}),
    Scene("street_fighter/async", "level:4", clock=ASYNC),
    Scene("street_fighter/sync", "level:4"),
    Scene("welfare_diplomacy/standard", "dumbbot", {"years": 10, "rounds": 3}, seats=(0, 1, 2, 3)),
    Scene("werewolf/village", "rule:bluff", {"kill": "one", "votes": "secret"}),
    Scene("stratego/random", "heuristic", {"setup": "random"}),
    Scene("stratego/fixed", "heuristic", {"setup": "fixed"}),
)


def there(scene: Scene) -> bool:
    """Whether a scene can be played here: its game, its options and its opponent are there."""
    if scene.game not in games():
        return False
    game = spec(scene.game)
    try:
        make_policy(game, resolved(game, scene.opponent))
        return bool(scene.rules.num_players)
    except ValueError:
        return False


def chosen(names: str) -> list[Scene]:
    """The scenes that ``--scenario`` names: ``all``, or names separated by commas.

    A name without a slash stands for all scenes of its game.

    Raises:
        InputError: none, or one that is not there.
    """
    here = [scene for scene in SCENES if there(scene)]
    known = ", ".join(scene.name for scene in here)
    found: dict[str, Scene] = {}
    for name in [word.strip() for word in names.split(",") if word.strip()]:
        fitting = [s for s in here if name in ("all", s.name, s.game)]
        if not fitting:
            missing = next((s for s in SCENES if name in (s.name, s.game)), None)
            why = f"; {missing.game} is not among the games here" if missing else ""
            raise InputError(f"--scenario {name!r}: choose from: all, {known}{why}")
        found |= {scene.name: scene for scene in fitting}
    if not found:
        raise InputError(f"--scenario: name at least one of: all, {known}")
    return list(found.values())


def resolved(game: core.GameSpec, policy: str) -> str:
    """A policy string with ``level:K`` as the first policy of that level of the game's ladder.

    Raises:
        ValueError: the game has no such level, in one line.
    """
    if not policy.startswith(LEVEL):
        return policy
    number = policy.removeprefix(LEVEL)
    if game.name not in laddered():
        raise ValueError(f"{policy}: {game.name} has no ladder")
    ladder = ladder_of(game.name)
    if not number.isdigit() or int(number) > ladder.top:
        raise ValueError(f"{policy}: the levels of {game.name} are 0 to {ladder.top}")
    return ladder.player(ladder.levels[int(number)][0])
