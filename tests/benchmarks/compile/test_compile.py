"""``python -m benchmarks.compile``: what it compiles is kept, and one line says that it does."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from functools import partial

import pytest
import scripts
from ours import our_games
from scripts import assert_refused

from stratagym.benchmarks.compile import first_use
from stratagym.benchmarks.reporting import marked

run = partial(scripts.run, "compile")
USE = [sys.executable, "-m", "stratagym.benchmarks.compile.first_use"]


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=() if game == "tictactoe" else pytest.mark.slow)
        for game in our_games()
    ],
)
def test_a_second_process_compiles_nothing(game):
    """In no environment, batch, search or built-in player: all kernels of the package are kept."""
    for _ in range(2):
        done = subprocess.run([*USE, game], capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        assert "for this process only" not in done.stderr
        used = first_use.Used(**json.loads(done.stdout))
        if not any(used.functions.values()):  # another test's process was the first
            break
    assert list(used.functions) == list(used.seconds) == list(first_use.USES)
    assert set(used.functions.values()) == {0}
    assert done.stderr == ""


def test_games_are_named_or_refused():
    assert_refused(run("chess,nothing"), "unknown game 'nothing'")
    assert_refused(run("tictactoe", "--page", "page.md"), "--measure")


def test_a_page_needs_a_place_for_the_table(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n")
    assert_refused(run("tictactoe", "--measure", "--page", page), "first use: begin")


def test_the_table_stands_in_the_page(monkeypatch, tmp_path):
    """The measurement itself is shortened: a process for each game takes minutes."""
    page = tmp_path / "page.md"
    page.write_text("# Page\n<!-- first use: begin -->\n<!-- first use: end -->\nBehind.\n")
    uses = list(first_use.USES)

    def measured(game: str) -> first_use.Used:
        seconds = {name: float(k) for k, name in enumerate(uses, 1)}
        return first_use.Used(game, dict.fromkeys(uses, 2), seconds)

    monkeypatch.setattr(first_use, "measured", measured)
    assert run("tictactoe", "go", "--measure", "--page", page).returncode == 0
    rows = marked.part(page.read_text(), first_use.PART).splitlines()
    assert [row.split("|")[1].strip() for row in rows[-3:]] == ["tictactoe", "go", "together"]
    assert rows[-1].split("|")[2].strip() == "2.0"
    assert page.read_text().endswith("Behind.\n")


LITTLE = """
from stratagym import envs
envs.make_state("tictactoe", 1).apply_action(0)
"""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> dict[str, str]:
    return {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("kernels"))}


def test_one_line_is_rewritten_on_a_terminal_and_taken_away(fresh):
    reader, writer = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", LITTLE], env=fresh, stderr=writer) as process:
        os.close(writer)
        said = b""
        while True:
            try:
                more = os.read(reader, 4096)
            except OSError:  # whoever wrote has gone
                break
            if not more:
                break
            said += more
    os.close(reader)
    assert process.returncode == 0
    shown = said.decode().split("\r")
    assert "\n" not in said.decode() and shown[-1] == "\x1b[K"
    first, *rest = [line.removesuffix("\x1b[K") for line in shown[1:] if line != "\x1b[K"]
    same = "stratagym: compiling tictactoe for this machine (first use only)"
    assert first == f"{same}, 1 function ..."
    assert rest and all(line.startswith(same) for line in rest), rest


def test_elsewhere_it_is_said_once_for_each_game(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", LITTLE], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.stderr == "stratagym: compiling tictactoe for this machine (first use only) ...\n"
