"""A run's replies, one by one, each with the position that it is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stratagym.benchmarks.audit.asked import check_asked_again, check_prompt, words_of
from stratagym.benchmarks.audit.faults import Example, Findings, Who
from stratagym.benchmarks.audit.outliers import check_outliers, check_repeats
from stratagym.benchmarks.audit.replies import check_reply, check_seat
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.replays import Run
from stratagym.envs import spec
from stratagym.envs.prompts import TextOptions
from stratagym.envs.text import TextGame, Turn
from stratagym.envs.views import seat_names

Record = Mapping[str, Any]


class Asked(NamedTuple):
    """The answers to one question, oldest first, and the question; None where it is not known."""

    records: list[Record]
    game: TextGame
    turn: Turn | None


def audit(run: Run, config: Mapping[str, Any], chosen: Sequence[Record]) -> Findings:
    """What is found in a run.

    Args:
        config: the run's; empty where there is none. chosen: records of the replies to look at.

    Raises:
        InputError: a game or option that does not exist here.
    """
    findings, text = Findings(), config.get("text")
    for asked in _questions(run, chosen):
        game, rules = asked.game.spec, asked.game.rules
        for record in asked.records:
            known = TextOptions.of_record(
                {**(text if isinstance(text, dict) else TextOptions().record()),
                 "reader": record.get("reader", 1), "persona": record["persona"]}
            )  # fmt: skip
            options = words_of(game, record, known)
            if options is None:
                findings.passed_over["prompts in words that are not known any more"] += 1
                options = known
            elif asked.turn is not None:
                check_prompt(findings, record, game, asked.turn, options)
            else:
                findings.passed_over["prompts without their position"] += 1
            states = None if asked.turn is None else asked.turn.states
            check_reply(findings, record, game, rules, states, options)
            if asked.turn is not None:
                view = game.module("view")
                names = seat_names(view, rules, asked.turn.states[0])
                check_seat(findings, record, names, options, view)
                if record is asked.records[-1]:
                    check_asked_again(findings, asked.records, game, asked.turn, options)
    check_outliers(findings, chosen)
    wanted = {record["item"] for record in chosen}
    played = [game for game in run.games if game["match"] in wanted]
    check_repeats(findings, played)
    for match in played:
        problems = run.replay(match).problems
        who = Who(match["game"], " – ".join(dict.fromkeys(sorted(match["seats"]))), 0)
        shown = Example(match["match"], None, None, problems[0]) if problems else None
        findings.looked("other_game", who, match["match"], shown)
    return findings


def _questions(run: Run, chosen: Sequence[Record]) -> Iterator[Asked]:
    """The questions that the chosen replies answer; those of a game in the order of its moves."""
    by: defaultdict[str, defaultdict[int, list[Record]]]
    by = defaultdict(lambda: defaultdict(list))
    for record in chosen:
        by[record["item"]][record["ply"]].append(record)
    played = {game["match"]: game for game in run.games}
    for item, plies in by.items():
        if item in played:
            yield from _of_game(played[item], plies)
            continue
        for records in plies.values():
            game = _table(records[0]["game"], {}, item)
            for own in _by_asked(records):
                yield Asked(own, game, None)


def _of_game(record: Record, plies: Mapping[int, list[Record]]) -> Iterator[Asked]:
    game = _table(record["game"], record["rules"], record["match"])
    game.reset(int(record["seed"]))
    for ply, action in enumerate([*record["actions"], None]):
        for own in _by_asked(plies.get(ply, [])):
            seat = own[0]["seat"]
            yield Asked(own, game, game.question(seat) if seat in game.deciding() else None)
        try:
            if action is not None:
                game.play(action)
        except (ValueError, TypeError):  # what else stands there: the replay says it
            break


def _by_asked(records: Sequence[Record]) -> list[list[Record]]:
    by: defaultdict[Any, list[Record]] = defaultdict(list)
    for record in records:
        by[record["seat"], record["policy"], record["persona"]].append(record)
    return [sorted(own, key=lambda record: record["attempt"]) for own in by.values()]


def _table(name: str, rules: Mapping[str, Any], match: str) -> TextGame:
    try:
        facts = spec(name)
        return TextGame(name, rules=facts.make_rules(**rules))
    except (ValueError, TypeError, ArithmeticError) as error:  # whatever options stand there
        raise InputError(f"game {match}: {error}") from None
