"""Mahjong in words: table, moves, prompt and reply.

The prompt has the fields of BotzoneBench's (appendix C.5) in its order and asks for its answer
format; the sentences are this project's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagym.envs.mcr_mahjong.divisions import is_win
from stratagym.envs.mcr_mahjong.fan_tables import FLOWERS, NAMES, VALUES
from stratagym.envs.mcr_mahjong.fan_words import fan_lines
from stratagym.envs.mcr_mahjong.fans import count_points
from stratagym.envs.mcr_mahjong.rules import BASE
from stratagym.envs.mcr_mahjong.seen import count_unseen
from stratagym.envs.mcr_mahjong.table import (
    AN_GANG,
    BU_GANG,
    CHI,
    CLAIM,
    COPIES,
    DISCARD,
    GANG,
    HU,
    NONE,
    NOT_YET,
    OVER,
    OWN,
    PASS,
    PENG,
    PLAY,
    RANKS,
    ROB,
    SEATS,
    chow_action,
    chow_of,
    is_last,
    seat_wind,
    tiles_left,
)
from stratagym.envs.mcr_mahjong.tiles import CHOW, HONORS, KINDS, KONG, NUMBERS, PUNG, TILES
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import evaluation, section

_MOVE = r"(?ai:pass|hu|(?:play|chi|peng|gang|angang|bugang)(?:[ \t]*[a-z][ \t]*[0-9])?)"
_READ = re.compile(r"(pass|hu|angang|bugang|play|chi|peng|gang)(?:\s*([a-z])\s*([0-9]))?", re.ASCII)

PROMPT_VERSION, MERGED_VERSION = "mcr_mahjong-3", "mcr_mahjong-2"
EARLIER_PROMPTS = {"mcr_mahjong-2": POSITION_FIRST}
CONSEQUENCES = {"pass": ("Pass",)}
"""What a benchmark may let an invalid answer come to, where it is legal."""
ANSWER = evaluation("<action>", _MOVE, "your action")
POSITION_FORMS = ("list", "table", "list_with_fans")
"""``list_with_fans`` adds, for each tile that would complete the hand, what the win is worth."""
HINTS = (
    "Decide early on one or two patterns that are worth 8 fans, and keep the tiles for them.",
    "An exposed meld gives concealment away: claim only what your pattern needs.",
    "Count the tiles you do not see before you wait for one.",
    "Against three exposed melds of one suit, discard what their owner has discarded before.",
)
RENAMED = {
    "Chinese Standard Mahjong": "quarry", "mahjong": "quarry", "MCR": "QRY",
    "tile": "stone", "tiles": "stones", "wall": "heap", "walls": "heaps",
    "characters": "ferns", "bamboo": "reeds", "dots": "shells",
    "W": "K", "T": "M", "B": "Q", "F": "V", "J": "Y",
    "wind": "gust", "winds": "gusts", "east": "dawn", "south": "noon", "west": "dusk",
    "north": "night", "dragon": "ember", "dragons": "embers", "red": "ruby", "green": "jade",
    "white": "chalk", "chow": "stair", "chows": "stairs", "pung": "trio", "pungs": "trios",
    "kong": "stack", "kongs": "stacks", "meld": "band", "melds": "bands", "melded": "banded",
    "fan": "mark", "fans": "marks", "honor": "crown", "honors": "crowns",
    "terminal": "brink", "terminals": "brinks", "orphans": "strays", "knitted": "braided",
    "flush": "bloom", "flower": "petal", "flowers": "petals", "prevailing": "ruling",
    "prevalent": "common", "Chi": "Lace", "Peng": "Clasp", "Gang": "Quad",
    "AnGang": "DimQuad", "BuGang": "AddQuad", "Hu": "Finish",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""

WINDS = ("East", "South", "West", "North")
OTHERS = ("next", "opposite", "previous")
_FOUL, _SHARE = -30.0, 10.0


# --- tiles and table -----------------------------------------------------------------------------


def tiles_text(tiles: Sequence[int], none: str = "none") -> str:
    """Several tiles, such as ``W1 W1 T5``."""
    return " ".join(TILES[tile] for tile in tiles) or none


def hand(s: Any, seat: int) -> list[int]:
    """A seat's tiles in hand, in their order."""
    return np.repeat(np.arange(KINDS), s["counts"][seat]).tolist()


def counts_text(counts: Sequence[int]) -> str:
    """Tiles with their numbers, such as ``W1: 2, T5: 1``."""
    return ", ".join(f"{TILES[tile]}: {n}" for tile, n in enumerate(counts) if n) or "none"


def melds(s: Any, seat: int) -> list[list[int]]:
    """A seat's melds, oldest first: [kind, tile, offer]."""
    return s["melds"][seat][: s["num_melds"][seat]].tolist()


def meld_tiles(kind: int, tile: int) -> list[int]:
    """The tiles of a meld."""
    return [tile - 1, tile, tile + 1] if kind == CHOW else [tile] * (3 if kind == PUNG else 4)


def meld_text(meld: Sequence[int], hidden: bool = False) -> str:
    """A meld in brackets, a concealed kong in parentheses or, if hidden, in words."""
    kind, tile, offer = meld
    if kind == KONG and offer == 0:
        return "(concealed kong)" if hidden else f"({tiles_text(meld_tiles(kind, tile))})"
    return f"[{tiles_text(meld_tiles(kind, tile))}]"


def melds_text(s: Any, seat: int, hidden: bool = False) -> str:
    """A seat's melds, oldest first."""
    return " ".join(meld_text(meld, hidden) for meld in melds(s, seat)) or "none"


def discards_text(s: Any, seat: int) -> str:
    """A seat's discards, oldest first, those that were claimed with a star."""
    n = int(s["discarded"][seat])
    thrown = zip(s["discards"][seat, :n].tolist(), s["claimed"][seat, :n].tolist(), strict=True)
    return " ".join(TILES[tile] + "*" * claimed for tile, claimed in thrown) or "none"


def history_text(s: Any, seat: int, hidden: bool = False) -> str:
    """What a seat has done in this hand, in order: ``Play W5, Peng T5``."""
    deeds: list[list[str]] = [[] for _ in range(int(s["discarded"][seat]) + 1)]
    for k, (kind, tile, offer) in enumerate(melds(s, seat)):
        at, added = int(s["melded_at"][seat, k]), int(s["added_at"][seat, k])
        if kind == KONG and offer == 0:
            deeds[at].append("AnGang" if hidden else f"AnGang {TILES[tile]}")
            continue
        word = "Chi" if kind == CHOW else "Gang" if kind == KONG and added == NONE else "Peng"
        deeds[at].append(f"{word} {TILES[tile]}")
        if added != NONE:
            deeds[added].append(f"BuGang {TILES[tile]}")
    for k, tile in enumerate(s["discards"][seat, : s["discarded"][seat]].tolist()):
        deeds[k].append(f"Play {TILES[tile]}")
    return ", ".join(deed for turn in deeds for deed in turn) or "none"


def board_text(rules: Any, s: Any) -> str:
    """The table for a terminal, as a spectator sees it: with all hands."""
    return _table(rules, s, tuple(range(SEATS)))


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The table for a terminal, as a player sees it: without the others' tiles."""
    return _table(rules, s, (player,))


def _table(rules: Any, s: Any, shown: tuple[int, ...]) -> str:
    over = s["phase"] == OVER
    lines = [f"Hand {int(s['hand']) + 1} of {rules.hands}, prevailing wind {_prevailing(s)}"]
    asked = s["phase"] in (CLAIM, ROB)
    for seat in range(SEATS):
        turn = seat == s["player"] and not over and (not asked or seat in shown)
        tiles = tiles_text(hand(s, seat)) if seat in shown else "?"
        flowers = f"   flowers {int(s['flowers'][seat])}" if rules.flowers else ""
        lines += [
            f"{'>' if turn else ' '} Player {seat} ({WINDS[seat_wind(s, seat)]})   "
            f"points {int(s['scores'][seat]):+d}   "
            f"tiles to draw {int(tiles_left(rules, s, seat))}{flowers}",
            f"    hand: {tiles}{_new_tile(s, seat, shown)}",
            f"    melds: {melds_text(s, seat, seat not in shown)}",
            f"    discards: {discards_text(s, seat)}",
        ]
    if asked:
        how = "discarded" if s["phase"] == CLAIM else "added to a kong"
        lines.append(f"{TILES[s['tile']]} was {how} by Player {int(s['discarder'])}.")
    if s["winner"] != NOT_YET and (over or s["hand"]):
        lines.append(("" if over else "Last hand: ") + last_hand_text(s))
    return "\n".join(lines)


def _new_tile(s: Any, seat: int, shown: tuple[int, ...]) -> str:
    drew = s["phase"] == OWN and seat == s["player"] and seat in shown
    return f" (drew {TILES[s['drawn_tile']]})" if drew else ""


def _prevailing(s: Any) -> str:
    return WINDS[s["prevailing"]]


def fans_text(s: Any) -> str:
    """The fans of the hand that ended last, such as ``All Pungs 6, Dragon Pung 2 x 2``.

    Flowers are not among them.
    """
    return ", ".join(
        f"{NAMES[fan]} {VALUES[fan]}" + (f" x {times}" if times > 1 else "")
        for fan, times in enumerate(s["fans"].tolist())
        if times
    )


def last_hand_text(s: Any, player: int | None = None) -> str:
    """How the hand that ended last ended, told to a seat or to a spectator."""
    winner, loser = int(s["winner"]), int(s["loser"])
    if winner == NONE:
        return "nobody won."
    names = ["You" if seat == player else f"Player {seat}" for seat in range(SEATS)]
    tile = TILES[s["won_tile"]]
    how = f"drew {tile}" if loser == NONE else f"took {tile} from {names[loser]}"
    named = sum(n * VALUES[fan] for fan, n in enumerate(s["fans"].tolist()))
    more = int(s["won_fan"]) - int(named)
    flowers = f", {NAMES[FLOWERS]} {more}" if more > 0 else ""
    total = int(s["won_fan"])
    return f"{names[winner]} {how} and won with {total} fans: {fans_text(s)}{flowers}."


def chance_text(rules: Any, before: Any, after: Any, outcome: int | None) -> str:
    """What was dealt, drawn and claimed between two states, for a spectator."""
    if before is None or after["hand"] != before["hand"]:
        ended = [] if before is None else [last_hand_text(after)]
        dealt = (f"Player {k} was dealt {tiles_text(hand(after, k))}." for k in range(SEATS))
        return " ".join([*ended, f"Hand {int(after['hand']) + 1}.", *dealt])
    told = []
    if before["phase"] in (CLAIM, ROB) or after["phase"] == DISCARD:
        made = np.flatnonzero(after["num_melds"] > before["num_melds"]).tolist()
        told += [f"Player {k} made {meld_text(melds(after, k)[-1])}." for k in made]
    if after["phase"] == OVER:
        told.append(f"The hand is over: {last_hand_text(after)}")
    elif after["phase"] == OWN and not _same_turn(before, after):
        told.append(f"Player {int(after['player'])} drew {TILES[after['drawn_tile']]}.")
    return " ".join(told)


def _same_turn(before: Any, after: Any) -> bool:
    return bool(before["phase"] == OWN and (before["drawn"] == after["drawn"]).all())


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """Such as ``Play W5``, ``Chi W2`` (the middle tile), ``Hu``, ``Pass``."""
    if action in (PASS, HU):
        return "Hu" if action == HU else "Pass"
    if CHI <= action < PENG:
        return f"Chi {TILES[chow_of(action)[0]]}"
    for first, word in (
        (BU_GANG, "BuGang"),
        (AN_GANG, "AnGang"),
        (GANG, "Gang"),
        (PENG, "Peng"),
    ):
        if action >= first:
            return f"{word} {TILES[action - first]}"
    return f"Play {TILES[action - PLAY]}"


_FIRST = {"play": PLAY, "peng": PENG, "gang": GANG, "angang": AN_GANG, "bugang": BU_GANG}


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not. Raises ``ValueError`` if it names none.

    ``Peng`` and ``Gang`` may leave out the tile, which is the one on offer.
    """
    match = _READ.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError("no_such_action")
    word, suit, rank = match.groups()
    offered = int(s["tile"]) if s["phase"] in (CLAIM, ROB) else NONE
    if word in ("pass", "hu"):
        if suit:
            raise ValueError("no_such_action")
        return HU if word == "hu" else PASS
    tile = NUMBERS.get(f"{suit}{rank}".upper(), NONE) if suit else NONE
    if not suit and word in ("peng", "gang"):
        if offered == NONE:
            raise ValueError("not_offered")
        tile = offered
    if tile == NONE:
        raise ValueError("no_such_action")
    if word != "chi":
        return _FIRST[word] + tile
    if tile >= HONORS or tile % RANKS in (0, RANKS - 1):
        raise ValueError("no_such_action")
    if abs(offered - tile) > 1 or offered == NONE:
        raise ValueError("not_offered")
    return int(chow_action(offered, tile))


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move in one sentence, with what all see of it; nothing for an answer to a question.

    Even a pass would tell that the seat could have claimed; claims that win are seen in the melds.
    """
    seat = int(s["player"])
    if s["phase"] in (CLAIM, ROB):
        return ""
    if action == HU:
        return f"Player {seat} won by drawing, with {int(s['fan'])} fans."
    if action >= BU_GANG:
        return f"Player {seat} added {TILES[action - BU_GANG]} to its pung."
    if action >= AN_GANG:
        return f"Player {seat} declared a concealed kong."
    return f"Player {seat} played {TILES[action - PLAY]}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not play this, as one word.

    ``not_a_win`` (no winning hand), ``not_enough_fan_N`` (it is worth N), ``not_in_hand`` (the
    tiles for it are not there), ``not_offered`` (nothing asks for such an action now) or
    ``wall_end`` (nobody could draw after it).
    """
    seat, phase = int(s["player"]), int(s["phase"])
    asked = phase in (CLAIM, ROB)
    if action == HU:
        if phase == DISCARD or s["fan"] == 0:
            return "not_a_win"
        return f"not_enough_fan_{int(s['fan'])}"
    if action == PASS or (PLAY <= action < CHI and asked):
        return "not_offered"
    if action < CHI:
        return "not_in_hand"
    if action >= AN_GANG:
        return _why_no_own_kong(rules, s, seat, action)
    offered = int(s["tile"]) if phase == CLAIM else NONE
    tile = chow_of(action)[1] if action < PENG else (action - PENG) % KINDS
    follows = seat == (int(s["discarder"]) + 1) & 3
    if tile != offered or (action < PENG and not follows):
        return "not_offered"
    if is_last(rules, s, int(s["discarder"])):
        return "wall_end"
    if action >= GANG and s["counts"][seat, tile] == 3:
        return "wall_end"
    return "not_in_hand"


def _why_no_own_kong(rules: Any, s: Any, seat: int, action: int) -> str:
    if s["phase"] != OWN:
        return "not_offered"
    tile = action - (AN_GANG if action < BU_GANG else BU_GANG)
    if s["counts"][seat, tile] < (COPIES if action < BU_GANG else 1):
        return "not_in_hand"
    if action >= BU_GANG and [PUNG, tile] not in [meld[:2] for meld in melds(s, seat)]:
        return "not_offered"
    return "wall_end"


def forfeit_returns(rules: Any, s: Any, seat: int) -> list[float]:
    """Each seat's return when one forfeits: the points so far and a foul's."""
    return [float(s["scores"][k]) + (_FOUL if k == seat else _SHARE) for k in range(SEATS)]


# --- the prompt ----------------------------------------------------------------------------------


def role_text(rules: Any, player: int) -> str:
    """Who the seat is."""
    told = f"You are Player {player} of four in a game of Chinese Standard Mahjong (MCR)."
    if rules.pairs:
        told += f" You and Player {(player + 2) & 3}, who sits opposite, win or lose together."
    return told


def notation_text(rules: Any) -> str:
    """How tiles and actions are written."""
    return section(
        "Tiles and how they are written",
        "- There are 34 kinds of tiles, four of each, 136 in all. A tile is a letter and a number.",
        "- Suits, from 1 to 9: W characters, T bamboo, B dots. W3 is the 3 of characters.",
        "- Honors: the winds F1 east, F2 south, F3 west, F4 north; the dragons J1 red, J2 green, "
        "J3 white.",
        "- Exposed melds are shown in brackets, concealed kongs in parentheses.",
        "- Actions: Play TILE, Chi TILE, Peng TILE, Gang TILE, AnGang TILE, BuGang TILE, Hu, Pass.",
    )


def rules_text(rules: Any) -> str:
    """All rules, with the fans."""
    end = (
        "the wall of the player after it is empty" if rules.duplicate else "no tile is left to draw"
    )
    walls = (
        "Every player draws from a wall of its own, of 34 tiles, 13 of which are dealt."
        if rules.duplicate
        else "All draw from one wall; tiles for kongs come from its other end."
    )
    if rules.flowers:
        walls += (
            " There are 8 flowers besides; one that is drawn is laid open and replaced, and the "
            "hand is drawn if no tile is left for that."
        )
    kongs = " A kong of any kind also needs a tile left in its player's own wall."
    win = (
        "A hand that can win does so at once."
        if rules.forced
        else "Who could win is asked, and may decline."
    )
    least = "1 fan" if rules.minimum == 1 else f"{rules.minimum} fans"
    hands = {1: "One hand is played.", 4: "Four hands are played, East in turn."}.get(
        rules.hands, "16 hands are played: four rounds, with East in turn in each."
    )
    return "\n\n".join(
        [
            notation_text(rules),
            section(
                "Melds and claims",
                "- A pung is three tiles alike, a kong four alike, a chow three of a suit in "
                "sequence.",
                "- Who is to move draws a tile, then discards one with Play, or acts with Hu, "
                "AnGang or BuGang. AnGang lays four alike from the hand down as a concealed kong. "
                "BuGang adds the fourth tile to an own exposed pung. After a kong another tile is "
                "drawn.",
                "- A discard may be claimed: Hu wins with it; Peng makes a pung of it and two from "
                "the hand; Gang a kong of it and three; Chi a chow of it and two, only by the "
                "player after the discarder. The tile named with Chi is the MIDDLE one of the "
                "chow: Chi W2 makes W1 W2 W3, whichever of the three was claimed.",
                "- Hu goes before Peng and Gang, these before Chi; of several who win, the next "
                "after the discarder does. After Peng or Chi one discards.",
                "- A tile added with BuGang may be robbed by who wins with it (Hu); there is no "
                "other claim to it.",
                f"- {walls} When {end}, a turn is the last: no Chi, Peng, Gang, AnGang or BuGang, "
                f"and if nobody wins the hand is drawn.{kongs if rules.duplicate else ''}",
            ),
            section(
                "Winning",
                "- A winning hand has four melds (exposed, or complete in the hand) and a pair, or "
                "is one of the special hands among the fans.",
                f"- It must be worth at least {least}"
                + (", flowers aside" if rules.flowers else "")
                + f". {win}",
                f"- With f fans, who wins on another's tile gets {BASE} + f points from that "
                f"player and {BASE} from each other; who wins with a drawn tile gets {BASE} + f "
                "from everybody.",
                f"- {hands} An invalid action that ends the game costs 30 points, 10 to each "
                "other player.",
            ),
            section(
                "Fans",
                "The fans of a hand add up; one that is part of another does not count beside it. "
                "A set once combined with others for a fan is combined for one more at most: n "
                "chows count at most n - 1 fans of two chows, and beside a fan of three chows the "
                "fourth adds one at most. In the examples the winning tile stands behind the +.",
                *fan_lines(),
                *_mixed_kongs(rules),
            ),
        ]
    )


def _mixed_kongs(rules: Any) -> list[str]:
    points = 6 if rules.wmo else 5
    return [f"A concealed and a melded kong in one hand count {points} fans together."]


def rules_brief(rules: Any) -> str:
    """The aim, and what a win needs."""
    return section(
        "Rules",
        "Chinese Standard Mahjong (MCR) with its 81 fans: draw and discard to make four melds and "
        f"a pair, or a special hand, worth at least {rules.minimum} fans. The tile named with Chi "
        "is the middle one of the chow.",
    )


def _others(player: int) -> list[tuple[str, int]]:
    return [(name, (player + k) & 3) for k, name in enumerate(OTHERS, 1)]


def _question(rules: Any, s: Any, player: int) -> str:
    """What the seat to move is asked."""
    phase = int(s["phase"])
    if phase == OWN:
        told = f"It is your turn. You have drawn {TILES[s['drawn_tile']]}"
        told += " in place of a kong's tile." if s["about_kong"] else "."
        actor = player
    elif phase == DISCARD:
        return "You have claimed a discard and must now discard a tile."
    else:
        actor = int(s["discarder"])
        who = OTHERS[((actor - player) & 3) - 1]
        how = "discarded" if phase == CLAIM else "added to a kong"
        may = "claim it" if phase == CLAIM else "only win with it"
        told = f"{TILES[s['tile']]} was {how} by the {who} player. You may {may} or pass."
    return told + (" Nobody can draw after this." if is_last(rules, s, actor) else "")


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """What the seat sees: fields with counts, or the table as it is drawn for a player."""
    left = np.empty(KINDS, np.int64)
    count_unseen(s, player, left)
    unseen = f"Tiles you do not see: {counts_text(left.tolist())}"
    now = _question(rules, s, player) if player == s["player"] else ""
    if form == "table":
        lines = [seat_text(rules, s, player), unseen, now]
        return section("The table now", *filter(None, lines))
    others = _others(player)
    lines = [
        f"Prevailing wind: {_prevailing(s)}. Your seat wind: {WINDS[seat_wind(s, player)]}.",
        unseen,
        f"Your hand: {counts_text(s['counts'][player].tolist())}",
        f"Your melds: {melds_text(s, player)}",
        *(f"Melds of the {name} player: {melds_text(s, seat, True)}" for name, seat in others),
        f"Your actions so far: {history_text(s, player)}",
        *(f"Actions of the {name} player: {history_text(s, seat, True)}" for name, seat in others),
        _walls_text(rules, s, player),
    ]
    if rules.flowers:
        flowers = s["flowers"].tolist()
        told = ", ".join(f"{name} {flowers[seat]}" for name, seat in [("you", player), *others])
        lines.append(f"Flowers: {told}.")
    if rules.hands > 1:
        points = s["scores"].tolist()
        told = ", ".join(f"{name} {points[seat]:+d}" for name, seat in [("you", player), *others])
        lines.append(f"Hand {int(s['hand']) + 1} of {rules.hands}. Points so far: {told}.")
        if s["hand"]:
            lines.append(f"Last hand: {last_hand_text(s, player)}")
    parts = [section("Position now", *filter(None, [*lines, now]))]
    if form == "list_with_fans":
        parts.append(section("Tiles that complete your hand", *_waits(rules, s, player)))
    return "\n\n".join(parts)


def _walls_text(rules: Any, s: Any, player: int) -> str:
    if not rules.duplicate:
        return f"Tiles left to draw: {int(tiles_left(rules, s, player))}."
    seats = [("you", player), *_others(player)]
    told = ", ".join(f"{name} {int(tiles_left(rules, s, seat))}" for name, seat in seats)
    return f"Tiles left to draw: {told}."


def _waits(rules: Any, s: Any, player: int) -> list[str]:
    """For each tile that would complete the hand, its fans if it is claimed; by discard."""
    counts = s["counts"][player].astype(np.int8)
    if s["phase"] in (CLAIM, ROB):
        return [_completing(rules, s, player, counts) or "none"]
    lines = []
    for tile in np.flatnonzero(counts).tolist():
        counts[tile] -= 1
        found = _completing(rules, s, player, counts)
        counts[tile] += 1
        if found:
            lines.append(f"- after Play {TILES[tile]}: {found}")
    return lines or ["none"]


def _completing(rules: Any, s: Any, player: int, counts: np.ndarray) -> str:
    """The tiles that complete a hand, with what they are worth on a discard, other things equal."""
    found, num = [], int(s["num_melds"][player])
    winds = int(seat_wind(s, player)), int(s["prevailing"])
    for tile in range(KINDS):
        counts[tile] += 1
        if counts[tile] <= COPIES and is_win(counts, num):
            flags = 16 if rules.wmo else 0
            points = count_points(counts, s["melds"][player], num, tile, flags, *winds)
            found.append(f"{TILES[tile]} {int(points)}")
        counts[tile] -= 1
    return ", ".join(found)


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The legal actions."""
    told = "; ".join(action_to_string(rules, s, action) for action in legal)
    return section("Your valid actions", f"[{told}]")


def task_text(rules: Any) -> str:
    """What to choose for."""
    team = "your side" if rules.pairs else "you"
    return f"Choose the action that wins {team} the most points."
