"""Runs of every whole-game script on fixed seeds, and what is kept of them to compare with.

``golden/record_runs.py`` plays them with a version that is known to be right and keeps what they
left; ``test_golden_runs.py`` plays them again. Both call the scripts as a user does.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai_server
from openai_server import OpenAIServer, Response

FOLDER = Path(__file__).resolve().parent / "golden" / "runs"
FILES = (
    "config.json", "games.jsonl", "decisions.jsonl", "summary.json", "report.md", "report.html",
)  # fmt: skip
"""What is kept of a run's folder; the pictures are not."""
SURROUNDINGS = {"COLUMNS": "200", "MPLBACKEND": "Agg", "NO_COLOR": "1", "TERM": "dumb"}
"""Environment variables that the scripts' output depends on."""
Call = Callable[[str, list[str], Path], tuple[int, str, str]]
"""Runs a script with arguments in a working directory: exit code, standard output and error."""


@dataclass(frozen=True)
class Run:
    """A call of a script; ``model`` where a language model plays, which needs the server."""

    name: str
    script: str
    arguments: str
    model: bool = False

    def words(self, server: OpenAIServer | None, more: list[str] | None = None) -> list[str]:
        """The arguments, ``more`` among them, but for ``--resume``."""
        found = [*self.arguments.split(), "--output", self.name, *(more or [])]
        if self.script not in ("ludo_spots", "duel"):
            found += ["--workers", "1"]
        if server is not None:
            # One at a time: the order of the records, which reports may show, is then the same.
            found += ["--base-url", server.base_url, "--concurrency", "1"]
        return found


RUNS = (
    Run(
        "spots", "ludo_spots",
        "--policies random,heuristic,gt:1 --categories capture,safe,home_entry --head-to-head 20",
    ),
    Run(
        "spots_as_published", "ludo_spots",
        "--policies heuristic,gt:1 --categories overshoot --head-to-head 6 --as-published --seed 3",
    ),
    Run(
        "spots_model", "ludo_spots",
        "--policies gt:1,llm:flaky --categories grudge_paired --personas none,safe "
        "--head-to-head 0 --depth 1 --price-in 2 --price-out 8",
        model=True,
    ),
    Run(
        "spots_renamed", "ludo_spots",
        "--policies heuristic,llm:scripted --categories blocked --renamed --lenient --list-legal "
        "--head-to-head 0 --depth 1",
        model=True,
    ),
    Run("ludo_2p", "ludo_arena", "--policies random,heuristic,gt:1 --players 2 --games 6"),
    Run(
        "ludo_3p", "ludo_arena",
        "--policies random,heuristic,gt:1 --players 3 --games 3 --as-published --seed 5",
    ),
    Run("ludo_mcts", "ludo_arena",
        "--policies random,mcts:2 --players 4 --games 4 --rules max_rolls=60"),
    Run(
        "ludo_model", "ludo_arena",
        "--policies heuristic,llm:moody --players 2,3 --games 2 --rules max_rolls=40 --tries 2 "
        "--list-legal --history 3",
        model=True,
    ),
    Run(
        "boards", "board_solvers",
        "--policies random,mcts:10 --boards tictactoe,connect_four --games 2",
    ),
    Run(
        "boards_model", "board_solvers",
        "--policies random,llm:scripted --boards tictactoe,connect_four --games 4 --list-legal "
        "--retries-illegal 1",
        model=True,
    ),
    Run(
        "hanabi", "hanabi_teams",
        "--policies random,rule:iggi --teammates rule:piers --players 2,4 --games 6 "
        "--mixed-games 4",
    ),
    Run(
        "hanabi_spin", "hanabi_teams",
        "--policies rule:simple --teammates none --players 3 --games 6 --score spin --seed 1",
    ),
    Run(
        "hanabi_model", "hanabi_teams",
        "--policies llm:scripted --teammates rule:simple --players 2 --games 1 --mixed-games 2 "
        "--list-legal --invalid random",
        model=True,
    ),
    Run(
        "round_robin", "tournament",
        "--policies random,mcts:10,alphabeta:1 --games 4",
    ),
    Run(
        "swiss", "tournament",
        "--game tictactoe --format swiss --games 4 "
        "--policies random,mcts:5,mcts:20,alphabeta:1,alphabeta:3",
    ),
    Run(
        "holdem", "tournament",
        "--game texas_holdem --policies random,heuristic,rule:strong --rules hands=4 --games 6",
    ),
    Run(
        "chess_model", "tournament",
        "--game chess --policies random,llm:scripted?temperature=0.5 --games 2 --list-legal "
        "--history 4 --memory 1 --tries 2 --invalid forfeit",
        model=True,
    ),
    Run(
        "holdem_model", "tournament",
        "--game texas_holdem --policies heuristic,llm:scripted --games 4 --invalid fold --lenient "
        "--rules hands=3,raises=chips,stack=1000 --tries 1",
        model=True,
    ),
    Run(
        "swiss_model", "tournament",
        "--game tictactoe --format swiss --policies random,llm:scripted,alphabeta:2,mcts:5 "
        "--games 4 --renamed --list-legal --tries 2",
        model=True,
    ),
    Run("duel_holdem", "duel", "--games 10 --rules hands=5"),
    Run("duel_connect_four", "duel", "--game connect_four --policies random,heuristic --games 20"),
    Run(
        "levels", "anchored_levels",
        "--game connect_four,tictactoe --policies random,alphabeta:1 --games 8",
    ),
    Run(
        "levels_hanabi", "anchored_levels",
        "--game hanabi --policies random,rule:piers --games 8",
    ),
    Run(
        "levels_model", "anchored_levels",
        "--game tictactoe,connect_four --policies llm:scripted --games 8 --tries 2 --list-legal "
        "--no-early-stop",
        model=True,
    ),
)  # fmt: skip


# --- the scripted model ------------------------------------------------------------------------


def candidates(prompt: str) -> list[str]:
    """Answers in the form that a prompt asks for, legal ones where it lists the legal moves."""

    def last(pattern: str, otherwise: str) -> str:
        return [otherwise, *re.findall(pattern, prompt, re.DOTALL)][-1]

    if '"action":' in prompt:
        numbers = re.findall(r"^- (\d+): \(", prompt, re.MULTILINE) or ["0", "7", "12"]
        return [json.dumps({"reason": "scripted", "action": int(n)}) for n in numbers]
    if re.search(r"^Move: <\w+>,<\w+>", prompt, re.MULTILINE):
        squares = last(r"\(\w+,\w+\): ([\d, ]+)", "1,1 2,2 3,3 1,2 3,1")
        return [f"Thinking.\nMove: {square}" for square in re.findall(r"\d,\d", squares)]
    if re.search(r"^Move: <\w+>", prompt, re.MULTILINE):
        columns = last(r"full: ([\d, ]+)", "0 1 2 3 4 5 6")
        return [f"Move: {column}" for column in re.findall(r"\d", columns)]
    if "FEN: " in prompt:
        moves = last(r"moves\n([a-h1-8qrbn, ]+)\n", "e2e4, e7e5")
        return [f"{move} | scripted" for move in moves.split(", ")]
    if "<int> |" in prompt:
        pieces = last(r"you may move: ([\d, ]+)", "0, 1, 2, 3")
        return [f"{piece} | scripted" for piece in pieces.split(", ")]
    raises = re.findall(r"amount from (\d+) to", prompt)[-1:]
    return [f"{word} | s" for word in ("call", "check", "fold", *(f"raise {n}" for n in raises))]


def scripted(body: dict[str, Any], nth: int) -> Response:
    """An answer that depends on the request alone.

    Of a hundred prompts some 80 get a move in the form asked for, and the others what models do
    wrong. The model ``moody`` refuses one in fifty for good; ``flaky`` one in ten at the first
    time, for runs in which no prompt comes twice.
    """
    digest = openai_server.prompt_sha256(body["messages"])
    place, choice, kind = (int(digest[k : k + 8], 16) for k in (0, 8, 16))
    prompt = "\n\n".join(message["content"] for message in body["messages"])
    words = candidates(prompt)
    text = words[choice % len(words)]
    place %= 100
    if body["model"] == "moody" and place < 2:
        return openai_server.error(400, "scripted refusal")
    if body["model"] == "flaky" and place < 10 and nth == 1:
        return openai_server.rate_limit(0)
    if place < 80:
        extra: dict[str, Any] = {"reasoning_content": "a thought beside"} if kind % 9 == 0 else {}
        if kind % 11 == 0:
            text = f"<think>9 | no</think>\n{text}"
        return told(openai_server.answer(text, **extra), prompt, text)
    bad = [
        openai_server.prose(),
        openai_server.illegal_piece(),
        openai_server.empty(),
        openai_server.truncated(),
        openai_server.answer("Move: 9,9"),
        openai_server.answer("Move: 8"),
        openai_server.answer("a1h8 | no such move"),
        openai_server.answer('{"reason": "no", "action": 999}'),
        openai_server.answer("raise 1000000 | too much"),
        openai_server.answer(text.split(" | ")[0].removeprefix("Thinking.\n")),
    ]
    return told(bad[kind % len(bad)], prompt, "")


def told(response: Response, prompt: str, text: str) -> Response:
    """The response with token counts that differ from prompt to prompt."""
    body = json.loads(response.body)
    asked, said = len(prompt.split()), len(text.split())
    body["usage"] = {
        "prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said,
    }  # fmt: skip
    return Response(response.kind, json.dumps(body).encode(), response.status, response.headers)


@contextmanager
def served(run: Run) -> Iterator[OpenAIServer | None]:
    """The scripted server, where the run needs one."""
    if not run.model:
        yield None
        return
    with OpenAIServer(scripted) as server:
        yield server


# --- what a run leaves -------------------------------------------------------------------------


def without_port(text: str) -> str:
    """Text in which the server's address has no port."""
    return re.sub(r"(127\.0\.0\.1):\d+", r"\1", text)


def files_of(folder: Path) -> dict[str, str]:
    """The kept files of a run's folder, without what differs from run to run.

    Latencies are set to 0.25 s in records and taken from the summary and the reports.
    """
    found = {}
    for name in FILES:
        path = folder / name
        if not path.exists():
            continue
        text = without_port(path.read_text(encoding="utf-8"))
        if name == "decisions.jsonl":
            text = re.sub(r'"latency_s":[\d.e-]+', '"latency_s":0.25', text)
        if name == "summary.json":
            text = re.sub(r'("[a-z_]*latency_s"): [\d.e-]+', r"\1: 0.25", text)
        if name.startswith("report"):
            text = page_text(text)
        found[name] = text
    return found


def page_text(text: str) -> str:
    """A report without styles, pictures and times."""
    text = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'width="\d+" height="\d+" src="data:[^"]*"', "", text)
    return re.sub(r"\b\d+\.\d+ s\b", "0.25 s", text)


def rows(text: str) -> list[dict[str, Any]]:
    """The records of a JSONL file; they stand in the order in which games ended, here by name."""
    records = [json.loads(line) for line in text.splitlines()]
    return sorted(records, key=_place)


def _place(record: dict[str, Any]) -> tuple[Any, ...]:
    if "match" in record:
        return record["match"], record["seed"]
    names = ("item", "policy", "persona", "ply", "attempt")
    return tuple(record[name] for name in names)


def write(folder: Path, files: dict[str, str]) -> None:
    """The run's folder, as its user has it."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def readings(run: Run, root: Path, call: Call) -> dict[str, Any]:
    """What replay and export make of the run in ``root``."""
    folder = root / run.name
    found: dict[str, Any] = {}
    games = (folder / "games.jsonl").exists()

    def said(script: str, *arguments: str) -> str:
        code, out, err = call(script, [*arguments], root)
        assert code == 0, f"{script} {' '.join(arguments)}: {err}"
        return out

    # A game of a model that went wrong, or of single decisions the first.
    chosen = ["--match", _telling(folder)] if games else ["--kind", "illegal"] * run.model
    if games:
        found["replay --list"] = said("replay", run.name, "--list")
    told = said("replay", run.name, *chosen, "--all")
    found["replay --all"] = told if len(told) < 40_000 else [_digest(x) for x in told.splitlines()]
    page = root / "page.html"
    said("replay", run.name, *chosen, "--html", page.name, "--boards", "text")
    text = page.read_text(encoding="utf-8")
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert block is not None
    data = json.loads(block[1])
    # A page holds one game or many; 0.1's held one, and pictures where there are tiles today.
    data = {**data["games"][0], "texts": data["texts"], "images": []}
    data["texts"] = [_digest(words) for words in data["texts"]]
    found["replay --html"] = data
    for what in ("decisions", "games") if games else ("decisions",):
        if what == "decisions" and not (folder / "decisions.jsonl").exists():
            continue
        table = root / f"{what}.csv"
        said("export", run.name, "--format", "table", "--rows", what, "--output", table.name)
        found[f"export {what}"] = columns(table.read_text(encoding="utf-8"))
    if run.model:
        for k, options in enumerate(
            ["--reasoning --fields item,ply,policy,reason,latency_s", "--winners --dedupe"]
        ):
            path = root / f"chat_{k}.jsonl"
            said("export", run.name, "--format", "chat", "--output", path.name, *options.split())
            lines = path.read_text(encoding="utf-8").splitlines()
            found[f"export chat {options}"] = [_digest(line) for line in lines]
    return found


def resume(
    run: Run, root: Path, words: list[str], server: OpenAIServer | None, call: Call
) -> tuple[dict[str, str], int]:
    """The files of the run in ``root`` after ``--resume``, and how many requests it made.

    Raises:
        Refused: the script ended with exit code 2.
    """
    before = 0 if server is None else len(server.requests)
    code, _, err = call(run.script, [*words, "--resume"], root)
    if code == 2:
        raise Refused(err)
    assert code == 0, err
    return files_of(root / run.name), 0 if server is None else len(server.requests) - before


class Refused(Exception):
    """A run that a script does not go on with; its message is what the script said."""


def _telling(folder: Path) -> str:
    """The name of a recorded game that was forfeited or else broken off, or else the first."""
    games = rows((folder / "games.jsonl").read_text(encoding="utf-8"))
    order = ["forfeit", "transport"]
    return min(
        games, key=lambda g: order.index(g["ended_by"]) if g["ended_by"] in order else len(order)
    )["match"]


def columns(text: str) -> dict[str, str]:
    """A digest of each column of a CSV file, its lines in the order of their content."""
    table = sorted(csv.DictReader(io.StringIO(text)), key=lambda row: list(row.values()))
    cells: defaultdict[str, list[str]] = defaultdict(list)
    for row in table:
        for name, value in row.items():
            cells[name].append(value)
    return {name: _digest("\0".join(values)) for name, values in cells.items()}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- fixtures ----------------------------------------------------------------------------------


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json.gz"


def load(path: Path) -> Any:
    """A fixture's content."""
    return json.loads(gzip.decompress(path.read_bytes()))


def save(path: Path, content: Any) -> int:
    """Write a fixture, the same bytes for the same content; returns its length."""
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = gzip.compress(json.dumps(content, indent=0).encode(), 9, mtime=0)
    path.write_bytes(packed)
    return len(packed)
