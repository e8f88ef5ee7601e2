"""Reports that people read: one set of content as ``report.md``, ``report.html`` and on screen.

A ``Page`` collects headings, text, tables, figures and notes and writes both files. The HTML file
needs nothing beside it: figures and styles are inside. In strings, `` `code` ``, ``**strong**`` and
``*emphasis*`` are markup; everything else is shown as it stands.
"""

from __future__ import annotations

import base64
import html
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.styled import Styled
from rich.table import Table as RichTable
from rich.text import Text

from stratagym.benchmarks.reporting.games import GameLinks, Games

NOTHING = "–"
"""Shown in place of a figure if there is no case to count."""

DPI = 160
NARROW = 10
"""The fewest letters that a row's heading has on a narrow screen."""


# --- numbers -------------------------------------------------------------------------------------


def number(value: float | None, digits: int = 2) -> str:
    """A rate without its leading zero: ``.88``, ``1.00``, ``-.10``; a dash for None."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return re.sub(r"^(-?)0\.", r"\1.", text)


def interval(rate: Mapping[str, Any], digits: int = 2) -> str:
    """``[.74, .95]``; ``[–]`` if the cases give no interval; empty if there are no cases."""
    if rate["value"] is None:
        return ""
    if rate["low"] is None:
        return f"[{NOTHING}]"
    return f"[{number(rate['low'], digits)}, {number(rate['high'], digits)}]"


def rate_text(rate: Mapping[str, Any] | None, digits: int = 2) -> str:
    """``.88 [.74, .95]`` from a rate as ``summary.json`` holds it; a dash without cases."""
    if rate is None or rate["value"] is None:
        return NOTHING
    return f"{number(rate['value'], digits)} {interval(rate, digits)}"


def mean_text(rate: Mapping[str, Any] | None, digits: int = 2, sign: str = "") -> str:
    """``17.10 [16.70, 17.40]``: a mean of points; with ``sign="+"``, of differences."""
    if rate is None or rate["value"] is None:
        return NOTHING
    form = f"{sign}.{digits}f"
    ends = NOTHING if rate["low"] is None else f"{rate['low']:{form}}, {rate['high']:{form}}"
    return f"{rate['value']:{form}} [{ends}]"


def against(rate: Mapping[str, Any], level: float) -> int:
    """1 if the interval lies above ``level``, -1 if below, 0 if it contains it or is missing."""
    if rate["value"] is None or rate["low"] is None:
        return 0
    return int(rate["low"] > level) - int(rate["high"] < level)


def count(n: int) -> str:
    """A whole number with commas."""
    return f"{n:,}"


def number_of(n: int, one: str, many: str = "") -> tuple[str, str]:
    """A number and what it counts, for ``figures_in_brief``; ``many`` is ``one`` with an s."""
    return count(n), one if n == 1 else many or f"{one}s"


def code(text: Any) -> str:
    """Markup that shows a name exactly: policies, files, options."""
    return f"`{' '.join(str(text).replace('`', chr(39)).split())}`"


# --- text ----------------------------------------------------------------------------------------

_MARKUP = re.compile(r"`([^`]*)`|\*\*(.+?)\*\*|\*(.+?)\*")


def _html_text(text: str) -> str:
    def show(match: re.Match[str]) -> str:
        name, strong, soft = match.groups()
        if name is not None:
            return f"<code>{_breakable(name)}</code>"
        return (
            f"<em>{_html_text(soft)}</em>"
            if strong is None
            else f"<strong>{_html_text(strong)}</strong>"
        )

    parts, end = [], 0
    for match in _MARKUP.finditer(text):
        parts += [html.escape(text[end : match.start()]), show(match)]
        end = match.end()
    return "".join(parts) + html.escape(text[end:])


def _breakable(name: str) -> str:
    """A long name may go on in the next line, after an underscore or a slash."""
    return re.sub(r"([_/])(?=\w)", r"\1<wbr>", html.escape(name))


def _markdown_text(text: str) -> str:
    """The same markup, with everything escaped that Markdown would take for tags."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;") for p in pieces)


def plain_text(text: str) -> str:
    """A string without its markup."""
    return _MARKUP.sub(lambda match: next(x for x in match.groups() if x is not None), text)


# --- tables --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RateCell:
    """A rate in a table. In HTML a strip shows value, interval and chance at a glance.

    Attributes:
        rate: as ``summary.json`` holds it, or None.
        low, high: what the ends of the strip stand for.
        strip: whether to draw one.
    """

    rate: Mapping[str, Any] | None
    low: float = 0.0
    high: float = 1.0
    strip: bool = True

    def __str__(self) -> str:
        return rate_text(self.rate)

    def html(self) -> str:
        rate = self.rate
        if rate is None or rate["value"] is None:
            return NOTHING
        chance = rate.get("chance")
        title = f"n = {rate['n']}" + ("" if chance is None else f", chance {number(chance)}")
        shown = (
            f'<span class="rate" title="{title}">{number(rate["value"])} '
            f"<small>{interval(rate)}</small></span>"
        )
        if not self.strip:
            return shown

        def at(value: float) -> float:
            share = (value - self.low) / (self.high - self.low)
            return round(100 * min(1.0, max(0.0, share)), 1)

        marks = ""
        if rate["low"] is not None:
            left, right = at(rate["low"]), at(rate["high"])
            marks = f'<i style="left:{left}%;width:{round(right - left, 1)}%"></i>'
        if chance is not None:
            marks += f'<u style="left:{at(chance)}%"></u>'
        marks += f'<b style="left:{at(rate["value"])}%"></b>'
        return f'{shown}<span class="strip" aria-hidden="true">{marks}</span>'


Cell = str | RateCell


@dataclass
class Table:
    """Columns and rows; a row's first cell is its heading.

    Attributes:
        left: columns aligned to the left, the first always; the others to the right.
        aside: rows that are no case but a yardstick, such as chance; set in italics.
        marked, void: rows to be careful with, and rows of what came to no result; see ``own``.
        games: by row, the games that it is of; by default, those of the policies that it names.
        addresses: where cells lead that are links of their own, by row and column.
    """

    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    left: Sequence[int] = ()
    aside: Sequence[int] = ()
    marked: list[int] = field(default_factory=list)
    void: list[int] = field(default_factory=list)
    games: Sequence[Games] = ()
    addresses: dict[tuple[int, int], str] = field(default_factory=dict)

    def row_class(self, at: int) -> str:
        """The style of a row: ``aside``, ``marked``, ``void`` or, for most rows, empty."""
        kinds = {"aside": self.aside, "marked": self.marked, "void": self.void}
        return " ".join(name for name, rows in kinds.items() if at in rows)

    def _is_left(self, column: int) -> bool:
        return column == 0 or column in self.left

    def markdown(self) -> str:
        def line(cells: Iterable[Cell]) -> str:
            shown = (_markdown_text(str(cell)).replace("|", "\\|") for cell in cells)
            return f"| {' | '.join(shown)} |"

        def linked(at: int) -> list[Cell]:
            cells = enumerate(self.rows[at])
            return [f"[{x}]({to})" if (to := self.addresses.get((at, k))) else x for k, x in cells]

        rule = ["---" if self._is_left(k) else "---:" for k in range(len(self.columns))]
        rows = (line(linked(at)) for at in range(len(self.rows)))
        return "\n".join([line(self.columns), line(rule), *rows])

    def html(self, links: GameLinks | None = None, matches: str = "") -> str:
        """The table as HTML.

        Args:
            links: where the games of its rows are shown. matches: what their names begin with.
        """

        def cell(tag: str, k: int, content: Cell, scope: str = "", link: str = "") -> str:
            shown = content.html() if isinstance(content, RateCell) else _html_text(content)
            if link:
                shown = f'<a href="{html.escape(link)}" title="the games">{shown}</a>'
            align = "" if self._is_left(k) else ' class="right"'
            if re.fullmatch(r"[\d.%! /–]*%[\d.%! /–]*", shown):
                shown = shown.replace(" ", "&nbsp;")  # shares stay in one line
            return f"<{tag}{scope}{align}>{shown}</{tag}>"

        # The names of rates are the widest part of their columns.
        names = (code(name) if "_" in name and "`" not in name else name for name in self.columns)
        head = "".join(cell("th", k, name, ' scope="col"') for k, name in enumerate(names))
        body = []
        for at, row in enumerate(self.rows):
            kind = self.row_class(at)
            place, link = self._link(at, links, matches)
            cells = [
                cell("td" if k else "th", k, content, "" if k else ' scope="row"',
                     self.addresses.get((at, k)) or (link if k == place else ""))
                for k, content in enumerate(row)
            ]  # fmt: skip
            body.append((f'<tr class="{kind}">' if kind else "<tr>") + "".join(cells) + "</tr>")
        return (
            f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{chr(10).join(body)}\n</tbody></table></div>"
        )

    def _link(self, at: int, links: GameLinks | None, matches: str) -> tuple[int, str]:
        """(column, address) of the link from a row to its games; no address where there is none."""
        if links is None:
            return 0, ""
        row = self.rows[at]
        named = {code(name): name for name in links.played}
        places = [k for k, content in enumerate(row) if isinstance(content, str) and content]
        naming = [k for k in places if row[k] in named]
        games = self.games[at] if self.games else Games(tuple(named[str(row[k])] for k in naming))
        if not games.policies and not games.matches:
            return 0, ""
        place = (naming or places or [0])[0]
        return place, links.to(replace(games, matches=games.matches or matches))

    def rich(self, title: str | None = None) -> RenderableType:
        """For the terminal: headings of rows fold where the screen is narrow.

        Where that is not enough, each row becomes a record, a line for each cell.
        """
        return _Fitted(self, title)


@dataclass
class _Fitted:
    """A table that takes its form when the width of the screen is known."""

    table: Table
    title: str | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        narrowest = self._columns(NARROW)
        needed = console.measure(narrowest, options=options.update(width=10_000)).maximum
        if needed <= options.max_width:
            yield self._columns()
        else:
            yield from self._records(options.max_width)

    def _columns(self, left_width: int | None = None) -> RichTable:
        out = RichTable(
            box=SIMPLE_HEAD,
            pad_edge=False,
            collapse_padding=True,
            title=self.title,
            title_justify="left",
            title_style="bold",
        )
        for k, name in enumerate(self.table.columns):
            is_left = self.table._is_left(k)
            cells = [plain_text(name), *(plain_text(str(row[k])) for row in self.table.rows)]
            out.add_column(
                Text(cells[0]),
                justify="left" if is_left else "right",
                no_wrap=not is_left,
                overflow="fold",
                min_width=min(NARROW, max(map(len, cells))) if is_left else None,
                max_width=left_width if is_left else None,
            )
        for at, row in enumerate(self.table.rows):
            out.add_row(*(Text(plain_text(str(cell))) for cell in row), style=self._style(at))
        return out

    def _records(self, width: int) -> Iterator[RenderableType]:
        """Row by row: the heading, and below it a line for each cell that says something."""
        if self.title is not None:
            yield Text(self.title, style="bold")
        names = [plain_text(name) for name in self.table.columns[1:]]
        for at, (heading, *row) in enumerate(self.table.rows):
            out = RichTable.grid(padding=(0, 2), pad_edge=False)
            out.add_column(overflow="fold", max_width=max(1, width // 2 - 2))
            out.add_column(overflow="fold")
            for name, cell in zip(names, row, strict=True):
                if str(cell):
                    out.add_row(Text(f"  {name}"), Text(plain_text(str(cell))))
            style = self._style(at) or ""
            if str(heading):
                yield Text(plain_text(str(heading)), style=f"bold {style}".strip(), overflow="fold")
            yield Styled(out, style)
        yield Text()

    def _style(self, at: int) -> str | None:
        styles = {"aside": "dim italic", "marked": "yellow", "void": "dim"}
        kinds = self.table.row_class(at).split()
        return " ".join(styles[kind] for kind in kinds) or None


# --- pages ---------------------------------------------------------------------------------------


class Page:
    """A report under construction: everything added appears in both files, in order."""

    def __init__(self, title: str, lead: str = ""):
        self.title = title
        self._markdown = [f"# {_markdown_text(title)}"]
        self._html: list[str | tuple[Table, str]] = []
        self._contents: list[tuple[str, str]] = []
        self._lead = lead
        self._matches = ""
        self._links: GameLinks | None = None
        if lead:
            self._markdown.append(_markdown_text(lead))

    def _add(self, markdown: str, shown: str | tuple[Table, str]) -> None:
        self._markdown.append(markdown)
        self._html.append(shown)

    def heading(self, text: str, level: int = 2) -> None:
        """A section of ``level`` 2, listed in the contents, or one below."""
        anchor = f"s{len(self._html)}"
        if level == 2:
            self._contents.append((anchor, text))
        self._add(
            f"{'#' * level} {_markdown_text(text)}",
            f'<h{level} id="{anchor}">{_html_text(text)}</h{level}>',
        )

    def text(self, text: str) -> None:
        """A paragraph."""
        self._add(_markdown_text(text), f"<p>{_html_text(text)}</p>")

    def bullets(self, items: Iterable[str]) -> None:
        """A list; nothing if it is empty."""
        listed = list(items)
        if listed:
            self._add(
                "\n".join(f"- {_markdown_text(item)}" for item in listed),
                "<ul>" + "".join(f"<li>{_html_text(item)}</li>\n" for item in listed) + "</ul>",
            )

    def links(self, text: str, targets: Iterable[tuple[str, str]]) -> None:
        """A paragraph that ends with links: (text, address relative to the report)."""
        listed = list(targets)
        shown = ", ".join(f"[{_markdown_text(label)}]({to})" for label, to in listed)
        anchors = ", ".join(
            f'<a href="{html.escape(to)}">{html.escape(label)}</a>' for label, to in listed
        )
        self._add(f"{_markdown_text(text)} {shown}", f"<p>{_html_text(text)} {anchors}</p>")

    def figures_in_brief(self, facts: Iterable[tuple[str, str]]) -> None:
        """A highlighted row of (number, what it counts)."""
        listed = list(facts)
        self._add(
            " · ".join(f"**{value}** {_markdown_text(what)}" for value, what in listed),
            '<div class="brief">'
            + "".join(
                f"<div><b>{html.escape(value)}</b>{_html_text(what)}</div>"
                for value, what in listed
            )
            + "</div>",
        )

    def table(self, table: Table, caption: str = "") -> None:
        """A table, with its caption above it."""
        if caption:
            self._add(_markdown_text(caption), f'<p class="caption">{_html_text(caption)}</p>')
        self._add(table.markdown(), (table, self._matches))

    @contextmanager
    def games(self, matches: str) -> Iterator[None]:
        """A part whose tables are of the games whose names begin with ``matches``."""
        before, self._matches = self._matches, matches
        yield
        self._matches = before

    def link_games(self, links: GameLinks) -> None:
        """Link the rows of all tables, in HTML, to the games that they are of."""
        self._links = links

    def figure(self, path: Path, caption: str, alt: str) -> None:
        """A PNG in the folder of the report; ``alt`` describes it for those who cannot see it."""
        data = path.read_bytes()
        width, height = (round(x * 96 / DPI) for x in struct.unpack(">2I", data[16:24]))
        described = re.sub(r"[\[\]]", "", plain_text(alt))
        self._add(
            f"![{described}]({path.name})\n\n*{_markdown_text(plain_text(caption))}*",
            f'<figure><img alt="{html.escape(described)}" width="{width}" height="{height}" '
            f'src="data:image/png;base64,{base64.b64encode(data).decode()}">'
            f"<figcaption>{_html_text(caption)}</figcaption></figure>",
        )

    def note(self, text: str, *, warning: bool = False) -> None:
        """A highlighted remark."""
        word = "Mind" if warning else "Note"
        self._add(
            f"> **{word}:** {_markdown_text(text)}",
            f'<p class="note{" warning" * warning}" role="note"><b>{word}</b> '
            f"{_html_text(text)}</p>",
        )

    def listing(self, text: str) -> None:
        """Lines shown exactly as they are."""
        self._add(f"```sh\n{text}\n```", f"<pre><code>{html.escape(text)}</code></pre>")

    @contextmanager
    def details(self, summary: str) -> Iterator[None]:
        """Content that is folded until the reader opens it."""
        shown = _html_text(summary)
        opening = f"<details><summary>{shown}</summary>"
        self._add(opening, opening)
        yield
        self._add("</details>", "</details>")

    def markdown(self) -> str:
        return "\n\n".join(self._markdown) + "\n"

    def html(self) -> str:
        contents = "".join(
            f'<li><a href="#{anchor}">{_html_text(text)}</a></li>\n'
            for anchor, text in self._contents
        )
        body = "\n".join(
            part if isinstance(part, str) else part[0].html(self._links, part[1])
            for part in self._html
        )
        lead = f'<p class="lead">{_html_text(self._lead)}</p>' if self._lead else ""
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{html.escape(plain_text(self.title))}</title>
<style>{CSS}</style>
</head>
<body>
<nav aria-label="Contents"><ul>
{contents}</ul></nav>
<main>
<header><h1>{_html_text(self.title)}</h1>{lead}</header>
{body}
</main>
</body>
</html>
"""

    def write(self, folder: Path) -> None:
        """Write ``report.md`` and ``report.html``."""
        (folder / "report.md").write_text(self.markdown(), encoding="utf-8", errors="replace")
        (folder / "report.html").write_text(self.html(), encoding="utf-8", errors="replace")


PALETTE = """
:root{--paper:#fdfdfc;--ink:#1d2329;--soft:#5d6873;--line:#dfe3e6;--tint:#f2f5f7;--accent:#0072b2;
--mind:#c2560a;--mind-tint:#fdf1e7;--mark:#d55e00}
@media(prefers-color-scheme:dark){:root{--paper:#15191d;--ink:#dde2e6;--soft:#97a3ad;--line:#2e363d;
--tint:#1e242a;--accent:#5cb3e6;--mind:#f0a05a;--mind-tint:#2b2119;--mark:#ff9a4d}}
"""
"""The colours of pages, light and dark."""

CSS = (
    PALETTE
    + """
@media(prefers-color-scheme:dark){figure img{filter:brightness(.92)}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
display:grid;grid-template-columns:minmax(0,1fr);justify-content:center}
main{max-width:64rem;width:100%;margin:0 auto;padding:2rem 1.25rem 6rem}
main>p,main>ul,main>pre,main>.note{max-width:46rem}
nav{padding:.8rem 1.25rem;border-bottom:1px solid var(--line);font-size:.9rem}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem}
nav a{color:var(--soft);text-decoration:none}
nav a:hover,nav a:focus{color:var(--accent);text-decoration:underline}
@media(min-width:84rem){body{grid-template-columns:13rem minmax(0,64rem)}
nav{border:0;position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;
padding:3.2rem 0 2rem 1.25rem}nav ul{flex-direction:column;gap:.45rem}}
header h1{font-size:2.3rem;line-height:1.15;letter-spacing:-.02em;margin:.6rem 0 .4rem;
overflow-wrap:anywhere}
.lead{font-size:1.15rem;color:var(--soft);max-width:46rem;margin:0 0 1.6rem}
h2{font-size:1.5rem;letter-spacing:-.01em;line-height:1.25;margin:3.4rem 0 .8rem;padding-top:1.1rem;
border-top:1px solid var(--line)}
h3{font-size:1.1rem;margin:2.2rem 0 .4rem}
p{margin:.6rem 0 1rem}
li{margin:.4rem 0}
a{color:var(--accent)}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
overflow-wrap:break-word;background:var(--tint);border-radius:4px;padding:.1em .35em}
pre{background:var(--tint);border-radius:8px;padding:.9rem 1.1rem;overflow-x:auto}
pre code{background:none;padding:0;white-space:pre-wrap}
.brief{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.2rem 0 1.6rem}
.brief div{background:var(--tint);border-radius:10px;padding:.7rem 1.1rem;min-width:7rem;
color:var(--soft);font-size:.86rem;line-height:1.35}
.brief b{display:block;font-size:1.6rem;line-height:1.2;color:var(--ink);font-weight:650}
.caption{color:var(--soft);margin:1.8rem 0 .3rem}
.caption strong{color:var(--ink)}
.wide{overflow-x:auto;margin:.4rem 0 1.4rem}
table{border-collapse:collapse;font-size:.88rem;line-height:1.4;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.42rem .9rem .42rem 0;
border-bottom:1px solid var(--line)}
thead code{background:none;padding:0;font:inherit}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom;
border-bottom:1.5px solid var(--soft)}
tbody th{font-weight:500;min-width:8rem}
tbody tr:hover{background:var(--tint)}
.right{text-align:right}
td:last-child,th:last-child{padding-right:.3rem}
.aside th,.aside td{font-style:italic;color:var(--soft)}
.marked th,.marked td{background:var(--mind-tint)}
.void th,.void td{color:var(--soft);background:var(--mind-tint)}
.rate{white-space:nowrap}
.rate small{color:var(--soft);font-size:.92em}
.strip{display:block;position:relative;height:5px;min-width:7rem;margin-top:4px;border-radius:3px;
background:var(--line)}
.strip i{position:absolute;top:0;height:5px;border-radius:3px;background:var(--accent);opacity:.45}
.strip b{position:absolute;top:-1px;width:3px;height:7px;margin-left:-1.5px;border-radius:1px;
background:var(--accent)}
.strip u{position:absolute;top:-3px;width:2px;height:11px;margin-left:-1px;background:var(--mark)}
figure{margin:1.4rem 0 2rem}
figure img{display:block;max-width:100%;height:auto;background:#fff;border-radius:10px;
border:1px solid var(--line);padding:.6rem}
@media(max-width:40rem){figure{overflow-x:auto}figure img{max-width:none}
figcaption{position:sticky;left:0}}
figcaption{color:var(--soft);font-size:.9rem;max-width:46rem;margin-top:.6rem}
.note{background:var(--tint);border-left:4px solid var(--accent);border-radius:0 8px 8px 0;
padding:.7rem 1.1rem}
.warning{background:var(--mind-tint);border-color:var(--mind)}
.note b:first-child{margin-right:.35em;color:var(--accent)}
.warning b:first-child{color:var(--mind)}
details{border:1px solid var(--line);border-radius:10px;padding:.2rem 1.1rem;margin:.9rem 0}
summary{cursor:pointer;padding:.5rem 0;font-weight:600}
details>:last-child{margin-bottom:.9rem}
@media print{nav{display:none}details{border:0;padding:0}h2{break-after:avoid}figure,tr{
break-inside:avoid}}
"""
)
