"""What players did with their chances in recorded games of connect four."""

from __future__ import annotations

from numba import njit

from stratagym.envs.connect_four.rules import has_four, landing, legal_actions
from stratagym.envs.counting import game_counts as game_counts

COUNTS = (
    "decisions", "wins_offered", "wins_taken", "blocks_needed", "blocks_made", "gifts_possible",
    "gifts_made",
)  # fmt: skip
"""What ``game_counts`` counts.

wins: decisions with a winning move, and where one was played. blocks: those without one where the
opponent threatens to win with its next stone, and where that square was taken. gifts: those of
neither kind where some move, not all, lets the opponent win on top of it, and where one was played.
"""


@njit(cache=True)
def chances(mover, other, action):
    """(win, block, gift): what a legal move of the seat to move would be."""
    taken = mover | other
    move = landing(taken, action)
    above = landing(taken | move, action)
    return has_four(mover | move), has_four(other | move), above != 0 and has_four(other | above)


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    wins = blocks = gifts = 0
    n = legal_actions(rules, s, legal)
    for k in range(n):
        win, block, gift = chances(s.mover, s.other, legal[k])
        wins += win
        blocks += block
        gifts += gift
    win, block, gift = chances(s.mover, s.other, action)
    own = counts[seat]
    own[0] += 1
    if wins:
        own[1] += 1
        own[2] += win
    elif blocks:
        own[3] += 1
        own[4] += block
    elif 0 < gifts < n:
        own[5] += 1
        own[6] += gift
