"""Matches on the nodes of a Ray cluster."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Generator
from itertools import islice
from typing import Any, TypeVar

from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.matches import Match

Played = TypeVar("Played")


def import_ray() -> Any:
    """Ray, or an error that names the extra."""
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise ModuleNotFoundError(
            'the executor "ray" needs Ray: pip install "stratagym[ray]"', name="ray"
        ) from None
    return ray


def on_ray(
    tasks: Callable[[int], list[list[Match]]],
    play: Callable[[list[Match]], list[Played]],
    tries: int,
    workers: int | None,
    address: str | None,
) -> Generator[list[Played], None, None]:
    """Matches as they end, on whatever nodes the cluster has.

    Args:
        tasks: what is to be played, in parts for so many workers. play: plays one of them.
        tries: how often a task may lose its worker before it is given up.
    """
    ray = import_ray()
    own = not ray.is_initialized()
    if own:
        _connect(ray, workers, address)
    try:
        workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        remote = ray.remote(max_retries=tries)(play)
        waiting = iter(tasks(workers))
        running = [remote.remote(task) for task in islice(waiting, workers)]
        while running:
            ready, running = ray.wait(running)
            running += [remote.remote(task) for task in islice(waiting, len(ready))]
            yield ray.get(ready[0])
    except ray.exceptions.WorkerCrashedError:
        raise InputError(
            f"Ray: workers ended {tries + 1} times over the same match; what was recorded is kept"
        ) from None
    finally:
        if own:
            ray.shutdown()


def _connect(ray: Any, workers: int | None, address: str | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "warning"}
    where = re.fullmatch(r"(?:ray://)?(.+):(\d+)", address or "")
    try:
        if where:  # Ray itself waits for minutes for an address where nothing listens.
            socket.create_connection((where[1], int(where[2])), timeout=10).close()
        ray.init(address=address or "auto", **quiet)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        if address is not None:
            raise InputError(f"--ray-address {address}: {' '.join(str(error).split())}") from None
        ray.init(num_cpus=workers, include_dashboard=False, **quiet)
