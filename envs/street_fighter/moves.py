"""The moves: their frames, damage, reach and what they do, as arrays by the number of the move.

Frames, damage, stun, advantages, meter and guard are those of Ken in Street Fighter III 3rd Strike
(collected in the Frame Assistant Tool), on the scale of 160 points of health. Reaches are ours.
"""

from __future__ import annotations

import numpy as np

ANY, HIGH, LOW, OVERHEAD = range(4)
"""Guards: blocked standing or crouching, standing, crouching, standing."""
KNOCK = 99
"""An advantage on hit: the victim is knocked down."""

MOVES = (
    "none",
    "close LP", "far LP", "close MP", "far MP", "close HP", "far HP", "LK", "MK", "HK",
    "crouch LP", "crouch MP", "crouch HP", "crouch LK", "crouch MK", "crouch HK",
    "jump LP", "jump MP", "jump HP", "jump LK", "jump MK", "jump HK",
    "throw", "forward throw", "back throw", "overhead", "taunt",
    "Hadouken", "EX Hadouken",
    "LP Shoryuken", "MP Shoryuken", "HP Shoryuken", "EX Shoryuken",
    "LK Tatsumaki", "MK Tatsumaki", "HK Tatsumaki",
    "Shoryureppa", "Shippu Jinraikyaku",
)  # fmt: skip
NONE, LP, FAR_LP, MP, FAR_MP, HP, FAR_HP, LK, MK, HK = range(10)
CROUCH, JUMP = 10, 16
"""The first of six moves: LP, MP, HP, LK, MK, HK."""
THROW, FORWARD_THROW, BACK_THROW, OVERHEAD_MOVE, TAUNT = range(22, 27)
HADOUKEN, EX_HADOUKEN = 27, 28
SHORYUKEN, EX_SHORYUKEN = 29, 32
TATSUMAKI = 33
SA1, SA3 = 36, 37
NUM_MOVES = len(MOVES)
UNTIL_LANDING = 60
"""Active frames of a jump move that ends with the jump only."""

_TABLE = (
    # start, active, recovery, damage, stun, on hit, hit crouching, on block, guard, reach (px),
    # meter: whiff, hit, block
    (0, 0, 0, 0, 0, 0, 0, 0, ANY, 0, 0, 0, 0),
    (4, 3, 5, 3, 3, 3, 3, 3, ANY, 52, 0, 2, 1),
    (6, 3, 4, 3, 3, 4, 4, 4, ANY, 60, 0, 2, 1),
    (5, 4, 10, 17, 7, 2, 3, 1, HIGH, 54, 2, 11, 6),
    (7, 3, 10, 16, 11, 4, 5, 3, HIGH, 68, 2, 11, 6),
    (7, 3, 15, 23, 15, 0, 2, -2, HIGH, 54, 3, 19, 10),
    (10, 3, 15, 23, 13, 2, 4, 0, HIGH, 76, 3, 19, 10),
    (5, 4, 7, 7, 3, 2, 2, 2, ANY, 66, 0, 2, 1),
    (9, 7, 16, 19, 15, -2, 0, -6, HIGH, 76, 2, 11, 6),
    (12, 6, 19, 26, 11, -2, 0, -4, HIGH, 82, 3, 19, 10),
    (5, 3, 5, 3, 3, 3, 3, 3, ANY, 56, 0, 2, 1),
    (6, 4, 7, 16, 7, 4, 5, 3, ANY, 64, 2, 11, 6),
    (8, 5, 17, 23, 13, -4, -2, -6, ANY, 52, 3, 19, 10),
    (6, 3, 7, 3, 3, 1, 1, 1, LOW, 62, 0, 2, 1),
    (7, 5, 17, 15, 3, -3, -2, -4, LOW, 76, 2, 11, 6),
    (7, 5, 26, 23, 3, KNOCK, KNOCK, -14, LOW, 80, 3, 19, 10),
    (5, UNTIL_LANDING, 0, 8, 7, 0, 0, 0, OVERHEAD, 56, 0, 2, 1),
    (6, 5, 40, 17, 11, 0, 0, 0, OVERHEAD, 60, 2, 11, 6),
    (7, 4, 40, 23, 15, 0, 0, 0, OVERHEAD, 64, 3, 19, 10),
    (5, 10, 40, 8, 5, 0, 0, 0, OVERHEAD, 60, 0, 2, 1),
    (6, 6, 40, 16, 9, 0, 0, 0, OVERHEAD, 64, 2, 11, 6),
    (7, 4, 40, 22, 13, 0, 0, 0, OVERHEAD, 68, 3, 19, 10),
    (3, 1, 21, 27, 12, KNOCK, KNOCK, 0, ANY, 24, 0, 7, 0),
    (3, 1, 21, 21, 8, KNOCK, KNOCK, 0, ANY, 24, 0, 8, 0),
    (3, 1, 21, 19, 14, KNOCK, KNOCK, 0, ANY, 24, 0, 8, 0),
    (16, 8, 7, 7, 3, 0, 1, -5, OVERHEAD, 64, 0, 2, 1),
    (16, 2, 27, 2, 6, -18, -18, -18, ANY, 40, 4, 8, 6),
    (12, 0, 38, 10, 3, 0, 0, -11, HIGH, 0, 0, 2, 1),
    (12, 0, 38, 20, 5, KNOCK, KNOCK, -6, HIGH, 0, 0, 0, 0),
    (3, 8, 26, 26, 11, KNOCK, KNOCK, -17, ANY, 54, 3, 21, 15),
    (4, 14, 28, 28, 15, KNOCK, KNOCK, -24, ANY, 54, 3, 22, 16),
    (4, 21, 32, 32, 15, KNOCK, KNOCK, -31, ANY, 54, 3, 23, 17),
    (2, 20, 38, 34, 17, KNOCK, KNOCK, -36, ANY, 54, 0, 0, 0),
    (7, 7, 14, 19, 9, KNOCK, KNOCK, -5, HIGH, 60, 3, 19, 13),
    (7, 14, 15, 23, 13, KNOCK, KNOCK, -6, HIGH, 60, 3, 21, 15),
    (7, 17, 15, 27, 15, KNOCK, KNOCK, -7, HIGH, 60, 3, 22, 16),
    (1, 34, 45, 69, 6, KNOCK, KNOCK, -38, ANY, 60, 0, 0, 0),
    (2, 9, 27, 51, 16, KNOCK, KNOCK, -11, HIGH, 66, 0, 0, 0),
)  # fmt: skip
COLUMNS = (
    "startup", "active", "recovery", "damage", "stun", "on_hit", "on_hit_crouch", "on_block",
    "guard", "reach", "meter_whiff", "meter_hit", "meter_block",
)  # fmt: skip
TABLE = np.array(_TABLE, np.int16)
"""(moves, columns) int16: a row for each move, a column for each of ``COLUMNS``; reach in px."""

(
    STARTUP, ACTIVE, RECOVERY, DAMAGE, STUN, ON_HIT, ON_HIT_CROUCH, ON_BLOCK, GUARD, REACH,
    METER_WHIFF, METER_HIT, METER_BLOCK,
) = (np.ascontiguousarray(column) for column in TABLE.T)  # fmt: skip

TOTAL = STARTUP + ACTIVE + RECOVERY
"""Frames until the fighter is free again."""
HADOUKEN_HIT = 20
JUMP_HIT, JUMP_BLOCK = 14, 12

_follows = ACTIVE + RECOVERY
HIT_STUN = np.where(ON_HIT == KNOCK, 0, ON_HIT + _follows).astype(np.int16)
"""Frames in which the victim of a hit is not free, that of the contact first; 0: knocked down."""
CROUCH_STUN = np.where(ON_HIT == KNOCK, 0, ON_HIT_CROUCH + _follows).astype(np.int16)
BLOCK_STUN = (ON_BLOCK + _follows).astype(np.int16)
HIT_STUN[HADOUKEN] = CROUCH_STUN[HADOUKEN] = HADOUKEN_HIT
for _move in range(JUMP, JUMP + 6):
    HIT_STUN[_move] = CROUCH_STUN[_move] = JUMP_HIT
    BLOCK_STUN[_move] = JUMP_BLOCK

HITS_AIR = np.zeros(NUM_MOVES, np.int8)
"""1 for moves that touch whoever is up to 96 px high."""
HITS_AIR[[CROUCH + 2, *range(SHORYUKEN, EX_SHORYUKEN + 1)]] = 1
SAFE_FRAMES = np.zeros(NUM_MOVES, np.int16)
"""The first frames of a move in which nothing touches its fighter."""
SAFE_FRAMES[SHORYUKEN : EX_SHORYUKEN + 1] = STARTUP[SHORYUKEN : EX_SHORYUKEN + 1] + 3
IS_SPECIAL = np.zeros(NUM_MOVES, np.int8)
"""1 for specials and supers: they do damage to who blocks them."""
IS_SPECIAL[HADOUKEN:] = 1
IS_STRONG = np.zeros(NUM_MOVES, np.int8)
"""1 for EX moves and supers: what costs meter."""
IS_STRONG[[EX_HADOUKEN, EX_SHORYUKEN, SA1, SA3]] = 1
