"""Mahjong's players: what they claim and discard, what they may know, that they are of use."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from mahjong_table import MELD_WORDS
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.mcr_mahjong import unseen
from stratagym.agents.kernel_policies import play_many
from stratagym.benchmarks.harness.climb import LevelResult, Result
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.envs import core, spec
from stratagym.envs.mcr_mahjong import fans
from stratagym.envs.mcr_mahjong.shanten import shanten
from stratagym.envs.mcr_mahjong.table import CHI, HU, PLAY
from stratagym.envs.mcr_mahjong.tiles import KINDS, TILES
from stratagym.envs.mcr_mahjong.winning import win_flags

SPEC = spec("mcr_mahjong")
PLAYERS = ("rule:shanten", "rule:claim", "rule:pattern", "heuristic")


def played(policies, seeds, seating):
    return play_many(
        SPEC.make_rules(), [make_policy(SPEC, name) for name in policies], seeds, seating
    )


def four_of(policy, games, seed=0):
    seeds = np.arange(seed, seed + games).astype(np.uint64)
    return played([policy], seeds, np.zeros((games, 4), np.int64))


def positions(games):
    """Every position of games in turn: the records (one), whose turn it is, what is played."""
    rules = SPEC.make_rules()
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    for seed, actions in zip(games.seeds, games.actions, strict=True):
        player = core.start_at(rules, states, 0, seed, probs)
        for action in actions:
            if player < 0:
                break
            yield rules, states, player, int(action)
            player, _ = core.play_at(rules, states, 0, int(action), legal, probs)


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_uses_only_what_its_seat_may_know(name, seed):
    games = four_of(name, 2, seed)
    policy = make_policy(SPEC, name)
    for k, (rules, states, player, action) in enumerate(positions(games)):
        if k % 5:
            continue
        guessed = states.copy()
        core.determinize_at(rules, guessed, 0, player, np.uint64(seed + k))
        before = guessed.tobytes()
        assert policy.act_each(rules, guessed, np.zeros(1, np.uint64))[0] == action
        assert guessed.tobytes() == before


@pytest.mark.parametrize(("name", "least"), [("rule:shanten", 0.5), ("heuristic", 0.85)])
def test_four_players_win_most_hands(name, least, seed):
    games = four_of(name, 200, seed)  # measured: .75 and .98 of 600
    assert (games.returns > 0).any(1).mean() > least


def test_the_shanten_player_claims_nothing_but_wins(seed):
    games = four_of("rule:shanten", 10, seed)
    played_actions = np.concatenate(
        [row[:n] for row, n in zip(games.actions, games.plies, strict=True)]
    )
    assert ((played_actions < CHI) | (played_actions == HU)).all()


@pytest.mark.parametrize(
    ("better", "worse"),
    [("rule:shanten", "random"), ("rule:pattern", "rule:shanten"), ("heuristic", "rule:shanten")],
)
def test_the_better_side_has_more_points(better, worse, seed):
    seeds = np.repeat(np.arange(seed, seed + 400).astype(np.uint64), 2)
    seating = np.tile([[0, 1, 0, 1], [1, 0, 1, 0]], (400, 1))
    games = played([better, worse], seeds, seating)
    assert np.where(seating == 0, games.returns, 0).sum() > 0


BITS = fans.SELF_DRAWN, fans.LAST_OF_KIND, fans.ABOUT_KONG, fans.WALL_LAST


def judged(oracle, s, player, counts, won, flags):
    """PyMahjongGB's fans of a hand in the record ``s`` that wins with the tile ``won``."""
    melds = tuple(
        (MELD_WORDS.get(int(kind), "GANG"), TILES[tile], int(offer))
        for kind, tile, offer in s["melds"][player][: s["num_melds"][player]]
    )
    standing = tuple(TILES[tile] for tile in range(KINDS) for _ in range(counts[tile]))
    winds = (player - int(s["hand"])) & 3, int(s["prevailing"])
    return oracle.MahjongFanCalculator(
        melds, standing, TILES[won], 0, *(bool(flags & bit) for bit in BITS), *winds, verbose=True
    )


@pytest.mark.oracle
def test_fans_of_every_win_are_the_calculators(seed):
    oracle = pytest.importorskip("MahjongGB")
    wins = 0
    for rules, states, player, action in positions(four_of("heuristic", 25, seed)):
        if action != HU:
            continue
        wins += 1
        after = states.copy()
        core.play_at(rules, after, 0, HU, *core.new_scratch(rules))
        s, flags = states[0], win_flags(rules, states[0], player)
        won = int(after["won_tile"][0])
        counts = s["counts"][player].copy()
        counts[won] -= s["drawn_tile"] == won
        found = judged(oracle, s, player, counts, won, flags)
        ours = {fans.NAMES[fan]: int(n) for fan, n in enumerate(after["fans"][0]) if n}
        assert sum(value * n for value, n, _, _ in found) == int(after["won_fan"][0])
        assert ours == {name: n for _, n, _, name in found}
    assert wins > 10


def dealt(hand):
    """A game in which the first seat holds these tiles, and is to play."""
    rules = SPEC.make_rules()
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    s = states[0]
    s["counts"][0] = fans.tile_counts(hand)
    held = np.flatnonzero(s["counts"][0])
    s["held"][0] = sum(1 << int(tile) for tile in held)
    s["twos"][0] = sum(1 << int(tile) for tile in held if s["counts"][0][tile] > 1)
    return rules, states


def thrown(name, rules, states):
    """What a player discards."""
    action = make_policy(SPEC, name).act_each(rules, states, np.zeros(1, np.uint64))[0]
    assert PLAY <= action < CHI
    return TILES[action - PLAY]


def test_a_ready_hand_is_kept_and_a_win_taken():
    """A hand with one tile too many that is ready for a Pure Straight gives that tile away."""
    rules, states = dealt("W1 W2 W3 W4 W5 W6 W7 W8 T3 T3 T3 B2 B2 J1")
    for name in PLAYERS:
        assert thrown(name, rules, states) == "J1", name
    n = core.legal_actions_at(rules, states, 0, core.new_scratch(rules)[0])
    assert n == (states[0]["counts"][0] > 0).sum()


def test_of_two_waits_that_of_more_tiles_is_kept():
    """Seven pairs: for the ninth of characters, of which there are three more, not the one F1."""
    rules, states = dealt("W2 W2 W3 W3 W9 T3 T3 B1 B1 B3 B3 F1 F1 F1")
    assert thrown("rule:pattern", rules, states) == "F1"
    assert thrown("rule:pattern?version=1", rules, states) == "W9"


@pytest.mark.oracle
def test_a_live_wait_is_not_thrown_away(seed):
    """Where a discard leaves it ready for a tile that may come and wins, one such is made."""
    oracle = pytest.importorskip("MahjongGB")

    def waits(rules, s, player, live):
        """The tiles of ``live`` that win by PyMahjongGB, drawn or discarded."""
        counts, found = s["counts"][player], []
        if shanten(counts, int(s["num_melds"][player])) != 0:
            return found
        for tile in live:
            flags = fans.SELF_DRAWN, 0
            try:
                by = [judged(oracle, s, player, counts, tile, flag) for flag in flags]
            except TypeError:  # no winning shape
                continue
            if max(sum(fan * n for fan, n, _, _ in each) for each in by) >= rules.minimum:
                found.append(tile)
        return found

    ready = 0
    for rules, states, player, action in positions(four_of("rule:pattern", 30, seed)):
        if not PLAY <= action < CHI:
            continue
        s, kept = states[0], {}
        # Told before the discard: the tile thrown away is seen by all, and cannot come again.
        live = [tile for tile in range(KINDS) if unseen(s, player, tile)]
        for tile in np.flatnonzero(s["counts"][player]).tolist():
            s["counts"][player, tile] -= 1
            kept[tile] = waits(rules, s, player, live)
            s["counts"][player, tile] += 1
        if any(kept.values()):
            ready += 1
            assert kept[action - PLAY], (states, kept)
    assert ready > 20


@njit
def tried(rules, states, legal):
    return hooks.candidates(rules, states[0], legal, core.legal_actions(rules, states[0], legal), 0)


def test_six_actions_are_played_out_the_heuristics_among_them(seed):
    policy, several = make_policy(SPEC, "pimc:2?sure=2"), 0
    for k, (rules, states, _, action) in enumerate(positions(four_of("heuristic", 1, seed))):
        before = states.tobytes()
        legal, _ = core.new_scratch(rules)
        n = core.legal_actions_at(rules, states, 0, legal)
        every = legal[:n].tolist()
        count = tried(rules, states, legal)
        assert states.tobytes() == before and sorted(legal[:n].tolist()) == sorted(every)
        assert 1 <= count <= min(6, n) and action in legal[:count]
        several += count == 6
        if k % 20 == 0:
            assert policy.act(decision_for(SPEC, rules, states, seed)) in every
    assert several > 5


def test_players_have_names():
    assert hooks.rule_names(SPEC) == {"shanten": 0, "claim": 1, "pattern": 4}
    assert hooks.rule_number(SPEC, "pattern", 1) == (2, 1)
    assert hooks.rule_number(SPEC, "pattern", 2) == (4, 2)
    assert hooks.rule_number(SPEC, "claim", 1) == hooks.rule_number(SPEC, "claim", 2) == (1, 1)


def test_points_pass_a_level_of_a_ladder_of_points():
    """Two hands of three lost, but more points won than lost; no decided hand passes nothing."""

    def level(by_points, *earned):
        results = [
            Result("random", k, (won > 0) + 0.5 * (won == 0), cast(GameRecord, {}), won)
            for k, won in enumerate(earned)
        ]
        return LevelResult(0, results, by_points=by_points)

    assert level(True, 60.0, -20.0, -22.0, 0.0).passed
    assert not level(False, 60.0, -20.0, -22.0, 0.0).passed
    assert not level(True, 32.0, -40.0, 4.0).passed
    assert not level(True, 0.0, 0.0).passed
    assert not level(True, *[40.0] * 60).is_settled()
