"""Texts of prompts that do not depend on the position: rules and the dictionary of actions."""

from __future__ import annotations

from typing import Any

from stratagym.envs.starcraft.tables import (
    ARCHON,
    BOOSTED,
    FIRST_RESEARCH,
    FIRST_STRUCTURE,
    MORPH_ARCHON,
    RESEARCH,
    SCOUTS,
    STRUCTURE,
    TICKS_A_SECOND,
    UNIT,
    WARP_GATE,
    WORDS,
)

RULES = (
    "- Time is counted in ticks, 22.4 a second. Both players decide at the same time and "
    "without seeing the other's decision; each decision is one action of the list.",
    "- A Probe on a mineral patch brings 58 minerals a minute, a third one on the same patch "
    "20. A base has eight patches, four when 7,200 of its 10,800 minerals are mined. Three "
    "Probes work in each finished Assimilator by themselves (eight at least stay on minerals) "
    "and bring 163 gas a minute together; a geyser holds 2,250.",
    "- Supply cap: 15 for each Nexus and 8 for each Pylon, 200 at most. Cost and supply are "
    "taken when an action is ordered.",
    "- To build, a Probe leaves its work for 134 ticks and the building begins after 67; "
    "longer for a Nexus that is far from all own bases. Nexus are built at main, natural, "
    "third and fourth, in this order; Assimilators at the first free geyser of a finished "
    "base; Photon Cannons and Shield Batteries at the outermost base; everything else in the "
    "main. 24 can be in building.",
    "- Without a Pylon everything but Nexus, Pylons and Assimilators stands still. Each "
    "building does one thing at a time.",
    "- Chrono Boost costs a Nexus 50 energy (9/256 come back each tick, 200 at most) and lets "
    "a building work at 1.5 times its speed for 448 ticks. It goes to the first building of "
    "the kind that works and is not boosted.",
    "- When WARPGATERESEARCH is done, idle Gateways change into Warp Gates (160 ticks). A "
    "unit of a Warp Gate stands after 90 ticks, at the rally point or in a squad with a Warp "
    "Prism.",
    "- The map has nine regions: own main - own natural 30 map units apart, own natural - own "
    "third 35, own natural - centre 55, own third - centre 45, own third - own fourth 40, own "
    "fourth - centre 40, and the same on the enemy's side. Units walk along these ways; "
    "squads of flyers alone fly straight.",
    "- New fighters gather at the rally point, the outermost own base. MULTI-ATTACK sends all "
    "of them to the nearest known enemy structure (none known: to the enemy base that was not "
    "seen for longest). They fight whatever they can hit in each region on their way, and go "
    "on to the next target. MULTI-RETREAT calls all back; standing squads wait 32 ticks and "
    "are hit meanwhile. Home squads defend own bases by themselves.",
    "- A fight is decided every 8 ticks from numbers, damage, armour and cooldowns; all armed "
    "units and Cannons are hit first, then the unarmed, then structures. Melee units strike "
    "after 45 ticks if they came last and after 22 if they stood. Ten seconds without a fight "
    "heal everything.",
    "- Dark Templar and Observers can only be hit where an Observer, a Photon Cannon or an "
    "Oracle detects them. Probes fight only where no fighter and no Cannon stands by them.",
    "- Scouts visit the centre and the enemy's third, natural and main, look round for 90 "
    "ticks, and come home; they die after 67 ticks beside something that shoots at them.",
    "- You see a region where you have something. Of other regions you know what you last saw.",
)


def length_text(rules: Any) -> tuple[str, ...]:
    """What options change: length, end, worth."""
    seconds = rules.decision_ticks / TICKS_A_SECOND
    lost = {
        0: "has no structure, or no Nexus (one in building counts) and no way to build one: no "
        "Probe, or less than 400 minerals",
        1: "has no Nexus, none in building either",
        2: "has no structure, none in building either",
    }[rules.win]
    end = (
        "the player with more minerals and gas in its army and its structures wins"
        if rules.by_value
        else "the game is a draw"
    )
    more = (
        "- Each 1,000 minerals and gas that your army is worth more than the enemy's count 1 more.",
    )
    return (
        f"- A decision lasts {rules.decision_ticks} ticks ({seconds:.2f} s). After "
        f"{rules.ticks // 1344} minutes {end}.",
        f"- A player loses who {lost}. If both do at once, it is a draw.",
        *(more if rules.value else ()),
        *(() if rules.defends else ("- Here home squads do not defend bases by themselves.",)),
        *(("- An EMPTY ACTION is played after each of your actions.",) if rules.spread else ()),
    )


def _cost(minerals: int, gas: int) -> str:
    return f"{minerals}/{gas}"


def _name(kind: int) -> str:
    return STRUCTURE[kind].name


def _unit_line(action: int) -> str:
    unit = UNIT[action]
    warp = f", Warp Gate {unit.warp}" if unit.warp else ""
    needs = f", needs {_name(unit.needs)}" if unit.needs >= 0 else ""
    only = ", one at a time" if unit.name == "MOTHERSHIP" else ""
    return (
        f"{action}: {WORDS[action]} ({_cost(unit.minerals, unit.gas)}, supply {unit.supply}, "
        f"{unit.loops} ticks{warp}, at {_name(unit.at)}{needs}{only})"
    )


def _structure_line(kind: int) -> str:
    built = STRUCTURE[kind]
    needs = f", needs {_name(built.needs)}" if built.needs >= 0 else ""
    return (
        f"{FIRST_STRUCTURE + kind}: {WORDS[FIRST_STRUCTURE + kind]} "
        f"({_cost(built.minerals, built.gas)}, {built.loops} ticks{needs}, at most {built.most})"
    )


def _research_line(k: int) -> str:
    one = RESEARCH[k]
    needs = f", needs {RESEARCH[one.before].name}" if one.before >= 0 else ""
    needs += f" and {_name(one.needs)}" if one.needs >= 0 else ""
    return (
        f"{FIRST_RESEARCH + k}: {WORDS[FIRST_RESEARCH + k]} ({_cost(one.minerals, one.gas)}, "
        f"{one.loops} ticks, at {_name(one.at)}{needs})"
    )


def _other_lines() -> list[str]:
    units = [UNIT[unit].name for unit in SCOUTS]
    return [
        *(
            f"{60 + k}: {WORDS[60 + k]} (one {name} at home; one scout of each kind at a time)"
            for k, name in enumerate(units)
        ),
        "64: MULTI-ATTACK (fighters at home)",
        "65: MULTI-RETREAT (fighters that attack)",
        *(
            f"{66 + k}: {WORDS[66 + k]} (50 energy; a {_name(kind)} that works unboosted)"
            for k, kind in enumerate(BOOSTED)
        ),
        "71: EMPTY ACTION (always)",
    ]


CATALOGUE = "\n".join(
    [
        "Costs are minerals/gas.",
        "TRAIN UNIT",
        *(_unit_line(action) for action in range(ARCHON)),
        f"{MORPH_ARCHON}: MORPH ARCHON (of two Templar of the squad at the rally point, High ones "
        "first; supply 4 in all, 192 ticks, eight at a time)",
        "BUILD STRUCTURE (a Probe at work; Gateways and Warp Gates count together)",
        *(_structure_line(kind) for kind in range(WARP_GATE)),
        "RESEARCH TECHNIQUE",
        *(_research_line(k) for k in range(len(RESEARCH))),
        "OTHER ACTION",
        *_other_lines(),
    ]
)
"""The actions with their numbers, costs and conditions."""
