"""One seat's side of a game as a conversation, with policies in the other seats.

What evaluation frameworks share: whose turn it is, the opponents' moves, bad answers quoted back,
and what happens after the last of them. A framework only carries the texts.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym import __version__
from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.agents.speaking import decide
from stratagym.envs import core, spec
from stratagym.envs import text as words
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.dealing import dealt_in
from stratagym.envs.prompts import move_name, prompt_version, reader_field
from stratagym.wrappers.rewards import Rewards, regret_of

FORFEIT, RANDOM, NONE = "forfeit", "random", "none"
CUT_OFF = "cut_off"
SCHEMA = 1
"""Of records, as in ``games.jsonl``."""


def forfeit_returns(
    game: core.GameSpec, rules: Any, seat: int, states: np.ndarray | None = None
) -> list[float]:
    """Each seat's return when ``seat`` forfeits: its side shares -1, the others share 1.

    A game whose view has ``forfeit_returns(rules, s, seat)`` says itself what it comes to in
    ``states[0]``.

    Where roles are dealt the seat loses alone. In a game whose seats all win or lose together it
    is 0 for everyone.
    """
    own = getattr(game.module("view"), "forfeit_returns", None)
    if own is not None and states is not None:
        return [float(value) for value in own(rules, states[0], seat)]
    players = rules.num_players
    if game.utility == "identical":
        return [0.0] * players
    sides = game.sides_of(rules) or core.each_alone(rules)
    (losers,) = (side for side in sides if seat in side)
    others = players - len(losers)
    return [-1.0 / len(losers) if k in losers else 1.0 / others for k in range(players)]


def pairings(players: int, games: int | None, seed: int) -> list[tuple[int, int]]:
    """(game seed, seat) of every game: each seed is played once from every seat.

    Args:
        games: by default ten seeds from every seat.

    Raises:
        ValueError: ``games`` is no positive multiple of ``players``, or ``seed`` is negative.
    """
    games = 10 * players if games is None else games
    if games < 1 or games % players:
        raise ValueError(
            f"games {games}: every seed is played from each of the {players} seats, "
            f"so a positive multiple of {players} is needed"
        )
    if seed < 0:
        raise ValueError(f"seed {seed}: 0 or more is needed")
    start = np.random.SeedSequence(seed).generate_state(games // players, np.uint64)
    return [(int(k) & SEED_MASK, seat) for k in start for seat in range(players)]


@dataclass(frozen=True)
class Generated:
    """A reply with what a client knows of how it was made, for learners.

    Attributes:
        text: of the reply. prompt_ids, token_ids: of the prompt and of the reply, where the client
            has them. logprobs: of the reply's tokens.
    """

    text: str
    prompt_ids: Sequence[int] | None = None
    token_ids: Sequence[int] | None = None
    logprobs: Sequence[float] | None = None


@dataclass(frozen=True)
class Answered:
    """An answer that a seat gave, and what it earned.

    Attributes:
        prompt: as it was asked. reply: with what the client kept of it.
        kind, reason: ``ok``, ``unparseable`` or ``illegal``, and why; ``action`` is the move.
        reward: of this answer; the last one's has the end of the game in it.
    """

    prompt: list[dict[str, str]]
    reply: Generated
    kind: str
    reason: str
    action: int | None
    reward: float


class Dialogue:
    """A game in which one seat answers questions and copies of a policy play the others.

    They play all others: those that win together with the seat, too.

    Examples:
        >>> dialogue = Dialogue("tictactoe", "random", seed=1, seat=0)
        >>> dialogue.messages[-1]["role"]
        'user'
        >>> dialogue.answer("Move: 2,2").kind
        'ok'

    Args:
        game: a registered game. opponent: a policy string, or a policy.
        seed: of the game and of every random choice in it. seat: the one that answers.
        tries: answers for one move; a bad one is quoted back.
        invalid: what follows the last bad answer: ``forfeit`` loses the game, ``random`` plays a
            seeded random legal move.
        text: what prompts hold and how replies are read.
        options: of the game.
        rewards: what a learner is told of its answers; by default the seat's return, at the end.

    Attributes:
        game: the ``TextGame``. options: of the game, all that are in force, in plain values.
        messages: the open question as chat messages, complete in itself; empty when it is over.
        news: the part of the question that a running conversation has not had yet, as one text.
        new_messages: the same as chat messages.
        counts: how many answers were ``ok``, ``unparseable`` and ``illegal``.
        forfeited, replaced: whether the game was forfeited; how often random moves stood in.
        answers: all of them, with their rewards.

    Raises:
        ValueError: a bad argument, in one line.
    """

    def __init__(
        self,
        game: str,
        opponent: str | Policy = "random",
        *,
        seed: int,
        seat: int,
        tries: int = 3,
        invalid: str = FORFEIT,
        text: words.TextOptions = words.TextOptions(),  # noqa: B008 - frozen
        options: Mapping[str, Any] | None = None,
        rewards: Rewards = Rewards(),  # noqa: B008 - frozen
    ):
        if tries < 1:
            raise ValueError(f"tries {tries}: at least 1 is needed")
        if invalid not in (FORFEIT, RANDOM):
            raise ValueError(f"invalid {invalid!r}: choose {FORFEIT} or {RANDOM}")
        self.game = words.TextGame(game, text, **(options or {}))
        wanted = getattr(self.game.spec.module("view"), "TEXT_OPTIONS", {})
        self.options = self.game.spec.options_in_force(**{**wanted, **(options or {})})
        self.players = self.game.rules.num_players
        if not 0 <= seat < self.players:
            raise ValueError(f"seat {seat}: {game} has the seats 0 to {self.players - 1}")
        self.seed, self.seat, self.tries, self.invalid = seed, seat, tries, invalid
        if isinstance(opponent, str):
            opponent = make_policy(self.game.spec, opponent)
        self.opponent = opponent
        rewards.check(self.game.spec)
        self.rewards = rewards
        self.answers: list[Answered] = []
        self.counts: Counter[str] = Counter()
        self.forfeited, self.replaced = False, 0
        self.messages: list[dict[str, str]] = []
        self.news = ""
        self.new_messages: list[dict[str, str]] = []
        self._system: list[dict[str, str]] = []
        self._asking: words.Asking | None = None
        self.game.reset(seed)
        self._advance()

    @property
    def over(self) -> bool:
        """Whether no more answers are wanted."""
        return self.forfeited or self.game.over

    @property
    def legal(self) -> list[int]:
        """The legal actions of the open question; none when the game is over."""
        return [] if self._asking is None or self.over else list(self._asking.turn.legal)

    @property
    def moves(self) -> list[str]:
        """The same as the texts that answers name them by, for clients that constrain answers."""
        if not self.legal:
            return []
        assert self._asking is not None
        turn, view = self._asking.turn, self.game.spec.module("view")
        told = turn.rules, turn.states[0]
        return [move_name(view, *told, action, self.game.text) for action in turn.legal]

    @property
    def reward(self) -> float:
        """What all answers have earned so far."""
        return sum(answer.reward for answer in self.answers)

    def answer(self, reply: str | Generated) -> words.Outcome:
        """Take the answer to the open question. Raises ``ValueError`` when the game is over."""
        if self.over:
            raise ValueError("the game is over: no answer is wanted")
        assert self._asking is not None
        given = Generated(reply) if isinstance(reply, str) else reply
        prompt, turn = self.messages, self._asking.turn
        outcome = self._asking.answer(given.text)

        def regret() -> float:
            assert outcome.action is not None
            return regret_of(self.game.spec, turn.rules, turn.states, outcome.action)

        earned = self.rewards.of_answer(outcome, regret)
        self._take(outcome, given.text)
        if self.over:
            earned += self.rewards.of_end(self.returns()[self.seat], self.forfeited)
        self.answers.append(
            Answered(prompt, given, outcome.kind, outcome.reason or "", outcome.action, earned)
        )
        return outcome

    def _take(self, outcome: words.Outcome, reply: str) -> None:
        """Go on to the next question, or to the end."""
        assert self._asking is not None
        self.counts[outcome.kind] += 1
        if outcome.kind == words.OK:
            self.game.accept(outcome, reply)
            self._advance()
        elif self._asking.is_open:
            self.messages = self._asking.messages
            self._tell(self.messages[-1:])
        elif self.invalid == FORFEIT:
            self.forfeited = True
            self.messages = []
            self._tell([])
        else:
            ply = len(self.game.actions)
            turn, name = self._asking.turn, f"{self.seed}/{ply}"
            self.game.refuse(turn.seat, outcome)
            first = random.Random(name).choice(turn.legal)
            for action in words.stand_in(self.game.spec, self.game.rules, turn, first, name):
                self.game.play(action)
            self.replaced += 1
            self._advance()

    def _advance(self) -> None:
        """Let the opponents move up to the next question or the end."""
        game = self.game
        while not game.over and (game.seat != self.seat or game.is_waiting(self.seat)):
            if game.seat == self.seat:
                game.play_waiting()
                continue
            # As in agents/opponents.py: the seat's own stream, then the decision's number.
            own = np.uint64(core.derive_seed(np.uint64(self.seed), np.uint64(game.seat + 1)))
            seed = int(core.derive_seed(own, np.uint64(len(game.actions))))
            decision = decision_for(game.spec, game.rules, game.states, seed)
            if self.opponent.speaks:
                decision.heard = game.heard(game.seat)
            action, said = decide(self.opponent, decision)
            game.speak(game.seat, said if self.opponent.speaks else game.spoken(action))
            game.play(action)
        self._asking = None if game.over else game.asking(game.observe(), self.tries)
        self.messages = [] if self._asking is None else self._asking.messages
        system = [message for message in self.messages if message["role"] == "system"]
        self._tell([m for m in self.messages if m["role"] != "system" or system != self._system])
        self._system = system

    def _tell(self, new: list[dict[str, str]]) -> None:
        """Make these messages the news."""
        self.new_messages = new
        self.news = "\n\n".join(message["content"] for message in new)

    def returns(self) -> list[float]:
        """Each seat's return so far; a forfeit's is ``forfeit_returns``."""
        if self.forfeited:
            return forfeit_returns(self.game.spec, self.game.rules, self.seat, self.game.states)
        return self.game.returns()

    def _scored(self, cut_off: str) -> list[float] | None:
        """Each seat's return as it is scored; None for a game that was cut off and is not."""
        if self.over:
            return self.returns()
        if cut_off == NONE:
            return None
        return forfeit_returns(self.game.spec, self.game.rules, self.seat, self.game.states)

    def earned(self, cut_off: str = FORFEIT) -> float | None:
        """What all answers and the end have earned, for learners.

        Args:
            cut_off: as of ``scores``: a game that was cut off earns what a forfeit does, or None.
        """
        if self.over:
            return self.reward
        returns = self._scored(cut_off)
        if returns is None:
            return None
        return self.reward + self.rewards.of_end(returns[self.seat], forfeited=True)

    def scores(self, cut_off: str = FORFEIT) -> dict[str, float]:
        """The seat's figures, for a game that is over or that a limit has cut off.

        ``return``; ``win``, ``draw`` and ``loss`` (of the seat's side) unless all seats
        share one return, or the seat is alone; ``forfeit``; ``cut_off``; counts of ``illegal``,
        ``unparseable`` and all ``answers``, and of random moves that stood in (``replaced``).

        Args:
            cut_off: what a game comes to that is not over: ``forfeit``, what a forfeit does;
                ``none``: return, win, draw and loss are NaN, which no mean counts.

        Raises:
            ValueError: another ``cut_off``.
        """
        check_cut_off(cut_off)
        returns = self._scored(cut_off)
        scores = {"return": math.nan if returns is None else returns[self.seat]}
        if self._is_contest:
            lead = math.nan if returns is None else self._lead(returns)
            for name, there in (("win", lead > 0), ("draw", lead == 0), ("loss", lead < 0)):
                scores[name] = math.nan if returns is None else float(there)
        return scores | {
            "forfeit": float(self.forfeited),
            CUT_OFF: float(not self.over),
            "illegal": float(self.counts[words.ILLEGAL]),
            "unparseable": float(self.counts[words.UNPARSEABLE]),
            "answers": float(self.counts.total()),
            "replaced": float(self.replaced),
        }

    def result(self) -> str:
        """How the game ended for the seat, in a few words: ``won``, ``lost by forfeit``."""
        if not self.over:
            return "cut off"
        if not self._is_contest:
            ended = f"returned {self.returns()[self.seat]:g}"
        else:
            lead = self._lead(self.returns())
            ended = "won" if lead > 0 else "drawn" if lead == 0 else "lost"
        return f"{ended} by forfeit" if self.forfeited else ended

    @property
    def _is_contest(self) -> bool:
        """Whether a seat can win or lose: against others."""
        return self.game.spec.utility != "identical" and self.players > 1

    def _lead(self, returns: list[float]) -> float:
        """What the seat's side is ahead by; its own return where nobody tells the sides."""
        rules, about = self.game.rules, self.game.spec
        dealt = dealt_in(about, rules, self.game.states)
        sides = about.sides_of(rules) if dealt is None else dealt.sides
        if sides is None:
            return returns[self.seat]
        leads = zip(sides, core.side_leads(sides, returns), strict=True)
        (lead,) = (lead for side, lead in leads if self.seat in side)
        return float(lead)

    def record(self, cut_off: str = FORFEIT, name: str = "model") -> dict[str, Any]:
        """The game in the fields of ``games.jsonl``: it can be replayed from them.

        Besides: ``opponent``, and the versions of the prompts and of the package that made it;
        ``messages`` holds what was said.

        Args:
            cut_off: as of ``scores``. name: who answers, for ``seats``.
        """
        ended = FORFEIT if self.forfeited else self._ending()
        said, view = self.game.transcript.messages, self.game.spec.module("view")
        others = self.opponent.name
        return {
            "schema": SCHEMA,
            "benchmark": "dialogue",
            "game": self.game.spec.name,
            "match": f"{self.game.spec.name}/{self.seed}/{self.seat}",
            "seed": self.seed,
            "rules": self.options,
            "seat": self.seat,
            "seats": [name if k == self.seat else others for k in range(self.players)],
            "opponent": others,
            "returns": self._scored(cut_off),
            "plies": len(self.game.actions),
            "actions": list(self.game.actions),
            "ended_by": ended,
            "forfeited_by": self.seat if self.forfeited else None,
            "prompt_version": prompt_version(view, self.game.text),
            **reader_field(self.game.text),
            "version": __version__,
            **({"messages": [message.record() for message in said]} if said else {}),
        }

    def _ending(self) -> str:
        """How the rules end the game, if they do."""
        ended = {core.TERMINAL: "terminal", core.TRUNCATED: "truncated"}
        return ended.get(self.game.seat, CUT_OFF)


def check_cut_off(cut_off: str) -> None:
    """Raises ``ValueError`` unless it is a way to score a game that a limit ends."""
    if cut_off not in (FORFEIT, NONE):
        raise ValueError(f"cut_off {cut_off!r}: choose {FORFEIT} or {NONE}")


def players_of(game: str, options: Mapping[str, Any] | None = None) -> int:
    """How many seats a game has under its options, as ``TextGame`` reads them."""
    spec(game)
    return words.TextGame(game, **(options or {})).rules.num_players
