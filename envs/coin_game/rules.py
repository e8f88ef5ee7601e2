"""The rules of the coin game as kernel functions.

Cells count row by row from the top left, ``row * columns + column``. A colour is a number from 0;
which are goals is in ``goals``, by seat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

MAX_PLAYERS, MAX_COLOURS, MAX_CELLS = 4, 7, 100
RECENT = 5
"""How many of the last moves a state holds."""
NONE = -1
"""No coin on a cell, or no move yet."""
UP, DOWN, LEFT, RIGHT, STAND = range(5)

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("last", "i2"),  # the last action; -1 before the first
        ("coins", "i1", MAX_CELLS),  # by cell, the colour of the coin there
        ("goals", "i1", MAX_PLAYERS),  # by seat, a colour
        ("where", "i1", MAX_PLAYERS),  # by seat, a cell
        ("taken", "i1", (MAX_PLAYERS, MAX_COLOURS)),  # by seat and colour, how many
        ("recent", "i1", RECENT),  # the last actions of all seats, the latest last
        ("moves", "i1"),  # made so far
        ("player", "i1"),
    ],
    align=True,
)


@sizes(
    actions=5,
    observation=lambda rules: (
        rules.rows,
        rules.columns,
        rules.num_players + rules.colours + rules.num_players * rules.colours + 1,
    ),
    decisions=lambda rules: rules.length,
    high=lambda rules: max(rules.coins, rules.length),
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        num_players: 2 .. 4. rows, columns: 3 .. 10.
        colours: of coins, at least as many as players. coins: of each colour.
        length: moves of a game. told: 1 if every seat is told the goals of all.
    """

    num_players: int
    rows: int
    columns: int
    colours: int
    coins: int
    length: int
    told: int


def make_rules(
    players: int, rows: int, columns: int, extra_colours: int, coins: int, length: int, goals: str
) -> Rules:
    """Rules from the options as people write them; see the package's docstring.

    Raises:
        ValueError: players and coins do not fit on the board.
    """
    colours = players + extra_colours
    needed = players + colours * coins
    if needed > rows * columns:
        raise ValueError(
            f"coin_game: {players} players and {colours * coins} coins ({colours} colours of "
            f"{coins}) need {needed} cells, and {rows} x {columns} has {rows * columns}"
        )
    return Rules(players, rows, columns, colours, coins, length, int(goals == "all"))


@njit(cache=True)
def _is_taken(rules, s, cell, placed):
    """Whether a coin or one of the first ``placed`` seats is on a cell."""
    if s.coins[cell] != NONE:
        return True
    for seat in range(placed):
        if s.where[seat] == cell:
            return True
    return False


@njit(cache=True)
def _draw_cell(rules, s, placed):
    """A uniform free cell."""
    cells = rules.rows * rules.columns
    cell = random_below(s, cells)
    while _is_taken(rules, s, cell, placed):
        cell = random_below(s, cells)
    return cell


@njit(cache=True)
def _draw_goals(rules, s, player):
    """Give every seat but ``player`` a goal, uniform over what is left of the colours."""
    given = 0 if player == NONE else 1 << s.goals[player]
    left = rules.colours - (player != NONE)
    for seat in range(rules.num_players):
        if seat == player:
            continue
        skip = random_below(s, left)
        colour = 0
        while given >> colour & 1 or skip > 0:
            skip -= 1 - (given >> colour & 1)
            colour += 1
        s.goals[seat] = colour
        given |= 1 << colour
        left -= 1


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    for cell in range(MAX_CELLS):
        s.coins[cell] = NONE
    for seat in range(MAX_PLAYERS):
        s.goals[seat] = s.where[seat] = NONE
        for colour in range(MAX_COLOURS):
            s.taken[seat, colour] = 0
    for k in range(RECENT):
        s.recent[k] = NONE
    s.last = NONE
    s.moves = 0
    s.player = 0
    _draw_goals(rules, s, NONE)
    for seat in range(rules.num_players):
        s.where[seat] = _draw_cell(rules, s, seat)
    for colour in range(rules.colours):
        for _ in range(rules.coins):
            s.coins[_draw_cell(rules, s, rules.num_players)] = colour


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.moves == rules.length else np.int64(s.player)


@njit(cache=True)
def legal_actions(rules, s, out):
    """All five, always."""
    for action in range(5):
        out[action] = action
    return 5


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    return 0 <= action < 5 and s.moves < rules.length


@njit(cache=True)
def beside(rules, cell, action):
    """The cell that an action leads to from a cell; ``NONE`` off the board."""
    row, column = cell // rules.columns, cell % rules.columns
    row += (action == DOWN) - (action == UP)
    column += (action == RIGHT) - (action == LEFT)
    if 0 <= row < rules.rows and 0 <= column < rules.columns:
        return row * rules.columns + column
    return NONE


@njit(cache=True)
def goes_to(rules, s, action):
    """Where the seat to move is after an action: where it was if it bumps into something."""
    here = np.int64(s.where[s.player])
    cell = beside(rules, here, action)
    if cell == NONE:
        return here
    for seat in range(rules.num_players):
        if s.where[seat] == cell:
            return here
    return cell


@njit(cache=True)
def step(rules, s, action):
    cell = goes_to(rules, s, action)
    s.where[s.player] = cell
    if s.coins[cell] != NONE:
        s.taken[s.player, s.coins[cell]] += 1
        s.coins[cell] = NONE
    for k in range(RECENT - 1):
        s.recent[k] = s.recent[k + 1]
    s.recent[RECENT - 1] = action
    s.last = action
    s.moves += 1
    s.player += 1
    if s.player == rules.num_players:
        s.player = 0


@njit(cache=True)
def taken_of(rules, s, colour):
    """How many coins of a colour all seats together have taken."""
    n = 0
    for seat in range(rules.num_players):
        n += s.taken[seat, colour]
    return n


@njit(cache=True)
def is_goal(rules, s, colour):
    """Whether a colour is somebody's goal."""
    for seat in range(rules.num_players):
        if s.goals[seat] == colour:
            return True
    return False


@njit(cache=True)
def returns(rules, s, out):
    """0 until the end: what is counted then tells the goals."""
    good = bad = 0
    for colour in range(rules.colours):
        if is_goal(rules, s, colour):
            good += taken_of(rules, s, colour)
        else:
            bad += taken_of(rules, s, colour)
    for seat in range(rules.num_players):
        own = taken_of(rules, s, s.goals[seat])
        out[seat] = 0.0
        if s.moves == rules.length:
            out[seat] = own * own + (good - own) * (good - own) - bad * bad


@njit(cache=True)
def place_of(rules, s, player, colour):
    """The place of a colour among an observer's planes: its goals first, the others in order."""
    first = rules.num_players if rules.told else 1
    place = first + colour
    for offset in range(first):
        goal = s.goals[(player + offset) % rules.num_players]
        if goal == colour:
            return offset
        place -= goal < colour
    return place


@njit(cache=True)
def observe(rules, s, player, out):
    """Seats, coins, what was taken and the moves left; see the package's docstring."""
    seats, colours = rules.num_players, rules.colours
    counts = seats + colours
    planes = counts + seats * colours + 1
    # What is the same on all cells is written to the first and then copied, cell by cell.
    for offset in range(seats):
        seat = (player + offset) % seats
        for colour in range(colours):
            plane = counts + offset * colours + place_of(rules, s, player, colour)
            out[0, 0, plane] = s.taken[seat, colour]
    out[0, 0, planes - 1] = rules.length - s.moves
    for row in range(rules.rows):
        for column in range(rules.columns):
            for plane in range(counts):
                out[row, column, plane] = 0
            for plane in range(counts, planes):
                out[row, column, plane] = out[0, 0, plane]
            coin = s.coins[row * rules.columns + column]
            if coin != NONE:
                out[row, column, seats + place_of(rules, s, player, coin)] = 1
    for offset in range(seats):
        cell = s.where[(player + offset) % seats]
        out[cell // rules.columns, cell % rules.columns, offset] = 1


@njit(cache=True)
def determinize(rules, s, player):
    """Redraw the other seats' goals, uniform over distinct colours that are not the player's."""
    if not rules.told:
        _draw_goals(rules, s, player)
