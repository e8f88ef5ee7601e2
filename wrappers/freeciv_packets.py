"""The packets of Freeciv 3.0's network protocol: frames, fields and their deltas.

Facts of the protocol, observed on the stock server; nothing is taken from its sources. A frame is a
length, big-endian, that counts itself: below 16385 one packet follows; up to 65534 the frame is
length - 16385 long, and the rest is zlib of packets; at 65535 a length of 32 bits follows, and the
rest is zlib. A packet is its type, one byte before the server has let us in and two after it, and a
body. Most bodies are deltas: a bit for each field that is not part of the key, then the key, then
the fields whose bits are set; the others are as in the last packet of that type and key. The bit of
a truth value is the value.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass, field
from functools import cache
from typing import Any

COMPRESSED, JUMBO = 16385, 65535
MOST_BYTES = 1 << 24
"""Of a frame, packed or unpacked; more is refused."""

FROM_CLIENT = """
SERVER_JOIN_REQ 4 nd: username capability version_label str; major_version minor_version
  patch_version u32
PLAYER_READY 11: player_no u8; is_ready b
CONN_PONG 89:
CHAT_MSG_REQ 26: message str
PLAYER_PHASE_DONE 52: turn s16
UNIT_GET_ACTIONS 87: actor_unit_id target_unit_id u16; target_tile_id s32; disturb_player b
UNIT_DO_ACTION 84: actor_id u16; target_id s32; sub_tgt_id s16; name str; action_type u8
UNIT_CHANGE_ACTIVITY 222: unit_id u16; activity u8; target s8
UNIT_ORDERS 73: unit_id u16; src_tile s32; length u16; repeat vigilant b; orders u8[:length]; dir
  s8[:length]; activity u8[:length]; sub_target s16[:length]; action u8[:length]; dest_tile s32
CITY_CHANGE 35: city_id u16; production_kind production_value u8
CITY_WORKLIST 36: city_id u16; worklist worklist
CITY_BUY 34: city_id u16
PLAYER_RESEARCH 55: tech u8
PLAYER_TECH_GOAL 56: tech u8
PLAYER_RATES 53: tax luxury science u8
PLAYER_CHANGE_GOVERNMENT 54: government s8
DIPLOMACY_INIT_MEETING_REQ 95: counterpart u8
DIPLOMACY_CREATE_CLAUSE_REQ 99: counterpart giver type u8; value u32
DIPLOMACY_REMOVE_CLAUSE_REQ 101: counterpart giver type u8; value u32
DIPLOMACY_ACCEPT_TREATY_REQ 103: counterpart u8
DIPLOMACY_CANCEL_MEETING_REQ 97: counterpart u8
DIPLOMACY_CANCEL_PACT 105: other_player_id clause u8
UNIT_AUTOSETTLERS 74: unit_id u16
"""
FROM_SERVER = """
PROCESSING_STARTED 0:
PROCESSING_FINISHED 1:
CONN_PING 88:
END_PHASE 125:
BEGIN_TURN 128:
END_TURN 129:
SERVER_JOIN_REPLY 5 nd: you_can_join b; message capability challenge_file str; conn_id s16
CONN_INFO 115: *id s16; used established observer b; player_num access_level u8; username addr
  capability str
CHAT_MSG 25: message str; tile s32; event turn phase conn_id s16
MAP_INFO 17: xsize ysize u16; topology_id u8
START_PHASE 126: phase s16
NEW_YEAR 127: year32 s32; fragments u16; turn s16
PLAYER_INFO 51: *playerno u8; name username str; unassigned_user b; score u32; is_male was_created
  b; government target_government s8; real_embassy b[160]; mood style u8; music_style s8; nation
  s16; team u8; is_ready phase_done b; nturns_idle turns_alive s16; is_alive b; gold u32; tax
  science luxury u8; tech_upkeep science_cost u16; is_connected b; revolution_finishes s16;
  ai_skill_level barbarian_type u8; gives_shared_vision bits20; history32 culture32 u32; love
  s16[160]; color_valid color_changeable b; color_red color_green color_blue u8; flags bits1;
  wonders s32[200] diff; multip_count u8; multiplier multiplier_target s32[:multip_count]
RESEARCH_INFO 60: *id u8; techs_researched u32; future_tech u16; researching u8; researching_cost
  bulbs_researched u32; tech_goal u8; total_bulbs_prod s32; inventions str
PLAYER_DIPLSTATE 59: *diplstate_id u32; plr1 plr2 type u8; turns_left u16; has_reason_to_cancel
  u8; contact_turns_left u16
TILE_INFO 15: *tile s32; continent s16; known owner extras_owner u8; worked u16; terrain resource
  u8; extras bits16; spec_sprite label str
UNIT_INFO 63: *id u16; owner nationality u8; tile s32; facing s8; homecity u16; upkeep u8[6];
  veteran u8; ai paradropped occupied transported done_moving stay b; type u8; transported_by u16;
  carrying s8; movesleft u16; hp fuel u8; activity_count changed_from_count u16; goto_tile s32;
  activity u8; activity_tgt s8; changed_from u8; changed_from_tgt battlegroup s8; has_orders b;
  orders_length orders_index u16; orders_repeat orders_vigilant b; orders u8[:orders_length];
  orders_dirs s8[:orders_length]; orders_activities u8[:orders_length]; orders_sub_targets
  s16[:orders_length]; orders_actions u8[:orders_length]; action_decision_want u8;
  action_decision_tile s32
UNIT_SHORT_INFO 64: *id u16; owner u8; tile s32; facing s8; type veteran u8; occupied transported
  b; hp activity u8; activity_tgt s8; transported_by u16; packet_use u8; info_city_id u16
UNIT_REMOVE 62: unit_id u16
UNIT_COMBAT_INFO 65: attacker_unit_id defender_unit_id u16; attacker_hp defender_hp u8;
  make_att_veteran make_def_veteran b
UNIT_ACTIONS 90: actor_unit_id target_unit_id target_city_id u16; target_tile_id s32;
  disturb_player b; action_probabilities prob[44]
CITY_INFO 31: *id u16; tile s32; owner size city_radius_sq style u8; ppl_happy ppl_content
  ppl_unhappy ppl_angry u8[6]; specialists_size u8; specialists u8[:specialists_size];
  nationalities_count u8; nation_id nation_citizens u8[:nationalities_count]; history32 culture32
  u32; buy_cost u16; surplus s16[6]; waste u16[6]; unhappy_penalty s16[6]; prod u16[6];
  citizen_base usage s16[6]; food_stock s16; shield_stock u16; traderoute_count u8; pollution
  illness_trade u16; production_kind production_value u8; turn_founded turn_last_built s16;
  changed_from_kind changed_from_value u8; before_change_shields disbanded_shields caravan_shields
  last_turns_shield_surplus u16; airlift u8; did_buy did_sell was_happy diplomat_investigate b;
  walls u8; city_image s8; worklist worklist; improvements bits25; city_options bits1; name str
CITY_SHORT_INFO 32: *id u16; tile s32; owner size style u8; occupied b; walls u8; happy unhappy b;
  city_image s8; improvements bits25; name str
CITY_REMOVE 30: city_id u16
DIPLOMACY_INIT_MEETING 96: counterpart initiated_from u8
DIPLOMACY_CREATE_CLAUSE 100: counterpart giver type u8; value u32
DIPLOMACY_REMOVE_CLAUSE 102: counterpart giver type u8; value u32
DIPLOMACY_ACCEPT_TREATY 104: counterpart u8; I_accepted other_accepted b
DIPLOMACY_CANCEL_MEETING 98: counterpart initiated_from u8
ENDGAME_PLAYER 223 nd: category_num player_id u8; score u16; category_score u32[:category_num];
  winner b
RULESET_UNIT 140: id u8; name rule_name graphic_str graphic_alt sound_move sound_move_alt
  sound_fight sound_fight_alt str; unit_class_id u8; build_cost u16; pop_cost attack_strength
  defense_strength u8; move_rate u16; tech_requirement impr_requirement u8; gov_requirement s8;
  vision_radius_sq u16; transport_capacity hp u8; ...6
RULESET_TECH 144: id root_req research_reqs_count u8; research_reqs req[:research_reqs_count];
  tclass u8; removed b; flags bits2; cost f100; num_reqs u32; name rule_name helptext graphic_str
  graphic_alt str
RULESET_BUILDING 150: id genus u8; name rule_name graphic_str graphic_alt str; reqs_count u8; reqs
  req[:reqs_count]; obs_count u8; obs_reqs req[:obs_count]; build_cost u16; ...3
RULESET_GOVERNMENT 145: id s8; reqs_count u8; reqs req[:reqs_count]; name rule_name str; ...1
RULESET_TERRAIN 151: id tclass u8; flags bits3; native_to bits4; name rule_name graphic_str
  graphic_alt str; movement_cost u8; defense_bonus s16; output u8[6]; ...4
RULESET_EXTRA 232: id u8; name rule_name str; ...5
"""

_NUMBERS = {"u8": "B", "u16": "H", "u32": "I", "s8": "b", "s16": "h", "s32": "i"}


class ProtocolError(ValueError):
    """What came is no frame or packet of this protocol; why, in one line."""


@dataclass(frozen=True)
class Field:
    """A field of a packet.

    Attributes:
        kind: ``u8`` and so on, ``b``, ``str``, ``bitsN`` (bytes), ``worklist``, ``req``, ``prob``,
            ``f100``. length: of an array, or the name of the field that tells it; None for one
            value. is_key: whether it tells packets of one type apart. is_diff: whether an array
            holds only what has changed.
    """

    name: str
    kind: str
    length: int | str | None = None
    is_key: bool = False
    is_diff: bool = False

    @property
    def is_bit(self) -> bool:
        """Whether the bit of a delta is the value."""
        return self.kind == "b" and self.length is None

    def empty(self) -> Any:
        """The value of a field that was never sent."""
        if self.length is not None:
            return [] if isinstance(self.length, str) else [_empty(self.kind)] * self.length
        return _empty(self.kind)


def _empty(kind: str) -> Any:
    if kind == "str":
        return ""
    if kind.startswith("bits"):
        return bytes(int(kind[4:]))
    if kind in ("worklist", "req", "prob"):
        return ()
    return False if kind == "b" else 0


@dataclass(frozen=True)
class Packet:
    """A type of packet: its name, number and fields.

    Attributes:
        is_delta: whether its body is a delta. open_bytes: where more follows than is listed, how
            many bytes the bits of its delta take; else 0.
    """

    name: str
    number: int
    fields: tuple[Field, ...]
    is_delta: bool
    open_bytes: int

    @property
    def others(self) -> tuple[Field, ...]:
        """The fields that are not part of the key."""
        return tuple(one for one in self.fields if not one.is_key)


def read_table(text: str) -> dict[int, Packet]:
    """Packets by their numbers, from lines such as those of ``FROM_SERVER``.

    A line that begins with a blank goes on with the one before it. ``...6`` at the end stands for
    fields that are not read, in a packet the bits of which take six bytes.
    """
    packets = {}
    for line in filter(None, re.sub(r"\n +", " ", text).split("\n")):
        match = re.fullmatch(r"(\w+) (\d+)( nd)?:(.*)", line)
        assert match, line
        fields: list[Field] = []
        open_bytes = 0
        for group in filter(None, map(str.strip, match[4].split(";"))):
            if group.startswith("..."):
                open_bytes = int(group[3:])
                continue
            words = group.split()
            is_diff = words[-1] == "diff"
            *names, told = words[:-1] if is_diff else words
            kind, _, size = told.partition("[")
            length: int | str | None = None
            if size:
                size = size.rstrip("]")
                length = size[1:] if size.startswith(":") else int(size)
            fields += [
                Field(name.lstrip("*"), kind, length, name.startswith("*"), is_diff)
                for name in names
            ]
        number = int(match[2])
        is_delta = bool(fields) and not match[3]
        packets[number] = Packet(match[1], number, tuple(fields), is_delta, open_bytes)
    return packets


@cache
def server_packets() -> dict[int, Packet]:
    """What the server sends, by number."""
    return read_table(FROM_SERVER)


@cache
def client_packets() -> dict[str, Packet]:
    """What a client sends, by name."""
    return {one.name: one for one in read_table(FROM_CLIENT).values()}


class Reader:
    """A body that is read from its start. Raises ``ProtocolError`` at its end."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if self.at + size > len(self.data):
            raise ProtocolError(f"a packet ends {self.at + size - len(self.data)} bytes too soon")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str) -> int:
        """A number of a kind."""
        code = ">" + _NUMBERS[kind]
        return int(struct.unpack(code, self.take(struct.calcsize(code)))[0])

    def text(self) -> str:
        """A text that ends with a zero byte."""
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise ProtocolError("a text without an end")
        found = self.data[self.at : end]
        self.at = end + 1
        return found.decode("utf-8", "replace")

    def value(self, kind: str) -> Any:
        """One value."""
        if kind in _NUMBERS:
            return self.number(kind)
        if kind == "b":
            return self.number("u8") != 0
        if kind == "str":
            return self.text()
        if kind.startswith("bits"):
            return self.take(int(kind[4:]))
        if kind == "f100":
            return self.number("u32") / 100
        if kind == "prob":
            return self.number("u8"), self.number("u8")
        if kind == "worklist":
            return tuple((self.number("u8"), self.number("u8")) for _ in range(self.number("u8")))
        kind_of, value, reach = self.number("u8"), self.number("s32"), self.number("u8")
        return (kind_of, value, reach, *(self.number("u8") != 0 for _ in range(3)))

    def field(self, one: Field, known: dict[str, Any]) -> Any:
        """The value of a field; ``known`` has those before it, and its own from the last packet."""
        if one.length is None:
            return self.value(one.kind)
        if not one.is_diff:
            size = known[one.length] if isinstance(one.length, str) else one.length
            return [self.value(one.kind) for _ in range(size)]
        values = list(known.get(one.name) or one.empty())
        while (index := self.number("u8")) != 255:
            if index >= len(values):
                raise ProtocolError(f"{one.name}: there is no place {index}")
            values[index] = self.value(one.kind)
        return values


@dataclass
class Decoder:
    """Reads the server's packets and keeps what deltas are told against.

    Attributes:
        joined: whether the server has let us in, so that types have two bytes.
        counts: how many packets of each known type were read to their last byte.
        skipped: how many of each unknown type were passed over.
    """

    joined: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    skipped: dict[int, int] = field(default_factory=dict)
    _last: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)

    def packets(self, data: bytes) -> list[tuple[str, dict[str, Any]]]:
        """The packets of a frame: several with their own lengths, or one without."""
        found = []
        reader = Reader(data)
        while reader.at < len(data):
            size = reader.number("u16")
            if size < 3:
                raise ProtocolError(f"a packet of {size} bytes")
            one = self.packet(reader.take(size - 2))
            if one is not None:
                found.append(one)
        return found

    def packet(self, data: bytes) -> tuple[str, dict[str, Any]] | None:
        """One packet, type and body; None if its type is unknown."""
        reader = Reader(data)
        number = reader.number("u16" if self.joined else "u8")
        kind = server_packets().get(number)
        if kind is None:
            self.skipped[number] = self.skipped.get(number, 0) + 1
            return None
        try:
            values = self._delta(kind, reader) if kind.is_delta else self._plain(kind, reader)
        except ProtocolError as error:
            raise ProtocolError(f"{kind.name}: {error}") from None
        if reader.at < len(data) and not kind.open_bytes:
            raise ProtocolError(f"{kind.name}: {len(data) - reader.at} bytes too many")
        self.counts[kind.name] = self.counts.get(kind.name, 0) + 1
        self._forget(kind.name, values)
        if kind.name == "SERVER_JOIN_REPLY" and values["you_can_join"]:
            self.joined = True
        return kind.name, values

    def _plain(self, kind: Packet, reader: Reader) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for one in kind.fields:
            values[one.name] = reader.field(one, values)
        return values

    def _delta(self, kind: Packet, reader: Reader) -> dict[str, Any]:
        others = kind.others
        bits = reader.take(kind.open_bytes or (len(others) + 7) // 8)
        key = tuple(reader.field(one, {}) for one in kind.fields if one.is_key)
        place = (kind.number, *key)
        last = self._last.get(place)
        values = dict(last) if last else {one.name: one.empty() for one in others}
        values.update(zip((one.name for one in kind.fields if one.is_key), key, strict=True))
        for k, one in enumerate(others):
            is_set = bits[k // 8] >> k % 8 & 1
            if one.is_bit:
                values[one.name] = bool(is_set)
            elif is_set:
                values[one.name] = reader.field(one, values)
        self._last[place] = values
        return dict(values)

    def _forget(self, name: str, values: dict[str, Any]) -> None:
        """Long and short packets about one thing cancel what the other was told against."""
        pairs = {
            "UNIT_INFO": (64,), "UNIT_SHORT_INFO": (63,), "UNIT_REMOVE": (63, 64),
            "CITY_INFO": (32,), "CITY_SHORT_INFO": (31,), "CITY_REMOVE": (31, 32),
        }  # fmt: skip
        if name in pairs:
            one = values.get("id", values.get("unit_id", values.get("city_id")))
            for number in pairs[name]:
                self._last.pop((number, one), None)


def _written(kind: str, value: Any) -> bytes:
    if kind in _NUMBERS:
        return struct.pack(">" + _NUMBERS[kind], int(value))
    if kind == "b":
        return bytes([bool(value)])
    if kind == "str":
        return str(value).replace("\0", "").encode() + b"\0"
    assert kind == "worklist", kind
    return bytes([len(value), *(part for pair in value for part in pair)])


def encode(name: str, joined: bool = True, /, **values: Any) -> bytes:
    """A whole frame of a packet that a client sends, with all bits of a delta set.

    Raises:
        ProtocolError: a value does not fit its field.
    """
    kind = client_packets()[name]
    body = b""
    if kind.is_delta:
        others = kind.others
        bits = bytearray((len(others) + 7) // 8)
        for k, one in enumerate(others):
            if not one.is_bit or values[one.name]:
                bits[k // 8] |= 1 << k % 8
        body = bytes(bits)
    try:
        for one in kind.fields:
            if one.is_bit and kind.is_delta:
                continue
            given = values[one.name] if one.length is not None else [values[one.name]]
            body += b"".join(_written(one.kind, value) for value in given)
    except struct.error as error:
        raise ProtocolError(f"{name}: {one.name}: {error}") from None
    number = struct.pack(">H" if joined else ">B", kind.number)
    size = len(number) + len(body) + 2
    if size >= COMPRESSED:
        raise ProtocolError(f"{name}: {size} bytes are too many")
    return struct.pack(">H", size) + number + body


def split(data: bytes) -> tuple[list[bytes], bytes]:
    """The runs of packets in the frames that ``data`` begins with, and what is left of it.

    Each run holds packets with their own lengths.

    Raises:
        ProtocolError: a frame is too short to be one, too long, or its packing is damaged.
    """
    runs = []
    while len(data) >= 2:
        (size,) = struct.unpack(">H", data[:2])
        head = 2
        if size == JUMBO:
            if len(data) < 6:
                break
            (size,), head = struct.unpack(">I", data[2:6]), 6
        elif size >= COMPRESSED:
            size -= COMPRESSED
        else:
            head = 0
        if size < max(3, head) or size > MOST_BYTES:
            raise ProtocolError(f"a frame of {size} bytes")
        if len(data) < size:
            break
        runs.append(_unpacked(data[head:size]) if head else data[:size])
        data = data[size:]
    return runs, data


def _unpacked(data: bytes) -> bytes:
    try:
        unpacker = zlib.decompressobj()
        found = unpacker.decompress(data, MOST_BYTES)
    except zlib.error as error:
        raise ProtocolError(f"a damaged frame: {error}") from None
    if unpacker.unconsumed_tail:
        raise ProtocolError(f"a frame of more than {MOST_BYTES} bytes")
    return found
