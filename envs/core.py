"""The kernel protocol: a game as pure functions over one record.

A game's ``rules.py`` holds ``STATE`` (a structured dtype with an ``rng`` field of type ``u8``),
``Rules`` (a NamedTuple of plain numbers, under ``sizes``; where the options decide the dtype, as
with a board's size, its property ``state_dtype`` tells it) and njit functions named as the stubs
below. Generic
code, here and in searches, calls the stubs; numba finds the game's own function at compile time
from the class of ``rules``, so that one generic source serves every game at full speed.

A kernel allocates nothing, raises nothing, does not recurse (numba's cache then links symbols that
are not there) and does not validate: environments do that.
From Python, states are arrays of ``STATE`` and are reached by the ``*_at`` functions.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from numba import njit
from numba.core.errors import TypingError
from numba.extending import overload

CHANCE = -1
"""``current_player`` when dice or cards decide (OpenSpiel's id)."""
TERMINAL = -4
"""``current_player`` when the game is over (OpenSpiel's id)."""
TRUNCATED = -5
"""``current_player`` when a limit of the rules, such as Ludo's ``max_rolls``, stopped the game."""


_ENVS = __name__.rpartition(".")[0]

# --- facts -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """An option of a game: a word or number people write, with its choices and one line of help.

    ``choices`` is a collection of allowed values, or a callable that takes the given value and
    returns the value to use or raises ``ValueError`` with what would be right.
    """

    default: Any
    choices: Iterable[Any] | Callable[[Any], Any]
    help: str

    def check(self, game: str, name: str, value: Any) -> Any:
        """The value to use for ``value``, which may be the text of one. Raises ``ValueError``."""
        if callable(self.choices):
            try:
                return self.choices(value)
            except (ValueError, TypeError) as error:
                raise ValueError(f"{game}: option {name}={value!r}: {error}") from None
        allowed = list(self.choices)
        for choice in allowed:
            if value == choice or str(value) == str(choice):
                return choice
        shown = ", ".join(map(str, allowed))
        raise ValueError(f"{game}: option {name}={value!r}; choose one of: {shown}")


def integer(low: int, high: int) -> Callable[[Any], int]:
    """A ``choices`` function: a whole number from ``low`` to ``high``."""

    def check(value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError):
            number = low - 1
        if isinstance(value, bool) or not low <= number <= high or number != float(value):
            raise ValueError(f"a whole number from {low} to {high} is needed")
        return number

    return check


Sides = tuple[tuple[int, ...], ...]
"""Seats that win together, side by side: ``((0,), (1, 2))`` is one against two."""


def each_alone(rules: Any) -> Sides:
    """Every seat a side of its own."""
    return tuple((seat,) for seat in range(rules.num_players))


def side_returns(sides: Sides, returns: Any) -> np.ndarray:
    """Each side's result, the sum of its seats' returns: (..., seats) to (..., sides) float64."""
    returns = np.asarray(returns, float)
    return np.stack([returns[..., list(side)].sum(-1) for side in sides], -1)


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """The fact block of a game, after OpenSpiel's GameType and GameInfo.

    What is not said is so of most board games: two seats in turn, all to be seen, one wins what the
    other loses.

    Attributes:
        name: the folder's name. title: as people write it. version: raised when results change.
        min_players, max_players: seats.
        dynamics: ``sequential``, or ``simultaneous`` if the seats decide at the same time: they
            commit in seat order into the record, the last commit resolves the turn, and nobody
            is shown a commit of the turn that is running.
        chance: ``deterministic``, ``explicit`` (dice shown to all) or ``sampled``.
        information: ``perfect`` or ``imperfect``.
        utility: ``zero_sum``, ``constant_sum``, ``identical`` or ``general``.
        max_game_length: the most decisions a game with default options can take.
        options: the game's options by name.
        sources: where the rules come from.
        sides: seats that win together: every seat once. Or a function of ``rules`` that tells it,
            or None where roles are dealt, so that nobody knows before the game. By default each
            seat is alone. (Where all win together, ``utility`` is ``identical``.)
        decision_seconds: of a game in real time, how long one decision lasts; its kernel takes a
            no-op from seats that are idle. None where the game waits for its players.
        package: the importable package with the game's files, ``stratagym.envs.<name>`` unless
            given. A game in a package of its own says ``package=__name__``.
    """

    name: str
    title: str
    version: int
    min_players: int = 2
    max_players: int = 2
    dynamics: str = "sequential"
    chance: str = "deterministic"
    information: str = "perfect"
    utility: str = "zero_sum"
    max_game_length: int
    sources: tuple[str, ...] = ()
    options: dict[str, Option] = field(default_factory=dict)
    sides: Sides | Callable[[Any], Sides] | None = each_alone
    decision_seconds: float | None = None
    package: str = ""

    def __post_init__(self) -> None:
        if not self.package:
            object.__setattr__(self, "package", f"{_ENVS}.{self.name}")
        if self.dynamics not in ("sequential", "simultaneous"):
            raise ValueError(f"{self.name}: dynamics={self.dynamics!r}; sequential or simultaneous")

    @property
    def is_simultaneous(self) -> bool:
        """Whether the seats decide at the same time."""
        return self.dynamics == "simultaneous"

    def sides_of(self, rules: Any) -> Sides | None:
        """The sides of a game under these rules; None where roles are dealt."""
        return self.sides(rules) if callable(self.sides) else self.sides

    def module(self, part: str) -> ModuleType:
        """One of the game's modules (``rules``, ``view``, ``render``, ``metrics``), imported."""
        name = f"{self.package}.{part}"
        __import__(name)
        if part == "view":
            from stratagym.envs.prompts import complete

            return complete(sys.modules[name])
        return sys.modules[name]

    def options_in_force(self, **given: Any) -> dict[str, Any]:
        """Every option with the value given or its default.

        Raises:
            ValueError: an unknown option or a value that is not allowed.
        """
        for name in given:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"{self.name}: unknown option {name!r}; its options are: {known}")
        return {
            name: option.check(self.name, name, given.get(name, option.default))
            for name, option in self.options.items()
        }

    def make_rules(self, **given: Any) -> Any:
        """The game's ``Rules`` for these options; raises ``ValueError`` as above.

        Made by the game's ``make_rules``, which turns words into numbers; without one the options
        are the fields of ``Rules``.
        """
        module = self.module("rules")
        make = getattr(module, "make_rules", None) or module.Rules
        rules = make(**self.options_in_force(**given))
        _name_apart(type(rules))
        return rules


def _name_apart(rules_class: type) -> None:
    """Name a ``Rules`` after its module.

    numba's calls from Python tell NamedTuples apart by the names of class and fields only: two
    games that have both in common would take each other's place. (Pickle goes by the qualname.)
    """
    if rules_class.__name__ == "Rules":
        name = rules_class.__module__.removeprefix("stratagym.envs.")
        rules_class.__name__ = name.replace(".", "_")


Kind = TypeVar("Kind", bound=type)


def sizes(
    *, actions: Any, observation: Any, decisions: Any, dtype: Any = np.int8, high: Any = 1
) -> Callable[[Kind], Kind]:
    """Give a game's ``Rules`` the properties that tell its sizes; a decorator.

    Each argument is a value, or a function of ``rules`` where it depends on the options.

    Args:
        actions: ``num_actions``. observation: ``observation_shape``, a tuple.
        decisions: ``max_game_length``, the most decisions of a game.
        dtype, high: ``observation_dtype`` and ``observation_high``, the largest number in an
            observation. The smallest is 0.
    """
    told = {
        "num_actions": actions,
        "observation_shape": observation,
        "observation_dtype": dtype,
        "observation_high": high,
        "max_game_length": decisions,
    }

    def decorate(rules_class: Kind) -> Kind:
        for name, value in told.items():
            computed = callable(value) and not isinstance(value, type)  # a dtype is no function
            setattr(rules_class, name, property(value) if computed else value)
        _name_apart(rules_class)
        return rules_class

    return decorate


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
        __import__(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return rules_module
    return sys.modules[name]


def kernel(package: str, default: Callable[..., Any] | None = None) -> Callable[[Any], Any]:
    """Turn a stub into a call of the function of its name that belongs to the class of ``rules``.

    From numba it is found when the caller is compiled; from Python at each call.
    """

    def decorate(stub: Callable[..., Any]) -> Callable[..., Any]:
        name = stub.__name__

        def find_kernel(rules_class: type) -> Any:
            return getattr(home(rules_class, package), name, default)

        def find(rules_class: type) -> Any:
            found = find_kernel(rules_class)
            if found is None:
                raise TypingError(f"{rules_class.__module__} has no kernel function {name}")
            return found

        def resolve(rules: Any, *args: Any) -> Any:
            found = find(rules.instance_class)
            return getattr(found, "py_func", found)

        def call(rules: Any, *args: Any) -> Any:
            return find(type(rules))(rules, *args)

        resolve.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]
        call.__name__, call.__doc__ = name, stub.__doc__
        call.find_kernel = find_kernel  # type: ignore[attr-defined]  # for ``stamps``
        overload(call)(resolve)
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


@njit(cache=True)
def start(rules, s, seed, probs):
    """``reset`` and the first chance events; returns the seat to move."""
    reset(rules, s, seed)
    return play_chance(rules, s, probs)


@njit(cache=True)
def play(rules, s, action, probs):
    """``step`` and the chance events that follow; returns the seat to move."""
    step(rules, s, action)
    return play_chance(rules, s, probs)


@njit(cache=True)
def legal_mask(rules, s, legal, mask):
    """Write the 0/1 mask of the legal actions; ``legal`` is scratch. Returns how many."""
    mask[:] = 0
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
            player = play(rules, s, legal[random_below(s, n)], probs)
            done += 1
        games += 1
    return done, games


@njit(cache=True)
def winner_takes(winner, out):
    """The usual ``returns`` of two seats: +1 for the winner and -1 for the loser.

    ``winner`` is a seat, or below 0 for nobody: 0 for both.
    """
    out[0] = 0.0 if winner < 0 else 1.0 - 2.0 * winner
    out[1] = -out[0]


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
    """The compiled code of a function above for arguments of these types.

    Calls of it skip numba's look at the types, most of the time of a short call (0.9 us against
    0.2 us), so the types must be the same at every call.
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
