"""The rules of Stratego as kernel functions.

A seat counts cells from its own back row, ``columns * row + column``: for seat 0 that is the
absolute cell, for seat 1 the last cell minus it. Pieces have numbers, 0 to 39 of seat 0 and 40 to
79 of seat 1, by their home cells in the seat's own order; who a piece is, is public, what kind it
is, is not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, TRUNCATED, seed_rng, sizes, winner_takes
from stratagym.envs.stratego.boards import (
    BOARDS,
    BOMB,
    FLAG,
    KINDS,
    MARSHAL,
    MINER,
    MOST_CELLS,
    MOST_PIECES,
    SCOUT,
    SPY,
    packed,
)
from stratagym.envs.stratego.dealing import (
    BACK_ROWS,
    FIXED,
    HUMAN,
    PLACE,
    RANDOM,
    SCENES,
    clear_seat,
    count_of,
    put_piece,
    redraw,
    set_up,
    total_of,
)
from stratagym.envs.stratego.moves import (
    cell_of,
    flip_piece,
    has_move,
    is_move,
    list_moves,
    moves_from,
)
from stratagym.envs.stratego.observation import PLANES, RECENT, write_planes
from stratagym.envs.stratego.repetition import (
    AS_STRATEGO_ENV,
    FIVE,
    HISTORY,
    KIND_CHASE,
    NO_CHASE,
    NO_TWO_SQUARE,
    PIECES,
    THREE,
    forget,
    note_chase,
    piece_key,
    remember,
)

PLACING, PLAYING = 0, 1
RUNNING, FLAG_TAKEN, STUCK, BOTH_STUCK, MAX_MOVES, NO_ATTACK = 0, 1, 2, 3, 4, 5
"""How a game ended."""
NOBODY = -1

SETUPS = {"place": PLACE, "human": HUMAN, "random": RANDOM, "fixed": FIXED, "scene": SCENES}
TWO_SQUARES = {
    "three": THREE, "five": FIVE, "stratego_env": AS_STRATEGO_ENV, "none": NO_TWO_SQUARE,
}  # fmt: skip
CHASES = {"pieces": PIECES, "kinds": KIND_CHASE, "none": NO_CHASE}

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("hash", "u8"),  # of who stands where
        ("own", "u8", (2, 2, 2)),  # sets of cells: see ``moves``
        ("movers", "u8", (2, 2)),
        ("scouts", "u8", (2, 2)),
        ("left", "i8"),  # while placing: what the seat to move still has, packed
        ("hist", "u8", (HISTORY,)),  # see ``repetition``
        ("ply", "i4"),  # moves of both seats since the setups were complete
        ("since", "i2"),  # plies since the last attack
        ("chase", "i2", (2,)),
        ("board", "i1", (MOST_CELLS,)),  # by absolute cell: a piece's number + 1, 0 for none
        ("kind", "i1", (2 * MOST_PIECES,)),  # of every piece, the lost ones too; 0: no such piece
        ("pos", "i1", (2 * MOST_PIECES,)),  # absolute cell; -1: lost
        ("home", "i1", (2 * MOST_PIECES,)),  # absolute cell where it was set up; -1: no such piece
        ("shown", "u1", (2 * MOST_PIECES,)),  # whether the other seat knows its kind
        ("moved", "u1", (2 * MOST_PIECES,)),
        ("ts", "i1", (2, 4)),  # see ``repetition``
        ("last", "i1", (2, 2)),  # absolute cells of each seat's last move: from, to
        # Absolute cells from and to, the attacker's kind and the one attacked, 0 of a quiet move;
        # move number k of the game is at k % RECENT.
        ("recent", "i1", (RECENT, 4)),
        ("placed", "i1", (2,)),  # pieces that each seat has set up
        ("cell", "i1"),  # while placing: the home cell that is next
        ("phase", "i1"),
        ("player", "i1"),
        ("over", "i1"),
        ("winner", "i1"),
    ],
    align=True,
)


def _placings(rules):
    return KINDS + 1 if rules.setup == PLACE else 0


@sizes(
    actions=lambda rules: (
        rules.rows * rules.columns * (rules.rows + rules.columns - 2) + _placings(rules)
    ),
    observation=lambda rules: (PLANES, rules.rows, rules.columns),
    decisions=lambda rules: (
        rules.max_moves + (2 * rules.home_rows * rules.columns if rules.setup == PLACE else 0)
    ),
    high=100,
    low=-128,
)
class Rules(NamedTuple):
    """The options in force.

    Attributes:
        lakes: the set of lakes, all among cells 0 to 62. pieces: a seat's, packed.
        humans: the row of ``setups.HUMAN_COUNTS``. The others are as the options, in numbers.
    """

    rows: int
    columns: int
    home_rows: int
    lakes: int
    pieces: int
    humans: int
    setup: int
    back_two: int
    two_square: int
    chase: int
    no_attack: int
    max_moves: int
    mover_wins: int
    num_players: int = 2


def make_rules(
    board: str = "classic",
    setup: str = "place",
    flag_rows: str = "any",
    two_square: str = "three",
    chase: str = "pieces",
    no_attack: int = 200,
    max_moves: int = 0,
    both_stuck: str = "draw",
) -> Rules:
    """The rules in force; the options are described in the package's docstring.

    Raises:
        ValueError: a setup that there is not for the board, or a flag's rows with a fixed setup.
    """
    facts = BOARDS[board]
    if setup == "human" and facts.humans < 0:
        raise ValueError(f"stratego: setup=human needs board=classic or barrage, not {board}")
    if setup in ("fixed", "scene"):
        if board != "classic":
            raise ValueError(f"stratego: setup={setup} needs board=classic, not {board}")
        if flag_rows != "any":
            raise ValueError(f"stratego: setup={setup} has the flag where it is: flag_rows=any")
    return Rules(
        facts.rows,
        facts.columns,
        facts.home_rows,
        sum(1 << cell for cell in facts.lakes),
        packed(facts.pieces),
        facts.humans,
        SETUPS[setup],
        int(flag_rows == "back_two"),
        TWO_SQUARES[two_square],
        CHASES[chase],
        no_attack,
        max_moves or facts.max_moves,
        int(both_stuck == "mover_wins"),
    )


@njit(cache=True)
def first_placing(rules):
    """The action that leaves a home cell empty; those that place kinds 1 to 12 follow."""
    return rules.rows * rules.columns * (rules.rows + rules.columns - 2)


@njit(cache=True)
def clear(rules, s):
    """An empty board, before anything is set up."""
    s.hash = 0
    s.left = rules.pieces
    for k in range(HISTORY):
        s.hist[k] = 0
    s.ply = 0
    s.since = 0
    for cell in range(MOST_CELLS):
        s.board[cell] = -1 if cell < 63 and rules.lakes >> cell & 1 else 0
    for seat in range(2):
        for k in range(MOST_PIECES):
            s.pos[MOST_PIECES * seat + k] = -1
        clear_seat(rules, s, seat)
        forget(s, seat)
        s.chase[seat] = 0
        s.last[seat, 0] = -1
        s.last[seat, 1] = -1
    for k in range(RECENT):
        for part in range(4):
            s.recent[k, part] = 0
    s.cell = 0
    s.phase = PLACING
    s.player = 0
    s.over = RUNNING
    s.winner = NOBODY


@njit(cache=True)
def begin(rules, s):
    """Begin to play once both seats are set up; the seat ``s.player`` moves first."""
    s.phase = PLAYING
    s.cell = 0
    s.left = 0
    s.hash = 0
    for piece in range(2 * MOST_PIECES):
        if s.pos[piece] >= 0:
            s.hash ^= piece_key(rules, s, piece, s.pos[piece])
    s.hist[0] = s.hash
    _look_for_stuck(rules, s)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    clear(rules, s)
    if rules.setup != PLACE:
        set_up(rules, s, 0)
        set_up(rules, s, 1)
        begin(rules, s)


@njit(cache=True)
def current_player(rules, s):
    if s.over == RUNNING:
        return np.int64(s.player)
    return TRUNCATED if s.over == MAX_MOVES else TERMINAL


@njit(cache=True)
def may_place(rules, s, kind):
    """Whether the next home cell may get a kind, or with 0 nothing."""
    left = s.left
    cells = rules.home_rows * rules.columns - s.cell
    if kind == 0:
        if cells <= total_of(left):
            return False
    elif count_of(left, kind) == 0:
        return False
    if rules.back_two and count_of(left, FLAG) and rules.home_rows >= BACK_ROWS:
        # Before its last cell comes, anything may be placed; the flag must not be too late.
        return kind == FLAG or s.cell != BACK_ROWS * rules.columns - 1
    return True


@njit(cache=True)
def legal_actions(rules, s, out):
    if s.phase == PLAYING:
        return list_moves(rules, s, np.int64(s.player), out)
    n, first = 0, first_placing(rules)
    for kind in range(KINDS + 1):
        out[n] = first + kind
        n += may_place(rules, s, kind)
    return n


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    first = first_placing(rules)
    if s.over != RUNNING or action < 0:
        return False
    if s.phase == PLACING:
        return first <= action <= first + KINDS and may_place(rules, s, action - first)
    return action < first and is_move(rules, s, np.int64(s.player), action)


@njit(cache=True)
def beats(attacker, defender):
    """What comes of an attack: 1 the attacker wins, -1 it is lost, 0 both are."""
    if defender == FLAG:
        return 1
    if defender == BOMB:
        return 1 if attacker == MINER else -1
    if attacker == SPY and defender == MARSHAL:
        return 1
    return 1 if attacker > defender else -1 if attacker < defender else 0


@njit(cache=True)
def _lose(rules, s, piece):
    """Take a piece off the board."""
    cell, seat = np.int64(s.pos[piece]), np.int64(piece >= MOST_PIECES)
    s.hash ^= piece_key(rules, s, piece, cell)
    flip_piece(rules, s, seat, cell, s.kind[piece])
    s.board[cell] = 0
    s.pos[piece] = -1
    if cell_of(rules, seat, cell) == s.ts[seat, 0] and rules.two_square != AS_STRATEGO_ENV:
        forget(s, seat)


@njit(cache=True)
def _move(rules, s, piece, start, end):
    """Put a piece on another absolute cell, which is empty."""
    seat = np.int64(piece >= MOST_PIECES)
    s.hash ^= piece_key(rules, s, piece, start) ^ piece_key(rules, s, piece, end)
    flip_piece(rules, s, seat, start, s.kind[piece])
    flip_piece(rules, s, seat, end, s.kind[piece])
    s.board[start] = 0
    s.board[end] = piece + 1
    s.pos[piece] = end


@njit(cache=True)
def _end(s, how, winner):
    s.over = how
    s.winner = winner


@njit(cache=True)
def _look_for_stuck(rules, s):
    """End the game if the seat to move has no legal move."""
    seat = np.int64(s.player)
    if has_move(rules, s, seat):
        return
    if has_move(rules, s, 1 - seat):
        _end(s, STUCK, 1 - seat)
    else:
        _end(s, BOTH_STUCK, 1 - seat if rules.mover_wins else NOBODY)


@njit(cache=True)
def _place(rules, s, kind):
    seat = np.int64(s.player)
    if kind:
        put_piece(rules, s, seat, cell_of(rules, seat, s.cell), kind)
        s.left -= 1 << 4 * kind
    s.cell += 1
    if s.cell == rules.home_rows * rules.columns:
        s.cell = 0
        s.left = rules.pieces
        s.player = 1 - seat
        if seat == 1:
            begin(rules, s)


@njit(cache=True)
def step(rules, s, action):
    if s.phase == PLACING:
        _place(rules, s, action - first_placing(rules))
        return
    seat = np.int64(s.player)
    source, target = moves_from(rules, action)
    start, end = cell_of(rules, seat, source), cell_of(rules, seat, target)
    piece, other = np.int64(s.board[start]) - 1, np.int64(s.board[end]) - 1
    attacks = other >= 0
    kind, enemy = np.int64(s.kind[piece]), 0
    remember(rules, s, seat, source, target, attacks)
    s.moved[piece] = 1
    s.since += 1
    if attacks:
        enemy = np.int64(s.kind[other])
        s.shown[piece] = 1
        s.shown[other] = 1
        s.since = 0
        result = beats(kind, enemy)
        if result >= 0:
            _lose(rules, s, other)
        if result > 0:
            _move(rules, s, piece, start, end)
        else:
            _lose(rules, s, piece)
            if rules.two_square != AS_STRATEGO_ENV:
                forget(s, seat)
    else:
        if kind == SCOUT and abs(source - target) != 1 and abs(source - target) != rules.columns:
            s.shown[piece] = 1
        _move(rules, s, piece, start, end)
    at = s.ply % RECENT
    s.recent[at, 0] = start
    s.recent[at, 1] = end
    s.recent[at, 2] = kind if attacks else 0
    s.recent[at, 3] = enemy
    if rules.chase != NO_CHASE:
        note_chase(rules, s, seat, start, end, attacks)
    s.ply += 1
    s.hist[s.ply % HISTORY] = s.hash
    s.player = 1 - seat
    if enemy == FLAG:
        _end(s, FLAG_TAKEN, seat)
        return
    _look_for_stuck(rules, s)
    if s.over == RUNNING:
        if s.ply >= rules.max_moves:
            _end(s, MAX_MOVES, NOBODY)
        elif rules.no_attack and s.since >= rules.no_attack:
            _end(s, NO_ATTACK, NOBODY)


@njit(cache=True)
def returns(rules, s, out):
    winner_takes(s.winner, out)


@njit(cache=True)
def observe(rules, s, player, out):
    """The planes that the package's docstring lists."""
    write_planes(rules, s, player, out)


@njit(cache=True)
def determinize(rules, s, player):
    """Redraw the kinds of the enemy's hidden pieces, uniformly over what agrees with all that
    ``player`` saw: which kinds are left, which pieces have moved, and which kinds are public.

    While a seat is placing, the enemy's setup is redrawn, as far as it has got. If the enemy is to
    move and the pieces as drawn could not, they are drawn again.
    """
    redraw(rules, s, player)
