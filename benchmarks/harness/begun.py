"""When a run began, with what version and by which command: what makes it again."""

from __future__ import annotations

import re
import shlex
from dataclasses import MISSING, fields
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

from stratagym.envs.echo import masked

BEGUN = "begun"
"""The field of ``config.json``: a resumed run keeps that of its first call."""
_NOT_ITS_OWN = ("output", "resume", "json")
"""Options that say where a run lies and how it is shown, which nothing in it depends on."""
_QUERY = re.compile(r"(https?://[^\s,?&]*)\?[^\s,&]*")


def begun(benchmark: str, args: Any) -> dict[str, str]:
    """``begun`` of a configuration: the day (UTC), the version and the command line."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "version": version("stratagym"),
        "command": command(benchmark, args),
    }


def command(benchmark: str, args: Any) -> str:
    """The command line that sets a script's options as they are, those at their defaults left out.

    Users, passwords and queries of addresses are not told either.
    """
    words = []
    for option in fields(args):
        default = option.default
        if default is MISSING and option.default_factory is not MISSING:
            default = option.default_factory()
        value = getattr(args, option.name)
        if option.name in _NOT_ITS_OWN or value == default:
            continue
        name = option.name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        else:
            words += [f"--{name}", "none" if value is None else public(str(value))]
    return f"python -m benchmarks.{benchmark} {shlex.join(words)}".strip()


def public(text: str) -> str:
    """An option's text with nothing secret in the addresses that it holds.

    Users and passwords are hidden, queries left out.
    """
    return ",".join(_QUERY.sub(r"\1", masked(word)) for word in text.split(","))
