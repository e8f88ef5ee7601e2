"""One rule reads the free answers of all games: replies fixed by hand, and readers.

``golden/replies.json`` has for each reply the game, what is the matter with it (``row``) and the
move that a person reads in it, or null. SmolLM2-135M wrote those of the rows ``smollm2``.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from ours import games_of_moves, our_games

from stratagym.benchmarks.harness.text_options import PromptArgs
from stratagym.envs.prompts import prompt_version
from stratagym.envs.reading import FIRST, answer_of
from stratagym.envs.text import Asking, TextGame, TextOptions, judge

REPLIES = json.loads(
    (Path(__file__).parents[1] / "golden" / "replies.json").read_text(encoding="utf-8")
)
ROWS = {
    "first answer counted": ("changed_mind", "broken_last", "doubt"),
    "any legal move in the text": ("echoed_prompt", "no_answer"),
    "patterns over lines and words": ("retold_board", "inside_words", "below"),
    "true for one seat": ("wrong_seat",),
    "an end denied": ("denied_end",),
    "another variant": ("wrong_variant",),
    "a phase": ("phase",),
    "hidden and public": ("hidden",),
    "histories": ("history",),
    "sizes": ("sizes",),
    "retries": ("retry", "list_as_text"),
    "rows from the other end": ("far_rows",),
    "markup": ("emphasis", "fence", "code", "brackets", "wide", "answer_label", "lead_words"),
    "reasoning": ("lone_think_end", "think", "think_cut_off", "tokens"),
}
"""What went wrong in other harnesses, and the rows that try it."""


@cache
def table(game: str) -> TextGame:
    at = TextGame(game)
    at.reset(1)
    return at


def meant(game: str, move: str | None) -> int | str | None:
    """The action of a move, or why it is none."""
    at = table(game)
    if move is None:
        return None
    try:
        action: int = at.spec.module("view").string_to_action(at.rules, at.states[0], move)
    except ValueError as error:
        return str(error)
    return action


def test_no_other_move_is_read_and_hardly_one_is_missed():
    missed = []
    for reply in REPLIES:
        at = table(reply["game"])
        outcome = judge(at.spec, at.rules, at.states, reply["reply"])
        right = meant(reply["game"], reply["move"])
        if outcome.kind == "unparseable":
            assert outcome.action is None
            missed += [reply] if right is not None else []
        else:
            found = outcome.reason if outcome.action is None else outcome.action
            assert found == right, (reply, outcome)
    read = sum(reply["move"] is not None for reply in REPLIES)
    assert len(missed) <= 0.02 * len(REPLIES), missed
    assert len(REPLIES) >= 400 and read > 200


def test_every_fault_of_other_harnesses_is_tried():
    rows = Counter(reply["row"] for reply in REPLIES)
    for fault, tried in ROWS.items():
        assert sum(rows[row] for row in tried) >= 5, fault
    assert rows["smollm2"] >= 100


@pytest.mark.parametrize("game", games_of_moves())
def test_a_prompt_quoted_back_is_no_answer(game):
    at = table(game)
    for options in (
        TextOptions(),
        TextOptions(list_legal=True),
        TextOptions(list_legal=True, system="merge"),
        TextOptions(history=9, answer="evaluation"),
        TextOptions(lenient=True),
    ):
        asked = TextGame(game, options, rules=at.rules)
        asked.begin(at.states)
        for message in asked.observe().messages:
            outcome = judge(at.spec, at.rules, at.states, message["content"], options)
            assert outcome.kind == "unparseable", (message, outcome)


@pytest.mark.parametrize("game", sorted({*our_games()} - {*games_of_moves()}))
def test_a_prompt_quoted_back_is_no_plan(game):
    """At the start: later prompts tell earlier plans, and that one may be kept."""
    for options in (TextOptions(), TextOptions(system="merge"), TextOptions(list_legal=True)):
        asked = TextGame(game, options)
        asked.reset(1)
        for seat in asked.deciding():
            turn = asked.question(seat)
            for message in turn.messages:
                outcome = judge(asked.spec, asked.rules, turn.states, message["content"], options)
                assert outcome.kind != "ok", (message, outcome)


def test_the_first_reader_is_still_there():
    replies = {"chess": "d2d4 | x\ne2e4 | y", "hanabi": '{"action": 0} Done.'}
    read = {
        (game, reader): judge(at.spec, at.rules, at.states, said, TextOptions(reader=reader)).action
        for game, said in replies.items()
        for at in [table(game)]
        for reader in (1, 2)
    }
    assert read["chess", 1] == meant("chess", "d2d4") and read["hanabi", 1] is None
    assert read["chess", 2] == meant("chess", "e2e4") and read["hanabi", 2] == 0


def test_records_without_a_reader_have_the_first():
    assert TextOptions().record()["reader"] == 2
    old = TextOptions(reader=FIRST).record()
    assert "reader" not in old and TextOptions.of_record(old).reader == FIRST
    with pytest.raises(ValueError, match="reader 3: choose 1 or 2"):
        TextOptions(reader=3).check(table("chess").spec)


def test_a_resumed_run_is_read_as_it_was_begun(tmp_path):
    class Args(PromptArgs):
        benchmark, resume, output = "none", True, str(tmp_path)

    game = table("chess").spec
    assert Args().text_options(game).reader == 2  # there is nothing to go on with
    for config, reader in (
        ({}, 1), ({"text": {}}, 1), ({"text": {"reader": 2}}, 2), ({"reader": 2}, 2),
    ):  # fmt: skip
        (tmp_path / "config.json").write_text(json.dumps({"schema": 1, **config}))
        assert Args().text_options(game).reader == reader
    assert Args(reader=2).text_options(game).reader == 2


def test_reasoning_ends_at_its_last_end():
    assert answer_of("a</think>b</think> c ") == "c"
    assert answer_of("c <think>and then") == "c"
    assert answer_of("<think>only this") == ""


@pytest.mark.parametrize(
    ("game", "reply", "told"),
    [
        ("connect_four", "the middle", "Your answer has no line `Move: <column>`."),
        ("connect_four", "Move: 3 or 4", "is `Move: 3 or 4`, which is no line `Move: <column>`."),
        ("connect_four", "Move: 9", "Your move `9` is not legal now: no such column."),
        ("connect_four", "", "Your answer cannot be read: it is empty."),
        ("chess", "e4", "Your answer has no line `<move> | <one line reason>`."),
        ("hanabi", "play 0", "Your answer has no JSON object `{"),
        ("hanabi", '{"action": 1} or {"action": 2,', "that it begins is not well-formed."),
    ],
)
def test_a_bad_answer_is_told_the_form_and_what_was_found(game, reply, told):
    at = table(game)
    asking = Asking(at.spec, at.rules, at.observe(), tries=2)
    asking.answer(reply)
    message = asking.messages[-1]["content"]
    form = at.spec.module("view").ANSWER
    assert told in message and message.endswith(f"Give a legal move.\n\n{form.invitation()}")
    first = Asking(at.spec, at.rules, at.observe(), tries=2, options=TextOptions(reader=FIRST))
    first.answer(reply)
    assert first.messages[-1]["content"].startswith("That answer is ")


PLANS = ("battle_card", "elemental_duel", "tower_defence", "diplomacy")


def form_shown(asked: list[dict[str, str]]) -> str:
    """The JSON object that a prompt shows as the form of its answer."""
    text = "\n".join(message["content"] for message in asked)
    lines = [line for line in text.split("\n") if line.startswith("{") and "<" in line]
    assert lines
    return lines[-1]


@pytest.mark.parametrize("game", PLANS)
def test_the_form_of_a_plan_quoted_back_is_counted_and_not_played(game):
    at = TextGame(game)
    at.reset(1)
    for seat in at.deciding():
        turn = at.question(seat)
        form = form_shown(turn.messages)
        for reply in (form, f"I was asked for\n```json\n{form}\n```"):
            outcome = judge(at.spec, at.rules, turn.states, reply)
            assert (outcome.kind, outcome.reason) == ("unparseable", "example"), outcome
        asking = at.asking(turn, tries=2)
        asking.answer(form)
        assert "repeats the form with its placeholders" in asking.messages[-1]["content"]


def test_a_plan_counts_that_stands_beside_the_form():
    at = TextGame("battle_card")
    at.reset(1)
    turn = at.observe()
    form, name = form_shown(turn.messages), at.spec.module("view").names_of(turn.seat)[0]
    side = next(iter(json.loads(form)))
    plan = json.dumps({side: [{"name": name}]})
    for reply in (f"{form}\n{plan}", f"{plan}\nThat is the form {form}."):
        assert judge(at.spec, at.rules, turn.states, reply).kind == "ok"


@pytest.mark.parametrize("game", PLANS[:3])
def test_earlier_prompts_stay_under_their_names(game):
    earlier = TextOptions(prompt_version=f"{game}-2")
    at = TextGame(game, earlier)
    at.reset(1)
    view = at.spec.module("view")
    text = "\n".join(message["content"] for message in at.observe().messages)
    example = next(line for line in text.split("\n") if line.startswith("{"))
    assert judge(at.spec, at.rules, at.states, example, earlier).kind == "ok"  # which was the fault
    assert prompt_version(view, earlier) == f"{game}-2" != prompt_version(view, TextOptions())
    assert TextOptions.of_record(earlier.record()) == earlier
    known = ", ".join(f"{game}-{k}" for k in (5, 4, 3, 2))
    with pytest.raises(ValueError, match=f"'{game}-1': the versions are: {known}"):
        TextOptions(prompt_version=f"{game}-1").check(at.spec)
