"""Whether prompts tell all that counts: what is legal, and what a game is worth, follow from them.

Positions of random games go into a table by their prompt, as the seat to move is asked by default,
without a list of legal moves. Positions that may look alike are made on purpose: by moves in
another order, by another past, by moves there and back, with other hidden cards, on small boards.
Two records under one prompt are a pair. The two of a pair must have the same legal actions and,
after what the seat cannot know has been drawn again in both from one seed, come to the same returns
by the same moves; what is legal on the way must be the same too, but for what the view's
``TOLD_WHEN_DUE`` names. So hidden cards and sealed plans are no faults, and what a seat could know
and is not told is one.

    python -m stratagym.testing.telling [GAME ...]      looks at many and prints a table of how many
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from stratagym.envs import core, games, prompts, spec
from stratagym.envs.prompts import TextOptions, part
from stratagym.envs.turns import OpenTurn, copied, is_deciding
from stratagym.testing.kernels import bytes_apart

WINDOW = 10
"""Decisions of a game that are looked at behind the one that was changed."""
PAST = 8
"""How many earlier records of its game a position keeps, to be gone back to."""
WAYS = 6
"""Courses of moves away and back of which that is taken that leads nearest."""
WEIGHED = 16
"""The most actions among which one is sought that leads back."""
LONGEST = 600
"""Decisions after which two games are compared as they stand."""
LEAST_PAIRS = 4
"""Of each set of options, after which the next is taken."""
KEPT = 6
"""The most records that are kept under one prompt."""


@dataclass(frozen=True)
class Place:
    """A position under a prompt: the record it is asked from, and records to go back to."""

    rules: Any
    options: dict[str, Any]
    states: np.ndarray
    seat: int
    past: tuple[np.ndarray, ...]

    @cached_property
    def record(self) -> bytes:
        """The record without its dice."""
        plain = copied(self.states)
        plain["rng"] = 0
        return plain.tobytes()


@dataclass(frozen=True)
class Fault:
    """Two positions that one prompt does not tell apart, and what is different."""

    what: str
    one: Place
    other: Place
    prompt: str

    def __str__(self) -> str:
        names = [name for name in self.one.states.dtype.names or () if name != "rng"]
        there = self.other.states.dtype.names or ()
        records = [
            f"{name}: {_brief(one)} / {_brief(other)}"
            for name in names
            if name in there
            and not np.array_equal(one := self.one.states[name], other := self.other.states[name])
        ]
        sides = " / ".join(str(place.options) for place in (self.one, self.other))
        return "\n".join([self.what, f"under {sides}", *records, "", self.prompt])


def _brief(values: np.ndarray) -> str:
    shown = " ".join(str(values[0]).split())
    return shown if len(shown) < 200 else f"{shown[:200]} ..."


@dataclass
class Told:
    """What was looked at.

    Attributes:
        options: sets of options, each with a form of position. states: positions whose prompt was
            read. pairs: of different records under one prompt that were compared. faults: those
            that differ.
    """

    options: int = 0
    states: int = 0
    pairs: int = 0
    faults: list[Fault] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.options} sets of options, {self.states} positions, {self.pairs} pairs, "
            f"{len(self.faults)} faults"
        )


def look(
    game: core.GameSpec,
    seed: int,
    *,
    pairs: int = 200,
    states: int = 2000,
    mixtures: int = 3,
    most_faults: int = 1,
    fits: Callable[[Any], bool] = lambda rules: True,
) -> Told:
    """Look for positions that a game's prompts do not tell apart.

    Every option is tried at each of its values, and every form of position. Sets of options take
    turns until there are enough pairs or positions; each has one at least.

    Args:
        pairs, states: how many of them are enough. mixtures: sets of several options.
        most_faults: after which it is enough. fits: whether rules are looked at.
    """
    rng, told = np.random.default_rng(seed), Told()
    forms = part(game.module("view"), "POSITION_FORMS")
    looks = []
    for form in forms:
        table = _Look(game, rng, TextOptions(position=form), told)
        for options in variants(game, rng, mixtures if form == forms[0] else None):
            rules = game.make_rules(**options)
            if fits(rules):
                looks.append((table, rules, options))
    told.options, share = len(looks), max(LEAST_PAIRS, -(-pairs // len(looks)))
    is_first = True  # in which every set of options is looked at
    while True:
        for table, rules, options in looks:
            table.look(rules, options, share)
            if len(told.faults) >= most_faults or (not is_first and told.pairs >= pairs):
                return told
        if told.pairs >= pairs or told.states >= states:
            return told
        is_first = False


def variants(
    game: core.GameSpec, rng: np.random.Generator, mixtures: int | None
) -> Iterator[dict[str, Any]]:
    """Options of a game: the defaults, each option at each of its values, and mixtures of these.

    Args:
        mixtures: how many; None for the defaults alone.
    """
    base = dict(part(game.module("view"), "TEXT_OPTIONS"))
    tried = {name: option.tried() for name, option in game.options.items()}
    drawn: list[dict[str, Any]] = [{}]
    if mixtures is not None:
        drawn += [{name: value} for name, values in tried.items() for value in values]
    for _ in range(mixtures if mixtures and tried else 0):
        drawn.append(
            {
                name: values[int(rng.integers(len(values)))]
                for name, values in tried.items()
                if rng.random() < 0.6
            }
        )
    seen = []
    for one in drawn:
        options = {**base, **one}
        try:
            rules = game.make_rules(**options)
        except ValueError:  # options that do not go together
            continue
        if rules not in seen:
            seen.append(rules)
            yield options


class _Look:
    """The table of one form of prompts. Arguments as of ``look``."""

    def __init__(
        self,
        game: core.GameSpec,
        rng: np.random.Generator,
        text: TextOptions,
        told: Told,
    ):
        self.game, self.rng, self.text, self.told = game, rng, text, told
        self.is_exact = not part(game.module("view"), "TOLD_WHEN_DUE")
        self._keys: dict[bytes, bytes] = {}
        self._places: dict[bytes, list[Place]] = {}
        self._options: dict[str, Any] = {}
        self._last = 0

    # --- the table -------------------------------------------------------------------------------

    def _note(self, table: _Table) -> None:
        """Put the position of the seat to move into the table, and compare it with those there."""
        if table.seat < 0 or self._is_enough:
            return
        states = table.asked()
        # Games part and meet again, so that many a record is met several times.
        met = b"%d %d " % (id(table.rules), table.seat) + states.tobytes()
        met = hashlib.sha256(met).digest()
        key = self._keys.get(met)
        if key is None:
            text = self._prompt(table.rules, states)
            key = hashlib.sha256(f"{table.seat} {text}".encode()).digest()
            self._keys[met] = key
        place = Place(table.rules, self._options, states, table.seat, tuple(table.past))
        there = self._places.setdefault(key, [])
        self.told.states += 1
        if any(place.record == one.record and place.rules == one.rules for one in there):
            return
        for one in there:
            if self._is_enough:  # else one set of options would be looked at more than the others
                return
            self.told.pairs += 1
            what = self._difference(one, place)
            if what:
                text = self._prompt(table.rules, states)
                self.told.faults.append(Fault(what, one, place, text))
        if len(there) < KEPT:
            there.append(place)

    def _prompt(self, rules: Any, states: np.ndarray) -> str:
        """What the seat to move is asked."""
        asked = prompts.messages(self.game, rules, states, self.text)
        return "\n\n".join(message["content"] for message in asked)

    @property
    def _is_enough(self) -> bool:
        return self.told.pairs >= self._last

    # --- what two positions under one prompt come to ---------------------------------------------

    def _difference(self, one: Place, other: Place) -> str:
        """What is different of two positions; empty if nothing is found."""
        for back in (False, True):
            seed = np.uint64(self.rng.integers(2**63))
            first, second = (_Line(self.game, place, seed) for place in (one, other))
            what = self._played_alike(first, second, back)
            if what:
                return what
        return ""

    def _played_alike(self, one: _Line, other: _Line, back: bool) -> str:
        """Play the same moves on both lines, by chance or such as lead back where it was."""
        start = copied(one.states)
        played: list[int] = []

        def after() -> str:
            return f"after {_words(one.view, one.rules, start, played)}"

        for ply in range(LONGEST):
            if one.seat != other.seat:
                return f"{after()}: to move is {one.seat} / {other.seat}"
            if one.seat < 0:
                break
            first, second, differing = one.moves(other)
            if differing and (ply == 0 or self.is_exact or not len(first)):
                return f"{after()}: legal is {differing}"
            k = int(self.rng.integers(len(first)))
            if back and self.rng.random() < 0.8:
                line, moves = (one, first) if self.rng.random() < 0.5 else (other, second)
                k = self._way_back(line, moves, line.past[int(self.rng.integers(len(line.past)))])
            played.append(int(first[k]))
            one.play(int(first[k]))
            other.play(int(second[k]))
        returns = one.returns(), other.returns()
        if not np.allclose(*returns, rtol=0, atol=1e-9):
            return f"{after()}: returns {returns[0].tolist()} / {returns[1].tolist()}"
        return ""

    def _way_back(self, table: _Followed, moves: np.ndarray, goal: np.ndarray) -> int:
        """The place among moves of that which leads nearest to an earlier record."""
        tried = np.arange(len(moves))
        if len(moves) > WEIGHED:
            tried = self.rng.choice(len(moves), WEIGHED, replace=False)
        raw, apart = table.raw.copy(), np.empty(len(tried), np.int64)
        trial = raw.view(table.states.dtype)
        bytes_apart(table.rules, table.raw, trial, raw, moves[tried], table.probs, goal, apart)
        return int(tried[apart.argmin()])

    # --- where positions come from ---------------------------------------------------------------

    def look(self, rules: Any, options: dict[str, Any], most: int) -> None:
        """Look at positions of a random game and at others like them, up to so many pairs."""
        self._options, self._last = options, self.told.pairs + most
        game = self._random_game(rules, int(self.rng.integers(2**63)))
        if not game.actions:  # over before anybody was to move
            return
        for change in (
            self._reordered, self._changed, self._rejoined, self._there_and_back, self._redealt,
            self._reordered, self._changed, self._rejoined, self._there_and_back,
        ):  # fmt: skip
            if not self._is_enough:
                change(game)

    def _random_game(self, rules: Any, seed: int) -> _Played:
        table, game = _Table(self.game, rules, seed), _Played([], [])
        while table.seat >= 0 and len(game.actions) < LONGEST:
            game.tables.append(table.copy())
            game.actions.append(self._any(table.choices()))
            table.play(game.actions[-1])
        return game

    def _any(self, legal: np.ndarray) -> int:
        """An action by chance; numpy's ``choice`` takes longer than a move."""
        return int(legal[self.rng.integers(len(legal))])

    def _at(self, n: int) -> int:
        """A decision of n, half of the times one of the first six."""
        return int(self.rng.integers(min(n, 6) if self.rng.random() < 0.5 else n))

    def _both(self, game: _Played, i: int, others: list[int], first: int) -> None:
        """Note the positions of two games from decision ``first`` on; they part at decision i."""
        if first == len(game.actions):
            return
        self._play_on(game.at(first), game.actions[first : first + WINDOW])
        table = game.at(i)
        for action in others[i:first]:
            if not table.may(action):
                break
            table.play(action)
        else:
            self._play_on(table, others[first : first + WINDOW])

    def _reordered(self, game: _Played) -> None:
        """The same moves in another order."""
        i = self._at(len(game.actions))
        j = min(len(game.actions) - 1, i + int(self.rng.choice((1, 2, 2, 2, 4, 4, 6))))
        others = list(game.actions)
        others[i], others[j] = others[j], others[i]
        self._both(game, i, others, j)

    def _changed(self, game: _Played) -> None:
        """One other move, and then the same as before where they are legal."""
        i = self._at(len(game.actions))
        others = list(game.actions)
        others[i] = self._any(game.tables[i].choices())
        self._both(game, i, others, i + 1)

    def _rejoined(self, game: _Played) -> None:
        """One other move, and then those that lead nearest to where the game was without it."""
        i = self._at(len(game.actions))
        table, other = game.at(i), game.at(i)
        for k, action in enumerate(game.actions[i : i + WINDOW]):
            table.play(action)
            if other.seat < 0:
                break
            legal = other.choices()
            nearest = self._way_back(other, legal, table.raw) if k else None
            other.play(self._any(legal) if nearest is None else int(legal[nearest]))
            self._note(table)
            self._note(other)

    def _there_and_back(self, game: _Played) -> None:
        """Three times from one position: moves away, and those that lead nearest to it again.

        Then the game goes on as it did without these.
        """
        at = self._at(len(game.actions))
        start, actions = game.tables[at], game.actions[at : at + WINDOW]
        self._play_on(start.copy(), actions)
        for _ in range(3):
            ways = [self._detour(start) for _ in range(WAYS)]
            way = min(ways, key=lambda way: _apart(way[-1].raw, start.raw))
            for table in way[:-1]:
                self._note(table)
            self._play_on(way[-1], actions)

    def _detour(self, start: _Table) -> list[_Table]:
        """The game behind each of a move of every seat, by chance, and one of each nearest back."""
        tables, seats = [start], start.rules.num_players
        for k in range(2 * seats):
            table = tables[-1].copy()
            if table.seat < 0:
                break
            legal = table.choices()
            chosen = int(self.rng.integers(len(legal)))
            if k >= seats:
                chosen = self._way_back(table, legal, start.raw)
            table.play(int(legal[chosen]))
            tables.append(table)
        return tables[1:] or [start.copy()]

    def _play_on(self, table: _Table, actions: list[int]) -> None:
        """Play actions as far as they are legal, and note the positions before each."""
        for action in actions:
            self._note(table)
            if not table.may(action):
                break
            table.play(action)

    def _redealt(self, game: _Played) -> None:
        """The same moves with other hidden cards."""
        if self.game.information != "imperfect" or self.game.is_simultaneous:
            return
        at = self._at(len(game.actions))
        table, other = game.at(at), game.at(at)
        fresh = np.uint64(self.rng.integers(2**63))
        core.determinize_at(other.rules, other.states, 0, other.seat, fresh)
        for line in (table, other):
            self._play_on(line, game.actions[at : at + WINDOW])


def _words(view: Any, rules: Any, states: np.ndarray, actions: list[int]) -> list[str]:
    """The texts of actions that are played from a position, which is changed."""
    legal, probs = core.new_scratch(rules)
    told = []
    for action in actions:
        told.append(str(view.action_to_string(rules, states[0], action)))
        core.play_at(rules, states, 0, action, legal, probs)
    return told


def _apart(one: np.ndarray, other: np.ndarray) -> int:
    """How many bytes of two records differ."""
    return int(np.count_nonzero(one != other))


class _Played(NamedTuple):
    """A random game: its actions, and the game before each of them."""

    actions: list[int]
    tables: list[_Table]

    def at(self, k: int) -> _Table:
        """The game before action k, to be played on."""
        return self.tables[k].copy()


class _Followed:
    """A record that is played on.

    Attributes:
        raw: the record's bytes, which are copied quicker than its fields. states: the same as a
            (1,) record. seat: to move, or below 0. past: bytes of earlier records, the latest last.
    """

    def __init__(self, game: core.GameSpec, rules: Any, states: np.ndarray):
        self.view, self.rules, self.states = game.module("view"), rules, states
        self.raw = states.view(np.uint8)
        self.legal, self.probs = core.new_scratch(rules)
        self._list = core.direct(core.legal_actions_at, rules, states, 0, self.legal)
        self._play = core.direct(core.play_at, rules, states, 0, 0, self.legal, self.probs)
        self.seat = int(core.current_player_at(rules, states, 0))
        self.past: list[np.ndarray] = []

    def choices(self) -> np.ndarray:
        """The legal actions of the seat to move."""
        return self.legal[: self._list(self.rules, self.states, 0, self.legal)].copy()

    def play(self, action: int) -> None:
        """Play a legal action, then chance."""
        self.past = [*self.past[1 - PAST :], self.raw.copy()]
        played = self._play(self.rules, self.states, 0, action, self.legal, self.probs)
        self.seat = int(played[0])

    def word(self, action: int) -> str:
        """An action's text."""
        return str(self.view.action_to_string(self.rules, self.states[0], action))


class _Table(_Followed):
    """A game from its start and, of seats that decide together, their open turn."""

    def __init__(self, game: core.GameSpec, rules: Any, seed: int):
        states = core.new_states(rules)
        core.start_at(rules, states, 0, np.uint64(seed), core.new_scratch(rules)[1])
        super().__init__(game, rules, states)
        self.game = game
        self._begin()

    def _begin(self) -> None:
        self._own: dict[int, tuple[int, ...]] = {}
        self._opened: np.ndarray | None = None
        if self.game.is_simultaneous and self.seat >= 0:
            self._opened = self.raw.copy()
            self._number = int(core.turn_at(self.rules, self.states, 0))

    def copy(self) -> _Table:
        """The same game at the same place, to be played on by itself."""
        twin = object.__new__(_Table)
        twin.__dict__ |= self.__dict__
        twin.raw = self.raw.copy()
        twin.states = twin.raw.view(self.states.dtype)
        twin._own = dict(self._own)
        return twin

    def asked(self) -> np.ndarray:
        """The record that the seat to move is asked from, which shows no other seat's commit."""
        if self._opened is None:
            return copied(self.states)
        turn = OpenTurn(self.rules, self._opened.view(self.states.dtype))
        found = core.new_states(self.rules)
        # Field by field: between them stand zeros.
        found[:] = turn.position(self.seat, self._own.get(self.seat, ()))
        return found

    def may(self, action: int) -> bool:
        """Whether the seat to move may play an action."""
        return (
            self.seat >= 0
            and action < self.rules.num_actions
            and bool(core.is_legal_action_at(self.rules, self.states, 0, action, self.legal))
        )

    def play(self, action: int) -> None:
        seat = self.seat
        super().play(action)
        if self._opened is None:
            return
        self._own[seat] = (*self._own.get(seat, ()), action)
        if self.seat < 0 or not is_deciding(self.rules, self.states, self.seat, self._number):
            self._begin()


class _Line(_Followed):
    """A game that goes on from a position in which the hidden things were drawn again."""

    def __init__(self, game: core.GameSpec, place: Place, seed: np.uint64):
        states = copied(place.states)
        core.determinize_at(place.rules, states, 0, place.seat, seed)
        super().__init__(game, place.rules, states)
        self.past = [*place.past, place.states.view(np.uint8)]

    def moves(self, other: _Line) -> tuple[np.ndarray, np.ndarray, str]:
        """The legal moves of both lines, at the same places; and in words what only one has.

        Moves are compared by their texts where the rules are others.
        """
        mine, theirs = self.choices(), other.choices()
        if self.rules == other.rules and np.array_equal(mine, theirs):
            return mine, theirs, ""
        first = {self.word(action): action for action in mine.tolist()}
        second = {other.word(action): action for action in theirs.tolist()}
        less, more = sorted(set(first) - set(second)), sorted(set(second) - set(first))
        both = [word for word in first if word in second]
        differing = f"{less[:5]} / {more[:5]}" if less or more else ""
        return (
            np.array([first[word] for word in both], np.int64),
            np.array([second[word] for word in both], np.int64),
            differing,
        )

    def returns(self) -> np.ndarray:
        out = np.zeros(self.rules.num_players)
        core.returns_at(self.rules, self.states, 0, out)
        return out


def main(arguments: list[str] | None = None) -> int:
    """Print what was looked at, and the first faults; 1 where there are any, 2 for no such game."""
    parser = argparse.ArgumentParser(
        prog="python -m stratagym.testing.telling",
        description="Look for positions that prompts do not tell apart.",
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: every game")
    parser.add_argument("--pairs", type=int, default=300, help="pairs a game that are enough")
    parser.add_argument("--states", type=int, default=60_000, help="positions that are enough")
    parser.add_argument("--mixtures", type=int, default=12, help="sets of several options")
    parser.add_argument("--seed", type=int, default=None, help="default: another every time")
    given = parser.parse_args(arguments)
    try:
        found = [spec(name) for name in given.games or games()]
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    seed = int(np.random.default_rng().integers(2**31)) if given.seed is None else given.seed
    faults: list[Fault] = []
    print("| Game | Sets of options | Positions | Pairs | Faults |\n|---|--:|--:|--:|--:|")
    for game in found:
        told = look(game, seed, pairs=given.pairs, states=given.states, mixtures=given.mixtures)
        faults += told.faults
        counts = told.options, told.states, told.pairs, len(told.faults)
        print(f"| {game.name} | {' | '.join(f'{count:,}' for count in counts)} |", flush=True)
    print(f"seed {seed}", *faults, sep="\n\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
