"""Count the leaves of the tree of legal moves: the usual test of a move generator.

    python -m stratagym.envs.chess.perft --depth 5 [--fen FEN] [--divide]
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.chess import moves


@njit(cache=True, nogil=True)
def count_leaves(stack, actions, counts, at, depth):
    """Leaves ``depth`` >= 1 plies below ``stack[0]``; the last ply is counted, not played.

    ``stack``: (depth,) ``BOARD``. ``actions``: (depth, ``MAX_MOVES``) int64. ``counts``, ``at``:
    (depth,) int64 scratch.
    """
    if depth == 1:
        return moves.count_legal_moves(stack[0])
    leaves = 0
    level = 0
    counts[0] = moves.legal_moves(stack[0], actions[0])
    at[0] = 0
    while level >= 0:
        if at[level] == counts[level]:
            level -= 1
            continue
        stack[level + 1] = stack[level]
        moves.push(stack[level + 1], actions[level, at[level]])
        at[level] += 1
        if level + 2 == depth:
            leaves += moves.count_legal_moves(stack[level + 1])
        else:
            level += 1
            counts[level] = moves.legal_moves(stack[level], actions[level])
            at[level] = 0
    return leaves
