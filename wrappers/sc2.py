"""The real StarCraft II as a parallel environment, seen as positions of ``starcraft``.

    python -m stratagym.wrappers.sc2 --policy rule:lv5 --difficulty Medium

Protoss against the game's own Protoss player. The game is started by us or attached to, and speaks
Blizzard's protocol (protobuf over a WebSocket on this machine) through the package burnysc2. What
the player is told is kept as a record of ``starcraft`` (``sc2_record``), so that observation,
prompts, metrics, scripted players and any ``Policy`` are the same there and here.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from stratagym.agents.core import Decision, Policy, decision_for, make_policy
from stratagym.envs import core
from stratagym.envs.starcraft.metrics import COUNTS, count_after, count_move, rates
from stratagym.wrappers.programs import HOST
from stratagym.wrappers.real_time import Queued, ending, spaces_of
from stratagym.wrappers.sc2_game import (
    BUILDS,
    DIFFICULTIES,
    GAME,
    OLDEST_BUILD,
    Program,
    Sc2Error,
    Setting,
)
from stratagym.wrappers.sc2_record import Recorder

AGENT = "player_0"
PATH = "/sc2api"
"""Where the game's socket is."""
MOST_BYTES = 64 << 20
"""Of one message of the game."""
PACKAGE = "burnysc2 is not installed: pip install 'stratagym[sc2]'"


def _package() -> Any:
    """Our player's module. Raises ``Sc2Error`` where burnysc2 is missing."""
    try:
        from stratagym.wrappers import sc2_bot
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sc2", "s2clientprotocol", "loguru"):
            raise
        raise Sc2Error(PACKAGE) from None
    return sc2_bot


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


class Connection:
    """The way to a game: its process, if we started it, and the socket.

    All that waits for the game runs in an event loop of its own, in a thread.

    Raises:
        Sc2Error: no game, another version, a game that refuses, is gone or does not answer.
    """

    def __init__(self, setting: Setting):
        self.setting = setting
        self.bots = _package()
        self._session: Any = None
        self._socket: Any = None
        self._task: asyncio.Task[Any] | None = None
        self._player: Any = None
        self._client: Any = None
        self._is_stuck = False
        self._program = None if setting.address else Program(setting.port)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._run(self._connect(), setting.start_seconds + 5, "start")
        except BaseException:
            self.close()
            raise

    def _run(self, work: Coroutine[Any, Any, Any], seconds: float, what: str = "answer") -> Any:
        """Do something in the loop. Raises ``Sc2Error`` where the game fails."""
        from google.protobuf.message import DecodeError
        from sc2.protocol import ProtocolError

        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except OutOfTime:
            self._is_stuck = True
            raise Sc2Error(f"StarCraft II does not {what} within {seconds:g} s") from None
        except DecodeError as error:
            raise Sc2Error(f"StarCraft II sent a damaged message: {_one_line(error)}") from None
        except ProtocolError as error:
            told = _one_line(error)
            gone = "losed" in told or self._is_gone
            told = f"StarCraft II is gone: {told}" if gone else f"StarCraft II refuses: {told}"
            raise Sc2Error(told) from None
        except AssertionError as error:  # of the package: an answer without what was asked for
            told = _one_line(error)
            raise Sc2Error(f"StarCraft II does not answer what was asked: {told}") from None
        except (OSError, TypeError) as error:
            if isinstance(error, TypeError) and not self._is_gone:
                raise
            raise Sc2Error(f"StarCraft II is gone: {_one_line(error)}") from None

    @property
    def _is_gone(self) -> bool:
        ended = self._program is not None and self._program.exit_code is not None
        return ended or self._is_stuck or self._socket is None or self._socket.closed

    async def _connect(self) -> None:
        import aiohttp

        program = self._program
        where = self.setting.address if program is None else f"{HOST}:{program.port}"
        self._session = aiohttp.ClientSession()
        last = self._loop.time() + (0 if program is None else self.setting.start_seconds)
        while True:
            try:
                self._socket = await self._session.ws_connect(
                    f"ws://{where}{PATH}", max_msg_size=MOST_BYTES
                )
                break
            except aiohttp.ClientConnectorError:
                pass
            except (aiohttp.ClientError, asyncio.TimeoutError) as error:
                raise Sc2Error(
                    f"what listens on {where} is no StarCraft II: {_one_line(error)}"
                ) from None
            if program is not None and program.exit_code is not None:
                raise Sc2Error(
                    f"StarCraft II ended at its start, with exit code {program.exit_code}"
                )
            if self._loop.time() >= last:
                raise Sc2Error(f"no StarCraft II answers on {where}")
            await asyncio.sleep(0.2)
        from sc2.client import Client

        self._client = Client(self._socket)
        told = (await self._client.ping()).ping
        if told.base_build < OLDEST_BUILD:
            raise Sc2Error(
                f"StarCraft II on {where} is {told.game_version or told.base_build}; 3.16.1 or "
                "newer is needed"
            )

    def begin(self, recorder: Recorder, seed: int) -> Any:
        """Create a game and join it; the player, which is asked for its first action."""
        self._run(self._begin(recorder, seed), self.setting.seconds)
        if self.wait() is not None:
            raise Sc2Error("StarCraft II ended the game before its first decision")
        return self._player

    async def _begin(self, recorder: Recorder, seed: int) -> None:
        from sc2.controller import Controller
        from sc2.data import AIBuild, CreateGameError, Difficulty, Race
        from sc2.main import _play_game_ai
        from sc2.player import Bot, Computer

        await self._leave()
        setting, player = self.setting, self.bots.Player(recorder)
        computer = Computer(Race.Protoss, Difficulty[setting.difficulty], AIBuild[setting.build])
        file = SimpleNamespace(relative_path=setting.map_file, name=setting.map)
        no_process: Any = None  # ours is none of the package's
        controller = Controller(self._socket, no_process)
        players = [Bot(Race.Protoss, player), computer]
        told = (await controller.create_game(file, players, False, seed)).create_game
        if told.HasField("error"):
            why = CreateGameError(told.error).name
            more = f": {' '.join(told.error_details.split())}" if told.error_details else ""
            raise Sc2Error(f"StarCraft II does not create a game on {setting.map!r}: {why}{more}")
        number = await self._client.join_game("stratagym", Race.Protoss)
        if not number:
            raise Sc2Error("StarCraft II does not let us join the game that it created")
        self._client.game_step = setting.decision_ticks
        self._player = player
        self._task = self._loop.create_task(
            _play_game_ai(self._client, number, player, False, None)
        )

    def wait(self) -> str | None:
        """Wait for the next decision; how the game ended, if it did: Victory, Defeat or Tie."""
        return self._run(self._next(), self.setting.seconds)

    async def _next(self) -> str | None:
        assert self._task is not None
        asked = self._loop.create_task(self._player.asked())
        await asyncio.wait({asked, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if asked.done() and not self._task.done():
            return None
        asked.cancel()
        return self._task.result().name

    def give(self, action: int) -> str | None:
        """Give the action that was asked for, and wait for the next decision; see ``wait``."""
        self._loop.call_soon_threadsafe(self._player.give, action)
        return self.wait()

    async def _leave(self) -> None:
        """End the running game, if there is one."""
        task, self._task = self._task, None
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait({task})
        if task is not None and not self._is_gone:
            await self._client.leave()

    async def _disconnect(self) -> None:
        if not self._is_gone:
            await self._leave()
            if self._program is not None:
                await self._client.quit()
            await self._socket.close()
        if self._session is not None:
            await self._session.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=2)

    def close(self) -> None:
        """Leave the game; end the process if we started it, and no other."""
        # What fails here fails because the game is gone.
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._disconnect(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        if not self._thread.is_alive():
            self._loop.close()
        if self._program is not None:
            self._program.close()


class Sc2Env(ParallelEnv):
    """One player against the game's own; a step is one action and ``decision_ticks`` loops.

    Observations, masks and actions are those of ``starcraft``. The reward is 1 for a victory, -1
    for a defeat, 0 for a tie and when the minutes are over, which truncates.

    Attributes:
        recorder: makes the record. refused: orders that the game did not take, by word.

    Raises:
        Sc2Error: no game, another version, a game that refuses or has gone; in one line.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "sc2",
        "is_parallelizable": True,
        "render_modes": [],
    }
    render_mode = None

    def __init__(self, setting: Setting = Setting()):  # noqa: B008
        self.setting, self.rules = setting, setting.rules()
        self.possible_agents = [AGENT]
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = spaces_of(self.rules, [AGENT])
        self.recorder: Recorder
        self._connection: Connection | None = None
        self._player: Any = None
        self._legal = np.zeros(self.rules.num_actions, np.int64)
        self._counts = np.zeros((2, len(COUNTS)))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game, on the program of the last one if it still runs."""
        if seed is not None:
            self.setting = replace(self.setting, seed=1 + seed % 2**31)
        if self._connection is None:
            self._connection = Connection(self.setting)
        self.recorder = Recorder(self.rules, self._connection.bots.ACTIONS_OF, self.setting.seed)
        self._counts[:] = 0
        self._player = self._ask("begin", self.recorder, self.setting.seed)
        self.agents = [AGENT]
        return self._observations(), {AGENT: {}}

    @property
    def refused(self) -> dict[str, int]:
        return dict(self._player.refused)

    def choices(self) -> np.ndarray:
        """The legal actions, ascending."""
        n = core.legal_actions_at(self.rules, self.recorder.states, 0, self._legal)
        return self._legal[:n]

    def step(self, given: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """One action."""
        if not self.agents:
            raise ResetNeeded("the game is over: reset begins another")
        action, s = int(given[AGENT]), self.recorder.states[0]
        if action not in self.choices():
            raise ValueError(f"{AGENT} may not do {action}")
        count_move(self.rules, s, 0, action, self._legal, self._counts)
        result = self._ask("give", action)
        if result is not None:
            self.recorder.end({"Victory": 0, "Defeat": 1}.get(result, 2))
        count_after(self.rules, s, 0, action, self._counts)
        paid = np.zeros(2)
        core.returns_at(self.rules, self.recorder.states, 0, paid)
        cut = result is None and int(s["tick"]) >= self.rules.ticks
        found: tuple[dict[str, Any], ...] = (
            self._observations(), {AGENT: float(paid[0])}, {AGENT: result is not None},
            {AGENT: cut}, {AGENT: {}},
        )  # fmt: skip
        if result is not None or cut:
            self.agents = []
        return found

    def _ask(self, name: str, *given: Any) -> Any:
        assert self._connection is not None
        try:
            return getattr(self._connection, name)(*given)
        except BaseException:
            self.close()
            raise

    def _observations(self) -> dict[str, Any]:
        seen = np.zeros(self.rules.observation_shape, np.float32)
        core.observe_at(self.rules, self.recorder.states, 0, 0, seen)
        mask = np.zeros(self.rules.num_actions, np.int8)
        mask[self.choices()] = 1
        return {AGENT: {"observation": seen, "action_mask": mask}}

    def decision(self, seed: int) -> Decision:
        """The player's question, as any ``Policy`` takes it."""
        return decision_for(GAME, self.rules, self.recorder.states, seed)

    def measures(self, refused: int = 0) -> dict[str, Any]:
        """DSGBench's metrics so far; ``refused`` moves of replies could not be played."""
        return rates(self._counts[0], refused + sum(self._player.refused.values()))

    def close(self) -> None:
        """End the game, and its process if we started it."""
        connection, self._connection = self._connection, None
        self.agents = []
        if connection is not None:
            connection.close()


def play(env: Sc2Env, policy: Policy, seed: int = 0) -> dict[str, Any]:
    """Play a game between a policy of ``starcraft`` and the game's own player.

    The policy is asked as anywhere else, by a ``Decision``; of a language model's reply one move is
    played at each decision. The game waits meanwhile.

    Returns:
        ``reward``, ``ticks`` that were played, and DSGBench's metrics.
    """
    env.reset(seed=seed)
    queued, asked, paid = Queued(policy), 0, 0.0
    while env.agents:
        one = int(core.derive_seed(np.uint64(seed), np.uint64(asked)))
        asked += 1
        paid += env.step({AGENT: queued.act(env.decision(one))})[1][AGENT]
    ticks = int(env.recorder.states[0]["tick"])
    return {"reward": paid, "ticks": ticks, **env.measures(queued.rejected)}


def main(arguments: list[str] | None = None) -> None:
    """Play games of the real StarCraft II by a policy of starcraft."""
    parser = argparse.ArgumentParser("python -m stratagym.wrappers.sc2", description=main.__doc__)
    parser.add_argument("--policy", default="rule:lv5", help="a policy string")
    parser.add_argument("--difficulty", default="Medium", choices=DIFFICULTIES,
                        help="of the game's own player")  # fmt: skip
    parser.add_argument("--build", default="Macro", choices=BUILDS, help="what it builds")
    parser.add_argument("--map", default=Setting.map, help="a file of the game's folder Maps")
    parser.add_argument("--minutes", type=int, default=30, help="after which a game is cut")
    parser.add_argument("--games", type=int, default=1, help="games")
    parser.add_argument("--seed", type=int, default=0, help="of the first game; rises by one")
    parser.add_argument("--address", help="HOST:PORT of a running game to attach to")
    parser.add_argument("--port", type=int, help="of the game that is started")
    args = parser.parse_args(arguments)
    with ending(parser.prog, Sc2Error, ValueError, ModuleNotFoundError):
        policy = make_policy(GAME, args.policy)
        env = Sc2Env(Setting(
            minutes=args.minutes, map=args.map, difficulty=args.difficulty, build=args.build,
            address=args.address, port=args.port,
        ))  # fmt: skip
        with contextlib.closing(env):
            for k in range(args.games):
                told = play(env, policy, args.seed + k)
                print(f"game {k + 1}: " + ", ".join(f"{key} {told[key]:g}" for key in told))


if __name__ == "__main__":
    main()


__all__ = ["Sc2Env", "Sc2Error", "Setting", "main", "play"]
