"""What makes a run again, and what it cost: at the foot of every report and on the screen."""

from __future__ import annotations

import importlib
import json
import shlex
from dataclasses import replace

import pytest
import scripts
from openai_server import OpenAIServer, answer

from stratagym.benchmarks.harness import begun as begun_module
from stratagym.benchmarks.harness.begun import command
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.sections import in_words, option_rows
from stratagym.benchmarks.tune import __main__ as tune

CALLS = {
    "advgame": "--policies random --game battle_card --budget 0.5,1 --shared-start --rounds 4",
    "anchored_levels": "--game tictactoe --no-early-stop --games 16 --time-limit 2.5",
    "board_solvers": "--game tictactoe --policies llm:a?temperature=0.5,random --list-legal",
    "botzone": "--game gomoku --policies random --as-published",
    "coin_teams": "--policies random --invalid random --seed 7",
    "diplomacy": "--setting agents --agents 4 --policies random --rounds 2 --win 20",
    "werewolf": "--policies rule:herd --setting self,one --rules players=5 --games 2",
    "duel": "--game tictactoe --policies random,mcts:5 --games 20",
    "hanabi_teams": "--policies rule:iggi --players 2,4 --tries 5",
    "ludo_arena": "--policies random,heuristic --rules max_rolls=20",
    "ludo_spots": "--policies random,gt:1 --personas none,safe --skip-invalid",
    "search": "--game chess --no-peers --seconds 0.25",
    "table": "--game ludo --rules players=3 --seating one,teams --forfeit stand-in:heuristic",
    "tournament": "--game chess --policies random,mcts:5 --format swiss",
    "train_ppo": "--game tictactoe --steps 100",
    "welfare": "--setting all --policies disarm,random --rounds 2 --years 3",
}
"""Options by script, none of them a default, but for those of the next test."""


def parsed(script: str, words: list[str]):
    module = importlib.import_module(f"stratagym.benchmarks.{script}.__main__")
    _, bound, _ = module.APP.parse_args(words, exit_on_error=False, print_error=False)
    return bound.arguments["args"]


@pytest.mark.parametrize("script", CALLS)
def test_a_command_sets_the_options_that_the_run_was_called_with(script):
    args = parsed(script, CALLS[script].split())
    begun = command(script, replace(args, output="/tmp/there", resume=True))
    words = shlex.split(begun)
    assert words[:3] == ["python", "-m", f"benchmarks.{script}"]
    assert "/tmp/there" not in begun and "--resume" not in begun
    assert parsed(script, words[3:]) == args


def test_a_practice_tells_the_command_that_began_it(tmp_path):
    """It is a subcommand, and the run that it goes on from is its argument."""
    args = tune.ReinforceArgs(updates=3, output=str(tmp_path / "own"))
    run = Run(tune.REINFORCE, args, {}, called="tune reinforce 'my run'")
    words = shlex.split(run.config["begun"]["command"])
    assert words[:3] == ["python", "-m", "benchmarks.tune"]
    script, bound, _ = tune.APP.parse_args(words[3:], exit_on_error=False, print_error=False)
    assert script is tune.reinforce and bound.args == ("my run",)
    assert replace(bound.arguments["args"], output=args.output) == args


def test_a_command_tells_no_password_and_no_query():
    secret = "http://me:s3cret@127.0.0.1:1/v1?key=s3cret"
    words = ["--policies", f"llm:a?base_url={secret},llm:b@c", "--base-url", secret]
    said = command("tournament", parsed("tournament", words))
    assert "s3cret" not in said and "[hidden]@127.0.0.1:1/v1" in said and "llm:b@c" in said


def test_options_are_told_in_words():
    config = {
        "schema": 1, "policies": [], "again": True, "games": ["a", "b"], "seed": 0, "text": {},
        "rules": {"2": {"home": "exact"}, "3": {}}, "time_limit_s": None, "prompt": "x" * 500,
    }  # fmt: skip
    assert option_rows(config) == [
        ("ask again after an illegal answer", "yes"), ("games", "a, b"), ("seed", "0"),
        ("prompts", "none"), ("rules, 2", "home=exact"), ("rules, 3", "none"),
        ("seconds for a move, all answers together", "none"),
        ("prompt", in_words("x" * 500)),
    ]  # fmt: skip
    assert in_words("x" * 500).startswith("500 characters, from ") and in_words(0.5) == "0.5"


def test_a_report_made_again_is_the_same_and_names_the_first_call(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    with OpenAIServer(lambda body, nth: answer(f"Move: {nth % 9}")) as server:
        words = [
            "--game", "tictactoe", "--policies", "llm:m?temperature=0.5,random", "--games", 4,
            "--no-preflight", "--api-key-env", "STRATAGYM_TEST_KEY", "--price-in", 2,
            "--price-out", 8, "--max-tokens", 77, "--output", folder,
        ]  # fmt: skip
        here = ["--base-url", server.base_url]
        first = scripts.run("tournament", *words, *here)
        assert first.returncode == 0, first.stderr
        pages = {name: (folder / name).read_bytes() for name in ("report.md", "report.html")}
        # On another day, by another version, and with other options that change no result.
        monkeypatch.setattr(begun_module, "version", lambda name: "99")
        again = scripts.run("tournament", *words, *here, "--resume", "--concurrency", 3)
        assert again.returncode == 0, again.stderr
    assert pages == {name: (folder / name).read_bytes() for name in pages}
    began = json.loads((folder / "config.json").read_text())["begun"]
    assert began["version"] != "99" and "--concurrency" not in began["command"]
    page = pages["report.md"].decode()
    foot = page.partition("## The run")[2]
    assert "\n## " not in foot, "it is the foot"
    for said in (
        began["command"], f"began on {began['date']} with stratagym {began['version']}",
        "temperature 0.5", "token limit of a reply 77", "most answers for one move", "seed",
    ):  # fmt: skip
        assert said in foot, said
    for said in page, " ".join(first.stdout.split()):
        assert all(word in said for word in ("tokens in", "tokens out", "median latency", "cost"))
    summary = json.loads((folder / "summary.json").read_text())
    assert f"{summary['models']['llm:m?temperature=0.5']['cost']:.4f}" in page


def test_a_run_of_an_earlier_version_says_what_it_did_not_keep(tmp_path):
    folder = tmp_path / "run"
    words = ["--game", "tictactoe", "--policies", "random", "--games", 2, "--output", folder]
    words[3] = "random,mcts:2"
    assert scripts.run("tournament", *words).returncode == 0
    config = json.loads((folder / "config.json").read_text())
    del config["begun"]
    (folder / "config.json").write_text(json.dumps(config))
    assert scripts.run("tournament", *words, "--resume").returncode == 0
    assert "begun" not in json.loads((folder / "config.json").read_text())
    assert "recorded neither the day nor the command" in (folder / "report.md").read_text()
