"""Runs of ``benchmarks.advgame`` against scripted models in tower defence, for their tests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import scripts
from scripts import lines

from stratagym.benchmarks.harness import replays

MODEL = ("--api-key-env", "STRATAGYM_TEST_KEY", "--no-preflight", "--json")
KEEP = json.dumps({"keep": True})
GUN = json.dumps({"humans": [{"name": "HandgunSoldier", "x": 0, "y": 0}]})


def demons(*units, **more):
    """A plan of one demon each, in row 2."""
    return json.dumps({"demons": [{"name": name, "y": 2} for name in units], **more})


def run(server, folder, *options):
    """A run in tower defence against the model ``m`` of a server, and its summary."""
    options = {"--policies": "llm:m", "--opponents": "heuristic", "--game": "tower_defence",
               "--base-url": server.base_url, "--output": folder,
               **dict(zip(options[::2], options[1::2], strict=True))}  # fmt: skip
    words = [word for pair in options.items() for word in pair if word is not True]
    result = scripts.run("advgame", *words, *MODEL)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def asked(body):
    """(the prompt's text, whether the attacker is asked, the round)."""
    text = "\n".join(message["content"] for message in body["messages"])
    number = re.findall(r"Round (\d+) of \d+", text)
    return text, "You are the attacker" in text, int(number[-1])


def decisions(folder: Path, **wanted):
    found = lines(folder / "decisions.jsonl")
    return [d for d in found if all(d[name] == value for name, value in wanted.items())]


def prompt_of(record):
    return "\n".join(message["content"] for message in record["prompt"])


def assert_replayed(folder):
    """Every game can be played again, and every answer belongs where it stands."""
    found = replays.find(folder)
    for game in found.games:
        assert not replays.replay(game, found.answers).problems
