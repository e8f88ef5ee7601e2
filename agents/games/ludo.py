"""What the agents know of Ludo: LudoBench's heuristic and its evaluator.

Sources: LudoBench (arXiv:2604.05681), appendix F (heuristic) and H (evaluator).
"""

from __future__ import annotations

from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.ludo.rules import (
    BASE,
    FINISHED,
    NO_WINNER,
    PIECES,
    TRACK,
    captures,
    destination,
    is_safe,
    returns,
    square_at,
)


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """Highest score of appendix F; ties to the lowest piece.

    Leaving base 50; on the track the new steps; into or inside the home path 52 + cell; +100 for
    a capture; +20 for a safe square, save when leaving base.
    """
    best, best_score = legal[0], -1
    for k in range(n):
        steps = s.steps[s.player, legal[k]]
        target = destination(rules, steps, s.dice)
        if steps == BASE:
            score = 50
        elif target > TRACK:
            score = target
        else:
            score = target
            if is_safe(square_at(rules, s.player, target)):
                score += 20
            if captures(rules, s, s.player, target) > 0:
                score += 100
        if score > best_score:
            best, best_score = legal[k], score
    return best


@njit(cache=True)
def _count(rules, s, player):
    """(progress, finished, in base, on safe squares) of one player's pieces.

    Progress counts a track square as steps + 1 and a home cell as its steps; home cells are not
    safe squares.
    """
    progress = finished = in_base = on_safe = 0
    for piece in range(PIECES):
        steps = s.steps[player, piece]
        if steps == BASE:
            in_base += 1
        elif steps < TRACK:
            progress += steps + 1
            on_safe += is_safe(square_at(rules, player, steps))
        else:
            progress += steps
            finished += steps == FINISHED
    return progress, finished, in_base, on_safe


@njit(cache=True)
def _score(progress, finished, in_base, on_safe):
    return 0.0025 * progress + 0.20 * finished - 0.05 * in_base + 0.01 * on_safe


@njit(cache=True)
def evaluate(rules, s, out):
    """Appendix H: the weighted difference for two players, score minus mean for more.

    Clipped to +-0.999; where the game is won, +1 and -1 / (n - 1).
    """
    n = rules.num_players
    if s.winner != NO_WINNER:
        returns(rules, s, out)
        return
    if n == 2:
        a, b = _count(rules, s, 0), _count(rules, s, 1)
        out[0] = _clip(_score(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]))
        out[1] = -out[0]
        return
    mean = 0.0
    for player in range(n):
        progress, finished, in_base, on_safe = _count(rules, s, player)
        out[player] = _score(progress, finished, in_base, on_safe)
        mean += out[player]
    mean /= n
    for player in range(n):
        out[player] = _clip(out[player] - mean)


@njit(cache=True)
def _clip(value):
    return min(max(value, -0.999), 0.999)


LADDER = Ladder(
    "ludo/ladder-v1",
    (("random",), ("heuristic", "gt:1"), ("gt:4",)),
    options={"players": 2},
)
