"""The shape of records: as the code types it, as the page says, as runs have it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from openai_server import first_empty
from scripts import ROOT

from stratagym.agents.chat import ScriptedChat
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.records import (
    DecisionRecord,
    GameRecord,
    open_run,
    read_decisions,
    read_games,
)
from stratagym.benchmarks.harness.workers import play_all
from stratagym.envs.text import TextOptions
from stratagym.envs.tictactoe import view as tictactoe

PAGE = ROOT / "docs" / "records.md"
WORDS = {int: "int", str: "text", float: "float", dict: "object", list: "list"}


def word(hint: Any) -> str:
    """A type as the page writes it; what may be null besides is written without it."""
    kinds = [kind for kind in getattr(hint, "__args__", ()) if kind is not type(None)]
    if type(None) in getattr(hint, "__args__", ()):
        (hint,) = kinds
    origin = getattr(hint, "__origin__", hint)
    if origin is list and hint.__args__[0] in WORDS:
        return f"list of {WORDS[hint.__args__[0]]}"
    return WORDS[origin]


def fields_of(title: str) -> dict[str, str]:
    """Types by field, from the table and the list below a heading; a row may name several."""
    section = PAGE.read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?`) \| ([a-z ]+) \|", section, re.MULTILINE)
    fields = {name: kind for names, kind in rows for name in re.findall(r"`(\w+)`", names)}
    return fields | dict(re.findall(r"`(\w+)` \(([a-z ]+)\)", section))


@pytest.mark.parametrize(
    ("title", "record"), [("decisions.jsonl", DecisionRecord), ("games.jsonl", GameRecord)]
)
def test_the_page_names_every_field_with_its_type(title, record):
    assert fields_of(title) == {name: word(hint) for name, hint in get_type_hints(record).items()}


def test_runs_have_these_fields(tmp_path):
    how = AnswerProtocol(TextOptions(system="merge"), 1, "forfeit")
    policies = {"llm:m": LanguageModel(ScriptedChat(first_empty), name="llm:m")}
    matches = [
        Match("test", f"p/{k}/0", "tictactoe", {}, k, seats, how, Place("p", k, 0))
        for k, seats in enumerate(
            [("llm:m", "random"), ("random", "random"), ("perfect", "random")]
        )
    ]
    play_all(matches, tmp_path, policies=policies, workers=1)
    for found, fields in (
        (read_games(tmp_path), GameRecord.__required_keys__ | {"pairing", "round", "seat"}),
        (read_decisions(tmp_path), DecisionRecord.__required_keys__ | {"reader"}),
    ):
        records = list(found)
        assert len(records) >= 3
        for record in records:
            assert set(record) == fields


def resumed(tmp_path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    config = {"schema": 1, "benchmark": "test", **old}
    (tmp_path / "config.json").write_text(json.dumps(config))
    open_run("test", str(tmp_path), new, True)


def test_a_run_of_0_1_is_gone_on_with_where_nothing_differs(tmp_path):
    text = {"persona": "none", "list_legal": False}
    policies = [{"name": "llm:m", "temperature": 0.0}]
    old = {"text": text, "policies": policies, "connections": {"llm:m": {"retries": 1}}}
    new = {
        "text": {**text, "system": "merge", "hints": False},
        "policies": [{**policies[0], "top_p": None}],
        "connections": {},
        "clock": "sync",
    }
    resumed(tmp_path, old, new)
    for changed, said in (
        ({"text": {**text, "system": "split"}}, r'text.system="merge", this call asks for "split"'),
        ({"clock": "wall"}, r'clock="sync", this call asks for "wall"'),
        ({"policies": [{**policies[0], "top_p": 0.9}]}, r"policies.top_p=null, .* asks for 0\.9"),
        ({"policies": []}, r"policies=\[\{"),
        ({"games": 4}, r"games=null, this call asks for 4"),
    ):
        with pytest.raises(InputError, match=said):
            resumed(tmp_path, old, {**new, **changed})


def test_a_run_begun_with_earlier_prompts_says_so(tmp_path, capfd):
    policies = {"llm:m": LanguageModel(ScriptedChat(first_empty), name="llm:m")}
    how = AnswerProtocol(TextOptions(system="merge"), 1, "forfeit")
    match = Match(
        "test", "p/0/0", "tictactoe", {}, 0, ("llm:m", "random"), how, Place("p", 0, 0)
    )  # fmt: skip
    play_all([match], tmp_path, policies=policies, workers=1)
    path = tmp_path / "decisions.jsonl"
    asked = list(read_decisions(tmp_path))
    for versions, said in (
        (["tictactoe-1"], 0),
        ([tictactoe.PROMPT_VERSION, "tictactoe-1"], 0),
        (["tictactoe-0"], 1),
        (["tictactoe-0", "tictactoe-0a", tictactoe.PROMPT_VERSION], 1),
    ):
        lines = [json.dumps({**asked[0], "prompt_version": version}) for version in versions]
        path.write_text("\n".join(lines) + "\n")
        capfd.readouterr()
        resumed(tmp_path, {}, {})
        told = capfd.readouterr().err.splitlines()
        assert len(told) == said, told
    assert "earlier prompts (tictactoe-0, tictactoe-0a)" in told[0]
    assert f"those of today ({tictactoe.PROMPT_VERSION})" in told[0]
