"""The main results of a run of LudoBench, in sentences computed from its summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from stratagym.benchmarks.ludo_spots.figures import percent_text
from stratagym.benchmarks.ludo_spots.metrics import PERSONA_METRICS
from stratagym.benchmarks.ludo_spots.reading import (
    ARCHETYPE,
    TRADE_OFFS,
    Summary,
    find,
    models,
    ordered,
    persona_mark,
    plain,
    preference,
    shift,
)
from stratagym.benchmarks.reporting.page import against, code, count, number, rate_text
from stratagym.benchmarks.reporting.stats import wilson
from stratagym.envs.prompts import WORDING

# --- words ---------------------------------------------------------------------------------------


def named(summary: Summary, policy: str) -> str:
    role = " (reference)" if policy == summary["reference"] else ""
    return code(policy) + persona_mark(summary, policy) + role


def rows(summary: Summary) -> list[tuple[str, Mapping[str, Any]]]:
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
        policy, overall = named(summary, name), plain(summary, name)["overall"]
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
    for name, table in rows(summary):
        rate = find(table, "overall", "gt_position_rate")
        if name == summary["reference"] or rate is None:
            continue
        policy, overall = named(summary, name), table["overall"]
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
        policy, table = named(summary, name), plain(summary, name)
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
        policy, table = named(summary, name), plain(summary, name)
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
            value = rate_text(score)
            if not any(ways):
                unmoved.append(f"*{persona}* {value}")
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
            policy = named(summary, name)
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
        if config.get("text", {}).get("answer", "move") == "move":
            result.append((form, False))
    if "text" in config:
        given = {**config["text"], "template": bool(config["text"]["template"])}
        changed = [f"{name} {given[name]}" for name in ("system", *WORDING) if given[name]]
        result.append((f"The prompts differ from LudoBench's: {', '.join(changed)}.", True))
    if config["list_legal"]:
        result.append(
            ("The prompts named the legal moves, so the invalid rates are not LudoBench's.", True)
        )
    if config["renamed"]:
        result.append(("The prompts used made-up names, which LudoBench does not.", True))
    if config["as_published"]:
        result.append(
            (
                "Rules and scoring are those of the authors' released code: own pieces may share "
                "safe and home squares, a piece in the home path moves only to finish, and "
                "bringing a piece out counts as a safe move, too.",
                True,
            )
        )
    return result + [(text, True) for text in gaps(summary)]


def gaps(summary: Summary) -> list[str]:
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
                    "questions; `--resume` continues the run."
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
