"""The tables of AdvGameBench's report, from a run's summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stratagym.benchmarks.advgame.beside import COMPARED, is_chance
from stratagym.benchmarks.advgame.budgets import CURVES, SPENT
from stratagym.benchmarks.advgame.score import PARTS
from stratagym.benchmarks.reporting.correlation import FEWEST
from stratagym.benchmarks.reporting.own import is_result, marked
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    RateCell,
    Table,
    code,
    count,
    number,
)
from stratagym.envs import spec

Summary = Mapping[str, Any]
MAIN = ("WR", "WR_10", "init-win", "ORR", "CSR", "slope", "OBR")
MORE = (
    "revision after success", "CSR won", "CSR mended", "constructive", "RVR", "RVR over budget",
    "RVR other",
)  # fmt: skip
TITLES = {
    "WR": "rounds won (WR)",
    "WR_10": "first ten rounds won (WR_10)",
    "init-win": "first round won (init-win)",
    "ORR": "plan changed after a loss (ORR)",
    "CSR": "changes that worked (CSR)",
    "slope": "gain per update (slope)",
    "OBR": "plans over budget (OBR)",
    "revision after success": "plan changed after a win",
    "CSR won": "changes that won (CSR won)",
    "CSR mended": "faults mended (CSR mended)",
    "constructive": "changes nearer to a win (constructive)",
    "RVR": "first answers with a fault (RVR)",
    "RVR over budget": "first answers over budget",
    "RVR other": "first answers with another fault",
}
"""Metrics by name, as headings of columns."""
MOST_ENTRIES = 6
"""Entries of a revision that are listed one by one."""


def by_policy(columns: Sequence[str], policies: Sequence[str], **options: Any) -> Table:
    """A table whose rows will be these policies, baselines marked; metrics with their titles."""
    aside = [k for k, name in enumerate(policies) if is_chance(name)]
    headings = [TITLES.get(name, name) for name in columns]
    return Table(["policy", *headings], aside=aside, **options)


def named(policy: str) -> str:
    """A policy's name in a table."""
    return code(policy) + (" (chance)" if is_chance(policy) else "")


def policies_of(summary: Summary) -> list[str]:
    return [row["policy"] for row in summary["policies"]]


def _marked(
    table: Table, names: Iterable[str], summary: Summary, game: str = "all", behind: int = 1
) -> Table:
    """A table with a row for each of these policies, with what was not their own."""
    return marked(table, [[name] for name in names], summary["own"][game], behind=behind)


def _cell(rate: Mapping[str, Any] | None) -> RateCell:
    return RateCell(rate, strip=False)


def metric_table(summary: Summary, names: tuple[str, ...], kind: str = "pooled") -> Table:
    """Metrics of every policy, with intervals."""
    table = by_policy(names, policies_of(summary))
    for row in summary["policies"]:
        table.rows.append([named(row["policy"]), *(_cell(row[kind][n]) for n in names)])
    return _marked(table, policies_of(summary), summary)


def game_table(summary: Summary, game: str) -> Table:
    """The main metrics of every policy in one game."""

    def is_shown(row: Mapping[str, Any]) -> bool:
        return game in row["by_game"] or not is_result(summary["own"][game].get(row["policy"]))

    rows = [row for row in summary["policies"] if is_shown(row)]
    table = by_policy(MAIN, [row["policy"] for row in rows])
    for row in rows:
        own = row["by_game"].get(game, {})
        table.rows.append([named(row["policy"]), *(_cell(own.get(name)) for name in MAIN)])
    return _marked(table, [row["policy"] for row in rows], summary, game)


def redraw_table(summary: Summary) -> Table:
    """Corrections compared with first plans of the same policy in their place."""
    rows = [row for row in summary["policies"] if row["minus_redraw"] is not None]
    names = list(rows[0]["minus_redraw"]) if rows else []
    columns = [f"{name} minus redraws" for name in names]
    table = by_policy(columns, [row["policy"] for row in rows])
    for row in rows:
        cells = [_cell(row["minus_redraw"][name]) for name in names]
        table.rows.append([named(row["policy"]), *cells])
    return _marked(table, [row["policy"] for row in rows], summary)


def difference_table(summary: Summary) -> Table:
    """The first policy minus each other one, on the same matches."""
    table = Table(["minus", *(TITLES.get(name, name) for name in COMPARED)])
    for one in summary["differences"]:
        cells = [_cell(one[name]) for name in COMPARED]
        table.rows.append([named(one["policies"][1]), *cells])
    pairs = [one["policies"] for one in summary["differences"]]
    return marked(table, pairs, summary["own"]["all"])


def published_table(summary: Summary) -> Table:
    """The metrics as the released program computes them, beside the paper's definitions."""
    names = ("WR", "OBR", "ORR", "CSR", "slope")
    columns = [f"{name}, here / as published" for name in names]
    table = by_policy(columns, policies_of(summary))
    for row in summary["policies"]:
        cells = [
            f"{number(row['pooled'][n]['value'])} / {number(row['as_published'][n])}" for n in names
        ]
        table.rows.append([named(row["policy"]), *cells])
    return _marked(table, policies_of(summary), summary)


def advantage_table(summary: Summary) -> Table:
    """Metrics as first updater minus metrics as second updater."""
    names = list(summary["policies"][0]["FMA"]) if summary["policies"] else []
    table = by_policy(names, policies_of(summary))
    for row in summary["policies"]:
        cells = [_cell(row["FMA"][n]) for n in names]
        table.rows.append([named(row["policy"]), *cells])
    return _marked(table, policies_of(summary), summary)


def score_table(summary: Summary) -> Table:
    """Composite scores, and how far ranks depend on weights; no ranks where nobody is compared."""
    compared = any(one["ranks"]["of"] > 1 for one in summary["scores"].values())
    columns = ["process", "parts"]
    columns += ["rank (range) among those with the same parts"] * compared
    columns += ["process against redraws", "radar", "radar area"]
    table = by_policy(columns, list(summary["scores"]))
    for name, one in summary["scores"].items():
        ranks = one["ranks"]
        rank = f"{ranks['median']:g} ({ranks['low']}-{ranks['high']}) of {ranks['of']}"
        table.rows.append(
            [
                named(name), _cell(one["process"]), parts_text(one["parts"]), *[rank] * compared,
                _cell(one["process_vs_redraw"]),
                _cell(one["radar"]), _cell(one["radar_area"]),
            ]
        )  # fmt: skip
    return _marked(table, summary["scores"], summary)


def parts_text(parts: Sequence[str]) -> str:
    """The parts of which a process score consists; ``all`` for all three."""
    return "all" if len(parts) == len(PARTS) else " and ".join(parts) or NOTHING


# --- over rounds ---------------------------------------------------------------------------------


def update_table(summary: Summary) -> Table:
    """Figure 3 in numbers: rounds won after a policy's updates."""
    return _marked(_over(summary["updates"], "after update"), summary["updates"], summary)


def use_table(summary: Summary) -> Table:
    """Share of the budget that plans cost, round by round."""
    return _marked(_over(summary["budget_use"], "round"), summary["budget_use"], summary)


def similarity_table(summary: Summary) -> Table:
    """Similarity of a revision and the plan before it: over all updates, and by update."""
    found = summary["similarity"]
    most = max((len(one["by_update"]) for one in found.values()), default=0)
    updates = [f"update {k}" for k in range(1, most + 1)]
    parts = [p for p in ("S", "F", "M") if any(p in one for one in found.values())]
    table = by_policy([*parts, "weighted", "random plans", *updates], list(found))
    for name, one in found.items():
        values = [number(rate["value"]) for rate in one["by_update"]]
        table.rows.append(
            [
                named(name), *(_cell(one[n]) for n in (*parts, "weighed")),
                number(one["chance"]), *values, *[NOTHING] * (most - len(values)),
            ]
        )  # fmt: skip
    return _marked(table, found, summary)


def _over(found: Mapping[str, Sequence[Mapping[str, Any]]], title: str) -> Table:
    most = max(map(len, found.values()), default=0)
    table = by_policy([f"{title} {k}" for k in range(1, most + 1)], list(found))
    for name, rates in found.items():
        cells = [number(rate["value"]) for rate in rates]
        table.rows.append([named(name), *cells, *[NOTHING] * (most - len(cells))])
    return table


def feedback_table(summary: Summary) -> Table:
    """What policies did after each kind of feedback."""
    columns = [
        "feedback",
        "updates",
        "plan changed",
        "similarity",
        "won after a change",
        "won after keeping",
    ]
    rows = [(name, kind, one) for name, by_kind in summary["feedback"].items()
            for kind, one in by_kind.items()]  # fmt: skip
    table = by_policy(columns, [name for name, *_ in rows], left=[1])
    for name, kind, one in rows:
        rates = ("revised", "similarity", "won after revision", "won after none")
        cells = [_cell(one[rate]) for rate in rates]
        table.rows.append([named(name), kind, count(one["updates"]), *cells])
    return _marked(table, [name for name, *_ in rows], summary, behind=2)


def course_table(courses: Sequence[Mapping[str, Any]]) -> Table:
    """Matches round by round."""
    rounds = max((len(one["marks"]) for one in courses), default=0)
    table = Table(["opponent", "role", "updates", *map(str, range(1, rounds + 1))], left=[1, 2])
    for one in courses:
        marks = [*one["marks"], *[NOTHING] * (rounds - len(one["marks"]))]
        table.rows.append([code(one["opponent"]), one["role"], _order(one), *marks])
    return table


def revision_table(courses: Sequence[Mapping[str, Any]]) -> Table:
    """What was revised, update by update; updates that keep the plan are left out."""
    table = Table(
        ["match", "round", "feedback", "changes", "similarity", "budget used", "result"],
        left=[2, 3, 6],
    )
    for one in courses:
        match = f"{code(one['opponent'])} {one['role']}, {_order(one)}"
        for revision in one["revisions"]:
            if revision["revised"]:
                before, after = (f"{share:.0%}" for share in revision["spent"])
                table.rows.append(
                    [
                        match, str(revision["round"]), revision["feedback"],
                        change_text(revision), number(revision["similarity"]),
                        f"{before} → {after}", revision["result"],
                    ]
                )  # fmt: skip
                match = ""
    return table


def change_text(revision: Mapping[str, Any]) -> str:
    """The changes of a plan: ``dropped 2 × King; changed Bomb (4,4) → (5,4)``."""
    parts = []
    for word in ("dropped", "added", "changed"):
        entries = revision[word]
        counts = {entry: entries.count(entry) for entry in entries}
        told = [f"{n} × {entry}" if n > 1 else entry for entry, n in counts.items()]
        rest = sum(list(counts.values())[MOST_ENTRIES:])
        said = ", ".join(told[:MOST_ENTRIES]) + (f" and {rest} more" if rest else "")
        parts += [f"**{word}** {said}"] if said else []
    return "; ".join(parts) or NOTHING


def _order(one: Mapping[str, Any]) -> str:
    return ("first" if one["first"] else "second") + (f", {one['repeat']}" * bool(one["repeat"]))


# --- names, credit, budgets ----------------------------------------------------------------------


def names_table(summary: Summary) -> Table:
    """Unknown names in replies that could be read: in all games together, then in each."""
    table = Table(
        ["policy", "game", "role", "replies", "hallucinated", "of these, from the lexicon",
         "names by class"], left=[1, 2, 6],
    )  # fmt: skip
    for name, one in summary["names"].items():
        for part in (one, *one["by_side"]):
            game = spec(part["game"]).title if "game" in part else "all"
            known = {kind: n for kind, n in part["classes"].items() if n}
            whole = sum(known.values())
            classes = ", ".join(f"{kind} {n} ({n / whole:.0%})" for kind, n in known.items())
            table.rows.append(
                [
                    code(name), game, part.get("role", "both"), count(part["replies"]),
                    _cell(part["hallucinated"]), number(part["from_lexicon"]),
                    classes or NOTHING,
                ]
            )  # fmt: skip
    return table


def names_round_table(summary: Summary) -> Table:
    """The share of replies with such a name, by round."""
    rounds = sorted({r["round"] for one in summary["names"].values() for r in one["by_round"]})
    table = Table(["policy", *(f"round {k}" for k in rounds)])
    for name, one in summary["names"].items():
        of = {r["round"]: r for r in one["by_round"]}
        cells = [f"{number(of[k]['value'])} of {of[k]['n']}" if k in of else NOTHING
                 for k in rounds]  # fmt: skip
        table.rows.append([code(name), *cells])
    return table


def most_names_table(summary: Summary) -> Table:
    """The most frequent of such names."""
    table = Table(["policy", "name", "class", "source", "times"], left=[1, 2, 3])
    for name, one in summary["names"].items():
        for row in one["most"]:
            source = row["source"] or NOTHING
            table.rows.append(
                [code(name), code(row["name"]), row["class"], source, count(row["times"])]
            )
    return table


def answer_table(summary: Summary) -> Table:
    """First answers of models, and the answers that were played."""
    names = ("over budget, first", "over budget, last", "broken, first", "broken, last")
    table = Table(["policy", "questions", *names, "asked again", "ignored members"])
    for name, one in summary["answers"].items():
        shares = [_cell(one[n]) for n in names]
        ignored = f"{count(one['ignored'])} in {count(one['with ignored'])} answers"
        table.rows.append(
            [code(name), count(one["questions"]), *shares, count(one["asked again"]), ignored]
        )
    return table


def credit_table(rows: list[dict[str, Any]]) -> Table:
    """The credit of items."""
    table = Table(
        ["role", "item", "plans", "copies", "credit", "value", "credit / cost", "idle", "harmful"],
        left=[1],
    )
    for row in rows:
        table.rows.append(
            [
                row["role"], code(row["item"]), count(row["plans"]), count(row["copies"]),
                _cell(row["credit"]), _cell(row["value"]),
                NOTHING if row["per_cost"] is None else f"{row['per_cost']:+.4f}",
                number(row["idle"]), number(row["harmful"]),
            ]
        )  # fmt: skip
    return table


def budget_table(summary: Summary) -> Table:
    """Metrics by share of the budget."""
    names = ("OBR", "stale", *CURVES[1:], SPENT)
    table = Table(["policy", "budget", *names])
    for name, by_factor in summary["budgets"].items():
        for factor, one in by_factor.items():
            cells = [_cell(one[n]) for n in names]
            table.rows.append([_player(summary, name), f"x{factor}", *cells])
    whose = [name for name, by_factor in summary["budgets"].items() for _ in by_factor]
    return _marked(table, whose, summary, behind=2)


def budget_difference_table(summary: Summary) -> Table:
    """What another budget changes, on the same opponents and settings."""
    names = (*CURVES, SPENT)
    table = Table(["policy", "budget", *names])
    for name, by_factor in summary["budgets"].items():
        for factor, one in by_factor.items():
            if float(factor) != 1 and one["differences"]["WR"]["value"] is not None:
                cells = [_cell(one["differences"][n]) for n in names]
                table.rows.append([_player(summary, name), f"x{factor}", *cells])
    return table


def _player(summary: Summary, name: str) -> str:
    return named(name) if name in policies_of(summary) else f"{code(name)} (baseline)"


# --- correlations --------------------------------------------------------------------------------


def correlation_table(summary: Summary) -> Table:
    """Figures 4 and 5 in numbers."""
    table = Table(
        ["correlation of", "n", "Pearson's r", "p", "p after Holm", "p by shuffles",
         "Spearman's rho", "p of rho", "r with one policy left out"]
    )  # fmt: skip
    shown = [("OBR, WR", summary["figure_4"])]
    shown += [(f"ORR, {one['metric']}", one) for one in summary["figure_5"]]
    for title, one in shown:
        found = one["correlation"]
        if found is None:
            said = "too few" if len(one["x"]) < FEWEST else "no spread"
            cells = [str(len(one["x"])), said, *[NOTHING] * 6]
        else:
            cells = [
                str(found["n"]), number(found["pearson"]), number(found["p"], 3),
                number(found.get("p_holm"), 3), number(found["p_shuffled"], 3),
                number(found["spearman"]), number(found["p_spearman"], 3),
                f"{number(found['low'])} to {number(found['high'])}",
            ]  # fmt: skip
        table.rows.append([title, *cells])
    return table


def correction_table(summary: Summary) -> Table:
    """The number of corrections, and their results."""
    columns = ["lost or bad rounds", "plans changed after them", "WR", "CSR", "CSR of redraws"]
    table = by_policy(columns, policies_of(summary))
    for row in summary["policies"]:
        table.rows.append(
            [
                named(row["policy"]), count(row["negative_feedbacks"]), count(row["corrections"]),
                number(row["pooled"]["WR"]["value"]), _cell(row["pooled"]["CSR"]),
                _cell(row["redraw_CSR"]),
            ]
        )  # fmt: skip
    return _marked(table, policies_of(summary), summary)
