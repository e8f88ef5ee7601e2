"""What the agents know of the coin game: walks to coins, guesses at goals, an evaluator.

Sets of cells are pairs of 64-bit numbers, (low, high): a board has up to 100 cells.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.bits import EMPTY, ONE, lowest
from stratagym.envs.coin_game.rules import NONE, STAND, beside, is_goal, returns, taken_of
from stratagym.envs.core import random_unit

RULES = {"any": 0, "own": 1, "infer": 2}
"""Players that walk to the nearest coin: of any colour; of their own goal; of their own goal and of
those that they guess the others to have (the heuristic). The last two walk around other coins."""
ANY, OWN, INFER = range(3)
MCTS_DEFAULTS = {"c": "8", "playout": "0"}
"""Returns go from -16 to 32; the evaluator judges leaves, for random play hardly takes a coin."""
BELIEF = 30.0
"""How much likelier each coin of a colour, to a search, makes it its taker's goal."""
_63 = np.uint64(63)


@njit(cache=True)
def guess(rules, s, seat, other):
    """The goal of another seat as one seat may know it; ``NONE`` where it does not.

    It is the colour that the other has taken most coins of, the guesser's own goal aside.
    """
    if rules.told:
        return np.int64(s.goals[other])
    best, most = NONE, 0
    for colour in range(rules.colours):
        taken = s.taken[other, colour]
        if colour == s.goals[seat] or taken < most:
            continue
        best = NONE if taken == most else colour
        most = taken
    return best


@njit(cache=True)
def imagine(rules, s, player):
    """Draw the other seats' goals by what they took: each coin makes a colour ``BELIEF`` as likely.

    Seat after seat, over colours that are not given yet; the player's own is kept. A seat that
    shows nothing yet is taken to want what the player wants, so that a search leaves alone what
    may be nobody's: coins are what the others guess by.
    """
    if rules.told:
        return
    mine = np.int64(s.goals[player])
    given = 1 << mine
    for seat in range(rules.num_players):
        if seat == player:
            continue
        whole, most = 0.0, 0
        for colour in range(rules.colours):
            if not given >> colour & 1:
                whole += BELIEF ** s.taken[seat, colour]
                most = max(most, s.taken[seat, colour])
        if most == 0 and rules.colours > rules.num_players:
            s.goals[seat] = mine
            continue
        left, goal = random_unit(s) * whole, NONE
        for colour in range(rules.colours):
            if not given >> colour & 1 and (goal == NONE or left >= 0.0):
                goal = colour
                left -= BELIEF ** s.taken[seat, colour]
        s.goals[seat] = goal
        given |= 1 << goal


@njit(cache=True)
def wanted_colours(rules, s, seat, which):
    """The colours that a player of ``RULES`` walks to, by bit."""
    if which == ANY or (which == INFER and rules.colours == rules.num_players):
        return (1 << rules.colours) - 1
    wanted = 1 << s.goals[seat]
    if which == INFER:
        for other in range(rules.num_players):
            if other != seat:
                colour = guess(rules, s, seat, other)
                if colour != NONE:
                    wanted |= 1 << colour
    return wanted


@njit(cache=True)
def _with(cells, cell):
    """A set and one more cell."""
    low, high = cells
    if cell < 64:
        return low | ONE << np.uint64(cell), high
    return low, high | ONE << np.uint64(cell - 64)


@njit(cache=True)
def _has(cells, cell):
    low, high = cells
    if cell < 64:
        return low >> np.uint64(cell) & ONE != EMPTY
    return high >> np.uint64(cell - 64) & ONE != EMPTY


@njit(cache=True)
def _widened(rules, cells, left, right):
    """A set with all cells beside it; ``left`` and ``right`` are the outer columns."""
    low, high = cells
    row, rest = np.uint64(rules.columns), np.uint64(64 - rules.columns)
    west, west_high = low & ~left[0], high & ~left[1]
    east, east_high = low & ~right[0], high & ~right[1]
    wide = low | low << row | low >> row | high << rest
    wide |= west >> ONE | west_high << _63 | east << ONE
    wide_high = high | high << row | low >> rest | high >> row
    wide_high |= west_high >> ONE | east_high << ONE | east >> _63
    return wide, wide_high


@njit(cache=True)
def walk(rules, s, wanted, avoided):
    """The first step to the nearest coin of the colours ``wanted``, around those ``avoided``.

    The other players stand in the way. Among shortest walks the lowest action is taken; without
    any way the player stands.
    """
    columns, here = rules.columns, np.int64(s.where[s.player])
    reached = free = left = right = (EMPTY, EMPTY)
    for cell in range(rules.rows * columns):
        coin = s.coins[cell]
        if coin != NONE and wanted >> coin & 1:
            reached = _with(reached, cell)
        if coin == NONE or not avoided >> coin & 1:
            free = _with(free, cell)
        if cell % columns == 0:
            left = _with(left, cell)
        if cell % columns == columns - 1:
            right = _with(right, cell)
    for seat in range(rules.num_players):
        one = _with((EMPTY, EMPTY), np.int64(s.where[seat]))
        free = free[0] & ~one[0], free[1] & ~one[1]
    # The cells that are ever more steps from a coin, until they come to the player.
    while True:
        for action in range(STAND):
            cell = beside(rules, here, action)
            if cell != NONE and _has(reached, cell):
                return action
        wide = _widened(rules, reached, left, right)
        wide = wide[0] & free[0] | reached[0], wide[1] & free[1] | reached[1]
        if wide[0] == reached[0] and wide[1] == reached[1]:
            return STAND
        reached = wide


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return rule(rules, s, legal, n, INFER)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``."""
    wanted = wanted_colours(rules, s, s.player, which)
    return walk(rules, s, wanted, ~wanted)


# --- the evaluator -------------------------------------------------------------------------------


@njit(cache=True)
def _moves_left(rules, s, seat):
    """How many moves a seat still has."""
    before = (seat - s.player) % rules.num_players
    left = rules.length - s.moves - before
    return max(0, (left + rules.num_players - 1) // rules.num_players)


@njit(cache=True)
def _nearest(rules, here, coins):
    """(cell, steps) of the coin of a set that is nearest to a cell, nothing being in the way."""
    row, column = here // rules.columns, here % rules.columns
    best, least = NONE, rules.rows + rules.columns
    for half in range(2):
        left = coins[half]
        while left:
            cell = 64 * half + lowest(left)
            left &= left - ONE
            steps = abs(cell // rules.columns - row) + abs(cell % rules.columns - column)
            if steps < least:
                best, least = cell, steps
    return best, least


@njit(cache=True)
def evaluate(rules, s, out):
    """What comes of it if every player goes on to the nearest coins of all goals, as they are.

    Seat by seat, nothing being in the way: coins within the moves that a seat has left.
    """
    if s.moves == rules.length:
        returns(rules, s, out)
        return
    coins, counts = (EMPTY, EMPTY), 0  # of each colour five bits
    for cell in range(rules.rows * rules.columns):
        if s.coins[cell] != NONE and is_goal(rules, s, s.coins[cell]):
            coins = _with(coins, cell)
    for colour in range(rules.colours):
        counts += taken_of(rules, s, colour) << 5 * colour
    for offset in range(rules.num_players):
        seat = (s.player + offset) % rules.num_players
        here, moves = np.int64(s.where[seat]), _moves_left(rules, s, seat)
        while True:
            cell, steps = _nearest(rules, here, coins)
            if cell == NONE or steps > moves:
                break
            one = _with((EMPTY, EMPTY), cell)
            coins = coins[0] & ~one[0], coins[1] & ~one[1]
            counts += 1 << 5 * s.coins[cell]
            here = cell
            moves -= steps
    good = bad = 0
    for colour in range(rules.colours):
        if is_goal(rules, s, colour):
            good += counts >> 5 * colour & 31
        else:
            bad += counts >> 5 * colour & 31
    for seat in range(rules.num_players):
        own = counts >> 5 * s.goals[seat] & 31
        out[seat] = own * own + (good - own) * (good - own) - bad * bad


LADDER = Ladder(
    "coin_game/ladder-v1",
    (("random",), ("rule:any",), ("rule:own",), ("heuristic",), ("mcts:1000",)),
    measure="score",
    least=-16.0,
)
