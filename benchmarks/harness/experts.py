"""What built-in players decide, as conversations that a language model can be tuned on.

A line holds the prompt of a position and the reply that plays the expert's move, and beside them
what a learner or a reward may want: the legal moves, all moves of the best score where the game has
a solver, and a name of the position.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.agents import learner_games
from stratagym.agents.core import Policy, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.agents.perfect import solver_of
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.positions import Found, Places, enumerated, of_runs, played
from stratagym.benchmarks.harness.replays import Run
from stratagym.envs import core, spec
from stratagym.envs.plans import plan_kind
from stratagym.envs.prompts import TextOptions, legal_list, reply_for
from stratagym.envs.text import OK, judge
from stratagym.envs.words import ReplyWords

COLUMNS = ("messages", "completion")
BATCH = 1024
REASONS = {True: "no move has a better score", False: "it is the most promising move"}
"""By whether a solver knows it."""
STANDS = {1: "a win", 0: "a draw", -1: "a loss", None: "open"}


@dataclass(frozen=True)
class Wanted:
    """What is asked for.

    Attributes:
        expert: a policy string. positions: how many, without runs. explore: as of ``played``.
        held_out: share of the positions. columns: of ``COLUMNS``. seed: of all that is drawn.
        text: of prompts. options: of the game.
    """

    expert: str
    positions: int
    explore: float
    held_out: float
    columns: str
    seed: int
    text: dict[str, str]
    options: dict[str, str]


@dataclass(frozen=True)
class Written:
    """How much was written: lines to train on and held out, and how many positions there are."""

    train: int
    held_out: int
    there_are: int | None


def check(wanted: Wanted) -> None:
    """Raises ``InputError`` for values that make no sense."""
    if wanted.columns not in COLUMNS:
        choices = ", ".join(COLUMNS)
        raise cli.InputError(f"--columns {wanted.columns!r}: choose from: {choices}")
    if wanted.positions < 1:
        raise cli.InputError(f"--positions {wanted.positions}: at least 1 is needed")
    for option, share in (("--held-out", wanted.held_out), ("--explore", wanted.explore)):
        if not 0 <= share < 1:
            raise cli.InputError(f"{option} {share:g}: a share from 0 to below 1 is needed")
    if wanted.seed < 0:
        raise cli.InputError(f"--seed {wanted.seed}: 0 or more is needed")


@dataclass(frozen=True)
class Lesson:
    """A position with the expert's decision.

    Attributes:
        line: as ``write`` writes it. position: itself. is_held_out: which side it is on.
        replies: that play a move of the best score; the expert's own where no solver knows.
    """

    line: dict[str, Any]
    position: Found
    is_held_out: bool
    replies: tuple[str, ...]


def lessons(
    wanted: Wanted,
    game: str | None,
    runs: list[Run] = [],  # noqa: B006 - only read
    fits: Callable[[dict[str, Any]], bool] = lambda game: True,
) -> tuple[Iterator[Lesson], int | None]:
    """The expert's decisions in positions that are drawn by the seed, and how many there are.

    Without runs positions are found in the game: all of it where it is small, else what the expert
    meets in its games; then how many there are is not known.

    Raises:
        InputError: a value that makes no sense, no such game or expert, or a game whose answers
            are not single moves.
    """
    check(wanted)
    there_are = None
    if runs:
        found = _recorded(runs, wanted, fits)
    else:
        if game is None:
            raise cli.InputError("--expert: name a run, or a game with --game")
        expert, places = expert_of(game, wanted.expert), _places(game, wanted, wanted.options)
        every = enumerated(places)
        there_are = None if every is None else len(every)
        if every is None:

            def choose(position: Found) -> int:
                return _choices(expert, places, [position], wanted.seed)[0]

            every = played(places, choose, wanted.explore, wanted.seed, wanted.positions)
        found = [(expert, places, position) for position in every.values()]
    found.sort(key=lambda one: _drawn(wanted.seed, one[2].digest))
    if not runs:
        found = found[: wanted.positions]
    parts = (found[start : start + BATCH] for start in range(0, len(found), BATCH))
    return (lesson for part in parts for lesson in _lessons(part, wanted)), there_are


def write(
    path: Path,
    wanted: Wanted,
    game: str | None,
    runs: list[Run],
    fits: Callable[[dict[str, Any]], bool],
) -> Written:
    """Write the lines of ``lessons``, those held out beside the others (``held_out_path``).

    Raises:
        InputError: as ``lessons``.
    """
    given, there_are = lessons(wanted, game, runs, fits)
    counts = [0, 0]
    with ExitStack() as files:
        paths = [path, held_out_path(path)] if wanted.held_out else [path]
        out = [files.enter_context(own.open("w", encoding="utf-8")) for own in paths]
        for lesson in given:
            counts[lesson.is_held_out] += 1
            out[lesson.is_held_out].write(json.dumps(lesson.line, ensure_ascii=False) + "\n")
    return Written(counts[0], counts[1], there_are)


def held_out_path(path: Path) -> Path:
    """``train.held_out.jsonl`` beside ``train.jsonl``."""
    return path.with_name(f"{path.stem}.held_out{path.suffix}")


def _drawn(seed: int, name: str) -> str:
    """What orders positions, and cuts a number of them out: the same ones whatever their number."""
    return hashlib.sha256(f"{seed}/order/{name}".encode()).hexdigest()


def _share(seed: int, name: str) -> float:
    """A number in [0, 1) that a class of positions has."""
    digest = hashlib.sha256(f"{seed}/split/{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


# --- positions and who is asked ------------------------------------------------------------------

Asked = tuple[Policy, Places, Found]


def expert_of(game: str, text: str) -> Policy:
    """The policy that is asked. Raises ``InputError``: there is none, or it cannot be asked."""
    try:
        about = spec(game)
        if plan_kind(about) is not None:
            raise ValueError(f"{game}: its answers are plans; experts answer with one move")
        policy = make_policy(about, text)
    except (ValueError, ModuleNotFoundError) as error:
        raise cli.InputError(f"--expert: {error}") from None
    if isinstance(policy, LanguageModel):
        raise cli.InputError(
            f"--expert {text}: a language model's answers are exported without --expert, from a run"
        )
    return policy


def text_of(game: core.GameSpec, options: Mapping[str, str]) -> TextOptions:
    """The prompts' options from words. Raises ``ValueError`` or ``TypeError``."""
    text = TextOptions().with_more({name: _value(name, word) for name, word in options.items()})
    text.check(game)
    return text


def _places(game: str, wanted: Wanted, options: dict[str, Any]) -> Places:
    try:
        about = spec(game)
        return Places(about, about.make_rules(**options), text_of(about, wanted.text))
    except (ValueError, TypeError) as error:
        raise cli.InputError(f"--prompt, --rules: {error}") from None


def _value(name: str, text: str) -> Any:
    """An option of prompts as a value of its type."""
    default = getattr(TextOptions(), name, "")
    if isinstance(default, bool):
        if text not in ("yes", "no"):
            raise ValueError(f"{name}={text}: write yes or no")
        return text == "yes"
    return text


def _recorded(
    runs: list[Run], wanted: Wanted, fits: Callable[[dict[str, Any]], bool]
) -> list[Asked]:
    """Each position of the runs once; where the expert itself played, as it did."""

    @cache
    def places_under(game: str, rules: str) -> Places:
        return _places(game, wanted, json.loads(rules))

    @cache
    def expert_in(game: str) -> Policy:
        return expert_of(game, wanted.expert)

    found: dict[tuple[str, str], Asked] = {}
    for places, position in of_runs(
        runs, lambda game: places_under(game["game"], json.dumps(game["rules"])), fits
    ):
        expert = expert_in(places.game.name)
        key = places.game.name, position.digest
        if key not in found or (position.policy == expert.name != found[key][2].policy):
            found[key] = expert, places, position
    return list(found.values())


def _choices(expert: Policy, places: Places, positions: list[Found], seed: int) -> list[int]:
    """The expert's action in each position, which follows from the seed and the position."""
    seeds = [item_seed(seed, expert.seed_name, position.digest) for position in positions]
    states = np.concatenate([position.states for position in positions])
    own = np.array(seeds, np.uint64)
    return learner_games.act_each(places.game, expert, places.rules, states, own).tolist()


# --- lines ---------------------------------------------------------------------------------------


def _lessons(found: list[Asked], wanted: Wanted) -> Iterator[Lesson]:
    """Each position's lesson, in their order."""
    groups: dict[int, list[Asked]] = {}
    for one in found:
        groups.setdefault(id(one[1]), []).append(one)
    made = {}
    for group in groups.values():
        expert, places, _ = group[0]
        positions = [position for *_, position in group]
        asked = [p for p in positions if p.policy != expert.name or p.recorded is None]
        chosen: dict[int, int] = {}
        if asked:
            actions = _choices(expert, places, asked, wanted.seed)
            chosen = dict(zip(map(id, asked), actions, strict=True))
        solve = solver_of(places.game.name)
        scores: Any = [None] * len(positions)
        if solve is not None:
            scores = solve(places.rules, np.concatenate([p.states for p in positions]))
        for position, own in zip(positions, scores, strict=True):
            action = chosen.get(id(position), position.recorded)
            assert action is not None
            made[id(position)] = _lesson(expert, places, position, action, own, wanted)
    for *_, position in found:
        yield made[id(position)]


def _lesson(
    expert: Policy,
    places: Places,
    position: Found,
    action: int,
    scores: np.ndarray | None,
    wanted: Wanted,
) -> Lesson:
    game, rules, states = places.game, places.rules, position.states
    view, legal = game.module("view"), legal_list(places.rules, states)
    best = [] if scores is None else [a for a in legal if scores[a] == scores[legal].max()]
    stands = None if scores is None else int(np.sign(int(scores[legal].max())))
    replies = {one: _reply(places, position, one, stands, best) for one in {action, *best}}

    def told(actions: Iterable[int]) -> list[str]:
        return [view.action_to_string(rules, states[0], a) for a in actions]

    answer = [{"role": "assistant", "content": replies[action]}]
    talk: dict[str, Any] = {"messages": [*position.prompt, *answer]}
    if wanted.columns == "completion":
        talk = {"prompt": position.prompt, "completion": answer}
    solved = {} if scores is None else {"optimal": told(best)}
    line = {
        **talk,
        "game": game.name,
        "expert": expert.name,
        "move": told([action])[0],
        "legal": told(legal),
        **solved,
        "seat": int(core.current_player_at(rules, states, 0)),
        "ply": len(position.actions),
        "position": position.digest[:16],
    }
    is_held_out = _share(wanted.seed, places.class_of(position)) < wanted.held_out
    return Lesson(line, position, is_held_out, tuple(replies[one] for one in best or [action]))


def _reply(
    places: Places, position: Found, action: int, stands: int | None, best: list[int]
) -> str:
    """The reply that plays an action; raises ``InputError`` where it would not be read so."""
    game, rules, states = places.game, places.rules, position.states
    words = ReplyWords(STANDS[stands], REASONS[action in best])
    try:
        reply = reply_for(game, rules, states, action, words, places.options)
    except NotImplementedError:
        form = f"the answer form of {game.name} writes no replies: {game.package}.view"
        raise cli.InputError(f"--expert: {form} has to define its `reply`") from None
    outcome = judge(game, rules, states, reply, places.options)
    if (outcome.kind, outcome.action) != (OK, action):
        raise cli.InputError(
            f"{game.name}: the reply {reply!r} is not read as action {action} but as "
            f"{outcome.kind} {outcome.reason}: its view says moves otherwise than it reads them"
        )
    return reply
