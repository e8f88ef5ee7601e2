"""LudoBench's figures (arXiv:2604.05681, figures 2 to 8), from a run's summary, with intervals.

Each function draws one file and raises ``CannotDraw`` where the run holds nothing to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, cos, pi, sin
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from stratagym.benchmarks.ludobench.metrics import PERSONA_METRICS
from stratagym.benchmarks.ludobench.spots import CATEGORIES
from stratagym.benchmarks.report import (
    INK,
    LINE,
    SOFT,
    CannotDraw,
    Look,
    against,
    drawing,
    heat_map,
    looks,
    number,
)
from stratagym.benchmarks.stats import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Summary = Mapping[str, Any]
TRADE_OFFS = (
    ("capture_vs_safe", "safe_rate"),
    ("capture_vs_home", "home_entry_rate"),
    ("capture_vs_home_finish", "home_finish_rate"),
    ("capture_vs_openexisting", "open_rate"),
)
"""Categories that set capturing against something else, and the rate of that."""

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
_WRONG, _UNREADABLE, _LOST = "#0072b2", "#e69f00", "#c4cacf"


# --- reading a summary ---------------------------------------------------------------------------


def models(summary: Summary) -> list[str]:
    """The policies that are language models: they have a model in the configuration."""
    named = {p["name"] for p in summary["config"]["policies"] if "model" in p}
    return [name for name in summary["policies"] if name in named or name.startswith("llm:")]


def ordered(summary: Summary) -> list[str]:
    """Every policy: models first, then the built-in ones."""
    chosen = models(summary)
    return chosen + [name for name in summary["policies"] if name not in chosen]


def base_persona(summary: Summary, policy: str) -> str:
    """``none``, or the first persona of a policy that was never asked without one."""
    by_persona = summary["policies"][policy]
    return "none" if "none" in by_persona else next(iter(by_persona))


def plain(summary: Summary, policy: str) -> Mapping[str, Any]:
    """A policy's metrics by category, under its base persona."""
    return summary["policies"][policy][base_persona(summary, policy)]


def find(table: Mapping[str, Any], category: str, metric: str) -> Mapping[str, Any] | None:
    """A rate of a category, or None where there is no case of it."""
    rate = table.get(category, {}).get(metric)
    return rate if rate is not None and rate["value"] is not None else None


def fullest(summary: Summary, category: str, metric: str) -> Mapping[str, Any] | None:
    """The rate that rests on most cases: its chance is that of the whole category."""
    found = [rate for p in ordered(summary) if (rate := find(plain(summary, p), category, metric))]
    return max(found, key=lambda rate: rate["n"], default=None)


def preference(table: Mapping[str, Any], category: str, other: str) -> dict[str, Any] | None:
    """How a trade-off is decided, -1 always capture, 1 always ``other``: (right - left) / both.

    The interval is that of the share of ``other`` among the decisions for one of the two.
    """
    left, right = find(table, category, "capture_rate"), find(table, category, other)
    if left is None or right is None:
        return None
    a, b = (round(rate["value"] * rate["n"]) for rate in (left, right))
    share = wilson(b, a + b)
    if share.value is None or share.low is None or share.high is None:
        return None
    by_chance = (left["chance"] or 0, right["chance"] or 0)
    return {
        "value": 2 * share.value - 1,
        "low": 2 * share.low - 1,
        "high": 2 * share.high - 1,
        "n": a + b,
        "chance": (by_chance[1] - by_chance[0]) / sum(by_chance) if sum(by_chance) else None,
    }


def shift(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> dict | None:
    """``after`` minus ``before`` with Newcombe's interval (1998, method 10), as if unpaired."""
    if before is None or after is None:
        return None
    change = after["value"] - before["value"]
    below = (after["value"] - after["low"]) ** 2 + (before["high"] - before["value"]) ** 2
    above = (after["high"] - after["value"]) ** 2 + (before["value"] - before["low"]) ** 2
    return {
        "value": change,
        "low": change - below**0.5,
        "high": change + above**0.5,
        "n": min(after["n"], before["n"]),
        "chance": 0.0,
    }


def _looks(summary: Summary) -> dict[str, Look]:
    return looks(ordered(summary), models(summary), summary["reference"])


def _columns(summary: Summary) -> list[str]:
    return [category for category in CATEGORIES if category in summary["categories"]]


def _ends(rate: Mapping[str, Any]) -> list[list[float]]:
    """Lengths of an error bar, as matplotlib takes them."""
    value = rate["value"]
    return [[max(0.0, value - rate["low"])], [max(0.0, rate["high"] - value)]]


def _list_policies(axes: Axes, labels: Sequence[str], gap: int = 0) -> None:
    """Policies down the y axis, the first on top; a line after the first ``gap``."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    if 0 < gap < len(labels):
        axes.axhline(gap - 0.5, color=LINE, linewidth=1)


# --- the figures ---------------------------------------------------------------------------------


def compliance(folder: Path, summary: Summary) -> None:
    """Invalid answers of every model, by kind, and connections lost for good."""
    names = models(summary)
    if not names:
        raise CannotDraw("no language model took part, and built-in policies only play legal moves")
    kinds = [plain(summary, name)["overall"]["kinds"] for name in names]
    rates = [find(plain(summary, name), "overall", "llm_invalid_rate") for name in names]
    lost = any(kind["transport"] for kind in kinds)
    look = _looks(summary)
    with drawing(folder, "compliance", 8.6, 1.25 + 0.36 * len(names)) as figure:
        panels = figure.subplots(
            1, 1 + lost, sharey=True, squeeze=False, width_ratios=[2.6, 1][: 1 + lost]
        )[0]
        top = max([0.05, *(rate["high"] for rate in rates if rate)])
        for y, (kind, rate) in enumerate(zip(kinds, rates, strict=True)):
            if rate is None:
                panels[0].text(0.01 * top, y, "no answer came", va="center", color=SOFT)
                continue
            start = 0.0
            for name, colour in (("illegal", _WRONG), ("unparseable", _UNREADABLE)):
                share = kind[name] / rate["n"]
                panels[0].barh(y, share, 0.62, start, color=colour)
                start += share
            panels[0].errorbar(rate["value"], y, xerr=_ends(rate), color=INK, lw=1.1, capsize=3)
            panels[0].text(
                rate["high"] + 0.02 * top, y, f"{100 * rate['value']:.1f}%", va="center", fontsize=9
            )
        panels[0].set(xlim=(0, top * 1.17), xlabel="share of all answers", title="Invalid answers")
        if lost:
            asked = [sum(kind.values()) for kind in kinds]
            shares = [kind["transport"] / n if n else 0 for kind, n in zip(kinds, asked)]  # noqa: B905
            panels[1].barh(range(len(names)), shares, 0.62, color=_LOST, hatch="///", ec="white")
            for y, share in enumerate(shares):
                panels[1].text(
                    share + 0.03 * max(shares), y, f"{100 * share:.1f}%", va="center", fontsize=9
                )
            panels[1].set(
                xlim=(0, max(shares) * 1.35),
                xlabel="share of all questions",
                title="No answer came",
            )
        for panel in panels:
            panel.xaxis.set_major_formatter(lambda x, _: f"{100 * x:g}%")
            panel.xaxis.set_major_locator(_few_ticks(5 if panel is panels[0] else 3))
            panel.grid(axis="x")
        _list_policies(panels[0], [look[name].label for name in names])
        for name, colour in (("illegal move", _WRONG), ("unreadable", _UNREADABLE)):
            panels[0].barh([0], [0], color=colour, label=name)
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)


def _few_ticks(n: int) -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(n)


def agreement(folder: Path, summary: Summary, *, corrected: bool = False) -> None:
    """Agreement with the reference by category, above the levels that say nothing of skill."""
    names = [name for name in ordered(summary) if name != summary["reference"]]
    if not names:
        raise CannotDraw("only the reference itself took part")
    columns = [*_columns(summary), "overall"]
    metric = "gt_position_kappa" if corrected else "gt_position_rate"
    look = _looks(summary)
    rates = [[find(plain(summary, name), c, metric) for c in columns] for name in names]
    labels = [look[name].label for name in names]
    if not corrected:
        cases = [fullest(summary, c, metric) for c in columns]
        rates.append([rate and {**rate, "value": rate["chance"]} for rate in cases])
        rates.append([fullest(summary, c, "gt_position_lowest") for c in columns])
        labels += ["uniform chance", "lowest index"]
    known = len(names)
    faint = [
        [r < known and (x is None or not against(x, x["chance"])) for x in row]
        for r, row in enumerate(rates)
    ]
    name = "gt_kappa" if corrected else "gt_agreement"
    with drawing(folder, name, 1.9 + 0.68 * len(columns), 1.75 + 0.31 * len(rates)) as figure:
        axes = figure.subplots()
        heat_map(
            axes,
            [[rate and rate["value"] for rate in row] for row in rates],
            labels,
            columns,
            colours="RdBu" if corrected else "YlGnBu",
            limits=(-1, 1) if corrected else (0, 1),
            faint=faint,
            gap=known,
        )
        axes.set_xticks(
            range(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor"
        )
        axes.axvline(len(columns) - 1.5, color="white", linewidth=5)
        what = "beyond chance (kappa: 0 is chance, 1 always)" if corrected else "by category"
        axes.set_title(f"Agreement with {summary['reference']} {what}", loc="left", pad=10)
        figure.supxlabel(
            "light italics: the interval holds the chance level", fontsize=8.5, color=SOFT
        )


def kappa_map(folder: Path, summary: Summary) -> None:
    """The same agreement, corrected for chance."""
    agreement(folder, summary, corrected=True)


def archetypes(folder: Path, summary: Summary) -> None:
    """Bringing pieces out against finishing them: builders, finishers, both or neither."""
    where = (("extra_turn", "bring_out_rate"), ("capture_vs_home_finish", "home_finish_rate"))
    for category, _ in where:
        if category not in summary["categories"]:
            raise CannotDraw(f"the run leaves out the category {category}")
    look = _looks(summary)
    points = {
        name: [find(plain(summary, name), *axis) for axis in where] for name in ordered(summary)
    }
    points = {name: pair for name, pair in points.items() if None not in pair}
    if not points:
        raise CannotDraw("no valid answer in extra_turn and capture_vs_home_finish")
    of_models = [points[name] for name in models(summary) if name in points]
    with drawing(folder, "archetypes", 7.8, 5.4) as figure:
        axes = figure.subplots()
        corners = (("builders", 1, 0), ("finishers", 0, 1), ("both", 1, 1), ("neither", 0, 0))
        for word, x, y in corners:
            axes.annotate(
                word, (x, y), (9 - 18 * x, 9 - 18 * y), textcoords="offset points",
                ha=("left", "right")[x], va=("bottom", "top")[y], color="#98a2aa", fontsize=11,
                xycoords="axes fraction", style="italic",
            )  # fmt: skip
        if len(of_models) > 1:
            middle = [median(pair[k]["value"] for pair in of_models) for k in range(2)]
            style = {"color": SOFT, "lw": 1, "ls": (0, (5, 4)), "zorder": 1}
            axes.axvline(middle[0], **style)
            axes.axhline(middle[1], label="medians of the models", **style)
        by_chance = [fullest(summary, *axis) for axis in where]
        if all(rate and rate["chance"] is not None for rate in by_chance):
            xy = [rate["chance"] for rate in by_chance if rate]
            axes.plot(*xy, "x", color=SOFT, ms=8, mew=2, ls="", label="uniform chance")
        for (name, pair), (dx, dy) in zip(points.items(), _apart(points), strict=True):
            x, y = pair[0]["value"] + dx, pair[1]["value"] + dy
            style = look[name]
            star = name == summary["reference"]
            axes.errorbar(
                x, y, xerr=_ends(pair[0]), yerr=_ends(pair[1]), color=style.colour,
                fmt=style.marker, ms=15 if star else 8, mec="white", mew=0.8,
                elinewidth=1, ecolor=(*_rgb(style.colour), 0.35), zorder=3 + star,
                label=f"{style.label} (reference)" if star else style.label,
            )  # fmt: skip
        axes.set(
            xlim=(-0.06, 1.06), ylim=(-0.06, 1.06),
            xlabel="brings a piece out after a six (extra_turn)",
            ylabel="finishes rather than captures (capture_vs_home_finish)",
        )  # fmt: skip
        axes.grid()
        axes.set_title("Builders and finishers", loc="left")
        figure.legend(loc="outside right upper", fontsize=8.5, labelspacing=0.75)


def _rgb(colour: str) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


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
        if len(group) > 1:
            radius = 0.022 if len(group) < 5 else 0.035
            for at, k in enumerate(group):
                turn = 2 * pi * at / len(group)
                result[k] = radius * cos(turn), radius * sin(turn)
    return result


def radar(folder: Path, summary: Summary) -> None:
    """A small radar for each policy with the reference and chance behind it."""
    axes_ = [axis for axis in RADAR if axis[1] in summary["categories"]]
    if len(axes_) < 3:
        raise CannotDraw("fewer than three of the seven categories it needs are in the run")
    reference = summary["reference"]
    names = [name for name in ordered(summary) if name != reference] or ordered(summary)
    look = _looks(summary)

    def values(table: Mapping[str, Any], chance: bool = False) -> list[float]:
        result = []
        for _, category, metric in axes_:
            if metric in VIOLATIONS:
                # A uniformly random legal move breaks no rule.
                rate = find(table, category, metric)
                result.append(1.0 if chance else 1 - rate["value"] if rate else float("nan"))
            else:
                rate = (
                    fullest(summary, category, metric) if chance else find(table, category, metric)
                )
                value = rate and rate["chance" if chance else "value"]
                result.append(float("nan") if value is None else value)
        return [*result, result[0]]

    turns = [2 * pi * k / len(axes_) for k in range(len(axes_))]
    closed = [*turns, turns[0]]
    across = min(4, len(names))
    down = ceil(len(names) / across)
    with drawing(folder, "radar", max(5.0, 2.65 * across), 2.75 * down + 0.5) as figure:
        for at, name in enumerate(names):
            axes = figure.add_subplot(down, across, at + 1, projection="polar")
            axes.set_theta_offset(pi / 2)
            axes.set_theta_direction(-1)
            style = look[name]
            axes.plot(
                closed, values({}, True), color="#98a2aa", lw=1.1, ls=":", label="uniform chance"
            )
            if reference in summary["policies"] and name != reference:
                theirs = values(plain(summary, reference))
                axes.plot(closed, theirs, color=INK, lw=1.2, ls=(0, (4, 2)), label=reference)
            own = values(plain(summary, name))
            axes.fill(closed, own, color=style.colour, alpha=0.22)
            axes.plot(closed, own, color=style.colour, lw=1.8, marker=".", ms=6)
            axes.set_title(style.label, fontsize=9.5, pad=17, color=style.colour)
            axes.set_ylim(0, 1.02)
            axes.set_yticks([0.25, 0.5, 0.75, 1], [])
            axes.set_xticks(turns, [""] * len(turns))
            for turn, (title, *_) in zip(turns, axes_, strict=True):
                side = sin(turn)
                axes.text(
                    turn, 1.1, title, fontsize=7.5, linespacing=0.9, color=SOFT,
                    ha="center" if abs(side) < 0.25 else "left" if side > 0 else "right",
                    va="bottom" if cos(turn) > 0.9 else "center",
                )  # fmt: skip
            axes.spines["polar"].set_color(LINE)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=2, fontsize=9)


def trade_offs(folder: Path, summary: Summary) -> None:
    """Which of two aims a policy goes for; the dashed line is the reference."""
    chosen = [pair for pair in TRADE_OFFS if pair[0] in summary["categories"]]
    names = [name for name in ordered(summary) if name != summary["reference"]] or ordered(summary)
    if not chosen:
        raise CannotDraw("the run holds no category that sets capturing against something else")
    look = _looks(summary)
    with drawing(folder, "trade_offs", 2.2 + 2.3 * len(chosen), 1.75 + 0.34 * len(names)) as figure:
        panels = figure.subplots(1, len(chosen), sharey=True, squeeze=False)[0]
        for axes, (category, other) in zip(panels, chosen, strict=True):
            axes.axvline(0, color=SOFT, lw=0.8)
            for y, name in enumerate(names):
                lean = preference(plain(summary, name), category, other)
                if lean is None:
                    axes.text(0, y, " no case", va="center", fontsize=8, color=SOFT)
                    continue
                axes.barh(y, lean["value"], 0.6, color=look[name].colour, alpha=0.8)
                axes.errorbar(lean["value"], y, xerr=_ends(lean), color=INK, lw=1, capsize=2.5)
            best = fullest(summary, category, other)
            level = preference(
                {
                    category: {
                        "capture_rate": fullest(summary, category, "capture_rate"),
                        other: best,
                    }
                },
                category,
                other,
            )
            if level and level["chance"] is not None:
                axes.axvline(
                    level["chance"], color="#98a2aa", lw=1.3, ls=":", label="uniform chance"
                )
            if summary["reference"] in summary["policies"]:
                theirs = preference(plain(summary, summary["reference"]), category, other)
                if theirs:
                    axes.axvline(
                        theirs["value"], color="#009e73", lw=2, ls=(0, (4, 2)),
                        label=f"{summary['reference']} (reference)",
                    )  # fmt: skip
            aim = other.removesuffix("_rate").replace("home_", "").replace("entry", "home")
            axes.set_title(category, fontsize=9, pad=18)
            for word, x, side in (("← capture", 0, "left"), (f"{aim} →", 1, "right")):
                axes.text(
                    x, 1.02, word, transform=axes.transAxes, ha=side, color=SOFT, fontsize=8.5
                )
            axes.set(xlim=(-1.08, 1.08), xticks=(-1, -0.5, 0, 0.5, 1))
            axes.set_xticklabels(["-1", "-.5", "0", ".5", "1"], fontsize=8)
            axes.grid(axis="x")
        _list_policies(panels[0], [look[n].label for n in names], gap=len(models(summary)))
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=9)


def _styled(summary: Summary) -> list[str]:
    names = [name for name in models(summary) if summary["persona_alignment"].get(name)]
    if not names:
        raise CannotDraw("it needs a language model asked both without a persona and with one")
    return names


def personas(folder: Path, summary: Summary) -> None:
    """How far each persona moved a model the way it should."""
    names = _styled(summary)
    columns = [
        p for p in PERSONA_METRICS if any(p in summary["persona_alignment"][n] for n in names)
    ]
    scores = [[summary["persona_alignment"][name].get(p) for p in columns] for name in names]
    look = _looks(summary)
    with drawing(folder, "personas", 3.2 + 1.1 * len(columns), 1.3 + 0.34 * len(names)) as figure:
        axes = figure.subplots()
        heat_map(
            axes,
            [[score and score["value"] for score in row] for row in scores],
            [look[name].label for name in names],
            columns,
            colours="RdBu",
            limits=(0, 1),
            texts=[
                [
                    "–"
                    if s is None
                    else number(s["value"])
                    + (f" ({s['metrics']}/{s['of']})" if s["metrics"] < s["of"] else "")
                    for s in row
                ]
                for row in scores
            ],
        )
        axes.xaxis.tick_top()
        figure.suptitle("Persona alignment: 1 follows, .5 no effect, 0 the opposite", fontsize=10.5)


def persona_shifts(folder: Path, summary: Summary) -> None:
    """How much each persona changed the rates it is judged by, in points."""
    names = _styled(summary)
    scored = summary["persona_alignment"]
    columns = [
        (persona, *expected)
        for persona, metrics in PERSONA_METRICS.items()
        if any(persona in scored[name] for name in names)
        for expected in metrics
        if expected[0] in summary["categories"]
    ]
    shifts = []
    for name in names:
        tables = summary["policies"][name]
        shifts.append(
            [
                shift(
                    find(tables["none"], category, metric),
                    find(tables.get(persona, {}), category, metric),
                )
                for persona, category, metric, _ in columns
            ]
        )
    look = _looks(summary)
    width, height = 2.2 + 0.56 * len(columns), 2.9 + 0.31 * len(names)
    with drawing(folder, "persona_shifts", max(6.0, width), height) as figure:
        axes = figure.subplots()
        heat_map(
            axes,
            [[s and s["value"] for s in row] for row in shifts],
            [look[name].label for name in names],
            [
                f"{_short(c)}: {m.removesuffix('_rate')} {'↑' if d > 0 else '↓'}"
                for _, c, m, d in columns
            ],
            colours="PuOr",
            limits=(-0.6, 0.6),
            texts=[
                ["–" if s is None else f"{100 * s['value']:+.0f}" for s in row] for row in shifts
            ],
            faint=[[s is None or not against(s, 0) for s in row] for row in shifts],
        )
        axes.tick_params(axis="x", labelsize=8)
        for label in axes.get_xticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor")
        start = 0
        for persona in dict.fromkeys(column[0] for column in columns):
            width_ = sum(column[0] == persona for column in columns)
            axes.text(
                start + width_ / 2 - 0.5, -0.75, persona, ha="center", weight="bold", fontsize=9
            )
            start += width_
            if start < len(columns):
                axes.axvline(start - 0.5, color="white", linewidth=6)
        figure.suptitle("Change of a rate under a persona, in points", fontsize=10.5)
        figure.supxlabel(
            "arrow: the expected direction; light italics: the interval holds no change",
            fontsize=8.5, color=SOFT,
        )  # fmt: skip


def _short(category: str) -> str:
    if "_vs_" not in category:
        return category.removesuffix("_paired")
    left, right = category.split("_vs_")
    return f"{left} vs {right.removeprefix('home_')}"


def head_to_head(folder: Path, summary: Summary) -> None:
    """How often the row's policy beats the column's, in games of two."""
    duels = summary["head_to_head"]["wins"]
    names = [name for name in duels if duels[name]]
    if len(names) < 2:
        why = "needs two built-in policies" if summary["head_to_head"]["games"] else "was left out"
        raise CannotDraw(f"the match of built-in policies {why}")
    look = _looks(summary)
    size = 1.25 * len(names)
    with drawing(folder, "head_to_head", 1.7 + size, 1.1 + 0.62 * size) as figure:
        axes = figure.subplots()
        cells = [[duels[a].get(b) for b in names] for a in names]
        labels = [look[n].label if n in look else n for n in names]
        heat_map(
            axes,
            [[rate and rate["value"] for rate in row] for row in cells],
            labels,
            labels,
            colours="RdBu",
            limits=(0, 1),
            texts=[
                [
                    ""
                    if x is None
                    else f"{100 * x['value']:.0f}%\n[{100 * x['low']:.0f}, {100 * x['high']:.0f}]"
                    for x in row
                ]
                for row in cells
            ],
        )
        axes.xaxis.tick_top()
        axes.set(ylabel="wins of", xlabel="against")
        axes.xaxis.set_label_position("top")


def grudges(folder: Path, summary: Summary) -> None:
    """Retaliation without and with a grudge on the same boards, and how often the move changes."""
    if "grudge_paired" not in summary["categories"]:
        raise CannotDraw("the run leaves out the category grudge_paired")
    names, look = ordered(summary), _looks(summary)
    with drawing(folder, "grudges", 9.2, 1.5 + 0.42 * len(names)) as figure:
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.6, 1])
        for y, name in enumerate(names):
            table, colour = plain(summary, name), look[name].colour
            pair = [
                find(table, "grudge_paired", f"retaliation_{c}_rate")
                for c in ("noconflict", "grudge")
            ]
            if pair[0] and pair[1] and abs(pair[1]["value"] - pair[0]["value"]) > 0.02:
                left.annotate(
                    "", (pair[1]["value"], y + 0.13), (pair[0]["value"], y - 0.13),
                    arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 4},
                )  # fmt: skip
            for rate, dy, face in zip(pair, (-0.13, 0.13), ("white", colour), strict=True):
                if rate:
                    left.errorbar(
                        rate["value"], y + dy, xerr=_ends(rate), fmt="o", ms=6.5, color=colour,
                        mfc=face, mew=1.5, ecolor=(*_rgb(colour), 0.5), elinewidth=1.2, capsize=2,
                    )  # fmt: skip
            change = find(table, "grudge_paired", "change_rate")
            if change:
                right.barh(y, change["value"], 0.5, color=colour, alpha=0.8)
                right.errorbar(change["value"], y, xerr=_ends(change), color=INK, lw=1, capsize=2.5)
        for axes, metric in ((left, "retaliation_grudge_rate"), (right, "change_rate")):
            level = fullest(summary, "grudge_paired", metric)
            if level and level["chance"] is not None:
                axes.axvline(
                    level["chance"], color="#98a2aa", lw=1.3, ls=":", label="uniform chance"
                )
            axes.set_xlim(-0.02, 1.02)
            axes.grid(axis="x")
            axes.xaxis.set_major_formatter(lambda x, _: number(x) if x else "0")
        left.plot([], [], "o", color=SOFT, mfc="white", mew=1.5, label="neutral history")
        left.plot([], [], "o", color=SOFT, label="grudge history")
        left.set_title("Captures the accused player's piece", loc="left")
        right.set_title("Moves otherwise than without", loc="left")
        _list_policies(left, [look[name].label for name in names], gap=len(models(summary)))
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9)


FIGURES: dict[str, Callable[[Path, Summary], None]] = {
    "compliance": compliance,
    "gt_agreement": agreement,
    "gt_kappa": kappa_map,
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
        try:
            draw(folder, summary)
        except CannotDraw as why:
            missing[name] = str(why)
            # A run that is resumed may have drawn it before.
            (folder / f"{name}.png").unlink(missing_ok=True)
    return missing
