"""A stand-in for StarCraft II: the small world of ``sc2_world`` behind Blizzard's protocol.

It answers on loopback with the protocol's own messages and refuses what the game would: requests
in the wrong state, a map that is not there, orders that its world does not take. Run as a program
it takes the game's own options (``-listen``, ``-port``).
"""

from __future__ import annotations

import argparse
import asyncio
import threading
from typing import Any

from aiohttp import WSMsgType, web
from s2clientprotocol import sc2api_pb2 as api
from sc2_world import World, game_data

MAPS = {"Ancient Cistern LE.SC2Map"}


class Server:
    """The protocol's side: a WebSocket that answers requests by the state of the game.

    Attributes:
        asked: the names of requests. worlds: of each game. fault: by the number of a request, what
            happens in place of its answer: ``die``, ``cut``, ``hang`` or
            ``other``. build: that it tells.
    """

    def __init__(self, build: int = 92440):
        self.asked: list[str] = []
        self.worlds: list[World] = []
        self.fault: dict[int, str] = {}
        self.build, self.joins = build, True
        self.settings: Any = None
        self.over = asyncio.Event()
        self._status = api.Status.launched

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        async for message in socket:
            if message.type != WSMsgType.BINARY:
                break
            fault = self.fault.get(len(self.asked))
            data = self.answer(api.Request.FromString(message.data)).SerializeToString()
            if fault == "die":
                await socket.close()
                break
            if fault == "hang":
                await self.over.wait()
                break
            if fault == "other":
                data = api.Response(status=self._status).SerializeToString()
            await socket.send_bytes(data[:-7] if fault == "cut" else data)
            if self._status == api.Status.quit:
                break
        return socket

    def answer(self, request: api.Request) -> api.Response:
        name = request.WhichOneof("request")
        self.asked.append(name)
        told = api.Response()
        needs_game = name in ("game_info", "observation", "step", "action", "query", "data")
        if needs_game and self._status not in (api.Status.in_game, api.Status.ended):
            told.error.append("Not in a game")
        elif self._status == api.Status.ended and name in ("step", "action"):
            told.error.append("Game has already ended")
        else:
            getattr(self, f"_{name}")(getattr(request, name), told)
        told.status = self._status
        return told

    def _ping(self, asked: Any, told: api.Response) -> None:
        told.ping.game_version, told.ping.base_build = "5.0.14", self.build

    def _create_game(self, asked: Any, told: api.Response) -> None:
        if self._status not in (api.Status.launched, api.Status.ended):
            told.error.append("Cannot create a game now")
            return
        self.settings = asked
        told.create_game.SetInParent()
        if asked.local_map.map_path not in MAPS:
            told.create_game.error = api.ResponseCreateGame.Error.Value("InvalidMapPath")
            told.create_game.error_details = "map\nnot found"
            return
        self._status = api.Status.init_game

    def _join_game(self, asked: Any, told: api.Response) -> None:
        if self._status != api.Status.init_game or not self.joins:
            told.join_game.error = api.ResponseJoinGame.Error.Value("GameFull")
            return
        self.worlds.append(World())
        told.join_game.player_id = 1
        self._status = api.Status.in_game

    def _game_info(self, asked: Any, told: api.Response) -> None:
        told.game_info.CopyFrom(self.worlds[-1].info())

    def _data(self, asked: Any, told: api.Response) -> None:
        told.data.CopyFrom(game_data())

    def _observation(self, asked: Any, told: api.Response) -> None:
        told.observation.CopyFrom(self.worlds[-1].observation())

    def _step(self, asked: Any, told: api.Response) -> None:
        world = self.worlds[-1]
        world.step(asked.count)
        told.step.simulation_loop = world.loop
        if world.outcome is not None:
            self._status = api.Status.ended

    def _action(self, asked: Any, told: api.Response) -> None:
        for one in asked.actions:
            told.action.result.append(self.worlds[-1].command(one.action_raw.unit_command))

    def _query(self, asked: Any, told: api.Response) -> None:
        told.query.CopyFrom(self.worlds[-1].query(asked))

    def _leave_game(self, asked: Any, told: api.Response) -> None:
        told.leave_game.SetInParent()
        self._status = api.Status.launched

    def _quit(self, asked: Any, told: api.Response) -> None:
        told.quit.SetInParent()
        self._status = api.Status.quit


async def listen(server: Server, port: int) -> web.AppRunner:
    app = web.Application()
    app.router.add_get("/sc2api", server.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner


class Running:
    """A server in a thread of this process, on a free port; a context manager."""

    def __init__(self, **given: Any):
        self.server = Server(**given)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> Running:
        self._runner = asyncio.run_coroutine_threadsafe(listen(self.server, 0), self._loop).result(
            20
        )
        self.address = f"127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self.server.over.set)
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(20)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(20)
        self._loop.close()


async def _forever(port: int) -> None:
    await listen(Server(), port)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prefix_chars="-")
    for name in ("listen", "port", "dataDir", "tempDir", "displayMode"):
        parser.add_argument(f"-{name}")
    parser.add_argument("-verbose", action="store_true")
    asyncio.run(_forever(int(parser.parse_args().port)))
