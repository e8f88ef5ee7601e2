"""What the paper of AdvGameBench says and what its own table 1 says, computed from the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame.names import LEXICON_VERSION
from stratagym.benchmarks.advgame.published import METRICS, TABLE_1
from stratagym.benchmarks.reporting.correlation import p_of, pearson, ranks

GAMES = ("tower_defence", "battle_card", "elemental_duel")
SLOPE, SERIES, POINTS, RATE = 0.041, 36, 5, 0.75
"""Published for o3-mini: its slope, from so many series of so many results, at about this rate."""


def table() -> dict[str, dict[str, float]]:
    """Table 1 of the paper, in percent, by model; columns as in ``tower_defence_WR``."""
    return {
        model: {
            f"{game}_{metric}": value
            for game, row in zip((*GAMES, "average"), rows, strict=True)
            for metric, value in zip(METRICS, row, strict=True)
        }
        for model, rows in TABLE_1.items()
    }


def column(published: Mapping[str, Mapping[str, float]], game: str, metric: str) -> np.ndarray:
    """One column, (models,) float64, in percent; ``game`` may be ``average``."""
    return np.array([row[f"{game}_{metric}"] for row in published.values()])


def means(published: Mapping[str, Mapping[str, float]], metric: str) -> np.ndarray:
    """The mean of the three games, (models,) float64."""
    return np.mean([column(published, game, metric) for game in GAMES], 0)


def is_share_of(percent: float, whole: int) -> bool:
    """Whether a printed percentage is that of so many of ``whole``, rounded."""
    nearest = round(percent * whole / 100)
    return abs(100 * nearest / whole - percent) < 0.05 + 1e-9


def _r(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("0.", ".", 1)


def _p(value: float) -> str:
    return "p < .001" if value < 0.0005 else f"p = {value:.3f}".replace("0.", ".", 1)


def _averages(published: Mapping[str, Mapping[str, float]]) -> list[str]:
    models = list(published)
    told = []
    for metric in METRICS:
        printed, mean = column(published, "average", metric), means(published, metric)
        differ = [k for k in range(len(models)) if round(mean[k] + 1e-9, 1) != printed[k]]
        shown = ", ".join(f"{models[k]} {_against(printed[k], mean[k])}" for k in differ)
        told.append(
            f"{metric}: the printed average is the mean of the three games for "
            f"{len(models) - len(differ)} of {len(models)} models; others: {shown}."
        )
    return [*told, "ORR and CSR may be pooled over the games instead; that cannot be checked."]


def _against(printed: float, mean: float) -> str:
    """A printed average and the mean that it is not, or that it is with digits cut off."""
    cut = int(mean * 10) / 10 == printed
    return f"{printed:g} against {f'{mean:.2f}, cut and not rounded' if cut else f'{mean:.1f}'}"


def _multiples(published: Mapping[str, Mapping[str, float]]) -> list[str]:
    cells = [(model, game) for model in published for game in GAMES]
    percents = {cell: published[cell[0]][f"{cell[1]}_WR"] for cell in cells}
    told = []
    for whole, made_of in (
        (120, "3 opponents x 4 settings x 10 rounds"),
        (60, "the half of the rows that the released evaluator keeps"),
    ):
        fitting = [cell for cell in cells if is_share_of(percents[cell], whole)]
        line = f"{len(fitting)} of {len(cells)} win rates are multiples of 1/{whole} ({made_of})"
        if len(fitting) > len(cells) / 2 and len(fitting) < len(cells):
            rest = [cell for cell in cells if cell not in fitting]
            line += "; not: " + ", ".join(f"{m} {g} {percents[m, g]:g}" for m, g in rest)
        told.append(line + ".")
    return told


def _correlations(published: Mapping[str, Mapping[str, float]]) -> list[str]:
    models = list(published)
    n = len(models)
    of = {metric: column(published, "average", metric) for metric in METRICS}
    told = []
    for x, y, said in (
        ("ORR", "CSR", "as the paper says"),
        ("ORR", "WR", 'the paper: "none of these effects reach conventional thresholds"'),
        ("CSR", "WR", "CSR as computed is nearly the win rate, no evidence of its own"),
    ):
        r, rho = pearson(of[x], of[y]), pearson(ranks(of[x]), ranks(of[y]))
        told.append(
            f"{x}-{y}: Pearson {_r(r)}, {_p(p_of(r, n))}; Spearman {_r(rho, 2)}, "
            f"{_p(p_of(rho, n))}; n = {n} ({said})."
        )
    without = [pearson(np.delete(of["ORR"], k), np.delete(of["CSR"], k)) for k in range(n)]
    low, high = int(np.argmin(without)), int(np.argmax(without))
    told.append(
        f"ORR-CSR with one model left out: {_r(without[low], 2)} (without {models[low]}) to "
        f"{_r(without[high], 2)} (without {models[high]}): not robust."
    )
    each = [
        pearson(column(published, game, "ORR"), column(published, game, "CSR")) for game in GAMES
    ]
    told.append(
        "ORR-CSR by game: "
        + ", ".join(
            f"{game} {_r(r)} ({_p(p_of(r, n))})" for game, r in zip(GAMES, each, strict=True)
        )
        + "."
    )
    return told


def _slopes(published: Mapping[str, Mapping[str, float]]) -> list[str]:
    error = (RATE * (1 - RATE) / (POINTS * (POINTS**2 - 1) / 12) / SERIES) ** 0.5
    low, high = SLOPE - 1.96 * error, SLOPE + 1.96 * error
    return [
        f"Slope of o3-mini: +{SLOPE:.3f} published; {SERIES} series of {POINTS} results at a rate "
        f"of {RATE} have a standard error of {error:.3f}: the 95% interval is "
        f"[{low:.3f}, {high:.3f}], "
        f"which {'holds' if low < 0 < high else 'does not hold'} 0."
    ]


def _texts(published: Mapping[str, Mapping[str, float]]) -> list[str]:
    orr, csr = (
        {model: row[f"average_{metric}"] for model, row in published.items()}
        for metric in ("ORR", "CSR")
    )
    named = ("Qwen-Plus", "DeepSeek-V3", "Claude-3-5-Sonnet")
    lowest = sorted(orr[model] for model in named)[1]
    omitted = [m for m, value in orr.items() if value > lowest and m not in named]
    return [
        f"o3-mini's ORR is 49.3 in the text and {orr['ChatGPT-o3-mini']} in the table.",
        f"Rounds: {12 * 3 * 3 * 4 * 10:,} in the abstract, {12 * 3 * 3 * 4 * 11:,} in the "
        "discussion: 11 rounds a match, the last of which only the released loop plays.",
        f'"Success rates around 20%" of the Qwens: {csr["Qwen-Max"]} and {csr["Qwen-Plus"]}.',
        f"High ORR: named are {', '.join(f'{m} {orr[m]}' for m in named)}; not named "
        f"{', '.join(f'{m} {orr[m]}' for m in omitted)}, above two of them.",
    ]


NOTES = (
    "The released evaluator keeps the rows after a side's own update only, so table 1 was not made "
    "by it.",
    "The three opponents are among the tested models: mirror games are in every average.",
    "The released tower defence runs by the clock of the machine, and is called deterministic.",
    "OBR-WR, r = -.95: a plan over budget loses, so a part of it follows by construction.",
    '"Leads to": all of it is correlation over 12 models.',
    'The "composite process score" has no formula: 74.7, 78.6 and +.041 are three metrics. The '
    "area of a radar depends on the order of its axes.",
)
PARTS: tuple[tuple[str, Callable[[Any], list[str]]], ...] = (
    ("Averages of table 1", _averages),
    ("Where the win rates come from", _multiples),
    ("Correlations over models", _correlations),
    ("Improvement", _slopes),
    ("Text against table", _texts),
)


def findings() -> dict[str, list[str]]:
    """Sentences by topic, every figure computed from the table."""
    published = table()
    found = {title: make(published) for title, make in PARTS}
    return {
        **found,
        "Besides": [*NOTES, f"The lexicon of names of known games is version {LEXICON_VERSION}."],
    }
