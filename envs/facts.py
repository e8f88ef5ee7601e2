"""What a game says of itself: its fact block and options, its sides, its sizes.

Everything here is reached as ``core.X`` too, which is how games import it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from stratagym.envs.arrays import hold_arrays, rules_key, undeclared
from stratagym.envs.echo import shortened

_ENVS = __name__.rpartition(".")[0]


class PackageFault(ValueError):
    """A package of somebody else's that cannot be used; why, in one line."""


def import_part(name: str) -> ModuleType:
    """A module of a game's package.

    Raises:
        ModuleNotFoundError: there is none.
        PackageFault: it is somebody else's, and importing it failed, whatever it raised. One that
            ends the process by ``sys.exit`` must not end ours.
    """
    try:
        __import__(name)
    except BaseException as error:
        if name.startswith(f"{_ENVS.partition('.')[0]}.") or isinstance(error, KeyboardInterrupt):
            raise
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise
        said = shortened(" ".join(f"{type(error).__name__}: {error}".split()))
        raise PackageFault(f"importing {name} failed with {said}") from error
    return sys.modules[name]


@dataclass(frozen=True)
class Option:
    """An option of a game: a word or number people write, with its choices and one line of help.

    ``choices`` is a collection of allowed values, or a callable that takes the given value and
    returns the value to use or raises ``ValueError`` with what would be right.
    ``examples`` are allowed values that tests try where ``choices`` lists none. An option that
    ``came_later`` than the first records of its game stands in no record, configuration or ladder
    while it has its default, so that those without it stay what they were.
    """

    default: Any
    choices: Iterable[Any] | Callable[[Any], Any]
    help: str
    examples: tuple[Any, ...] = ()
    came_later: bool = False

    def check(self, game: str, name: str, value: Any) -> Any:
        """The value to use for ``value``, which may be the text of one. Raises ``ValueError``."""
        if callable(self.choices):
            try:
                return self.choices(value)
            except (ValueError, TypeError, OverflowError) as error:
                raise ValueError(f"{game}: option {name}={value!r}: {error}") from None
        allowed = list(self.choices)
        for choice in allowed:
            if value == choice or str(value) == str(choice):
                return choice
        shown = ", ".join(map(str, allowed))
        raise ValueError(f"{game}: option {name}={value!r}; choose one of: {shown}")

    def tried(self) -> list[Any]:
        """The values that tests try: all that are listed, else the default, the ends and examples.

        The ends are those of ``integer`` and the whole number after the least.
        """
        if not callable(self.choices):
            return list(self.choices)
        ends: tuple[int, ...] = ()
        if isinstance(self.choices, WholeNumber):
            low, high = self.choices.low, self.choices.high
            ends = (low, min(low + 1, high), high)
        return list(dict.fromkeys((self.default, *ends, *self.examples)))


@dataclass(frozen=True)
class WholeNumber:
    """A ``choices`` function: a whole number from ``low`` to ``high``."""

    low: int
    high: int

    def __call__(self, value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):  # infinity overflows
            number = self.low - 1
        if (
            isinstance(value, bool | np.bool_)
            or not self.low <= number <= self.high
            or number != float(value)
        ):
            raise ValueError(f"a whole number from {self.low} to {self.high} is needed")
        return number


def integer(low: int, high: int) -> WholeNumber:
    """A ``choices`` function: a whole number from ``low`` to ``high``."""
    return WholeNumber(low, high)


Sides = tuple[tuple[int, ...], ...]
"""Seats that win together, side by side: ``((0,), (1, 2))`` is one against two."""


def alone(seats: int) -> Sides:
    """So many seats, every one a side of its own."""
    return tuple((seat,) for seat in range(seats))


def each_alone(rules: Any) -> Sides:
    """Every seat of a game a side of its own."""
    return alone(rules.num_players)


def side_returns(sides: Sides, returns: Any) -> np.ndarray:
    """Each side's result, the sum of its seats' returns: (..., seats) to (..., sides) float64."""
    returns = np.asarray(returns, float)
    return np.stack([returns[..., list(side)].sum(-1) for side in sides], -1)


def side_leads(sides: Sides, returns: Any) -> np.ndarray:
    """What each side is ahead by, (..., sides) float64: above 0 for a win, 0 for a draw.

    The side's result minus the best of the other sides'. That tells who won where results do not
    sum to zero, and where several sides have won something. A side without others has its result.
    """
    return leads_of(side_returns(sides, returns))


def leads_of(results: np.ndarray) -> np.ndarray:
    """``side_leads`` of the sides' results, (..., sides)."""
    sides = results.shape[-1]
    if sides == 1:
        return results
    others = [np.delete(results, k, -1).max(-1) for k in range(sides)]
    return results - np.stack(others, -1)


def ranks_of(results: np.ndarray) -> np.ndarray:
    """The rank of each side by its result, 1 for the best, (..., sides) float64.

    Sides with equal results share the mean of their ranks (fractional ranking), so that the ranks
    of a game always have the same sum.
    """
    own, others = results[..., :, None], results[..., None, :]
    return 0.5 + (others > own).sum(-1) + (others == own).sum(-1) / 2


def first_places(results: np.ndarray) -> np.ndarray:
    """Each side's share of the first place, (..., sides): 1 over the number of the best sides."""
    is_best = results == results.max(-1, keepdims=True)
    return is_best / is_best.sum(-1, keepdims=True)


TAKEN = frozenset(
    {
        "activation", "autoreset", "autoreset_mode", "dict_observation", "final_observations",
        "gamma", "game", "illegal", "max_cycles", "model", "name", "num_envs", "observe",
        "opponent", "path", "render_mode", "reward_scale", "rules", "seat", "seed", "self",
        "shaping", "spec", "text", "threads",
    }
)  # fmt: skip
"""Names that no option of a game may have: ``make``, ``make_batch`` and the other functions that
take a game's options take arguments of these names for themselves, and would not pass them on."""

_imported: dict[str, ModuleType] = {}
"""Modules of games by their names, views completed."""


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
        options: the game's options by name, none of them in ``TAKEN``.
        seats_option: the name of the option that says how many seats there are, in games that have
            such an option.
        sources: where the rules come from.
        sides: seats that win together: every seat once. Or a function of ``rules`` that tells it,
            or None where roles are dealt, so that nobody knows before the game. By default each
            seat is alone. (Where all win together, ``utility`` is ``identical``.)
        decision_seconds: of a game in real time, how long one decision lasts, or a function of
            ``rules`` that tells it; its kernel takes a no-op from seats that are idle. None where
            the game waits for its players.
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
    seats_option: str = "players"
    sides: Sides | Callable[[Any], Sides | None] | None = each_alone
    decision_seconds: float | Callable[[Any], float | None] | None = None
    package: str = ""

    def __post_init__(self) -> None:
        if not self.package:
            object.__setattr__(self, "package", f"{_ENVS}.{self.name}")
        if self.dynamics not in ("sequential", "simultaneous"):
            raise ValueError(f"{self.name}: dynamics={self.dynamics!r}; sequential or simultaneous")
        if taken := sorted(TAKEN.intersection(self.options)):
            raise ValueError(
                f"{self.name}: an option may not be named {' or '.join(map(repr, taken))}: "
                "environments take an argument of that name for themselves"
            )
        if self.seats_option != "players" and self.seats_option not in self.options:
            raise ValueError(
                f"{self.name}: seats_option={self.seats_option!r} is none of its options"
            )

    @property
    def is_simultaneous(self) -> bool:
        """Whether the seats decide at the same time."""
        return self.dynamics == "simultaneous"

    def sides_of(self, rules: Any) -> Sides | None:
        """The sides of a game under these rules; None where roles are dealt."""
        return self.sides(rules) if callable(self.sides) else self.sides

    def decision_seconds_of(self, rules: Any) -> float | None:
        """How long one decision lasts under these rules; None where nobody's time runs."""
        told = self.decision_seconds
        return told(rules) if callable(told) else told

    def module(self, part: str) -> ModuleType:
        """One of the game's modules (``rules``, ``view``, ``render``, ``metrics``), imported."""
        name = f"{self.package}.{part}"
        module = _imported.get(name)
        # Another may have taken its place, as where a package is imported anew.
        if module is None or sys.modules.get(name) is not module:
            module = import_part(name)
            if part == "view":
                from stratagym.envs.views import complete

                module = complete(module, self.information)
            _imported[name] = module
        return module

    def optional_module(self, part: str) -> ModuleType | None:
        """The same where a game need not have it (``render``, ``replay``); None without one."""
        try:
            return self.module(part)
        except ModuleNotFoundError as error:
            if error.name not in (self.package, f"{self.package}.{part}"):
                raise
            return None

    def options_in_force(self, **given: Any) -> dict[str, Any]:
        """Every option with the value given or its default, as records have it.

        Options that ``came_later`` are left out where they have their default.

        Raises:
            ValueError: an unknown option or a value that is not allowed.
        """
        return {
            name: value
            for name, value in self._all_options(given).items()
            if not (self.options[name].came_later and value == self.options[name].default)
        }

    def _all_options(self, given: dict[str, Any]) -> dict[str, Any]:
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

        Raises:
            TypeError: a field of ``Rules`` is an array that ``sizes`` was not told of.
        """
        module = self.module("rules")
        make = getattr(module, "make_rules", None) or module.Rules
        options = self._all_options(given)
        rules = make(**options)
        _name_apart(type(rules))
        try:
            _options[rules_key(rules)] = options
        except TypeError:
            raise TypeError(undeclared(rules)) from None
        return rules

    def options_of(self, rules: Any) -> dict[str, Any]:
        """The options, as words, that are not at their defaults under these rules.

        Rules that this process has not made by ``make_rules`` are told by their fields, arrays
        left out.
        """
        options = _options.get(rules_key(rules))
        if options is None:
            fields = rules._asdict().items()
            return {name: value for name, value in fields if not isinstance(value, np.ndarray)}
        return {k: v for k, v in options.items() if v != self.options[k].default}


_options: dict[Any, dict[str, Any]] = {}
"""By ``rules_key``: the options that ``make_rules`` made them from."""


def _name_apart(rules_class: type) -> None:
    """Name a ``Rules`` after its module.

    numba's calls from Python tell NamedTuples apart by the names of class and fields only: two
    games that have both in common would take each other's place. (Pickle goes by the qualname.)
    """
    if rules_class.__name__ == "Rules":
        name = rules_class.__module__.removeprefix("stratagym.envs.")
        rules_class.__name__ = name.replace(".", "_")


def observation_bounds(rules: Any) -> tuple[Any, Any]:
    """The smallest and the largest number in an observation; the smallest is 0 unless told."""
    return getattr(rules, "observation_low", 0), rules.observation_high


Kind = TypeVar("Kind", bound=type)


def sizes(
    *,
    actions: Any,
    observation: Any,
    decisions: Any,
    dtype: Any = np.int8,
    high: Any = 1,
    low: Any = 0,
    arrays: Mapping[str, Any] | None = None,
) -> Callable[[Kind], Kind]:
    """Give a game's ``Rules`` the properties that tell its sizes; a decorator.

    Each argument is a value, or a function of ``rules`` where it depends on the options.

    Args:
        actions: ``num_actions``. observation: ``observation_shape``, a tuple.
        decisions: ``max_game_length``, the most decisions of a game.
        dtype, high, low: ``observation_dtype``, ``observation_high`` and ``observation_low``, the
            largest and the smallest number in an observation.
        arrays: the fields that are arrays, and the dtype of each: data that is part of the rules,
            such as a map. See ``arrays.hold_arrays``.
    """
    told = {
        "num_actions": actions,
        "observation_shape": observation,
        "observation_dtype": dtype,
        "observation_high": high,
        "observation_low": low,
        "max_game_length": decisions,
    }

    def decorate(rules_class: Kind) -> Kind:
        for name, value in told.items():
            computed = callable(value) and not isinstance(value, type)  # a dtype is no function
            setattr(rules_class, name, property(value) if computed else value)
        if arrays:
            hold_arrays(rules_class, arrays)
        _name_apart(rules_class)
        return rules_class

    return decorate
