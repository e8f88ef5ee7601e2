"""When a run began, with what version and by which command: what makes it again."""

from __future__ import annotations

import re
import shlex
from dataclasses import MISSING, fields
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

BEGUN = "begun"
"""The field of ``config.json``: a resumed run keeps that of its first call."""
_NOT_ITS_OWN = ("output", "resume", "json")
"""Options that say where a run lies and how it is shown, which nothing in it depends on."""
_LOGIN = re.compile(r"(\w://)[^/@\s,]*@")
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

    Users and passwords in addresses are left out too, and queries of addresses.
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
    """Text without users, passwords and queries in the addresses that it holds."""
    return _QUERY.sub(r"\1", _LOGIN.sub(r"\1", text))
