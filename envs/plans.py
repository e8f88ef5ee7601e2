"""Replies as moves: one, or a plan of several by one seat, and what is said beside them.

A plan is a sequence of kernel actions by one seat, each legal where it is played, the last of which
gives the turn away. A view that takes plans has

- ``read_plan(rules, s, text) -> list[str]``: the moves a reply names, in the order in which they
  are played; it raises ``ReplyError`` with one word for a reply that it cannot read, and may
  raise ``PlanError`` for one that it can read and that breaks a rule in a place it can name;
- ``PLAN``: ``"all"`` (one bad move refuses the reply), ``"each"`` (good moves are played, bad ones
  are listed) or ``"queue"`` (one move is played at each decision of the seat, and checked then;
  for games in real time);
- optionally ``plan_facts(rules, s, text, actions) -> dict``, whole numbers about the plan of a
  reply that can be read, for records, with its actions if it can be played; ``over`` above 0 is
  what its ``cost`` is beyond its ``budget``;
- optionally ``plan_schema(rules, s) -> dict``, the JSON schema of a plan (``plan_schemas``);
- optionally ``default_actions(rules, s) -> list[int]``, which end a turn that a plan left open,
  and for ``"each"`` ``replacement_actions(rules, s, move) -> list[int]``, played in a bad move's
  stead; without it a bad move is passed over.

A view that takes messages names the member of the reply's JSON object that holds them (``SPEECH``)
and says who may be spoken to (``listeners(rules, s, seat) -> list[int]``); ``talk.read_speech``
has their forms. ``seat_name``, ``present``, ``phase_text`` and ``HEARD`` of ``views.View`` say how
prompts tell them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.prompts import TextOptions, extract, is_legal
from stratagym.envs.reading import FIRST, check_last, without_forms
from stratagym.envs.replies import REPLY_LIMIT, ReplyError, last_json
from stratagym.envs.talk import Said, limited, read_speech
from stratagym.envs.turns import is_deciding
from stratagym.envs.views import seat_names
from stratagym.envs.words import AnswerForm, section

OK, UNPARSEABLE, ILLEGAL = "ok", "unparseable", "illegal"
ALL, EACH, QUEUE = "all", "each", "queue"
PLAN_LIMIT = 2000
"""The most moves that a plan may have."""
MOVE_SHOWN = 200
"""Characters of a refused move that are kept."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """What a reply came to.

    Attributes:
        kind: ``ok``, ``unparseable`` or ``illegal``.
        action: the action the reply names, legal or not; None where it names none. Of a plan, the
            first that is played, or the one that refuses it.
        move: the move's text as found in the reply, or None. Of a plan, its moves.
        reason: why it is not ok, as one word; empty if it is.
        told: the reason in the prompt's words, where these are renamed.
        actions: all actions to play, in order; none if it is not ok.
        rejected: moves and messages that are not played or said, each with its reason.
        said: messages, each with the seats it is for.
        moves: of a plan under ``"queue"``, the moves that wait for their decision.
        facts: whole numbers about a plan, where the game's view has ``plan_facts``, or about the
            answer to a question that is no move.
        found: the statement of an answer that names no move, as far as it is in the reply.
    """

    kind: str
    action: int | None
    move: str | None
    reason: str = ""
    told: str = ""
    actions: tuple[int, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    said: tuple[Said, ...] = ()
    moves: tuple[str, ...] = ()
    facts: Mapping[str, int] = field(default_factory=dict, hash=False)
    found: str = ""

    def __repr__(self) -> str:
        shown = ["kind", "action", "move", "reason"]
        shown += [name for name in ("rejected", "said") if getattr(self, name)]
        return f"Outcome({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


class PlanError(ValueError):
    """A plan that is readable and breaks a rule before any move is played.

    Attributes:
        move: the part of the plan that does. reason: why, as one word.
    """

    def __init__(self, move: str, reason: str):
        super().__init__(reason)
        self.move, self.reason = move, reason


@dataclass(frozen=True)
class JsonPlan(AnswerForm):
    """The form of a reply that is a plan; ``form`` shows the JSON object."""

    kind = "JSON object"

    def request(self, reasoning: str = "free") -> str:
        first = {
            "free": "End your answer with one JSON object of this form",
            "steps": "Think step by step first. End your answer with one JSON object of this form",
            "answer": "Answer with one JSON object of this form and nothing else",
        }[reasoning]
        return section(self.title, f"{first}{self.note}:", self.form)


@dataclass(frozen=True)
class ShownPlan(JsonPlan):
    """A plan whose form stands with the position, since it depends on the phase of the game."""

    def request(self, reasoning: str = "free") -> str:
        one = "one JSON object of the form that stands with the position"
        first = {
            "free": f"End your answer with {one}",
            "steps": f"Think step by step first. End your answer with {one}",
            "answer": f"Answer with {one} and nothing else",
        }[reasoning]
        return section(self.title, f"{first}.")


SHOWN_PLAN = ShownPlan("{...}", "")


def json_plan(form: str, note: str = "") -> AnswerForm:
    """A reply ends with a JSON object such as ``form`` shows."""
    return JsonPlan(form, "", note)


def plan_kind(game: core.GameSpec) -> str | None:
    """``PLAN`` of a game whose replies are plans, or None.

    Raises:
        ValueError: the view names another kind than there is.
    """
    view = vars(game.module("view"))
    if "read_plan" not in view:
        return None
    kind = view.get("PLAN", ALL)
    if kind not in (ALL, EACH, QUEUE):
        raise ValueError(f"{game.name}: PLAN={kind!r}; choose one of: {ALL}, {EACH}, {QUEUE}")
    return kind


def takes_talk(game: core.GameSpec) -> bool:
    """Whether replies may hold messages to other seats."""
    return "SPEECH" in vars(game.module("view"))


def why_unread(text: str) -> str:
    """Why a reply is not read at all, as one word; empty where it is."""
    return "too_long" if len(text) > REPLY_LIMIT else "" if text else "empty"


def read_reply(
    game: core.GameSpec, rules: Any, states: np.ndarray, text: str, options: TextOptions
) -> Outcome:
    """Read a reply, its reasoning taken off, of the seat to move in ``states[0]``."""
    if unread := why_unread(text):
        return Outcome(UNPARSEABLE, None, None, unread)
    try:
        kind = plan_kind(game)
        said: tuple[Said, ...] = ()
        refused: tuple[tuple[str, str], ...] = ()
        if takes_talk(game):
            said, refused = _speech(game, rules, states, text)
        if kind is None:
            outcome = _read_move(game, rules, states, text, options)
        else:
            if options.reader != FIRST:
                text = without_forms(text)
                check_last(text)
            plan = _Plan(game, rules, states, kind)
            outcome = plan.read(text, spoke=any(to != (plan.seat,) for to, _ in said))
            if facts := getattr(game.module("view"), "plan_facts", None):
                outcome = replace(outcome, facts=facts(rules, states[0], text, outcome.actions))
        if outcome.kind != OK:
            return outcome
        return replace(outcome, said=said, rejected=(*outcome.rejected, *refused))
    except ReplyError as error:
        return Outcome(UNPARSEABLE, None, None, str(error))
    except Exception:
        # A view has a fault, which a reply found. It is counted; a run must not end by a reply.
        _log.exception("%s: the view fails on a reply", game.name)
        return Outcome(UNPARSEABLE, None, None, "view_error")


def check_move(
    view: ModuleType, rules: Any, states: np.ndarray, move: str
) -> tuple[int | None, str]:
    """(action, empty) of a legal move's text, or (action or None, why it is refused)."""
    try:
        action = view.string_to_action(rules, states[0], move)
    except ValueError as error:
        # Views say why in one word; another text comes from a fault in the view.
        if re.fullmatch(r"[a-z][a-z0-9_]{0,39}", str(error)) is None:
            raise
        return None, str(error)
    if is_legal(rules, states, action):
        return int(action), ""
    return action, view.why_illegal(rules, states[0], action)


def _read_move(
    game: core.GameSpec, rules: Any, states: np.ndarray, text: str, options: TextOptions
) -> Outcome:
    view = game.module("view")
    move, found = extract(view, rules, text, options)
    if move is None:
        return Outcome(UNPARSEABLE, None, None, "no_move", found=found)
    action, reason = check_move(view, rules, states, move)
    if action is None or reason:
        return Outcome(ILLEGAL, action, move, reason)
    return Outcome(OK, action, move, actions=(action,), moves=(move,))


class _Plan:
    """A plan played on a copy."""

    def __init__(self, game: core.GameSpec, rules: Any, states: np.ndarray, kind: str):
        self.game, self.rules, self.kind = game, rules, kind
        self.view = game.module("view")
        self.before, self.states = states, states[:1].copy()
        self.seat = int(core.current_player_at(rules, states, 0))
        self.number = int(core.turn_at(rules, states, 0))
        self.scratch = core.new_scratch(rules)
        self.actions: list[int] = []
        self.rejected: list[tuple[str, str]] = []

    @property
    def is_open(self) -> bool:
        return is_deciding(self.rules, self.states, self.seat, self.number)

    def play(self, actions: Iterable[int]) -> None:
        for action in actions:
            if not self.is_open or not is_legal(self.rules, self.states, action):
                raise ValueError(f"{self.game.name}: {action} cannot stand in a plan here")
            core.play_at(self.rules, self.states, 0, action, *self.scratch)
            self.actions.append(int(action))

    def reject(self, move: str, reason: str) -> None:
        self.rejected.append((limited(move, MOVE_SHOWN), reason))

    def read(self, text: str, spoke: bool) -> Outcome:
        """What the plan comes to; ``spoke`` tells that the reply says something to others."""
        try:
            moves = self.view.read_plan(self.rules, self.before[0], text)
        except PlanError as error:
            self.reject(error.move, error.reason)
            return Outcome(
                ILLEGAL, None, self.rejected[0][0], error.reason, rejected=tuple(self.rejected)
            )
        if len(moves) > PLAN_LIMIT:
            raise ReplyError("too_many")
        shown = limited("; ".join(moves), SHOWN)
        if self.kind == QUEUE:
            return self._queue(moves, shown)
        good = 0
        for move in moves:
            action: int | None = None
            reason = "turn_over"
            if self.is_open:
                action, reason = check_move(self.view, self.rules, self.states, move)
            if action is not None and not reason:
                self.play([action])
                good += 1
                continue
            self.reject(move, reason)
            if self.kind == ALL:
                return Outcome(ILLEGAL, action, shown, reason, rejected=tuple(self.rejected))
            if self.is_open and hasattr(self.view, "replacement_actions"):
                self.play(self.view.replacement_actions(self.rules, self.states[0], move))
        rejected = tuple(self.rejected)
        if moves and not good and not spoke:
            return Outcome(ILLEGAL, None, shown, rejected[0][1], rejected=rejected)
        if self.is_open and hasattr(self.view, "default_actions"):
            self.play(self.view.default_actions(self.rules, self.states[0]))
        # With one player there is nobody to give the turn to.
        if (self.is_open and self.rules.num_players > 1) or not self.actions:
            why = rejected[0][1] if rejected and not good else "unfinished"
            return Outcome(ILLEGAL, None, shown, why, rejected=rejected)
        actions = tuple(self.actions)
        return Outcome(OK, actions[0], shown, actions=actions, rejected=rejected)

    def _queue(self, moves: list[str], shown: str) -> Outcome:
        first: int | None = None
        waiting = []
        for move in moves:
            action, reason = check_move(self.view, self.rules, self.states, move)
            if action is None:  # a word that means nothing at any time
                self.reject(move, reason)
            else:
                first = int(action) if first is None else first
                waiting.append(move)
        rejected = tuple(self.rejected)
        if first is None:
            reason = rejected[0][1] if rejected else "unfinished"
            return Outcome(ILLEGAL, None, shown, reason, rejected=rejected)
        return Outcome(OK, first, shown, rejected=rejected, moves=tuple(waiting))


SHOWN = 2000
"""Characters of a plan that ``Outcome.move`` keeps."""


def _speech(
    game: core.GameSpec, rules: Any, states: np.ndarray, text: str
) -> tuple[tuple[Said, ...], tuple[tuple[str, str], ...]]:
    """The messages of a reply, and what is refused of them; none if it holds no such member."""
    view = game.module("view")
    seat = int(core.current_player_at(rules, states, 0))
    try:
        found = last_json(text, dict, view.SPEECH)[view.SPEECH]
    except ReplyError:
        return (), ()
    listeners = view.listeners(rules, states[0], seat)
    said, refused = read_speech(found, listeners, seat, seat_names(view, rules, states[0]))
    return tuple(said), tuple(refused)


def finished_turn(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    actions: Iterable[int],
    choose: Callable[[np.ndarray], int],
) -> tuple[list[int], np.ndarray]:
    """``actions`` of the seat to move and what ends its turn, and the position after them.

    The view's ``default_actions`` end it, or actions that ``choose`` takes from the position. With
    one player the actions are all there is.
    """
    plan = _Plan(game, rules, states, ALL)
    plan.play(actions)
    if rules.num_players == 1:
        return plan.actions, plan.states
    if plan.is_open and hasattr(plan.view, "default_actions"):
        plan.play(plan.view.default_actions(rules, plan.states[0]))
    for _ in range(rules.max_game_length):
        if not plan.is_open:
            break
        plan.play([choose(plan.states)])
    return plan.actions, plan.states
