"""What a policy came to in games of many seats: mean return, rank and first places.

In all, and by the seat, side and role that it had. Intervals are over seeds: the seats that a
policy has in games of one seed count as one case.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.games import Games, side_names
from stratagym.benchmarks.harness.records import sides_of
from stratagym.benchmarks.reporting.stats import mean_rate

FIGURES = ("return", "rank", "first")
"""Of a standing: the mean return, the mean rank from 1 for the best (sides with equal results share
the mean of their ranks), and the share of first places (a shared one counts as its part)."""
PARTS = ("by_seat", "by_side", "by_role")


def standing(games: Games, policy: str) -> dict[str, Any]:
    """A policy's ``FIGURES`` over all seats that it has, and the same for ``PARTS`` of them.

    A part is empty where it says nothing: ``by_side`` where each seat is a side, ``by_role`` where
    no roles are dealt. ``chance`` of rank and first places is what they are between equal players.

    Returns:
        ``games`` that the policy sat in, and ``seats`` that it had in them all together;
        ``FIGURES`` as records of rates; the same figures by seat, side and role.
    """
    game, seat = np.nonzero(games.is_seat_of(policy))
    dealt = [games.records[g].get("roles", []) for g in game]
    roles = [own[s] if own else "" for own, s in zip(dealt, seat, strict=True)]
    # A game may end before its roles are dealt.
    named = side_names([record for record in games.records if "roles" in record] or games.records)
    sides = [
        named[k] if named and (own or not any(dealt)) else ""
        for own, k in zip(dealt, games.side_of_seat[game, seat], strict=True)
    ]
    return {
        "games": len(np.unique(game)),
        "seats": len(game),
        **_figures(games, game, seat),
        "by_seat": _parts(games, game, seat, [str(k) for k in seat]),
        "by_side": _parts(games, game, seat, sides),
        "by_role": _parts(games, game, seat, roles),
    }


def _figures(games: Games, game: np.ndarray, seat: np.ndarray) -> dict[str, Any]:
    """``FIGURES`` of these seats in these games, both (N,)."""
    if not len(game):
        nothing = mean_rate(np.zeros(0)).record()
        return dict.fromkeys(FIGURES, nothing)
    seeds = games.seeds[game]
    sides = np.array([len(sides_of(games.records[g])) for g in game])
    level = float(np.mean(sides + 1) / 2)
    # Exact, as most often all games have one number of sides.
    chance = float(sum(Fraction(1, int(number)) for number in sides) / len(sides))
    rates = (
        mean_rate(games.returns[game, seat], seeds),
        mean_rate(games.ranks[game, seat], seeds, bounds=(1.0, float(sides.max())), chance=level),
        mean_rate(games.firsts[game, seat], seeds, chance=chance),
    )
    return {name: rate.record() for name, rate in zip(FIGURES, rates, strict=True)}


def _parts(
    games: Games, game: np.ndarray, seat: np.ndarray, names: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """``FIGURES`` of the seats with the same name, by name; those without one count nowhere."""
    labels = np.array(names, object)
    found = {}
    for name in sorted({*names} - {""}, key=_by_number):
        own = labels == name
        found[name] = {"seats": int(own.sum()), **_figures(games, game[own], seat[own])}
    return found


def _by_number(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)
