"""Diplomacy: orders resolved, movement phases of whole games, and turns of built-in players.

Boards are those of random play, at which the PyPI package ``diplomacy`` plays, too.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
from numba import njit

from stratagym import envs
from stratagym.agents.games.diplomacy.dumbbot import plan_moves
from stratagym.agents.games.diplomacy.plans import MEMORY
from stratagym.agents.games.diplomacy.responses import best_response, new_room
from stratagym.benchmarks.harness.measuring import Episode
from stratagym.envs import core
from stratagym.envs.diplomacy.adjudication import adjudicate
from stratagym.envs.diplomacy.orders import UNIT
from stratagym.envs.diplomacy.state import FALL, SPRING
from stratagym.envs.diplomacy.tables import NUM_POWERS, ORDERS

BOARDS, PHASES = 512, 1_000
"""Boards of one compiled call, and movement phases of another."""
RESPONSE = 24, 8
"""Plans and profiles of ``sbr`` without options."""


def _boards() -> tuple[Any, np.ndarray]:
    """The rules, and (N,) boards of random games before orders are resolved, all of them given."""
    rules = envs.spec("diplomacy").make_rules()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    found, draw, seeds = core.new_states(rules, BOARDS), random.Random(1).random, itertools.count()
    n = player = -1
    k = 0
    while k < BOARDS:
        if player < 0:
            player = core.start_at(rules, states, 0, np.uint64(next(seeds)), probs)
            n = core.legal_actions_at(rules, states, 0, legal)
        action = int(legal[int(draw() * n)])
        s, turn, season = states[0], int(states["turn"][0]), int(states["season"][0])
        found[k] = s
        player, n = core.play_at(rules, states, 0, action, legal, probs)
        if season in (SPRING, FALL) and (player < 0 or states["turn"][0] != turn):
            found[k]["order"][int(ORDERS[action]) >> UNIT & 127] = action
            k += 1
    return rules, found


@njit(cache=True)
def _resolve(rules, boards, scratch):
    for i in range(boards.shape[0]):
        scratch[0] = boards[i]
        adjudicate(scratch[0], rules.convoy, rules.paradox)


def resolutions(game: str) -> Episode:
    """The orders of all units on boards, resolved in one compiled call."""
    rules, boards = _boards()
    scratch = core.new_states(rules)

    def episode() -> int:
        _resolve(rules, boards, scratch)
        return len(boards)

    return episode


@njit(cache=True)
def _play_phases(rules, states, legal, probs, seed, wanted):
    """Play random games until so many movement phases are over; returns how many are."""
    s = states[0]
    game, found = seed, 0
    while found < wanted:
        player = core.start(rules, s, game, probs)
        game += np.uint64(1)
        while player >= 0:
            n = core.legal_actions(rules, s, legal)
            turn, moves = s.turn, s.season == SPRING or s.season == FALL
            player = core.play(rules, s, legal[core.random_below(s, n)], probs)
            found += moves and (player < 0 or s.turn != turn)
    return found


def movement_phases(game: str) -> Episode:
    """Whole random games, with retreats and Winter, counted by movement phases."""
    rules = envs.spec(game).make_rules()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seeds = itertools.count(0, 1 << 20)

    def episode() -> int:
        seed = np.uint64(next(seeds))
        return int(_play_phases(rules, states, legal, probs, seed, PHASES))

    return episode


@njit(cache=True)
def _plan_each(boards, memory):
    """DumbBot's plans for the units of each power that has some; returns how many plans."""
    found = 0
    for i in range(boards.shape[0]):
        for power in range(NUM_POWERS):
            found += plan_moves(boards[i], power, np.uint64(i), memory) > 0
    return found


def dumbbot_turns(game: str) -> Episode:
    """DumbBot's orders for all units of a power, one power after the other."""
    _, boards = _boards()
    memory = np.zeros(MEMORY, np.int64)

    def episode() -> int:
        return int(_plan_each(boards, memory))

    return episode


def response_turns(game: str) -> Episode:
    """Orders of ``sbr`` for all units of a power, one power after the other."""
    rules, boards = _boards()
    room, (plans, profiles) = new_room(rules, max(RESPONSE)), RESPONSE
    turns = itertools.cycle(
        (k, power)
        for k in range(BOARDS)
        for power in range(NUM_POWERS)
        if (boards["owner"][k] == power).any()
    )

    def episode() -> int:
        k, power = next(turns)
        room[0][0] = boards[k]
        best_response(rules, power, plans, profiles, room)
        return 1

    return episode


# --- the package ---------------------------------------------------------------------------------


def package_phases(game: str) -> Episode:
    """The package: random games, counted by movement phases; a year in an episode."""
    from diplomacy import Game

    draw, playing = random.Random(1), [Game()]

    def episode() -> int:
        found = 0
        while found < 2:
            one = playing[0]
            if one.is_game_done or int(one.get_current_phase()[1:5]) > 1920:
                playing[0] = one = Game()
            possible = one.get_all_possible_orders()
            for power in one.powers:
                places = [place for place in one.get_orderable_locations(power) if possible[place]]
                one.set_orders(power, [draw.choice(possible[place]) for place in places])
            found += one.get_current_phase()[-1] == "M"
            one.process()
        return found

    return episode
