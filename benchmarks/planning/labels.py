"""Names of points in a figure, each where it covers no other name and no point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

RINGS, DIRECTIONS = 16, 16
STEP = 6.0
"""Points (1/72 inch) between the rings on which places are tried."""
GAP = 1.5


def place(
    axes: Axes,
    names: Sequence[str],
    x: Sequence[float],
    y: Sequence[float],
    bars: Sequence[tuple[float, float, float, float]] = (),
) -> list[Annotation]:
    """Write the names of points next to them, with a line to those that stand further off.

    Call it when limits and titles of the axes are set: the layout is worked out here, and the text
    is laid in the axes' frame. A name takes the nearest place, in rings around its point, where it
    covers neither a point nor a name before it; if there is none, the one that covers the least.

    Args:
        bars: lines that names should not cover either, from (x, y) to (x, y).
    """
    from matplotlib.transforms import Bbox

    figure = axes.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]
    scale = figure.dpi / 72
    frame = axes.get_window_extent()
    points = axes.transData.transform(np.column_stack([x, y])) if len(names) else np.zeros((0, 2))
    taken = [Bbox([at - 3 * scale, at + 3 * scale]) for at in points]
    for a, b, c, d in bars:
        ends = axes.transData.transform([(a, b), (c, d)])
        taken.append(Bbox([ends.min(0) - scale, ends.max(0) + scale]))
    written = []
    for k in sorted(range(len(names)), key=lambda one: (-points[one][1], points[one][0])):
        note = axes.annotate(
            names[k], (x[k], y[k]), xytext=(0, 0), textcoords="offset points", fontsize=6,
            ha="center", va="center", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "alpha": 0.6, "shrinkA": 0,
                        "shrinkB": 2},
        )  # fmt: skip
        text = note.get_window_extent()
        half = np.array([text.width / 2 + GAP * scale, text.height / 2 + GAP * scale])
        best, least = np.zeros(2), math.inf
        for ring in range(RINGS):
            for turn in range(DIRECTIONS):
                angle = 2 * math.pi * turn / DIRECTIONS
                way = np.array([math.cos(angle), math.sin(angle)])
                # The near side of the text lies on the ring, not its middle.
                centre = points[k] + way * (half + (4 + STEP * ring) * scale)
                box = Bbox([centre - half, centre + half])
                covered = sum(_shared(box, other) for other in taken)
                outside = box.width * box.height - _shared(box, frame)
                if (cost := covered + 4 * outside) < least:
                    best, least = centre, cost
                if least <= 1e-9:
                    break
            if least <= 1e-9:
                break
        note.set_position(tuple((best - points[k]) / scale))
        taken.append(Bbox([best - half, best + half]))
        written.append(note)
    return written


def _shared(one, other) -> float:
    """The area that two boxes share."""
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    return max(0.0, width) * max(0.0, height)
