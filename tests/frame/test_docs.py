"""The documentation: it builds, its code runs and prints what it says, its options exist."""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import notebooks
import pytest
from ours import our_games
from pages import FENCE, TITLE, read
from scripts import ROOT, run

from stratagym import envs
from stratagym.agents.core import FACTORIES
from stratagym.envs import games

DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))
PAGES += ["CONTRIBUTING.md", "README.md"]
BENCHMARKS = sorted(
    path.parent.name
    for path in (ROOT / "benchmarks").glob("*/__main__.py")
    if "\nAPP = cli.app(" in path.read_text(encoding="utf-8")
)
DOCUMENTED = [name for name in BENCHMARKS if name != "play"]
SUBCOMMANDS = {
    "ludo_spots": "generate", "train_ppo": "throughput", "anchored_levels": "calibrate",
    "botzone": "findings", "advgame": "balance", "tune": "reinforce", "dsgbench": "trajectories",
}  # fmt: skip
PAGE_OF = {
    "train_ppo": "tutorials/train_ppo", "tune": "tutorials/tune",
    "botzone": "benchmarks/botzonebench", "compile": "performance",
}  # fmt: skip
"""Where a benchmark's page is not called as the benchmark."""
AUTHORS_SPOTS = "PATH_TO_AUTHORS_SPOTS"

NEEDS = re.compile(r"^<!-- needs (package|game) (\w+): (.*?) -->$", re.MULTILINE)
"""A page's code is skipped, with the reason given, where what it needs is not there."""


def python_blocks(text: str) -> list[tuple[int, str, str | None]]:
    """(line, code, what it prints) of every ```python block that is no file with a title.

    What a block prints is the ```text block right below it, where there is one.
    """
    blocks: list[tuple[int, str, str | None]] = []
    end = -1
    for fence in FENCE.finditer(text):
        language, info, content = fence.groups()
        if language == "python" and not TITLE.search(info):
            blocks.append((text.count("\n", 0, fence.start()) + 2, content, None))
        elif language == "text" and blocks and not text[end : fence.start()].strip():
            line, code, printed = blocks[-1]
            if printed is None:
                blocks[-1] = (line, code, content)
        end = fence.end()
    return blocks


def run_blocks(page: str, text: str) -> list[tuple[int, str | None, str]]:
    """(line, what the page says is printed, what is) after running all blocks in one namespace."""
    names: dict[str, object] = {"__name__": "documentation"}
    results = []
    for line, code, said in python_blocks(text):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            # Padded, so that a traceback names the page's own line.
            exec(compile("\n" * (line - 1) + code, page, "exec"), names)
        results.append((line, said, out.getvalue()))
    return results


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(read(page))])
def test_code_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch, request):
    text = read(page)
    for kind, name, reason in NEEDS.findall(text):
        if kind == "package":
            pytest.importorskip(name, reason=reason)
        elif name not in games():
            pytest.skip(reason)
    if any(AUTHORS_SPOTS in code for _, code, _ in python_blocks(text)):
        folder = request.getfixturevalue("shared_data") / "ludobench"
        text = text.replace(AUTHORS_SPOTS, str(folder))
    monkeypatch.chdir(tmp_path)
    for line, said, printed in run_blocks(page, text):
        if said is not None:
            assert printed == said, f"{page}, line {line}"


# --- options -------------------------------------------------------------------------------------


@cache
def options_of(*command: str) -> frozenset[str]:
    """The ``--options`` that a benchmark's ``--help`` names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        done = run(*command, "--help")
    assert done.returncode == 0, done.stderr
    return frozenset(re.findall(r"--[a-z][a-z-]*", done.stdout))


def inline_options(page: str) -> set[str]:
    """Options in the page's inline code, whole command lines left out."""
    inline = " ".join(re.findall(r"`(--[^`\n]*)`", FENCE.sub("", read(page))))
    return set(re.findall(r"--[a-z][a-z-]*", inline))


def command_lines(text: str) -> list[str]:
    """Every line of a shell block or of inline code that calls a benchmark, backslashes joined."""
    code = [content for language, _, content in FENCE.findall(text) if language in ("bash", "sh")]
    code += re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    lines = "\n".join(code).replace("\\\n", " ").splitlines()
    return [line for line in lines if re.search(r"-m (stratagym\.)?benchmarks\.\w", line)]


@pytest.mark.parametrize("page", PAGES)
def test_command_lines_name_options_that_exist(page):
    for line in command_lines(read(page)):
        for name, rest in re.findall(r"benchmarks\.(\w+)([^|;&]*)", line):
            words = rest.split()
            command = (name, *words[:1]) if words[:1] == [SUBCOMMANDS.get(name)] else (name,)
            given = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert given <= options_of(*command) | {"--help"}, line


MODEL_OPTIONS = "docs/language_models.md"


def all_options(name: str) -> set[str]:
    """The options of a script and its subcommand."""
    known = options_of(name)
    return known | options_of(name, SUBCOMMANDS[name]) if name in SUBCOMMANDS else known


@pytest.mark.parametrize("name", DOCUMENTED)
def test_benchmark_pages_name_all_options_and_no_others(name):
    """In inline code; those of language models may stand on their own page."""
    page = f"docs/{PAGE_OF.get(name, f'benchmarks/{name}')}.md"
    named, models = inline_options(page), inline_options(MODEL_OPTIONS)
    known = all_options(name)
    assert named <= known | {"--help"}
    opposites = {option for option in known if option.startswith("--no-")}
    assert known - models - opposites - {"--help", "--version"} <= named


@pytest.mark.parametrize("page", PAGES)
def test_options_in_the_text_exist_somewhere(page):
    assert inline_options(page) <= set().union(*map(all_options, BENCHMARKS))


def test_every_policy_is_in_the_table():
    table = read("docs/index.md").partition("\n## Policies\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)", table, re.MULTILINE)) == set(FACTORIES)


# --- records -------------------------------------------------------------------------------------


def documented_fields(file: str) -> set[str]:
    """The names in the first column of a table in docs/records.md."""
    section = read("docs/records.md").partition(f"\n## {file}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def run_benchmark(name: str, *arguments: str) -> None:
    result = run(name, *arguments)
    assert result.returncode == 0, result.stderr


def test_records_are_documented_field_by_field(tmp_path):
    folders = [tmp_path / name for name in ("spots", "arena", "cup", "levels", "teams", "table")]
    spots, arena, cup, levels, teams, table = folders
    run_benchmark("ludo_spots", "--policies", "random,gt", "--output", str(spots), "--categories",
                  "capture", "--head-to-head", "2")  # fmt: skip
    run_benchmark("ludo_arena", "--policies", "random,gt", "--output", str(arena), "--games", "2",
                  "--players", "2")  # fmt: skip
    run_benchmark("tournament", "--game", "tictactoe", "--policies", "random,mcts:2",
                  "--games", "2", "--output", str(cup))  # fmt: skip
    run_benchmark("anchored_levels", "--game", "tictactoe", "--policies", "random", "--games", "8",
                  "--output", str(levels))  # fmt: skip
    run_benchmark("hanabi_teams", "--policies", "random", "--teammates", "rule:simple", "--players",
                  "2", "--games", "1", "--output", str(teams))  # fmt: skip
    run_benchmark("table", "--policies", "random,heuristic", "--rules", "players=3", "--games", "3",
                  "--forfeit", "stand-in:mcts:2", "--output", str(table))  # fmt: skip
    for file, folder in (("decisions.jsonl", spots), ("games.jsonl", arena), ("games.jsonl", cup)):
        for line in (folder / file).read_text(encoding="utf-8").splitlines():
            assert set(json.loads(line)) == documented_fields(file), file
    configs = [json.loads((folder / "config.json").read_text()) for folder in folders]
    assert set().union(*configs) == documented_fields("config.json")
    section = read("docs/records.md").partition("\n## summary.json\n")[2]
    named = set(re.findall(r"`(\w+)`", section))
    for folder in (spots, arena, cup, table):
        summary = json.loads((folder / "summary.json").read_text())
        assert set(summary) <= named
        for pairing in summary.get("pairings", []):
            process = pairing.get("process", {"one": {}})
            assert set(pairing) | set(process["one"]) <= named
        for row in summary.get("tables", []):
            assert set(row).union(*row["standings"].values()) <= named


def test_metrics_of_the_spots_are_documented(tmp_path):
    run_benchmark("ludo_spots", "--policies", "random", "--output", str(tmp_path / "run"),
                  "--head-to-head", "0")  # fmt: skip
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    metrics = summary["policies"]["random"]["none"]["grudge_paired"]
    page = read("docs/benchmarks/ludo_spots.md").partition("\n## The metrics\n")[2]
    assert set(metrics) - {"kinds", "reasons"} <= set(re.findall(r"`(\w+)`", page))


# --- the site ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(once) -> Path:
    """The documentation, built as strictly as mkdocs can: links and anchors included."""
    if not all(map(importlib.util.find_spec, ("mkdocs", "mkdocstrings"))):
        pytest.skip("mkdocs with mkdocstrings is not installed: pip install 'stratagym[docs]'")

    def build(folder: Path) -> None:
        # Not --quiet: then warnings are neither printed nor counted.
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
            cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    return once("site", build)


def test_site_has_a_page_for_every_game(site):
    from stratagym import envs

    for name in our_games():
        page = (site / "games" / f"{name}.html").read_text(encoding="utf-8")
        assert f"stratagym/{name}-v{envs.spec(name).version}" in page
        for option in envs.spec(name).options:
            assert f"<code>{option}</code>" in page
        assert (site / "games" / f"{name}.png").stat().st_size > 1000
        assert (site / "games" / f"{name}-small.png").stat().st_size > 500
        assert f"{name}-small.png" in (site / "games" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("envs", ("make", "aec.GameEnv.last", "core.play_at", "text.TextGame.submit")),
        ("agents", ("core.make_policy", "core.decision_for", "llm.LanguageModel")),
        ("wrappers", ("single_agent.SingleAgentEnv.step", "dialogue.Dialogue.answer")),
        ("testing", ("contract.contract", "positions.position")),
    ],
)
def test_api_reference_is_made_from_docstrings(site, page, names):
    text = (site / "api" / f"{page}.html").read_text(encoding="utf-8")
    for name in names:
        assert f'id="stratagym.{page}.{name}"' in text


def test_the_site_groups_games_and_benchmarks_and_has_the_notebook(site):
    start = (site / "index.html").read_text(encoding="utf-8")
    menu = start.partition('<nav class="md-nav md-nav--primary"')[2].partition("</nav>\n</div>")[0]
    order = [menu.index(f'href="benchmarks/{page}.html"') for page in (
        "ludo_spots", "table", "export", "replay", "throughput")]  # fmt: skip
    assert order == sorted(order)
    for group in ("Evaluate", "Train", "Inspect", "Measure", "Board games", "Sealed plans"):
        assert group in menu
    for name in our_games():
        assert f'href="games/{name}.html"' in menu
    page = (site / "tutorials" / "notebook.html").read_text(encoding="utf-8")
    held = notebooks.cells(DOCS / "tutorials" / "notebook.ipynb")
    outputs = [output for cell in held for output in cell.get("outputs", ())]
    pictures = [output for output in outputs if "image/png" in output.get("data", ())]
    assert len(pictures) == 3 and page.count('src="notebook-') == 3
    for k, output in enumerate(pictures, 1):
        kept = base64.b64decode("".join(output["data"]["image/png"]))
        assert (site / "tutorials" / f"notebook-{k}.png").read_bytes() == kept
    assert "21 steps, 548 games over" in page


def test_site_needs_no_network(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|link|img|iframe)\b[^>]* (?:src|href)="?([^"\s>]+)', text)
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], page


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)", FENCE.sub("", read(page))):
        if not re.match(r"[a-z]+:", target):
            assert (ROOT / page).parent.joinpath(target).exists(), target


# --- the notebook --------------------------------------------------------------------------------


def test_the_notebook_runs_and_shows_what_it_holds():
    path = DOCS / "tutorials" / "notebook.ipynb"
    held = [cell["outputs"] for cell in notebooks.cells(path) if cell["cell_type"] == "code"]
    shown = notebooks.run(path)
    assert len(shown) == len(held) > 4
    for now, before in zip(shown, held, strict=True):
        printed = [output["text"] for output in now if "text" in output]
        assert printed == ["".join(output["text"]) for output in before if "text" in output]
        kinds = [set(output["data"]) for output in now if "data" in output]
        assert kinds == [set(output["data"]) for output in before if "data" in output]
    pictures = [output for one in shown for output in one if "image/png" in output.get("data", ())]
    assert len(pictures) == 3


# --- choosing ------------------------------------------------------------------------------------


def test_the_page_that_helps_choosing_names_every_game_and_benchmark():
    page = read("docs/choosing.md")
    for name in our_games():
        assert f"](games/{name}.md)" in page
    for path in (DOCS / "benchmarks").glob("*.md"):
        assert f"](benchmarks/{path.name})" in page


def test_the_results_are_of_every_game_and_say_how_they_were_made():
    page = read("docs/results.md")
    for name in our_games():
        part = page.partition(f"\n## {envs.spec(name).title}\n")[2].partition("\n## ")[0]
        assert "python -m benchmarks." in part and "`random`" in part
        assert re.search(r"\d \[-?\d.*\d\] \|", part)
