"""How players played over whole games: what they let pass, and over whom they played."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import popcount
from stratagym.envs.core import legal_actions
from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.dou_dizhu.cards import JOKERS, at_least
from stratagym.envs.dou_dizhu.patterns import KIND, KINDS, PATTERN
from stratagym.envs.dou_dizhu.plays import pattern_of_part

_FIRST = (
    "decisions",
    "asked",
    "choices",
    "passes",
    "passes_chance",
    "choices_partner",
    "passes_partner",
    "passes_partner_chance",
    "plays_over_partner",
    "choices_enemy",
    "passes_enemy",
    "passes_enemy_chance",
    "plays",
    "games",
    "losses",
    "bombs_held_at_loss",
)
COUNTS = (*_FIRST, *(kind.name.replace(" ", "_") for kind in KINDS[1:]))
"""What ``game_counts`` counts; steps of a play in parts are one decision, made with its pattern.

decisions: plays and passes. asked: those with several legal actions. choices: those in which both
passing and playing were legal; passes: the deliberate ones among them; chance: what passes come to
at random. partner, enemy: by whose play was to be beaten. games, losses: finished.
bombs_held_at_loss: bombs and the rocket in hand when the game was lost. Then plays by kind.
"""
COUNTS_DTYPE = np.float64
_KINDS_AT = len(_FIRST) - 1
(
    _DECISIONS, _ASKED, _CHOICES, _PASSES, _CHANCE, _PARTNER, _PARTNER_PASSES, _PARTNER_CHANCE,
    _OVER_PARTNER, _ENEMY, _ENEMY_PASSES, _ENEMY_CHANCE, _PLAYS, _GAMES,
    _LOSSES, _HELD,
) = range(len(_FIRST))  # fmt: skip


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    if s.landlord < 0 or s.building:
        return
    own = counts[seat]
    own[_DECISIONS] += 1
    n = legal_actions(rules, s, legal)
    own[_ASKED] += n > 1
    pattern = np.int64(PATTERN[action]) if rules.whole else pattern_of_part(action)
    if pattern != 0:
        own[_PLAYS] += 1
        own[_KINDS_AT + KIND[pattern]] += 1
    if not s.top or n < 2:
        return
    passed = 1.0 if pattern == 0 else 0.0
    own[_CHOICES] += 1
    own[_PASSES] += passed
    own[_CHANCE] += 1.0 / n
    if (seat == s.landlord) == (s.owner == s.landlord):
        own[_PARTNER] += 1
        own[_PARTNER_PASSES] += passed
        own[_PARTNER_CHANCE] += 1.0 / n
        own[_OVER_PARTNER] += 1.0 - passed
    else:
        own[_ENEMY] += 1
        own[_ENEMY_PASSES] += passed
        own[_ENEMY_CHANCE] += 1.0 / n


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    if not s.over or s.landlord < 0:
        return
    for player in range(counts.shape[0]):
        counts[player, _GAMES] += 1
        if (player == s.landlord) != (s.winner == s.landlord):
            counts[player, _LOSSES] += 1
            hand = s.hands[player]
            counts[player, _HELD] += popcount(at_least(hand, 4)) + (hand & JOKERS == JOKERS)


def rates(counts: np.ndarray) -> dict[str, float]:
    """Behaviour from ``COUNTS`` summed over games; nan where nothing was counted.

    pass_rate: deliberate passes of the decisions with several legal actions (BotzoneBench's table
    5, whose models are asked for no others); of_choices: of those in which both passing and playing
    were legal, with what chance comes to, and by whose play was to be beaten. over_partner: plays
    over the partner's, of its plays that could be beaten. plays_a_game and bombs_held_at_loss: of a
    seat, on average. share_KIND: of all plays.

    Args:
        counts: one seat's, or sums of several.
    """
    of = dict(zip(COUNTS, np.asarray(counts, float).tolist(), strict=True))

    def share(part: str, whole: str) -> float:
        return of[part] / of[whole] if of[whole] else float("nan")

    return {
        "pass_rate": share("passes", "asked"),
        "pass_rate_chance": share("passes_chance", "asked"),
        "of_choices": share("passes", "choices"),
        "of_choices_chance": share("passes_chance", "choices"),
        "of_choices_partner": share("passes_partner", "choices_partner"),
        "of_choices_partner_chance": share("passes_partner_chance", "choices_partner"),
        "of_choices_enemy": share("passes_enemy", "choices_enemy"),
        "of_choices_enemy_chance": share("passes_enemy_chance", "choices_enemy"),
        "over_partner": share("plays_over_partner", "choices_partner"),
        "plays_a_game": share("plays", "games"),
        "bombs_held_at_loss": share("bombs_held_at_loss", "losses"),
        **{f"share_{name}": share(name, "plays") for name in COUNTS[len(_FIRST) :]},
    }
