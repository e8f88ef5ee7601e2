"""Episodes in a process of their own: on one processor, or with all threads that a peer starts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from stratagym.benchmarks.harness.measuring import Episode, Sample, sample


class Alone:
    """An episode made and played in another process, one repeat at a time.

    Threads that a peer starts, such as XLA's, count there and nowhere else; on one processor there
    is nothing for them to wait for.

    Args:
        make: a function of a module, which makes the episode from ``game`` over there.
        one_core: hold the process, and every thread of it, on one processor.

    Raises:
        ImportError: the peer, or something that it needs, is not installed.
        RuntimeError: making or playing the episode failed; the text says how.
    """

    def __init__(self, make: Callable[[str], Episode], game: str, one_core: bool):
        # A fork would inherit threads of libraries that were imported here.
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, make, game, one_core), daemon=True
        )
        self._process.start()
        theirs.close()
        self.batch: int | None = self._answer()

    def sample(self, seconds: float) -> Sample:
        """One repeat, timed over there."""
        self._pipe.send(seconds)
        found: Sample = self._answer()
        return found

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()

    def _answer(self) -> Any:
        try:
            what, answer = self._pipe.recv()
        except EOFError:
            self._process.join()
            what, answer = "failed", f"its process ended with code {self._process.exitcode}"
        if what == "missing":
            raise answer
        if what == "failed":
            raise RuntimeError(answer)
        return answer


def _serve(pipe: Connection, make: Callable[[str], Episode], game: str, one_core: bool) -> None:
    """Make and play the episode once, then a repeat for every number of seconds received."""
    os.dup2(2, 1)  # what a peer prints does not belong between our results
    sys.stdout = sys.stderr
    if one_core:
        # Before the peer counts the processors.
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        os.environ["XLA_FLAGS"] = (
            "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        )
    try:
        episode = make(game)
        episode()
        pipe.send(("made", getattr(episode, "batch", None)))
        while True:
            pipe.send(("sample", sample(episode, pipe.recv())))
    except (EOFError, BrokenPipeError):
        return  # the other side is done
    except ImportError as error:
        pipe.send(("missing", error))
    except Exception as error:
        pipe.send(("failed", f"{type(error).__name__}: {error}"))
