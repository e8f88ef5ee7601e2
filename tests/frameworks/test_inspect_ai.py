"""Games as an Inspect task, with Inspect's own scripted model."""

from __future__ import annotations

import json
import re
import shutil
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
        game.reset(int(record["seed"]))
        for action in record["actions"]:
            game.play(action)
        assert game.over and game.returns() == record["returns"]
        assert score.value["return"] == game.returns()[sample.metadata["seat"]]
        assert score.value["illegal"] == score.value["unparseable"] == 0
        own = sum(k % 2 == record["seat"] for k in range(len(game.actions)))
        assert score.value["answers"] == own == (len(sample.messages) - 1) / 2
        assert [m.role for m in sample.messages][:3] == ["system", "user", "assistant"]
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
        played.reset(int(record["seed"]))
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


def test_a_game_that_a_limit_cuts_off_is_scored(seed, tmp_path):
    """Every game: no answer may cost less than a bad one, and no game leaves the mean."""

    def run(cut_off: str) -> EvalLog:
        task = game_task("connect_four", "random", games=4, seed=seed, cut_off=cut_off)
        # The model that is asked for the columns in turn needs more than two answers to win.
        nth = iter(range(10**6))
        model = scripted(lambda messages: f"Move: {next(nth) % 7 + 1}")
        return evaluated(task, model, tmp_path / cut_off, token_limit=3, max_samples=1)

    log = run("forfeit")
    assert log.status == "success" and all(sample.limit for sample in log.samples)
    for sample, value in zip(log.samples, values(log), strict=True):
        assert (value["return"], value["loss"], value["cut_off"], value["forfeit"]) == (-1, 1, 1, 0)
        assert value["answers"] == 1  # the one that went over the limit is not looked at
        score = sample.scores["outcome"]
        assert score.answer == "cut off" and "scored as a forfeit" in score.explanation
        assert score.metadata["ended_by"] == "cut_off" and score.metadata["returns"]
    metrics = {score.name: score for score in log.results.scores}
    assert metrics["return"].metrics["mean"].value == -1
    assert metrics["return"].scored_samples == 4 and metrics["return"].unscored_samples == 0
    log = run("none")
    metrics = {score.name: score for score in log.results.scores}
    assert metrics["cut_off"].metrics["mean"].value == 1
    assert metrics["return"].unscored_samples == 4
    assert {sample.scores["outcome"].metadata["returns"] for sample in log.samples} == {None}


@pytest.mark.parametrize("ending", ["json", "eval"])
def test_a_log_is_replayed(ending, seed, tmp_path):
    from stratagym.benchmarks.harness import replays

    task = game_task("ludo", "random", games=2, seed=seed, options={"players": 2}, invalid="random")
    nth = iter(range(10**6))
    (log,) = run_task(
        task, model=scripted(lambda messages: f"{next(nth) % 4} | a piece"), max_samples=1,
        log_dir=str(tmp_path), display="none", log_format=ending,
    )  # fmt: skip
    run = replays.find(next(tmp_path.glob(f"*.{ending}")))
    assert [game["match"] for game in run.games] == ["0-0/1", "0-1/1"]
    for game, value in zip(run.games, values(log), strict=True):
        assert run.replay(game).problems == []
        assert game["returns"][game["seat"]] == value["return"]
        assert game["seats"][game["seat"]] == "mockllm/model"


def test_a_log_tells_every_answer_and_the_result(seed, tmp_path):
    said = iter(["Move: 9,9", "Move: 1,1", "so"] + ["no"] * 9)
    task = game_task("tictactoe", "random", games=2, seed=seed, tries=2, invalid="forfeit")
    log = evaluated(task, scripted(lambda messages: next(said)), tmp_path, max_samples=1)
    assert (
        log.eval.task == "stratagym/tictactoe"
        and log.eval.task_display_name == spec("tictactoe").title
    )
    version = spec("tictactoe").module("view").PROMPT_VERSION
    assert log.eval.task_version == f"{version}, reader 2"
    (plan,) = log.plan.steps
    assert plan.params["text"]["history"] == 0 and plan.params["text"]["system"] == "split"
    assert [sample.id for sample in log.samples] == ["0-0", "0-1"]
    answers = [
        e.data for e in log.samples[0].events if e.event == "info" and e.source == "stratagym"
    ]
    assert [(one["kind"], one["move"]) for one in answers[:1]] == [("illegal", "9,9")]
    assert answers[0]["reason"] and set(answers[0]) == {"ply", "kind", "reason", "move"}
    for sample in log.samples:
        score = sample.scores["outcome"]
        assert score.answer == "lost by forfeit"
        assert score.explanation.startswith("forfeit: the last of 2 answers was unparseable (")
        # JavaScript rounds whole numbers above 2**53, which seeds are.
        assert sample.metadata["seed"] == score.metadata["seed"] == str(int(score.metadata["seed"]))


READ = """
const log = JSON.parse(require("fs").readFileSync(process.argv[1]));
const seeds = (one) => [one.metadata.seed, one.scores.outcome.metadata.seed];
console.log(JSON.stringify(log.samples.map(seeds)));
"""


def test_javascript_reads_a_log_as_python_does(seed, tmp_path):
    """No number in a log is above 2**53, where JavaScript rounds; ``node`` reads equal seeds."""
    first = seed % 2**53  # Inspect itself writes the task's arguments
    task = game_task("tictactoe", "random", games=4, seed=first, list_legal=True)
    log = evaluated(task, scripted(first_listed), tmp_path)
    (path,) = tmp_path.glob("*.json")
    written = json.loads(path.read_text(encoding="utf-8"))
    left, largest = [written], 0
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, int):
            largest = max(largest, abs(one))
    assert largest <= 2**53
    seeds = [[s.metadata["seed"], s.scores["outcome"].metadata["seed"]] for s in log.samples]
    assert all(one == again == str(int(one)) for one, again in seeds)
    if node := shutil.which("node"):
        done = subprocess.run(
            [node, "-e", READ, str(path)], capture_output=True, text=True, timeout=60, check=True
        )
        assert json.loads(done.stdout) == seeds


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
    assert "success stratagym/ludo [-1.0, -1.0, -1.0]" in done.stdout, done.stdout + done.stderr


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
