"""Compiled players of Diplomacy; all play by position alone, each order anew.

``hold`` (or ``passive``) holds, builds nothing, disbands what is dislodged, and removes by the
rules of civil disorder; ``passive-spin`` is SPIN-Bench's neutral power, which takes the first legal
action outside movement. ``disarm`` holds and removes all that it may. ``greedy`` and ``dumbbot``
(the ``heuristic``) are in the modules of these names.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.diplomacy import dumbbot, greedy
from stratagym.agents.games.diplomacy.plans import FREE_FROM, PLAN, plan_seed
from stratagym.envs.diplomacy.geography import PROVINCES
from stratagym.envs.diplomacy.listing import DISBAND, REMOVE
from stratagym.envs.diplomacy.options import STANDARD, WELFARE_POINTS
from stratagym.envs.diplomacy.orders import UNIT, order_of
from stratagym.envs.diplomacy.rules import returns
from stratagym.envs.diplomacy.state import FALL, SPRING
from stratagym.envs.diplomacy.tables import (
    AREA_PROVINCE,
    ASKED_IN_ORDER,
    CENTRE,
    CENTRE_PROVINCE,
    FLEET,
    NUM_CENTRES,
    NUM_PROVINCES,
    WAIVE_ACTION,
)

RULES = {"hold": 0, "passive": 0, "passive-spin": 1, "disarm": 2, "greedy": 3, "dumbbot": 4}
"""Names of the players, of ``rule:NAME`` too, and ``which`` of ``rule``."""
PASSIVE, PASSIVE_SPIN, DISARM, GREEDY, DUMBBOT = range(5)
ALPHABET = np.argsort(np.argsort([one.name for one in PROVINCES])).astype(np.int8)
"""(75,) int8: each province's place in the alphabetical order of their names."""


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return rule(rules, s, legal, n, DUMBBOT)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``; the end of ``legal`` is its memory."""
    if n == 1:
        return np.int64(legal[0])
    moves = (s.season == SPRING or s.season == FALL) and not s.talk
    if which < GREEDY:
        return _stand(s, legal, n, which, moves)
    power = np.int64(s.power)
    seed, memory = plan_seed(s, power, which), legal[FREE_FROM:]
    if which == GREEDY:
        return greedy.choose(s, power, legal, n, seed, memory)
    if not moves:
        return dumbbot.choose_other(s, power, legal, n, seed, memory)
    dumbbot.plan_moves(s, power, seed, memory)
    return memory[PLAN + AREA_PROVINCE[ASKED_IN_ORDER[rules.unit_order, s.place]]]


# --- players that stand still --------------------------------------------------------------------


@njit(cache=True)
def _stand(s, legal, n, which, moves):
    """Hold, and outside movement what the players that stand still do."""
    first = order_of(np.int64(legal[0])) & 255
    if moves or (first == DISBAND and which != PASSIVE_SPIN):
        return np.int64(legal[0])  # to hold, to disband
    if which == PASSIVE_SPIN:
        return np.int64(legal[1] if legal[0] == WAIVE_ACTION else legal[0])
    removes = False
    for k in range(n):
        if legal[k] == WAIVE_ACTION and which != DISARM:
            return np.int64(WAIVE_ACTION)
        removes = removes or order_of(np.int64(legal[k])) & 255 == REMOVE
    return _next_removed(s, legal, n) if removes else np.int64(WAIVE_ACTION)


@njit(cache=True)
def _next_removed(s, legal, n):
    """The removal that the rule of civil disorder of 2023 begins with; see ``submissions``.

    Units in no centre first, then those farthest from a centre that the power owns, then fleets,
    then by the alphabet.
    """
    power, best, action = np.int64(s.power), np.int64(-1), np.int64(legal[0])
    for k in range(n):
        order = order_of(np.int64(legal[k]))
        if order & 255 != REMOVE:
            continue
        province = order >> UNIT & 127
        urgency = np.int64(CENTRE[province] < 0)
        urgency = urgency * 128 + _steps_from_own(s, power, province)
        urgency = urgency * 2 + (s.unit[province] == FLEET)
        urgency = urgency * 128 + 127 - ALPHABET[province]
        if urgency > best:
            best, action = urgency, np.int64(legal[k])
    return action


@njit(cache=True)
def _steps_from_own(s, power, province):
    """Steps of any kind from a province to the nearest centre that a power owns; 99 for none."""
    least = np.int64(99)
    for centre in range(NUM_CENTRES):
        if s.centre_owner[centre] == power:
            least = min(least, np.int64(greedy.STEPS_APART[province, CENTRE_PROVINCE[centre]]))
    return least


# --- what a position is worth --------------------------------------------------------------------


@njit(cache=True)
def evaluate(rules, s, out):
    """Returns as if the game ended now, centres going to whoever stands in them.

    In the welfare variant the points there are and those of one more year without builds.
    """
    if s.over:
        returns(rules, s, out)
        return
    total = 0.0
    for seat in range(rules.num_players):
        power = seat if rules.map == STANDARD else 2 * seat
        centres = units = 0
        for centre in range(NUM_CENTRES):
            province = CENTRE_PROVINCE[centre]
            owner = s.owner[province] if s.unit[province] else s.centre_owner[centre]
            centres += owner == power
        for province in range(NUM_PROVINCES):
            units += s.owner[province] == power
        out[seat] = centres * centres
        if rules.scoring == WELFARE_POINTS:
            out[seat] = s.wp[power] + max(0, centres - units)
        total += out[seat]
    if rules.scoring != WELFARE_POINTS and total > 0.0:
        for seat in range(rules.num_players):
            out[seat] /= total
