"""Battle card in words: ``buy King gold``, ``prefer King``; a plan is one JSON object."""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs import sealed, sealed_words
from stratagym.envs.battle_card.battle import MOST_UNITS, ROUNDS
from stratagym.envs.battle_card.rules import (
    DONE,
    GOLDEN,
    KEEP,
    PREFER,
    VOID,
)  # fmt: skip
from stratagym.envs.battle_card.story import SIDES, summary
from stratagym.envs.battle_card.tables import (
    ANCIENT_TREANT,
    BANDIT_LEADER,
    BATTLE_FRENZY,
    BLACK_ROCK,
    ELEMENT,
    ELEMENTS,
    ELITE_SOLDIER,
    FIRE_LIZARD,
    FOREST_SEER,
    GOLD_COST,
    KING,
    LAVA_GOLEM,
    MOLTEN_HOUND,
    MOUNTAIN_GIANT,
    NAMES,
    NUMBERS,
    PALADIN,
    PHOENIX,
    POISON_FROG,
    ROCK_BEETLE,
    SAPLING,
    SEER,
    SHADOW_OVERLORD,
    SLOW_SKELETON,
    SOLDIER,
    STONE_WARRIOR,
    TIDE_GUARDIAN,
    TIDE_LORD,
    TREANT,
    UNITS,
    VINE_PROTECTOR,
    WATER_ELEMENTAL,
)  # fmt: skip
from stratagym.envs.plan_schemas import among, entries, members
from stratagym.envs.plans import PlanError
from stratagym.envs.sealed_words import ANSWER as ANSWER
from stratagym.envs.sealed_words import CONSEQUENCES as CONSEQUENCES
from stratagym.envs.sealed_words import MERGED_PARTS as MERGED_PARTS
from stratagym.envs.sealed_words import POSITION_FORMS as POSITION_FORMS
from stratagym.envs.sealed_words import TEXT_OPTIONS as TEXT_OPTIONS
from stratagym.envs.sealed_words import legal_text as legal_text
from stratagym.envs.sealed_words import plan_facts as plan_facts
from stratagym.envs.sealed_words import refusal_text as refusal_text
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import section

PROMPT_VERSION, MERGED_VERSION = "battle_card-5", "battle_card-3"
PLAN = "all"
TIERS = ("Bronze", "Gold")
PRIORITIES = tuple(f"target_priority_for_{side}" for side in SIDES)
MEMBERS = tuple(((SIDES[k], PRIORITIES[k]), ("name", "tier")) for k in range(2))
"""By seat, the members of a plan and of its entries that mean something."""
RULES_BRIEF = section(
    "Rules",
    "Both sides buy up to seven units within a budget and place them from left to right, sealed. "
    "Then the units fight by themselves until one side is dead.",
)
HINTS = (
    "Every unit of gold that you do not spend is a unit that does not fight.",
    "A gold unit costs three bronze ones and is worth about two: it saves places, not gold.",
    "Units with taunt in front of strong attackers buy these the time to attack.",
    "A shield is worth most against few large blows, and nothing against many small ones.",
    "Your priorities should name first what must not live to attack twice.",
    "If the other side's plan is known, plan against that plan, not against all plans.",
)
RENAMED = {
    "battle card": "tile clash", "invaders": "norgs", "defenders": "wemps",
    "FireLizard": "Vornak", "WaterElemental": "Usilip", "PoisonFrog": "Tegmor",
    "MoltenHound": "Brezzan", "BattleFrenzy": "Quarlo", "BanditLeader": "Hesperid",
    "LavaGolem": "Dorvik", "TideGuardian": "Ilmane", "TideLord": "Onquist", "Phoenix": "Ravelin",
    "ShadowOverlord": "Cathmur", "Sapling": "Pellowe", "RockBeetle": "Junkar",
    "ForestSeer": "Wistrel", "StoneWarrior": "Gambrok", "EliteSoldier": "Sorrenko",
    "Paladin": "Mavitar", "BlackRock": "Ferrundel", "VineProtector": "Lathimo", "King": "Zembral",
    "MountainGiant": "Orduvan", "AncientTreant": "Kistane", "SlowSkeleton": "Yarrup",
    "Soldier": "Nubbit",
    "Fire": "Zil", "Nature": "Mur", "Water": "Tay", "Earth": "Kob",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""


def ability_text(rules: Any, kind: int) -> str:
    """What a bronze unit can do; empty if it only fights."""
    seer, treant = SEER[rules.released].tolist(), TREANT[rules.released].tolist()
    soldier, skeleton = numbers_text(rules, SOLDIER), numbers_text(rules, SLOW_SKELETON)
    onto = "the next target" + (" (one)" if rules.once else "")
    return {
        FIRE_LIZARD: "death: 2 damage to the unit whose hit killed it",
        WATER_ELEMENTAL: "attacking: first +1 attack for good",
        POISON_FROG: "what it damages dies, also by its strike-back",
        MOLTEN_HOUND: "death: 1 damage to all enemies",
        BATTLE_FRENZY: "after its attack: -4 attack, not below 0",
        BANDIT_LEADER: f"damage beyond its target's health goes on to {onto}",
        LAVA_GOLEM: "taunt; whoever attacks it with more than 0 burns: loses 3 health before each "
        f"own attack, {'unless a shield takes it' if rules.burn_hits else 'also through a shield'}",
        TIDE_GUARDIAN: "shield; attacks twice",
        TIDE_LORD: "damaged and still alive: its attack doubles (at most 999)",
        PHOENIX: "also hits the living units left and right of its target; comes back once with "
        "its full health",
        SHADOW_OVERLORD: f"death: summons a SlowSkeleton {skeleton}"
        + (" on each free place" if rules.released else ""),
        SAPLING: "attacking: first +1 health for good",
        ROCK_BEETLE: "taunt",
        FOREST_SEER: f"start: other Nature allies +{seer[0]} attack, +{seer[1]} health",
        STONE_WARRIOR: "taunt; death: summons a RockBeetle",
        ELITE_SOLDIER: "start: its neighbours get a shield and +1 attack",
        PALADIN: "shield; +2 attack whenever another unit of its side loses a shield",
        BLACK_ROCK: "start: +3 health for each other unit of its side",
        VINE_PROTECTOR: "death: all of its side regain 2 health, up to their most",
        KING: f"attacking: first summons a Soldier {soldier} with a shield",
        MOUNTAIN_GIANT: "taunt; whoever attacks it with more than 0 loses 2 attack, not below 0",
        ANCIENT_TREANT: f"start: all other allies +{treant[0]} attack, +{treant[1]} health",
    }.get(kind, "")


def numbers_text(rules: Any, kind: int) -> str:
    """Attack and health of a bronze unit: ``2/2``."""
    _, attack, health = NUMBERS[rules.released, kind].tolist()
    return f"{attack}/{health}"


def unit_text(rules: Any, kind: int, gold: bool = False) -> str:
    """A unit's line of the catalogue."""
    cost, attack, health = NUMBERS[rules.released, kind].tolist()
    element = ELEMENTS[ELEMENT[kind]]
    name, ability = NAMES[kind], ability_text(rules, kind)
    if gold:
        name, cost, attack, health = f"{name} (gold)", GOLD_COST * cost, 2 * attack, 2 * health
        if re.search("[0-9]", ability):
            ability += " (these numbers doubled)"
    told = f"{name}: {'no element' if element == '-' else element}, cost {cost}, "
    return f"{told}attack {attack}, health {health}; {ability}"


def names_of(seat: int) -> tuple[str, ...]:
    """The names of the units that a seat can buy."""
    return NAMES[UNITS * seat : UNITS * (seat + 1)]


def plan_json(rules: Any, s: Any, seat: int, last: bool = True) -> dict[str, Any]:
    """A seat's plan as JSON: of the round before, or the one that stands in the record."""
    plan, n = ("last_plan", "last_n") if last else ("plan", "n")
    ranks = ("last_priority", "last_priority_n") if last else ("priority", "priority_n")
    own, enemies = names_of(seat), names_of(1 - seat)
    units = s[plan][seat][: int(s[n][seat])].tolist()
    first = s[ranks[0]][seat][: int(s[ranks[1]][seat])].tolist()
    return {
        SIDES[seat]: [{"name": own[unit], "tier": TIERS[gold]} for unit, gold in units],
        PRIORITIES[seat]: [enemies[unit] for unit in first],
    }


def plan_schema(rules: Any, s: Any) -> dict[str, Any]:
    """The JSON schema of a plan: one to as many units as fit, and whom they prefer."""
    seat = int(s["seat"])
    own, enemies = names_of(seat), names_of(1 - seat)
    unit = members(name=among(own), tier=among(TIERS))
    return members(
        **{
            SIDES[seat]: entries(unit, 1, MOST_UNITS),
            PRIORITIES[seat]: entries(among(enemies), 0, len(enemies)),
        }
    )


def plan_text(plan: dict[str, Any], seat: int) -> str:
    """A plan in one line for a terminal: ``King (gold), Paladin | prefer Phoenix``."""
    units = [
        one["name"] + (" (gold)" if one["tier"] == "Gold" else "") for one in plan[SIDES[seat]]
    ]
    first = plan[PRIORITIES[seat]]
    return (", ".join(units) or "nothing") + (f" | prefer {', '.join(first)}" if first else "")


def _end(s: Any) -> str:
    k = int(s["round"]) - 1
    return f"The battle ended in its round {int(s['end'][k])}."


def board_text(rules: Any, s: Any) -> str:
    """Both plans with their costs, and how the last round ended, for a terminal."""
    return _table(rules, s)


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The same as a player sees it: without the plan that the other side is making."""
    return _table(rules, s, player)


def _table(rules: Any, s: Any, player: int | None = None) -> str:
    return sealed_words.board_text(
        rules,
        s,
        SIDES,
        lambda seat, last: plan_text(plan_json(rules, s, seat, last), seat),
        lambda: [_end(s), *summary(rules, s, sealed.last_events(rules, s), 8)],
        player,
    )


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """``buy King gold``, ``prefer King``, ``keep``, ``done`` or ``void``."""
    seat = int(s["seat"])
    if action < PREFER:
        tier = TIERS[action >= GOLDEN].lower()
        return f"buy {names_of(seat)[action % UNITS]} {tier}"
    if action < KEEP:
        return f"prefer {names_of(1 - seat)[action - PREFER]}"
    return {KEEP: "keep", DONE: "done", VOID: "void"}[action]


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action of a move's text, legal or not; a tier that is missing is bronze.

    Raises:
        ValueError: ``no_such_move``, ``unknown_unit``, ``wrong_side``.
    """
    seat, parts = int(s["seat"]), text.strip().split()
    word = parts[0].lower() if parts else ""
    if len(parts) == 1 and word in ("keep", "done", "void"):
        return {"keep": KEEP, "done": DONE, "void": VOID}[word]
    if word == "prefer" and len(parts) == 2:
        return PREFER + _unit(parts[1], 1 - seat)
    if word == "buy" and len(parts) in (2, 3):
        tier = sealed_words.index_of(parts[2], TIERS) if len(parts) == 3 else 0
        if tier is not None:
            return tier * GOLDEN + _unit(parts[1], seat)
    raise ValueError("no_such_move")


def _unit(name: str, side: int) -> int:
    try:
        return sealed_words.unit_of(0, name, names_of(side), names_of(1 - side))
    except PlanError as error:
        raise ValueError(error.reason) from None


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    who = f"The {SIDES[s['seat']]}"
    word, _, rest = action_to_string(rules, s, action).partition(" ")
    if word == "buy":
        name, tier = rest.split()
        return f"{who} bought a {tier} {name}."
    return {
        "prefer": f"{who} named {rest} as a target.",
        "keep": f"{who} kept their plan.",
        "done": f"{who} finished their plan.",
        "void": f"{who} handed in a plan that breaks a rule.",
    }[word]


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """``too_many``, ``over_budget``, ``named_twice``, ``empty_plan``, or ``not_now``."""
    seat = int(s["seat"])
    if action < PREFER:
        return "too_many" if s["n"][seat] >= MOST_UNITS else "over_budget"
    if action < KEEP:
        return "named_twice"
    return "empty_plan" if action == DONE else "not_now"


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The moves of a plan in JSON; see ``sealed_words.plan_of`` for replies that are none.

    Raises:
        ReplyError: the reply cannot be read. PlanError: an entry breaks a rule.
    """
    seat = int(s["seat"])
    plan = sealed_words.plan_of(text, SIDES[seat])
    if SIDES[seat] not in plan:
        return ["keep"]
    own, enemies = names_of(seat), names_of(1 - seat)
    moves = []
    for k, entry in enumerate(plan[SIDES[seat]]):
        name = sealed_words.text_of(entry, "name")
        tier = sealed_words.text_of(entry, "tier", TIERS[0])
        unit = sealed_words.unit_of(k, name, own, enemies)
        if k >= MOST_UNITS:
            raise sealed_words.bad_entry(k, name, "too_many")
        kind = sealed_words.index_of(tier, TIERS)
        if kind is None:
            raise sealed_words.bad_entry(k, f"{name} {tier}", "unknown_tier")
        moves.append(f"buy {own[unit]} {TIERS[kind].lower()}")
    if not moves:
        raise PlanError(SIDES[seat], "empty_plan")
    first: list[int] = []
    for k, name in enumerate(sealed_words.texts_of(plan, PRIORITIES[seat])):
        unit = sealed_words.unit_of(k, name, enemies, own, "priority")
        if unit in first:
            raise sealed_words.bad_entry(k, name, "named_twice", "priority")
        first.append(unit)
    return [*moves, *(f"prefer {enemies[unit]}" for unit in first), "done"]


# --- prompts -------------------------------------------------------------------------------------


def seat_name(rules: Any, s: Any, player: int) -> str:
    """Its side."""
    return SIDES[player].capitalize()


def role_text(rules: Any, player: int) -> str:
    """Side, goal and budget."""
    budget = sealed.budget_of.py_func(rules, player)
    more = " A plan over budget loses." if rules.loses else ""
    return (
        f"You plan for the {SIDES[player]} in a game of battle card, against the "
        f"{SIDES[1 - player]}. Your goal is that your units kill all of theirs. Your budget is "
        f"{budget} gold, theirs {sealed.budget_of.py_func(rules, 1 - player)}.{more}"
    )


def rules_text(rules: Any) -> str:
    """The rules in numbers."""
    elements = (
        [
            "- Fire beats Nature, Nature Water, Water Earth, Earth Fire: an attack or strike-back "
            "on the beaten element does 25% more, rounded up."
        ]
        if rules.elements
        else ["- Elements have no effect on damage."]
    )
    return section(
        "Rules",
        f"- Each side buys 1 to {MOST_UNITS} units, which stand from left to right in the order "
        "of its plan, and may name enemy units to attack first. Both plans are sealed; then the "
        "units fight by themselves, without chance.",
        f"- A unit is bronze or gold. Gold costs {GOLD_COST} times as much, and attack, health "
        "and every number in its ability are doubled. What it summons is gold too.",
        "- Start effects come first, the defenders' units from left to right. The side with more "
        "units at the start, or the invaders if there are as many, has the initiative.",
        "- In each round of the battle the first unit of the side with the initiative attacks, "
        "then the first of the other side, then the second, and so on. Summoned units stand at "
        f"the right end, while fewer than {MOST_UNITS} of their side live, and attack from the "
        "next round on.",
        "- A unit attacks a living enemy with taunt if there is one, else any; of these the first "
        "name in its side's priorities that is there, else the leftmost.",
        "- It does damage as high as its attack; its target strikes back with the attack it had "
        "before. At 0 health a unit is dead. Deaths come behind the whole attack, the invaders' "
        "first, on each side from left to right, and each does at once what it does.",
        *elements,
        "- A shield takes one hit whole, then it is gone; damage of 0 is no hit.",
        "- When all defenders are dead the invaders win, even if all invaders are dead too; when "
        f"all invaders are dead the defenders win. After {ROUNDS} rounds of battle more health "
        "in all wins; if it is equal, the defenders win.",
        *sealed_words.rounds_rules(rules, SIDES),
    )


def notation_text(rules: Any) -> str:
    """How plans are written."""
    return section(
        "How plans are written",
        "A plan is a JSON object: the list of units from left to right, each with its name and "
        "tier, Bronze or Gold; and the list of enemy units to attack first.",
    )


def catalogue_text(rules: Any, player: int) -> str:
    """Own units, the other side's, limits and the form of a plan."""
    example = {
        SIDES[player]: [{"name": "<unit>", "tier": "Bronze"}, {"name": "<unit>", "tier": "Gold"}],
        PRIORITIES[player]: ["<the other side's unit>", "<the other side's unit>"],
    }
    return _catalogue(rules, player, example)


def _catalogue_2(rules: Any, player: int) -> str:
    """As in the second version: the form was a plan that could be played."""
    own, enemies = names_of(player), names_of(1 - player)
    example = {
        SIDES[player]: [{"name": own[1], "tier": "Bronze"}, {"name": own[0], "tier": "Gold"}],
        PRIORITIES[player]: [enemies[3], enemies[7]],
    }
    return _catalogue(rules, player, example)


_RULES_4 = {"rules_text": sealed_words.without_draws(rules_text)}
EARLIER_PROMPTS = {
    "battle_card-4": _RULES_4,
    "battle_card-3": {**POSITION_FIRST, **_RULES_4},
    "battle_card-2": {**POSITION_FIRST, **_RULES_4, "catalogue_text": _catalogue_2},
}


def _catalogue(rules: Any, player: int, example: dict[str, Any]) -> str:
    told = []
    for side in (player,) if rules.own_catalogue else (player, 1 - player):
        kinds = range(UNITS * side, UNITS * (side + 1))
        whose = "Your units" if side == player else "The other side's units"
        lines = [f"- {unit_text(rules, kind)}" for kind in kinds]
        told.append(section(f"{whose} (the {SIDES[side]}, bronze)", *lines))
    told.append(
        section(
            "Limits of a plan",
            f"1 to {MOST_UNITS} units, the same one more than once if you like; at most "
            f"{sealed.budget_of.py_func(rules, player)} gold in all. The tier may be left out: it "
            "is Bronze then. Priorities are names of the other side's units, each once; there may "
            "be none.",
        )
    )
    told.append(section("The form of a plan", sealed_words.json_text(example)))
    return "\n\n".join(told)


def position_text(rules: Any, s: Any, player: int, form: str, refusal: str = "") -> str:
    """The round, and what came of the one before."""

    def units(seat: int) -> list[str]:
        plan = s["last_plan"][seat][: int(s["last_n"][seat])].tolist()
        lines = []
        for unit, gold in sorted({(unit, gold) for unit, gold in plan}):
            count, kind = plan.count([unit, gold]), UNITS * seat + unit
            lines.append(f"{count} x {unit_text(rules, kind, bool(gold))}")
        return lines

    return sealed_words.position_text(
        rules,
        s,
        player,
        form,
        plan=lambda seat, last: plan_json(rules, s, seat, last),
        units=units,
        end=lambda: _end(s),
        summary=lambda: summary(rules, s, sealed.last_events(rules, s), sealed_words.SUMMARY_LINES),
        refusal=refusal,
    )
