"""Street Fighter III in DIAMBRA's arena as a parallel environment, seen as ``street_fighter``.

    diambra run -r ROMS python -m stratagym.wrappers.diambra --policies rule:lv6,rule:lv4

Written for diambra-arena 2.2.7, which talks to an engine in a container of its maker's; engine,
account and the game's ROM are the user's own. Inputs have DIAMBRA's numbers already; what the
engine tells is kept as a record of ``street_fighter`` (``diambra_record``), so that observation,
prompts, scripted players and any ``Policy`` are the same there and here.
"""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from stratagym.agents.core import Decision, Policy, decision_for, make_policy
from stratagym.envs import core
from stratagym.wrappers.diambra_record import (
    COMMON,
    GAME,
    OWN,
    PLAYERS,
    Locate,
    Recorder,
)
from stratagym.wrappers.real_time import Queued, ending, spaces_of

ROM = "sfiii3n"
AGENTS = "agent_0", "agent_1"
"""DIAMBRA's names; the first is P1, on the left at first."""
CHARACTER, SUPER_ART = "Ken", 3
MOVES, ATTACKS = 9, 10
INSTALL = "pip install 'stratagym[diambra]'"
ADDRESS = "localhost:50051"


class DiambraError(RuntimeError):
    """The arena is not there, runs another game, or has gone; what to do, in one line."""


@dataclass(frozen=True)
class Setting:
    """How a match is set up.

    Attributes:
        players: 2, or 1 against the engine's own. difficulty: of the engine's player, 1 to 8.
        rounds, frames, rewards: as the options of ``street_fighter``; a round is one of up to 3 of
            a match. outfits: the players' colours, 1 to 7. locate: where the fighters stand by the
            picture; see ``diambra_record.by_colour``. address: of the engine, where the variable
            DIAMBRA_ENVS names none. seconds: the longest that an engine is waited for at the start.
    """

    players: int = 2
    difficulty: int = 4
    rounds: int = 3
    frames: int = 6
    rewards: str = "match"
    outfits: tuple[int, int] = (1, 3)
    locate: Locate | None = None
    address: str = ADDRESS
    seconds: int = 60

    def __post_init__(self) -> None:
        if self.players not in (1, 2):
            raise ValueError(f"players is 1 or 2, not {self.players}")
        if not 1 <= self.difficulty <= 8:
            raise ValueError(f"difficulty is 1 to 8, not {self.difficulty}")

    def rules(self) -> Any:
        """Rules of ``street_fighter``. Raises ``ValueError`` in one line for what it has not."""
        given = {"rounds": self.rounds, "frames": self.frames, "rewards": self.rewards}
        return GAME.make_rules(**given)


def _one_line(error: BaseException) -> str:
    """An error of gRPC or of the package, in one line."""
    details = getattr(error, "details", None)
    told = details() if callable(details) else str(error)
    return " ".join(str(told or type(error).__name__).split())[:200]


def _connect(setting: Setting) -> Any:
    """An arena's environment of an engine that runs the game.

    Raises:
        DiambraError: no package, no engine, or an engine that runs something else.
    """
    try:
        from diambra import arena
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "diambra":
            raise
        raise DiambraError(f"diambra-arena is not installed: {INSTALL}") from None
    two = setting.players == 2
    both = (arena.SpaceTypes.DISCRETE,) * 2
    settings: Any = (arena.EnvironmentSettingsMultiAgent if two else arena.EnvironmentSettings)()
    roles = arena.Roles.P1, arena.Roles.P2
    for name, values in {
        "action_space": both, "role": roles, "characters": (CHARACTER,) * 2,
        "outfits": setting.outfits, "super_art": (SUPER_ART,) * 2,
    }.items():  # fmt: skip
        setattr(settings, name, values if two else values[0])
    settings.step_ratio, settings.difficulty = setting.frames, setting.difficulty
    settings.splash_screen, settings.grpc_timeout = False, setting.seconds
    where = (os.environ.get("DIAMBRA_ENVS") or setting.address).split()[0]
    try:
        made = arena.make(
            ROM, settings, render_mode="rgb_array", env_addresses=[where],
            log_level=logging.WARNING,
        )  # fmt: skip
    # The package raises Exception, with many lines and the cause behind it.
    except Exception as error:
        cause = error.__cause__ or error.__context__ or error
        raise DiambraError(
            f"no DIAMBRA engine for {ROM} answers on {where}: {_one_line(cause)}; "
            "start one with `diambra run -r ROMS ...`"
        ) from None
    _check(made)
    return made


def _check(made: Any) -> None:
    """Raises ``DiambraError`` unless an environment is of the game."""
    space, inputs = made.observation_space, made.action_space
    if isinstance(inputs, spaces.Dict):
        inputs = inputs[AGENTS[0]]
    lacking = [key for key in ("frame", *COMMON, *PLAYERS) if key not in space.spaces]
    if not lacking:
        lacking = [f"{one}.{key}" for one in PLAYERS for key in OWN if key not in space[one].spaces]
    if lacking:
        told = f"it does not tell {', '.join(lacking)}"
    elif inputs != spaces.Discrete(MOVES + ATTACKS - 1):
        told = f"its inputs are {inputs}"
    else:
        return
    made.close()
    raise DiambraError(f"the engine runs another game than Street Fighter III ({ROM}): {told}")


class DiambraEnv(ParallelEnv):
    """A match in DIAMBRA's arena, a step a decision of every agent.

    Observations, masks and actions are those of ``street_fighter``. ``infos[agent]["diambra"]`` has
    what the engine told: ``stage``, ``timer`` and, of ``P1`` and ``P2``, ``diambra_record.OWN``.
    Rewards are those of ``street_fighter`` with the setting's ``rewards``.

    Against the engine's own player a match is a stage of its arcade mode, in which the opponent is
    not always Ken.

    Raises:
        DiambraError: no package, no engine, another game, an engine that has gone; in one line.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "diambra",
        "is_parallelizable": True,
        "render_modes": ["rgb_array"],
    }
    render_mode = "rgb_array"

    def __init__(self, setting: Setting = Setting()):
        self.setting, self.rules = setting, setting.rules()
        self.possible_agents = list(AGENTS[: setting.players])
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = spaces_of(self.rules, self.possible_agents)
        self.recorder = Recorder(self.rules, setting.locate)
        self._arena: Any = None
        self._told: Mapping[str, Any] = {}
        self._paid = np.zeros(2)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a match; the first one connects to the engine."""
        if self._arena is None:
            self._arena = _connect(self.setting)
        # The package takes the time for None, and its seeds for 32 bits.
        told, _ = self._call("reset", seed=None if seed is None else seed % 2**31)
        self._told = told
        self._paid[:] = 0
        self._read(self.recorder.begin, told, 0 if seed is None else seed)
        self.agents = self.possible_agents[:]
        return self._observations(), self._infos()

    def step(self, given: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """One input of every agent, held for the frames of a decision."""
        if not self.agents:
            raise ResetNeeded("the match is over: reset begins another")
        inputs = [0, 0]
        for k, agent in enumerate(self.agents):
            inputs[k] = int(given[agent])
            if not 0 <= inputs[k] < MOVES + ATTACKS - 1:
                raise ValueError(f"{agent} may not do {inputs[k]}")
        sent: Any = dict(zip(AGENTS, inputs, strict=True)) if len(self.agents) == 2 else inputs[0]
        told, reward, done, _, info = self._call("step", sent)
        self._told = told
        is_over = done or any(info.get(f"{what}_done") for what in ("stage", "game", "episode"))
        ends = bool(info.get("round_done")) or is_over, is_over
        self._read(self.recorder.follow, told, (inputs[0], inputs[1]), float(reward), ends)
        over = bool(self.recorder.states[0]["over"])
        paid = np.zeros(2)
        core.returns_at(self.rules, self.recorder.states, 0, paid)
        agents = self.agents
        rewards = {agent: float(paid[k] - self._paid[k]) for k, agent in enumerate(agents)}
        self._paid = paid
        found = (
            self._observations(), rewards, dict.fromkeys(agents, over),
            dict.fromkeys(agents, False), self._infos(),
        )  # fmt: skip
        if over:
            self.agents = []
        return found

    def _call(self, name: str, *given: Any, **more: Any) -> Any:
        """Ask the arena. Raises ``DiambraError`` if the engine has gone."""
        try:
            return getattr(self._arena, name)(*given, **more)
        # What the engine's connection raises is a class of a package that may not be there.
        except Exception as error:
            if isinstance(error, (AssertionError, ValueError)):
                raise DiambraError(f"diambra-arena refuses: {_one_line(error)}") from None
            self._arena = None
            self.agents = []
            raise DiambraError(f"the DIAMBRA engine is gone: {_one_line(error)}") from None

    def _read(self, reader: Any, *given: Any) -> None:
        try:
            reader(*given)
        except KeyError as error:
            raise DiambraError(f"the DIAMBRA engine does not tell {error}") from None

    def _observations(self) -> dict[str, Any]:
        found = {}
        for seat, agent in enumerate(self.agents):
            seen = np.zeros(self.rules.observation_shape, np.float32)
            core.observe_at(self.rules, self.recorder.states, 0, seat, seen)
            found[agent] = {"observation": seen, "action_mask": np.ones(18, np.int8)}
        return found

    def _infos(self) -> dict[str, Any]:
        return {agent: {"diambra": self.recorder.told} for agent in self.agents}

    def decision(self, agent: str, seed: int) -> Decision:
        """An agent's question, as any ``Policy`` takes it."""
        states = self.recorder.states.copy()
        states[0]["seat"] = self.possible_agents.index(agent)
        return decision_for(GAME, self.rules, states, seed)

    def measures(self, agent: str) -> dict[str, Any]:
        """DSGBench's AHR, SMHR and HCR of an agent so far; see docs/diambra.md."""
        return self.recorder.measures(self.possible_agents.index(agent))

    def render(self) -> Any:
        """The engine's last picture, (height, width, 3) uint8."""
        return self._told.get("frame")

    def close(self) -> None:
        """End the connection; the engine is its own program and goes on."""
        arena, self._arena = self._arena, None
        self.agents = []
        if arena is not None:
            try:
                arena.close()
            except Exception as error:
                raise DiambraError(f"the DIAMBRA engine is gone: {_one_line(error)}") from None


def play(env: DiambraEnv, policies: Mapping[str, Policy], seed: int = 0) -> dict[str, float]:
    """Play a match in the arena between policies of ``street_fighter``; what each was paid.

    Each is asked as anywhere else, by a ``Decision``; of a language model's reply one move is
    played at each decision. The engine waits meanwhile.
    """
    queued = {agent: Queued(policies[agent]) for agent in env.possible_agents}
    paid = dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=seed)
    asked = 0
    while env.agents:
        chosen = {}
        for agent in env.agents:
            asked += 1
            one = int(core.derive_seed(np.uint64(seed), np.uint64(asked)))
            chosen[agent] = queued[agent].act(env.decision(agent, one))
        for agent, reward in env.step(chosen)[1].items():
            paid[agent] += reward
    return paid


def main(arguments: list[str] | None = None) -> None:
    """Play matches in DIAMBRA's arena between policies of street_fighter."""
    parser = argparse.ArgumentParser(
        "python -m stratagym.wrappers.diambra", description=main.__doc__
    )
    parser.add_argument("--policies", default="rule:lv6", help="one policy string, or two with a "
                        "comma; one plays against the engine's own")  # fmt: skip
    parser.add_argument("--difficulty", type=int, default=4, help="of the engine's player, 1 to 8")
    parser.add_argument("--rounds", type=int, default=3, choices=(1, 3), help="most of a match")
    parser.add_argument("--games", type=int, default=1, help="matches")
    parser.add_argument("--seed", type=int, default=0, help="of the first match; rises by one")
    parser.add_argument("--address", default=ADDRESS, help="of the engine, without DIAMBRA_ENVS")
    args = parser.parse_args(arguments)
    with ending(parser.prog, DiambraError, ValueError, ModuleNotFoundError):
        names = args.policies.split(",")
        setting = Setting(len(names), args.difficulty, args.rounds, address=args.address)
        env = DiambraEnv(setting)
        policies = {
            agent: make_policy(GAME, name)
            for agent, name in zip(env.possible_agents, names, strict=True)
        }
        for k in range(args.games):
            for agent, paid in play(env, policies, args.seed + k).items():
                told = ", ".join(
                    f"{name} {'none' if value is None else f'{value:.3f}'}"
                    for name, value in env.measures(agent).items()
                )
                print(f"match {k + 1}: {agent} ({policies[agent].name}) {paid:+g}; {told}")
        env.close()


if __name__ == "__main__":
    main()


__all__ = ["DiambraEnv", "DiambraError", "Setting", "main", "play"]
