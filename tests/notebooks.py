"""Runs notebooks without Jupyter; ``python tests/notebooks.py FILE`` keeps in it what it shows."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook of version 4, sources as one text each."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in found]


def run(path: Path) -> list[list[dict[str, Any]]]:
    """Run all code cells in one namespace; the outputs of each, as a notebook keeps them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [
        _run(cell["source"], names, f"{path.name}, cell {number}", number)
        for number, cell in enumerate((c for c in cells(path) if c["cell_type"] == "code"), 1)
    ]


def _run(source: str, names: dict[str, Any], title: str, number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, shown = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, title, "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), title, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue()
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if shown is not None:
        data = {"text/plain": repr(shown)}
        png = shown._repr_png_() if hasattr(shown, "_repr_png_") else None
        if png is not None:
            data["image/png"] = base64.b64encode(png).decode()
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": number,
                "metadata": {},
                "data": data,
            }
        )
    return outputs


def write(path: Path) -> None:
    """Run a notebook and put the outputs into it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(code, run(path), strict=True), 1):
        cell.update(outputs=outputs, execution_count=number)
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
