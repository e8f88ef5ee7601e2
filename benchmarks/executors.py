"""Plays many matches, in order and resumably, wherever there are processors for them.

Matches are plain data (``Item``), so that any process on any machine can play them. What a match
comes to depends on its item alone, never on where, beside what or after what it is played.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.agents.core import Policy, make_policy
from stratagym.agents.kernels import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks import arena, runner
from stratagym.benchmarks.records import SCHEMA, Journal, read_jsonl
from stratagym.envs import spec
from stratagym.wrappers.text import TextOptions


@dataclass(frozen=True)
class Item:
    """A match as plain data.

    Attributes:
        benchmark, name: as in the records; ``name`` is unique in a run.
        game: its name. options: of the game; the others are at their defaults.
        seed: of the game and of all random choices in it.
        seats: names of policies by seat, each a policy string or a key of ``policies``.
        how: how language models' answers are treated.
    """

    benchmark: str
    name: str
    game: str
    options: dict[str, Any]
    seed: int
    seats: tuple[str, ...]
    how: runner.MatchRules = runner.MatchRules(TextOptions(), 3, runner.FORFEIT)

    def match(self, policies: dict[str, Policy]) -> runner.Match:
        """The match with its policies in their seats."""
        game = spec(self.game)
        return runner.Match(
            self.benchmark,
            self.name,
            game,
            game.make_rules(**self.options),
            game.options_in_force(**self.options),
            self.seed,
            [policies[name] for name in self.seats],
        )


def play_all(
    items: Sequence[Item],
    folder: Path,
    *,
    executor: str = "process",
    workers: int | None = None,
    ray_address: str | None = None,
    concurrency: int = 8,
    policies: dict[str, Policy] | None = None,
    done: Callable[[dict[str, Any]], Any] = lambda record: None,
) -> dict[str, dict[str, Any]]:
    """Play the items whose games are not recorded yet; returns all games' records by name.

    A game that a transport failure broke off is gone on with from its recorded answers.

    Args:
        folder: of the run; ``games.jsonl`` and ``decisions.jsonl`` in it are added to.
        executor: ``process`` or ``ray``. workers: how many; default one a processor.
        ray_address: of a cluster; default the one around, or a new one on this machine.
        concurrency: matches with language models that go on at once.
        policies: by name, those that no policy string makes as they are wanted: language models
            with their connections. Others may be among them.
        done: is called with each game's record, those that were there already included.
    """
    last = {game["match"]: game for game in read_jsonl(folder / "games.jsonl")}
    wanted = {item.name for item in items}
    finished = {
        name: game
        for name, game in last.items()
        if name in wanted and game["ended_by"] != runner.TRANSPORT
    }
    for game in finished.values():
        done(game)
    missing = [item for item in items if item.name not in finished]
    journal = Journal(folder / "games.jsonl")
    try:
        cast = Cast(policies or {})
        kernels = [item for item in missing if cast.all_kernels(item)]
        asked = [item for item in missing if cast.any_held(item)]
        others = [item for item in missing if item not in kernels and item not in asked]

        def finish(record: dict[str, Any]) -> None:
            finished[record["match"]] = {"schema": SCHEMA, **record}
            done(record)

        for record in _play_kernels(kernels, cast):
            journal.write(record)
            finish(record)
        for item in others:
            record = play_one(item)
            journal.write(record)
            finish(record)
        by_how: defaultdict[runner.MatchRules, list[Item]] = defaultdict(list)
        for item in asked:
            by_how[item.how].append(item)
        for how, members in by_how.items():
            asyncio.run(
                runner.play_matches(
                    [cast.match(item) for item in members],
                    how,
                    journal,
                    folder / "decisions.jsonl",
                    concurrency=concurrency,
                    done=finish,
                    replays=runner.REPLAYS,
                )
            )
    finally:
        journal.close()
    return {item.name: finished[item.name] for item in items}


class Cast:
    """The policies of a run by game and name."""

    def __init__(self, given: dict[str, Policy]):
        self._given = given
        self._made: dict[tuple[str, str], Policy] = {}
        self._held: dict[tuple[str, str], bool] = {}

    def policy(self, game: str, name: str) -> Policy:
        key = game, name
        if key not in self._made:
            self._made[key] = self._given.get(name) or make_policy(spec(game), name)
        return self._made[key]

    def match(self, item: Item) -> runner.Match:
        return item.match({name: self.policy(item.game, name) for name in item.seats})

    def any_held(self, item: Item) -> bool:
        """Whether a seat's policy exists in this process only."""
        return any(self._is_held(item.game, name) for name in item.seats)

    def all_kernels(self, item: Item) -> bool:
        """Whether the compiled loop plays the whole match."""
        return all(isinstance(self.policy(item.game, name), KernelPolicy) for name in item.seats)

    def _is_held(self, game: str, name: str) -> bool:
        key = game, name
        if key not in self._held:
            given = self._given.get(name)
            self._held[key] = isinstance(given, LanguageModel) or (
                given is not None and runner.named_policy(spec(game), given) is None
            )
        return self._held[key]


def play_one(item: Item) -> dict[str, Any]:
    """Play a match of policies that strings make."""
    match = Cast({}).match(item)
    return asyncio.run(runner.play_match(match, item.how))


def _play_kernels(items: Iterable[Item], cast: Cast) -> Iterator[dict[str, Any]]:
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[json.dumps([item.game, item.options, len(item.seats)])].append(item)
    for members in groups.values():
        matches = [cast.match(item) for item in members]
        names = sorted({name for item in members for name in item.seats})
        kernels = [cast.policy(members[0].game, name) for name in names]
        seating = np.array([[names.index(name) for name in item.seats] for item in members])
        seeds = np.array([item.seed for item in members], np.uint64)
        played = arena.play_parallel(matches[0].rules, kernels, seeds, seating)
        for match, game in zip(matches, arena.each_game(played), strict=True):
            yield match.record(*game)
