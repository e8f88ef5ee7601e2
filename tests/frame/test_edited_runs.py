"""Run folders that were edited by hand: whatever reads them says so in one line, or reads them.

    PYTHONPATH=tests python tests/frame/test_edited_runs.py --edits 1000 --seed 1

edits so many runs of all scripts of whole games, each in one field, and reads each with all that
reads it.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import killing
import pytest
from recorded_runs import run_script
from scripts import lines, run

from stratagym.agents import core as agents
from stratagym.benchmarks.advgame import __main__ as advgame
from stratagym.benchmarks.duel import __main__ as duel
from stratagym.benchmarks.harness import locks
from stratagym.benchmarks.ludo_spots import __main__ as ludo_spots
from stratagym.benchmarks.replaying import album

ADVGAME = ("--game", "battle_card", "--policies", "random", "--opponents", "random,plan:fill",
           "--rounds", 2)  # fmt: skip
VALUES: list[Any] = [
    None, True, 0, -1, 2**70, -0.5, 1e300, "", "x", "\x1b[31m[/]", "\ud800", [], [[]], [0], ["a"],
    {}, {"a": {}}, [None], [1.5], "random", "ok", "illegal", "transport", "chess", "ludo", 10**6,
]  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_held():
    yield
    locks.release_all()


def taken(script: str, *words: object) -> tuple[int, str]:
    """How a script took its input: its exit code and, where it refused, its one line."""
    result = run(script, *words)
    if result.returncode == 0:
        return 0, ""
    # Above it are lines of progress.
    *above, line = result.stderr.splitlines()
    assert line.startswith(f"python -m benchmarks.{script}: "), result.stderr
    assert line.isprintable() and len(line) < 1500 and "Traceback" not in "".join(above)
    return result.returncode, line


# --- the comparison of two runs ------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    run_script(advgame, *ADVGAME, "--output", folder)
    return folder


@pytest.fixture
def edited(compared, tmp_path) -> Path:
    return shutil.copytree(compared, tmp_path / "edited")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"named": ...}, "config.json: not a whole record, it has no 'named'"),
        ({"named": "random"}, "config.json: the field 'named' cannot be \"random\""),
        ({"games": 5}, "config.json: the field 'games' cannot be 5"),
        ({"games": ["chess"]}, "config.json: games 'chess': choose from: tower_defence"),
        ({"games": []}, "config.json: games '': choose from: tower_defence"),
        ({"budget": ["x"]}, "config.json: the field 'budget' cannot be [\"x\"]"),
        ({"budget": [1e300]}, "config.json: budget '1e+300': a number from 0.05 to 4 is needed"),
        ({"budget": [2.0]}, "no matches in common"),
        ({"rounds": 10**9}, "config.json: rounds 1000000000: choose from 2 to 20"),
        ({"rounds": 3}, "has other rules: it was changed, or config.json"),
        ({"repeats": 10**9}, "config.json: repeats 1000000000: choose from 1 to 1000000"),
        ({"rules": {"size": 3}}, "config.json: battle_card: unknown option 'size'"),
        ({"rules": {"setting": 5}}, "config.json: battle_card"),
        ({"rules": {"setting": "released"}}, "has other rules: it was changed, or config.json"),
        ({"rules": {"rounds": {}}}, "config.json: battle_card"),
        ({"seed": 1}, "has another game, seed or number of seats"),
        ({"text": {"renamed": "no"}}, "config.json: the field 'renamed' cannot be \"no\""),
    ],
    ids=str,
)
def test_an_edited_config_in_the_comparison(compared, edited, change, said):
    path = edited / "config.json"
    config = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not ...}))
    status, line = taken("advgame", "compare", compared, edited)
    assert (status, said in line) == (2, True), line
    assert str(edited) in line or "in common" in line


def test_many_repeats_that_were_never_played_take_no_time(compared, edited):
    path = edited / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "repeats": 10**6}))
    assert taken("advgame", "compare", compared, edited) == (0, "")


def test_edited_games_in_the_comparison(compared, edited):
    games = lines(edited / "games.jsonl")
    for change, said in (
        ({"game": "tower_defence"}, "another game"),
        ({"rules": {"setting": "released"}}, "other rules"),
        ({"actions": [10**9], "plies": 1}, "an action that the game does not have"),
        ({"actions": games[0]["actions"] * 2, "plies": 2 * games[0]["plies"]}, "an illegal action"),
    ):
        rows = [{**games[0], **change}, *games[1:]]
        (edited / "games.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        status, line = taken("advgame", "compare", compared, edited)
        assert (status, f"games.jsonl: {games[0]['match']} has {said}" in line) == (2, True), line


# --- runs that are gone on with ------------------------------------------------------------------


def test_moves_that_are_illegal_are_played_in_no_kernel(tmp_path):
    """A column of connect four holds six discs; kernels check nothing and would write beyond it."""
    words = ("--game", "connect_four", "--policies", "random,heuristic", "--games", 2)
    run_script(duel, *words, "--output", tmp_path)
    first, *others = lines(tmp_path / "games.jsonl")
    first |= {"actions": [0] * 40, "plies": 40}
    rows = "".join(json.dumps(row) + "\n" for row in (first, *others))
    (tmp_path / "games.jsonl").write_text(rows)
    status, line = taken("duel", *words, "--output", tmp_path, "--resume")
    assert status == 2 and "an illegal action (number 7 of 40): it was changed" in line
    assert (tmp_path / "games.jsonl").read_text() == rows


@pytest.mark.parametrize(
    "begun",
    [None, 5, {}, {"date": "2026-01-01", "version": "0.1.0", "command": 2**70}],
    ids=["null", "number", "empty", "command"],
)
def test_an_edited_beginning_in_a_run_that_is_gone_on_with(tmp_path, begun):
    words = ("--game", "tictactoe", "--policies", "random,heuristic", "--games", 2)
    run_script(duel, *words, "--output", tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "begun": begun}))
    status, line = taken("duel", *words, "--output", tmp_path, "--resume")
    assert (status, "config.json: the field 'begun' cannot be" in line) == (2, True), line


# --- everything that reads a run -----------------------------------------------------------------


def edit(value: Any, dice: random.Random) -> str:
    """Change one thing anywhere within a list or an object; says what."""
    path = []
    while True:
        at = dice.choice(list(value) if isinstance(value, dict) else range(len(value)))
        path.append(str(at))
        inner = value[at]
        if not (isinstance(inner, dict | list) and inner and dice.random() < 0.6):
            break
        value = inner
    new = deepcopy(dice.choice(VALUES))
    if dice.random() < 0.15:
        del value[at]
        return f"no {'.'.join(path)}"
    value[at] = new
    return f"{'.'.join(path)} = {new!r}"


def edit_file(path: Path, dice: random.Random) -> str:
    """Change one thing in a JSON or JSONL file; says what."""
    text = path.read_text()
    if path.suffix == ".json":
        value = json.loads(text)
        how = edit(value, dice)
        path.write_text(json.dumps(value))
    else:
        rows = lines(path)
        how = edit(dice.choice(rows), dice)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"{path.name}: {how}"


RUNS = {
    **{script: list(runs) for script, runs in killing.RUNS.items()},
    "advgame": [*killing.RUNS["advgame"], ADVGAME],
}


def make(script: str, words: Sequence[object], folder: Path) -> None:
    """A finished run of a script."""
    assert killing.run_here(script, [*words, "--output", folder]) == 0


def readers(script: str, words: Sequence[object], whole: Path, folder: Path, out: Path) -> list:
    """Command lines that read a run: going on with it, replays, tables, comparisons."""
    table = ("export", folder, "--force", "--output")
    found: list[tuple[object, ...]] = [
        (script, *words, "--output", folder, "--resume"),
        ("replay", folder, "--list"),
        ("replay", folder, "--all", "--match", "1"),
        (*table, out / "x.jsonl", "--format", "chat"),
        (*table, out / "x.csv", "--format", "table"),
        (*table, out / "y.csv", "--format", "table", "--rows", "games"),
    ]
    if script == "advgame":
        found += [("advgame", "compare", *both) for both in ((whole, folder), (folder, whole))]
    if script == "ludo_spots":
        found += [("replay", folder), ("replay", folder, "--match", "spot")]
    return found


def fuzz(
    count: int, dice: random.Random, work: Path, scripts: Sequence[str] = tuple(RUNS)
) -> Counter[str]:
    """Edit so many runs and read each with all that reads it; how they were taken."""
    found: Counter[str] = Counter()
    for n in range(count):
        script = dice.choice(scripts)
        k = dice.randrange(len(RUNS[script]))
        words, whole = RUNS[script][k], work / f"{script}-{k}"
        if not whole.exists():
            make(script, words, whole)
        folder = shutil.copytree(whole, work / f"edited-{n}")
        files = [*folder.glob("*.jsonl"), folder / "config.json"]
        how = f"{script} {k}: {edit_file(dice.choice(sorted(files)), dice)}"
        for name, *more in readers(script, words, whole, folder, work):
            try:
                status, _ = taken(name, *more)
            except BaseException as error:
                raise AssertionError(f"{how}: {name} {more}: {error!r}") from error
            assert status in (0, 2, 3), f"{how}: {name} {more}: exit code {status}"
            found[f"{name} {'read' if status == 0 else 'refused'}"] += 1
        shutil.rmtree(folder)
    return found


@pytest.fixture
def scripted(monkeypatch):
    monkeypatch.setitem(agents.FACTORIES, "llm", "killing:scripted_model")


@pytest.mark.slow
def test_edited_runs(scripted, tmp_path, seed):
    found = fuzz(30, random.Random(seed), tmp_path, ("duel", "ludo_spots", "tournament"))
    assert found.total() >= 30 * 6


def test_an_edited_config_in_the_replay_of_spots(tmp_path):
    words = ("--policies", "random,gt:1", "--categories", "safe,grudge_paired", "--head-to-head", 2)
    run_script(ludo_spots, *words, "--output", tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text())
    for name in ("spots", "rules"):
        for value in VALUES:
            path.write_text(json.dumps({**config, name: value}))
            assert taken("replay", tmp_path, "--match", "spot")[0] == 2, (name, value)
            assert taken("replay", tmp_path, "--kind", "ok", "--list")[0] in (0, 2), (name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prompt", [{}]),
        ("prompt", [{"content": "x"}]),
        ("prompt", [{"role": "user", "content": None}]),
        ("prompt", [{"role": 5, "content": "x"}]),
        ("said", [{}]),
        ("said", [{"to": 1, "text": "x"}]),
        ("said", [{"to": [1], "text": []}]),
        ("plan", {"over": "x"}),
        ("rejected", [[None, "x"]]),
    ],
    ids=str,
)
def test_edited_messages_of_a_decision(scripted, tmp_path, name, value):
    make("board_solvers", RUNS["board_solvers"][0], tmp_path)
    path = tmp_path / "decisions.jsonl"
    rows = lines(path)
    path.write_text("".join(json.dumps(row | {name: value}) + "\n" for row in rows))
    for words in (("--list",), ("--all", "--match", "1")):
        status, line = taken("replay", tmp_path, *words)
        assert (status, f"line 1: the field {name!r} cannot be" in line) == (2, True), line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--only", help="scripts, separated by commas")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    album.DRAWING_S = 0
    chosen = args.only.split(",") if args.only else tuple(RUNS)
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz(args.edits, random.Random(args.seed), Path(folder), chosen)
    print(dict(found))


if __name__ == "__main__":
    sys.exit(main())
