"""A recorded game as one HTML page: no network, nothing beside it.

Everything that was recorded reaches the page as JSON in a block that no browser runs, and the
page's script puts it there as text nodes. The policy of the page allows its own script alone, by
hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.replays import Position, Replay
from stratagym.benchmarks.replaying.evaluator import Evaluation
from stratagym.benchmarks.reporting.page import PALETTE
from stratagym.envs.text import OK

WIDTH = 640
"""Of pictures, in pixels."""
COLOURS = 64
"""Of a picture's palette: a third of the size, and hardly a difference to the eye."""


class _Shared:
    """Values of which each is stored once; a value's number stands for it."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self._numbers: dict[str, int] = {}

    def __call__(self, value: str) -> int:
        if value not in self._numbers:
            self._numbers[value] = len(self.values)
            self.values.append(value)
        return self._numbers[value]


def page(replay: Replay, evaluations: Iterable[Evaluation | None], *, pictures: bool = True) -> str:
    """The page.

    Args:
        evaluations: a ``evaluator.Evaluation`` or None for each position.
        pictures: draw boards; else they are text.
    """
    texts = _Shared()
    images: list[str] = []
    drawn: dict[bytes, int] = {}
    positions = []
    for position, evaluation in zip(replay.positions, evaluations, strict=True):
        image = None
        if pictures and position.states is not None:
            pixels = position.spec.module("render").picture(
                position.rules, position.states[0], WIDTH
            )
            # Equal boards are found before they are encoded, which takes longer than drawing.
            key = hashlib.sha256(pixels.tobytes()).digest()
            if key not in drawn:
                drawn[key] = len(images)
                images.append(_png(pixels))
            image = drawn[key]
        positions.append(
            {
                "ply": position.ply,
                "seat": position.seat,
                "policy": position.policy,
                "heading": position.heading,
                "image": image,
                "board": texts(position.board()),
                "chance": position.chance,
                "action": position.action,
                "move": None if position.action is None else position.move(position.action),
                "told": position.told(),
                "legal": _legal(position, evaluation),
                "judge": None if evaluation is None else evaluation.judge,
                "choice": None
                if evaluation is None or evaluation.choice is None
                else position.move(evaluation.choice),
                "answers": [_answer(record, texts) for record in position.answers],
            }
        )
    data = {
        "title": replay.title,
        "whole": replay.whole,
        "facts": replay.facts,
        "result": replay.result,
        "agrees": replay.agrees,
        "problems": replay.problems,
        "positions": positions,
        "texts": texts.values,
        "images": images,
    }
    return _document(replay.title, data)


def _legal(position: Position, evaluation: Evaluation | None) -> list[list[Any]]:
    """[action, its notation, score, rank] of each legal move; the last two null if not known."""
    scores = evaluation.scores if evaluation is not None else None
    ranks = evaluation.ranks if evaluation is not None else None
    return [
        [action, position.move(action), scores[k] if scores else None, ranks[k] if ranks else None]
        for k, action in enumerate(position.legal)
    ]


def _answer(record: dict[str, Any], texts: _Shared) -> dict[str, Any]:
    return {
        "kind": record["kind"],
        "good": record["kind"] == OK,
        "reason": record["reason"],
        "attempt": record["attempt"],
        "prompt": [[m["role"], texts(m["content"])] for m in record["prompt"] or []],
        "version": record["prompt_version"],
        "reasoning": record.get("reasoning"),
        "reply": record["reply"],
        "move": record["move_text"],
        "usage": usage(record).removeprefix(", "),
        "said": said(record),
        "rejected": record.get("rejected") or [],
    }


def said(record: dict[str, Any]) -> list[tuple[str, str]]:
    """(to whom, text) of the messages that were said with an answer; none with a bad one."""
    if record["kind"] != OK:
        return []
    return [
        ("seat " + ", ".join(map(str, message["to"])), message["text"])
        for message in record.get("said") or []
    ]


def usage(record: dict[str, Any]) -> str:
    """Time, tokens, money and failed attempts of an answer, each after a comma."""
    told = ""
    if record["latency_s"] is not None:
        told += f", {record['latency_s']:.2f} s"
    if record["tokens_in"] is not None or record["tokens_out"] is not None:
        told += f", {record['tokens_in']} tokens in, {record['tokens_out']} out"
    for name in ("reasoning", "cached"):
        if record.get(f"tokens_{name}") is not None:
            told += f", {record[f'tokens_{name}']} {name}"
    if record["cost"] is not None:
        told += f", cost {record['cost']:.5g}"
    if record["retries"]:
        told += f", {record['retries']} failed attempts before"
    if record["finish_reason"] not in (None, "stop"):
        told += f", finished by {record['finish_reason']}"
    return told


def _png(pixels: np.ndarray) -> str:
    """A picture as the address of a PNG that holds all its data."""
    from PIL import Image

    picture = Image.fromarray(pixels)
    file = io.BytesIO()
    # Without dithering, large areas of one colour stay that, and small.
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def _document(title: str, data: dict[str, Any]) -> str:
    source = files("stratagym.benchmarks.replaying") / "data"
    style = (source / "replay.css").read_text(encoding="utf-8")
    script = (source / "replay.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    allowed += f"script-src 'sha256-{digest}'"
    # "<" ends or opens nothing in there, whatever a reply holds.
    content = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{allowed}">
<title>{html.escape(title)}</title>
<style>{PALETTE}{style}</style>
</head>
<body>
<header>
<h1 id="title"></h1>
<p id="verdict" role="status"></p>
<details id="about"><summary>About this record</summary><dl id="facts"></dl></details>
</header>
<main>
<section id="table" aria-label="Board">
<h2 id="heading" aria-live="polite"></h2>
<p id="chance"></p>
<figure id="board"><img id="picture" alt=""><pre id="words"></pre></figure>
<div id="controls" role="group" aria-label="Steps">
<button type="button" id="first" aria-label="First position">|◀</button>
<button type="button" id="back" aria-label="Previous position">◀</button>
<button type="button" id="play" aria-label="Play" aria-pressed="false">Play</button>
<button type="button" id="next" aria-label="Next position">▶</button>
<button type="button" id="last" aria-label="Last position">▶|</button>
<input type="range" id="slider" min="0" value="0" aria-label="Position">
<label for="pace">Pace</label>
<select id="pace"><option value="2000">slow</option><option value="1000" selected>normal</option>
<option value="300">fast</option></select>
</div>
<p id="played"></p>
<div id="result"></div>
<details id="spoken"><summary>Board as text</summary><pre id="text"></pre></details>
</section>
<section id="decision" aria-label="Decision">
<div id="answers"></div>
<div id="moves"></div>
</section>
<nav aria-label="Moves"><h2>Moves</h2><ol id="list"></ol></nav>
</main>
<noscript>This page needs its script, which it carries with it.</noscript>
<script type="application/json" id="data">{content}</script>
<script>{script}</script>
</body>
</html>
"""
