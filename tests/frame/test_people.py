"""What those see who install the package, type check against it and call its commands."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import metadata, version
from pathlib import Path

import pytest
import rich.console
from scripts import ROOT, run, wait_until

import stratagym
from stratagym.benchmarks.harness import commands, progress

FLOORS = ("envs", "agents", "wrappers", "benchmarks")
SCRIPTS = sorted(path.parent.name for path in (ROOT / "benchmarks").glob("*/__main__.py"))


def python(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300
    )


# --- the list of commands ------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["stratagym", "benchmarks"])
def test_without_arguments_the_commands_are_listed(package):
    done = python("-m", package)
    assert done.returncode == 0
    for name in SCRIPTS:
        assert re.search(rf"^  {name} +\w.{{10,}}$", done.stdout, re.MULTILINE), name


def test_no_command_is_listed_twice():
    listed = re.findall(r"^  (\w+) ", commands.overview("a", "b"), re.MULTILINE)
    assert sorted(listed) == SCRIPTS


@pytest.mark.parametrize("package", ["stratagym", "benchmarks"])
def test_version(package):
    assert python("-m", package, "--version").stdout == f"stratagym {version('stratagym')}\n"
    assert stratagym.__version__ == version("stratagym")


def test_a_command_runs_by_its_name_anywhere(tmp_path):
    done = python("-m", "stratagym", "duel", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"stratagym {version('stratagym')}\n")
    done = python("-m", "stratagym", "chess", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "tournament" in done.stderr


def test_the_list_imports_no_game():
    code = (
        "import sys; from stratagym.benchmarks.harness.commands import main; main('a', 'b', []);"
        "sys.exit('numba' in sys.modules or 'stratagym.envs' in sys.modules)"
    )
    assert python("-c", code).returncode == 0


# --- types ---------------------------------------------------------------------------------------

USER = """
from stratagym import __version__, envs

env = envs.make("ludo", players=2)
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination or truncation else env.action_space(agent).sample(
        info["action_mask"]
    )
    env.step(action)
reveal_type(__version__)
reveal_type(env)
reveal_type(agent)
reveal_type(env.last)
reveal_type(env.last())
reveal_type(observation)
reveal_type(action)
reveal_type(env.step)
"""


@pytest.mark.slow
def test_a_users_script_passes_mypy_and_sees_no_any(tmp_path):
    """In the installation at hand, the editable one included."""
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    done = python("-m", "mypy", "--strict", "user.py", cwd=tmp_path)
    revealed = re.findall('Revealed type is "(.*)"', done.stdout)
    assert done.returncode == 0, done.stdout
    assert len(revealed) == 8 and revealed[:3] == ["str", "stratagym.envs.aec.GameEnv", "str"]
    assert not [kind for kind in revealed if re.search(r"\bAny\b", kind)]


# --- what the package index gets -----------------------------------------------------------------


def test_the_index_page_has_links_that_lead_there_from_anywhere():
    found = metadata("stratagym")
    targets = re.findall(r"\]\(([^)\s]+)\)", found.get_payload() or found["Description"])
    assert len(targets) > 10
    (address,) = [
        url.partition(", ")[2]
        for url in found.get_all("Project-URL")
        if url.startswith("Repository, ")
    ]
    own = [target for target in targets if target.startswith(address)]
    assert [target for target in own if target.endswith(".png")]
    for target in targets:
        assert re.match("https?:", target), target
    for target in own:
        path = re.sub(f"{address}/(raw|blob)/main/", "", target)
        assert (ROOT / path.partition("#")[0]).exists(), target


@pytest.mark.slow
def test_the_source_distribution_has_the_documentation_and_the_tests(tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})"
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(
        ["git", "ls-files", "docs", "tests", "envs", "benchmarks", "package"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    if tracked.returncode == 0:
        assert set(tracked.stdout.split()) <= names
    assert {"mkdocs.yml", "CHANGELOG.md", "docs/images/ludo.png", "tests/conftest.py"} <= names
    assert not [name for name in names if name.startswith((".editable", "results"))]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A folder with what is in the wheel, built from a copy of the sources."""
    pytest.importorskip("setuptools", minversion="77")
    work = tmp_path_factory.mktemp("wheel")
    copy = work / "source"
    leave = shutil.ignore_patterns("__pycache__")
    for folder in (*FLOORS, "package", "tests/testing"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=leave)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(work)!r})"
    done = python("-c", code, cwd=copy)
    assert done.returncode == 0, done.stderr
    (path,) = work.glob("*.whl")
    zipfile.ZipFile(path).extractall(work / "site")
    return work / "site"


def test_the_wheel_has_every_file_of_the_floors(wheel):
    there = {
        path.relative_to(ROOT)
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and "verifiers_plugin" not in path.parts
    }
    assert len(there) > 400
    missing = {path for path in there if not (wheel / "stratagym" / path).is_file()}
    assert not missing


IN_THE_WHEEL = """
import sys
from importlib.resources import files
import stratagym
from stratagym.agents.ladders import ladder_of
from stratagym.benchmarks.harness import commands, spots
from stratagym.benchmarks.throughput import native
assert stratagym.__file__.startswith(sys.argv[1]), stratagym.__file__
assert len(spots.load_spots()[0]) > 500
assert {path.suffix for path in native.DRIVERS.iterdir()} == {".c", ".cc"}
assert (files("stratagym.benchmarks.replaying") / "data/replay.js").read_text()
assert ladder_of("chess").calibration
names = sorted(commands.commands())
print(*names)
for name in names:
    try:
        commands.main("stratagym", "stratagym ", [name, "--help"])
    except SystemExit as ended:
        assert not ended.code, name
"""


def test_every_command_of_the_wheel_answers_and_finds_its_data(wheel, tmp_path):
    """Outside the repository, all in one process."""
    done = subprocess.run(
        [sys.executable, "-c", IN_THE_WHEEL, str(wheel)],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(wheel)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names, _, helps = done.stdout.partition("\n")
    assert names.split() == SCRIPTS
    for name in SCRIPTS:
        assert f"Usage: python -m benchmarks.{name} " in helps, name


# --- help ----------------------------------------------------------------------------------------

OWN, COMMON = "Options", ["Talk", "Games and prompts", "Models", "Execution"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_help(name):
    done = run(name, "--help")
    assert done.returncode == 0
    text = done.stdout
    titles = re.findall(r"^╭─ (.+?) ─+╮$", text, re.MULTILINE)
    own = [title for title in titles if title not in ("Commands", "Arguments")]
    assert own == [title for title in (OWN, *COMMON) if title in own] and own[0] == OWN
    # Lines are as full as words allow: sentences are not broken where the source breaks them.
    assert f"python -m benchmarks.{name}" in text.partition("\nExamples:\n")[2]
    # One word for each thing: a game, games separated by commas, or a number of games.
    options = dict(re.findall(r"(--[a-z-]+) ([A-Z]+)\b", text))
    assert "--boards" not in options and "--policy" not in options
    assert options.get("--games", "INT") == "INT" and options.get("--game", "STR") == "STR"


def test_help_is_as_wide_as_the_terminal_is_now(monkeypatch):
    for columns in (200, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, run("ludo_spots", "--help").stdout.splitlines())) == columns


def test_sentences_in_help_are_not_broken():
    said = run("ludo_spots", "--help").stdout
    panel = said.partition("╭─ Options")[2].partition("╰")[0]
    cells = [line.strip("│").strip() for line in panel.splitlines()[1:]]
    text = " ".join(re.sub(r"^(--[a-z-]+ ?([A-Z]+)? +)+", "", cell) for cell in cells)
    assert "llm, llm:MODEL. [default: random,heuristic,gt]" in text
    first = next(cell for cell in cells if "Policies, separated" in cell)
    assert first.endswith("heuristic,")


@pytest.mark.parametrize(
    ("script", "former"),
    [
        ("board_solvers", ("--boards", "shogi")),
        ("search", ("--boards=shogi",)),
        ("throughput", ("--games", "shogi")),
        ("tournament", ("--policy", "shogi,gone")),
        ("replay", ("nowhere", "--boards", "shogi")),
        ("ludo_spots", ("generate", "--output", "x", "--boards", "0")),
    ],
)
def test_words_of_version_0_1_are_still_read(script, former):
    done = run(script, *former)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert "shogi" in line or "--per-category 0" in line
    assert "unknown option" not in line.lower()


# --- progress ------------------------------------------------------------------------------------


def test_progress_is_told_in_lines_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS", 0.01)
    with progress.progress_bar() as bar:
        task = bar.add_task("[red]games", total=3)
        bar.advance(task)
        told: list[str] = []
        wait_until(lambda: told.append(capsys.readouterr().err) or "1 of 3" in "".join(told))
        bar.update(task, completed=3)
    lines = ("".join(told) + capsys.readouterr().err).splitlines()
    assert lines[-1].startswith("[red]games: 3 of 3, ") and "left" not in lines[-1]
    assert len({line.partition(",")[0] for line in lines}) == len(lines)


def test_a_stage_is_told(capsys, monkeypatch):
    with progress.stage("drawing"):
        assert capsys.readouterr().err == "drawing ...\n"
    file = io.StringIO()
    console = rich.console.Console(file=file, force_terminal=True)
    monkeypatch.setattr(progress, "Screen", lambda stderr: console)
    with progress.stage("drawing"):
        pass
    assert "drawing ..." in file.getvalue()
