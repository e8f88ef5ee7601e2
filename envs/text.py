"""Any game as text: messages out, replies in.

``TextGame`` holds a game; ``messages`` and ``judge`` do the same for a single state, as
benchmarks of isolated decisions need it. Retries, forfeits and replacement moves are the
caller's: nothing here changes a reply's verdict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.aec import SEED_MASK
from stratagym.envs.prompts import TextOptions, extract, legal_list, messages, with_memory
from stratagym.envs.words import Renaming

OK, UNPARSEABLE, ILLEGAL = "ok", "unparseable", "illegal"


@dataclass(frozen=True)
class Turn:
    """A question to a seat: chat ``messages`` and the ``legal`` action ids."""

    seat: int
    messages: list[dict[str, str]]
    legal: list[int]


@dataclass(frozen=True)
class Outcome:
    """What a reply came to.

    Attributes:
        kind: ``ok``, ``unparseable`` or ``illegal``.
        action: the action the reply names, legal or not; None where it names none.
        move: the move's text as found in the reply, or None.
        reason: why it is not ok, as one word; empty if it is.
        told: the reason in the prompt's words, where these are renamed.
    """

    kind: str
    action: int | None
    move: str | None
    reason: str = ""
    told: str = field(default="", repr=False)


def answer(text: str) -> str:
    """A reply without the reasoning that some servers send in front of it as ``<think>`` text."""
    return re.sub(r"^\s*<think>.*?</think>", "", text, count=1, flags=re.DOTALL).strip()


def judge(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    text: str,
    options: TextOptions = TextOptions(),  # noqa: B008 - frozen
) -> Outcome:
    """Read a reply as a move of the seat to move in ``states[0]``."""
    view = game.module("view")
    text = answer(text)
    if not options.renamed:
        return _read(game, rules, states, text, options)
    words = Renaming(view.RENAMED)
    outcome = _read(game, rules, states, words.original(text), options)
    return replace(outcome, told=words.renamed(outcome.reason))


def _read(
    game: core.GameSpec, rules: Any, states: np.ndarray, text: str, options: TextOptions
) -> Outcome:
    view = game.module("view")
    if not text:
        return Outcome(UNPARSEABLE, None, None, "empty")
    move = extract(view, text, options)
    if move is None:
        return Outcome(UNPARSEABLE, None, None, "no_move")
    try:
        action = view.string_to_action(rules, states[0], move)
    except ValueError as error:
        return Outcome(ILLEGAL, None, move, str(error))
    if action in legal_list(rules, states):
        return Outcome(OK, action, move)
    return Outcome(ILLEGAL, action, move, view.why_illegal(rules, states[0], action))


def ask_again(asked: list[dict[str, str]], reply: str, outcome: Outcome) -> list[dict[str, str]]:
    """The prompt with a bad answer quoted back."""
    return [
        *asked,
        {"role": "assistant", "content": answer(reply) or "(no answer)"},
        {
            "role": "user",
            "content": f"That answer is {outcome.kind} ({outcome.told or outcome.reason}). "
            "Give a legal move, exactly in the form asked for.",
        },
    ]


@dataclass
class _Memory:
    turns: list[tuple[list[dict[str, str]], str]] = field(default_factory=list)


class TextGame:
    """A whole game as questions and replies.

    >>> game = TextGame("ludo", players=2)
    >>> game.reset(seed=1)
    >>> turn = game.observe()
    >>> outcome = game.submit("0 | the only piece in play")

    An ``ok`` reply is played; any other leaves the game as it was, for the caller to ask again or
    to ``play`` an action in its stead. Options that are not given are as the game's view wants them
    for text (``TEXT_OPTIONS``), or else the game's defaults.
    """

    def __init__(
        self,
        game: str,
        text: TextOptions = TextOptions(),  # noqa: B008 - frozen
        rules: Any = None,
        **options: Any,
    ):
        self.spec = spec(game)
        text.check(self.spec)
        self.text = text
        wanted = getattr(self.spec.module("view"), "TEXT_OPTIONS", {})
        self.rules = self.spec.make_rules(**{**wanted, **options}) if rules is None else rules
        self.states = core.new_states(self.rules)
        self._legal, self._probs = core.new_scratch(self.rules)
        self.seat = core.TERMINAL
        self.actions: list[int] = []
        self._told: list[str] = []
        self._memory: list[_Memory] = []

    def reset(self, seed: int = 0) -> None:
        """Start a game; the same seed gives the same dice and cards."""
        self.seat = core.start_at(
            self.rules, self.states, 0, np.uint64(seed & SEED_MASK), self._probs
        )
        self.actions = []
        self._told = []
        self._memory = [_Memory() for _ in range(self.rules.num_players)]

    @property
    def over(self) -> bool:
        """Whether nobody is to move."""
        return self.seat < 0

    def returns(self) -> list[float]:
        """Each seat's return so far."""
        out = np.zeros(self.rules.num_players)
        core.returns_at(self.rules, self.states, 0, out)
        return out.tolist()

    def observe(self) -> Turn:
        """The question to the seat to move. Raises ``ValueError`` when the game is over."""
        if self.over:
            raise ValueError(f"{self.spec.name}: the game is over; call reset()")
        told = self._told[-self.text.history :] if self.text.history else []
        now = messages(self.spec, self.rules, self.states, self.text, "\n".join(told))
        if self.text.memory:
            now = with_memory(now, self._memory[self.seat].turns[-self.text.memory :])
        return Turn(self.seat, now, legal_list(self.rules, self.states))

    def submit(self, text: str) -> Outcome:
        """Read a reply and, if it is ok, play it."""
        outcome = judge(self.spec, self.rules, self.states, text, self.text)
        if outcome.kind == OK and outcome.action is not None:
            if self.text.memory:
                asked = messages(self.spec, self.rules, self.states, self.text)
                self._memory[self.seat].turns.append((asked, text))
            self.play(outcome.action)
        return outcome

    def play(self, action: int) -> None:
        """Play an action id. Raises ``ValueError`` if it is not legal."""
        if action not in legal_list(self.rules, self.states):
            raise ValueError(f"{self.spec.name}: seat {self.seat} may not play {action}")
        if self.text.history:
            self._told.append(
                self.spec.module("view").move_text(self.rules, self.states[0], action)
            )
        self.actions.append(int(action))
        self.seat, _ = core.play_at(self.rules, self.states, 0, action, self._legal, self._probs)
