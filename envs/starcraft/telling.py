"""A seat's own side and what it knows of the other, as lines of text."""

from __future__ import annotations

from typing import Any

from stratagym.envs.starcraft.economy import (
    alive,
    army_supply,
    region_of,
    supply_cap,
    supply_used,
)
from stratagym.envs.starcraft.sight import LEGS, ROUTE
from stratagym.envs.starcraft.state import (
    CHANGING,
    DRAW,
    ENERGY,
    FIRST_GATEWAY,
    FIRST_ROBOTICS,
    FIRST_STARGATE,
    FREE,
    JOB_ARCHIVE,
    JOB_BAY,
    JOB_BEACON,
    JOB_CORE,
    JOB_FORGE,
    JOB_TWILIGHT,
    JOBS,
    LATELY,
    MORPHS,
    NEVER,
    SCOUTS_OUT,
    SITES,
    SQUADS,
    UNIT_OF_STORE,
)
from stratagym.envs.starcraft.tables import (
    BASES,
    BATTERY,
    CANNON,
    FIRST_RESEARCH,
    NEXUS,
    REGION,
    REGIONS,
    RESEARCH,
    RESEARCHES,
    SCOUTS,
    STRUCTURE,
    STRUCTURES,
    TICKS_A_SECOND,
    TOUGHNESS,
    UNIT,
    UNITS,
    WORDS,
)

ORDERS = ("", "home", "attacking", "retreating")
TYPE_NAMES = (*(unit.name for unit in UNIT), *(built.name for built in STRUCTURE))
"""Names of what can be hit."""


def clock(tick: int) -> str:
    """A time of the game, such as ``3:07``."""
    seconds = int(tick / TICKS_A_SECOND)
    return f"{seconds // 60}:{seconds % 60:02}"


def side_lines(rules: Any, s: Any, seat: int) -> list[str]:
    """All of a seat's side, and what it knows of the other."""
    used, cap = int(supply_used(s, seat)), int(supply_cap(s, seat))
    decision, decisions = int(s["turn"]) + 1, -(-rules.ticks // rules.decision_ticks)
    tick = int(s["tick"])
    lines = [
        f"Game time {clock(tick)} (tick {tick}), decision {decision} of {decisions}.",
        "Resources:",
        f"- Worker supply: {int(s['probes'][seat])} Probes, {int(s['on_gas'][seat])} on gas",
        f"- Mineral: {_store(s['minerals'][seat])}; gas: {_store(s['gas'][seat])}",
        f"- Supply left: {cap - used}; supply cap: {cap}; supply used: {used}; army supply: "
        f"{int(army_supply(s, seat))}",
    ]
    lines += _bases(s, seat)
    lines += _buildings(s, seat)
    lines += _planning(s, seat)
    lines += _research(s, seat)
    lines += _forces(s, seat)
    lines += _enemy(s, seat)
    return lines + _lately(s, seat)


def _store(value: Any) -> str:
    whole, rest = divmod(int(value), UNIT_OF_STORE)
    return f"{whole} and {rest}/{UNIT_OF_STORE}" if rest else str(whole)


def _list(title: str, entries: list[str], nothing: str = "none") -> list[str]:
    return [f"{title}: {'; '.join(entries) if entries else nothing}"]


def region_name(seat: int, region: int) -> str:
    """A region as a seat calls it."""
    return REGION[int(region_of(seat, region))]


def _bases(s: Any, seat: int) -> list[str]:
    lines = []
    for base in range(BASES):
        gas = [int(one) // UNIT_OF_STORE for one in s["geysers"][seat, base]]
        minerals = int(s["patches"][seat, base]) // UNIT_OF_STORE
        left = f"{minerals} minerals, gas {gas[0]} and {gas[1]} left"
        has = ""
        if s["built"][seat, base, NEXUS]:
            energy = int(s["energy"][seat, base]) / ENERGY
            has = f"Nexus with {energy:.2f} energy, {int(s['workers'][seat, base])} Probes; "
        for k, kind in ((0, CANNON), (1, BATTERY)):
            if s["built"][seat, base, kind]:
                pool = f"{float(s['pool'][seat, base, k]):.0f}"
                has += f"{int(s['built'][seat, base, kind])} {STRUCTURE[kind].name} ({pool} left"
                if kind == BATTERY:
                    has += f", {int(s['battery'][seat, base]) / ENERGY:.2f} energy"
                has += "); "
        if s["damage"][seat, base] > 0:
            has += f"a structure with {float(s['damage'][seat, base]):.0f} damage; "
        if has or int(s["patches"][seat, base]) != 10_800 * UNIT_OF_STORE:
            lines.append(f"- {REGION[base]}: {has}{left}")
    return ["Bases:", *lines] if lines else ["Bases: none"]


def _buildings(s: Any, seat: int) -> list[str]:
    built = s["built"][seat].sum(axis=0)
    found = [f"{STRUCTURE[k].name} {int(built[k])}" for k in range(STRUCTURES) if built[k]]
    where = [
        f"{STRUCTURE[k].name} {int(s['built'][seat, base, k])} at {REGION[base]}"
        for base in range(1, BASES)
        for k in range(STRUCTURES)
        if s["built"][seat, base, k] and k != NEXUS
    ]
    units = [f"{UNIT[k].name} {int(alive(s, seat, k))}" for k in range(UNITS) if alive(s, seat, k)]
    lines = _list("Buildings", found) + _list("Units", units)
    return lines + (_list("Of these buildings", where) if where else [])


_PLACES = (
    (0, NEXUS), (FIRST_GATEWAY, 3), (FIRST_ROBOTICS, 7), (FIRST_STARGATE, 8), (JOB_CORE, 4),
    (JOB_TWILIGHT, 6), (JOB_FORGE, 5), (JOB_BAY, 11), (JOB_ARCHIVE, 9), (JOB_BEACON, 12),
)  # fmt: skip
"""Where the places of jobs begin, and the structure that works there."""


def _place_name(s: Any, seat: int, k: int) -> str:
    first, kind = max(place for place in _PLACES if place[0] <= k)
    if kind == 3 and s["warp"][seat, k - FIRST_GATEWAY]:
        kind = STRUCTURES - 1
    return f"{STRUCTURE[kind].name} {k - first + 1}"


def _planning(s: Any, seat: int) -> list[str]:
    """What is being built and trained."""
    building = []
    for k in range(SITES):
        if s["site"][seat, k]:
            name = STRUCTURE[int(s["site"][seat, k]) - 1].name
            walk, away = int(s["walk"][seat, k]), int(s["away"][seat, k])
            told = f"{name} at {REGION[int(s['site_base'][seat, k])]}, "
            told += f"begins in {walk} ticks, " if walk else ""
            told += f"{int(s['site_left'][seat, k])} ticks"
            building.append(told + (f", Probe back in {away}" if away else ""))
    work = []
    for k in range(JOBS):
        what = int(s["job"][seat, k])
        if not what:
            continue
        name = "becomes WARPGATE" if what == CHANGING else WORDS[what - 1]
        told = f"{_place_name(s, seat, k)}: {name}, {int(s['job_left'][seat, k]) / 2:g} ticks"
        boost = int(s["boost"][seat, k]) - int(s["tick"])
        told += f", boosted for {boost}" if boost > 0 else ""
        work.append(told + (", unit stands" if s["out"][seat, k] else ""))
    boosts = [
        f"{_place_name(s, seat, k)} for {int(s['boost'][seat, k]) - int(s['tick'])}"
        for k in range(JOBS)
        if s["boost"][seat, k] > s["tick"] and not s["job"][seat, k]
    ]
    gates = int(s["gates"][seat])
    warp = [str(k + 1) for k in range(gates) if s["warp"][seat, k]]
    lines = _list("Planning structure", building) + _list("Planning unit and research", work)
    morphs = [f"{int(n) - 1} ticks" for n in s["morph"][seat][:MORPHS] if n]
    lines += _list("Archons that morph", morphs) if morphs else []
    lines += _list("Idle and boosted", boosts) if boosts else []
    return lines + ([f"Warp Gates are numbers {', '.join(warp)} of {gates}"] if warp else [])


def _research(s: Any, seat: int) -> list[str]:
    found = []
    for k in range(RESEARCHES):
        state = int(s["research"][seat, k])
        if state == 2:
            found.append(f"{RESEARCH[k].name} 1")
        elif state == 1:
            job = next(j for j in range(JOBS) if s["job"][seat, j] == FIRST_RESEARCH + k + 1)
            share = 1 - int(s["job_left"][seat, job]) / (2 * RESEARCH[k].loops)
            found.append(f"{RESEARCH[k].name} {share:.2f}")
    return _list("Research (status 0 to 1)", found)


def _forces(s: Any, seat: int) -> list[str]:
    lines = []
    for k in range(SQUADS):
        if s["order"][seat, k] == FREE:
            continue
        units = []
        for unit in range(UNITS):
            n = int(s["count"][seat, k, unit])
            if n:
                life = float(s["life"][seat, k, unit])
                whole = n * TOUGHNESS[unit]
                units.append(
                    f"{UNIT[unit].name} {n}"
                    + (f" ({life:.0f} of {whole:.0f})" if life < whole else "")
                )
        told = f"- {ORDERS[int(s['order'][seat, k])]}, {_where(s, seat, k)}: {', '.join(units)}"
        for what, name in enumerate(("Sentries", "High Templar")):
            if s["charge"][seat, k, what]:
                told += f"; energy of {name} {int(s['charge'][seat, k, what]) / ENERGY:.2f}"
        lines.append(told)
    scouts = []
    for k in range(SCOUTS_OUT):
        leg = int(s["leg"][seat, k])
        if not leg:
            continue
        to = "home" if leg == LEGS else REGION[int(ROUTE[leg])]
        left = int(s["leg_left"][seat, k])
        told = f"to {to}, {left} ticks" if left else f"at {to} for {int(s['look'][seat, k])} ticks"
        exposed = int(s["exposed"][seat, k])
        told += f", in danger for {exposed}" if exposed else ""
        scouts.append(f"{UNIT[SCOUTS[k]].name} {leg}. leg {told}")
    fights = [
        f"{region_name(seat, region)} since tick {int(s['begun'][region])}, "
        + (
            "both came"
            if s["comer"][region] == DRAW
            else "you came"
            if s["comer"][region] == seat
            else "you stood"
        )
        for region in _own_order(seat)
        if s["begun"][region] != NEVER
    ]
    found = ["Squads:", *lines] if lines else ["Squads: none"]
    found += _list("Scouts", scouts) if scouts else []
    return found + (_list("Fights", fights) if fights else [])


def _own_order(seat: int) -> list[int]:
    """Regions in a seat's own numbering."""
    return [int(region_of(seat, own)) for own in range(REGIONS)]


def _where(s: Any, seat: int, k: int) -> str:
    here, to = (region_name(seat, int(s[name][seat, k])) for name in ("region", "next"))
    told = f"at {here}"
    if s["left"][seat, k]:
        told = f"from {here} to {to}, {int(s['left'][seat, k])} ticks left of "
        told += f"{int(s['left'][seat, k]) + int(s['gone'][seat, k])}"
    if s["wait"][seat, k]:
        told += f", leaves in {int(s['wait'][seat, k])} ticks"
    if s["order"][seat, k] == 2:
        told += f", target {region_name(seat, int(s['goal'][seat, k]))}"
    hit = int(s["squad_hit"][seat, k])
    if hit > NEVER and int(s["tick"]) - hit < 224:
        told += f", last fight at tick {hit}"
    return told


def _enemy(s: Any, seat: int) -> list[str]:
    lines = []
    for region in _own_order(seat):
        at = int(s["seen_at"][seat, region])
        if at < 0:
            continue
        seen = s["seen"][seat, region]
        found = [f"{TYPE_NAMES[k]} {int(seen[k])}" for k in seen.nonzero()[0].tolist()]
        when = "now" if at == int(s["tick"]) else f"at {clock(at)} (tick {at})"
        if found or when != "now":
            lines.append(
                f"- {region_name(seat, region)}, seen {when}: {', '.join(found) or 'nothing'}"
            )
    known = [
        f"{UNIT[k].name} {int(s['known'][seat, k])}" for k in range(UNITS) if s["known"][seat, k]
    ]
    head = "Enemy" if lines else "Enemy: nothing seen yet"
    most = _list("- Most seen at a time, less those seen to die", known) if known else []
    return [f"{head}:", *lines, *most] if lines else [head]


def _lately(s: Any, seat: int) -> list[str]:
    lines = []
    for k in range(LATELY):
        tick, minerals, gas, used, cap, army, action = (int(one) for one in s["lately"][seat, k])
        if cap:
            lines.append(
                f"- At {clock(tick)} game time: mineral {minerals}, gas {gas}, supply {used} of "
                f"{cap}, army supply {army}; executed {WORDS[action]}"
            )
    return ["Your last decisions:", *lines] if lines else []
