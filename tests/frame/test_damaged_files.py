"""Files that are damaged, and disks that are full: one line and exit code 2, nothing recorded lost.

    PYTHONPATH=tests python tests/frame/test_damaged_files.py --spots 50000 --seed 1

reads so many fuzzed spot files, beside as many fuzzed replies in every game.
"""

from __future__ import annotations

import argparse
import errno
import json
import random
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from injections import HOSTILE, INJECTIONS
from ours import our_games
from recorded_runs import model, record_game, run_script
from scripts import ROOT

from stratagym.benchmarks.duel import __main__ as duel
from stratagym.benchmarks.export import __main__ as export
from stratagym.benchmarks.harness import files, locks
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.records import JsonlWriter, read_decisions, read_games
from stratagym.benchmarks.harness.spots import load_spots, parse_spot
from stratagym.benchmarks.ludo_spots import __main__ as ludo_spots
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.benchmarks.tournament import __main__ as tournament
from stratagym.envs import core, spec, specs
from stratagym.envs.text import ILLEGAL, OK, UNPARSEABLE, judge

DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
DAMAGED: dict[str, bytes] = {
    "list": b"[]\n",
    "number": b"5\n",
    "text": b'"text"\n',
    "null": b"null\n",
    "empty object": b"{}\n",
    "deep": DEEP + b"\n",
    "deep list": b"[" * 5000 + b"]" * 5000 + b"\n",
    "a little deep": b"[" * 60 + b"]" * 60 + b"\n",
    "UTF-16": '{"schema": 1}\n'.encode("utf-16"),
    "not UTF-8": b'{"schema": 1, "match": "\xff\xfe"}\n',
    "NUL": b"\x00" * 100 + b"\n",
    "digits": b'{"seed": ' + b"9" * 10_000 + b"}\n",
    "huge": b'{"seed": 1e999, "plies": 99999999999999999999999999}\n',
    "torn": b'{"schema": 1, "match"\n',
    "newer": b'{"schema": 99}\n',
    "odd schema": b'{"schema": {}}\n',
    "blank line": b"\n",
}
SMALL = ("--game", "tictactoe", "--policies", "random,heuristic", "--games", "4")


@pytest.fixture(autouse=True)
def nothing_held():
    yield
    locks.release_all()


def refuses(script, *arguments) -> str:
    """What a script says when it refuses: one line, printable."""
    _, said = run_script(script, *arguments, code=2)
    *others, line = said.splitlines()
    assert not any(others)  # an empty progress bar
    assert line.isprintable() and len(line) < 1000
    return line


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A finished run with a game of a model beside it."""
    folder = tmp_path_factory.mktemp("whole")
    run_script(duel, *SMALL, "--output", folder)
    record_game(folder, "tictactoe", [model(lambda messages: "Move: 2,2"), "random"], 1, tries=2)
    return folder


@pytest.fixture
def copied(whole, tmp_path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    for path in whole.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


# --- runs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", [*DAMAGED, "folder"])
def test_a_damaged_config(copied, damage):
    spoil(copied / "config.json", damage)
    line = refuses(duel, *SMALL, "--output", copied, "--resume")
    assert "config.json" in line
    refuses(tournament, *SMALL, "--output", copied, "--resume")


@pytest.mark.parametrize("name", ["games.jsonl", "decisions.jsonl"])
@pytest.mark.parametrize("damage", [*DAMAGED, "folder"])
def test_damaged_records(copied, damage, name):
    path = copied / name
    before = path.read_bytes()
    spoil(path, damage, before)
    reader = read_games if name == "games.jsonl" else read_decisions
    with pytest.raises(InputError, match=name.replace(".", r"\.")) as caught:
        list(reader(copied))
    assert "\n" not in str(caught.value)
    if name == "games.jsonl":
        assert name in refuses(duel, *SMALL, "--output", copied, "--resume")
    else:
        table = ("--format", "table", "--output", copied / "table.csv")
        assert name in refuses(export, copied, *table)
    assert name in refuses(replay, copied, "--all", "--match", "1")
    if path.is_file():
        assert path.read_bytes().startswith(before)


def spoil(path: Path, damage: str, before: bytes = b"") -> None:
    """Put the damage behind what is there, or a folder in its place."""
    if damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(before + DAMAGED[damage])


def test_records_that_are_of_another_run(copied):
    """Well-formed, and nothing that the kernels, which check nothing, may be given."""
    path = copied / "games.jsonl"
    games = [json.loads(line) for line in path.read_text().splitlines()]
    for change, said in (
        ({"seed": 1}, "another game, seed"),
        ({"game": "chess"}, "another game, seed"),
        ({"rules": {"size": 3}}, "other rules"),
        ({"actions": [10**9, 1], "plies": 2}, "an action that the game does not have"),
        ({"actions": [-1], "plies": 1}, "an action that the game does not have"),
        ({"plies": 10**6}, "actions in 1000000 plies"),
        ({"returns": [1.0]}, "1 returns of 2 seats"),
        ({"returns": None}, "no returns"),
        ({"seats": ["random"], "returns": [1.0]}, "number of seats"),
        ({"seats": "random"}, "the field 'seats' cannot be"),
        ({"actions": [0.5], "plies": 1}, "the field 'actions' cannot be"),
        ({"actions": [True], "plies": 1}, "the field 'actions' cannot be"),
    ):
        changed = [{**games[0], **change}, *games[1:]]
        path.write_text("".join(json.dumps(game) + "\n" for game in changed))
        assert said in refuses(duel, *SMALL, "--output", copied, "--resume")


# --- writing -------------------------------------------------------------------------------------


def ends(result: subprocess.CompletedProcess, *words: str) -> None:
    """That a script ended with exit code 2 and, below its progress bars, one line of its own."""
    assert result.returncode == 2
    *bars, line = result.stderr.splitlines()
    assert all(word in line for word in words)
    assert not any("Error" in bar or "Traceback" in bar for bar in bars)


def test_a_full_disk_leaves_whole_lines(tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    writer = JsonlWriter(path)
    writer.write({"match": "a"})
    before = path.read_bytes()

    class Full:
        def __init__(self, file):
            self.file = file

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, content):
            if len(content) < 10:
                raise OSError(errno.ENOSPC, "No space left on device")
            return self.file.write(content[:9])

    writer._file = Full(writer._file)  # type: ignore[assignment]
    with pytest.raises(InputError, match=r"games\.jsonl: cannot be written \(No space left"):
        writer.write({"match": "b" * 100})
    assert path.read_bytes() == before
    writer.close()


LIMITED = """
import resource, sys
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.duel import __main__ as duel
if __name__ == "__main__":
    size = int(sys.argv.pop(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    cli.run(duel.APP, sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits to files' sizes")
@pytest.mark.parametrize("size", [100, 3000, 9000])
def test_a_file_that_may_grow_no_more(tmp_path, size):
    """In the configuration, in the games, in the report: one line, and it can be gone on with."""
    folder = tmp_path / "run"
    line = [sys.executable, "-c", LIMITED, str(size), *SMALL[:4], "--games", "40", "--output"]
    result = subprocess.run([*line, folder], cwd=ROOT, capture_output=True, text=True)
    ends(result, str(folder), "File too large")
    for path in folder.glob("*.jsonl"):
        assert path.read_bytes().endswith(b"\n")
    assert not list(folder.glob("*.part"))
    resume = ("--resume",) if (folder / "config.json").exists() else ()
    run_script(duel, *SMALL[:4], "--games", "40", "--output", folder, *resume)
    assert len(list(read_games(folder))) == 40


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_goes_nowhere(tmp_path):
    script = [sys.executable, "-m", "benchmarks.duel", *SMALL, "--output", tmp_path / "run"]
    with open("/dev/full", "w") as full:
        result = subprocess.run(script, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    ends(result, "No space left on device")
    assert len(list(read_games(tmp_path / "run"))) == 4
    full_table = tmp_path / "full.csv"
    full_table.symlink_to("/dev/full")
    table = ("--format", "table", "--rows", "games", "--output", full_table, "--force")
    line = refuses(export, tmp_path / "run", *table)
    assert "full.csv" in line and "No space left" in line


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of files that are any bytes")
def test_a_folder_whose_name_is_not_utf_8(tmp_path):
    folder = tmp_path / "run\udcff"
    run_script(duel, *SMALL, "--output", folder)
    assert (folder / "report.html").exists() and len(list(read_games(folder))) == 4


# --- spots ---------------------------------------------------------------------------------------

SHIPPED = json.loads((ROOT / "benchmarks/harness/data/spots_capture.json").read_text())


@pytest.mark.parametrize("damage", [*DAMAGED, "folder"])
def test_a_damaged_spot_file(tmp_path, damage):
    path = tmp_path / "spots_bad.json"
    path.touch()
    spoil(path, damage)
    if damage == "list":
        with pytest.raises(InputError, match="no valid spot in it"):
            load_spots(path)
    else:
        with pytest.raises(InputError, match=r"spots_bad\.json: ") as caught:
            load_spots(tmp_path)
        assert "\n" not in str(caught.value)
    (tmp_path / "spots_good.json").write_text(json.dumps(SHIPPED[:3]))
    spots, invalid = load_spots(tmp_path, skip_invalid=True)
    assert len(spots) == 3
    assert [entry.file for entry in invalid] == ["spots_bad.json"] * (damage != "list")
    nothing = "the folder holds no" if damage == "folder" else "no valid spot in it"
    assert nothing in refuses(ludo_spots, "--spots", path, "--skip-invalid")


ODD = [
    None, True, False, 0, -1, 1.0, 1e400, 10**30, -(10**30), "", "1", "\ud800", "\x1b[2J", [], [[]],
    {}, {"0": [0]}, [0, 1, 2, 3], [None] * 4, "grudge_paired", "a_b", "x" * 1000, [10**20] * 4,
    [True, 1], "Player 99999999999999999999 captured you", ["0"], {"a": {"b": {}}},
]  # fmt: skip


FORMS = [
    "Move: X",
    "X | because",
    '{"action": X}',
    '{"action": "X"}',
    "**X**",
    "Move: X.",
    "I play X\nMove: X",
    "`X`",
]
"""How answers are given in one game or another."""


def spoiled_entry(dice: random.Random) -> object:
    """A spot of ours, with something wrong somewhere in it."""
    entry = json.loads(json.dumps(dice.choice(SHIPPED)))
    for _ in range(dice.randint(0, 2)):
        into, name = entry, dice.choice([*entry, "history_text", "aggressor", "current_player"])
        if name == "tokens" and isinstance(entry.get("tokens"), dict) and dice.random() < 0.7:
            into, name = entry["tokens"], dice.choice([*entry["tokens"], "9"])
        kind = dice.random()
        if kind < 0.2:
            into.pop(name, None)
        elif kind < 0.3 and isinstance(into.get(name), list) and into[name]:
            into[name][dice.randrange(len(into[name]))] = deepcopy(dice.choice(ODD))
        else:
            into[name] = deepcopy(dice.choice(ODD))
    return entry if dice.random() < 0.97 else dice.choice(ODD)


def spoiled_bytes(dice: random.Random, content: bytes) -> bytes:
    """A file with bytes changed, cut, doubled or put in."""
    spoiled = bytearray(content)
    for _ in range(dice.choice([0, 0, 0, 1, 3])):
        at = dice.randrange(len(spoiled) + 1)
        kind = dice.random()
        if kind < 0.3 and at < len(spoiled):
            spoiled[at] = dice.randrange(256)
        elif kind < 0.5:
            del spoiled[at:]
        elif kind < 0.7:
            spoiled[at:at] = dice.choice([b"[" * 200, b"{", b"\x00", b"9" * 400, b"NaN", b"\xff"])
        else:
            spoiled[at:at] = spoiled[max(0, at - 20) : at]
    return bytes(spoiled)


def fuzz_spots(count: int, dice: random.Random, folder: Path) -> Counter[str]:
    """Read so many spot files; how they were taken. Anything but ``InputError`` goes through."""
    found: Counter[str] = Counter()
    path = folder / "spots_fuzzed.json"
    for _ in range(count):
        entries = [spoiled_entry(dice) for _ in range(dice.randint(1, 2))]
        entries += dice.sample(SHIPPED, dice.randint(0, 1))
        path.write_bytes(spoiled_bytes(dice, json.dumps(entries).encode()))
        skip = dice.random() < 0.5
        try:
            spots, invalid = load_spots(path, skip_invalid=skip)
            json.dumps([spot.record() for spot in spots], ensure_ascii=False).encode()
            " ".join(map(str, invalid)).encode()
            found["read" if not invalid else "read in part"] += 1
        except InputError as error:
            line = str(error)
            assert "\n" not in line and len(line) < 1000 and path.name in line
            found["refused"] += 1
    return found


def fuzz_replies(count: int, dice: random.Random, game: core.GameSpec) -> Counter[str]:
    """Judge so many replies in positions of a game; how they were taken."""
    rules = game.make_rules()
    view = game.module("view")
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    found: Counter[str] = Counter()
    player, ply = -1, 0
    pieces = [
        *INJECTIONS.values(), *(text for text, _ in HOSTILE.values() if len(text) < 3000),
        "```json", "Move: ", "0 | ",
        '{"move": "', '"}', "{", "}", "[", "]", "\x00", "\ud800", "٣", "½", "²",
        "<think>", "</think>", "e4", "O-O", "raise ", "9" * 5000, "1e999", "-1", "NaN", "\\", '"',
        "\n", " ", "\t", "|", ",", ".", "**", "e8=Q+", "d6 e.p.", "play", "discard", "check",
    ]  # fmt: skip
    for _ in range(count):
        if player < 0 or ply > 30:
            seed = np.uint64(dice.randrange(2**63))
            player, ply = core.start_at(rules, states, 0, seed, probs), 0
        n = core.legal_actions_at(rules, states, 0, legal)
        action = int(legal[dice.randrange(n)])
        name = view.action_to_string(rules, states[0], action)
        text = "".join(dice.choice([*pieces, name]) for _ in range(dice.randint(0, 5)))
        if dice.random() < 0.5:
            letters = list(dice.choice(FORMS).replace("X", name))
            for _ in range(dice.choice([0, 0, 1, 2])):
                at = dice.randrange(len(letters))
                letters[at] = dice.choice([chr(dice.randrange(0x3000)), letters[-1], "", *name])
            text = "".join(letters)
        outcome = judge(game, rules, states, text)
        assert outcome.kind in (OK, ILLEGAL, UNPARSEABLE), text
        assert outcome.kind == OK or outcome.reason, text
        if outcome.kind == OK:
            assert outcome.action in legal[:n], text
        found[f"{outcome.kind} {outcome.reason}".strip()] += 1
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
        ply += 1
    return found


def test_fuzzed_spot_files(tmp_path, seed):
    found = fuzz_spots(400, random.Random(seed), tmp_path)
    assert found["refused"] > 100 and found.total() == 400


@pytest.mark.parametrize("game", our_games())
def test_fuzzed_replies(game, seed):
    found = fuzz_replies(100, random.Random(seed), spec(game))
    assert "unparseable view_error" not in found
    assert found.total() == 100


def test_what_is_found(tmp_path):
    """The shapes by themselves, so that silence above means something."""
    assert files.parse(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    assert files.parse(b'["\\ud83d\\ude00", {"\\uD800x": "\\udfff"}]') == ["😀", {"?x": "?"}]
    assert files._is_deep(json.loads("[" * 51 + "]" * 51))
    assert not files._is_deep(json.loads("[" * 50 + "]" * 50))
    for bad in ODD:
        with pytest.raises(ValueError):
            parse_spot(bad)
    assert parse_spot(SHIPPED[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spots", type=int, default=50_000)
    parser.add_argument("--replies", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    import tempfile

    games = list(specs())
    for k, game in enumerate(games):
        count = args.replies * (k + 1) // len(games) - args.replies * k // len(games)
        found = fuzz_replies(count, random.Random(f"{args.seed}/{game.name}"), game)
        shown = ", ".join(f"{n} {kind}" for kind, n in found.most_common(8))
        print(f"{game.name}: {found.total()} replies: {shown}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz_spots(args.spots, random.Random(args.seed), Path(folder))
    print(f"{found.total()} spot files: {dict(found)}")


if __name__ == "__main__":
    main()
