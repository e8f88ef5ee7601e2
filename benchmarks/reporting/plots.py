"""What the figures of all reports share: colours, labels, the house style, heat maps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratagym.benchmarks.reporting.page import DPI, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
    "#882255", "#7a7a00", "#332288", "#44aa99", "#b58900", "#aa4499",
)  # fmt: skip
"""Colours that colour-blind readers can distinguish (Okabe & Ito, then Tol); with ``MARKERS``."""
MARKERS = "os^DvPX<>hp8"
GREYS = ("#a6a6a6", "#6f6f6f", "#8a7a66", "#4d4d4d")
INK, SOFT, LINE = "#1d2329", "#5d6873", "#d5dadd"


class CannotDraw(Exception):
    """Why a figure is left out, in a few words."""


@dataclass(frozen=True)
class Look:
    """How a policy is drawn, the same in every figure of a report."""

    label: str
    colour: str
    marker: str


def short_labels(names: Sequence[str], width: int = 24) -> dict[str, str]:
    """Short labels for an axis, all different: without prefixes, shortened in the middle."""

    def shorten(text: str) -> str:
        if len(text) <= width:
            return text
        tail = (width - 1) // 2
        return f"{text[: width - 1 - tail]}…{text[-tail:]}"

    for cut in (
        lambda name: shorten(re.sub(r"^(llm|gguf):(.*/)?", "", name)),
        lambda name: shorten(re.sub("^(llm|gguf):", "", name)),
        shorten,
    ):
        labels = {name: cut(name) for name in names}
        if len(set(labels.values())) == len(labels):
            return labels
    return {name: name for name in names}


def looks(policies: Sequence[str], models: Sequence[str], reference: str = "") -> dict[str, Look]:
    """A look for each policy: colours for models, greys for the rest, black for the reference."""
    labels = short_labels(policies)
    result = {}
    coloured = greys = 0
    for name in policies:
        if name == reference:
            colour, marker = INK, "*"
        elif name in models:
            colour = COLOURS[coloured % len(COLOURS)]
            marker = MARKERS[coloured % len(MARKERS)]
            coloured += 1
        else:
            colour, marker = GREYS[greys % len(GREYS)], "sDXP"[greys % 4]
            greys += 1
        result[name] = Look(labels[name], colour, marker)
    return result


@contextmanager
def drawing(folder: Path, name: str, width: float, height: float) -> Iterator[Figure]:
    """A matplotlib figure in the house style, saved at the end as ``folder/name.png``."""
    import matplotlib
    from matplotlib.figure import Figure

    style: Any = {
        "font.size": 9.5,
        "axes.titlesize": 10.5,
        "axes.titleweight": "bold",
        "axes.edgecolor": SOFT,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": LINE,
        "grid.linewidth": 0.7,
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": SOFT,
        "ytick.color": SOFT,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "legend.frameon": False,
        # Names of models may hold dollar signs.
        "text.parse_math": False,
    }
    with matplotlib.rc_context(style):
        figure = Figure((width, height), layout="constrained")
        yield figure
        save_figure(figure, folder, name)


def save_figure(figure: Figure, folder: Path, name: str) -> Path:
    """Save as ``folder/name.png``."""
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=DPI, facecolor="white")
    return path


def draw_means(
    folder: Path,
    name: str,
    labels: Sequence[str],
    kinds: Mapping[str, Sequence[Mapping[str, Any] | None]],
    what: str,
    level: float | None = None,
) -> Path:
    """Draw ``folder/name.png``: means with their intervals, a line for each label.

    Args:
        kinds: by what the legend says, for each label a rate as ``summary.json`` has it, or None.
            One kind needs no legend.
        what: said below the axis. level: of a dashed line, such as that of equal players.
    """
    with drawing(folder, name, 6.0, 1.2 + 0.4 * len(labels)) as figure:
        axes = figure.subplots()
        for k, (kind, means) in enumerate(kinds.items()):
            shown = [(at, mean) for at, mean in enumerate(means) if mean is not None]
            if not shown:
                continue
            values = [mean["value"] for _, mean in shown]
            sides = [
                [abs((mean["value"] if mean[end] is None else mean[end]) - mean["value"])
                 for _, mean in shown]
                for end in ("low", "high")
            ]  # fmt: skip
            places = [at + 0.24 * (k - (len(kinds) - 1) / 2) for at, _ in shown]
            axes.errorbar(
                values, places, xerr=sides, fmt="o", color=COLOURS[k], markersize=5, capsize=2.5,
                label=kind,
            )  # fmt: skip
        if level is not None:
            axes.axvline(level, color=COLOURS[1], linestyle="--")
        axes.set_yticks(range(len(labels)), list(labels))
        axes.set_ylim(max(1, len(labels)) - 0.5, -0.5)
        axes.set_xlabel(what)
        axes.grid(axis="x")
        if len(kinds) > 1:
            figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return folder / f"{name}.png"


def heat_map(
    axes: Axes,
    values: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    colours: str,
    limits: tuple[float, float],
    texts: Sequence[Sequence[str]] | None = None,
    strong: Sequence[Sequence[bool]] | None = None,
    gap: int = 0,
) -> None:
    """Cells with their numbers in them.

    Args:
        colours: a matplotlib colour map. limits: the values at its ends.
        texts: what cells say; by default their numbers.
        strong: cells set in bold type, for what is unlikely to be luck.
        gap: rows above a white line that parts them from the rest; 0 for none.
    """
    import matplotlib
    import numpy as np

    grid = np.array([[np.nan if x is None else x for x in row] for row in values], float)
    chart = matplotlib.colormaps[colours].with_extremes(bad="#f1f3f4")
    axes.imshow(grid, cmap=chart, vmin=limits[0], vmax=limits[1], aspect="auto")
    shares = (np.clip(grid, *limits) - limits[0]) / (limits[1] - limits[0])
    # As the eye weighs red, green and blue.
    light = chart(np.ma.masked_invalid(shares))[..., :3] @ np.array([0.299, 0.587, 0.114])
    for (r, c), value in np.ndenumerate(grid):
        said = texts[r][c] if texts else number(None if np.isnan(value) else float(value))
        axes.text(
            c, r, said, ha="center", va="center", fontsize=8.5,
            color="white" if light[r, c] < 0.48 else INK,
            weight="bold" if strong is not None and strong[r][c] else "normal",
        )  # fmt: skip
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    if 0 < gap < len(rows):
        axes.axhline(gap - 0.5, color="white", linewidth=5)
