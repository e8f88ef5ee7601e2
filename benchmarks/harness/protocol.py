"""How a match treats language models' answers."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import Any

from stratagym.agents.core import LANGUAGE_MODELS, PolicyString, make_policy
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import OVERTIME
from stratagym.benchmarks.harness.stand_ins import END, stand_in_policy
from stratagym.envs import text
from stratagym.envs.core import GameSpec
from stratagym.envs.plans import QUEUE, plan_kind
from stratagym.wrappers.dialogue import FORFEIT, RANDOM

SYNC, TOKENS, WALL = "sync", "tokens", "wall"
DEFAULT = "default"
SLOWEST, FASTEST = 1e-3, 1e9
"""Tokens a second that a clock may count."""


@dataclass(frozen=True)
class AnswerProtocol:
    """How a match treats a language model's answers.

    Attributes:
        text: what prompts hold. tries: answers for one move; a bad one is quoted back.
        invalid: after the last bad answer, or one that came too late, ``random`` plays a seeded
            random legal move and ``forfeit`` loses the game; a word of the view's ``CONSEQUENCES``
            plays the first of that word's moves that is legal, or a random one if none is.
            ``default`` plays the view's ``default_actions`` where it has them. A turn that takes
            a plan is played to its end.
        time_limit_s: what a model may take for one move, in seconds, over all of its answers;
            failed attempts to reach it and waits do not count. None for no limit.
        clock: of games in real time: ``sync`` lets the game wait for a reply, ``tokens:RATE`` takes
            RATE tokens of a reply for a second, ``wall`` takes its latency. While a seat thinks,
            its decisions pass, idle, and the others go on.
        again: whether an illegal answer, too, is asked again; else what ``invalid`` says comes at
            once.
        forfeit: what a forfeit ends in games of more than two sides: ``end``, the game;
            ``stand-in:POLICY`` only the seat's play, which that policy goes on with.
        violations: how many plans over budget a model may answer for one turn, before the last of
            them is played; in games whose view tells what plans cost.
        ask_forced: whether a seat with one legal move is asked for it; otherwise it is played, in
            games whose seats decide in turn.
    """

    text: text.TextOptions
    tries: int
    invalid: str
    time_limit_s: float | None = None
    clock: str = SYNC
    again: bool = True
    ask_forced: bool = True
    violations: int = 1
    forfeit: str = END

    def record(self) -> dict[str, Any]:
        """The protocol as plain data for a configuration; only 0.1's fields if it is as in 0.1."""
        told = {**asdict(self), "text": self.text.record()}
        if self.clock == SYNC:
            del told["clock"]
        if self.again:
            del told["again"]
        if self.ask_forced:
            del told["ask_forced"]
        if self.forfeit == END:
            del told["forfeit"]
        violations = told.pop("violations")
        if violations > 1:
            told["tries_on_violation"] = violations
        return told

    def check(self, game: GameSpec, rules: Any = None) -> None:
        """Raises ``ValueError`` for an impossible protocol, in one line with the choices.

        Args:
            rules: the game's options in force; without them, under some options it has to be.
        """
        self.text.check(game)
        if self.tries < 1:
            raise ValueError(f"tries {self.tries}: at least 1 is needed")
        if self.violations < 1:
            raise ValueError(f"violations {self.violations}: at least 1 is needed")
        choices = [FORFEIT, RANDOM, *consequences(game)]
        if hasattr(game.module("view"), "default_actions"):
            choices.append(DEFAULT)
        if self.invalid not in choices:
            raise ValueError(
                f"invalid {self.invalid!r}: what follows an invalid answer in {game.name} is one "
                f"of: {', '.join(choices)}"
            )
        self._check_forfeit(game)
        if self.time_limit_s is not None and not 0 < self.time_limit_s < math.inf:
            raise ValueError(
                f"time limit {self.time_limit_s:g}: more than 0 seconds are needed, or none for no "
                "limit"
            )
        if not self.ask_forced and (game.is_simultaneous or plan_kind(game) is not None):
            raise ValueError(f"ask forced: in {game.name} a seat is always asked")
        self._rate()
        lasting = game.decision_seconds if rules is None else game.decision_seconds_of(rules)
        if self.clock != SYNC and lasting is None:
            under = "" if game.decision_seconds is None else " under these options"
            raise ValueError(
                f"clock {self.clock!r}: {game.name} is not played in real time{under}, so its "
                f"clock is {SYNC}"
            )
        if self.clock != SYNC and plan_kind(game) not in (None, QUEUE):
            raise ValueError(
                f"clock {self.clock!r}: a plan in {game.name} is one decision, so its clock is "
                f"{SYNC}"
            )

    def _check_forfeit(self, game: GameSpec) -> None:
        policy = stand_in_policy(self.forfeit)
        if policy is None:
            return
        if game.max_players < 3 or game.utility == "identical":
            raise ValueError(
                f"forfeit {self.forfeit!r}: {game.name} has no more than two sides, so that a "
                f"forfeit ends the game; leave it at {END}"
            )
        if PolicyString.parse(policy).name in LANGUAGE_MODELS:
            raise ValueError(f"forfeit {self.forfeit!r}: a language model cannot stand in")
        try:
            make_policy(game, policy)
        except (ValueError, ModuleNotFoundError) as error:
            raise ValueError(f"forfeit {self.forfeit!r}: {error}") from None

    def _rate(self) -> float | None:
        """Tokens a second; None for another clock. Raises ``ValueError`` for no clock at all."""
        if self.clock in (SYNC, WALL):
            return None
        word, _, number = self.clock.partition(":")
        rate = float(number) if re.fullmatch(r"\d+(\.\d+)?", number) else 0.0
        if word != TOKENS or not SLOWEST <= rate <= FASTEST:
            raise ValueError(
                f"clock {self.clock!r}: choose one of: {SYNC}, {WALL}, or {TOKENS}:RATE with the "
                f"tokens of a second, such as {TOKENS}:50"
            )
        return rate

    def thinking_s(self, record: dict[str, Any]) -> float:
        """The seconds of the game that an answer took.

        Raises:
            InputError: the clock counts tokens, and the server does not.
        """
        rate = self._rate()
        if self.clock == SYNC:
            return 0.0
        if rate is None or record["kind"] == OVERTIME:
            return record["latency_s"]
        if record["tokens_out"] is None:
            raise InputError(
                f"clock {self.clock}: the server of {record['policy']} does not count the tokens "
                f"of a reply; choose --clock {SYNC} or {WALL}"
            )
        return record["tokens_out"] / rate

    def delay(self, game: GameSpec, rules: Any, seconds: float) -> int:
        """How many decisions of a seat pass while it thinks for so many seconds."""
        lasting = game.decision_seconds_of(rules)
        return int(seconds / lasting) if lasting else 0


NOBODY_ANSWERS = AnswerProtocol(text.TextOptions(), 1, FORFEIT)
"""The protocol of matches without language models."""


def consequences(game: GameSpec) -> dict[str, tuple[str, ...]]:
    """The game's own consequences of an invalid answer: a word, and moves in order of choice."""
    return getattr(game.module("view"), "CONSEQUENCES", {})
