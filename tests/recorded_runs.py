"""Runs on disk for tests: games of policies and scripted models, recorded as benchmarks do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import scripts

from stratagym.agents.chat import Reply, ScriptedChat
from stratagym.agents.core import Policy, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import match_play, records
from stratagym.envs import spec
from stratagym.envs.text import TextOptions


def reply(text: str, reasoning: str = "") -> Reply:
    """An answer with all that a server may tell of it."""
    return Reply(text, "stop", 321, 12, 0.25, 0, reasoning)


def model(script: list[Any] | Callable[..., Any], name: str = "scripted") -> LanguageModel:
    """A language model that says what it is told to."""
    return LanguageModel(ScriptedChat(script, name=name))


def record_game(
    folder: Path,
    game: str,
    seats: list[Policy | str],
    seed: int,
    *,
    name: str = "",
    tries: int = 3,
    invalid: str = "random",
    **options: Any,
) -> dict[str, Any]:
    """Play one game into a run's folder; returns its record."""
    facts = spec(game)
    players = [make_policy(facts, x) if isinstance(x, str) else x for x in seats]
    in_force = facts.options_in_force(**options)
    rules = facts.make_rules(**in_force)
    match = match_play.SeatedMatch.of(
        "test", name or f"{game}/0", facts, rules, in_force, seed, players
    )
    folder.mkdir(exist_ok=True)
    games = records.JsonlWriter(folder / "games.jsonl")
    try:
        asyncio.run(
            match_play.play_matches(
                [match],
                match_play.AnswerProtocol(TextOptions(list_legal=True), tries, invalid),
                games,
                folder / "decisions.jsonl",
                concurrency=1,
            )
        )
    finally:
        games.close()
    return list(records.read_jsonl(folder / "games.jsonl"))[-1]


def run_script(script: ModuleType, *arguments: object, code: int = 0) -> tuple[str, str]:
    """(standard output, standard error) of a script's command line, run in this process."""
    done = scripts.run(script.__name__.split(".")[-2], *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def rewrite(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change every record of a file in place."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        change(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
