"""Plays many matches, resumably, wherever there are processors for them.

Matches are plain data (``Match``), so that any process on any machine can play them. The result of
a match depends on its item alone: not on the machine, or on other matches at the same time or
before. So the records of a run are the same as a set whatever plays them; their lines stand in the
order in which games ended.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stratagym.agents import loops
from stratagym.agents.core import Policy, PolicyFault, decision_for, make_policy
from stratagym.agents.kernel_policies import KernelPolicy, play_many
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import match_play, pairings
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import TRANSPORT, check_models
from stratagym.benchmarks.harness.matches import Match, difference
from stratagym.benchmarks.harness.messages import MessageLog
from stratagym.benchmarks.harness.records import GameRecord, JsonlWriter, game_record, read_games
from stratagym.benchmarks.harness.stand_ins import END
from stratagym.envs import core, spec
from stratagym.envs.plans import takes_talk
from stratagym.envs.threads import processors


class MatchRunner:
    """Plays the matches of a run that are not recorded yet, as a context manager.

    The run's games are read once, when it is made.

    Args:
        folder: of the run; ``games.jsonl`` and ``decisions.jsonl`` in it are added to.
        executor, workers, ray_address: as in ``ExecutorArgs``.
        concurrency: matches with language models that go on at once.
        policies: by name, those that no policy string makes as they are wanted: language models
            with their connections. Others may be among them.
        replays: how often a match that a transport failure breaks off is gone on with here and
            now; then it is left for the next call.
        players: what plays a policy's name, where it is not the newest version.
        forfeit: of the matches' protocols, where an earlier version stands in.
    """

    def __init__(
        self,
        folder: Path,
        *,
        executor: str = "process",
        workers: int | None = None,
        ray_address: str | None = None,
        concurrency: int = 8,
        policies: Mapping[str, Policy] | None = None,
        replays: int = 2,
        players: Mapping[str, str] | None = None,
        forfeit: str | None = None,
    ):
        self.folder, self.concurrency, self.replays = folder, concurrency, replays
        self._players, self._forfeit = dict(players or {}), forfeit
        self._executor, self._workers, self._address = executor, workers, ray_address
        self._cache = PolicyCache(dict(policies or {}))
        self._journal = JsonlWriter(folder / "games.jsonl")
        try:
            # If a match was broken off and continued, its last record counts.
            self._recorded = {game["match"]: game for game in read_games(folder)}
        except InputError:
            self._journal.close()
            raise

    def __enter__(self) -> MatchRunner:
        return self

    def __exit__(self, *exception: object) -> None:
        self._journal.close()

    def play(
        self, items: Sequence[Match], done: Callable[[GameRecord], Any] = lambda record: None
    ) -> dict[str, GameRecord]:
        """Play the items whose games are not recorded yet; returns all items' records by name.

        Matches of kernel policies from a game's start are played by the compiled loop, a chunk at a
        time; matches with a policy that only this process has, such as a language model, by this
        process, in a thread beside the others; all others by workers. Where a transport
        failure breaks a match off, that is recorded, and it is gone on with from its recorded
        answers.

        Args:
            done: is called with each game's record, those that were there already included. What
                was said in it is written before.

        Raises:
            InputError: workers end again and again, or there is no such cluster; what was recorded
                is kept.
            Unavailable: a language model cannot be asked; what was recorded is kept.
            ModuleNotFoundError: Ray is asked for and not installed.
        """
        kernels, matches, asked = [], [], []
        for item in map(self._with_players, items):
            record = self._recorded.get(item.name)
            if record is not None and record["ended_by"] != TRANSPORT:
                self._check(item, record)
                done(record)
            elif any(self._cache.is_held(item.game, name) for name in item.seats):
                asked.append(item)
            elif item.is_whole and all(
                _is_compiled(self._cache.policy(item.game, name)) for name in item.seats
            ):
                kernels.append(item)
            else:
                matches.append(item)
        lock = threading.Lock()

        def finish(record: Any) -> None:
            with lock:
                self._recorded[record["match"]] = game_record(record)
                done(record)

        asyncio.run(check_models(self._cache.models(asked)))
        spoken = {item.name for item in (*asked, *matches) if takes_talk(spec(item.game))}
        with closing(MessageLog(self.folder, spoken)) as messages:
            models = _ask(asked, self, finish, messages) if asked else None
            if models is not None and not kernels and not matches:
                loops.run(models)
            elif models is not None:
                with _beside(models) as check:
                    self._compute(kernels, matches, finish, messages, check, apart=True)
            else:
                self._compute(kernels, matches, finish, messages)
        return {item.name: self._recorded[item.name] for item in items}

    def _with_players(self, item: Match) -> Match:
        """The match with those in its seats that play under the names there."""
        seats = tuple(self._players.get(name, name) for name in item.seats)
        names = item.names or item.seats
        if self._forfeit is not None and item.protocol.forfeit != END:
            item = replace(item, protocol=replace(item.protocol, forfeit=self._forfeit))
        return item if seats == item.seats else replace(item, seats=seats, names=names)

    def _check(self, item: Match, record: GameRecord) -> None:
        """Raises ``InputError`` unless a record is of the match, and whole."""
        why = difference(record, item, self._cache.rules(item)[0])
        if not why and record["returns"] is None:
            why = "no returns"
        if not why:
            return
        raise InputError(
            f"{self.folder / 'games.jsonl'}: {item.name} has {why}: it was changed, or belongs to "
            "another run; start a new one"
        )

    def _compute(
        self,
        kernels: list[Match],
        matches: list[Match],
        finish: Callable[[GameRecord], Any],
        messages: MessageLog,
        check: Callable[[], None] = lambda: None,
        apart: bool = False,
    ) -> None:
        """Play the matches that need only processors; ``check`` raises what should end the run."""
        if self._executor == "ray":
            from stratagym.benchmarks.harness.workers_ray import on_ray

            def tasks(workers: int) -> list[list[Match]]:
                return [*in_chunks(kernels, workers), *([match] for match in matches)]

            played = on_ray(tasks, play, DEATHS, self._workers, self._address)
        else:
            played = _here(kernels, matches, self._workers or processors(), self._cache, apart)
        with closing(played):
            for games in played:
                # First of all: a game that is recorded is not played again.
                messages.write_all(said for game in games for said in game.messages)
                self._journal.write_all([game.record for game in games])
                for game in games:
                    finish(game.record)
                check()


def play_all(
    items: Sequence[Match],
    folder: Path,
    *,
    done: Callable[[GameRecord], Any] = lambda record: None,
    **options: Any,
) -> dict[str, GameRecord]:
    """One call of ``MatchRunner(folder, **options).play(items, done)``."""
    with MatchRunner(folder, **options) as runner:
        return runner.play(items, done)


class PolicyCache:
    """Policies by game and name: the given ones, and others made from their names."""

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

    def models(self, items: list[Match]) -> list[LanguageModel]:
        """The language models in the seats of matches, each once."""
        seated = {name: self._given.get(name) for item in items for name in item.seats}
        return [policy for policy in seated.values() if isinstance(policy, LanguageModel)]

    def rules(self, item: Match) -> tuple[Any, dict[str, Any]]:
        """The match's rules and its options in force."""
        key = item.rules_key
        if key not in self._rules:
            game = spec(item.game)
            in_force = game.options_in_force(**item.options)
            self._rules[key] = game.make_rules(**item.options), in_force
        return self._rules[key]

    def match(self, item: Match) -> match_play.SeatedMatch:
        """The match with its policies in their seats."""
        game, (rules, in_force) = spec(item.game), self.rules(item)
        seats = [self.policy(item.game, name) for name in item.seats]
        return match_play.SeatedMatch(item, game, rules, in_force, seats)


def _is_compiled(policy: Policy) -> bool:
    """Whether the compiled loop plays a policy; it says nothing."""
    return isinstance(policy, KernelPolicy) and not policy.speaks


# --- what a worker does ----------------------------------------------------------------------


_OWN = PolicyCache({})
"""The policies of a worker, kept from one task to the next."""


class Played(NamedTuple):
    """A game that a worker has played: its record, and those of what was said in it."""

    record: GameRecord
    messages: Sequence[dict[str, Any]] = ()


def play(items: list[Match]) -> list[Played]:
    """Play matches whose policies all have strings that make them; returns what came of them.

    Several items are a chunk for the compiled loop: of one game, with the same options, from its
    start.
    """
    return _play(items, _OWN)


def _play(items: list[Match], cache: PolicyCache) -> list[Played]:
    matches = [cache.match(item) for item in items]
    names = sorted({name for item in items for name in item.seats})
    policies = [cache.policy(items[0].game, name) for name in names]
    kernels = [
        policy for policy in policies if isinstance(policy, KernelPolicy) and _is_compiled(policy)
    ]
    if len(kernels) < len(policies) or not items[0].is_whole:
        return [_play_one(match, item.protocol) for match, item in zip(matches, items, strict=True)]
    seating = np.array([[names.index(name) for name in item.seats] for item in items])
    seeds = np.array([item.seed for item in items], np.uint64)
    games = play_many(matches[0].rules, kernels, seeds, seating)
    return [
        Played(game_record(match.record(*game)))
        for match, game in zip(matches, pairings.each_game([games]), strict=True)
    ]


def _play_one(match: match_play.SeatedMatch, protocol: match_play.AnswerProtocol) -> Played:
    said: list[dict[str, Any]] = []
    record = asyncio.run(match_play.play_match(match, protocol, messages=said.append))
    return Played(game_record(record), said)


def in_chunks(items: list[Match], workers: int) -> list[list[Match]]:
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
    kernels: list[Match], matches: list[Match], workers: int, cache: PolicyCache, apart: bool
) -> Generator[list[Played], None, None]:
    """The compiled loop in threads, which it lets run side by side; other matches in processes.

    With ``apart`` there are processes also where there is one worker or match, so that a thread
    beside this one is not held up.
    """
    chunks = in_chunks(kernels, workers)
    if chunks:
        # Compiles once, before the threads ask for it.
        yield _play(chunks[0], cache)
        pool = ThreadPoolExecutor(workers, "play")
        try:
            yield from pool.map(lambda items: _play(items, cache), chunks[1:])
        finally:
            pool.shutdown(cancel_futures=True)
    if not apart and (workers == 1 or len(matches) == 1):
        yield from (_play([item], cache) for item in matches)
    elif matches:
        _compile(matches, cache)
        yield from _in_processes(matches, min(workers, len(matches)))


def _compile(items: list[Match], cache: PolicyCache) -> None:
    """Have every policy choose a first move, so that workers find its code compiled."""
    first = {(item.rules_key, name): item for item in items for name in item.seats}
    for (_, name), item in first.items():
        match = cache.match(item)
        states, (legal, probs) = core.new_states(match.rules), core.new_scratch(match.rules)
        core.start_at(match.rules, states, 0, np.uint64(item.seed), probs)
        for action in match.opening_moves():
            core.play_at(match.rules, states, 0, action, legal, probs)
        view = decision_for(match.game, match.rules, states, item.seed)
        with suppress(PolicyFault):  # which the matches record
            cache.policy(item.game, name).act(view)


DEATHS = 3
"""How often in a row a pool may lose a worker before one of its matches ends."""


def _in_processes(items: list[Match], workers: int) -> Generator[list[Played], None, None]:
    """Matches as they end; those that a dying worker had under way are played again."""
    left = {item.name: item for item in items}
    deaths = 0
    while left:
        with _processes(workers) as pool:
            try:
                for future in as_completed([pool.submit(play, [item]) for item in left.values()]):
                    games = future.result()
                    deaths = 0
                    for game in games:
                        del left[game.record["match"]]
                    yield games
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


# --- policies that only this process has -----------------------------------------------------


async def _ask(
    items: list[Match], runner: MatchRunner, done: Callable[[Any], Any], messages: MessageLog
) -> None:
    """Play matches with such policies, those under one protocol together."""
    by_protocol: defaultdict[match_play.AnswerProtocol, list[match_play.SeatedMatch]]
    by_protocol = defaultdict(list)
    for item in items:
        by_protocol[item.protocol].append(runner._cache.match(item))
    for protocol, matches in by_protocol.items():
        await match_play.play_matches(
            matches,
            protocol,
            runner._journal,
            runner.folder / "decisions.jsonl",
            concurrency=runner.concurrency,
            threads=runner._workers or processors(),
            done=done,
            replays=runner.replays,
            messages=messages,
        )


@contextmanager
def _beside(work: Coroutine[Any, Any, None]) -> Iterator[Callable[[], None]]:
    """Run ``work`` in an event loop of a thread while the block is executed, and then to its end.

    Where the block ends by an exception, or is interrupted, the work is cancelled. What is given
    raises the work's exception once it has one, so that the block need not go on.
    """
    loop = loops.new_event_loop()
    task = loop.create_task(work)
    thread = threading.Thread(target=lambda: _run_loop(loop, task), name="models")

    def check() -> None:
        if task.done() and not task.cancelled() and task.exception() is not None:
            task.result()

    thread.start()
    try:
        yield check
        while thread.is_alive():
            thread.join()
    except BaseException:
        if thread.is_alive():
            loop.call_soon_threadsafe(task.cancel)
            thread.join()
        raise
    check()


def _run_loop(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    try:
        with loops.seldom_collecting():
            loop.run_until_complete(asyncio.wait([task]))
            loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
