"""One battle: two plans fought out. ``simulate`` is the whole of it.

A side's units stand in ``s.units[side]`` in their order from left to right, ``s.count`` of them;
the dead stay there, to be passed over, until the next round begins. A unit with no health left dies
when deaths are settled.
"""

from __future__ import annotations

from numba import njit

from stratagym.envs.battle_card.tables import (
    ANCIENT_TREANT,
    BANDIT_LEADER,
    BATTLE_FRENZY,
    BLACK_ROCK,
    ELEMENT,
    ELITE_SOLDIER,
    FIRE_LIZARD,
    FOREST_SEER,
    GOLD,
    KING,
    LAVA_GOLEM,
    MOLTEN_HOUND,
    MOST_ATTACK,
    MOUNTAIN_GIANT,
    NATURE,
    NEUTRAL,
    NUMBERS,
    PALADIN,
    PHOENIX,
    POISON_FROG,
    ROCK_BEETLE,
    SAPLING,
    SEER,
    SHADOW_OVERLORD,
    SLOW_SKELETON,
    SOLDIER,
    STONE_WARRIOR,
    TAUNT,
    TIDE_GUARDIAN,
    TIDE_LORD,
    TREANT,
    UNITS,
    VINE_PROTECTOR,
    WATER_ELEMENTAL,
)  # fmt: skip
from stratagym.envs.sealed import note

SLOTS, MOST_UNITS = 64, 7
ROUNDS = 100
NONE = -1
KIND, TIER, ATTACK, HEALTH, MOST, SHIELD, BURN, ALIVE, REVIVED, PLACE, KILLER, SPARE = range(12)
"""What is known of a unit: its kind; 1 bronze, 2 gold; attack; health and the most of it; whether
it has a shield; health it loses before its attacks; whether it is alive; whether it has come back
already; its place in order of joining; the enemy unit whose hit killed it."""

EVENTS = ("start", "attack", "hit", "shield", "burn", "death", "summon", "revive", "growth")
"""Kinds of events, time being 100 x round + attack, units 64 x side + place in order of joining.

start: actor gives target attack (amount) and health (extra). attack: actor, target, its attack.
hit: actor, target, damage, health after it. shield: of target; amount 1 got, 0 lost. burn: target
loses amount (actor is itself, extra its health after it), or will from now on (actor set it).
death: actor, killed by target or -1. summon: actor, new unit target, kind, tier. revive: actor,
health. growth: actor gains attack (amount) and health (extra), which may be negative.
"""
START, STRIKE, HIT, SHIELDED, BURNT, DEATH, SUMMON, REVIVE, GROWTH = range(9)


@njit(cache=True)
def name_of(s, side, k):
    """A unit in events."""
    return 64 * side + s.units[side, k, PLACE]


@njit(cache=True)
def lives(s, side, k):
    """Whether a unit is alive and has health left."""
    return s.units[side, k, ALIVE] == 1 and s.units[side, k, HEALTH] > 0


@njit(cache=True)
def join(rules, s, side, kind, tier):
    """Put a unit at the right end of a side; returns where."""
    k = s.count[side]
    s.units[side, k, KIND] = kind
    s.units[side, k, TIER] = tier
    s.units[side, k, ATTACK] = NUMBERS[rules.released, kind, 1] * tier
    s.units[side, k, HEALTH] = NUMBERS[rules.released, kind, 2] * tier
    s.units[side, k, MOST] = s.units[side, k, HEALTH]
    s.units[side, k, SHIELD] = kind == PALADIN or kind == TIDE_GUARDIAN or kind == SOLDIER
    s.units[side, k, BURN] = 0
    s.units[side, k, ALIVE] = 1
    s.units[side, k, REVIVED] = 0
    s.units[side, k, PLACE] = s.joined[side]
    s.units[side, k, KILLER] = NONE
    s.count[side] += 1
    s.joined[side] += 1
    s.living[side] += 1
    return k


@njit(cache=True)
def summon(rules, s, log, side, k, kind):
    """A unit summons another of its tier, if there is a free place; returns whether it did."""
    if s.living[side] >= MOST_UNITS:
        return False
    tier = s.units[side, k, TIER]
    new = join(rules, s, side, kind, tier)
    note(s, log, s.clock, SUMMON, name_of(s, side, k), name_of(s, side, new), kind, tier)
    return True


@njit(cache=True)
def gain(s, log, side, k, attack, health):
    """Change a unit's attack (not below 0), its health and the most of that."""
    attack = max(attack, -s.units[side, k, ATTACK])
    s.units[side, k, ATTACK] += attack
    s.units[side, k, HEALTH] += health
    s.units[side, k, MOST] += health
    note(s, log, s.clock, GROWTH, name_of(s, side, k), NONE, attack, health)


@njit(cache=True)
def give(s, log, side, k, other, attack, health):
    """The start effect of unit ``k`` on ``other``."""
    s.units[side, other, ATTACK] += attack
    s.units[side, other, HEALTH] += health
    s.units[side, other, MOST] += health
    note(s, log, s.clock, START, name_of(s, side, k), name_of(s, side, other), attack, health)


@njit(cache=True)
def start_effects(rules, s, log):
    """What defenders do before the first round, from left to right."""
    for k in range(s.count[1]):
        kind, tier = s.units[1, k, KIND], s.units[1, k, TIER]
        for other in range(s.count[1]):
            if other == k:
                continue
            if kind == FOREST_SEER and ELEMENT[s.units[1, other, KIND]] == NATURE:
                attack, health = SEER[rules.released, 0], SEER[rules.released, 1]
                give(s, log, 1, k, other, attack * tier, health * tier)
            elif kind == ANCIENT_TREANT:
                attack, health = TREANT[rules.released, 0], TREANT[rules.released, 1]
                give(s, log, 1, k, other, attack * tier, health * tier)
            elif kind == BLACK_ROCK:
                give(s, log, 1, k, k, 0, 3 * tier)
            elif kind == ELITE_SOLDIER and abs(other - k) == 1:
                give(s, log, 1, k, other, tier, 0)
                s.units[1, other, SHIELD] = 1
                note(s, log, s.clock, SHIELDED, name_of(s, 1, k), name_of(s, 1, other), 1, 0)


@njit(cache=True)
def bonus(rules, damage, kind, other):
    """Damage of a kind's attack or strike-back on another: a quarter more, rounded up, if the
    element of ``kind`` beats the other's."""
    if rules.elements and ELEMENT[kind] != NEUTRAL and ELEMENT[kind] % 4 + 1 == ELEMENT[other]:
        return (damage * 5 + 3) // 4
    return damage


@njit(cache=True)
def lose_shield(s, log, side, k, actor):
    """The shield of unit ``k`` is gone, by ``actor`` as events name it; paladins beside it gain."""
    s.units[side, k, SHIELD] = 0
    note(s, log, s.clock, SHIELDED, actor, name_of(s, side, k), 0, 0)
    for other in range(s.count[side]):
        paladin = s.units[side, other, KIND] == PALADIN
        if paladin and other != k and lives(s, side, other):
            gain(s, log, side, other, 2 * s.units[side, other, TIER], 0)


@njit(cache=True)
def hit(s, log, side, k, damage, by, deadly):
    """Damage to unit ``k`` of ``side`` by the enemy unit ``by``; returns what is more than it had.

    Args:
        deadly: whether what gets through kills.
    """
    if damage <= 0 or s.units[side, k, ALIVE] == 0:
        return 0
    actor = name_of(s, 1 - side, by)
    target = name_of(s, side, k)
    if s.units[side, k, SHIELD]:
        lose_shield(s, log, side, k, actor)
        return 0
    before = s.units[side, k, HEALTH]
    after = before - damage
    if deadly:
        after = min(after, 0)
    s.units[side, k, HEALTH] = after
    note(s, log, s.clock, HIT, actor, target, damage, after)
    if after <= 0:
        if before > 0:
            s.units[side, k, KILLER] = by
    elif s.units[side, k, KIND] == TIDE_LORD:
        attack = s.units[side, k, ATTACK]
        gain(s, log, side, k, min(2 * attack, MOST_ATTACK) - attack, 0)
    return max(damage - before, 0)


@njit(cache=True)
def die(rules, s, log, side, k):
    """The death of a unit, or a phoenix's return, with what it does."""
    kind, tier = s.units[side, k, KIND], s.units[side, k, TIER]
    own, enemy = name_of(s, side, k), 1 - side
    if kind == PHOENIX and s.units[side, k, REVIVED] == 0:
        s.units[side, k, REVIVED] = 1
        s.units[side, k, HEALTH] = NUMBERS[rules.released, kind, 2] * tier
        s.units[side, k, BURN] = 0
        s.units[side, k, KILLER] = NONE
        note(s, log, s.clock, REVIVE, own, NONE, s.units[side, k, HEALTH], 0)
        return
    killer = s.units[side, k, KILLER]
    s.units[side, k, ALIVE] = 0
    s.living[side] -= 1
    by = NONE if killer == NONE else name_of(s, enemy, killer)
    note(s, log, s.clock, DEATH, own, by, 0, 0)
    if kind == FIRE_LIZARD:
        if killer != NONE:
            hit(s, log, enemy, killer, 2 * tier, k, False)
    elif kind == MOLTEN_HOUND:
        for other in range(s.count[enemy]):
            hit(s, log, enemy, other, tier, k, False)
    elif kind == STONE_WARRIOR:
        summon(rules, s, log, side, k, ROCK_BEETLE)
    elif kind == SHADOW_OVERLORD:
        while summon(rules, s, log, side, k, SLOW_SKELETON):
            if not rules.released:
                break
    elif kind == VINE_PROTECTOR:
        for other in range(s.count[side]):
            lost = s.units[side, other, MOST] - s.units[side, other, HEALTH]
            if lives(s, side, other) and lost > 0:
                healed = min(lost, 2 * tier)
                s.units[side, other, HEALTH] += healed
                note(s, log, s.clock, GROWTH, name_of(s, side, other), own, 0, healed)


@njit(cache=True)
def settle(rules, s, log):
    """Deaths and what they do, attackers then defenders, until nothing dies."""
    again = True
    while again:
        again = False
        for side in range(2):
            k = 0
            while k < s.count[side]:
                if s.units[side, k, ALIVE] == 1 and s.units[side, k, HEALTH] <= 0:
                    again = True
                    die(rules, s, log, side, k)
                k += 1


@njit(cache=True)
def choose_target(s, side):
    """The enemy that a unit of ``side`` attacks: those with taunt before all others, of these the
    first in the side's priorities, or the leftmost; ``NONE`` if there is none."""
    enemy = 1 - side
    taunted = False
    for k in range(s.count[enemy]):
        if lives(s, enemy, k) and TAUNT[s.units[enemy, k, KIND]]:
            taunted = True
    best, found = 2 * SLOTS, NONE
    for k in range(s.count[enemy]):
        kind = s.units[enemy, k, KIND]
        if lives(s, enemy, k) and (TAUNT[kind] or not taunted) and s.ranks[side, kind] < best:
            best, found = s.ranks[side, kind], k
    return found


@njit(cache=True)
def strike(rules, s, log, side, k):
    """One attack of a unit, deaths not settled."""
    enemy, target = 1 - side, choose_target(s, side)
    kind, tier = s.units[side, k, KIND], s.units[side, k, TIER]
    other = s.units[enemy, target, KIND]
    if kind == WATER_ELEMENTAL:
        gain(s, log, side, k, tier, 0)
    elif kind == SAPLING:
        gain(s, log, side, k, 0, tier)
    elif kind == KING:
        summon(rules, s, log, side, k, SOLDIER)
    attack, back = s.units[side, k, ATTACK], s.units[enemy, target, ATTACK]
    note(s, log, s.clock, STRIKE, name_of(s, side, k), name_of(s, enemy, target), attack, 0)
    left = right = NONE
    if kind == PHOENIX:
        for one in range(s.count[enemy]):
            if lives(s, enemy, one):
                if one < target:
                    left = one
                elif one > target and right == NONE:
                    right = one
    deadly = kind == POISON_FROG
    excess = hit(s, log, enemy, target, bonus(rules, attack, kind, other), k, deadly)
    for beside in (left, right):
        if beside != NONE:
            damage = bonus(rules, attack, kind, s.units[enemy, beside, KIND])
            hit(s, log, enemy, beside, damage, k, deadly)
    hit(s, log, side, k, bonus(rules, back, other, kind), target, other == POISON_FROG)
    if attack > 0:
        size = s.units[enemy, target, TIER]
        if other == LAVA_GOLEM:
            burn = max(s.units[side, k, BURN], 3 * size)
            s.units[side, k, BURN] = burn
            note(s, log, s.clock, BURNT, name_of(s, enemy, target), name_of(s, side, k), burn, 0)
        elif other == MOUNTAIN_GIANT:
            gain(s, log, side, k, -2 * size, 0)
    if kind == BANDIT_LEADER:
        while excess > 0:
            target = choose_target(s, side)
            if target == NONE:
                break
            excess = hit(s, log, enemy, target, excess, k, False)
            if rules.once:
                break
    elif kind == BATTLE_FRENZY:
        gain(s, log, side, k, -4 * tier, 0)


@njit(cache=True)
def attack_by(rules, s, log, side, k):
    """The turn of a unit: burning, then its attack, or two."""
    s.clock += 1
    burn = s.units[side, k, BURN]
    if burn > 0 and rules.burn_hits and s.units[side, k, SHIELD]:
        lose_shield(s, log, side, k, name_of(s, side, k))
    elif burn > 0:
        s.units[side, k, HEALTH] -= burn
        own = name_of(s, side, k)
        note(s, log, s.clock, BURNT, own, own, burn, s.units[side, k, HEALTH])
        settle(rules, s, log)
    for _ in range(2 if s.units[side, k, KIND] == TIDE_GUARDIAN else 1):
        if s.units[side, k, ALIVE] == 0 or s.living[1 - side] == 0:
            return
        strike(rules, s, log, side, k)
        settle(rules, s, log)


@njit(cache=True)
def drop_dead(s):
    """Begin a round: only the living are kept."""
    for side in range(2):
        kept = 0
        for k in range(s.count[side]):
            if s.units[side, k, ALIVE] == 1:
                if kept < k:
                    for field in range(12):
                        s.units[side, kept, field] = s.units[side, k, field]
                kept += 1
        s.count[side] = kept


@njit(cache=True)
def finish(s, round, result):
    """Note how the battle ended; returns the result."""
    s.ended = round
    for side in range(2):
        s.remains[side] = 0
        for k in range(s.count[side]):
            if s.units[side, k, ALIVE] == 1:
                s.remains[side] += s.units[side, k, HEALTH]
    return result


@njit(cache=True)
def set_up(rules, s):
    """Both plans' units and priorities."""
    s.clock = 0
    for side in range(2):
        s.count[side] = 0
        s.joined[side] = 0
        s.living[side] = 0
        for kind in range(2 * UNITS + 2):
            s.ranks[side, kind] = SLOTS
        for rank in range(s.priority_n[side]):
            s.ranks[side, UNITS * (1 - side) + s.priority[side, rank]] = rank
        for k in range(s.n[side]):
            tier = GOLD if s.plan[side, k, 1] else 1
            join(rules, s, side, UNITS * side + s.plan[side, k, 0], tier)


@njit(cache=True)
def simulate(rules, s, log):
    """Fight out ``s.plan``; see ``sealed.simulate``. ``remains`` is the living units' health."""
    set_up(rules, s)
    if s.count[1] == 0:
        return finish(s, 0, 1)
    if s.count[0] == 0:
        return finish(s, 0, -1)
    start_effects(rules, s, log)
    first = 0 if s.count[0] >= s.count[1] else 1
    for round in range(1, ROUNDS + 1):
        drop_dead(s)
        s.clock = 100 * round
        mine, theirs = s.count[first], s.count[1 - first]
        for k in range(max(mine, theirs)):
            for turn in range(2):
                side = first if turn == 0 else 1 - first
                if k < (mine if turn == 0 else theirs) and s.units[side, k, ALIVE] == 1:
                    attack_by(rules, s, log, side, k)
                    if s.living[1] == 0:
                        return finish(s, round, 1)
                    if s.living[0] == 0:
                        return finish(s, round, -1)
    finish(s, ROUNDS, 0)
    return 1 if s.remains[0] > s.remains[1] else -1
