"""The tutorial's game with talk: its length, the contract, its page, a table and its replay."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import files_in, read
from scripts import ROOT, lines

PAGE = "docs/tutorials/public_goods.md"
PACKAGE = "stratagym_public_goods"


@pytest.fixture(scope="module")
def site(once) -> Path:
    """A folder with the page's package installed in it, by pip and from nothing but its source."""

    def install(work: Path) -> None:
        for path, content in files_in(read(PAGE)).items():
            (work / "source" / path).parent.mkdir(parents=True, exist_ok=True)
            (work / "source" / path).write_text(content, encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
             "--no-build-isolation", "--target", work / "site", work / "source"],
            check=True,
        )  # fmt: skip

    return once("public-goods", install) / "site"


def python(*arguments: object, path: Path) -> str:
    """What an interpreter that finds ``path`` prints; fails with it if it fails."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=900, check=False,
        env={**os.environ, "PYTHONPATH": str(path), "PYTEST_ADDOPTS": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_has_less_than_200_lines():
    files = {path: text for path, text in files_in(read(PAGE)).items() if path.startswith(PACKAGE)}
    assert len(files) == 4
    assert 0 < sum(text.count("\n") for text in files.values()) < 200


@pytest.mark.slow
def test_the_game_keeps_the_contract(site):
    code = (
        "import json\nfrom stratagym.testing import contract\n"
        "print('\\n' + json.dumps(contract('public_goods')))"
    )
    left_out = dict(json.loads(python("-c", code, path=site).splitlines()[-1]))
    pictures = {"pettingzoo_render", "pictures_for_a_seat_show_nothing_hidden"}
    assert set(left_out) <= {"golden_playthrough", "ptx", *pictures}


@pytest.mark.slow
def test_the_page_prints_what_it_says(site):
    said = python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
        Path(__file__).parent / "test_docs.py", "-k", f"page_says and {Path(PAGE).stem}", path=site,
    )  # fmt: skip
    assert "1 passed" in said


@pytest.mark.slow
def test_it_is_played_at_a_table_and_the_replay_shows_the_talk(site, tmp_path):
    (command,) = re.findall(r"^python -m (benchmarks\.table .*)$", read(PAGE), re.MULTILINE)
    words = command.replace("--games 40", "--games 4 --workers 1").split()
    folder = tmp_path / "goods"
    words[words.index("--output") + 1] = str(folder)
    python("-m", *words, path=site)
    played = lines(folder / "games.jsonl")
    assert {record["match"].partition("/")[0] for record in played} == {"mixed", "one", "teams"}
    assert "Public goods game" in (folder / "report.html").read_text()
    number, record = next(
        (k, game) for k, game in enumerate(played, 1) if "random" in game["seats"]
    )
    shown = python("-m", "benchmarks.replay", folder, "--match", number, "--all", path=site)
    assert "the outcome is the recorded one" in shown
    announced = record["actions"][:4]
    for seat, tokens in enumerate(announced):
        assert f"Player {seat} to all: “I will give {tokens} tokens.”" in " ".join(shown.split())
    page = (folder / "replays.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    news = [" ".join(step["news"]) for step in data["games"][0]["positions"]]
    first = played[data["games"][0]["number"] - 1]["actions"][0]
    assert any(f"“I will give {first} tokens.”" in said for said in news)
