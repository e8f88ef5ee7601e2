"""A game as one of its seats saw it: nothing of what that seat could not know."""

from __future__ import annotations

from dataclasses import replace

from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.replays import Position, Replay, put_headings, shows_all
from stratagym.envs import core


def seen_by(replay: Replay, seat: int) -> Replay:
    """A replay of a game as a seat saw it.

    It has the seat's own decisions, the moves of others that all are told, and the positions as the
    seat was shown them. What others did at the same time, and did not show, is told at the first
    position behind it. Answers of others are left out of every game.

    Raises:
        InputError: there is no such seat.
    """
    game, seats = replay.positions[0].spec, len(replay.seats)
    if not 0 <= seat < seats:
        raise InputError(f"--seat {seat}: the seats are 0 to {seats - 1}")
    positions = _seen(replay.positions, seat)
    put_headings(positions, sum(position.action is not None for position in positions))
    seen = replace(replay, title=f"{replay.title}, as seat {seat} saw it", positions=positions)
    if not shows_all(game):
        # The seed deals the cards, and what is wrong with a record may be what is hidden.
        seen.facts = [fact for fact in replay.facts if fact[0] not in ("Seed", "Moves", "Roles")]
        seen.problems = ["See the whole record for why."] if replay.problems else []
    return seen


def _seen(positions: list[Position], seat: int) -> list[Position]:
    kept: list[Position] = []
    news: list[str] = []
    sealed: list[str] = []
    game, turn = positions[0].spec, None
    for position in positions:
        now = _turn(position)
        if now != turn:
            news, sealed, turn = news + sealed, [], now
        own = position.seat in (None, seat)
        told = position.told()
        if shows_all(game):
            chance = position.chance
        elif own or position is positions[-1] or (told and not game.is_simultaneous):
            chance, news = news, []
        else:
            sealed += replace(position, viewer=seat, answers=[]).words()
            sealed += [told] if told else []
            continue
        answers = position.answers if own else []
        asked = [record for record in position.asked if record["seat"] == seat]
        kept.append(replace(position, viewer=seat, chance=chance, answers=answers, asked=asked))
    return kept


def _turn(position: Position) -> int | None:
    """The number of the running turn; None where the game is over."""
    if position.seat is None or position.states is None:
        return None
    return int(core.turn_at(position.rules, position.states, 0))
