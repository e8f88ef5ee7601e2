"""One seat's conversation with a game against policies."""

from __future__ import annotations

import json
import math
import sys
import zipfile
from collections.abc import Callable

import pytest

from stratagym import __version__
from stratagym.agents.core import decision_for, make_policy
from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.records import GAME_FIELDS
from stratagym.envs import spec
from stratagym.envs.text import TextGame, TextOptions
from stratagym.wrappers.dialogue import Dialogue, pairings


def play(dialogue: Dialogue, say: Callable[[int], str]) -> None:
    """Answer the n-th question with ``say(n)`` until nothing is asked any more."""
    n = 0
    while not dialogue.over:
        assert dialogue.messages[-1]["role"] == "user"
        dialogue.answer(say(n))
        n += 1
    assert dialogue.messages == []


def squares(n: int) -> str:
    return f"Move: {n // 3 % 3 + 1},{n % 3 + 1}"


def replayed(dialogue: Dialogue) -> TextGame:
    """The recorded game, played again."""
    game = TextGame(dialogue.game.spec.name, rules=dialogue.game.rules)
    game.reset(dialogue.seed)
    for action in dialogue.record()["actions"]:
        game.play(action)
    return game


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_scores_what_its_rules_say(seed, seat):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=seat, tries=9)
    play(dialogue, squares)
    game = replayed(dialogue)
    assert game.over
    assert dialogue.returns() == game.returns()
    scores = dialogue.scores()
    assert scores["return"] == game.returns()[seat]
    assert scores["win"] - scores["loss"] == game.returns()[seat]
    assert scores["win"] + scores["draw"] + scores["loss"] == 1
    own = sum(k % 2 == seat for k in range(len(game.actions)))
    assert scores["answers"] == own + scores["illegal"]
    assert scores["unparseable"] == scores["forfeit"] == 0


@pytest.mark.parametrize("seat", [0, 1])
def test_a_drawn_game_is_neither_won_nor_lost(seed, seat):
    dialogue = Dialogue("tictactoe", "perfect", seed=seed, seat=seat)
    game, perfect = dialogue.game, make_policy(spec("tictactoe"), "perfect")
    while not dialogue.over:
        action = perfect.act(decision_for(game.spec, game.rules, game.states, seed))
        view = game.spec.module("view")
        move = view.action_to_string(game.rules, game.states[0], action)
        assert dialogue.answer(f"Move: {move}").kind == "ok"
    scores = dialogue.scores()
    assert (scores["win"], scores["draw"], scores["loss"]) == (0, 1, 0)


def test_the_same_seed_gives_the_same_game(seed):
    games = []
    for _ in range(2):
        dialogue = Dialogue("connect_four", "random", seed=seed, seat=1, invalid="random", tries=1)
        play(dialogue, lambda n: "no idea")
        games.append(dialogue.record())
    assert games[0] == games[1]
    assert games[0]["ended_by"] == "terminal"


def test_a_bad_answer_is_quoted_back_and_then_forfeits(seed):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0, tries=3)
    first = dialogue.messages
    assert dialogue.answer("Move: 4,4").kind == "illegal"
    assert dialogue.messages[: len(first)] == first
    assert dialogue.messages[-2] == {"role": "assistant", "content": "Move: 4,4"}
    assert dialogue.news == dialogue.messages[-1]["content"]
    assert "no such square" in dialogue.news
    dialogue.answer("the middle, please")
    assert not dialogue.over
    dialogue.answer("")
    assert dialogue.over and dialogue.forfeited
    scores = dialogue.scores()
    assert (scores["return"], scores["loss"], scores["forfeit"]) == (-1, 1, 1)
    assert (scores["illegal"], scores["unparseable"], scores["answers"]) == (1, 2, 3)
    assert dialogue.record()["ended_by"] == "forfeit" and not dialogue.record()["actions"]
    with pytest.raises(ValueError, match="over"):
        dialogue.answer("Move: 1,1")


def test_a_good_answer_gives_back_all_tries(seed):
    dialogue = Dialogue("connect_four", "random", seed=seed, seat=0, tries=2)
    for column in (1, 2):
        dialogue.answer("hm")
        assert dialogue.answer(f"Move: {column}").kind == "ok"
    assert not dialogue.forfeited


def test_a_random_move_stands_in(seed):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0, tries=2, invalid="random")
    play(dialogue, lambda n: "pass")
    assert dialogue.scores()["answers"] == 2 * dialogue.scores()["replaced"] > 0
    assert dialogue.scores()["return"] == replayed(dialogue).returns()[0]


def test_a_forfeit_in_a_cooperative_game_scores_nothing(seed):
    dialogue = Dialogue("hanabi", "random", seed=seed, seat=1, tries=1)
    dialogue.answer("?")
    assert dialogue.returns() == [0.0] * dialogue.players
    assert "win" not in dialogue.scores()


def test_a_forfeit_is_shared_by_the_others(seed):
    dialogue = Dialogue("ludo", "random", seed=seed, seat=2, tries=1, options={"players": 4})
    dialogue.answer("?")
    third = pytest.approx(1 / 3)
    assert dialogue.returns() == [third, third, -1.0, third]


def test_every_seed_is_played_from_every_seat(seed):
    pairs = pairings(3, 12, seed)
    assert len(set(pairs)) == 12
    assert len({k for k, _ in pairs}) == 4
    assert [seat for _, seat in pairs] == [0, 1, 2] * 4
    assert pairs != pairings(3, 12, seed + 1)
    assert len(pairings(2, None, 0)) == 20


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: pairings(2, 3, 0), "multiple of 2"),
        (lambda: pairings(2, 0, 0), "multiple of 2"),
        (lambda: pairings(2, 2, -1), "seed -1"),
        (lambda: Dialogue("tictactoe", seed=0, seat=2), "seats 0 to 1"),
        (lambda: Dialogue("tictactoe", seed=0, seat=0, tries=0), "at least 1"),
        (lambda: Dialogue("tictactoe", seed=0, seat=0, invalid="no"), "choose forfeit or random"),
        (lambda: Dialogue("tictactoe", "nobody", seed=0, seat=0), "unknown policy"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call, said):
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_running_conversation_is_told_once_what_stays_the_same(seed):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0)
    system, asked = dialogue.messages
    assert dialogue.news == f"{system['content']}\n\n{asked['content']}"
    dialogue.answer("Move: 2,2")
    assert dialogue.messages[0] == system
    assert dialogue.news == dialogue.messages[1]["content"]


def test_options_of_prompts_are_known_by_name():
    assert TextOptions().with_more({"system": "merge"}) == TextOptions(system="merge")
    assert TextOptions().with_more(None) == TextOptions()
    with pytest.raises(ValueError, match="unknown option of prompts 'sytem'; the options are: "):
        TextOptions().with_more({"sytem": "merge"})


# --- games that a limit ends, and records --------------------------------------------------------


def test_a_game_that_is_cut_off_scores_as_a_forfeit_or_not_at_all(seed):
    dialogue = Dialogue("tictactoe", "random", seed=seed, seat=0)
    dialogue.answer("Move: 2,2")
    assert not dialogue.over and dialogue.result() == "cut off"
    scores = dialogue.scores()
    assert (scores["return"], scores["loss"], scores["cut_off"], scores["forfeit"]) == (-1, 1, 1, 0)
    assert dialogue.earned() == -1 and dialogue.earned("none") is None
    scores = dialogue.scores("none")
    assert all(math.isnan(scores[name]) for name in ("return", "win", "draw", "loss"))
    assert (scores["cut_off"], scores["answers"]) == (1, 1)
    record = dialogue.record("none")
    assert record["returns"] is None and record["ended_by"] == "cut_off"
    with pytest.raises(ValueError, match="choose forfeit or none"):
        dialogue.scores("draw")
    while not dialogue.over:
        dialogue.answer(f"Move: {dialogue.moves[0]}")
    assert dialogue.scores()["cut_off"] == 0 and dialogue.result() in ("won", "drawn", "lost")


def log_of(records: list[dict], path, *, archive: bool) -> None:
    """A log as Inspect writes it, with the games of ``records``."""
    samples = [
        {"id": f"{k}-0", "epoch": 1, "scores": {"outcome": {"value": {}, "metadata": record}}}
        for k, record in enumerate(records)
    ]
    if not archive:
        path.write_text(json.dumps({"eval": {}, "samples": samples}))
        return
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", "{}")
        for sample in samples:
            file.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))


@pytest.mark.parametrize("ending", ["json", "eval"])
def test_a_record_says_all_that_a_replay_needs(ending, seed, tmp_path):
    records = []
    for options, over in (({"stacking": "safe", "players": 2}, True), ({"players": 3}, False)):
        dialogue = Dialogue("ludo", "random", seed=seed, seat=1, options=options)
        while not dialogue.over and (over or len(dialogue.answers) < 3):
            assert dialogue.answer(f"{dialogue.moves[0]} | a piece").kind == "ok"
        record = dialogue.record()
        assert set(GAME_FIELDS) <= record.keys() and record["rules"]["players"] == dialogue.players
        assert record["schema"] == 1 and record["version"] == __version__
        assert record["prompt_version"] == spec("ludo").module("view").PROMPT_VERSION
        assert record["forfeited_by"] is None
        assert record["forfeited_by"] is None
        assert record["seats"] == ["random", "model", "random"][: dialogue.players]
        # JSON numbers above 2**53 are rounded by others, so that logs have a seed as text.
        records.append(record | {"seed": str(record["seed"])})
    log_of(records, tmp_path / f"log.{ending}", archive=ending == "eval")
    run = replays.find(tmp_path / f"log.{ending}")
    assert [game["match"] for game in run.games] == ["0-0/1", "1-0/1"]
    whole, cut = map(run.replay, run.games)
    assert whole.problems == cut.problems == []
    assert "the outcome is the recorded one" in whole.agrees and "cut_off" in cut.agrees


def test_an_archive_that_python_cannot_unpack_is_read_by_inspect_or_refused_in_a_line(
    tmp_path, monkeypatch
):
    def packed_otherwise(self, name):
        raise NotImplementedError("That compression method is not supported")

    log_of([{}], tmp_path / "log.eval", archive=True)
    monkeypatch.setattr(zipfile.ZipFile, "read", packed_otherwise)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(InputError, match="inspect log convert --to json"):
        replays.find(tmp_path / "log.eval")


@pytest.mark.parametrize(
    ("name", "content"),
    [("log.json", b"[1]"), ("log.json", b"{"), ("log.json", b"{}"), ("log.eval", b"no archive")],
)
def test_what_is_no_log_is_refused_in_a_line(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"log\.(json|eval): ") as error:
        replays.find(tmp_path / name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("reward", "returned"), [("goal", 0), ("cost", -84)])
def test_who_is_alone_neither_wins_nor_loses(reward, returned):
    """A forfeit, and a game that a limit ends, are worth no more than steps that lead nowhere."""
    dialogue = Dialogue("planning", "random", seed=1, seat=0, options={"reward": reward}, tries=1)
    assert not {"win", "draw", "loss"} & set(dialogue.scores())
    assert dialogue.scores()["return"] == returned and dialogue.result() == "cut off"
    dialogue.answer("no")
    assert dialogue.scores()["return"] == returned and dialogue.scores()["forfeit"] == 1
    assert dialogue.result() == f"returned {returned} by forfeit"
