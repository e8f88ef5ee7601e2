"""The kernel protocol: a game as pure functions over one record.

A game's ``rules.py`` holds ``STATE`` (a structured dtype with an ``rng`` field of type ``u8``),
``Rules`` (a NamedTuple of plain numbers, and of arrays where data are rules, under ``sizes``;
where the options decide the dtype, as with a board's size, its property ``state_dtype`` tells it)
and njit functions named as the stubs below. Generic code, here and in searches, calls the stubs;
numba finds the game's own function at compile time from the class of ``rules``, so that one generic
source serves every game at full speed.
What a game says of itself besides is in ``facts``.

A kernel allocates nothing, raises nothing, does not recurse (numba's cache then links symbols that
are not there) and does not validate: environments do that.
From Python, states are arrays of ``STATE`` and are reached by the ``*_at`` functions.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba import njit
from numba.core.errors import TypingError
from numba.extending import overload

from stratagym.envs.arrays import rules_key as rules_key
from stratagym.envs.facts import GameSpec as GameSpec
from stratagym.envs.facts import Option as Option
from stratagym.envs.facts import Sides as Sides
from stratagym.envs.facts import alone as alone
from stratagym.envs.facts import each_alone as each_alone
from stratagym.envs.facts import import_part
from stratagym.envs.facts import integer as integer
from stratagym.envs.facts import observation_bounds as observation_bounds
from stratagym.envs.facts import side_leads as side_leads
from stratagym.envs.facts import side_returns as side_returns
from stratagym.envs.facts import sizes as sizes

CHANCE = -1
"""``current_player`` when dice or cards decide (OpenSpiel's id)."""
TERMINAL = -4
"""``current_player`` when the game is over (OpenSpiel's id)."""
TRUNCATED = -5
"""``current_player`` when a limit of the rules, such as Ludo's ``max_rolls``, stopped the game."""


_ENVS = __name__.rpartition(".")[0]
_AS_NJIT: Any = {"cache": True, "no_cpython_wrapper": False}
"""Options of the functions behind stubs, those of ``njit(cache=True)``: kept on disk, and compiled
once for all who call them, which numba does where the options are the same throughout."""

# --- the protocol ----------------------------------------------------------------------------


def home(rules_class: type, package: str) -> ModuleType:
    """The module that holds a game's function: its rules, its metrics, or its agent's knowledge.

    Metrics are in ``metrics`` beside the rules. Of our games, agents' knowledge is in
    ``stratagym.agents.games.<game>``; of a game in another package, in ``agents`` beside its
    ``rules``. Without either the rules hold it, if anything does.
    """
    rules_module = sys.modules[rules_class.__module__]
    place, _, last = rules_module.__name__.rpartition(".")
    if package == "rules" or not place or last != "rules":
        return rules_module
    ours, _, game = place.rpartition(".")
    in_agents = package == "agents" and ours == _ENVS
    name = f"stratagym.agents.games.{game}" if in_agents else f"{place}.{package}"
    try:
        return import_part(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return rules_module


def kernel(
    package: str,
    default: Callable[..., Any] | None = None,
    find: Callable[[type], Any] | None = None,
) -> Callable[[Any], Any]:
    """Turn a stub into a call of the function of its name that belongs to the class of ``rules``.

    From numba it is found when the caller is compiled; from Python at each call. ``find`` tells
    another function of the class.
    """

    def decorate(stub: Callable[..., Any]) -> Callable[..., Any]:
        name = stub.__name__

        def find_kernel(rules_class: type) -> Any:
            if find is not None:
                return find(rules_class)
            return getattr(home(rules_class, package), name, default)

        def found_for(rules_class: type) -> Any:
            found = find_kernel(rules_class)
            if found is None:
                raise TypingError(f"{rules_class.__module__} has no kernel function {name}")
            return found

        def resolve(rules: Any, *args: Any) -> Any:
            found = found_for(rules.instance_class)
            return getattr(found, "py_func", found)

        def call(rules: Any, *args: Any) -> Any:
            return found_for(type(rules))(rules, *args)

        resolve.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]
        call.__name__, call.__doc__ = name, stub.__doc__
        call.find_kernel = find_kernel  # type: ignore[attr-defined]  # for ``stamps``
        overload(call, jit_options=_AS_NJIT)(resolve)
        return call

    return decorate


@kernel("rules")
def reset(rules, s, seed):
    """Write the start of a game into ``s``; the same seed gives the same dice and cards."""


@kernel("rules")
def current_player(rules, s):
    """Seat to move (0 ..), or ``CHANCE``, ``TERMINAL``, ``TRUNCATED``."""


@kernel("rules")
def legal_actions(rules, s, out):
    """Write the legal action ids into ``out`` (int array), ascending; return how many."""


@kernel("rules")
def step(rules, s, action):
    """Play one legal action of the seat to move."""


@kernel("rules")
def returns(rules, s, out):
    """Write each seat's return so far into ``out`` (float64, one per seat)."""


def _as_it_is(rules, value):
    return value


@kernel("rules", default=_as_it_is)
def round_return(rules, value):
    """A return, or a sum or difference of returns, without what floats add to it or lose of it.

    Games whose returns are no whole numbers round to their unit; the others need no such function.
    """


@kernel("rules")
def observe(rules, s, player, out):
    """Fill ``out`` with what ``player`` sees: all of it, and nothing that seat may not know."""


def _no_chance(rules, s, probs):
    return 0


@kernel("rules", default=_no_chance)
def chance_outcomes(rules, s, probs):
    """Write the probability of each chance outcome into ``probs``; return how many there are."""


def _no_outcome(rules, s, outcome):
    pass


@kernel("rules", default=_no_outcome)
def apply_chance(rules, s, outcome):
    """Let chance outcome number ``outcome`` happen."""


def _nothing_hidden(rules, s, player):
    pass


@kernel("rules", default=_nothing_hidden)
def determinize(rules, s, player):
    """Redraw all that ``player`` cannot know, uniformly over what agrees with what it has seen.

    It also gives ``s`` dice of its own: a searcher must not foresee the real ones.
    """


@njit(cache=True)
def is_listed(rules, s, action, legal):
    """``is_legal_action`` by ``legal_actions``; ``legal`` is scratch."""
    n = legal_actions(rules, s, legal)
    for k in range(n):
        if legal[k] == action:
            return True
    return False


@kernel("rules", default=is_listed)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer; ``legal`` is scratch.

    By default ``legal_actions`` is asked. A game with thousands of actions can answer at once.
    """


def _no_turns(rules, s):
    return -1


@kernel("rules", default=_no_turns)
def turn(rules, s):
    """The number of the running turn, for games whose ``dynamics`` are ``simultaneous``.

    Decisions under one number are made at the same time: no seat is shown what another has
    committed under it, neither are its legal actions changed by that. The last commit resolves the
    turn and raises the number; a seat that decides alone has a number of its own.
    """


# --- random numbers: splitmix64, its state in the record -----------------------------------------

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@njit(cache=True)
def mix64(x):
    """splitmix64's finalizer (Steele, Lea, Flood 2014): uint64 to uint64, one to one."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@njit(cache=True)
def derive_seed(seed, k):
    """The ``k``-th seed below ``seed``; distinct for distinct ``k``. Seed 0 is a seed."""
    return mix64(mix64(np.uint64(seed) + _GAMMA) + np.uint64(k) * _GAMMA)


@njit(cache=True)
def seed_rng(s, seed):
    """Start the generator of record ``s``.

    A generator apart from a game is another record of the game's own dtype: numba takes every
    state for a subtype of a record that holds ``rng`` alone, and warns of that.
    """
    s.rng = mix64(np.uint64(seed) + _GAMMA)


@njit(cache=True)
def random_uint64(s):
    """64 random bits from the generator of record ``s``."""
    s.rng += _GAMMA
    return mix64(s.rng)


@njit(cache=True)
def random_below(s, n):
    """A uniform integer in 0 .. n-1 (n below 2**32) from the generator of record ``s``.

    Multiply and shift; the bias is below n / 2**32.
    """
    return np.int64(((random_uint64(s) >> _S32) * np.uint64(n)) >> _S32)


@njit(cache=True)
def random_unit(s):
    """A uniform float64 in [0, 1) from the generator of record ``s``."""
    return (random_uint64(s) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# --- what every caller of a kernel needs ---------------------------------------------------------

MAX_OUTCOMES = 64


@njit(cache=True)
def draw_chance(rules, s, probs):
    """A chance outcome of ``s`` from its own generator; ``probs`` is scratch."""
    n = chance_outcomes(rules, s, probs)
    drawn, bound, outcome = random_unit(s), 0.0, 0
    for k in range(n - 1):  # no early exit: a mispredicted branch costs more
        bound += probs[k]
        outcome += drawn >= bound
    return outcome


@njit(cache=True)
def play_chance(rules, s, probs):
    """Draw from the state's own generator until a seat is to move or the game is over.

    ``probs`` is scratch: float64, ``MAX_OUTCOMES`` long.
    """
    player = current_player(rules, s)
    while player == CHANCE:
        apply_chance(rules, s, draw_chance(rules, s, probs))
        player = current_player(rules, s)
    return player


@njit(cache=True, inline="always")
def start(rules, s, seed, probs):
    """``reset`` and the first chance events; returns the seat to move."""
    reset(rules, s, seed)
    return play_chance(rules, s, probs)


@njit(cache=True, inline="always")
def play(rules, s, action, probs):
    """``step`` and the chance events that follow; returns the seat to move."""
    step(rules, s, action)
    return play_chance(rules, s, probs)


@njit(cache=True)
def legal_mask(rules, s, legal, mask):
    """Write the 0/1 mask of the legal actions; ``legal`` is scratch. Returns how many."""
    for action in range(mask.shape[0]):  # a slice would cost a call
        mask[action] = 0
    return add_legal(rules, s, legal, mask)


@njit(cache=True)
def add_legal(rules, s, legal, mask):
    """``legal_mask`` for a mask that is all zeros already."""
    if current_player(rules, s) < 0:
        return 0
    n = legal_actions(rules, s, legal)
    for k in range(n):
        mask[legal[k]] = 1
    return n


@njit(cache=True, nogil=True)
def random_games(rules, states, legal, probs, seed, decisions):
    """Random legal play in ``states[0]``, game after game, for at least ``decisions`` decisions.

    Returns (decisions played, games finished). The bulk loop of the speed benchmarks.
    """
    s = states[0]
    done = games = 0
    while done < decisions:
        player = start(rules, s, derive_seed(seed, games), probs)
        while player >= 0:
            n = legal_actions(rules, s, legal)
            step(rules, s, legal[random_below(s, n)])
            player = play_chance(rules, s, probs)
            done += 1
        games += 1
    return done, games


@njit(cache=True)
def winner_takes(winner, out):
    """The usual ``returns`` of two seats: +1 for the winner and -1 for the loser.

    ``winner`` is a seat, or below 0 for nobody: 0 for both.
    """
    out[0] = 0.0 if winner < 0 else 1.0 - 2.0 * winner
    out[1] = 0.0 - out[0]  # of a draw 0.0 too, where a minus alone gives -0.0


# --- the same from Python, on element i of an array of states ------------------------------------


@njit(cache=True)
def start_at(rules, states, i, seed, probs):
    """Start a game in ``states[i]``; returns the seat to move."""
    return start(rules, states[i], seed, probs)


@njit(cache=True)
def play_at(rules, states, i, action, legal, probs):
    """Play an action in ``states[i]``, then chance.

    Returns (seat to move, number of legal actions written to ``legal``).
    """
    s = states[i]
    player = play(rules, s, action, probs)
    return player, (legal_actions(rules, s, legal) if player >= 0 else 0)


@njit(cache=True)
def current_player_at(rules, states, i):
    """Seat to move in ``states[i]``, or one of the negative ids."""
    return current_player(rules, states[i])


@njit(cache=True)
def turn_at(rules, states, i):
    """The number of the running turn in ``states[i]``."""
    return turn(rules, states[i])


@njit(cache=True)
def legal_actions_at(rules, states, i, out):
    """Write the legal actions of ``states[i]``; returns how many."""
    return legal_actions(rules, states[i], out)


@njit(cache=True)
def is_legal_action_at(rules, states, i, action, legal):
    """Whether the seat to move in ``states[i]`` may play an action; ``legal`` is scratch."""
    return is_legal_action(rules, states[i], action, legal)


@njit(cache=True)
def observe_at(rules, states, i, player, out):
    """Fill ``out`` with what ``player`` sees in ``states[i]``."""
    observe(rules, states[i], player, out)


@njit(cache=True)
def returns_at(rules, states, i, out):
    """Write every seat's return in ``states[i]``."""
    returns(rules, states[i], out)


@njit(cache=True)
def determinize_at(rules, states, i, player, seed):
    """Redraw in ``states[i]`` what ``player`` cannot know, with a generator started at ``seed``."""
    s = states[i]
    seed_rng(s, seed)
    determinize(rules, s, player)


def direct(function: Any, *arguments: Any) -> Callable[..., Any]:
    """The compiled code of a function for arguments of these types: the fast handle from Python.

    Calls of it skip numba's look at the types, most of the time of a short call (0.9 us against
    0.2 us). Nothing is checked instead: the types must be the same at every call, arrays
    C-contiguous and actions legal.

    Args:
        function: one above, or any other that ``njit`` compiles. arguments: any of their types.
    """
    return function.compile(tuple(numba.typeof(argument) for argument in arguments))


def state_dtype(rules: Any) -> np.dtype:
    """The dtype of a state: ``rules.state_dtype`` if the options decide it, else ``STATE``."""
    if hasattr(rules, "state_dtype"):
        return rules.state_dtype
    return sys.modules[type(rules).__module__].STATE


def new_states(rules: Any, n: int = 1) -> np.ndarray:
    """``n`` blank states of the game of ``rules``."""
    return np.zeros(n, state_dtype(rules))


def new_scratch(rules: Any) -> tuple[np.ndarray, np.ndarray]:
    """The two scratch arrays kernels ask for: (legal: int64, probs: float64)."""
    return np.zeros(rules.num_actions, np.int64), np.zeros(MAX_OUTCOMES)
