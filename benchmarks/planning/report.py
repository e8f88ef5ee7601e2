"""The report of a planning run: tables on screen, and a page with the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.planning import labels, published, strictly
from stratagym.benchmarks.planning.metrics import mcnemar
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    RateCell,
    Table,
    code,
    count,
    number,
    rate_text,
)
from stratagym.benchmarks.reporting.plots import COLOURS, drawing, short_labels
from stratagym.benchmarks.reporting.stats import wilson

Summary = Mapping[str, Any]


CODE, AS_PAPER = "code", "as_paper"
"""Groups of domains: as the code of SPIN-Bench has them, or its paper."""


def overview(summary: Summary) -> Table:
    """A line for each policy."""
    table = Table(["policy", "problems", "accuracy", "N-step", "at most", "progress", "IPC score"])
    for policy, own in summary["policies"].items():
        table.rows.append(
            [
                code(policy), count(own["problems"]), RateCell(own["accuracy"]),
                rate_text(own["n_step"]), number(own["n_step_most"]),
                RateCell(own["progress"], strip=False), number(own["ratio"]["ipc"]),
            ]
        )  # fmt: skip
    return table


def denominator_table(summary: Summary) -> Table:
    """Accuracy of published problems, by what it is divided by."""
    table = Table(
        ["policy", "can count", "accuracy", "N-step", "all", "accuracy of all", "N-step of all",
         "BC", "GS", "other"]
    )  # fmt: skip
    for policy, own in summary["policies"].items():
        if "as_published" not in own:
            continue
        whole = own["as_published"]
        classes = [count(whole["classes"][name]) for name in ("BC", "GS", "other")]
        table.rows.append(
            [
                code(policy), count(own["problems"]), RateCell(own["accuracy"], strip=False),
                rate_text(own["n_step"]), count(whole["problems"]),
                RateCell(whole["accuracy"], strip=False), rate_text(whole["n_step"]), *classes,
            ]
        )  # fmt: skip
    return table


def ratio_table(summary: Summary) -> Table:
    """Lengths and costs of valid plans against the best known, and who did not reply."""
    table = Table(
        ["policy", "length by best", "as short as best", "shorter", "cost by best", "costed",
         "too late", "no reply"]
    )  # fmt: skip
    for policy, own in summary["policies"].items():
        ratio = own["ratio"]
        table.rows.append(
            [
                code(policy), number(ratio["mean"]), RateCell(ratio["at_best"], strip=False),
                count(len(ratio["better"])), number(ratio["cost"]), count(ratio["costed"]),
                count(own["no_reply"]["late"]), count(own["no_reply"]["failed"]),
            ]
        )  # fmt: skip
    return table


def regression_table(summary: Summary) -> Table:
    """Slopes of the logistic regressions."""
    table = Table(["policy", "problems", *_PREDICTOR_WORDS.values(), "spread of domains"])
    for policy, own in summary["policies"].items():
        found = own["regression"]
        if found is None:
            table.rows.append([code(policy), *[NOTHING] * (len(_PREDICTOR_WORDS) + 2)])
            continue
        slopes = [rate_text(found["slopes"].get(name)) for name in _PREDICTOR_WORDS]
        table.rows.append([code(policy), count(found["n"]), *slopes, number(found["spread"])])
    return table


_PREDICTOR_WORDS = {
    "length": "length",
    "applicable": "applicable actions",
    "state_actions": "states with actions",
}


def verdict_table(summary: Summary) -> Table:
    """How plans end, by verdict."""
    return _counts(summary, "verdicts")


def class_table(summary: Summary) -> Table:
    """How plans end, in the paper's classes."""
    return _counts(summary, "classes")


def _counts(summary: Summary, part: str) -> Table:
    policies = summary["policies"]
    names = list(next(iter(policies.values()))[part]) if policies else []
    table = Table(["policy", *(name.replace("_", " ") for name in names)])
    for policy, own in policies.items():
        table.rows.append([code(policy), *(count(own[part][name]) for name in names)])
    return table


def rates_by(summary: Summary, part: str, heading: str) -> Table:
    """Accuracy by domain, group or the like: a line each, a column for every policy."""
    policies = summary["policies"]
    rows: list[str] = []
    for own in policies.values():
        rows += [name for name in own[part] if name not in rows]
    table = Table([heading, *map(code, policies)])
    for name in rows:
        cells = [RateCell(own[part].get(name), strip=False) for own in policies.values()]
        table.rows.append([name.replace("_", " "), *cells])
    return table


def length_table(summary: Summary) -> Table:
    """Accuracy by the length of the best plan known."""
    policies = summary["policies"]
    table = Table(["best plan", *map(code, policies)])
    bins = [row["bin"] for row in next(iter(policies.values()))["by_length"]] if policies else []
    for k, name in enumerate(bins):
        cells = [RateCell(own["by_length"][k], strip=False) for own in policies.values()]
        table.rows.append([name, *cells])
    return table


def score_table(part: Mapping[str, Any], fields: Sequence[str]) -> Table:
    """Scores of questions that are no plans, with the baselines below."""
    table = Table(["policy", *(field.replace("_", " ") for field in fields)])
    for policy, own in part["policies"].items():
        table.rows.append([code(policy), *(RateCell(own.get(field)) for field in fields)])
    first = len(table.rows)
    for name, own in part["baselines"].items():
        rates = [own.get(field) if "value" not in own else own for field in fields]
        table.rows.append([name.replace("_", " "), *(RateCell(rate) for rate in rates)])
    table.aside = list(range(first, len(table.rows)))
    return table


def published_table() -> Table:
    """The paper's table of plans."""
    head = ["model", "valid", "accuracy, %", "of those read", "N-step", "BC", "GS", "other"]
    table = Table(head)
    for model, (valid, share, looked, *errors) in published.PLANNING.items():
        table.rows.append(
            [
                model, count(valid), f"{share:.2f}", number(published.of_readable(valid), 3),
                f"{looked:.2f}", *(NOTHING if n is None else count(n) for n in errors),
            ]
        )  # fmt: skip
    return table


def other_published_table() -> Table:
    """The paper's table of facts and places."""
    table = Table(["model", "factual retrieval, %", "spatial tracking, %"])
    for model, shares in published.RETRIEVAL.items():
        cells = [NOTHING if share is None else f"{share:.2f}" for share in shares]
        table.rows.append([model, *cells])
    return table


def strict_table(summary: Summary) -> Table:
    """Replies as the paper's own reader takes them."""
    table = Table(["policy", "asked", "read", "valid", "accuracy"])
    for policy, own in summary["strictly"].items():
        counts = [count(own[name]) for name in ("asked", "read", "valid")]
        table.rows.append([code(policy), *counts, RateCell(own["accuracy"])])
    return table


def phrase_table(summary: Summary) -> Table:
    """What the paper's own code counts of its validator's output."""
    table = Table(["policy", *(name.lower() for name in strictly.PHRASES)])
    for policy, own in summary["strictly"].items():
        counts = own["as_published_counts"]
        table.rows.append([code(policy), *(count(counts[name]) for name in strictly.PHRASES)])
    return table


def step_table(summary: Summary) -> Table:
    """Answers action by action."""
    table = Table(["policy", "answers", "refused"])
    for policy, own in summary["steps"].items():
        rate = wilson(own["refused"], own["answers"]).record()
        table.rows.append([code(policy), count(own["answers"]), RateCell(rate, strip=False)])
    return table


def probe_table(summary: Summary) -> Table:
    """Facts in the states in which plans broke down."""
    table = Table(["policy", "plans", "facts right", "plans without a fact"])
    for policy, own in summary["probe"].items():
        rate = RateCell(own["right"])
        table.rows.append([code(policy), count(own["plans"]), rate, count(own["without"])])
    return table


def numeric_table(summary: Summary) -> Table:
    """Accuracy on numeric problems against the others."""
    table = Table(["policy", "numeric", "discrete", "difference", "within thirds of length"])
    for policy, own in summary["policies"].items():
        gap = own["numeric"]
        rates = [RateCell(gap[name], strip=False) for name in ("numeric", "discrete")]
        more = [rate_text(gap[name]) for name in ("difference", "within_lengths")]
        table.rows.append([code(policy), *rates, *more])
    return table


def pair_table(summary: Summary) -> Table:
    """Policies on the same problems, with McNemar's test."""
    table = Table(["policy", "and", "both", "first alone", "second alone", "neither", "p"])
    for pair in summary["pairs"]:
        counts = [count(pair[name]) for name in ("both", "first", "second", "neither")]
        p = mcnemar(pair["first"], pair["second"])
        table.rows.append([*map(code, pair["policies"]), *counts, f"{p:.2g}"])
    return table


def error_table(summary: Summary) -> Table:
    """Factual retrieval beside plans that break a condition."""
    table = Table(
        ["policy", "retrieval, exact", "precondition, there", "BC, there", "precondition", "BC"]
    )
    for row in summary["retrieval_against_errors"]["policies"]:
        rates = [row["own"]["precondition"], row["own"]["BC"], row["precondition"], row["BC"]]
        cells = [RateCell(rate, strip=False) for rate in (row["retrieval"], *rates)]
        table.rows.append([code(row["policy"]), *cells])
    return table


def error_words(found: Mapping[str, Any]) -> str:
    """The correlations of facts and errors over policies, and the published one."""
    told = [
        f"{where}: r = {fit['r']:.3f}, p = {fit['p']:.2g}, n = {fit['n']}"
        for where, fit in found["correlations"].items()
        if fit is not None
    ]
    own = f"Over policies, {'; '.join(told)}." if told else "Under three policies have no r."
    fit = found["published"]
    return (
        f"{own} Of the paper's three models retrieval and BC have r = {fit['r']:.3f}, "
        f"p = {fit['p']:.2g}, n = {fit['n']}."
    )


def draw_errors(folder: Path, found: Mapping[str, Any], name: str) -> Path:
    """Facts against broken conditions: a point for each policy, small ones for its domains."""
    with drawing(folder, name, 6.0, 4.2) as figure:
        axes = figure.subplots()
        names, x, y, bars = [], [], [], []
        for k, row in enumerate(found["policies"]):
            colour = COLOURS[k % len(COLOURS)]
            for domain, own in row["domains"].items():
                x.append(own["retrieval"]["value"])
                y.append(own["precondition"]["value"])
                names.append(domain)
                axes.plot(x[-1:], y[-1:], "o", color=colour, markersize=3, alpha=0.6)
            a, b = row["retrieval"], row["own"]["precondition"]
            if b["value"] is None:
                continue
            x.append(a["value"])
            y.append(b["value"])
            names.append(short_labels([row["policy"]])[row["policy"]])
            bars.append((a["low"], b["value"], a["high"], b["value"]))
            bars.append((a["value"], b["low"], a["value"], b["high"]))
            axes.errorbar(
                x[-1:], y[-1:], xerr=_sides(a), yerr=_sides(b), fmt="s", color=colour,
                markersize=5, capsize=2, elinewidth=0.8, alpha=0.8,
            )  # fmt: skip
        axes.set_xlabel("factual questions, exact")
        axes.set_ylabel("plans that break a condition")
        axes.set_xlim(-0.05, 1.05)
        axes.set_ylim(-0.05, 1.05)
        axes.grid()
        labels.place(axes, names, x, y, bars)
    return folder / f"{name}.png"


def _sides(rate: Mapping[str, Any]) -> list[list[float]]:
    """How far an interval goes down and up."""
    return [[rate["value"] - rate["low"]], [rate["high"] - rate["value"]]]


def complexity_words(found: Mapping[str, Any]) -> str:
    """How certain the correlations are, and which of them is the stronger."""
    told, ranked = [], []
    for axis, words in (("applicable", "actions"), ("state_actions", "states with actions")):
        if found[axis] is not None:
            fit, (low, high) = found[axis], found[f"{axis}_interval"]
            told.append(f"r for {words}: [{number(low)}, {number(high)}]")
            ranked.append(
                f"for {words} Spearman's coefficient is {number(fit['spearman'])}, "
                f"p = {fit['p_spearman']:.2g}, and r without any one domain is from "
                f"{number(fit['low'])} to {number(fit['high'])}"
            )
    stronger = found["stronger"]
    if stronger is not None:
        told.append(
            f"|r| for states less |r| for actions: {number(stronger['value'])} "
            f"[{number(stronger['low'])}, {number(stronger['high'])}]"
        )
    if not told:
        return ""
    ranks = "; ".join(ranked)
    return f"By bootstrap over domains, {'; '.join(told)}. {ranks[0].upper()}{ranks[1:]}."


def figures(console: Console) -> None:
    """Print what the paper has."""
    console.print(published_table().rich("Plans, as published"))
    console.print(other_published_table().rich("Facts and places, as published"))


def draw_complexity(folder: Path, policy: str, own: Mapping[str, Any], name: str) -> Path:
    """Accuracy of domains against their complexity, two panels."""
    points = own["complexity"]["points"]
    words = {
        "applicable": "log10 of applicable actions",
        "state_actions": "log10 of states with actions",
    }
    with drawing(folder, name, 11.0, 5.0) as figure:
        drawn = []
        for axes, (axis, told) in zip(figure.subplots(1, 2), words.items(), strict=True):
            shown = {d: one for d, one in points.items() if one[axis] is not None}
            for one in shown.values():
                rate = one["accuracy"]
                axes.errorbar(
                    [one[axis]], [rate["value"]], yerr=_sides(rate), fmt="o", color=COLOURS[0],
                    markersize=4, capsize=2, alpha=0.6, elinewidth=0.7,
                )  # fmt: skip
            fit = own["complexity"][axis]
            title = f"n = {len(shown)}"
            if fit is not None:
                title = f"r = {fit['pearson']:.2f}, p = {fit['p']:.3f}, n = {fit['n']}"
            axes.set_title(title)
            axes.set_xlabel(told)
            axes.set_ylabel("accuracy")
            axes.set_ylim(-0.05, 1.05)
            axes.margins(x=0.15)
            axes.grid()
            drawn.append((axes, axis, shown))
        for axes, axis, shown in drawn:
            places = [one[axis] for one in shown.values()]
            labels.place(
                axes, list(shown), places, [one["accuracy"]["value"] for one in shown.values()]
            )
    return folder / f"{name}.png"


def screen(console: Console, summary: Summary, groups: str = CODE) -> None:
    """Print the main tables.

    Args:
        groups: of domains, of which accuracy is shown: ``CODE`` or ``AS_PAPER``.
    """
    if summary["policies"]:
        console.print(overview(summary).rich("Plans"))
        if (denominators := denominator_table(summary)).rows:
            console.print(denominators.rich("Published problems that can count, and all of them"))
        part = "by_group" if groups == CODE else "by_group_as_paper"
        console.print(rates_by(summary, part, "group").rich("Accuracy by group"))
        console.print(verdict_table(summary).rich("What plans come to"))
        console.print(class_table(summary).rich("In the paper's classes"))
    if summary.get("steps"):
        console.print(step_table(summary).rich("Action by action"))
    if summary.get("probe"):
        console.print(probe_table(summary).rich("Facts where plans broke down"))
    for part, title, fields in _PARTS:
        if part in summary:
            console.print(score_table(summary[part], fields).rich(title))


_PARTS = (
    ("retrieval", "Factual retrieval", ("exact", "per_property")),
    ("spatial", "Spatial tracking", ("accuracy",)),
)


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    page = Page("Planning", "Plans in the 21 domains of SPIN-Bench's formal part.")
    problems = summary["problems"]
    if summary["policies"]:
        page.heading("Plans")
        page.table(
            overview(summary),
            "Accuracy is the share of problems with a valid plan. N-step is the mean length of "
            "the best plan known over problems, 0 where no valid plan was given; *at most* is "
            "what solving all of them gives. Progress is the share of the goal that holds at the "
            "end or before the first fault. The IPC score is the sum of best length over length, "
            "by problems.",
        )
        if (denominators := denominator_table(summary)).rows:
            page.table(
                denominators,
                "Published problems. *Can count* leaves out those that SPIN-Bench's validator "
                "refuses whatever the plan, and those that have none; all other tables but the one "
                "by domain are of these. *All* counts them as failures, as the paper does; those "
                "refused are *other* errors.",
            )
        page.table(
            ratio_table(summary),
            "Valid plans: geometric means of length over the length of the best plan known, and "
            "of cost over the least cost known where the problem has a metric above 0. Questions "
            "to which no reply came, or none in time, are in no rate.",
        )
        page.table(
            verdict_table(summary),
            "One verdict for each plan; *no plan* is where a planner found none.",
        )
        page.table(
            class_table(summary),
            "The paper's classes: BC are broken constraints (unknown action, arity, unknown "
            "object, type, precondition), GS plans that miss the goal.",
        )
        page.table(rates_by(summary, "by_group", "group"), "Each domain in one group.")
        page.table(
            rates_by(summary, "by_group_as_paper", "group"),
            "Groups of the paper's appendix, where some domains count twice.",
        )
        page.table(rates_by(summary, "by_domain", "domain"), "By domain.")
        page.table(rates_by(summary, "by_size", "size"), "By size.")
        page.table(length_table(summary), "By the length of the best plan known.")
        page.table(
            numeric_table(summary),
            "Problems with numbers in conditions or goals against the others. The last column "
            "compares within thirds of the best length, since the classes differ in length.",
        )
        if "steps" in summary:
            page.table(
                step_table(summary),
                "Action by action: answers, and the share of those that could not be taken.",
            )
        if summary.get("probe"):
            page.table(
                probe_table(summary),
                "Facts in the state in which a model's own plan broke a condition: the share told "
                "rightly, which is 1/2 by a coin, over so many plans; of others no fact could be "
                "asked. Near 1/2 the model has lost track of the state; well above, it has planned "
                "badly.",
            )
        if "strictly" in summary:
            page.table(
                strict_table(summary),
                "The same replies as SPIN-Bench's own code reads them: strict JSON between two "
                "lines of $$. Compare this with published figures, and nothing else.",
            )
            page.table(
                phrase_table(summary),
                "What its code counts then: the phrase in the validator's output, of all replies. "
                "A reply that it could not read is for the validator a plan without actions, whose "
                "goal is not satisfied.",
            )
        if summary["pairs"]:
            page.table(
                pair_table(summary),
                "How often two policies solved the same problems; p is McNemar's, exact.",
            )
        page.heading("Complexity")
        for k, (policy, own) in enumerate(summary["policies"].items()):
            path = draw_complexity(folder, policy, own, f"complexity-{k}")
            caption = (
                f"{code(policy)}: each point is a domain. Domains whose numbers have no bounds "
                f"have no number of states. {complexity_words(own['complexity'])}"
            )
            page.figure(path, caption, f"Accuracy against complexity of {policy}")
        page.table(
            regression_table(summary),
            "Logistic regression of solved problems on the logarithms of the best length, of the "
            "applicable actions and of the pairs of states and actions: the change of the log odds "
            "for one standard deviation, with its 95% interval. The domain is a random effect, a "
            "normal intercept with the spread in the last column. Problems without all three are "
            "left out.",
        )
    for part, title, fields in _PARTS:
        if part in summary:
            page.heading(title)
            page.table(score_table(summary[part], fields))
    errors = summary["retrieval_against_errors"]
    if errors["policies"]:
        page.heading("Facts and errors")
        page.table(
            error_table(summary),
            "Answers to factual questions with all properties right, and the shares of plans that "
            "break a condition, or any constraint (BC): *there* in the domains that facts are "
            f"asked of, then in all. {error_words(errors)}",
        )
        page.figure(
            draw_errors(folder, errors, "facts-errors"),
            "Squares are policies, on the domains that facts are asked of; small points are its "
            "domains, and count in no correlation.",
            "Factual retrieval against plans that break a condition",
        )
    page.heading("As published")
    page.table(
        published_table(),
        f"SPIN-Bench (2025), tables 2 to 4, of {count(published.TASKS)} problems. Of these "
        f"{published.TASKS - published.SCORABLE} can never be scored: the validator refuses the "
        f"problem itself; {published.SOLVABLE} are left that have a plan.",
    )
    page.table(
        other_published_table(), "SPIN-Bench (2025), table 3; as published, without intervals."
    )
    if problems["refused"]:
        page.heading("Files that cannot be played")
        page.bullets(f"{name}: {why}" for name, why in problems["refused"].items())
    if problems["odd"]:
        page.heading("Odd files")
        page.bullets(f"{name}: {why}" for name, why in problems["odd"].items())
    page.write(folder)
