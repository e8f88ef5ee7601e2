"""Options of commands about the content of prompts and the reading of replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.files import brief
from stratagym.benchmarks.harness.records import begun_config
from stratagym.envs.core import GameSpec
from stratagym.envs.reading import FIRST, READER, READERS
from stratagym.envs.text import TextOptions


def begun_reader(config: Mapping[str, Any]) -> int:
    """Who reads the replies in a run, by its configuration; the first where it does not say so."""
    text = config.get("text")
    known = config if not isinstance(text, dict) else text
    reader = known.get("reader", FIRST)
    if reader not in READERS:
        raise InputError(f"config.json: reader {brief(reader)}: no reader of this version")
    return int(reader)


@cli.group("Games and prompts", 10)
@dataclass(kw_only=True)
class PromptArgs:
    """Options about the wording of prompts and the form of replies."""

    list_legal: bool = False
    """Name the legal moves in prompts. Choosing from a list is another skill than finding a legal
    move."""
    lenient: bool = False
    """Also accept replies that are only a move, and other forms that the game allows."""
    renamed: bool = False
    """Describe the game under made-up names, with its full rules."""
    system: str = "split"
    """"split" puts role, rules and answer form into a system message, which servers cache; "merge"
    is one user message, as in version 0.1."""
    rules_text: str = "usual"
    """The rules in prompts: "none", "brief" or "full"; "usual" only names a well-known game."""
    position: str = ""
    """The form of the position, such as grid, list or fen; default the game's first."""
    hints: bool = False
    """Give hints on good play."""
    reasoning: str = "free"
    """Reasoning in replies: "steps", step by step before the answer; "answer", none; "free", as the
    form of the answer asks."""
    answer: str = "move"
    """The form of the answer: "move", the game's own; "evaluation", three lines Evaluation, Reason
    and Answer."""
    prompt_file: str | None = None
    """A file with the prompt's text, the parts as fields in braces such as {position}."""
    reader: int | None = None
    """How replies are read and bad ones answered: 2, by one rule for all games; 1, by each game's
    own, as before. Default 2; with --as-published 1; with --resume as the run was begun."""

    prompt_version: str = ""
    """An earlier version of the game's prompts, such as battle_card-2; default today's."""

    benchmark: ClassVar[str] = ""
    """The command's name, by which its newest run is found."""

    def text_options(self, game: GameSpec) -> TextOptions:
        """What prompts hold in ``game``.

        Raises:
            InputError: an option that makes no sense, or not in this game; an unreadable file.
        """
        options = TextOptions(
            list_legal=self.list_legal,
            lenient=self.lenient,
            renamed=self.renamed,
            system=self.system,
            rules=self.rules_text,
            position=self.position,
            hints=self.hints,
            reasoning=self.reasoning,
            answer=self.answer,
            template=self._template(),
            reader=self._reader(),
            prompt_version=self.prompt_version,
            **self._by_turn(),
        )
        try:
            options.check(game)
        except ValueError as error:
            raise InputError(str(error)) from None
        return options

    def _by_turn(self) -> dict[str, Any]:
        return {}

    def _reader(self) -> int:
        if self.reader is not None:
            return self.reader
        if getattr(self, "resume", False):
            begun = begun_config(self.benchmark, getattr(self, "output", None))
            if begun:
                return begun_reader(begun)
        return FIRST if getattr(self, "as_published", False) else READER

    def _template(self) -> str:
        if self.prompt_file is None:
            return ""
        try:
            text = Path(self.prompt_file).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"--prompt-file {self.prompt_file}: cannot be read ({error.strerror})"
            ) from None
        except UnicodeDecodeError:
            raise InputError(f"--prompt-file {self.prompt_file}: not UTF-8 text") from None
        if not text.strip():
            raise InputError(f"--prompt-file {self.prompt_file}: is empty")
        return text


@cli.group("Games and prompts", 10)
@dataclass(kw_only=True)
class TextArgs(PromptArgs):
    """The same options, and those about earlier turns."""

    persona: str = "none"
    """Style of play that language models are asked for."""
    history: int = 0
    """How many of the last moves of the game a prompt lists."""
    memory: int = 0
    """How many of the seat's own earlier turns, prompt and reply, are sent along with a prompt."""
    heard: int | None = None
    """In games with talk, how many of the messages that the seat heard a prompt shows (the last
    ones); default: as the game has it, or else 200."""

    def _by_turn(self) -> dict[str, Any]:
        names = ("persona", "history", "memory", "heard")
        return {name: getattr(self, name) for name in names}
