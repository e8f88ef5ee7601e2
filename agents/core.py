"""What a policy is, and how one is named.

A policy string is ``name``, ``name:argument`` or ``name:argument?key=value&key=value``, such as
``random``, ``gt:3`` or ``llm:my-model?temperature=0.5``. Any policy but a language model is
weakened by ``random=P``: ``mcts:100?random=0.25`` makes a random legal move one time in four. In
games with a search for forced play, ``tactic=LEVEL`` asks it first (``Tactical``). Where a name has
come to mean another player, ``version=N`` is an earlier one (``VERSIONS``).
"""

from __future__ import annotations

import importlib
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import numpy as np

from stratagym.agents import hooks
from stratagym.envs import core, specs
from stratagym.envs.direct import calls
from stratagym.envs.state import State, state_of

if TYPE_CHECKING:  # kernels of searches do not depend on it
    from stratagym.envs.talk import Message, Said


@dataclass
class Decision:
    """What the seat to move may know, for ``Policy.act``.

    Attributes:
        spec, rules: the game and its options.
        states: (1,) record, the policy's own copy: what the seat cannot know has been redrawn,
            and its dice and cards to come are not the game's.
        seat: the seat to move.
        legal: (n,) int64, the legal actions, ascending.
        seed: for the policy's own random choices.
        heard: what its seat heard and said so far, oldest first, for policies that speak; what
            others say at the same time is not among it. Empty where nobody hears words, as in
            games that train a learner.
    """

    spec: core.GameSpec
    rules: Any
    states: np.ndarray
    seat: int
    legal: np.ndarray
    seed: int
    heard: Sequence[Message] = ()

    def listeners(self) -> list[int]:
        """The seats that may be spoken to now; none in games without talk."""
        listeners = getattr(self.spec.module("view"), "listeners", None)
        return [] if listeners is None else list(listeners(self.rules, self.states[0], self.seat))

    def observation(self) -> np.ndarray:
        """The observation tensor of the seat to move, as the environments give it."""
        out = np.empty(self.rules.observation_shape, self.rules.observation_dtype)
        calls(self.rules).observe_at(self.rules, self.states, 0, self.seat, out)
        return out

    def state(self) -> State:
        """The position as an object that can be played on, for searches in Python: a new one."""
        return state_of(self.spec, self.rules, self.states)


def decision_for(spec: core.GameSpec, rules: Any, states: np.ndarray, seed: int) -> Decision:
    """The decision of the seat to move in ``states[0]``, which is not changed."""
    kernels = calls(rules)
    # numpy takes longer over an empty record than over all that follows.
    own = kernels.states_of(bytearray(kernels.record.itemsize))
    legal = np.empty(len(kernels.legal), np.int64)
    seat, n = kernels.decide(rules, states, own, legal, seed)
    return Decision(spec, rules, own, seat, legal[:n], seed)


class PolicyFault(RuntimeError):
    """A policy that cannot go on, through no fault of the game: an engine that died, is silent or
    plays illegal moves. Its text says whose fault it is and which, in one line.

    It is lost like a forfeit where games are recorded. The policy can be asked again.
    """


class Policy(ABC):
    """Chooses an action.

    Attributes:
        name: the string that makes the same policy again.
        version: of the player that its name stands for in its game; see ``VERSIONS``.
    """

    name: str
    version = 1

    @property
    def seed_name(self) -> str:
        """What the seeds of its decisions follow from: its name, the same in all versions."""
        return _VERSION.sub(_without, self.name) if "version=" in self.name else self.name

    @abstractmethod
    def act(self, decision: Decision) -> int:
        """A legal action for ``decision.seat``."""

    def say(self, decision: Decision, heard: Sequence[Message]) -> Sequence[Said]:
        """What the policy says before it acts: nothing, unless a class says more.

        It follows from the decision, its seed included, and ``heard`` alone, so that a game says
        the same wherever and however often it is played.

        Args:
            heard: as of the decision.

        Returns:
            (seats, text) of each message: of ``decision.listeners()``, or the own seat alone for a
            note to oneself.
        """
        return ()

    @property
    def speaks(self) -> bool:
        """Whether the policy has words of its own; a game's ``spoken_text`` speaks for others."""
        return type(self).say is not Policy.say


class BatchPolicy(Policy):
    """A policy that chooses in many states at once."""

    @abstractmethod
    def act_each(self, rules: Any, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Actions (N,) int64 in ``states`` (N,) of one ``rules``; seeds (N,) uint64."""

    def act(self, decision: Decision) -> int:
        seeds = np.array([decision.seed], np.uint64)
        return int(self.act_each(decision.rules, decision.states[:1], seeds)[0])


class Around(Policy):
    """A policy around another one, ``policy``, whose words it has."""

    policy: Policy

    def say(self, decision: Decision, heard: Sequence[Message]) -> Sequence[Said]:
        return self.policy.say(decision, heard)

    @property
    def speaks(self) -> bool:
        return self.policy.speaks


class Weakened(Around):
    """A policy that makes a uniformly random legal move with probability ``share``.

    Whether it does follows from the decision's seed alone, so that games can be repeated.
    """

    def __init__(self, policy: Policy, share: float):
        self.policy, self.share, self.version = policy, share, policy.version
        self.name = with_option(policy.name, "random", f"{share:g}")

    def act(self, decision: Decision) -> int:
        own = random.Random(decision.seed)
        if own.random() < self.share:
            return int(own.choice(decision.legal))
        return self.policy.act(decision)


class Tactical(Around):
    """``POLICY?tactic=LEVEL``: a game's search for forced play, and the policy if it finds none.

    A game has one if its agents define ``tactic(rules, states, legal, level)``: the action to play
    in ``states[0]`` out of ``legal`` (n,) int64, or -1 if it finds none with the effort that
    ``level`` allows. What a level means is the game's: in reversi, how many empty squares are
    solved exactly, in go, how many points a board that is solved may have. It may define
    ``guard(rules, states, legal, level, action)`` as well: what to play in place of an action that
    the policy has chosen, or that action itself.

    Raises:
        ValueError: the level is no whole number above 0, or the game has no tactic.
    """

    def __init__(self, spec: core.GameSpec, policy: Policy, level: str):
        self.tactic, self.guard = hooks.found(spec, "tactic"), hooks.found(spec, "guard")
        if self.tactic is None:
            known = ", ".join(game.name for game in specs() if hooks.found(game, "tactic"))
            raise ValueError(
                f"policy {policy.name}: {spec.name} has no tactic; games with one are: {known}"
            )
        if not level.isascii() or not level.isdigit() or not 1 <= int(level) <= 64:
            raise ValueError(
                f"policy {policy.name}: tactic={level}: a whole number from 1 to 64 is needed"
            )
        self.policy, self.level, self.version = policy, int(level), policy.version
        self.name = with_option(policy.name, "tactic", str(self.level))

    def act(self, decision: Decision) -> int:
        asked = decision.rules, decision.states, decision.legal, self.level
        action = self.tactic(*asked)
        if action >= 0:
            return action
        action = self.policy.act(decision)
        return action if self.guard is None else self.guard(*asked, action)


def is_combinatorial(spec: core.GameSpec) -> bool:
    """Whether a game is one of two players in turn who see all and throw no dice, one of whom wins
    what the other loses: searches can prove its results."""
    return (
        (spec.min_players, spec.max_players) == (2, 2)
        and (spec.chance, spec.information) == ("deterministic", "perfect")
        and (spec.dynamics, spec.utility) == ("sequential", "zero_sum")
    )


VERSIONS = {"alphabeta": 3, "gt": 2, "mcts": 2, "rule": 2, "sb3": 2}
"""The newest version of each player that was another one before, under the same name.

Of all others there is one. Earlier versions, which ladders and runs may hold, are kept:
``mcts:100?version=1``.
"""

_VERSION = re.compile(r"([?&])version=\d+(&?)")


def _without(found: re.Match[str]) -> str:
    return found[1] if found[2] else ""


@dataclass(frozen=True)
class PolicyString:
    """A policy string, taken apart.

    Attributes:
        version: of the player that is meant: the newest, unless the string says another.
    """

    name: str
    argument: str
    options: dict[str, str]
    version: int = 1

    @classmethod
    def parse(cls, text: str) -> PolicyString:
        """The parts of a policy string. Raises ``ValueError`` for an option that is given twice."""
        head, _, query = text.strip().partition("?")
        name, _, argument = head.partition(":")
        options: dict[str, str] = {}
        for option, value in parse_qsl(query, keep_blank_values=True):
            if option in options:
                raise ValueError(f"policy {name}: the option {option!r} is given twice")
            options[option] = value
        return cls(name, argument, options, _meant(name, options))

    def inner(self) -> PolicyString:
        """The policy in the argument, such as ``llm:M`` in ``control:redraw=llm:M``; its options
        are these."""
        text = self.argument.partition("=")[2].strip()
        name, _, argument = text.partition(":")
        return PolicyString(name, argument, self.options, _meant(name, self.options))

    def __str__(self) -> str:
        head = f"{self.name}:{self.argument}" if self.argument else self.name
        options = "&".join(f"{key}={value}" for key, value in self.options.items())
        return f"{head}?{options}" if options else head


def _meant(name: str, options: Mapping[str, str]) -> int:
    """The version of a player that its options say, or the newest."""
    version = options.get("version", "")
    return int(version) if version.isdecimal() else VERSIONS.get(name, 1)


def with_option(name: str, option: str, value: str) -> str:
    """A policy string with one more option, the last."""
    return f"{name}{'&' if '?' in name else '?'}{option}={value}"


def at_version(text: str, version: int) -> str:
    """The policy string of another version of a player; ``text`` itself where there is just one."""
    parsed = PolicyString.parse(text)
    if parsed.name not in VERSIONS or parsed.version == version:
        return text
    options = {key: value for key, value in parsed.options.items() if key != "version"}
    # As ``make_policy`` names it: what is around a player stands behind its own options.
    around = {key: options.pop(key) for key in ("tactic", "random") if key in options}
    name = text.strip().partition("?")[0]
    for key, value in (options | {"version": str(version)} | around).items():
        name = with_option(name, key, value)
    return name


FACTORIES = {
    "random": "stratagym.agents.kernel_policies:random_policy",
    "heuristic": "stratagym.agents.kernel_policies:heuristic_policy",
    "gt": "stratagym.agents.kernel_policies:game_theory_policy",
    "mcts": "stratagym.agents.mcts:mcts_policy",
    "pimc": "stratagym.agents.pimc:pimc_policy",
    "alphabeta": "stratagym.agents.alphabeta:alphabeta_policy",
    "uci": "stratagym.agents.engines:uci_policy",
    "gtp": "stratagym.agents.gtp:gtp_policy",
    "piskvork": "stratagym.agents.piskvork:piskvork_policy",
    "perfect": "stratagym.agents.perfect:perfect_policy",
    "llm": "stratagym.agents.llm:language_model_policy",
    "gguf": "stratagym.agents.gguf:gguf_policy",
    "control": "stratagym.agents.controls:control_policy",
    "plan": "stratagym.agents.plans:plan_policy",
    "rule": "stratagym.agents.kernel_policies:rule_policy",
    "sb3": "stratagym.agents.sb3:sb3_policy",
}
"""Policy names and the ``module:function`` that makes each from (GameSpec, PolicyString).

Players of one game with a name of their own stand in ``POLICIES`` of its agents.
"""

LANGUAGE_MODELS = ("llm", "gguf")
"""Those of them that are language models: behind a socket, and in this process."""

OUTSIDE = "stratagym.agents.outside:outside_policy"
"""Makes the players of other packages; see there."""


def make_policy(spec: core.GameSpec, text: str | PolicyString) -> Policy:
    """The policy a string names, for one game.

    Raises:
        ValueError: an unknown name or a bad argument, in one line.
    """
    parsed = PolicyString.parse(text) if isinstance(text, str) else text
    own = hooks.policy_makers(spec)
    if taken := sorted(FACTORIES.keys() & own.keys()):
        raise ValueError(f"POLICIES of {spec.name}: {', '.join(taken)}: a player of any game")
    if "random" in parsed.options and parsed.name not in LANGUAGE_MODELS:
        options = dict(parsed.options)
        share = _share(parsed.name, options.pop("random"))
        return Weakened(make_policy(spec, replace(parsed, options=options)), share)
    if "tactic" in parsed.options and parsed.name not in LANGUAGE_MODELS:
        options = dict(parsed.options)
        level = options.pop("tactic")
        return Tactical(spec, make_policy(spec, replace(parsed, options=options)), level)
    if "version" in parsed.options and parsed.name in VERSIONS:
        options = dict(parsed.options)
        version = _version(parsed.name, options.pop("version"))
        policy = make_policy(spec, replace(parsed, options=options, version=version))
        policy.name = with_option(policy.name, "version", str(version))
        return policy
    if parsed.name in own:
        return own[parsed.name](spec, parsed)
    module, _, function = FACTORIES.get(parsed.name, OUTSIDE).partition(":")
    return getattr(importlib.import_module(module), function)(spec, parsed)


def _version(name: str, text: str) -> int:
    newest = VERSIONS[name]
    if not text.isdecimal() or not 1 <= int(text) <= newest:
        raise ValueError(
            f"policy {name}: version={text}: a whole number from 1 to {newest} is needed"
        )
    return int(text)


def _share(name: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise ValueError(f"policy {name}: random={text}: a probability between 0 and 1 is needed")
    return share
