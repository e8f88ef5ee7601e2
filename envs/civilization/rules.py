"""The rules of the game: how a seat's turn goes from actor to actor.

    treaties   each treaty on the table is accepted or rejected
    council    the player itself, until done, ``MOST_COUNCIL`` times at most
    cities     those that need an item or are offered a change, then whether to buy
    troops     units with moves and without a standing order, in the order of their places

After the last seat the turn changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.civilization import actions, autopilot, towns, treaties, troops, turns
from stratagym.envs.civilization.actions import ACTIONS
from stratagym.envs.civilization.actions import legal_actions as legal_actions
from stratagym.envs.civilization.choices import LETTERS
from stratagym.envs.civilization.hiding import determinize as determinize
from stratagym.envs.civilization.observation import observation_size
from stratagym.envs.civilization.observation import observe as observe
from stratagym.envs.civilization.output import arrange
from stratagym.envs.civilization.start import begin_world
from stratagym.envs.civilization.state import (
    AUTO,
    BOUGHT,
    BUY_ASKED,
    CHOOSING,
    CITIES,
    COUNCIL,
    EXPLORE,
    FORTIFIED,
    FOUNDED_NOW,
    IDLE,
    ITEM_ASKED,
    MOST_CITIES,
    MOST_COUNCIL,
    MOST_DECISIONS,
    MOST_UNITS,
    PLACE,
    SEAT_AT,
    SENTRY,
    TREATIES,
    TROOPS,
    WORK,
    state_dtype,
)
from stratagym.envs.civilization.tables import ITEM_COST
from stratagym.envs.core import TERMINAL, sizes

SIZES = {"16x12": (16, 12), "24x16": (24, 16), "32x24": (32, 24)}


@sizes(
    actions=ACTIONS,
    observation=lambda rules: (observation_size(rules),),
    decisions=lambda rules: rules.turns * rules.num_players * MOST_DECISIONS,
    dtype=np.float32,
    high=8,
    low=-1,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        width, height: of the map, in tiles. reciprocal: 2^32 / width, rounded up, see
            ``geography.row_of``. wraps_y, is_pangaea: 0 or 1.
        turns: of a game. is_peace: whether all begin at peace. conquest: whether only conquest
            wins. revolution: turns of Anarchy. bulbs: percent of the techs' costs.
        free_research: whether another tech may be chosen at any time.
        start: units of each seat at the start, four bits for each type by its number.
        num_players: 2 to 4.
    """

    width: int
    height: int
    reciprocal: int
    wraps_y: int
    is_pangaea: int
    turns: int
    is_peace: int
    conquest: int
    revolution: int
    bulbs: int
    free_research: int
    start: int
    num_players: int

    @property
    def state_dtype(self) -> np.dtype:
        """The dtype of a state: one for all sizes but maps of more than ``LEAST_TILES``."""
        return state_dtype(self.width * self.height)


def reciprocal_of(width: int) -> int:
    """What rows are found by: exact on maps of up to 32,767 tiles, all that a record can number."""
    return (1 << 32) // width + 1


def make_rules(**given: Any) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    width, height = SIZES[given["size"]]
    return Rules(
        width,
        height,
        reciprocal_of(width),
        int(given["wrap"] == "both"),
        int(given["map"] == "pangaea"),
        given["turns"],
        int(given["initial"] == "peace"),
        int(given["victory"] == "conquest"),
        given["revolution"],
        given["bulbs"],
        int(given["research"] == "any"),
        sum(1 << 4 * LETTERS[letter] for letter in given["start"]),
        given["players"],
    )


# --- who is asked --------------------------------------------------------------------------------


@njit(cache=True)
def reset(rules, s, seed):
    """A new world, and the units of the start."""
    begin_world(rules, s, seed)
    begin_turn(rules, s, 0)
    s.stage = COUNCIL  # nobody has offered anything: what ``seek`` finds, without ends of turns


@njit(cache=True)
def begin_turn(rules, s, seat):
    """A seat's turn begins."""
    s.player = seat
    s.stage = TREATIES
    s.actor = 0
    s.council = 0
    s.decisions = 0
    s.woken = 0
    s.summoned = 0
    troops.wake_up(rules, s, seat)


@njit(cache=True)
def wants_item(s, seat, city):
    """Whether a city is to be asked for its item."""
    if s.city_tile[seat, city] < 0:
        return False
    flags = s.city_flags[seat, city]
    if flags & (ITEM_ASKED | FOUNDED_NOW):
        return False
    return flags & CHOOSING != 0 or s.summoned == 1


@njit(cache=True)
def wants_buying(s, seat, city):
    """Whether a city that was asked for its item is to be asked whether to buy."""
    if s.city_tile[seat, city] < 0:
        return False
    flags = s.city_flags[seat, city]
    return flags & ITEM_ASKED != 0 and not flags & BUY_ASKED and actions.may_buy(s, seat, city)


@njit(cache=True)
def seek_stage(rules, s, seat):
    """Go to the next actor of the running stage, from the one at hand on; false if none is left."""
    if s.stage == TREATIES:
        while s.actor < rules.num_players:
            if s.offer[seat, s.actor] >= 0:
                return True
            s.actor += 1
    elif s.stage == COUNCIL:
        return s.council < MOST_COUNCIL
    elif s.stage == CITIES:
        while s.actor < MOST_CITIES:
            if wants_item(s, seat, s.actor) or wants_buying(s, seat, s.actor):
                return True
            s.actor += 1
    else:
        while s.actor < MOST_UNITS:
            unit = np.int64(s.actor)
            if s.unit_type[seat, unit] >= 0 and not s.unit_done[seat, unit]:
                if not s.woken:
                    autopilot.run(rules, s, seat, unit)
                is_idle = s.unit_order[seat, unit] == IDLE or s.woken
                if s.unit_moves[seat, unit] > 0 and is_idle and not s.unit_done[seat, unit]:
                    return True
            s.actor += 1
    return False


@njit(cache=True, inline="always")
def seek(rules, s):
    """Go to the next decision, over ends of turns."""
    while not s.over:
        seat = np.int64(s.player)
        if s.decisions >= MOST_DECISIONS or not s.alive[seat]:
            s.stage = TROOPS
            s.actor = MOST_UNITS
        if seek_stage(rules, s, seat):
            return
        if s.stage < TROOPS:
            s.stage += 1
            s.actor = 0
            continue
        seat += 1
        while seat < rules.num_players and not s.alive[seat]:
            seat += 1
        if seat < rules.num_players:
            begin_turn(rules, s, seat)
            continue
        turns.change_turn(rules, s)
        first = 0
        while first < rules.num_players - 1 and not s.alive[first]:
            first += 1
        if not s.over:
            begin_turn(rules, s, first)


@njit(cache=True)
def current_player(rules, s):
    """The seat to move, or ``TERMINAL``."""
    return TERMINAL if s.over else np.int64(s.player)


# --- what actions do -----------------------------------------------------------------------------


@njit(cache=True)
def decide_in_council(rules, s, seat, action):
    """The player's own decision."""
    s.council += 1
    if action == actions.KEEP:
        s.council = MOST_COUNCIL
    elif action < actions.GOVERN:
        if s.researching[seat] >= 0 and not s.discovered[seat]:
            s.bulbs[seat] = 0
        s.researching[seat] = action - actions.RESEARCH
    elif action < actions.TAXES:
        turns.revolt(rules, s, seat, action - actions.GOVERN)
    elif action < actions.ACCEPT:
        tax, luxury, science = actions.rates_of(s, seat, action)
        s.tax[seat] = tax
        s.luxury[seat] = luxury
        s.science[seat] = science
    elif action < actions.CANCEL:
        k = (action - actions.PROPOSE) // treaties.TEMPLATES
        other = actions.other_seat(rules, seat, k)
        template = (action - actions.PROPOSE) % treaties.TEMPLATES
        treaties.propose(rules, s, seat, other, template)
    elif action < actions.WAKE:
        treaties.cancel(s, seat, actions.other_seat(rules, seat, action - actions.CANCEL))
    elif action == actions.WAKE:
        s.woken = 1
    else:
        s.summoned = 1


@njit(cache=True)
def decide_in_city(s, seat, city, action):
    """What a city makes, or that it buys it."""
    if not s.city_flags[seat, city] & ITEM_ASKED:
        s.city_flags[seat, city] |= ITEM_ASKED
        s.city_flags[seat, city] &= 0xFF ^ CHOOSING
        if action != actions.KEEP:
            towns.change_item(s, seat, city, actions.action_item(action))
    else:
        s.city_flags[seat, city] |= BUY_ASKED
        if action == actions.BUY:
            s.gold[seat] -= towns.price(s, seat, city)
            s.city_shields[seat, city] = ITEM_COST[s.city_item[seat, city]]
            s.city_flags[seat, city] |= BOUGHT


@njit(cache=True)
def move(rules, s, seat, unit, direction):
    """A unit steps, attacks or takes a city."""
    tile = np.int64(s.unit_tile[seat, unit])
    goal = troops.neighbour(rules, tile, direction)
    kind = troops.step_kind(rules, s, seat, unit, goal)
    s.unit_order[seat, unit] = IDLE
    s.unit_work[seat, unit] = 0
    s.unit_progress[seat, unit] = 0
    if kind == troops.ASSAULT:
        troops.assault(rules, s, seat, unit, goal)
        turns.bury(rules, s)
        return
    troops.pay_step(s, seat, unit, goal)
    if kind == troops.CONQUEST:
        there = np.int64(s.city_at[goal])
        towns.take(rules, s, seat, there >> SEAT_AT, there & PLACE)
        turns.bury(rules, s)
    troops.move_unit(rules, s, seat, unit, goal)


@njit(cache=True)
def command(rules, s, seat, unit, action):
    """What a unit does that is no move."""
    tile = np.int64(s.unit_tile[seat, unit])
    there = np.int64(s.city_at[tile])
    city = there & PLACE if there >= 0 else 0
    if action == actions.KEEP:
        s.unit_done[seat, unit] = 1
        if s.woken:
            autopilot.run(rules, s, seat, unit)
    elif action == actions.FORTIFY or action == actions.SENTRY_DUTY:
        s.unit_order[seat, unit] = FORTIFIED if action == actions.FORTIFY else SENTRY
        s.unit_work[seat, unit] = 0
        s.unit_done[seat, unit] = 1
    elif action == actions.BUILD_CITY:
        towns.found(rules, s, seat, tile)
        troops.remove_unit(rules, s, seat, unit)
    elif action == actions.JOIN_CITY:
        s.city_size[seat, city] += 1
        troops.remove_unit(rules, s, seat, unit)
        arrange(rules, s, seat, city)
    elif action <= actions.BUILD_MINE:
        troops.begin_work(s, seat, unit, action - actions.BUILD_ROAD + 1, WORK)
        s.unit_done[seat, unit] = 1
    elif action == actions.PILLAGE:
        troops.pillage(s, tile)
        s.unit_moves[seat, unit] = 0
        s.unit_busy[seat, unit] = 1
    elif action == actions.DISBAND:
        troops.remove_unit(rules, s, seat, unit)
    elif action == actions.HELP_WONDER:
        cost = ITEM_COST[s.city_item[seat, city]]
        s.city_shields[seat, city] = min(cost, s.city_shields[seat, city] + 50)
        troops.remove_unit(rules, s, seat, unit)
    else:
        s.unit_order[seat, unit] = EXPLORE if action == actions.GO_EXPLORE else AUTO
        s.unit_work[seat, unit] = 0
        s.unit_progress[seat, unit] = 0
        if s.woken:
            s.unit_done[seat, unit] = 1
        autopilot.run(rules, s, seat, unit)


@njit(cache=True)
def step(rules, s, action):
    """One decision of the actor."""
    seat, actor = np.int64(s.player), np.int64(s.actor)
    s.decisions += 1
    if s.stage == TREATIES:
        if action == actions.ACCEPT:
            treaties.accept(s, seat, actor)
        else:
            treaties.clear_offer(s, seat, actor)
    elif s.stage == COUNCIL:
        decide_in_council(rules, s, seat, action)
    elif s.stage == CITIES:
        decide_in_city(s, seat, actor, action)
    elif actions.MOVE <= action < actions.FORTIFY:
        move(rules, s, seat, actor, action - actions.MOVE)
    else:
        command(rules, s, seat, actor, action)
    seek(rules, s)


@njit(cache=True)
def winners(rules, s):
    """(seats that have won, a bit each; how many), when the game is over."""
    living = first = count = 0
    for seat in range(rules.num_players):
        if s.alive[seat]:
            living += 1
            first |= 1 << seat
    if living == 1:
        return first, 1
    if rules.conquest or living == 0:
        return (1 << rules.num_players) - 1, rules.num_players
    most = -1
    for seat in range(rules.num_players):
        if s.alive[seat] and s.score[seat] > most:
            most = s.score[seat]
    first = 0
    for seat in range(rules.num_players):
        if s.alive[seat] and s.score[seat] == most:
            first |= 1 << seat
            count += 1
    return first, count


@njit(cache=True)
def returns(rules, s, out):
    """At the end 1 for the winner and -1 / (n - 1) for each other; several winners share."""
    for seat in range(rules.num_players):
        out[seat] = 0.0
    if not s.over:
        return
    n = rules.num_players
    first, count = winners(rules, s)
    if count == n:
        return
    lost = -1.0 / (n - 1)
    for seat in range(n):
        out[seat] = (1.0 + (count - 1) * lost) / count if (first >> seat) & 1 else lost
