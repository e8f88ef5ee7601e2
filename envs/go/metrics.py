"""What players did about chains, eyes and passes in recorded games of go."""

from __future__ import annotations

from numba import njit

from stratagym.envs.core import legal_actions
from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.go.rules import GOING, area_of, in_atari, is_eye, point_of

COUNTS = (
    "decisions",
    "captures_allowed",
    "eyes_possible",
    "eyes_filled",
    "eyes_chance",
    "behind",
    "passes_behind",
    "passes_chance",
    "lead_20",
    "lead_40",
    "lead_60",
    "lead_80",
)
"""What ``game_counts`` counts.

captures_allowed: decisions after which a chain of the mover's has only one liberty. eyes: the
decisions with a legal point that is an eye of the mover's by its looks, and one that is not; and
where an eye was filled. behind: the decisions of a player who would lose if the board were counted
as it stands; and the passes among these. chance: how often a uniformly random legal move would have
done it in the same decisions, a sum of probabilities in thousandths, rounded. lead: the seat's area
less the opponent's as the board stood after so many moves, without the compensation; 0 where the
game was over before.
"""
_LEADS = COUNTS.index("lead_20")


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    own = counts[seat]
    own[0] += 1
    n = legal_actions(rules, s, legal)
    eyes = 0
    for k in range(n - 1):
        eyes += is_eye(rules, s, seat, point_of(rules, legal[k]))
    passed = action == rules.size * rules.size
    if 0 < eyes < n - 1:
        own[2] += 1
        own[3] += not passed and is_eye(rules, s, seat, point_of(rules, action))
        own[4] += (1000 * eyes + n // 2) // n
    lead = 4 * area_of(rules, s) - rules.komi4
    if lead < 0 if seat == 0 else lead > 0:
        own[5] += 1
        own[6] += passed
        own[7] += (1000 + n // 2) // n


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    if s.over == GOING:
        for p in range(rules.size + 2, (rules.size + 1) ** 2):
            if s.colour[p] == seat and s.head[p] == p and in_atari(s, p):
                counts[seat][1] += 1
                break
    for k in range(4):
        if s.plies == 20 * (k + 1):
            lead = area_of(rules, s)
            counts[0][_LEADS + k] = lead
            counts[1][_LEADS + k] = -lead
