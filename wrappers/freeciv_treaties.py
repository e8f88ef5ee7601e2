"""Treaties of ``civilization`` as clauses of the real Freeciv, and back.

A template is a whole treaty there; here it is a meeting with clauses, each of a giver, a kind and a
value. What is no template has no place in a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stratagym.envs.civilization.treaties import (
    BE_PAID,
    BUY,
    EMBASSIES,
    GIFT,
    GIFT_MORE,
    NOTHING,
    PAY,
    PEACE,
    PEACE_AND_EMBASSIES,
    SELL,
    TECHS,
    clauses,
    makes_embassies,
    makes_peace,
)

ADVANCE, GOLD, TREATY_OF_PEACE, EMBASSY = 0, 1, 6, 9
"""The server's kinds of clauses."""
Clause = tuple[int, int, int]
_KINDS = {
    # techs given and taken, way of the gold (1: paid, -1: received), peace, embassies
    (False, False, 0, True, False): PEACE,
    (False, False, 0, False, True): EMBASSIES,
    (False, False, 0, True, True): PEACE_AND_EMBASSIES,
    (True, True, 0, False, False): TECHS,
    (True, False, -1, False, False): SELL,
    (False, True, 1, False, False): BUY,
    (False, False, 1, False, False): GIFT_MORE,
    (False, False, 1, True, False): PAY,
    (False, False, -1, True, False): BE_PAID,
}


def clauses_of(
    rules: Any, s: Any, seat: int, other: int, template: int,
    player_of: Callable[[int], int], tech_of: Mapping[int, int],
) -> list[Clause]:  # fmt: skip
    """The clauses that a seat's proposal to another has: (giver, kind, value) each.

    Args:
        player_of: the server's player of a seat. tech_of: the server's number of a tech.
    """
    me, they = player_of(seat), player_of(other)
    gives, takes, gold = map(int, clauses(rules, s, seat, other, template))
    found: list[Clause] = []
    if gives >= 0:
        found.append((me, ADVANCE, tech_of[gives]))
    if takes >= 0:
        found.append((they, ADVANCE, tech_of[takes]))
    if gold:
        found.append((me if gold > 0 else they, GOLD, abs(gold)))
    if makes_peace(template):
        found.append((me, TREATY_OF_PEACE, 0))
    if makes_embassies(template):
        found += [(me, EMBASSY, 0), (they, EMBASSY, 0)]
    return found


def offer_of(
    found: Iterable[Clause], proposer: int, techs: Mapping[int, int]
) -> tuple[int, int, int, int] | None:
    """(template, tech given, tech taken, gold paid) of clauses; None where they are no template.

    Args:
        proposer: the server's player. techs: this game's number of a tech by the server's.
    """
    gives = takes = NOTHING
    gold, embassies, peace, seen = 0, set(), False, 0
    for giver, kind, value in found:
        seen += 1
        if kind == ADVANCE and value in techs:
            if giver == proposer:
                gives = techs[value]
            else:
                takes = techs[value]
        elif kind == GOLD:
            gold += value if giver == proposer else -value
        elif kind == EMBASSY:
            embassies.add(giver)
        elif kind == TREATY_OF_PEACE:
            peace = True
        else:
            return None
    parts = (gives >= 0) + (takes >= 0) + bool(gold) + len(embassies) + peace
    sign = (gold > 0) - (gold < 0)
    both = len(embassies) == 2
    template = _KINDS.get((gives >= 0, takes >= 0, sign, peace, both))
    if template is None or parts != seen or len(embassies) == 1 or abs(gold) > 32_767:
        return None
    return GIFT if template == GIFT_MORE and gold <= 25 else template, gives, takes, gold
