"""Event loops for requests to language models: uvloop's where it is installed, else asyncio's."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A loop that is not running; uvloop's takes less of the processor for every request."""
    try:
        import uvloop
    except ModuleNotFoundError:  # there is none for Windows and PyPy
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def run(work: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``, in such a loop."""
    try:
        import uvloop
    except ModuleNotFoundError:
        return asyncio.run(work)
    return uvloop.run(work)
