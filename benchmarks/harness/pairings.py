"""Who meets whom and who sits where: seats rotated, the same seeds for every pairing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from stratagym.agents.kernel_policies import Games, KernelPolicy, play_many
from stratagym.benchmarks.harness.cli import InputError, pairs
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.protocol import NOBODY_ANSWERS, AnswerProtocol
from stratagym.benchmarks.harness.records import GameRecord, returns_of, sides_of
from stratagym.benchmarks.reporting.stats import Rate, mean_rate
from stratagym.envs import core, spec
from stratagym.envs.dealing import dealt_by
from stratagym.envs.facts import Sides, alone, side_returns

CHUNK = 256
"""How many games a thread plays at a time."""


def duel_seating(seats: int, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One policy (0) against the rest (1): every seed once with policy 0 in each seat.

    Returns:
        seeds (G,) uint64 and seating (G, seats) int64; G is ``games`` rounded up to whole
        rounds of ``seats`` games that share a seed.
    """
    rounds = -(-games // seats)
    base = np.uint64(item_seed(seed, "arena"))
    seeds = np.array([core.derive_seed(base, np.uint64(r)) for r in range(rounds)], np.uint64)
    seating = np.ones((rounds * seats, seats), np.int64)
    seating[np.arange(rounds * seats), np.arange(rounds * seats) % seats] = 0
    return np.repeat(seeds, seats), seating


def play_parallel(
    rules: Any,
    policies: list[KernelPolicy],
    seeds: np.ndarray,
    seating: np.ndarray,
    done: Callable[[int], Any] = lambda games: None,
) -> list[Games]:
    """The games in chunks and in order, on all cores; no result depends on the number of cores."""
    starts = range(0, len(seeds), CHUNK)

    def work(start: int) -> Games:
        part = slice(start, start + CHUNK)
        games = play_many(rules, policies, seeds[part], seating[part])
        done(len(games.seeds))
        return games

    first = [work(0)] if len(seeds) else []  # compiles once, before the threads ask for it
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return first + list(pool.map(work, starts[1:]))


def each_game(played: list[Games]) -> Iterator[tuple[list[int], int, list[float]]]:
    """(actions, ending, returns) of every game in order."""
    for games in played:
        for g in range(len(games.seeds)):
            yield (
                games.actions[g, : games.plies[g]].tolist(),
                int(games.endings[g]),
                games.returns[g].tolist(),
            )


def duel_rate(games: list[Games], seats: int) -> Rate:
    """How often policy 0 won alone against the others, with the interval over seeds."""
    returns = np.concatenate([g.returns for g in games])
    seating = np.concatenate([g.seating for g in games])
    won = (returns > 0)[np.arange(len(returns)), seating.argmin(axis=1)]
    seeds = np.concatenate([g.seeds for g in games])
    return mean_rate(won, seeds, chance=1 / seats)


def head_to_head(policies: list[KernelPolicy], rules: Any, games: int, seed: int) -> dict[str, Any]:
    """Win rates of every pair in two-player games: ``wins[a][b]`` is how often a beat b."""
    wins: dict[str, dict[str, Any]] = {policy.name: {} for policy in policies}
    if games > 0:
        for a, b in combinations(policies, 2):
            seeds, seating = duel_seating(2, games, seed)
            rate = duel_rate(play_parallel(rules, [a, b], seeds, seating), 2)
            wins[a.name][b.name] = rate.record()
            wins[b.name][a.name] = rate.complement().record()
    return {"games": games, "wins": wins}


def points(game: GameRecord) -> float:
    """What the first side's player scores in a game of two sides: 1 for a win, 0.5 for a draw."""
    first, second = side_returns(sides_of(game), returns_of(game)).tolist()
    return 0.5 + 0.5 * (first > second) - 0.5 * (first < second)


SidesAt = Callable[[int], Sides]
"""The sides of the game of a seed: the same for all seeds unless roles are dealt."""


def sides_by_seed(game: core.GameSpec, rules: Any) -> SidesAt | None:
    """Who wins with whom under a seed; None where nobody knows before the game.

    Where roles are dealt, what a seed deals at the start of its game (``envs/dealing``).
    """
    sides = game.sides_of(rules)
    if sides is not None:
        return lambda seed: sides

    def dealt(seed: int) -> Sides:
        found = dealt_by(game, rules, seed)
        assert found is not None
        return found.sides

    return None if dealt_by(game, rules, 0) is None else dealt


def two_sides(game: core.GameSpec, rules: Any, contest: str, else_use: str = "") -> SidesAt:
    """The two sides of a game by its seed, each of which gets one policy.

    Args:
        contest: what needs them, as in "a tournament". else_use: a hint for games with more.

    Raises:
        InputError: there are not two sides, or nobody knows them before the game.
    """
    players = rules.num_players
    if players == 1:
        raise InputError(
            f"--game {game.name} has one seat: {contest} needs two sides; use "
            "python -m benchmarks.table, in which each policy plays alone"
        )
    sides_at = sides_by_seed(game, rules)
    if sides_at is None:
        raise InputError(
            f"--game {game.name}: its roles are dealt, so that nobody knows before a game who wins "
            f"with whom; {contest} needs two sides; use python -m benchmarks.table"
        )
    sides = sides_at(0)
    if len(sides) != 2:
        number = f"{len(sides)} sides" if len(sides) != players else f"{players} players"
        raise InputError(f"--game {game.name} with {number}: {contest} seats two{else_use}")
    return sides_at


def match_options(game: core.GameSpec) -> dict[str, Any]:
    """The options with which contests play a game by default: the view's ``MATCH_OPTIONS``."""
    return dict(getattr(game.module("view"), "MATCH_OPTIONS", {}))


@dataclass(frozen=True)
class Chosen:
    """The game of a contest, as ``--game`` and ``--rules`` have it.

    Attributes:
        options: those that are not at the game's defaults. rules: the kernel's, under them.
    """

    game: core.GameSpec
    options: dict[str, Any]
    rules: Any

    @property
    def in_force(self) -> dict[str, Any]:
        """All options of the game, in plain values."""
        return self.game.options_in_force(**self.options)


def chosen(name: str, rules: str, *, for_two: bool = False) -> Chosen:
    """The game of a name, under ``match_options`` and ``rules``.

    Args:
        rules: options of the game, as ``--rules`` has them.
        for_two: a game for two and more is played by two unless ``rules`` say otherwise.

    Raises:
        InputError: an unknown game, or rules that it does not have.
    """
    try:
        game = spec(name)
    except ValueError as error:
        raise InputError(f"--game: {error}") from None
    options = match_options(game) | pairs("--rules", rules)
    if for_two and game.seats_option in game.options and game.min_players == 2:
        options.setdefault(game.seats_option, 2)
    try:
        return Chosen(game, options, game.make_rules(**options))
    except (ValueError, TypeError) as error:
        raise InputError(f"--rules: {error}") from None


def seated(sides: Sides, policies: Sequence[str]) -> tuple[str, ...]:
    """Policies by seat, from those by side."""
    places = [(seat, name) for side, name in zip(sides, policies, strict=True) for seat in side]
    return tuple(name for _, name in sorted(places))


def pair(
    standings: dict[str, float], met: set[frozenset[str]], rested: set[str]
) -> tuple[list[tuple[str, str]], str | None]:
    """Pairings of the next Swiss round, and who has a bye where the number is odd.

    The first in the standings meets the highest that it has not met, and so on, as far as that
    leaves an opponent for everybody; the bye goes to the lowest that has had none. There are always
    such pairings in the first half as many rounds as there are players (Dirac's theorem).
    """
    order = sorted(standings, key=lambda name: -standings[name])
    resting = [None] if len(order) % 2 == 0 else [n for n in reversed(order) if n not in rested]

    def match_up(left: list[str]) -> list[tuple[str, str]] | None:
        if not left:
            return []
        for opponent in left[1:]:
            if frozenset((left[0], opponent)) not in met:
                rest = match_up([name for name in left[1:] if name != opponent])
                if rest is not None:
                    return [(left[0], opponent), *rest]
        return None

    for bye in resting:
        pairings = match_up([name for name in order if name != bye])
        if pairings is not None:
            return pairings, bye
    raise ValueError("everybody has met everybody")


@dataclass(frozen=True)
class Contest:
    """What the matches of a contest have in common, and who sits where in them.

    Attributes:
        benchmark: as in records. game, options: of every match.
        games: of a pairing, rounded up so that every seed is played from everywhere.
        seed: of the set of seeds. protocol: how answers of language models are treated.
        opening: random moves that a game begins with, the same for all games of a seed.
    """

    benchmark: str
    game: str
    options: dict[str, Any]
    games: int
    seed: int
    protocol: AnswerProtocol = NOBODY_ANSWERS
    opening: int = 0

    def among(self, pairing: str, sides: Sides | SidesAt, policies: tuple[str, str]) -> list[Match]:
        """One policy against a table of another: every seed once with the first on each side.

        Args:
            pairing: what the matches' names begin with. sides: who wins together, each seat alone
                in most games; or by seed, as ``sides_by_seed`` has it.
        """
        sides_at = sides if callable(sides) else lambda seed: sides
        n = len(sides_at(0))
        seeds, seating = duel_seating(n, self.games, self.seed)
        sides_of_round = [sides_at(int(own)) for own in seeds[::n]]
        found = []
        for g, seed in enumerate(seeds.tolist()):
            k, turned = divmod(g, n)
            seats = seated(sides_of_round[k], [policies[one] for one in seating[g]])
            place = Place(pairing, k, sides_of_round[k][turned][0])
            found.append(self._match(f"{pairing}/{k}/{turned}", seed, seats, place))
        return found

    def copies(self, pairing: str, seats: int, policies: tuple[str, str]) -> list[Match]:
        """One policy among seats of another; where both are the same, it needs each seed once."""
        one, rest = policies
        if one != rest:
            return self.among(pairing, alone(seats), policies)
        # Seated as if it had one seat, which all others are copies of.
        matches = self.among(pairing, alone(1), policies)
        return [replace(match, seats=(one,) * seats) for match in matches]

    def team(self, pairing: str, seats: int, policy: str) -> list[Match]:
        """Games in which one policy has all ``seats``, one for each of ``games`` seeds."""
        return self.seated(pairing, (policy,) * seats)

    def seated(self, pairing: str, seats: tuple[str, ...], first: int | None = None) -> list[Match]:
        """The same policies in the same seats, one game for each of ``games`` seeds.

        Args:
            first: the seat of the policy that the pairing is about, if it is about one.
        """
        seeds, _ = duel_seating(1, self.games, self.seed)
        return [
            self._match(f"{pairing}/{k}", seed, seats, Place(pairing, k, first))
            for k, seed in enumerate(seeds.tolist())
        ]

    def mixed(self, pairing: str, sides: Sides, policies: Sequence[str]) -> list[Match]:
        """All policies at one table, which move on by a side from game to game of a seed.

        They are dealt in turn, so that all play as often; who follows whom is drawn by the seed.
        """
        n = len(sides)
        seeds, _ = duel_seating(n, self.games, self.seed)
        found = []
        for k, seed in enumerate(seeds[::n].tolist()):
            dealt = [policies[(k * n + place) % len(policies)] for place in range(n)]
            drawn = [dealt[place] for place in np.random.default_rng(seed).permutation(n)]
            for turned in range(n):
                seats = seated(sides, drawn[n - turned :] + drawn[: n - turned])
                place = Place(pairing, k, None)
                found.append(self._match(f"{pairing}/{k}/{turned}", seed, seats, place))
        return found

    def _match(self, name: str, seed: int, seats: tuple[str, ...], place: Place) -> Match:
        return Match(
            self.benchmark, name, self.game, self.options, seed, seats, self.protocol, place,
            self.opening,
        )  # fmt: skip
