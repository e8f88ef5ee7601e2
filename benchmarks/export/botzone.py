"""Runs as the data set of BotzoneBench: four files of JSONL, and a card that describes them.

The fields are those of the four parts of the authors' data set (``game_single``,
``game_tournament``, ``llm_single``, ``llm_tournament``). What events hold differs there from game
to game; here it is the same for all.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness.botzone_games import BY_GAME
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.matches import place_of
from stratagym.benchmarks.harness.replays import Run
from stratagym.benchmarks.reporting.page import Table, count
from stratagym.envs import spec
from stratagym.envs.state import State
from stratagym.envs.text import OK

SINGLE, TOURNAMENT = "single", "tournament"
PARTS = tuple(f"{what}_{mode}" for what in ("game", "llm") for mode in (SINGLE, TOURNAMENT))
INIT, PLAY, END = "INIT", "PLAY", "END"
"""Types of events: the game's rules and seats, a move, the returns."""
NAMED_BY_WHO_PUBLISHES = "other"
Record = dict[str, Any]


@dataclass
class GameOf:
    """A recorded game in which a language model sat, and what its records have in common.

    Attributes:
        models: the language models of the seats, in the order of the seats; each once.
        number: of the game among those of its level or pair.
    """

    run: Run
    game: Record
    models: list[str]
    number: int = 0

    @property
    def mode(self) -> str:
        return TOURNAMENT if len(self.models) > 1 else SINGLE

    @property
    def theirs(self) -> str:
        """The game's name in their data set."""
        name = self.game["game"]
        return BY_GAME[name].theirs if name in BY_GAME else name

    @property
    def level(self) -> str | None:
        """``lv3``, in games on a ladder."""
        before = f"{self.game['game']}/{self.models[0]}/"
        pairing = place_of(self.game).pairing
        level, slash, _ = pairing.removeprefix(before).partition("/")
        is_climb = pairing.startswith(before) and bool(slash) and level.isdigit()
        return f"lv{level}" if self.mode == SINGLE and is_climb else None

    @property
    def opponent(self) -> str:
        """The policies of the other seats, in a single game."""
        others = dict.fromkeys(name for name in self.game["seats"] if name not in self.models)
        return ",".join(others)

    @property
    def group(self) -> tuple[str, ...]:
        """What games are numbered within."""
        if self.mode == SINGLE:
            return (self.theirs, self.level or self.opponent, self.models[0])
        return (self.theirs, *sorted(self.models))

    @property
    def key(self) -> str:
        """``match_key``."""
        if self.mode == SINGLE:
            return f"{'-'.join(self.group)}-{self.number}"
        return f"{self.theirs}-{'-vs-'.join(self.models)}-{self.number}"

    def common(self, part: str) -> Record:
        """The fields that both kinds of records have."""
        return {
            "dataset_kind": f"{part}_{self.mode}",
            "mode": self.mode,
            "source_root": self.run.folder.name,
            "match_key": self.key,
            "game": self.theirs,
            "level": self.level,
            "round": str(self.number),
            "is_rematch": any(
                answer["kind"] == TRANSPORT for answer in self.answers()
            ),
        }  # fmt: skip

    def who(self) -> Record:
        """The fields that tell who plays, apart in the two modes."""
        if self.mode == TOURNAMENT:
            return {"llm1_name": self.models[0], "llm2_name": self.models[1]}
        first = self.game["seats"][0] == self.models[0]
        return {"game_starter": "llm" if first else "bl"}

    def answers(self) -> Iterator[Record]:
        """The recorded answers in the game."""
        for ply in range(self.game["plies"] + 1):
            yield from self.run.answers.get((self.game["match"], ply), ())

    def events(self) -> Iterator[Record]:
        """The game's start, its moves and its end, as records of their ``game`` parts."""
        for index, (seat, payload) in enumerate(self._payloads(), 1):
            yield {
                "id": f"{self.key}-event-{index:05d}",
                **self.common("game"),
                "llm_name": self.models[0] if self.mode == SINGLE else None,
                "event_index": index,
                "actor_seat": seat,
                "event_type": payload["action"],
                "payload": payload,
                "log_path": f"{self.run.folder.name}/games.jsonl",
                **self.who(),
            }

    def _payloads(self) -> Iterator[tuple[int | None, Record]]:
        game = self.game
        about = spec(game["game"])
        yield None, {
            "action": INIT, "rules": game["rules"], "seed": str(game["seed"]),
            "seats": game["seats"],
        }  # fmt: skip
        try:
            state = State(about, about.make_rules(**game["rules"]), game["seed"])
            for action in game["actions"]:
                seat, move = state.current_player(), state.action_to_string(action)
                yield seat, {"action": PLAY, "player": seat, "move": move, "id": action}
                state.apply_action(action)
        except (ValueError, TypeError) as error:
            raise InputError(f"game {game['match']}: {error}") from None
        fields = ("returns", "ended_by", "forfeited_by")
        yield None, {"action": END, **{name: game.get(name) for name in fields}}

    def decisions(self) -> Iterator[Record]:
        """The last answer to each decision, as records of their ``llm`` parts."""
        last: dict[tuple[int, int], Record] = {}
        for answer in self.answers():
            if answer["kind"] != TRANSPORT:
                last[answer["seat"], answer["ply"]] = answer
        numbers: Counter[int] = Counter()
        for (seat, ply), answer in last.items():
            numbers[seat] += 1
            played = ply < self.game["plies"]
            yield {
                "id": f"{self.key}-seat-{seat}-decision-{numbers[seat]:05d}",
                **self.common("llm"),
                "llm_name": answer["policy"],
                "opponent_name": self._opponent_of(answer["policy"]),
                "seat": seat,
                "decision_index": numbers[seat],
                "timestamp": None,
                **_prompts(answer["prompt"] or ()),
                "reasoning": answer["reasoning"],
                "output": answer["reply"],
                "response": answer["move_text"] if answer["kind"] == OK else None,
                "raw_debug": None,
                "raw_response": answer["kind"],
                "log_path": f"{self.run.folder.name}/decisions.jsonl",
                "game_log_path": f"{self.run.folder.name}/games.jsonl",
                "game_log_stem": self.game["match"],
                "game_event_index": ply + 2 if played else None,
                "game_event_id": f"{self.key}-event-{ply + 2:05d}" if played else None,
                **self.who(),
            }

    def _opponent_of(self, policy: str) -> str:
        if self.mode == SINGLE:
            return self.opponent
        return next(name for name in self.models if name != policy)


def _prompts(messages: Sequence[Record]) -> Record:
    """``system_prompt`` and ``user_prompt``; what was quoted back is in the latter."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    others = [m["content"] for m in messages if m["role"] != "system"]
    return {
        "system_prompt": "\n\n".join(system) or None,
        "user_prompt": "\n\n".join(others) or None,
    }


def games_of(runs: Iterable[Run], keep: Callable[[Record], bool]) -> list[GameOf]:
    """The finished games with a language model, numbered, those of a group one after another."""
    found = []
    for run in runs:
        asked = {record["policy"] for record in run.decisions if record["prompt"] is not None}
        for game in run.games:
            models = list(dict.fromkeys(name for name in game["seats"] if name in asked))
            if models and game["ended_by"] != TRANSPORT and keep(game):
                if len(models) > 2:
                    raise InputError(
                        f"game {game['match']}: {len(models)} language models; their data set "
                        "has games of one or two"
                    )
                found.append(GameOf(run, game, models))
    numbers: Counter[tuple[str, ...]] = Counter()
    found.sort(key=_order)
    for each in found:
        each.number = numbers[each.group]
        numbers[each.group] += 1
    return found


def _order(each: GameOf) -> tuple[Any, ...]:
    place = place_of(each.game)
    return (each.group, each.run.folder.name, place.pairing, place.round or 0, place.seat or 0,
            each.game["match"])  # fmt: skip


# --- files ---------------------------------------------------------------------------------------


@dataclass
class Written:
    """What a file came to."""

    records: int = 0
    digest: str = ""


@dataclass
class Counted:
    """Games and decisions by game, level and model."""

    games: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    decisions: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def write(
    folder: Path, runs: Sequence[Run], keep: Callable[[Record], bool], licence: str | None
) -> tuple[int, int]:
    """Write the four files, ``checksums.sha256`` and the card; returns games and decisions.

    Args:
        keep: which games. licence: of the data, an SPDX identifier; the card says so if none is
            named.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = games_of(runs, keep)
    counted = Counted()
    files = {}
    for part in PARTS:
        what, _, mode = part.partition("_")
        own = [each for each in found if each.mode == mode]
        files[f"{part}_records.jsonl"] = _write(
            folder / f"{part}_records.jsonl", _records(own, what, counted)
        )
    sums = "".join(f"{each.digest}  {name}\n" for name, each in files.items())
    (folder / "checksums.sha256").write_text(sums, encoding="utf-8")
    card_text = card(found, counted, files, licence)
    (folder / "README.md").write_text(card_text, encoding="utf-8")
    return len(found), counted.decisions.total()


def _records(found: Iterable[GameOf], what: str, counted: Counted) -> Iterator[Record]:
    for each in found:
        if what == "game":
            for model in each.models:
                counted.games[each.theirs, each.level or "", model] += 1
            yield from each.events()
            continue
        for record in each.decisions():
            counted.decisions[each.theirs, each.level or "", record["llm_name"]] += 1
            yield record


def _write(path: Path, records: Iterable[Record]) -> Written:
    digest, n = hashlib.sha256(), 0
    with path.open("wb") as file:
        for n, record in enumerate(records, 1):  # noqa: B007 - the last is how many there were
            line = (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")
            digest.update(line)
            file.write(line)
    return Written(n, digest.hexdigest())


# --- the card ------------------------------------------------------------------------------------


def card(
    found: Sequence[GameOf], counted: Counted, files: dict[str, Written], licence: str | None
) -> str:
    """The data card, with the head that dataset hubs read."""
    parts = "\n".join(
        f"- config_name: {part}\n  data_files: {part}_records.jsonl"
        for part in PARTS
        if files[f"{part}_records.jsonl"].records
    )
    head = f"---\nlicense: {licence or NAMED_BY_WHO_PUBLISHES}\nlanguage: en\n"
    head += f"configs:\n{parts}\n---\n" if parts else "---\n"
    runs = dict.fromkeys((each.run.folder.name, each.game["benchmark"]) for each in found)
    by_key = Table(["game", "level", "model", "games", "decisions"], left=[1, 2])
    by_key.rows = [
        [game, level or "-", f"`{model}`", count(n), count(counted.decisions[game, level, model])]
        for (game, level, model), n in sorted(counted.games.items())
    ]
    listed = Table(["file", "records", "SHA-256"], left=[2])
    listed.rows = [[f"`{n}`", count(each.records), f"`{each.digest}`"] for n, each in files.items()]
    said = licence or "none is named yet; who publishes the data names one (`--licence`)"
    ended = Counter(each.game["ended_by"] for each in found)
    return f"""{head}
# Games of language models in the form of BotzoneBench's data set

{count(len(found))} finished games and {count(counted.decisions.total())} decisions of language
models, exported by stratagym {version("stratagym")}.

- **Runs**: {", ".join(f"{name} ({script})" for name, script in runs) or "none"}.
- **Games ended by**: {", ".join(f"{how} {n}" for how, n in ended.most_common()) or "none"}.
- **Licence**: {said}. What a model wrote may be under its provider's terms.
- **Personal data**: none is asked for; replies are what models wrote.
- **Left out**: games that failed to reach a model, answers that were no move and were asked for
  again (the last answer to each decision is here), and games without a language model.
- **Null**: `timestamp` and `raw_debug`, which our records do not have; `level` in tournaments;
  `response` where no answer was a legal move, of which `raw_response` says the kind.

## Counts

{by_key.markdown()}

## Files

{listed.markdown()}

`sha256sum -c checksums.sha256` checks them.

## Records

Every line of `game_*` is an event: `{INIT}` with rules, seed and seats, `{PLAY}` with a seat's
move in the game's notation and its action number, `{END}` with the seats' returns. `id` is the
match's `match_key` and the event's number from 1.

Every line of `llm_*` is a decision: what the model was sent (`system_prompt`, `user_prompt`), its
`reasoning` where it came apart, its reply (`output`), the move that was read in it (`response`),
and the event that it became (`game_event_id`).

Opponents of single games are levels of stratagym's ladders, policies that run on any machine; they
are not the programs of Botzone that the authors' data has. `game_starter` is `llm` where the model
has seat 0.
"""
