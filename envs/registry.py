"""Which games there are: ours, those of installed packages, and those registered at run time.

A package of somebody else's says in its entry points of the group ``stratagym.games`` what it
holds, as ``name = "package"``; the package has the files that a folder of ours has, and its
players' knowledge in ``<package>.agents``. It is imported when its game is asked for, no sooner:
so it may import ``stratagym.envs`` itself, and a broken one does no harm to the others.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import pettingzoo

from stratagym.envs import cache
from stratagym.envs.core import GameSpec
from stratagym.envs.facts import PackageFault, import_part
from stratagym.envs.offers import NAMES, is_name, offers

GROUP = "stratagym.games"
OURS = __name__.rpartition(".")[0]


@dataclass(frozen=True)
class Place:
    """Where a game is: the package that holds its ``SPEC``, and whose it is, in words."""

    package: str
    owner: str


_registered: dict[str, Place] = {}
_loaded: dict[str, GameSpec] = {}


@functools.cache
def _ours() -> dict[str, Place]:
    paths = Path(__file__).parent.glob("*/rules.py")
    return {path.parent.name: Place(f"{OURS}.{path.parent.name}", "stratagym") for path in paths}


@functools.cache
def _installed() -> tuple[dict[str, Place], dict[str, str]]:
    """Games of installed packages, and why others cannot be had, by name; warns of those."""
    found, refused = offers(GROUP, "game", _ours().__contains__)
    return {name: Place(offer.module, offer.owner) for name, offer in found.items()}, refused


def _places() -> dict[str, Place]:
    return {**_registered, **_installed()[0], **_ours()}


def games() -> list[str]:
    """Names of all games, ours and others'; nothing is imported for it."""
    return sorted(_places())


def spec(name: str) -> GameSpec:
    """The facts of a game.

    Raises:
        ValueError: no game has that name, or the package that should hold it cannot be used, in
            one line.
    """
    if name not in _loaded:
        place = _places().get(name)
        if place is None:
            reason = _installed()[1].get(name) or f"unknown game {name!r}"
            raise ValueError(f"{reason}; the games are: {', '.join(games())}")
        _keep(_load(name, place))
    return _loaded[name]


def specs() -> Iterator[GameSpec]:
    """The facts of every game that can be used; one that cannot is left out with a warning."""
    for name in games():
        if found := _spec_or_warning(name):
            yield found


def _spec_or_warning(name: str) -> GameSpec | None:
    try:
        return spec(name)
    except ValueError as error:
        _warn_once(str(error))
        return None


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(f"{message} (left out)", RuntimeWarning, stacklevel=4)


def _load(name: str, place: Place) -> GameSpec:
    if place.owner == "stratagym":
        return importlib.import_module(place.package).SPEC
    head = f"game {name!r} of {place.owner} cannot be used: "
    try:
        module = import_part(place.package)
    except (ModuleNotFoundError, PackageFault) as error:
        raise PackageFault(f"{head}{error}") from error
    found = getattr(module, "SPEC", None)
    if not isinstance(found, GameSpec):
        raise PackageFault(f"{head}{place.package} has no SPEC that is a GameSpec")
    if (found.name, found.package) != (name, place.package):
        raise PackageFault(
            f"{head}SPEC says name={found.name!r}, package={found.package!r}, its entry point "
            f"{name} = {place.package!r}; write package=__name__ in SPEC"
        )
    return found


def register(game: GameSpec) -> None:
    """Make a game known to this process, as an entry point makes an installed package's.

    ``game.package`` names the importable package with the game's files and, as ``SPEC``, this very
    fact block; ``package=__name__`` says so in the package itself. Processes that get the game in
    a pickle (workers of a tournament, of Ray) import the package by that name, so it has to be on
    their path: installed, in ``PYTHONPATH``, or in the folder they start in.

    Registering a game again is allowed to its own package only; the last registration counts.

    Raises:
        ValueError: the name is taken or is none, or the package is not there, in one line.
    """
    if not is_name(game.name):
        raise ValueError(f"game {game.name!r}: {NAMES}")
    place = _places().get(game.name)
    if place is not None and place.package != game.package:
        raise ValueError(
            f"game {game.name!r} of package {game.package}: {place.owner} has a game of that name, "
            f"in {place.package}"
        )
    try:
        there = importlib.util.find_spec(game.package) is not None
    except (ImportError, ValueError):  # a parent that is not there; a module without a spec
        there = False
    if not there:
        raise ValueError(
            f"game {game.name!r}: there is no package {game.package!r}; write package=__name__ in "
            "the package that holds the game's rules.py"
        )
    cache.adopt(game.package.partition(".")[0])
    if place is None:
        _registered[game.name] = Place(game.package, f"package {game.package}")
    _keep(game)


def unpickled(name: str, package: str) -> GameSpec:
    """The facts of a game that another process has pickled."""
    if name in _places():
        return spec(name)
    place = Place(package, f"package {package}, registered in another process,")
    register(_load(name, place))
    return _loaded[name]


def _pickled(game: GameSpec) -> tuple[Callable[[str, str], GameSpec], tuple[str, str]]:
    """By name: the checks in ``options`` are functions made at import."""
    return unpickled, (game.name, game.package)


copyreg.pickle(GameSpec, _pickled)


# --- the registries of Gymnasium and PettingZoo --------------------------------------------------


def _keep(game: GameSpec) -> None:
    """Remember a game and register its ids; those of one kept before stay."""
    known = _loaded.get(game.name)
    _loaded[game.name] = game
    if known is not None and known.version == game.version:
        return
    unversioned = _gymnasium_name(game.name)
    gymnasium.registry.pop(unversioned, None)
    _register_gymnasium(f"{unversioned}-v{game.version}", game.name)
    if not hasattr(pettingzoo, "register"):
        return
    name = f"stratagym/{game.name}-v{game.version}"
    pettingzoo.register("aec", name, f"{OURS}:make", kwargs={"name": game.name})
    if game.dynamics == "simultaneous":
        pettingzoo.register(
            "parallel",
            name,
            "stratagym.wrappers.parallel:parallel_env",
            kwargs={"game": game.name},
        )


def _gymnasium_name(game: str) -> str:
    return f"stratagym/{''.join(part.capitalize() for part in game.split('_'))}"


def _register_gymnasium(name: str, game: str) -> None:
    gymnasium.register(
        name,
        entry_point="stratagym.wrappers.single_agent:SingleAgentEnv",
        vector_entry_point="stratagym.wrappers.vector:VectorEnv",
        kwargs={"game": game},
    )


def register_ids() -> None:
    """Register our games' ids, and others' as far as they are known; call it once.

    An id ends in the game's version, which an installed package tells when it is imported. Until
    then Gymnasium knows its game without version (``stratagym/Nim``).
    """
    for name, place in _places().items():
        if place.owner == "stratagym":
            spec(name)
        else:
            _register_gymnasium(_gymnasium_name(name), name)
