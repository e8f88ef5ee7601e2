"""How maps are made: land by the rank of its height, terrain by moisture, resources, starts.

Heights and moistures are value noise: hashes at the points of a lattice of step 4, and half of the
same at step 2, with cosines between them. The lattice of a map that wraps wraps too. Where two
seats play, the left half is turned by 180 degrees onto the right half.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from stratagym.envs.civilization.geography import column_of, distance, row_of, tile_at
from stratagym.envs.civilization.tables import (
    DESERT,
    EXTRA_OUTPUT,
    FOREST,
    GRASSLAND,
    HILLS,
    JUNGLE,
    MOUNTAINS,
    OCEAN,
    OUTPUT,
    PLAINS,
    SWAMP,
    TUNDRA,
)
from stratagym.envs.core import mix64

TRIES = 16
LEVELS = 20_000
"""Heights are whole numbers from 0 to this."""
_HEIGHT, _MOISTURE, _RESOURCE = 1, 2, 3
_WORD = np.uint64(0xFFFF)


@njit(cache=True)
def _hash(seed, layer, x, y):
    return mix64(seed + np.uint64(((layer * 4096 + x) * 4096) + y + 1) * np.uint64(0x9E3779B9))


@njit(cache=True)
def _level(rules, seed, layer, x, y, step):
    """The hash of a lattice point, 0 .. 1; the lattice goes round where the map does."""
    x %= rules.width // step
    if rules.wraps_y:
        y %= rules.height // step
    return np.float64(_hash(seed, layer * 8 + step, x, y) & _WORD) / 65535.0


@njit(cache=True)
def noise(rules, seed, layer, tile):
    """Value noise of a layer at a tile, 0 .. 1."""
    y = row_of(rules, tile)
    x = tile - y * rules.width
    total = 0.0
    for step, weight in ((4, 2.0 / 3.0), (2, 1.0 / 3.0)):
        i, j = x // step, y // step
        a = 0.5 - 0.5 * math.cos(math.pi * (x - i * step) / step)
        b = 0.5 - 0.5 * math.cos(math.pi * (y - j * step) / step)
        top = _level(rules, seed, layer, i, j, step) * (1.0 - a) + a * _level(
            rules, seed, layer, i + 1, j, step
        )
        low = _level(rules, seed, layer, i, j + 1, step) * (1.0 - a) + a * _level(
            rules, seed, layer, i + 1, j + 1, step
        )
        total += weight * (top * (1.0 - b) + low * b)
    return total


@njit(cache=True)
def source(rules, tile):
    """The tile that one is a copy of, turned by 180 degrees: itself in the left half."""
    x = column_of(rules, tile)
    if rules.num_players == 2 and 2 * x >= rules.width:
        return rules.width * rules.height - 1 - tile
    return tile


@njit(cache=True)
def _height(rules, seed, tile):
    own = source(rules, tile)
    level = noise(rules, seed, _HEIGHT, own)
    if rules.is_pangaea:
        y = row_of(rules, own)
        dx = column_of(rules, own) - (rules.width - 1) / 2.0
        dy = y - (rules.height - 1) / 2.0
        half = math.sqrt(rules.width**2 + rules.height**2) / 2.0
        level -= 0.6 * math.sqrt(dx * dx + dy * dy) / half
    return np.int64((level + 1.0) * LEVELS / 2.0)


@njit(cache=True)
def _threshold(s, tiles, above):
    """The least height of the ``above`` highest tiles, heights lying in ``s.steps``."""
    low, high = 0, LEVELS + 1
    while high - low > 1:
        middle = (low + high) // 2
        count = 0
        for tile in range(tiles):
            count += s.steps[tile] >= middle
        if count >= above:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True)
def draw_map(rules, s, seed, unknown_to):
    """Write terrain and resources by a seed.

    With a seat in ``unknown_to`` (else -1) only where it has seen nothing, neither the tile nor
    the one that this is a copy of.
    """
    tiles = rules.width * rules.height
    for tile in range(tiles):
        s.steps[tile] = _height(rules, seed, tile)
    land = tiles - tiles * 45 // 100
    sea_level = _threshold(s, tiles, land)
    peak = _threshold(s, tiles, land * 8 // 100)
    hill = _threshold(s, tiles, land * 20 // 100)
    middle = (rules.height - 1) / 2.0
    for tile in range(tiles):
        own = source(rules, tile)
        if unknown_to >= 0:
            if (s.known[tile] >> unknown_to) & 1:
                continue
            twin = tiles - 1 - tile
            if rules.num_players == 2 and (s.known[twin] >> unknown_to) & 1:
                s.terrain[tile] = s.terrain[twin]
                s.resource[tile] = s.resource[twin]
                continue
        level = s.steps[tile]
        latitude = abs(row_of(rules, own) - middle) / middle
        if level < sea_level:
            kind = OCEAN
        elif level >= peak:
            kind = MOUNTAINS
        elif level >= hill:
            kind = HILLS
        elif latitude > 0.85:
            kind = TUNDRA
        else:
            wet = noise(rules, seed, _MOISTURE, own)
            if wet < 0.15 and latitude < 0.6:
                kind = DESERT
            elif wet < 0.4:
                kind = PLAINS
            elif wet < 0.65:
                kind = GRASSLAND
            elif wet < 0.8:
                kind = FOREST
            elif wet < 0.9:
                kind = SWAMP
            else:
                kind = JUNGLE if latitude < 0.5 else FOREST
        s.terrain[tile] = kind
        drawn = _hash(seed, _RESOURCE * 8, column_of(rules, own), row_of(rules, own))
        s.resource[tile] = 0
        if drawn % np.uint64(12) == 0:
            s.resource[tile] = 1 + np.int64((drawn // np.uint64(12)) & np.uint64(1))
    clear_scratch(s, tiles)


@njit(cache=True)
def clear_scratch(s, tiles):
    """Leave the scratch of searches as all functions leave it, all zeros."""
    for tile in range(tiles):
        s.steps[tile] = 0
        s.queue[tile] = 0


# --- starts --------------------------------------------------------------------------------------


@njit(cache=True)
def _continents(rules, s):
    """Number the continents in ``s.steps`` (0 for the sea); returns the largest and its size."""
    tiles = rules.width * rules.height
    for tile in range(tiles):
        s.steps[tile] = 0
    number = best = most = 0
    for first in range(tiles):
        if s.terrain[first] == OCEAN or s.steps[first]:
            continue
        number += 1
        s.steps[first] = number
        s.queue[0] = first
        head, tail = 0, 1
        while head < tail:
            tile = np.int64(s.queue[head])
            head += 1
            y = row_of(rules, tile)
            x = tile - y * rules.width
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    near = tile_at(rules, x + dx, y + dy)
                    if near >= 0 and s.terrain[near] != OCEAN and s.steps[near] == 0:
                        s.steps[near] = number
                        s.queue[tail] = near
                        tail += 1
        if tail > most:
            most, best = tail, number
    return best, most


@njit(cache=True)
def _worth(rules, s, tile):
    """2 food + shields + trade of the tiles around one."""
    y = row_of(rules, tile)
    x = tile - y * rules.width
    total = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            if dx * dx + dy * dy <= 5:
                near = tile_at(rules, x + dx, y + dy)
                if near >= 0:
                    kind = np.int64(s.terrain[near])
                    total += 2 * OUTPUT[kind, 0] + OUTPUT[kind, 1] + OUTPUT[kind, 2]
                    if s.resource[near]:
                        k = np.int64(s.resource[near]) - 1
                        total += 2 * EXTRA_OUTPUT[kind, k, 0] + EXTRA_OUTPUT[kind, k, 1]
                        total += EXTRA_OUTPUT[kind, k, 2]
    return total


@njit(cache=True)
def _find_starts(rules, s, best):
    """Write where each seat starts on continent ``best``; false if there is no such tile."""
    starts = s.city_tile[:, 0]
    tiles = rules.width * rules.height
    wide = rules.width // 6
    most = -1
    for tile in range(tiles):
        x = column_of(rules, tile)
        # Two seats: far from both seams of the halves.
        if rules.num_players == 2 and not wide <= x < rules.width // 2 - wide:
            continue
        if s.steps[tile] == best:
            worth = _worth(rules, s, tile)
            if worth > most:
                most = worth
                starts[0] = tile
    if most < 0:
        return False
    if rules.num_players == 2:
        starts[1] = tiles - 1 - starts[0]
        return s.steps[starts[1]] == best
    least = 5 if rules.width == 16 else 7
    for seat in range(1, rules.num_players):
        most, farthest = -1, -1
        starts[seat] = starts[0]
        far = starts[0]
        for tile in range(tiles):
            if s.steps[tile] != best:
                continue
            near = 1000
            for other in range(seat):
                near = min(near, distance(rules, tile, np.int64(starts[other])))
            if near > farthest:
                farthest, far = near, tile
            worth = _worth(rules, s, tile)
            if near >= least and worth > most:
                most = worth
                starts[seat] = tile
        if most < 0:
            starts[seat] = far
    return True


@njit(cache=True)
def make_world(rules, s, seed):
    """Draw maps until one has a continent with room for all; returns how many were drawn.

    Where the seats start is written to the tiles of their first cities. Of ``TRIES`` maps the last
    is taken whatever it is like.
    """
    tiles = rules.width * rules.height
    needed = 40 if rules.width == 16 else 60
    for tried in range(TRIES):
        draw_map(rules, s, mix64(seed + np.uint64(tried)), -1)
        best, size = _continents(rules, s)
        for seat in range(rules.num_players):
            start = rules.width // 4 + rules.height // 2 * rules.width
            s.city_tile[seat, 0] = tiles - 1 - start if seat % 2 else start
        is_found = _find_starts(rules, s, best) and size >= needed
        clear_scratch(s, tiles)
        if is_found:
            return tried + 1
    for seat in range(rules.num_players):
        if s.terrain[s.city_tile[seat, 0]] == OCEAN:
            s.terrain[s.city_tile[seat, 0]] = GRASSLAND
    return TRIES
