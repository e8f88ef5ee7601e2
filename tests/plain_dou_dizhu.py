"""Fight the Landlord written down plainly: what a set of cards is, and what beats it.

Cards are lists of ranks 0 .. 14. Shares no code with the game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product


def in_sequence(ranks: list[int], least: int) -> bool:
    ranks = sorted(ranks)
    return len(ranks) >= least and ranks[-1] <= 11 and ranks[-1] - ranks[0] == len(ranks) - 1


def good_singles(singles: list[int], kickers: str) -> bool:
    counts = Counter(singles)
    if kickers == "loose":
        return max(counts.values()) <= 2
    if kickers == "pagat" and {13, 14} <= set(singles):
        return False
    return max(counts.values()) == 1


def kinds(cards: list[int], kickers: str, shuttle: bool) -> set[tuple[str, int, int]]:
    """All (name, ranks in the body, lowest rank) that these cards are; none or one, we hope."""
    counts, found = Counter(cards), set()
    ranks = sorted(counts)
    n, values = len(cards), set(counts.values())
    if ranks == [13, 14] and n == 2:
        return {("rocket", 2, 13)}
    if len(ranks) == 1 and n <= 4:
        found.add((("single", "pair", "triple", "bomb")[n - 1], 1, ranks[0]))
    for same, name, least in ((1, "straight", 5), (2, "pair straight", 3), (3, "airplane", 2),
                              (4, "shuttle", 2)):  # fmt: skip
        if values == {same} and in_sequence(ranks, least) and (same < 4 or shuttle):
            found.add((name, len(ranks), ranks[0]))
    for same, name in ((3, "triple"), (4, "four")):
        full = [rank for rank in ranks if counts[rank] == same]
        bodies = [
            full[a:b] for a in range(len(full)) for b in range(a + 1, len(full) + 1)
            if b == a + 1 or in_sequence(full[a:b], 2)
        ]  # fmt: skip
        for body in bodies:
            others = [rank for rank in cards if rank not in body]
            each, length = Counter(others), len(body)
            wanted = length
            if same == 4 and length == 1:
                wanted = 2
            if same == 4 and length > 1 and not shuttle:
                continue
            title = name if length == 1 else ("airplane" if same == 3 else "shuttle")
            strict = kickers if title != "shuttle" or kickers != "loose" else "distinct"
            if len(others) == wanted and good_singles(others, strict):
                found.add((f"{title}+1", length, body[0]))
            if len(others) == 2 * wanted and set(each.values()) == {2}:
                found.add((f"{title}+2", length, body[0]))
    return found


def plays(hand: list[int], kickers: str, shuttle: bool) -> Iterator[tuple[tuple[int, ...], tuple]]:
    """(cards, kind) of everything that a hand can lead."""
    counts = Counter(hand)
    ranks = sorted(counts)
    for numbers in product(*(range(counts[rank] + 1) for rank in ranks)):
        cards = [r for rank, k in zip(ranks, numbers, strict=True) for r in [rank] * k]
        found = kinds(cards, kickers, shuttle)
        assert len(found) <= 1, (cards, found)
        for kind in found:
            yield tuple(cards), kind


def beats(cards: tuple, kind: tuple, top_cards: tuple, top: tuple) -> bool:
    """Whether a play beats another."""
    if top[0] == "rocket":
        return False
    if kind[0] == "rocket":
        return True
    if kind[0] == "bomb" and top[0] != "bomb":
        return True
    return kind[0] == top[0] and len(cards) == len(top_cards) and kind[2] > top[2]
