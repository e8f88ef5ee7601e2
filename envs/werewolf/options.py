"""The options of Werewolf, as people write them, and the numbers that the kernel takes."""

from __future__ import annotations

from typing import Any

from stratagym.envs.core import Option, integer
from stratagym.envs.werewolf.state import (
    ANY,
    BIDDING,
    LOT,
    MAJORITY,
    MAX_ACTS,
    MAX_DAYS,
    MAX_SEATS,
    NO_DEBATE,
    NOT_SELF,
    NOT_TWICE,
    PLURALITY,
    REVOTE,
    ROUND,
    SEES_ROLE,
    SEES_SIDE,
)

NEUTRAL = (
    "Ada", "Bruno", "Clara", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irma", "Jonas", "Karla",
    "Linus", "Mira", "Nils", "Olga", "Pavel", "Rosa", "Silas", "Tilda", "Ugo", "Vera", "Wanda",
    "Yannis", "Zoe",
)  # fmt: skip
PAPER = (
    "Derek", "Scott", "Jacob", "Isaac", "Hayley", "David", "Tyler", "Ginger", "Jackson", "Mason",
    "Dan", "Bert", "Will", "Sam", "Paul", "Leah", "Harold",
)  # fmt: skip
"""The list of Werewolf Arena and DSGBench."""

PACKS = {5: 1, 6: 1, 7: 2, 8: 2, 9: 2, 10: 2, 11: 3, 12: 3, 13: 4, 14: 4, 15: 4, 16: 4}
"""Wolves by players; 5 with more."""
DOCTORS = {"any": ANY, "not_self": NOT_SELF, "not_twice": NOT_TWICE, "none": ANY}
SEERS = {"role": SEES_ROLE, "side": SEES_SIDE, "none": SEES_ROLE}
DEBATES = {"round": ROUND, "bid": BIDDING, "none": NO_DEBATE}
EXILES = {"majority": MAJORITY, "plurality": PLURALITY, "lot": LOT, "revote": REVOTE}

_YES = (0, 1)
OPTIONS = {
    "players": Option(8, integer(5, MAX_SEATS), "5 to 20"),
    "hunter": Option(0, _YES, "1: a hunter, who takes a player along when voted out"),
    "hunter_night": Option(0, _YES, "1: and when killed at night"),
    "alpha": Option(0, _YES, "1: a wolf whom the seer sees as a villager"),
    "jester": Option(0, _YES, "1: a jester, who wins when voted out"),
    "killer": Option(0, _YES, "1: a serial killer, against everybody"),
    "first_night": Option("kill", ("kill", "peace"), "whether players are killed in it"),
    "kill": Option("pack", ("pack", "one"), "how the wolves choose"),
    "doctor": Option("any", tuple(DOCTORS), "whom the doctor may protect"),
    "seer": Option("role", tuple(SEERS), "what the seer learns"),
    "reveal": Option("nothing", ("nothing", "role"), "what is told of the dead"),
    "debate": Option("round", tuple(DEBATES), "in which order players speak"),
    "speeches": Option(1, integer(1, 3), "of each player in a day's round"),
    "turns": Option(8, integer(1, 20), "speeches of a day where players bid for them"),
    "acts": Option(3, integer(0, MAX_ACTS), "most acts of a speech"),
    "acts_from": Option("reply", ("reply", "say"), "whether a reply declares its acts"),
    "votes": Option("public", ("public", "secret"), "whether all see who voted for whom"),
    "abstain": Option(0, _YES, "1: a player may vote for nobody"),
    "exile": Option("majority", tuple(EXILES), "who is voted out"),
    "max_days": Option(30, integer(1, MAX_DAYS), "after which the game is a draw"),
    "names": Option("neutral", ("neutral", "paper"), "what players are called"),
}


def numbers(**options: Any) -> dict[str, int]:
    """The fields of ``Rules`` by name.

    Raises:
        ValueError: too few villagers for the roles, or too few names for the players.
    """
    n, seer, doctor = options["players"], options["seer"], options["doctor"]
    wolves = PACKS.get(n, 5)
    special = {name: options[name] for name in ("hunter", "jester", "killer")}
    villagers = n - wolves - (seer != "none") - (doctor != "none") - sum(special.values())
    if villagers < 0:
        raise ValueError(
            f"werewolf: players={n} has {villagers + sum(special.values())} villagers, too few "
            f"for {' and '.join(name for name, one in special.items() if one)}"
        )
    if options["hunter_night"] and not options["hunter"]:
        raise ValueError("werewolf: hunter_night=1 needs hunter=1")
    if options["names"] == "paper" and n > len(PAPER):
        raise ValueError(f"werewolf: names=paper has {len(PAPER)} names, too few for players={n}")
    return {
        "num_players": n,
        "wolves": wolves,
        "seers": int(seer != "none"),
        "doctors": int(doctor != "none"),
        **special,
        "hunter_night": options["hunter_night"],
        "alpha": options["alpha"],
        "one": int(options["kill"] == "one"),
        "peace": int(options["first_night"] == "peace"),
        "doctor": DOCTORS[doctor],
        "seer": SEERS[seer],
        "debate": DEBATES[options["debate"]],
        "speeches": options["speeches"],
        "turns": options["turns"],
        "acts": options["acts"],
        "secret": int(options["votes"] == "secret"),
        "abstain": options["abstain"],
        "exile": EXILES[options["exile"]],
        "reveal": int(options["reveal"] == "role"),
        "max_days": options["max_days"],
        "paper": int(options["names"] == "paper"),
        "read": int(options["acts_from"] == "say"),
    }
