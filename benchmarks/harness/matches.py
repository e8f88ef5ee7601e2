"""A match as plain data, with its players in their seats, and its place in its run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stratagym.agents.core import Policy
from stratagym.benchmarks.harness.openings import opening_moves
from stratagym.benchmarks.harness.outcomes import outcome_of, side_fields, sides_and_roles
from stratagym.benchmarks.harness.protocol import NOBODY_ANSWERS, AnswerProtocol
from stratagym.benchmarks.harness.records import GameRecord, gone_seats
from stratagym.envs import core, spec
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.core import GameSpec
from stratagym.envs.counting import first_illegal
from stratagym.wrappers.dialogue import FORFEIT, forfeit_returns


class Place(NamedTuple):
    """Where a match stands in its run.

    Attributes:
        pairing: who meets whom, and under what; the matches of a pairing are counted together.
            Empty where a match stands alone.
        round: from 0. The matches of a round have one seed, and differ in who sits where. None
            where the record of an older version does not say.
        seat: of the pairing's first policy, the first of its side; None where it has all.
    """

    pairing: str
    round: int | None
    seat: int | None


ALONE = Place("", None, None)
"""The place of a match that belongs to nothing."""


@dataclass(frozen=True)
class Match:
    """A match as plain data, so that any process on any machine can play it.

    Attributes:
        benchmark, name: as in the records; ``name`` is unique in a run.
        game: its name. options: of the game; the others are at their defaults.
        seed: of the game and of all random choices in it.
        seats: names of policies by seat, each a policy string or a key of ``policies``.
        protocol: how language models' answers are treated.
        place: where it stands in its run, for its record.
        opening: how many random moves, drawn by the seed, the game begins with.
        given: actions that it begins with instead. refusals: by seat, why its part of them stands
            in the place of an answer that was refused; empty where it does not.
        turns: after how many of the game's turns the match is stopped; 0 for a whole game.
        names: of the seats in its record, where earlier versions play under them.
    """

    benchmark: str
    name: str
    game: str
    options: dict[str, Any]
    seed: int
    seats: tuple[str, ...]
    protocol: AnswerProtocol
    place: Place = ALONE
    opening: int = 0
    given: tuple[int, ...] = ()
    refusals: tuple[str, ...] = ()
    turns: int = 0
    names: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it is a game from its start to its end."""
        return not (self.opening or self.given or self.turns)

    @property
    def rules_key(self) -> tuple[str, str]:
        """Equal for matches of one game with the same options."""
        return self.game, json.dumps(self.options, sort_keys=True)

    def __getstate__(self) -> dict[str, Any]:
        # A game that this process registered is made known to the one that unpickles its facts.
        return {**self.__dict__, "spec": spec(self.game)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        del state["spec"]
        self.__dict__.update(state)


@dataclass(frozen=True)
class SeatedMatch:
    """A match with its players in their seats.

    Attributes:
        match: what is played; its ``seats`` name the policies.
        game, rules: its game, and the kernel's rules.
        options: those in force, for its record.
        seats: the policies.
        in_run: whether its record says where it stands in its run.
    """

    match: Match
    game: GameSpec
    rules: Any
    options: dict[str, Any]
    seats: list[Policy]
    in_run: bool = True

    @classmethod
    def of(
        cls,
        benchmark: str,
        name: str,
        game: GameSpec,
        rules: Any,
        options: dict[str, Any],
        seed: int,
        seats: list[Policy],
        opening: int = 0,
    ) -> SeatedMatch:
        """A match of these very policies, which no name has to make, and which stands alone."""
        names = tuple(policy.name for policy in seats)
        match = Match(
            benchmark, name, game.name, options, seed, names, NOBODY_ANSWERS, opening=opening
        )
        return cls(match, game, rules, options, seats, in_run=False)

    @property
    def benchmark(self) -> str:
        return self.match.benchmark

    @property
    def name(self) -> str:
        return self.match.name

    @property
    def seed(self) -> int:
        return self.match.seed

    def opening_moves(self) -> list[int]:
        """What the game begins with."""
        if not self.match.opening:
            return list(self.match.given)
        return opening_moves(self.game, self.rules, self.match.opening, self.seed)

    def record(
        self,
        actions: list[int],
        ending: int | str,
        returns: list[float] | None,
        forfeited_by: int | None = None,
        stand_ins: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        """The game's record; ``ending`` is the kernel's id or a word, as ``forfeit``."""
        kernel = {core.TERMINAL: "terminal", core.TRUNCATED: "truncated"}
        sides, roles = sides_and_roles(self.game, self.rules, self.seed, actions)
        if forfeited_by is None and stand_ins:
            forfeited_by = stand_ins[0]["seat"]
        gone = {one["seat"] for one in stand_ins} | {forfeited_by}
        match = self.match
        return {
            "benchmark": match.benchmark,
            "game": self.game.name,
            "match": match.name,
            "seed": match.seed,
            "rules": self.options,
            "seats": list(match.names) or [policy.name for policy in self.seats],
            "returns": returns,
            "outcome": outcome_of(sides, returns),
            "plies": len(actions),
            "actions": actions,
            "ended_by": ending if isinstance(ending, str) else kernel[ending],
            "forfeited_by": forfeited_by,
            **(match.place._asdict() if self.in_run else {}),
            **({"opening": match.opening} if match.opening else {}),
            **({"given": len(match.given)} if match.given else {}),
            **side_fields(self.game, sides, roles, returns, gone),
            **({"stand_ins": [dict(one) for one in stand_ins]} if stand_ins else {}),
        }

    def forfeited(self, actions: list[int], seat: int, states: np.ndarray) -> dict[str, Any]:
        """The record of a game that ``seat``, and with it its side, loses in ``states[0]``."""
        returns = forfeit_returns(self.game, self.rules, seat, states)
        return self.record(actions, FORFEIT, returns, seat)


def place_of(record: Mapping[str, Any]) -> Place:
    """Where a recorded game stands in its run.

    Records of version 0.1 say it in the game's name only, and nothing else reads it there:
    ``PAIRING/ROUND/SEAT``; ``PAIRING/ROUND`` of teams on a ladder; ``BOARD/ONE/OTHER/GAME`` of
    the board solvers. A name that says none of it is of a game that stands alone.
    """
    if "pairing" in record:
        return Place(record["pairing"], record.get("round"), record.get("seat"))
    pairing, _, last = record["match"].rpartition("/")
    if record.get("benchmark") == "board_solvers":
        first = "/".join([record["game"], *record["seats"]]) == pairing
        return Place(pairing, None, 0 if first else 1)
    try:
        if pairing.endswith("/team") or pairing.startswith(f"{record['game']}/anchor/"):
            return Place(pairing, int(last), None)
        pairing, _, number = pairing.rpartition("/")
        return Place(pairing, int(number), int(last))
    except ValueError:
        return ALONE


def difference(record: GameRecord, match: Match, rules: Any) -> str:
    """Why a record cannot be of a match, in some words; empty where it can.

    Its actions are legal then, so that kernels, which check nothing, may play it again.

    Args:
        rules: made of the match's options.
    """
    seats = len(match.seats)
    if (record["game"], record["seed"], len(record["seats"])) != (match.game, match.seed, seats):
        return "another game, seed or number of seats"
    if record["seats"] != list(match.names or match.seats):
        return "other policies in its seats"
    if not _same_rules(match.game, match.options, record["rules"]):
        return "other rules"
    place = place_of(record)
    if "pairing" not in record and place.round is None:  # as 0.1 has it
        place = place._replace(round=match.place.round)
    if (place, record.get("opening", 0)) != (match.place, match.opening):
        return "another place in the run, or another opening"
    if not 0 <= (record["forfeited_by"] or 0) < seats:
        return "other sides, or a seat that the game does not have"
    actions = record["actions"]
    if not 0 <= min(actions, default=0) <= max(actions, default=0) < rules.num_actions:
        return "an action that the game does not have"
    ply = first_illegal(rules, match.seed & SEED_MASK, actions)
    if ply is not None:
        return f"an illegal action (number {ply + 1} of {len(actions)})"
    game = spec(match.game)
    sides, roles = sides_and_roles(game, rules, match.seed, actions)
    told = side_fields(game, sides, roles, record["returns"], gone_seats(record))
    if record.get("sides", told.get("sides")) != told.get("sides"):
        return "other sides, or a seat that the game does not have"
    if record.get("roles", told.get("roles")) != told.get("roles"):
        return "other roles"
    if not all(0 <= one["seat"] < seats for one in record.get("stand_ins", ())):
        return "a stand-in for a seat that the game does not have"
    return ""


def _same_rules(game: str, options: Mapping[str, Any], recorded: Mapping[str, Any]) -> bool:
    """Whether the options of a record are a match's, however they are written."""
    if recorded == options:
        return True
    try:
        facts = spec(game)
        return facts.options_in_force(**recorded) == facts.options_in_force(**options)
    except ValueError:
        return False
