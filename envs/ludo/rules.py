"""The rules of Ludo on the board of LudoBench, as kernel functions.

A piece is stored by its steps from its player's start square:

    BASE -1     not yet in play; enters on a six, at step 0
    0 .. 51     on the main track, on absolute square (start + steps) mod 52
    52          does not exist: a move may not end there
    53 .. 58    home cells 1 .. 6; 58, the last, is FINISHED

The main track and the start squares (player's colour: start), safe squares in brackets:

    colour 0:  [0]  1  2  3  4  5  6  7 [8]  9 10 11 12     right arm's turn to the next start
    colour 1: [13] 14 15 16 17 18 19 20 [21] 22 23 24 25
    colour 2: [26] 27 28 29 30 31 32 33 [34] 35 36 37 38
    colour 3: [39] 40 41 42 43 44 45 46 [47] 48 49 50 51
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import CHANCE, TERMINAL, TRUNCATED, seed_rng, sizes

PIECES = 4
TRACK = 52
BASE = -1
FINISHED = 58
NO_WINNER = -1
FORBIDDEN = -2
"""``destination``'s answer when the path itself forbids the move (base, overshoot, step 52)."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("rolls", "i4"),  # dice thrown so far
        ("steps", "i1", (4, PIECES)),  # by player, then piece
        ("player", "i1"),  # whose turn it is
        ("dice", "i1"),  # 0 before the throw
        ("winner", "i1"),
        # The last move: one more than 4 * player + piece (0: none yet), and its steps before.
        ("last_moved", "i1"),
        ("last_from", "i1"),
    ],
    align=True,
)


@sizes(
    actions=PIECES,
    observation=lambda rules: (PIECES + rules.num_players, FINISHED + 1),
    high=PIECES,
    decisions=lambda rules: rules.max_rolls,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        num_players: 2 .. 4.
        seating: each player's colour in turn order, two bits each, the first player's lowest.
        stack_safe: 1 lets own pieces share safe squares and home cells, 0 only the last home cell.
        exact_home: 1 lets a piece inside the home path move only if it finishes.
        max_rolls: throws after which the game is stopped without a winner.
    """

    num_players: int
    seating: int
    stack_safe: int
    exact_home: int
    max_rolls: int

    @property
    def colours(self) -> tuple[int, ...]:
        """Board colour (0 .. 3) of each player."""
        return tuple(self.seating >> 2 * player & 3 for player in range(self.num_players))

    @property
    def starts(self) -> tuple[int, ...]:
        """Start square of each player."""
        return tuple(13 * colour for colour in self.colours)


def make_rules(
    players: int, seats: tuple[int, ...] | None, stacking: str, home: str, max_rolls: int
) -> Rules:
    """Rules from the options as people write them; see the package's docstring.

    Raises:
        ValueError: ``seats`` does not name as many colours as there are players.
    """
    colours = tuple(range(players)) if seats is None else seats
    if len(colours) != players:
        raise ValueError(
            f"ludo: seats={'+'.join(map(str, colours))} names {len(colours)} colours "
            f"for players={players}; name one colour a player"
        )
    seating = sum(colour << 2 * player for player, colour in enumerate(colours))
    return Rules(players, seating, int(stacking == "safe"), int(home == "exact"), max_rolls)


SAFE = sum(1 << square for square in (0, 8, 13, 21, 26, 34, 39, 47))


@njit(cache=True)
def is_safe(square):
    """Whether a main-track square is safe."""
    return (SAFE >> square) & 1 == 1


@njit(cache=True)
def colour_of(rules, player):
    """Board colour (0 .. 3) of a player."""
    return (rules.seating >> 2 * player) & 3


@njit(cache=True)
def square_at(rules, player, steps):
    """Main-track square of a player's piece at ``steps`` (0 .. 51)."""
    square = 13 * colour_of(rules, player) + steps
    return square - TRACK if square >= TRACK else square


@njit(cache=True)
def steps_to(rules, player, square):
    """Steps at which a player's piece stands on a main-track square."""
    steps = square - 13 * colour_of(rules, player)
    return steps + TRACK if steps < 0 else steps


@njit(cache=True)
def position(rules, player, steps):
    """The paper's position number: -1 in base, 0-51 on the track, 52+6c .. 57+6c at home."""
    if steps == BASE:
        return BASE
    if steps < TRACK:
        return square_at(rules, player, steps)
    return TRACK + 6 * colour_of(rules, player) + steps - 53


@njit(cache=True)
def steps_at(rules, player, position):
    """The inverse of ``position``; ``FORBIDDEN`` for a number that is not that player's."""
    if position == BASE:
        return BASE
    if 0 <= position < TRACK:
        return steps_to(rules, player, position)
    cell = position - TRACK - 6 * colour_of(rules, player)
    return 53 + cell if 0 <= cell < 6 else FORBIDDEN


@njit(cache=True)
def destination(rules, steps, dice):
    """Steps after moving a piece that stands at ``steps``, or ``FORBIDDEN``."""
    if steps == BASE:
        return 0 if dice == 6 else FORBIDDEN
    target = steps + dice
    if target > FINISHED or target == TRACK:
        return FORBIDDEN
    if rules.exact_home and steps > TRACK and target != FINISHED:
        return FORBIDDEN
    return target


@njit(cache=True)
def is_blocked(rules, s, player, target):
    """Whether a piece of the player's own forbids moving to ``target`` steps."""
    if target == FINISHED:
        return False
    if rules.stack_safe and (target > TRACK or is_safe(square_at(rules, player, target))):
        return False
    for piece in range(PIECES):
        if s.steps[player, piece] == target:
            return True
    return False


@njit(cache=True)
def is_legal(rules, s, player, piece):
    """Whether the player may move this piece by the dice that was thrown."""
    target = destination(rules, s.steps[player, piece], s.dice)
    return target != FORBIDDEN and not is_blocked(rules, s, player, target)


@njit(cache=True)
def captures(rules, s, player, target):
    """How many opposing pieces a move to ``target`` steps would send back to base."""
    if target >= TRACK:
        return 0
    square = square_at(rules, player, target)
    if is_safe(square):
        return 0
    count = 0
    for other in range(rules.num_players):
        if other != player:
            met = steps_to(rules, other, square)
            for piece in range(PIECES):
                count += s.steps[other, piece] == met
    return count


@njit(cache=True)
def _end_roll(rules, s, again):
    """Pass the dice on, or to the same player again after a six."""
    if not again:
        s.player = s.player + 1 if s.player + 1 < rules.num_players else 0
    s.dice = 0


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.rolls = 0
    s.steps[:, :] = BASE
    s.player = 0
    s.dice = 0
    s.winner = NO_WINNER
    s.last_moved = 0
    s.last_from = BASE


@njit(cache=True)
def current_player(rules, s):
    if s.dice > 0:
        return s.player
    if s.winner != NO_WINNER:
        return TERMINAL
    if s.rolls >= rules.max_rolls:
        return TRUNCATED
    return CHANCE


@njit(cache=True)
def chance_outcomes(rules, s, probs):
    probs[:6] = 1.0 / 6.0
    return 6


@njit(cache=True)
def apply_chance(rules, s, outcome):
    """Throw the dice; a player who cannot move is not asked."""
    s.dice = outcome + 1
    s.rolls += 1
    for piece in range(PIECES):
        if is_legal(rules, s, s.player, piece):
            return
    _end_roll(rules, s, s.dice == 6)


@njit(cache=True)
def legal_actions(rules, s, out):
    """Action ``k`` moves piece ``k``."""
    n = 0
    for piece in range(PIECES):
        if is_legal(rules, s, s.player, piece):
            out[n] = piece
            n += 1
    return n


@njit(cache=True)
def step(rules, s, action):
    player = s.player
    target = destination(rules, s.steps[player, action], s.dice)
    if captures(rules, s, player, target) > 0:
        square = square_at(rules, player, target)
        for other in range(rules.num_players):
            if other != player:
                met = steps_to(rules, other, square)
                for piece in range(PIECES):
                    if s.steps[other, piece] == met:
                        s.steps[other, piece] = BASE
    s.last_moved = 4 * player + action + 1
    s.last_from = s.steps[player, action]
    s.steps[player, action] = target
    if target == FINISHED:
        home = 0
        for piece in range(PIECES):
            home += s.steps[player, piece] == FINISHED
        if home == PIECES:
            s.winner = player
    _end_roll(rules, s, s.dice == 6)


@njit(cache=True)
def returns(rules, s, out):
    """The winner +1, the others -1 / (n - 1) each; 0 for all until then and without a winner."""
    for player in range(rules.num_players):
        if s.winner == NO_WINNER:
            out[player] = 0.0
        else:
            out[player] = 1.0 if s.winner == player else -1.0 / (rules.num_players - 1)


@njit(cache=True)
def observe(rules, s, player, out):
    """Rows by piece, then by opponent, then the dice; see the package's docstring."""
    out[:, :] = 0
    for piece in range(PIECES):
        out[piece, _column(s.steps[player, piece])] = 1
    for k in range(1, rules.num_players):
        other = (player + k) % rules.num_players
        for piece in range(PIECES):
            steps = s.steps[other, piece]
            if 0 <= steps < TRACK:
                steps = steps_to(rules, player, square_at(rules, other, steps))
            out[PIECES - 1 + k, _column(steps)] += 1
    if s.dice > 0:
        out[PIECES - 1 + rules.num_players, s.dice - 1] = 1


@njit(cache=True)
def _column(steps):
    """Column of a piece: 0 base, 1-52 track from the observer's start, 53-58 home."""
    return steps + 1 if steps < TRACK else steps
