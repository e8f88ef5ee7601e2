"""Event loops for requests to language models: uvloop's where it is installed, else asyncio's."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
YOUNG = 20_000
"""Objects that have come and not gone before the garbage collector looks at them: a few hundred
requests in flight hold so many, and are no garbage."""


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A loop that is not running; uvloop's takes less of the processor for every request."""
    try:
        import uvloop
    except ModuleNotFoundError:  # there is none for Windows and PyPy
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def run(work: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``, in such a loop."""
    with seldom_collecting():
        try:
            import uvloop
        except ModuleNotFoundError:
            return asyncio.run(work)
        return uvloop.run(work)


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Have the garbage collector, which costs a sixth of a request, wait for ``YOUNG`` objects."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], YOUNG) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
