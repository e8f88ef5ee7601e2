"""Depth-limited expectimax for games with chance: expectiminimax for two, MaxN for more.

Every player maximises its own component of the value vector (MaxN, Luckhardt and Irani 1986); for
two players with opposite values that is expectiminimax (Michie 1966). The dice that the root
faces are the real ones. Depth counts decisions, the root's included; a chance event that asks
nobody (a passed turn) uses one unit as well. Ties go to the lowest action, or first to the soonest
win and the latest loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.envs import core

# What is kept of each level's node, besides its state and value.
_SEAT, _NEXT, _COUNT, _DEPTH, _BEST, _END = range(6)
_NEVER = 1 << 30


@njit(cache=True)
def expectimax(rules, s, depth, soonest, scratch):
    """The action of depth-limited expectimax in ``s``, where a seat is to move.

    A loop over levels and not a recursion, which numba's cache cannot be trusted with.

    Args:
        depth: decisions looked ahead, at least 1.
        soonest: whether of equal values the sooner win and the later loss is better; for games
            that are combinatorial.
        scratch: from ``new_scratch`` for this depth or more.
    """
    states, values, legal, probs, nodes = scratch
    seats = values.shape[1]
    states[0] = s
    level, opening, left = 0, True, depth
    while True:
        if opening:
            seat = core.current_player(rules, states[level])
            nodes[level, _SEAT] = seat
            nodes[level, _NEXT] = 0
            nodes[level, _DEPTH] = left
            nodes[level, _BEST] = -1
            if seat == core.CHANCE:
                nodes[level, _COUNT] = core.chance_outcomes(rules, states[level], probs[level])
                for k in range(seats):
                    values[level, k] = 0.0
            else:
                nodes[level, _COUNT] = core.legal_actions(rules, states[level], legal[level])
            opening = False
        move = nodes[level, _NEXT]
        if move < nodes[level, _COUNT]:
            states[level + 1] = states[level]
            left = nodes[level, _DEPTH]
            if nodes[level, _SEAT] == core.CHANCE:
                core.apply_chance(rules, states[level + 1], move)
                left -= core.current_player(rules, states[level + 1]) == core.CHANCE
            else:
                core.step(rules, states[level + 1], legal[level, move])
                left -= 1
            if left > 0 and core.current_player(rules, states[level + 1]) > core.TERMINAL:
                level += 1
                opening = True
                continue
            hooks.evaluate(rules, states[level + 1], values[level + 1])
            # At what level the game ends on the way that the value stands for.
            ended = core.current_player(rules, states[level + 1]) <= core.TERMINAL
            nodes[level + 1, _END] = level + 1 if ended else _NEVER
        elif level == 0:
            return nodes[0, _BEST]
        else:
            level -= 1
            move = nodes[level, _NEXT]
        # Take the value of the child just finished into this node's.
        seat = nodes[level, _SEAT]
        if seat == core.CHANCE:
            for k in range(seats):
                values[level, k] += probs[level, move] * values[level + 1, k]
        else:
            more = values[level + 1, seat] - values[level, seat]
            better = nodes[level, _BEST] < 0 or more > 0.0
            if soonest and not better and more == 0.0:
                sooner = nodes[level, _END] - nodes[level + 1, _END]
                better = values[level, seat] * sooner > 0.0
            if better:
                nodes[level, _BEST] = legal[level, move]
                nodes[level, _END] = nodes[level + 1, _END]
                for k in range(seats):
                    values[level, k] = values[level + 1, k]
        nodes[level, _NEXT] = move + 1


def new_scratch(rules: Any, depth: int) -> tuple[np.ndarray, ...]:
    """Working memory: states, values, legal actions, probabilities and nodes of every level."""
    levels = 2 * depth + 2
    return (
        core.new_states(rules, levels),
        np.zeros((levels, rules.num_players)),
        np.zeros((levels, rules.num_actions), np.int64),
        np.zeros((levels, core.MAX_OUTCOMES)),
        np.zeros((levels, 6), np.int64),
    )
