"""Who meets whom in AdvGameBench: every policy in both roles and both orders of updates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stratagym.agents.chat import Unavailable
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.pairings import duel_seating
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.harness.schedules import Records, Schedule
from stratagym.benchmarks.harness.sealed_games import BUDGET_UNIT, LEAST, ROLES
from stratagym.envs import core, sealed, spec

NAME = "advgame"
START = "first plan: "
"""What the names of matches for a first plan begin with."""
BESIDE = "control:keep"
"""Who plans for the other side where only one first plan is wanted."""


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

    @property
    def name(self) -> str:
        """The match's name."""
        return f"{self.pairing}/{self.repeat}"


@dataclass(frozen=True)
class Plan:
    """What a run plays; see the options of ``advgame``.

    Attributes:
        yardsticks: policies that play beside, to tell what a budget alone is worth; they meet the
            ``frozen`` opponents, which no server has to be asked for.
        chance: the same, with one budget, to tell what rates are by chance.
    """

    policies: Sequence[str]
    opponents: Sequence[str]
    games: Sequence[str]
    rounds: int
    repeats: int
    factors: Sequence[float]
    seed: int
    options: Mapping[str, Any]
    shared_start: bool = False
    yardsticks: Sequence[str] = ()
    frozen: Sequence[str] = ()
    chance: Sequence[str] = ()

    @property
    def shown(self) -> list[str]:
        """Who has rows in all tables: the policies, and who tells chance."""
        return [*self.policies, *self.chance]

    @property
    def everybody(self) -> list[str]:
        """All who play, each once."""
        return list(dict.fromkeys([*self.shown, *self.yardsticks, *self.opponents]))

    @property
    def usual(self) -> float:
        """The share of the budget that tables are of: the whole one if it is played."""
        return 1.0 if 1 in self.factors else self.factors[0]

    def settings(self) -> list[tuple[Setting, int]]:
        """Every match's setting and seed; settings of one repeat share the seed."""
        seeds, _ = duel_seating(1, self.repeats, self.seed)
        return [
            (Setting(policy, game, opponent, role, first, factor, k), int(seed))
            for game in self.games
            for policy in (*self.policies, *self.yardsticks, *self.chance)
            for opponent in (self.opponents if policy in self.policies else self.frozen)
            for role in range(2)
            for first in (True, False)
            for factor in ([self.usual] if policy in self.chance else self.factors)
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

    def start_of(self, setting: Setting, role: int) -> Setting:
        """Where the first plan of a role in a setting is made, if it stands in all matches.

        The opponent has its own budget, and so one plan whatever the policy's budget is.
        """
        is_own = role == setting.role
        policy, factor = (setting.policy, setting.factor) if is_own else (setting.opponent, 1.0)
        return Setting(policy, setting.game, BESIDE, role, True, factor, 0)

    def first_answer_in(self, setting: Setting) -> str:
        """The name of the match in which the policy's first plan in a setting is asked for."""
        if self.shared_start:
            return f"{START}{self.start_of(setting, setting.role).pairing}"
        return setting.name

    def schedule(
        self, protocols: Mapping[str, AnswerProtocol], models: Iterable[str]
    ) -> Schedule[Records]:
        """All matches; with ``shared_start`` the first plans before them.

        Args:
            protocols: by game. models: policies that answer in words.

        Raises:
            Unavailable: a first plan is missing, as transport failures broke off its game.
        """
        models, starts = set(models), {}
        if self.shared_start:
            wanted = {
                self.start_of(setting, role): seed
                for setting, seed in reversed(self.settings())
                for role in range(2)
            }
            records = yield [self._start(one, protocols, models, s) for one, s in wanted.items()]
            lost = [name for name, one in records.items() if one["ended_by"] == TRANSPORT]
            if lost:
                raise Unavailable(f"{lost[0]}: transport failures broke it off, and all need it")
            starts = {one: records[f"{START}{one.pairing}"] for one in wanted}
        return (yield self.matches(protocols, models, starts))

    def _start(
        self, one: Setting, protocols: Mapping[str, AnswerProtocol], models: set[str], seed: int
    ) -> Match:
        """A match that ends with its first round, for the plan that ``one.policy`` makes in it."""
        seats = [one.opponent, one.opponent]
        seats[one.role] = one.policy
        return Match(
            NAME,
            f"{START}{one.pairing}",
            one.game,
            self.options_of(one, one.policy in models),
            seed,
            (seats[0], seats[1]),
            protocols[one.game],
            turns=1,
        )

    def matches(
        self,
        protocols: Mapping[str, AnswerProtocol],
        models: Iterable[str],
        starts: Mapping[Setting, GameRecord] = {},
    ) -> list[Match]:
        """All matches.

        Args:
            protocols: by game. models: policies that answer in words.
            starts: records of the games of ``start_of``, whose plans stand in the first round.
        """
        in_words = set(models)
        return [
            self.match(
                setting,
                seed,
                bool(in_words & {setting.policy, setting.opponent}),
                protocols[setting.game],
                [starts[self.start_of(setting, role)] for role in range(2) if starts],
            )
            for setting, seed in self.settings()
        ]

    def match(
        self,
        setting: Setting,
        seed: int,
        in_words: bool,
        protocol: AnswerProtocol,
        starts: Sequence[GameRecord] = (),
    ) -> Match:
        """The match of a setting.

        Args:
            in_words: whether a seat answers in words. starts: by role, records of ``start_of``.
        """
        seats = [setting.opponent, setting.opponent]
        seats[setting.role] = setting.policy
        return Match(
            NAME,
            setting.name,
            setting.game,
            self.options_of(setting, in_words),
            seed,
            (seats[0], seats[1]),
            protocol,
            Place(setting.pairing, setting.repeat, setting.role),
            given=tuple(a for role, one in enumerate(starts) for a in first_plan(one, role)),
            refusals=tuple(one.get("refusals", ["", ""])[k] for k, one in enumerate(starts)),
        )


def first_plan(record: GameRecord, role: int) -> list[int]:
    """The actions that make a role's plan in the first round of a recorded game."""
    rules = spec(record["game"]).make_rules(**record["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
    found = []
    for action in record["actions"]:
        if states["round"][0] == 0 and states["seat"][0] == role:
            found.append(action)
        core.play_at(rules, states, 0, action, legal, probs)
    return found


def budget(game: str, options: Mapping[str, Any], role: int, factor: float) -> int:
    """A role's budget times a factor, down to what budgets are multiples of."""
    usual = sealed.budget_of.py_func(spec(game).make_rules(**options), role)
    unit = BUDGET_UNIT[game]
    return max(int(usual * factor + 1e-9) // unit * unit, LEAST[game][role])
