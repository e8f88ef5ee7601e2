"""Any game as text: messages out, replies in.

``TextGame`` holds a game; ``messages`` and ``judge`` do the same for a single state, as
benchmarks of isolated decisions need it. ``Asking`` is the one way to ask again after a bad reply.
Forfeits and replacement moves are the caller's: nothing here changes a reply's verdict.
"""

from __future__ import annotations

import logging
import operator
import random
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.plans import (
    ILLEGAL,
    MOVE_SHOWN,
    OK,
    UNPARSEABLE,
    Outcome,
    check_move,
    finished_turn,
    plan_kind,
    read_reply,
    why_unread,
)
from stratagym.envs.prompts import (
    TextOptions,
    answer_form,
    invites,
    is_legal,
    legal_list,
    messages,
    spoken,
    with_memory,
)
from stratagym.envs.reading import FIRST, READER, answer_of
from stratagym.envs.refusals import refusal
from stratagym.envs.replies import ReplyError
from stratagym.envs.state import State
from stratagym.envs.talk import Message, Said, Transcript
from stratagym.envs.turns import OpenTurn
from stratagym.envs.views import is_public, part, seat_names
from stratagym.envs.words import AnswerForm, Renaming

__all__ = [
    "ILLEGAL", "OK", "UNPARSEABLE", "Asking", "Inquiry", "Outcome", "TextGame", "TextOptions",
    "Turn", "answer", "ask_again", "judge", "judge_answer", "legal_list", "messages", "stand_in",
]  # fmt: skip


_log = logging.getLogger(__name__)

Judge = Callable[[str], Outcome]
"""What the answer to a question that is no move comes to.

It is given a reply's text, and says its kind and reason, the answer as found in it (``move``) and
``facts``; ``ReplyError`` says in one word why it cannot be read.
"""


@dataclass(frozen=True)
class Inquiry:
    """A question that is no move, in words of its own.

    Attributes:
        messages: the chat messages that ask it. judge: of its answers.
        version: of the words, for records.
    """

    messages: list[dict[str, str]]
    judge: Judge
    version: str


@dataclass(frozen=True)
class Turn:
    """A question to a seat: chat ``messages`` and the position they are about.

    ``states`` is (1,) record: where seats decide at the same time, one that shows nothing of what
    others have committed in this turn. With a ``judge`` the question is no move: it may be asked of
    nobody in the game (``seat`` below 0) and be about no position (``states`` (0,)).
    """

    seat: int
    messages: list[dict[str, str]]
    states: np.ndarray = field(repr=False, compare=False)
    rules: Any = field(repr=False, compare=False)
    judge: Judge | None = field(default=None, repr=False, compare=False)

    @cached_property
    def legal(self) -> list[int]:
        """The legal action ids, listed when they are first asked for: there may be thousands."""
        return legal_list(self.rules, self.states)


def answer(text: str, reader: int = READER) -> str:
    """A reply without the reasoning that some servers send in front of it as ``<think>`` text.

    The first reader takes off what is opened and closed at the head; see ``reading`` for today's.
    """
    if reader != FIRST:
        return answer_of(text)
    return re.sub(r"^\s*<think>.*?</think>", "", text, count=1, flags=re.DOTALL).strip()


def judge(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    text: str,
    options: TextOptions = TextOptions(),  # noqa: B008 - frozen
) -> Outcome:
    """Read a reply as a move, or a plan of several, of the seat to move in ``states[0]``.

    Whatever a reply makes the game's view do, it is an outcome and no exception.
    """
    text = answer(text, options.reader)
    if not options.renamed:
        return read_reply(game, rules, states, text, options)
    words = Renaming(game.module("view").RENAMED)
    outcome = read_reply(game, rules, states, words.original(text), options)
    return replace(outcome, told=words.renamed(outcome.reason))


def judge_answer(judge: Judge, text: str, reader: int = READER) -> Outcome:
    """What the answer to a question that is no move comes to.

    Whatever a reply makes the judge do, it is an outcome and no exception.
    """
    text = answer(text, reader)
    if unread := why_unread(text):
        return Outcome(UNPARSEABLE, None, None, unread)
    try:
        found = judge(text)
        if found.kind not in (OK, UNPARSEABLE, ILLEGAL):
            raise ValueError(f"kind {found.kind!r}: choose {OK}, {UNPARSEABLE} or {ILLEGAL}")
        facts = {str(name): _whole(value) for name, value in found.facts.items()}
        return Outcome(found.kind, None, found.move, found.reason, facts=facts)
    except ReplyError as error:
        return Outcome(UNPARSEABLE, None, None, str(error))
    except Exception:
        # A judge has a fault, which a reply found. It is counted; a run must not end by a reply.
        _log.exception("the judge of a question fails on a reply")
        return Outcome(UNPARSEABLE, None, None, "judge_error")


def _whole(value: Any) -> int:
    number = int(operator.index(value))
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"facts: {number} is no number of 64 bits")
    return number


def ask_again(
    asked: list[dict[str, str]],
    reply: str,
    outcome: Outcome,
    wanted: str = "a legal move",
    reader: int = FIRST,
    form: AnswerForm | None = None,
    reasoning: str = "free",
    invites: bool = False,
) -> list[dict[str, str]]:
    """The prompt with a bad answer quoted back, and what is ``wanted``.

    Args:
        reader: who read the answer; the first tells no more than the word of its refusal.
        form: of the answer, which is told again; of an answer that is no move None.
        reasoning: as of ``TextOptions``. invites: as of ``AnswerForm.asked``.
    """
    which = ""
    if outcome.facts.get("over") and "cost" in outcome.facts:
        cost, budget = outcome.facts["cost"], outcome.facts["budget"]
        told = (
            f"That plan costs {cost}, your budget is {budget}: it is over budget by "
            f"{cost - budget}. Give a new plan within the budget, exactly in the form asked for."
        )
    elif reader != FIRST:
        told = refusal(outcome, wanted, form, reasoning, invites)
    else:
        if outcome.kind == ILLEGAL and outcome.rejected:
            shown = (f"{move!r} ({reason})" for move, reason in outcome.rejected[:5])
            which = f" Refused: {', '.join(shown)}."
        told = (
            f"That answer is {outcome.kind} ({outcome.told or outcome.reason}).{which} "
            f"Give {wanted}, exactly in the form asked for."
        )
    quoted = answer(reply, reader) or "(no answer)"
    return [
        *asked,
        {"role": "assistant", "content": quoted},
        {"role": "user", "content": told},
    ]


class Asking:
    """A question to a seat until an answer is good or there have been enough of them.

    >>> asking = Asking(game, rules, turn, tries=3)
    >>> while asking.is_open:
    ...     asking.answer(model(asking.messages))

    Attributes:
        turn: the question. tries: answers at most. again: whether an illegal answer is asked again,
            as an unparseable one is. violations: how many plans over budget may be answered; the
            last stands. They are not among the ``tries``, but for the last.
        messages: what is to be said next: the prompt, after a bad answer with that quoted back.
        answers: how many there were. outcome: of the last; None before the first.
    """

    def __init__(
        self,
        game: core.GameSpec,
        rules: Any,
        turn: Turn,
        tries: int = 1,
        options: TextOptions = TextOptions(),  # noqa: B008 - frozen
        again: bool = True,
        violations: int = 1,
    ):
        self.game, self.rules, self.turn, self.tries = game, rules, turn, tries
        self.again, self.violations = again, violations
        self.options = options
        self.messages, self.answers, self._over = turn.messages, 0, 0
        self.outcome: Outcome | None = None

    @property
    def is_good(self) -> bool:
        """Whether the last answer can be played."""
        return self.outcome is not None and self.outcome.kind == OK

    @property
    def is_open(self) -> bool:
        """Whether another answer is wanted."""
        if self._is_over and self._over < self.violations:
            return True
        last = self.outcome is not None and self.outcome.kind == ILLEGAL and not self.again
        tried = self.answers - min(self._over, self.violations - 1)
        return not self.is_good and not last and tried < self.tries

    @property
    def _is_over(self) -> bool:
        """Whether the last answer is a plan over its budget."""
        if self.outcome is None or self.turn.judge is not None:
            return False
        return self.outcome.facts.get("over", 0) > 0

    def answer(self, reply: str) -> Outcome:
        """Judge an answer; a bad one is quoted back in ``messages``."""
        turn, wanted = self.turn, "a legal move"
        if turn.judge is None:
            self.outcome = judge(self.game, self.rules, turn.states, reply, self.options)
        else:
            self.outcome, wanted = judge_answer(turn.judge, reply, self.options.reader), "an answer"
        self.answers += 1
        self._over += self._is_over
        if not self.is_good or self.is_open:
            self.messages = self._ask_again(reply, wanted)
        return self.outcome

    def _ask_again(self, reply: str, wanted: str) -> list[dict[str, str]]:
        assert self.outcome is not None
        options, outcome = self.options, self.outcome
        view = spoken(self.game.module("view"), options)
        form = None if self.turn.judge else answer_form(view, self.turn.rules, options)
        renamed = options.renamed and form is not None and options.reader != FIRST
        if renamed:
            outcome = replace(outcome, told="")  # the whole message is renamed
        again = ask_again(
            self.messages, reply, outcome, wanted, options.reader, form, options.reasoning,
            invites(view, options),
        )  # fmt: skip
        if renamed:
            told = Renaming(view.RENAMED).renamed(again[-1]["content"])
            again[-1] = {**again[-1], "content": told}
        return again


def stand_in(game: core.GameSpec, rules: Any, turn: Turn, first: int, seed: Any) -> list[int]:
    """Actions instead of an answer: ``first`` and, if answers are plans, those up to its end.

    The view's ``default_actions`` are preferred to random ones, which come from ``seed``.
    """
    if plan_kind(game) is None and not game.is_simultaneous:
        return [first]
    own = random.Random(f"{seed}/stand-in")
    actions, _ = finished_turn(
        game, rules, turn.states, [first], lambda states: own.choice(legal_list(rules, states))
    )
    return actions


_Waiting = tuple[str | int | None, Sequence[Said]]
"""A move's text, an action or None for an idle decision, and what is said with it."""


@dataclass
class _Memory:
    turns: list[tuple[list[dict[str, str]], str]] = field(default_factory=list)


class TextGame:
    """A whole game as questions and replies.

    Examples:
        >>> game = TextGame("ludo", players=2)
        >>> game.reset(seed=1)
        >>> turn = game.observe()
        >>> outcome = game.submit("0 | the only piece in play")

    An ``ok`` reply is played; any other leaves the game as it was, for the caller to ask again or
    to ``play`` an action in its stead. Options that are not given are as the game's view wants them
    for text (``TEXT_OPTIONS``), or else the game's defaults.

    Attributes:
        state: the game. states: its record.
        actions: all that were played. seat: to move, or a negative id of ``core``.
        turn_ply: how many actions there were when the running turn began.
        transcript: what was said.
        refused: (ply, seat, move, reason) of moves that waited and then could not be played.
        refusals: by seat, why its last refused answer was, in words; of views that tell it.
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
        self.state = State(self.spec, self.rules)
        self.states = self.state.states
        self.seat = core.TERMINAL
        self.actions: list[int] = []
        self.transcript = Transcript(self.rules.num_players)
        self._told: list[str] = []
        self._memory: list[_Memory] = []
        self._waiting: defaultdict[int, deque[_Waiting]] = defaultdict(deque)
        self.refused: list[tuple[int, int, str, str]] = []
        self.refusals: dict[int, str] = {}
        self._begin_turn()

    def reset(self, seed: int = 0) -> None:
        """Start a game; the same seed gives the same dice and cards."""
        self.state.reset(seed & SEED_MASK)
        self.begin(self.states)

    def begin(self, states: np.ndarray) -> None:
        """Start from the position in ``states[0]``, where chance has nothing to decide."""
        self.state.begin(states)
        self.seat = self.state.current_player()
        self.actions = []
        self.transcript = Transcript(self.rules.num_players)
        self._told = []
        self._memory = [_Memory() for _ in range(self.rules.num_players)]
        self._waiting = defaultdict(deque)
        self.refused = []
        self.refusals = {}
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._open: OpenTurn | None = None
        self._own: dict[int, list[int]] = {}
        self._told_before, self._said_before = len(self._told), len(self.transcript.messages)
        self.turn_ply = len(self.actions)
        if self.spec.is_simultaneous and not self.over:
            self._open = OpenTurn(self.rules, self.states)

    @property
    def over(self) -> bool:
        """Whether nobody is to move."""
        return self.seat < 0

    def returns(self) -> list[float]:
        """Each seat's return so far."""
        return self.state.returns()

    def deciding(self) -> list[int]:
        """The seats that decide at the same time from here on, the seat to move first."""
        if self.over:
            return []
        if self._open is None:
            return [self.seat]
        return self._open.seats[self._open.seats.index(self.seat) :]

    def turns(self) -> list[Turn]:
        """The questions to all seats that are ``deciding``, none of which shows another's answer.

        They can be asked at the same time. Play the answers in the order of the questions.
        """
        return [self.question(seat) for seat in self.deciding()]

    def observe(self) -> Turn:
        """The question to the seat to move. Raises ``ValueError`` when the game is over."""
        return self.question(self.seat)

    def question(self, seat: int) -> Turn:
        """The question to a seat that is ``deciding``. Raises ``ValueError`` for any other."""
        if self.over:
            raise ValueError(f"{self.spec.name}: the game is over; call reset()")
        states = self._position(seat)
        told = self._told[: self._told_before] if self._open else self._told
        told = told[-self.text.history :] if self.text.history else []
        heard = self._heard_text(seat, states)
        refusal = self.refusals.get(seat, "")
        now = messages(self.spec, self.rules, states, self.text, "\n".join(told), heard, refusal)
        if self.text.memory:
            now = with_memory(now, self._memory[seat].turns[-self.text.memory :])
        return Turn(seat, now, states, self.rules)

    def _heard_text(self, seat: int, states: np.ndarray) -> str:
        """What a seat that is deciding heard, for its prompt."""
        if not self.transcript.messages:
            return ""
        view, before = self.spec.module("view"), self._said_before if self._open else None
        limit = part(view, "HEARD") if self.text.heard is None else self.text.heard
        names = seat_names(view, self.rules, states[0])
        return self.transcript.text(seat, before, limit, names)

    def _position(self, seat: int) -> np.ndarray:
        """The position as it stands for a seat that is deciding."""
        if seat not in self.deciding():
            raise ValueError(f"{self.spec.name}: seat {seat} has nothing to decide now")
        if self._open is None:
            return self.states.copy()
        return self._open.position(seat, self._own.get(seat, []))

    def asking(self, turn: Turn, tries: int = 1, again: bool = True, violations: int = 1) -> Asking:
        """``turn`` as a question that takes up to ``tries`` answers; the rest as ``Asking``'s."""
        return Asking(self.spec, self.rules, turn, tries, self.text, again, violations)

    def submit(self, text: str) -> Outcome:
        """Read a reply of the seat to move and, if it is ok, play it."""
        outcome = judge(self.spec, self.rules, self._position(self.seat), text, self.text)
        if outcome.kind == OK:
            self.accept(outcome, text)
        return outcome

    def accept(self, outcome: Outcome, reply: str, delay: int = 0) -> None:
        """Say and play what a reply of the seat to move came to.

        Args:
            delay: decisions of the seat that pass first, in games in real time.
        """
        if self.text.memory:
            refusal = self.refusals.get(self.seat, "")
            position = self._position(self.seat)
            asked = messages(self.spec, self.rules, position, self.text, refusal=refusal)
            self._memory[self.seat].turns.append((asked, reply))
        if delay or not outcome.actions:
            self.wait(outcome.moves, delay, outcome.said)
            self.play_waiting()
            return
        self.speak(self.seat, outcome.said)
        for action in outcome.actions:
            self.play(action)

    def refuse(self, seat: int, outcome: Outcome | None) -> None:
        """Keep why a seat's answer is not played, for its next question; None for no answer."""
        told = getattr(self.spec.module("view"), "refusal_text", None)
        if told is not None and outcome is None:
            self.refusals[seat] = told("", "", "", {})
        elif told is not None and outcome is not None:
            where = outcome.rejected[0][0] if outcome.rejected else ""
            self.refusals[seat] = told(outcome.kind, outcome.reason, where, outcome.facts)

    def wait(self, moves: Sequence[str | int], delay: int, said: Sequence[Said] = ()) -> None:
        """Let moves of the seat to move, or actions, wait for its next decisions.

        Args:
            delay: decisions that it lets pass first, idle (the view's ``IDLE``).
            said: what it says when they have passed.
        """
        waiting = self._waiting[self.seat]
        waiting.extend([(None, ())] * delay)
        waiting.extend((move, said if k == 0 else ()) for k, move in enumerate(moves))

    def is_waiting(self, seat: int) -> bool:
        """Whether the seat has moves for its next decision already, so that it is not asked."""
        return bool(self._waiting[seat])

    def play_waiting(self) -> None:
        """Play what waits for the seat to move; what cannot be played is listed in ``refused``."""
        seat = self.seat
        move, said = self._waiting[seat].popleft()
        self.speak(seat, said)
        view, position = self.spec.module("view"), self._position(seat)
        action: int | None = None
        if isinstance(move, str):
            action, reason = check_move(view, self.rules, position, move)
        else:
            action = move
            reason = "" if move is None or is_legal(self.rules, position, move) else "illegal"
        if reason:
            self.refused.append((len(self.actions), seat, str(move)[:MOVE_SHOWN], reason))
        self.play(view.IDLE if action is None or reason else action)

    def say(self, seat: int, to: Any, text: str) -> Message:
        """Let a seat say something to others, or to itself; see ``Transcript.say``.

        Raises:
            ValueError: seats that are not there.
        """
        view = self.spec.module("view")
        s = (self._position(seat) if seat in self.deciding() else self.states)[0]
        public = is_public(view, self.rules, s, seat, to)
        phase = part(view, "phase_text")(self.rules, s)
        return self.transcript.say(seat, to, text, len(self.actions), public, phase)

    def heard(self, seat: int) -> list[Message]:
        """What a seat heard or said so far, oldest first.

        What others say at the same time as it decides it hears when all have decided.
        """
        return self.transcript.heard(seat, self._said_before if self._open else None)

    def speak(self, seat: int, said: Iterable[Said]) -> None:
        """Let a seat say several things. Raises ``ValueError`` as ``say``."""
        for to, text in said:
            self.say(seat, to, text)

    @property
    def has_words(self) -> bool:
        """Whether the game speaks for players without language (the view's ``spoken_text``)."""
        return hasattr(self.spec.module("view"), "spoken_text")

    def spoken(self, action: int) -> list[Said]:
        """What the seat to move says by an action if it has no words of its own.

        It goes to all who may be spoken to.
        """
        view = self.spec.module("view")
        if self.over or not self.has_words:
            return []
        s = self._position(self.seat)[0]
        to, said = view.listeners(self.rules, s, self.seat), view.spoken_text(self.rules, s, action)
        return [(tuple(to), said)] if said and to else []

    def play(self, action: int) -> None:
        """Play an action id. Raises ``ValueError`` if it is not legal."""
        if self.over or not is_legal(self.rules, self.states, action):
            raise ValueError(f"{self.spec.name}: seat {self.seat} may not play {action}")
        if self.text.history:
            told = self.spec.module("view").move_text(self.rules, self.states[0], action)
            self._told += [told] if told else []
        self.actions.append(int(action))
        self._own.setdefault(self.seat, []).append(int(action))
        self.state.apply_action(action)
        self.seat = self.state.current_player()
        if self._open is None or self.over or not self._open.is_deciding(self.seat, self.states):
            self._begin_turn()
