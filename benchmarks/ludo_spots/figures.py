"""LudoBench's figures (arXiv:2604.05681, figures 2 to 8), from a run's summary, with intervals.

Each function draws one file and raises ``CannotDraw`` where the run holds nothing to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, cos, pi, sin
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from stratagym.benchmarks.harness.spots import CATEGORIES
from stratagym.benchmarks.ludo_spots.metrics import PERSONA_METRICS
from stratagym.benchmarks.ludo_spots.reading import (
    ARCHETYPE,
    TRADE_OFFS,
    Summary,
    find,
    fullest,
    models,
    ordered,
    part,
    persona_mark,
    plain,
    preference,
    shift,
)
from stratagym.benchmarks.reporting.page import against, interval, number
from stratagym.benchmarks.reporting.plots import (
    INK,
    LINE,
    SOFT,
    CannotDraw,
    Look,
    drawing,
    heat_map,
    looks,
    short_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RADAR = (
    ("capture", "capture", "capture_rate"),
    ("safe", "safe", "safe_rate"),
    ("enter\nhome", "home_entry", "home_entry_rate"),
    ("bring\nout", "extra_turn", "bring_out_rate"),
    ("finish", "capture_vs_home_finish", "home_finish_rate"),
    ("not\nblocked", "blocked", "block_rate"),
    ("no over-\nshoot", "overshoot", "overshoot_rate"),
)
"""Axes: title, category, rate; a rule violation counts as 1 minus its rate."""
VIOLATIONS = ("block_rate", "overshoot_rate")

_INVALID = (("illegal", "illegal move", "#0072b2"), ("unparseable", "unreadable", "#e69f00"))
_FAINT = "#8b959d"


def _looks(summary: Summary, names: Iterable[str]) -> list[Look]:
    known = looks(ordered(summary), models(summary), summary["reference"])
    return [
        replace(known[name], label=known[name].label + persona_mark(summary, name))
        for name in names
    ]


def _columns(summary: Summary) -> list[str]:
    return [category for category in CATEGORIES if category in summary["categories"]]


# --- parts of figures ----------------------------------------------------------------------------


def _ends(rate: Mapping[str, Any]) -> list[list[float]]:
    """Lengths of an error bar, as matplotlib takes them."""
    value = rate["value"]
    return [[max(0.0, value - rate["low"])], [max(0.0, rate["high"] - value)]]


def _bar(axes: Axes, y: float, rate: Mapping[str, Any] | None, colour: str) -> None:
    """A bar from 0 with its interval."""
    if rate is None:
        axes.text(0, y, " no case", va="center", fontsize=8, color=SOFT)
        return
    axes.barh(y, rate["value"], 0.58, color=colour, alpha=0.8)
    axes.errorbar(rate["value"], y, xerr=_ends(rate), color=INK, lw=1, capsize=2.5)


def _chance_line(axes: Axes, rate: Mapping[str, Any] | None) -> None:
    if rate is not None and rate["chance"] is not None:
        axes.axvline(rate["chance"], color=_FAINT, lw=1.5, ls=":", label="uniform chance")


def _list_policies(panels: Sequence[Axes], labels: Sequence[str], gap: int = 0) -> None:
    """Policies down the shared y axis, the first on top; a line after the first ``gap``."""
    panels[0].set_yticks(range(len(labels)), labels)
    panels[0].set_ylim(len(labels) - 0.45, -0.55)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        if 0 < gap < len(labels):
            axes.axhline(gap - 0.5, color=LINE, linewidth=1)


def _legend(figure: Figure, axes: Axes, columns: int = 2) -> None:
    handles, labels = axes.get_legend_handles_labels()
    # A figure with one panel less may have fewer lines to explain.
    unique = dict(zip(labels, handles, strict=True))
    figure.legend(
        unique.values(), unique.keys(), loc="outside lower center", ncols=columns, fontsize=9
    )


def _slanted(axes: Axes, size: float) -> None:
    for label in axes.get_xticklabels():
        label.set(rotation=36, ha="right", rotation_mode="anchor", fontsize=size)


def _pale(colour: str) -> tuple[str, float]:
    return colour, 0.4


def _percent(axes: Axes, ticks: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(ticks))
    axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:g}%")


# --- the figures ---------------------------------------------------------------------------------


def compliance(folder: Path, summary: Summary) -> None:
    """Invalid answers of every model, by kind, and questions that no answer came to."""
    names = models(summary)
    if not names:
        raise CannotDraw("no language model took part, and built-in policies only play legal moves")
    tables = [plain(summary, name)["overall"] for name in names]
    lost = [t["kinds"]["transport"] / (sum(t["kinds"].values()) or 1) for t in tables]
    top = max([0.05, *(t["llm_invalid_rate"]["high"] or 0 for t in tables)])
    panels_wide = [2.6, 1][: 1 + any(lost)]
    with drawing(folder, "compliance", 8.6, 1.25 + 0.36 * len(names)) as figure:
        panels = figure.subplots(
            1, len(panels_wide), sharey=True, squeeze=False, width_ratios=panels_wide
        )[0]
        axes = panels[0]
        for y, table in enumerate(tables):
            rate, start = table["llm_invalid_rate"], 0.0
            if rate["value"] is None:
                axes.text(0.01 * top, y, "no answer came", va="center", fontsize=9, color=SOFT)
                continue
            for kind, label, colour in _INVALID:
                share = table["kinds"][kind] / rate["n"]
                axes.barh(y, share, 0.6, start, color=colour, label=label)
                start += share
            axes.errorbar(rate["value"], y, xerr=_ends(rate), color=INK, lw=1.1, capsize=3)
            said = f"{100 * rate['value']:.1f}%"
            axes.text(rate["high"] + 0.02 * top, y, said, va="center", fontsize=9)
        axes.set(xlim=(0, top * 1.17), xlabel="share of all answers", title="Invalid answers")
        _percent(axes, 5)
        if any(lost):
            axes, most = panels[1], max(lost)
            axes.barh(range(len(lost)), lost, 0.6, color="#c4cacf", hatch="///", ec="white")
            for y, share in enumerate(lost):
                axes.text(share + 0.03 * most, y, f"{100 * share:.1f}%", va="center", fontsize=9)
            axes.set(xlim=(0, most * 1.4), xlabel="share of all questions", title="No answer came")
            _percent(axes, 3)
        _list_policies(panels, [look.label for look in _looks(summary, names)])
        _legend(figure, panels[0])


def agreement(folder: Path, summary: Summary, *, corrected: bool = False) -> None:
    """Agreement with the reference by category, above the levels that say nothing of skill.

    Args:
        corrected: draw Cohen's kappa instead, into a file of its own.
    """
    names = [name for name in ordered(summary) if name != summary["reference"]]
    if not names:
        raise CannotDraw("only the reference itself took part")
    columns = [*_columns(summary), "overall"]
    metric = "gt_position_kappa" if corrected else "gt_position_rate"
    rates = [[find(plain(summary, name), c, metric) for c in columns] for name in names]
    labels = [look.label for look in _looks(summary, names)]
    beyond = [[0 if x is None else against(x, x["chance"]) for x in row] for row in rates]
    if not corrected:
        cases = [fullest(summary, c, metric) for c in columns]
        rates.append([rate and {**rate, "value": rate["chance"]} for rate in cases])
        rates.append([fullest(summary, c, "gt_position_lowest") for c in columns])
        labels += ["uniform chance", "lowest index"]
        beyond += [[0] * len(columns)] * 2
    values = [[part(rate, "value") for rate in row] for row in rates]
    signs = {1: " ▴", 0: "", -1: " ▾"}
    file = "gt_kappa" if corrected else "gt_agreement"
    width = max(7.5, 1.9 + 0.68 * len(columns))
    with drawing(folder, file, width, 1.85 + 0.31 * len(rates)) as figure:
        axes = figure.subplots()
        heat_map(
            axes, values, labels, columns,
            colours="RdBu" if corrected else "Blues", limits=(-1 if corrected else 0, 1),
            texts=[
                [number(x) + signs[sign] for x, sign in zip(*pair, strict=True)]
                for pair in zip(values, beyond, strict=True)
            ],
            strong=[[sign != 0 for sign in row] for row in beyond], gap=len(names),
        )  # fmt: skip
        _slanted(axes, 9)
        axes.axvline(len(columns) - 1.5, color="white", linewidth=5)
        how = (
            "corrected for chance (kappa: 0 is chance, 1 is always)" if corrected else "by category"
        )
        title = f"Agreement with the reference, {summary['reference']}, {how}"
        figure.suptitle(title, fontsize=10.5, weight="bold")
        note = "bold with ▴ or ▾: above or below chance; plain: the interval holds the chance level"
        figure.supxlabel(note, fontsize=8.5, color=SOFT)


def archetypes(folder: Path, summary: Summary) -> None:
    """Bringing pieces out against finishing them: builders, finishers, both or neither."""
    for category, _ in ARCHETYPE:
        if category not in summary["categories"]:
            raise CannotDraw(f"the run leaves out the category {category}")
    pairs = {
        name: [find(plain(summary, name), *axis) for axis in ARCHETYPE] for name in ordered(summary)
    }
    points = {name: [r for r in pair if r] for name, pair in pairs.items() if None not in pair}
    if not points:
        raise CannotDraw("there is no valid answer in one of its two categories")
    of_models = [points[name] for name in models(summary) if name in points]
    with drawing(folder, "archetypes", 7.8, 5.4) as figure:
        axes = figure.subplots()
        corners = (("builders", 1, 0), ("finishers", 0, 1), ("both", 1, 1), ("neither", 0, 0))
        for word, right, top in corners:
            # In the margin, where no point can lie.
            axes.text(
                1.1 * right - 0.05, 1.2 * top - 0.1, word, va="center",
                ha=("left", "right")[right], color=SOFT, fontsize=10.5, style="italic",
            )  # fmt: skip
        if len(of_models) > 1:
            middle = [median(pair[k]["value"] for pair in of_models) for k in range(2)]
            line: Any = {"color": SOFT, "lw": 1, "ls": (0, (5, 4)), "zorder": 1}
            axes.axvline(middle[0], **line)
            axes.axhline(middle[1], label="medians of the models", **line)
        known = [fullest(summary, *axis) for axis in ARCHETYPE]
        chance = [float("nan") if rate is None else rate["chance"] for rate in known]
        axes.plot(
            [chance[0]],
            [chance[1]],
            "x",
            color=INK,
            ms=8,
            mew=1.8,
            label="uniform chance",
            zorder=9,
        )
        for name, (dx, dy), look in zip(
            points, _apart(points), _looks(summary, points), strict=True
        ):
            star = name == summary["reference"]
            x, y = points[name]
            axes.errorbar(
                x["value"] + dx, y["value"] + dy, xerr=_ends(x), yerr=_ends(y),
                fmt=look.marker, color=look.colour, ms=15 if star else 8.5, mec="white", mew=0.7,
                elinewidth=1.1, ecolor=_pale(look.colour), zorder=3 + star,
                label=f"{look.label} (reference)" if star else look.label,
            )  # fmt: skip
        axes.set(
            xlim=(-0.06, 1.06), ylim=(-0.16, 1.16), yticks=(0, 0.2, 0.4, 0.6, 0.8, 1),
            xlabel="brings a piece out after a six (extra_turn)",
            ylabel="finishes rather than captures (capture_vs_home_finish)",
        )  # fmt: skip
        axes.grid()
        figure.legend(loc="outside right upper", fontsize=8.5, labelspacing=0.75)


def _apart(points: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Small offsets that draw coinciding points side by side, on a circle round their place."""
    places = [(pair[0]["value"], pair[1]["value"]) for pair in points.values()]
    groups: list[list[int]] = []
    for k, (x, y) in enumerate(places):
        for group in groups:
            u, v = places[group[0]]
            if abs(x - u) < 0.025 and abs(y - v) < 0.025:
                group.append(k)
                break
        else:
            groups.append([k])
    result = [(0.0, 0.0)] * len(places)
    for group in groups:
        radius = 0.0 if len(group) == 1 else 0.022 if len(group) < 5 else 0.035
        for at, k in enumerate(group):
            turn = 2 * pi * at / len(group)
            result[k] = radius * cos(turn), radius * sin(turn)
    return result


def _profile(summary: Summary, policy: str | None, spokes: Sequence[Any]) -> list[float]:
    """A policy's values on the radar's spokes, or chance's for None; closed, NaN where unknown."""
    values: list[float] = []
    value: Any
    for _, category, metric in spokes:
        if policy is None:
            rate = fullest(summary, category, metric)
            # A random legal move breaks no rule.
            value = 0.0 if metric in VIOLATIONS else rate and rate["chance"]
        else:
            rate = find(plain(summary, policy), category, metric)
            value = rate and rate["value"]
        if value is None:
            values.append(float("nan"))
        else:
            values.append(1 - value if metric in VIOLATIONS else value)
    return [*values, values[0]]


def radar(folder: Path, summary: Summary) -> None:
    """A small radar for each policy, with the reference and chance behind it."""
    spokes = [spoke for spoke in RADAR if spoke[1] in summary["categories"]]
    if len(spokes) < 3:
        raise CannotDraw("fewer than three of the seven categories it needs are in the run")
    reference = summary["reference"]
    names = [name for name in ordered(summary) if name != reference] or ordered(summary)
    turns = [2 * pi * k / len(spokes) for k in range(len(spokes) + 1)]
    across = min(4, len(names))
    down = ceil(len(names) / across)
    with drawing(folder, "radar", max(5.0, 2.65 * across), 2.45 * down + 0.6) as figure:
        for at, (name, look) in enumerate(zip(names, _looks(summary, names), strict=True), 1):
            axes: Any = figure.add_subplot(down, across, at, projection="polar")
            axes.set_theta_offset(pi / 2)
            axes.set_theta_direction(-1)
            chance = _profile(summary, None, spokes)
            axes.plot(turns, chance, color=_FAINT, lw=1.3, ls=":", label="uniform chance")
            if reference in summary["policies"] and name != reference:
                theirs = _profile(summary, reference, spokes)
                axes.plot(
                    turns,
                    theirs,
                    color=INK,
                    lw=1.2,
                    ls=(0, (4, 2)),
                    label=f"{reference} (reference)",
                )
            own = _profile(summary, name, spokes)
            axes.fill(turns, own, color=look.colour, alpha=0.22)
            axes.plot(turns, own, color=look.colour, lw=1.8, marker=".", ms=6)
            axes.set_title(look.label, fontsize=9.5, pad=17, color=look.colour)
            axes.set(ylim=(0, 1.02), xticks=turns[:-1], xticklabels=[""] * len(spokes))
            axes.set_yticks([0.25, 0.5, 0.75, 1], [])
            for turn, (title, *_) in zip(turns, spokes, strict=False):
                side = sin(turn)
                axes.text(
                    turn, 1.1, title, fontsize=7.5, linespacing=0.9, color=SOFT,
                    ha="center" if abs(side) < 0.25 else "left" if side > 0 else "right",
                    va="bottom" if cos(turn) > 0.9 else "center",
                )  # fmt: skip
            axes.spines["polar"].set_color(LINE)
        _legend(figure, figure.axes[0])


def trade_offs(folder: Path, summary: Summary) -> None:
    """Which of two aims a policy goes for; the dashed line is the reference."""
    chosen = [pair for pair in TRADE_OFFS if pair[0] in summary["categories"]]
    if not chosen:
        raise CannotDraw("the run holds no category that sets capturing against something else")
    reference = summary["reference"]
    names = [name for name in ordered(summary) if name != reference] or ordered(summary)
    drawn = _looks(summary, names)
    width, height = 2.2 + 2.3 * len(chosen), 1.75 + 0.34 * len(names)
    with drawing(folder, "trade_offs", width, height) as figure:
        panels = figure.subplots(1, len(chosen), sharey=True, squeeze=False)[0]
        for axes, (category, other) in zip(panels, chosen, strict=True):
            axes.axvline(0, color=SOFT, lw=0.8)
            leans = {n: preference(plain(summary, n), category, other) for n in ordered(summary)}
            for y, (name, look) in enumerate(zip(names, drawn, strict=True)):
                _bar(axes, y, leans[name], look.colour)
            known = [lean for lean in leans.values() if lean]
            _chance_line(axes, max(known, key=lambda lean: lean["n"], default=None))
            if theirs := leans.get(reference):
                label = f"{reference} (reference)"
                axes.axvline(theirs["value"], color=INK, lw=2, ls=(0, (3, 1.5)), label=label)
            axes.set_title(category, fontsize=9, pad=18)
            aim = other.removesuffix("_rate").replace("home_", "").replace("entry", "home")
            for word, x, side in (("← capture", 0, "left"), (f"{aim} →", 1, "right")):
                place = axes.transAxes
                axes.text(x, 1.02, word, transform=place, ha=side, color=SOFT, fontsize=8.5)
            axes.set_xlim(-1.08, 1.08)
            axes.set_xticks((-1, -0.5, 0, 0.5, 1), ("-1", "-.5", "0", ".5", "1"), fontsize=8)
        _list_policies(panels, [look.label for look in drawn], gap=len(models(summary)))
        _legend(figure, panels[0])


def grudges(folder: Path, summary: Summary) -> None:
    """Retaliation without and with a grudge on the same boards, and how often the move changes."""
    category = "grudge_paired"
    if category not in summary["categories"]:
        raise CannotDraw(f"the run leaves out the category {category}")
    names = ordered(summary)
    drawn = _looks(summary, names)
    with drawing(folder, "grudges", 9.2, 1.5 + 0.42 * len(names)) as figure:
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.6, 1])
        for y, (name, look) in enumerate(zip(names, drawn, strict=True)):
            table, colour = plain(summary, name), look.colour
            before, after = (
                find(table, category, f"retaliation_{c}_rate") for c in ("noconflict", "grudge")
            )
            if before and after and abs(after["value"] - before["value"]) > 0.03:
                left.annotate(
                    "", (after["value"], y + 0.13), (before["value"], y - 0.13),
                    arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 4},
                )  # fmt: skip
            for rate, dy, face in ((before, -0.13, "white"), (after, 0.13, colour)):
                if rate:
                    left.errorbar(
                        rate["value"], y + dy, xerr=_ends(rate), fmt="o", ms=6.5, color=colour,
                        mfc=face, mew=1.5, ecolor=_pale(colour), elinewidth=1.3, capsize=2,
                    )  # fmt: skip
            _bar(right, y, find(table, category, "change_rate"), colour)
        for axes, metric in ((left, "retaliation_grudge_rate"), (right, "change_rate")):
            _chance_line(axes, fullest(summary, category, metric))
            axes.set_xlim(-0.02, 1.02)
            axes.xaxis.set_major_formatter(lambda x, _: number(x) if x else "0")
        left.plot([], [], "o", color=SOFT, mfc="white", mew=1.5, label="neutral history")
        left.plot([], [], "o", color=SOFT, label="grudge history")
        left.set_title("Captures the accused player's piece", loc="left")
        right.set_title("Changes its move", loc="left")
        _list_policies((left, right), [look.label for look in drawn], gap=len(models(summary)))
        _legend(figure, left, columns=3)


def _styled(summary: Summary) -> list[str]:
    """Models of which a persona's effect is known."""
    names = [name for name in models(summary) if summary["persona_alignment"].get(name)]
    if not names:
        raise CannotDraw("it needs a language model asked both without a persona and with one")
    return names


def personas(folder: Path, summary: Summary) -> None:
    """How far each persona moved a model the way it should."""
    names, scored = _styled(summary), summary["persona_alignment"]
    columns = [p for p in PERSONA_METRICS if any(p in scored[name] for name in names)]
    scores = [[scored[name].get(p) for p in columns] for name in names]
    width, height = 3.2 + 1.25 * len(columns), 1.2 + 0.55 * len(names)
    with drawing(folder, "personas", max(5.5, width), height) as figure:
        axes = figure.subplots()
        heat_map(
            axes, [[score and score["value"] for score in row] for row in scores],
            [look.label for look in _looks(summary, names)], columns,
            colours="RdBu", limits=(0, 1),
            texts=[[alignment_text(s) for s in row] for row in scores],
            strong=[[s is not None and against(s, 0.5) != 0 for s in row] for row in scores],
        )  # fmt: skip
        axes.xaxis.tick_top()
        title = "Persona alignment: 1 follows, .5 no effect, 0 the opposite"
        figure.suptitle(title, fontsize=10.5, weight="bold")


def alignment_text(score: Mapping[str, Any] | None) -> str:
    """``.83`` over its interval; ``.83 (3/4)`` where only some of a persona's metrics are known."""
    if score is None:
        return "–"
    part = f" ({score['metrics']}/{score['of']})" if score["metrics"] < score["of"] else ""
    return f"{number(score['value'])}{part}\n{interval(score)}"


def persona_shifts(folder: Path, summary: Summary) -> None:
    """How much each persona changed the rates it is judged by, in points."""
    names, scored = _styled(summary), summary["persona_alignment"]
    columns = [
        (persona, *expected)
        for persona, metrics in PERSONA_METRICS.items()
        if any(persona in scored[name] for name in names)
        for expected in metrics
        if expected[0] in summary["categories"]
    ]
    shifts = [
        [
            shift(find(by["none"], category, metric), find(by.get(persona, {}), category, metric))
            for persona, category, metric, _ in columns
        ]
        for by in (summary["policies"][name] for name in names)
    ]
    ways = [way for *_, way in columns]
    width, height = 2.2 + 0.56 * len(columns), 2.9 + 0.31 * len(names)
    with drawing(folder, "persona_shifts", max(6.5, width), height) as figure:
        axes = figure.subplots()
        heat_map(
            axes,
            [
                [None if s is None else way * s["value"] for s, way in zip(row, ways, strict=True)]
                for row in shifts
            ],
            [look.label for look in _looks(summary, names)],
            [f"{_brief(c)}: {m.removesuffix('_rate')} {'↓↑'[way > 0]}" for _, c, m, way in columns],
            colours="RdBu", limits=(-0.6, 0.6),
            texts=[["–" if s is None else _points(s["value"]) for s in row] for row in shifts],
            strong=[[s is not None and against(s, 0) != 0 for s in row] for row in shifts],
        )  # fmt: skip
        _slanted(axes, 8)
        start = 0
        for persona in dict.fromkeys(column[0] for column in columns):
            own = sum(column[0] == persona for column in columns)
            middle = start + own / 2 - 0.5
            axes.text(middle, -0.75, persona, ha="center", weight="bold", fontsize=9)
            start += own
            if start < len(columns):
                axes.axvline(start - 0.5, color="white", linewidth=6)
        title = "What a persona changes, in points"
        figure.suptitle(title, fontsize=10.5, weight="bold")
        note = (
            "arrow: the expected direction; blue as expected, red the opposite; "
            "bold: the interval leaves out no change"
        )
        figure.supxlabel(note, fontsize=8.5, color=SOFT)


def _points(change: float) -> str:
    said = f"{100 * change:+.0f}"
    return "0" if said in ("+0", "-0") else said


def _brief(category: str) -> str:
    left, _, right = category.removesuffix("_paired").partition("_vs_")
    return f"{left} vs {right.removeprefix('home_')}" if right else left


def head_to_head(folder: Path, summary: Summary) -> None:
    """How often the row's policy beats the column's, in games of two."""
    duels = summary["head_to_head"]["wins"]
    names = [name for name in duels if duels[name]]
    if len(names) < 2:
        if summary["head_to_head"]["games"] == 0:
            raise CannotDraw("no games were asked for")
        raise CannotDraw("fewer than two built-in policies took part")
    cells = [[duels[a].get(b) for b in names] for a in names]
    texts = [["" if x is None else percent_text(x, "\n") for x in row] for row in cells]
    labels = list(short_labels(names).values())
    size = 1.25 * len(names)
    with drawing(folder, "head_to_head", 1.9 + size, 1.3 + 0.55 * size) as figure:
        axes = figure.subplots()
        values = [[rate and rate["value"] for rate in row] for row in cells]
        heat_map(axes, values, labels, labels, colours="RdBu", limits=(0, 1), texts=texts)
        axes.xaxis.tick_top()
        axes.set_title("Games won by the row against the column", fontsize=10, pad=9)


def percent_text(rate: Mapping[str, Any], between: str = " ") -> str:
    """``62% [58, 66]``."""
    value, low, high = (f"{100 * rate[key]:.0f}" for key in ("value", "low", "high"))
    return f"{value}%{between}[{low}, {high}]"


FIGURES: dict[str, Callable[[Path, Summary], None]] = {
    "compliance": compliance,
    "gt_agreement": agreement,
    "gt_kappa": partial(agreement, corrected=True),
    "archetypes": archetypes,
    "radar": radar,
    "trade_offs": trade_offs,
    "grudges": grudges,
    "personas": personas,
    "persona_shifts": persona_shifts,
    "head_to_head": head_to_head,
}
"""What draws which file."""


def draw_all(folder: Path, summary: Summary) -> dict[str, str]:
    """Draw what the run allows; returns why the rest is left out, by the figure's name."""
    missing = {}
    for name, draw in FIGURES.items():
        # A run that is resumed may have drawn it before.
        (folder / f"{name}.png").unlink(missing_ok=True)
        if why := _draw(draw, folder, summary):
            missing[name] = why
    return missing


def _draw(draw: Callable[[Path, Summary], None], folder: Path, summary: Summary) -> str:
    """Draw a figure; returns why it cannot be drawn, if so."""
    try:
        draw(folder, summary)
    except CannotDraw as why:
        return str(why)
    return ""
