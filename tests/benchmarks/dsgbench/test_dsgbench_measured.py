"""DSGBench's metrics of recorded games, each game's against a count by hand."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from stratagym.benchmarks.dsgbench import measured
from stratagym.envs import core, spec
from stratagym.envs.civilization import actions as deeds
from stratagym.envs.civilization import tables
from stratagym.envs.diplomacy.notation import order_text
from stratagym.envs.direct import calls
from stratagym.envs.stratego.boards import FLAG
from stratagym.envs.stratego.notation import action_of
from stratagym.envs.stratego.rules import first_placing
from stratagym.envs.werewolf import state as pack

HOLD = 71
"""The action of StarCraft that does nothing."""


class Played:
    """A game that is played by a test, with the actions so far."""

    def __init__(self, game: str, seed: int = 0, **options: Any):
        self.game, self.seed, self.options = game, seed, options
        self.rules = spec(game).make_rules(**options)
        self.states, self.scratch = core.new_states(self.rules), core.new_scratch(self.rules)
        seat = core.start_at(self.rules, self.states, 0, np.uint64(seed), self.scratch[1])
        self.seat, self.actions = int(seat), list[int]()

    @property
    def s(self) -> Any:
        return self.states[0]

    def legal(self) -> list[int]:
        out = calls(self.rules).legal
        return out[: core.legal_actions_at(self.rules, self.states, 0, out)].tolist()

    def play(self, *actions: int) -> None:
        for action in actions:
            assert action in self.legal()
            played = core.play_at(self.rules, self.states, 0, action, *self.scratch)
            self.seat = int(played[0])
            self.actions.append(action)

    def record(self, **more: Any) -> Any:
        returns = np.zeros(self.rules.num_players)
        core.returns_at(self.rules, self.states, 0, returns)
        return {
            "game": self.game,
            "rules": spec(self.game).options_in_force(**self.options),
            "seed": self.seed,
            "seats": [f"p{k}" for k in range(self.rules.num_players)],
            "seat": 0,
            "actions": self.actions,
            "plies": len(self.actions),
            "returns": returns.tolist(),
            **more,
        }

    def values(self, *seats: int, as_published: bool = False, **more: Any) -> dict[str, float]:
        return measured.values_of(self.record(**more), seats, (), as_published)


def test_starcraft():
    """A Probe at the first decision and a Pylon at the eighth."""
    game = Played("starcraft", minutes=1)
    game.play(0, *[HOLD] * 13, 19, *[HOLD] * 3)  # nine decisions of 45 ticks each
    minutes = 405 / 1344
    # 12 Probes for 272 ticks, then 13, and one is away for the last 90: 58 a minute each.
    mined = 58 * (12 * 272 + 13 * (405 - 272) - 90) / 1344
    told = game.values(0)
    assert told["RPM"] == pytest.approx(mined / minutes)
    assert told["EER"] == pytest.approx((50 + 100) / (50 + mined))
    assert told["SUR"] == pytest.approx((12 + 8 * 13) / (9 * 15))
    assert told["TCR"] == pytest.approx(1 / 41)
    assert told["APM"] == told["EPM"] == pytest.approx(2 / minutes)
    assert told["WR"] == 0 and told["GA"] == 1
    # A word whose time had passed was an action, and was not carried out.
    late = game.values(0, rejected=[[4, 0, "no_minerals"], [5, 1, "no_minerals"]])
    assert late["APM"] == pytest.approx(3 / minutes) and late["EPM"] == told["EPM"]
    idle = game.values(1)
    assert idle["APM"] == 0 and idle["RPM"] == pytest.approx(12 * 58)
    assert idle["EER"] == 0 and idle["SUR"] == pytest.approx(12 / 15)


def test_civilization():
    """A city at the start: what it makes, one city in 20 turns, the tiles within its reach."""
    game = Played("civilization", seed=3, turns=20, players=2)
    while not game.s["over"]:
        legal = game.legal()
        if game.seat == 0 and deeds.BUILD_CITY in legal and not game.s["founded"][0]:
            game.play(deeds.BUILD_CITY)
        else:
            game.play(deeds.KEEP)
    s, told = game.s, game.values(0)
    land = s["terrain"] != tables.OCEAN
    own = (s["owner"] == 0) & land
    assert told["CER"] == pytest.approx(1 / 20) and s["founded"][0] == 1
    assert told["TRP"] == bin(int(s["techs"][0])).count("1") / 40
    x, y = (np.arange(len(own)) % game.rules.width, np.arange(len(own)) // game.rules.width)
    city = int(s["city_tile"][0, 0])
    dx = np.abs(x - x[city])
    dx = np.minimum(dx, game.rules.width - dx)
    near = dx**2 + (y - y[city]) ** 2 <= 5
    assert told["LUR"] == pytest.approx((own & near).sum() / land.sum()) and told["LUR"] > 0
    fighters = [k for k in range(len(tables.UNITS)) if tables.ATTACK[k] > 0]
    assert told["MGR"] == pytest.approx(np.isin(s["unit_type"][0], fighters).sum() / 20)
    assert told["EGR"] >= 0
    coded = game.values(0, as_published=True)
    assert coded["LUR"] == pytest.approx((own & near).sum() / own.sum())
    assert coded["EGR"] == pytest.approx(20 * told["EGR"]) and coded["CER"] == 0
    # Who founded nothing has nothing, and no land to have a share of.
    none = game.values(1)
    assert none["CER"] == none["EGR"] == none["LUR"] == 0
    assert math.isnan(game.values(1, as_published=True)["LUR"])


def test_stratego():
    """A colonel walks into the flag: the pieces 8, 4, 5, 6 and 7 stay with both."""
    game = Played("stratego", board="six", max_moves=1000)
    first = int(first_placing(game.rules))
    game.play(*[first + kind for kind in (8, 4, 5, 6, 7, FLAG)] * 2)
    moves = [(0, 6), (35, 29), (6, 12), (29, 23), (12, 18), (23, 17), (18, 24), (17, 11), (24, 30)]
    game.play(*[action_of(game.rules, k % 2, *move) for k, move in enumerate(moves)])
    assert game.seat == core.TERMINAL
    winner, loser = game.values(0), game.values(1)
    assert (winner["CPR"], winner["TPCV"], winner["WR"]) == (1, 30, 1)
    assert (loser["CPR"], loser["TPCV"], loser["WR"]) == (1, 30, 0)
    assert game.values(0, forfeited_by=0)["WR"] == 0


def test_a_colonel_is_lost():
    """Both colonels meet before the other side's last decision: the readings differ by 8."""
    game = Played("stratego", board="six", max_moves=1000)
    first = int(first_placing(game.rules))
    game.play(*[first + kind for kind in (8, 4, 5, 6, 7, FLAG)] * 2)
    # Red's colonel goes up the left column and stops below the last row; Blue's walks into it.
    moves = [(0, 6), (35, 29), (6, 12), (29, 23)]
    moves += [(12, 13), (23, 22), (13, 14), (22, 21), (14, 15)]
    game.play(*[action_of(game.rules, k % 2, *move) for k, move in enumerate(moves)])
    game.play(action_of(game.rules, 1, 21, 15))
    for seat in range(2):
        told = game.values(seat)
        assert (told["CPR"], told["TPCV"]) == (0, 22)
    # Blue decided when both still stood; so did Red, before that.
    assert [game.values(k, as_published=True)["TPCV"] for k in range(2)] == [30, 30]


def test_werewolf(seed):
    """Votes, exiles and who lives, counted from the positions of a random game."""
    game = Played("werewolf", seed=seed % 2**62, kill="one", votes="secret")
    rng, n = random.Random(seed), game.rules.num_players
    view = spec("werewolf").module("view")
    roles = [view.dealt_role(game.rules, game.s, seat) for seat in range(n)]
    wolves = {seat for seat in range(n) if roles[seat] in ("wolf", "alpha")}
    village = [seat for seat in range(n) if seat not in wolves]
    votes = on_wolves = 0
    while game.seat >= 0:
        action, seat = rng.choice(game.legal()), game.seat
        if game.s["phase"] == pack.VOTE and action < n and seat in village:
            votes += 1
            on_wolves += (seat + action) % n in wolves
        game.play(action)
    fate = game.s["fate"].tolist()[:n]
    exiled = [seat for seat in range(n) if fate[seat] == pack.EXILED]
    told = game.values(*village, roles=roles)
    shown = {name: None if math.isnan(value) else value for name, value in told.items()}
    assert shown["IRP"] == (on_wolves / votes if votes else None)
    lives = [fate[roles.index(role)] == pack.LIVING for role in ("seer", "doctor")]
    assert shown["KSR"] == sum(lives) / 2
    share = sum(seat in wolves for seat in exiled) / len(exiled) if exiled else None
    assert shown["VSS"] == share
    pack_told = game.values(*sorted(wolves), roles=roles)
    assert all(math.isnan(pack_told[name]) for name in ("IRP", "KSR", "VSS"))


def test_welfare_diplomacy():
    """Germany helps Austria to the Tyrol, then attacks it there; two powers disarm by a unit."""
    game = Played("welfare_diplomacy", years=2, rounds=0)

    def movement(**orders: str) -> None:
        given = set(orders.values())
        turn = int(game.s["turn"])
        while int(game.s["turn"]) == turn:
            texts = {order_text(game.s, action): action for action in game.legal()}
            chosen = [text for text in texts if text in given]
            game.play(texts[chosen[0] if chosen else next(t for t in texts if t.endswith(" H"))])

    def winter(*removed: str) -> None:
        turn = int(game.s["turn"])
        while int(game.s["turn"]) == turn and not game.s["over"]:
            texts = {order_text(game.s, action): action for action in game.legal()}
            chosen = [text for text in texts if text in removed]
            game.play(texts[chosen[0] if chosen else "WAIVE"])

    movement(austria="A VIE - TYR", germany="A MUN S A VIE - TYR")
    movement()
    winter("A BER D", "F SEV D")
    movement(germany="A MUN - TYR")
    movement()
    winter()
    assert game.s["over"]
    told = game.values(0, 1, 2, 3)
    # Allies in the second phase, in contact from then on; the attack ends it.
    assert told["ASR"] == pytest.approx(2 / (4 * 4)) and told["AD"] == pytest.approx(2 / 4)
    orders = 2 * 12 + 2 * 11  # of four powers with three units each, less Berlin's army
    assert told["1-BIR"] == pytest.approx(1 - 1 / orders)
    assert told["CCC"] == 3
    points = game.record()["returns"]
    assert points[3] == points[5] > 0 and sum(points) == 2 * points[3]
    assert told["WS"] == pytest.approx(0.5)
