"""Whatever others wrote, names and replies cannot steer a terminal, and are shown as they are."""

from __future__ import annotations

import ast
import csv
import io
import json
import re

import pytest
from injections import INJECTIONS
from openai_server import OpenAIServer, answer
from recorded_runs import model, record_game, run_script
from rich.table import Table
from rich.text import Text
from scripts import ROOT

from stratagym.benchmarks.export import __main__ as export
from stratagym.benchmarks.export.tables import FORMULA, no_formula
from stratagym.benchmarks.harness import cli, progress
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.ludo_spots import __main__ as ludo_spots
from stratagym.benchmarks.play import __main__ as play
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.benchmarks.reporting import page
from stratagym.benchmarks.reporting.terminal import Screen, one_line, printable
from stratagym.benchmarks.tournament import __main__ as tournament

HOSTILE = "\x1b[2J\x1b]0;title\x07[bold red]x[/bold red][/] :boom: \u202eypS\u200b\x9b1m\r\x08"
PLAIN = r"\x1b[2J\x1b]0;title\x07[bold red]x[/bold red][/] :boom: \u202eypS\u200b\x9b1m"


def harmless(text: str) -> bool:
    """Whether a terminal would show the text and do nothing else; colours of ours are left out."""
    text = re.sub(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[1?[AK]|\x1b\[2K", "", text)
    return all(c.isprintable() or c in "\n\t\r" for c in text)


def test_texts():
    assert printable(HOSTILE) == PLAIN + r"\x0d\x08"
    assert one_line("a\n b\x1b" + "c" * 10, 9) == "a b\\x1b..."[:6] + "..."
    assert printable("Zoë ♞ 王\n\t|") == "Zoë ♞ 王\n\t|"
    for text in INJECTIONS.values():
        assert harmless(printable(text))


def test_a_screen_shows_strings_as_they_are():
    for terminal in (False, True):
        out = io.StringIO()
        screen = Screen(file=out, width=200, force_terminal=terminal, color_system=None)
        table = Table(title=HOSTILE)
        table.add_column(HOSTILE)
        table.add_row(HOSTILE)
        table.add_row(Text(HOSTILE, style="bold"))
        screen.print(table)
        screen.print(HOSTILE, Text(HOSTILE), soft_wrap=True)
        screen.print(page.Table(["a", "b"], [[page.code(HOSTILE), HOSTILE]]).rich(HOSTILE))
        assert harmless(out.getvalue())
        assert out.getvalue().count(r"\x1b[2J\x1b]0;title") == 9
        assert "[bold red]x[/bold red]" in out.getvalue()


def test_bars(monkeypatch):
    out = io.StringIO()
    options = {"file": out, "width": 200, "force_terminal": True, "color_system": None}
    monkeypatch.setattr(progress, "Screen", lambda **_: Screen(**options))
    with progress.lines() as lines:
        lines.add([HOSTILE])
        lines.advance(HOSTILE)
    assert harmless(out.getvalue())
    assert "[bold red]x[/bold red][/] :boo" in out.getvalue()  # cut to its width


def test_error_lines(capsys):
    def main() -> None:
        raise InputError(f"--spots {HOSTILE}: bad")

    with pytest.raises(SystemExit):
        cli.run(cli.app("test", main), [])
    said = capsys.readouterr().err
    assert harmless(said) and len(said.splitlines()) == 1 and "[bold red]" in said


@pytest.mark.parametrize("name", [HOSTILE, "[/]", "[bold]m[/bold]", "[link=file:///x]m[/link]"])
def test_models_in_scripts(name, tmp_path):
    """In bars, tables and the report's line."""
    with OpenAIServer(lambda body, nth: answer("I resign.")) as server:
        out, said = run_script(
            tournament, "--game", "tictactoe", "--policies", f"random,llm:{name}", "--games", 2,
            "--base-url", server.base_url, "--tries", 1, "--invalid", "random",
            "--api-key-env", "PATH", "--output", tmp_path,
        )  # fmt: skip
    assert harmless(out) and harmless(said)
    assert name == HOSTILE or name in out


def test_spots_ids(tmp_path):
    entries = json.loads((ROOT / "benchmarks/harness/data/spots_safe.json").read_text())[:2]
    entries[0] |= {"id": HOSTILE, "dice": HOSTILE}
    path = tmp_path / "spots_mine.json"
    path.write_text(json.dumps(entries))
    _, said = run_script(ludo_spots, "--spots", path, code=2)
    assert harmless(said) and r"\x1b[2J" in said
    entries[0]["dice"] = 3
    path.write_text(json.dumps(entries))
    small = ("--policies", "random", "--head-to-head", 0, "--output", tmp_path / "run")
    out, said = run_script(ludo_spots, "--spots", path, *small)
    assert harmless(out) and harmless(said)
    out, said = run_script(replay, tmp_path / "run", "--all")
    assert harmless(out) and PLAIN in out


def test_replies_and_records_in_the_replay(tmp_path):
    first = model(lambda messages: f"{HOSTILE}\nMove: 2,2", name=HOSTILE)
    first.name = HOSTILE
    record_game(tmp_path, "tictactoe", [first, "random"], 1, name=HOSTILE)
    for arguments in (["--list"], ["--all"], ["--match", "2"]):
        out, said = run_script(replay, tmp_path, *arguments, code=2 * ("2" in arguments))
        assert harmless(out) and harmless(said)
        assert r"\x1b[2J\x1b]0;title\x07" in out or "2" in arguments


def test_play_names_its_opponents_as_they_are():
    out, said = run_script(play, "tictactoe", "--seat", "-1", "--opponent", "random", "--seed", 1)
    assert "[" not in out.replace("[1", "") and "(random)" in out and harmless(said)


def test_nothing_prints_past_the_screen():
    """No other console is made, and no column of a bar takes its text for markup."""
    for path in sorted((ROOT / "benchmarks").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            assert node.func.id != "Console", f"{path}: {node.lineno}: a Screen is wanted"
            if node.func.id == "TextColumn":
                assert any(k.arg == "markup" for k in node.keywords) or not any(
                    "task" in ast.dump(argument) and "description" in ast.dump(argument)
                    for argument in node.args
                ), f"{path}: {node.lineno}: markup=False is wanted"


# --- tables for spreadsheets ---------------------------------------------------------------------


def test_formulas_in_tables(tmp_path):
    replies = ["=cmd|'/c calc'!A1\nMove: 2,2", "@x Move: 1,1", "+1 Move: 3,3", "-1 Move: 1,3",
               "\tMove: 1,2", "Move: 2,1", "Move: 3,1", "Move: 3,2", "Move: 2,3"]  # fmt: skip
    said = iter(replies * 20)
    first = model(lambda messages: next(said))
    record_game(tmp_path, "tictactoe", [first, "random"], 1, tries=9)

    def table(*options: str) -> list[dict[str, str]]:
        path = tmp_path / "table.csv"
        run_script(export, tmp_path, "--format", "table", "--output", path, "--force", *options)
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    guarded, plain = table(), table("--formulas")
    assert any(row["reply"].startswith(FORMULA) for row in plain)
    for one, other in zip(guarded, plain, strict=True):
        assert not any(cell.startswith(FORMULA) for cell in one.values())
        assert one == {name: no_formula(cell) for name, cell in other.items()}


@pytest.mark.parametrize("first", FORMULA)
def test_a_text_that_begins_like_a_formula(first):
    assert no_formula(f"{first}1+1") == f"'{first}1+1"
    assert no_formula(f"a{first}") == f"a{first}"
    assert no_formula(-1) == -1
