"""Tables on screens and in pipes keep every name and number."""

from __future__ import annotations

import io
import re

import pytest
from recorded_runs import run_script
from rich.console import Console

from stratagym.benchmarks.reporting.page import Table, code
from stratagym.benchmarks.reporting.sections import model_table
from stratagym.benchmarks.reporting.terminal import FULL, output_console
from stratagym.benchmarks.tournament import __main__ as tournament

KINDS = {"ok": 19_345, "unparseable": 12_345, "illegal": 1_234, "transport": 17, "overtime": 3}
USED = {
    "answers": 32_941, "kinds": KINDS, "reasons": {"truncated": 4_321}, "tokens_in": 12_345_678,
    "tokens_out": 2_345_678, "tokens_reasoning": 1_345_678, "cost": 123.4567,
    "median_latency_s": 0.25,
}  # fmt: skip
NAME = "llm:some-organisation/a-rather-long-model-name"


def printed(table: Table, width: int, title: str | None = None) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table.rich(title))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_the_table_of_models_keeps_headers_and_numbers(width):
    """At 80 columns 0.1 printed ``unpa...`` and ``19,3...``."""
    table = model_table({"models": {NAME: USED}})
    shown = printed(table, width, "Language models")
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown and "..." not in shown
    for number in ("32,941", "19,345", "12,345", "4,321", "12,345,678", "1,345,678", "123.4567"):
        assert number in shown
    for header in ("unparseable", "overtime", "tokens reasoning", "tokens out"):
        assert all(word in shown for word in header.split())
    # A heading folds over the first column's lines; a record has it to itself.
    first = "".join(line.strip().split("  ")[0] for line in shown.splitlines())
    assert NAME in first.replace(" ", "")


def test_records_name_each_cell_and_leave_out_empty_ones():
    table = Table(["policy", "level", "wins of decided"], aside=[1], left=[1])
    table.rows += [[code("a"), "Lv1", ".50 [.40, .60]"], [code("chance"), "", ".50"]]
    lines = [line.strip() for line in printed(table, 30, "Levels").splitlines()]
    assert lines[:2] == ["Levels", "a"] and re.fullmatch("level +Lv1", lines[2])
    assert lines[3].startswith("wins of") and lines[3].endswith(".50 [.40, .60]")
    text = " ".join(lines)
    assert text.count("level") == 1 and text.count("wins of") == 2
    assert lines.index("chance") > lines.index("a")


def test_what_is_piped_has_full_width(monkeypatch, tmp_path):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert output_console().width == FULL
    monkeypatch.setenv("COLUMNS", "80")
    assert output_console().width == 80
    arguments = [
        "--game", "tictactoe", "--policies", "random,perfect,mcts:20,heuristic", "--games", "2",
        "--workers", "1", "--seed", "1",
    ]  # fmt: skip
    narrow, _ = run_script(tournament, *arguments, "--output", tmp_path / "narrow")
    monkeypatch.delenv("COLUMNS")
    full, _ = run_script(tournament, *arguments, "--output", tmp_path / "full")
    assert "…" not in narrow + full
    for number in re.findall(r"[\d.]+", full.partition("Report:")[0]):
        assert number in narrow
