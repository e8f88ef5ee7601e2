"""Mahjong against a plain second implementation, Botzone's recordings and facts of the game."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import numpy as np
import plain_mahjong
import pytest
from mahjong_table import GAME, KIND_OF, Table, melds_array, walls_from

from stratagym.envs import core
from stratagym.envs.mcr_mahjong import botzone, view
from stratagym.envs.mcr_mahjong.divisions import is_win
from stratagym.envs.mcr_mahjong.fan_tables import NAMES, VALUES
from stratagym.envs.mcr_mahjong.fans import (
    ABOUT_KONG,
    LAST_OF_KIND,
    SELF_DRAWN,
    WALL_LAST,
    count_points,
)
from stratagym.envs.mcr_mahjong.table import (
    CHI,
    CLAIM,
    DISCARD,
    GANG,
    HU,
    OVER,
    OWN,
    PASS,
    PENG,
    PLAY,
    ROB,
    SEATS,
)
from stratagym.envs.mcr_mahjong.tiles import KINDS, KONG, NUMBERS, PUNG
from stratagym.envs.prompts import prompt
from stratagym.testing import RandomGame


def worth_by_us(wind):
    """What a win is worth, for the plain rules; the counter has tests of its own."""

    def worth(seat, hand, melds, tile, self_drawn, last_of_kind, about_kong, wall_last):
        counts = np.bincount(hand, minlength=KINDS).astype(np.int8)
        if not is_win(counts, len(melds)):
            return 0
        flags = SELF_DRAWN * self_drawn | LAST_OF_KIND * last_of_kind
        flags |= ABOUT_KONG * about_kong | WALL_LAST * wall_last
        return count_points(counts, melds_array(melds), len(melds), tile, flags, seat, wind)

    return worth


# --- the rules against plain ones ----------------------------------------------------------------


def choose(rng, options, s, calm):
    """A move that makes things happen: wins, kongs, claims, discards of what was drawn.

    Args:
        calm: most is passed up, so that hands stay as they were dealt until a kong is robbed.
    """
    drawn = int(s["drawn_tile"])
    options = sorted(options)
    shares = (0.5, 0.7, 0.7, 0.7, 0.75)
    if calm:
        shares = (0.8 if s["phase"] == ROB else 0.05, 0.8, 0.6, 0.02, 0.97)
    kinds = (
        [HU] * (HU in options),
        [a for a in options if a >= GANG],
        [a for a in options if PENG <= a < GANG],
        [a for a in options if CHI <= a < PENG],
        [PLAY + drawn] * (drawn >= 0 and PLAY + drawn in options),
    )
    for share, kind in zip(shares, kinds, strict=True):
        if kind and rng.random() < share:
            return rng.choice(kind)
    return rng.choice([a for a in options if a < CHI and a != HU])


def same_as_plain(rng, **options):
    """Play a game by both rules with the same moves; what happened in it."""
    walls, calm = plain_mahjong.near_wins(rng, options.get("wall") == "one")
    wind = rng.randrange(4)
    table = Table(walls, wind, **options)
    forced = options.get("hu") == "forced"
    plain = plain_mahjong.Hand(walls, worth_by_us(wind), options.get("minimum", 8), forced)
    moves = plain.moves()
    try:
        seat, expected = next(moves)
        while True:
            assert table.seat == seat
            assert set(table.choices()) == expected, (table.words(), view.board_text(
                table.rules, table.s))  # fmt: skip
            assert len(table.choices()) == len(expected)
            action = choose(rng, expected, table.s, calm)
            table.play(action)
            seat, expected = moves.send(action)
    except StopIteration:
        pass
    assert table.seat == core.TERMINAL
    assert table.returns() == plain.points
    for seat in range(SEATS):
        assert view.hand(table.s, seat) == sorted(plain.hands[seat])
        own = [[KIND_OF[word], tile, offer] for word, tile, offer in plain.melds[seat]]
        assert view.melds(table.s, seat) == own
    return plain.seen


@pytest.mark.parametrize(
    ("games", "options"),
    [
        (250, {"minimum": 1}),
        (60, {}),
        (60, {"minimum": 1, "wall": "one"}),
        (60, {"minimum": 1, "hu": "forced"}),
    ],
)
def test_plain_rules_agree(games, options, seed):
    rng, seen, needed = Random(seed), Counter(), ()
    if games == 250:  # two could win in one game of 40
        needed = ("robbed", "two could win", "chow against pung", "pung against win", "wall end",
                  "self-drawn", "won on a tile", "concealed kong", "added kong")  # fmt: skip
    for played in range(9 * games):
        if played >= games and all(seen[name] for name in needed):
            break
        seen += same_as_plain(rng, **options)
    assert all(seen[name] for name in needed), seen


def test_recorded_games_replay(shared_data):
    """Every draw, claim and discard fits, and the points are equal."""
    games = (shared_data / "botzone_games" / "ChineseStandardMahjong.jsonl").read_text()
    walls = (shared_data / "cards_and_tiles" / "botzone_walls.jsonl").read_text().splitlines()
    by_id = {one["id"]: one for one in map(json.loads, walls)}
    rules, wins = GAME.make_rules(), 0
    for game in map(json.loads, games.splitlines()):
        known = by_id[game["id"]]
        dealt = botzone.tiles_of(known["walls"])
        played = botzone.replay(rules, dealt, known["prevalent_wind"], game["moves"])
        for states, _ in played:
            s = states[0]
        assert s["phase"] == OVER, game["id"]
        assert s["scores"].tolist() == game["result"]["scores"], game["id"]
        if game["result"]["winner"] is None:
            left = (34 - s["drawn"].astype(int)).tolist()
            assert left == game["result"]["tiles_left"], game["id"]
            continue
        wins += 1
        assert s["won_fan"] == game["result"]["fan_count"]
        counted = Counter({VALUES[fan]: int(n) for fan, n in enumerate(s["fans"]) if n})
        assert sum(value * n for value, n in Counter(
            {fan: int(n) for fan, n in enumerate(s["fans"]) if n}
        ).items()) > 0 and counted  # fmt: skip
        assert sum(int(n) for n in s["fans"]) == sum(one["cnt"] for one in game["result"]["fan"])
    assert (wins, len(by_id)) == (5, 11)


def test_recordings_that_do_not_fit_are_refused():
    walls = walls_from(
        "W1 W4 W6 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4", "W1 W4 W6 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4",
        "W1 W4 W6 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4", "W2 W5 W8 T3 T6 T9 B1 B4 B7 J1 J1 J2 J2",
        draws=("J3", "", "", ""),
    )  # fmt: skip
    drawn = {"player": 0, "action": "DRAW", "tile": "J3"}
    for wrong, why in (
        ({**drawn, "tile": "J2"}, "was drawn"),
        ({**drawn, "player": 1}, "is to move"),
        ({"player": 0, "action": "PLAY", "tile": "W9"}, "does not fit"),
        ({"player": 0, "action": "HU"}, "does not fit"),
    ):
        with pytest.raises(ValueError, match=why):
            list(botzone.replay(GAME.make_rules(), walls, 0, [wrong]))


# --- facts ---------------------------------------------------------------------------------------


def test_action_numbers():
    """The numbers of the scheme: W1 W2 W3 with W1, W2 or W3 claimed are 36 to 38, and so on."""
    table = Table(walls_from(
        "W1 W2 W3 T1 T2 T3 B1 B2 B3 F1 F2 F3 F4", "W1 W2 W4 W5 W6 T7 B7 J1 J2 J3 F1 F2 F3",
        "W7 W7 W8 W8 W9 W9 T4 T4 T5 T5 T6 T6 J1", "W3 W3 B4 B4 B5 B5 B6 B6 B8 B8 B9 B9 J2",
        draws=("W5", "", "", ""),
    ))  # fmt: skip
    table.play("Play W3")
    assert table.seat == 1
    assert table.words() == ["Pass", "Chi W2", "Chi W3", "Chi W4"]
    assert table.choices() == [PASS, 36 + 2, 36 + 3 + 1, 36 + 6]
    table.play("Pass")
    assert table.seat == 3
    assert table.choices() == [PASS, PENG + 2]
    numbers = {"Play W1": 2, "Play J3": 35, "Peng T1": 108, "Gang J3": 166, "AnGang W1": 167,
               "BuGang J3": 234, "Pass": 0, "Hu": 1}  # fmt: skip
    for word, action in numbers.items():
        assert view.string_to_action(table.rules, table.s, word) == action
        assert view.action_to_string(table.rules, table.s, action) == word


def test_answers_are_hidden_until_all_have_answered():
    """Whatever the first seat answers, the second is asked the same and sees the same."""
    seen = []
    for answer in ("Pass", "Chi W2"):
        table = Table(walls_from(
            "W3 T1 T1 T4 T7 T9 B1 B4 B7 F1 F2 F3 F4", "W1 W2 W6 W6 T2 T5 T8 B2 B5 B8 F1 J1 J3",
            "W9 W9 T2 T5 T8 B2 B5 B8 F1 F2 J1 J2 J3", "W3 W3 T3 T6 T9 B3 B6 B9 F2 F3 F4 J1 J2",
            draws=("J3", "", "", ""),
        ))  # fmt: skip
        table.play("Play W3")
        assert table.words() == ["Pass", "Chi W2"]
        table.play(answer)
        assert table.seat == 3
        told = prompt(view, table.rules, table.s, 3)
        seen.append((table.words(), table.observation(3).tobytes(), told))
    assert seen[0] == seen[1]
    table.play("Peng W3")  # goes before the chow
    assert (table.seat, int(table.s["phase"])) == (3, DISCARD)
    assert view.melds(table.s, 3) == [[PUNG, 2, 3]]
    assert not view.melds(table.s, 1)
    assert view.history_text(table.s, 3) == "Peng W3"
    assert view.discards_text(table.s, 0) == "W3*"


def test_a_seat_without_options_is_not_asked_and_passing_keeps_the_order():
    table = Table(walls_from(
        "W1 W4 W6 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4", "W1 W4 W6 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4",
        "W1 W4 W6 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4", "W2 W5 W8 T3 T6 T9 B1 B4 B7 J1 J1 J2 J2",
        draws=("J3", "J3", "", ""),
    ))  # fmt: skip
    table.play("Play J3")
    assert (table.seat, int(table.s["phase"]), table.words()[-1]) == (1, OWN, "Play J3")


def test_concealed_kongs_are_known_to_their_owner_only():
    table = Table(walls_from(
        "W1 W1 W1 W1 T1 T2 T3 T4 B1 B2 F1 F2 F3", "W2 W4 W7 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4",
        "W2 W4 W7 T2 T5 T8 B3 B6 B9 F1 F2 F3 F4", "W2 W5 W8 T3 T6 T9 B1 B4 B7 J1 J1 J2 J2",
        draws=("J3 J3", "", "", ""),
    ))  # fmt: skip
    table.play("AnGang W1")
    assert table.s["about_kong"] == 1 and table.s["drawn_tile"] == NUMBERS["J3"]
    own, other = (prompt(view, table.rules, table.s, seat)[1]["content"] for seat in (0, 2))
    assert "(W1 W1 W1 W1)" in own and "AnGang W1" in own
    assert "(concealed kong)" in other and "W1: 4" in other
    kinds = Counter()
    for k in range(400):
        twin = table.states.copy()
        core.determinize_at(table.rules, twin, 0, 2, np.uint64(k))
        kinds[int(twin[0]["melds"][0, 0, 1])] += 1
    possible = [t for t in range(KINDS) if table.s["counts"][2, t] == 0]
    assert set(kinds) <= set(possible) and len(kinds) == len(possible)


def test_points_of_wins():
    """8 + f from who gave the tile and 8 from the others; 8 + f from all for a tile drawn."""
    hands = (
        "W1 W2 W3 W4 W5 W6 W7 W8 W9 F1 F1 F1 J1", "T1 T4 T7 B2 B5 B8 W1 W5 W9 F2 F3 F4 J2",
        "T1 T4 T7 B2 B5 B8 W2 W6 W9 F2 F3 F4 J2", "T1 T4 T7 B2 B5 B8 W3 W4 W8 F2 F3 F4 J3",
    )  # fmt: skip
    drawn = Table(walls_from(*hands, draws=("J1", "", "", "")))
    drawn.play("Hu")
    f = int(drawn.s["won_fan"])
    assert f >= 8 and drawn.returns() == [3 * (8 + f), -8 - f, -8 - f, -8 - f]
    assert drawn.s["loser"] == -1 and drawn.seat == core.TERMINAL
    given = Table(walls_from(*hands, draws=("T9", "J1", "", "")))
    given.play("Play T9")
    given.play("Play J1")
    assert given.seat == 0 and given.words()[:2] == ["Pass", "Hu"]
    given.play("Hu")
    f = int(given.s["won_fan"])
    assert given.returns() == [24 + f, -8 - f, -8, -8]
    assert "Player 0 took J1 from Player 1" in view.board_text(given.rules, given.s)
    assert NAMES[28] in view.fans_text(given.s)  # Pure Straight


def test_a_kong_is_robbed():
    """The tile goes to who wins with it, and the kong stays a pung."""
    table = Table(walls_from(
        "B6 F1 F2 F3 F4 J1 J2 J3 T1 T4 T7 W1 W9", "B6 B6 W2 W4 W6 W8 T2 T5 T8 F1 F2 F3 F4",
        "B5 B7 W4 W5 W6 T4 T5 T6 B2 B2 B2 T3 T3", "W1 W3 W7 W9 T1 T7 T9 B1 B9 T8 J2 J3 F1",
        draws=("W5", "B6 J3", "J1", "J2"),
    ), minimum=1)  # fmt: skip
    table.play("Play B6")
    assert (table.seat, table.words()) == (1, ["Pass", "Peng B6"])
    table.play("Peng B6")
    assert (table.seat, table.words()[:2]) == (2, ["Pass", "Hu"])
    table.play("Pass", "Play F1", "Play J1", "Play J2", "Play J1")
    assert (table.seat, table.words()[-1]) == (1, "BuGang B6")
    table.play("BuGang B6")
    assert (table.seat, int(table.s["phase"]), table.words()) == (2, ROB, ["Pass", "Hu"])
    assert "You may only win with it or pass." in view.position_text(
        table.rules, table.s, 2, "list"
    )
    declined = table.states.copy()
    table.play("Hu")
    assert view.melds(table.s, 1) == [[PUNG, NUMBERS["B6"], 1]]
    assert view.history_text(table.s, 1) == "Peng B6, Play F1, BuGang B6"
    f = int(table.s["won_fan"])
    assert table.s["fans"][47] == 1  # Robbing the Kong
    assert table.returns() == [-8, -8 - f, 24 + f, -8]
    table.states[:] = declined
    table.play("Pass")
    assert (table.seat, int(table.s["about_kong"])) == (1, 1)
    assert table.s["drawn_tile"] == NUMBERS["J3"]
    assert view.melds(table.s, 1) == [[KONG, NUMBERS["B6"], 1]]


def test_hands_add_up_and_east_moves_on(seed):
    for hands in (4, 16):
        rules = GAME.make_rules(hands=hands, prevailing="south")
        states = core.new_states(rules)
        legal, probs = core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(seed), probs)
        rng, easts, winds = Random(seed), {}, {}
        player, first = 0, {}
        while player >= 0:
            s = states[0]
            if int(s["hand"]) not in first:
                first[int(s["hand"])] = s["counts"].copy()
                easts[int(s["hand"])], winds[int(s["hand"])] = player, int(s["prevailing"])
            n = core.legal_actions_at(rules, states, 0, legal)
            player, _ = core.play_at(rules, states, 0, rng.choice(legal[:n].tolist()), legal, probs)
        assert easts == {k: k % 4 for k in range(hands)}
        assert winds == {k: 1 if hands == 4 else k // 4 for k in range(hands)}
        # The tiles of a hand depend on the seed and its number, not on how others were played.
        other = GAME.make_rules(hands=hands, prevailing="south")
        again = RandomGame(other, seed % 2**63)
        for state in again.states:
            hand = int(state[0]["hand"])
            assert first.get(hand) is not None
            if state[0]["drawn"].sum() == 53 and state[0]["phase"] == OWN:
                assert (state[0]["counts"] == first[hand]).all()


def test_flowers_are_exposed_and_replaced(seed):
    rules, flowers = GAME.make_rules(wall="one", flowers=True), 0
    for k in range(20):
        played = RandomGame(rules, (seed + k) % 2**63)
        for state in played.states:
            s = state[0]
            flowers += int(s["flowers"].sum() > 0)
            assert s["counts"].max() <= 4 and s["flowers"].sum() <= 8
            held = s["counts"].sum() + s["shown"].sum()
            kongs = sum(4 for k in range(4) for m in view.melds(s, k) if m[0] == KONG and not m[2])
            wall = int((s["wall"] >= 0).sum())
            assert held + kongs + wall + s["flowers"].sum() == 144
            assert (s["wall"] == 34).sum() == 8 - s["flowers"].sum()
        assert abs(played.returns(played.end).sum()) == 0
    assert flowers
    with pytest.raises(ValueError, match="flowers=True needs wall=one"):
        GAME.make_rules(flowers=True)


@pytest.mark.parametrize("options", [{"minimum": 1}, {"wall": "one", "minimum": 1}])
def test_nothing_hidden_shows(options, seed):
    """Redrawn for the seat to move: its list, tensor and prompt stay; one seed gives one state."""
    rng, questions, hands = Random(seed), 0, 0
    # A hand asks 11 times, and never in 3 of 100: 15 hands with 20 in all are one in a billion.
    while questions <= 20:
        hands += 1
        assert hands <= 15
        walls, calm = plain_mahjong.near_wins(rng, "wall" in options)
        table = Table(walls, rng.randrange(4), **options)
        while table.seat >= 0:
            seat, legal = table.seat, table.choices()
            seen, told = table.observation(seat), prompt(view, table.rules, table.s, seat)
            truth, redrawn = table.states.copy(), []
            for _ in range(2):
                core.determinize_at(table.rules, table.states, 0, seat, np.uint64(7))
                redrawn.append(table.states.copy())
                assert (table.seat, table.choices()) == (seat, legal)
                assert (table.observation(seat) == seen).all()
                assert prompt(view, table.rules, table.s, seat) == told
                core.determinize_at(table.rules, table.states, 0, seat, np.uint64(8))
            assert redrawn[0] == redrawn[1]
            table.states[:] = truth
            questions += truth[0]["phase"] in (CLAIM, ROB)
            table.play(choose(rng, legal, table.s, calm))


def test_redrawn_states_are_whole(seed, rng):
    """Every tile is there four times, hands keep their sizes, and what is known stays."""
    for options in ({}, {"wall": "one", "flowers": True}):
        played = RandomGame(GAME.make_rules(**options), seed)
        for state in played.states[:: max(1, len(played.states) // 30)]:
            player = int(rng.integers(4))
            twin = state.copy()
            core.determinize_at(played.rules, twin, 0, player, np.uint64(rng.integers(2**63)))
            s, t = state[0], twin[0]
            assert (s["counts"].sum(1) == t["counts"].sum(1)).all()
            assert (s["counts"][player] == t["counts"][player]).all()
            assert ((s["wall"] >= 0) == (t["wall"] >= 0)).all()
            every = t["counts"].sum(0) + t["shown"]
            every = every + np.bincount(t["wall"][t["wall"] >= 0], minlength=35)[:KINDS]
            for seat in range(SEATS):
                for kind, tile, offer in view.melds(t, seat):
                    every[tile] += 4 * (kind == KONG and offer == 0)
            assert (every == 4).all()
            for seat in range(SEATS):
                bits = [int(t[name][seat]) for name in ("held", "twos")]
                for least, bit in enumerate(bits, 1):
                    assert bit == sum(1 << k for k in range(KINDS) if t["counts"][seat, k] >= least)


def test_observation_says_what_the_page_says(seed):
    """The planes, made again from the record by loops over what stands on the page."""
    for options in ({}, {"wall": "one"}):
        played = RandomGame(GAME.make_rules(**options), seed)
        for state, mover in list(zip(played.states, played.players, strict=True))[::7]:
            for player in range(SEATS):
                expected = plain_planes(played.rules, state[0], player, mover)
                found = played.observation(state, player)
                assert np.argwhere(found != expected).tolist() == []


def plain_planes(rules, s, player, mover):
    out = np.zeros((150, 36), np.int8)
    out[0, 27 + s["prevailing"]] = out[1, 27 + (player - s["hand"]) % 4] = 1
    unseen = 4 - s["counts"][player] - s["shown"]
    for r in range(4):
        seat = (player + r) % 4
        concealed = 0
        for k, (kind, tile, offer) in enumerate(view.melds(s, seat)):
            if kind == KONG and offer == 0:
                concealed += 1
                if r:
                    continue
                unseen[tile] -= 4
            out[14 + 34 * r + k, view.meld_tiles(kind, tile)] = 1
            if kind == KONG:
                out[14 + 34 * r + 4, tile] = 1
        thrown = s["discards"][seat][: s["discarded"][seat]].tolist()[-29:]
        for k, tile in enumerate(thrown):
            out[14 + 34 * r + 5 + k, tile] = 1
        left = 34 - int(s["drawn"][seat])
        if not rules.duplicate:
            left = -((int(s["drawn"][0]) + int(s["drawn"][1]) - 136) // 4)
        out[12, 9 * r : 9 * r + 9] = [left > n for n in (0, 1, 2, 3, 5, 8, 12, 16, 20)]
        for j in range(2):
            if r and concealed > j:
                out[13, 27 + 2 * (r - 1) + j] = 1
    for n in range(1, 5):
        out[1 + n] = [*(s["counts"][player] >= n), 0, 0]
        out[5 + n] = [*(unseen >= n), 0, 0]
    if player == mover:
        phase = int(s["phase"])
        out[13, [OWN, CLAIM, ROB, DISCARD].index(phase)] = 1
        actor = player
        if phase == OWN:
            out[10, s["drawn_tile"]] = 1
        if phase in (CLAIM, ROB):
            actor = int(s["discarder"])
            out[11, s["tile"]] = 1
            out[13, 18 + (actor - player) % 4 - 1] = 1
        after = (actor + 1) % 4
        drawn = s["drawn"].astype(int)
        out[13, 9] = drawn[after] == 34 if rules.duplicate else drawn.sum() == 136
        out[13, 10] = s["about_kong"]
    return out.reshape(150, 4, 9)
