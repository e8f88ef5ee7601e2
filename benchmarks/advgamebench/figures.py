"""The figures of AdvGameBench, from a run's summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.benchmarks.advgamebench.score import RADAR
from stratagym.benchmarks.reporting.correlation import FEWEST
from stratagym.benchmarks.reporting.plots import SOFT, Look, drawing, looks

Summary = Mapping[str, Any]


def _looks(summary: Summary) -> dict[str, Look]:
    named = [row["policy"] for row in summary["policies"]]
    plain = [name for name in named if name == "random" or name.startswith("control:")]
    return looks(named, [name for name in named if name not in plain])


def _ends(rates: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    """How far the intervals of rates reach to both sides."""
    return [
        [0.0 if rate[end] is None else abs(rate[end] - rate["value"]) for rate in rates]
        for end in ("low", "high")
    ]


def draw_updates(folder: Path, summary: Summary) -> Path:
    """Figure 3: wins after the i-th update, and slopes."""
    seen = _looks(summary)
    from matplotlib.ticker import MaxNLocator

    with drawing(folder, "updates", 9.0, 3.6) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(2, 1))
        for name, rates in summary["updates"].items():
            known = [(k + 1, rate) for k, rate in enumerate(rates) if rate["value"] is not None]
            if not known:
                continue
            x = [k for k, _ in known]
            y = [rate["value"] for _, rate in known]
            look = seen[name]
            left.plot(x, y, color=look.colour, marker=look.marker, label=look.label)
            low = [r["value"] if r["low"] is None else r["low"] for _, r in known]
            high = [r["value"] if r["high"] is None else r["high"] for _, r in known]
            left.fill_between(x, low, high, color=look.colour, alpha=0.12, linewidth=0)
        left.xaxis.set_major_locator(MaxNLocator(integer=True))
        left.set_xlabel("update")
        left.set_ylabel("share of rounds won")
        left.set_ylim(-0.02, 1.02)
        rows = [row for row in summary["policies"] if row["pooled"]["slope"]["value"] is not None]
        rates = [row["pooled"]["slope"] for row in rows]
        right.barh(
            range(len(rows)), [rate["value"] for rate in rates], xerr=_ends(rates),
            color=[seen[row["policy"]].colour for row in rows], ecolor=SOFT, capsize=2,
        )  # fmt: skip
        right.set_yticks(range(len(rows)), [seen[row["policy"]].label for row in rows])
        right.invert_yaxis()
        right.set_xlabel("slope")
        if summary["updates"]:
            figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return folder / "updates.png"


def draw_use(folder: Path, summary: Summary) -> Path:
    """What plans cost of the budget, by round."""
    seen = _looks(summary)
    from matplotlib.ticker import MaxNLocator

    with drawing(folder, "budget_use", 7.0, 3.0) as figure:
        axes = figure.subplots()
        for name, rates in summary["budget_use"].items():
            known = [(k + 1, r["value"]) for k, r in enumerate(rates) if r["value"] is not None]
            look = seen[name]
            axes.plot(*zip(*known, strict=True), color=look.colour, marker=look.marker,
                      label=look.label) if known else None  # fmt: skip
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.axhline(1, color=SOFT, linewidth=0.8)
        axes.set_xlabel("round")
        axes.set_ylabel("cost / budget")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return folder / "budget_use.png"


def draw_radar(folder: Path, summary: Summary) -> Path:
    """Five axes a policy."""
    seen = _looks(summary)
    angles = np.linspace(0, 2 * np.pi, len(RADAR), endpoint=False)
    with drawing(folder, "radar", 5.6, 4.2) as figure:
        axes = figure.add_subplot(projection="polar")
        for name, one in summary["scores"].items():
            if None in one["radar_axes"]:
                continue
            values = [*one["radar_axes"], one["radar_axes"][0]]
            look = seen[name]
            axes.plot([*angles, angles[0]], values, color=look.colour, label=look.label)
            axes.fill([*angles, angles[0]], values, color=look.colour, alpha=0.08)
        axes.set_xticks(angles, RADAR)
        axes.set_ylim(0, 1)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return folder / "radar.png"


def draw_budget(folder: Path, summary: Summary) -> Path:
    """Figure 4: plans over budget, ascending."""
    seen = _looks(summary)
    rows = [row for row in summary["policies"] if row["mean"]["OBR"]["value"] is not None]
    rows.sort(key=lambda row: row["mean"]["OBR"]["value"])
    rates = [row["mean"]["OBR"] for row in rows]
    with drawing(folder, "over_budget", 6.0, 1.2 + 0.35 * len(rows)) as figure:
        axes = figure.subplots()
        axes.barh(
            range(len(rows)), [rate["value"] for rate in rates], xerr=_ends(rates),
            color=[seen[row["policy"]].colour for row in rows], ecolor=SOFT, capsize=2,
        )  # fmt: skip
        axes.set_yticks(range(len(rows)), [seen[row["policy"]].label for row in rows])
        axes.set_xlabel("plans over budget")
        axes.set_xlim(0, 1)
    return folder / "over_budget.png"


def draw_orr(folder: Path, summary: Summary) -> Path:
    """Figure 5: ORR against four metrics, a point a policy, with a line where there are enough."""
    seen = _looks(summary)
    with drawing(folder, "orr", 8.0, 6.0) as figure:
        handles: dict[str, Any] = {}
        for axes, one in zip(figure.subplots(2, 2).flat, summary["figure_5"], strict=True):
            for name, x, y in zip(one["policies"], one["x"], one["y"], strict=True):
                look = seen[name]
                (point,) = axes.plot(x, y, look.marker, color=look.colour)
                handles.setdefault(look.label, point)
            found = one["correlation"]
            if found is None:
                few = len(one["x"]) < FEWEST
                axes.set_title("too few policies" if few else "no spread")
            else:
                x, y = np.array(one["x"]), np.array(one["y"])
                slope = ((x - x.mean()) @ (y - y.mean())) / ((x - x.mean()) @ (x - x.mean()))
                ends = np.array([x.min(), x.max()])
                axes.plot(ends, y.mean() + slope * (ends - x.mean()), color=SOFT, linewidth=1)
                axes.set_title(
                    f"r = {found['pearson']:.2f}, p = {found['p']:.3f}, n = {found['n']}"
                )
            axes.set_xlabel("ORR")
            axes.set_ylabel(one["metric"])
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    return folder / "orr.png"
