"""When a run began, with which version and by which command, so that it can be repeated."""

from __future__ import annotations

import re
import shlex
from dataclasses import MISSING, fields
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any, TypedDict

from stratagym.envs.echo import masked

BEGUN = "begun"
"""The field of ``config.json``; a resumed run keeps the value of its first call."""
_NOT_ITS_OWN = ("output", "resume", "json")
"""Options about the folder and the output of a run, on which no result depends."""
_QUERY = re.compile(r"(https?://[^\s,?&]*)\?[^\s,&]*")


class Begun(TypedDict):
    """``begun`` of a configuration: the day (UTC), the version and the command line."""

    date: str
    version: str
    command: str


def begun(called: str, args: Any) -> Begun:
    """``begun`` of a run that begins now, by the words before its options."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "version": version("stratagym"),
        "command": command(called, args),
    }


def command(called: str, args: Any) -> str:
    """The command line that sets a command's options to their values, without those at their
    defaults.

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
        name = option.name.rstrip("_").replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        else:
            words += [f"--{name}", "none" if value is None else public(str(value))]
    return f"python -m benchmarks.{called} {shlex.join(words)}".strip()


def public(text: str) -> str:
    """An option's text without the secrets in the addresses that it holds.

    Users and passwords are hidden, queries left out.
    """
    return ",".join(_QUERY.sub(r"\1", masked(word)) for word in text.split(","))
