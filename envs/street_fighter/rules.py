"""The rules of the fighter as kernel functions: decisions, rounds, what a seat sees.

``frames`` and ``contacts`` hold what happens within a frame. Lengths are whole half pixels: x grows
to the right and is that of a body's middle, y is the height of the feet above the floor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes, winner_takes
from stratagym.envs.street_fighter.frames import (
    advance,
    begin_decision,
)
from stratagym.envs.street_fighter.moves import NUM_MOVES
from stratagym.envs.street_fighter.stage import (
    DIZZY,
    DOWN,
    HEALTH,
    HEIGHT,
    MEMORY,
    ROUND_FRAMES,
    STAND,
    START,
    STUN_FULL,
    WALLS,
    WIDTH,
    is_safe,
)

STOCK = 80
"""Meter of a stock; three of them are the most."""
SEEN = 63
"""Numbers of an observation about one fighter."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("turn", "i4"),  # decisions of both seats since the start
        ("clock", "i2"),  # frames of the round
        ("freeze", "i2"),  # frames in which both stand still after a parry
        ("x", "i2", 2),
        ("y", "i2", 2),  # feet above the floor
        ("vx", "i2", 2),  # what x changed by in the last frame
        ("left", "i2", 2),  # frames of stun, knock-down or dizziness to come
        ("frame", "i2", 2),  # of the move
        ("phase", "i2", 2),  # frame of a jump or dash
        ("health", "i2", 2),
        ("stun", "i2", 2),
        ("meter", "i2", 2),
        ("ball_x", "i2", 2),
        ("ball_v", "i2", 2),  # each seat's ball: what x changes by in a frame
        ("lost", "i2", 2),  # health lost in the match
        ("begun", "i2", 2),  # attacks begun in the match
        ("landed", "i2", 2),  # attacks that touched for damage
        ("strong", "i2", 2),  # EX moves and supers that came out
        ("strong_landed", "i2", 2),
        ("rounds_health", "i2", (3, 2)),  # at the end of each round
        ("rounds_frames", "i2", 3),  # of each round that is over
        ("seat", "i1"),  # who commits now
        ("committed", "i1"),  # the input of seat 0 while seat 1 commits
        ("side", "i1"),  # -1 while seat 0 is on the left, 1 while it is on the right
        ("round", "i1"),
        ("over", "i1"),
        ("wins", "i1", 2),  # rounds
        ("facing", "i1", 2),  # 1 right, -1 left
        ("stance", "i1", 2),
        ("move", "i1", 2),
        ("did", "i1", 2),  # the last move that came out
        ("touched", "i1", 2),  # whether the move has touched
        ("way", "i1", 2),  # of a jump or dash: 1 forward, 0 straight up, -1 back
        ("jumped", "i1", 2),  # whether this jump has had its move
        ("combo", "i1", 2),  # hits of the running combo that the fighter has taken
        ("boost", "i1", 2),  # whether a taunt makes the next hit stronger
        ("fresh", "i1", 2),  # whether a knock-down has seen no decision yet
        ("shield", "i1", 2),  # parry window open: 1 high, 2 low
        ("window", "i1", 2),  # frames since it opened
        ("released", "i1", 2),  # whether its direction was let go
        ("cooldown", "i1", 2),  # frames until the next window
        ("tech", "i1", 2),  # frames in which a throw is escaped
        ("restart", "i1", 2),  # the button that makes the running special its EX form
        ("ball", "i1", 2),  # each seat's ball: 0 none, 1 Hadouken, 2 EX Hadouken
        ("given", "i1", 2),  # the last inputs
        ("memory", "i1", (2, MEMORY)),  # the last inputs as if facing right, the latest last
        ("events", "i1", (2, 3)),  # in the last decision: whether a seat was hit, blocked, parried
    ],
    align=True,
)


def _decisions(rules):
    return -(-ROUND_FRAMES // rules.frames) * (3 if rules.needed == 2 else 1) * 2


@sizes(actions=18, observation=(146,), decisions=_decisions, dtype=np.float32, low=-1, high=1)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        frames: of a decision, 1 .. 6. needed: rounds to win, 1 or 2.
        by_health: 1 if returns are the health lost by the other less one's own, of 160.
        as_coded: 1 if replies are read as the released code reads them.
        num_players: 2.
    """

    frames: int
    needed: int
    by_health: int
    as_coded: int
    num_players: int = 2


def make_rules(frames: int, rounds: int, rewards: str, macros: str) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    as_coded = int(macros == "as_coded")
    return Rules(frames, 2 if rounds == 3 else 1, int(rewards == "health"), as_coded)


@njit(cache=True)
def _begin_round(s):
    """Both in their places, with nothing left of the round before but the meter."""
    s.clock = s.freeze = 0
    s.side = -1
    for i in range(2):
        s.x[i] = START[i]
        s.facing[i] = 1 - 2 * i
        s.health[i] = HEALTH
        s.y[i] = s.vx[i] = s.left[i] = s.frame[i] = s.phase[i] = s.stun[i] = 0
        s.ball[i] = s.ball_x[i] = s.ball_v[i] = 0
        s.stance[i] = STAND
        s.move[i] = s.did[i] = s.touched[i] = s.way[i] = s.jumped[i] = s.combo[i] = 0
        s.boost[i] = s.fresh[i] = s.shield[i] = s.window[i] = s.released[i] = s.cooldown[i] = 0
        s.tech[i] = s.restart[i] = s.given[i] = 0
        for k in range(MEMORY):
            s.memory[i, k] = 0


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.turn = 0
    s.seat = s.committed = s.round = s.over = 0
    for i in range(2):
        s.meter[i] = s.lost[i] = s.wins[i] = 0
        s.begun[i] = s.landed[i] = s.strong[i] = s.strong_landed[i] = 0
        for k in range(3):
            s.events[i, k] = s.rounds_health[k, i] = 0
    for k in range(3):
        s.rounds_frames[k] = 0
    _begin_round(s)


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else np.int64(s.seat)


@njit(cache=True)
def turn(rules, s):
    return np.int64(s.turn)


@njit(cache=True)
def legal_actions(rules, s, out):
    """All 18, always."""
    for action in range(18):
        out[action] = action
    return 18


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    return 0 <= action < 18 and not s.over


@njit(cache=True)
def is_round_over(s):
    """Whether somebody is knocked out or the time is up."""
    return s.health[0] == 0 or s.health[1] == 0 or s.clock == ROUND_FRAMES


@njit(cache=True)
def _end_round(rules, s):
    """Give the round to who has more health, to both where it is equal; begin the next."""
    ahead = s.health[0] - s.health[1]
    s.wins[0] += ahead >= 0
    s.wins[1] += ahead <= 0
    for i in range(2):
        s.rounds_health[s.round, i] = s.health[i]
    s.rounds_frames[s.round] = s.clock
    s.round += 1
    if s.wins[0] >= rules.needed or s.wins[1] >= rules.needed:
        s.over = 1
    else:
        _begin_round(s)


@njit(cache=True)
def play_frames(rules, s, first, second, frames):
    """The first ``frames`` frames of a decision with these inputs of both seats."""
    motion_0, pending_0 = begin_decision(s, 0, first)
    motion_1, pending_1 = begin_decision(s, 1, second)
    for _ in range(frames):
        pending_0, pending_1 = advance(s, first, second, pending_0, pending_1, motion_0, motion_1)
        if is_round_over(s):
            break


@njit(cache=True)
def step(rules, s, action):
    """An input of the seat to move; that of seat 1 plays the frames of both."""
    if s.seat == 0:
        s.committed = action
        s.seat = 1
        return
    play_frames(rules, s, np.int64(s.committed), action, rules.frames)
    s.seat = s.committed = 0
    s.turn += 1
    if is_round_over(s):
        _end_round(rules, s)


@njit(cache=True)
def returns(rules, s, out):
    """1 and -1 for who won more rounds, 0 for a draw; or the health, as it goes."""
    if rules.by_health:
        out[0] = (s.lost[1] - s.lost[0]) / HEALTH
        out[1] = 0.0 - out[0]
        return
    ahead = s.wins[0] - s.wins[1]
    winner_takes(-1 if not s.over or ahead == 0 else 0 if ahead > 0 else 1, out)


@njit(cache=True)
def _unit(value):
    return min(max(value, -1.0), 1.0)


@njit(cache=True)
def seen_x(s, player, x):
    """An x, of 0 .. 1 across the stage, as if ``player`` faced right."""
    return (x if s.facing[player] > 0 else WIDTH - x) / WIDTH


@njit(cache=True)
def _observe_fighter(s, player, i, out, at):
    """The numbers of fighter ``i`` for ``player``."""
    facing = s.facing[player]
    for k in range(at, at + SEEN):
        out[k] = 0.0
    out[at] = seen_x(s, player, s.x[i])
    out[at + 1] = s.y[i] / HEIGHT
    out[at + 2] = _unit(s.vx[i] * facing / 32.0)
    out[at + 3] = s.health[i] / HEALTH
    out[at + 4] = s.stun[i] / STUN_FULL
    out[at + 5] = s.meter[i] % STOCK / STOCK
    out[at + 6] = s.meter[i] // STOCK / 3.0
    out[at + 7] = _unit((s.frame[i] if s.move[i] else s.phase[i]) / 80.0)
    out[at + 8] = s.left[i] / 120.0
    out[at + 9] = 1.0 if s.stance[i] == DOWN or is_safe(s, i) else 0.0
    out[at + 10] = (s.window[i] + 1) / 10.0 if s.shield[i] else 0.0
    out[at + 11] = s.cooldown[i] / 23.0
    out[at + 12 + s.stance[i]] = 1.0
    out[at + 13 + DIZZY + s.move[i]] = 1.0
    ball = at + 13 + DIZZY + NUM_MOVES
    if s.ball[i]:
        out[ball] = _unit(seen_x(s, player, s.ball_x[i]))
        out[ball + 1] = s.ball_v[i] * facing / 16.0
        out[ball + 2] = s.ball[i] / 2.0


@njit(cache=True)
def observe(rules, s, player, out):
    """Both fighters, the observer's first, and the round; see the package's docstring."""
    other = 1 - player
    _observe_fighter(s, player, player, out, 0)
    _observe_fighter(s, player, other, out, SEEN)
    at = 2 * SEEN
    out[at] = 1.0 - s.clock / ROUND_FRAMES
    out[at + 1] = s.wins[player] / 2.0
    out[at + 2] = s.wins[other] / 2.0
    out[at + 3] = s.facing[player] * abs(s.x[0] - s.x[1]) / WIDTH
    span = WALLS[1] - WALLS[0]
    for k in range(2):
        i = player if k == 0 else other
        behind = s.x[i] - WALLS[0] if s.side * (1 - 2 * i) < 0 else WALLS[1] - s.x[i]
        out[at + 4 + k] = behind / span
    for k in range(MEMORY):
        out[at + 6 + k] = s.memory[player, k] / 17.0
    for k in range(3):
        out[at + 6 + MEMORY + k] = s.events[player, k]
        out[at + 9 + MEMORY + k] = s.events[other, k]


@njit(cache=True)
def determinize(rules, s, player):
    """Draw the other seat's input of the running decision anew."""
    if s.seat == 1 and player == 1:
        s.committed = random_below(s, 18)
