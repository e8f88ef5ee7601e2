"""The figures of BotzoneBench's report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness.botzone_games import BY_GAME
from stratagym.benchmarks.reporting.plots import INK, LINE, SOFT, drawing, heat_map, looks

Summary = Mapping[str, Any]
MARKERS = dict(zip(BY_GAME, "osD^vXP*", strict=True))
"""By game."""


def _spent(tokens: Mapping[str, Any]) -> float | None:
    """Tokens of reply and reasoning for a decision."""
    return None if tokens["tokens_spent"] is None else tokens["tokens_spent"]["value"]


def _round_number(value: float, place: int | None = None) -> str:
    """A tick's label: numbers of one significant digit 1, 2 or 5, the others none."""
    digits = f"{value:.0e}"
    return f"{value:,.0f}" if digits[0] in "125" and float(digits) == round(value, 9) else ""


def has_thinking(summary: Summary) -> bool:
    """Whether a server counted the tokens of any reply."""
    return any(
        _spent(own["tokens"]) for played in summary["answers"].values() for own in played.values()
    )


def draw_thinking(folder: Path, summary: Summary) -> Path:
    """Tokens for a decision against the share of the ladder climbed, and by opponents' level."""
    models = list(summary["answers"])
    style = looks(models, models)
    games = [
        game for game in summary["games"] if any(game in own for own in summary["answers"].values())
    ]
    with drawing(folder, "thinking", 9.6, 4.4) as figure:
        left, right = figure.subplots(1, 2)
        for name in models:
            for game, found in summary["answers"][name].items():
                spent, share = _spent(found["tokens"]), summary["progress"][name]["by_game"][game]
                if spent is None or share["value"] is None:
                    continue
                colour = style[name].colour
                if share["low"] is not None:
                    left.plot([spent] * 2, [share["low"], share["high"]], color=colour, alpha=0.35)
                left.plot(spent, share["value"], MARKERS[game], color=colour, markersize=7)
                steps = {int(k): _spent(own) for k, own in found["by_level"].items()}
                base = steps.get(0)
                if base:
                    known = {k: v / base for k, v in steps.items() if v is not None}
                    right.plot(
                        list(known), list(known.values()), MARKERS[game] + "-", color=colour,
                        markersize=5, linewidth=1, alpha=0.8,
                    )  # fmt: skip
        left.set_xscale("log")
        least, most = left.get_xlim()
        middle, width = (least * most) ** 0.5, max(4.0, (most / least) ** 0.5)
        left.set_xlim(middle / width, middle * width)
        for axis in (left.xaxis.set_major_formatter, left.xaxis.set_minor_formatter):
            axis(_round_number)
        left.set_ylim(-0.03, 1.03)
        left.set_xlabel("tokens for a decision")
        left.set_ylabel("share of the ladder climbed")
        left.grid(color=LINE)
        right.axhline(1, color=SOFT, linewidth=0.8)
        right.set_ylim(0, max(2.0, 1.05 * right.get_ylim()[1]))
        right.set_xlabel("level of the opponent")
        right.set_ylabel("tokens for a decision, Lv0 = 1")
        right.xaxis.get_major_locator().set_params(integer=True)
        right.grid(color=LINE)
        keys = [
            *(
                left.plot([], [], "s", color=style[name].colour, label=style[name].label)[0]
                for name in models
            ),
            *(left.plot([], [], MARKERS[g], color=INK, label=BY_GAME[g].title)[0] for g in games),
        ]
        figure.legend(handles=keys, loc="outside lower center", ncols=5, fontsize=8.5)
    return folder / "thinking.png"


def draw_alike(folder: Path, summary: Summary) -> Path:
    """Rank correlations between the games."""
    games = list(summary["games"])
    values: list[list[float | None]] = [[None] * len(games) for _ in games]
    for pair in summary["alike"]["pairs"]:
        one, other = (games.index(game) for game in pair["games"])
        values[one][other] = values[other][one] = pair["correlation"]
    labels = [BY_GAME[game].title for game in games]
    with drawing(folder, "alike", 1.6 + 0.85 * len(games), 0.9 + 0.45 * len(games)) as figure:
        axes = figure.subplots()
        heat_map(axes, values, labels, labels, colours="RdBu", limits=(-1.0, 1.0))
        axes.tick_params(axis="x", rotation=30)
    return folder / "alike.png"
