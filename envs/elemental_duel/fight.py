"""One duel: two plans fought out. ``simulate`` is the whole of it.

Fighters 0-2 are the attacker's in the order of its plan, 3-5 the defender's; ``s.fighters`` has
their numbers, ``s.statuses`` what works on them. Time counts slots, six a round; a status of n
rounds set at time T works up to and with T + 6 n.
"""

from __future__ import annotations

from numba import njit

from stratagym.envs.elemental_duel.tables import (
    ABYSS,
    ABYSS_RESONANCE,
    AMBUSH,
    ANGELIC_SANCTUARY,
    ARMOR_RETURN,
    BRAND,
    BUD,
    BUD_HEALING,
    BURST_FLAME_BOMB,
    BURST_LAYER,
    CHOSEN,
    CORE_REBOUND,
    CURTAIN,
    DISPEL,
    DIVINE_LINK,
    DIVINE_SWORD,
    EARTH,
    EARTH_PULSE,
    EARTH_SHOCK,
    FAITH_EMBLEM,
    FEAR_WHISPER,
    FIGHTERS,
    FINAL,
    FINAL_ANNOUNCEMENT,
    FLAME_SPLASH,
    FLAME_WHIRLWIND,
    FOREST,
    FOREST_REINCARNATION,
    GLIMMER,
    GRANITE,
    GRANITE_BARRIER,
    HELL_CURTAIN,
    HOLY_GLIMMER,
    HP,
    ICE_BRANDED,
    LIFE_TOTEM,
    LUMINOUS_DISPEL,
    MAGMA,
    MAGMA_ERUPTION,
    NATURAL_PURIFICATION,
    NIGHT_AMBUSH,
    PARASITIC_SEED,
    POISON_VINE,
    PULSE,
    PURIFICATION,
    QUICKSAND,
    QUICKSAND_TRAP,
    REBOUND,
    RESIDUAL_WARMTH,
    ROCK_ARMOR,
    SANCTUARY,
    SHADOW_CLAW,
    SIPHON,
    SKILLS,
    SOUL_SIPHON,
    STREAM_PIERCE,
    STRENGTH,
    SWORD,
    TOTEM,
    TSUNAMI,
    TSUNAMI_ENDING,
    VINE,
    VOID_ASSIMILATION,
    VOID_SHARE,
    WATER_BARRIER,
    WHIRLPOOL_LAYER,
    WHIRLPOOL_STRANGLE,
    WHIRLWIND,
)  # fmt: skip
from stratagym.envs.sealed import note

SLOTS, ROUNDS = 2 * FIGHTERS, 50
NONE = -1
HEALTH, MOST, ELEMENT, WALL, STORED, TIDE, ACTS, TAKEN = range(8)
"""What is known of a fighter: HP and the most of it, element, permanent shield, stored damage, tide
layers, how often it has acted, HP that the last hit took."""
(
    BURNING, BRANDED, AMBUSHED, FEAR, SEED, VINES, MIRED, DISPELLED,
    SHIELD, CURTAINED, WARMTH, BUDS, TOTEMS, GRANITES, EMBLEM, LINK, SANCTUARIES, SWORDS,
) = range(18)  # fmt: skip
"""Statuses: the negative ones in the order in which holy_glimmer removes them, then the others."""
NEGATIVE = 8
END, VALUE = 0, 1
STATUS_NAMES = (
    "burning", "brand", "ambush", "fear", "seed", "vine", "quicksand", "dispel",
    "shield", "curtain", "warmth", "bud", "totem", "granite", "emblem", "link", "sanctuary",
    "sword", "tide", "permanent shield",
)  # fmt: skip
"""By number in events; the last two are no timed statuses."""
TIDES, WALLS = 18, 19

EVENTS = (
    "skill", "hit", "blocked", "returned", "status on", "status off", "tick", "heal", "shield",
    "death",
)  # fmt: skip
"""Kinds of events, time being 100 x round + slot, fighters 0-5.

skill: actor, target or -1, skill's number. hit: actor, target, HP lost, HP after it. blocked: of
target, damage that shields took. returned: actor takes from target; amount HP lost, HP after it.
status on, off: of target by actor: status (amount), layers, charges or shield (extra). tick: of
target, HP lost (amount), status (extra). heal: of target, amount, HP after it. shield: of target,
amount in all, 1 if permanent. death: of target, by actor.
"""
SKILL, HIT, BLOCKED, RETURNED, ON, OFF, TICK, HEAL, SHIELDED, DEATH = range(10)


@njit(cache=True)
def works(s, f, status):
    """Whether a status works on a fighter now."""
    return s.now <= s.statuses[f, status, END]


@njit(cache=True)
def layers(s, f, status):
    """A status's layers, charges or shield, 0 if it does not work."""
    return s.statuses[f, status, VALUE] if works(s, f, status) else 0


@njit(cache=True)
def put(s, log, by, f, status, rounds, value):
    """Set a status for so many rounds from now."""
    s.statuses[f, status, END] = s.now + SLOTS * rounds
    s.statuses[f, status, VALUE] = value
    note(s, log, s.clock, ON, by, f, status, value)


@njit(cache=True)
def drop(s, log, f, status):
    """End a status that works."""
    if works(s, f, status):
        s.statuses[f, status, END] = NONE
        s.statuses[f, status, VALUE] = 0
        note(s, log, s.clock, OFF, f, f, status, 0)


@njit(cache=True)
def use_up(s, log, f, status):
    """Take a charge of a status; returns whether it worked."""
    if not works(s, f, status):
        return False
    s.statuses[f, status, VALUE] -= 1
    if s.statuses[f, status, VALUE] <= 0:
        drop(s, log, f, status)
    return True


@njit(cache=True)
def lose(s, log, f, amount):
    """Take HP from a fighter, past its shields; returns how much it had to lose."""
    lost = min(amount, s.fighters[f, HEALTH])
    s.fighters[f, HEALTH] -= lost
    s.fighters[f, STORED] += lost
    return lost


@njit(cache=True)
def shield_off(s, log, by, f, amount):
    """What is left of damage behind a fighter's shields, the timed one first."""
    before = amount
    if works(s, f, SHIELD):
        taken = min(amount, s.statuses[f, SHIELD, VALUE])
        s.statuses[f, SHIELD, VALUE] -= taken
        amount -= taken
    taken = min(amount, s.fighters[f, WALL])
    s.fighters[f, WALL] -= taken
    amount -= taken
    if amount < before:
        note(s, log, s.clock, BLOCKED, by, f, before - amount, 0)
    return amount


@njit(cache=True)
def tell_death(s, log, by, f, before):
    """Note a death if a fighter that had ``before`` HP has none left."""
    if before > 0 and s.fighters[f, HEALTH] == 0:
        note(s, log, s.clock, DEATH, by, f, 0, 0)


@njit(cache=True)
def fixed(s, log, by, f, amount, kind, extra):
    """Periodic or returned damage: through shields, by no multiplier, never returned."""
    before = s.fighters[f, HEALTH]
    if before == 0:
        return
    lost = lose(s, log, f, shield_off(s, log, by, f, amount))
    if kind == RETURNED:
        note(s, log, s.clock, RETURNED, f, by, lost, s.fighters[f, HEALTH])
    else:
        note(s, log, s.clock, TICK, by, f, lost, extra)
    tell_death(s, log, by, f, before)


@njit(cache=True)
def heal(rules, s, log, f, amount):
    """Heal a living fighter; returns what is more than it can have."""
    if s.fighters[f, HEALTH] == 0:
        return 0
    if works(s, f, TOTEMS):
        amount = amount * TOTEM[rules.released][1] // 100
    healed = min(amount, s.fighters[f, MOST] - s.fighters[f, HEALTH])
    s.fighters[f, HEALTH] += healed
    note(s, log, s.clock, HEAL, f, f, healed, s.fighters[f, HEALTH])
    return amount - healed


@njit(cache=True)
def add_shield(s, log, f, amount, rounds):
    """Add to the timed shield, which lasts as long as its latest part; for 0 rounds, for good."""
    if rounds == 0:
        s.fighters[f, WALL] += amount
        note(s, log, s.clock, SHIELDED, f, f, s.fighters[f, WALL], 1)
        return
    whole = layers(s, f, SHIELD) + amount
    s.statuses[f, SHIELD, END] = max(s.statuses[f, SHIELD, END], s.now + SLOTS * rounds)
    s.statuses[f, SHIELD, VALUE] = whole
    note(s, log, s.clock, SHIELDED, f, f, whole, 0)


@njit(cache=True)
def tenths_lacking(s, f):
    """Full tenths of its HP that a fighter lacks."""
    return (s.fighters[f, MOST] - s.fighters[f, HEALTH]) * 10 // s.fighters[f, MOST]


@njit(cache=True)
def damage_of(rules, s, a, t, base):
    """What direct damage comes to before shields."""
    num, den = base, 1
    if works(s, a, SWORDS):
        num = (num + SWORD[rules.released][1]) * SWORD[rules.released][2]
        den *= 100
    num *= STRENGTH[s.fighters[a, ELEMENT], s.fighters[t, ELEMENT]]
    den *= 100
    if works(s, a, WARMTH):
        num *= 130
        den *= 100
    if works(s, a, DISPELLED):
        num *= DISPEL[rules.released]
        den *= 100
    if works(s, t if rules.fear_self else a, FEAR):
        num *= 90
        den *= 100
    if works(s, a, MIRED):
        num *= QUICKSAND[rules.released][1]
        den *= 100
    if works(s, t, BRANDED):
        num *= BRAND[rules.released][1]
        den *= 100
    if works(s, t, AMBUSHED):
        num *= AMBUSH[rules.released][1]
        den *= 100
    if works(s, t, GRANITES):
        num *= GRANITE[rules.released]
        den *= 100
    damage = num // den
    if works(s, t, SANCTUARIES):
        damage -= SANCTUARY[rules.released]
    return max(damage, 1)


@njit(cache=True)
def strike(rules, s, log, a, t, base):
    """A damaging skill's hit of fighter ``a`` on ``t``; the HP it took is ``TAKEN`` of ``t``."""
    damage = damage_of(rules, s, a, t, base)
    drop(s, log, a, SWORDS)
    drop(s, log, a, WARMTH)
    before = s.fighters[t, HEALTH]
    s.fighters[t, TAKEN] = 0
    if use_up(s, log, t, LINK):
        fixed(s, log, t, a, damage, RETURNED, 0)
    else:
        armored = s.fighters[t, ELEMENT] == EARTH and layers(s, t, SHIELD) > 0
        blessed = use_up(s, log, t, EMBLEM)
        back = damage * 20 // 100 if blessed else 0
        lost = lose(s, log, t, shield_off(s, log, a, t, damage - back))
        s.fighters[t, TAKEN] = lost
        note(s, log, s.clock, HIT, a, t, lost, s.fighters[t, HEALTH])
        tell_death(s, log, a, t, before)
        if blessed:
            heal(rules, s, log, t, back)
            fixed(s, log, t, a, 10, RETURNED, 0)
        elif armored:
            fixed(s, log, t, a, ARMOR_RETURN[rules.released], RETURNED, 0)
        if use_up(s, log, t, CURTAINED):
            fixed(s, log, t, a, CURTAIN[rules.released][1], RETURNED, 0)
    if use_up(s, log, a, MIRED):
        fixed(s, log, a, a, QUICKSAND[rules.released][2], TICK, MIRED)
    if works(s, a, SEED):
        fixed(s, log, a, a, 5, TICK, SEED)


@njit(cache=True)
def burn(s, log, by, f, more, rounds):
    """Add layers of burning."""
    put(s, log, by, f, BURNING, rounds, layers(s, f, BURNING) + more)


@njit(cache=True)
def add_tide(s, log, f, more):
    s.fighters[f, TIDE] += more
    note(s, log, s.clock, ON, f, f, TIDES, s.fighters[f, TIDE])


@njit(cache=True)
def use_fire(rules, s, log, a, t, skill):
    n = rules.released
    if skill == FLAME_SPLASH:
        strike(rules, s, log, a, t, 12)
        burn(s, log, a, t, 1, 2)
    elif skill == RESIDUAL_WARMTH:
        put(s, log, a, a, WARMTH, 1, 1)
    elif skill == BURST_FLAME_BOMB:
        strike(rules, s, log, a, t, 25 + BURST_LAYER[n] * layers(s, t, BURNING))
    elif skill == FLAME_WHIRLWIND:
        burn(s, log, a, t, WHIRLWIND[n][0], WHIRLWIND[n][1])
    elif skill == MAGMA_ERUPTION:
        strike(rules, s, log, a, t, MAGMA[n][0] + MAGMA[n][1] * layers(s, t, BURNING))
        drop(s, log, t, BURNING)
    elif skill == HELL_CURTAIN:
        strike(rules, s, log, a, t, CURTAIN[n][0])
        put(s, log, a, a, CURTAINED, CURTAIN[n][2], 1)


@njit(cache=True)
def use_water(rules, s, log, a, t, skill):
    n, tide = rules.released, s.fighters[a, TIDE]
    if skill == STREAM_PIERCE:
        strike(rules, s, log, a, t, 10)
        add_tide(s, log, a, 1)
    elif skill == WATER_BARRIER:
        add_shield(s, log, a, 5, 3)
        add_tide(s, log, a, 1)
    elif skill == WHIRLPOOL_STRANGLE:
        strike(rules, s, log, a, t, 20 + WHIRLPOOL_LAYER[n] * tide)
    elif skill == ICE_BRANDED:
        strike(rules, s, log, a, t, BRAND[n][0])
        put(s, log, a, t, BRANDED, 1, 1)
    elif skill == TSUNAMI_ENDING:
        strike(rules, s, log, a, t, TSUNAMI[n][0] + TSUNAMI[n][1] * tide)
        add_tide(s, log, a, -s.fighters[a, TIDE])
    elif skill == ABYSS_RESONANCE and tide > 0:
        strike(rules, s, log, a, t, ABYSS[n][0] * tide)
        add_shield(s, log, a, ABYSS[n][1] * tide, ABYSS[n][2])


@njit(cache=True)
def use_dark(rules, s, log, a, t, skill):
    n = rules.released
    if skill == SHADOW_CLAW:
        strike(rules, s, log, a, t, 14)
        heal(rules, s, log, a, s.fighters[t, TAKEN] * 30 // 100)
    elif skill == FEAR_WHISPER:
        put(s, log, a, a if rules.fear_self else t, FEAR, 3, 1)
    elif skill == SOUL_SIPHON:
        weak = 2 * s.fighters[t, HEALTH] < s.fighters[t, MOST]
        strike(rules, s, log, a, t, SIPHON[n][0] + (SIPHON[n][1] if weak else 0))
    elif skill == NIGHT_AMBUSH:
        strike(rules, s, log, a, t, AMBUSH[n][0])
        put(s, log, a, t, AMBUSHED, 1, 1)
    elif skill == FINAL_ANNOUNCEMENT:
        strike(rules, s, log, a, t, FINAL[n][0] + FINAL[n][1] * tenths_lacking(s, t))
    elif skill == VOID_ASSIMILATION:
        own = s.fighters[a, HEALTH] * VOID_SHARE[n][0] // 100
        lost = lose(s, log, a, own)
        note(s, log, s.clock, HIT, a, a, lost, s.fighters[a, HEALTH])
        before = s.fighters[t, HEALTH]
        lost = lose(s, log, t, own * VOID_SHARE[n][1] // 10)
        note(s, log, s.clock, HIT, a, t, lost, s.fighters[t, HEALTH])
        tell_death(s, log, a, t, before)


@njit(cache=True)
def use_wood(rules, s, log, a, t, skill):
    n = rules.released
    if skill == BUD_HEALING:
        put(s, log, a, a, BUDS, 3, 1)
    elif skill == PARASITIC_SEED:
        strike(rules, s, log, a, t, 10)
        put(s, log, a, t, SEED, 3, 1)
    elif skill == LIFE_TOTEM:
        heal(rules, s, log, a, TOTEM[n][0])
        put(s, log, a, a, TOTEMS, 3, 1)
    elif skill == NATURAL_PURIFICATION:
        for status in range(NEGATIVE):
            drop(s, log, a, status)
        strike(rules, s, log, a, t, PURIFICATION[n])
    elif skill == FOREST_REINCARNATION:
        excess = heal(rules, s, log, a, FOREST[n][0])
        if excess > 1:
            add_shield(s, log, a, excess * FOREST[n][1] // 100, 3)
        strike(rules, s, log, a, t, FOREST[n][2])
    elif skill == POISON_VINE:
        put(s, log, a, t, VINES, VINE[n][1], 1)


@njit(cache=True)
def use_earth(rules, s, log, a, t, skill):
    n = rules.released
    if skill == ROCK_ARMOR:
        add_shield(s, log, a, 12, 3)
    elif skill == EARTH_SHOCK:
        strike(rules, s, log, a, t, 20)
    elif skill == GRANITE_BARRIER:
        put(s, log, a, a, GRANITES, 3, 1)
    elif skill == QUICKSAND_TRAP:
        put(s, log, a, t, MIRED, 3, QUICKSAND[n][0])
    elif skill == EARTH_PULSE:
        steps = tenths_lacking(s, a)
        if steps > 0:
            add_shield(s, log, a, PULSE[n][0] * steps, 0)
            if PULSE[n][1] > 0:
                strike(rules, s, log, a, t, PULSE[n][1] * steps)
    elif skill == CORE_REBOUND and s.fighters[a, STORED] > 0:
        base = s.fighters[a, STORED] * REBOUND[n] // 100
        s.fighters[a, STORED] = 0  # what the hit costs its user is stored again
        if base > 0 or not rules.rounds_off:
            strike(rules, s, log, a, t, base)


@njit(cache=True)
def use_light(rules, s, log, a, t, skill):
    n = rules.released
    if skill == HOLY_GLIMMER:
        for status in range(NEGATIVE):
            if works(s, a, status):
                drop(s, log, a, status)
                break
        heal(rules, s, log, a, GLIMMER[n])
        strike(rules, s, log, a, t, GLIMMER[n])
    elif skill == FAITH_EMBLEM:
        put(s, log, a, a, EMBLEM, 1, 1)
    elif skill == DIVINE_LINK:
        put(s, log, a, a, LINK, 1, 1)
    elif skill == LUMINOUS_DISPEL:
        if layers(s, t, SHIELD) > 0:
            drop(s, log, t, SHIELD)
        elif works(s, t, CURTAINED):
            drop(s, log, t, CURTAINED)
        elif works(s, t, WARMTH):
            drop(s, log, t, WARMTH)
        elif s.fighters[t, TIDE] > 0:
            add_tide(s, log, t, -1)
        put(s, log, a, t, DISPELLED, 2, 1)
    elif skill == ANGELIC_SANCTUARY:
        put(s, log, a, a, SANCTUARIES, 3, 1)
    elif skill == DIVINE_SWORD:
        strike(rules, s, log, a, t, SWORD[n][0])
        put(s, log, a, a, SWORDS, 1, 1)


@njit(cache=True)
def choose_target(rules, s, seat):
    """The enemy that a side's skills aim at: the first that lives, or the weakest; ``NONE``."""
    found = NONE
    for k in range(FIGHTERS):
        f = FIGHTERS * (1 - seat) + k
        if s.fighters[f, HEALTH] > 0:
            if found == NONE or s.fighters[f, HEALTH] < s.fighters[found, HEALTH]:
                found = f
            if not rules.weakest:
                break
    return found


@njit(cache=True)
def is_dead(s, seat):
    """Whether none of a side lives."""
    for k in range(FIGHTERS):
        if s.fighters[FIGHTERS * seat + k, HEALTH] > 0:
            return False
    return True


@njit(cache=True)
def slot(rules, s, log, f):
    """The turn of a living fighter: what works on it, then its skill."""
    if works(s, f, BURNING):
        fixed(s, log, f, f, 5 * s.statuses[f, BURNING, VALUE], TICK, BURNING)
    if works(s, f, VINES):
        fixed(s, log, f, f, VINE[rules.released][0], TICK, VINES)
    if works(s, f, BUDS):
        heal(rules, s, log, f, BUD[rules.released])
    seat = f // FIGHTERS
    if s.fighters[f, HEALTH] == 0 or is_dead(s, 1 - seat):
        return
    element, target = s.fighters[f, ELEMENT], choose_target(rules, s, seat)
    number = s.plan[seat, f % FIGHTERS, 1 + s.fighters[f, ACTS] % CHOSEN]
    skill = SKILLS * element + number
    s.fighters[f, ACTS] += 1
    note(s, log, s.clock, SKILL, f, target, skill, 0)
    if seat == 0:
        if element == 0:
            use_fire(rules, s, log, f, target, skill)
        elif element == 1:
            use_water(rules, s, log, f, target, skill)
        else:
            use_dark(rules, s, log, f, target, skill)
    elif element == 3:
        use_wood(rules, s, log, f, target, skill)
    elif element == 4:
        use_earth(rules, s, log, f, target, skill)
    else:
        use_light(rules, s, log, f, target, skill)


@njit(cache=True)
def finish(s, round, result):
    """Note how the duel ended; returns the result."""
    s.ended = round
    for seat in range(2):
        s.remains[seat] = 0
        for k in range(FIGHTERS):
            s.remains[seat] += s.fighters[FIGHTERS * seat + k, HEALTH]
    return result


@njit(cache=True)
def set_up(rules, s):
    """Both plans' fighters, unhurt."""
    for f in range(SLOTS):
        seat = f // FIGHTERS
        for field in range(TAKEN + 1):
            s.fighters[f, field] = 0
        s.fighters[f, MOST] = HP[rules.released, seat]
        s.fighters[f, HEALTH] = s.fighters[f, MOST]
        s.fighters[f, ELEMENT] = FIGHTERS * seat + s.plan[seat, f % FIGHTERS, 0]
        for status in range(SWORDS + 1):
            s.statuses[f, status, END] = NONE
            s.statuses[f, status, VALUE] = 0


@njit(cache=True)
def simulate(rules, s, log):
    """Fight out ``s.plan``; see ``sealed.simulate``. ``remains`` is the living fighters' HP."""
    set_up(rules, s)
    for round in range(1, ROUNDS + 1):
        for f in range(SLOTS):
            s.now = SLOTS * (round - 1) + f
            s.clock = 100 * round + f
            if s.fighters[f, HEALTH] > 0:
                slot(rules, s, log, f)
                if is_dead(s, 1):
                    return finish(s, round, 1)
                if is_dead(s, 0):
                    return finish(s, round, -1)
    finish(s, ROUNDS, 0)
    return 1 if s.remains[0] > s.remains[1] else -1
