"""Prompts are what version 0.1's were, byte for byte, and replies are read as it read them."""

from __future__ import annotations

import golden_prompts as golden
import pytest

KEYS = ("options", "text", "seed", "moves")


@pytest.fixture(scope="module", params=golden.GAMES)
def kept(request):
    """The game and what 0.1 made of each of its cases."""
    path = golden.FOLDER / f"{request.param}.json.gz"
    return request.param, golden.load(path)


def test_prompts_are_what_they_were(kept):
    game, cases = kept
    for case in cases:
        now = golden.asked(game, {key: case[key] for key in KEYS})
        assert now == {key: case[key] for key in now}, case["options"] | case["text"]


NO_MOVE = {
    ("hanabi", '{"action": 5, "action": 6}'): "a member named twice names two moves",
    ("connect_four", "Move: \uff11"): "digits are 0 to 9; 0.1 took any script's, as no column",
}
"""Replies in which 0.1 found a move and there is none, and why."""


def test_replies_are_read_as_they_were(kept):
    game, cases = kept
    judged = [case for case in cases if "verdicts" in case]
    assert len(judged) == 4
    for case in judged:
        table = golden.table_of(game, case)
        for reply, lenient, *verdict in case["verdicts"]:
            now = golden.read(table, reply, {**case["text"], "lenient": lenient})
            if (game, reply) in NO_MOVE:
                verdict = ["unparseable", None, None, "no_move"]
            assert now == verdict, (reply, lenient, case["options"], case["text"])


def test_the_cases_hold_every_seat_and_option(kept):
    game, cases = kept
    seats = {case["seat"] for case in cases}
    assert len(seats) == max(
        golden.table_of(game, case).rules.num_players for case in cases
    ) and len(cases) == len(golden.cases(game))
    kinds = {verdict[2] for case in cases for verdict in case.get("verdicts", ())}
    assert kinds == {"ok", "illegal", "unparseable"}
