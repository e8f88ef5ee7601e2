"""A replay as plain data for the page's script: positions, pictures, the course of the game."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.benchmarks.harness.replays import Position, Replay, shows_all
from stratagym.benchmarks.replaying.evaluator import Evaluation
from stratagym.benchmarks.replaying.steps import Remarks, Step, own_part, steps
from stratagym.benchmarks.replaying.tiles import Tiles, changes
from stratagym.envs import core
from stratagym.envs.display import draws_for_seats
from stratagym.envs.text import OK

MOST_COLUMNS = 5
"""The most seats for which a score sheet has columns."""


class Shared:
    """Values of which each is stored once; a value's number stands for it."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self._numbers: dict[str, int] = {}

    def __call__(self, value: str) -> int:
        if value not in self._numbers:
            self._numbers[value] = len(self.values)
            self.values.append(value)
        return self._numbers[value]


def scene(
    replay: Replay,
    evaluations: Iterable[Evaluation | None],
    texts: Shared,
    tiles: Tiles | None,
    *,
    legal: bool = True,
    remarks: Remarks | None = None,
) -> dict[str, Any]:
    """One replay.

    Args:
        evaluations: what a judge makes of each position, or None.
        texts: where boards and prompts are stored. tiles: where pictures are; None: boards are
            text.
        legal: whether to list the legal moves where nobody was asked for one.
        remarks: what else to say of what came between two positions, such as a battle.
    """
    judged = dict(zip(map(id, replay.positions), evaluations, strict=True))
    made = steps(replay, remarks)
    shown = []
    size: list[int] | None = None
    before: np.ndarray | None = None
    for step in made:
        image = None
        draw = None if tiles is None else _drawing(step)
        if tiles is not None and draw is not None:
            pixels = draw()
            numbers = tiles.numbers(pixels)
            image = changes(before, numbers)
            before, size = numbers, [pixels.shape[1], pixels.shape[0]]
        shown.append(
            {
                "number": step.number,
                "heading": step.heading,
                "image": image,
                "board": texts(step.board()),
                "news": step.news,
                "to_move": step.to_move,
                "beside": _beside(step.shown),
                **_decision(step.decided, judged.get(id(step.decided)), replay.whole, legal, texts),
            }
        )
    last = replay.positions[-1]
    return {
        "title": replay.title,
        "outcome": replay.outcome,
        "whole": replay.whole,
        "facts": replay.facts,
        "result": replay.result,
        "agrees": replay.agrees,
        "problems": replay.problems,
        "positions": shown,
        "seats": replay.seats,
        "names": [last.name(seat) for seat in range(len(replay.seats))],
        "badges": [_badge(last, seat) for seat in range(len(replay.seats))],
        "columns": _columns(replay),
        "clocks": _at(made, _clocks(replay)),
        "graph": _at_graph(made, _graph(replay, judged)),
        "size": size,
        "cuts": _cuts(replay) if size else None,
    }


def _drawing(step: Step) -> Callable[[], np.ndarray] | None:
    """What draws a step for its viewer; None where the game has no such picture."""
    position = step.shown
    render = position.spec.optional_module("render")
    if render is None or position.states is None:
        return None
    if step.moment is not None:
        return step.moment[2]
    draw = partial(render.picture, position.rules, position.states[0], _size(render))
    if position.viewer is None or shows_all(position.spec):
        return draw
    return partial(draw, seat=position.viewer) if draws_for_seats(render) else None


def _decision(
    position: Position | None,
    evaluation: Evaluation | None,
    whole: bool,
    legal: bool,
    texts: Shared,
) -> dict[str, Any]:
    """What was decided and how; all fields are empty where nothing was decided."""
    if position is None:
        return {
            "seat": None, "policy": None, "action": None, "move": None, "short": None, "told": "",
            "legal": [], "judge": None, "choice": None, "answers": [], "arrow": None, "instead": "",
            "badge": None,
        }  # fmt: skip
    action = position.action if position.is_open else None
    short, choice = _short(position), None if evaluation is None else evaluation.choice
    # Beside the position that was asked about, what was chosen is no past event.
    told = position.told() if whole else f"Chosen: {short}" if short else ""
    return {
        "seat": position.seat,
        "policy": position.policy,
        "action": action,
        "move": None if action is None else position.move(action),
        "short": short,
        "told": told,
        "legal": _legal(position, evaluation)
        if position.is_open and (legal or position.answers)
        else [],
        "judge": None if evaluation is None else evaluation.judge,
        "choice": None if choice is None else position.move(choice),
        "answers": [
            _answer(position, record, texts) for record in position.answers + position.asked
        ],
        "arrow": None if whole else _arrow(position),
        "instead": position.instead,
        "badge": None if position.seat is None else _badge(position, position.seat),
    }


def _at(made: list[Step], values: list[Any] | None) -> list[Any] | None:
    """One value a position as one a step."""
    return None if values is None else [values[step.at] for step in made]


def _at_graph(made: list[Step], graph: dict[str, Any] | None) -> dict[str, Any] | None:
    if graph is None:
        return None
    return {**graph, "lines": [[seat, _at(made, line)] for seat, line in graph["lines"]]}


# --- what the game's own ``replay`` module says --------------------------------------------------

SEAT_COLOURS = ((0, 114, 178), (213, 94, 0), (0, 122, 88), (176, 82, 138), (122, 92, 0))
"""Colours of seats that have none in their game's pictures; see ``display.Render``."""


def _mark(position: Position, seat: int) -> str:
    """A seat's number if all names contain it, otherwise the shortest beginnings that differ."""
    names = [position.name(k) for k in range(position.rules.num_players)]
    if all(str(k) in name for k, name in enumerate(names)):
        return str(seat)
    for length in range(1, max(map(len, names)) + 1):
        if len({name[:length] for name in names}) == len(names):
            return names[seat][:length]
    return str(seat)


def _badge(position: Position, seat: int) -> list[str]:
    """A seat's mark, its colour and the ink on it, as the game's boards and pictures have them."""
    render = position.spec.optional_module("render") if position.states is not None else None
    colours = getattr(render, "SEAT_COLOURS", SEAT_COLOURS)
    mark, colour = _mark(position, seat), colours[seat % len(colours)]
    badge = own_part(position, "badge")
    if badge is not None and position.states is not None:
        mark, colour = badge(position.rules, position.states[0], seat)
    red, green, blue = colour
    ink = "#111" if 0.299 * red + 0.587 * green + 0.114 * blue > 150 else "#fff"
    return [mark, f"#{red:02x}{green:02x}{blue:02x}", ink]


def _short(position: Position) -> str | None:
    """The move as a score sheet has it, or as all are told it."""
    if position.action is None:
        return None
    if not position.is_open:
        return position.told() or None
    move = own_part(position, "move") if position.action in position.legal else None
    if move is None or position.states is None:
        return position.move(position.action)
    return move(position.rules, position.states[0], position.action)


def _beside(position: Position) -> list[str] | None:
    """What stands beside the name of each seat."""
    beside = own_part(position, "beside")
    if beside is None or position.states is None:
        return None
    known = range(position.rules.num_players)
    if position.viewer is not None and not shows_all(position.spec):
        known = range(position.viewer, position.viewer + 1)
    return [
        beside(position.rules, position.states[0], seat) if seat in known else ""
        for seat in range(position.rules.num_players)
    ]


def _arrow(position: Position) -> list[Any] | None:
    """Where the move that was chosen goes, in a picture of the position before it."""
    arrow = own_part(position, "arrow") if position.action in position.legal else None
    render = position.spec.optional_module("render")
    if arrow is None or position.states is None or render is None:
        return None
    return arrow(position.rules, position.states[0], position.action, _size(render))


def _cuts(replay: Replay) -> list[int] | None:
    first = replay.positions[0]
    cuts = own_part(first, "cuts")
    render = first.spec.optional_module("render")
    return None if cuts is None or render is None else cuts(first.rules, _size(render))


def _size(render: Any) -> int:
    """The default width of a game's pictures."""
    return list(inspect.signature(render.picture).parameters.values())[2].default


# --- the course of a game ------------------------------------------------------------------------


def _columns(replay: Replay) -> int:
    """How many columns the score sheet has: the seats if they move in turn, 1 if they do not."""
    seats = len(replay.seats)
    moved = [position.seat for position in replay.positions if position.seat is not None]
    in_turn = all(seat == k % seats for k, seat in enumerate(moved)) if seats else False
    return seats if in_turn and 1 < seats <= MOST_COLUMNS else 1


def _clocks(replay: Replay) -> list[list[float | None]] | None:
    """Seconds that each seat had thought before each position; None where no time was recorded."""
    seats = len(replay.seats)
    if not replay.whole or not any(
        answer["latency_s"] is not None for p in replay.positions for answer in p.answers
    ):
        return None
    spent: list[float | None] = [None] * seats
    found = []
    for position in replay.positions:
        found.append(list(spent))
        if position.seat is None:
            continue
        for answer in position.answers:
            if answer["latency_s"] is not None:
                spent[position.seat] = round((spent[position.seat] or 0) + answer["latency_s"], 2)
    return found


@njit(cache=True)
def _estimate_at(rules, states, i, out):
    hooks.evaluate(rules, states[i], out)


def _graph(replay: Replay, judged: dict[int, Evaluation | None]) -> dict[str, Any] | None:
    """Lines of numbers over the positions: a judge's scores, points so far, or an estimate.

    The first of these that the game has: the best move's score by a judge, for seat 0 of two;
    each seat's return where it changes before the end; the estimate that searches use.
    """
    positions = [p for p in replay.positions if p.states is not None]
    if not replay.whole or len(positions) < 3 or len(positions) < len(replay.positions):
        return None
    if positions[0].viewer is not None and not shows_all(positions[0].spec):
        return None
    spec, rules, seats = positions[0].spec, positions[0].rules, len(replay.seats)
    if seats == 2 and any(e is not None and e.scores for e in judged.values()):
        values = [_score(p, judged[id(p)]) for p in positions]
        name = next(e.judge for e in judged.values() if e is not None)
        return {"label": f"score of {replay.seats[0]} by {name}", "lines": [[0, values]]}
    returns = np.zeros((len(positions), seats))
    for position, row in zip(positions, returns, strict=True):
        core.returns_at(rules, position.states, 0, row)
    if np.ptp(returns[:-1], 0).any():
        together = bool((returns == returns[:, :1]).all())
        shown = [0] if together or seats == 2 else list(range(seats))
        label = "points" if together else "returns so far" + f", {replay.seats[0]}" * (seats == 2)
        lines = [[None if together else k, returns[:, k].tolist()] for k in shown]
        return {"label": label, "lines": lines}
    if hooks.found(spec, "evaluate") is None:
        return None
    for position, row in zip(positions, returns, strict=True):
        _estimate_at(rules, position.states, 0, row)
    shown = [0] if seats == 2 else list(range(seats))
    label = "estimate" + f" for {replay.seats[0]}" * (seats == 2)
    return {"label": label, "lines": [[k, returns[:, k].round(3).tolist()] for k in shown]}


def _score(position: Position, evaluation: Evaluation | None) -> float | None:
    """The best move's score for seat 0; None at the end of the game."""
    if evaluation is None or not evaluation.scores:
        return None
    known = [score for score in evaluation.scores if score is not None]
    return (max(known) * (1 if position.seat == 0 else -1)) if known else None


# --- a decision ----------------------------------------------------------------------------------


def _legal(position: Position, evaluation: Evaluation | None) -> list[list[Any]]:
    """[action, its notation, score, rank] of each legal move; the last two null if not known."""
    scores = evaluation.scores if evaluation is not None else None
    ranks = evaluation.ranks if evaluation is not None else None
    return [
        [action, position.move(action), scores[k] if scores else None, ranks[k] if ranks else None]
        for k, action in enumerate(position.legal)
    ]


def _answer(position: Position, record: dict[str, Any], texts: Shared) -> dict[str, Any]:
    return {
        "kind": record["kind"],
        "good": record["kind"] == OK,
        "reason": record["reason"],
        "attempt": record["attempt"],
        "prompt": [[m["role"], texts(m["content"])] for m in record["prompt"] or []],
        "version": record["prompt_version"],
        "reasoning": record.get("reasoning"),
        "reply": record["reply"],
        "move": record["move_text"],
        "usage": "; ".join(filter(None, (_asked(record), usage(record).removeprefix(", ")))),
        "said": said(position, record),
        "rejected": record.get("rejected") or [],
    }


def facts_of(record: dict[str, Any]) -> str:
    """What the judge of a question that is no move found in its answer; empty for a move."""
    return ", ".join(f"{name} {value}" for name, value in (record.get("facts") or {}).items())


def _asked(record: dict[str, Any]) -> str:
    """A question that is no move, and what its judge found; empty for a move."""
    if "facts" not in record:
        return ""
    found = facts_of(record)
    return f"question {record['item']}" + (f", judged: {found}" if found else "")


def said(position: Position, record: dict[str, Any]) -> list[tuple[str, str]]:
    """(to whom, text) of the messages that were said with an answer; none with a bad one."""
    if record["kind"] != OK:
        return []
    return [
        (position.hearers(message["to"]), message["text"]) for message in record.get("said") or []
    ]


def usage(record: dict[str, Any]) -> str:
    """Time, tokens, money and failed attempts of an answer, each after a comma."""
    told = ""
    if record["latency_s"] is not None:
        told += f", {record['latency_s']:.2f} s"
    if record["tokens_in"] is not None or record["tokens_out"] is not None:
        told += f", {record['tokens_in']} tokens in, {record['tokens_out']} out"
    for name in ("reasoning", "cached"):
        if record.get(f"tokens_{name}") is not None:
            told += f", {record[f'tokens_{name}']} {name}"
    if record["cost"] is not None:
        told += f", cost {record['cost']:.5g}"
    if record["retries"]:
        told += f", {record['retries']} failed attempts before"
    if record["finish_reason"] not in (None, "stop"):
        told += f", finished by {record['finish_reason']}"
    return told
