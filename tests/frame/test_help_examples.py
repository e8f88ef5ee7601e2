"""The examples below ``--help`` run as they stand."""

from __future__ import annotations

import importlib
import importlib.util
import io
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest
from openai_server import OpenAIServer, answer
from recorded_runs import model, record_game, run_script
from scripts import KEY, ROOT, run, told

from stratagym.benchmarks.advgame import __main__ as advgame
from stratagym.benchmarks.harness import cli, locks, workers
from stratagym.benchmarks.harness.commands import commands

SCRIPTS = sorted(commands())
WORK = (
    "advgame.__main__.balance_of", "compile.first_use.compiled", "compile.first_use.measured",
    "ludo_spots.__main__.ask_kernel", "ludo_spots.__main__.ask_all", "ludo_spots.generate.generate",
    "model_requests.requests.measure", "planning.tasks.generated", "planning.tasks.published",
    "search.__main__.time_mcts", "taxonomy.kinds.measure",
    "throughput.__main__.measure", "train_ppo.run.train", "train_ppo.throughput.measure",
    "tune.setup.divided",
)  # fmt: skip
"""What takes long where no matches are played."""


@cache
def printed(script: str) -> str:
    """What ``--help`` prints below the options."""
    return run(script, "--help").stdout.partition("\nExamples:\n")[2]


def examples(script: str) -> list[str]:
    """Its command lines, put together again: read without laying out the help of every script."""
    app = importlib.import_module(f"stratagym.benchmarks.{script}.__main__").APP
    text = str(app.help_epilogue).replace(" \\\n", " ")
    found = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in found if line.startswith("python -m ")]


EXAMPLES = [(script, line) for script in SCRIPTS for line in examples(script)]


def test_every_script_has_examples():
    assert {script for script, _ in EXAMPLES} == set(SCRIPTS)
    for script, line in EXAMPLES:
        assert line.split()[:3] == ["python", "-m", f"benchmarks.{script}"]
        assert line in " ".join(printed(script).replace("\\\n", " ").split())


def test_words_that_stand_for_something_are_explained():
    for script, line in EXAMPLES:
        for word in re.findall(r"(?<![\w-])[A-Z][A-Z_\d]*(?![\w-])", line):
            assert f"{word}: {cli.PLACES[word]}" in " ".join(printed(script).split()), (line, word)


class _Begun(BaseException):
    """A script's work has begun: what it needs is there, and what it was asked makes sense."""


def _begins(*_: object, **__: object) -> None:
    raise _Begun


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """An empty folder with what the examples name, and work that ends when it has begun.

    Of matches the first is played.
    """
    monkeypatch.chdir(tmp_path)
    for variable in ("STRATAGYM_TEST_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    play = workers.MatchRunner.play

    def first(self, items, *more):
        play(self, items[:1])
        raise _Begun

    monkeypatch.setattr(workers.MatchRunner, "play", first)
    for name in WORK:
        if not name.startswith("train") or importlib.util.find_spec("torch") is not None:
            monkeypatch.setattr(f"stratagym.benchmarks.{name}", _begins)
    yield tmp_path
    locks.release_all()


def record_runs(folder: Path) -> None:
    """``RUN`` and ``OTHER_RUN``: games of a model and others, won, lost and forfeited."""
    silent = model(lambda messages: "I would rather not.")
    for name in ("RUN", "OTHER_RUN"):
        for k, game in enumerate(("gomoku", "chess", "chess")):
            seats = [silent, "random"] if k else ["random", "heuristic"]
            record_game(folder / name, game, seats, k, name=f"{game}/{k}", invalid="forfeit")


@pytest.fixture(scope="module")
def plans(tmp_path_factory) -> Path:
    """A run that can be compared with itself."""
    folder = tmp_path_factory.mktemp("plans")
    run_script(advgame, "--game", "battle_card", "--policies", "random", "--opponents", "random",
               "--rounds", 2, "--output", folder)  # fmt: skip
    return folder


def ended(script: str, words: list[str]) -> tuple[int, str]:
    """A script's exit code, and what it says of it; 0 where its work has begun."""
    module, said = importlib.import_module(f"stratagym.benchmarks.{script}.__main__"), io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        try:
            cli.run(module.APP, words)
        except _Begun:
            return 0, "begun"
        except SystemExit as end:
            return int(end.code or 0), said.getvalue() if end.code else "done"
    return 0, "done"


@pytest.mark.parametrize(("script", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_runs_as_it_stands(script, line, here, plans, monkeypatch):
    words = shlex.split(line)[3:]
    if script in ("replay", "audit", "export") or words[:1] == ["trajectories"]:
        record_runs(here)
    elif words[:1] == ["compare"]:
        for name in ("RUN", "OTHER_RUN"):
            shutil.copytree(plans, here / name)
    before = set(here.rglob("*"))
    terminal = io.StringIO("quit\n")
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stdin", terminal)
    with OpenAIServer(lambda body, nth: answer("yes")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        words = [server.base_url if word == "URL" else word for word in words]
        status, said = ended(script, words)
    if status == 0:
        done = script in ("replay", "audit", "export", "play")
        done = done or words[:1] in (["compare"], ["findings"], ["trajectories"])
        assert said == ("done" if done else "begun")
        return
    if "apt-get install" in said or "--no-deps" in said:
        pytest.skip(said.strip())  # what no extra brings
    if words[:1] == ["reinforce"]:  # takes hours to make the run that it goes on from
        assert status == 2 and ": RUN/" in said and len(said.splitlines()) == 1, said
        return
    # Then it lacks an extra that the help names, and it says so before it does anything.
    (needed,) = re.findall(r"Needs .*(pip install '\S+')", printed(script))
    assert status == 2 and needed in said and len(said.splitlines()) == 1, said
    assert set(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("script", "line", "package"),
    [
        ("search", "", "pyspiel"),
        ("export", "RUN --format table --output a.parquet", "pyarrow"),
        ("train_ppo", "--game tictactoe", "stable_baselines3"),
        ("train_ppo", "throughput", "stable_baselines3"),
        ("model_requests", "", "openai"),
        ("tournament", "--policies random,llm:m", "aiohttp"),
    ],
)
def test_an_extra_that_is_missing_is_named_before_anything_is_done(
    script, line, package, here, monkeypatch
):
    if script == "export":
        (here / "RUN").mkdir()
        (here / "RUN" / "games.jsonl").write_text("a run that takes minutes to read")
    before = set(here.rglob("*"))
    for name in [one for one in sys.modules if one.partition(".")[0] == package] + [package]:
        monkeypatch.setitem(sys.modules, name, None)
    status, said = ended(script, line.split())
    assert status == 2 and len(said.splitlines()) == 1, said
    (needed,) = re.findall(r"pip install ['\"](\S+)['\"]", said)
    assert f"pip install '{needed}'" in printed(script)
    assert set(here.rglob("*")) == before


@pytest.mark.parametrize("module", ["golden", "ptx"])
def test_programs_for_authors_of_games_run_without_a_warning(module, tmp_path):
    program = [sys.executable, "-W", "error", "-m", f"stratagym.testing.{module}"]
    arguments = ["--folder", tmp_path, "tictactoe"] if module == "golden" else ["tictactoe"]
    done = subprocess.run([*program, *arguments], cwd=ROOT, capture_output=True, text=True)
    if module == "ptx" and done.returncode == 2:
        assert (
            "pip install 'numba-cuda[cu12]'" in done.stderr and len(done.stderr.splitlines()) == 1
        )
        return
    assert (done.returncode, told(done.stderr)) == (0, [])
    assert module == "ptx" or (tmp_path / "tictactoe.txt").read_text().startswith("game = ticta")
