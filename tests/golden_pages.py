"""What a report or a screen of an earlier version said, looked for in today's.

Tables are compared by their headings: a column, a row, a section or a sentence may have been added,
and a figure may be neither missing nor otherwise. Intervals are compared in the summary.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

INTERVAL = r" ?±[\d.,]+| ?\[[-+\d., –]*\]"
"""As reports and tables print one."""
MOVED = (
    r"^## (?:The run|Options in force)\n(?s:.)*?(?=^## |\Z)",
    r'^<h2 id="s\d+">(?:The run|Options in force)</h2>(?s:.)*?(?=^<h2 |^</main>)',
    r'^<li><a href="#s\d+">(?:The run|Options in force)</a></li>\n',
    r"^(?:- |<li>)Options in force: .*\n",
    r"^(?:<p>)?Prompts with(?:out)? the list of legal moves.* tries a move, .*\n",
)
"""What makes the run again stands at the foot today, with the options, which are compared in the
configuration."""

WORDS = [
    (re.compile(re.escape(said).replace(r"\{\}", "(.+?)")), says)
    for said, says in json.loads(
        (Path(__file__).parent / "golden/words.json").read_text(encoding="utf-8")
    )
]
"""(what 0.1's reports and screens said, what they say today), the longest first; ``{}`` stands for
a name or figure, which has to be the same."""
SEEDS = re.compile(r"(policies|ladders)(?: · )?\d+ ?seed$")
"""0.1 had the seed among a report's headlines; today it is among the options, at the foot."""

HEADLINES = re.compile(r"^[\d,]+ ?(?:games|matches|policies)\b|^\d+(?:games|matches|policies)")
ONES = {
    "policies": "policy", "ladders": "ladder", "games": "game", "language models": "language model",
    "categories of boards": "category of boards", "boards": "board",
}  # fmt: skip
"""What 0.1 counted in a report's headlines as "1 policies"."""


class Sheet(NamedTuple):
    """A table: headings, and rows of as many cells."""

    headings: list[str]
    rows: list[list[str]]


def without_intervals(line: str) -> str:
    """A line but for intervals, the room that they take, and whose moves were whose in a cell."""
    line = re.sub(r' ?<small>[^<]*</small>|<span class="strip".*?</span>', "", line)
    line = re.sub(r"; \S+( !)? not own", "", line)
    return re.sub(r"[ ─]+", " ", re.sub(INTERVAL, "", line)).strip()


def reworded(text: str) -> str:
    """What 0.1 said in a line, a cell or on a screen, in today's words."""
    for said, says in WORDS:
        if said.pattern.isalpha():
            text = re.sub(rf"(?m)(?<!\S){said.pattern}(?!\S)", says, text)
        else:
            text = said.sub(lambda found, says=says: says.format(*found.groups()), text)
    text = SEEDS.sub(r"\1", text)
    if HEADLINES.match(text):
        for many, one in ONES.items():
            text = re.sub(rf"(?<![\d,.])1( ?){many}", rf"1\1{one}", text)
    return text


def parts(text: str, say: Callable[[str], str] = str) -> tuple[list[Sheet], Counter[str]]:
    """(tables, all other lines) of a report, Markdown or HTML; ``say`` rewords lines and cells."""
    for pattern in MOVED:
        text = re.sub(pattern, "", text, flags=re.MULTILINE)
    sheets: list[Sheet] = []
    lines: Counter[str] = Counter()
    inside = False
    for line in text.splitlines():
        if not (cells := [say(cell) for cell in _cells(line)]):
            if not line.startswith(("<tbody>", "|")):
                inside = False
                lines[say(_plain(line))] += 1
        elif inside and "<thead>" not in line:
            sheets[-1].rows.append(cells)
        else:
            sheets.append(Sheet(cells, []))
            inside = True
    del lines[""]
    return sheets, lines


def _cells(line: str) -> list[str]:
    if "<tr" in line:
        return [_plain(cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", line)]
    if not line.startswith("|") or set(line) <= set("|-: "):
        return []
    return [_plain(cell) for cell in line.strip("|").split(" | ")]


def _plain(text: str) -> str:
    said = html.unescape(re.sub(r"<[^>]*>", "", without_intervals(text)))
    return re.sub(r"`|\*\*|^(?:-|#+) |^\*(?=.*\*$)|(?<=\S)\*$", "", said.strip()).strip()


def page_problems(old: str, new: str, changed: tuple[str, ...] = ()) -> list[str]:
    """Tables, cells and sentences of an old report that today's lacks or has otherwise.

    Args:
        changed: headings of columns whose figures were wrong.
    """
    (sheets, lines), (today, lines_today) = parts(old, reworded), parts(new)
    found = [f"no longer says {line!r:.300}" for line in lines - lines_today]
    for sheet in sheets:
        kept = [k for k, heading in enumerate(sheet.headings) if heading not in changed]
        wanted = [[row[k] for k in kept] for row in sheet.rows]
        told = [
            [row[at] for at in columns]
            for one in today
            if (columns := _columns([sheet.headings[k] for k in kept], one.headings)) is not None
            for row in one.rows
        ]
        if missing := [row for row in wanted if row not in told]:
            found.append(f"{sheet.headings}: no row {missing[0]}, but {told!r:.500}")
    return found


def _columns(wanted: list[str], headings: list[str]) -> list[int] | None:
    """Where the headings stand, in their order; None where one is not among them."""
    found = []
    for heading in wanted:
        if heading not in headings[(at := found[-1] + 1 if found else 0) :]:
            return None
        found.append(headings.index(heading, at))
    return found


def screen_problems(old: str, new: str) -> list[str]:
    """Words and figures of an old screen that today's lacks."""
    one, other = (Counter(without_intervals(text).split()) for text in (old, new))
    return [f"no longer says {word!r}" for word in one - other]
