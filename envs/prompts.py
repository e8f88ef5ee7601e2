"""What a seat is asked: the prompt of a position, put together from the named parts of a view.

``messages`` builds the chat messages for the seat to move in a lone state; ``TextOptions`` says
what they hold and how replies are read. What a view may say stands in ``views``.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.direct import calls
from stratagym.envs.reading import FIRST, READER, READERS, Reading
from stratagym.envs.views import part, worded
from stratagym.envs.words import REASONING, AnswerForm, Renaming, ReplyWords, section

SYSTEMS = ("split", "merge")
RULES = ("usual", "none", "brief", "full")
ANSWERS = ("move", "evaluation")
WORDING = ("rules", "position", "hints", "reasoning", "answer", "template")
"""The fields of ``TextOptions`` that change the words of 0.1."""

FIELDS = (
    "role", "rules", "position", "history", "heard", "legal", "persona", "hints", "task", "answer",
)  # fmt: skip
"""The fields of a template."""
NEEDED = ("position", "answer")
BREAK = "---"
"""A line of a template that separates the system message from the user message."""


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
        system: ``split`` puts what stays the same over a game into a system message, which servers
            cache; ``merge`` is one user message.
        rules: ``none``, ``brief`` or ``full``; ``usual`` is as the game's view has it, which takes
            a well-known game as known by its name unless it is renamed.
        position: how the position is written, one of the view's ``POSITION_FORMS``; the first of
            them if empty.
        hints: tell the view's hints on good play.
        reasoning: ``free``, as the answer form has it; ``steps``, step by step before the answer;
            ``answer``, no reasoning.
        answer: ``move``, the game's own form; ``evaluation``, the lines Evaluation, Reason, Answer.
        template: the prompt's own text, with ``FIELDS`` in braces and a line ``---`` between the
            system and the user message.
        heard: how many of the messages that the seat heard are shown, the last, in games with talk;
            None for as many as the game's view shows.
        reader: how replies are read and bad ones answered: 2, by the one rule of ``reading``; 1, as
            before there was one, by each form's own.
        prompt_version: of the game's words, one of those that its view knows; today's if empty.
    """

    persona: str = "none"
    list_legal: bool = False
    lenient: bool = False
    history: int = 0
    memory: int = 0
    renamed: bool = False
    system: str = "split"
    rules: str = "usual"
    position: str = ""
    hints: bool = False
    reasoning: str = "free"
    answer: str = "move"
    template: str = ""
    heard: int | None = None
    reader: int = READER
    prompt_version: str = ""

    def with_more(self, more: Mapping[str, Any] | None) -> TextOptions:
        """The options with others by name. Raises ``ValueError`` for a name that there is not."""
        known = [field.name for field in fields(self)]
        for name in more or {}:
            if name not in known:
                raise ValueError(
                    f"unknown option of prompts {name!r}; the options are: {', '.join(known)}"
                )
        return replace(self, **(more or {}))

    def record(self) -> dict[str, Any]:
        """All options as plain data; the fields that 0.1 had, where prompts are as in 0.1.

        The first reader is not named: records from before there were others do not name it.
        """
        told = asdict(self)
        if self.heard is None:
            del told["heard"]
        if not reader_field(self):
            del told["reader"]
        if not self.prompt_version:
            del told["prompt_version"]
        if self.as_in_0_1:
            for name in ("system", *WORDING):
                del told[name]
        return told

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> TextOptions:
        """The options that a record or configuration holds.

        One of 0.1 has a merged prompt, one that names no reader has the first.
        """
        known = {field.name for field in fields(cls)}
        kept = {name: value for name, value in record.items() if name in known}
        return cls(**{"system": "merge", "reader": FIRST, **kept})

    def check(self, game: core.GameSpec) -> None:
        """Raises ``ValueError`` for what the game's view does not have or what makes no sense."""
        view = game.module("view")
        for name, choices in (
            ("system", SYSTEMS),
            ("rules", RULES),
            ("reasoning", REASONING),
            ("answer", ANSWERS),
        ):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} {getattr(self, name)!r}: choose {' or '.join(choices)}")
        worded(view, self.prompt_version)
        if self.reader not in READERS:
            known = " or ".join(map(str, READERS))
            raise ValueError(f"reader {self.reader!r}: choose {known}")
        if self.persona not in part(view, "PERSONAS"):
            raise ValueError(
                f"{game.name}: unknown persona {self.persona!r}; "
                f"the personas are: {', '.join(part(view, 'PERSONAS'))}"
            )
        forms = part(view, "POSITION_FORMS")
        if self.position and self.position not in forms:
            raise ValueError(
                f"{game.name}: unknown form of position {self.position!r}; "
                f"the forms are: {', '.join(forms)}"
            )
        if self.hints and not part(view, "HINTS"):
            raise ValueError(f"{game.name}: the game has no hints")
        if self.renamed and not hasattr(view, "RENAMED"):
            raise ValueError(f"{game.name}: the game has no other names for renamed rules")
        if self.history < 0 or self.memory < 0:
            raise ValueError("history and memory count turns: 0 or more is needed")
        if self.heard is not None and not hasattr(view, "SPEECH"):
            raise ValueError(f"heard {self.heard}: in {game.name} nobody says anything to others")
        if self.heard is not None and self.heard < 0:
            raise ValueError(f"heard {self.heard}: 0 messages or more are needed")
        if self.answer == "evaluation" and self.reasoning == "answer":
            raise ValueError("answer 'evaluation' asks for a reason, reasoning 'answer' for none")
        if self.answer == "evaluation" and hasattr(view, "read_plan"):
            raise ValueError(f"{game.name}: answer 'evaluation' names one move, a plan has several")
        if self.template:
            self._check_template()
            if hasattr(view, "SPEECH") and "{heard}" not in self.template:
                raise ValueError(f"template: {game.name} has talk, and {{heard}} is missing")

    def _check_template(self) -> None:
        """Raises ``ValueError`` for a template that would not say what the options ask for."""
        named = {name for message in _read_template(self.template) for _, name in message}
        for name in NEEDED:
            if name not in named:
                raise ValueError(f"template: the field {{{name}}} is missing")
        for name, wanted in (
            ("legal", self.list_legal),
            ("hints", self.hints),
            ("persona", self.persona != "none"),
            ("history", self.history > 0),
            ("rules", self.rules != "usual"),
        ):
            if wanted and name not in named:
                raise ValueError(
                    f"template: the options ask for {{{name}}}, which it does not have"
                )

    @cached_property
    def as_in_0_1(self) -> bool:
        """Whether prompts have version 0.1's words."""
        same = all(getattr(self, name) == getattr(TextOptions, name) for name in WORDING)
        return same and self.system == "merge"


def prompt_version(view: Any, options: TextOptions) -> str:
    """The version that is recorded with a prompt of these options."""
    if options.prompt_version:
        return options.prompt_version
    merged = part(view, "MERGED_VERSION")
    return merged if merged and options.as_in_0_1 else view.PROMPT_VERSION


def spoken(view: Any, options: TextOptions) -> Any:
    """A view as it speaks under these options: in the words of the version that they have."""
    version = prompt_version(view, options)
    is_earlier = options.prompt_version or version in part(view, "EARLIER_PROMPTS")
    return worded(view, version if is_earlier else "")


def reader_field(options: TextOptions) -> dict[str, int]:
    """The field ``reader`` of a record, but for the first reader, whose records have none."""
    return {} if options.reader == FIRST else {"reader": options.reader}


def answer_form(view: Any, rules: Any, options: TextOptions) -> AnswerForm:
    """How replies name their move under these rules and options."""
    form = part(view, "answer_of")(rules)
    return form.evaluation() if options.answer == "evaluation" else form


def reply_for(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    action: int,
    words: ReplyWords,
    options: TextOptions = TextOptions(),
) -> str:
    """The reply to ``messages`` that plays an action, where an answer is one move.

    Args:
        words: what the reply says beside the move.
    """
    view = game.module("view")
    said = None if options.reasoning == "answer" else words
    move = str(view.action_to_string(rules, states[0], action))
    return written_reply(view, rules, options, move, said, action)


def written_reply(
    view: Any,
    rules: Any,
    options: TextOptions,
    move: str,
    words: ReplyWords | None = None,
    action: int | None = None,
) -> str:
    """A reply in the form that these options ask for; arguments as of ``AnswerForm.reply``."""
    text = answer_form(view, rules, options).reply(move, words, action)
    return Renaming(view.RENAMED).renamed(text) if options.renamed else text


def invites(view: Any, options: TextOptions) -> bool:
    """Whether prompts say that a reply may think first.

    The first reader did not read such replies in all forms, and prompts of 0.1 stay what they were.
    """
    return bool(part(view, "INVITES")) and options.reader != FIRST and not options.as_in_0_1


def extract(view: Any, rules: Any, text: str, options: TextOptions) -> Reading:
    """The move's text in a reply, or what it says that names none. Raises ``ReplyError``."""
    form = answer_form(view, rules, options)
    if options.reader == FIRST:
        return Reading(form.extract(text, options.lenient, options.reasoning))
    return form.read(text, options.lenient, options.reasoning)


def legal_list(rules: Any, states: np.ndarray) -> list[int]:
    """Legal action ids in ``states[0]``."""
    legal = np.zeros(rules.num_actions, np.int64)
    return legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()


def move_name(view: Any, rules: Any, s: Any, action: int, options: TextOptions) -> str:
    """A move's text, in the words that prompts have."""
    text = str(view.action_to_string(rules, s, action))
    return Renaming(view.RENAMED).renamed(text) if options.renamed else text


def is_legal(rules: Any, states: np.ndarray, action: int) -> bool:
    """Whether the seat to move in ``states[0]`` may play an action, without listing them all."""
    if not 0 <= action < rules.num_actions:
        return False
    return bool(core.is_legal_action_at(rules, states, 0, int(action), calls(rules).legal))


def messages(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    options: TextOptions = TextOptions(),
    history: str = "",
    heard: str = "",
    refusal: str = "",
) -> list[dict[str, str]]:
    """The prompt for the seat to move in ``states[0]``.

    Args:
        history: what happened before, as text. heard: what others said, fenced.
        refusal: why the seat's last answer was refused, where its view tells that.
    """
    seat = core.current_player_at(rules, states, 0)
    legal = legal_list(rules, states) if options.list_legal else None
    view = game.module("view")
    return prompt(view, rules, states[0], seat, options, history, heard, legal, refusal)


def prompt(
    view: Any,
    rules: Any,
    s: Any,
    player: int,
    options: TextOptions = TextOptions(),
    history: str = "",
    heard: str = "",
    legal: list[int] | None = None,
    refusal: str = "",
) -> list[dict[str, str]]:
    """Chat messages that ask ``player`` for a move: a system message, unless merged, and a user's.

    Args:
        legal: the legal actions, to name them. refusal: as ``messages``.
    """
    view = spoken(view, options)
    parts = _parts(view, rules, s, player, options, history, heard, legal, refusal)
    opening, parts["answer"] = answer_form(view, rules, options).asked(
        options.reasoning, invites(view, options)
    )
    if options.template:
        parts["answer"] = "\n\n".join(filter(None, (opening, parts["answer"])))
        system, user = _filled(parts, options)
    else:
        parts["role"] = "\n".join(filter(None, (parts["role"], opening)))
        merged = options.system == "merge"
        system = "" if merged else _joined(parts, part(view, "SYSTEM_PARTS"))
        user = _joined(parts, part(view, "MERGED_PARTS" if merged else "USER_PARTS"))
    if options.renamed:
        words = Renaming(view.RENAMED)
        system, user = words.renamed(system), words.renamed(user)
    asked = [{"role": "user", "content": user}]
    return [{"role": "system", "content": system}, *asked] if system else asked


def with_memory(
    now: list[dict[str, str]], turns: Iterable[tuple[list[dict[str, str]], str]]
) -> list[dict[str, str]]:
    """A prompt with earlier prompts and replies, oldest first, behind one system message."""
    system = [message for message in now if message["role"] == "system"]
    told = []
    for asked, reply in turns:
        told += [message for message in asked if message["role"] != "system"]
        told.append({"role": "assistant", "content": reply})
    return [*system, *told, *(message for message in now if message["role"] != "system")]


# --- the parts -----------------------------------------------------------------------------------


def _parts(
    view: Any,
    rules: Any,
    s: Any,
    player: int,
    options: TextOptions,
    history: str,
    heard: str,
    legal: list[int] | None,
    refusal: str,
) -> dict[str, str]:
    """Every part by name; empty for what is not told."""
    titles = part(view, "TITLES")
    style = part(view, "PERSONAS")[options.persona]
    hints = "\n".join(f"- {hint}" for hint in part(view, "HINTS")) if options.hints else ""
    past = section("History", history) if titles else f"What happened before:\n{history}"
    persona = (
        section("Persona", "Play in this style:", style)
        if titles
        else f"Play in this style: {style}"
    )
    in_full = options.rules == "full" or (options.rules == "usual" and options.renamed)
    form = options.position or part(view, "POSITION_FORMS")[0]
    refused = (refusal,) if refusal else ()
    position = part(view, "position_text")(rules, s, player, form, *refused)
    # Prompts of 0.1 stay what they were.
    counts = "" if options.as_in_0_1 else part(view, "past_text")(rules, s, player)
    return {
        "game": view.rules_in_full(rules) if in_full and hasattr(view, "rules_in_full") else "",
        "role": part(view, "role_text")(rules, player),
        "rules": _rules(view, rules, options.rules),
        "actions": part(view, "actions_text")(rules) if legal is None else "",
        "catalogue": part(view, "catalogue_text")(rules, player),
        "hints": "" if not hints else section("Advice", hints) if titles else f"Advice:\n{hints}",
        "persona": persona if style else "",
        "position": "\n\n".join(filter(None, (position, counts))),
        "history": past if history else "",
        "heard": heard,
        "legal": "" if legal is None else part(view, "legal_text")(rules, s, player, legal),
        "task": part(view, "task_text")(rules),
        "answer": "",
    }


def _rules(view: Any, rules: Any, told: str) -> str:
    if told in ("usual", "full"):
        return part(view, "rules_text")(rules)
    brief = part(view, "rules_brief")(rules) if told == "brief" else ""
    return "\n\n".join(filter(None, (brief, part(view, "notation_text")(rules))))


def _joined(parts: Mapping[str, str], order: Iterable[str]) -> str:
    return "\n\n".join(parts[name] for name in order if parts[name])


# --- templates -----------------------------------------------------------------------------------


def _read_template(template: str) -> list[list[tuple[str, str]]]:
    """The template's messages, one or two, each a list of (text, name of the field after it).

    Raises:
        ValueError: an unknown field or bad braces, in one line.
    """
    lines = template.split("\n")
    breaks = [k for k, line in enumerate(lines) if line.strip() == BREAK]
    if len(breaks) > 1:
        raise ValueError(f"template: more than one line {BREAK}")
    texts = [template]
    if breaks:
        texts = ["\n".join(lines[: breaks[0]]), "\n".join(lines[breaks[0] + 1 :])]
    return [_fields(text) for text in texts]


def _fields(text: str) -> list[tuple[str, str]]:
    try:
        pieces = list(string.Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"template: {error}; a brace of the text itself is doubled") from None
    found = []
    for before, name, spec, conversion in pieces:
        if name is not None and (name not in FIELDS or spec or conversion):
            whole = name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            raise ValueError(
                f"template: unknown field {{{whole[:40]}}}; the fields are: {', '.join(FIELDS)}"
            )
        found.append((before, name or ""))
    return found


def _filled(parts: Mapping[str, str], options: TextOptions) -> tuple[str, str]:
    """The template's system and user message with the parts in place of its fields."""
    told = {name: parts[name] for name in FIELDS}
    told["rules"] = _joined(parts, ("game", "rules", "actions", "catalogue"))
    *system, user = (
        _without_gaps("".join(before + told.get(name, "") for before, name in pieces))
        for pieces in _read_template(options.template)
    )
    if system and options.system == "merge":
        return "", "\n\n".join([*system, user])
    return (system[0] if system else ""), user


def _without_gaps(text: str) -> str:
    """The text with one blank line where fields without text left several."""
    kept: list[str] = []
    for line in text.strip().split("\n"):
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept)
