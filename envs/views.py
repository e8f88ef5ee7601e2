"""What a game's view says in words, and what is said for it where it leaves a part out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from stratagym.envs.arrays import rules_key
from stratagym.envs.talk import HEARD
from stratagym.envs.words import AnswerForm, section

MERGED_PARTS = (
    "game", "role", "rules", "catalogue", "hints", "position", "legal", "actions", "persona",
    "history", "heard", "task", "answer",
)  # fmt: skip
"""The order in one message; a view's ``MERGED_PARTS`` comes before it."""
SYSTEM_PARTS = ("game", "role", "rules", "actions", "catalogue", "hints", "persona", "answer")
"""What stays the same over a seat's game, so that servers can cache it, in the prompt's order."""
USER_PARTS = ("history", "heard", "position", "legal", "task")
"""The order in a user message: what only grows comes first, so that servers can cache it."""
SYSTEM_WITH_TASK, USER_WITHOUT_TASK = (*SYSTEM_PARTS[:-1], "task", "answer"), USER_PARTS[:-1]
"""The same where the task, which never changes, is long beside a position."""
POSITION_FIRST: Mapping[str, Any] = {
    "USER_PARTS": ("position", "history", "heard", "legal", "task"),
    "INVITES": False,
}
"""What differed in all games before that order, for ``EARLIER_PROMPTS``."""
TASK_LAST: Mapping[str, Any] = {"SYSTEM_PARTS": SYSTEM_PARTS, "USER_PARTS": USER_PARTS}
"""What differed before the task was in the system message, in games that have it there."""


class View(Protocol):
    """What a game's ``view.py`` says in words; a part with a body here may be left out.

    A text that is always the same may be a constant in capitals, such as ``RULES_TEXT``.
    Besides, a view may have ``RENAMED`` (the game's words and made-up ones) and
    ``rules_in_full(rules)`` (the game for who does not know it by name, where ``rules_text`` takes
    it as known); others read ``MATCH_OPTIONS``, ``SIDE_NAMES``, ``CONSEQUENCES``,
    ``chance_text``, ``dealt_sides`` and ``dealt_role`` (see ``dealing``) and
    ``forfeit_returns(rules, s, seat)``, each seat's return when a seat forfeits. A view with
    ``refusal_text(kind, reason, where, facts)`` tells in words why an answer was refused; its
    ``position_text`` takes the text as a fifth argument ``refusal`` when the seat is asked the
    next time.
    ``plans`` lists what a view has whose replies hold several moves, or messages. In games with
    talk ``spoken_text(rules, s, action)`` is what an action says, in words that all who may be
    spoken to may hear, of a player that has no words; empty for nothing.
    """

    PROMPT_VERSION: str
    """Raised with every change of the words."""
    EARLIER_PROMPTS: Mapping[str, Mapping[str, Any]] = {}
    """Earlier versions of the prompts that can still be asked for: what differs, by its name.

    ``MERGED_VERSION`` may be among them."""
    ANSWER: AnswerForm
    """How a reply names its move; see ``answer_of`` too."""
    TEXT_OPTIONS: Mapping[str, Any] = {}
    """Options of the game that ``TextGame`` takes unless it is told otherwise."""
    TOLD_WHEN_DUE: str = ""
    """What a prompt tells of the past only where it changes the legal moves of the seat to move,
    such as the repetitions that superko forbids; empty where what will be legal later follows from
    a prompt, as it does in most games."""
    PERSONAS: Mapping[str, str] = {"none": ""}
    """Playing styles a prompt can ask for."""
    HINTS: Sequence[str] = ()
    """Advice on good play, a sentence each."""
    POSITION_FORMS: Sequence[str] = ("board",)
    """The forms that ``position_text`` knows, the default first."""
    TITLES: bool = True
    """Whether history, persona and hints come as titled sections, or as plain paragraphs."""
    HEARD: int = HEARD
    """How many of the messages that a seat heard its prompt shows: the last, in games with talk."""
    MERGED_PARTS: Sequence[str] = MERGED_PARTS
    SYSTEM_PARTS: Sequence[str] = SYSTEM_PARTS
    USER_PARTS: Sequence[str] = USER_PARTS
    INVITES: bool = True
    """Whether prompts say that a reply may think before its answer, as all forms allow."""
    MERGED_VERSION: str = ""
    """The version of the prompt in one message, where it is not ``PROMPT_VERSION``."""

    def board_text(self, rules: Any, s: Any) -> str:
        """The position for a terminal, as a spectator sees it."""
        ...

    def seat_text(self, rules: Any, s: Any, player: int) -> str:
        """The position for a terminal, as a seat sees it whoever is to move, and no more.

        By default as its prompt tells it; the board, where a game hides nothing.
        """
        return part(self, "position_text")(rules, s, player, part(self, "POSITION_FORMS")[0])

    def action_to_string(self, rules: Any, s: Any, action: int) -> str:
        """A move's text; by default its number."""
        return str(action)

    def string_to_action(self, rules: Any, s: Any, text: str) -> int:
        """The action a move's text names, legal or not. Raises ``ValueError``, one word.

        By default the action whose text in this position it is.
        """
        return _read_back(self, rules, s, text)

    def move_text(self, rules: Any, s: Any, action: int) -> str:
        """A legal move told in one sentence, with what all see of it; empty for nothing."""
        seat = sys.modules[type(rules).__module__].current_player(rules, s)
        name = part(self, "seat_name")(rules, s, seat)
        return f"{name} played {self.action_to_string(rules, s, action)}."

    def why_illegal(self, rules: Any, s: Any, action: int) -> str:
        """Why the seat to move may not play this, as one word."""
        return "not_legal"

    def answer_of(self, rules: Any) -> AnswerForm:
        """How a reply names its move under these rules; by default ``ANSWER``."""
        return part(self, "ANSWER")

    def seat_name(self, rules: Any, s: Any, player: int) -> str:
        """What a seat is called: in lists, on pictures, in results, and by those who talk to it.

        All seats know all names, which differ from each other, capitals and spaces apart.
        """
        return f"Player {player}"

    def present(self, rules: Any, s: Any) -> Sequence[int]:
        """The seats that are there to hear what is said to everybody; by default all of them."""
        return range(rules.num_players)

    def phase_text(self, rules: Any, s: Any) -> str:
        """What part of the game this is, in a few words that all know who may be spoken to.

        It heads what was said then in prompts; empty for no such line.
        """
        return ""

    def role_text(self, rules: Any, player: int) -> str:
        """Who the seat is; the same over a whole game."""
        return f"You are player {player}."

    def rules_text(self, rules: Any) -> str:
        """The rules in force, with how positions and moves are written."""
        ...

    def rules_brief(self, rules: Any) -> str:
        """The rules in a sentence or two; by default as ``rules_text``."""
        return part(self, "rules_text")(rules)

    def notation_text(self, rules: Any) -> str:
        """How positions and moves are written: told where the rules are not."""
        return ""

    def actions_text(self, rules: Any) -> str:
        """A list of all actions, where replies name them by number and no legal ones are listed."""
        return ""

    def catalogue_text(self, rules: Any, player: int) -> str:
        """What the seat has to choose from, told beside the rules; the same over a whole game."""
        return ""

    def position_text(self, rules: Any, s: Any, player: int, form: str) -> str:
        """What the seat sees, in a form of ``POSITION_FORMS``; by default ``board_text``."""
        return section("Position now", part(self, "board_text")(rules, s))

    def past_text(self, rules: Any, s: Any, player: int) -> str:
        """What counts of the past and does not show in the position; told right below it.

        For games whose ``position_text`` must stay that of 0.1: prompts of 0.1 do not have it.
        """
        return ""

    def legal_text(self, rules: Any, s: Any, player: int, legal: list[int]) -> str:
        """The legal moves; by default their texts, separated by commas."""
        to_string = part(self, "action_to_string")
        moves = ", ".join(to_string(rules, s, action) for action in legal)
        return section("Legal moves", moves) if part(self, "TITLES") else f"Legal moves: {moves}"

    def task_text(self, rules: Any) -> str:
        """What to do now, in one sentence."""
        return ""


_latest: tuple[Any, tuple[dict[str, int], ...]] = None, ()
"""The position that a text was last read in, and its actions by their texts: of the legal ones
and, once a text was none of theirs, of all. Threads replace it as a whole."""


def _read_back(view: Any, rules: Any, s: Any, text: str) -> int:
    """The action of a text; that of a legal one is made out without the texts of the others."""
    global _latest
    place = view, rules_key(rules), s.tobytes()
    to_string, (known, tables) = part(view, "action_to_string"), _latest
    if known != place:
        tables = ()
    for k, listed in enumerate((_legal, _all)):
        if k == len(tables):
            actions = reversed(listed(rules, s))  # of two with one text the first is meant
            tables = *tables, {to_string(rules, s, action): action for action in actions}
            _latest = place, tables
        if text in tables[k]:
            return tables[k][text]
    raise ValueError("no_such_move")


def _legal(rules: Any, s: Any) -> list[int]:
    home, legal = sys.modules[type(rules).__module__], np.zeros(rules.num_actions, np.int64)
    if home.current_player(rules, s) < 0:
        return []
    return legal[: home.legal_actions(rules, s, legal)].tolist()


def _all(rules: Any, s: Any) -> range:
    return range(rules.num_actions)


CALLED = (
    "action_to_string", "string_to_action", "move_text", "why_illegal", "seat_text", "seat_name",
)  # fmt: skip
"""Parts that are called as a module's own."""


def complete(view: Any, information: str = "imperfect") -> Any:
    """Give a view's module what everybody calls and it may leave out; returns it.

    Args:
        information: the game's, as ``GameSpec`` has it.
    """
    if information == "perfect" and not hasattr(view, "seat_text"):
        view.seat_text = lambda rules, s, player: view.board_text(rules, s)
    for name in CALLED:
        if not hasattr(view, name):
            setattr(view, name, part(view, name))
    return view


def worded(view: Any, version: str) -> Any:
    """A view as it spoke in a version of its prompts; empty for today's.

    Raises:
        ValueError: a version that it does not know, in one line.
    """
    if version in ("", view.PROMPT_VERSION):
        return view
    earlier = part(view, "EARLIER_PROMPTS")
    if version not in earlier:
        known = ", ".join([view.PROMPT_VERSION, *earlier])
        raise ValueError(f"prompt_version {version!r}: the versions are: {known}")
    return _worded(view, version)


@lru_cache(maxsize=64)
def _worded(view: Any, version: str) -> Any:
    told = ModuleType(view.__name__)
    vars(told).update(vars(view), **view.EARLIER_PROMPTS[version], PROMPT_VERSION=version)
    return told


def seat_names(view: Any, rules: Any, s: Any) -> tuple[str, ...]:
    """What all seats of a game are called, in their order."""
    name = part(view, "seat_name")
    return tuple(name(rules, s, seat) for seat in range(rules.num_players))


def is_public(view: Any, rules: Any, s: Any, seat: int, to: Iterable[int]) -> bool:
    """Whether what a seat says to the seats ``to`` goes to everybody who is there."""
    others = set(part(view, "present")(rules, s)) - {seat}
    return set(to) >= others > set()


def part(view: Any, name: str) -> Any:
    """What a view says, or the default. Raises ``AttributeError`` where there is none."""
    own = vars(view)  # a module that lacks a name takes its time to say so
    if name in own:
        return own[name]
    if name.upper() in own:
        text = own[name.upper()]
        return lambda *_: text
    default = getattr(View, name)
    return partial(default, view) if callable(default) else default
