"""The command line that all commands share: an error is one clear line and an exit code.

2 is bad input, 3 a language model that cannot be reached, 130 an interrupt.
"""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

from cyclopts import App, CycloptsError, Group, Parameter
from cyclopts.help import DefaultFormatter, InlineText
from rich.text import Text

from stratagym.agents.chat import TransportError, Unavailable
from stratagym.agents.core import PolicyFault
from stratagym.benchmarks.harness import locks
from stratagym.benchmarks.harness.errors import InputError as InputError
from stratagym.benchmarks.reporting import marked
from stratagym.benchmarks.reporting.terminal import say
from stratagym.envs.facts import PackageFault

T = TypeVar("T")
OWN = Group("Options", sort_key=0)
"""The heading of a script's own options in ``--help``."""

NOT_OURS = {
    getattr(errno, name)
    for name in (
        "ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "EISDIR", "ENOTDIR",
        "ENAMETOOLONG", "ELOOP", "EMFILE", "ENFILE",
    )
    if hasattr(errno, name)
}  # fmt: skip
"""Errors of the operating system that only the user can mend."""


def group(title: str, order: int) -> Callable[[type[T]], type[T]]:
    """A decorator of a dataclass of options: ``--help`` lists them under this title.

    Commands that have the same option with another default leave it there.

    Args:
        order: of the title among others; a script's own options have 0.
    """
    heading = Group(title, sort_key=order)

    def decorate(cls: type[T]) -> type[T]:
        own = dict.fromkeys(inspect.get_annotations(cls), heading)
        _put_under(cls, own | _inherited(cls))
        return cls

    return decorate


def app(
    name: str,
    main: Callable[..., Any],
    *commands: Callable[..., Any],
    former: Mapping[str, str] | None = None,
) -> App:
    """A command line: ``main`` without a command word, each of ``commands`` by its name.

    The lines of the script's docstring that call it are the examples below its ``--help``.

    Args:
        former: present words of options by those of earlier versions, which are still read.
    """
    script = sys.modules[main.__module__]
    result = App(
        name=f"python -m benchmarks.{name}",
        help_format="plaintext",
        help_formatter=_Help(),
        help_epilogue=_examples(script.__doc__ or ""),
        version=f"stratagym {version('stratagym')}",
        group_parameters=OWN,
        suppress_keyboard_interrupt=False,  # ``run`` says what became of the records
    )
    for function in (main, *commands):
        for hint in get_type_hints(function).values():
            if isinstance(hint, type) and is_dataclass(hint):
                _put_under(hint, _inherited(hint))
    result.default(main)
    for command in commands:
        result.command(command)
    _FORMER[result.name[0]] = {**FORMER, **(former or {})}
    return result


def run(application: App, arguments: list[str] | None = None) -> None:
    """Run a command line; if it cannot go on, exit with the code that says why.

    Refusals of the operating system, such as a full disk, and an engine that fails as a judge count
    as bad input. Run folders are released at the end.
    """
    name = application.name[0]
    given = sys.argv[1:] if arguments is None else arguments
    former = _FORMER.get(name, {})
    values = [*given, *(word.partition("=")[2] for word in given)]
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # what ``benchmarks`` says at first
    try:
        try:
            application(
                [_present(word, former) for word in given], exit_on_error=False, print_error=False
            )
        finally:
            sys.stdout.flush()
    except (CycloptsError, InputError, PackageFault, PolicyFault) as error:
        say(f"{name}: {error}", values=values)
        sys.exit(2)
    except BrokenPipeError:  # whoever read the output, such as `head`, has had enough
        _drop_output()
        sys.exit(1)
    except OSError as error:
        if error.errno not in NOT_OURS:
            raise
        where = f"{error.filename}: " if error.filename else ""
        say(f"{name}: {where}{error.strerror}; what was recorded is kept", values=values)
        _drop_output()
        sys.exit(2)
    except Unavailable as error:
        kept = "what was recorded is kept, and --resume goes on with it"
        say(f"{name}: {error}; {kept}", values=values)
        sys.exit(3)
    except TransportError as error:
        say(f"{name}: no answer came: {error}", values=values)
        sys.exit(3)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        say(f"{name}: interrupted; what was recorded is kept")
        sys.exit(130)
    finally:
        locks.release_all()


def _drop_output() -> None:
    """Discard what standard output cannot take, so that the process can end normally."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


FORMER = {"--policy": "--policies"}
"""The present names of options by their names in earlier versions, in all commands."""
_FORMER: dict[str, dict[str, str]] = {}


def _present(word: str, former: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{former.get(name, name)}{equals}{value}"


# --- help ----------------------------------------------------------------------------------------


def _put_under(cls: type, headings: Mapping[str, Group]) -> None:
    hints = get_type_hints(cls, include_extras=True)
    for name, heading in headings.items():
        cls.__annotations__[name] = Annotated[hints[name], Parameter(group=heading)]


def _heading(hint: Any) -> Group | None:
    for extra in getattr(hint, "__metadata__", ()):
        if isinstance(extra, Parameter) and isinstance(extra.group, tuple):
            return next((one for one in extra.group if isinstance(one, Group)), None)
    return None


def _inherited(cls: type) -> dict[str, Group]:
    """The headings of options that a class redefines, as in its bases."""
    own = inspect.get_annotations(cls)
    return {
        name: heading
        for base in reversed(cls.__mro__[1:])
        for name, hint in inspect.get_annotations(base).items()
        if name in own and (heading := _heading(hint))
    }


PLACES = {
    "M": "a model; to ask one takes pip install 'stratagym[llm]'",
    "OTHER": "another model",
    "URL": "the model's endpoint, such as http://localhost:8000/v1",
    "RUN": "the folder of a run",
    "OTHER_RUN": "the folder of another run",
    "FOLDER": "a folder to write to",
}
"""What placeholders in examples stand for; all other words are literal."""


def _examples(text: str) -> str:
    """The lines of a command's docstring that call it, their placeholders, and what they need."""
    lines = [line.strip() for line in text.splitlines()]
    calls = [line for line in lines if line.startswith("python -m ")]
    folded = [textwrap.wrap(call, 74, break_on_hyphens=False) for call in calls]
    found = ["Examples:", *("  " + " \\\n      ".join(parts) for parts in folded)]
    used = [one for one in PLACES if re.search(rf"(?<!\w){one}(?!\w)", " ".join(calls))]
    found += ["  " + "; ".join(f"{one}: {PLACES[one]}" for one in used)] * bool(used)
    return "\n".join([*found, *(line for line in lines if line.startswith("Needs "))])


class _Help(DefaultFormatter):
    """Descriptions as running text, without the line breaks of the source."""

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        for entry in panel.entries:
            described = entry.description
            if isinstance(described, InlineText) and isinstance(described.primary_renderable, Text):
                text = " ".join(described.primary_renderable.plain.split())
                described.primary_renderable = Text(text)
        super().__call__(console, options, panel)


# --- values --------------------------------------------------------------------------------------


def words(text: str) -> list[str]:
    """The parts of a comma-separated list; commas within brackets do not separate.

    >>> words('gt,llm:m?extra_body={"stop":["}","x"],"a":1},random')
    ['gt', 'llm:m?extra_body={"stop":["}","x"],"a":1}', 'random']
    """
    # JSON stands within brackets: a string there is taken whole; elsewhere " is a letter.
    parts, depth, quoted, escaped = [""], 0, False, False
    for letter in text:
        if quoted:
            quoted = letter != '"' or escaped
            escaped = letter == "\\" and not escaped
        elif letter == '"' and depth:
            quoted = True
        elif letter in "{[":
            depth += 1
        elif letter in "}]":
            depth = max(0, depth - 1)
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def numbers(option: str, text: str, choices: Sequence[int]) -> list[int]:
    """At least one of ``choices``, without repeats, separated by commas, in the given order."""
    known = {str(choice): choice for choice in choices}
    if not words(text):
        raise InputError(f"{option}: name at least one of {', '.join(known)}")
    for word in words(text):
        if word not in known:
            raise InputError(f"{option} {word!r}: choose from {', '.join(known)}")
    return list(dict.fromkeys(known[word] for word in words(text)))


def choice(option: str, value: str, choices: Sequence[str]) -> str:
    """``value`` itself. Raises ``InputError`` unless it is one of ``choices``."""
    if value not in choices:
        raise InputError(f"{option} {value!r}: choose from: {', '.join(choices)}")
    return value


def some_of(option: str, text: str, choices: Sequence[str]) -> list[str]:
    """At least one of ``choices``, separated by commas, as they were named."""
    named = words(text)
    if not named or set(named) - set(choices):
        raise InputError(f"{option} {text!r}: choose from: {', '.join(choices)}")
    return named


MOST = 1_000_000
"""Most games of a pairing: a run keeps the list of its matches in memory."""


def count(option: str, value: int, least: int = 1) -> int:
    """``value`` itself. Raises ``InputError`` unless it is from ``least`` to ``MOST``."""
    if not least <= value <= MOST:
        raise InputError(f"{option} {value}: choose from {least} to {MOST}")
    return value


def pairs(option: str, text: str) -> dict[str, str]:
    """``name=value`` pairs that are separated by commas."""
    found = {}
    for word in words(text):
        name, equals, value = word.partition("=")
        if not equals:
            raise InputError(f"{option} {word!r}: write name=value")
        found[name.strip()] = value.strip()
    return found


def put_into(page: Path, name: str, text: str | None = None) -> None:
    """Write a text between the marks of a page; without a text, only check that this is possible.

    Raises:
        InputError: it has no such marks, or cannot be read or written.
    """
    try:
        if text is None:
            with page.open("r+", encoding="utf-8") as file:
                marked.between(file.read(), name)
        else:
            marked.write(page, name, text)
    except OSError as error:
        raise InputError(f"--page {page}: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"--page {page}: {error}") from None
