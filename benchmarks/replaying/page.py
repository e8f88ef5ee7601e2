"""Recorded games as one HTML page: no network, nothing beside it.

Everything that was recorded reaches the page as JSON in a block that no browser runs, and the
page's script puts it there as text nodes. The policy of the page allows its own script alone, by
hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from stratagym.benchmarks.harness.replays import Replay
from stratagym.benchmarks.replaying.evaluator import Evaluation
from stratagym.benchmarks.replaying.scenes import Remarks, Shared, scene
from stratagym.benchmarks.replaying.tiles import Tiles
from stratagym.benchmarks.reporting.page import PALETTE

SCRIPTS = ("start.js", "finder.js", "replay.js")
"""The parts of the page's script, in their order."""


def page(
    replay: Replay,
    evaluations: Iterable[Evaluation | None],
    *,
    pictures: bool = True,
    remarks: Remarks | None = None,
) -> str:
    """The page of one replay.

    Args:
        evaluations: what a judge makes of each position, or None.
        pictures: draw boards; else they are text. remarks: as ``scene`` has it.
    """
    texts, tiles = Shared(), Tiles()
    one = scene(replay, evaluations, texts, tiles if pictures else None, remarks=remarks)
    return document([one], texts, tiles)


def document(
    scenes: Sequence[dict[str, Any]],
    texts: Shared,
    tiles: Tiles,
    *,
    title: str = "",
    note: str = "",
    listing: dict[str, Any] | None = None,
) -> str:
    """The page of scenes that share texts and tiles.

    Args:
        title: of the page, by default that of the only scene. note: what else there is to say.
        listing: the list of all games, where there are several; see ``listing``.
    """
    first = scenes[0]
    title = title or " – ".join(filter(None, [first["title"], first["outcome"]]))
    data = {
        "title": title,
        "note": note,
        "games": scenes,
        "listing": listing,
        "texts": texts.values,
        "sheet": tiles.sheet(),
    }
    source = files("stratagym.benchmarks.replaying") / "data"
    style = (source / "replay.css").read_text(encoding="utf-8")
    script = "".join((source / name).read_text(encoding="utf-8") for name in SCRIPTS)
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
<div id="games" role="group" aria-label="Games" hidden>
<button type="button" id="before" aria-label="Previous game">◀ game</button>
<span id="of"></span>
<button type="button" id="after" aria-label="Next game">game ▶</button>
</div>
<details id="finder" hidden>
<summary>Find a game: <span id="matching" role="status"></span></summary>
<div id="filters"></div>
<p id="more"><label>Match name begins with <input type="search" id="match"></label>
<label id="holding"><input type="checkbox" id="held"> only games on this page</label>
<button type="button" id="clear" hidden>Clear the filters</button></p>
<div id="found" role="listbox" tabindex="0" aria-label="Games"><div id="room" role="presentation">
</div></div>
<p id="absent" role="status"></p>
<p id="note"></p>
</details>
<h1><span id="title"></span> <span id="outcome"></span></h1>
<p id="verdict" role="status"></p>
<details id="about"><summary>About this record</summary><dl id="facts"></dl></details>
</header>
<main>
<section id="table" aria-label="Board">
<h2 id="heading" aria-live="polite"></h2>
<p id="played"></p>
<p id="instead"></p>
<p id="chance"></p>
<ul id="above" class="seats"></ul>
<figure id="board"><div id="stage"><canvas id="picture" role="img"></canvas>
<svg id="arrow" aria-hidden="true"></svg></div><pre id="words"></pre></figure>
<ul id="below" class="seats"></ul>
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
<button type="button" id="flip" aria-pressed="false" hidden>Flip</button>
</div>
<div id="result"></div>
<figure id="course" hidden><figcaption id="label"></figcaption>
<svg id="graph" role="img" viewBox="0 0 600 120" preserveAspectRatio="none"></svg></figure>
<details id="spoken"><summary>Board as text</summary><pre id="text"></pre></details>
</section>
<section id="decision" aria-label="Decision">
<div id="answers"></div>
<div id="moves"></div>
</section>
<nav aria-label="Moves"><h2>Moves</h2><ol id="list"></ol></nav>
</main>
<noscript>This page needs JavaScript. Its script is part of the page.</noscript>
<script type="application/json" id="data">{content}</script>
<script>{script}</script>
</body>
</html>
"""
