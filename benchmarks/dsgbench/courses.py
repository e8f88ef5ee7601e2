"""Recorded games as courses of decisions: stage, type, evaluation, outcome, key decisions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.benchmarks.dsgbench.kinds import Moment, kinds_of
from stratagym.benchmarks.dsgbench.measured import names_in
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.envs import core, spec

TOP, BIG, NEW = 0.05, 0.25, 0.3
"""A key decision is among the top share by change of the evaluation, commits so much of the bank,
or states a strategy with so small a share of words of the last one."""
WINDOW, DEVIATIONS = 20, 3
"""Decisions of a window, and how many median deviations make a change point."""
IN_A_ROW, SAME = 3, 10
"""Bad answers, and actions without effect, that are anomalies when they come in a row."""
BANK, IDLE_S, BLOCKED_S, LOSS_S, LOSS = 1000, 60, 20, 30, 0.3
"""A bank that lies beside idle production, for so many seconds; seconds without supply; seconds
in which such a share of an army is lost for less than half of its cost."""
SHOWN = 300
"""Characters of a stated strategy that are kept."""
FIRST, SWING, COMMITS, TURNS = (
    "first of its type",
    "large change",
    "commits much",
    "another strategy",
)


@dataclass(frozen=True)
class Course:
    """A game played again.

    Attributes:
        states: (plies + 1,) records, each before its action, and the end. movers: by ply.
        values: (plies + 1, seats), how well each seat stands by the game's own evaluation.
        resolved: by ply, the index of the record at which the ply's turn is resolved.
    """

    rules: Any
    states: np.ndarray
    movers: list[int]
    values: np.ndarray
    resolved: list[int]


def play_again(record: GameRecord) -> Course:
    """A recorded game, position by position, with the evaluation of each."""
    game = spec(record["game"])
    rules = game.make_rules(**record["rules"])
    states, scratch = core.new_states(rules), core.new_scratch(rules)
    every = core.new_states(rules, len(record["actions"]) + 1)
    values = np.zeros((len(every), rules.num_players))
    player = int(core.start_at(rules, states, 0, np.uint64(record["seed"]), scratch[1]))
    movers, turns = [], []
    for ply, action in enumerate([*record["actions"], None]):
        every[ply] = states[0]
        hooks.evaluate(rules, states[0], values[ply])
        if action is None:
            break
        movers.append(player)
        turns.append(int(core.turn_at(rules, states, 0)))
        player = int(core.play_at(rules, states, 0, action, *scratch)[0])
    resolved = [k + 1 for k in range(len(movers))]
    if game.is_simultaneous:
        last = len(movers)
        for k in range(len(movers) - 1, -1, -1):
            if k + 1 < len(movers) and turns[k + 1] != turns[k]:
                last = k + 1
            resolved[k] = last
    return Course(rules, every, movers, values, resolved)


def trajectory(
    record: GameRecord, seat: int, replies: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """A seat's decisions in a game, a dict each, as ``trajectories.jsonl`` has them.

    Of a language model a decision is an answer, of others an action that is not idle.

    Args:
        replies: the answers of the model in this seat, oldest first.
    """
    return Told(play_again(record), record, seat, replies).decisions()


class Told:
    """A seat's course through a game in words and figures."""

    def __init__(
        self,
        course: Course,
        record: GameRecord,
        seat: int,
        replies: Sequence[Mapping[str, Any]],
    ):
        self.course, self.record, self.seat = course, record, seat
        self.game = spec(record["game"])
        self.view = self.game.module("view")
        self.kinds = kinds_of(record["game"])
        self.horizon = self.kinds.horizon(self.game, course.rules)
        self.per_turn = course.rules.num_players if self.game.is_simultaneous else 1
        self.replies = {int(one["ply"]): one for one in replies if one["reply"] is not None}
        self.named = self.valid = 0

    def decisions(self) -> list[dict[str, Any]]:
        found = [self._entry(ply) for ply in self._plies()]
        self._mark(found)
        return found

    def _plies(self) -> Iterator[int]:
        """Where the seat decides: at its answers, or at every action that is not idle."""
        idle = getattr(self.view, "IDLE", None)
        for ply, mover in enumerate(self.course.movers):
            if mover != self.seat:
                continue
            asked = ply - self.seat if self.per_turn > 1 else ply
            if self.replies:
                if ply in self.replies or asked in self.replies:
                    yield ply
            elif self.record["actions"][ply] != idle:
                yield ply

    def _moment(self, ply: int) -> Moment:
        course = self.course
        lasting = self.game.decision_seconds_of(course.rules) or 0.0
        return Moment(
            course.rules,
            course.states[ply],
            course.states[course.resolved[ply]],
            self.seat,
            self.record["actions"][ply],
            ply / max(1, len(course.movers)),
            ply / self.per_turn * lasting,
        )

    def _entry(self, ply: int) -> dict[str, Any]:
        moment, seat, values = self._moment(ply), self.seat, self.course.values
        reply = self.replies.get(ply) or self.replies.get(ply - seat)
        ahead = min(ply + self.horizon * self.per_turn, len(values) - 1)
        value, later = float(values[ply, seat]), float(values[ahead, seat])
        names = [self.view.action_to_string(moment.rules, moment.before, moment.action)]
        stock = self.kinds.stock(moment.before, seat)
        word, thought, strategy = "done", None, ""
        if reply is not None:
            names = [name for name in (reply["move_text"] or "").split("; ") if name] or names
            word = "done" if reply["kind"] == "ok" else str(reply["reason"] or reply["kind"])
            thought, strategy = reply["latency_s"], stated(reply["reply"] or "")
            named, valid = names_in(reply)
            self.named, self.valid = self.named + named, self.valid + valid
        return {
            "match": self.record["match"],
            "game": self.record["game"],
            "seat": seat,
            "policy": self.record["seats"][seat],
            "ply": ply,
            "stage": self.kinds.stage(moment),
            "action_type": self.kinds.type(moment),
            "context": {
                "strategy": strategy,
                "ga": self.valid / self.named if self.named else 1.0,
                "evaluation": round(value, 4),
                "seconds": round(moment.seconds, 1),
                "stock": None if stock is None else asdict(stock),
            },
            "plan": {"names": names[:10], "position": 0},
            "outcome": {"word": word, "change": round(later - value, 4), "after": round(later, 4)},
            "thought_s": thought,
            "commits": round(self.kinds.commits(moment), 4),
            "key": [],
        }

    def _mark(self, found: list[dict[str, Any]]) -> None:
        """Say of each decision why it is a key decision, if it is one."""
        changes = np.array([abs(one["outcome"]["change"]) for one in found])
        limit = np.quantile(changes, 1 - TOP) if len(changes) else 0.0
        seen: set[str] = set()
        last = ""
        for one, change in zip(found, changes, strict=True):
            if one["action_type"] not in seen:
                one["key"].append(FIRST)
                seen.add(one["action_type"])
            if change >= limit > 0:
                one["key"].append(SWING)
            if one["commits"] >= BIG:
                one["key"].append(COMMITS)
            strategy = one["context"]["strategy"]
            if strategy and last and likeness(strategy, last) < NEW:
                one["key"].append(TURNS)
            last = strategy or last


def stated(reply: str) -> str:
    """What a reply says before its moves: its goal or strategy, the beginning of it."""
    lines = [line for line in reply.splitlines() if not re.match(r"\s*(-|\d+[.:]|\{|\})", line)]
    return " ".join(" ".join(lines).split())[:SHOWN]


def likeness(one: str, other: str) -> float:
    """Jaccard's index of the words of two texts."""
    a, b = ({*re.findall(r"\w+", text.lower())} for text in (one, other))
    return len(a & b) / len(a | b) if a | b else 1.0


# --- anomalies -----------------------------------------------------------------------------------


def anomalies(course: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What looks wrong in a seat's course: where, and which kind it is.

    A1: three bad answers in a row. A2: the same action ten times in a row, and the evaluation is
    what it was. A3: a bank of more than 1,000 beside idle production for a minute. A4: 20 seconds
    without supply. A5: three tenths of an army lost within 30 seconds for less than half of its
    cost. A6: in a window of 20 decisions the share of valid names or the pace differs from
    the window before by more than three median absolute deviations of all windows.
    """
    found, bad, same = [], 0, 0
    for k, one in enumerate(course):
        bad = bad + 1 if one["outcome"]["word"] != "done" else 0
        if bad == IN_A_ROW:
            found.append({"kind": "A1", "ply": one["ply"]})
        repeats = k > 0 and one["plan"]["names"] == course[k - 1]["plan"]["names"]
        still = k > 0 and one["context"]["evaluation"] == course[k - 1]["context"]["evaluation"]
        same = same + 1 if repeats and still else 0
        if same == SAME - 1:
            found.append({"kind": "A2", "ply": one["ply"]})
    found += _of_stock(course)
    for name, series in series_of(course).items():
        found += [
            {"kind": "A6", "ply": course[k * WINDOW]["ply"], "of": name}
            for k in change_points(series)
        ]
    return found


def _of_stock(course: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A3 to A5, of games with an economy."""
    found = []
    since: dict[str, float | None] = {"A3": None, "A4": None}
    lost_until = -1.0
    for k, one in enumerate(course):
        stock, now = one["context"].get("stock"), one["context"].get("seconds", 0.0)
        if stock is None:
            continue
        wrong = {"A3": stock["bank"] > BANK and stock["idle"], "A4": stock["blocked"]}
        for kind, limit in (("A3", IDLE_S), ("A4", BLOCKED_S)):
            begun = since[kind]
            if not wrong[kind]:
                since[kind] = None
            elif begun is None:
                since[kind] = now
            elif now - begun >= limit:
                found.append({"kind": kind, "ply": one["ply"]})
                since[kind] = float("inf")  # told once, until it is over
        before = _before(course, k, now - LOSS_S)
        if before and now > lost_until:
            own, others = (before[name] - stock[name] for name in ("army", "other"))
            if own >= LOSS * before["army"] > 0 and others < own / 2:
                found.append({"kind": "A5", "ply": one["ply"]})
                lost_until = now + LOSS_S
    return found


def _before(course: Sequence[Mapping[str, Any]], k: int, seconds: float) -> Any:
    """The stock of the first decision before the ``k``-th that is not earlier than ``seconds``."""
    while k > 0 and course[k - 1]["context"]["seconds"] >= seconds:
        k -= 1
    return course[k]["context"]["stock"]


def series_of(course: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """By window of decisions: the share of good answers, and decisions a ply (the pace)."""
    windows = [course[k : k + WINDOW] for k in range(0, len(course) - WINDOW + 1, WINDOW)]
    good = [float(np.mean([one["outcome"]["word"] == "done" for one in own])) for own in windows]
    pace = [WINDOW / max(1, own[-1]["ply"] - own[0]["ply"]) for own in windows]
    return {"GA": good, "pace": pace}


def change_points(series: Sequence[float]) -> list[int]:
    """Windows that differ from the one before by more than ``DEVIATIONS`` median deviations."""
    if len(series) < 3:
        return []
    values = np.array(series)
    spread = float(np.median(np.abs(values - np.median(values))))
    if spread == 0:
        return []
    return [int(k) + 1 for k in np.flatnonzero(np.abs(np.diff(values)) > DEVIATIONS * spread)]


def by_match(decisions: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], list[Any]]:
    """Answers for moves by match and seat, the last attempt of each ply last."""
    found: defaultdict[tuple[str, int], list[Any]] = defaultdict(list)
    for one in decisions:
        if "facts" not in one and one["seat"] is not None:
            found[one["item"], one["seat"]].append(one)
    return dict(found)
