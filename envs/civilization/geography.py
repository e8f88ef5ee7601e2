"""Where things are: tiles, their neighbours and distances, as kernel functions.

The directions 0 to 7 are N NE E SE S SW W NW.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
DX = np.array([0, 1, 1, 1, 0, -1, -1, -1], np.int64)
DY = np.array([-1, -1, 0, 1, 1, 1, 0, -1], np.int64)


@njit(cache=True)
def row_of(rules, tile):
    """The row of a tile: a division by the width, as a product."""
    return (np.int64(tile) * rules.reciprocal) >> 32


@njit(cache=True)
def column_of(rules, tile):
    """The column of a tile."""
    return tile - row_of(rules, tile) * rules.width


@njit(cache=True)
def seat_after(rules, seat, places):
    """The seat so many places (0 .. n-1) after one."""
    other = seat + places
    return other - rules.num_players if other >= rules.num_players else other


@njit(cache=True)
def tile_at(rules, x, y):
    """The tile at (x, y), up to a map's size beyond the map where that wraps; -1 for none."""
    if x < 0:
        x += rules.width
    elif x >= rules.width:
        x -= rules.width
    if y < 0 or y >= rules.height:
        if not rules.wraps_y:
            return -1
        y = y + rules.height if y < 0 else y - rules.height
    return x + y * rules.width


@njit(cache=True)
def neighbour(rules, tile, direction):
    """The tile next to one, or -1."""
    y = row_of(rules, tile)
    return tile_at(rules, tile - y * rules.width + DX[direction], y + DY[direction])


@njit(cache=True)
def offsets(rules, tile, other):
    """(columns, rows) from a tile to another by the shorter way, either sign."""
    y, v = row_of(rules, tile), row_of(rules, other)
    dx, dy = other - v * rules.width - (tile - y * rules.width), v - y
    if 2 * dx > rules.width:
        dx -= rules.width
    elif 2 * dx < -rules.width:
        dx += rules.width
    if rules.wraps_y:
        if 2 * dy > rules.height:
            dy -= rules.height
        elif 2 * dy < -rules.height:
            dy += rules.height
    return dx, dy


@njit(cache=True)
def distance(rules, tile, other):
    """Moves of a king from a tile to another."""
    dx, dy = offsets(rules, tile, other)
    return max(abs(dx), abs(dy))


@njit(cache=True)
def square_distance(rules, tile, other):
    """Freeciv's radius_sq from a tile to another."""
    dx, dy = offsets(rules, tile, other)
    return dx * dx + dy * dy
