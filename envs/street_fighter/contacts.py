"""Contacts: what moves and balls that touch come to, and their effects.

All contacts of a frame are seen before any has its effect. Lengths are half pixels.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.street_fighter.moves import (
    ACTIVE,
    ANY,
    BACK_THROW,
    BLOCK_STUN,
    CROUCH_STUN,
    DAMAGE,
    EX_HADOUKEN,
    GUARD,
    HADOUKEN,
    HIT_STUN,
    HITS_AIR,
    IS_SPECIAL,
    IS_STRONG,
    JUMP,
    LOW,
    METER_BLOCK,
    METER_HIT,
    METER_WHIFF,
    REACH,
    STARTUP,
    STUN,
    THROW,
)
from stratagym.envs.street_fighter.stage import (
    BALL_SPAN,
    BALL_TOP,
    BLOCKED,
    BODY,
    DIZZY,
    DOWN,
    DUCK,
    GUARDING,
    HIGH_FEET,
    HURT,
    KNOCK_FRAMES,
    LOW_FEET,
    MISS,
    NEAR_FEET,
    OVER_CROUCHING,
    OVER_STANDING,
    PARRIED,
    PARRY_FREEZE,
    PARRY_METER,
    PUSH_BLOCK,
    PUSH_HIT,
    PUSH_TECH,
    SHIELD_HIGH,
    STUN_FULL,
    TAUNTED,
    TECH_FRAMES,
    TECHED,
    THROWN,
    THROWN_AWAY,
    TOUCH,
    WALLS,
    end_move,
    gain,
    is_airborne,
    is_ducking,
    is_free,
    is_safe,
    lose_ball,
    window_of,
)


@njit(cache=True)
def _is_hittable(s, i):
    return s.stance[i] != DOWN and not is_safe(s, i)


@njit(cache=True)
def reaches(s, i, move):
    """Whether a move of fighter ``i`` reaches the other's body where both are now."""
    other = 1 - i
    ahead = (s.x[other] - s.x[i]) * s.facing[i]
    if ahead < 0:
        return False
    if THROW <= move <= BACK_THROW:
        return ahead - 2 * BODY <= 2 * REACH[move] and not is_airborne(s, other)
    if ahead - BODY > 2 * REACH[move]:
        return False
    if JUMP <= move < THROW:
        if is_airborne(s, other):
            return abs(s.y[i] - s.y[other]) <= NEAR_FEET
        return s.y[i] <= (OVER_CROUCHING if is_ducking(s, other) else OVER_STANDING)
    if not is_airborne(s, other):
        return True
    return s.y[other] < (HIGH_FEET if HITS_AIR[move] else LOW_FEET)


@njit(cache=True)
def _answer(s, i, move, told):
    """What fighter ``i``, who holds ``told``, makes of a move or ball that touches it."""
    guard = GUARD[move]
    if s.shield[i] and s.window[i] < window_of(s, i):
        high = s.shield[i] == SHIELD_HIGH
        if is_free(s, i) and high == (guard != LOW):
            return PARRIED
        if is_airborne(s, i) and s.move[i] == 0 and high:
            return PARRIED
    if is_free(s, i) or s.stance[i] == GUARDING:
        if told == 1 and guard != LOW:
            return BLOCKED
        if told == 8 and (guard == LOW or guard == ANY):
            return BLOCKED
    return TOUCH


@njit(cache=True)
def _contact(s, i, told):
    """What the move of fighter ``i`` comes to in this frame; ``told`` is the other's input."""
    move, frame, other = s.move[i], s.frame[i], 1 - i
    if move == 0 or s.touched[i] or move == HADOUKEN or move == EX_HADOUKEN:
        return MISS
    if not STARTUP[move] <= frame < STARTUP[move] + ACTIVE[move]:
        return MISS
    if not _is_hittable(s, other) or not reaches(s, i, move):
        return MISS
    if THROW <= move <= BACK_THROW:
        if s.stance[other] == HURT or s.stance[other] == GUARDING:
            return MISS
        return TECHED if s.tech[other] else THROWN_AWAY
    return _answer(s, other, move, told)


@njit(cache=True)
def _ball_contact(s, i, told):
    """The same of the ball of fighter ``i``."""
    other = 1 - i
    if s.ball[i] == 0 or not _is_hittable(s, other):
        return MISS
    if abs(s.ball_x[i] - s.x[other]) > BODY + BALL_SPAN or s.y[other] >= BALL_TOP:
        return MISS
    return _answer(s, other, HADOUKEN if s.ball[i] == 1 else EX_HADOUKEN, told)


@njit(cache=True)
def _stop(s, i, stance, left):
    """End what a fighter does by stun or a knock-down of so many frames."""
    end_move(s, i)
    s.restart[i] = s.phase[i] = s.way[i] = s.shield[i] = 0
    s.stance[i] = stance
    s.left[i] = left


@njit(cache=True)
def _hurt(s, i, move):
    """A move of fighter ``i`` hits the other."""
    other = 1 - i
    s.combo[other] = min(9, s.combo[other] + 1) if s.stance[other] == HURT else 1
    damage = np.int64(DAMAGE[move])
    if s.boost[i]:
        damage = damage * TAUNTED // 100
        s.boost[i] = 0
    damage = max(1, damage * max(3, 11 - s.combo[other]) // 10)
    damage = _lose(s, other, damage)
    s.landed[i] += 1
    s.strong_landed[i] += IS_STRONG[move]
    s.events[other, 0] = 1
    gain(s, i, METER_HIT[move] - METER_WHIFF[move])
    if s.stance[other] == DIZZY:
        s.stun[other] = 0
    elif s.stun[other] < STUN_FULL:
        s.stun[other] = min(STUN_FULL, s.stun[other] + STUN[move])
    if HIT_STUN[move] == 0 or is_airborne(s, other) or s.stance[other] == DOWN:
        s.fresh[other] = 1
        _stop(s, other, DOWN, KNOCK_FRAMES)
    else:
        _stop(s, other, HURT, CROUCH_STUN[move] if s.stance[other] == DUCK else HIT_STUN[move])


@njit(cache=True)
def _lose(s, i, damage):
    """Take health of fighter ``i``, who gains meter by it; returns how much it was."""
    damage = min(damage, s.health[i])
    s.health[i] -= damage
    s.lost[i] += damage
    gain(s, i, damage // 8)
    return damage


@njit(cache=True)
def _resolve(s, i, result, move, facing):
    """Let a contact of fighter ``i`` have its effect on the other.

    Returns how much the other is moved to the right by it, in half pixels.
    """
    other = 1 - i
    if result == PARRIED:
        s.events[other, 2] = 1
        s.shield[other] = s.cooldown[other] = 0
        gain(s, other, PARRY_METER)
        s.freeze = PARRY_FREEZE
    elif result == BLOCKED:
        s.events[other, 1] = 1
        if IS_SPECIAL[move]:
            _lose(s, other, (np.int64(DAMAGE[move]) + 7) // 8)
        gain(s, i, METER_BLOCK[move] - METER_WHIFF[move])
        _stop(s, other, GUARDING, BLOCK_STUN[move])
        return facing * PUSH_BLOCK
    elif result == TOUCH:
        _hurt(s, i, move)
        return facing * PUSH_HIT
    elif result == THROWN_AWAY:
        _hurt(s, i, move)
        way = -facing if move == BACK_THROW else facing
        return s.x[i] + way * THROWN - s.x[other]
    return 0


@njit(cache=True)
def _beyond(x):
    """How much of a place lies beyond the walls, in the direction in which it does."""
    return x - min(max(x, WALLS[0]), WALLS[1])


@njit(cache=True)
def contacts(s, told_0, told_1):
    """All contacts of a frame: seen first, then resolved, so that both have an effect."""
    hit_0, hit_1 = _contact(s, 0, told_1), _contact(s, 1, told_0)
    ball_0, ball_1 = _ball_contact(s, 0, told_1), _ball_contact(s, 1, told_0)
    if hit_0 + hit_1 + ball_0 + ball_1 == MISS:
        return
    if hit_0 >= THROWN_AWAY and hit_1 >= THROWN_AWAY:
        hit_0 = hit_1 = TECHED
    elif hit_0 >= THROWN_AWAY and (hit_1 == TOUCH or ball_1 == TOUCH):
        hit_0 = MISS
    elif hit_1 >= THROWN_AWAY and (hit_0 == TOUCH or ball_0 == TOUCH):
        hit_1 = MISS
    if hit_0 == TECHED or hit_1 == TECHED:
        shift = PUSH_TECH if s.side > 0 else -PUSH_TECH
        for i in range(2):
            _stop(s, i, GUARDING, TECH_FRAMES)
        s.x[0] += shift
        s.x[1] -= shift
        return
    s.touched[0] |= hit_0 != MISS
    s.touched[1] |= hit_1 != MISS
    move_0, move_1 = np.int64(s.move[0]), np.int64(s.move[1])
    facing_0, facing_1 = np.int64(s.facing[0]), np.int64(s.facing[1])
    to_1 = _resolve(s, 0, hit_0, move_0, facing_0)
    to_0 = _resolve(s, 1, hit_1, move_1, facing_1)
    # What a wall takes of a push moves who struck; of a throw or a ball it takes the rest.
    back_0 = _beyond(s.x[1] + to_1) if hit_0 == TOUCH or hit_0 == BLOCKED else 0
    back_1 = _beyond(s.x[0] + to_0) if hit_1 == TOUCH or hit_1 == BLOCKED else 0
    if ball_0 != MISS:
        to_1 += _resolve(s, 0, ball_0, HADOUKEN + s.ball[0] - 1, _sign(s.ball_v[0]))
        lose_ball(s, 0)
    if ball_1 != MISS:
        to_0 += _resolve(s, 1, ball_1, HADOUKEN + s.ball[1] - 1, _sign(s.ball_v[1]))
        lose_ball(s, 1)
    s.x[0] += to_0 - back_0
    s.x[1] += to_1 - back_1


@njit(cache=True)
def _sign(value):
    return 1 if value > 0 else -1
