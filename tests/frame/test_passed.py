"""What is left out because it passed: what it depends on, and that a change brings it back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import passed
import pytest
from scripts import ROOT, TESTS

TOY = {
    "pyproject.toml": 'dependencies = [\n  "numpy>=1",\n]\noracles = ["chess>=1"]\n'
    'test = ["ruff"]\n'
    '[tool.pytest.ini_options]\npythonpath = ["tests"]\naddopts = "--import-mode=importlib -rs"\n'
    'markers = ["oracle: of others"]\n',
    "envs/__init__.py": "from stratagym.envs.registry import spec\n",
    "envs/registry.py": "def spec(): ...\n",
    "envs/core.py": "import stratagym.envs.bits as bits\n",
    "envs/bits.py": "",
    "envs/aec.py": "",
    "envs/chess/rules.py": "",
    "envs/toy/__init__.py": "from stratagym.envs.facts import GameSpec\n",
    "envs/facts.py": "class GameSpec: ...\n",
    "envs/toy/rules.py": "def f():\n    from . import tables\n",
    "envs/toy/tables.py": "",
    "envs/toy/data/book.json": "{}",
    "agents/games/toy.py": "from stratagym.agents.mcts import search\n",
    "agents/mcts.py": "def search(): ...\n",
    "agents/loops.py": "",
    "tests/helper.py": "from stratagym.envs import core\n",
    "tests/other.py": "words = 1\n",
    "tests/conftest.py": 'pytest_plugins = ["passed"]\n',
    "tests/testing/__init__.py": "from stratagym.testing.oracles import same\n"
    "from stratagym.testing.contract import checks\n",
    "tests/testing/oracles.py": "def same(): ...\n",
    "tests/testing/contract.py": "def checks(): ...\n",
    "tests/games/toy/test_toy.py": "def use():\n    from stratagym.testing import same\n"
    "    from stratagym.envs import spec\n    from helper import core\nimport pytest\n\n"
    "@pytest.mark.oracle\ndef test_as_others_have_it(): ...\n\ndef test_alone(): ...\n",
    "tests/games/toy/test_words.py": "from other import words\n",
}
"""A game whose oracle takes in most of this."""
APART = {
    "envs/aec.py", "envs/chess/rules.py", "agents/loops.py", "tests/other.py", "tests/conftest.py",
    "tests/testing/contract.py", "tests/games/toy/test_words.py",
}  # fmt: skip


@pytest.fixture
def project(tmp_path) -> Path:
    for name, text in TOY.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / ".ci").mkdir()
    shutil.copy(TESTS / "passed.py", tmp_path / "tests")
    return tmp_path


def test_a_change_of_what_an_oracle_depends_on_brings_it_back(project):
    assert passed.oracles(project) == passed.changed("oracles", root=project) == ["toy"]
    passed.record("oracles", ["toy"], project)
    assert passed.changed("oracles", root=project) == []
    files = {path.relative_to(project).as_posix() for path in passed.oracle_files("toy", project)}
    assert files == set(TOY) - APART - {"pyproject.toml"}
    for name, text in TOY.items():
        (project / name).write_text(f"{text}\n")
        passed._imports.cache_clear()
        back = ["toy"] if name in files else []
        assert passed.changed("oracles", root=project) == back, name
        (project / name).write_text(text)
    for old, back in (("chess>=1", ["toy"]), ("numpy>=1", ["toy"]), ("ruff", [])):
        (project / "pyproject.toml").write_text(TOY["pyproject.toml"].replace(old, f"{old}2"))
        assert passed.changed("oracles", root=project) == back, old


def python(project: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=project, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTEST_ADDOPTS": "", **variables},
    )  # fmt: skip


def test_only_with_the_variable_are_oracles_left_out(project):
    assert python(project, "tests/passed.py", "all", "oracles").stdout == "toy\n"
    assert python(project, "tests/passed.py", "changed", "oracles").stdout == "toy\n"
    words = ("-m", "pytest", "-p", "no:cacheprovider", "tests")
    wanted = {passed.VARIABLE: "changed"}
    assert "2 passed" in python(project, *words, **wanted).stdout
    assert python(project, "tests/passed.py", "record", "oracles", "toy").returncode == 0
    assert python(project, "tests/passed.py", "changed", "oracles").stdout == ""
    assert python(project, "tests/passed.py", "unchanged", "oracles").stdout == "toy\n"
    said = python(project, *words, **wanted).stdout
    assert "1 passed, 1 skipped" in said
    assert "nothing that the oracles of toy depend on has changed after they passed" in said
    assert "2 passed" in python(project, *words, **{passed.VARIABLE: ""}).stdout
    (project / "envs/toy/rules.py").write_text("STONES = 3\n")
    assert "2 passed" in python(project, *words, **wanted).stdout
    done = python(project, "tests/passed.py", "changed", "oracles", "checkers")
    assert done.returncode == 2 and "unknown name 'checkers'; the oracles are: toy" in done.stderr


def test_what_is_recorded_is_there():
    """Neither a game nor a framework that has gone, nor a file that is named wrongly."""
    for kind, (_, known) in passed.KINDS.items():
        path = ROOT / ".ci" / f"{kind}-passed"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        assert {line.split()[0] for line in lines} <= set(known(ROOT))
        assert all(len(line.split()[1]) == 16 for line in lines)
    assert all((ROOT / path).exists() for path in passed.OF_FRAMEWORKS)
    assert len(passed.oracles()) > 10


def test_a_games_oracles_depend_on_its_rules_and_on_the_core():
    for game in passed.oracles():
        files = {path.relative_to(ROOT).as_posix() for path in passed.oracle_files(game)}
        assert {f"envs/{game}/rules.py", "envs/core.py"} <= files
        assert "envs/ludo/rules.py" not in files


def test_every_framework_has_its_place_in_the_script():
    """A test of a framework that ``.ci/frameworks`` does not know would end the merge check."""
    script = (ROOT / ".ci" / "frameworks").read_text()
    (apart,) = re.findall(r"^apart=\((.*)\)$", script, re.MULTILINE)
    assert sorted(apart.split()) == passed.frameworks(ROOT)
    for path in ROOT.glob("tests/frameworks/test_*.py"):
        name = path.stem.removeprefix("test_")
        assert name in apart.split() or f"tests/frameworks/{path.name}" in script
