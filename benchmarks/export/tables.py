"""Records as CSV and Parquet: one row a record, its fields as columns in a fixed order."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness import cli

DECISION_COLUMNS = {
    "run": "text", "benchmark": "text", "game": "text", "item": "text", "seed": "seed",
    "ply": "int", "category": "text", "seat": "int", "policy": "text", "persona": "text",
    "kind": "text", "reason": "text", "attempt": "int", "prompt": "json",
    "prompt_version": "text", "prompt_sha256": "text", "reply": "text", "reasoning": "text",
    "move_text": "text", "chosen": "int", "action": "int", "legal": "json", "latency_s": "float",
    "tokens_in": "int", "tokens_out": "int", "cost": "float", "finish_reason": "text",
    "retries": "int", "extra": "json",
}  # fmt: skip
"""Columns of the table of decisions and their types; ``extra`` has all other fields of a record."""
GAME_COLUMNS = {
    "run": "text", "benchmark": "text", "game": "text", "match": "text", "seed": "seed",
    "rules": "json", "seats": "json", "returns": "json", "outcome": "json", "plies": "int",
    "actions": "json", "ended_by": "text", "forfeited_by": "int", "extra": "json",
}  # fmt: skip
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""How texts begin that spreadsheets calculate (OWASP, CSV injection), wide letters included."""
BATCH = 2000
"""Rows that are in memory at once while a table is written."""


def row(record: dict[str, Any], columns: dict[str, str]) -> dict[str, Any]:
    """A record as one row: every column, null where the record lacks it, nested values as JSON."""
    known = {name: record.get(name) for name in columns}
    rest = {k: v for k, v in record.items() if k not in columns and k != "schema"}
    known["extra"] = rest or None
    for name, kind in columns.items():
        if kind == "json" and known[name] is not None:
            known[name] = json.dumps(known[name], ensure_ascii=False, separators=(",", ":"))
    return known


def no_formula(text: Any) -> Any:
    """A text that a spreadsheet would take for a formula, behind an apostrophe; else as it is.

    Models write what stands in the records, and a formula of theirs could send the sheet away.
    """
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA) else text


def write_csv(
    path: Path,
    records: Iterable[dict[str, Any]],
    columns: dict[str, str],
    *,
    formulas: bool = False,
) -> int:
    """Write a table of ``columns``; returns how many rows it has.

    Args:
        formulas: leave texts as they are that begin like a formula.
    """
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        table = csv.DictWriter(file, list(columns), lineterminator="\n")
        table.writeheader()
        for count, record in enumerate(records, 1):  # noqa: B007
            cells = row(record, columns)
            if not formulas:
                cells = {name: no_formula(cell) for name, cell in cells.items()}
            table.writerow(cells)
    return count


def import_parquet() -> Any:
    """pyarrow. Raises ``InputError`` that names the extra where it is not installed."""
    try:
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise cli.InputError(
            "Parquet needs pyarrow: pip install 'stratagym[parquet]'; or write a .csv"
        ) from None
    return pyarrow


def write_parquet(path: Path, records: Iterable[dict[str, Any]], columns: dict[str, str]) -> int:
    """The same in Parquet, its columns of the types named. Raises as ``import_parquet``."""
    pyarrow = import_parquet()
    types = {
        "text": pyarrow.string(),
        "json": pyarrow.string(),
        "int": pyarrow.int64(),
        "seed": pyarrow.uint64(),
        "float": pyarrow.float64(),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    count, waiting = 0, iter(records)
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        while batch := [row(record, columns) for record in islice(waiting, BATCH)]:
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
            count += len(batch)
    return count
