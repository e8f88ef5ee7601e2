"""The command line that all scripts share: what goes wrong is one clear line and an exit code.

2 is bad input, 3 a language model that cannot be asked, 130 an interrupt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from cyclopts import App, CycloptsError

from stratagym.agents.chat import TransportError, Unavailable


class InputError(Exception):
    """Something whoever runs a script can put right: what, where, and what would be right."""


def app(name: str, main: Callable[..., Any], *commands: Callable[..., Any]) -> App:
    """A command line: ``main`` without a command word, each of ``commands`` by its name."""
    result = App(
        name=f"python -m benchmarks.{name}",
        help_format="plaintext",
        version_flags=(),
        suppress_keyboard_interrupt=False,  # ``run`` says what became of the records
    )
    result.default(main)
    for command in commands:
        result.command(command)
    return result


def run(application: App, arguments: list[str] | None = None) -> None:
    """Run a script's command line; where it cannot go on, exits with the code that says why."""
    try:
        application(arguments, exit_on_error=False, print_error=False)
    except (CycloptsError, InputError) as error:
        line = " ".join(str(error).split())
        print(f"{application.name[0]}: {line}", file=sys.stderr)
        sys.exit(2)
    except Unavailable as error:
        kept = "what was recorded is kept, and --resume goes on with it"
        print(f"{application.name[0]}: {error}; {kept}", file=sys.stderr)
        sys.exit(3)
    except TransportError as error:
        print(f"{application.name[0]}: no answer came: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        print(f"\n{application.name[0]}: interrupted; what was recorded is kept", file=sys.stderr)
        sys.exit(130)


def words(text: str) -> list[str]:
    """The parts of a list that is separated by commas; those within brackets separate nothing.

    >>> words('gt,llm:m?extra_body={"stop":["}","x"],"a":1},random')
    ['gt', 'llm:m?extra_body={"stop":["}","x"],"a":1}', 'random']
    """
    # Within brackets stands JSON: there a string is taken whole, elsewhere " is a letter.
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
    """Different ones of ``choices``, separated by commas, in the order in which they are given."""
    known = {str(choice): choice for choice in choices}
    for word in words(text):
        if word not in known:
            raise InputError(f"{option} {word!r}: choose from {', '.join(known)}")
    return list(dict.fromkeys(known[word] for word in words(text)))


def pairs(option: str, text: str) -> dict[str, str]:
    """``name=value`` pairs that are separated by commas."""
    found = {}
    for word in words(text):
        name, equals, value = word.partition("=")
        if not equals:
            raise InputError(f"{option} {word!r}: write name=value")
        found[name.strip()] = value.strip()
    return found
