"""Who meets whom in AdvGameBench: every policy in both roles and both orders of updates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from stratagym.benchmarks.advgamebench.games import BUDGET_UNIT, LEAST, ROLES
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.pairings import duel_seating
from stratagym.envs import sealed, spec

NAME = "advgame"


class Setting(NamedTuple):
    """What a match is: all that ``Match.name`` says, apart."""

    policy: str
    game: str
    opponent: str
    role: int
    first: bool
    factor: float
    repeat: int

    @property
    def pairing(self) -> str:
        """The name of the matches that differ in their seed only."""
        order = "first" if self.first else "second"
        budget = "" if self.factor == 1 else f" budget x{self.factor:g}"
        role = ROLES[self.role]
        return f"{self.game}/{self.policy} against {self.opponent}/{role}, {order}{budget}"


@dataclass(frozen=True)
class Plan:
    """What a run plays; see the options of ``advgame``."""

    policies: Sequence[str]
    opponents: Sequence[str]
    games: Sequence[str]
    rounds: int
    repeats: int
    factors: Sequence[float]
    seed: int
    options: Mapping[str, Any]

    def settings(self) -> list[tuple[Setting, int]]:
        """Every match's setting and seed; settings of one repeat share the seed."""
        seeds, _ = duel_seating(1, self.repeats, self.seed)
        return [
            (Setting(policy, game, opponent, role, first, factor, k), int(seed))
            for game in self.games
            for policy in self.policies
            for opponent in self.opponents
            for role in range(2)
            for first in (True, False)
            for factor in self.factors
            for k, seed in enumerate(seeds)
        ]

    def options_of(self, setting: Setting, in_words: bool) -> dict[str, Any]:
        """The game's options in a match; a plan over budget can be made by who plans in words."""
        updater = setting.role if setting.first else 1 - setting.role
        options = {
            **self.options,
            "rounds": self.rounds,
            "updates": "alternate",
            "first": ROLES[updater],
            "over_budget": "loses" if in_words else "illegal",
        }
        if setting.factor != 1:
            options[f"{ROLES[setting.role]}_budget"] = budget(
                setting.game, options, setting.role, setting.factor
            )
        return options

    def matches(
        self, protocols: Mapping[str, AnswerProtocol], models: Iterable[str]
    ) -> list[Match]:
        """All matches.

        Args:
            protocols: by game. models: policies that answer in words.
        """
        in_words = set(models)
        found = []
        for setting, seed in self.settings():
            seats = [setting.opponent, setting.opponent]
            seats[setting.role] = setting.policy
            options = self.options_of(setting, bool(in_words & set(seats)))
            found.append(
                Match(
                    NAME,
                    f"{setting.pairing}/{setting.repeat}",
                    setting.game,
                    options,
                    seed,
                    (seats[0], seats[1]),
                    protocols[setting.game],
                    Place(setting.pairing, setting.repeat, setting.role),
                )
            )
        return found


def budget(game: str, options: Mapping[str, Any], role: int, factor: float) -> int:
    """A role's budget times a factor, down to what budgets are multiples of."""
    usual = sealed.budget_of.py_func(spec(game).make_rules(**options), role)
    unit = BUDGET_UNIT[game]
    return max(int(usual * factor + 1e-9) // unit * unit, LEAST[game][role])
