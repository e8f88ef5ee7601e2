"""How many tiles a suit lacks for so many sets and a pair: a table of every suit, as an automaton.

The missing tiles, of which there is no end here, depend on nine digits in turn, so that a finite
automaton can find them: it reads how many tiles a suit has of each rank and stops at the row of
what is missing. Its smallest form is some tens of kilobytes, where a table by all 405,350 suits
would be four megabytes, which every compiled kernel would hold a copy of, and a GPU not at all.

The states of a prefix are first told apart by what it costs to have begun so many sets, a pair and
chows that still need tiles, for the least number of tiles missing (dynamic programming over ranks);
then states that lead to the same rows are made one, from the last rank to the first (Moore 1956).
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

SETS = 5
"""0 to 4 sets."""
STRIDE = 6
"""Digits 0 to 5: a hand that holds four of a kind may be asked about a fifth."""
_STORED = Path(__file__).parent / "data" / "suits.npz"
_FAR = 60
"""More than any number of missing tiles."""

FIELD = 6
"""Bits of a number in a packed row."""


class Automaton(NamedTuple):
    """What ``shanten.row_of`` reads.

    Attributes:
        following: (states * 6,) uint16: six times the next state by state and digit; after the last
            digit the row's number. suit, honors: where each begins, times six.
        rows: (rows,) int64: the missing tiles for m sets (0-4) and p pairs (0, 1), in six bits
            each, the number 5 p + m.
    """

    following: np.ndarray
    suit: int
    honors: int
    rows: np.ndarray


def build() -> Automaton:
    """Make the automaton, in some seconds."""
    suit, suit_rows = _layers(9, chows=True)
    honor, honor_rows = _layers(7, chows=False)
    rows, number = np.unique(np.concatenate([suit_rows, honor_rows]), axis=0, return_inverse=True)
    number = number.reshape(-1)
    tables, starts, offset = [], [], 0
    for layers, numbers in (
        (suit, number[: len(suit_rows)]),
        (honor, number[len(suit_rows) :]),
    ):
        smaller = _merged(layers, numbers)
        starts.append(STRIDE * offset)
        for k, layer in enumerate(smaller):
            offset += len(layer)
            last = k == len(smaller) - 1
            tables.append(layer if last else STRIDE * (layer + offset))
    following = np.concatenate([table.reshape(-1) for table in tables])
    assert following.max() < 1 << 16
    packed = (rows << FIELD * np.arange(2 * SETS)).sum(1)
    return Automaton(following.astype(np.uint16), starts[0], starts[1], packed)


def _layers(ranks: int, chows: bool) -> tuple[list[np.ndarray], np.ndarray]:
    """The next state (N, 6) in each layer, and the rows (M, 10) that the last one leads to."""
    # What has been begun: sets, pair, chows that need this rank and the next, this rank alone.
    begun = [(m, p, a, b) for m, p, a, b in product(range(SETS), range(2), range(3), range(3))]
    place = {what: k for k, what in enumerate(begun)}
    costs = np.full((1, len(begun)), _FAR, np.int8)
    costs[0, place[0, 0, 0, 0]] = 0
    layers = []
    for rank in range(ranks):
        moves = []
        most = 3 if chows and rank < ranks - 2 else 1
        for (m, p, a, b), new, pungs, pair in product(begun, range(most), range(3), range(2)):
            needed = a + b + new + 3 * pungs + 2 * pair
            after = m + new + pungs, p + pair, new, a
            if after in place:
                moves.append((place[m, p, a, b], place[after], needed))
        reached = []
        for digit in range(STRIDE):
            found = np.full_like(costs, _FAR)
            for source, target, needed in moves:
                cost = costs[:, source] + max(0, needed - digit)
                np.minimum(found[:, target], cost, out=found[:, target])
            reached.append(np.minimum(found, _FAR))
        states = np.stack(reached, axis=1).reshape(-1, len(begun))
        if rank == ranks - 1:
            final = [place[m, p, 0, 0] for p, m in product(range(2), range(SETS))]
            states = states[:, final].astype(np.int64)
        costs, number = np.unique(states, axis=0, return_inverse=True)
        layers.append(number.reshape(-1, STRIDE))
    return layers, costs


def _merged(layers: list[np.ndarray], names: np.ndarray) -> list[np.ndarray]:
    """The layers when states that lead to the same are one; the last one leads to ``names``."""
    smaller = []
    for layer in reversed(layers):
        kept, names = np.unique(names[layer], axis=0, return_inverse=True)
        names = names.reshape(-1)
        smaller.append(kept)
    return smaller[::-1]


def load() -> Automaton:
    """The automaton as it is stored; ``write`` makes it anew."""
    with np.load(_STORED) as stored:
        suit, honors = (int(start) for start in stored["starts"])
        return Automaton(stored["following"], suit, honors, stored["rows"])


def write() -> None:
    """Store the automaton."""
    made = build()
    _STORED.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        _STORED,
        following=made.following,
        starts=np.array([made.suit, made.honors]),
        rows=made.rows,
    )


if __name__ == "__main__":
    write()
