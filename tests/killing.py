"""Kills runs of every whole-game script at random moments, goes on with them, and compares.

    python tests/killing.py --kills 1000 --seed 1

A run that was killed any number of times must come to the records and the summary of one that was
left alone. Nothing that is recorded may be asked again, and nothing recorded may be lost. A line
for each script says how many kills there were, and where they fell. Runs are forked from a process
that has everything imported and compiled, so that a kill costs a fraction of a second. Models are
scripted: what they say depends on the prompt alone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import importlib
import json
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import tiny_games
from tiny_games import players

from stratagym.agents import core as agents
from stratagym.agents.chat import Reply
from stratagym.agents.core import PolicyString
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.replaying import album
from stratagym.envs import spec

TINY = tiny_games.register()
SAID = (
    "0 | first", "1 | second", "2 | third", "Move: 1,1", "Move: 2,2", "Move: 3,1", "Move: 1,3",
    "Move: 4", "Move: 7", '{"action": "play", "card": 1}', "I would rather not.", "Move: call",
    '{"demons": [{"name": "DemonKing", "y": 1}]}', '{"humans": [{"name": "Bomb", "x": 2, "y": 1}]}',
    '{"demons": [{"name": "DemonKing", "y": 1}, {"name": "DemonKing", "y": 2}]}', '{"keep": true}',
)  # fmt: skip
IN_DIPLOMACY = (
    '{"orders": ["A PAR - BUR", "A VIE - GAL", "A MUN - RUH"], "my_unit": ["PAR"]}',
    '{"messages": {"all": "Let us keep peace in S1901M: neither of us attacks the other."}, '
    '"orders": ["F LON - ENG"], "labels": [{"message": 1, "tone": "neutral", "proposal": "yes"}]}',
    '{"messages": {"FRANCE": "Peace?"}, "orders": {}, "labels": [{"message": 1, "ends": "no"}]}',
    "I have nothing to say.",
)
"""Of talk, orders, facts and labels something can be read in each but the last."""
AT_ONCE = 3
"""Matches or questions that go on at once."""
MODEL = ("--tries", 2, "--invalid", "random", "--concurrency", AT_ONCE)
STANDS_IN = ("--forfeit", "stand-in:random", "--tries", 1, "--concurrency", AT_ONCE)
RUNS: dict[str, Sequence[Sequence[object]]] = {
    "duel": [
        ("--game", "tictactoe", "--policies", "random,heuristic", "--games", 40),
        ("--game", "ludo", "--policies", "random,heuristic", "--games", 20, "--rules", "players=2"),
    ],
    "ludo_arena": [
        ("--policies", "random,heuristic", "--players", 2, "--games", 20),
        ("--policies", "random,llm:m", "--players", 2, "--games", 2, "--rules", "max_rolls=60",
         *MODEL),
    ],
    "tournament": [
        ("--game", "tictactoe", "--policies", "random,perfect,llm:m", "--games", 4, *MODEL),
        ("--game", "connect_four", "--policies", "random,heuristic,llm:m", "--games", 2,
         "--format", "swiss", *MODEL),
    ],
    "table": [
        ("--game", "ludo", "--policies", "random,heuristic", "--games", 20, "--seating",
         "mixed,one,teams", "--rules", "players=3"),
        ("--game", "ludo", "--policies", "random,llm:m", "--games", 3, "--seating", "one",
         "--rules", "players=3,max_rolls=60", "--forfeit", "stand-in", "--tries", 2,
         "--concurrency", AT_ONCE),
        ("--game", "powers", "--policies", "envoy,random,llm:m", "--games", 7, *STANDS_IN,
         "--rules", "years=2"),
        ("--game", "village", "--policies", "random,llm:m", "--games", 5, "--seating", "one",
         *STANDS_IN),
        ("--game", "roles", "--policies", "random,llm:m", "--games", 3, *STANDS_IN),
        ("--game", "bids", "--policies", "random,llm:m", "--games", 2, *MODEL),
        ("--game", "catch", "--policies", "random,llm:m", "--games", 2, *MODEL),
        ("--game", "geography", "--policies", "random,llm:m", "--games", 4, *MODEL),
    ],
    "hanabi_teams": [
        ("--policies", "random,llm:m", "--teammates", "rule:simple", "--players", 2, "--games", 2,
         *MODEL),
    ],
    "board_solvers": [
        ("--policies", "random,llm:m", "--boards", "tictactoe", "--games", 4,
         "--retries-illegal", 3, "--concurrency", AT_ONCE),
    ],
    "anchored_levels": [
        ("--game", "tictactoe", "--policies", "random,heuristic", "--games", 8, "--workers", 1),
        ("--game", "tictactoe", "--policies", "random,llm:m", "--games", 8, *MODEL),
    ],
    "coin_teams": [
        ("--policies", "random,heuristic", "--rules", "length=12", "--games", 20),
        ("--policies", "rule:any,llm:m", "--rules", "length=8", "--games", 2, *MODEL),
    ],
    "advgame": [
        ("--policies", "random,heuristic", "--opponents", "heuristic", "--game", "tower_defence",
         "--rounds", 3),
        ("--policies", "llm:m", "--opponents", "heuristic", "--game", "tower_defence",
         "--rounds", 2, *MODEL),
        ("--policies", "llm:m,control:redraw=llm:m", "--opponents", "llm:m", "--game",
         "tower_defence", "--rounds", 3, "--shared-start", "--tries-on-violation", 2,
         "--tries", 2, "--concurrency", AT_ONCE),
    ],
    "botzone": [
        ("--game", "tictactoe,reversi", "--policies", "random", "--games", 8, "--workers", 1),
        ("--game", "tictactoe", "--policies", "random,llm:m", "--games", 8, *MODEL),
        ("--game", "tictactoe", "--policies", "llm:m", "--as-published",
         "--concurrency", AT_ONCE),
    ],
    "planning": [
        ("--policies", "random,planner:4,llm:m", "--domains", "blocksworld,grid", "--sizes", 1,
         "--told", 5, "--scenes-each", 2, "--concurrency", AT_ONCE),
    ],
    "diplomacy": [
        ("agents", "--agents", 3, "--policies", "random,greedy", "--others", "hold", "--rotate",
         "--games", 9, "--years", 1),
        ("basic", "--policies", "greedy,llm:m", "--games", 2, "--years", 1, "--ablate", "--ask",
         "facts", "--questions", 5, "--concurrency", AT_ONCE),
        ("negotiate", "--policies", "negotiator,greedy,llm:m", "--games", 7, "--years", 1,
         "--rounds", 1, "--judge", "llm:m", "--judged", 10, "--concurrency", 1),
    ],
    "dsgbench": [
        ("--scenario", "street_fighter/sync", "--policies", "random,level:2", "--games", 4),
    ],
    "welfare": [
        ("rotated", "--policies", "disarm,random", "--opponent", "hold", "--games", 7,
         "--years", 1),
        ("--policies", "negotiator", "--opponent", "llm:m", "--games", 1, "--years", 1,
         "--rounds", 2, "--judge", "llm:m", "--judged", 10, "--concurrency", 1),
    ],
    "ludo_spots": [
        ("--policies", "gt:1,llm:m", "--categories", "capture,safe", "--head-to-head", 4,
         "--concurrency", AT_ONCE),
    ],
}  # fmt: skip
"""Runs of each script that take about a second."""
FILES = ("games.jsonl", "decisions.jsonl", "messages.jsonl")
LEFT_ALONE = ("latency_s", "median_latency_s")
"""Fields that say how long something took."""


# --- the model -----------------------------------------------------------------------------------


def _hash(messages: list[dict[str, str]]) -> int:
    return int(hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:8], 16)


def _say(messages: list[dict[str, str]]) -> str:
    return SAID[_hash(messages) % len(SAID)]


def _say_in_diplomacy(messages: list[dict[str, str]]) -> str:
    return IN_DIPLOMACY[_hash(messages) % len(IN_DIPLOMACY)]


class _Chat:
    """Says what the prompt's hash tells it to, and writes down that it was asked."""

    name = "m"

    def __init__(self, say: Callable[[list[dict[str, str]]], str]):
        self.say = say

    def settings(self) -> dict[str, Any]:
        return {"model": self.name}

    async def generate(self, messages: list[dict[str, str]], limit_s: float | None = None) -> Reply:
        number = _hash(messages)
        with contextlib.suppress(KeyError):
            asked = os.open(os.environ["KILLING_ASKED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(asked, b".")
            os.close(asked)
        await asyncio.sleep(0.001 + number % 5 / 1000)
        return Reply(self.say(messages), "stop", 10, 5, 0.0, 0)

    async def close(self) -> None:
        pass


def scripted_model(spec: Any, text: PolicyString) -> LanguageModel:
    """In place of ``llm:m``."""
    say = _say_in_diplomacy if "diplomacy" in spec.name else _say
    return LanguageModel(_Chat(players.reply if spec.name in TINY else say))


# --- one process of a run ------------------------------------------------------------------------


def run_here(script: str, arguments: Sequence[object]) -> int:
    """The exit code of a script's command line in this process, what it prints left out."""
    agents.FACTORIES["llm"] = "killing:scripted_model"
    module = importlib.import_module(f"stratagym.benchmarks.{script}.__main__")
    nowhere = open(os.devnull, "w")  # noqa: SIM115 - as long as the process
    with contextlib.redirect_stdout(nowhere):
        try:
            cli.run(module.APP, [str(argument) for argument in arguments])
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


def fork(script: str, arguments: Sequence[object], folder: Path, log: Path) -> int:
    """Start a run, or go on with it, in a process of its own; returns its id."""
    resume = ("--resume",) if (folder / "config.json").exists() else ()
    child = os.fork()
    if child:
        return child
    try:
        errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(errors, 2)
        os.environ["KILLING_ASKED"] = str(log.with_suffix(".asked"))
        # The server that forks workers is the parent's: this process needs one of its own.
        forkserver._forkserver.__init__()
        code = run_here(script, [*arguments, "--output", folder, *resume])
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 99
    os._exit(code)


def finished(child: int, log: Path) -> None:
    """Wait for a run that is left alone."""
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, log.read_text()


# --- what a run has come to ----------------------------------------------------------------------


def whole_lines(path: Path) -> list[dict[str, Any]]:
    """The records that are whole."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def key(record: dict[str, Any]) -> tuple[Any, ...]:
    """What a record is of; nothing is recorded twice."""
    if "match" in record:  # a game, or something said in one
        return (record["match"], *([record["number"]] if "number" in record else []))
    fields = ("policy", "persona", "item", "ply", "seat", "attempt")
    return tuple(record[name] for name in fields)


def content(value: Any) -> Any:
    """A record or summary without how long things took."""
    if isinstance(value, dict):
        return {k: content(v) for k, v in value.items() if k not in LEFT_ALONE}
    return [content(v) for v in value] if isinstance(value, list) else value


def results(folder: Path) -> dict[str, Any]:
    """What must be the same: records by what they are of, and the summary."""
    found: dict[str, Any] = {}
    for name in FILES:
        records = whole_lines(folder / name)
        by_key = {key(record): content(record) for record in records}
        assert len(by_key) == len(records), f"{folder / name}: recorded twice"
        found[name] = by_key
    summary = json.loads((folder / "summary.json").read_text())
    return found | {"summary": content(summary)}


def recorded(folder: Path) -> dict[str, set[tuple[Any, ...]]]:
    """What is recorded by now."""
    return {name: {key(record) for record in whole_lines(folder / name)} for name in FILES}


def replies(known: dict[str, set[tuple[Any, ...]]]) -> int:
    """How many of them the model gave."""
    return sum(policy.endswith("llm:m") for policy, *_ in known["decisions.jsonl"])


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def tear(folder: Path, dice: random.Random) -> None:
    """Leave half a line, as a computer that lost power may; what was recorded stays."""
    for name in FILES:
        path = folder / name
        if path.exists() and dice.random() < 0.2:
            lines = path.read_bytes().split(b"\n")
            torn = lines[0][: dice.randrange(len(lines[0]) + 1)] if lines[0] else b"\x00" * 9
            with path.open("ab") as file:
                file.write(torn)


class Trial:
    """One script with one set of arguments, killed over and over."""

    def __init__(self, script: str, arguments: Sequence[object], work: Path):
        self.script, self.arguments = script, arguments
        self.work, self.count = work, 0
        self.fell: Counter[str] = Counter()
        folder, log = work / "whole", work / "whole.log"
        begin = time.monotonic()
        finished(fork(script, arguments, folder, log), log)
        self.seconds = time.monotonic() - begin
        self.expected = results(folder)
        self.unrecorded = self._unrecorded(folder)

    def _unrecorded(self, folder: Path) -> int:
        """The most replies that have no record at any time, and which a kill may lose.

        A question's replies are recorded as they come. Where seats decide at the same time, a match
        asks a model's seats side by side and records in the order of seats, so that all replies to
        the later ones may wait for the first.
        """
        if "--concurrency" not in self.arguments:
            return 0
        attempts = max(attempt for *_, attempt in self.expected["decisions.jsonl"])
        seats = [
            sum(policy.endswith("llm:m") for policy in game["seats"])
            for game in whole_lines(folder / "games.jsonl")
            if spec(game["game"]).is_simultaneous
        ]
        waiting = (max(seats, default=1) - 1) * attempts
        at_once = self.arguments[list(self.arguments).index("--concurrency") + 1]
        return int(str(at_once)) * (1 + waiting)

    def kill(self, most: int, dice: random.Random) -> int:
        """A run that is killed up to ``most`` times, then finished and compared; how many kills."""
        folder, log = self.work / f"run{self.count}", self.work / f"run{self.count}.log"
        asked = log.with_suffix(".asked")
        self.count += 1
        kills = 0
        for _ in range(most):
            before, at = recorded(folder), size(asked)
            child = fork(self.script, self.arguments, folder, log)
            time.sleep(dice.uniform(0, self.seconds))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if not os.WIFSIGNALED(status):
                assert os.waitstatus_to_exitcode(status) == 0, log.read_text()
                break
            kills += 1
            now = recorded(folder)
            self.fell[self._where(folder)] += 1
            for name, known in before.items():
                assert known <= now[name], f"{folder / name}: lost {known - now[name]}"
            lost = size(asked) - at - (replies(now) - replies(before))
            assert lost <= self.unrecorded, f"{folder}: {lost} replies lost"
            tear(folder, dice)
        before, at = recorded(folder), size(asked)
        finished(fork(self.script, self.arguments, folder, log), log)
        found = results(folder)
        for name, value in self.expected.items():
            assert found[name] == value, f"{folder}: {name} differs from the run left alone"
        for name, known in before.items():
            assert known <= set(found[name]), f"{folder / name}: lost"
        # What was recorded is not asked again, and all else once.
        assert size(asked) - at == replies(recorded(folder)) - replies(before)
        shutil.rmtree(folder)
        return kills

    def _where(self, folder: Path) -> str:
        if not (folder / "config.json").exists():
            return "before the run"
        if (folder / "report.html").exists():
            return "at the end"
        if (folder / "summary.json").exists():
            return "in the report"
        return "playing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--only", default=",".join(RUNS), help="scripts, separated by commas")
    parser.add_argument("--most", type=int, default=6, help="kills of one run")
    args = parser.parse_args()
    album.DRAWING_S = 0  # pictures are what takes a small run its time
    scripts = args.only.split(",")
    print(f"seed {args.seed}", flush=True)
    dice = random.Random(args.seed)
    with tempfile.TemporaryDirectory(prefix="killing-") as temporary:
        trials = []
        for script in scripts:
            for n, arguments in enumerate(RUNS[script]):
                work = Path(temporary, f"{script}{n}")
                work.mkdir()
                # Here once, so that what is forked has all of it imported and compiled.
                warm = [*arguments, "--output", work / "warm"]
                assert run_here(script, warm) == 0, f"{script} does not run"
                trials.append(Trial(script, arguments, work))
                print(f"{script} {n}: {trials[-1].seconds:.2f} s undisturbed", flush=True)
        kills: Counter[str] = Counter()
        while kills.total() < args.kills:
            # Those that take long are killed less often.
            trial = min(trials, key=lambda t: (1 + t.fell.total()) * math.sqrt(t.seconds))
            kills[trial.script] += trial.kill(dice.randint(1, args.most), dice)
        for trial in trials:
            fell = ", ".join(f"{n} {where}" for where, n in trial.fell.most_common())
            print(f"{trial.work.name}: {trial.fell.total()} kills ({fell}), {trial.count} runs")
        print(f"{kills.total()} kills in {sum(t.count for t in trials)} runs, nothing lost")


if __name__ == "__main__":
    sys.modules["killing"] = sys.modules["__main__"]
    main()
