"""Werewolf: the rules against exact chances and a plain referee; what a seat knows; the words."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numba import njit
from plain_werewolf import WON_BY, Table
from scripts import TESTS

from stratagym.envs import core, spec
from stratagym.envs.werewolf import state as st
from stratagym.testing import RandomGame

GAME = spec("werewolf")
EXACT = TESTS.parents[1] / "shared/data/werewolf_stratego/werewolf_random_exact.json"
ROLES = ("villager", "wolf", "seer", "doctor", "hunter", "alpha", "jester", "killer")
OPTION_SETS = (
    {},
    {"debate": "bid", "turns": 4, "acts": 2, "kill": "one", "votes": "secret"},
    {"debate": "none", "exile": "revote", "doctor": "not_twice", "abstain": 1},
    {"debate": "none", "exile": "lot", "doctor": "not_self", "first_night": "peace"},
    {"debate": "none", "exile": "plurality", "players": 11, "seer": "side", "alpha": 1},
    {"debate": "none", "players": 12, "hunter": 1, "hunter_night": 1, "jester": 1, "killer": 1,
     "exile": "lot"},
    {"players": 5, "speeches": 2, "acts": 1, "hunter": 1, "max_days": 2, "reveal": "role"},
    {"debate": "none", "players": 9, "killer": 1, "kill": "one", "exile": "plurality",
     "abstain": 1, "seer": "none"},
    {"debate": "none", "players": 20, "doctor": "none", "jester": 1, "exile": "plurality"},
)  # fmt: skip


# --- exact chances -------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def winners(rules, states, legal, probs, seed, games, out):
    """Random games; how often each won is added to ``out``."""
    s = states[0]
    for k in range(games):
        player = core.start(rules, s, core.derive_seed(seed, k), probs)
        while player >= 0:
            n = core.legal_actions(rules, s, legal)
            player = core.play(rules, s, legal[core.random_below(s, n)], probs)
        out[s.winner] += 1


def village_wins(seed, games, **options):
    """How many of so many random games the village wins."""
    rules, found = GAME.make_rules(debate="none", **options), np.zeros(8, np.int64)
    legal, probs = core.new_scratch(rules)
    winners(rules, core.new_states(rules), legal, probs, np.uint64(seed), games, found)
    assert found.sum() == games
    return int(found[st.BY_VILLAGE])


def as_far_as_expected(wins, games, chance):
    """Six standard errors: of fifty rows, one fails by chance less than once in a million runs."""
    assert abs(wins - games * chance) < 6 * np.sqrt(games * chance * (1 - chance)) + 1


@pytest.mark.parametrize(
    ("exile", "doctor", "exact"),
    [
        ("majority", "any", 0.036723485),
        ("majority", "not_self", 0.035394599),
        ("plurality", "any", 0.131175649),
        ("lot", "any", Fraction(22501651, 101606400)),
        ("lot", "not_self", Fraction(402508277, 1828915200)),
    ],
)
def test_random_games_have_the_exact_chances(exile, doctor, exact, seed):
    """Of the Markov chain of random play, solved in rational numbers."""
    wins = village_wins(seed, 30_000, exile=exile, doctor=doctor)
    as_far_as_expected(wins, 30_000, float(exact))


@pytest.mark.parametrize(
    ("players", "exact"), [(5, "1/4"), (6, "7/15"), (7, "1/12"), (9, "5/32"), (12, "38/231")]
)
def test_without_special_roles_more_players_are_not_always_better(players, exact, seed):
    """The parity effect of Migdal 2010: odd numbers favour the wolves."""
    wins = village_wins(seed, 30_000, players=players, exile="lot", seer="none", doctor="none")
    as_far_as_expected(wins, 30_000, float(Fraction(exact)))


@pytest.mark.slow
def test_every_row_of_the_exact_table(seed):
    if not EXACT.exists():
        pytest.skip(f"{EXACT} is not there")
    for k, row in enumerate(json.loads(EXACT.read_text())["rows"]):
        options = {"players": row["players"], "exile": row["exile"]}
        options |= {"doctor": row["doctor_rule"]} if row["seer"] else {
            "doctor": "none", "seer": "none"
        }  # fmt: skip
        assert GAME.make_rules(**options).wolves == row["wolves"]
        as_far_as_expected(village_wins(seed + k, 200_000, **options), 200_000, row["good_wins"])


# --- the referee ---------------------------------------------------------------------------------


def in_lockstep(seed, rng, options):
    """One game on both; compares who is asked, what is legal, every lot, and who has won."""
    rules = GAME.make_rules(**options)
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(seed), probs)
    n = core.legal_actions_at(rules, states, 0, legal)
    s = states[0]
    table = Table(
        [ROLES[k] for k in s["role"][: rules.num_players]], GAME.options_in_force(**options)
    )
    plain, sent = table.play(), None
    while True:
        try:
            kind, *told = plain.send(sent)
        except StopIteration as end:
            assert int(s["winner"]) == WON_BY[end.value]
            assert player == (core.TRUNCATED if end.value == "undecided" else core.TERMINAL)
            assert table.alive == [k for k in range(rules.num_players) if int(s["alive"]) >> k & 1]
            return end.value
        if kind == "lot":
            what, outcomes = told
            sent = {
                "wolf": lambda: int(s["wolf"]),
                "kill": lambda: int(s["target"][table.day]),
                "speaker": lambda: int(s["speaker"]),
                "exile": lambda: next(
                    k for k in range(rules.num_players)
                    if s["fate"][k] == st.EXILED and s["fate_day"][k] == table.day
                ),
            }[what]()  # fmt: skip
            assert sent in outcomes
            continue
        seat, actions = told
        assert seat == player and sorted(actions) == legal[:n].tolist()
        sent = int(rng.choice(legal[:n]))
        player, n = core.play_at(rules, states, 0, sent, legal, probs)


def played_in_lockstep(rng, options, games):
    won = Counter(in_lockstep(int(rng.integers(2**60)), rng, options) for _ in range(games))
    assert won.total() == games


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda o: "-".join(map(str, o.values())))
def test_the_kernel_and_a_plain_referee_agree(options, rng):
    played_in_lockstep(rng, options, 60)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda o: "-".join(map(str, o.values())))
def test_they_agree_on_a_thousand_games(options, rng):
    played_in_lockstep(rng, options, 1000)


# --- what DSGBench's released code does, and this game does not ----------------------------------


def random_games(rng, many, **options):
    rules = GAME.make_rules(**{"debate": "none", **options})
    for _ in range(many):
        yield rules, RandomGame(rules, int(rng.integers(2**60)))


def nights_of(played):
    """(living at the start, the position behind the night) of the nights of a game, by day."""
    found = {}
    for before, behind in pairwise([*played.states, played.end]):
        ended = behind["phase"][0] > st.AT_KILLER or behind["winner"][0]
        if before["phase"][0] <= st.AT_KILLER and ended:
            found[int(before["day"][0])] = int(before["alive"][0]), behind[0]
    return found


def test_without_a_doctor_players_still_die_and_no_ward_becomes_a_check(rng):
    """The first two errors: choices of one role that are taken for another's."""
    seen = 0
    for _, played in random_games(rng, 60):
        roles = played.end["role"][0].tolist()
        doctor, seer = roles.index(st.DOCTOR), roles.index(st.SEER)
        for day, (alive, s) in nights_of(played).items():
            target, ward, check = (int(s[name][day]) for name in ("target", "ward", "check"))
            if not alive >> doctor & 1:
                seen += 1
                assert ward == -1 and s["fate"][target] == st.KILLED
            if not alive >> seer & 1:
                assert check == -1
    assert seen


def test_wolves_that_are_enough_in_the_morning_have_won(rng):
    """The third: an exile cannot undo it. Whoever is asked for a vote is in an open game."""
    for _, played in random_games(rng, 60, exile="lot"):
        for states in played.states:
            s = states[0]
            if s["phase"] == st.VOTE:
                alive, pack = int(s["alive"]), int(s["alive"]) & int(s["wolves"])
                assert 0 < 2 * pack.bit_count() < alive.bit_count()


def test_who_was_protected_stays_at_the_table(rng):
    """The fourth: a saved player can be voted for and killed as before."""
    seen = 0
    for rules, played in random_games(rng, 200):
        for states, choice in zip(played.states, played.choices, strict=True):
            s = states[0]
            if s["phase"] != st.VOTE or s["fate_day"].max() == s["day"]:
                continue
            saved = int(s["target"][s["day"]])
            if saved == s["player"]:
                continue
            seen += 1
            assert (saved - int(s["player"])) % rules.num_players in choice
    assert seen


def test_there_is_bidding(rng):
    """The seventh. Who bids most speaks, and nobody twice running."""
    for rules, played in random_games(rng, 5, debate="bid", turns=5):
        last = {}
        for states in played.states:
            s = states[0]
            if s["phase"] != st.SPEECH or s["said"]:
                continue
            speaker, bids = int(s["player"]), s["bids"][: rules.num_players]
            assert bids[speaker] == bids.max() and last.get(int(s["day"])) != speaker
            last[int(s["day"])] = speaker


def test_returns_are_of_sides(rng):
    for _, played in random_games(rng, 40, players=9, jester=1, killer=1, exile="lot"):
        s, returns = played.end[0], played.returns(played.end)
        won = {st.BY_WOLVES: (st.WOLF, st.ALPHA), st.BY_JESTER: (st.JESTER,),
               st.BY_KILLER: (st.KILLER,)}.get(
                   int(s["winner"]), (st.VILLAGER, st.SEER, st.DOCTOR, st.HUNTER))  # fmt: skip
        if s["winner"] in (st.BY_NOBODY, st.UNDECIDED):
            assert not returns.any()
            continue
        assert [one > 0 for one in returns] == [role in won for role in s["role"][:9]]
        view = GAME.module("view")
        sides = view.dealt_sides(GAME.make_rules(players=9, jester=1, killer=1), s)
        assert sorted(seat for side in sides for seat in side) == list(range(9))
        assert [len({returns[seat] for seat in side}) for side in sides] == [1] * 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"names": "paper", "players": 18}, "17 names"),
        ({"players": 5, "hunter": 1, "jester": 1, "killer": 1}, "too few for hunter"),
        ({"hunter_night": 1}, "needs hunter=1"),
        ({"players": 4}, "players"),
        ({"players": 21}, "players"),
        ({"exile": "all"}, "exile"),
    ],
)
def test_options_that_do_not_fit(options, words):
    with pytest.raises(ValueError, match=words):
        GAME.make_rules(**options)


def test_wolves_by_the_number_of_players():
    wolves = [GAME.make_rules(players=n).wolves for n in range(5, 21)]
    assert wolves == [1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5]
    for n in range(5, 21):
        rules = GAME.make_rules(players=n)
        assert rules.num_actions == 10 * n + 14
