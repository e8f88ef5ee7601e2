"""One player's connection to a Freeciv 3.0 server: it joins, keeps what is told, sends orders."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stratagym.wrappers.freeciv_packets import Decoder, ProtocolError, encode, split
from stratagym.wrappers.freeciv_server import FreecivError
from stratagym.wrappers.programs import HOST

CAPABILITY = "+Freeciv-3.0-network year32 plrculture32 pingfix researchclr cityculture32"
VERSION = 3, 0, 6
ANSWER_SECONDS = 60.0
"""The longest that an answer of the server is waited for."""


@dataclass
class Meeting:
    """A treaty that is talked about.

    Attributes:
        clauses: (giver, kind, value) each. is_ours: whether we began it. accepted: by the other.
        we_accepted: by us.
    """

    is_ours: bool = False
    clauses: list[tuple[int, int, int]] = field(default_factory=list)
    accepted: bool = False
    we_accepted: bool = False


@dataclass
class World:
    """What a player was told, by packets: the last body of each kind and number.

    Attributes:
        width, height: of the map. turn: that runs. phase_open: whether it may give orders.
        player: its number. tiles, units, cities, players, research, relations: bodies by number.
        rules: by packet, the bodies of the ruleset by number. meetings: by the other's number.
    """

    width: int = 0
    height: int = 0
    turn: int = 0
    phase_open: bool = False
    player: int = -1
    is_over: bool = False
    tiles: dict[int, dict[str, Any]] = field(default_factory=dict)
    units: dict[int, dict[str, Any]] = field(default_factory=dict)
    cities: dict[int, dict[str, Any]] = field(default_factory=dict)
    players: dict[int, dict[str, Any]] = field(default_factory=dict)
    research: dict[int, dict[str, Any]] = field(default_factory=dict)
    relations: dict[int, dict[str, Any]] = field(default_factory=dict)
    rules: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    results: dict[int, dict[str, Any]] = field(default_factory=dict)
    chat: list[str] = field(default_factory=list)
    meetings: dict[int, Meeting] = field(default_factory=dict)

    def note(self, name: str, body: dict[str, Any]) -> None:
        """Keep what a packet says."""
        tables = {
            "TILE_INFO": (self.tiles, "tile"), "UNIT_INFO": (self.units, "id"),
            "UNIT_SHORT_INFO": (self.units, "id"), "CITY_INFO": (self.cities, "id"),
            "CITY_SHORT_INFO": (self.cities, "id"), "PLAYER_INFO": (self.players, "playerno"),
            "RESEARCH_INFO": (self.research, "id"),
            "PLAYER_DIPLSTATE": (self.relations, "diplstate_id"),
            "ENDGAME_PLAYER": (self.results, "player_id"),
        }  # fmt: skip
        if name in tables:
            table, key = tables[name]
            table[body[key]] = {**body, "packet": name}
        elif name == "UNIT_REMOVE":
            self.units.pop(body["unit_id"], None)
        elif name == "CITY_REMOVE":
            self.cities.pop(body["city_id"], None)
        elif name == "MAP_INFO":
            self.width, self.height = body["xsize"], body["ysize"]
        elif name == "NEW_YEAR":
            self.turn = body["turn"]
        elif name == "START_PHASE":
            self.phase_open = True
        elif name == "END_PHASE":
            self.phase_open = False
        elif name == "CHAT_MSG":
            self.chat.append(body["message"])
            self.turn = max(self.turn, body["turn"])  # the first turn has no NEW_YEAR
        elif name.startswith("DIPLOMACY_"):
            self._meet(name, body)
        elif name.startswith("RULESET_"):
            self.rules.setdefault(name, {})[body["id"]] = body
        if name == "ENDGAME_PLAYER":
            self.is_over = True

    def _meet(self, name: str, body: dict[str, Any]) -> None:
        other = body["counterpart"]
        if name == "DIPLOMACY_INIT_MEETING":
            self.meetings[other] = Meeting(body["initiated_from"] == self.player)
        elif name == "DIPLOMACY_CANCEL_MEETING":
            self.meetings.pop(other, None)
        elif other in self.meetings:
            meeting = self.meetings[other]
            if name == "DIPLOMACY_ACCEPT_TREATY":
                meeting.we_accepted = body["I_accepted"]
                meeting.accepted = body["other_accepted"]
                return
            clause = body["giver"], body["type"], body["value"]
            if clause in meeting.clauses:
                meeting.clauses.remove(clause)
            if name == "DIPLOMACY_CREATE_CLAUSE":
                meeting.clauses.append(clause)


class Client:
    """A connection. Raises ``FreecivError`` in one line where the server refuses or is gone.

    Attributes:
        world: what it was told. decoder: what was read of which packets. sent: how many were sent.
    """

    def __init__(self, name: str, port: int, host: str = HOST, seconds: float = ANSWER_SECONDS):
        self.name, self.seconds = name, seconds
        self.world, self.decoder = World(), Decoder()
        self.sent = 0
        self._connection: int | None = None
        self._left = b""
        try:
            self.socket = socket.create_connection((host, port), seconds)
        except OSError as error:
            raise FreecivError(f"no server answers on {host}:{port}: {error}") from None
        self.socket.setblocking(False)
        major, minor, patch = VERSION
        self.send(
            "SERVER_JOIN_REQ", username=name, capability=CAPABILITY, version_label="",
            major_version=major, minor_version=minor, patch_version=patch,
        )  # fmt: skip

    @property
    def is_in(self) -> bool:
        """Whether the server has given it a player."""
        return self.world.player >= 0

    def send(self, packet: str, /, **values: Any) -> None:
        """Send a packet. Raises ``FreecivError`` if the server is gone."""
        data = encode(packet, self.decoder.joined, **values)
        self.sent += 1
        try:
            self.socket.setblocking(True)
            self.socket.settimeout(self.seconds)
            self.socket.sendall(data)
        except OSError as error:
            raise FreecivError(f"{self.name}: the server is gone: {error}") from None
        finally:
            self.socket.setblocking(False)

    def read(self) -> list[str]:
        """Read what has come and keep it; the names of the packets. Pings are answered.

        Raises:
            FreecivError: the server is gone, refuses, or says what is no packet.
        """
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return []
        except OSError as error:
            raise FreecivError(f"{self.name}: the server is gone: {error}") from None
        if not data:
            raise FreecivError(f"{self.name}: the server has closed the connection")
        names = []
        try:
            runs, self._left = split(self._left + data)
            for run in runs:
                for name, body in self.decoder.packets(run):
                    self._take(name, body)
                    names.append(name)
        except ProtocolError as error:
            raise FreecivError(f"{self.name}: the server sent {error}") from None
        return names

    def _take(self, name: str, body: dict[str, Any]) -> None:
        if name == "SERVER_JOIN_REPLY":
            if not body["you_can_join"]:
                raise FreecivError(f"{self.name}: the server refuses: {body['message']}")
            if body["capability"] != CAPABILITY:
                raise FreecivError(f"{self.name}: the server speaks {body['capability']!r}")
            self._connection = body["conn_id"]
        elif name == "CONN_PING":
            self.send("CONN_PONG")
        elif name == "CONN_INFO" and body["id"] == self._connection and body["player_num"] < 160:
            self.world.player = body["player_num"]
        self.world.note(name, body)

    def close(self) -> None:
        """End the connection."""
        self.socket.close()


def wait_for(
    clients: Sequence[Client], is_done: Callable[[], bool], what: str, seconds: float | None = None
) -> None:
    """Let all clients read until something has come, or the time is over.

    All must go on reading: the server drops one that does not.

    Raises:
        FreecivError: nothing came in time, or the server is gone.
    """
    last = time.monotonic() + (clients[0].seconds if seconds is None else seconds)
    with selectors.DefaultSelector() as waiting:
        for client in clients:
            waiting.register(client.socket, selectors.EVENT_READ, client)
        while not is_done():
            left = last - time.monotonic()
            if left <= 0:
                raise FreecivError(f"{clients[0].name}: the server did not say {what} in time")
            for key, _ in waiting.select(left):
                key.data.read()


def join(clients: Sequence[Client]) -> None:
    """Bring all clients into the game and start it."""
    wait_for(clients, lambda: all(one.is_in for one in clients), "who is who")
    for one in clients:
        one.send("PLAYER_READY", player_no=one.world.player, is_ready=True)
    wait_for(clients, lambda: all(one.world.phase_open for one in clients), "that the turn begins")


def save(clients: Sequence[Client], folder: Path, name: str = "told") -> str:
    """Let the server write the game to its folder; the text of the file.

    A game that is over it has written by itself, and writes no more.

    Raises:
        FreecivError: the server does not.
    """
    for path in folder.glob("*-final.sav"):
        return path.read_text(encoding="utf-8")
    path, counts = folder / f"{name}.sav", clients[0].decoder.counts
    before = counts.get("PROCESSING_FINISHED", 0)
    clients[0].send("CHAT_MSG_REQ", message=f"/save {name}")
    wait_for(clients, lambda: counts.get("PROCESSING_FINISHED", 0) > before, "what came of a save")
    if not path.exists():
        raise FreecivError(f"{clients[0].name}: the server did not save the game")
    return path.read_text(encoding="utf-8")


def end_turn(clients: Sequence[Client]) -> None:
    """All clients are done with the turn; waits for the next, or the end of the game."""
    turn = clients[0].world.turn
    for one in clients:
        one.world.phase_open = False
        one.send("PLAYER_PHASE_DONE", turn=turn)

    def is_next() -> bool:
        return all(
            one.world.is_over or (one.world.phase_open and one.world.turn > turn) for one in clients
        )

    wait_for(clients, is_next, "that the next turn begins")
