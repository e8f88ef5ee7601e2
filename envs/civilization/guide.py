"""The rules as a prompt tells them."""

from __future__ import annotations

from typing import Any

from stratagym.envs.civilization.tables import (
    ATTACK,
    BUILDING_COST,
    BUILDING_NEEDS,
    BUILDING_TECH,
    BUILDINGS,
    COINAGE,
    DEFENCE,
    DEFENCE_BONUS,
    EXTRA_OUTPUT,
    HIT_POINTS,
    MOVE_COST,
    MOVES,
    OUTPUT,
    RESOURCES,
    ROOTS,
    TECH_COST,
    TECHS,
    TERRAINS,
    UNIT_COST,
    UNIT_OBSOLETE,
    UNIT_TECH,
    UNITS,
    UPKEEP,
    WORK_TURNS,
)
from stratagym.envs.civilization.telling import LETTERS
from stratagym.envs.words import section


def _terrain_lines() -> list[str]:
    lines = []
    for k, name in enumerate(TERRAINS):
        food, shields, trade = OUTPUT[k].tolist()
        told = f"- {LETTERS[k]} {name}: {food}/{shields}/{trade}"
        if k:
            road, irrigation, mine = WORK_TURNS[:, k].tolist()
            told += f"; {int(MOVE_COST[k])} moves; defence +{int(DEFENCE_BONUS[k])}%; road {road}"
            told += f", irrigation {irrigation}" if irrigation else ""
            told += f", mine {mine}" if mine else ""
        resources = dict(zip(RESOURCES[k], EXTRA_OUTPUT[k].tolist(), strict=True))
        extra = ", ".join(f"{what} +{a}/{b}/{c}" for what, (a, b, c) in resources.items())
        lines.append(f"{told}; {extra}")
    return lines


def _unit_lines() -> list[str]:
    lines = []
    for k, name in enumerate(UNITS):
        told = (
            f"- {name} {ATTACK[k]}/{DEFENCE[k]}/{MOVES[k]}/{HIT_POINTS[k]}, {UNIT_COST[k]} shields"
        )
        if UNIT_TECH[k] >= 0:
            told += f", {TECHS[UNIT_TECH[k]]}"
        if UNIT_OBSOLETE[k] >= 0:
            told += f", not made any more with {TECHS[UNIT_OBSOLETE[k]]}"
        lines.append(told)
    return lines


_EFFECTS = {
    "Barracks": "units made here are veterans and heal fully",
    "Granary": "half of the food stays when the city grows",
    "Temple": "1 content (2 with Mysticism)",
    "Library": "science +100%",
    "Marketplace": "tax and luxury +50%",
    "City Walls": "defence x 3",
    "Courthouse": "half the waste",
    "Colosseum": "3 content",
    "Aqueduct": "size up to 12",
    "Harbor": "+1 food on Ocean; beside the sea",
    "Bank": "tax and luxury +50%",
    "University": "science +150%",
    "Cathedral": "3 content (4 with Theology)",
    "Sewer": "any size",
    "Palace": "the capital moves here; shields +75% in Despotism, +50% in Monarchy; half the waste",
    "Pyramids": "a quarter of the food stays when any of your cities grows",
    "Colossus": "+1 trade on tiles with trade here",
    "Hanging Gardens": "1 happy in every city of yours, 4 here",
    "Oracle": "each Temple makes 2 more content",
    "Great Library": "techs of two others with whom you have embassies (of two players: the other)",
    "Great Wall": "City Walls in all your cities",
    "Copernicus": "science +100% here",
    "Marco Polo": "an embassy with everybody",
    "Sun Tzu": "all your new units are veterans",
    "King Richard": "+1 shield on tiles with shields here",
    "Michelangelo": "a Cathedral in all your cities",
    "Shakespeare": "nobody here is unhappy",
    "Newton": "science +100% here with a University",
    "Bach": "2 content in all your cities",
    "Leonardo": "one old unit a turn is made a newer one",
    "Coinage": "shields become gold",
}


def _building_lines() -> list[str]:
    lines = []
    for k, name in enumerate(BUILDINGS):
        told = f"- {name}"
        if k != COINAGE:
            told += f", {BUILDING_COST[k]} shields"
        if UPKEEP[k]:
            told += f", {UPKEEP[k]} gold a turn"
        if BUILDING_TECH[k] >= 0:
            told += f", {TECHS[BUILDING_TECH[k]]}"
        if BUILDING_NEEDS[k] >= 0:
            told += f", needs {BUILDINGS[BUILDING_NEEDS[k]]}"
        lines.append(f"{told}: {_EFFECTS[name]}")
    return lines


def _tech_lines(rules: Any) -> list[str]:
    lines = []
    for k, name in enumerate(TECHS):
        roots = [root for j, root in enumerate(TECHS) if int(ROOTS[k]) >> j & 1]
        needs = f" ({', '.join(roots)})" if roots else ""
        lines.append(f"{name}{needs} {int(TECH_COST[k]) * rules.bulbs // 100}")
    return ["; ".join(lines) + "."]


def rules_text(rules: Any) -> str:
    """The rules in force."""
    wraps = "east and west edges meet" if not rules.wraps_y else "all opposite edges meet"
    peace = "peace" if rules.is_peace else "war"
    if rules.conquest:
        end = "Who alone is left wins; else the game is a draw."
    else:
        end = (
            "Who alone is left wins; after the last turn the highest score: citizens + 2 for each "
            "tech + 5 for each wonder + a tenth of the units built + a third of those killed. "
            "Players of equal score share the victory."
        )
    turned = ""
    if rules.num_players == 2:
        turned = " The eastern half is the western one turned by 180 degrees."
    research = (
        "another choice loses the bulbs"
        if rules.free_research
        else "a choice stands until the tech is found"
    )
    return "\n\n".join(
        [
            section(
                "Rules",
                f"The map has {rules.width} x {rules.height} tiles; the {wraps}; every tile has "
                f"eight neighbours.{turned} The game lasts {rules.turns} turns; in a turn the "
                "players decide one after the other, Player 0 first. A player without cities and "
                f"Settlers is out. {end} All begin at {peace}, with 50 gold, in Despotism.",
                "A turn: treaties on the table, then the nation (8 decisions at most), the cities "
                "that were founded or taken or have finished something (all of them every tenth "
                "turn, or when you ask all cities), then the units with moves and no standing "
                "order. A city is asked what it makes, then whether it buys. 160 decisions a turn "
                "at most; 12 cities and 40 units at most.",
            ),
            section(
                "Terrain",
                "Food/shields/trade of a citizen's tile; turns of one unit's work; what resources "
                "add.",
                *_terrain_lines(),
                "Irrigation +1 food, beside sea, irrigated land or a city to the north, east, "
                "south or west; it and a mine exclude each other. A mine adds 3 shields on Hills, "
                "else 1. A road adds 1 trade on Grassland, Plains and Desert, and a step from road "
                "to road takes a third of a move. A step takes the terrain's moves, and a unit "
                "with any moves left may always make one; Explorers need a third of a move. "
                "Nothing enters the sea. The centre of a city counts as road and irrigation. "
                "Settlers and Workers work; several on a tile add up.",
            ),
            section(
                "Units",
                "Attack/defence/moves/hit points.",
                *_unit_lines(),
                "A unit with an attack is a fighter. Moving onto enemy units attacks them: the "
                "attacker wins a round with A/(A + D), each round costs the loser 1 hit point, "
                "until one has none. A is attack x level, less with under a move left; D is "
                "defence x level x terrain x 1.5 if fortified or in a city x 3 with City Walls x 2 "
                "for Pikemen against horses. Levels: green 100%, veteran 150%, hardened 175%, "
                "elite 200%; winners rise with 50, 33, 20%. On open ground all units of a tile die "
                "with their best defender, in a city only it. A fighter that moves into an enemy "
                "city without units takes it: a citizen dies (of size 1 the city), the captor gets "
                "a share of the gold and a tech. A fighter at war keeps units of others from "
                "stepping between two tiles that are both next to it, except into their own city. "
                "At peace fighters may not enter the other's borders. Units heal a tenth of their "
                "hit points in a turn in which they neither moved nor fought, a third in a city. "
                "A unit's home pays 1 shield for each unit beyond 3 (Republic, Democracy: for "
                "each), 1 food for Settlers (2); if the city is lost, the unit is disbanded. "
                "A sentry wakes for a foreign unit next to it, one that works, explores or goes by "
                "itself for an enemy fighter within two tiles. Units see one tile far, cities two.",
                "Fortify, sentry, explore and auto are standing orders. Pillage, by a fighter on "
                "works of others with whom you are not at peace or of nobody, ends a tile's mine "
                "or irrigation, else its road, and the unit's turn. Settlers that join a city are "
                "a citizen more, where it may grow. A Caravan in a city that makes a wonder helps "
                "it by 50 shields and is gone, as is a unit that you disband; without a city you "
                "may not disband Settlers.",
            ),
            section(
                "Cities",
                "Settlers found a city on land, not next to another, outside foreign borders; it "
                "works and owns tiles up to two steps away, without the corners. Making Settlers "
                "takes a citizen, at size 2 or more. Citizens choose tiles by themselves. Each "
                "eats 2 food; a city of size n grows at 20 + 10 (n - 1) food, up to size 8. Trade "
                "loses waste (Despotism 37% + 4% for each tile to the capital, Monarchy and "
                "Republic 15 + 2, Anarchy 25 + 2, Democracy none) and is shared by your rates. "
                "Four citizens are content, one less for each step of cities beyond what the "
                "government bears; 2 luxury make one happy or an unhappy one content; more unhappy "
                "than happy is disorder: no shields, tax, science. Fighters in a city keep "
                "citizens content: one each in Despotism, three at most in Monarchy. Fighters "
                "outside your borders make 1 unhappy each in a Republic, 2 in a Democracy. "
                "Despotism and Anarchy lose 1 of an output above 2 of a tile; Republic and "
                "Democracy add 1 trade where there is some. Changing between units, buildings and "
                "wonders loses half of the shields, but for the first change after founding or "
                "finishing a building. Buying r missing shields costs 2r + r^2/20 gold, doubled "
                "with none in stock. Without gold buildings are sold.",
                *_building_lines(),
                "From Pyramids to Leonardo: wonders, one of each in the world.",
            ),
            section(
                "Science and government",
                "Techs (what they need) and their bulbs:",
                *_tech_lines(rules),
                f"Bulbs beyond a cost carry over; {research}, and in the turn of a discovery it is "
                "free. If nothing is chosen, the cheapest tech is. The first to find Philosophy "
                "gets another tech.",
                "Rates are 60% at most in Despotism, 70% in Monarchy, 80% in Republic, 100% in "
                f"Democracy and Anarchy. A change of government takes {rules.revolution} turns of "
                "Anarchy. Two turns of disorder in a row end a Democracy.",
            ),
            section(
                "Treaties",
                "With contact or an embassy you may make each player one proposal a turn, which it "
                "answers at the beginning of its next turn. What takes gold or techs from it needs "
                "an embassy. A tech is worth half its bulbs in gold. A treaty that cannot be kept "
                "when it is accepted comes to nothing. Peace that is cancelled ends with the turn.",
            ),
        ]
    )
