"""``python -m benchmarks.play``: what a person is shown."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest

from stratagym.benchmarks import play
from stratagym.benchmarks.reporting.terminal import Screen
from stratagym.envs import core, games, spec
from stratagym.testing import RandomGame
from stratagym.testing.contract import Contract

HIDING = [name for name in games() if spec(name).information == "imperfect"]
PLANS = ("battle_card", "elemental_duel", "tower_defence")
OPTIONS = [
    *((name, {}) for name in HIDING),
    *((name, {"rounds": 2, "updates": "both"}) for name in PLANS),
    *((name, {"rounds": 3, "over_budget": "loses"}) for name in PLANS),
    ("hanabi", {"players": 4}),
    ("coin_game", {"players": 3, "goals": "all"}),
    ("dou_dizhu", {"bidding": "points", "plays": "whole"}),
    ("texas_holdem", {"raises": "chips", "stacks": "carry"}),
    ("mcr_mahjong", {"flowers": True, "hands": 4, "wall": "one"}),
]


def screen(game: str, rules, states: np.ndarray, seat: int) -> str:
    """What a person in a seat that is to move reads before the first word is typed."""
    file = io.StringIO()
    console = Screen(file=file, width=10_000)
    console.input = lambda *_, **__: "q"
    table = play._Table(spec(game), rules, [None], seat, 0, console)
    table.states[:] = states
    assert table._ask() is None
    return file.getvalue()


def asked(played: RandomGame, number: int) -> Iterator[tuple[np.ndarray, int]]:
    """(states, seat to move) of some decisions of a random game, the last included."""
    last = len(played.states) - 1
    for at in {last * k // number for k in range(number + 1)}:
        yield played.states[at], played.players[at]


@pytest.mark.parametrize(("game", "options"), OPTIONS, ids=str)
def test_a_person_sees_nothing_that_the_seat_may_not_know(game, options, seed):
    contract = Contract(game, seed, None)
    rules = contract.rules = contract.spec.make_rules(**options)
    played, view = contract.played(), contract.spec.module("view")
    for states, mover in asked(played, 12):
        for seat in range(rules.num_players):
            other = states.copy()
            core.determinize_at(rules, other, 0, seat, np.uint64(seed))
            contract._same_texts(view, other, states, seat, mover)
            if seat == mover:
                shown = [screen(game, rules, one, seat) for one in (states, other)]
                assert shown[0] == shown[1]
                assert view.seat_text(rules, states[0], seat) in shown[0]
    contract.told_moves_tell_what_is_seen()
