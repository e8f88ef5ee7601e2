"""What happens within a frame: inputs, movement, what time ends.

A frame goes through both fighters side by side: neither sees what the other has done in it, so
that a match with its seats exchanged is the mirror image. Lengths are half pixels.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.street_fighter.contacts import (
    contacts,
)
from stratagym.envs.street_fighter.moves import (
    ACTIVE,
    BACK_THROW,
    CROUCH,
    EX_HADOUKEN,
    EX_SHORYUKEN,
    FORWARD_THROW,
    HADOUKEN,
    IS_SPECIAL,
    IS_STRONG,
    JUMP,
    LK,
    LP,
    METER_WHIFF,
    OVERHEAD_MOVE,
    SA1,
    SA3,
    SHORYUKEN,
    STARTUP,
    TATSUMAKI,
    TAUNT,
    THROW,
    TOTAL,
)
from stratagym.envs.street_fighter.stage import (
    AIR,
    BACK,
    BACKDASH_FRAMES,
    BACKDASH_LENGTH,
    BALL_SPAN,
    BALL_SPEED,
    BALL_START,
    BODY,
    CANCEL_AFTER,
    CLOSE,
    DASH,
    DASH_FRAMES,
    DASH_LENGTH,
    DIZZY,
    DIZZY_FRAMES,
    DOWN,
    DRAGON,
    DRIFT,
    DRIFT_BACK,
    DUCK,
    EX_COST,
    EX_SPEED,
    FALL,
    FORWARD,
    HEIGHT,
    LANDING,
    LEAP,
    MEMORY,
    PARRY_AIR_REST,
    PARRY_REST,
    PREJUMP,
    QUARTER,
    QUARTER_BACK,
    QUICK_RISE,
    SHAKE,
    SHIELD_HIGH,
    SHIELD_LOW,
    SPIN,
    STAND,
    STUN_FULL,
    STUN_REST,
    SUPER,
    SUPER_COST,
    TECH_WINDOW,
    WALK,
    WALK_BACK,
    WALLS,
    WIDTH,
    end_move,
    gain,
    is_airborne,
    is_free,
    lose_ball,
    relative,
    window_of,
)

# --- inputs --------------------------------------------------------------------------------------


@njit(cache=True)
def _given(memory, first, second, third, times):
    """Whether a motion was given so many times, its last direction the latest of all."""
    wanted = 3 * times - 1
    for k in range(MEMORY - 1, -1, -1):
        direction = memory[k]
        if not 1 <= direction <= 8:
            continue
        needed = first if wanted % 3 == 0 else second if wanted % 3 == 1 else third
        if direction == needed:
            wanted -= 1
            if wanted < 0:
                return True
        elif wanted == 3 * times - 1:
            return False
    return False


@njit(cache=True)
def motions_of(memory):
    """The motions that the memory of a fighter holds, by bit."""
    found = 0
    if _given(memory, 5, 7, 6, 1):
        found |= DRAGON
        if _given(memory, 5, 7, 6, 2):
            found |= SUPER
    elif _given(memory, 7, 6, 5, 1):
        found |= QUARTER
        if _given(memory, 7, 6, 5, 2):
            found |= SUPER
    elif _given(memory, 7, 8, 1, 1):
        found |= QUARTER_BACK
    return found


@njit(cache=True)
def begin_decision(s, i, action):
    """Take an input; returns (motions and whether it ducks or dashes, the button that waits).

    The first number also holds the throw's direction: see ``start_move``.
    """
    previous = relative(s.facing[i], s.given[i])
    told = relative(s.facing[i], action)
    memory = s.memory[i]
    motion = 0
    for k in range(3):
        s.events[i, k] = 0
    if s.fresh[i]:
        s.fresh[i] = 0
        if action == 7:
            s.left[i] -= QUICK_RISE
    if s.stance[i] == DIZZY and action != s.given[i]:
        s.left[i] = max(1, s.left[i] - SHAKE)
    pending = action if action >= 9 else 0
    if pending:
        motion = motions_of(memory) | previous << 4
        if pending == 15:
            s.tech[i] = TECH_WINDOW
        if _goes_on_as_ex(s, i, pending):
            s.move[i] = EX_HADOUKEN if s.move[i] == HADOUKEN else EX_SHORYUKEN
            s.frame[i] = 0
            s.meter[i] -= EX_COST
            s.did[i] = s.move[i]
            s.strong[i] += 1
            pending = 0
    elif (told == 5 or told == 1) and memory[MEMORY - 1] == 0 and memory[MEMORY - 2] == told:
        pending = told  # a dash
    s.restart[i] = 0
    _open_window(s, i, told, previous)
    for k in range(MEMORY - 1):
        memory[k] = memory[k + 1]
    memory[MEMORY - 1] = told
    s.given[i] = action
    return motion, pending


@njit(cache=True)
def _goes_on_as_ex(s, i, button):
    if s.restart[i] != button or s.touched[i] or s.meter[i] < EX_COST:
        return False
    move = s.move[i]
    if move == HADOUKEN:
        return s.frame[i] < STARTUP[HADOUKEN]
    return SHORYUKEN <= move < EX_SHORYUKEN


@njit(cache=True)
def _open_window(s, i, told, previous):
    """A parry begins with a direction that was not held before."""
    if s.shield[i]:
        held = 5 if s.shield[i] == SHIELD_HIGH else 7
        if told != held:
            s.released[i] = 1
    elif s.cooldown[i] == 0 and told != previous and (told == 5 or told == 7):
        s.shield[i] = SHIELD_HIGH if told == 5 else SHIELD_LOW
        s.window[i] = s.released[i] = 0


# --- what a fighter begins and goes on with ------------------------------------------------------


@njit(cache=True)
def special_of(s, i, button, motion):
    """The special or super that a button brings about after these motions; 0 for none."""
    punch, kick = 9 <= button <= 11, 12 <= button <= 14
    if motion & SUPER and s.meter[i] >= SUPER_COST and (punch or kick):
        return SA1 if punch else SA3
    if motion & DRAGON and punch:
        return SHORYUKEN + button - 9
    if motion & QUARTER and punch and s.ball[i] == 0:
        return HADOUKEN
    if motion & QUARTER_BACK and kick:
        return TATSUMAKI + button - 12
    return 0


@njit(cache=True)
def _normal_of(button, previous, distance):
    """The normal, throw, overhead or taunt of a button, after the input ``previous``."""
    if button == 15:
        return FORWARD_THROW if previous == 5 else BACK_THROW if previous == 1 else THROW
    if button == 16:
        return OVERHEAD_MOVE
    if button == 17:
        return TAUNT
    if 6 <= previous <= 8:
        return CROUCH + button - 9
    if button <= 11:
        return LP + 2 * (button - 9) + (distance > CLOSE)
    return LK + button - 12


@njit(cache=True)
def _begin_move(s, i, move):
    s.move[i] = s.did[i] = move
    s.frame[i] = s.touched[i] = 0
    s.begun[i] += 1
    gain(s, i, METER_WHIFF[move])
    if IS_SPECIAL[move]:
        for k in range(MEMORY):
            s.memory[i, k] = 0
    if IS_STRONG[move]:
        s.strong[i] += 1
        s.meter[i] -= SUPER_COST  # EX moves begin as what they are the EX form of
    if move < JUMP or move >= THROW:
        s.stance[i] = DUCK if CROUCH <= move < JUMP else STAND


@njit(cache=True)
def _begin_button(s, i, button, motion, distance):
    special = special_of(s, i, button, motion)
    if special:
        _begin_move(s, i, special)
        if special == HADOUKEN or SHORYUKEN <= special < EX_SHORYUKEN:
            s.restart[i] = button
    else:
        _begin_move(s, i, _normal_of(button, motion >> 4, distance))


@njit(cache=True)
def _act(s, i, action, pending, motion, distance):
    """Begin what a fighter may begin now, and move it; returns what still waits."""
    if is_free(s, i):
        if pending >= 9:
            _begin_button(s, i, pending, motion, distance)
        else:
            _go(s, i, relative(s.facing[i], action), pending)
        pending = 0
    elif pending >= 9 and _may_cancel(s, i) and special_of(s, i, pending, motion):
        _begin_button(s, i, pending, motion, distance)
        pending = 0
    if s.stance[i] == LEAP:
        return _jump(s, i, pending)
    if s.stance[i] == DASH:
        _dash(s, i)
    elif s.stance[i] == DOWN:
        s.y[i] = max(0, s.y[i] - FALL)
    elif s.move[i] >= HADOUKEN:
        _special(s, i)
    return pending


@njit(cache=True)
def _may_cancel(s, i):
    """Whether a normal that has touched may still give way to a special."""
    move = s.move[i]
    if move == 0 or move >= JUMP or not s.touched[i]:
        return False
    return s.frame[i] < STARTUP[move] + ACTIVE[move] + CANCEL_AFTER


@njit(cache=True)
def _go(s, i, told, dash):
    """Stand, duck, walk, leap or, where two taps ask for it, dash (``dash`` is 5 or 1)."""
    if dash:
        s.stance[i] = DASH
        s.way[i] = 1 if dash == 5 else -1
        s.phase[i] = 0
    elif 2 <= told <= 4:
        s.stance[i] = LEAP
        s.way[i] = told - 3
        s.phase[i] = s.jumped[i] = 0
    elif 6 <= told <= 8:
        s.stance[i] = DUCK
    elif told == 5:
        s.stance[i] = FORWARD
        s.x[i] += WALK * s.facing[i]
    elif told == 1:
        s.stance[i] = BACK
        s.x[i] -= WALK_BACK * s.facing[i]
    else:
        s.stance[i] = STAND


@njit(cache=True)
def _dash(s, i):
    """A frame of a dash; its frames add up to its whole length."""
    forward, p = s.way[i] > 0, np.int64(s.phase[i])
    length = DASH_LENGTH if forward else BACKDASH_LENGTH
    frames = DASH_FRAMES if forward else BACKDASH_FRAMES
    gone = length * (p + 1) // frames - length * p // frames
    s.x[i] += s.way[i] * s.facing[i] * gone


@njit(cache=True)
def _special(s, i):
    """What a frame of a special moves: the fighter, or a ball that appears."""
    move, frame, facing = s.move[i], s.frame[i], s.facing[i]
    if move <= EX_HADOUKEN:
        if frame == STARTUP[move]:
            s.ball[i] = 1 if move == HADOUKEN else 2
            s.ball_x[i] = s.x[i] + BALL_START * facing
            s.ball_v[i] = facing * (BALL_SPEED if move == HADOUKEN else EX_SPEED)
    elif TATSUMAKI <= move < SA1 and STARTUP[move] <= frame < STARTUP[move] + ACTIVE[move]:
        s.x[i] += SPIN * facing


@njit(cache=True)
def _jump(s, i, pending):
    """A frame of a jump."""
    n = AIR[s.way[i] + 1]
    k = s.phase[i] - PREJUMP + 1
    if k < 1 or k > n:
        s.y[i] = 0
        return pending
    s.y[i] = HEIGHT * 4 * k * (n - k) // (n * n)
    s.x[i] += s.facing[i] * (DRIFT if s.way[i] > 0 else -DRIFT_BACK if s.way[i] < 0 else 0)
    if 9 <= pending <= 14 and not s.jumped[i]:
        s.jumped[i] = 1
        _begin_move(s, i, JUMP + pending - 9)
        return 0
    return pending


@njit(cache=True)
def _part_bodies(s):
    """Keep bodies on the ground apart and within the walls; tell who is on which side."""
    for i in range(2):
        s.x[i] = min(max(s.x[i], WALLS[0]), WALLS[1])
    if s.x[0] != s.x[1]:
        s.side = -1 if s.x[0] < s.x[1] else 1
    if s.y[0] or s.y[1]:
        return
    left = 0 if s.side < 0 else 1
    right = 1 - left
    overlap = 2 * BODY - (s.x[right] - s.x[left])
    if overlap <= 0:
        return
    half = (overlap + 1) // 2
    s.x[left] -= half
    s.x[right] += half
    if s.x[left] < WALLS[0]:
        s.x[left] = WALLS[0]
        s.x[right] = max(s.x[right], WALLS[0] + 2 * BODY)
    if s.x[right] > WALLS[1]:
        s.x[right] = WALLS[1]
        s.x[left] = min(s.x[left], WALLS[1] - 2 * BODY)


# --- time ----------------------------------------------------------------------------------------


@njit(cache=True)
def _move_balls(s):
    """Balls fly; where two meet both are gone."""
    for i in range(2):
        if s.ball[i]:
            s.ball_x[i] += s.ball_v[i]
            if not 0 <= s.ball_x[i] <= WIDTH:
                lose_ball(s, i)
    if s.ball[0] and s.ball[1] and abs(s.ball_x[0] - s.ball_x[1]) <= 2 * BALL_SPAN:
        lose_ball(s, 0)
        lose_ball(s, 1)


@njit(cache=True)
def _close_window(s, i):
    """End a parry window whose frames are over."""
    if s.shield[i] and s.window[i] >= window_of(s, i):
        s.shield[i] = 0
        s.cooldown[i] = PARRY_AIR_REST if is_airborne(s, i) else PARRY_REST


@njit(cache=True)
def _pass(s, i):
    """Let a frame of what a fighter does be over."""
    move = s.move[i]
    if move:
        s.frame[i] += 1
        if move == TAUNT and s.frame[i] == STARTUP[TAUNT] + ACTIVE[TAUNT]:
            s.boost[i] = 1
        if s.frame[i] == TOTAL[move]:
            end_move(s, i)
            if s.stance[i] != LEAP:
                s.stance[i] = STAND
    if s.stance[i] == LEAP:
        s.phase[i] += 1
        if s.move[i] and not is_airborne(s, i):
            end_move(s, i)
        if s.phase[i] == PREJUMP + AIR[s.way[i] + 1] + LANDING:
            s.stance[i] = STAND
    elif s.stance[i] == DASH:
        s.phase[i] += 1
        if s.phase[i] == (DASH_FRAMES if s.way[i] > 0 else BACKDASH_FRAMES):
            s.stance[i] = STAND
    if s.stance[i] < DASH:
        s.phase[i] = s.way[i] = 0
    if s.left[i]:
        s.left[i] -= 1
        if s.left[i] == 0:
            _get_free(s, i)
    if s.shield[i]:
        s.window[i] += 1
    elif s.cooldown[i]:
        s.cooldown[i] -= 1
    if s.tech[i]:
        s.tech[i] -= 1
    if s.clock % STUN_REST == 0 and 0 < s.stun[i] < STUN_FULL:
        s.stun[i] -= 1


@njit(cache=True)
def _get_free(s, i):
    """End stun, a knock-down or dizziness; who is stunned enough is dizzy now."""
    if s.stance[i] == DIZZY:
        s.stun[i] = 0
    elif s.stun[i] == STUN_FULL:
        s.stance[i] = DIZZY
        s.left[i] = DIZZY_FRAMES
        return
    s.stance[i] = STAND
    s.combo[i] = 0


@njit(cache=True)
def advance(s, first, second, pending_0, pending_1, motion_0, motion_1):
    """A frame with these inputs of both seats; returns what waits of them."""
    s.clock += 1
    before_0, before_1 = np.int64(s.x[0]), np.int64(s.x[1])
    if s.freeze:
        s.freeze -= 1
        s.vx[0] = s.vx[1] = 0
        return pending_0, pending_1
    _close_window(s, 0)
    _close_window(s, 1)
    _move_balls(s)
    distance = abs(before_0 - before_1)
    pending_0 = _act(s, 0, first, pending_0, motion_0, distance)
    pending_1 = _act(s, 1, second, pending_1, motion_1, distance)
    _part_bodies(s)
    contacts(s, relative(s.facing[0], first), relative(s.facing[1], second))
    _part_bodies(s)
    for i in range(2):
        _pass(s, i)
    for i in range(2):
        if is_free(s, i):
            s.facing[i] = -s.side if i == 0 else s.side
    s.vx[0] = s.x[0] - before_0
    s.vx[1] = s.x[1] - before_1
    return pending_0, pending_1
