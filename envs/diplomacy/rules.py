"""Rules of Diplomacy: a year's phases, who is asked in them, and what a game comes to.

    talk (``rounds`` times)   every living power passes; words are no part of the kernel
    Spring movement           an order for every unit
    Spring retreats           an order for every dislodged unit that can retreat
    talk, Fall movement, Fall retreats; then centres change hands
    Winter adjustments        builds and removals, one at a time

All powers decide at the same time: their orders wait in ``order``, power after power, until the
last is given. Phases without a decision pass by themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, TRUNCATED, mix64, random_below, seed_rng, sizes
from stratagym.envs.diplomacy import geography, phases
from stratagym.envs.diplomacy.observation import SHAPE
from stratagym.envs.diplomacy.observation import observe as observe
from stratagym.envs.diplomacy.options import (
    CENTRES,
    DRAW,
    STANDARD,
    WELFARE_POINTS,
    numbers,
)
from stratagym.envs.diplomacy.orders import (
    UNIT,
    find_convoys,
    order_of,
    own_orders,
    put,
    retreat_orders,
    shared_orders,
)
from stratagym.envs.diplomacy.state import (
    ENDED,
    FALL,
    FALL_RETREATS,
    MOST_UNITS,
    OUT_OF_TIME,
    PLAYING,
    SPRING,
    SPRING_RETREATS,
    WINTER,
)
from stratagym.envs.diplomacy.state import STATE as STATE
from stratagym.envs.diplomacy.tables import (
    AREA_PROVINCE,
    ASKED_IN_ORDER,
    HOME,
    MAIN_AREA,
    NUM_ACTIONS,
    NUM_AREAS,
    NUM_CENTRES,
    NUM_POWERS,
    NUM_PROVINCES,
    WAIVE_ACTION,
)

FIRST_YEAR = 1901
FRANCE = 2
"""On the map of two powers seat 1 plays it; seat 0 is Austria, which is power 0."""

_PLACED = np.array(
    [(*unit, power) for power, units in enumerate(geography.START) for unit in units]
)
"""(22, 3): the units at the start, of kind, area and power."""


def longest(rules: Any) -> int:
    """The most decisions of a game: as many orders in each phase as there are centres, and talk.

    In Winter too: every removal follows the loss of a centre in which another's unit now stands,
    and every build wants a centre of its own that is empty. Half of the units can be dislodged,
    at most; the bound counts all.
    """
    talks = rules.rounds * rules.num_players * (3 if rules.winter_press else 2)
    return rules.years * (5 * NUM_CENTRES + talks)


@sizes(
    actions=NUM_ACTIONS,
    observation=SHAPE,
    decisions=longest,
    dtype=np.int16,
    high=NUM_ACTIONS,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        map, scoring, convoy, paradox, unit_order: places in the tuples of ``options``.
        win: centres. years: to be played. rounds: of talk. winter_press: 1 for talk before Winter
            too. welfare: 1 for the welfare variant. teams: see ``options.EACH_ALONE``.
        num_players: seats.
    """

    map: int
    win: int
    years: int
    rounds: int
    winter_press: int
    scoring: int
    welfare: int
    teams: int
    convoy: int
    paradox: int
    unit_order: int
    num_players: int


def make_rules(**options: Any) -> Rules:
    """The rules for options as words; raises ``ValueError`` for teams on a map of two powers."""
    return Rules(**numbers(**options))


# --- the turn of phases --------------------------------------------------------------------------


@njit(cache=True)
def reset(rules, s, seed):
    """Set up the board of 1901."""
    seed_rng(s, seed)
    for power in range(NUM_POWERS):
        s.salt[power] = mix64(s.rng + np.uint64(power + 1))
    for province in range(NUM_PROVINCES):
        phases.set_unit(s, province, 0, -1, 0)
        phases.forget_dislodged(s, province)
        s.order[province] = -1
        s.contested[province] = 0
        s.influence[province] = -1
        s.result[province] = 0
        s.at[province] = 0
        s.attackers[province] = 0
    for unit in range(MOST_UNITS):
        s.start[unit] = 0
        s.target[unit] = 0
        s.third[unit] = 0
        s.kind[unit] = 0
        s.supporters[unit] = 0
        s.convoyers[unit] = 0
        s.looks_at[unit] = 0
    for power in range(NUM_POWERS):
        s.wp[power] = 0
        s.owed[power] = 0
        s.of_power[power] = 0
    s.drawn[0] = 0
    s.turn = 0
    s.year = FIRST_YEAR
    s.over = PLAYING
    phases.shift_orders(s, False)
    is_standard = rules.map == STANDARD
    for centre in range(NUM_CENTRES):
        home = np.int64(HOME[centre])
        s.centre_owner[centre] = home if is_standard or home == 0 or home == FRANCE else -1
    for k in range(_PLACED.shape[0]):
        kind, area, power = _PLACED[k]
        if is_standard or power == 0 or power == FRANCE:
            province = np.int64(AREA_PROVINCE[area])
            phases.set_unit(s, province, kind, power, area - MAIN_AREA[province])
    phases.keep_board(s)
    find_convoys(s)
    begin_phase(s, SPRING, 1 if rules.rounds else 0)
    seek(rules, s)


@njit(cache=True)
def begin_phase(s, season, talk):
    """Begin a phase: nobody has been asked yet."""
    s.season = season
    s.talk = talk
    s.power = 0
    s.place = 0
    s.done = 0
    s.asked = 0
    s.turn += 1


@njit(cache=True)
def seek(rules, s):
    """Go to the next decision of this phase, from the one at hand on; false if none is left."""
    moves = s.season == SPRING or s.season == FALL
    while s.power < NUM_POWERS:
        power = np.int64(s.power)
        if s.talk:
            centres, units = phases.count_assets(s, power)
            if centres + units:
                return True
        elif s.season == WINTER:
            if phases.choices_in_winter(s, power, rules.welfare) & (phases.BUILD | phases.TAKE_OFF):
                return True
        else:
            while s.place < NUM_AREAS:
                area = ASKED_IN_ORDER[rules.unit_order, s.place]
                province = AREA_PROVINCE[area]
                if moves:
                    is_asked = s.owner[province] == power and s.area[province] == area
                else:
                    is_asked = s.dislodged_owner[province] == power
                    is_asked = is_asked and s.dislodged_area[province] == area
                if is_asked:
                    return True
                s.place += 1
        s.power += 1
        s.place = 0
        s.done = 0
    return False


@njit(cache=True)
def winning_team(rules, s):
    """The team that has won: alone in the lead with enough centres, or alone alive; -1 if none."""
    best, leader, alive = np.int64(-1), np.int64(-1), np.int64(-1)
    for team in range(NUM_POWERS):
        total = lives = np.int64(0)
        for power in range(NUM_POWERS):
            if rules.teams >> 3 * power & 7 == team:
                centres, units = phases.count_assets(s, power)
                total += centres
                lives += centres + units
        if total > best:
            best, leader = total, np.int64(team)
        elif total == best:
            leader = np.int64(-1)
        if lives:
            alive = np.int64(team) if alive == -1 else np.int64(-2)
    if leader >= 0 and best >= rules.win:
        return leader
    return alive if alive >= 0 else np.int64(-1)


@njit(cache=True)
def advance(rules, s):
    """Go on to the next decision, or to the end of the game.

    Phases that want no more orders are carried out, and the next ones begun.
    """
    while not s.over and not seek(rules, s):
        season, talk = np.int64(s.season), np.int64(1 if rules.rounds else 0)
        if s.talk:
            talk = np.int64(s.talk + 1) if s.talk < rules.rounds else np.int64(0)
        elif season == SPRING or season == FALL:
            phases.move_units(s, rules.convoy, rules.paradox)
            season += 1
            talk = np.int64(0)
        elif season == WINTER:
            if s.asked:
                phases.build_and_remove(s)
            is_last = s.year + 1 == FIRST_YEAR + rules.years
            if rules.welfare:
                phases.add_welfare(s)
                s.over = ENDED if is_last else PLAYING
            elif winning_team(rules, s) >= 0:
                s.over = ENDED
            elif is_last:
                s.over = OUT_OF_TIME
            s.year += 1 if not s.over else 0
            season = np.int64(SPRING)
        else:
            if s.asked:
                phases.retreat_units(s)
            season += 1
            if season == WINTER:
                phases.capture_centres(s)
                if not rules.welfare and winning_team(rules, s) >= 0:
                    s.over = ENDED
                if not rules.winter_press:
                    talk = np.int64(0)
        if not s.over:
            begin_phase(s, season, talk)
            if season == SPRING or season == FALL:
                find_convoys(s)
            if season == WINTER and talk:
                s.talk = 0
                if seek(rules, s):  # there is something to talk about
                    s.talk = talk
                s.power = 0


@njit(cache=True)
def ask_first(rules, states):
    """Begin to ask in the phase of ``states[0]``, whose board was set from outside."""
    s = states[0]
    phases.keep_board(s)
    find_convoys(s)
    s.power = 0
    s.place = 0
    s.done = 0
    s.asked = 0
    advance(rules, s)


# --- the kernel's functions ----------------------------------------------------------------------


@njit(cache=True)
def current_player(rules, s):
    """The seat of the power that is asked; the others decide at the same time."""
    if s.over:
        return TRUNCATED if s.over == OUT_OF_TIME else TERMINAL
    power = np.int64(s.power)
    return power if rules.map == STANDARD else power // FRANCE


@njit(cache=True)
def turn(rules, s):
    """Phases played: in each all powers decide at the same time."""
    return np.int64(s.turn)


@njit(cache=True)
def list_actions(rules, s, province, power, out, n):
    """Add the actions for the unit in a province, or of a power where it is asked as a whole."""
    if s.talk:
        return put(out, n, WAIVE_ACTION)
    if s.season == WINTER:
        return phases.winter_orders(s, power, rules.welfare, out, n)
    if s.season == SPRING or s.season == FALL:
        return shared_orders(s, province, out, own_orders(s, province, out, n))
    return retreat_orders(s, province, out, n)


@njit(cache=True)
def legal_actions(rules, s, out):
    """What the unit that is asked may be ordered; in Winter what may be built or removed."""
    province = np.int64(AREA_PROVINCE[ASKED_IN_ORDER[rules.unit_order, s.place]])  # if any
    return list_actions(rules, s, province, np.int64(s.power), out, 0)


@njit(cache=True)
def step(rules, s, action):
    """Take an order, which waits for the others; the last of a phase carries all of them out."""
    s.asked = 1
    if action == WAIVE_ACTION:
        s.power += 1
        s.place = 0
        s.done = 0
    else:
        s.order[order_of(np.int64(action)) >> UNIT & 127] = action
        if s.season == WINTER:
            s.done += 1
        else:
            s.place += 1
    advance(rules, s)


@njit(cache=True)
def returns(rules, s, out):
    """Nothing until the game is over; then what ``scoring`` says."""
    out[:] = 0.0
    if not s.over:
        return
    if rules.scoring == WELFARE_POINTS:
        for seat in range(rules.num_players):
            out[seat] = s.wp[seat]
        return
    winner = winning_team(rules, s)
    total = 0.0
    for seat in range(rules.num_players):
        power = seat if rules.map == STANDARD else FRANCE * seat
        n, units = phases.count_assets(s, power)
        if rules.scoring == CENTRES:
            out[seat] = n / NUM_CENTRES
        elif winner >= 0:
            out[seat] = rules.teams >> 3 * power & 7 == winner
        elif rules.scoring == DRAW:
            out[seat] = n + units > 0
        else:
            out[seat] = n * n
        total += out[seat]
    if rules.scoring != CENTRES:
        for seat in range(rules.num_players):
            out[seat] /= total


@njit(cache=True)
def _draw(rules, s, province, power):
    """Draw an action of a power: for the unit in a province, or in Winter for any."""
    n = list_actions(rules, s, province, power, s.drawn, 0)
    list_actions(rules, s, province, power, s.drawn, -random_below(s, n))
    return s.drawn[0]


@njit(cache=True)
def _redraw_winter(rules, s, power):
    """Draw a power's builds and removals anew: all, or as many as it has ordered so far."""
    for province in range(NUM_PROVINCES):
        if phases.orderer_in_winter(s, province) == power:
            s.order[province] = -1
    is_asked_now = power == s.power
    done = 0
    while phases.choices_in_winter(s, power, rules.welfare) & (phases.BUILD | phases.TAKE_OFF):
        if is_asked_now and done == s.done:
            break
        action = _draw(rules, s, 0, power)
        if action != WAIVE_ACTION:
            s.order[order_of(action) >> UNIT & 127] = action
            done += 1
        elif not is_asked_now:
            break
    if is_asked_now:
        s.done = done


@njit(cache=True)
def determinize(rules, s, player):
    """Draw the other powers' orders of the running phase anew, each from its legal ones."""
    own = player if rules.map == STANDARD else FRANCE * player
    for power in range(NUM_POWERS):
        if power != own:
            s.salt[power] = mix64(s.rng + np.uint64(power + 1))
    if s.talk or s.over:
        return
    if s.season == WINTER:
        for power in range(NUM_POWERS):
            if power != own and power <= s.power:
                _redraw_winter(rules, s, power)
    else:
        for province in range(NUM_PROVINCES):
            if s.order[province] >= 0:
                retreats = s.season == SPRING_RETREATS or s.season == FALL_RETREATS
                owner = s.dislodged_owner[province] if retreats else s.owner[province]
                if owner != own:
                    s.order[province] = _draw(rules, s, province, np.int64(owner))
    s.drawn[0] = 0
