"""The kinds of plays, numbered: 398 patterns, and 33,936 whole plays with their kickers.

A pattern is what has to be beaten: a kind, how many ranks in sequence its body has, and the lowest
of these. A whole play is a pattern with its kickers. Both are numbered by kind, length, lowest rank
and, last, by the kickers' ranks in ascending order; a number means the same under all options.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise
from typing import NamedTuple

import numpy as np

from stratagym.envs.dou_dizhu.cards import BLACK_JOKER, JOKERS, RANKS

(
    PASS, SINGLE, PAIR, TRIPLE, TRIPLE_1, TRIPLE_2, STRAIGHT, PAIR_STRAIGHT, AIRPLANE, AIRPLANE_1,
    AIRPLANE_2, FOUR_1, FOUR_2, BOMB, ROCKET, SHUTTLE, SHUTTLE_1, SHUTTLE_2,
) = range(18)  # fmt: skip


class Kind(NamedTuple):
    """A kind of play.

    Attributes:
        name: as people say. same: cards of each rank of the body. shortest, longest: ranks in the
            body. kicker: cards of a kicker's rank, 0 for none. number: kickers; 0 stands for as
            many as the body has ranks. points: what Botzone's score gives for it.
    """

    name: str
    same: int
    shortest: int
    longest: int
    kicker: int
    number: int
    points: int


KINDS = (
    Kind("pass", 0, 1, 1, 0, 0, 0),
    Kind("single", 1, 1, 1, 0, 0, 1),
    Kind("pair", 2, 1, 1, 0, 0, 2),
    Kind("triple", 3, 1, 1, 0, 0, 4),
    Kind("triple with a single", 3, 1, 1, 1, 1, 4),
    Kind("triple with a pair", 3, 1, 1, 2, 1, 4),
    Kind("straight", 1, 5, 12, 0, 0, 6),
    Kind("pair straight", 2, 3, 10, 0, 0, 6),
    Kind("airplane", 3, 2, 6, 0, 0, 8),
    Kind("airplane with singles", 3, 2, 5, 1, 0, 8),
    Kind("airplane with pairs", 3, 2, 4, 2, 0, 8),
    Kind("four with two singles", 4, 1, 1, 1, 2, 8),
    Kind("four with two pairs", 4, 1, 1, 2, 2, 8),
    Kind("bomb", 4, 1, 1, 0, 0, 10),
    Kind("rocket", 1, 2, 2, 0, 0, 16),
    Kind("space shuttle", 4, 2, 5, 0, 0, 10),
    Kind("space shuttle with singles", 4, 2, 4, 1, 0, 10),
    Kind("space shuttle with pairs", 4, 2, 3, 2, 0, 10),
)
"""By their numbers."""

PAIRED, BOTH_JOKERS = np.uint64(1 << 60), np.uint64(1 << 61)
"""What ``PLAY_CARDS`` says of kickers: a pair serves as two singles, both jokers are there."""
ONLY_CARDS = np.uint64((1 << 60) - 1)


def _starts(kind: int, length: int) -> range:
    """The lowest ranks of bodies of one length."""
    if kind == ROCKET:
        return range(BLACK_JOKER, BLACK_JOKER + 1)
    if KINDS[kind].longest > 1:
        return range(13 - length)
    return range(1 if kind == PASS else RANKS if kind == SINGLE else 13)


def _places(free: int, kind: int, number: int) -> np.ndarray:
    """(n, number): which of ``free`` ranks, the last two of them the jokers, kickers may be.

    Singles may come twice but in a shuttle; a joker comes once.
    """
    doubled = KINDS[kind].kicker == 1 and kind < SHUTTLE
    ranks = range(free if KINDS[kind].kicker == 1 else free - 2)
    return np.array(
        [
            chosen
            for chosen in combinations_with_replacement(ranks, number)
            if all(
                a != b or (doubled and a < free - 2 and (k < 2 or chosen[k - 2] != b))
                for k, (a, b) in enumerate(pairwise(chosen), 1)
            )
        ],
        np.int64,
    )


def _all_patterns():
    """The table of patterns, and for each the cards of its whole plays."""
    table, plays = [], []
    known: dict[tuple[int, int, int], np.ndarray] = {}
    for kind, facts in enumerate(KINDS):
        for length in range(facts.shortest, facts.longest + 1):
            number = (facts.number or length) if facts.kicker else 0
            for start in _starts(kind, length):
                ranks = range(start, start + length)
                body = np.uint64(sum(facts.same << 4 * rank for rank in ranks))
                inside = np.uint64(sum(1 << 4 * rank for rank in ranks))
                table.append((kind, length, start, number, facts.kicker, body, inside))
                if not number:
                    plays.append(np.array([body]))
                    continue
                free = np.array([rank for rank in range(RANKS) if rank not in ranks])
                key = len(free), kind, number
                if key not in known:
                    known[key] = _places(*key)
                kickers = free[known[key]]
                cards = (np.uint64(facts.kicker) << (4 * kickers).astype(np.uint64)).sum(1)
                cards = cards.astype(np.uint64)
                flags = np.where(cards & JOKERS == JOKERS, BOTH_JOKERS, np.uint64(0))
                if facts.kicker == 1 and number > 1:
                    paired = (np.diff(kickers, axis=1) == 0).any(1)
                    flags |= np.where(paired, PAIRED, np.uint64(0))
                plays.append((cards + body) | flags)
    return table, plays


_table, _plays = _all_patterns()
PATTERNS = len(_table)
KIND, LENGTH, START, KICKERS, KICKER_SIZE = (
    np.array([row[k] for row in _table], np.int8) for k in range(5)
)
"""Of each pattern; ``START`` is the body's lowest rank, ``KICKERS`` how many ranks follow."""
BODY, INSIDE = (np.array([row[k] for row in _table], np.uint64) for k in (5, 6))
"""The body's cards and its ranks."""
FIRST = np.cumsum([0, *map(len, _plays)]).astype(np.int32)
"""The first whole play of each pattern, and how many whole plays there are at all."""
PLAY_CARDS = np.concatenate(_plays)
"""Each whole play's cards, with ``PAIRED`` and ``BOTH_JOKERS``."""
PATTERN = np.repeat(np.arange(PATTERNS, dtype=np.int16), np.diff(FIRST))
"""Each whole play's pattern."""
POINTS = np.array([kind.points for kind in KINDS], np.int16)

FIRST_PATTERN = np.array([KIND.tolist().index(kind) for kind in range(len(KINDS))], np.int16)
"""Of each kind."""
USUAL_PATTERNS, USUAL_PLAYS = 309, int(FIRST[309])
"""How many there are without the space shuttle: those are the last."""
