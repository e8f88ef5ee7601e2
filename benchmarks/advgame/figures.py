"""The figures of AdvGameBench, from a run's summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagym.benchmarks.advgame.beside import is_chance
from stratagym.benchmarks.advgame.budgets import CURVES, SPENT
from stratagym.benchmarks.advgame.score import RADAR
from stratagym.benchmarks.reporting.correlation import FEWEST
from stratagym.benchmarks.reporting.plots import SOFT, Look, drawing, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Summary = Mapping[str, Any]
Rates = Sequence[Mapping[str, Any]]
ROW = 0.32
"""Inches that a bar takes."""


def _looks(summary: Summary) -> dict[str, Look]:
    """Colours for policies, greys for yardsticks."""
    named = [row["policy"] for row in summary["policies"]]
    named += [name for name in summary["budgets"] if name not in named]
    played = [row["policy"] for row in summary["policies"] if not is_chance(row["policy"])]
    return looks(named, played)


def _ends(rates: Rates) -> list[list[float]]:
    """How far the intervals of rates reach to both sides."""
    return [
        [0.0 if rate[end] is None else abs(rate[end] - rate["value"]) for rate in rates]
        for end in ("low", "high")
    ]


def _curve(axes: Axes, look: Look, x: Sequence[float], rates: Rates) -> None:
    """A line with a band, through the rates that have a value."""
    known = [(at, rate) for at, rate in zip(x, rates, strict=True) if rate["value"] is not None]
    if not known:
        return
    at, values = [k for k, _ in known], [rate["value"] for _, rate in known]
    axes.plot(at, values, color=look.colour, marker=look.marker, markersize=4, label=look.label)
    low, high = (
        [rate["value"] if rate[end] is None else rate[end] for _, rate in known]
        for end in ("low", "high")
    )
    axes.fill_between(at, low, high, color=look.colour, alpha=0.12, linewidth=0)


def _bars(axes: Axes, seen: Mapping[str, Look], rates: Mapping[str, Mapping[str, Any]]) -> None:
    """A bar a policy, from above, with its interval; nothing where there is no case."""
    known = [(k, name, r) for k, (name, r) in enumerate(rates.items()) if r["value"] is not None]
    if known:
        axes.barh(
            [k for k, *_ in known], [r["value"] for *_, r in known],
            xerr=_ends([r for *_, r in known]),
            color=[seen[name].colour for _, name, _ in known], ecolor=SOFT, capsize=2,
        )  # fmt: skip
    axes.set_yticks(range(len(rates)), [seen[name].label for name in rates])
    axes.set_ylim(len(rates) - 0.4, -0.6)


def _counted(axes: Axes, title: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(title)


def draw_updates(folder: Path, summary: Summary) -> Path:
    """Figure 3: wins after the i-th update, and slopes."""
    seen = _looks(summary)
    rows = summary["policies"]
    with drawing(folder, "updates", 9.0, 3.2 + 0.12 * len(rows)) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(2, 1))
        for name, rates in summary["updates"].items():
            _curve(left, seen[name], range(1, len(rates) + 1), rates)
        _counted(left, "update")
        left.set_ylabel("share of rounds won")
        left.set_ylim(-0.02, 1.02)
        _bars(right, seen, {row["policy"]: row["pooled"]["slope"] for row in rows})
        right.axvline(0, color=SOFT, linewidth=0.8)
        right.set_xlabel("slope")
        right.locator_params(axis="x", nbins=4)
        handles = left.get_legend_handles_labels()
        if handles[0]:
            figure.legend(*handles, loc="outside lower center", ncols=3)
    return folder / "updates.png"


def draw_process(folder: Path, summary: Summary) -> Path:
    """What plans cost of the budget, by round; how alike revisions and old plans are, by update."""
    seen = _looks(summary)
    with drawing(folder, "process", 9.0, 3.6) as figure:
        left, right = figure.subplots(1, 2)
        for name, rates in summary["budget_use"].items():
            _curve(left, seen[name], range(1, len(rates) + 1), rates)
        left.axhline(1, color=SOFT, linewidth=0.8)
        _counted(left, "round")
        left.set_ylabel("cost / budget")
        left.set_ylim(0, None)
        for name, one in summary["similarity"].items():
            _curve(right, seen[name], range(1, len(one["by_update"]) + 1), one["by_update"])
        levels = [one["chance"] for one in summary["similarity"].values() if one["chance"]]
        if levels:
            level = float(np.mean(levels))
            right.axhline(level, color=SOFT, linestyle=":", label="two random plans")
            right.legend(*([one[-1]] for one in right.get_legend_handles_labels()))
        _counted(right, "update")
        right.set_ylabel("similarity to the plan before")
        right.set_ylim(0, 1.02)
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return folder / "process.png"


def draw_advantage(folder: Path, summary: Summary) -> Path:
    """Figure 6: metrics when first to update minus when second."""
    seen = _looks(summary)
    rows = summary["policies"]
    names = list(rows[0]["FMA"])
    with drawing(folder, "first_move", 9.0, 1.0 + ROW * len(rows)) as figure:
        for axes, name in zip(figure.subplots(1, len(names), sharey=True), names, strict=True):
            rates = {row["policy"]: row["FMA"][name] for row in rows}
            _bars(axes, seen, rates)
            axes.axvline(0, color=SOFT, linewidth=0.8)
            far = max([abs(r[e]) for r in rates.values() for e in ("low", "high") if r[e]] + [0.1])
            axes.set_xlim(-1.1 * far, 1.1 * far)
            axes.set_title(name)
            axes.set_xlabel("first minus second")
    return folder / "first_move.png"


def draw_radar(folder: Path, summary: Summary) -> Path:
    """Five axes a policy."""
    seen = _looks(summary)
    angles = np.linspace(0, 2 * np.pi, len(RADAR), endpoint=False)
    with drawing(folder, "radar", 6.4, 4.2) as figure:
        axes = figure.add_subplot(projection="polar")
        for name, one in summary["scores"].items():
            if None in one["radar_axes"]:
                continue
            values = [*one["radar_axes"], one["radar_axes"][0]]
            look = seen[name]
            axes.plot([*angles, angles[0]], values, color=look.colour, label=look.label)
            axes.fill([*angles, angles[0]], values, color=look.colour, alpha=0.08)
        axes.set_xticks(angles, RADAR)
        axes.tick_params(axis="x", pad=10)
        axes.set_ylim(0, 1)
        if axes.lines:
            figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return folder / "radar.png"


def draw_budget(folder: Path, summary: Summary) -> Path:
    """Figure 4: plans over budget, ascending."""
    seen, kind = _looks(summary), summary["points"]
    rows = [row for row in summary["policies"] if row[kind]["OBR"]["value"] is not None]
    rows.sort(key=lambda row: row[kind]["OBR"]["value"])
    with drawing(folder, "over_budget", 6.0, 1.0 + ROW * len(rows)) as figure:
        axes = figure.subplots()
        _bars(axes, seen, {row["policy"]: row[kind]["OBR"] for row in rows})
        axes.set_xlabel("plans over budget")
        axes.set_xlim(0, 1)
        if not any(row[kind]["OBR"]["value"] for row in rows):
            axes.text(0.5, 0.5, "none", ha="center", color=SOFT, transform=axes.transAxes)
    return folder / "over_budget.png"


def draw_orr(folder: Path, summary: Summary) -> Path:
    """Figure 5: ORR against four metrics, a point a policy, with a line where there are enough."""
    seen = _looks(summary)
    with drawing(folder, "orr", 8.6, 7.2) as figure:
        handles: dict[str, Any] = {}
        for axes, one in zip(figure.subplots(2, 2).flat, summary["figure_5"], strict=True):
            _scatter(axes, seen, one, handles)
            axes.set_xlabel("ORR")
            axes.set_ylabel(one["metric"])
        if handles:
            figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    return folder / "orr.png"


def _scatter(
    axes: Axes, seen: Mapping[str, Look], one: Mapping[str, Any], handles: dict[str, Any]
) -> None:
    """Points of policies, small ones of their games, pale ones of yardsticks, and the line."""
    for part, size, alpha in ((one["small"], 3, 0.35), (one["chance"], 6, 0.5)):
        for point in part:
            look = seen[point["policy"]]
            axes.plot(point["x"], point["y"], look.marker, color=look.colour, ms=size, alpha=alpha)
    for name, x, y in zip(one["policies"], one["x"], one["y"], strict=True):
        look = seen[name]
        (point,) = axes.plot(x, y, look.marker, color=look.colour, ms=7)
        handles.setdefault(look.label, point)
    found = one["correlation"]
    if found is None:
        few = len(one["x"]) < FEWEST
        axes.set_title("too few policies" if few else "no spread", loc="left")
        return
    ends = [min(one["x"]), max(one["x"])]
    axes.plot(ends, np.polyval(np.polyfit(one["x"], one["y"], 1), ends), color=SOFT, linewidth=1)
    axes.set_title(
        f"r = {found['pearson']:.2f}, p = {found['p']:.3f}, after Holm {found['p_holm']:.3f}, "
        f"n = {found['n']}\nby shuffles p = {found['p_shuffled']:.3f}; "
        f"Spearman {found['spearman']:.2f}\none left out: {found['low']:.2f} to "
        f"{found['high']:.2f}",
        fontsize=8.5, fontweight="normal", loc="left",
    )  # fmt: skip


def draw_corrections(folder: Path, summary: Summary) -> Path:
    """Win rate against corrections made, and CSR against the redraws'."""
    seen = _looks(summary)
    with drawing(folder, "corrections", 8.6, 3.8) as figure:
        left, right = figure.subplots(1, 2)
        handles: dict[str, Any] = {}
        for row in summary["policies"]:
            look, redraw = seen[row["policy"]], row["redraw_CSR"]
            won, success = (row["pooled"][m]["value"] for m in ("WR", "CSR"))
            if won is not None:
                (point,) = left.plot(row["corrections"], won, look.marker, color=look.colour)
                handles.setdefault(look.label, point)
            if redraw is not None and None not in (redraw["value"], success):
                right.plot(redraw["value"], success, look.marker, color=look.colour)
        left.set_xlabel("corrections made (ORR × negative feedbacks)")
        left.set_ylabel("WR")
        left.set_ylim(-0.02, 1.02)
        if not right.lines:
            right.text(0.5, 0.5, "no redraws were played", ha="center", color=SOFT)
        right.plot([0, 1], [0, 1], color=SOFT, linewidth=0.8)
        right.set(xlabel="CSR of redraws", ylabel="CSR", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        if handles:
            figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    return folder / "corrections.png"


def draw_budgets(folder: Path, summary: Summary) -> Path:
    """Metrics over shares of the budget, and the win rate's difference to the whole one."""
    seen = _looks(summary)
    panels = [*((name, name) for name in CURVES), (SPENT, "cost / budget")]
    with drawing(folder, "budgets", 9.0, 5.6) as figure:
        grid = figure.subplots(2, 3).flat
        for axes, (metric, title) in zip(grid, [*panels, ("", "WR minus WR at x1")], strict=True):
            for name, points in summary["budgets"].items():
                x = [float(factor) for factor in points]
                rates = [
                    point[metric] if metric else point["differences"]["WR"]
                    for point in points.values()
                ]
                order = np.argsort(x)
                _curve(axes, seen[name], [x[k] for k in order], [rates[k] for k in order])
            axes.set_title(title)
            axes.set_xlabel("share of the budget")
            if metric:
                axes.set_ylim(-0.02, None if metric == SPENT else 1.02)
            else:
                axes.axhline(0, color=SOFT, linewidth=0.8)
        figure.legend(*figure.axes[2].get_legend_handles_labels(), loc="outside lower center",
                      ncols=3)  # fmt: skip
    return folder / "budgets.png"
