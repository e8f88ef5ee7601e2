"""Positions to ask an expert about: of recorded games, of games played for it, or all there are.

A position is what its prompt says. Two positions with one prompt are one: a prompt holds everything
that legal moves and returns depend on.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import is_combinatorial
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.replays import Run
from stratagym.envs import core
from stratagym.envs.prompts import is_legal, legal_list, messages
from stratagym.envs.text import TextOptions

ENUMERATED = 10_000
"""A game of perfect information with no more positions than this is gone through as a whole."""
BARREN = 200
"""So many games in a row without a new position, and there are taken to be no more."""


@dataclass(frozen=True)
class Found:
    """A position in which a seat is to move.

    Attributes:
        states: (1,) record. actions: those from the start of the game. seed: of the game.
        prompt: the messages that ask for a move. digest: SHA-256 of them, which names the position.
        recorded: what was played, where a game's record tells; who played it.
    """

    rules: Any
    states: np.ndarray
    actions: tuple[int, ...]
    seed: int
    prompt: list[dict[str, str]]
    digest: str
    recorded: int | None = None
    policy: str | None = None


def digest_of(prompt: list[dict[str, str]]) -> str:
    return hashlib.sha256(json.dumps(prompt, ensure_ascii=False).encode()).hexdigest()


class Places:
    """Positions of a game under certain rules and prompt options, and how they are told apart."""

    def __init__(self, game: core.GameSpec, rules: Any, options: TextOptions):
        self.game, self.rules, self.options = game, rules, options
        table = hooks.found(game, "symmetries")
        self._symmetries = None if table is None else np.asarray(table(rules))
        self._legal, self._probs = core.new_scratch(rules)

    def start(self, seed: int) -> np.ndarray:
        """The start of a game, (1,) record."""
        states = core.new_states(self.rules)
        core.start_at(self.rules, states, 0, np.uint64(seed), self._probs)
        return states

    def play(self, states: np.ndarray, action: int) -> None:
        core.play_at(self.rules, states, 0, action, self._legal, self._probs)

    def is_over(self, states: np.ndarray) -> bool:
        return core.current_player_at(self.rules, states, 0) < 0

    def found(
        self,
        states: np.ndarray,
        actions: Iterable[int],
        seed: int,
        recorded: int | None = None,
        policy: str | None = None,
    ) -> Found:
        """What there is to know of the position in ``states``, which may be changed afterwards."""
        prompt = messages(self.game, self.rules, states, self.options)
        return Found(
            self.rules, states.copy(), tuple(actions), seed, prompt, digest_of(prompt), recorded,
            policy,
        )  # fmt: skip

    def class_of(self, position: Found) -> str:
        """A name that a position shares with those that a symmetry of the board makes of it.

        An image is the position after the image of each move from the start; where one of them is
        illegal, since the start is not symmetric, there is no such image.
        """
        if self._symmetries is None:
            return position.digest
        names = [position.digest]
        for image in self._symmetries:
            states = self.start(position.seed)
            for action in image[list(position.actions)].tolist():
                if not is_legal(self.rules, states, action):
                    break
                self.play(states, action)
            else:
                names.append(digest_of(messages(self.game, self.rules, states, self.options)))
        return min(names)


def of_runs(
    runs: Iterable[Run],
    places_of: Callable[[dict[str, Any]], Places],
    fits: Callable[[dict[str, Any]], bool],
) -> Iterator[tuple[Places, Found]]:
    """The positions of recorded games, each as often as it stands there.

    Args:
        places_of: what tells positions of a game's record apart. fits: whether a record counts.
    """
    for run in runs:
        for game in filter(fits, run.games):
            places = places_of(game)
            states = places.start(int(game["seed"]))
            replaced = {one["seat"]: one["ply"] for one in game.get("stand_ins", ())}
            for ply, action in enumerate(game["actions"]):
                seat = core.current_player_at(places.rules, states, 0)
                if seat < 0 or not is_legal(places.rules, states, action):
                    break  # the record is not what happens
                own = ply < replaced.get(seat, ply + 1) and ply >= game.get("opening", 0)
                policy = game["seats"][seat] if own else None
                yield (
                    places,
                    places.found(states, game["actions"][:ply], int(game["seed"]), action, policy),
                )
                places.play(states, action)


def enumerated(places: Places) -> dict[str, Found] | None:
    """All positions of the game with a move to make, by digest; None where they are too many, or
    the game has chance or hides something."""
    if not is_combinatorial(places.game):
        return None
    first = places.found(places.start(0), (), 0)
    found, waiting = {first.digest: first}, deque([first])
    while waiting:
        here = waiting.popleft()
        for action in legal_list(places.rules, here.states):
            states = here.states.copy()
            places.play(states, action)
            if places.is_over(states):
                continue
            there = places.found(states, (*here.actions, action), 0)
            if there.digest not in found:
                found[there.digest] = there
                waiting.append(there)
        if len(found) > ENUMERATED:
            return None
    return found


def played(
    places: Places, choose: Callable[[Found], int], explore: float, seed: int, wanted: int
) -> dict[str, Found]:
    """Different positions of games in which the expert plays all seats, by digest.

    Args:
        choose: the expert's action. explore: how often a random move is made in its place.
        wanted: how many positions; fewer come where games bring no new ones.
    """
    found: dict[str, Found] = {}
    chosen: dict[str, int] = {}
    number = last = 0
    while len(found) < wanted and number - last <= BARREN:
        own = item_seed(seed, "expert", str(number))
        draws = random.Random(own)
        states = places.start(own)
        actions: list[int] = []
        number += 1
        while len(found) < wanted and not places.is_over(states):
            here = places.found(states, actions, own)
            if here.digest not in found:
                found[here.digest] = here
                last = number
            if draws.random() < explore:
                action = draws.choice(legal_list(places.rules, states))
            else:
                if here.digest not in chosen:
                    chosen[here.digest] = choose(here)
                action = chosen[here.digest]
            places.play(states, action)
            actions.append(action)
    return found
