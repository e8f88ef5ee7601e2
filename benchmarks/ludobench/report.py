"""LudoBench's report: tables on screen, and ``report.md`` and ``report.html`` with figures."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from rich.console import Console

from stratagym.benchmarks.ludobench.figures import (
    ARCHETYPE,
    TRADE_OFFS,
    Summary,
    alignment_text,
    draw_all,
    find,
    fullest,
    models,
    ordered,
    percent_text,
    persona_mark,
    plain,
    preference,
    shift,
)
from stratagym.benchmarks.ludobench.metrics import KEY_METRICS, PERSONA_METRICS
from stratagym.benchmarks.ludobench.spots import CATEGORIES
from stratagym.benchmarks.report import (
    NOTHING,
    Cell,
    Page,
    RateCell,
    Table,
    against,
    code,
    count,
    number,
    plain_text,
    rate_text,
    short_labels,
)
from stratagym.benchmarks.stats import wilson

GROUPS = {
    "What the rules allow": ("blocked", "overshoot"),
    "One thing on offer": ("capture", "safe", "home_entry", "extra_turn"),
    "One aim against another": (
        "capture_vs_home",
        "capture_vs_home_finish",
        "capture_vs_safe",
        "capture_vs_openexisting",
        "safe_vs_openexisting",
    ),
    "The same board, another story": ("grudge_paired",),
}
ABOUT = {
    "blocked": "A piece cannot move, because another of the same player stands where it would "
    "land. Naming it breaks the rules.",
    "overshoot": "A piece in the home path has fewer squares left than were thrown. Naming it "
    "breaks the rules.",
    "capture": "One move captures; the others do nothing of note.",
    "safe": "One move reaches a safe square; the others do nothing of note.",
    "home_entry": "One move enters the home path; the others do nothing of note.",
    "extra_turn": "A six: bring a piece out of base, or move one that is out.",
    "capture_vs_home": "Capture, or enter the home path.",
    "capture_vs_home_finish": "Capture, or bring a piece all the way home.",
    "capture_vs_safe": "Capture, or reach a safe square.",
    "capture_vs_openexisting": "A six: capture, or bring a piece out of base.",
    "safe_vs_openexisting": "A six: reach a safe square, or bring a piece out of base.",
    "grudge_paired": "Every board twice, once with a history in which nothing happened and once "
    "with one in which an opponent captured a piece. A move captures that opponent's piece.",
}
GLOSSARY = {
    "llm_invalid_rate": "Answers that hold no legal move: unreadable ones (not in the form asked "
    "for) and illegal ones. Share of all answers; a question that no answer came to is in no rate.",
    "block_rate": "Answers that name a piece blocked by an own one, of all that name a piece.",
    "overshoot_rate": "Answers that name a piece which would overshoot, of all that name a piece.",
    "capture_rate": "Moves that send an opposing piece back to base. This and all rates of moves "
    "are shares of the valid answers.",
    "safe_rate": "Moves that end on a safe square of the main track.",
    "home_entry_rate": "Moves that end in the home path.",
    "home_finish_rate": "Moves that end on the last home square.",
    "open_rate": "Moves that bring a piece out of base; in `extra_turn` named `bring_out_rate`.",
    "move_existing_rate": "Moves of a piece that was out of base already.",
    "change_rate": "Boards on which the two histories lead to different moves; both answers valid.",
    "retaliation_grudge_rate": "Captures of the accused player's piece after the grudge history.",
    "retaliation_noconflict_rate": "The same captures after the neutral history.",
    "grudge_effect": "How much the grudge history raises retaliation, over boards with two valid "
    "answers.",
    "agreement": "Answers that choose the reference's move. By position, two pieces on one square "
    "are the same move; by index they are not. An invalid answer agrees with nothing.",
    "kappa": "Agreement corrected for chance: 0 at chance level, 1 where it is complete, negative "
    "below chance.",
    "chance": "What a player would reach who picks a legal move at random, on the same boards.",
    "lowest index": "What a player would reach who always names the legal piece of lowest index.",
    "persona alignment": "How far a persona moved the rates that it should move, and in the "
    "expected direction: the mean of 0.5 + 0.5 tanh(change / 0.10). 1 follows, .5 is no effect, 0 "
    "is the opposite. A change of ten points in one rate already gives .88.",
}
_SETTINGS = ("model", "base_url", "temperature", "max_tokens")
"""What of a model's settings is shown; a list of what may be, so that no key ever is."""


# --- words ---------------------------------------------------------------------------------------


def _named(summary: Summary, policy: str) -> str:
    role = " (reference)" if policy == summary["reference"] else ""
    return code(policy) + persona_mark(summary, policy) + role


def _rows(summary: Summary) -> list[tuple[str, Mapping[str, Any]]]:
    """(policy, its metrics by category), models first."""
    return [(policy, plain(summary, policy)) for policy in ordered(summary)]


def _listed(words: Iterable[str]) -> str:
    """``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _with_chance(rate: Mapping[str, Any]) -> str:
    chance = "" if rate.get("chance") is None else f", chance {number(rate['chance'])}"
    return f"{rate_text(rate)}{chance}"


def half_width(n: int) -> float:
    """How far a rate of a half over ``n`` cases lies from the ends of its interval, in points."""
    rate = wilson(n / 2, n)
    return 0.0 if rate.high is None or rate.low is None else 50 * (rate.high - rate.low)


# --- what came out -------------------------------------------------------------------------------


class Finding(NamedTuple):
    """A sentence on a policy, and the verdict in it that other policies may share."""

    policy: str
    verdict: str
    sentence: str


def findings(summary: Summary) -> dict[str, list[Finding]]:
    """What the data say by topic; every judgement compares intervals."""
    return {
        "Following the rules": _rules_findings(summary),
        "Agreement with the reference": _agreement_findings(summary),
        "Style": _style_findings(summary),
        "Grudges": _grudge_findings(summary),
        "Personas": _persona_findings(summary),
        "Whole games": _game_findings(summary),
    }


def in_brief(found: Mapping[str, Sequence[Finding]]) -> list[str]:
    """One line a topic: who shares which verdict."""
    lines = []
    for topic, each in found.items():
        shared: dict[str, list[str]] = {}
        for finding in each:
            shared.setdefault(finding.verdict, []).append(finding.policy)
        said = "; ".join(f"{verdict}: {_listed(names)}" for verdict, names in shared.items())
        if said:
            lines.append(f"**{topic}** – {said}.")
    return lines


def _rules_findings(summary: Summary) -> list[Finding]:
    result = []
    for name in models(summary):
        policy, overall = _named(summary, name), plain(summary, name)["overall"]
        kinds, rate = overall["kinds"], overall["llm_invalid_rate"]
        lost = f"; to {kinds['transport']} questions no answer came" if kinds["transport"] else ""
        if rate["value"] is None:
            result.append(Finding(policy, "never answered", f"{policy} never answered{lost}."))
            continue
        if rate["value"] == 0:
            said = f"named a legal move in all {count(rate['n'])} answers"
        else:
            said = (
                f"named no legal move in {rate_text(rate)} of {count(rate['n'])} answers: "
                f"{kinds['illegal']} illegal, {kinds['unparseable']} unreadable"
            )
        words = ("under 1% invalid answers", "under 10%", "10% or more")
        verdict = words[(rate["value"] >= 0.01) + (rate["value"] >= 0.1)]
        result.append(Finding(policy, verdict, f"{policy} {said}{lost}."))
    return result


_LEVELS = ("more than chance", "no more than chance", "less than chance")


def _agreement_findings(summary: Summary) -> list[Finding]:
    result = []
    for name, table in _rows(summary):
        rate = find(table, "overall", "gt_position_rate")
        if name == summary["reference"] or rate is None:
            continue
        policy, overall = _named(summary, name), table["overall"]
        lowest, kinds = overall["gt_position_lowest"]["value"], overall["kinds"]
        side = against(rate, rate["chance"])
        verdict = _LEVELS[1 - side]
        said = f"{policy} agrees with the reference {verdict}: {_with_chance(rate)}"
        if side > 0:
            more = "and more" if against(rate, lowest) > 0 else "but not clearly more"
            said += f", {more} than always naming the lowest piece ({number(lowest)})"
        if kinds["ok"] and kinds["ok"] < 0.95 * rate["n"]:
            valid = wilson(round(rate["value"] * rate["n"]), kinds["ok"]).record()
            said += (
                f". Invalid answers count against it; of the valid ones {rate_text(valid)} agree"
            )
        result.append(Finding(policy, verdict, f"{said}."))
    return sorted(result, key=lambda finding: _LEVELS.index(finding.verdict))


_STYLES = {
    (1, -1): ("builder", "builds and does not finish"),
    (-1, 1): ("finisher", "finishes and does not build"),
    (1, 1): ("both builds and finishes", "both builds and finishes"),
    (-1, -1): ("neither", "neither builds nor finishes"),
}


def _style_findings(summary: Summary) -> list[Finding]:
    result = []
    reference = summary["reference"]
    theirs = plain(summary, reference) if reference in summary["policies"] else {}
    for name in models(summary):
        policy, table = _named(summary, name), plain(summary, name)
        opens, finishes = (find(table, *axis) for axis in ARCHETYPE)
        if not opens or not finishes:
            continue
        sides = against(opens, 0.5), against(finishes, 0.5)
        verdict, said = _STYLES.get(sides, ("no clear style", "has no clear style"))
        said = (
            f"{policy} {said}: after a six it brings a piece out in {_with_chance(opens)}; it "
            f"finishes rather than captures in {_with_chance(finishes)}."
        )
        leans = {
            category: [preference(by, category, other) for by in (table, theirs)]
            for category, other in TRADE_OFFS
        }
        opposed = [
            code(category)
            for category, pair in leans.items()
            if None not in pair and against(pair[0] or {}, 0) * against(pair[1] or {}, 0) < 0
        ]
        if opposed:
            said += f" It goes the other way than the reference in {_listed(opposed)}."
        result.append(Finding(policy, verdict, said))
    return result


def _grudge_findings(summary: Summary) -> list[Finding]:
    result = []
    for name in models(summary):
        policy, table = _named(summary, name), plain(summary, name)
        change = find(table, "grudge_paired", "change_rate")
        effect = find(table, "grudge_paired", "grudge_effect")
        if change is None or effect is None:
            continue
        boards = f"{change['n']} boards"
        if change["value"] == 0:
            said = f"{policy} keeps its move on all {boards} with two valid answers."
            result.append(Finding(policy, "unmoved by the history", said))
            continue
        verdict = (
            "moved, with no clear effect on retaliation",
            "retaliates more",
            "retaliates less",
        )
        said = (
            f"{policy} changes its move on {rate_text(change)} of {boards} (a random player on "
            f"{number(change['chance'])}); retaliation shifts by {rate_text(effect)}."
        )
        result.append(Finding(policy, verdict[against(effect, 0)], said))
    return result


def _persona_findings(summary: Summary) -> list[Finding]:
    result = []
    for name in models(summary):
        tables = summary["policies"][name]
        sides, moved, unmoved = set(), [], []
        for persona, score in summary["persona_alignment"].get(name, {}).items():
            pairs = (
                (way, [find(tables[p], category, metric) for p in ("none", persona)])
                for category, metric, way in PERSONA_METRICS[persona]
            )
            ways = [way * against(x, 0) for way, pair in pairs if (x := shift(*pair))]
            value = number(score["value"])
            if not any(ways):
                unmoved.append(f"*{persona}* ({value})")
                continue
            opposed = f", {ways.count(-1)} the other way" if -1 in ways else ""
            moved.append(f"*{persona}* {value}: {ways.count(1)} of {len(ways)} as asked{opposed}")
            sides |= {1} if score["value"] >= 0.75 and 1 in ways else set()
            sides |= {-1} if score["value"] <= 0.25 and -1 in ways else set()
        said = [f"rates that clearly moved: {'; '.join(moved)}"] if moved else []
        said += [f"none clearly moved under {_listed(unmoved)}"] if unmoved else []
        verdict = "clearly follow one or more" if 1 in sides else "follow none clearly"
        verdict = "go clearly against one or more" if sides == {-1} else verdict
        if said:
            policy = _named(summary, name)
            result.append(Finding(policy, verdict, f"{policy}: {'; '.join(said)}."))
    return result


def _game_findings(summary: Summary) -> list[Finding]:
    wins = summary["head_to_head"]["wins"]
    result = []
    for a, b in combinations(wins, 2):
        if b in wins[a]:
            first, second = (a, b) if wins[a][b]["value"] > 0.5 else (b, a)
            rate = wins[first][second]
            verb = "beats" if against(rate, 0.5) else "is level, as far as one can tell, with"
            said = f"{code(first)} {verb} {code(second)}: {percent_text(rate)} of {rate['n']} games"
            verdict = "wins of built-in policies, two players"
            result.append(
                Finding(
                    f"{code(first)} over {code(second)} {percent_text(rate)}", verdict, f"{said}."
                )
            )
    return result


def remarks(summary: Summary) -> list[tuple[str, bool]]:
    """What to know before reading the numbers, and whether it is a warning."""
    config, sizes = summary["config"], summary["categories"]
    entries = sum(sizes.values())
    boards = sorted(n // 2 if c == "grudge_paired" else n for c, n in sizes.items())
    few = boards[len(boards) // 2]
    result = [
        (
            f"Brackets hold 95% intervals. A category of {few} boards pins a rate down to about "
            f"±{half_width(few):.0f} points, all {entries} questions together to about "
            f"±{half_width(entries):.0f}: two policies whose intervals overlap a good deal cannot "
            "be told apart here. Of twenty intervals, about one misses the truth by luck.",
            False,
        ),
        (
            f"`{summary['reference']}` is the reference, not the best play there is: it looks "
            "few decisions ahead and judges what it sees by hand-set weights. It wins more than it "
            "loses with two players; with four it does no better than the greedy heuristic.",
            True,
        ),
        (
            "Chance stands beside every rate that has one. An agreement of .45 sounds like "
            "something and may be what a random player reaches.",
            False,
        ),
    ]
    if models(summary):
        form = (
            "Answers were read leniently: a bare piece number counts, too."
            if config["lenient"]
            else "Answers were read strictly: `<int> | <reason>`, and anything else is unreadable."
        )
        result.append((form, False))
    if config["list_legal"]:
        result.append(
            ("The prompts named the legal moves, so the invalid rates are not LudoBench's.", True)
        )
    if config["as_published"]:
        result.append(
            (
                "Rules and scoring are those of the authors' released code: own pieces may share "
                "safe and home squares, a piece in the home path moves only to finish, and "
                "bringing a piece out counts as a safe move, too.",
                True,
            )
        )
    return result + [(text, True) for text in _gaps(summary)]


def _gaps(summary: Summary) -> list[str]:
    """What is missing from the run."""
    result = []
    entries = sum(summary["categories"].values())
    lost = 0
    for policy, by_persona in summary["policies"].items():
        for persona, table in by_persona.items():
            kinds = table["overall"]["kinds"]
            lost += kinds["transport"]
            if sum(kinds.values()) < entries:
                where = "" if persona == "none" else f" as *{persona}*"
                result.append(
                    f"{code(policy)}{where} was asked only {sum(kinds.values())} of {entries} "
                    "questions; `--resume` goes on."
                )
    if lost:
        result.append(
            f"To {count(lost)} questions no answer came; they are in no rate. "
            "`--resume --retry-transport` asks them again."
        )
    if summary["invalid_entries"]:
        result.append(
            f"{len(summary['invalid_entries'])} bad entries of the spot files were left out; "
            "they are listed under *The run*."
        )
    return result


# --- tables --------------------------------------------------------------------------------------


def overview(summary: Summary) -> Table:
    """Every policy: questions, invalid answers, agreement with what it means nothing to reach."""
    table = Table(["policy", "asked", "invalid", "agreement", "chance", "lowest", "kappa"])
    for name, by_category in _rows(summary):
        overall = by_category["overall"]
        rate = overall["gt_position_rate"]
        is_reference = name == summary["reference"]
        kappa = overall.get("gt_position_kappa", {}).get("value")
        table.rows.append(
            [
                _named(summary, name),
                count(sum(overall["kinds"].values())),
                RateCell(overall["llm_invalid_rate"], strip=False),
                "itself" if is_reference else RateCell(rate),
                number(rate["chance"]),
                number(overall["gt_position_lowest"]["value"]),
                NOTHING if is_reference else number(kappa),
            ]
        )
    return table


def category_table(summary: Summary, category: str) -> Table:
    """The rates that a category is about, and the agreement in it, of every policy."""
    asks = models(summary)
    metrics = KEY_METRICS[category]
    columns = ["policy", *metrics, "agreement"]
    table = Table([*columns, "invalid"] if asks else columns)
    for name, by_category in _rows(summary):
        if category not in by_category:
            continue
        row: list[Cell] = [_named(summary, name)]
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
            *(_chance(fullest(summary, category, metric)) for metric in metrics),
            _chance(agree),
        ],
        ["lowest index", *[""] * len(metrics), number(lowest and lowest["value"])],
    ]
    table.aside = [len(table.rows), len(table.rows) + 1]
    table.rows += [[*row, *[""] * (len(table.columns) - len(row))] for row in yardsticks]
    return table


def _chance(rate: Mapping[str, Any] | None) -> str:
    return NOTHING if rate is None else number(rate["chance"])


def agreement_table(summary: Summary) -> Table:
    """Agreement by position and, as published, by index."""
    table = Table(["policy", "same position", "kappa", "same index", "kappa (index)"])
    for name, by_category in _rows(summary):
        overall = by_category["overall"]
        if name != summary["reference"]:
            table.rows.append(
                [
                    _named(summary, name),
                    RateCell(overall["gt_position_rate"]),
                    RateCell(overall.get("gt_position_kappa"), -1, strip=False),
                    RateCell(overall["gt_index_rate"]),
                    RateCell(overall.get("gt_index_kappa"), -1, strip=False),
                ]
            )
    table.aside = [len(table.rows), len(table.rows) + 1]
    position, index = (fullest(summary, "overall", f"gt_{x}_rate") for x in ("position", "index"))
    table.rows.append(["uniform chance", _chance(position), "", _chance(index), ""])
    lowest = [fullest(summary, "overall", f"gt_{x}_lowest") for x in ("position", "index")]
    shown = [number(rate and rate["value"]) for rate in lowest]
    table.rows.append(["lowest index", shown[0], "", shown[1], ""])
    return table


def failure_table(summary: Summary, *, by_persona: bool) -> Table:
    """Failures of every model that had any, by kind, and their reasons."""
    columns = ["policy", "unreadable", "illegal", "no answer", "reasons"]
    table = Table(columns, left=(4,))
    for name in models(summary):
        parts = {p: [t["overall"]] for p, t in summary["policies"][name].items()}
        groups = parts if by_persona else {"": [part for (part,) in parts.values()]}
        for persona, group in groups.items():
            kinds: Counter[str] = Counter()
            reasons: Counter[str] = Counter()
            for part in group:
                kinds.update(part["kinds"])
                reasons.update(part["reasons"])
            said = ", ".join(f"{why.partition(': ')[2]} {n}" for why, n in reasons.most_common())
            failed = [count(kinds[kind]) for kind in ("unparseable", "illegal", "transport")]
            if reasons:
                who = code(name) + (f" as *{persona}*" if persona else "")
                table.rows.append([who, *failed, said])
    return table


def invalid_table(summary: Summary) -> Table:
    """Invalid answers of every model by category."""
    names = models(summary)
    table = Table(["category", *(_named(summary, name) for name in names)])
    for category in [*_categories(summary), "overall"]:
        rates = (find(plain(summary, name), category, "llm_invalid_rate") for name in names)
        table.rows.append([category, *(RateCell(rate) for rate in rates)])
    return table


def persona_table(summary: Summary) -> Table:
    """Persona alignment of every model that was asked with personas."""
    scores = {n: s for n in models(summary) if (s := summary["persona_alignment"].get(n))}
    columns = [p for p in PERSONA_METRICS if any(p in s for s in scores.values())]
    table = Table(["policy", *columns])
    for name, own in scores.items():
        table.rows.append([code(name), *(alignment_text(own.get(p)) for p in columns)])
    return table


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
    for name, by_category in _rows(summary):
        grudge = by_category.get("grudge_paired")
        if grudge and grudge["change_rate"]["n"]:
            moves = grudge["transitions"]
            said = ", ".join(f"{move} ({n})" for move, n in moves.items())
            row = [str(sum(moves.values())), str(grudge["change_rate"]["n"]), said or NOTHING]
            table.rows.append([_named(summary, name), *row])
    return table


def usage_table(summary: Summary) -> Table:
    """Tokens, time and cost of every model."""
    columns = ["answers", "tokens in", "tokens out", "retries", "median latency", "cost"]
    table = Table(["policy", *columns])
    for name in models(summary):
        use = summary["usage"].get(name, {})
        counts = [use.get(key) for key in ("decisions", "tokens_in", "tokens_out", "retries")]
        latency, cost = use.get("median_latency_s"), use.get("cost")
        table.rows.append(
            [
                code(name),
                *(NOTHING if n is None else count(n) for n in counts),
                NOTHING if latency is None else f"{latency:.2f} s",
                NOTHING if cost is None else f"{cost:.4g}",
            ]
        )
    return table


def options_table(summary: Summary) -> Table:
    """The options in force."""
    config = summary["config"]
    spots, sizes = config["spots"], summary["categories"]
    # Every spot has players of its own.
    rules = {k: v for k, v in config["rules"].items() if k not in ("players", "seats")}
    table = Table(["option", "value"], left=(1,))
    for name, settings in _settings(summary).items():
        own = ", ".join(f"{key} {code(value)}" for key, value in settings.items())
        table.rows.append(["policy", code(name) + (f": {own}" if own else "")])
    table.rows += [
        ["personas", ", ".join(config["personas"])],
        [
            "spots",
            f"{code(spots['source'])}, {spots['entries']} questions on {summary['boards']} boards",
        ],
        ["spots, SHA-256", code(spots["sha256"])],
        ["categories", ", ".join(f"{name} {n}" for name, n in sizes.items())],
        ["rules of Ludo", ", ".join(code(f"{key}={value}") for key, value in rules.items())],
        ["reference", f"{code(summary['reference'])}, {config['depth']} decisions ahead"],
        ["answers", "lenient" if config["lenient"] else "strict"],
        ["legal moves in the prompt", "yes" if config["list_legal"] else "no"],
        ["as published", "yes" if config["as_published"] else "no"],
        ["seed", str(config["seed"])],
        ["games for each pair", str(summary["head_to_head"]["games"])],
    ]
    return table


def _settings(summary: Summary) -> dict[str, dict[str, Any]]:
    """By policy, what of its settings is shown."""
    config = summary["config"]
    result = {}
    for policy in config["policies"]:
        own = {**policy, **config.get("connections", {}).get(policy["name"], {})}
        shown = {key: own[key] for key in _SETTINGS if own.get(key) is not None}
        result[policy["name"]] = shown
    return result


def _categories(summary: Summary) -> list[str]:
    return [category for category in CATEGORIES if category in summary["categories"]]


def command(summary: Summary) -> str:
    """The command line that makes the run again."""
    config = summary["config"]
    names = []
    for name, settings in _settings(summary).items():
        model = settings.pop("model", None)
        query = f"?{urlencode(settings, safe=':/')}" if settings else ""
        names.append(name if model is None else f"llm:{model}{query}")
    words = ["--policies", ",".join(names)]
    if config["personas"] != ["none"]:
        words += ["--personas", ",".join(config["personas"])]
    if config["spots"]["source"] != "shipped":
        words += ["--spots", config["spots"]["source"]]
    if len(summary["categories"]) < len(CATEGORIES):
        words += ["--categories", ",".join(_categories(summary))]
    words += ["--depth", str(config["depth"]), "--seed", str(config["seed"])]
    words += ["--head-to-head", str(summary["head_to_head"]["games"])]
    flags = ("lenient", "as_published", "list_legal")
    words += [f"--{flag.replace('_', '-')}" for flag in flags if config[flag]]
    words += ["--skip-invalid"] if summary["invalid_entries"] else []
    return f"python -m benchmarks.ludo_spots {shlex.join(words)}"


# --- the page ------------------------------------------------------------------------------------

OVERVIEW = (
    "Agreement with the reference by position. *chance*: a random legal move; *lowest*: the legal "
    "piece of lowest index. In the strips the bar is the interval, the dark mark the rate and the "
    "orange one chance."
)
SAMPLED = (
    "A model that is sampled at a temperature above 0 changes moves of its own accord; only at 0 "
    "does the change rate speak of the history."
)
SATURATES = (
    "Persona alignment rises steeply: a change of ten points gives .88 already, and ten points are "
    "within the noise of 40 boards. Clear changes are those whose interval leaves out zero; they "
    "are bold in the figure and counted in the sentences above."
)
CAPTIONS = {
    "compliance": (
        "Invalid answers, by what is wrong with them, with the 95% interval of the two together. "
        "Questions that no answer came to are counted apart.",
        "Bars of the invalid rate of each model, split into illegal and unreadable answers",
    ),
    "gt_agreement": (
        "How often the move is the reference's, by position. The two rows below the line need no "
        "skill: compare every number with them.",
        "Heat map of agreement by policy and category, with rows for chance and lowest index",
    ),
    "gt_kappa": (
        "The same, corrected for chance. White is what a random player reaches, blue is more, red "
        "less.",
        "Heat map of Cohen's kappa by policy and category",
    ),
    "archetypes": (
        "To the right, policies that bring new pieces out after a six; at the top, policies that "
        "finish a piece rather than capture. Bars are 95% intervals; points that would coincide "
        "are drawn side by side.",
        "Scatter plot of bringing pieces out against finishing them",
    ),
    "radar": (
        "Seven rates, 0 in the middle and 1 at the rim. Filled: the policy; dashed: the reference; "
        "dotted: a random player. A large area is no merit, the dashed line's shape would be.",
        "One radar chart for each policy over seven behaviour rates",
    ),
    "trade_offs": (
        "Left: always captures; right: always the alternative. Decisions for neither are left out.",
        "Bars from -1 to 1 for each policy in the categories that set capturing against an aim",
    ),
    "grudges": (
        "Retaliation on the same boards after a neutral and after a grudge history, and how often "
        "the move changed at all.",
        "Retaliation rates before and after the grudge history, and change rates, by policy",
    ),
    "personas": (
        "How far each persona moved the rates it should move.",
        "Heat map of persona alignment by model and persona",
    ),
    "persona_shifts": (
        "What stands behind it: each rate under the persona minus the same rate without one.",
        "Heat map of changed rates by model, persona and metric",
    ),
    "head_to_head": (
        "Whole games of two between the built-in policies, every seed from both seats.",
        "Matrix of win rates between the built-in policies",
    ),
}


def write(folder: Path, summary: Summary) -> None:
    """Write the figures, ``report.md`` and ``report.html`` into a run's folder."""
    missing, found = draw_all(folder, summary), findings(summary)
    asked = sum(use["decisions"] for use in summary["usage"].values())
    page = Page(
        "How they play Ludo",
        "A LudoBench report (arXiv:2604.05681): single decisions, each on a board set up so that "
        "one aim is weighed against another, compared with chance and with a reference player.",
    )

    def section(title: str, topic: str, *figures: str) -> None:
        page.heading(title)
        page.bullets(finding.sentence for finding in found.get(topic, ()))
        for name in figures:
            if name in missing:
                page.note(f"Figure {code(name)} is left out: {missing[name]}.")
            else:
                page.figure(folder / f"{name}.png", *CAPTIONS[name])

    page.figures_in_brief(
        [
            (count(len(summary["policies"])), "policies, built-in ones included"),
            (count(len(models(summary))), "language models"),
            (count(summary["boards"]), "boards"),
            (count(len(summary["categories"])), "categories of boards"),
            (count(asked), "decisions"),
        ]
    )
    page.heading("In short")
    page.bullets(in_brief(found))
    page.table(overview(summary), OVERVIEW)
    page.heading("How to read the numbers")
    for text, warning in remarks(summary):
        page.note(text, warning=warning)
    section("Following the rules", "Following the rules", "compliance")
    failures = failure_table(summary, by_persona=False)
    if failures.rows:
        page.table(failures, "Failures by kind and reason, all personas together:")
        if any(len(summary["policies"][name]) > 1 for name in models(summary)):
            with page.details("Failures by persona"):
                page.table(failure_table(summary, by_persona=True))
        with page.details("Invalid answers by category"):
            page.table(invalid_table(summary))
    topic = "Agreement with the reference"
    section(topic, topic, "gt_agreement", "gt_kappa")
    page.table(
        agreement_table(summary), "Over all categories, by position and, as published, by index:"
    )
    section("Style", "Style", "archetypes", "radar", "trade_offs")
    section("Grudges", "Grudges", "grudges")
    if "grudge_paired" in summary["categories"]:
        if models(summary):
            page.text(SAMPLED)
        page.table(transition_table(summary), "Moves that changed with the history:")
    section("Personas", "Personas", "personas", "persona_shifts")
    aligned = persona_table(summary)
    if aligned.rows:
        page.note(SATURATES, warning=True)
        page.table(aligned, "Persona alignment:")
    section("Whole games", "Whole games", "head_to_head")
    page.heading("Category by category")
    for title, categories in GROUPS.items():
        chosen = [category for category in categories if category in summary["categories"]]
        if chosen:
            page.heading(title, 3)
        for category in chosen:
            page.table(category_table(summary, category), f"**{category}** – {ABOUT[category]}")
    if models(summary):
        page.heading("Tokens, time and cost")
        page.table(usage_table(summary), "All personas together; cost by the prices given, if any:")
    page.heading("The run")
    page.table(options_table(summary))
    if summary["invalid_entries"]:
        with page.details(f"Entries left out: {len(summary['invalid_entries'])}"):
            page.bullets(code(entry) for entry in summary["invalid_entries"])
    page.text("To run the same again (keys of models are read from the environment):")
    page.listing(command(summary))
    page.heading("What the words mean")
    page.table(Table(["name", "meaning"], [[code(k), v] for k, v in GLOSSARY.items()], left=(1,)))
    page.write(folder)


# --- the screen ----------------------------------------------------------------------------------

_LABEL, _RATE = 32, 16
"""Widths on screen of what a row is called and of a rate."""


def screen(console: Console, summary: Summary, folder: Path | None = None) -> None:
    """Print the result as tables that fit the console, 100 columns or even 80.

    Args:
        folder: where the run lies, to say so at the end.
    """
    config, sizes = summary["config"], summary["categories"]
    print_line = partial(console.print, highlight=False, markup=False)
    print_line(
        f"LudoBench: {sum(sizes.values())} questions on {summary['boards']} boards; "
        f"categories: {len(sizes)}. Brackets are 95% intervals, chance is a random legal move, "
        "lowest the legal piece of lowest index.\n"
    )
    title = f"Agreement with the reference {summary['reference']}, by position"
    console.print(overview(summary).rich(title))
    names = ordered(summary)
    across = max(1, (console.width - _LABEL - 10) // (_RATE + 2))
    for start in range(0, len(names), across):
        table = _rate_table(summary, names[start : start + across])
        console.print(table.rich("Rates by category"))
    for table, title in (
        (failure_table(summary, by_persona=False), "Failures"),
        (persona_table(summary), "Persona alignment: 1 follows, .5 no effect, 0 the opposite"),
        (game_table(summary), "Games of two between built-in policies"),
    ):
        if table.rows:
            console.print(table.rich(title))
    rules = ", ".join(f"{key} {config['rules'][key]}" for key in ("stacking", "home"))
    flags = [word for word in ("as_published", "list_legal") if config[word]]
    print_line(
        f"Options: {'; '.join([f'rules {rules}', *flags])}; "
        f"reference depth {config['depth']}; "
        f"answers {'lenient' if config['lenient'] else 'strict'}; "
        f"seed {config['seed']}; spots {config['spots']['source']}, "
        f"sha256 {config['spots']['sha256'][:12]}"
    )
    for text in _gaps(summary):
        print_line(plain_text(text))
    if folder is not None:
        print_line(f"Report: {folder / 'report.html'}", soft_wrap=True)


def _rate_table(summary: Summary, names: Sequence[str]) -> Table:
    """The rates that each category is about, for a few policies side by side."""
    labels = short_labels(ordered(summary), _RATE)
    table = Table(["category: rate", "chance", *(code(labels[name]) for name in names)])
    for category in _categories(summary):
        for k, metric in enumerate(KEY_METRICS[category]):
            label = f"{category}: " if k == 0 else "  "
            rates = [find(plain(summary, name), category, metric) for name in names]
            level = _chance(fullest(summary, category, metric))
            shown = [rate_text(rate) for rate in rates]
            table.rows.append([label + metric.removesuffix("_rate"), level, *shown])
    return table
