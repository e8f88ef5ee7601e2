"""The tables of LudoBench's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from stratagym.benchmarks.harness.spots import CATEGORIES
from stratagym.benchmarks.ludo_spots.figures import percent_text
from stratagym.benchmarks.ludo_spots.findings import (
    named,
    rows,
)
from stratagym.benchmarks.ludo_spots.metrics import KEY_METRICS
from stratagym.benchmarks.ludo_spots.reading import (
    Summary,
    find,
    fullest,
    models,
    owns,
    part,
    plain,
)
from stratagym.benchmarks.reporting.own import marked
from stratagym.benchmarks.reporting.page import NOTHING, Cell, RateCell, Table, code, count, number
from stratagym.benchmarks.reporting.sections import counted_apart, in_words, seconds_text


def overview(summary: Summary) -> Table:
    """Every policy: questions, invalid answers, agreement with what it means nothing to reach."""
    table = Table(["policy", "asked", "invalid", "agreement", "chance", "lowest", "kappa"])
    for name, by_category in rows(summary):
        overall = by_category["overall"]
        rate = overall["gt_position_rate"]
        is_reference = name == summary["reference"]
        kappa = overall.get("gt_position_kappa", {}).get("value")
        table.rows.append(
            [
                named(summary, name),
                count(sum(overall["kinds"].values())),
                RateCell(overall["llm_invalid_rate"], strip=False),
                "itself" if is_reference else RateCell(rate),
                number(rate["chance"]),
                number(overall["gt_position_lowest"]["value"]),
                NOTHING if is_reference else number(kappa),
            ]
        )
    return marked(table, [[name] for name, _ in rows(summary)], owns(summary))


def category_table(summary: Summary, category: str) -> Table:
    """The rates that a category is about, and the agreement in it, of every policy."""
    asks = models(summary)
    metrics = KEY_METRICS[category]
    columns = ["policy", *metrics, "agreement"]
    table = Table([*columns, "invalid"] if asks else columns)
    for name, by_category in rows(summary):
        if category not in by_category:
            continue
        row: list[Cell] = [named(summary, name)]
        for metric in metrics:
            low = -1.0 if metric == "grudge_effect" else 0.0
            row.append(RateCell(find(by_category, category, metric), low))
        row.append(RateCell(by_category[category]["gt_position_rate"]))
        if asks:
            invalid = by_category[category]["llm_invalid_rate"]
            row.append(RateCell(invalid) if name in asks else NOTHING)
        table.rows.append(row)
    agree = fullest(summary, category, "gt_position_rate")
    lowest = fullest(summary, category, "gt_position_lowest")
    yardsticks: list[list[Cell]] = [
        [
            "uniform chance",
            *(chance(fullest(summary, category, metric)) for metric in metrics),
            chance(agree),
        ],
        ["lowest index", *[""] * len(metrics), number(part(lowest, "value"))],
    ]
    table.aside = [len(table.rows), len(table.rows) + 1]
    whose = [[name] for name, by_category in rows(summary) if category in by_category]
    table.rows += [[*row, *[""] * (len(table.columns) - len(row))] for row in yardsticks]
    return marked(table, [*whose, [], []], owns(summary))


def chance(rate: Mapping[str, Any] | None) -> str:
    return NOTHING if rate is None else number(rate["chance"])


def agreement_table(summary: Summary) -> Table:
    """Agreement by position and, as published, by index."""
    table = Table(["policy", "same position", "kappa", "same index", "kappa (index)"])
    for name, by_category in rows(summary):
        overall = by_category["overall"]
        if name != summary["reference"]:
            table.rows.append(
                [
                    named(summary, name),
                    RateCell(overall["gt_position_rate"]),
                    RateCell(overall.get("gt_position_kappa"), -1, strip=False),
                    RateCell(overall["gt_index_rate"]),
                    RateCell(overall.get("gt_index_kappa"), -1, strip=False),
                ]
            )
    table.aside = [len(table.rows), len(table.rows) + 1]
    position, index = (fullest(summary, "overall", f"gt_{x}_rate") for x in ("position", "index"))
    table.rows.append(["uniform chance", chance(position), "", chance(index), ""])
    lowest = [fullest(summary, "overall", f"gt_{x}_lowest") for x in ("position", "index")]
    shown = [number(part(rate, "value")) for rate in lowest]
    table.rows.append(["lowest index", shown[0], "", shown[1], ""])
    whose = [[name] for name, _ in rows(summary) if name != summary["reference"]]
    return marked(table, [*whose, [], []], owns(summary))


def failure_table(summary: Summary, *, by_persona: bool) -> Table:
    """Failures of every model that had any, by kind, and their reasons."""
    columns = ["policy", "unreadable", "illegal", "no answer", "reasons"]
    table = Table(columns, left=(4,))
    for name in models(summary):
        parts = {p: [t["overall"]] for p, t in summary["policies"][name].items()}
        groups = parts if by_persona else {"": [overall for (overall,) in parts.values()]}
        for persona, group in groups.items():
            kinds: Counter[str] = Counter()
            reasons: Counter[str] = Counter()
            for overall in group:
                kinds.update(overall["kinds"])
                reasons.update(overall["reasons"])
            said = ", ".join(f"{why.partition(': ')[2]} {n}" for why, n in reasons.most_common())
            failed = [count(kinds[kind]) for kind in ("unparseable", "illegal", "transport")]
            if reasons:
                who = code(name) + (f" as *{persona}*" if persona else "")
                table.rows.append([who, *failed, said])
    return table


def invalid_table(summary: Summary) -> Table:
    """Invalid answers of every model by category."""
    names = models(summary)
    table = Table(["category", *(named(summary, name) for name in names)])
    for category in [*categories_asked(summary), "overall"]:
        rates = (find(plain(summary, name), category, "llm_invalid_rate") for name in names)
        table.rows.append([category, *(RateCell(rate) for rate in rates)])
    return table


def persona_table(summary: Summary) -> Table:
    """Persona alignment of every model that was asked with personas."""
    table, whose = Table(["policy", "persona", "alignment", "rates"], left=[1]), []
    for name in models(summary):
        own = summary["persona_alignment"].get(name, {})
        for persona, score in own.items():
            rates = f"{score['metrics']} of {score['of']}"
            table.rows.append([code(name), persona, RateCell(score), rates])
            whose.append([f"{name} as {persona}"])
    by_persona = {
        f"{name} as {persona}": found
        for name, own in summary["own"].items()
        for persona, found in own.items()
    }
    return marked(table, whose, by_persona, behind=2)


def game_table(summary: Summary) -> Table:
    """Win rates of the built-in policies against each other."""
    wins = summary["head_to_head"]["wins"]
    names = [name for name in wins if wins[name]]
    table = Table(["wins of", *(f"against {code(name)}" for name in names)])
    for a in names:
        cells = [percent_text(wins[a][b]) if b in wins[a] else "" for b in names]
        table.rows.append([code(a), *cells])
    return table


def transition_table(summary: Summary) -> Table:
    """Which moves the grudge history turned into which."""
    table = Table(["policy", "changed", "boards", "from → to"], left=(3,))
    for name, by_category in rows(summary):
        grudge = by_category.get("grudge_paired")
        if grudge and grudge["change_rate"]["n"]:
            moves = grudge["transitions"]
            said = ", ".join(f"{move} ({n})" for move, n in moves.items())
            row = [str(sum(moves.values())), str(grudge["change_rate"]["n"]), said or NOTHING]
            table.rows.append([named(summary, name), *row])
    return table


def usage_table(summary: Summary) -> Table:
    """Tokens, time and cost of every model."""
    apart = counted_apart(summary["usage"].values())
    columns = ["answers", "truncated", "tokens in", "tokens out", *apart, "retries"]
    table = Table(["policy", *columns, "median latency", "cost"])
    for name in models(summary):
        use = summary["usage"].get(name, {})
        fields = ("decisions", "truncated", "tokens_in", "tokens_out", *apart.values(), "retries")
        counts = [use.get(field) for field in fields]
        latency, cost = use.get("median_latency_s"), use.get("cost")
        table.rows.append(
            [
                code(name),
                *(NOTHING if n is None else count(n) for n in counts),
                seconds_text(latency),
                NOTHING if cost is None else f"{cost:.4g}",
            ]
        )
    return table


def run_rows(summary: Summary) -> list[tuple[str, str]]:
    """The options in force."""
    config = summary["config"]
    spots, sizes = config["spots"], summary["categories"]
    # Every spot has players of its own.
    rules = {k: v for k, v in config["rules"].items() if k not in ("players", "seats")}
    prompts = [("prompts", in_words(config["text"]))] if "text" in config else []
    return [
        ("personas", ", ".join(config["personas"])),
        (
            "spots",
            f"{code(spots['source'])}, {spots['entries']} questions on {summary['boards']} boards",
        ),
        ("spots, SHA-256", code(spots["sha256"])),
        ("categories", ", ".join(f"{name} {n}" for name, n in sizes.items())),
        ("rules of Ludo", ", ".join(code(f"{key}={value}") for key, value in rules.items())),
        ("reference", f"{code(summary['reference'])}, {config['depth']} decisions ahead"),
        ("answers", "lenient" if config["lenient"] else "strict"),
        ("legal moves in the prompt", "yes" if config["list_legal"] else "no"),
        ("renamed", "yes" if config["renamed"] else "no"),
        ("as published", "yes" if config["as_published"] else "no"),
        *prompts,
        ("seed", str(config["seed"])),
        ("games for each pair", str(summary["head_to_head"]["games"])),
    ]


def categories_asked(summary: Summary) -> list[str]:
    return [category for category in CATEGORIES if category in summary["categories"]]
