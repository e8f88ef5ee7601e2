"""Plays many matches, resumably, wherever there are processors for them.

Matches are plain data (``Match``), so that any process on any machine can play them. What a match
comes to depends on its item alone: not on where, beside what or after what it is played. So the
records of a run are the same as a set whatever plays them; their lines stand in the order in which
games ended.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import signal
import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.agents.kernel_policies import KernelPolicy, play_many
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import match_play, pairings
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.policies import ModelArgs
from stratagym.benchmarks.harness.records import SCHEMA, JsonlWriter, read_jsonl
from stratagym.benchmarks.harness.text_options import TextArgs
from stratagym.envs import core, spec
from stratagym.envs.core import GameSpec

EXECUTORS = ("process", "ray")


@dataclass(kw_only=True)
class ExecutorArgs:
    """Options of scripts that play matches on several processors."""

    executor: str = "process"
    """What plays: "process", processes on this machine; "ray", a Ray cluster. The results are the
    same."""
    workers: int | None = None
    """Matches that are computed at once; default one a processor."""
    ray_address: str | None = None
    """Ray cluster to use; default the one this machine belongs to, or else one of its own."""

    def executor_options(self) -> dict[str, Any]:
        """The arguments of ``play_all`` that these options are.

        Raises:
            InputError: an unknown executor, no workers, or Ray is not installed.
        """
        if self.executor not in EXECUTORS:
            raise InputError(f"--executor {self.executor!r}: choose from: {', '.join(EXECUTORS)}")
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers {self.workers}: at least 1 is needed")
        if self.ray_address is not None and self.executor != "ray":
            raise InputError("--ray-address: goes with --executor ray")
        if self.executor == "ray":
            try:
                import_ray()
            except ModuleNotFoundError as error:
                raise InputError(str(error)) from None
        return {
            "executor": self.executor,
            "workers": self.workers,
            "ray_address": self.ray_address,
        }


@dataclass(kw_only=True)
class MatchArgs(TextArgs, ModelArgs, ExecutorArgs):
    """Options of scripts that let language models play whole games."""

    tries: int = 3
    """Answers a model may give for one move; a bad one is quoted back."""
    invalid: str = match_play.FORFEIT
    """After the last bad answer: "forfeit" loses the game, "random" plays a legal move, "fold" or
    "pass" that move where the game has it."""
    time_limit: float | None = 300.0
    """Seconds a model may take over a move, all its answers together; then as after a bad one.
    "none" for no limit."""
    timeout: float = 300.0
    """Seconds to wait for a reply before trying again; less than --time-limit makes a slow model's
    replies transport failures."""

    def answer_protocol(self, game: GameSpec) -> match_play.AnswerProtocol:
        """How answers are treated in ``game``.

        Raises:
            InputError: an option that makes no sense, or not in this game.
        """
        text = self.text_options(game)
        protocol = match_play.AnswerProtocol(text, self.tries, self.invalid, self.time_limit)
        try:
            protocol.check(game)
        except ValueError as error:
            raise InputError(str(error)) from None
        return protocol


@dataclass(frozen=True)
class Match:
    """A match as plain data.

    Attributes:
        benchmark, name: as in the records; ``name`` is unique in a run.
        game: its name. options: of the game; the others are at their defaults.
        seed: of the game and of all random choices in it.
        seats: names of policies by seat, each a policy string or a key of ``policies``.
        protocol: how language models' answers are treated.
    """

    benchmark: str
    name: str
    game: str
    options: dict[str, Any]
    seed: int
    seats: tuple[str, ...]
    protocol: match_play.AnswerProtocol

    @property
    def rules_key(self) -> tuple[str, str]:
        """Equal for items of one game with the same options."""
        return self.game, json.dumps(self.options, sort_keys=True)


Record = dict[str, Any]


def play_all(
    items: Sequence[Match],
    folder: Path,
    *,
    executor: str = "process",
    workers: int | None = None,
    ray_address: str | None = None,
    concurrency: int = 8,
    policies: dict[str, Policy] | None = None,
    replays: int = 2,
    done: Callable[[Record], Any] = lambda record: None,
) -> dict[str, Record]:
    """Play the items whose games are not recorded yet; returns all games' records by name.

    Matches of kernel policies are played by the compiled loop, a chunk at a time; matches with a
    policy that only this process has, such as a language model, by this process; all others by
    workers. Where a transport failure breaks a match off, that is recorded, and it is gone on with
    from its recorded answers.

    Args:
        folder: of the run; ``games.jsonl`` and ``decisions.jsonl`` in it are added to.
        executor, workers, ray_address: as in ``ExecutorArgs``.
        concurrency: matches with language models that go on at once.
        policies: by name, those that no policy string makes as they are wanted: language models
            with their connections. Others may be among them.
        replays: how often a match that a transport failure breaks off is gone on with here and
            now; then it is left for the next call.
        done: is called with each game's record, those that were there already included.

    Raises:
        InputError: workers end again and again, or there is no such cluster; what was recorded is
            kept.
        ModuleNotFoundError: Ray is asked for and not installed.
    """
    found: dict[str, Record] = {}
    wanted = {item.name for item in items}
    for record in read_jsonl(folder / "games.jsonl"):
        if record["match"] in wanted:
            found[record["match"]] = record
    for record in found.values():
        if record["ended_by"] != TRANSPORT:
            done(record)
    cache = PolicyCache(policies or {})
    kernels, matches, asked = [], [], []
    for item in items:
        if item.name in found and found[item.name]["ended_by"] != TRANSPORT:
            continue
        if any(cache.is_held(item.game, name) for name in item.seats):
            asked.append(item)
        elif all(isinstance(cache.policy(item.game, name), KernelPolicy) for name in item.seats):
            kernels.append(item)
        else:
            matches.append(item)
    journal = JsonlWriter(folder / "games.jsonl")

    def finish(record: Record) -> None:
        found[record["match"]] = {"schema": SCHEMA, **record}
        done(record)

    try:
        if kernels or matches:
            if executor == "ray":
                played = _on_ray(kernels, matches, workers, ray_address)
            else:
                played = _here(kernels, matches, workers or processors(), cache)
            with closing(played):
                for records in played:
                    journal.write_all(records)
                    for record in records:
                        finish(record)
        if asked:
            threads = workers or processors()
            _ask(asked, folder, journal, cache, concurrency, threads, replays, finish)
    finally:
        journal.close()
    return {item.name: found[item.name] for item in items}


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class PolicyCache:
    """Policies by game and name: those that are given, and others as their names make them."""

    def __init__(self, given: dict[str, Policy]):
        self._given = given
        self._made: dict[tuple[str, str], Policy] = {}
        self._held: dict[tuple[str, str], bool] = {}
        self._rules: dict[tuple[str, str], tuple[Any, dict[str, Any]]] = {}

    def policy(self, game: str, name: str) -> Policy:
        """The policy of that name. Raises ``ValueError`` if there is none."""
        key = game, name
        if key not in self._made:
            held = self.is_held(game, name)
            self._made[key] = self._given[name] if held else make_policy(spec(game), name)
        return self._made[key]

    def is_held(self, game: str, name: str) -> bool:
        """Whether only this process has the policy."""
        key = game, name
        if key not in self._held:
            given = self._given.get(name)
            self._held[key] = given is not None and (
                isinstance(given, LanguageModel)
                or match_play.named_policy(spec(game), given) is None
            )
        return self._held[key]

    def match(self, item: Match) -> match_play.SeatedMatch:
        """The match with its policies in their seats."""
        game, key = spec(item.game), item.rules_key
        if key not in self._rules:
            in_force = game.options_in_force(**item.options)
            self._rules[key] = game.make_rules(**item.options), in_force
        rules, in_force = self._rules[key]
        seats = [self.policy(item.game, name) for name in item.seats]
        return match_play.SeatedMatch(
            item.benchmark, item.name, game, rules, in_force, item.seed, seats
        )


# --- what a worker does ----------------------------------------------------------------------


_OWN = PolicyCache({})
"""The policies of a worker, kept from one task to the next."""


def play(items: list[Match]) -> list[Record]:
    """Play matches whose policies all have strings that make them; returns their records.

    Several items are a chunk for the compiled loop: of one game, with the same options.
    """
    return _play(items, _OWN)


def _play(items: list[Match], cache: PolicyCache) -> list[Record]:
    matches = [cache.match(item) for item in items]
    names = sorted({name for item in items for name in item.seats})
    policies = [cache.policy(items[0].game, name) for name in names]
    kernels = [policy for policy in policies if isinstance(policy, KernelPolicy)]
    if len(kernels) < len(policies):
        return [
            asyncio.run(match_play.play_match(match, item.protocol))
            for match, item in zip(matches, items, strict=True)
        ]
    seating = np.array([[names.index(name) for name in item.seats] for item in items])
    seeds = np.array([item.seed for item in items], np.uint64)
    games = play_many(matches[0].rules, kernels, seeds, seating)
    return [
        match.record(*game)
        for match, game in zip(matches, pairings.each_game([games]), strict=True)
    ]


def _in_chunks(items: list[Match], workers: int) -> list[list[Match]]:
    """Items in lists of one game and its options, short enough to keep all workers busy."""
    groups: defaultdict[tuple[str, str], list[Match]] = defaultdict(list)
    for item in items:
        groups[item.rules_key].append(item)
    size = max(1, min(pairings.CHUNK, len(items) // (4 * workers)))
    return [
        members[start : start + size]
        for members in groups.values()
        for start in range(0, len(members), size)
    ]


# --- this machine ----------------------------------------------------------------------------


def _here(
    kernels: list[Match], matches: list[Match], workers: int, cache: PolicyCache
) -> Generator[list[Record], None, None]:
    """The compiled loop in threads, which it lets run side by side; other matches in processes."""
    chunks = _in_chunks(kernels, workers)
    if chunks:
        # Compiles once, before the threads ask for it.
        yield _play(chunks[0], cache)
        pool = ThreadPoolExecutor(workers, "play")
        try:
            yield from pool.map(lambda items: _play(items, cache), chunks[1:])
        finally:
            pool.shutdown(cancel_futures=True)
    if workers == 1 or len(matches) == 1:
        yield from (_play([item], cache) for item in matches)
    elif matches:
        _compile(matches, cache)
        yield from _in_processes(matches, min(workers, len(matches)))


def _compile(items: list[Match], cache: PolicyCache) -> None:
    """Have every policy choose a first move, so that workers find its code compiled."""
    first = {(item.rules_key, name): item for item in items for name in item.seats}
    for (_, name), item in first.items():
        match = cache.match(item)
        states, (_, probs) = core.new_states(match.rules), core.new_scratch(match.rules)
        core.start_at(match.rules, states, 0, np.uint64(item.seed), probs)
        view = decision_for(match.game, match.rules, states, item.seed)
        cache.policy(item.game, name).act(view)


DEATHS = 3
"""Times in a row that a pool may lose a worker before any match of it ends."""


def _in_processes(items: list[Match], workers: int) -> Generator[list[Record], None, None]:
    """Matches as they end; those that a dying worker had under way are played again."""
    left = {item.name: item for item in items}
    deaths = 0
    while left:
        with _processes(workers) as pool:
            try:
                for future in as_completed([pool.submit(play, [item]) for item in left.values()]):
                    records = future.result()
                    deaths = 0
                    for record in records:
                        del left[record["match"]]
                    yield records
            except BrokenProcessPool:
                deaths += 1
        if deaths == DEATHS:
            raise InputError(
                f"worker processes ended {DEATHS} times in a row, with {len(left)} matches to "
                f"play, of them {next(iter(left))!r}: out of memory? What was recorded is kept; "
                'a script of your own needs `if __name__ == "__main__":`'
            )


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end when this one does, however it ends."""
    # Forked from a process that has everything imported and no threads, or else started afresh.
    methods = multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload([__name__])
    held_by_workers, held_here = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _begin_worker, (held_by_workers,))
    try:
        yield pool
        pool.shutdown()
    finally:
        held_here.close()
        pool.shutdown(wait=False, cancel_futures=True)
        held_by_workers.close()


def _begin_worker(parent: Connection) -> None:
    """Leave interrupts to the parent, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        try:
            parent.recv_bytes()
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# --- a cluster -------------------------------------------------------------------------------


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


def _on_ray(
    kernels: list[Match], matches: list[Match], workers: int | None, address: str | None
) -> Generator[list[Record], None, None]:
    """Matches as they end, on whatever nodes the cluster has."""
    ray = import_ray()
    own = not ray.is_initialized()
    if own:
        _connect(ray, workers, address)
    try:
        workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        remote = ray.remote(max_retries=DEATHS)(play)
        waiting = iter([*_in_chunks(kernels, workers), *([item] for item in matches)])
        running = [remote.remote(task) for task in islice(waiting, workers)]
        while running:
            ready, running = ray.wait(running)
            running += [remote.remote(task) for task in islice(waiting, len(ready))]
            yield ray.get(ready[0])
    except ray.exceptions.WorkerCrashedError:
        raise InputError(
            f"Ray: workers ended {DEATHS + 1} times over the same match; what was recorded is kept"
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


# --- policies that only this process has -----------------------------------------------------


def _ask(
    items: list[Match],
    folder: Path,
    journal: JsonlWriter,
    cache: PolicyCache,
    concurrency: int,
    threads: int,
    replays: int,
    done: Callable[[Record], Any],
) -> None:
    by_how: defaultdict[match_play.AnswerProtocol, list[match_play.SeatedMatch]] = defaultdict(list)
    for item in items:
        by_how[item.protocol].append(cache.match(item))
    for how, matches in by_how.items():
        asyncio.run(
            match_play.play_matches(
                matches,
                how,
                journal,
                folder / "decisions.jsonl",
                concurrency=concurrency,
                threads=threads,
                done=done,
                replays=replays,
            )
        )
