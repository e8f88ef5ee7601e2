"""What language models answered and spent, by game and level: errors, tokens, time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.climb import Climb, ScoreClimb
from stratagym.benchmarks.harness.decisions import OVERTIME, TRANSPORT
from stratagym.benchmarks.harness.records import DecisionRecord
from stratagym.benchmarks.reporting.stats import COUNT, ratio_rate
from stratagym.envs.text import OK

KINDS = ("illegal", "unparseable", OVERTIME)
"""What is wrong with an answer."""
Key = tuple[str, str, int]
"""Game, policy, level."""


@dataclass
class Answers:
    """Answers of one policy at one level of a game.

    Attributes:
        kinds, reasons: of all answers. slow: requests that failed because no reply came in time.
        games: by game, decisions and those answered well at first; by game, tokens of each kind.
        waits: seconds of every answer.
        counted: kinds of tokens that the server counted.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    slow: int = 0
    games: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    waits: list[float] = field(default_factory=list)
    counted: set[str] = field(default_factory=set)

    def add(self, record: DecisionRecord) -> None:
        self.kinds[record["kind"]] += 1
        if record["kind"] == TRANSPORT:
            self.slow += record["reason"] == "timeout"
            return
        if record["reason"]:
            self.reasons[record["reason"]] += 1
        own = self.games[record["item"]]
        own["answers"] += 1
        own["decisions"] += record["attempt"] == 1
        own["at_first"] += record["attempt"] == 1 and record["kind"] == OK
        for name in TOKENS:
            n = record.get(name)
            if isinstance(n, int):
                own[name] += n
                self.counted.add(name)
        if record["latency_s"] is not None:
            self.waits.append(record["latency_s"])


TOKENS = ("tokens_in", "tokens_out", "tokens_reasoning")


def collect(
    decisions: Iterable[DecisionRecord], climbs: Sequence[Climb | ScoreClimb]
) -> dict[Key, Answers]:
    """All answers of the climbing policies, each record read once."""
    places: dict[str, Key] = {}
    for climb in climbs:
        game = climb.plan.ladder.game.name
        for found in climb.levels if isinstance(climb, Climb) else climb.outcome().levels:
            for pairing in climb.pairings(found.level):
                places[pairing] = (game, climb.policy, found.level)
    by_key: defaultdict[Key, Answers] = defaultdict(Answers)
    for record in decisions:
        key = places.get(_pairing(record["item"]))
        if key is not None and key[1] == record["policy"]:
            by_key[key].add(record)
    return dict(by_key)


def _pairing(item: str) -> str:
    """A match's pairing, from its name: ``PAIRING/ROUND/SEAT``, or ``PAIRING/ROUND`` of a team."""
    before, _, _ = item.rpartition("/")
    return before if before.endswith("/team") else before.rpartition("/")[0]


def merged(found: Iterable[Answers]) -> Answers:
    """All of them together."""
    whole = Answers()
    for each in found:
        whole.kinds += each.kinds
        whole.reasons += each.reasons
        whole.slow += each.slow
        for name, own in each.games.items():
            whole.games[name] += own
        whole.waits += each.waits
        whole.counted |= each.counted
    return whole


def errors_of(found: Answers, forfeited: int) -> dict[str, Any]:
    """Mistakes at one game: shares of answers by kind, with intervals over games."""
    games = [own for _, own in sorted(found.games.items())]
    decisions = np.array([own["decisions"] for own in games])
    answered = {kind: n for kind, n in found.kinds.items() if kind != TRANSPORT}
    return {
        "decisions": int(decisions.sum()),
        "answers": sum(answered.values()),
        "kinds": answered,
        "reasons": dict(found.reasons.most_common()),
        "well_at_first": ratio_rate(
            np.array([own["at_first"] for own in games]), decisions
        ).record(),
        "games_lost": forfeited,
        "unreached": found.kinds[TRANSPORT],
        "unreached_in_time": found.slow,
    }


def tokens_of(found: Answers) -> dict[str, Any]:
    """Tokens for a decision, all its answers together, with intervals over games.

    ``tokens_out`` is without those of reasoning where the server counts them apart.
    """
    games = [own for _, own in sorted(found.games.items()) if own["decisions"]]
    decisions = np.array([own["decisions"] for own in games])
    sums = {name: np.array([own[name] for own in games]) for name in found.counted}
    if "tokens_reasoning" in sums and "tokens_out" in sums:
        sums["tokens_spent"] = sums["tokens_out"]
        sums["tokens_out"] = sums["tokens_out"] - sums["tokens_reasoning"]
    elif "tokens_out" in sums:
        sums["tokens_spent"] = sums["tokens_out"]
    rates = {name: ratio_rate(own, decisions, bounds=COUNT).record() for name, own in sums.items()}
    return {
        "decisions": int(decisions.sum()),
        **{name: rates.get(name) for name in (*TOKENS, "tokens_spent")},
        "median_latency_s": float(np.median(found.waits)) if found.waits else None,
    }


def by_game(found: Mapping[Key, Answers], rows: Mapping[str, Any]) -> dict[str, Any]:
    """``answers`` of the summary: by policy and game, errors, tokens, and tokens by level.

    Args:
        rows: ``games`` of the summary.
    """
    result: dict[str, dict[str, Any]] = {}
    for game, policy in dict.fromkeys((game, policy) for game, policy, _ in found):
        levels = {key[2]: own for key, own in found.items() if key[:2] == (game, policy)}
        whole = merged(levels.values())
        forfeited = sum(level["forfeited"] for level in rows[game][policy]["levels"])
        result.setdefault(policy, {})[game] = {
            "errors": errors_of(whole, forfeited),
            "tokens": tokens_of(whole),
            "by_level": {str(level): tokens_of(own) for level, own in sorted(levels.items())},
        }
    return result
