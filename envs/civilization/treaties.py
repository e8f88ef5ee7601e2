"""Diplomacy: treaties of fixed templates, and what becomes of them.

0 peace                              5 the other's tech for the same gold
1 embassies exchanged                6, 7 a gift of 25, 50 gold
2 peace and embassies                8 the proposer pays 50 for peace
3 the best tech of each              9 the other pays 50 for peace
4 the proposer's tech for gold
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization.state import SEATS
from stratagym.envs.civilization.tables import NUM_TECHS, TECH_COST
from stratagym.envs.civilization.towns import has_embassy, has_roots, knows

TEMPLATES = 10
PEACE, EMBASSIES, PEACE_AND_EMBASSIES, TECHS, SELL, BUY, GIFT, GIFT_MORE, PAY, BE_PAID = range(
    TEMPLATES
)
NOTHING = -1


@njit(cache=True)
def best_tech(s, giver, taker):
    """The dearest tech of one seat that another could research, or -1."""
    best = NOTHING
    for tech in range(NUM_TECHS):
        if (
            knows(s, giver, tech)
            and has_roots(s, taker, tech)
            and (best < 0 or TECH_COST[tech] > TECH_COST[best])
        ):
            best = tech
    return best


@njit(cache=True)
def clauses(rules, s, seat, other, template):
    """(tech that the proposer gives, tech that it takes, gold that it pays) of a template."""
    gives = takes = NOTHING
    gold = 0
    if template == TECHS or template == SELL:
        gives = best_tech(s, seat, other)
    if template == TECHS or template == BUY:
        takes = best_tech(s, other, seat)
    if template == SELL and gives >= 0:
        gold = -(TECH_COST[gives] * rules.bulbs // 200)
    elif template == BUY and takes >= 0:
        gold = TECH_COST[takes] * rules.bulbs // 200
    elif template == GIFT:
        gold = 25
    elif template == GIFT_MORE or template == PAY:
        gold = 50
    elif template == BE_PAID:
        gold = -50
    return gives, takes, gold


@njit(cache=True)
def makes_peace(template):
    """Whether peace is among the clauses of a template."""
    return (
        template == PEACE
        or template == PEACE_AND_EMBASSIES
        or template == PAY
        or template == BE_PAID
    )


@njit(cache=True)
def makes_embassies(template):
    """Whether embassies are among the clauses of a template."""
    return template == EMBASSIES or template == PEACE_AND_EMBASSIES


@njit(cache=True)
def can_keep(s, seat, other, template, gives, takes, gold):
    """Whether both could keep all clauses of a treaty now."""
    if makes_peace(template) and (s.peace[seat] >> other) & 1:
        return False
    if makes_embassies(template) and has_embassy(s, seat, other) and has_embassy(s, other, seat):
        return False
    if gives >= 0 and not (knows(s, seat, gives) and has_roots(s, other, gives)):
        return False
    if takes >= 0 and not (knows(s, other, takes) and has_roots(s, seat, takes)):
        return False
    return s.gold[seat] >= gold and s.gold[other] >= -gold


@njit(cache=True)
def may_talk(s, seat, other):
    """Whether a seat may propose something to another this turn."""
    if other == seat or not s.alive[other] or (s.proposed[seat] >> other) & 1:
        return False
    return (s.contact[seat] >> other) & 1 == 1 or has_embassy(s, seat, other)


@njit(cache=True)
def may_propose(rules, s, seat, other, template):
    """Whether a template may be proposed to a seat that may be talked to.

    All clauses must be possible, and what takes techs or gold from the other needs an embassy, as
    without one nobody knows what it has. So does what gives it a tech.
    """
    needs = template == TECHS or template == SELL or template == BUY or template == BE_PAID
    if needs and not has_embassy(s, seat, other):
        return False
    if makes_embassies(template) and not needs and has_embassy(s, seat, other):
        return False
    gives, takes, gold = clauses(rules, s, seat, other, template)
    if (template == TECHS or template == SELL) and gives < 0:
        return False
    if (template == TECHS or template == BUY) and takes < 0:
        return False
    if makes_peace(template) and (s.peace[seat] >> other) & 1:
        return False
    return s.gold[seat] >= gold and (gold >= 0 or s.gold[other] >= -gold)


@njit(cache=True)
def propose(rules, s, seat, other, template):
    """Put a treaty on the table for another seat."""
    gives, takes, gold = clauses(rules, s, seat, other, template)
    s.offer[other, seat] = template
    s.offer_gives[other, seat] = gives
    s.offer_takes[other, seat] = takes
    s.offer_gold[other, seat] = gold
    s.proposed[seat] |= 1 << other


@njit(cache=True)
def clear_offer(s, seat, proposer):
    """Take a treaty off the table."""
    s.offer[seat, proposer] = NOTHING
    s.offer_gives[seat, proposer] = NOTHING
    s.offer_takes[seat, proposer] = NOTHING
    s.offer_gold[seat, proposer] = 0


@njit(cache=True)
def give_tech(s, seat, tech):
    """A seat has a tech from elsewhere; what it researched it may choose anew."""
    s.techs[seat] |= np.uint64(1) << np.uint64(tech)
    if s.researching[seat] == tech:
        s.researching[seat] = NOTHING
        s.discovered[seat] = 1


@njit(cache=True)
def accept(s, seat, proposer):
    """A seat accepts the treaty of another; it comes to nothing if it cannot be kept any more."""
    template = np.int64(s.offer[seat, proposer])
    gives, takes = np.int64(s.offer_gives[seat, proposer]), np.int64(s.offer_takes[seat, proposer])
    gold = np.int64(s.offer_gold[seat, proposer])
    clear_offer(s, seat, proposer)
    if not can_keep(s, proposer, seat, template, gives, takes, gold):
        return
    s.gold[proposer] -= gold
    s.gold[seat] += gold
    if gives >= 0:
        give_tech(s, seat, gives)
    if takes >= 0:
        give_tech(s, proposer, takes)
    if makes_peace(template):
        s.peace[seat] |= 1 << proposer
        s.peace[proposer] |= 1 << seat
    if makes_embassies(template):
        s.embassy[seat] |= 1 << proposer
        s.embassy[proposer] |= 1 << seat


@njit(cache=True)
def cancel(s, seat, other):
    """Peace between two seats ends with this turn."""
    s.cancelled[seat] |= 1 << other
    s.cancelled[other] |= 1 << seat


@njit(cache=True)
def end_cancelled(s):
    """Peace that was cancelled is over."""
    for seat in range(SEATS):
        s.peace[seat] &= 0xFF ^ s.cancelled[seat]
        s.cancelled[seat] = 0
        s.proposed[seat] = 0
