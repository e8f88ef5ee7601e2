"""Counts and rates of what was found, as ``--json`` prints them and ``summary.json`` holds them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

import numpy as np

from stratagym.benchmarks.audit.faults import FAULTS, OF_GAMES, Findings, Tally, Who
from stratagym.benchmarks.reporting.stats import Rate, ratio_rate
from stratagym.envs.text import ILLEGAL, UNPARSEABLE


def summarise(
    run: str, findings: Findings, records: Sequence[Mapping[str, Any]], examples: int
) -> dict[str, Any]:
    """The summary of an audit.

    Args:
        records: the replies that were looked at. examples: the most that each row has.
    """
    order = {name: k for k, name in enumerate(FAULTS)}
    listed = sorted(findings.tallies.items(), key=lambda item: (order[item[0][0]], item[0][1]))
    rows = [_row(fault, who, tally, examples) for (fault, who), tally in listed]
    return {
        "run": run,
        "replies": len(records),
        "faults": [row for row in rows if row["found"]],
        "clean": [{k: v for k, v in row.items() if k != "examples"}
                  for row in rows if not row["found"]],
        "answers": _answers(records),
        "passed_over": dict(findings.passed_over),
    }  # fmt: skip


def _row(fault: str, who: Who, tally: Tally, examples: int) -> dict[str, Any]:
    return {
        "fault": fault,
        "game": who.game,
        "policy": who.policy,
        **({} if fault in OF_GAMES else {"reader": who.reader}),
        "found": sum(tally.found.values()),
        "of": sum(tally.looked.values()),
        "rate": _rate(tally.looked, tally.found).record(),
        "examples": [example._asdict() for example in tally.examples[:examples]],
    }


def _rate(looked: Mapping[str, int], found: Mapping[str, int]) -> Rate:
    """A share of cases; those of a match count together."""
    sums = np.array([found.get(match, 0) for match in looked], float)
    return ratio_rate(sums, np.array(list(looked.values()), float))


def _answers(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Shares of bad answers by game, policy and reader, beside how many moves were legal."""
    by: defaultdict[Who, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        by[Who.of(record)].append(record)
    rows = []
    for who, own in sorted(by.items()):
        looked = Counter(record["item"] for record in own)
        bad = {
            kind: Counter(record["item"] for record in own if record["kind"] == kind)
            for kind in (UNPARSEABLE, ILLEGAL)
        }
        legal = [
            n for record in own
            if (n := record.get("legal_count") or len(record["legal"] or ()))
        ]  # fmt: skip
        reasons = Counter(f"{r['kind']}: {r['reason']}" for r in own if r["kind"] in bad)
        reasons.update(
            f"refused in a plan: {refused[-1]}" for r in own for refused in r.get("rejected") or ()
        )
        rows.append(
            {
                **who._asdict(),
                "replies": len(own),
                **{kind: _rate(looked, found).record() for kind, found in bad.items()},
                "reasons": dict(reasons.most_common()),
                "legal_moves": round(mean(legal), 2) if legal else None,
                "median_latency_s": _median(own, "latency_s"),
                "median_tokens_out": _median(own, "tokens_out"),
            }
        )
    return rows


def _median(records: Sequence[Mapping[str, Any]], field: str) -> float | None:
    known = [record[field] for record in records if record[field] is not None]
    return median(known) if known else None
