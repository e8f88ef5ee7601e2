"""What things are called: cities, units, actions; and the actions that words name."""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.civilization import actions
from stratagym.envs.civilization.actions import PROPOSE, RESEARCH, TAXES
from stratagym.envs.civilization.geography import seat_after
from stratagym.envs.civilization.tables import BUILDINGS, GOVERNMENTS, ITEMS, TECHS, UNITS
from stratagym.envs.civilization.treaties import TEMPLATES

CITY_NAMES = (
    ("Amber", "Birch", "Cedar", "Dawn", "Elm", "Fern", "Gale", "Heath", "Iris", "Juniper", "Kelp",
     "Lark", "Moss", "North", "Oak", "Pine"),
    ("Anvil", "Basalt", "Copper", "Delve", "Ember", "Flint", "Granite", "Hammer", "Iron", "Jasper",
     "Kiln", "Lode", "Marble", "Nickel", "Onyx", "Pyrite"),
    ("Anchor", "Beacon", "Coral", "Drift", "Estuary", "Fjord", "Gull", "Harbour", "Isle", "Jetty",
     "Keel", "Lagoon", "Mast", "Narrows", "Oar", "Pearl"),
    ("Arrow", "Banner", "Castle", "Drum", "Eagle", "Falcon", "Gate", "Horn", "Ivory", "Javelin",
     "Knight", "Lance", "Mail", "Noble", "Oath", "Pike"),
)  # fmt: skip
"""By founder, in the order of founding; then again with numbers."""
WINDS = ("North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest")
TREATY_WORDS = (
    "peace", "embassies", "peace and embassies", "a tech for a tech", "a tech for gold",
    "gold for a tech", "a gift of 25 gold", "a gift of 50 gold", "50 gold for peace",
    "peace for 50 gold",
)  # fmt: skip
"""By template: what the proposer gives, then what it takes."""
COMMANDS = {
    actions.FORTIFY: "fortify",
    actions.SENTRY_DUTY: "sentry",
    actions.BUILD_CITY: "build city",
    actions.JOIN_CITY: "join city",
    actions.BUILD_ROAD: "build road",
    actions.IRRIGATE: "irrigate",
    actions.BUILD_MINE: "mine",
    actions.PILLAGE: "pillage",
    actions.DISBAND: "disband",
    actions.HELP_WONDER: "help wonder",
    actions.GO_EXPLORE: "explore",
    actions.GO_AUTO: "auto worker",
    actions.KEEP: "keep activity",
    actions.BUY: "buy",
    actions.ACCEPT: "accept treaty",
    actions.REJECT: "reject treaty",
    actions.WAKE: "ask all units",
    actions.SUMMON: "ask all cities",
}
ALIASES = {
    "build irrigation": "irrigate", "build mine": "mine", "keep": "keep activity",
    "done": "keep activity", "keep_activity": "keep activity", "fortified": "fortify",
}  # fmt: skip


def city_name(code: int) -> str:
    """The name of a city by its founder and number."""
    names = CITY_NAMES[code >> 6]
    number = code & 63
    again = number // len(names)
    return names[number % len(names)] + (f" {again + 1}" if again else "")


def unit_name(s: Any, seat: int, unit: int) -> str:
    """A unit's type and number, such as ``Settlers 0``."""
    return f"{UNITS[int(s['unit_type'][seat][unit])]} {unit}"


def other_name(rules: Any, s: Any, k: int) -> str:
    """The name of the k-th other seat of the seat to move."""
    return f"Player {seat_after.py_func(rules, int(s['player']), k + 1)}"


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """An action in words, such as ``move North``, ``produce Temple``, ``set rates 40/0/60``."""
    if action in COMMANDS:
        return COMMANDS[action]
    if actions.MOVE <= action < actions.FORTIFY:
        return f"move {WINDS[action - actions.MOVE]}"
    if actions.MAKE_UNIT <= action < actions.MAKE_UNIT + len(UNITS):
        return f"produce {UNITS[action - actions.MAKE_UNIT]}"
    if actions.MAKE_BUILDING <= action < actions.MAKE_BUILDING + len(BUILDINGS):
        return f"produce {BUILDINGS[action - actions.MAKE_BUILDING]}"
    if RESEARCH <= action < actions.GOVERN:
        return f"research {TECHS[action - RESEARCH]}"
    if actions.GOVERN <= action < TAXES:
        return f"set government {GOVERNMENTS[action - actions.GOVERN]}"
    if TAXES <= action < actions.ACCEPT:
        tax, luxury, science = actions.rates_of(s, int(s["player"]), action)
        return f"set rates {int(tax)}/{luxury}/{int(science)}"
    if PROPOSE <= action < actions.CANCEL:
        k, template = divmod(action - PROPOSE, TEMPLATES)
        return f"propose {TREATY_WORDS[template]} to {_other(rules, s, k)}"
    if actions.CANCEL <= action < actions.WAKE:
        return f"cancel peace with {_other(rules, s, action - actions.CANCEL)}"
    return f"action {action}"


def _other(rules: Any, s: Any, k: int) -> str:
    # With fewer seats the second or third other one is nobody, and never legal.
    return other_name(rules, s, k) if k < rules.num_players - 1 else f"nobody {k}"


_BY_NAME = {
    **{words: action for action, words in COMMANDS.items()},
    **{f"move {wind.lower()}": actions.MOVE + k for k, wind in enumerate(WINDS)},
    **{
        f"produce {item.lower()}": int(actions.item_action.py_func(k))
        for k, item in enumerate(ITEMS)
    },
    **{f"research {tech.lower()}": RESEARCH + k for k, tech in enumerate(TECHS)},
    **{f"set government {name.lower()}": actions.GOVERN + k for k, name in enumerate(GOVERNMENTS)},
}
"""All actions that are the same whoever is to move, by their words in small letters."""
_RATES = re.compile(r"set rates ([0-9]{1,3}) ?/ ?([0-9]{1,3}) ?/ ?([0-9]{1,3})")
_TREATY = re.compile(r"propose (.{1,30}) to player ([0-9])")
_CANCEL = re.compile(r"cancel peace with player ([0-9])")


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action that words name, or its number, legal or not; capitals do not matter.

    Raises:
        ValueError: ``no_such_action``, ``no_such_rates`` or ``no_such_player``; ``look_up`` for
            the call of a manual, which is not offered.
    """
    words = " ".join(text.lower().split()).strip(" .")
    words = ALIASES.get(words, words)
    if words in _BY_NAME:
        return _BY_NAME[words]
    if words in ("look_up", "look up", "manualandhistorysearch"):
        raise ValueError("look_up")
    seat = int(s["player"])
    if match := _RATES.fullmatch(words):
        given = tuple(map(int, match.groups()))
        for action in range(TAXES, actions.ACCEPT):
            if actions.rates_of(s, seat, action) == given:
                return action
        raise ValueError("no_such_rates")
    if match := _TREATY.fullmatch(words):
        if match[1] not in TREATY_WORDS:
            raise ValueError("no_such_treaty")
        k = _place_of(rules, seat, int(match[2]))
        return PROPOSE + k * TEMPLATES + TREATY_WORDS.index(match[1])
    if match := _CANCEL.fullmatch(words):
        return actions.CANCEL + _place_of(rules, seat, int(match[1]))
    number = re.fullmatch(r"(?:action )?([0-9]{1,3})", words)
    if number and int(number[1]) < actions.ACTIONS:
        return int(number[1])
    raise ValueError("no_such_action")


def _place_of(rules: Any, seat: int, other: int) -> int:
    k = (other - seat - 1) % rules.num_players
    if other >= rules.num_players or k == rules.num_players - 1:
        raise ValueError("no_such_player")
    return k
