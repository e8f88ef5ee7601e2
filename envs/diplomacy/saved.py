"""Saved games in the format of the PyPI package ``diplomacy``, written and read.

A saved game is a JSON object: ``id``, ``map``, ``rules``, and ``phases``, each with its ``name``,
the ``state`` that it begins with, ``orders`` by power, their ``results`` by unit, and ``messages``.
The package reads what is written here, but for its hashes of positions (``zobrist_hash``), which
are made from a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import telling
from stratagym.envs.diplomacy.judging import give_orders, results, retreats_of, units_on
from stratagym.envs.diplomacy.notation import order_text, play
from stratagym.envs.diplomacy.options import MAPS
from stratagym.envs.diplomacy.positions import phase_name, read_phase
from stratagym.envs.diplomacy.state import WINTER

MAP_NAMES = {"standard": "standard", "france_austria": "standard_france_austria"}
"""The package's names of maps, by ours."""
SETTINGS = ("NO_PRESS", "POWER_CHOICE")
"""The package's ``rules`` of a game; the first for one without talk."""
EVERYBODY = "GLOBAL"
DONE = "COMPLETED"
OTHER_RULES = {"convoy": "fallback"}
"""The package's reading, where a convoy that is not complete makes a difference."""
_WORDS = {"fails": "bounce", "cut": "cut", "void": "void"}
"""The package's words for what became of orders; those that did what they say have none."""


# --- writing -------------------------------------------------------------------------------------


def from_game(
    rules: Any,
    actions: Iterable[int],
    name: str = "stratagym",
    messages: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The saved game of a game's actions.

    Args:
        name: the ``id``. messages: each with ``ply`` (how many actions came before), ``seat``,
            ``to`` (a list of seats) and ``text``, as the records of a run have them.
    """
    states = _started(rules)
    phases = [_phase(rules, states)]
    waiting = sorted(messages, key=lambda one: one["ply"])
    sent = 0
    for ply, action in enumerate([*actions, None]):
        while waiting and (action is None or waiting[0]["ply"] <= ply):
            told = _told(rules, phases[-1]["name"], waiting.pop(0), sent)
            phases[-1]["messages"] += told
            sent += len(told)
        if action is None:
            break
        before = states[0].copy()
        if not before["talk"]:
            phases[-1]["orders"][g.POWERS[before["power"]]].append(order_text(before, action))
        play(rules, states, action)
        if phase_name(states[0]) != phases[-1]["name"]:
            if phases[-1]["name"].endswith("M"):
                phases[-1]["results"] = {unit: _words(w) for unit, w in results(states).items()}
            phases.append(_phase(rules, states))
    own = {"map": _map_name(rules), "rules": list(SETTINGS[1:] if rules.rounds else SETTINGS)}
    for phase in phases:
        phase["state"] |= {"game_id": name, **own}
    return {"id": name, **own, "phases": phases}


def _started(rules: Any) -> np.ndarray:
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    return states


def _map_name(rules: Any) -> str:
    return MAP_NAMES[list(MAPS)[rules.map]]


def _words(told: str) -> list[str]:
    """The package's words for one of ``judging.WORDS``."""
    word, _, dislodged = told.partition("+")
    return [*([_WORDS[word]] if word in _WORDS else []), *([dislodged] if dislodged else [])]


def _phase(rules: Any, states: np.ndarray) -> dict[str, Any]:
    """A phase without orders, with the state in which it begins."""
    s, powers = states[0], telling.powers_in(rules)
    free = retreats_of(rules, states)

    def by_power(tell: Any) -> dict[str, Any]:
        return {g.POWERS[power]: tell(power) for power in powers}

    def builds(power: int) -> dict[str, Any]:
        owed = int(s["owed"][power]) if s["season"] == WINTER and not s["over"] else 0
        homes = telling.free_homes_of(s, power) if owed > 0 else []
        return {"count": min(owed, len(homes)) if owed > 0 else owed, "homes": homes}

    name = phase_name(s)
    state = {
        "name": name,
        "units": by_power(
            lambda p: telling.units_of(s, p) + [f"*{one}" for one in telling.dislodged_of(s, p)]
        ),
        "retreats": by_power(lambda p: {one: free[one] for one in telling.dislodged_of(s, p)}),
        "centers": by_power(lambda p: telling.centres_of(s, p)),
        "homes": by_power(telling.homes_of),
        "influence": by_power(lambda p: telling.influence_of(s, p)),
        "civil_disorder": by_power(lambda p: 0),
        "builds": by_power(builds),
    }
    orders = by_power(lambda p: [])
    return {"name": name, "state": state, "orders": orders, "results": {}, "messages": []}


def _told(rules: Any, phase: str, message: Mapping[str, Any], sent: int) -> list[dict[str, Any]]:
    """A message to each of its readers, or one to all; ``time_sent`` counts messages."""
    names = seats(rules)
    to = [names[seat] for seat in message["to"]]
    to = [EVERYBODY] if len(to) > 1 and len(to) >= rules.num_players - 1 else to
    sender = names[message["seat"]]
    return [
        {"sender": sender, "recipient": one, "phase": phase, "message": message["text"],
         "time_sent": sent + k}
        for k, one in enumerate(to)
    ]  # fmt: skip


# --- reading -------------------------------------------------------------------------------------


@dataclass
class SavedGame:
    """What a saved game holds.

    Attributes:
        actions: of a game without talk. refused: orders that did not stand, by the place of their
            phase, with a word each (``notation.REASONS``). told: the messages of each phase, as the
            file has them. begins: how many actions came before each.
    """

    actions: list[int] = field(default_factory=list)
    refused: dict[int, dict[str, str]] = field(default_factory=dict)
    told: list[list[Any]] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)

    def said(self, rules: Any, asked: Sequence[int]) -> list[dict[str, Any]]:
        """The messages with ``ply``, ``seat``, ``to`` and ``text``, as the records of a run have
        them: before the first order of who speaks.

        Left out are those of powers without an order in the phase, or to nobody who plays.

        Args:
            asked: the seat of each action.
        """
        by_name = {name: seat for seat, name in enumerate(seats(rules))}
        found = []
        ends = [*self.begins[1:], len(self.actions)]
        for begin, end, told in zip(self.begins, ends, self.told, strict=True):
            for one in told:
                sender, to = (one.get(k) if isinstance(one, dict) else None for k in _WHO)
                if not isinstance(sender, str) or not isinstance(to, str):
                    continue
                seat = by_name.get(sender, -1)
                others = [other for other in by_name.values() if other != seat]
                heard = others if to == EVERYBODY else [by_name[to]] if to in by_name else []
                if heard and seat in asked[begin:end]:
                    ply = asked.index(seat, begin, end)
                    text = str(one.get("message", ""))
                    found.append({"ply": ply, "seat": seat, "to": heard, "text": text})
        return sorted(found, key=lambda one: one["ply"])


_WHO = ("sender", "recipient")


def seats(rules: Any) -> list[str]:
    """The power in each seat."""
    return [telling.seat_name(rules, None, seat) for seat in range(rules.num_players)]


def options(saved: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a saved game: the map, and as many years as it has.

    Raises:
        ValueError: a map that is not here, or no phases.
    """
    name = saved.get("map", "standard") if isinstance(saved, Mapping) else None
    maps = {theirs: ours for ours, theirs in MAP_NAMES.items()}
    if not isinstance(name, str) or name not in maps:
        raise ValueError(f"saved game: map {name!r}: choose one of: {', '.join(maps)}")
    years = [read_phase(p["name"])[1] for p in _phases(saved) if p["name"] != DONE]
    return {"map": maps[name], "years": min(100, max([1920, *years]) - 1900)}


def read_game(rules: Any, saved: Mapping[str, Any], civil_disorder: str = "2000") -> SavedGame:
    """Play a saved game again; units and centres have to be the file's in each of its phases.

    Args:
        rules: made with ``options(saved)`` and perhaps others; the package's rules have
            ``convoy="fallback"``. civil_disorder: the rule for removals that nobody ordered; the
            package's is that of 2000.

    Raises:
        ValueError: the file has no such form, or these rules come to another position; the
            message names the phase, its place in the file, and the first unit that differs.
    """
    if rules.rounds:
        raise ValueError("saved game: it is read into a game without talk, rounds=0")
    if MAP_NAMES[options(saved)["map"]] != _map_name(rules):
        raise ValueError(f"saved game: map {saved['map']!r}: these rules have {_map_name(rules)!r}")
    states, found = _started(rules), SavedGame()
    phases = _phases(saved)
    for number, phase in enumerate(phases):
        where = f"saved game: phase {phase['name']} (number {number})"
        said = phase.get("messages")
        found.told.append(said if isinstance(said, list) else [])
        found.begins.append(len(found.actions))
        if phase["name"] not in (DONE, phase_name(states[0])):
            raise ValueError(f"{where}: by these rules it is {phase_name(states[0])}")
        _compare(where, phase, states)
        if number + 1 < len(phases) and not states["over"][0]:
            orders = _texts(where, phase, "orders")
            refused = give_orders(rules, states, orders, civil_disorder, True, found.actions)
            found.refused |= {number: refused} if refused else {}
    return found


def _phases(saved: Mapping[str, Any]) -> list[dict[str, Any]]:
    phases = saved.get("phases")
    if not isinstance(phases, list) or not phases:
        raise ValueError("saved game: phases: a list of at least one phase is needed")
    for number, phase in enumerate(phases):
        name = phase.get("name") if isinstance(phase, dict) else None
        if not isinstance(name, str):
            raise ValueError(f"saved game: phase number {number}: it has no name")
        if name != DONE:
            try:
                read_phase(name)
            except ValueError as error:
                raise ValueError(f"saved game: phase number {number}: {error}") from None
    return phases


def _texts(where: str, phase: Mapping[str, Any], *keys: str) -> dict[str, list[str]]:
    """Lists of texts by power, below some keys of a phase; null is an empty list."""
    found: Any = phase
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    name = ".".join(keys)
    if not isinstance(found, dict):
        raise ValueError(f"{where}: {name}: an object of powers is needed")
    for power, texts in found.items():
        if power not in g.POWERS:
            raise ValueError(f"{where}: {name}: {power!r} is no power")
        if texts is not None and not (
            isinstance(texts, list) and all(isinstance(one, str) for one in texts)
        ):
            raise ValueError(f"{where}: {name}: {power}: a list of texts is needed")
    return {power: texts or [] for power, texts in found.items()}


def _compare(where: str, phase: Mapping[str, Any], states: np.ndarray) -> None:
    """Raises ``ValueError`` unless units and centres are those of a phase in a file.

    Dislodged units that can go nowhere wait in the package, and are gone here.
    """
    s = states[0]
    theirs = _texts(where, phase, "state", "units")
    units = {power: {one for one in own if one[:1] != "*"} for power, own in theirs.items()}
    ours = units_on(states)
    centres = _texts(where, phase, "state", "centers")
    for what, told, found in (
        ("units", units, ours),
        ("centers", centres, {p: telling.centres_of(s, k) for k, p in enumerate(g.POWERS)}),
    ):
        for power in g.POWERS:
            in_file, here = set(told.get(power, ())), set(found.get(power, ()))
            if in_file != here:
                one = min(in_file ^ here)
                has, lacks = "the file", "the position by these rules"
                has, lacks = (has, lacks) if one in in_file else (lacks, has)
                raise ValueError(f"{where}: {what} of {power}: {has} has {one}, {lacks} has not")
