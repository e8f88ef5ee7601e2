"""What plans come to, over many problems: accuracy, N-step look-ahead, faults, lengths, classes.

An *answer* is a dict with ``policy``, ``item``, ``domain``, ``verdict`` (a word of
``checking.VERDICTS`` or ``NO_PLAN``), ``step``, ``met``, ``parts``, ``length``, ``reference``
(length of the best plan known, 0 for none) and ``numeric``; and it may have ``size``, ``barred``
(as ``tasks.Item``), ``cost`` and ``best_cost`` (0 for none), and ``shortest``, the length of the
shortest valid plan that any policy gave in the run (0 for none).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.planning.tasks import GROUPS, PUBLISHED, UNREAD, groups_of
from stratagym.benchmarks.reporting.stats import Rate, mean_rate, unpaired_difference, wilson
from stratagym.envs.planning.checking import VERDICTS

Answer = Mapping[str, Any]
VALID = "valid"
BROKEN = ("unknown_action", "arity", "unknown_object", "type", "precondition")
"""Verdicts that SPIN-Bench counts as broken constraints (BC)."""
UNMET = ("goal",)
"""Its goal satisfaction errors (GS)."""
OTHER = ("malformed", "unreadable")
NO_PLAN = "no_plan"
"""In place of a verdict where a planner found no plan within its states, and gave no wrong one."""
BINS = ((1, 5), (6, 10), (11, 20), (21, 40), (41, 80), (81, None))
"""Reference lengths, from and to."""


def accuracy(answers: Sequence[Answer]) -> Rate:
    """Valid plans among all problems asked; an answer that failed counts as none."""
    return wilson(sum(one["verdict"] == VALID for one in answers), len(answers))


def n_step(answers: Sequence[Answer], steps: str = "reference") -> tuple[Rate, float]:
    """(mean over problems of the length of those solved and 0 for others; its largest value).

    Args:
        steps: ``reference`` takes the length of the best plan known, and where neither generator
            nor planner has one the shortest of the run; ``plan`` that of the plan given. The
            largest value is always by the references.
    """
    known = [one["reference"] or one.get("shortest", 0) for one in answers]
    counted = known if steps == "reference" else [one["length"] for one in answers]
    solved = [one["verdict"] == VALID for one in answers]
    values = np.array([n if own else 0 for n, own in zip(counted, solved, strict=True)], float)
    return mean_rate(values), float(np.mean(known)) if known else 0.0


def verdicts(answers: Iterable[Answer]) -> dict[str, int]:
    """How often each verdict was given, in the order of ``VERDICTS``, and how often no plan."""
    found = Counter(one["verdict"] for one in answers)
    return {verdict: found[verdict] for verdict in (*VERDICTS, NO_PLAN)}


def classes(counts: Mapping[str, int], unread: int = 0) -> dict[str, int]:
    """The paper's classes, which are disjoint; problems that nobody could score are in ``other``.

    Problems for which a planner gave no plan are in none of them.

    Args:
        counts: as of ``verdicts``. unread: problems that VAL refuses, whatever the plan.
    """
    return {
        "valid": counts[VALID],
        "BC": sum(counts[verdict] for verdict in BROKEN),
        "GS": sum(counts[verdict] for verdict in UNMET),
        "other": sum(counts[verdict] for verdict in OTHER) + unread,
    }


def progress(answers: Sequence[Answer]) -> Rate:
    """Mean share of the goal's parts that hold at the end, or before the first fault."""
    values = [one["met"] / one["parts"] if one.get("parts") else 0.0 for one in answers]
    return mean_rate(np.array(values))


def ratios(answers: Iterable[Answer]) -> dict[str, Any]:
    """Lengths of valid plans against the best plan known.

    ``mean`` is the geometric mean of length over reference, ``at_best`` the share of valid plans
    as short as it, ``better`` the problems for which a shorter plan was given, and ``ipc`` the sum
    of reference over length among all problems, divided by their number. ``cost`` is the geometric
    mean of the plan's metric over the least known, of the ``costed`` valid plans of problems that
    have a metric above 0.
    """
    listed = list(answers)
    solved = [one for one in listed if one["verdict"] == VALID and one["reference"]]
    values = np.array([one["length"] / one["reference"] for one in solved])
    costs = [
        one["cost"] / one["best_cost"]
        for one in solved
        if one.get("cost", 0) > 0 and one.get("best_cost", 0) > 0
    ]
    score = sum(min(1.0, one["reference"] / max(1, one["length"])) for one in solved)
    return {
        "mean": float(np.exp(np.log(values).mean())) if len(values) else None,
        "at_best": wilson(int((values <= 1).sum()), len(values)).record(),
        "better": [one["item"] for one, value in zip(solved, values, strict=True) if value < 1],
        "ipc": score / len(listed) if listed else None,
        "cost": float(np.exp(np.log(costs).mean())) if costs else None,
        "costed": len(costs),
    }


def by_length(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Accuracy by bins of the reference length; problems without one are left out."""
    rows = []
    for low, high in BINS:
        own = [
            one
            for one in answers
            if one["reference"] >= low and (high is None or one["reference"] <= high)
        ]
        name = f"{low}+" if high is None else f"{low}-{high}"
        rows.append({"bin": name, **accuracy(own).record()})
    return rows


def by(answers: Sequence[Answer], key: Callable[[Answer], Any]) -> dict[Any, list[Answer]]:
    """Answers by a key, in order of their first."""
    found: dict[Any, list[Answer]] = {}
    for one in answers:
        found.setdefault(key(one), []).append(one)
    return found


def by_group(answers: Sequence[Answer], as_paper: bool = False) -> dict[str, Rate]:
    """Accuracy by group; as the paper groups them, some domains count twice."""
    return {
        group: accuracy([one for one in answers if group in groups_of(one["domain"], as_paper)])
        for group in GROUPS
    }


def numeric_gap(answers: Sequence[Answer]) -> dict[str, Any]:
    """Accuracy on numeric problems less that on the others: as it is, and within thirds of the
    reference length, weighted by the problems of the smaller class in each.
    """
    numeric = [one for one in answers if one["numeric"]]
    discrete = [one for one in answers if not one["numeric"]]
    raw = unpaired_difference(accuracy(discrete), accuracy(numeric))
    known = [one for one in answers if one["reference"]]
    parts, weights = [], []
    if known:
        ends = np.quantile([one["reference"] for one in known], (1 / 3, 2 / 3))
        third = lambda one: int(np.searchsorted(ends, one["reference"]))  # noqa: E731
        for own in by(known, third).values():
            ours = [one for one in own if one["numeric"]]
            theirs = [one for one in own if not one["numeric"]]
            if ours and theirs:
                parts.append(unpaired_difference(accuracy(theirs), accuracy(ours)))
                weights.append(min(len(ours), len(theirs)))
    return {
        "numeric": accuracy(numeric).record(),
        "discrete": accuracy(discrete).record(),
        "difference": raw.record(),
        "within_lengths": _weighted(parts, weights).record(),
    }


def _weighted(parts: Sequence[Rate], weights: Sequence[int]) -> Rate:
    """The weighted mean of independent differences; their distances to the ends add in squares."""
    if not parts:
        return Rate(None, None, None, 0, 0.0)
    shares = np.array(weights, float) / sum(weights)
    ends = np.array([(part.value, part.low, part.high) for part in parts], np.float64).T
    values, below, above = ends[0], ends[0] - ends[1], ends[2] - ends[0]
    value = float(shares @ values)
    low = value - float(np.sqrt(((shares * below) ** 2).sum()))
    high = value + float(np.sqrt(((shares * above) ** 2).sum()))
    return Rate(value, low, high, int(sum(weights)), 0.0)


def paired(one: Sequence[Answer], other: Sequence[Answer]) -> dict[str, int]:
    """How often two policies solved the same problems: both, one alone, the other alone, none."""
    first = {answer["item"]: answer["verdict"] == VALID for answer in one}
    second = {answer["item"]: answer["verdict"] == VALID for answer in other}
    shared = [(first[item], second[item]) for item in first if item in second]
    return {
        "both": sum(a and b for a, b in shared),
        "first": sum(a and not b for a, b in shared),
        "second": sum(b and not a for a, b in shared),
        "neither": sum(not a and not b for a, b in shared),
    }


def mcnemar(first: int, second: int) -> float:
    """The two-sided exact p value of McNemar's test for discordant pairs."""
    n, k = first + second, min(first, second)
    if not n:
        return 1.0
    term, total = 0.5**n, 0.0
    for j in range(k + 1):
        total += term
        term *= (n - j) / (j + 1)
    return min(1.0, 2 * total)


def is_published(answers: Iterable[Answer]) -> bool:
    """Whether there are published problems among them."""
    return any(one.get("size") == PUBLISHED for one in answers)


def as_published(answers: Sequence[Answer], steps: str = "reference") -> dict[str, Any]:
    """What SPIN-Bench counts: all problems, and those that its validator refuses as failures."""
    unread = [one for one in answers if one.get("barred") == UNREAD]
    read = [one for one in answers if one.get("barred") != UNREAD]
    failed = [*read, *({**one, "verdict": NO_PLAN} for one in unread)]
    looked, most = n_step(failed, steps)
    return {
        "problems": len(answers),
        "unread": len(unread),
        "accuracy": accuracy(failed).record(),
        "n_step": looked.record(),
        "n_step_most": most,
        "classes": classes(verdicts(read), len(unread)),
    }


def summary_of(every: Sequence[Answer], steps: str = "reference") -> dict[str, Any]:
    """Everything of one policy's answers.

    Problems of which no plan can count are in ``as_published`` and ``by_domain`` alone.
    """
    answers = [one for one in every if not one.get("barred")]
    counts = verdicts(answers)
    looked, most = n_step(answers, steps)
    published = {"as_published": as_published(every, steps)} if is_published(every) else {}
    return {
        **published,
        "problems": len(answers),
        "accuracy": accuracy(answers).record(),
        "n_step": looked.record(),
        "n_step_most": most,
        "without_reference": sum(not one["reference"] for one in answers),
        "verdicts": counts,
        "classes": classes(counts),
        "progress": progress(answers).record(),
        "ratio": ratios(answers),
        "by_domain": {
            domain: accuracy(own).record()
            for domain, own in by(every, lambda one: one["domain"]).items()
        },
        "by_size": {
            size: accuracy(own).record()
            for size, own in by(answers, lambda one: one.get("size", "")).items()
        },
        "by_group": {name: rate.record() for name, rate in by_group(answers).items()},
        "by_group_as_paper": {
            name: rate.record() for name, rate in by_group(answers, as_paper=True).items()
        },
        "by_length": by_length(answers),
        "numeric": numeric_gap(answers),
    }
