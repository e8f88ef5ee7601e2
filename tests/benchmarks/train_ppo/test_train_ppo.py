"""Training by PPO: it learns, is rated, and goes on after a kill as if nothing had happened."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scripts import ROOT, wait_until

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'stratagym[rl]'")

import torch

from stratagym import envs
from stratagym.agents.core import make_policy
from stratagym.agents.ladders import Ladder, ladder_of
from stratagym.benchmarks.harness import cli, match_play
from stratagym.benchmarks.harness.batched import play_batched
from stratagym.envs.text import TextOptions

TINY = ["--game", "tictactoe", "--envs", "16", "--eval-games", "10", "--final-games", "20",
        "--against", "random,ladder", "--evaluations", "2"]  # fmt: skip


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stratagym.benchmarks.train_ppo", *arguments]


@pytest.fixture
def needs_sb3():
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is missing: pip install 'stratagym[rl]'")


# --- whole runs ----------------------------------------------------------------------------------


def final_weights(folder: Path) -> dict:
    from stratagym.agents.sb3 import load

    return load(folder / "agent.zip")[0].weights


def steps_of_checkpoint(folder: Path) -> int:
    try:
        with zipfile.ZipFile(folder / "checkpoint.zip") as archive:
            return json.loads(archive.read("notes.json"))["steps"]
    except FileNotFoundError:
        return -1


def ladder_of_checkpoint(folder: Path) -> dict:
    with zipfile.ZipFile(folder / "checkpoint.zip") as archive:
        return json.loads(archive.read("notes.json"))["ladder"]


def test_a_killed_run_ends_like_an_unbroken_one(needs_sb3, tmp_path, seed):
    """Weights and games alike: parameters, optimizer, games, opponents and all random numbers."""
    run = [*TINY, "--steps", "8192", "--seed", str(seed), "--checkpoint-seconds", "0", "--json",
           "--opponent", "self,random,ladder"]  # fmt: skip
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    done = subprocess.run(command(*run, "--output", str(whole)), capture_output=True, check=True)
    summary = json.loads(done.stdout)
    process = subprocess.Popen(
        command(*run, "--output", str(broken)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_until(lambda: steps_of_checkpoint(broken) >= 2000)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (broken / "summary.json").exists()
    subprocess.run(
        command(*run, "--output", str(broken), "--resume"), capture_output=True, check=True
    )
    one, other = final_weights(whole), final_weights(broken)
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name
    again = json.loads((broken / "summary.json").read_text())
    assert again["against"] == summary["against"] and again["ladder"] == summary["ladder"]
    for a, b in zip(again["curve"], summary["curve"], strict=True):
        for part in ("steps", "against", "ladder", "met_level"):
            assert a[part] == b[part], part
    assert ladder_of_checkpoint(broken) == ladder_of_checkpoint(whole)
    assert any(ladder_of_checkpoint(whole)["results"])

    found = summary["against"]["random"]
    assert found["games"] == 20 and found["wins"]["chance"] is not None
    assert sum(found[k]["value"] for k in ("wins", "draws", "losses")) == pytest.approx(1)
    assert 0 < summary["rules_share"] < 1
    names = {path.name for path in whole.iterdir()}
    assert {"config.json", "games.jsonl", "evaluations.jsonl", "learning_curve.png", "agent.zip",
            "report.md", "report.html"} <= names  # fmt: skip
    if importlib.util.find_spec("tensorboard"):
        assert any((whole / "tensorboard").iterdir())
    climbed = summary["ladder"]
    assert climbed["rating"]["low"] <= climbed["rating"]["value"] <= climbed["rating"]["high"]
    assert climbed["result"] in (whole / "report.md").read_text()
    check_games(whole, 40 + sum(level["games"] for level in climbed["levels"]))


def check_games(folder: Path, expected: int) -> None:
    """Every recorded game replays, and those of the agent are the agent's own."""
    records = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    assert len({record["match"] for record in records}) == len(records) == expected
    spec = envs.spec("tictactoe")
    policies = {
        name: make_policy(spec, name)
        for name in {name for record in records for name in record["seats"]} - {"agent"}
    }
    policies["agent"] = make_policy(spec, f"sb3:{folder}/agent.zip?deterministic=1")
    policies["agent"].name = "agent"
    for record in [*records[:6], *records[-6:]]:
        match = match_play.SeatedMatch.of(
            "train_ppo", record["match"], spec, spec.make_rules(), record["rules"],
            record["seed"], [policies[name] for name in record["seats"]],
        )  # fmt: skip
        (again,) = play_batched([match])
        assert again["actions"] == record["actions"] and again["returns"] == record["returns"]


def exit_code(*arguments: str) -> int:
    from stratagym.benchmarks.train_ppo.__main__ import APP

    with pytest.raises(SystemExit) as caught:
        cli.run(APP, list(arguments))
    return caught.value.code


def train_in_process(*arguments: str, capsys) -> dict:
    assert exit_code(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_it_learns_to_beat_random_play(needs_sb3, tmp_path, seed, capsys):
    """A weak claim for a few seconds of learning, far from chance (.58 for the first to move)."""
    summary = train_in_process(
        "--game", "tictactoe", "--steps", "60000", "--envs", "64", "--evaluations", "1",
        "--opponent", "random", "--against", "random", "--eval-games", "10", "--final-games",
        "200", "--seed", str(seed), "--output", str(tmp_path / "run"), capsys=capsys,
    )  # fmt: skip
    found = summary["against"]["random"]["wins"]
    assert found["low"] > found["chance"] + 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("game", "steps"), [("elemental_duel", 50_000), ("battle_card", 50_000)])
def test_it_learns_sealed_plans_in_both_roles(needs_sb3, game, steps, tmp_path, seed, capsys):
    """Twenty seconds of learning, by rewards at the ends of plans; chance is .3 to .7 by seat.

    About one course in ten learns too little in a seat, so there are up to six with other seeds.
    """
    for course in range(6):
        folder = tmp_path / str(course)
        summary = train_in_process(
            "--game", game, "--steps", str(steps), "--evaluations", "1", "--opponent", "random",
            "--against", "random", "--eval-games", "10", "--final-games", "400",
            "--seed", str((seed + course) % 2**63), "--output", str(folder), capsys=capsys,
        )  # fmt: skip
        found = summary["against"]["random"]
        assert [own["n"] for own in found["wins_by_seat"]] == [200, 200]
        if all(own["low"] > own["chance"] + 0.1 for own in found["wins_by_seat"]):
            break
    else:
        pytest.fail("no course of six was learned from")
    both = sum(own["value"] for own in found["wins_by_seat"]) / 2
    assert found["wins"]["value"] == pytest.approx(both)
    report = (folder / "report.md").read_text()
    assert "won in seat 0" in report and "won in seat 1" in report


@pytest.mark.parametrize(
    "game", ["ludo", "texas_holdem", "hanabi", "gomoku", "elemental_duel", "tower_defence"]
)
def test_every_kind_of_game_trains(needs_sb3, game, tmp_path, seed, capsys):
    arguments = ["--game", game, "--steps", "512", "--envs", "8", "--eval-games", "4",
                 "--final-games", "4", "--against", "random,ladder", "--opponent", "self,ladder",
                 "--evaluations", "1"]  # fmt: skip
    summary = train_in_process(
        *arguments, "--seed", str(seed), "--output", str(tmp_path / "run"), capsys=capsys
    )
    assert summary["steps"] >= 512
    assert ("self" in summary["against"]) == (game == "hanabi")
    assert summary["against"]["random"]["mean_return"]["chance"] is not None
    assert summary["ladder"]["result"].startswith("Lv")
    assert (summary["ladder"]["rating"] is None) == (game == "hanabi")
    spec = envs.spec(game)
    assert make_policy(spec, f"sb3:{summary['agent']}").name.startswith("sb3:")


# --- opponents -----------------------------------------------------------------------------------


def test_former_selves_are_kept_as_they_were(needs_sb3):
    from stratagym.agents.networks import DenseActor
    from stratagym.benchmarks.train_ppo.ppo import Opponents

    def weights(value: float) -> dict:
        return {
            "mlp_extractor.policy_net.0.weight": torch.full((3, 18), value),
            "mlp_extractor.policy_net.0.bias": torch.zeros(3),
            "action_net.weight": torch.full((9, 3), value),
            "action_net.bias": torch.zeros(9),
        }

    present = DenseActor(weights(1.0), "ReLU")
    opponents = Opponents(envs.spec("tictactoe"), ["self", "random"], 8, 1000, seed=5)
    opponents.grow(present, 0)
    present.weights["action_net.bias"] += 1
    opponents.grow(present, 50)
    assert len(opponents.pool) == 1 and not opponents.pool[0].weights["action_net.bias"].any()
    opponents.grow(present, 100)
    assert len(opponents.pool) == 2
    policies, choice = opponents.now(present, 100)
    names = [policies[k].name for k in choice]
    assert sorted(names) == ["former"] * 2 + ["present"] * 2 + ["random"] * 4
    seen = [opponents.now(present, steps)[0][1].actor for steps in range(50)]
    assert {id(actor) for actor in seen} == {id(actor) for actor in opponents.pool}


def test_partners_in_a_team_are_always_the_present_self(needs_sb3):
    from stratagym.benchmarks.train_ppo.ppo import Opponents

    opponents = Opponents(envs.spec("hanabi"), ["self"], 4, 100, seed=1)
    opponents.grow(None, 0)
    policies, choice = opponents.now(None, 0)
    assert [p.name for p in policies] == ["present"] and not choice.any()


# --- the ladder ----------------------------------------------------------------------------------


def met_by(ladder, games) -> list[str]:
    return [policy.name for policy in ladder.deal(np.arange(games))]


def test_games_go_to_the_levels_near_the_learners_own(needs_sb3):
    """Levels below, at and above it, a third each, and only whole games against one count."""
    from stratagym.benchmarks.train_ppo.ppo import LadderOpponents

    levels = ladder_of("tictactoe").levels
    ladder = LadderOpponents(ladder_of("tictactoe"), 12)
    names = met_by(ladder, 12)
    assert ladder.level == 0 and names.count("random") == 8
    assert {name for name in names if name != "random"} == set(levels[1])

    def play(share: float) -> None:
        for k in range(ladder.WINDOW * 12):
            ladder.take(k % 12, 1.0 if k < share * ladder.WINDOW * 12 else -1.0)

    play(1.0)  # beats both levels it has met
    assert ladder.level == 2
    names = met_by(ladder, 12)
    assert [sum(name in level for name in names) for level in levels] == [0, 4, 4, 4]
    assert met_by(ladder, 12) == names
    ladder.take(0, -1.0)  # was level 0's game when it began
    assert ladder.results[0] == ladder.results[1] == [1.0] * ladder.WINDOW
    assert ladder.results[2:] == [[], []]

    again = LadderOpponents(ladder_of("tictactoe"), 12)
    again.restore(json.loads(json.dumps(ladder.snapshot())))
    play(0.4)  # loses the last games against every level
    assert ladder.level == 1 and again.level == 2
    assert met_by(again, 12) == names


def test_a_ladder_of_scores_gives_games_to_all_levels(needs_sb3):
    from stratagym.benchmarks.train_ppo.ppo import LadderOpponents

    ladder = LadderOpponents(ladder_of("hanabi"), 14)
    names = met_by(ladder, 14)
    assert {name for level in ladder_of("hanabi").levels for name in level} == set(names)


def test_the_final_climb_is_that_of_anchored_levels(needs_sb3, tmp_path, seed, capsys):
    from stratagym.benchmarks.anchored_levels import __main__ as anchored_levels

    summary = train_in_process(
        *TINY, "--steps", "2048", "--seed", str(seed), "--output", str(tmp_path / "run"),
        capsys=capsys,
    )  # fmt: skip
    name = f"sb3:{tmp_path}/run/agent.zip?deterministic=1"
    arguments = ["--game", "tictactoe", "--policy", name, "--seed", str(seed), "--workers", "1",
                 "--output", str(tmp_path / "levels"), "--json"]  # fmt: skip
    with pytest.raises(SystemExit):
        cli.run(anchored_levels.APP, arguments)
    found = json.loads(capsys.readouterr().out)["games"]["tictactoe"][name]
    ours = summary["ladder"]
    for part in ("result", "level", "progress", "rating", "topped"):
        assert found[part] == ours[part], part
    for theirs, own in zip(found["levels"], ours["levels"], strict=True):
        assert {key: theirs[key] for key in own} == own


def test_a_rating_that_was_broken_off_goes_on(needs_sb3, tmp_path, seed, capsys):
    run = [*TINY, "--steps", "512", "--seed", str(seed), "--output", str(tmp_path / "run")]
    summary = train_in_process(*run, capsys=capsys)
    path = tmp_path / "run/games.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    climbed = next(k for k, line in enumerate(lines) if '"match":"tictactoe/agent/' in line)
    for kept in (climbed + 5, 7):
        path.write_text("".join(lines[:kept]))
        again = train_in_process(*run, "--resume", capsys=capsys)
        assert (again["against"], again["ladder"]) == (summary["against"], summary["ladder"])
        assert path.read_text().splitlines(keepends=True)[:kept] == lines[:kept]
        assert len(path.read_text().splitlines()) == len(lines)


def test_levels_that_cannot_be_played_are_left_out(needs_sb3, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Ladder, "missing", lambda self: {1: "no engine here"})
    run = [*TINY, "--steps", "512", "--opponent", "ladder", "--output", str(tmp_path / "run")]
    assert exit_code(*run, "--json") == 0
    captured = capsys.readouterr()
    line = "train_ppo: tictactoe/ladder-v1 ends at level 0 of 3 here: no engine here"
    assert captured.err.splitlines().count(line) == 1
    summary = json.loads(captured.out)
    assert summary["config"]["ladder"]["highest"] == summary["ladder"]["level"] == 0
    assert {line["met_level"] for line in summary["curve"]} == {0}


def test_a_climb_by_default_needs_the_ladders_shapes(needs_sb3, capsys):
    from stratagym.benchmarks.train_ppo import ppo
    from stratagym.benchmarks.train_ppo.evaluation import with_ladder

    settings = replace(ppo.SETTINGS["ludo"], options={"players": 4})
    changed, ladder = with_ladder(envs.spec("ludo"), settings, True)
    assert changed.against == "random,heuristic" and ladder is None
    assert "no climb: ludo/ladder-v1 is for players=2" in capsys.readouterr().err

    small = ppo.Settings(1, options={"rows": 9, "columns": 9}, against="random,ladder")
    changed, ladder = with_ladder(envs.spec("gomoku"), small, True)
    assert changed.against == "random" and ladder is None
    _, ladder = with_ladder(envs.spec("gomoku"), replace(small, board=True), True)
    assert ladder is ladder_of("gomoku")  # convolutions play on boards of every size


def test_tensorboard_is_told_the_rating():
    from stratagym.benchmarks.train_ppo.report import figures

    rates = {"wins": {"value": 0.5}, "mean_return": {"value": 0.0, "high": 0.2}}
    climbed = {"level_progress": 1.5, "rating": {"value": 300.0}}
    told = figures({"against": {"random": rates}, "ladder": climbed}, 2)
    assert told == {
        "eval/random": 0.5, "eval/level": 1.5, "eval/rating": 300.0, "train/met_level": 2,
    }  # fmt: skip
    assert figures({"against": {"random": rates}, "ladder": None}, None) == {"eval/random": 0.5}
    rates["mean_return"] = {"value": 8.0, "high": 12.0}  # money: winning often is not it
    assert figures({"against": {"random": rates}, "ladder": None}, None) == {"eval/random": 8.0}


# --- matches side by side ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "names"),
    [("tictactoe", ["mcts:5", "perfect"]), ("ludo", ["gt:1", "random", "heuristic"]),
     ("texas_holdem", ["heuristic", "random"]), ("hanabi", ["rule:simple", "random"])],
)  # fmt: skip
def test_games_are_those_of_one_match_at_a_time(game, names, seed):
    import asyncio

    spec = envs.spec(game)
    options = {"ludo": {"players": 3}, "texas_holdem": {"hands": 2}}.get(game, {})
    policies = [make_policy(spec, name) for name in names]
    matches = [
        match_play.SeatedMatch.of(
                     "test", str(k), spec, spec.make_rules(**options), options, seed + k,
                     [*policies[k % len(names) :], *policies[: k % len(names)]],
                     opening=2 if game == "tictactoe" else 0)
        for k in range(4)
    ]  # fmt: skip
    how = match_play.AnswerProtocol(TextOptions(), 1, match_play.FORFEIT)

    async def one_by_one() -> list[dict]:
        return [await match_play.play_match(match, how, None, {}) for match in matches]

    assert play_batched(matches) == asyncio.run(one_by_one())


def test_intervals_rest_on_games_that_differ():
    """Two players without chance play one game, however often."""
    from stratagym.benchmarks.train_ppo.evaluation import Evaluation

    spec = envs.spec("connect_four")
    one, other = (make_policy(spec, name) for name in ("heuristic", "gt:1"))
    evaluation = Evaluation(spec, {}, one, {"gt:1": other}, seed=0)
    found = evaluation.results(play_batched(evaluation.matches(60, "final")))["gt:1"]
    assert found["games"] == 60 and found["different_rounds"] == 1
    assert found["wins"]["high"] - found["wins"]["low"] > 0.5


# --- wrong input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "shogi"], "--game"),
        (["--steps", "0"], "--steps 0: at least 1"),
        (["--opponent", "nobody"], "unknown policy 'nobody'"),
        (["--against", ","], "name at least one policy"),
        (["--rules", "size=9"], "unknown option 'size'"),
        (["--against", "sb3:nowhere.zip"], "there is no such file"),
        (["--game", "ludo", "--rules", "players=4", "--against", "ladder"], "is for players=2"),
    ],
)
def test_wrong_options_end_with_one_line(arguments, message, tmp_path, capsys):
    assert exit_code(*arguments, "--output", str(tmp_path / "run")) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("option", ["--opponent", "--against"])
def test_a_game_without_a_ladder_gets_one_line(option, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("stratagym.agents.ladders.find_ladder", lambda game: None)
    assert exit_code(option, "random,ladder", "--output", str(tmp_path / "run")) == 2
    error = capsys.readouterr().err
    assert "connect_four has no ladder" in error and error.count("\n") == 1


def test_a_damaged_checkpoint_gets_one_line(needs_sb3, tmp_path, capsys):
    run = [*TINY, "--steps", "512", "--output", str(tmp_path / "run"), "--json"]
    assert exit_code(*run) == 0
    content = (tmp_path / "run/checkpoint.zip").read_bytes()
    (tmp_path / "run/checkpoint.zip").write_bytes(content[: len(content) // 2])
    capsys.readouterr()
    assert exit_code(*run, "--resume") == 2
    assert "checkpoint.zip is damaged" in capsys.readouterr().err
    assert exit_code(*run, "--resume", "--opponent", "random") == 2
    assert "repeat the options" in capsys.readouterr().err


# --- the comparison with DummyVecEnv -------------------------------------------------------------


def test_pettingzoo_is_fed_to_sb3_as_ours_is(needs_sb3, rng):
    """The peer is the same game: the same seats, masks, observations and ends, move by move."""
    pytest.importorskip("pygame", reason="pygame is not installed: pip install pettingzoo[classic]")
    from sb3_contrib.common.maskable.utils import get_action_masks

    from stratagym.benchmarks.train_ppo.throughput import ours, pettingzoo_dummy

    one, other = ours(2), pettingzoo_dummy(2)
    seen = one.reset(), other.reset()
    ends = 0
    while ends < 6:
        np.testing.assert_array_equal(*seen)
        masks = get_action_masks(one)
        np.testing.assert_array_equal(masks, get_action_masks(other))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        a, b = one.step(actions), other.step(actions)
        np.testing.assert_array_equal(a[1], b[1])
        np.testing.assert_array_equal(a[2], b[2])
        seen, ends = (a[0], b[0]), ends + int(a[2].sum())


# --- the example in the documentation ------------------------------------------------------------


def example():
    path = ROOT / "docs/examples/ppo.py"
    spec = importlib.util.spec_from_file_location("ppo_example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_single_file_example_learns_and_its_agent_plays(capsys, seed, tmp_path):
    module, path = example(), tmp_path / "agent.zip"
    network = module.train(
        module.parse(["--game", "tictactoe", "--steps", "40960", "--envs", "64", "--rollout", "32",
                      "--batch", "128", "--epochs", "8",
                      "--eval-games", "300", "--reports", "2", "--width", "64",
                      "--seed", str(seed % 2**31), "--save", str(path)])
    )  # fmt: skip
    assert len(capsys.readouterr().out.splitlines()) == 2
    measure, won, error = module.evaluate(network, "tictactoe", {}, 500, seed % 2**31)
    assert measure == "won against random"
    assert won - 3 * error > 0.5  # random play wins .58 as first and .29 as second
    game = envs.spec("tictactoe")
    agent = make_policy(game, f"sb3:{path}?deterministic=1")
    batch = envs.make_batch("tictactoe", 50, seed=seed)
    batch.step(batch.action_masks.argmax(1))
    logits = network.actor(module.flat(batch.observations)).detach().numpy()
    likeliest = np.where(batch.action_masks == 1, logits, -np.inf).argmax(1)
    found = agent.act_each(batch.rules, batch.states, batch.seeds)
    assert (found == likeliest).all()


def test_the_example_evaluates_a_team_by_its_return(seed):
    module = example()
    batch = envs.make_batch("hanabi", 1)
    network = module.ActorCritic(batch.observations[0].size, batch.action_masks.shape[1], 8)
    measure, mean, error = module.evaluate(network, "hanabi", {}, 40, seed % 2**31)
    assert measure == "mean return of its team" and 0 <= mean <= 25 and error >= 0


def test_the_example_learns_where_games_are_cut_off(capsys, seed):
    module = example()
    module.train(
        module.parse(["--game", "ludo", "--rules", "players=2,max_rolls=40", "--steps", "2048",
                      "--envs", "16", "--rollout", "64", "--eval-games", "20", "--width", "8",
                      "--seed", str(seed % 2**31)])
    )  # fmt: skip
    assert "nan" not in capsys.readouterr().out


# --- going on from an agent ----------------------------------------------------------------------


def trained_from(agent: str, folder: Path, steps: int, *more: str) -> dict:
    """The weights that come out, beside what the run and its agent say of where they began."""
    from stratagym.agents.sb3 import load_whole

    arguments = ["--from", agent, "--steps", str(steps), "--output", str(folder), "--json", *more]
    assert exit_code(*TINY, *arguments) == 0
    weights, _, facts = load_whole(folder / "agent.zip")
    assert facts["from"] == json.loads((folder / "config.json").read_text())["from"]
    return {"weights": weights, **facts["from"]}


def test_training_goes_on_from_a_shipped_agent(needs_sb3, tmp_path, seed, capsys):
    """Its actor waits until the new critic has learned, and then learns from where it stood."""
    from stratagym.agents.sb3 import SHIPPED, load

    before = load(SHIPPED / "tictactoe.zip")[0].weights
    held = trained_from("sb3", tmp_path / "held", 16 * 32, "--seed", str(seed))
    assert (held["agent"], held["critic"]) == ("sb3", "begun anew") and held["steps"] > 100_000
    assert all(torch.equal(held["weights"][name], before[name]) for name in before)
    assert "goes on from sb3; its critic is begun anew" in capsys.readouterr().err
    moved = trained_from("sb3", tmp_path / "moved", 16 * 32 * 3, "--seed", str(seed))
    assert any(not torch.equal(moved["weights"][name], before[name]) for name in before)
    again = trained_from(str(tmp_path / "moved" / "agent.zip"), tmp_path / "again", 16 * 32)
    assert all(torch.equal(again["weights"][name], moved["weights"][name]) for name in before)


def test_a_model_with_its_critic_goes_on_whole(needs_sb3, tmp_path):
    from sb3_contrib import MaskablePPO

    from stratagym.agents import sb3
    from stratagym.benchmarks.train_ppo.ppo import settings_of
    from stratagym.benchmarks.train_ppo.start import KEPT, Start
    from stratagym.wrappers.sb3 import SB3VecEnv

    game = envs.spec("tictactoe")
    kind = {"net_arch": [12, 8], "activation_fn": torch.nn.ReLU}
    one, other = (
        MaskablePPO("MlpPolicy", SB3VecEnv("tictactoe", 4), seed=k, policy_kwargs=kind)
        for k in range(2)
    )
    sb3.save(one, tmp_path / "whole.zip", game)
    start = Start(game, str(tmp_path / "whole.zip"), settings_of(game))
    assert start.critic == KEPT and start.settings.net == (12, 8) and not start.settings.board
    start.into(other.policy)
    for a, b in zip(one.policy.parameters(), other.policy.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "tictactoe", "--from", "none.zip"], "none.zip: there is no such file"),
        (["--game", "go", "--from", "sb3"], "there is no such file"),
        (["--game", "gomoku", "--from", "{ludo}"], "is of ludo-v0, not of gomoku-v0"),
    ],
)
def test_a_start_that_does_not_fit_gets_one_line(needs_sb3, arguments, message, tmp_path, capsys):
    from stratagym.agents.sb3 import SHIPPED

    arguments = [one.format(ludo=SHIPPED / "ludo.zip") for one in arguments]
    assert exit_code(*arguments, "--output", str(tmp_path / "run")) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
