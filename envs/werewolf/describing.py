"""The rules of Werewolf in words, as the options have them."""

from __future__ import annotations

from typing import Any

from stratagym.envs.werewolf.acts import ALL_ACTS
from stratagym.envs.werewolf.state import (
    LOT,
    MAJORITY,
    NO_DEBATE,
    NOT_SELF,
    NOT_TWICE,
    PLURALITY,
    ROUND,
)
from stratagym.envs.words import section


def _roles(rules: Any) -> list[str]:
    n = rules.num_players
    special = rules.seers + rules.doctors + rules.hunter + rules.jester + rules.killer
    named = [f"{rules.wolves} {'wolf' if rules.wolves == 1 else 'wolves'}"]
    named += ["a seer"] * rules.seers + ["a doctor"] * rules.doctors
    named += ["a hunter"] * rules.hunter + ["a jester"] * rules.jester
    named += ["a killer"] * rules.killer + [f"{n - rules.wolves - special} villagers"]
    lines = [
        f"- The players are {', '.join(named[:-1])} and {named[-1]}, dealt by chance. Everybody "
        "knows these numbers and its own role; wolves know each other."
    ]
    if rules.alpha:
        lines.append(
            "- One of the wolves is the alpha wolf, whom a seer sees as one of the village."
        )
    return lines


def _wins(rules: Any) -> list[str]:
    others = "" if not rules.killer else " and the killer is dead"
    lines = [
        f"- The village (all but the wolves{_outsiders(rules)}) wins when no wolf lives{others}. "
        f"The wolves win when they are at least as many as all others who live{others}. Both are "
        "checked in the morning and after the exile. Dead players win and lose with their side."
    ]
    if rules.jester:
        lines.append("- The jester alone wins if it is voted out, which ends the game.")
    if rules.killer:
        lines.append(
            "- The killer wins alone when it lives with at most one other player; while it lives "
            "nobody else wins. If all are dead, nobody does."
        )
    lines.append(f"- After {rules.max_days} days without an end the game is a draw.")
    return lines


def _outsiders(rules: Any) -> str:
    named = ["the jester"] * rules.jester + ["the killer"] * rules.killer
    return "".join(f", {one}" for one in named)


def _night(rules: Any) -> list[str]:
    lines = ["- The game begins with the first night. At night all choose unseen by the others:"]
    if rules.one:
        lines.append("  - One of the living wolves, drawn by lot, names a player who is no wolf.")
    else:
        lines.append(
            "  - The living wolves name a player who is no wolf, one after the other, each "
            "knowing the names before. If they do not agree they name once more; then a lot among "
            "these names decides."
        )
    if rules.doctors:
        limit = {
            NOT_SELF: "other living player",
            NOT_TWICE: "living player, itself included, but not the same in two nights running",
        }.get(rules.doctor, "living player, itself included")
        lines.append(f"  - The doctor protects any {limit}.")
    if rules.seers:
        what = "whether that is a wolf" if rules.seer else "that player's role"
        lines.append(
            f"  - The seer looks at another living player whom it has not looked at, and learns "
            f"{what}."
        )
    if rules.killer:
        lines.append("  - The killer names another living player.")
    lines.append(
        "- In the morning whom the wolves"
        + (" or the killer" if rules.killer else "")
        + " named is dead, unless the doctor protected that player; all choices count even if "
        "who made them dies. All are told who died, or that nobody did, and "
        + ("which role the dead had." if rules.reveal else "not which role the dead had.")
    )
    if rules.peace:
        lines.append("- In the first night nobody is killed; only a seer chooses.")
    return lines


def _debate(rules: Any) -> list[str]:
    if rules.debate == NO_DEBATE:
        return ["- By day nobody speaks."]
    if rules.debate == ROUND:
        times = "once" if rules.speeches == 1 else f"{rules.speeches} times"
        lines = [
            f"- By day each living player speaks {times}, clockwise from a player drawn by lot."
        ]
    else:
        lines = [
            f"- By day there are {rules.turns} speeches. Before each all but the last speaker bid "
            "from 0 to 4, at the same time; bids are then shown. The highest speaks; among equals "
            "first those about whom the last speech declared something, then a lot."
        ]
    lines += _acts(rules)
    return lines


def _acts(rules: Any) -> list[str]:
    """What a speech does besides its words."""
    if rules.debate == NO_DEBATE or not rules.acts:
        return []
    if rules.read:
        return [f"- From the words of a speech at most {rules.acts} acts are read."]
    named = ", ".join(ALL_ACTS[:2])
    return [
        f"- A speech declares at most {rules.acts} acts: claim and a role (once; villager, seer, "
        f"doctor, hunter, wolf, jester or killer), or a word and another player's name: {named}, "
        "wolf (you looked, and it is one), not_wolf (you looked, and it is none), protected (you "
        "did, at night), vote (all should vote so), agree, disagree, ask_role. wolf, not_wolf and "
        "protected may be about the dead, protected about yourself; no act twice. Nothing that is "
        "said has to be true."
    ]


def _vote(rules: Any) -> list[str]:
    shown = "only the result is told" if rules.secret else "then all are told who voted for whom"
    may = " or for nobody" if rules.abstain else ""
    out = {
        MAJORITY: "who has the votes of more than half of the living is exiled, else nobody",
        PLURALITY: "who has most votes is exiled, and nobody in a tie",
        LOT: "who has most votes is exiled, and in a tie one of the tied, by lot",
    }.get(
        rules.exile,
        "who has most votes is exiled; in a tie all vote once more among the tied, and another "
        "tie exiles nobody",
    )
    lines = [
        f"- Then all the living vote at the same time for another living player{may}; {shown}; "
        f"{out}."
    ]
    if rules.hunter:
        when = "voted out or killed at night" if rules.hunter_night else "voted out"
        lines.append(
            f"- A hunter who is {when} may take one living player along, which all see, before it "
            "is checked who has won."
        )
    return lines


def rules_text(rules: Any) -> str:
    """The rules in force."""
    lines = _roles(rules) + _wins(rules) + _night(rules) + _debate(rules) + _vote(rules)
    return section("Rules", *lines)


def rules_brief(rules: Any) -> str:
    """The roles and the aims."""
    return section("Rules", *_roles(rules), *_wins(rules))


def notation_text(rules: Any) -> str:
    """How players and acts are written."""
    nobody = ' or "nobody"' if rules.abstain or rules.hunter else ""
    return section(
        "How players and acts are written",
        f"- A player is written as its name, as it stands in the list of players{nobody}.",
        *_acts(rules),
    )
