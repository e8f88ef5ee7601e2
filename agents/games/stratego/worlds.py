"""A search in worlds drawn by beliefs: every move that looks good is played on in each of them.

Hidden pieces are drawn by ``knowledge.by_homes``. For some plies both sides then play by the
weights of the player with beliefs, each by what it may know, with numbers for its beliefs; then the
pieces are counted. It is a determinized search: in a world it takes the enemy's pieces as they were
drawn, but the sides that it plays do not see them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.agents.games.stratego.evaluator import (
    BELIEF,
    STYLES,
    choose,
    decide,
    noise,
    worth,
)
from stratagym.agents.games.stratego.knowledge import (
    VALUES,
    by_homes,
    imagine,
    key_of,
    list_known,
    size,
)
from stratagym.envs import core
from stratagym.envs.stratego.boards import FLAG, MOST_PIECES
from stratagym.envs.stratego.rules import PLACING, RUNNING

MOST_WORLDS, MOST_PLIES, MOST_MOVES = 10_000, 1000, 200
_WON, _KNOWN, _PRIOR = 3000.0, 0.15, 0.15
"""What a game is worth, a piece's share that is lost when it is known, and the share of a move's
worth at first sight that counts besides."""


@njit(cache=True)
def balance(rules, s, seat):
    """What a seat has more than the other on the board, by values."""
    if s.over != RUNNING:
        if s.winner < 0:
            return 0.0
        return _WON if s.winner == seat else -_WON
    total = 0.0
    for piece in range(2 * MOST_PIECES):
        kind = s.kind[piece]
        if s.pos[piece] < 0 or kind == FLAG:
            continue
        value = VALUES[kind] * (1.0 - _KNOWN if s.shown[piece] else 1.0)
        total += value if (piece >= MOST_PIECES) == (seat == 1) else -value
    return total


@njit(cache=True, nogil=True)
def search(rules, states, worlds, plies, most, legal, own, memory, probs, sums):
    """Add up what the most promising moves of ``states[0]`` come to.

    Args:
        states: (4,) records: the root, a world, one that is played on, and one whose generator
            drives the search.
        worlds, plies: how many are drawn, and how far each is played on. most: moves tried.
        legal: scratch, which begins with the moves tried in the end. own: scratch.
        memory: for beliefs. sums: (legal actions,) float64, written.

    Returns:
        How many moves were tried.
    """
    root = states[0]
    seat = np.int64(root.player)
    n = core.legal_actions(rules, root, legal)
    key = key_of(states[3])
    by_homes(rules, root, 1 - seat, memory)
    list_known(rules, root, 1 - seat, memory)
    for k in range(n):
        action = np.int64(legal[k])
        sums[k] = worth(rules, root, seat, action, STYLES[BELIEF], memory) + noise(key, k)
    for k in range(min(n, most)):  # the best in front
        best = k
        for j in range(k + 1, n):
            if sums[j] > sums[best]:
                best = j
        sums[k], sums[best] = sums[best], sums[k]
        legal[k], legal[best] = legal[best], legal[k]
    n = min(n, most)
    if n == 1:
        return n
    for k in range(n):
        sums[k] *= _PRIOR * worlds
    for _ in range(worlds):
        states[1] = states[0]
        world = states[1]
        core.seed_rng(world, core.random_uint64(states[3]))
        imagine(rules, world, 1 - seat, memory)
        for k in range(n):
            states[2] = states[1]
            s = states[2]
            player = core.play(rules, s, legal[k], probs)
            for _ in range(plies):
                if player < 0:
                    break
                count = core.legal_actions(rules, s, own)
                action = decide(rules, s, own, count, BELIEF, False)
                player = core.play(rules, s, action, probs)
            sums[k] += balance(rules, s, seat)
    return n


class Worlds(Policy):
    """The search as a policy.

    Args:
        worlds: drawn for each decision. plies: of each that are played on. moves: tried.
    """

    def __init__(self, worlds: int, plies: int, moves: int):
        self.worlds, self.plies, self.moves = worlds, plies, moves
        self.name = f"worlds:{worlds}?plies={plies}&moves={moves}"
        self._scratch: tuple[Any, ...] | None = None

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._scratch is None or self._scratch[0] != rules:
            legal, probs = core.new_scratch(rules)
            memory = np.zeros(int(_size_of(rules)), np.int64)
            self._scratch = rules, legal, legal.copy(), memory, probs, np.zeros(rules.num_actions)
        return self._scratch[1:]

    def act(self, decision: Decision) -> int:
        """The move that came to most; while setting up, as ``rule:belief``."""
        legal, own, memory, probs, sums = self._allocate(decision.rules)
        states = np.repeat(decision.states[:1], 4)
        if states["phase"][0] == PLACING:
            return int(_placed(decision.rules, states, legal))
        states["rng"][3] = decision.seed
        n = search(
            decision.rules, states, self.worlds, self.plies, self.moves, legal, own, memory, probs,
            sums,
        )  # fmt: skip
        return int(legal[int(sums[:n].argmax())])


@njit(cache=True)
def _size_of(rules):
    return size(rules)


@njit(cache=True)
def _placed(rules, states, legal):
    n = core.legal_actions(rules, states[0], legal)
    return choose(rules, states[0], legal, n, BELIEF)


def worlds_policy(spec: core.GameSpec, text: PolicyString) -> Worlds:
    """``worlds:WORLDS``, 16 by default; ``plies=12`` played on, ``moves=8`` tried.

    Raises:
        ValueError: a bad number or option, in one line.
    """
    given = {"worlds": text.argument or "16", "plies": "12", "moves": "8", **text.options}
    most = {"worlds": MOST_WORLDS, "plies": MOST_PLIES, "moves": MOST_MOVES}
    good = set(given) == set(most) and all(
        value.isdigit() and 1 <= int(value) <= most[name] for name, value in given.items()
    )
    if not good:
        raise ValueError(
            "policy worlds: write worlds:WORLDS, as in worlds:16, with ?plies=12 or &moves=8"
        )
    return Worlds(*(int(given[name]) for name in most))
