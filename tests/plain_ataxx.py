"""Ataxx written a second time, as plainly as possible, and positions by the names of cells.

A grid is {(row, column): "x", "o" or "."} without the blocked cells, row 0 the top.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs import core, spec
from stratagym.envs.ataxx import rules as kernel
from stratagym.envs.ataxx import view
from stratagym.testing import position

GAME = spec("ataxx")
RULES = GAME.make_rules()
BOTZONE = GAME.make_rules(judge="botzone")
BLOCKS = {
    "none": "x5o/7/7/7/7/7/o5x",
    "corners": "x5o/7/2-1-2/7/2-1-2/7/o5x",
    "sides": "x5o/7/3-3/2-1-2/3-3/7/o5x",
}
"""Starts as UAI writes them, by our option's value."""
NEAR = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
FAR = [(down, right) for down in range(-2, 3) for right in range(-2, 3)]
RING = [offset for offset in FAR if offset not in NEAR]


def start_grid(blocks):
    """The start, from UAI's text."""
    grid = {}
    for row, text in enumerate(BLOCKS[blocks].split("/")):
        column = 0
        for sign in text:
            if sign.isdigit():
                grid |= {(row, column + k): "." for k in range(int(sign))}
            elif sign != "-":
                grid[row, column] = sign
            column += int(sign) if sign.isdigit() else 1
    return grid


def moves_in(grid, mark):
    """{action: (cell from or None, cell to)} by the definition, without the pass."""
    found = {}
    for row, column in (cell for cell, sign in grid.items() if sign == "."):
        to = 7 * row + column
        for down, right in FAR:
            there = row + down, column + right
            if grid.get(there) != mark:
                continue
            if (down, right) in NEAR:
                found[to] = None, (row, column)
            else:
                found[49 * (1 + RING.index((down, right))) + to] = there, (row, column)
    return found


def near(grid, cell):
    """What is on the cells around one and on itself; None off the board."""
    return [grid.get((cell[0] + down, cell[1] + right)) for down, right in NEAR]


def gain(grid, mark, move):
    """Stones that a move turns, and 1 for a clone."""
    source, to = move
    return near(grid, to).count("xo"[mark == "x"]) + (source is None)


def make_move(grid, mark, move):
    """Play it in the grid."""
    source, (row, column) = move
    if source:
        grid[source] = "."
    for down, right in NEAR:
        if grid.get((row + down, column + right), ".") != ".":
            grid[row + down, column + right] = mark
    grid[row, column] = mark


def grid_of(rules, s):
    """The grid of one of our records."""
    sides = [int(s["own"]), int(s["opp"])][:: -1 if s["player"] else 1]
    blocks = int(kernel.blocks_of(rules))
    assert not sides[0] & sides[1] and not (sides[0] | sides[1]) & blocks
    assert not (sides[0] | sides[1]) & ~int(kernel.BOARD)
    cells = {(row, column): 1 << 8 * row + column for row in range(7) for column in range(7)}
    return {
        cell: "x" if sides[0] & at else "o" if sides[1] & at else "."
        for cell, at in cells.items()
        if not blocks & at
    }


# --- our records ---------------------------------------------------------------------------------


def placed(first, second, player=0, rules=RULES, **fields):
    """A position (1,) by the names of cells with stones of seats 0 and 1."""
    states = position(rules)
    bits = []
    for cells in (first, second):
        named = [(7 - int(cell[1]), "abcdefg".index(cell[0])) for cell in cells.split()]
        bits.append(sum(1 << 8 * row + column for row, column in named))
    states["own"], states["opp"] = bits[:: -1 if player else 1]
    states["player"] = player
    for name, value in fields.items():
        states[name] = value
    return states


def played(rules, states, move):
    """The position after a move by its name, and who is to move in it."""
    states, (legal, probs) = states.copy(), core.new_scratch(rules)
    action = view.string_to_action(rules, states[0], move)
    n = core.legal_actions_at(rules, states, 0, legal)
    assert action in legal[:n], move
    seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    return states, seat


def results(rules, states):
    """Each seat's return."""
    out = np.full(2, np.nan)
    core.returns_at(rules, states, 0, out)
    return out.tolist()


@njit
def perft(rules, states, legal, depth):
    """Games of ``depth`` plies from ``states[0]``; those that are over before count for nothing.

    ``states`` and ``legal`` have ``depth`` rows, one a level.
    """
    nodes, level, tried = 0, 0, np.zeros(depth, np.int64)
    counts = np.zeros(depth, np.int64)
    counts[0] = core.legal_actions(rules, states[0], legal[0])
    if depth == 1:
        return counts[0]
    while level >= 0:
        if tried[level] == counts[level]:
            level -= 1
            continue
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[level, tried[level]])
        tried[level] += 1
        if core.current_player(rules, states[level + 1]) < 0:
            continue
        n = core.legal_actions(rules, states[level + 1], legal[level + 1])
        if level + 2 == depth:
            nodes += n
        else:
            level += 1
            tried[level], counts[level] = 0, n
    return nodes


def count(rules, start, depth):
    states = core.new_states(rules, depth)
    states[0] = start[0]
    return perft(rules, states, np.zeros((depth, rules.num_actions), np.int64), depth)
