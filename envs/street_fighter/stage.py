"""The stage and what is measured on it: lengths, times, stances, and small looks at a fighter.

Lengths are half pixels, times frames of a sixtieth of a second.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.street_fighter.moves import (
    SAFE_FRAMES,
)

# --- lengths in half pixels, times in frames ---
WIDTH, WALLS, START = 768, (32, 736), (224, 544)
BODY = 40
"""Half a body's width: where a move touches it, and how near two bodies come."""
HEIGHT, LOW_FEET, HIGH_FEET, NEAR_FEET = 192, 64, 192, 96
"""The top of a jump; feet below which a move, and one that hits air, touches a jumper; how much
higher or lower another jumper may be for a jump move."""
OVER_STANDING, OVER_CROUCHING = 128, 80
"""Feet from which a jump move touches who stands and who crouches."""
WALK, WALK_BACK, DRIFT, DRIFT_BACK, SPIN = 6, 4, 8, 6, 4
CLOSE = 100
"""How near the bodies' middles are for the close normals."""
DASH_FRAMES, DASH_LENGTH, BACKDASH_FRAMES, BACKDASH_LENGTH = 17, 120, 16, 80
PREJUMP, LANDING, AIR = 4, 2, (36, 34, 35)
"""Frames on the ground before and after a jump, and in the air: back, neutral, forward."""
PUSH_HIT, PUSH_BLOCK, PUSH_TECH, THROWN = 24, 32, 24, 160
BALL_START, BALL_SPAN, BALL_TOP, BALL_SPEED, EX_SPEED = 60, 24, 128, 10, 16
"""A ball's start before the body, half its width, the height below which feet are touched."""
HEALTH, STUN_FULL, STUN_REST, DIZZY_FRAMES = 160, 64, 22, 120
SHAKE, TAUNTED = 6, 131
"""Frames of dizziness that a changed input takes off; the hit after a taunt, in percent."""
KNOCK_FRAMES, QUICK_RISE, FALL = 75, 27, 10
PARRY_FREEZE, PARRY_WINDOW, PARRY_HELD, PARRY_AIR = 16, 10, 6, 7
PARRY_REST, PARRY_AIR_REST, PARRY_METER = 23, 20, 2
TECH_WINDOW, TECH_FRAMES, CANCEL_AFTER = 6, 20, 6
MOST_METER, EX_COST, SUPER_COST = 240, 40, 80
ROUND_FRAMES = 99 * 60
MEMORY = 8
"""Decisions whose directions motions are read from."""

STAND, DUCK, FORWARD, BACK, DASH, LEAP, HURT, GUARDING, DOWN, DIZZY = range(10)
"""Stances: free standing, crouching, walking forward and back; dashing, jumping; in hit stun, in
block stun, knocked down, dizzy."""
SHIELD_HIGH, SHIELD_LOW = 1, 2
SUPER, DRAGON, QUARTER, QUARTER_BACK = 1, 2, 4, 8
"""Motions by bit: twice 623 or 236; 623; 236; 214."""
MISS, TOUCH, BLOCKED, PARRIED, THROWN_AWAY, TECHED = range(6)

_MIRROR = np.array([0, 5, 4, 3, 2, 1, 8, 7, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17], np.int8)


@njit(cache=True)
def relative(facing, action):
    """An input as if its fighter faced right; its own inverse."""
    return np.int64(action) if facing > 0 else np.int64(_MIRROR[action])


@njit(cache=True)
def is_free(s, i):
    """Whether a fighter on the ground may act."""
    return s.stance[i] <= BACK and s.move[i] == 0


@njit(cache=True)
def is_airborne(s, i):
    """Whether a fighter is in the air of a jump."""
    return s.stance[i] == LEAP and PREJUMP <= s.phase[i] < PREJUMP + AIR[s.way[i] + 1]


@njit(cache=True)
def is_ducking(s, i):
    """Whether a fighter is 64 px high only."""
    return s.stance[i] == DUCK


@njit(cache=True)
def is_safe(s, i):
    """Whether the running move lets nothing touch its fighter now."""
    return s.frame[i] < SAFE_FRAMES[s.move[i]]


@njit(cache=True)
def gain(s, i, meter):
    s.meter[i] = min(MOST_METER, max(0, s.meter[i] + meter))


@njit(cache=True)
def end_move(s, i):
    s.move[i] = s.frame[i] = s.touched[i] = 0


@njit(cache=True)
def window_of(s, i):
    """Frames for which an open parry window stays open."""
    if is_airborne(s, i):
        return PARRY_AIR
    return PARRY_WINDOW if s.released[i] or s.window[i] < PARRY_HELD else PARRY_HELD


@njit(cache=True)
def lose_ball(s, i):
    s.ball[i] = s.ball_x[i] = s.ball_v[i] = 0
