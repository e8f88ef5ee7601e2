"""How alike two plans are: in their entries (S), in what their money is for (F), in words (M)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame.embeddings import Embeddings
from stratagym.benchmarks.advgame.rounds import Plan
from stratagym.benchmarks.harness.sealed_games import CARD, TOWER, items
from stratagym.benchmarks.reporting.stats import SHARE, Bounds
from stratagym.envs import spec
from stratagym.envs.sealed_words import json_text

BIN_MS = 5000
"""Times of tower defence within so many milliseconds are one."""
CARDS: Mapping[str, str] = {
    "FireLizard": "body", "WaterElemental": "growth", "PoisonFrog": "poison",
    "MoltenHound": "area", "BattleFrenzy": "body", "BanditLeader": "area", "LavaGolem": "taunt",
    "TideGuardian": "shield", "TideLord": "growth", "Phoenix": "area", "ShadowOverlord": "summon",
    "Sapling": "growth", "RockBeetle": "taunt", "ForestSeer": "growth", "StoneWarrior": "taunt",
    "EliteSoldier": "shield", "Paladin": "shield", "BlackRock": "growth",
    "VineProtector": "body", "King": "summon", "MountainGiant": "taunt", "AncientTreant": "growth",
}  # fmt: skip
SKILLS: Mapping[str, str] = {
    "flame_splash": "periodic", "residual_warmth": "burst", "burst_flame_bomb": "damage",
    "flame_whirlwind": "periodic", "magma_eruption": "damage", "hell_curtain": "return",
    "stream_pierce": "damage", "water_barrier": "shield", "whirlpool_strangle": "damage",
    "ice_branded": "debuff", "tsunami_ending": "burst", "abyss_resonance": "shield",
    "shadow_claw": "heal", "fear_whisper": "debuff", "soul_siphon": "damage",
    "night_ambush": "debuff", "final_announcement": "damage", "void_assimilation": "damage",
    "bud_healing": "heal", "parasitic_seed": "periodic", "life_totem": "heal",
    "natural_purification": "heal", "forest_reincarnation": "heal", "poison_vine": "periodic",
    "rock_armor": "return", "earth_shock": "damage", "granite_barrier": "reduce",
    "quicksand_trap": "debuff", "earth_pulse": "shield", "core_rebound": "burst",
    "holy_glimmer": "heal", "faith_emblem": "return", "divine_link": "return",
    "luminous_dispel": "debuff", "angelic_sanctuary": "reduce", "divine_sword": "burst",
}  # fmt: skip
"""What an entry's money is for."""
BOUNDS: Mapping[str, Bounds] = {"S": SHARE, "F": SHARE, "M": (-1.0, 1.0)}
"""What the parts can be; M is a cosine."""
PAIRS = 200
"""Of random plans that are compared."""


class Likeness:
    """How alike the plans of a run are: S, F and, where there are embeddings, M, weighed alike.

    Args:
        options: of the games. embeddings: of plans' texts; None leaves M out.
    """

    def __init__(self, options: Mapping[str, Any], embeddings: Embeddings | None = None):
        self.options, self.embeddings = options, embeddings
        self.parts = ("S", "F") if embeddings is None else ("S", "F", "M")
        self._released = options.get("setting") == "released"
        self._chance: dict[tuple[str, int], tuple[float, ...]] = {}

    @property
    def weights(self) -> dict[str, float]:
        """By part, 0 for one that is left out."""
        return {part: (part in self.parts) / len(self.parts) for part in ("S", "F", "M")}

    @property
    def bounds(self) -> Bounds:
        """What the parts can be, weighed."""
        low, high = np.mean([BOUNDS[part] for part in self.parts], 0)
        return float(low), float(high)

    def learn(self, plans: Iterable[Plan]) -> None:
        """Ask for the embeddings of many plans at once."""
        if self.embeddings is not None:
            self.embeddings.learn(json_text(plan.data) for plan in plans)

    def of(self, game: str, seat: int, one: Plan, other: Plan) -> tuple[float, ...]:
        """The parts for two plans of a seat, each 1 for the same plan."""
        found = similarity(game, seat, one, other, self._released)
        if self.embeddings is None:
            return found
        return (*found, self.embeddings.cosine(json_text(one.data), json_text(other.data)))

    def chance(self, game: str, seat: int) -> tuple[float, ...]:
        """The parts for two independent random plans, the mean of ``PAIRS``."""
        if (game, seat) not in self._chance:
            plans = random_plans(game, seat, self.options)
            self.learn(plans)
            pairs = zip(plans[::2], plans[1::2], strict=True)
            found = np.mean([self.of(game, seat, *pair) for pair in pairs], 0)
            self._chance[game, seat] = tuple(found.tolist())
        return self._chance[game, seat]


def similarity(
    game: str, seat: int, one: Plan, other: Plan, released: bool = False
) -> tuple[float, float]:
    """(S, F) of two plans of a seat, each from 0, nothing alike, to 1.

    Args:
        released: whether costs are those of ``setting=released``.
    """
    entries = [Counter(_entries(game, plan)) for plan in (one, other)]
    uses = [_uses(game, seat, plan, int(released)) for plan in (one, other)]
    return _overlap(*entries), _overlap(*uses)


def _overlap(one: Mapping[Any, float], other: Mapping[Any, float]) -> float:
    """The sum of the smaller numbers by that of the larger; 1 of two that are empty."""
    keys = set(one) | set(other)
    larger = sum(max(one.get(k, 0), other.get(k, 0)) for k in keys)
    smaller = sum(min(one.get(k, 0), other.get(k, 0)) for k in keys)
    return smaller / larger if larger else 1.0


def _listed(plan: Plan) -> list[Mapping[str, Any]]:
    """The entries of a plan that are objects, as its JSON has them."""
    return [entry for value in plan.data.values() for entry in value if isinstance(entry, dict)]


def _entries(game: str, plan: Plan) -> list[tuple[Any, ...]]:
    listed = _listed(plan)
    if game == TOWER:
        return [(e["name"], e.get("x"), e["y"], e["spawn_time"] // BIN_MS) for e in listed]
    if game == CARD:
        return [(e["name"], e["tier"], k) for k, e in enumerate(listed)]
    return [
        (e["element"], place, skill, position)
        for place, e in enumerate(listed)
        for position, skill in enumerate(e["skills"])
    ]


def _uses(game: str, seat: int, plan: Plan, setting: int) -> dict[Any, float]:
    """What is spent on what; in tower defence in each row apart."""
    found: defaultdict[Any, float] = defaultdict(float)
    for entry in _listed(plan):
        if game == TOWER:
            from stratagym.envs.tower_defence.units import COSTS, DEMONS, SOLDIERS, names

            unit = names(seat).index(entry["name"])
            role = (DEMONS, SOLDIERS)[seat][unit].role
            found[role, entry["y"]] += int(COSTS[setting, seat, unit])
        elif game == CARD:
            from stratagym.envs.battle_card.tables import GOLD_COST, NAMES, NUMBERS

            price = int(NUMBERS[setting, NAMES.index(entry["name"]), 0])
            gold = GOLD_COST if entry["tier"] == "Gold" else 1
            found[CARDS[entry["name"]]] += price * gold
        else:
            from stratagym.envs.elemental_duel.tables import COSTS as PRICES
            from stratagym.envs.elemental_duel.tables import NAMES as OWN

            for skill in entry["skills"]:
                found[SKILLS[skill]] += int(PRICES[setting, OWN.index(skill) % len(PRICES[0])])
    return found


def random_plans(game: str, seat: int, options: Mapping[str, Any]) -> list[Plan]:
    """Independent plans of uniform random legal actions, two for each of ``PAIRS``."""
    from stratagym.agents.plan_search import Fights

    facts = spec(game)
    fights, plans = Fights(facts, facts.make_rules(**options)), []
    for actions in fights.fills(seat, 2 * PAIRS, 0, fill=False):
        states = fights.board(seat, [actions])
        data = facts.module("view").plan_json(fights.rules, states[0], seat, False)
        plans.append(Plan(items(game, data), 0, False, False, True, False, data))
    return plans
