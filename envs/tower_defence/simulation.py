"""A battle of tower defence from two plans, as kernel functions.

A cell is ``11 * y + x``, row y 0 to 4, column x 0 to 10; demons come in at the right of column 10
and want to get out at the left of column 0. Where a demon is is told by its left edge ``p``, from
12,320 down to 0; its front is in column ``(p - 1) // 1120``. A tick is 50 ms.

``fight`` plays a battle, and writes what happens into a list of events if that is wanted. It
allocates nothing. Its scratch arrays are

- ``demons`` (128, 16) int32, one row a living demon in the order in which they came, see ``UNIT``
  and so on; those that died in the running tick still stand there, with no HP left;
- ``cells`` (55, 6) int32, see ``KIND`` and so on;
- ``rows`` (6, 8) int32: what is counted a row, and in the last of them of all rows together.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.tower_defence.events import (
    BITE,
    BURN,
    DEATH,
    EXPLODE,
    FIRST_DEMON,
    JUMP,
    PULSE,
    REACH,
    SHOT,
    SLOW,
    SPAWN,
    SUMMON,
)
from stratagym.envs.tower_defence.units import (
    AIR,
    ANTI_AIR,
    ATTACKER,
    BITE_MS,
    BOMB,
    BOUNCING,
    BREAKER,
    BREAKING,
    CELLS,
    COLUMN_WIDTH,
    COLUMNS,
    DEFENDER,
    DEMON,
    ENHANCED_SHIELD,
    EXPLOSION,
    FIERY,
    FIRE,
    FIRE_SECONDS,
    FLAMETHROWER,
    FLYING,
    FROSTY,
    FUSE_MS,
    ICE,
    ICE_SOLDIER,
    LIGHT,
    LINE,
    MACHINE,
    MAGE,
    MAGNET,
    NEVER,
    NORMAL,
    NORMAL_DEMON,
    PATH,
    ROCKET,
    ROWS,
    SHADOW,
    SHIELD,
    SLOW_MS,
    SOLDIER,
    SPEED,
    STEP_TICKS,
    SUMMON_MS,
    SUMMONER,
    TICK_MS,
)

ENTRIES = 64
"""The most entries of a plan."""
MOST_DEMONS = 128
"""Those of a plan and those that are summoned."""
LAST_TICK = 3600
"""180 s; then the defender wins, in tick 3601."""
UNDECIDED = -1
CONTACT, PLACED = 0, 1
"""What lights the fuse of an explosive: ``Rules.fuse``."""
ANY_ROW, OWN_ROW = 0, 1
"""In which rows an AntiAirSoldier reaches flyers: ``Rules.anti_air``."""
PAST, BLOCK = 0, 1
"""What a demon that a shot cannot hurt does to it: ``Rules.shots``."""
NONE = -1

# Columns of ``demons``. Ticks that never come are ``NEVER``.
(
    UNIT, ROW, P, HP, BITE_DUE, PACE, SLOW_END, BURN_END, BURN_DUE, ARMOUR, CAN_JUMP, SHADED,
    SUMMON_DUE, NUMBER, FRONT,
) = range(15)  # fmt: skip
DEMON_FIELDS = 16
# Columns of ``cells``. DUE is the tick from which on the unit acts as soon as it can.
KIND, CELL_HP, DUE, LIT = range(4)
CELL_FIELDS = 6
# Columns of ``rows``: living demons, flyers, LightMages, where the hindmost ShadowDemon is, a tick
# before which no unit of the row acts, AntiAirSoldiers, burning fuses. In row ALL also
# ShadowDemons, events so far, the dead that still stand in ``demons``, whether anybody is in the
# dark, and whether events are wanted.
LIVING, FLYERS, MAGES, HINDMOST, SOONEST, GUNS_UP, FUSES = range(7)
SHADOWS, TOLD, DEAD, DARK, LOGGING = 2, 3, 4, 5, 6
ALL = ROWS
ROW_FIELDS = 8

_BITE, _SLOW, _SUMMON, _FUSE, _SECOND = (
    ms // TICK_MS for ms in (BITE_MS, SLOW_MS, SUMMON_MS, FUSE_MS, 1000)
)


@njit(cache=True)
def _tell(events, rows, tick, kind, actor, target, amount, extra):
    """Write an event, if events are wanted."""
    if rows[ALL, LOGGING]:
        n = rows[ALL, TOLD]
        if n < events.shape[0]:
            events[n, 0] = tick
            events[n, 1] = kind
            events[n, 2] = actor
            events[n, 3] = target
            events[n, 4] = amount
            events[n, 5] = extra
        rows[ALL, TOLD] = n + 1


@njit(cache=True)
def _touch(cells, rows, i, demons):
    """A demon has come to a cell: an explosive there looks at who it is when its turn comes."""
    cell = demons[i, FRONT]
    kind = cells[cell, KIND]
    if (kind == BOMB or kind == LINE) and not cells[cell, LIT]:
        cells[cell, DUE] = 0
        rows[demons[i, ROW], SOONEST] = 0


@njit(cache=True)
def _new_demon(rules, demons, cells, rows, i, number, unit, row, p, tick):
    """Write a demon to place ``i``."""
    demons[i, UNIT] = unit
    demons[i, ROW] = row
    demons[i, P] = p
    demons[i, HP] = DEMON[rules.released, unit, 0]
    demons[i, BITE_DUE] = tick + _BITE
    demons[i, PACE] = DEMON[rules.released, unit, 1]
    demons[i, SLOW_END] = 0
    demons[i, BURN_END] = -1
    demons[i, BURN_DUE] = NEVER
    demons[i, ARMOUR] = DEMON[rules.released, unit, 3]
    demons[i, CAN_JUMP] = unit == BOUNCING
    demons[i, SHADED] = 0
    demons[i, SUMMON_DUE] = tick + _SUMMON if unit == SUMMONER else NEVER
    demons[i, NUMBER] = number
    demons[i, FRONT] = row * COLUMNS + (p - 1) // COLUMN_WIDTH
    rows[row, LIVING] += 1
    rows[ALL, LIVING] += 1
    rows[row, FLYERS] += unit == FLYING
    rows[ALL, FLYERS] += unit == FLYING
    rows[ALL, SHADOWS] += unit == SHADOW
    _touch(cells, rows, i, demons)


@njit(cache=True)
def _new_soldier(rules, cells, rows, cell, unit, tick):
    """Write a defender's unit to its cell."""
    row = cell // COLUMNS
    cells[cell, LIT] = 0
    due = tick + SOLDIER[unit, 1]
    if unit == BOMB or unit == LINE:
        lit = rules.fuse == PLACED
        cells[cell, LIT] = lit
        rows[row, FUSES] += lit
        if not lit:
            due = 0  # it looks at once who stands there
    cells[cell, KIND] = unit
    cells[cell, CELL_HP] = SOLDIER[unit, 0]
    cells[cell, DUE] = due
    rows[row, SOONEST] = min(rows[row, SOONEST], due)
    rows[row, MAGES] += unit == MAGE
    rows[row, GUNS_UP] += unit == ANTI_AIR


@njit(cache=True)
def _lose_soldier(cells, rows, cell):
    """Take a defender's unit away."""
    unit = cells[cell, KIND]
    row = cell // COLUMNS
    rows[row, MAGES] -= unit == MAGE
    rows[row, GUNS_UP] -= unit == ANTI_AIR
    rows[row, FUSES] -= cells[cell, LIT]
    cells[cell, KIND] = NONE
    cells[cell, DUE] = NEVER


@njit(cache=True)
def _share(demons, i, damage_type):
    """Percent of a hit's damage that a demon takes."""
    if damage_type == LIGHT:
        return 100
    unit = demons[i, UNIT]
    if unit == FLYING and damage_type != AIR:
        return 0
    if demons[i, SHADED] and damage_type != EXPLOSION:
        return 0
    if (damage_type == FIRE and unit == FIERY) or (damage_type == ICE and unit == FROSTY):
        return 0
    if damage_type == NORMAL or damage_type == AIR:
        return demons[i, ARMOUR]
    return 100


@njit(cache=True)
def _lose_hp(demons, rows, i, damage, tick, events):
    """Take HP from a living demon; with none left it is dead at once."""
    demons[i, HP] -= damage
    if demons[i, HP] <= 0:
        unit, row = demons[i, UNIT], demons[i, ROW]
        rows[row, LIVING] -= 1
        rows[ALL, LIVING] -= 1
        rows[row, FLYERS] -= unit == FLYING
        rows[ALL, FLYERS] -= unit == FLYING
        rows[ALL, SHADOWS] -= unit == SHADOW
        rows[ALL, DEAD] += 1
        _tell(events, rows, tick, DEATH, FIRST_DEMON + demons[i, NUMBER], -1, demons[i, P], unit)


@njit(cache=True)
def _hit(demons, rows, i, damage, tick, events):
    """The same for a shot or an explosion, which a MachineDemon answers by running."""
    if demons[i, UNIT] == MACHINE:
        demons[i, PACE] = 3 * SPEED
    _lose_hp(demons, rows, i, damage, tick, events)


@njit(cache=True)
def _target(rules, demons, n, row, x, damage_type, flyers):
    """The nearest demon that a gun shoots at: its place in ``demons``, or ``NONE``.

    Args:
        row: its row, or ``ALL``. flyers: whether it is flyers that are looked for.
    """
    found, nearest = NONE, PATH + 1
    for i in range(n):
        p = demons[i, P]
        if p >= nearest or p <= COLUMN_WIDTH * x or demons[i, HP] <= 0:
            continue
        if (row != ALL and demons[i, ROW] != row) or (demons[i, UNIT] == FLYING) != flyers:
            continue
        if rules.shots == BLOCK or _share(demons, i, damage_type):
            found, nearest = i, p
    return found


@njit(cache=True)
def _shoot(rules, demons, n, cells, rows, cell, tick, events):
    """Let a gun shoot if it has a target; whether it had."""
    unit, row, x = cells[cell, KIND], cell // COLUMNS, cell % COLUMNS
    damage_type = SOLDIER[unit, 3]
    if rows[row, MAGES] > 0:
        damage_type = np.int32(LIGHT)
    target = NONE
    if unit == ANTI_AIR:
        reach = ALL if rules.anti_air == ANY_ROW else row
        if rows[reach, FLYERS] > 0:
            target = _target(rules, demons, n, reach, x, damage_type, True)
    if target == NONE and rows[row, LIVING] > 0:
        target = _target(rules, demons, n, row, x, damage_type, False)
    if target == NONE:
        return False
    if unit == ROCKET:
        y, front = demons[target, ROW], demons[target, FRONT] % COLUMNS
        for i in range(n):
            near = abs(demons[i, ROW] - y) <= 1 and abs(demons[i, FRONT] % COLUMNS - front) <= 1
            if i == target or (near and demons[i, HP] > 0 and demons[i, UNIT] != FLYING):
                _shot(demons, rows, i, cell, unit, damage_type, tick, events)
    else:
        _shot(demons, rows, target, cell, unit, damage_type, tick, events)
    return True


@njit(cache=True)
def _shot(demons, rows, i, cell, unit, damage_type, tick, events):
    """A shot hits a demon, and does what it does besides if it hurts."""
    damage = SOLDIER[unit, 2] * _share(demons, i, damage_type) // 100
    number = FIRST_DEMON + demons[i, NUMBER]
    _tell(events, rows, tick, SHOT, cell, number, damage, damage_type)
    if damage == 0:
        return
    if unit == FLAMETHROWER and demons[i, UNIT] != FIERY:
        if demons[i, BURN_DUE] == NEVER or tick > demons[i, BURN_END]:
            demons[i, BURN_DUE] = tick + _SECOND  # else it burns on in its rhythm
        demons[i, BURN_END] = tick + FIRE_SECONDS * _SECOND
    elif unit == ICE_SOLDIER and demons[i, UNIT] != FROSTY:
        demons[i, SLOW_END] = tick + _SLOW
        _tell(events, rows, tick, SLOW, cell, number, tick + _SLOW, 0)
    _hit(demons, rows, i, damage, tick, events)


@njit(cache=True)
def _explode(demons, n, cells, rows, cell, tick, events):
    """An explosive goes off and is gone."""
    unit, row, x = cells[cell, KIND], cell // COLUMNS, cell % COLUMNS
    damage = SOLDIER[unit, 2]
    _tell(events, rows, tick, EXPLODE, cell, -1, damage, unit)
    _lose_soldier(cells, rows, cell)
    for i in range(n):
        if demons[i, HP] <= 0 or demons[i, UNIT] == FLYING:
            continue
        away = abs(demons[i, ROW] - row)
        if away == 0 and unit == LINE:
            near = True
        else:
            near = unit == BOMB and away <= 1 and abs(demons[i, FRONT] % COLUMNS - x) <= 1
        if near:
            number = FIRST_DEMON + demons[i, NUMBER]
            _tell(events, rows, tick, EXPLODE, cell, number, damage, unit)
            _hit(demons, rows, i, damage, tick, events)


@njit(cache=True)
def _has_contact(demons, n, cell):
    """Whether the front of a living demon on the ground is in a cell."""
    for i in range(n):
        if demons[i, FRONT] == cell and demons[i, HP] > 0 and demons[i, UNIT] != FLYING:
            return True
    return False


@njit(cache=True)
def _pulse(demons, n, rows, cell, tick, events):
    """Take the armour of all in a magnet's row; whether there was any."""
    row, found = cell // COLUMNS, False
    for i in range(n):
        if demons[i, ROW] == row and demons[i, HP] > 0 and demons[i, ARMOUR] != 100:
            demons[i, ARMOUR] = 100
            found = True
            _tell(events, rows, tick, PULSE, cell, FIRST_DEMON + demons[i, NUMBER], 0, 0)
    return found


@njit(cache=True)
def _act(rules, demons, n, cells, rows, cell, tick, events):
    """Let a unit act whose time has come; it stays due if it cannot."""
    unit = cells[cell, KIND]
    if unit == BOMB or unit == LINE:
        if cells[cell, LIT]:
            _explode(demons, n, cells, rows, cell, tick, events)
        elif _has_contact(demons, n, cell):
            cells[cell, LIT] = 1
            rows[cell // COLUMNS, FUSES] += 1
            cells[cell, DUE] = tick + _FUSE
        else:
            cells[cell, DUE] = NEVER  # until the next demon comes
    elif unit == MAGNET:
        if _pulse(demons, n, rows, cell, tick, events):
            cells[cell, DUE] = tick + SOLDIER[unit, 1]
    elif _shoot(rules, demons, n, cells, rows, cell, tick, events):
        cells[cell, DUE] = tick + SOLDIER[unit, 1]


@njit(cache=True)
def _defend(rules, demons, n, cells, rows, tick, events):
    """All units whose time has come act, in the order of cells."""
    for row in range(ROWS):
        if rows[row, SOONEST] > tick:
            continue
        no_flyers = rows[row, GUNS_UP] == 0 or rows[ALL, FLYERS] == 0
        if rows[row, LIVING] == 0 and rows[row, FUSES] == 0 and no_flyers:
            continue
        soonest = NEVER
        for cell in range(row * COLUMNS, (row + 1) * COLUMNS):
            if cells[cell, DUE] <= tick:
                _act(rules, demons, n, cells, rows, cell, tick, events)
            if cells[cell, DUE] < soonest:
                soonest = cells[cell, DUE]
        rows[row, SOONEST] = soonest


@njit(cache=True)
def _shade(demons, n, rows):
    """Mark the demons that a ShadowDemon behind them protects."""
    rows[ALL, DARK] = rows[ALL, SHADOWS] > 0
    for row in range(ROWS):
        rows[row, HINDMOST] = 0
    for i in range(n):
        if demons[i, UNIT] == SHADOW and demons[i, HP] > 0:
            row = demons[i, ROW]
            rows[row, HINDMOST] = max(rows[row, HINDMOST], demons[i, P])
    for i in range(n):
        demons[i, SHADED] = demons[i, P] < rows[demons[i, ROW], HINDMOST]


@njit(cache=True)
def _bury(demons, n, rows):
    """Close the gaps that the dead leave; returns how many live."""
    rows[ALL, DEAD] = 0
    living = 0
    for i in range(n):
        if demons[i, HP] > 0:
            if living < i:
                for k in range(DEMON_FIELDS):
                    demons[living, k] = demons[i, k]
            living += 1
    return living


@njit(cache=True)
def _burn(demons, n, rows, tick, events):
    """Burning demons whose second has come lose HP; returns when the next is due."""
    soonest = NEVER
    for i in range(n):
        if demons[i, BURN_DUE] == tick and tick > demons[i, BURN_END]:
            demons[i, BURN_DUE] = NEVER
        elif demons[i, BURN_DUE] == tick:
            damage = 10 * _share(demons, i, FIRE) // 100
            demons[i, BURN_DUE] = tick + _SECOND
            if damage:
                _tell(events, rows, tick, BURN, FIRST_DEMON + demons[i, NUMBER], -1, damage, 0)
                _lose_hp(demons, rows, i, damage, tick, events)
        if demons[i, BURN_DUE] < soonest and demons[i, HP] > 0:
            soonest = demons[i, BURN_DUE]
    return soonest


@njit(cache=True)
def _bite(rules, demons, cells, rows, i, tick, events):
    """A demon bites the unit in front of it."""
    cell, unit = demons[i, FRONT], demons[i, UNIT]
    kind = cells[cell, KIND]
    damage = DEMON[rules.released, unit, 2]
    if unit == BREAKER and (kind == SHIELD or kind == ENHANCED_SHIELD):
        damage = np.int32(10 * BREAKING)
    demons[i, BITE_DUE] = tick + _BITE
    _tell(events, rows, tick, BITE, FIRST_DEMON + demons[i, NUMBER], cell, damage, 0)
    cells[cell, CELL_HP] -= damage
    if cells[cell, CELL_HP] <= 0:
        _tell(events, rows, tick, DEATH, cell, -1, 0, kind)
        _lose_soldier(cells, rows, cell)


@njit(cache=True)
def _go(rules, demons, cells, rows, i, tick, events):
    """A demon bites, jumps or moves; returns where it is then."""
    cell, p = demons[i, FRONT], demons[i, P]
    if cells[cell, KIND] != NONE and demons[i, UNIT] != FLYING:
        if not demons[i, CAN_JUMP] or cells[cell, KIND] == ENHANCED_SHIELD:
            if demons[i, BITE_DUE] <= tick:
                _bite(rules, demons, cells, rows, i, tick, events)
            return p
        p -= COLUMN_WIDTH
        demons[i, CAN_JUMP] = 0
        _tell(events, rows, tick, JUMP, FIRST_DEMON + demons[i, NUMBER], cell, max(p, 0), 0)
    elif demons[i, SLOW_END] > tick:
        p -= demons[i, PACE] // 2
    else:
        p -= demons[i, PACE]
    demons[i, P] = p
    if p > 0:
        front = demons[i, ROW] * COLUMNS + (p - 1) // COLUMN_WIDTH
        if front != cell:
            demons[i, FRONT] = front
            _touch(cells, rows, i, demons)
    return p


@njit(cache=True)
def clear(cells, rows):
    """Make the scratch arrays those of a battle that has not begun."""
    for cell in range(CELLS):
        cells[cell, KIND] = NONE
        cells[cell, CELL_HP] = 0
        cells[cell, DUE] = NEVER
        cells[cell, LIT] = 0
    for row in range(ROWS + 1):
        for k in range(ROW_FIELDS):
            rows[row, k] = 0
        rows[row, SOONEST] = NEVER
    for k in range(ROW_FIELDS):
        rows[ALL, k] = 0


@njit(cache=True)
def fight(rules, plan, sizes, demons, cells, rows, stop, logging, events):
    """Play a battle.

    Args:
        rules: for ``released``, ``fuse``, ``anti_air`` and ``shots``. plan: (2, 64, 3) int, by
            seat the entries in the order of their times: unit; row or cell; time in steps of
            250 ms. sizes: (2,), how many entries. demons, cells, rows: scratch.
        stop: the last tick that is played, for a picture of that moment; the scratch arrays hold it
            then. ``NEVER`` for the whole battle.
        logging: whether to write events. events: (N, 6) int32 for them.

    Returns:
        (winner, end, advance, hp, events): the winning seat or ``UNDECIDED``; the tick in which it
        ended; the farthest that any demon came, 0 to 12,320; HP of living defenders in tenths; how
        many events there were, more than N if not all are written.
    """
    clear(cells, rows)
    rows[ALL, LOGGING] = logging
    n = came = attackers = defenders = 0
    nearest = PATH
    next_burn = next_summon = NEVER
    winner, tick = UNDECIDED, 0
    # Summoned demons leave room for those of the plan.
    room = MOST_DEMONS - sizes[ATTACKER]
    while True:
        if tick > LAST_TICK:
            winner = DEFENDER
            break
        if rows[ALL, DEAD]:
            n = _bury(demons, n, rows)
        # 1. Who comes.
        while defenders < sizes[DEFENDER]:
            if plan[DEFENDER, defenders, 2] * STEP_TICKS > tick:
                break
            unit = np.int64(plan[DEFENDER, defenders, 0])
            cell = np.int64(plan[DEFENDER, defenders, 1])
            _new_soldier(rules, cells, rows, cell, unit, tick)
            _tell(events, rows, tick, SPAWN, cell, cell, SOLDIER[unit, 0], unit)
            defenders += 1
        while attackers < sizes[ATTACKER]:
            if plan[ATTACKER, attackers, 2] * STEP_TICKS > tick:
                break
            unit = np.int64(plan[ATTACKER, attackers, 0])
            row = np.int64(plan[ATTACKER, attackers, 1])
            _new_demon(rules, demons, cells, rows, n, came, unit, row, PATH, tick)
            _tell(events, rows, tick, SPAWN, FIRST_DEMON + came, row, demons[n, HP], unit)
            if unit == SUMMONER:
                next_summon = min(next_summon, tick + _SUMMON)
            attackers += 1
            came += 1
            n += 1
        # 2. Fire.
        if tick >= next_burn:
            next_burn = _burn(demons, n, rows, tick, events)
        # 3. Summoners.
        if tick >= next_summon:
            next_summon = NEVER
            for i in range(n):
                if demons[i, SUMMON_DUE] == NEVER or demons[i, HP] <= 0:
                    continue
                if demons[i, SUMMON_DUE] <= tick:
                    demons[i, SUMMON_DUE] = tick + _SUMMON
                    if room > 0:
                        p = max(demons[i, P] - COLUMN_WIDTH, 1)
                        row = np.int64(demons[i, ROW])
                        _new_demon(rules, demons, cells, rows, n, came, NORMAL_DEMON, row, p, tick)
                        actor = FIRST_DEMON + demons[i, NUMBER]
                        target = FIRST_DEMON + came
                        _tell(events, rows, tick, SUMMON, actor, target, p, NORMAL_DEMON)
                        nearest = min(nearest, p)
                        room -= 1
                        came += 1
                        n += 1
                next_summon = min(next_summon, demons[i, SUMMON_DUE])
        # 4. Who is in a shadow.
        if rows[ALL, SHADOWS] or rows[ALL, DARK]:
            _shade(demons, n, rows)
        # 5. Defenders.
        _defend(rules, demons, n, cells, rows, tick, events)
        # 6. Demons.
        for i in range(n):
            if demons[i, HP] <= 0:
                continue
            p = _go(rules, demons, cells, rows, i, tick, events)
            if p < nearest:
                nearest = p
                if p <= 0:
                    winner = ATTACKER
                    actor = FIRST_DEMON + demons[i, NUMBER]
                    _tell(events, rows, tick, REACH, actor, -1, 0, demons[i, UNIT])
                    break
            if demons[i, BURN_DUE] < next_burn:
                next_burn = demons[i, BURN_DUE]
        if winner == ATTACKER:
            break
        # 7. Nobody is left.
        if rows[ALL, LIVING] == 0 and attackers == sizes[ATTACKER]:
            winner = DEFENDER
            break
        if tick >= stop:
            break
        tick += 1
    if rows[ALL, DEAD]:
        n = _bury(demons, n, rows)
    hp = 0
    for cell in range(CELLS):
        if cells[cell, KIND] != NONE:
            hp += cells[cell, CELL_HP]
    return winner, tick, PATH - max(nearest, 0), hp, rows[ALL, TOLD]
