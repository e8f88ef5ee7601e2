"""SPIN-Bench's settings of Diplomacy: who plays which powers, what wins, and a run's matches."""

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
from stratagym.envs.diplomacy.options import INITIALS
from stratagym.envs.facts import Sides, alone

GAME = spec("diplomacy")
BASIC, AGENTS, NEGOTIATE = "basic", "agents", "negotiate"
TEAMS = {2: "AEFG-IRT", 3: "GI-RT-AEF", 4: "AE-FG-IT-R", 5: "AE-IT-F-R-G"}
TESTED = {2: "IRT", 3: "RT", 4: "R", 5: "G"}
WINS = {2: 25, 3: 20, 4: 18, 5: 18}
"""By number of agents: their powers, by initials, those that the tested one has, and the centres of
an agent that win. The thresholds are those of SPIN-Bench's scripts; its paper has none."""


FORMS = GAME.module("view").POSITION_FORMS
"""What a prompt for movement asks a model to do besides ordering: to think in steps and to state
facts, to state facts, or neither."""


@dataclass(frozen=True)
class Setting:
    """What a run plays.

    Attributes:
        name: of ``BASIC``, ``AGENTS`` and ``NEGOTIATE``.
        tested: the powers of the tested policy; empty where every policy has any power in turn.
        options: of the game, those that are not at its defaults, with talk.
        variants: ``PRESS`` and ``SILENT``, or ``SILENT`` alone where nobody talks.
        rotated: whether the tested policy has each agent's powers in turn.
        ablated: the policies that play again under each of ``FORMS`` but the first.
    """

    name: str
    tested: tuple[int, ...]
    options: dict[str, Any]
    variants: tuple[str, ...]
    rotated: bool = False
    ablated: tuple[str, ...] = ()

    @property
    def sides(self) -> Sides:
        """The powers of each agent."""
        return GAME.sides_of(GAME.make_rules(**self.options)) or alone(len(POWERS))

    def pairing(self, variant: str, policy: str, form: str = "") -> str:
        """What the names of a policy's matches begin with."""
        if not self.tested:
            return variant
        return "/".join([variant, *([form] if form else []), policy])

    def cases(self, record: Any, policy: str) -> list[tuple[int, ...]]:
        """The powers that a policy had in a game, those of each player by themselves."""
        if self.tested:
            return [next(side for side in self.sides if record["seat"] in side)]
        return [(seat,) for seat, name in enumerate(record["seats"]) if name == policy]

    def matches(
        self,
        policies: Sequence[str],
        other: str,
        games: int,
        seed: int,
        protocol: AnswerProtocol,
        benchmark: str,
    ) -> list[Match]:
        """All games: every policy and variant has the same seeds.

        Without tested powers all policies sit at one table, and move on by a seat from game to
        game of a seed, so that ``games`` is rounded up to a multiple of seven; where powers are
        rotated, to a multiple of the number of agents.
        """
        found = []
        for variant in self.variants:
            options = options_of(self.options, variant)
            contest = Contest(benchmark, GAME.name, options, games, seed, protocol)
            if not self.tested:
                found += contest.mixed(self.pairing(variant, ""), alone(len(POWERS)), policies)
                continue
            for policy in policies:
                found += self._tested(contest, self.pairing(variant, policy), policy, other)
            for form in FORMS[1:] if self.ablated else ():
                text = replace(protocol.text, position=form)
                shorter = replace(contest, protocol=replace(protocol, text=text))
                for policy in self.ablated:
                    pairing = self.pairing(variant, policy, form)
                    found += self._tested(shorter, pairing, policy, other)
        return found

    def _tested(self, contest: Contest, pairing: str, policy: str, other: str) -> list[Match]:
        if self.rotated:
            return contest.among(pairing, self.sides, (policy, other))
        seats = tuple(policy if power in self.tested else other for power in range(len(POWERS)))
        return contest.seated(pairing, seats, self.tested[0])


def setting_of(
    name: str,
    *,
    agents: int,
    years: int,
    win: int | None,
    rounds: int | None,
    rotated: bool = False,
    ablated: Sequence[str] = (),
) -> Setting:
    """A setting by its name. ``win`` and ``rounds`` have the setting's values where they are None.

    Raises:
        InputError: an unknown name, or a number that the setting or the game does not have.
    """
    if name not in (BASIC, AGENTS, NEGOTIATE):
        raise InputError(f"setting {name!r}: choose one of: {BASIC}, {AGENTS}, {NEGOTIATE}")
    if name == AGENTS and agents not in TEAMS:
        raise InputError(f"--agents {agents}: choose from 2 to {max(TEAMS)}")
    if name == NEGOTIATE and (rotated or ablated):
        option = "--rotate" if rotated else "--ablate"
        raise InputError(f"{option}: goes with {BASIC} and {AGENTS}; in {NEGOTIATE} all take turns")
    teams = TEAMS[agents] if name == AGENTS else ""
    tested = {BASIC: "F", AGENTS: TESTED.get(agents, ""), NEGOTIATE: ""}[name]
    options: dict[str, Any] = {
        "years": years,
        "win": (WINS[agents] if name == AGENTS else 18) if win is None else win,
        "rounds": (3 if name == NEGOTIATE else 0) if rounds is None else rounds,
        "teams": teams,
    }
    try:
        GAME.make_rules(**options)
    except ValueError as error:
        raise InputError(str(error)) from None
    return Setting(
        name,
        tuple(INITIALS.index(initial) for initial in tested),
        options,
        (PRESS, SILENT) if options["rounds"] else (SILENT,),
        rotated,
        tuple(ablated),
    )
