"""Today's scripts leave what version 0.1's left, and read what it left.

The runs and how they are kept stand in ``golden_runs.py``. A field of 0.1 may not be missing or
differ; one that is new has to be named in ``ADDED``. What ``replay`` shows of 0.1's runs was kept
anew when it came to show the position after each move.
"""

from __future__ import annotations

import io
import json
import math
import re
import runpy
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import golden_runs
import pytest
from golden_pages import page_problems, reworded, screen_problems, without_intervals
from golden_runs import RUNS, Run
from scripts import told

from stratagym.agents.core import VERSIONS
from stratagym.benchmarks.harness import workers

pytest.importorskip("openai")

TEXT_ARGUMENTS = ["--system", "merge", "--max-tokens", "512", "--reader", "1"]
"""What makes prompts, requests and readers what they were in 0.1, for scripts with prompts."""

A_MINUTE = ("board_solvers", "ludo_arena", "ludo_spots")
"""Scripts that waited for a reply so long, where the others waited five."""

FIRST_LADDERS = {
    "connect_four,tictactoe": "connect_four/ladder-v1,tictactoe",
    "tictactoe,connect_four": "tictactoe,connect_four/ladder-v1",
}
"""What names the ladders of 0.1 today: connect four has later ones, with other players."""

ADDED: dict[str, tuple[str, ...]] = {
    "config.json": ("begun",),
    "summary.json": (
        "own",
        "boards.*.own",
        "models",
        "models.*.median_latency_s",
        "games.*.levels[[]].usage.median_latency_s",
        "games.*.levels[[]].usage.failures",
        "usage.*.truncated",
        "models.*.failures",
        "pairings[[]].movers*",
        "*.repeats*",
    ),
    "games.jsonl": ("*pairing", "*round", "*seat", "*leads"),
    "decisions.jsonl": ("*failure",),
    "replay --html": (),
    "export decisions": ("*failure",),
    "export games": (),
}
"""Fields that 0.1 did not have, by file: paths such as ``pairings[].sides``, with ``*``. Those of
the configuration are looked for in the summary's ``config`` as well."""

CHANGED: dict[str, tuple[str, ...]] = {
    # Intervals of means were those of a bootstrap: of no width for one case, far too narrow for a
    # few (0.1 held the mean of two games in 48 cases of 100).
    "summary.json": (
        *(
            f"{means}.{end}"
            for means in (
                "teams[].*", "mixed[].*", "pairings[].process.*", "pairs[].margin", "pairs[].ahead",
                "boards.*.score_loss", "games.*.behaviour.*", "games.*.scores.*",
                "games.*.progress",
            )
            for end in ("low", "high")
        ),
        # Intervals of shares took games of a seed, and the two histories of a board, for cases
        # that have nothing to do with each other.
        *(
            f"{shares}.{end}"
            for shares in (
                "boards.*.wins", "boards.*.draws", "boards.*.losses", "boards.*.top_*",
                "boards.*.games_lost_by_illegal_moves", "policies.*.forfeits",
                "policies.*.overall.*", "policies.*.grudge_paired.*",
                # Where levels have unequal numbers of decided games.
                "games.*.win_rate",
            )
            for end in ("low", "high")
        ),
        # Turns in which no answer was legal counted no turn.
        "boards.*.illegal_moves_per_turn",
    ),
}  # fmt: skip
"""Figures of 0.1 that were wrong, by file, and why."""

REWORDED = (
    ("from resampling seeds, those", "over seeds; those"),
    ("from resampling", "over"),
    ("for each turn that was played", "for each turn in which the model was asked"),
)
"""(what 0.1's reports said, what they said next); what they say today: ``golden_pages.WORDS``."""

NOT_ITS_OWN = re.compile(r"^Not (.*)'s own: (.*)$")
"""How the replay of 0.1 said in the terminal that a move was not its policy's."""

CHANGED_COLUMNS = ("mean illegal answers per turn (IMT)",)
"""Headings of ``illegal_moves_per_turn`` in reports."""

LINES = ("replay --all", "replay --list")
"""Readings that are compared line by line."""

REFUSED: dict[str, str] = {}
"""Runs of 0.1 that ``--resume`` does not go on with: the name, and what the line says."""


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    for name, value in golden_runs.SURROUNDINGS.items():
        monkeypatch.setenv(name, value)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def call(script: str, arguments: list[str], where: Path) -> tuple[int, str, str]:
    """``python -m stratagym.benchmarks.<script>`` in this process, which has everything loaded."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # A script that another script has imported is run as a second module.
        warnings.filterwarnings("ignore", ".*found in sys.modules", RuntimeWarning)
        warnings.filterwarnings("ignore", "Cyclopts application invoked", UserWarning)
        patch.setattr("sys.argv", [script, *arguments])
        patch.setattr("sys.stdin", io.StringIO())
        patch.chdir(where)
        with redirect_stdout(out), redirect_stderr(err):
            try:
                name = f"stratagym.benchmarks.{script}"
                runpy.run_module(name, run_name="__main__", alter_sys=True)
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    return code, out.getvalue(), err.getvalue()


# --- comparing ---------------------------------------------------------------------------------


def differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, what) for everything that 0.1 had and today has not, or has otherwise, or is new."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            inner = f"{path}.{key}" if path else key
            if key not in new:
                yield inner, "is missing"
            elif key not in old:
                yield inner, "is new"
            elif key == "instead" and old[key]:  # 0.1's page made the sentence of it
                sentence = f"This move was not {new['policy']}'s own: {old[key]}."
                yield from differences(sentence, new[key], inner)
            else:
                yield from differences(old[key], new[key], inner)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield path, f"has {len(new)} entries, had {len(old)}"
        for one, other in zip(old, new, strict=False):
            yield from differences(one, other, path + "[]")
    elif isinstance(old, float) and isinstance(new, float):
        # Sums may be taken in another order on another machine.
        if not math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12):
            yield path, f"is {new!r}, was {old!r}"
    elif type(old) is not type(new) or old != new:
        yield path, f"is {new!r:.300}, was {old!r:.300}"


def problems(file: str, old: Any, new: Any, changed: tuple[str, ...] = ()) -> list[str]:
    """Differences but for the additions and changes that are known."""
    changed += CHANGED.get(file, ())
    added = list(ADDED.get(file, ()))
    if file == "summary.json":
        added += [f"config.{path}" for path in ADDED["config.json"]]
    found = {
        f"{file}: {path} {what}": None
        for path, what in differences(old, new)
        if not (what == "is new" and any(fnmatchcase(path, known) for known in added))
        and not (
            what.startswith("is ")
            and what[3:6] not in ("new", "mis")
            and any(_matches(path, known) for known in changed)
        )
    }
    return list(found)[:20]


def _matches(path: str, pattern: str) -> bool:
    """``fnmatchcase``, with the brackets of lists as they stand."""
    return fnmatchcase(path.replace("[]", "()"), pattern.replace("[]", "()"))


RERATED = {"swiss": {"1126": "1125", "939": "940"}}
"""Runs in which a pairing's games repeat each other, which ratings counted in full: the ratings
that 0.1 told, and what they are."""

RATINGS = (
    *(f"policies.*.{figure}" for figure in ("bradley_terry", "low", "high", "elo")),
    *(f"pairings[].*.{end}" for end in ("low", "high")),
)
"""Figures of such a run in which each different round counts once today."""


def rerated(old: str, name: str) -> str:
    """What 0.1 told of a run of this name, with its ratings as they are."""
    for was, now in RERATED.get(name, {}).items():
        old = re.sub(rf"\b{was}\b", now, old)
    return old


NO_RESULT = {
    "spots_model": "86 of 160 answers of llm:flaky were no legal move",
    "holdem_model": "23 of 32 decisions of llm:scripted were folds in place of bad answers",
}
"""Runs in which the model has no result, and why: their reports told its score. What they recorded
is compared, and what their reports and summaries have of it is not."""


def line_problems(file: str, old: str, new: str) -> list[str]:
    """Lines of 0.1 that are missing, in order, and lines that are new."""
    old = "\n".join(
        NOT_ITS_OWN.sub(r"This move was not \1's own: \2.", line) for line in old.splitlines()
    )
    before, left = ([without_intervals(line) for line in text.splitlines()] for text in (old, new))
    found = [
        f"{file}, line {k}: is {other!r:.300}, was {one!r:.300}"
        for k, (one, other) in enumerate(zip(before, left, strict=False), 1)
        if one != other
    ]
    if len(before) != len(left):
        found.append(f"{file}: has {len(left)} lines, had {len(before)}")
    return found[:20]


def corrected(old: str) -> str:
    """What 0.1 said, as it was said next."""
    for said, says in REWORDED:
        old = old.replace(said, says)
    return old


def file_problems(old: dict[str, str], new: dict[str, str], run: str = "") -> list[str]:
    """What differs between the kept files of two runs of this name."""
    changed = RATINGS if run in RERATED else ()
    if run in NO_RESULT:
        summary = json.loads(new["summary.json"])
        assert '"result": false' in json.dumps(summary["own"])
        old, new = (
            {k: v for k, v in files.items() if not k.startswith(("report", "summary"))}
            for files in (old, new)
        )
    found = [f"{name}: is missing" for name in old if name not in new]
    found += [f"{name}: is new" for name in new if name not in old]
    for name in old.keys() & new.keys():
        one, other = old[name], new[name]
        if name.endswith(".jsonl"):
            found += problems(name, golden_runs.rows(one), golden_runs.rows(other))
        elif name.endswith(".json"):
            found += problems(name, json.loads(one), json.loads(other), changed)
        else:
            said = page_problems(rerated(corrected(one), run), other, CHANGED_COLUMNS)
            found += [f"{name}: {what}" for what in said[:20]]
    return found


def test_the_comparison_sees_what_is_missing_changed_or_new():
    old = {"a": [{"x": 1, "y": 0.5}], "b": None}
    assert not problems("config.json", old, {"b": None, "a": [{"y": 0.5 + 1e-15, "x": 1}]})
    for new, said in (
        ({"a": [{"x": 1, "y": 0.5}]}, "b is missing"),
        ({"a": [{"x": 1, "y": 0.5001}], "b": None}, "a[].y is 0.5001, was 0.5"),
        ({"a": [{"x": True, "y": 0.5}], "b": None}, "a[].x is True, was 1"),
        ({"a": [{"x": 1, "y": 0.5, "z": 2}], "b": None}, "a[].z is new"),
        ({"a": [], "b": None}, "a has 0 entries, had 1"),
    ):
        assert problems("config.json", old, new) == [f"config.json: {said}"]
    assert not line_problems("replay --all", "a\nb\n", "a\nb\n")
    for lines in ("a\n", "b\na\n", "a\nb\nc\n", "a\nB\n"):
        assert line_problems("replay --all", "a\nb\n", lines)
    page = "Said.\n\n| a | b |\n|---|--:|\n| x | .50 [.40, .60] |\n\nMore.\n"
    assert not page_problems(page, page)
    wider = "| c | a | new | b |\n|---|---|---|---|\n| 1 | x | 2 | .50 |\nMore.\nOther.\nSaid.\n"
    assert not page_problems(page, wider)
    for was, now in ((".50", ".51"), ("Said", "Told"), ("| b", "| d"), ("| x", "| y")):
        assert page_problems(page, wider.replace(was, now))
        assert page_problems(page, page.replace(was, now))
    assert not screen_problems("a 1 b", "b new 1 a") and screen_problems("a 1 b", "a 2 b")


# --- the tests ---------------------------------------------------------------------------------


@pytest.fixture(params=RUNS, ids=lambda run: run.name)
def run(request) -> Run:
    return request.param


@pytest.fixture
def kept(run) -> dict[str, Any]:
    """What 0.1 left of the run."""
    return golden_runs.load(golden_runs.path_of(run.name))


COUNTED = ["--no-preflight"]
"""Where requests are counted as 0.1 counted them, which asked for no word before."""


def more(run: Run) -> list[str]:
    if run.script == "duel":
        return []
    return TEXT_ARGUMENTS + (["--timeout", "60"] if run.script in A_MINUTE else [])


def test_a_run_leaves_what_it_left(run, kept, tmp_path, monkeypatch):
    # Its players, which better ones have taken the names of; other processes would not know.
    monkeypatch.setattr("stratagym.agents.core.VERSIONS", dict.fromkeys(VERSIONS, 1))
    anywhere = workers._here
    monkeypatch.setattr(workers, "_here", lambda *given: anywhere(*given[:-1], False))
    assert kept["arguments"] == run.words(None), "recorded with other arguments"
    with golden_runs.served(run) as server:
        words = run.words(server, more(run))
        if run.script == "anchored_levels":
            words = [FIRST_LADDERS.get(word, word) for word in words]
        code, screen, err = call(run.script, words, tmp_path)
    assert code == 0, err
    files = golden_runs.files_of(tmp_path / run.name)
    found = file_problems(kept["files"], files, run.name)
    if run.name not in NO_RESULT:
        found += [
            f"screen: {x}"
            for x in screen_problems(rerated(reworded(kept["screen"]), run.name), screen)
        ]
    assert not found, "\n".join(found)


def test_an_old_run_is_read_as_it_was(run, kept, tmp_path):
    golden_runs.write(tmp_path / run.name, kept["files"])
    readings = golden_runs.readings(run, tmp_path, call)
    assert readings.keys() == kept["readings"].keys()
    found = []
    for name, old in kept["readings"].items():
        if name in LINES and isinstance(old, str):
            found += line_problems(name, old, readings[name])
        else:
            found += problems(name, old, readings[name])
    assert not found, "\n".join(found)


def test_an_old_run_is_gone_on_with_or_refused_in_one_line(run, kept, tmp_path):
    golden_runs.write(tmp_path / run.name, kept["files"])
    with golden_runs.served(run) as server:
        words = run.words(server, [*more(run), *COUNTED * run.model])
        try:
            files, requests = golden_runs.resume(run, tmp_path, words, server, call)
        except golden_runs.Refused as refused:
            (line,) = told(str(refused))
            assert run.name in REFUSED and REFUSED[run.name] in line, line
            return
    assert run.name not in REFUSED
    found = file_problems(kept["files"] | kept["resumed"], files, run.name)
    assert not found, "\n".join(found)
    assert requests == kept["requests"], "what is recorded is not asked for again"


@pytest.mark.parametrize("name", ["spots_renamed", "boards_model", "hanabi_model", "swiss_model"])
def test_an_old_run_that_was_broken_off_is_finished(name, tmp_path):
    (run,) = [run for run in RUNS if run.name == name]
    if name in REFUSED:
        pytest.skip(f"--resume refuses it: {REFUSED[name]}")
    kept = golden_runs.load(golden_runs.path_of(name))
    half, left = _half(kept["files"])
    golden_runs.write(tmp_path / name, half)
    with golden_runs.served(run) as server:
        words = run.words(server, [*more(run), *COUNTED * run.model])
        files, requests = golden_runs.resume(run, tmp_path, words, server, call)
    found = file_problems(kept["files"], files, name)
    assert not found, "\n".join(found)
    assert 0 < requests == left


def _half(files: dict[str, str]) -> tuple[dict[str, str], int]:
    """A run half way, with games begun and a torn last line; and the answers it still wants."""
    games = files.get("games.jsonl", "").splitlines(keepends=True)
    ended = games[: len(games) // 2]
    names = {json.loads(line)["match"] for line in ended}
    answers = [json.loads(line) for line in files["decisions.jsonl"].splitlines()]
    kept = [x for x in answers if x["item"] in names or not x["prompt"]]
    others = [x for x in answers if x not in kept]
    kept += others[: len(others) // 2]
    lines = "".join(json.dumps(x, separators=(",", ":")) + "\n" for x in kept)
    half = {"config.json": files["config.json"], "decisions.jsonl": lines + lines[:50]}
    if games:
        half["games.jsonl"] = "".join(ended) + games[-1][:40]
    return half, len(others) - len(others) // 2
