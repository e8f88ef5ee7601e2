"""The rules of StarCraft, Protoss against Protoss, as kernel functions.

Actions are numbered as in appendix B.5 of DSGBench: 0-17 train, 18 morphs an Archon, 19-33 build,
34-59 research, 60-63 send a scout, 64 attacks, 65 retreats, 66-70 boost, 71 does nothing. The seats
commit one after the other, and the second commit lets ``decision_ticks`` pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, TRUNCATED, mix64, seed_rng, sizes
from stratagym.envs.starcraft.clearing import clear_shared, clear_side
from stratagym.envs.starcraft.economy import (
    BASE_MINERALS,
    GEYSER_GAS,
    army_supply,
    supply_cap,
    supply_used,
)
from stratagym.envs.starcraft.guessing import determinize as determinize
from stratagym.envs.starcraft.observation import LENGTH
from stratagym.envs.starcraft.observation import observe as observe
from stratagym.envs.starcraft.orders import LEGAL, carry_out, why_not
from stratagym.envs.starcraft.simulation import look as look
from stratagym.envs.starcraft.simulation import refresh, run
from stratagym.envs.starcraft.state import (
    ENERGY,
    LATELY,
    NOBODY,
    UNIT_OF_STORE,
)
from stratagym.envs.starcraft.state import STATE as STATE
from stratagym.envs.starcraft.tables import (
    ACTIONS,
    BASES,
    COST,
    EMPTY,
    FIRST_STRUCTURE,
    NEXUS,
    STRUCTURES,
    UNIT_COST,
    UNITS,
)

TICKS_A_MINUTE = UNIT_OF_STORE
START_PROBES, START_MINERALS = 12, 50
WINS = ("all", "bases", "structures")
SHAPING = 0.001


def _decisions(rules: Any) -> int:
    return 2 * -(-rules.ticks // rules.decision_ticks)


@sizes(
    actions=ACTIONS,
    observation=(LENGTH,),
    decisions=_decisions,
    dtype=np.float32,
    high=100,
    low=-1,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        decision_ticks: length of a decision. ticks: after which the game stops. win: place in
            ``WINS``. by_value: 1 if who has more decides then. value: 1 if returns count armies.
        defends: 1 if squads at home go where a base is attacked.
        spread: 1 if the moves of a reply are played at every second decision.
        num_players: 2.
    """

    decision_ticks: int
    ticks: int
    win: int
    by_value: int
    value: int
    defends: int
    spread: int
    num_players: int = 2


def make_rules(**given: Any) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    return Rules(
        decision_ticks=given["decision_ticks"],
        ticks=given["minutes"] * TICKS_A_MINUTE,
        win=WINS.index(given["win"]),
        by_value=int(given["timeout"] == "value"),
        value=int(given["army_reward"] == "value"),
        defends=int(given["defend"] == "auto"),
        spread=int(given["plan"] == "spread"),
    )


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.tick = 0
    s.turn = 0
    s.winner = NOBODY
    s.seat = 0
    s.restless = 1
    s.committed = EMPTY
    clear_shared(s)
    for seat in range(2):
        clear_side(s, seat)
        s.salt[seat] = mix64(s.rng + np.uint64(seat + 1))
        s.minerals[seat] = START_MINERALS * UNIT_OF_STORE
        s.mined[seat, 0] = START_MINERALS * UNIT_OF_STORE
        s.probes[seat] = START_PROBES
        s.built[seat, 0, NEXUS] = 1
        s.energy[seat, 0] = 50 * ENERGY
        for base in range(BASES):
            s.patches[seat, base] = BASE_MINERALS * UNIT_OF_STORE
            for k in range(2):
                s.geysers[seat, base, k] = GEYSER_GAS * UNIT_OF_STORE
    refresh(s)
    for seat in range(2):
        look(s, seat)


@njit(cache=True)
def is_over(rules, s):
    return s.winner != NOBODY or s.tick >= rules.ticks


@njit(cache=True)
def current_player(rules, s):
    if s.winner != NOBODY:
        return TERMINAL
    if s.tick >= rules.ticks:
        return TERMINAL if rules.by_value else TRUNCATED
    return np.int64(s.seat)


@njit(cache=True)
def turn(rules, s):
    return np.int64(s.turn)


@njit(cache=True)
def legal_actions(rules, s, out):
    seat, n = np.int64(s.seat), 0
    room = supply_cap(s, seat) - supply_used(s, seat)
    for action in range(ACTIONS):
        out[n] = action
        n += why_not(s, seat, action, room) == LEGAL
    return n


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    if action < 0 or action >= ACTIONS or current_player(rules, s) < 0:
        return False
    seat = np.int64(s.seat)
    return why_not(s, seat, action, supply_cap(s, seat) - supply_used(s, seat)) == LEGAL


@njit(cache=True)
def step(rules, s, action):
    if s.seat == 0:
        s.committed = action
        s.seat = 1
        return
    _note(s, 0, s.committed)
    _note(s, 1, action)
    carry_out(s, 0, np.int64(s.committed))
    carry_out(s, 1, action)
    s.committed = EMPTY
    s.seat = 0
    s.turn += 1
    refresh(s)
    run(rules, s, min(rules.decision_ticks, rules.ticks - s.tick), False)


@njit(cache=True)
def _note(s, seat, action):
    """Keep what a seat had when it decided, and what it did."""
    lately = s.lately
    for k in range(LATELY - 1):
        for j in range(7):
            lately[seat, k, j] = lately[seat, k + 1, j]
    last = LATELY - 1
    lately[seat, last, 0] = s.tick
    lately[seat, last, 1] = s.minerals[seat] // UNIT_OF_STORE
    lately[seat, last, 2] = s.gas[seat] // UNIT_OF_STORE
    lately[seat, last, 3] = supply_used(s, seat)
    lately[seat, last, 4] = supply_cap(s, seat)
    lately[seat, last, 5] = army_supply(s, seat)
    lately[seat, last, 6] = action


@njit(cache=True)
def army_value(s, seat):
    """Minerals and gas in a seat's fighters and other units but Probes."""
    total = np.int64(0)
    for k in range(s.count.shape[1]):
        for unit in range(1, UNITS):
            total += s.count[seat, k, unit] * UNIT_COST[unit]
    return total


@njit(cache=True)
def value(s, seat):
    """Minerals and gas in a seat's army and finished structures."""
    total = army_value(s, seat)
    for base in range(BASES):
        for kind in range(STRUCTURES - 1):
            price = COST[FIRST_STRUCTURE + kind, 0] + COST[FIRST_STRUCTURE + kind, 1]
            total += s.built[seat, base, kind] * price
        total += s.built[seat, base, STRUCTURES - 1] * 150
    return total


@njit(cache=True)
def returns(rules, s, out):
    lead = 0.0
    if s.winner == 0 or s.winner == 1:
        lead = 1.0 - 2.0 * s.winner
    elif s.winner == NOBODY and s.tick >= rules.ticks and rules.by_value:
        ahead = value(s, 0) - value(s, 1)
        lead = 1.0 if ahead > 0 else -1.0 if ahead < 0 else 0.0
    if rules.value:
        lead = lead + SHAPING * np.float64(army_value(s, 0) - army_value(s, 1))
    out[0] = lead
    out[1] = 0.0 - lead


@njit(cache=True)
def round_return(rules, value):
    return np.round(value * 1000.0) / 1000.0 if rules.value else value
