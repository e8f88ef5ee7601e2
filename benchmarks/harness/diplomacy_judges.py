"""Judges of what was said in a run's games of Diplomacy: asked, compared, and added up."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from stratagym.agents.core import Policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import Question, item_seed
from stratagym.benchmarks.harness.diplomacy_games import Again
from stratagym.benchmarks.harness.diplomacy_labels import (
    ACCEPTED,
    ALIGNED,
    BLUFF,
    CONDITIONAL,
    ENDS,
    LABELS,
    MUTUAL,
    NATURE,
    ONE_SIDED,
    PERSPECTIVE,
    PROMISES,
    PROMOTE,
    PROPOSAL,
    PROVOKE,
    TASK,
    TONE,
    VALUES,
    YES,
    Case,
    Exchange,
    Label,
    exchanges,
    known_labels,
    read_labels,
    stated_strategy,
)
from stratagym.benchmarks.harness.diplomacy_talk import by_match, spoken_in
from stratagym.benchmarks.harness.files import Shape, read_jsonl, write_text
from stratagym.benchmarks.harness.messages import read_messages
from stratagym.benchmarks.harness.options import ModelArgs
from stratagym.benchmarks.harness.policies import make_policies
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.counts import Counts
from stratagym.benchmarks.reporting.stats import jackknife, kappa
from stratagym.envs.core import GameSpec
from stratagym.envs.diplomacy.metrics import Promise
from stratagym.envs.replies import ReplyError
from stratagym.envs.talk import limited
from stratagym.envs.text import TextOptions

KNOWN, BY_HAND = "known words", "by hand"
"""Labels that no model gave: of messages in known words, and those of ``--labels``."""
LABELS_FILE = "labels.jsonl"
Labelled = Mapping[str, Mapping[Case, Label]]
"""Labels by judge and case."""


@cli.group("Talk", 5)
@dataclass(kw_only=True)
class JudgeArgs:
    """Options about what is said in games."""

    judge: str | None = None
    """Language models that judge what is said, separated by commas: llm, llm:MODEL; default
    nobody."""
    judged: int = 200
    """The most exchanges that are judged, drawn by the seed: what two powers said to each other
    before one movement phase."""
    labels: str | None = None
    """A file with labels given by hand, in the form of a run's labels.jsonl, that judges are
    compared with."""

    def judges(self, game: GameSpec, models: ModelArgs, rounds: int) -> list[Policy]:
        """The judges of games with so many rounds of talk.

        Raises:
            InputError: a judge that is no language model, or where nobody talks.
        """
        cli.count("--judged", self.judged)
        if self.judge is None:
            return []
        if not rounds:
            raise InputError("--judge: nothing is said without --rounds")
        found = make_policies(game, self.judge, models, option="--judge")
        for policy in found:
            if not isinstance(policy, LanguageModel):
                raise InputError(f"--judge: {policy.name} is no language model")
        return found

    def by_hand(self) -> list[dict[str, Any]]:
        """The labels of ``--labels``. Raises ``InputError`` for what is no such file."""
        if self.labels is None:
            return []
        path = Path(self.labels)
        if not path.exists():
            raise InputError(f"--labels {self.labels}: there is no such file")
        found = list(read_jsonl(path, Shape(_HandLabel)))
        for number, one in enumerate(found, 1):
            for label, values in VALUES.items():
                if one.get(label) not in (None, *values):
                    raise InputError(
                        f"{path}, line {number}: {label} {one[label]!r}: choose one of: "
                        f"{', '.join(values)}"
                    )
        return found


class _HandLabel(TypedDict):
    match: str
    number: int
    hearer: int


# --- asking --------------------------------------------------------------------------------------


def exchanges_of(
    games: Iterable[GameRecord],
    messages: Iterable[Mapping[str, Any]],
    decisions: Iterable[Mapping[str, Any]],
    again: Again,
) -> list[Exchange]:
    """What was said in games, by phase and powers."""
    records = {record["match"]: record for record in games}
    replies: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for one in decisions:
        if one["item"] in records and one["reply"] is not None and one["seat"] is not None:
            replies[one["item"]].append(one)
    found = []
    for match, said in by_match(messages).items():
        if match not in records:
            continue
        told = again(records[match])
        strategies: dict[tuple[int, int], str] = {}
        for one in sorted(replies[match], key=lambda reply: (reply["ply"], reply["attempt"])):
            words = limited(stated_strategy(one["reply"])) if one["ply"] in told.talk else ""
            if words:
                strategies[told.phase_at(one["ply"]), one["seat"]] = words
        spoken = spoken_in(told, said)
        found += exchanges(match, records[match]["seed"], told.movements, spoken, strategies)
    return sorted(found, key=lambda exchange: exchange.item)


def questions(
    found: Sequence[Exchange], game: GameSpec, number: int, seed: int, benchmark: str
) -> list[Question]:
    """The questions to a judge about ``number`` exchanges, drawn by the seed."""
    drawn = list(found)
    random.Random(item_seed(seed, TASK)).shuffle(drawn)
    return [
        Question(
            benchmark, one.item, game, None, None, one.seed, None, TextOptions(),
            extra={"task": TASK, "about": one.match, "ply": one.movement.ply},
            inquiry=one.inquiry(),
        )
        for one in drawn[:number]
    ]  # fmt: skip


def labels_of(
    found: Sequence[Exchange],
    decisions: Iterable[Mapping[str, Any]],
    by_hand: Iterable[Mapping[str, Any]] = (),
) -> dict[str, dict[Case, Label]]:
    """All labels by judge, ``KNOWN`` and ``BY_HAND`` among them where there are any."""
    by_item = {one.item: one for one in found}
    labels: dict[str, dict[Case, Label]] = {}
    for one in decisions:
        if one.get("task") == TASK and one["kind"] == "ok" and one["item"] in by_item:
            own = labels.setdefault(one["policy"], {})
            try:
                own |= {each.case: each for each in read_labels(by_item[one["item"]], one["reply"])}
            except ReplyError:
                continue
    if known := {each.case: each for one in found for each in known_labels(one)}:
        labels[KNOWN] = known
    cases = {one.case(message): (one, message) for one in found for message in one.said}
    for line in by_hand:
        case = Case(line["match"], line["number"], line["hearer"])
        if case in cases:
            values = {label: line.get(label) for label in VALUES}
            labels.setdefault(BY_HAND, {})[case] = Label(*cases[case], values)
    return labels


# --- adding up -----------------------------------------------------------------------------------


def agreements_of(labels: Labelled) -> list[dict[str, Any]]:
    """How judges agree, two by two, on each label: the share, and Cohen's kappa by games.

    Promises given by hand are not read.
    """
    names, found = list(labels), []
    for k, one in enumerate(names):
        for other in names[k + 1 :]:
            both = [case for case in labels[one] if case in labels[other]]
            for label in LABELS:
                if label == PROMISES and BY_HAND in (one, other):
                    continue
                pairs = [
                    (a, b, case.match)
                    for case in both
                    if (a := labels[one][case].value(label)) is not None
                    and (b := labels[other][case].value(label)) is not None
                ]
                found.append({"one": one, "other": other, "label": label, **_agreement(pairs)})
    return found


def _agreement(pairs: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """``n``, ``agreement`` and ``kappa`` of (label, label, match)."""
    values = {value: k for k, value in enumerate(sorted({v for pair in pairs for v in pair[:2]}))}
    matches = {match: k for k, match in enumerate(dict.fromkeys(pair[2] for pair in pairs))}
    tables = np.zeros((len(matches), len(values), len(values)))
    for a, b, match in pairs:
        tables[matches[match], values[a], values[b]] += 1

    def statistic(kept: np.ndarray) -> float:
        table = tables[kept].sum(0)
        total = table.sum()
        if not total:
            return float("nan")
        chance = float((table.sum(0) * table.sum(1)).sum() / total**2)
        found = kappa(float(np.trace(table) / total), chance)
        return float("nan") if found is None else found

    same = float(np.trace(tables.sum(0)))
    return {
        "n": len(pairs),
        "agreement": same / len(pairs) if pairs else None,
        "kappa": jackknife(statistic, len(matches), bounds=(-1.0, 1.0)).record(),
    }


def judged(own: Collection[tuple[str, int]], labels: Iterable[Label]) -> dict[str, Any]:
    """What some speakers said, as one judge labelled it, and which promises were kept.

    Args:
        own: (match, seat) of the speakers.
    """
    counts, read, unread = Counts(), 0, 0
    tones: dict[tuple[Any, ...], list[Label]] = {}
    numbers = dict.fromkeys((MUTUAL, ONE_SIDED, BLUFF, PROMOTE, PROVOKE), 0)
    promised: set[tuple[str, Promise]] = set()
    for label in labels:
        seed = label.exchange.seed
        for promise, kept in label.kept():
            if (label.exchange.item, promise) in promised:
                continue  # made by both, who accept each other's proposals of peace
            promised.add((label.exchange.item, promise))
            if (label.exchange.match, promise.who) in own:
                counts.add("kept", seed, kept, 1)
            if (label.exchange.match, promise.to) in own:
                counts.add("done", seed, kept, 1)
        if (label.exchange.match, label.message.seat) not in own:
            continue
        read, unread = read + 1, unread + label.unread
        for name in (ALIGNED, PROPOSAL, ACCEPTED, PERSPECTIVE, CONDITIONAL):
            value = label.value(name)
            if value is not None:
                counts.add(name, seed, value == YES, 1)
        for name, good in ((NATURE, MUTUAL), (TONE, PROMOTE)):
            value = label.value(name)
            if value is not None:
                counts.add(name, seed, value == good, 1)
                if value in numbers:
                    numbers[value] += 1
        turn = label.exchange.item, label.message.round, label.message.seat
        tones.setdefault(turn, []).append(label)
    return {
        "cases": read,
        "unread_promises": unread,
        **{
            name: counts.record(name)
            for name in (
                ALIGNED, PROPOSAL, ACCEPTED, NATURE, TONE, PERSPECTIVE, CONDITIONAL, "kept", "done",
            )
        },
        "mutual_to_one_sided": _ratio(numbers[MUTUAL], numbers[ONE_SIDED]),
        "bluffs": numbers[BLUFF],
        "peace_to_conflict": _ratio(numbers[PROMOTE], numbers[PROVOKE]),
        "as_published": _as_published(tones.values()),
    }  # fmt: skip


def judged_rows(speakers: Mapping[str, Collection[tuple[str, int]]], labels: Labelled) -> list[Any]:
    """``judged`` of a summary: ``judged`` by policy and judge.

    Args:
        speakers: by policy.
    """
    return [
        {"policy": policy, "judge": judge, **judged(own, found.values())}
        for judge, found in labels.items()
        if judge not in (KNOWN, BY_HAND)
        for policy, own in speakers.items()
    ]


def _ratio(number: int, other: int) -> dict[str, Any]:
    """A ratio with what it is of; no value where nothing is below the line."""
    return {"value": number / other if other else None, "number": number, "other": other}


def _as_published(turns: Iterable[Sequence[Label]]) -> dict[str, Any]:
    """Shares by pairs of speaker and hearer and rounds, in which something was said."""
    counts = Counts()
    for labels in turns:
        seed = labels[0].exchange.seed
        for name, whole in ((ALIGNED, all), (PERSPECTIVE, any), (CONDITIONAL, any)):
            values = [value for one in labels if (value := one.value(name)) is not None]
            if values:
                counts.add(name, seed, whole(value == YES for value in values), 1)
    return {name: counts.record(name) for name in (ALIGNED, PERSPECTIVE, CONDITIONAL)}


def declared_in(labels: Iterable[Label], match: str) -> tuple[list[Any], list[Any]]:
    """(accepted, ended) alliances of a game as ``alliances.declared`` takes them."""
    accepted, ended = [], []
    for label in labels:
        if label.exchange.match != match:
            continue
        pair = (label.exchange.phase, *label.exchange.powers)
        if label.value(ACCEPTED) == YES and label.value(TONE) != PROVOKE:
            accepted.append(pair)
        if label.value(ENDS) == YES:
            ended.append(pair)
    return accepted, ended


def write_labels(folder: Path, labels: Labelled) -> None:
    """Write all labels of judges to ``labels.jsonl``, so that people can check them."""
    lines = [
        label.record(name)
        for name, own in labels.items()
        if name not in (KNOWN, BY_HAND)
        for label in own.values()
    ]
    if lines:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_text(folder / LABELS_FILE, text)


@dataclass
class Talk:
    """What was said in a run's games: asked about, and read.

    Attributes:
        run, game, benchmark: whose. judges: language models. by_hand: labels of people.
        judged: how many exchanges are. seed: of the run.
    """

    run: Run
    game: GameSpec
    benchmark: str
    judges: Sequence[Policy]
    by_hand: Sequence[Mapping[str, Any]]
    judged: int
    seed: int
    again: Again = field(default_factory=Again)

    def questions(self, games: Played) -> dict[str, list[Question]]:
        """The questions for each judge."""
        if not self.judges:
            return {}
        found = self._exchanges(games)
        about = questions(found, self.game, self.judged, self.seed, self.benchmark)
        return {one.name: about for one in self.judges}

    def labels(self, games: Played) -> Labelled:
        """All labels, which are written to ``labels.jsonl`` too."""
        if not self.judges and not self.by_hand:
            return {}
        found = labels_of(self._exchanges(games), self.run.decisions(), self.by_hand)
        write_labels(self.run.folder, found)
        return found

    def messages(self) -> dict[str, list[Mapping[str, Any]]]:
        """The recorded messages by match."""
        return by_match(read_messages(self.run.folder))

    def _exchanges(self, games: Played) -> list[Exchange]:
        records = (record for own in games.values() for record in own.records)
        messages = read_messages(self.run.folder)
        return exchanges_of(records, messages, self.run.decisions(), self.again)
