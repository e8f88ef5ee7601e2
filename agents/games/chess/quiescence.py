"""What a chess position is worth once captures are played out, for Monte Carlo tree search.

Quiescence by itself, on boards without a game's history: several times as fast as a search to
depth 0 that keeps whole games.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.chess.evaluation import estimate
from stratagym.agents.games.chess.ordering import EXCHANGE, exchange_gains, gain_of, squares_of
from stratagym.envs.chess.captures import legal_captures
from stratagym.envs.chess.moves import BOARD, MAX_MOVES, is_check, legal_moves, push
from stratagym.envs.chess.tables import UNDERPROMOTION

LEVELS = 24
MATE = np.int64(30_000)
_SLACK = 180
"""What a capture may gain beyond the piece, by where the pieces then stand."""
_CHECKED = 1
"""Levels at which every way out of a check is looked at; below, a check is like any position."""
_ALPHA, _BETA, _BEST, _NEXT, _COUNT = range(5)


def memory() -> tuple[np.ndarray, ...]:
    """(boards, moves, order, nodes), one row a level."""
    return (
        np.zeros(LEVELS, BOARD),
        np.zeros((LEVELS, MAX_MOVES), np.int64),
        np.zeros((LEVELS, MAX_MOVES), np.int64),
        np.zeros((LEVELS, 5), np.int64),
    )


@njit(cache=True)
def _copy(b, s):
    b.white, b.black, b.pawns, b.knights = s.white, s.black, s.pawns, s.knights
    b.bishops, b.rooks, b.queens, b.kings = s.bishops, s.rooks, s.queens, s.kings
    b.hash, b.fullmove_number, b.halfmove_clock = s.hash, s.fullmove_number, s.halfmove_clock
    b.castling, b.ep_square, b.turn = s.castling, s.ep_square, s.turn


@njit(cache=True)
def _victims(b, wanted):
    """The pieces whose capture may gain ``wanted`` centipawns."""
    found = b.queens
    if EXCHANGE[3] + _SLACK >= wanted:
        found |= b.rooks
    if EXCHANGE[2] + _SLACK >= wanted:
        found |= b.bishops
    if EXCHANGE[1] + _SLACK >= wanted:
        found |= b.knights
    if EXCHANGE[0] + _SLACK >= wanted:
        found |= b.pawns
    return found


@njit(cache=True)
def _forcing(b, wanted, out, order):
    """Captures and promotions that lose nothing in the exchange and may gain enough."""
    n = legal_captures(b, _victims(b, wanted), out)
    kept = 0
    for k in range(n):
        action = out[k]
        here, there, plane = squares_of(b, action)
        kind, becomes, gain = gain_of(b, action, here, there, plane)
        if gain + _SLACK < wanted:
            continue
        if gain >= EXCHANGE[becomes] or exchange_gains(b, here, there, gain, becomes, 0):
            out[kept] = action
            order[kept] = 8 * gain - kind
            kept += 1
    return kept


@njit(cache=True)
def _evasions(b, out, order):
    """All legal moves out of a check; captures first."""
    n = legal_moves(b, out)
    for k in range(n):
        here, there, plane = squares_of(b, out[k])
        kind, _, gain = gain_of(b, out[k], here, there, plane)
        order[k] = -10_000 if plane >= UNDERPROMOTION else 8 * gain - kind
    return n


@njit(cache=True)
def settle(rules, s, alpha, beta, memory, scratch):
    """The value in centipawns for the side to move; outside the window it may be a bound.

    In check, at first, every move is looked at, and a mate seen; else captures that lose nothing.
    """
    boards, moves, order, nodes = memory
    last = boards.shape[0] - 1
    _copy(boards[0], s)
    nodes[0, _ALPHA], nodes[0, _BETA] = alpha, beta
    level, opening = 0, True
    while True:
        node = nodes[level]
        if opening:
            opening = False
            b = boards[level]
            node[_NEXT] = node[_COUNT] = 0
            if level < _CHECKED and is_check(b):
                node[_BEST] = level - MATE
                node[_COUNT] = _evasions(b, moves[level], order[level])
            else:
                static = estimate(rules, b, scratch)
                node[_BEST] = static
                if static > node[_ALPHA]:
                    node[_ALPHA] = static
                if static < node[_BETA] and level < last:
                    wanted = node[_ALPHA] - static
                    node[_COUNT] = _forcing(b, wanted, moves[level], order[level])
        k, n = node[_NEXT], node[_COUNT]
        if k >= n or node[_ALPHA] >= node[_BETA]:
            value = node[_BEST]
            if level == 0:
                return value
            level -= 1
            node = nodes[level]
            value = -value
            if value > node[_BEST]:
                node[_BEST] = value
                if value > node[_ALPHA]:
                    node[_ALPHA] = value
            continue
        best = k
        for j in range(k + 1, n):
            if order[level, j] > order[level, best]:
                best = j
        action = moves[level, best]
        moves[level, best], order[level, best] = moves[level, k], order[level, k]
        node[_NEXT] = k + 1
        boards[level + 1] = boards[level]
        push(boards[level + 1], action)
        nodes[level + 1, _ALPHA], nodes[level + 1, _BETA] = -node[_BETA], -node[_ALPHA]
        level += 1
        opening = True
