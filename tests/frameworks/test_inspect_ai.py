"""Games as an Inspect task, with Inspect's own scripted model."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

pytest.importorskip("inspect_ai", reason="needs Inspect: pip install 'stratagym[inspect]'")

import tiny_games
from inspect_ai import eval as run_task
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from tiny_games.players import reply

from stratagym.envs import spec
from stratagym.envs.text import TextGame
from stratagym.wrappers.inspect_ai import game as game_task


def scripted(say):
    """A model that answers ``say(messages)``."""

    def output(messages, tools, tool_choice, config):
        made = ModelOutput.from_content("mockllm/model", say(messages))
        # Inspect fetches a tokenizer from the network to count tokens that are not given.
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def first_listed(messages) -> str:
    """The first legal square of a prompt that lists them."""
    asked = messages[-1].text
    listed = asked[asked.index("Empty squares") :]
    return "Move: " + re.findall(r"\d,\d", listed)[0]


def evaluated(task, model, folder, **options) -> EvalLog:
    (log,) = run_task(
        task, model=model, log_dir=str(folder), display="none", log_format="json", **options
    )
    return log


def values(log: EvalLog) -> list[dict[str, float]]:
    return [sample.scores["outcome"].value for sample in log.samples]


def test_whole_games_score_what_the_rules_say(seed, tmp_path):
    task = game_task("tictactoe", "random", games=6, seed=seed, list_legal=True)
    log = evaluated(task, scripted(first_listed), tmp_path)
    assert log.status == "success" and len(log.samples) == 6
    for sample in log.samples:
        score = sample.scores["outcome"]
        record = score.metadata
        game = TextGame("tictactoe")
        game.reset(record["seed"])
        for action in record["actions"]:
            game.play(action)
        assert game.over and game.returns() == record["returns"]
        assert score.value["return"] == game.returns()[sample.metadata["seat"]]
        assert score.value["illegal"] == score.value["unparseable"] == 0
        own = sum(k % 2 == record["seat"] for k in range(len(game.actions)))
        assert score.value["answers"] == own == len(sample.messages) / 2
    metrics = {score.name: score.metrics for score in log.results.scores}
    mean = sum(value["return"] for value in values(log)) / 6
    assert metrics["return"]["mean"].value == pytest.approx(mean)


@pytest.mark.parametrize("game", ["bids", "catch", "geography", "powers", "roles", "village"])
def test_games_of_every_kind_are_tasks(game, seed, tmp_path):
    """Plans, real time, rules that are data, many seats that talk, roles that are dealt."""
    tiny_games.register()
    seats = spec(game).make_rules().num_players
    opponent = "envoy" if game == "powers" else "mcts:2"
    task = game_task(game, opponent, games=seats, seed=seed, tries=2, invalid="random")
    model = scripted(lambda asked: reply([{"role": m.role, "content": m.text} for m in asked]))
    log = evaluated(task, model, tmp_path)
    assert log.status == "success" and len(log.samples) == seats
    for sample in log.samples:
        score = sample.scores["outcome"]
        record = score.metadata
        played = TextGame(game)
        played.reset(record["seed"])
        for action in record["actions"]:
            played.play(action)
        assert played.over and played.returns() == record["returns"]
        assert score.value["return"] == record["returns"][record["seat"]]
        assert (score.value["answers"] > 0) and score.value["forfeit"] == 0


def test_standard_errors_are_of_seeds_not_of_games(seed, tmp_path):
    task = game_task("tictactoe", "random", games=8, seed=seed, list_legal=True)
    log = evaluated(task, scripted(first_listed), tmp_path)
    returns = [value["return"] for value in values(log)]
    mean = sum(returns) / 8
    by_seed: dict[int, float] = {}
    for sample, value in zip(log.samples, returns, strict=True):
        own = sample.metadata["seed"]
        by_seed[own] = by_seed.get(own, 0.0) + value - mean
    assert len(by_seed) == 4
    expected = (sum(x * x for x in by_seed.values()) * 4 / 3) ** 0.5 / 8
    metrics = {score.name: score.metrics for score in log.results.scores}
    assert metrics["return"]["stderr"].value == pytest.approx(expected)


def test_bad_answers_are_quoted_back_and_forfeit(seed, tmp_path):
    seen = []

    def say(messages):
        seen.append(len(messages))
        return "Move: 9,9" if len(seen) == 1 else "no"

    log = evaluated(
        game_task("tictactoe", "random", games=2, seed=seed, tries=2), scripted(say), tmp_path,
        max_samples=1,
    )  # fmt: skip
    assert seen == [2, 4, 2, 4]  # a system message, the question, the bad answer quoted back
    first, second = values(log)
    assert sorted([first["illegal"], second["illegal"]]) == [0, 1]
    for value in (first, second):
        assert (value["return"], value["loss"], value["forfeit"]) == (-1, 1, 1)
        assert value["illegal"] + value["unparseable"] == value["answers"] == 2


BY_NAME = """
import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model

said = ModelOutput.from_content("mockllm/model", "no")
said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
arguments = {"game": "ludo", "opponent": "random", "games": 3, "tries": 1,
             "options": {"players": 3}}
(log,) = inspect_ai.eval("stratagym/game", task_args=arguments, display="none", log_dir="logs",
                         model=get_model("mockllm/model", custom_outputs=[said] * 3))
print(log.status, log.eval.task, [s.scores["outcome"].value["return"] for s in log.samples])
"""


def test_inspect_finds_the_task_by_name(tmp_path):
    # Elsewhere than in the checkout: there Inspect takes the package for a folder of tasks.
    done = subprocess.run(
        [sys.executable, "-c", BY_NAME], cwd=tmp_path, capture_output=True, text=True, timeout=240,
        check=False,
    )  # fmt: skip
    assert "success stratagym/game [-1.0, -1.0, -1.0]" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"games": 3}, "multiple of 2"),
        ({"opponent": "nobody"}, "unknown policy"),
        ({"persona": "loud"}, "unknown persona"),
        ({"tries": 0}, "at least 1"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_asked(arguments, said):
    with pytest.raises(ValueError, match=said):
        game_task("tictactoe", **arguments)
