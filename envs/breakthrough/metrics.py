"""What players did with their chances in recorded games of breakthrough."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, bit
from stratagym.envs.breakthrough.rules import (
    after,
    captures,
    goal,
    legal_actions,
    race_winner,
    sources,
    squares_of,
)
from stratagym.envs.counting import game_counts as game_counts

COUNTS = (
    "decisions",
    "wins_offered",
    "wins_taken",
    "wins_chance",
    "captures_needed",
    "captures_made",
    "captures_chance",
    "races_won",
    "races_misjudged",
    "races_chance",
)
"""What ``game_counts`` counts.

wins: decisions with a winning move, and where one was played. captures: those without one where a
single enemy pawn is one step from its goal and can be captured, and where it was. races: decisions
whose seat has surely won by ``race_winner`` (and has no winning move at once), and those after
which that is no longer so. chance: what a random legal move would come to in the same decisions.
"""
COUNTS_DTYPE = np.float64


@njit(cache=True)
def wins_at_once(rules, s, action):
    """Whether a legal move ends the game: on the goal, or by the last enemy pawn."""
    other = s.black if s.player else s.white
    to = bit(squares_of(rules, action)[1])
    return to & goal(rules, s.player) != EMPTY or other == to


@njit(cache=True)
def only_runner(rules, s):
    """The one enemy pawn a step from its goal that the seat to move can capture; 0 if none is."""
    seat = s.player
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    ends = goal(rules, 1 - seat)
    before = sources(rules, 1 - seat, EMPTY, ends, EMPTY)[1] & other
    if before == EMPTY or before & (before - ONE):
        return EMPTY
    left, right = captures(rules, seat, own, before)
    return before if left | right else EMPTY


@njit(cache=True)
def keeps_race(rules, s, action):
    """Whether the race that the seat to move has won is still won after a legal move."""
    black, white = after(rules, s, action)
    return race_winner(rules, black, white, 1 - s.player) == s.player


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    n = legal_actions(rules, s, legal)
    runner = only_runner(rules, s)
    race = race_winner(rules, s.black, s.white, seat) == seat
    wins = taking = losing = 0
    for k in range(n):
        wins += wins_at_once(rules, s, legal[k])
        taking += bit(squares_of(rules, legal[k])[1]) & runner != EMPTY
        losing += race and not keeps_race(rules, s, legal[k])
    own = counts[seat]
    own[0] += 1
    if wins:
        own[1] += 1
        own[2] += wins_at_once(rules, s, action)
        own[3] += wins / n
        return
    if runner:
        own[4] += 1
        own[5] += bit(squares_of(rules, action)[1]) & runner != EMPTY
        own[6] += taking / n
    if race:
        own[7] += 1
        own[8] += not keeps_race(rules, s, action)
        own[9] += losing / n


def rates(counts: np.ndarray) -> dict[str, float]:
    """Shares of ``COUNTS`` summed over games, each with that of random moves; nan without a case.

    Args:
        counts: (len(COUNTS),) numbers.

    Returns:
        wins_taken, of the decisions with a winning move; captures_made, of those with a capture
        that is needed; races_misjudged, of those with a race that is won; and ``..._by_chance``.
    """
    of = dict(zip(COUNTS, np.asarray(counts, float).tolist(), strict=True))
    shares = {}
    for name, cases, chance in (
        ("wins_taken", "wins_offered", "wins_chance"),
        ("captures_made", "captures_needed", "captures_chance"),
        ("races_misjudged", "races_won", "races_chance"),
    ):
        whole = of[cases]
        shares[name] = of[name] / whole if whole else float("nan")
        shares[f"{name}_by_chance"] = of[chance] / whole if whole else float("nan")
    return shares
