"""Who plays which powers in Welfare Diplomacy, and a run's matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.diplomacy_games import PRESS, SILENT, options_of
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.protocol import AnswerProtocol
from stratagym.envs import spec
from stratagym.envs.diplomacy.geography import POWERS

GAME = spec("welfare_diplomacy")
FOUR, ROTATED, ALL = "four", "rotated", "all"
FIRST_FOUR = (0, 1, 2, 3)
"""AUSTRIA, ENGLAND, FRANCE and GERMANY, which DSGBench gives to the model."""


@dataclass(frozen=True)
class Setting:
    """What a run plays.

    Attributes:
        name: of ``FOUR``, ``ROTATED`` and ``ALL``. options: of the game, with talk.
        variants: ``PRESS`` and ``SILENT``, or ``SILENT`` alone where nobody talks.
    """

    name: str
    options: dict[str, Any]
    variants: tuple[str, ...]

    def powers(self, record: Any) -> tuple[int, ...]:
        """The powers that the policy had in a game which the pairing is about."""
        if self.name == ALL:
            return tuple(range(len(POWERS)))
        return _turned(record["seat"])

    def matches(
        self,
        policies: Sequence[str],
        opponent: str,
        games: int,
        seed: int,
        protocol: AnswerProtocol,
        benchmark: str,
    ) -> list[Match]:
        """All games: every policy and variant has the same seeds.

        Where the powers are rotated, each seed is played seven times, and ``games`` is rounded up
        to a multiple of seven.
        """
        found = []
        turns = range(len(POWERS) if self.name == ROTATED else 1)
        for variant in self.variants:
            options = options_of(self.options, variant)
            contest = Contest(
                benchmark, GAME.name, options, -(-games // len(turns)), seed, protocol
            )
            for policy in policies:
                pairing = pairing_of(variant, policy)
                if self.name == ALL:
                    found += contest.team(pairing, len(POWERS), policy)
                    continue
                for turned in turns:
                    own = _turned(turned)
                    seats = tuple(policy if p in own else opponent for p in range(len(POWERS)))
                    matches = contest.seated(pairing, seats, turned)
                    more = f"/{turned}" if self.name == ROTATED else ""
                    found += [replace(match, name=match.name + more) for match in matches]
        return found


def pairing_of(variant: str, policy: str) -> str:
    """The name of a policy's games in a variant."""
    return f"{variant}/{policy}"


def _turned(first: int) -> tuple[int, ...]:
    """DSGBench's four powers, moved on so that the first of them is ``first``."""
    return tuple(sorted((power + first) % len(POWERS) for power in FIRST_FOUR))


def setting_of(name: str, *, years: int, rounds: int) -> Setting:
    """A setting by its name.

    Raises:
        InputError: an unknown name, or a number that the game does not have.
    """
    if name not in (FOUR, ROTATED, ALL):
        raise InputError(f"setting {name!r}: choose one of: {FOUR}, {ROTATED}, {ALL}")
    options = {"years": years, "rounds": rounds}
    try:
        GAME.make_rules(**options)
    except ValueError as error:
        raise InputError(str(error)) from None
    return Setting(name, options, (PRESS, SILENT) if rounds else (SILENT,))
