"""Which side wins when all hands are known and few cards are left: by search, exactly."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import mix64
from stratagym.envs.dou_dizhu.cards import size
from stratagym.envs.dou_dizhu.patterns import ONLY_CARDS, PATTERN, PLAY_CARDS
from stratagym.envs.dou_dizhu.plays import find_plays

MOST_CARDS = 14
"""In all hands together, for a search."""
MOST_NODES = 20_000
"""After which a search gives up."""
DEPTH, WIDTH = 3 * MOST_CARDS + 4, 2048
_TABLE_BITS = 16
UNKNOWN, LANDLORD_WINS, LANDLORD_LOSES = range(3)

NODE = np.dtype(
    [
        ("hands", "u8", (3,)),
        ("key", "u8"),
        ("top", "i2"),
        ("count", "i2"),  # of its plays
        ("next", "i2"),  # how many of them are still to be tried, from the last to the first
        ("owner", "i1"),
        ("player", "i1"),
    ],
    align=True,
)


def new_memory() -> tuple[np.ndarray, ...]:
    """Scratch for ``landlord_wins``: nodes, their plays, and a table of results."""
    return (
        np.zeros(DEPTH, NODE),
        np.zeros((DEPTH, WIDTH), np.int32),
        np.zeros((1 << _TABLE_BITS, 2), np.uint64),
    )


@njit(cache=True)
def _key(node, salt):
    key = salt
    for seat in range(3):
        key = mix64(key ^ node.hands[seat])
    told = np.uint64(node.top) | np.uint64(node.owner) << np.uint64(16)
    return mix64(key ^ (told | np.uint64(node.player) << np.uint64(20)))


@njit(cache=True)
def landlord_wins(rules, s, memory):
    """``LANDLORD_WINS``, ``LANDLORD_LOSES``, or ``UNKNOWN`` after too many nodes.

    All hands in ``s`` are taken as known to all; no play is half named, and there is a landlord.
    """
    nodes, plays, table = memory
    landlord = np.int64(s.landlord)
    slots = np.uint64(table.shape[0] - 1)
    # The table is shared by searches under one set of rules, whoever is the landlord.
    salt = mix64(np.uint64(1 + landlord + 4 * rules.kickers + 16 * rules.shuttle))
    root = nodes[0]
    for seat in range(3):
        root.hands[seat] = s.hands[seat]
    root.top, root.owner, root.player = s.top, (s.owner if s.top else s.player), s.player
    depth, searched = 0, 0
    entering, result = True, UNKNOWN
    while True:
        node = nodes[depth]
        mine = LANDLORD_WINS if node.player == landlord else LANDLORD_LOSES
        if entering:
            node.key = _key(node, salt)
            slot = np.int64(node.key & slots)
            if table[slot, 0] == node.key:
                result = np.int64(table[slot, 1])
            else:
                searched += 1
                if searched > MOST_NODES or depth == DEPTH - 1:
                    return UNKNOWN
                n = find_plays(
                    node.hands[node.player], np.int64(node.top), 1, rules.kickers, rules.shuttle,
                    plays[depth],
                )  # fmt: skip
                node.count = n
                node.next = n
                result = UNKNOWN
        if result == UNKNOWN or (not entering and result != mine and node.next > 0):
            # Another play: the longest first, a pass last.
            node.next -= 1
            play = plays[depth, node.next]
            cards = PLAY_CARDS[play] & ONLY_CARDS
            if cards == node.hands[node.player]:
                result = mine
            else:
                below = nodes[depth + 1]
                for seat in range(3):
                    below.hands[seat] = node.hands[seat]
                below.player = (node.player + 1) % 3
                if play == 0:
                    below.owner = node.owner
                    below.top = 0 if below.player == node.owner else node.top
                else:
                    below.hands[node.player] -= cards
                    below.owner = node.player
                    below.top = PATTERN[play]
                depth += 1
                entering = True
                continue
        # The node's result is known.
        slot = np.int64(node.key & slots)
        table[slot, 0] = node.key
        table[slot, 1] = result
        if depth == 0:
            return result
        depth -= 1
        entering = False


@njit(cache=True)
def cards_left(s):
    """Cards in all hands together."""
    return size(s.hands[0]) + size(s.hands[1]) + size(s.hands[2])


@njit(cache=True)
def exact(rules, s, memory, out):
    """Solve a position with few cards: 1 for each seat of the side that wins, 0 for the others."""
    if s.building or s.landlord < 0 or cards_left(s) > MOST_CARDS:
        return False
    result = landlord_wins(rules, s, memory)
    if result == UNKNOWN:
        return False
    for seat in range(3):
        won = (seat == s.landlord) == (result == LANDLORD_WINS)
        out[seat] = 1.0 if won else 0.0
    return True
