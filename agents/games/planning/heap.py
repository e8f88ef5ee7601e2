"""A binary heap in two arrays: keys, the smallest first, and the items that they are of."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def push(keys, items, size, key, item):
    """Put an item into the heap; returns how many there are then."""
    k = size
    while k > 0:
        up = (k - 1) >> 1
        if keys[up] <= key:
            break
        keys[k], items[k] = keys[up], items[up]
        k = up
    keys[k], items[k] = key, item
    return size + 1


@njit(cache=True)
def pop(keys, items, size):
    """Take the first item out; returns how many are left. It stands behind them, with its key."""
    first_key, first = keys[0], items[0]
    size -= 1
    key, item = keys[size], items[size]
    k = 0
    while True:
        down = 2 * k + 1
        if down >= size:
            break
        if down + 1 < size and keys[down + 1] < keys[down]:
            down += 1
        if keys[down] >= key:
            break
        keys[k], items[k] = keys[down], items[down]
        k = down
    keys[k], items[k] = key, item
    keys[size], items[size] = first_key, first
    return size
