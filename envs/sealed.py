"""Games of sealed plans under a budget: rounds, commits, verdicts, and the log of a simulation.

Two seats, 0 the attacker and 1 the defender, commit plans, each a sequence of micro-actions; the
commit that completes a round resolves it by a simulation without chance. What all such games share
is here. A game's ``rules`` import the kernel functions below that stand under "Ready to be a
game's own", splice ``FIELDS`` into their ``STATE``, name ``COMMON`` among the fields of their
``Rules``, and hold what is theirs:

- ``take``, ``clear_plan``, ``store_plan``, ``recall_plan``, ``simulate`` and either ``is_allowed``,
  with ``legal_actions`` and ``is_legal_action`` from here, or ``random_action`` and these as its
  own: the stubs below;
- ``observe`` and ``reset`` of the kernel protocol, made of the helpers here.

A plan stands until its seat plans again. ``s.plan`` holds the plans of the running round, also of
a seat that is not asked in it, ``s.last_plan`` those of the round before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, Option, integer, kernel, random_below, seed_rng

ATTACKER, DEFENDER = 0, 1
MAX_ROUNDS = 20
VOID, OVER = 1, 2
"""Flags of a plan: it breaks a rule; it costs more than the budget."""
LOOSE = 4
"""Under ``over_budget="loses"`` a plan may cost so many times the budget."""
SIMULATED = 0
"""``why`` of a round that was fought; else the flags of seat 0 + 4 x those of seat 1."""

FIELDS: list[Any] = [
    ("rng", "u8"),
    ("round", "i1"),  # from 0
    ("seat", "i1"),  # that commits
    ("acts", "i2", (2,)),  # micro-actions of the running commit; 0 before it has begun
    ("n", "i2", (2,)),  # entries of the plan; in the duel, micro-actions
    ("spent", "i4", (2,)),
    ("flags", "i1", (2,)),
    ("last_n", "i2", (2,)),
    ("last_spent", "i4", (2,)),
    ("last_flags", "i1", (2,)),
    ("result", "i1", (MAX_ROUNDS,)),  # for seat 0: 1, 0, -1
    ("why", "i1", (MAX_ROUNDS,)),
    ("end", "i4", (MAX_ROUNDS,)),  # tick or round of the end, -1 if not simulated
    ("left", "i4", (MAX_ROUNDS, 2)),  # what is left of each side; zeros if not simulated
    ("ended", "i4"),  # of the last simulation: tick or round of its end
    ("remains", "i4", (2,)),  # of the last simulation: as ``left``
    ("logged", "i4"),  # events of the running simulation
    ("logging", "i1"),  # whether it writes any
    ("log", "i4", (1, 6)),  # stands for a log where none is written: one type, one compilation
]
"""The fields that all states of these games have, ``plan`` and ``last_plan`` apart."""

COMMON = (
    "rounds", "both", "first", "loses", "released", "attacker_budget", "defender_budget",
    "own_catalogue",
)  # fmt: skip
"""Fields of ``Rules``, all int: rounds; whether both seats plan anew after a round; who does first
if not; whether a plan over budget can be made; whether the numbers are the released ones; the
budgets; whether a prompt lists a seat's own units only (nothing to the kernel)."""


# --- options -------------------------------------------------------------------------------------


def budget(low: int, high: int, unit: int = 1) -> Callable[[Any], int]:
    """A ``choices`` function: 0, or a multiple of ``unit`` from ``low`` to ``high``."""

    def check(value: Any) -> int:
        try:
            number = integer(0, high)(value)
        except ValueError:
            number = -1
        if number != 0 and (number < low or number % unit):
            multiple = f"a multiple of {unit}" if unit > 1 else "a whole number"
            raise ValueError(f"0, or {multiple} from {low} to {high} is needed")
        return number

    return check


def options(
    attacker_budget: Callable[[Any], int], defender_budget: Callable[[Any], int]
) -> dict[str, Option]:
    """The options that these games share; budgets are checked by these functions."""
    return {
        "rounds": Option(1, integer(1, MAX_ROUNDS), "rounds of a game, 1 to 20"),
        "updates": Option("alternate", ("alternate", "both"), "who plans anew after a round"),
        "first": Option("attacker", ("attacker", "defender"), "who plans anew after round 1"),
        "over_budget": Option("illegal", ("illegal", "loses"), "what a plan over budget is"),
        "setting": Option("balanced", ("balanced", "released"), "budgets and tables of units"),
        "attacker_budget": Option(0, attacker_budget, "0 for the setting's"),
        "defender_budget": Option(0, defender_budget, "0 for the setting's"),
        "catalogue": Option("both", ("both", "own"), "whose units a prompt lists"),
    }


def common(
    given: Mapping[str, Any], balanced: tuple[int, int], released: tuple[int, int]
) -> dict[str, int]:
    """The fields ``COMMON`` of ``Rules``.

    Args:
        given: the options in force, as words. balanced, released: budgets of the two settings, the
            attacker's and the defender's.
    """
    usual = released if given["setting"] == "released" else balanced
    return {
        "rounds": given["rounds"],
        "both": int(given["updates"] == "both"),
        "first": int(given["first"] == "defender"),
        "loses": int(given["over_budget"] == "loses"),
        "released": int(given["setting"] == "released"),
        "attacker_budget": given["attacker_budget"] or usual[ATTACKER],
        "defender_budget": given["defender_budget"] or usual[DEFENDER],
        "own_catalogue": int(given["catalogue"] == "own"),
    }


# --- what a game's rules say of its plans --------------------------------------------------------


@kernel("rules")
def take(rules, s, seat, action):
    """Write a legal micro-action into the plan of ``seat``; returns whether it completes it.

    It changes nothing but that plan: ``n``, ``spent``, ``flags`` (by ``pay``, ``take_keep``,
    ``take_void``) and the game's own fields.
    """


@kernel("rules")
def clear_plan(rules, s, seat):
    """Empty the game's own fields of the plan of ``seat``, those that ``store_plan`` copies."""


@kernel("rules")
def store_plan(rules, s, seat):
    """Copy the game's own fields of the plan of ``seat`` to ``last_plan``."""


@kernel("rules")
def recall_plan(rules, s, seat):
    """Copy the game's own fields of ``last_plan`` back."""


@kernel("rules")
def last_action(rules):
    """The greatest action of a game that defines ``is_allowed``."""


@kernel("rules")
def is_allowed(rules, s, seat, action):
    """Whether ``seat``, which is committing, may play an action, any of 0 .. ``last_action``."""


def _random_allowed(rules, s, seat):
    count = 0
    for action in range(last_action(rules) + 1):
        count += is_allowed(rules, s, seat, action)
    wanted = random_below(s, count)
    for action in range(last_action(rules) + 1):
        if is_allowed(rules, s, seat, action):
            if wanted == 0:
                return action
            wanted -= 1
    return last_action(rules)


@kernel("rules", default=_random_allowed)
def random_action(rules, s, seat):
    """A legal micro-action of ``seat``, which is committing, uniform, from the record's dice."""


@kernel("rules")
def simulate(rules, s, log):
    """Fight out ``s.plan``, whatever it costs; returns 1, 0 or -1 for the attacker.

    It writes ``s.ended``, ``s.remains`` and scratch, calls ``note(s, log, ...)`` for each event,
    and neither looks at rounds nor changes plans. ``log`` is an int32 (N, 6) array.
    """


# --- helpers of kernels --------------------------------------------------------------------------


@njit(cache=True)
def budget_of(rules, seat):
    return rules.defender_budget if seat == DEFENDER else rules.attacker_budget


@njit(cache=True)
def can_pay(rules, s, seat, cost):
    """Whether a plan may take ``cost`` more: the budget, or ``LOOSE`` times it."""
    most = budget_of(rules, seat)
    if rules.loses:
        most *= LOOSE
    return s.spent[seat] + cost <= most


@njit(cache=True)
def pay(rules, s, seat, cost):
    """Add to what a plan costs, and flag it once it is over budget."""
    s.spent[seat] += cost
    if s.spent[seat] > budget_of(rules, seat):
        s.flags[seat] |= OVER


@njit(cache=True)
def can_keep(rules, s, seat):
    """Whether ``keep`` is legal: as the first micro-action, from the second round on."""
    return s.round > 0 and s.acts[seat] == 0


@njit(cache=True)
def can_void(rules, s, seat):
    """Whether ``void`` is legal: as the first micro-action, where plans over budget are made."""
    return rules.loses != 0 and s.acts[seat] == 0


@njit(cache=True)
def take_keep(rules, s, seat):
    """The old plan stands, with its flags; returns True, as it is complete."""
    s.n[seat] = s.last_n[seat]
    s.spent[seat] = s.last_spent[seat]
    s.flags[seat] = s.last_flags[seat]
    recall_plan(rules, s, seat)
    return True


@njit(cache=True)
def take_void(rules, s, seat):
    """A plan that breaks a rule: no entries; returns True, as it is complete."""
    empty_plan(rules, s, seat)
    s.flags[seat] = VOID
    return True


@njit(cache=True)
def empty_plan(rules, s, seat):
    """No entries, nothing spent, no flags."""
    s.n[seat] = 0
    s.spent[seat] = 0
    s.flags[seat] = 0
    clear_plan(rules, s, seat)


@njit(cache=True)
def note(s, log, time, kind, actor, target, amount, extra):
    """Write an event if events are wanted; beyond the log's rows they are counted only."""
    if s.logging:
        if s.logged < log.shape[0]:
            row = s.logged
            log[row, 0] = time
            log[row, 1] = kind
            log[row, 2] = actor
            log[row, 3] = target
            log[row, 4] = amount
            log[row, 5] = extra
        s.logged += 1


@njit(cache=True)
def commits(rules, round, seat):
    """Whether a seat is asked for a plan in a round, counted from 0."""
    if round == 0 or rules.both:
        return True
    # After odd rounds, counted from 1, the first updater plans, after even ones the other.
    return seat == (rules.first if round % 2 == 1 else 1 - rules.first)


@njit(cache=True)
def shows_last(rules, s, seat):
    """Whether a seat's own plan is still that of the round before, as its commit has not begun."""
    return s.round < rules.rounds and commits(rules, s.round, seat) and s.acts[seat] == 0


@njit(cache=True)
def shown_budget_left(rules, s, seat):
    """(budget - cost) / budget of the plan that ``seat`` is shown as its own, at least -1."""
    spent = s.last_spent[seat] if shows_last(rules, s, seat) else s.spent[seat]
    whole = budget_of(rules, seat)
    return max((whole - spent) / whole, -1.0)


@njit(cache=True)
def last_result(s, player):
    """The last round for ``player``: 1, 0, -1; 0 before there was one."""
    if s.round == 0:
        return 0
    result = np.int64(s.result[s.round - 1])
    return -result if player == DEFENDER else result


@njit(cache=True)
def verdict(rules, s):
    """What flags make of a round for the attacker: 1, 0, -1.

    The side with the worse plan loses, void before over budget. Of two plans over budget the one
    with the smaller excess for its budget wins.
    """
    worst = 0
    for seat in range(2):
        if s.flags[seat] & VOID:
            worst += 2 - 4 * seat
        elif s.flags[seat] & OVER:
            worst += 1 - 2 * seat
    if worst == 0 and s.flags[ATTACKER] & OVER and s.flags[DEFENDER] & OVER:
        own = (s.spent[ATTACKER] - rules.attacker_budget) * np.int64(rules.defender_budget)
        other = (s.spent[DEFENDER] - rules.defender_budget) * np.int64(rules.attacker_budget)
        worst = own - other
    return -1 if worst > 0 else 1 if worst < 0 else 0


@njit(cache=True)
def resolve_round(rules, s):
    """Fight or judge the running round, keep its plans as the last, and open the next."""
    k = s.round
    s.why[k] = s.flags[0] + 4 * s.flags[1]
    if s.why[k] == SIMULATED:
        s.result[k] = simulate(rules, s, s.log[:1])
        s.end[k] = s.ended
        s.left[k, 0] = s.remains[0]
        s.left[k, 1] = s.remains[1]
    else:
        s.result[k] = verdict(rules, s)
        s.end[k] = -1
        s.left[k, 0] = 0
        s.left[k, 1] = 0
    for seat in range(2):
        s.last_n[seat] = s.n[seat]
        s.last_spent[seat] = s.spent[seat]
        s.last_flags[seat] = s.flags[seat]
        s.acts[seat] = 0
        store_plan(rules, s, seat)
    s.round += 1
    if s.round < rules.rounds:
        for seat in range(2):
            if commits(rules, s.round, seat):
                empty_plan(rules, s, seat)
        s.seat = ATTACKER if commits(rules, s.round, ATTACKER) else DEFENDER


@njit(cache=True)
def reset_rounds(rules, s, seed):
    """``reset`` of the shared fields; the game empties its own last plans and scratch."""
    seed_rng(s, seed)
    s.round = 0
    s.seat = ATTACKER
    for seat in range(2):
        s.acts[seat] = 0
        empty_plan(rules, s, seat)
        s.last_n[seat] = 0
        s.last_spent[seat] = 0
        s.last_flags[seat] = 0
        store_plan(rules, s, seat)
        s.remains[seat] = 0
    for k in range(MAX_ROUNDS):
        s.result[k] = 0
        s.why[k] = 0
        s.end[k] = 0
        s.left[k, 0] = 0
        s.left[k, 1] = 0
    s.ended = 0
    s.logged = 0
    s.logging = 0
    for field in range(6):
        s.log[0, field] = 0


# --- ready to be a game's own --------------------------------------------------------------------


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.round >= rules.rounds else np.int64(s.seat)


@njit(cache=True)
def turn(rules, s):
    """The round: all plans of a round are made at the same time."""
    return np.int64(s.round)


@njit(cache=True)
def legal_actions(rules, s, out):
    seat, n = np.int64(s.seat), 0
    for action in range(last_action(rules) + 1):
        out[n] = action
        n += is_allowed(rules, s, seat, action)
    return n


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    if not 0 <= action <= last_action(rules) or s.round >= rules.rounds:
        return False
    return is_allowed(rules, s, np.int64(s.seat), action)


@njit(cache=True)
def step(rules, s, action):
    seat = np.int64(s.seat)
    complete = take(rules, s, seat, action)
    s.acts[seat] += 1
    if not complete:
        return
    if seat == ATTACKER and commits(rules, s.round, DEFENDER):
        s.seat = DEFENDER
    else:
        resolve_round(rules, s)


@njit(cache=True)
def returns(rules, s, out):
    """The mean of the rounds' results, those that are still to come 0."""
    total = 0
    for k in range(s.round):
        total += s.result[k]
    out[ATTACKER] = total / rules.rounds
    out[DEFENDER] = 0.0 - out[ATTACKER]


@njit(cache=True)
def round_return(rules, value):
    """Returns are multiples of 1 / rounds."""
    return np.rint(value * rules.rounds) / rules.rounds


@njit(cache=True)
def determinize(rules, s, player):
    """Replace what the other has committed in the running round by random micro-actions."""
    other = 1 - player
    if s.round >= rules.rounds or not commits(rules, s.round, other) or s.seat < other:
        return
    empty_plan(rules, s, other)
    s.acts[other] = 0
    if s.seat == other:  # still planning: so it stays
        for _ in range(random_below(s, 4)):
            if take(rules, s, other, random_action(rules, s, other)):
                empty_plan(rules, s, other)
                s.acts[other] = 0
                return
            s.acts[other] += 1
        return
    complete = False
    while not complete:
        complete = take(rules, s, other, random_action(rules, s, other))
        s.acts[other] += 1


# --- plans by themselves, for players and measures -----------------------------------------------


@njit(cache=True)
def resolve_log(rules, plans, events):
    """Fight out the plans of the record ``plans[0]`` once more and tell what happens.

    Args:
        plans: (1,) states; ``ended``, ``remains`` and scratch are written, plans are not.
        events: (N, 6) int32: time, kind, actor, target, amount, extra, in the game's own numbers.

    Returns:
        (events, result for the attacker); of events beyond N only the number is told.
    """
    s = plans[0]
    s.logged = 0
    s.logging = 1
    result = simulate(rules, s, events)
    s.logging = 0
    return np.int64(s.logged), np.int64(result)


@njit(cache=True)
def resolve_plans(rules, states, results):
    """Fight out the plans of every record of ``states``: (N,) int64, 1, 0, -1 for the attacker."""
    for k in range(states.shape[0]):
        results[k] = simulate(rules, states[k], states[k].log[:1])


@njit(cache=True)
def set_plan(rules, states, i, seat, actions):
    """Make micro-actions the plan of ``seat`` in ``states[i]``; nothing is resolved.

    Args:
        actions: (n,) int64, as one commit takes them; each has to fit those before it. An end that
            completes the plan changes nothing.
    """
    s = states[i]
    empty_plan(rules, s, seat)
    for k in range(actions.shape[0]):
        take(rules, s, seat, actions[k])


@njit(cache=True)
def recall_plans(rules, states):
    """Make the plans of the round before those of the record ``states[0]`` again."""
    s = states[0]
    for seat in range(2):
        take_keep(rules, s, seat)


def last_events(rules: Any, s: Any) -> np.ndarray:
    """What happened in the last round of a record that was fought: (n, 6) int32.

    At most as many as the game's ``MAX_EVENTS`` are told.
    """
    states = np.array([s])
    recall_plans(rules, states)
    events = np.zeros((sys.modules[type(rules).__module__].MAX_EVENTS, 6), np.int32)
    n, _ = resolve_log(rules, states, events)
    return events[:n]
