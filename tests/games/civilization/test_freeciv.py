"""Freeciv's protocol by bytes of our own, and a game of two idle clients on the real server."""

from __future__ import annotations

import socket
import struct
import threading
import zlib

import numpy as np
import pytest

from stratagym.agents.core import make_policy
from stratagym.envs import spec
from stratagym.envs.civilization import actions, treaties, view
from stratagym.envs.civilization import tables as t
from stratagym.envs.civilization.geography import row_of
from stratagym.wrappers import freeciv_packets as packets
from stratagym.wrappers import freeciv_server, programs
from stratagym.wrappers.freeciv import FreecivEnv, play
from stratagym.wrappers.freeciv_client import (
    CAPABILITY,
    Client,
    World,
    end_turn,
    join,
    wait_for,
)
from stratagym.wrappers.freeciv_record import Recorder, rules_for
from stratagym.wrappers.freeciv_score import dsgbench, land_of, read_scores
from stratagym.wrappers.freeciv_server import (
    FreecivError,
    Server,
    Setting,
    find_scenario,
    find_server,
)
from stratagym.wrappers.freeciv_treaties import clauses_of, offer_of


def framed(number: int, body: bytes, wide: bool = True) -> bytes:
    data = struct.pack(">H" if wide else ">B", number) + body
    return struct.pack(">H", len(data) + 2) + data


def packed(data: bytes, jumbo: bool = False) -> bytes:
    small = zlib.compress(data)
    if jumbo:
        return struct.pack(">HI", packets.JUMBO, len(small) + 6) + small
    return struct.pack(">H", packets.COMPRESSED + len(small) + 2) + small


def test_frames_of_all_three_forms():
    two = framed(62, b"\x01\x00\x05") + framed(88, b"")
    for data in (two, packed(two), packed(two, jumbo=True)):
        decoder = packets.Decoder(joined=True)
        runs, left = packets.split(data + b"\x00")
        assert left == b"\x00"
        found = [one for run in runs for one in decoder.packets(run)]
        assert found == [("UNIT_REMOVE", {"unit_id": 5}), ("CONN_PING", {})]
    for end in range(len(two)):
        runs, left = packets.split(two[:end])
        assert b"".join(runs) + left == two[:end] and len(runs) == (end >= 7)


def test_deltas_keep_what_is_not_told():
    decoder = packets.Decoder(joined=True)
    # *id; tile owner size style; occupied; ... of CITY_SHORT_INFO: tile and size, then size alone
    first = bytes([0b0101, 0b00]) + struct.pack(">HiB", 9, 300, 4)
    second = bytes([0b10100, 0]) + struct.pack(">HB", 9, 5)
    for body, size, occupied in ((first, 4, False), (second, 5, True)):
        ((name, values),) = decoder.packets(framed(32, body))
        assert name == "CITY_SHORT_INFO"
        told = values["id"], values["tile"], values["size"], values["occupied"]
        assert told == (9, 300, size, occupied)
    decoder.packets(framed(30, bytes([1]) + struct.pack(">H", 9)))
    ((_, values),) = decoder.packets(framed(32, second))
    assert (values["tile"], values["size"]) == (0, 5)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\x00\x01", "a frame of 1 bytes"),
        (framed(62, b"\x01\x00"), "UNIT_REMOVE: a packet ends 1 bytes too soon"),
        (framed(62, b"\x01\x00\x05\x00"), "UNIT_REMOVE: 1 bytes too many"),
        (struct.pack(">HI", packets.JUMBO, 1 << 30), "a frame of 1073741824 bytes"),
        (struct.pack(">H", packets.COMPRESSED + 6) + b"abcd", "a damaged frame"),
        (packed(bytes(packets.MOST_BYTES + 9), True), "more than"),
    ],
)
def test_damaged_frames_are_one_line(data, told):
    decoder = packets.Decoder(joined=True)
    with pytest.raises(packets.ProtocolError, match=told) as error:
        for run in packets.split(data)[0]:
            decoder.packets(run)
    assert "\n" not in str(error.value)


def test_values_that_do_not_fit():
    with pytest.raises(packets.ProtocolError, match="CITY_BUY: city_id"):
        packets.encode("CITY_BUY", city_id=70_000)


class StandIn:
    """A server that says what it is given and hangs up."""

    def __init__(self, *replies: bytes):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.heard = b""
        threading.Thread(target=self._serve, args=(replies,), daemon=True).start()

    def _serve(self, replies: tuple[bytes, ...]) -> None:
        connection, _ = self.listening.accept()
        with connection:
            self.heard = connection.recv(4096)
            for reply in replies:
                connection.sendall(reply)


def joined(capability: str = CAPABILITY, let_in: bool = True) -> bytes:
    body = bytes([let_in]) + b"hello\0" + capability.encode() + b"\0\0" + struct.pack(">h", 3)
    return framed(5, body, wide=False)


@pytest.mark.parametrize(
    ("replies", "told"),
    [
        ((), "has closed the connection"),
        ((joined(let_in=False),), "refuses: hello"),
        ((joined("+Freeciv-3.1-network"),), "speaks '\\+Freeciv-3.1-network'"),
        ((joined(), framed(62, b"\x01\x00")), "too soon"),
        ((joined(),), "has closed the connection"),
    ],
)
def test_servers_that_do_not_fit(replies, told):
    server = StandIn(*replies)
    client = Client("Ann", server.port, seconds=20)
    with pytest.raises(FreecivError, match=told) as error:
        wait_for([client], lambda: client.is_in, "who is who")
    assert "\n" not in str(error.value)
    client.close()
    assert server.heard.endswith(struct.pack(">III", 3, 0, 6))


def test_nobody_answers():
    with pytest.raises(FreecivError, match="no server answers"):
        Client("Ann", programs.free_port(), seconds=5)


def test_no_server_is_installed(monkeypatch):
    monkeypatch.setattr(freeciv_server.shutil, "which", lambda *_, **__: None)
    with pytest.raises(FreecivError, match="apt-get install"):
        Server()


# --- metrics by what the server wrote ------------------------------------------------------------

SCORES = """#FREECIV SCORELOG2 3.0.6

id abc
tag 0 pop
tag 1 bnp
tag 3 cities
tag 5 munits
tag 9 landarea
tag 10 settledarea
tag 4 techs
tag 27 unitskilled
tag 28 unitslost
turn 1 -4000 4000 BCE
addplayer 1 0 Ann the Great
data 1 1 0 3
data 1 3 0 1
turn 20 -3050 3050 BCE
data 20 1 0 40
data 20 3 0 5
data 20 5 0 10
data 20 9 0 60000
data 20 10 0 30000
data 20 4 0 29
data 20 27 0 6
data 20 28 0 2
data 20 1 1 8
"""
SAVE = """[savefile]
terrident={"name","identifier"
"Ocean"," "
"Lake","+"
"Grassland","g"
}
[map]
t0000="  gg+"
t0001="ggggg"
"""


def test_the_score_log_gives_the_metrics():
    turn, scores = read_scores(SCORES)
    assert turn == 20 and scores[1] == {"bnp": 8}
    assert land_of(SAVE) == 7
    told = dsgbench(turn, scores[0], 120, 87)
    assert told == {
        "EGR": 2.0, "CER": 0.25, "TRP": pytest.approx(1 / 3), "LUR": 0.25, "MGR": 0.5
    }  # fmt: skip
    told = dsgbench(turn, scores[0], 120, 87, as_published=True)
    assert (told["EGR"], told["CER"], told["LUR"]) == (40, 2.0, 0.5)


def test_files_that_do_not_tell():
    with pytest.raises(ValueError, match="the score log has 'data 1 3 0 x'"):
        read_scores("data 1 3 0 x")
    with pytest.raises(ValueError, match="no map"):
        land_of("[map]\n")
    assert read_scores("") == (0, {})
    with pytest.raises(ValueError, match="the score log has no munits, unitslost of the player"):
        counters = ("bnp", "cities", "techs", "landarea", "settledarea", "unitskilled")
        dsgbench(20, dict.fromkeys(counters, 1), 120, 87)


def test_a_player_that_died_keeps_what_lasts():
    turn, scores = read_scores(f"{SCORES}turn 21 -3000 3000 BCE\ndata 21 3 1 4\n")
    assert turn == 21 and scores[1] == {"bnp": 8, "cities": 4}
    assert scores[0]["techs"] == 29 and scores[0]["unitskilled"] == 6
    assert scores[0]["cities"] == scores[0]["munits"] == 0


def test_a_map_that_is_too_large():
    with pytest.raises(FreecivError, match="200 x 200; a record has 32767 tiles at most"):
        rules_for(200, 200, 100, 2, "ccwwxdd")


def test_rows_of_large_maps():
    """A division by a product, which is exact for all tiles that a record can number."""
    for width in (16, 73, 80, 140, 181):
        rules = rules_for(width, 32_767 // width, 100, 2, "cc")
        tiles = np.arange(width * rules.height)
        found = [int(row_of.py_func(rules, tile)) for tile in tiles]
        assert found == (tiles // width).tolist()


def test_treaties_as_clauses_and_back():
    """Each template, with techs and gold, is the same for who answers."""
    recorder = Recorder(told_world(), 100, "ccwwxdd")
    s, names = recorder.make()[0], recorder.names
    bronze, alphabet = t.TECHS.index("Bronze Working"), t.TECHS.index("Alphabet")
    s["techs"][0], s["techs"][1] = np.uint64(1) << bronze, np.uint64(1) << alphabet
    s["gold"] = 100
    for template in range(10):
        found = clauses_of(recorder.rules, s, 0, 1, template, recorder.player_of, names.tech_of)
        offer = offer_of(found, 0, names.techs)
        gives, takes, gold = treaties.clauses(recorder.rules, s, 0, 1, template)
        assert offer == (template, gives, takes, gold), template
    for strange in ([(0, 2, 0)], [(0, 9, 0)], [(0, 6, 0), (1, 0, 3)], [(0, 0, 200)], []):
        assert offer_of(strange, 0, names.techs) is None


def test_no_such_scenario(tmp_path, monkeypatch):
    monkeypatch.setattr(freeciv_server, "SCENARIOS", (str(tmp_path),))
    (tmp_path / "france.sav.gz").write_bytes(b"")
    assert find_scenario("france") == tmp_path / "france.sav.gz"
    with pytest.raises(FreecivError, match="no scenario 'mars'; there are france"):
        find_scenario("mars")
    assert not any(line.startswith("rulesetdir") for line in Setting(scenario="x").commands())


# --- the real one --------------------------------------------------------------------------------


@pytest.fixture
def program() -> str:
    try:
        return find_server()
    except FreecivError as error:
        pytest.skip(str(error))


def test_a_port_that_is_taken(program):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(FreecivError, match=f"port {port} is taken"):
            Server(port=port)


def test_two_idle_clients_play_to_the_end(program):
    with Server(Setting(seed=3, turns=4)) as server:
        clients = [Client(name, server.port) for name in ("Ann", "Bob")]
        join(clients)
        worlds = [client.world for client in clients]
        assert [world.player for world in worlds] == [0, 1]
        assert worlds[0].width * worlds[0].height == 864
        kinds = [worlds[0].rules["RULESET_UNIT"][k]["rule_name"] for k in (0, 1)]
        assert kinds == ["Settlers", "Workers"]
        own = [unit for unit in worlds[0].units.values() if unit["owner"] == 0]
        assert len(own) == 7
        for _ in range(5):
            if not worlds[0].is_over:
                end_turn(clients)
        assert worlds[0].is_over and len(worlds[0].results) == 2
        read = clients[0].decoder.counts
        assert read["TILE_INFO"] > 800 and read["UNIT_INFO"] >= 7
        for client in clients:
            client.close()
        process = server._process
    assert process.poll() is not None


def test_a_server_that_dies(program):
    with Server(Setting(seed=3, turns=4)) as server:
        client = Client("Ann", server.port)
        join([client])
        server._process.kill()
        with pytest.raises(FreecivError, match="server") as error:
            end_turn([client])
        assert "\n" not in str(error.value)


# --- what was told, as a position of civilization -------------------------------------------------


def told_world() -> World:
    """A world of 16 x 12 tiles as two players' packets would tell it to the first."""
    world = World(width=16, height=12, turn=7, player=0)
    for packet, names in (
        ("RULESET_UNIT", ["Engineers", *t.UNITS]), ("RULESET_TECH", ["None", *t.TECHS]),
        ("RULESET_GOVERNMENT", t.GOVERNMENTS), ("RULESET_TERRAIN", ["Lake", *t.TERRAINS]),
        ("RULESET_BUILDING", ["Temple of Artemis", *t.BUILDINGS]),
        ("RULESET_EXTRA", ["Irrigation", "Mine", "Hut", "Road", "Wheat"]),
    ):  # fmt: skip
        world.rules[packet] = {k: {"rule_name": name} for k, name in enumerate(names)}
    for tile in range(192):
        world.tiles[tile] = {
            "known": 2 if tile < 96 else 0, "terrain": 3, "resource": 255, "owner": 255,
            "extras": bytes(16), "worked": 0,
        }  # fmt: skip
    world.tiles[20].update(owner=0, worked=100, extras=bytes([8, *bytes(15)]))
    world.tiles[21].update(owner=0, worked=100, resource=4)
    world.tiles[0].update(terrain=0)
    world.tiles[100].update(known=1, owner=1, extras=bytes([1, *bytes(15)]))
    both = {"barbarian_type": 0, "is_alive": True, "gold": 60, "score": 5, "tax": 40, "luxury": 0,
            "science": 60, "government": 1, "real_embassy": [False] * 160, "wonders": [0] * 200,
            "revolution_finishes": -1}  # fmt: skip
    world.players = {0: both, 1: both}
    world.research = {
        0: {"inventions": "0" * 2 + "2" + "0" * 90, "bulbs_researched": 9, "researching": 1}
    }
    world.relations = {0: {"plr1": 0, "plr2": 1, "type": 1, "contact_turns_left": 3}}
    world.cities = {
        100: {"owner": 0, "tile": 20, "size": 3, "food_stock": 8, "shield_stock": 5,
              "production_kind": 6, "production_value": 4, "improvements": bytes([1 << 3, 0, 0, 0]),
              "turn_last_built": 0, "did_buy": False, "turn_founded": 1},
        101: {"owner": 1, "tile": 100, "size": 4, "improvements": bytes(4)},
    }  # fmt: skip
    unit = {"owner": 0, "tile": 20, "hp": 10, "veteran": 1, "activity": 5, "movesleft": 3,
            "homecity": 100, "has_orders": False, "ai": False, "transported": False}  # fmt: skip
    world.units = {
        7: {**unit, "type": 4}, 8: {**unit, "type": 0}, 9: {**unit, "type": 1, "activity": 0},
        10: {**unit, "owner": 1, "type": 5, "tile": 22},
    }  # fmt: skip
    return world


def test_a_record_of_what_was_told():
    recorder = Recorder(told_world(), 100, "ccwwxdd")
    s = recorder.make()[0]
    assert s["terrain"][0] == t.OCEAN and s["terrain"][20] == t.PLAINS
    assert s["works"][20] == t.ROAD and s["resource"][21] == 2
    assert s["city_size"][0][0] == 3 and s["city_item"][0][0] == t.WARRIORS
    assert s["city_built"][0][0] == 1 << t.TEMPLE
    assert s["worker"][21] == 0 and s["town"][21] == 0
    assert recorder.units == [7, 9] and recorder.left_out == {"units of other types": 1}
    assert s["unit_type"][0][:3].tolist() == [t.WARRIORS, t.SETTLERS, -1]
    assert s["unit_order"][0][0] == 1 and s["unit_level"][0][0] == 1
    assert s["unit_type"][1][0] == t.PHALANX and s["army"][22] == 1
    assert int(s["techs"][0]) == 1 << t.TECHS.index("Bronze Working")
    assert s["contact"][0] == 2 and s["peace"][0] == 0
    text = view.seat_text(recorder.rules, s, 0)
    assert "City at (4,6) of Player 1, size 4, last seen" in text
    assert "Units of Player 1 at (6,1): Phalanx" in text
    assert "Research: Alphabet, 9 of 28 bulbs" in text


@pytest.mark.slow
def test_policies_of_civilization_play_on_the_server(program):
    """The same policy strings that play the embedded game; and a player of the server's."""
    game = spec("civilization")
    for agents, computers in ((("Ann", "Bob"), ()), (("Ann",), ("easy",))):
        env = FreecivEnv(agents, Setting(turns=8, computers=computers))
        try:
            names = ("rule:build", "rule:settle")
            policies = {
                agent: make_policy(game, name)
                for agent, name in zip(agents, names[: len(agents)], strict=True)
            }
            scores = play(env, policies, seed=5)
            assert set(scores) == set(agents) and not env.agents
            for agent in agents:
                player = env.players[agent]
                assert len(player.recorder.cities) >= 1
                assert player.client.world.turn >= 8
        finally:
            env.close()


@pytest.mark.slow
def test_a_scenario_and_the_metrics_of_the_server(program):
    """DSGBench's map of the earth; a map of another size compiles for half a minute."""
    env = FreecivEnv(("Ann",), Setting(turns=6, computers=("easy",), scenario="earth-small"))
    try:
        env.reset(seed=5)
        world = env.players["Ann"].client.world
        assert (world.width, world.height) == (80, 50)
        assert env.measures()["Ann"]["MGR"] > 0  # in a game that goes on
        play(env, {"Ann": make_policy(spec("civilization"), "rule:build")}, seed=5)
        told = env.measures()["Ann"]
        assert told["CER"] == len(env.players["Ann"].recorder.cities) / 6 > 0
        assert 0 < told["LUR"] < 1 and told["EGR"] >= 0 and 0 <= told["TRP"] < 0.2
    finally:
        env.close()


def test_two_agents_make_peace_and_break_it(program):
    """A proposal by one, the question to the other, the answer; what is left open is void."""
    env = FreecivEnv(("Ann", "Bob"), Setting(turns=9))
    try:
        env.reset(seed=4)
        ann, bob = env.players["Ann"], env.players["Bob"]
        place = next(
            unit["tile"] for unit in bob.client.world.units.values() if unit["owner"] == 1
        )  # fmt: skip
        ann.client.send("CHAT_MSG_REQ", message=(
            f"/lua cmd edit.create_unit(find.player(0), find.tile({place + 1}), "
            "find.unit_type('Explorer'), 0, nil, -1)"
        ))  # fmt: skip
        keep = {"Ann": actions.KEEP, "Bob": actions.KEEP}

        def next_turn():
            turn = ann.client.world.turn
            while ann.client.world.turn == turn:
                env.step({
                    agent: player.choices()[0] if player.is_open else actions.KEEP
                    for agent, player in env.players.items()
                })  # fmt: skip

        next_turn()
        peace = actions.PROPOSE + treaties.PEACE
        assert peace in ann.choices() and ann.states[0]["contact"][0] == 2
        # A proposal that is not answered before the turn is over is void; who is asked answers.
        env.step({**keep, "Ann": peace})
        assert peace not in ann.choices()  # once a turn
        assert bob.choices().tolist() == [actions.ACCEPT, actions.REJECT]
        assert "peace" in view.seat_text(bob.rules, bob.states[0], 1).lower()
        env.step({**keep, "Bob": actions.REJECT})
        assert not ann.client.world.meetings and not bob.client.world.meetings
        next_turn()
        assert ann.states[0]["peace"].tolist()[:2] == [0, 0]
        env.step({**keep, "Ann": peace})
        env.step({**keep, "Bob": actions.ACCEPT})
        next_turn()
        assert ann.states[0]["peace"].tolist()[:2] == [2, 1]
        assert bob.states[0]["peace"].tolist()[:2] == [2, 1]
        assert actions.CANCEL in ann.choices() and peace not in ann.choices()
        env.step({**keep, "Ann": actions.CANCEL})
        next_turn()
        assert ann.states[0]["peace"].tolist()[:2] == [0, 0]
    finally:
        env.close()
