"""What players know of the fighter: eight levels of one player, and how well a fight stands.

A level sees what the other does only some frames after it began, and does each thing that a good
player does with a probability of its own. All its draws follow from the record's seed and turn.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.core import derive_seed
from stratagym.envs.street_fighter.frames import motions_of
from stratagym.envs.street_fighter.moves import (
    ACTIVE,
    EX_HADOUKEN,
    GUARD,
    HADOUKEN,
    JUMP,
    LOW,
    REACH,
    STARTUP,
    THROW,
    TOTAL,
)
from stratagym.envs.street_fighter.rules import returns
from stratagym.envs.street_fighter.stage import (
    BACK,
    DIZZY,
    DOWN,
    DUCK,
    GUARDING,
    HURT,
    SUPER,
    is_airborne,
    is_free,
    relative,
)

LEVELS = 8
RULES = {f"lv{level}": level for level in range(1, LEVELS + 1)}
"""The levels of the ladder, from the slowest and most careless to the fastest."""
HEURISTIC = 6
"""The level that plays as the heuristic."""

DELAY = np.array((24, 18, 15, 12, 9, 7, 5, 3))
"""Frames after which a level sees what the other has begun."""
GUARDS = np.array((0.1, 0.2, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9))
ANTI_AIR = np.array((0.0, 0.0, 0.1, 0.2, 0.4, 0.5, 0.7, 0.9))
PUNISHES = np.array((0.0, 0.1, 0.2, 0.3, 0.5, 0.6, 0.8, 0.95))
PARRIES = np.array((0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 0.2, 0.35))
THROWS = np.array((0.0, 0.05, 0.1, 0.15, 0.2, 0.2, 0.25, 0.25))
SUPERS = np.array((0.0, 0.0, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
STRAYS = np.array((0.84, 0.665, 0.48, 0.295, 0.125, 0.0, 0.03, 0.0))
"""Probabilities of each level, a decision at a time: blocks what it sees coming; hits who jumps in;
hits who has missed or is open after a block; parries; throws who blocks; gives the inputs of a
super when it must hit; gives any input."""

_POKES = np.array((9, 10, 11, 12, 13, 14))
_FIREBALL = np.array((7, 6, 5, 10))
_DRAGON = np.array((5, 7, 6, 11))
_SUPER_INPUTS = np.array((5, 7, 6, 5, 7, 6, 11))
NEUTRAL = 0


@njit(cache=True)
def _draw(s, me, k):
    """The ``k``-th draw of a seat in this decision, uniform in 0 .. 1."""
    drawn = derive_seed(s.rng, (np.int64(s.turn) * 2 + me) * 16 + k)
    return (drawn >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def _next_of(memory, inputs):
    """The input that goes on with a sequence of which the last inputs are the beginning."""
    size = memory.shape[0]
    for done in range(min(size, inputs.shape[0] - 1), 0, -1):
        same = True
        for k in range(done):
            if memory[size - done + k] != inputs[k]:
                same = False
                break
        if same:
            return inputs[done]
    return inputs[0]


@njit(cache=True)
def _sees(s, other, delay):
    """Whether what the other does has gone on for ``delay`` frames."""
    if s.move[other]:
        return s.frame[other] >= delay
    return s.phase[other] >= delay


@njit(cache=True)
def _guard_for(s, me, other, delay):
    """The way to block what comes and is seen: 1 or 8, or 0 if nothing comes."""
    gap = abs(s.x[me] - s.x[other]) // 2 - 40
    if s.ball[other]:
        away = (s.ball_x[other] - s.x[me]) // 2
        comes = away * s.ball_v[other] < 0
        seen = s.move[other] < HADOUKEN or s.frame[other] - STARTUP[HADOUKEN] >= delay
        if comes and seen and abs(away) < 80:
            return 1
    move = s.move[other]
    if move == 0 or not _sees(s, other, delay) or s.touched[other]:
        return 0
    if move == HADOUKEN or move == EX_HADOUKEN or THROW <= move < THROW + 3:
        return 0
    if s.frame[other] >= STARTUP[move] + ACTIVE[move] or gap + 20 > REACH[move] + 20:
        return 0
    return 8 if GUARD[move] == LOW else 1


@njit(cache=True)
def _opening(s, other, delay):
    """Frames for which the other is surely open, as far as is seen."""
    if s.stance[other] == DIZZY:
        return np.int64(s.left[other])
    move = s.move[other]
    if move == 0 or (move >= JUMP and move < THROW) or not _sees(s, other, delay):
        return 0
    if s.touched[other] or s.frame[other] >= STARTUP[move] + ACTIVE[move]:
        return np.int64(TOTAL[move] - s.frame[other])
    if move == HADOUKEN or move == EX_HADOUKEN:
        return np.int64(TOTAL[move] - s.frame[other])
    return 0


@njit(cache=True)
def _best_hit(gap, frames):
    """The button of most damage that reaches over a gap within so many frames; 0 for none."""
    dx = gap + 40
    if gap <= 22 and frames > 4:
        return 15
    if dx <= 50 and frames > 7:
        return 11
    if gap + 20 <= 80 and frames > 12:
        return 14
    if gap + 20 <= 74 and frames > 10:
        return 11
    if gap + 20 <= 66 and frames > 7:
        return 10
    if gap + 20 <= 64 and frames > 5:
        return 12
    if gap + 20 <= 50 and frames > 4:
        return 9
    return 0


@njit(cache=True)
def told(rules, s, me, level):
    """The input of a level's player, as of one who looks right.

    Args:
        me: its seat. level: 1 .. ``LEVELS``.
    """
    k, other = level - 1, 1 - me
    delay = DELAY[k]
    if _draw(s, me, 0) < STRAYS[k]:
        return np.int64(_draw(s, me, 1) * 18)
    if s.stance[me] == DIZZY:
        return NEUTRAL if s.given[me] else 7
    if s.stance[me] == DOWN:
        if s.fresh[me]:
            return 7 if level > 2 else NEUTRAL
        return 8 if _draw(s, me, 2) < GUARDS[k] else NEUTRAL
    memory = s.memory[me]
    gap = abs(s.x[me] - s.x[other]) // 2 - 40
    guard = _guard_for(s, me, other, delay)
    if guard:
        if _draw(s, me, 3) < PARRIES[k] and s.cooldown[me] == 0 and is_free(s, me):
            tap = 7 if guard == 8 else 5
            if memory[7] != tap:
                return tap
        if _draw(s, me, 4) < GUARDS[k]:
            return guard
    if s.stance[me] == GUARDING:
        return 1 if _draw(s, me, 4) < GUARDS[k] else NEUTRAL
    if is_airborne(s, me):
        return _in_the_air(s, me, other, gap)
    opening = _opening(s, other, delay)
    if opening > 45 and s.meter[me] >= 80 and gap < 40 and _draw(s, me, 5) < SUPERS[k]:
        return _next_of(memory, _SUPER_INPUTS)
    if motions_of(memory) & SUPER and s.meter[me] >= 80 and gap < 40 and opening:
        return 11
    if opening and _draw(s, me, 6) < PUNISHES[k]:
        hit = _best_hit(gap, opening)
        if hit:
            return hit
        if opening > 10:
            return 5
    if is_airborne(s, other) and _sees(s, other, delay) and gap < 60:
        if _draw(s, me, 7) < ANTI_AIR[k]:
            if 6 <= memory[7] <= 8:
                return 11 if gap < 30 else 7
            return 7
        return 1 if _draw(s, me, 8) < GUARDS[k] else NEUTRAL
    if s.stance[other] == DOWN:
        return _over_the_fallen(s, me, other, gap)
    return _in_neutral(s, me, other, gap, k)


@njit(cache=True)
def _in_the_air(s, me, other, gap):
    """A kick on the way down."""
    n, falling = 30, s.phase[me] > 20
    if falling and gap < 50 and s.phase[me] < n and not s.jumped[me]:
        return 14
    return NEUTRAL


@njit(cache=True)
def _over_the_fallen(s, me, other, gap):
    """Walk near, then block low until the other stands."""
    if gap > 30:
        return 5
    return 8 if s.left[other] > 8 else 1


@njit(cache=True)
def _in_neutral(s, me, other, gap, k):
    """Balls from afar, steps into reach, pokes, throws, blocks."""
    memory, drawn = s.memory[me], _draw(s, me, 9)
    if gap > 110 and s.ball[me] == 0:
        step = _next_of(memory, _FIREBALL)
        if step != 7 or drawn < 0.25:
            return step
        return 5 if drawn < 0.8 else 4 if drawn < 0.85 else NEUTRAL
    if gap > 62:
        step = _next_of(memory, _FIREBALL)
        if step != 7 and s.ball[me] == 0:
            return step
        return 5 if drawn < 0.7 else 4 if drawn < 0.76 else 1
    blocks = s.stance[other] == BACK or s.stance[other] == GUARDING or s.stance[other] == DUCK
    catchable = gap <= 22 and s.stance[other] != HURT and s.stance[other] != GUARDING
    if catchable and _draw(s, me, 10) < THROWS[k] * (2.0 if blocks else 1.0):
        return 15
    if drawn < GUARDS[k] * 0.35:
        return 8 if _draw(s, me, 11) < 0.4 else 1
    if drawn < 0.85:
        return _poke(s, me, gap)
    return 5


@njit(cache=True)
def _poke(s, me, gap):
    """A normal that reaches, by chance; a step forward where none does."""
    drawn = _draw(s, me, 12)
    if gap + 20 <= 56 and drawn < 0.35:
        return 10 if drawn < 0.2 else 12
    if gap + 20 <= 64 and drawn < 0.6:
        return 10 if drawn < 0.5 else 12
    if gap + 20 <= 74:
        return 13 if drawn < 0.8 else 11
    if gap + 20 <= 80:
        return 14
    return 5


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The input of level ``which``."""
    me = np.int64(s.seat)
    return relative(s.facing[me], told(rules, s, me, which))


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return rule(rules, s, legal, n, HEURISTIC)


@njit(cache=True)
def evaluate(rules, s, out):
    """Rounds and health ahead, in -1 .. 1; exact where the match is over."""
    if s.over:
        returns(rules, s, out)
        return
    health = (s.health[0] - s.health[1]) / 160.0
    if rules.by_health:
        returns(rules, s, out)
        return
    value = 0.45 * (s.wins[0] - s.wins[1]) + 0.4 * health + 0.0001 * (s.meter[0] - s.meter[1])
    out[0] = min(max(value, -0.99), 0.99)
    out[1] = -out[0]


TRAINING = {
    "steps": 1_000_000,
    "opponent": "random,ladder",
    "against": "random,rule:lv1,ladder",
    "batch": 1024,
    "gamma": 0.99,
    "entropy": 0.01,
    "shaping": 1.0,
    "greedy": False,
}
LADDER = Ladder(
    "street_fighter/ladder-v1",
    (("random",), *((f"rule:lv{level}",) for level in range(1, LEVELS + 1))),
)
