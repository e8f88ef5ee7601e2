"""Count the leaves of the tree of legal moves: the usual test of a move generator.

    python -m stratagym.envs.chess.perft --depth 6 [--fen FEN] [--divide]

prints the count and the leaves a second; the last ply is counted, not played.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.chess import SPEC, moves, notation


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


def perft(board: np.ndarray, depth: int) -> int:
    """Leaves ``depth`` plies below the first record of ``board``.

    Args:
        board: (1,) of ``STATE`` or ``BOARD``.
        depth: 0 or more.
    """
    if depth == 0:
        return 1
    stack = np.zeros(depth, moves.BOARD)
    for name in moves.BOARD.names or ():
        stack[name][0] = board[name][0]
    actions = np.zeros((depth, moves.MAX_MOVES), np.int64)
    counts, at = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    return int(count_leaves(stack, actions, counts, at, depth))


def divide(board: np.ndarray, depth: int) -> dict[str, int]:
    """The leaves below each move, ``depth`` >= 1 plies from the position."""
    leaves = {}
    for action in notation.legal_list(board[0]):
        after = np.array([notation.after(board[0], action)])
        leaves[notation.uci(board[0], action)] = perft(after, depth - 1)
    return leaves


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m stratagym.envs.chess.perft", description="Count leaves of the move tree."
    )
    parser.add_argument("--depth", type=int, default=5, help="plies (default 5)")
    parser.add_argument("--fen", default=notation.START_FEN, help="position (default: the start)")
    parser.add_argument("--divide", action="store_true", help="leaves below each move")
    given = parser.parse_args(arguments)
    rules = SPEC.make_rules()
    states = core.new_states(rules)
    try:
        if given.depth < 1:
            raise ValueError(f"--depth {given.depth}: 1 or more is needed")
        notation.set_fen(rules, states, given.fen)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    perft(states, 2)  # compiled before the clock starts
    begin = time.perf_counter()
    leaves = perft(states, given.depth)
    seconds = time.perf_counter() - begin
    print(f"perft({given.depth}) = {leaves}   {seconds:.3f} s   {leaves / seconds / 1e6:.1f}M/s")
    if given.divide:
        for move, below in divide(states, given.depth).items():
            print(f"{move}: {below}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
