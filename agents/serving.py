"""Programs that answer another program's commands line by line, with a policy behind them."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from stratagym.agents.chat import TransportError, Unavailable
from stratagym.agents.core import Decision, Policy, PolicyFault
from stratagym.envs import checks


class Refused(Exception):
    """A command that cannot be carried out; its text is the answer, in the protocol's form."""


def chosen(policy: Policy, decision: Decision) -> int:
    """The policy's move. Raises ``Refused``, in one line, where it has none to give."""
    try:
        return policy.act(decision)
    except (PolicyFault, TransportError, Unavailable, ValueError) as error:
        raise Refused(" ".join(str(error).split())) from None


class Session(Protocol):
    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """What is said to each of the lines that wants an answer, with its line ends."""
        ...


def serve(
    program: str,
    make_session: Callable[..., Session],
    arguments: list[str] | None = None,
    **options: dict[str, Any],
) -> int:
    """Answer what is read from standard input; exit status 2 for bad options, in one line.

    Args:
        program: the module's last name.
        make_session: called with ``policy``, ``seed`` and ``options`` by name.
        options: of the command line besides, each with ``add_argument``'s settings.
    """
    parser = argparse.ArgumentParser(prog=f"python -m stratagym.agents.{program}")
    for name, settings in options.items():
        parser.add_argument(f"--{name}", **settings)
    parser.add_argument("--policy", default="heuristic", help="who is asked for moves")
    parser.add_argument("--seed", type=int, default=0, help="of the policy's random choices")
    given = parser.parse_args(arguments)
    try:
        checks.seed_number(given.seed)
        session = make_session(**vars(given))
    except (ValueError, ModuleNotFoundError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no command
    try:
        for answer in session.answers(sys.stdin):
            sys.stdout.write(answer)
            sys.stdout.flush()
    except BrokenPipeError:  # whoever asked is gone; what is left in the buffer goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0
