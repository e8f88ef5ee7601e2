"""Civilization in words: what a seat knows, the actor that is asked, its actions and the reply.

The prompt has the fields of DSGBench and CivRealm (an advisor's word for the turn, the actor,
blocks of the map about it, its tiles, its available actions) in sentences of this project's own,
and before them all that the seat knows, since a prompt here holds everything that counts.
"""

from __future__ import annotations

from typing import Any

from stratagym.envs.civilization import actions, towns, treaties, troops
from stratagym.envs.civilization.answers import ANSWER as ANSWER
from stratagym.envs.civilization.geography import neighbour, seat_after
from stratagym.envs.civilization.guide import rules_text as rules_text
from stratagym.envs.civilization.naming import action_to_string as action_to_string
from stratagym.envs.civilization.naming import city_name, unit_name
from stratagym.envs.civilization.naming import string_to_action as string_to_action
from stratagym.envs.civilization.state import (
    CITIES,
    COUNCIL,
    FORTIFIED,
    ITEM_ASKED,
    TREATIES,
    TROOPS,
)
from stratagym.envs.civilization.tables import (
    ATTACK,
    CARAVAN,
    ITEMS,
    OCEAN,
    SETTLERS,
    TERRAINS,
    UNITS,
    WORKERS,
)
from stratagym.envs.civilization.telling import (
    LETTERS,
    assets_text,
    clauses_text,
    grid,
    listed,
    map_text,
    near_text,
    others_text,
    own_text,
    place,
    turn_text,
    zoom_text,
)
from stratagym.envs.words import section

PROMPT_VERSION, MERGED_VERSION = "civilization-2", "civilization-2-merged"
POSITION_FORMS = ("blocks", "plain")
"""With the blocks and tiles about the actor as CivRealm tells them, or without: the map is told in
both."""
SPEECH = "messages"
HEARD = 1
"""Only the advice that was written last is shown."""
HINTS = (
    "Found your first cities at once; every city that works good land early is worth many later.",
    "Let Workers improve the tiles that citizens work: irrigate, mine, and build roads.",
    "Keep a defender in every city; an empty city is taken by the first unit that comes.",
    "Trade becomes science by your rates; Libraries and Temples in large cities pay soonest.",
    "Choose a research goal that opens a better government or stronger units.",
)
RENAMED = {
    "Civilization": "Terraces",
    "civilization": "terraces",
    "Freeciv": "Openterrace",
    "nation": "guild",
    "nations": "guilds",
    "city": "hall",
    "cities": "halls",
    "Settlers": "Pavers",
    "Workers": "Menders",
    "Explorer": "Strider",
    "Explorers": "Striders",
    "Warriors": "Sprigs",
    "Phalanx": "Thicket",
    "Archers": "Thistles",
    "Legion": "Bramble",
    "Pikemen": "Nettles",
    "Musketeers": "Hollies",
    "Horsemen": "Gusts",
    "Chariot": "Breeze",
    "Knights": "Gales",
    "Catapult": "Geyser",
    "Cannon": "Torrent",
    "Caravan": "Raft",
    "Despotism": "Firstlaw",
    "Monarchy": "Secondlaw",
    "Republic": "Thirdlaw",
    "Democracy": "Fourthlaw",
    "Anarchy": "Nolaw",
    "wonder": "marvel",
    "wonders": "marvels",
    "treaty": "pact",
    "treaties": "pacts",
}
"""The game's words and what they are called under ``TextOptions.renamed``."""


def listeners(rules: Any, s: Any, seat: int) -> list[int]:
    """Nobody: a message is a note to oneself, the advice for the turn."""
    return []


def rules_brief(rules: Any) -> str:
    """The rules for who knows Freeciv."""
    return section(
        "Rules",
        "Freeciv's classic rules on a small map without ships, aircraft, spies and pollution; "
        f"{rules.turns} turns, in which the players decide one after the other; one actor is asked "
        "at a time.",
    )


def notation_text(rules: Any) -> str:
    """How positions and actions are written."""
    names = ", ".join(f"{LETTERS[k]} {name}" for k, name in enumerate(TERRAINS))
    return section(
        "How positions and actions are written",
        "- Tiles are (column,row), from 0, to the east and to the south.",
        f"- Letters of the map: {names}; ? is unknown.",
        "- Actions are named by their words, such as: move North, build city, produce Warriors, "
        "research Alphabet, set rates 40/0/60 (tax/luxury/science), keep activity.",
    )


def present(rules: Any, s: Any) -> list[int]:
    """Nobody hears what is said."""
    return []


def move_text(rules: Any, s: Any, action: int) -> str:
    """Nothing: what others see of a move stands in their next position."""
    return ""


def board_text(rules: Any, s: Any) -> str:
    """The whole map for a terminal, with cities in digits of their seats and units as ``*``."""
    cells = []
    for tile in range(rules.width * rules.height):
        there, army = int(s["city_at"][tile]), int(s["army"][tile])
        if there >= 0:
            cells.append(str(there >> 4))
        elif army >= 0:
            cells.append("*")
        else:
            cells.append(LETTERS[int(s["terrain"][tile])].lower())
    lines = [f"Turn {int(s['turn'])} of {rules.turns}", *grid(rules, cells)]
    for seat in range(rules.num_players):
        cities = sum(tile >= 0 for tile in s["city_tile"][seat].tolist())
        units = sum(kind >= 0 for kind in s["unit_type"][seat].tolist())
        out = "" if s["alive"][seat] else ", out"
        lines.append(
            f"Player {seat}: score {int(s['score'][seat])}, {cities} cities, {units} units, "
            f"{int(s['gold'][seat])} gold{out}"
        )
    if s["over"]:
        lines.append(result_text(rules, s))
    else:
        lines.append(f"Player {int(s['player'])}: {actor_name(rules, s)}")
    return "\n".join(lines)


def result_text(rules: Any, s: Any) -> str:
    """Who has won a game that is over."""
    alive = [seat for seat in range(rules.num_players) if s["alive"][seat]]
    if len(alive) > 1 and rules.conquest:
        return "Nobody has conquered the others: a draw."
    most = max(int(s["score"][seat]) for seat in alive) if alive else 0
    best = [seat for seat in alive if len(alive) == 1 or s["score"][seat] == most]
    if len(best) == 1:
        return f"Player {best[0]} wins."
    return f"{listed(f'Player {seat}' for seat in best)} share the victory."


def actor_name(rules: Any, s: Any) -> str:
    """Who of the seat to move is asked."""
    seat, actor, stage = int(s["player"]), int(s["actor"]), int(s["stage"])
    if stage == TROOPS:
        return unit_name(s, seat, actor)
    if stage == CITIES:
        return city_name(int(s["city_name"][seat][actor]))
    return "the player"


def seat_text(rules: Any, s: Any, player: int) -> str:
    """All that a seat knows, for a terminal."""
    return "\n".join(_world(rules, s, player))


def _world(rules: Any, s: Any, player: int) -> list[str]:
    return [
        *turn_text(rules, s, player),
        *own_text(rules, s, player),
        *others_text(rules, s, player),
        *assets_text(rules, s, player),
        *map_text(rules, s, player),
    ]


def role_text(rules: Any, player: int) -> str:
    """Who the seat is."""
    others = rules.num_players - 1
    rivals = "one other nation" if others == 1 else f"{others} other nations"
    return (
        f"You lead a nation, as Player {player}, in a game of Civilization after Freeciv's classic "
        f"rules, against {rivals}. You decide for one actor at a time: the nation itself, a city "
        "or a unit."
    )


def _actor_lines(rules: Any, s: Any, player: int, has_blocks: bool) -> list[str]:
    actor, stage = int(s["actor"]), int(s["stage"])
    if stage == TREATIES:
        told = clauses_text(s, player, actor)
        return [f"You answer the treaty that Player {actor} proposes: {told}."]
    if stage == COUNCIL:
        lines = [
            "You decide for the nation: research, government, rates, treaties. The others of your "
            f'actors are asked when you "{action_to_string(rules, s, actions.KEEP)}".'
        ]
        if int(s["council"]) == 0:
            lines.append(
                "You may give all your actors a word of advice for this turn, which is shown with "
                'each of their questions: add "messages": [{"to": "me", "text": "..."}] to your '
                "JSON object."
            )
        if not has_blocks:
            return lines
        middle = rules.width // 2 + rules.width * (rules.height // 2)
        cities = [tile for tile in s["city_tile"][player].tolist() if tile >= 0]
        centre = cities[0] if cities else _first_unit(s, player, middle)
        lines.append(f"The land about {place(rules, centre)}, in blocks of 5x5 tiles:")
        return lines + zoom_text(rules, s, player, centre, 5)
    if stage == CITIES:
        tile = int(s["city_tile"][player][actor])
        what = "what it makes"
        if int(s["city_flags"][player][actor]) & ITEM_ASKED:
            gold = int(towns.price(s, player, actor))
            item = ITEMS[int(s["city_item"][player][actor])]
            what = f"whether it buys {item} for {gold} gold"
        lines = [f"You decide for the city {actor_name(rules, s)} at {place(rules, tile)}: {what}."]
    else:
        tile = int(s["unit_tile"][player][actor])
        lines = [f"You decide for the unit {unit_name(s, player, actor)} at {place(rules, tile)}."]
    if not has_blocks:
        return lines
    lines.append("Blocks of 3x3 tiles about it:")
    lines += zoom_text(rules, s, player, tile, 3)
    lines.append("Tiles within two steps of it:")
    return lines + near_text(rules, s, player, tile)


def _first_unit(s: Any, seat: int, otherwise: int) -> int:
    return next((tile for tile in s["unit_tile"][seat].tolist() if tile >= 0), otherwise)


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """What the seat knows, and the actor that is asked."""
    return "\n\n".join(
        [
            section("What you know", *_world(rules, s, player)),
            section("Who is asked", *_actor_lines(rules, s, player, form == "blocks")),
        ]
    )


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The available actions by name."""
    names = ", ".join(action_to_string(rules, s, action) for action in legal)
    return section("Available actions", names)


def task_text(rules: Any) -> str:
    """What to do now."""
    return section("Task", "Choose one available action for the actor that is asked.")


def forfeit_returns(rules: Any, s: Any, seat: int) -> list[float]:
    """Each seat's return when a seat forfeits: it has lost, the others share the victory."""
    n = rules.num_players
    return [-1.0 if k == seat else 1.0 / (n - 1) for k in range(n)]


# --- why not -------------------------------------------------------------------------------------


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the actor may not do this, as one word."""
    stage, seat, actor = int(s["stage"]), int(s["player"]), int(s["actor"])
    if stage == TREATIES:
        return "treaty_on_the_table"
    if stage == COUNCIL:
        return _not_in_council(rules, s, seat, action)
    if stage == CITIES:
        return _not_in_city(rules, s, seat, actor, action)
    return _not_for_unit(rules, s, seat, actor, action)


def _not_in_council(rules: Any, s: Any, seat: int, action: int) -> str:
    if actions.RESEARCH <= action < actions.GOVERN:
        tech = action - actions.RESEARCH
        if towns.knows(s, seat, tech):
            return "known"
        if not towns.has_roots(s, seat, tech):
            return "roots_missing"
        return "researching"
    if actions.GOVERN <= action < actions.TAXES:
        return "anarchy" if s["anarchy_left"][seat] else "no_such_government"
    if actions.TAXES <= action < actions.ACCEPT:
        return "rates_not_allowed"
    if actions.PROPOSE <= action < actions.CANCEL:
        k, _template = divmod(action - actions.PROPOSE, treaties.TEMPLATES)
        if k >= rules.num_players - 1:
            return "no_such_player"
        other = seat_after.py_func(rules, seat, k + 1)
        if not s["alive"][other]:
            return "player_is_out"
        if s["proposed"][seat] >> other & 1:
            return "already_proposed"
        return "clause_impossible" if treaties.may_talk(s, seat, other) else "no_contact"
    if actions.CANCEL <= action < actions.WAKE:
        return "no_peace"
    if action in (actions.ACCEPT, actions.REJECT):
        return "no_treaty"
    if action in (actions.WAKE, actions.SUMMON):
        return "already_asked"
    return "not_for_the_player"


def _not_in_city(rules: Any, s: Any, seat: int, city: int, action: int) -> str:
    is_item = (
        actions.MAKE_UNIT <= action < actions.MAKE_UNIT + len(UNITS)
        or actions.MAKE_BUILDING <= action < actions.BUY - 1
    )
    asked = int(s["city_flags"][seat][city]) & ITEM_ASKED
    if action == actions.BUY:
        return "item_first"
    if not is_item:
        return "not_for_a_city"
    item = int(actions.action_item.py_func(action))
    if asked:
        return "item_chosen"
    if item == s["city_item"][seat][city]:
        return "already_made"
    return "not_available"


def _not_for_unit(rules: Any, s: Any, seat: int, unit: int, action: int) -> str:
    kind, tile = int(s["unit_type"][seat][unit]), int(s["unit_tile"][seat][unit])
    fights = ATTACK[kind] > 0
    if actions.MOVE <= action < actions.FORTIFY:
        goal = int(neighbour.py_func(rules, tile, action - actions.MOVE))
        return _no_step(rules, s, seat, unit, goal, bool(fights))
    if not actions.FORTIFY <= action <= actions.GO_AUTO:
        return "not_for_a_unit"
    if action == actions.FORTIFY:
        return "already_fortified" if s["unit_order"][seat][unit] == FORTIFIED else "no_fighter"
    if action == actions.SENTRY_DUTY:
        return "already_a_sentry"
    if action in (actions.BUILD_CITY, actions.JOIN_CITY) and kind != SETTLERS:
        return "no_settlers"
    if action == actions.BUILD_CITY:
        return "no_site"
    if action == actions.JOIN_CITY:
        return "no_room"
    if action in (actions.BUILD_ROAD, actions.IRRIGATE, actions.BUILD_MINE):
        return "work_impossible" if kind in (SETTLERS, WORKERS) else "no_workers"
    if action == actions.PILLAGE:
        return "nothing_to_pillage"
    if action == actions.DISBAND:
        return "last_settlers"
    if action == actions.HELP_WONDER:
        return "no_wonder_here" if kind == CARAVAN else "no_caravan"
    return "not_for_this_unit"


def _no_step(rules: Any, s: Any, seat: int, unit: int, goal: int, fights: bool) -> str:
    if goal < 0:
        return "off_map"
    if s["terrain"][goal] == OCEAN:
        return "sea"
    army, there = int(s["army"][goal]), int(s["city_at"][goal])
    for other in (army, there >> 4 if there >= 0 else -1):
        if other not in (-1, seat):
            if s["peace"][seat] >> other & 1:
                return "peace"
            return "no_fighter" if not fights else "too_many_cities"
    tile = int(s["unit_tile"][seat][unit])
    if troops.is_held_up(rules, s, seat, tile, goal):
        return "zone_of_control"
    return "peace"
