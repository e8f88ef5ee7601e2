"""Recorded games and decisions, found again and played again.

``find`` reads a run; ``replay`` plays a recorded game again from its rules, seed and actions and
says where the record does not agree with what happens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.agents.controls import REDRAW
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.files import Shape
from stratagym.benchmarks.harness.inspect_logs import is_log, read_log
from stratagym.benchmarks.harness.messages import made_again, read_messages
from stratagym.benchmarks.harness.records import DecisionRecord, read_any_games, read_jsonl
from stratagym.benchmarks.harness.saved_games import is_saved, read_saved
from stratagym.envs import core, spec
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.talk import player_names
from stratagym.envs.text import OK, legal_list
from stratagym.envs.views import is_public

GAMES, DECISIONS = "games.jsonl", "decisions.jsonl"
ENDINGS = {core.TERMINAL: "terminal", core.TRUNCATED: "truncated"}


@dataclass
class Run:
    """What a run recorded.

    Attributes:
        folder: where it lies.
        games: the last record of every match, in the order the matches first came.
        answers: decision records by (match or item, ply), oldest first.
        asked: likewise those of questions about a match of the run that are no moves.
        messages: records of what was said, by match, in the order in which it was.
    """

    folder: Path
    games: list[dict[str, Any]]
    answers: dict[tuple[str, int], list[dict[str, Any]]]
    messages: dict[str, list[dict[str, Any]]]
    asked: dict[tuple[str, int], list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def decisions(self) -> list[dict[str, Any]]:
        """All decision records except those in ``asked``."""
        return [record for records in self.answers.values() for record in records]

    def replay(self, game: dict[str, Any]) -> Replay:
        """A game of the run as ``replay`` plays it again."""
        return replay(game, self.answers, self.messages, self.asked)


def find(path: Path) -> Run:
    """The records of a run's folder, or of the folder of a ``.jsonl`` file of it.

    A ``decisions.jsonl`` named as a file is read without the games beside it; a ``.json`` or
    ``.eval`` is a log of Inspect, or the former a saved game of Diplomacy.

    Raises:
        InputError: nothing there, or a line that is not a record.
    """
    if is_saved(path):
        read, said_there = read_saved(path)
        return Run(path, read, {}, said_there)
    if path.is_file() and is_log(path):
        logged, said_in = read_log(path)
        return Run(path, logged, {}, said_in)
    folder = path if path.is_dir() else path.parent
    names = (GAMES, DECISIONS)
    if path.is_dir():
        if not any((path / name).exists() for name in names):
            raise InputError(f"{path} holds neither {GAMES} nor {DECISIONS}; name a run's folder")
    elif not path.exists():
        raise InputError(f"{path}: there is no such run; name a run's folder or its {GAMES}")
    alone = path.is_file() and path.name == DECISIONS
    games_file = path if path.is_file() and not alone else folder / GAMES
    games: dict[str, dict[str, Any]] = {}
    for game in () if alone else read_any_games(games_file):
        games[game["match"]] = dict(game)
    answers: defaultdict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    asked: defaultdict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for record in read_jsonl(folder / DECISIONS, Shape(DecisionRecord)):
        about, ply = record.get("about"), record.get("ply") or 0
        if about in games:
            asked[about, ply].append(record)
        else:
            answers[record["item"], ply].append(record)
    said: defaultdict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for record in () if alone else read_messages(folder):
        said[record["match"]][record["number"]] = record
    messages = {match: [by[number] for number in sorted(by)] for match, by in said.items()}
    return Run(folder, list(games.values()), dict(answers), messages, dict(asked))


@dataclass
class Position:
    """A position, and what was decided in it.

    Attributes:
        ply: decisions before it. seat: to move, None where the game is over.
        policy: who decides. spec: the game's facts.
        rules, states: the position, (1,) record; None where it was not recorded.
        legal: the legal actions. action: the one played, None if none was.
        chance: what dice and cards did since the position before, for a spectator.
        answers: the records of the decision, oldest first.
        heading: which position it is, and who decides in it.
        viewer: the seat that sees it; None for a spectator, who sees all.
        instead: a sentence, who or what chose the action if it is not the policy's own; else empty.
        said: records of what the seat said with it.
        asked: records of questions about the position that are no moves, oldest first.
    """

    ply: int
    seat: int | None
    policy: str | None
    spec: core.GameSpec
    rules: Any
    states: np.ndarray | None
    legal: list[int]
    action: int | None = None
    chance: list[str] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    heading: str = ""
    viewer: int | None = None
    instead: str = ""
    said: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether the viewer knows which actions were legal here and which was played."""
        return self.viewer in (None, self.seat) or shows_all(self.spec)

    def board(self) -> str:
        """The board as the viewer sees it, as text."""
        if self.states is None:
            return "The position was not recorded; the prompt has it."
        view = self.spec.module("view")
        if self.viewer is None:
            return view.board_text(self.rules, self.states[0])
        return view.seat_text(self.rules, self.states[0], self.viewer)

    def name(self, seat: int) -> str:
        """The name of a seat, as board, picture and moves have it."""
        if self.states is None:
            return f"Player {seat}"
        return self.spec.module("view").seat_name(self.rules, self.states[0], seat)

    def hearers(self, to: Sequence[int]) -> str:
        """To whom a message of this position was said, in words."""
        if self.seat is None or self.states is None:
            return ", ".join(map(self.name, to))
        if list(to) == [self.seat]:
            return "oneself"
        view = self.spec.module("view")
        if is_public(view, self.rules, self.states[0], self.seat, to):
            return "all"
        # Whatever stands in a record.
        seats = range(self.rules.num_players)
        return ", ".join(self.name(k) if k in seats else f"seat {k}" for k in to)

    def words(self) -> list[str]:
        """Messages that are part of no answer, a line each, as far as the viewer heard them."""
        if self.seat is None or (self.answers and self.answers[-1]["kind"] == OK):
            return []
        heard = [m for m in self.said if self.viewer in (None, self.seat, *m["to"])]
        who = self.name(self.seat)
        return [
            f"{who} to {self.hearers(m['to'])}: \u201c{' '.join(m['text'].split())}\u201d"
            for m in heard
        ]

    def move(self, action: int) -> str:
        """An action in the game's notation."""
        if self.states is None:
            return str(action)
        return self.spec.module("view").action_to_string(self.rules, self.states[0], action)

    def told(self) -> str:
        """The move that was played in one sentence; empty if there is none."""
        if self.states is None or self.action is None or self.action not in self.legal:
            return ""
        return self.spec.module("view").move_text(self.rules, self.states[0], self.action)


def shows_all(game: core.GameSpec) -> bool:
    """Whether every seat of a game sees all there is, and every move when it is made."""
    return game.information == "perfect" and not game.is_simultaneous


@dataclass
class Replay:
    """A recorded game, played again, or single decisions one after the other.

    Attributes:
        title: what it is. facts: (name, value) pairs about it.
        positions: of a game, all of them, the last included.
        whole: whether it is a game. seats: its policies by seat.
        result: (seat, policy, return) as recorded; None if there is none.
        outcome: how it ended, in a few words; empty if it did not.
        agrees: one line that says that the record is what happens, or why it is not checked.
        problems: one line for each way in which the record is not what happens.
    """

    title: str
    facts: list[tuple[str, str]]
    positions: list[Position]
    whole: bool = True
    seats: list[str] = field(default_factory=list)
    outcome: str = ""
    result: list[tuple[int, str, float]] | None = None
    agrees: str = ""
    problems: list[str] = field(default_factory=list)


def replay(
    record: dict[str, Any],
    answers: dict[tuple[str, int], list[dict[str, Any]]],
    messages: Mapping[str, list[dict[str, Any]]] | None = None,
    asked: Mapping[tuple[str, int], list[dict[str, Any]]] | None = None,
) -> Replay:
    """Play a recorded game again.

    Actions up to the first that the rules do not allow are played; ``problems`` names it. Where
    nobody played who has words, the game's own are made again from the actions.

    Args:
        answers, messages, asked: as of ``Run``; without messages nothing is said.

    Raises:
        InputError: a game or option that does not exist here, or seats that do not fit.
    """
    name = record["match"]
    try:
        game = spec(record["game"])
        rules = game.make_rules(**record["rules"])
    except (ValueError, TypeError, ArithmeticError) as error:  # whatever options stand there
        raise InputError(f"game {name}: {error}") from None
    seats, actions = record["seats"], record["actions"]
    if len(seats) != rules.num_players:
        raise InputError(f"game {name}: {len(seats)} seats recorded for {rules.num_players}")
    if (returns := record["returns"]) is not None and len(returns) != len(seats):
        raise InputError(f"game {name}: {len(returns)} returns recorded for {len(seats)} seats")
    for one in record.get("stand_ins", ()):
        if one["seat"] not in range(len(seats)):
            raise InputError(f"game {name}: a stand-in for seat {one['seat']}, which is none of it")
    problems: list[str] = []
    positions = _play(game, rules, int(record["seed"]), actions, problems)
    _assign_answers(game, name, positions, answers)
    for position in positions:
        position.policy = _who_plays(record, position, seats)
        position.asked = (asked or {}).get((name, position.ply), [])
    _tell_stand_ins(record, positions)
    put_headings(positions, len(actions))
    heard = None if messages is None else messages.get(name, [])
    problems += _assign_words(game, rules, record, positions, heard)
    problems += _check_ending(record, positions[-1]) if not problems else []
    problems += _check_answers(game, positions)
    facts = [
        ("Game", game.title),
        ("Match", name),
        ("Seed", str(record["seed"])),
        ("Rules", ", ".join(f"{k}={v}" for k, v in record["rules"].items()) or "default"),
        ("Ended by", record["ended_by"]),
        ("Moves", str(len(actions))),
    ]
    if "roles" in record:
        dealt = (f"{positions[0].name(k)}: {role}" for k, role in enumerate(record["roles"]))
        facts.append(("Roles", ", ".join(dealt)))
    if "opening" in record:
        facts.append(("Opening", f"{record['opening']} random moves"))
    if "given" in record:
        facts.append(("Given", f"the first {record['given']} moves, made in another match"))
    for one in record.get("stand_ins", ()):
        who = positions[0].name(one["seat"])
        said = f"{who} from move {one['ply'] + 1} on, played by {one['policy']}"
        facts.append(("Forfeited", said))
    if "fault" in record:
        facts.append(("Fault", record["fault"]))
    return Replay(
        f"{game.title}: {' – '.join(seats)}",
        facts,
        positions,
        seats=seats,
        outcome=outcome(game, record, list(map(positions[-1].name, range(len(seats))))),
        result=None
        if returns is None
        else list(zip(range(len(seats)), seats, returns, strict=True)),
        agrees="Played again from rules, seed and actions; the outcome is the recorded one."
        if record["ended_by"] in ENDINGS.values()
        else "Played again from rules, seed and actions; "
        f"the record ends with {record['ended_by']}, before the rules end the game.",
        problems=problems,
    )


def _who_plays(record: dict[str, Any], position: Position, seats: Sequence[str]) -> str | None:
    """The policy of a position's seat, or the one that stands in for it there; None at the end."""
    if position.seat is None:
        return None
    stand_in = _stand_in_at(record, position)
    return seats[position.seat] if stand_in is None else f"{stand_in} for {seats[position.seat]}"


def _stand_in_at(record: dict[str, Any], position: Position) -> str | None:
    """The policy that plays on for a position's seat, if that seat has forfeited before."""
    for one in record.get("stand_ins", ()):
        if one["seat"] == position.seat and one["ply"] <= position.ply:
            return str(one["policy"])
    return None


def put_headings(positions: Sequence[Position], moves: int) -> None:
    """Say of each position of a game of so many moves which one it is, and who decides in it."""
    for k, position in enumerate(positions):
        if position.seat is None:
            position.heading = f"End, after {moves} moves"
            continue
        which = f"Move {k + 1} of {moves}:"
        if position.action is None:
            which = f"After {k} moves, nothing played:"
        position.heading = f"{which} {position.name(position.seat)}, {position.policy}"


def outcome(game: core.GameSpec, record: dict[str, Any], names: Sequence[str]) -> str:
    """How a recorded game ended: ``1–0``, ``Player 2 wins``, ``18 points, by forfeit``.

    Args:
        names: of the seats.
    """
    returns = record["returns"]
    if returns is None:
        return "broken off"
    if game.utility == "identical":
        said = f"{returns[0]:g} points"
    elif len(returns) == 2 and {*returns} <= {-1, 0, 1}:
        said = {1: "1–0", 0: "½–½", -1: "0–1"}[int(returns[0])]
    elif len(returns) == 2:
        said = " : ".join(f"{x + 0.0:+,g}" for x in returns).replace("-", "−")  # and no -0
    else:
        best = [seat for seat, x in enumerate(returns) if x == max(returns)]
        alike = len(best) == len(returns)
        unnamed = tuple(names) == player_names(len(names))
        seats = " and ".join(str(seat) if unnamed else names[seat] for seat in best)
        players = ("Players " if len(best) > 1 else "Player ") if unnamed else ""
        won = f"{players}{seats} win{'' if len(best) > 1 else 's'}"
        said = "nobody wins" if alike else won
    how = record["ended_by"]
    limit = "a limit of the rules" if how == ENDINGS[core.TRUNCATED] else how
    return said if how == ENDINGS[core.TERMINAL] else f"{said}, by {limit}"


def _play(
    game: core.GameSpec, rules: Any, seed: int, actions: list[Any], problems: list[str]
) -> list[Position]:
    """All positions of a game; with a problem, those up to where it stops being one."""
    chance_text = getattr(game.module("view"), "chance_text", lambda *_: "")
    states = core.new_states(rules)
    _, probs = core.new_scratch(rules)
    s = states[0]
    told: list[str] = []

    def tell(before: Any, outcome: int | None) -> None:
        said = chance_text(rules, before, s, outcome)
        if said:
            told.append(said)

    def chance() -> int:
        """As ``core.play_chance``, and tells what it brought."""
        while core.current_player(rules, s) == core.CHANCE:
            before = s.copy()
            outcome = int(core.draw_chance(rules, s, probs))
            core.apply_chance(rules, s, outcome)
            tell(before, outcome)
        return int(core.current_player(rules, s))

    core.reset(rules, s, np.uint64(seed & SEED_MASK))
    tell(None, None)
    seat = chance()
    positions = []
    for ply, action in enumerate([*actions, None]):
        over = seat < 0
        legal = [] if over else legal_list(rules, states)
        position = Position(ply, None if over else seat, None, game, rules, states.copy(), legal)
        position.chance, told = told, []
        positions.append(position)
        if action is None:
            break
        if action not in legal:
            end = "the game is over" if over else f"seat {seat} may not play {action!r}"
            problems.append(f"Move {ply + 1} of {len(actions)} cannot be played: {end}.")
            break
        position.action = int(action)
        before = s.copy()
        core.step(rules, s, position.action)
        tell(before, None)
        seat = chance()
    return positions


def _check_ending(record: dict[str, Any], last: Position) -> list[str]:
    """Whether the outcome in the record is what the rules say of the last position."""
    assert last.states is not None
    kernel = int(core.current_player_at(last.rules, last.states, 0))
    said = record["ended_by"]
    if ENDINGS.get(kernel) != (said if said in ENDINGS.values() else None):
        ends = f"ends as {ENDINGS[kernel]}" if kernel in ENDINGS else "is not over"
        return [f"The record says that the game ended by {said}, but played again it {ends}."]
    if kernel not in ENDINGS:
        loser = record.get("forfeited_by")
        if loser not in (None, last.seat):
            return [f"The record says that seat {loser} forfeited; seat {last.seat} is to move."]
        return []
    returns = np.zeros(last.rules.num_players)
    core.returns_at(last.rules, last.states, 0, returns)
    told = record["returns"]
    if told is not None:
        for one in record.get("stand_ins", ()):  # whose returns are those of their forfeits
            returns[one["seat"]] = told[one["seat"]]
    if told != returns.tolist():
        return [
            f"The record says that the returns are {told}, "
            f"but played again they are {returns.tolist()}."
        ]
    return []


def _assign_answers(
    game: core.GameSpec,
    name: str,
    positions: list[Position],
    answers: dict[tuple[str, int], list[dict[str, Any]]],
) -> None:
    """Give each position the answers of its seat.

    Answers of seats that decide at the same time are recorded under the ply at which their turn
    began; each belongs where its seat begins to commit.
    """
    if not game.is_simultaneous:
        for position in positions:
            position.answers = answers.get((name, position.ply), [])
        return
    for begin in positions:
        for answer in answers.get((name, begin.ply), []):
            own = (p for p in positions[begin.ply :] if p.seat == answer["seat"])
            position = next(own, begin)
            position.answers = [*position.answers, answer]


def _assign_words(
    game: core.GameSpec,
    rules: Any,
    record: dict[str, Any],
    positions: list[Position],
    said: list[dict[str, Any]] | None,
) -> list[str]:
    """Give each position what its seat said there; says where that is not what is recorded."""
    if said is None:
        return []
    recorded = record.get("messages")
    if recorded is None and not said and not any(position.answers for position in positions):
        actions = [p.action for p in positions if p.action is not None]
        silent = record.get("opening", 0) + record.get("given", 0)
        said = made_again(game, rules, int(record["seed"]), actions, silent)
    for message in said:
        ply = message["ply"]
        if not 0 <= ply < len(positions) or positions[ply].seat != message["seat"]:
            return [f"Seat {message['seat']} is recorded to have spoken before move {ply + 1}."]
        positions[ply].said.append(message)
    if recorded not in (None, len(said)):
        return [f"The record says that {recorded} messages were said; {len(said)} are recorded."]
    return []


def _tell_stand_ins(record: dict[str, Any], positions: list[Position]) -> None:
    """Say of each move that was not its policy's own where it comes from."""
    asked = {answer["seat"] for position in positions for answer in position.answers}
    first = positions[0]
    real_time = first.spec.decision_seconds_of(first.rules) is not None
    bad: dict[int, tuple[str, float]] = {}  # by seat: why, and for how many more moves
    for position in positions:
        if position.seat is None or position.action is None:
            continue
        if position.answers:
            last = position.answers[-1]
            moves = max(1, len(last.get("actions") or ()))
            bad[position.seat] = instead_of(last), float("inf") if real_time else moves
        why, left = bad.get(position.seat, ("", 0))
        bad[position.seat] = why, left - 1
        stand_in = _stand_in_at(record, position)
        if stand_in is not None:
            left_to = record["seats"][position.seat]
            position.instead = f"{stand_in} chose this move for {left_to}, which had forfeited."
            continue
        if position.ply < record.get("opening", 0):
            why = "a random move of the opening"
        elif position.ply < record.get("given", 0):
            why = "made in another match"
        elif left <= 0:
            only = position.seat in asked and len(position.legal) == 1
            why = "the only legal move, not asked for" if only else ""
        if why:
            position.instead = f"This move was not {position.policy}'s own: {why}."


def instead_of(answer: Mapping[str, Any]) -> str:
    """Why what was played after an answer is not what it said; empty where it is."""
    if answer["kind"] == OK:
        return ""
    reason = f": {answer['reason']}" if answer["reason"] else ""
    return f"in place of a bad answer ({answer['kind']}{reason})"


def _check_answers(game: core.GameSpec, positions: list[Position]) -> list[str]:
    """Whether recorded answers are to the same question and led to the moves played."""
    problems = []
    for position in positions:
        for answer in position.answers:
            where = f"Move {position.ply + 1}"
            if answer["seat"] != position.seat or not _is_asked_here(answer, position):
                problems.append(
                    f"{where}: the recorded answer of seat {answer['seat']} is to another position."
                )
            elif game.decision_seconds_of(position.rules) is not None:
                continue  # what it led to came at later decisions, if at all
            elif None not in (answer["action"], position.action):
                led_to = answer.get("actions") or [answer["action"]]
                played = [p.action for p in positions[position.ply :][: len(led_to)]]
                if led_to != played:
                    problems.append(
                        f"{where}: the answer led to {_listed(led_to)}, "
                        f"but the record of the game has {_listed(played)}."
                    )
    return problems


def _is_asked_here(answer: Mapping[str, Any], position: Position) -> bool:
    if "legal_count" in answer:
        return bool(answer["legal_count"] == len(position.legal))
    if answer["policy"].startswith(REDRAW):  # as if it were the first round, which can do less
        return set(answer["legal"]) <= set(position.legal)
    return answer["legal"] in (None, position.legal)


def _listed(actions: list[Any]) -> str:
    return ", ".join(map(str, actions))


# --- choosing ------------------------------------------------------------------------------------


def fits(record: dict[str, Any], policies: Iterable[str]) -> bool:
    """Whether one of the policies, by name or its beginning, has a seat in a game or decided."""
    seats = record["seats"] if "seats" in record else [record["policy"]]
    wanted = list(policies)
    return not wanted or any(seat.startswith(name) for seat in seats for name in wanted)
