"""Players of other packages, by names of their own in policy strings.

A package says in its entry points of the group ``stratagym.policies`` which players it has, as
``name = "module:factory"``. The factory is called like those in ``agents.core.FACTORIES``, with the
facts of a game and the parsed string; it returns a ``Policy`` and raises ``ValueError`` in one line
for options that make no sense and for games that the player does not play. The first line of its
docstring says what the player is. A policy's name is the string that makes it again; a policy
without one gets the string that it was asked for by.

The module is imported when one of its players is asked for, by each process that needs it. A
built-in player comes first, then a player that a game's own agents name, so that no package changes
what a known string means.
"""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import (
    FACTORIES,
    Around,
    BatchPolicy,
    Decision,
    Policy,
    PolicyFault,
    PolicyString,
)
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.envs import core
from stratagym.envs.echo import shortened
from stratagym.envs.facts import PackageFault, import_part
from stratagym.envs.offers import Offer, offers
from stratagym.envs.prompts import is_legal
from stratagym.envs.talk import Message, Said

GROUP = "stratagym.policies"

Factory = Callable[[core.GameSpec, PolicyString], Policy]


@functools.cache
def _installed() -> tuple[dict[str, Offer], dict[str, str]]:
    return offers(GROUP, "policy", FACTORIES.__contains__)


def players(spec: core.GameSpec) -> dict[str, str]:
    """The installed packages' players that can be asked for in a game, and whose they are.

    One that is called as a player of the game's own is left out with a warning. Nothing is
    imported.
    """
    own = hooks.policy_makers(spec)
    found = {name: offer.owner for name, offer in _installed()[0].items() if name not in own}
    for name in sorted(_installed()[0].keys() & own.keys()):
        _warn_once(
            f"policy {name!r} of {_installed()[0][name].owner} is left out in {spec.name}, which "
            "has a player of that name"
        )
    return found


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)


@functools.cache
def factory(name: str) -> Factory:
    """What makes the player of a package.

    Raises:
        PackageFault: its module cannot be imported, or has no such function; why, in one line.
        KeyError: no package has a player of that name.
    """
    offer = _installed()[0][name]
    head = f"policy {name!r} of {offer.owner} cannot be used: "
    try:
        found: Any = import_part(offer.module)
    except (ModuleNotFoundError, PackageFault) as error:
        raise PackageFault(f"{head}{error}") from error
    path = offer.value.partition(":")[2].partition("[")[0].strip()
    for part in filter(None, path.split(".")):
        found = getattr(found, part, None)
    if not path or not callable(found):
        raise PackageFault(
            f"{head}its entry point {name} = {offer.value!r} names no function; "
            'write name = "module:function"'
        )
    return found


def outside_policy(spec: core.GameSpec, text: PolicyString) -> Policy:
    """The player of a package for one game.

    Raises:
        ValueError: no package has a player of that name, or it does not play so.
        PackageFault: the package cannot be used.
    """
    known = players(spec)
    if text.name not in known:
        reason = _installed()[1].get(text.name) or f"unknown policy {text.name!r}"
        names = ", ".join((*FACTORIES, *hooks.policy_makers(spec), *known))
        raise ValueError(f"{reason}; the policies are: {names}")
    head = f"policy {text.name!r} of {known[text.name]}: "
    make = factory(text.name)
    try:
        policy = make(spec, text)
    except (ValueError, ModuleNotFoundError) as error:  # it says what would be right
        raise type(error)(_line(error)) from error
    except (Exception, SystemExit) as error:
        raise PackageFault(f"{head}making it failed with {_described(error)}") from error
    if not isinstance(policy, Policy):
        raise PackageFault(f"{head}what makes it returned no Policy but {_line(repr(policy))}")
    name = getattr(policy, "name", None) or str(text)
    if not isinstance(name, str) or PolicyString.parse(name).name != text.name:
        raise PackageFault(
            f"{head}it calls itself {_line(repr(name))}; a policy's name makes it again, so it "
            f"begins with {text.name!r}"
        )
    policy.name = name
    if isinstance(policy, KernelPolicy | LanguageModel):  # ours, under another name
        return policy
    return OutsideBatch(policy) if isinstance(policy, BatchPolicy) else Outside(policy)


def about(name: str) -> str:
    """The first line of what the factory of a package's player says of it; it is imported.

    Raises:
        PackageFault: as of ``factory``.
    """
    return _line((inspect.getdoc(factory(name)) or "").partition("\n")[0])


def _line(said: object) -> str:
    line = " ".join(str(said).split())
    return shortened("".join(c if c.isprintable() else "?" for c in line))


def _described(error: BaseException) -> str:
    return _line(f"{type(error).__name__}: {error}")


class Outside(Around):
    """A package's player; what it does wrong is its own loss, and ends no run.

    Raises:
        PolicyFault: from ``act`` and ``say``: it failed, or its action is not legal.
    """

    def __init__(self, policy: Policy):
        self.policy, self.name, self.version = policy, policy.name, policy.version

    def act(self, decision: Decision) -> int:
        legal = decision.legal.copy()
        try:
            action = self.policy.act(decision)
        except PolicyFault:
            raise
        except (Exception, SystemExit) as error:
            raise self._failed("choosing an action", error) from error
        return self._checked(action, legal)

    def say(self, decision: Decision, heard: Sequence[Message]) -> Sequence[Said]:
        try:
            return [(tuple(to), str(text)) for to, text in self.policy.say(decision, heard)]
        except PolicyFault:
            raise
        except (Exception, SystemExit) as error:
            raise self._failed("speaking", error) from error

    def _failed(self, doing: str, error: BaseException) -> PolicyFault:
        return PolicyFault(f"{self.name}: {doing} failed with {_described(error)}")

    def _checked(self, action: Any, legal: np.ndarray) -> int:
        try:
            chosen = index(action)
        except TypeError:
            chosen = -1
        if chosen not in legal:
            raise PolicyFault(f"{self.name}: {_line(repr(action))} is no legal action")
        return chosen


class OutsideBatch(Outside, BatchPolicy):
    """A package's player that chooses in many states at once."""

    policy: BatchPolicy

    def act(self, decision: Decision) -> int:
        return BatchPolicy.act(self, decision)

    def act_each(self, rules: Any, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        try:
            actions = np.asarray(self.policy.act_each(rules, states.copy(), seeds))
        except PolicyFault:
            raise
        except (Exception, SystemExit) as error:
            raise self._failed("choosing actions", error) from error
        if actions.shape != (len(states),) or actions.dtype.kind not in "iu":
            raise PolicyFault(
                f"{self.name}: {len(states)} actions are wanted, not {actions.dtype} of shape "
                f"{actions.shape}"
            )
        for k, action in enumerate(actions.tolist()):
            if not is_legal(rules, states[k : k + 1], action):
                raise PolicyFault(f"{self.name}: {action} is no legal action")
        return actions.astype(np.int64)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the players of installed packages: name, owner, and what they are."""
    if sys.argv[1:] if arguments is None else arguments:
        print("usage: python -m stratagym.agents.outside", file=sys.stderr)
        return 2
    found = _installed()[0]
    for name, offer in found.items():
        try:
            said = about(name)
        except PackageFault as error:
            said = str(error)
        print(
            f"{name} ({_line(offer.owner)}): {said}" if said else f"{name} ({_line(offer.owner)})"
        )
    if not found:
        print("No installed package has players.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
