"""What agents know of a particular game, by the same dispatch as the rules.

``agents/games/<game>.py`` may define these kernel functions for its game, and ``agents`` in the
package of a game of somebody else's; generic searches call them here. A game without them gets the
defaults.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.envs import core


def _returns(rules, s, out):
    core.returns(rules, s, out)


@core.kernel("agents", default=_returns)
def evaluate(rules, s, out):
    """Write an estimate of every seat's return into ``out``; exact where the game is over."""


def _lowest(rules, s, legal, n):
    return legal[0]


@core.kernel("agents", default=_lowest)
def heuristic(rules, s, legal, n):
    """The action of the game's rule-based player among ``legal[:n]``."""


def _no_hash(rules, s):
    return np.uint64(0)


@core.kernel("agents", default=_no_hash)
def position_hash(rules, s):
    """A 64-bit hash of all that a position's value depends on; 0 where the game gives none."""


def _no_priority(rules, s, action):
    return 0.0


@core.kernel("agents", default=_no_priority)
def priority(rules, s, action):
    """How promising a legal action looks before it is searched: higher first, as a float.

    About 1 for what wins a pawn or its like. Alpha-beta tries actions in this order, and Monte
    Carlo tree search takes it for the logarithm of a prior where the game asks for one.
    """


def _all(rules, s, legal, n, ply):
    return n


@core.kernel("agents", default=_all)
def candidates(rules, s, legal, n, ply):
    """Put what searches try of ``legal[:n]`` in front, in any order; return how many.

    Alpha-beta and perfect information Monte Carlo ask. At least one is needed; ``ply`` counts from
    the root.
    """


# --- what alpha-beta asks besides; a game that answers none of it is searched to its full width ---

UNIT = 1 << 20
"""What a return of 1 is in ``estimate``."""
RESULT = UNIT - (1 << 12)
"""Values of this size and above, up to ``UNIT``, are results: a return less the plies to it."""


def _from_evaluate(rules, s, scratch):
    evaluate(rules, s, scratch)
    value = np.int64(round(scratch[0] * UNIT))
    if RESULT <= value <= UNIT:
        value = np.int64(RESULT - 1)
    elif -UNIT <= value <= -RESULT:
        value = np.int64(1 - RESULT)
    return value if core.current_player(rules, s) == 0 else -value


@core.kernel("agents", default=_from_evaluate)
def estimate(rules, s, scratch):
    """A position's value for the seat to move, in any whole numbers (int64) that are no results.

    ``scratch`` is (seats,) float64. By default the value is ``evaluate``'s, in units of ``UNIT``.
    """


def _never(rules, s):
    return False


@core.kernel("agents", default=_never)
def is_check(rules, s):
    """Whether the seat to move is under a threat that it has to answer."""


@core.kernel("agents", default=_never)
def is_repeated(rules, s):
    """Whether the position stood before, so that it may be taken for a draw."""


@core.kernel("agents", default=_never)
def may_pass(rules, s):
    """Whether passing, if it were allowed, would surely not be the best move."""


def _no_pass(rules, s):
    pass


@core.kernel("agents", default=_no_pass)
def pass_turn(rules, s):
    """Let the seat to move pass, where ``may_pass``."""


def _none_forcing(rules, s, wanted, out):
    return 0


@core.kernel("agents", default=_none_forcing)
def forcing_actions(rules, s, wanted, out):
    """Write the actions that are tried on beyond the last ply, and return how many.

    Those that cannot gain ``wanted``, in the units of ``estimate``, may be left out.
    """


def _quiet(rules, s, action):
    return True


@core.kernel("agents", default=_quiet)
def is_quiet(rules, s, action):
    """Whether nothing but its history tells how good a legal action is: no capture or the like."""


def _no_margin(rules, depth):
    return np.int64(-1)


@core.kernel("agents", default=_no_margin)
def margin(rules, depth):
    """What quiet play of ``depth`` plies hardly ever gains on ``estimate``; -1: it may gain any.

    Where the game knows a margin of one ply, quiet actions late in the order are searched less
    deeply; where it knows none, alpha-beta looks at everything.
    """


def _no_rule(rules, s, legal, n, which):
    return legal[0]


@core.kernel("agents", default=_no_rule)
def rule(rules, s, legal, n, which):
    """The action of rule-based player number ``which`` (a value of ``RULES``) of the game."""


def _by_evaluator(rules, s, low, high, memory, out):
    evaluate(rules, s, out)


def _any(rules, s, legal, n):
    return legal[core.random_below(s, n)]


@core.kernel("agents", default=_any)
def playout(rules, s, legal, n):
    """The action of Monte Carlo tree search's playouts among ``legal[:n]``, drawn by ``s``.

    By default any of them. ``legal`` may be left in another order.
    """


def _no_answer(rules, s):
    return -1


@core.kernel("agents", default=_no_answer)
def urgent(rules, s):
    """What playouts of a search by rapid action values answer the last move with, or -1.

    A legal action, drawn by ``s`` if there are several. Without an answer ``playout`` is asked.
    """


def _never_shunned(rules, s, action):
    return False


@core.kernel("agents", default=_never_shunned)
def is_shunned(rules, s, action):
    """Whether such a search takes a legal action for lost until it has tried it."""


@core.kernel("agents", default=_by_evaluator)
def judge(rules, s, low, high, memory, out):
    """Write every seat's return as Monte Carlo tree search takes it at a leaf into ``out``.

    A return of seat 0 below ``low`` or above ``high`` may be a bound. ``memory`` is what
    ``judge_memory`` of the game's agents gave.
    """


def _redrawn(rules, s, player):
    core.determinize(rules, s, player)


@core.kernel("agents", default=_redrawn)
def imagine(rules, s, player):
    """Redraw all that ``player`` cannot know, for one simulation of a search.

    By default as ``core.determinize`` does, uniformly. A game's agents may go by what the moves of
    the others tell.
    """


# --- what the root of every search of two players asks ------------------------------------------


def _may(rules, s):
    return True


@core.kernel("agents", default=_may)
def may_win(rules, s):
    """Whether the seat to move may have an action that wins at once; False only if it has none.

    Where it may, all are tried.
    """


# --- what perfect information Monte Carlo asks besides --------------------------------------------


def _not_solved(rules, s, memory, out):
    return False


@core.kernel("agents", default=_not_solved)
def exact(rules, s, memory, out):
    """Whether a position whose hidden things are known is solved; then writes each seat's worth.

    What it writes is as ``as_worth`` has it. ``memory`` is what ``exact_memory`` of the game's
    agents gave.
    """


def _as_returned(rules, s, out):
    pass


@core.kernel("agents", default=_as_returned)
def as_worth(rules, s, out):
    """Make of the returns of a game that is over, in ``out``, what its sums are to be highest of.

    By default the returns themselves.
    """


def _alike(rules, s, player):
    return 1.0


@core.kernel("agents", default=_alike)
def likelihood(rules, s, player):
    """How well a guess at what ``player`` cannot know agrees with what the others did: a weight."""


def exact_memory(rules: Any) -> tuple[np.ndarray, ...]:
    """Scratch for ``exact``: what the game's agents give for it, else next to nothing."""
    give = getattr(core.home(type(rules), "agents"), "exact_memory", None)
    return give(rules) if give else (np.zeros(0),)


def judge_memory(rules: Any) -> tuple[np.ndarray, ...]:
    """Scratch for ``judge``: what the game's agents give for it, else next to nothing."""
    give = getattr(core.home(type(rules), "agents"), "judge_memory", None)
    return give(rules) if give else (np.zeros(0),)


def found(spec: core.GameSpec, name: str) -> Any:
    """What the game's agents define under ``name``, or None."""
    return getattr(core.home(spec.module("rules").Rules, "agents"), name, None)


def policy_makers(spec: core.GameSpec) -> dict[str, Any]:
    """``POLICIES`` of the game's agents: its players that have a name of their own.

    By the name that policy strings begin with, a function from (GameSpec, PolicyString) to the
    policy, which raises ``ValueError`` in one line for options that make no sense.
    """
    return found(spec, "POLICIES") or {}


def data_folder(spec: core.GameSpec, name: str) -> Path:
    """Where data of one kind that the game's players have is kept, whether there or not.

    Of our games that is ``data/<name>`` beside this file, of others beside their agents.
    """
    module = core.home(spec.module("rules").Rules, "agents")
    ours = module.__name__.startswith(f"{__name__.partition('.')[0]}.")
    beside = __file__ if ours else str(sys.modules[module.__name__].__file__)
    return Path(beside).parent / "data" / name


def rule_names(spec: core.GameSpec) -> dict[str, int]:
    """``RULES`` of the game's agents: the names of its rule-based players and their numbers."""
    return found(spec, "RULES") or {}


def rule_number(spec: core.GameSpec, name: str, version: int) -> tuple[int, int]:
    """The number of a rule-based player in a version, and which version it is of its own.

    ``EARLIER_RULES`` of the game's agents has the numbers of players that were others before: by
    the last version in which they were so, and by name.
    """
    changes = sorted((found(spec, "EARLIER_RULES") or {}).items())
    earlier = [(last, numbers[name]) for last, numbers in changes if name in numbers]
    for last, number in earlier:
        if version <= last:
            return number, last
    return rule_names(spec)[name], earlier[-1][0] + 1 if earlier else 1


def action_cells(rules: Any) -> np.ndarray:
    """Where each action stands in planes over the observation's board, as the game's agents say.

    Returns:
        (A,) int64: ``(plane * rows + row) * columns + column``.

    Raises:
        ValueError: the game's agents do not define ``action_cells``.
    """
    home = core.home(type(rules), "agents")
    if not hasattr(home, "action_cells"):
        raise ValueError(f"{home.__name__} does not say where its actions stand on a board")
    return np.asarray(home.action_cells(rules), np.int64)


def board_shape(rules: Any) -> tuple[tuple[int, int, int], bool]:
    """(rows, columns, planes) of a game's observation, and whether the planes come first in it.

    They do where the game's agents say ``PLANES_FIRST = True``.
    """
    a, b, c = rules.observation_shape
    if getattr(core.home(type(rules), "agents"), "PLANES_FIRST", False):
        return (b, c, a), True
    return (a, b, c), False
