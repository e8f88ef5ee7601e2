"""Tower defence in words: plans as JSON, micro-actions by name, battles as what happened."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagym.envs import sealed, sealed_words
from stratagym.envs.plan_schemas import among, entries, members
from stratagym.envs.plans import PlanError
from stratagym.envs.sealed_words import ANSWER as ANSWER
from stratagym.envs.sealed_words import CONSEQUENCES as CONSEQUENCES
from stratagym.envs.sealed_words import MERGED_PARTS as MERGED_PARTS
from stratagym.envs.sealed_words import POSITION_FORMS as POSITION_FORMS
from stratagym.envs.sealed_words import TEXT_OPTIONS as TEXT_OPTIONS
from stratagym.envs.sealed_words import (
    bad_entry,
    index_of,
    json_text,
    number_of,
    plan_of,
    text_of,
    unit_of,
)
from stratagym.envs.sealed_words import plan_facts as plan_facts
from stratagym.envs.sealed_words import refusal_text as refusal_text
from stratagym.envs.tower_defence.boards import board_text as board_text
from stratagym.envs.tower_defence.boards import points, seconds
from stratagym.envs.tower_defence.boards import seat_text as seat_text
from stratagym.envs.tower_defence.events import DEATH, FIRST_DEMON, REACH, SPAWN, SUMMON
from stratagym.envs.tower_defence.rules import (
    DONE,
    KEEP,
    LAST_MS,
    MAX_EVENTS,
    SEND,
    VOID,
    WAIT,
    WAITS,
    action_of,
)
from stratagym.envs.tower_defence.simulation import (
    ALL,
    CELL_HP,
    ENTRIES,
    HP,
    KIND,
    LAST_TICK,
    LIVING,
    NONE,
    ROW,
    UNIT,
    P,
)
from stratagym.envs.tower_defence.units import (
    ATTACKER,
    CELLS,
    COLUMN_WIDTH,
    COLUMNS,
    COSTS,
    DAMAGE_TYPES,
    DEFENDER,
    DEMONS,
    FOR_SALE,
    PATH,
    ROWS,
    SOLDIERS,
    STEP_MS,
    TICK_MS,
    UNITS,
    cost,
    demon_hp,
    is_for_sale,
    names,
)
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import section

PROMPT_VERSION, MERGED_VERSION = "tower_defence-5", "tower_defence-3"
PLAN = "all"
LISTS = ("demons", "humans")
"""By seat, the member of a plan's JSON object that lists its entries."""
MEMBERS = (
    ((LISTS[0],), ("name", "y", "spawn_time")),
    ((LISTS[1],), ("name", "x", "y", "spawn_time")),
)
"""By seat, the members of a plan and of its entries that mean something."""
MOST = (ENTRIES, CELLS)
"""By seat, the most entries of a plan."""
HINTS = (
    "Money that you do not spend is a unit that does not fight.",
    "One demon in a row without a gun wins: guard all five rows.",
    "Only an AntiAirSoldier stops flyers, and one of them reaches all rows.",
    "Walls far to the right give the guns behind them time.",
    "Demons that come together are more than guns can shoot in the time; explosives want them so.",
    "If the other side's plan is known, plan against that plan, not against all plans.",
)
RENAMED = {
    "tower defence": "lane crossing", "demon": "mover", "demons": "movers", "human": "keeper",
    "humans": "keepers", "attacker": "sender", "defender": "holder",
    "HandgunSoldier": "Pelma", "RifleSoldier": "Dorvin", "MachineGunSoldier": "Krestal",
    "ShieldSoldier": "Bamur", "EnhancedShieldSoldier": "Obamur", "FlamethrowerSoldier": "Sintra",
    "IceSoldier": "Ulvek", "AntiAirSoldier": "Toquil", "Bomb": "Gorf", "LinearExplosion": "Hadrel",
    "MagneticSoldier": "Wenzo", "LightMage": "Ilpha", "RocketLauncherSoldier": "Quorrum",
    "NormalDemon": "Mipo", "GreatDemon": "Radun", "DemonKing": "Zauber", "SpeedyDemon": "Flink",
    "ShieldDemon": "Nacra", "MachineDemon": "Teknor", "BouncingDemon": "Yoppi",
    "ShieldBreakerDemon": "Crunda", "FireDemon": "Arkos", "FrostDemon": "Eilun",
    "FlyingDemon": "Svev", "ShadowDemon": "Murko", "SummoningDemon": "Vokatu",
}  # fmt: skip
"""The game's words under ``TextOptions.renamed``."""


# --- micro-actions -------------------------------------------------------------------------------


def _entry(action: int) -> tuple[int, int, int]:
    """(seat, unit, row or cell) of an action that is an entry."""
    if action < SEND:
        return DEFENDER, action // CELLS, action % CELLS
    return ATTACKER, (action - SEND) // ROWS, (action - SEND) % ROWS


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """``place RifleSoldier 3 2`` (x, y), ``send NormalDemon 1`` (y), ``wait 1000``, ``done``."""
    if action >= WAIT:
        told = {KEEP: "keep", DONE: "done", VOID: "void"}
        return told[action] if action in told else f"wait {WAITS[action - WAIT]}"
    seat, unit, place = _entry(action)
    if seat == ATTACKER:
        return f"send {DEMONS[unit].name} {place}"
    return f"place {SOLDIERS[unit].name} {place % COLUMNS} {place // COLUMNS}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action of such a text; names in any case, without blanks or with underscores.

    Raises:
        ValueError: ``no_such_move``, ``unknown_unit``, ``bad_cell``, ``bad_time``.
    """
    words = text.split()
    verb, rest = (words[0].lower(), words[1:]) if words else ("", [])
    whole = {"keep": KEEP, "done": DONE, "void": VOID}
    if verb in whole and not rest:
        return whole[verb]
    if not all(re.fullmatch("[0-9]{1,5}", word) for word in rest[1 if verb != "wait" else 0 :]):
        raise ValueError("no_such_move")
    if verb == "wait" and len(rest) == 1:
        if int(rest[0]) not in WAITS:
            raise ValueError("bad_time")
        return WAIT + WAITS.index(int(rest[0]))
    if (verb, len(rest)) not in (("place", 3), ("send", 2)):
        raise ValueError("no_such_move")
    seat = DEFENDER if verb == "place" else ATTACKER
    unit = index_of(rest[0], names(seat))
    if unit is None:
        raise ValueError("unknown_unit")
    x, y = (0, int(rest[1])) if seat == ATTACKER else (int(rest[1]), int(rest[2]))
    if x >= COLUMNS or y >= ROWS:
        raise ValueError("bad_cell")
    return action_of(seat, unit, x, y)


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not play this, as one word."""
    seat = int(s["seat"])
    if not 0 <= action <= VOID:
        return "no_such_move"
    if action >= WAIT:
        told = {KEEP: "nothing_to_keep", DONE: "empty_plan", VOID: "no_void"}
        return told.get(action, "bad_time")
    owner, unit, place = _entry(action)
    if owner != seat:
        return "wrong_side"
    if not FOR_SALE[rules.released, seat, unit]:
        return "unknown_unit"
    if seat == DEFENDER and int(s["taken"]) >> place & 1:
        return "occupied"
    return "too_many" if s["n"][seat] >= MOST[seat] else "over_budget"


def move_text(rules: Any, s: Any, action: int) -> str:
    """A micro-action told in one sentence."""
    seat = int(s["seat"])
    who = ("The attacker", "The defender")[seat]
    if action >= WAIT:
        told = {
            KEEP: "leaves the plan as it is",
            DONE: "has a plan",
            VOID: "hands in a plan that breaks the rules",
        }
        return f"{who} {told.get(action) or f'waits {WAITS[action - WAIT]} ms'}."
    _, unit, place = _entry(action)
    name, when = names(seat)[unit], f"at {int(s['clock'][seat])} ms"
    if seat == ATTACKER:
        return f"{who} sends a {name} into row {place} {when}."
    return f"{who} places a {name} in column {place % COLUMNS}, row {place // COLUMNS} {when}."


# --- plans in JSON -------------------------------------------------------------------------------


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The micro-actions of a plan; see ``sealed_words``.

    Raises:
        ReplyError: it cannot be read. PlanError: ``unknown_unit``, ``wrong_side``, ``bad_cell``,
            ``occupied``, ``bad_time``, ``too_many``, ``empty_plan``.
    """
    seat = int(s["seat"])
    found = plan_of(text, LISTS[seat])
    if LISTS[seat] not in found:
        return ["keep"]
    entries: list[tuple[int, int]] = []
    places: set[int] = set()
    for k, entry in enumerate(found[LISTS[seat]]):
        name = text_of(entry, "name")
        if k == MOST[seat]:
            raise bad_entry(k, name, "too_many")
        unit = unit_of(k, name, names(seat), names(1 - seat))
        if not FOR_SALE[rules.released, seat, unit]:
            raise bad_entry(k, name, "unknown_unit")
        x = 0 if seat == ATTACKER else number_of(entry, "x")
        y = number_of(entry, "y")
        if x is None or y is None or not (0 <= x < COLUMNS and 0 <= y < ROWS):
            raise bad_entry(k, name, "bad_cell")
        number_of(entry, "spawn_time", 0)  # for its type
        step = math.floor(entry.get("spawn_time", 0) / STEP_MS)
        if not 0 <= step * STEP_MS <= LAST_MS:
            raise bad_entry(k, name, "bad_time")
        if seat == DEFENDER and COLUMNS * y + x in places:
            raise bad_entry(k, name, "occupied")
        places.add(COLUMNS * y + x)
        entries.append((step, action_of(seat, unit, x, y)))
    if not entries:
        raise PlanError("no entry", "empty_plan")
    moves, now = [], 0
    for step, action in sorted(entries, key=lambda entry: entry[0]):
        moves += _waits((step - now) * STEP_MS)
        moves.append(action_to_string(rules, s, action))
        now = step
    return [*moves, "done"]


def _waits(ms: int) -> list[str]:
    """The fewest waits that add up to so many milliseconds."""
    moves = []
    for wait in sorted(WAITS, reverse=True):
        count, ms = divmod(ms, wait)
        moves += [f"wait {wait}"] * count
    return moves


def plan_json(rules: Any, s: Any, seat: int, last: bool = True) -> dict[str, list[dict[str, Any]]]:
    """A seat's plan as in replies: that of the round before, or that which it is making."""
    plan, n = ("last_plan", "last_n") if last else ("plan", "n")
    entries = []
    for unit, place, step in s[plan][seat][: int(s[n][seat])].tolist():
        entry: dict[str, Any] = {"name": names(seat)[unit]}
        if seat == DEFENDER:
            entry["x"] = place % COLUMNS
        entry["y"] = place if seat == ATTACKER else place // COLUMNS
        entries.append({**entry, "spawn_time": step * STEP_MS})
    return {LISTS[seat]: entries}


def plan_schema(rules: Any, s: Any) -> dict[str, Any]:
    """The JSON schema of a plan: units that are for sale, with their places and times in ms."""
    seat = int(s["seat"])
    sold = [name for k, name in enumerate(names(seat)) if FOR_SALE[rules.released, seat, k]]
    place = {"y": among(range(ROWS))}
    if seat == DEFENDER:
        place = {"x": among(range(COLUMNS)), **place}
    entry = members(name=among(sold), **place, spawn_time=among(range(0, LAST_MS + 1, STEP_MS)))
    return members(**{LISTS[seat]: entries(entry, 1, MOST[seat])})


# --- units ---------------------------------------------------------------------------------------


def unit_text(rules: Any, seat: int, unit: int) -> str:
    """A unit with its numbers and its ability, in one line."""
    price = f"cost {cost(rules.released, seat, unit)}"
    if seat == ATTACKER:
        demon = DEMONS[unit]
        bite = f", bite {demon.bite}" if demon.bite else ""
        said = f"{price}, HP {demon_hp(rules.released, unit)}, speed {demon.speed}{bite}"
        return f"{demon.name}: {said}{_ability(demon.ability)}"
    soldier = SOLDIERS[unit]
    said = f"{price}, HP {soldier.hp}"
    if soldier.damage:
        kind = DAMAGE_TYPES[soldier.type]
        said += f", {kind} damage {soldier.damage}"
        said += "" if soldier.role == "explosive" else f" every {soldier.interval} ms"
    return f"{soldier.name}: {said}{_ability(_ability_of(rules, unit))}"


def _ability(text: str) -> str:
    return f"; {text}" if text else ""


def _ability_of(rules: Any, unit: int) -> str:
    ability = SOLDIERS[unit].ability
    if rules.fuse and SOLDIERS[unit].role == "explosive":
        ability = ability.replace(
            "after a demon on the ground has reached its cell", "after it was placed"
        )
    return ability.replace("in any row first", "in its row first") if rules.anti_air else ability


def _catalogue(rules: Any, seat: int) -> list[str]:
    sold = [unit for unit in range(UNITS) if is_for_sale(rules.released, seat, unit)]
    return [f"- {unit_text(rules, seat, unit)}" for unit in sold]


# --- the prompt ----------------------------------------------------------------------------------


def seat_name(rules: Any, s: Any, player: int) -> str:
    """Its side."""
    return ("Attacker", "Defender")[player]


def role_text(rules: Any, player: int) -> str:
    """Side, goal and budget."""
    budget = sealed.budget_of.py_func(rules, player)
    over = " A plan over budget loses." if rules.loses else ""
    if player == ATTACKER:
        goal = "Your goal: one of your demons gets past column 0."
    else:
        goal = "Your goal: all demons die before one of them gets past column 0."
    side = ("the attacker (demons)", "the defender (humans)")[player]
    return (
        f"You are {side} in a game of tower defence: both sides make a plan without knowing the "
        f"other's of that round, then the battle runs by itself.\n{goal}\n"
        f"Your budget: {budget}, theirs: {sealed.budget_of.py_func(rules, 1 - player)}.{over}"
    )


def rules_text(rules: Any) -> str:
    """All rules but the units."""
    fuse = (
        "500 ms after a demon on the ground has reached its cell; until then it is bitten like any "
        "unit"
        if not rules.fuse
        else "500 ms after it was placed"
    )
    shots = (
        "it flies past demons that it cannot hurt"
        if not rules.shots
        else "it is lost on a demon that it cannot hurt"
    )
    flyers = (
        "Each AntiAirSoldier shoots at flyers in any row that are right of it, the nearest first"
        if not rules.anti_air
        else "Each AntiAirSoldier shoots at flyers in its row that are right of it, the nearest "
        "first"
    )
    return section(
        "Rules",
        f"- The field has {ROWS} rows, y 0 to {ROWS - 1}, and {COLUMNS} columns, x 0 to "
        f"{COLUMNS - 1}. Demons come in at the right of column {COLUMNS - 1}, stay in their row "
        "and go left. At speed 2 a demon takes 14 s for the whole row, at other speeds in "
        "proportion.",
        "- The attacker wins as soon as a demon is past column 0. The defender wins when no demon "
        f"lives and none is to come, or after {LAST_TICK * TICK_MS // 1000} s.",
        "- A demon with a unit in the cell of its front stops and bites it every 1000 ms until it "
        "is dead.",
        "- A unit that shoots hits the nearest demon of its row that is not left of it, at once; "
        f"{shots}. {flyers}; without one it shoots at demons on the ground of its own row. Nothing "
        "else hurts flyers.",
        "- All intervals begin when a unit comes. An act whose time has come waits for a target.",
        f"- An explosive goes off {fuse}.",
        "- Demons in a shadow take only light and explosion damage. Light damage is never reduced.",
        "- A unit comes at its spawn_time in milliseconds, 0 to "
        f"{LAST_MS}; times are rounded down to multiples of {STEP_MS}.",
        *sealed_words.rounds_rules(rules, ("attacker", "defender")),
    )


RULES_BRIEF = section(
    "Rules",
    "Demons come in at the right of five rows and go left; whoever gets past column 0 wins for the "
    "attacker. The defender's units stand in cells and shoot along their rows.",
)


NOTATION_TEXT = section(
    "How plans are written",
    "x is a column, 0 at the side that the demons want to reach, y a row, and spawn_time is in "
    "milliseconds. A plan is one JSON object.",
)


def catalogue_text(rules: Any, player: int) -> str:
    """Units of the seat's own and, by option, of the other side; limits of plans; the JSON."""
    cell = '"y": <row>' if player == ATTACKER else '"x": <column>, "y": <row>'
    form = f'{{"{LISTS[player]}": [{{"name": "<unit>", {cell}, "spawn_time": <milliseconds>}}]}}'
    return _plans_text(rules, player, form)


def _catalogue_2(rules: Any, player: int) -> str:
    """As in the second version: the form was a plan that could be played."""
    if player == ATTACKER:
        example = {"demons": [{"name": "NormalDemon", "y": 1, "spawn_time": 0}]}
    else:
        example = {"humans": [{"name": "HandgunSoldier", "x": 1, "y": 0, "spawn_time": 0}]}
    return _plans_text(rules, player, json_text(example))


_RULES_4 = {"rules_text": sealed_words.without_draws(rules_text)}
EARLIER_PROMPTS = {
    "tower_defence-4": _RULES_4,
    "tower_defence-3": {**POSITION_FIRST, **_RULES_4},
    "tower_defence-2": {**POSITION_FIRST, **_RULES_4, "catalogue_text": _catalogue_2},
}


def _plans_text(rules: Any, player: int, form: str) -> str:
    told = [section("Your units", *_catalogue(rules, player))]
    if not rules.own_catalogue:
        told.append(section("The other side's units", *_catalogue(rules, 1 - player)))
    if player == ATTACKER:
        limits = f"1 to {MOST[player]} demons, any number of them in a row."
    else:
        limits = f"1 to {MOST[player]} units, at most one in a cell, even after it has died."
    told.append(section("Plan", limits, "Its form (spawn_time may be left out and is then 0):"))
    return "\n\n".join(told) + "\n" + form


def position_text(rules: Any, s: Any, player: int, form: str, refusal: str = "") -> str:
    """What the seat knows of the round before, and what is asked; see ``sealed_words``."""
    return sealed_words.position_text(
        rules,
        s,
        player,
        form,
        plan=lambda seat, last: plan_json(rules, s, seat, last),
        units=lambda seat: _units_of(rules, s, seat),
        end=lambda: f"It ended after {seconds(int(s['end'][int(s['round']) - 1]))}.",
        summary=lambda: battle_text(rules, s),
        refusal=refusal,
        clock=f"Its time now: {int(s['clock'][player])} ms",
    )


def _units_of(rules: Any, s: Any, seat: int) -> list[str]:
    kinds = sorted(set(s["last_plan"][seat][: int(s["last_n"][seat]), 0].tolist()))
    return [unit_text(rules, seat, unit) for unit in kinds]


# --- battles -------------------------------------------------------------------------------------


def last_battle(rules: Any, s: Any) -> tuple[np.ndarray, np.ndarray]:
    """The last round fought once more: (1,) record at its end, and (n, 6) what happened."""
    states = np.array([s])
    sealed.recall_plans(rules, states)
    events = np.zeros((MAX_EVENTS, 6), np.int32)
    n, _ = sealed.resolve_log(rules, states, events)
    return states, events[:n]


def battle_text(rules: Any, s: Any) -> list[str]:
    """What happened in the last round, in at most ``sealed_words.SUMMARY_LINES`` lines."""
    states, events = last_battle(rules, s)
    end = states[0]
    kinds = events[:, 1]
    lines = []
    units, rows = _demons_of(events)
    for tick, _, actor, *_ in events[kinds == REACH].tolist():
        number = actor - FIRST_DEMON
        lines.append(
            f"{DEMONS[units[number]].name} got past column 0 in row {rows[number]} at "
            f"{seconds(tick)}."
        )
    dead = [event for event in events[kinds == DEATH].tolist() if event[2] >= FIRST_DEMON]
    lost = [event for event in events[kinds == DEATH].tolist() if event[2] < FIRST_DEMON]
    summoned = int((kinds == SUMMON).sum())
    extra = f", {summoned} of them summoned" if summoned else ""
    lines.append(f"{len(units)} demons came{extra}; {len(dead)} died.")
    for tick, _, actor, _, p, unit in dead[-1:]:
        row = rows[actor - FIRST_DEMON]
        lines.append(
            f"The last to die: {DEMONS[unit].name} in row {row}, column "
            f"{(max(p, 1) - 1) // COLUMN_WIDTH}, at {seconds(tick)}."
        )
    advance = int(end["remains"][ATTACKER])
    if advance < PATH:
        column = (PATH - advance - 1) // COLUMN_WIDTH
        lines.append(f"The front of the demon that came farthest reached column {column}.")
    living = int(end["rows"][ALL, LIVING])
    if living:
        said = [
            f"{DEMONS[demon[UNIT]].name} (row {demon[ROW]}, column "
            f"{max(demon[P] - 1, 0) // COLUMN_WIDTH}) {points(demon[HP])} HP"
            for demon in end["demons"][:living].tolist()
        ]
        lines.append(f"Demons alive at the end: {_some(said)}.")
    for tick, _, cell, *_, unit in lost[:1]:
        lines.append(f"The first unit that died was {_stands(unit, cell)} at {seconds(tick)}.")
    if len(lost) > 1:
        lines.append(f"{len(lost)} units of the defender were bitten to death.")
    standing = [
        f"{_stands(kind, cell)} {points(hp)} HP"
        for cell, (kind, hp) in enumerate(end["cells"][:, [KIND, CELL_HP]].tolist())
        if kind != NONE
    ]
    lines.append(f"Units of the defender alive at the end: {_some(standing) or 'none'}.")
    return lines


def _demons_of(events: np.ndarray) -> tuple[list[int], list[int]]:
    """(units, rows) of the demons that came, by number."""
    units, rows = [], []
    for _, kind, actor, target, _, unit in events.tolist():
        if kind == SPAWN and actor >= FIRST_DEMON:
            units.append(unit)
            rows.append(target)
        elif kind == SUMMON:
            units.append(unit)
            rows.append(rows[actor - FIRST_DEMON])
    return units, rows


def _stands(unit: int, cell: int) -> str:
    return f"{SOLDIERS[unit].name} ({cell % COLUMNS},{cell // COLUMNS})"


def _some(said: Sequence[str], most: int = 12) -> str:
    more = f" and {len(said) - most} more" if len(said) > most else ""
    return ", ".join(said[:most]) + more


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """What the budget still allows; the actions themselves are hundreds."""
    units = [
        f"{names(player)[unit]} ({COSTS[rules.released, player, unit]})"
        for unit in range(UNITS)
        if any(_entry(a)[:2] == (player, unit) for a in legal if a < WAIT)
    ]
    return section("Units that can be bought now", ", ".join(units) or "None.")
