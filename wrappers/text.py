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
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper

from stratagym.envs import core, spec
from stratagym.envs.aec import SEED_MASK, GameEnv
from stratagym.envs.words import Renaming

OK, UNPARSEABLE, ILLEGAL = "ok", "unparseable", "illegal"


@dataclass(frozen=True)
class TextOptions:
    """What a prompt holds and how replies are read; recorded with every result.

    Attributes:
        persona: a playing style the game's view knows, or ``none``.
        list_legal: name the legal moves in the prompt.
        lenient: also accept replies the game's view calls lenient.
        history: how many of the game's last moves the prompt retells.
        memory: how many of the seat's own last prompts and replies are sent along.
        renamed: tell the game under made-up names (the view's ``RENAMED``), its rules in full, so
            that what was read about it elsewhere is of less use.
    """

    persona: str = "none"
    list_legal: bool = False
    lenient: bool = False
    history: int = 0
    memory: int = 0
    renamed: bool = False

    def check(self, game: core.GameSpec) -> None:
        """Raises ``ValueError`` for what the game's view does not have, or a negative count."""
        view = game.module("view")
        if self.persona not in view.PERSONAS:
            raise ValueError(
                f"{game.name}: unknown persona {self.persona!r}; "
                f"the personas are: {', '.join(view.PERSONAS)}"
            )
        if self.renamed and not hasattr(view, "RENAMED"):
            raise ValueError(f"{game.name}: the game has no other names for renamed rules")
        if self.history < 0 or self.memory < 0:
            raise ValueError("history and memory count turns: 0 or more is needed")


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


def legal_list(rules: Any, states: np.ndarray) -> list[int]:
    """Legal action ids in ``states[0]``."""
    legal = np.zeros(rules.num_actions, np.int64)
    return legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()


def messages(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    options: TextOptions = TextOptions(),
    history: str = "",
) -> list[dict[str, str]]:
    """The prompt for the seat to move in ``states[0]``."""
    seat, view = core.current_player_at(rules, states, 0), game.module("view")
    asked = view.prompt(
        rules,
        states[0],
        seat,
        persona=options.persona,
        history=history,
        list_legal=legal_list(rules, states) if options.list_legal else None,
    )
    if not options.renamed:
        return asked
    words = Renaming(view.RENAMED)
    rules_in_full = getattr(view, "rules_in_full", None)
    if rules_in_full is not None:
        told = f"{rules_in_full(rules)}\n\n{asked[0]['content']}"
        asked[0] = {**asked[0], "content": told}
    return [{**part, "content": words.renamed(part["content"])} for part in asked]


def answer(text: str) -> str:
    """A reply without the reasoning that some servers send in front of it as ``<think>`` text."""
    return re.sub(r"^\s*<think>.*?</think>", "", text, count=1, flags=re.DOTALL).strip()


def judge(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    text: str,
    options: TextOptions = TextOptions(),
) -> Outcome:
    """Read a reply as a move of the seat to move in ``states[0]``."""
    view = game.module("view")
    text = answer(text)
    if not options.renamed:
        return _read(game, rules, states, text, options.lenient)
    words = Renaming(view.RENAMED)
    outcome = _read(game, rules, states, words.original(text), options.lenient)
    return replace(outcome, told=words.renamed(outcome.reason))


def _read(game: core.GameSpec, rules: Any, states: np.ndarray, text: str, lenient: bool) -> Outcome:
    view = game.module("view")
    if not text:
        return Outcome(UNPARSEABLE, None, None, "empty")
    move = view.extract(text, lenient)
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
        text: TextOptions = TextOptions(),
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
            for asked, reply in self._memory[self.seat].turns[-self.text.memory :][::-1]:
                now = [*asked, {"role": "assistant", "content": reply}, *now]
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


class TextObservation(BaseWrapper):
    """An AEC environment whose observations are prompts and whose actions are replies.

    The observation is the prompt as one string; ``infos[agent]["messages"]`` has it as chat
    messages. A reply that is not a legal move is handled as the environment handles an illegal
    action, and ``infos[agent]["outcome"]`` of the agent that gave it says what it came to.
    """

    def __init__(self, env: GameEnv, text: TextOptions = TextOptions()):
        super().__init__(env)
        text.check(env.spec)
        self.text = text
        self._space = spaces.Text(max_length=100_000, min_length=0, charset=_Printable())

    def observation_space(self, agent: str) -> spaces.Space:
        return self._space

    def action_space(self, agent: str) -> spaces.Space:
        return self._space

    def observe(self, agent: str) -> str:
        env = self.unwrapped
        if agent != env.agent_selection or env.terminations[agent] or env.truncations[agent]:
            return ""
        asked = messages(env.spec, env.rules, env.states, self.text)
        env.infos[agent]["messages"] = asked
        return "\n\n".join(message["content"] for message in asked)

    def step(self, action: str | None) -> None:
        env = self.unwrapped
        if action is None or not env.agents:
            super().step(action)
            return
        agent = env.agent_selection
        outcome = judge(env.spec, env.rules, env.states, action, self.text)
        super().step(outcome.action if outcome.kind == OK else -1)
        env.infos[agent]["outcome"] = outcome


class _Printable(frozenset):
    """A character set that holds every character; its listing, for sampling, is ASCII."""

    def __new__(cls) -> _Printable:
        return super().__new__(cls, map(chr, (10, *range(32, 127))))

    def __contains__(self, character: object) -> bool:
        return isinstance(character, str)
