"""What a player of Werewolf is told: the table, what happened by day and night, what was declared.

Everything here is written for a seat, and from what that seat knows; None stands for a spectator,
who sees all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stratagym.envs.werewolf.acts import CLAIM, ROLE_NAMES, WORDS, act_text, name_of
from stratagym.envs.werewolf.knowledge import (
    is_told_tonight,
    known_role,
    known_sides,
    knows_target,
    last_night,
    living_wolves,
    seen,
)
from stratagym.envs.werewolf.state import (
    ABSTAIN,
    AGREE,
    ASK_ROLE,
    ASK_VOTE,
    AT_KILLER,
    BID,
    BIDDING,
    BY_JESTER,
    BY_KILLER,
    BY_NOBODY,
    BY_VILLAGE,
    BY_WOLVES,
    DISAGREE,
    DOCTOR,
    EXILED,
    IS_WOLF,
    KILLED,
    KILLER,
    LIVING,
    NO_DEBATE,
    NOBODY,
    NOT_WOLF,
    PROTECTED,
    ROUND,
    RUNNING,
    SEER,
    SHOT,
    SHOT_AT_DAWN,
    SHOT_AT_DUSK,
    SPEECH,
    SUSPECT,
    SUSPECTED,
    TRUST,
    TRUSTED,
    UNDECIDED,
    VILLAGER,
    VOTE,
    WOLF,
    dead_before,
    is_peace,
)

RESULTS = {
    BY_VILLAGE: "The village has won.",
    BY_WOLVES: "The wolves have won.",
    BY_JESTER: "The jester has won.",
    BY_KILLER: "The killer has won.",
    BY_NOBODY: "All are dead, and nobody has won.",
    UNDECIDED: "The last day is over, and nobody has won.",
}


def listed(words: Iterable[str]) -> str:
    """Words with commas; ``nobody`` for none."""
    return ", ".join(words) or "nobody"


def seats_in(rules: Any, seats: int) -> list[int]:
    """The seats of a set."""
    return [seat for seat in range(rules.num_players) if int(seats) >> seat & 1]


def living(rules: Any, s: Any) -> list[int]:
    """The seats of the living."""
    return seats_in(rules, s["alive"])


def when_text(rules: Any, s: Any) -> str:
    """The day and its part, as all know it."""
    day, phase = int(s["day"]), int(s["phase"])
    if s["winner"] != RUNNING:
        return f"Day {day}, over"
    if phase <= AT_KILLER:
        return f"Night {day}"
    if phase == SHOT:
        return f"Day {day}, the hunter's shot"
    return f"Day {day}, {'vote' if phase == VOTE else 'debate'}"


def role_name(rules: Any, role: int) -> str:
    """A role as players read it."""
    if role == NOBODY:
        return "unknown"
    return "alpha wolf" if ROLE_NAMES[role] == "alpha" else ROLE_NAMES[role]


def seen_text(rules: Any, role: int) -> str:
    """What a check has shown."""
    if rules.seer:
        return "a wolf" if role == WOLF else "no wolf"
    return f"the {ROLE_NAMES[role]}" if role not in (VILLAGER, WOLF) else f"a {ROLE_NAMES[role]}"


def _fate(s: Any, seat: int) -> str:
    day = int(s["fate_day"][seat])
    return {
        LIVING: "lives",
        KILLED: f"killed in night {day}",
        EXILED: f"voted out on day {day}",
        SHOT_AT_DAWN: f"shot on the morning of day {day}",
        SHOT_AT_DUSK: f"shot on the evening of day {day}",
    }[int(s["fate"][seat])]


def _role_text(rules: Any, s: Any, player: int | None, seat: int) -> str:
    """What a player knows of a seat's role, None for a spectator; empty for nothing."""
    role = int(s["role"][seat] if player is None else known_role(rules, s, player, seat))
    if player is None or role != NOBODY:
        return role_name(rules, role)
    wolves, others = known_sides(rules, s, player)
    return "no wolf" if others >> seat & 1 else "a wolf" if wolves >> seat & 1 else ""


def table_text(rules: Any, s: Any, player: int | None) -> str:
    """All players in the order of their seats: what became of them, and the role, if known."""
    lines = []
    for seat in range(rules.num_players):
        told = _role_text(rules, s, player, seat)
        you = " (You)" if seat == player else ""
        parts = [_fate(s, seat), *([told] if told else [])]
        lines.append(f"- {name_of(rules, s, seat)}{you}: {', '.join(parts)}")
    return "\n".join(lines)


def columns_text(rules: Any, s: Any, player: int) -> str:
    """The same in columns, with what each has declared in its speeches."""
    talks = rules.debate != NO_DEBATE
    heads = ["player", "what became of it", "role", *(["declared, true or not"] if talks else [])]
    lines = [" | ".join(heads)]
    for seat in range(rules.num_players):
        you = " (You)" if seat == player else ""
        cells = [
            name_of(rules, s, seat) + you, _fate(s, seat),
            _role_text(rules, s, player, seat) or "unknown",
        ]  # fmt: skip
        if talks:
            cells.append(", ".join(_declared(rules, s, seat)) or "nothing")
        lines.append(" | ".join(cells))
    return "\n".join(lines)


# --- what happened -------------------------------------------------------------------------------


def _victims(rules: Any, s: Any, night: int) -> list[str]:
    return [
        name_of(rules, s, seat)
        for seat in range(rules.num_players)
        if s["fate"][seat] == KILLED and s["fate_day"][seat] == night
    ]


def _of_night(rules: Any, s: Any, player: int | None, night: int) -> list[str]:
    """What a player did and was told in a night that is over."""

    def name(seat: Any) -> str:
        return name_of(rules, s, int(seat))

    lines = []
    target, ward = int(s["target"][night]), int(s["ward"][night])
    check, choice = int(s["check"][night]), int(s["choice"][night])
    if target != NOBODY and (player is None or knows_target(s, player, night)):
        lines.append(f"{'The' if player is None else 'Your'} pack chose {name(target)}.")
    who = "" if player is None else int(s["role"][player])
    if ward != NOBODY and who in ("", DOCTOR):
        lines.append(f"{'The doctor' if player is None else 'You'} protected {name(ward)}.")
    if check != NOBODY and who in ("", SEER):
        seer = int(list(s["role"][: rules.num_players]).index(SEER)) if player is None else player
        what = seen_text(rules, int(seen(rules, s, seer, check)))
        lines.append(f"{'The seer' if player is None else 'You'} looked at {name(check)}: {what}.")
    if choice != NOBODY and who in ("", KILLER):
        lines.append(f"{'The killer' if player is None else 'You'} chose {name(choice)}.")
    if is_peace(rules, night):
        return lines
    victims = _victims(rules, s, night)
    lines.append(f"In the morning: {listed(victims)} was killed." if len(victims) < 2
                 else f"In the morning: {' and '.join(victims)} were killed.")  # fmt: skip
    return lines


def _shot(rules: Any, s: Any, day: int, fate: int) -> list[str]:
    """The hunter's shot of a time of day."""
    return [
        f"The hunter shot {name_of(rules, s, seat)}."
        for seat in range(rules.num_players)
        if s["fate"][seat] == fate and s["fate_day"][seat] == day
    ]


def votes_text(rules: Any, s: Any, player: int | None, day: int) -> str:
    """Who voted for whom on a day, as far as a player knows; empty before the vote is over."""
    told = []
    for seat in range(rules.num_players):
        vote = int(s["votes"][day][seat])
        is_shown = player in (None, seat) or not rules.secret or s["winner"] != RUNNING
        if vote != NOBODY and is_shown:
            about = "nobody" if vote == ABSTAIN else name_of(rules, s, vote)
            told.append(f"{name_of(rules, s, seat)} for {about}")
    return ", ".join(told)


def _of_day(rules: Any, s: Any, player: int | None, day: int) -> list[str]:
    lines = []
    if any(int(vote) != NOBODY for vote in s["votes"][day][: rules.num_players]):
        if tied := int(s["ties"][day]):
            names = (name_of(rules, s, seat) for seat in seats_in(rules, tied))
            lines.append(f"The first vote was a tie of {listed(names)}.")
        if told := votes_text(rules, s, player, day):
            lines.append(f"Votes: {told}.")
        out = [
            name_of(rules, s, seat)
            for seat in range(rules.num_players)
            if s["fate"][seat] == EXILED and s["fate_day"][seat] == day
        ]
        if not (s["tied"] and day == s["day"]):
            lines.append(f"Voted out: {listed(out)}.")
    return lines + _shot(rules, s, day, SHOT_AT_DUSK)


def past_lines(rules: Any, s: Any, player: int | None) -> list[str]:
    """All nights and days so far, a line for each."""
    lines = []
    for day in range(1, int(s["day"]) + 1):
        if day <= last_night(s) and not (player is not None and dead_before(s, player, day)):
            lines.append(f"- Night {day}: {' '.join(_of_night(rules, s, player, day))}")
        elif day <= last_night(s):
            victims = listed(_victims(rules, s, day))
            lines.append(f"- Night {day}: In the morning: {victims} was killed.")
        told = _shot(rules, s, day, SHOT_AT_DAWN) + _of_day(rules, s, player, day)
        if told:
            lines.append(f"- Day {day}: {' '.join(told)}")
    return lines


# --- tonight, and today --------------------------------------------------------------------------


def tonight_lines(rules: Any, s: Any, player: int | None) -> list[str]:
    """What the pack has named tonight, for those that are told."""
    if s["phase"] > AT_KILLER or s["winner"] != RUNNING:
        return []
    if player is not None and not is_told_tonight(s, player):
        return []
    lines = []
    for turn in range(2):
        told = [
            f"{name_of(rules, s, wolf)} names {name_of(rules, s, int(s['names'][turn][wolf]))}"
            for wolf in range(rules.num_players)
            if int(s["names"][turn][wolf]) != NOBODY
        ]
        if told:
            lines.append(f"{('First', 'Second')[turn]} round of the pack: {', '.join(told)}.")
    target = int(s["target"][s["day"]])
    if target != NOBODY and not (rules.one and player is not None):
        lines.append(f"The pack has chosen {name_of(rules, s, target)}.")
    return lines


def debate_lines(rules: Any, s: Any) -> list[str]:
    """How far today's debate is."""
    if rules.debate == NO_DEBATE or s["phase"] not in (BID, SPEECH):
        return []
    many = rules.turns if rules.debate == BIDDING else rules.speeches * len(living(rules, s))
    lines = [f"- This is speech {int(s['spoken']) + 1} of {many} today."]
    if rules.debate == ROUND:
        lines.append(f"- {name_of(rules, s, int(s['first']))} spoke first today.")
    last = int(s["last_speaker"])
    if last != NOBODY:
        acts = [act_text(rules, s, last, int(a)) for a in s["last_acts"][: s["last_said"]]]
        lines.append(f"- The last speaker was {name_of(rules, s, last)}: {listed(acts)}."
                     if acts else f"- The last speaker was {name_of(rules, s, last)}.")  # fmt: skip
    bids = [
        f"{name_of(rules, s, seat)} {int(s['bids'][seat])}"
        for seat in range(rules.num_players)
        if int(s["bids"][seat]) != NOBODY
    ]
    if bids:
        lines.append(f"- The last bids: {', '.join(bids)}.")
    speaker = int(s["speaker"])
    if s["phase"] == SPEECH and s["said"]:
        acts = [act_text(rules, s, speaker, int(a)) for a in s["acts"][: s["said"]]]
        lines.append(f"- Declared in the running speech: {', '.join(acts)}.")
    return lines


_TODAY = (SUSPECT, TRUST, ASK_VOTE, AGREE, DISAGREE, ASK_ROLE)
_EVER = (IS_WOLF, NOT_WOLF, PROTECTED)


def _declared(rules: Any, s: Any, seat: int) -> list[str]:
    told, counts = [], s["pairs"][seat].tolist()
    if int(s["claimed"][seat]) != NOBODY:
        told.append(f"{CLAIM} {ROLE_NAMES[int(s['claimed'][seat])]}")

    def about(place: int, word: str) -> None:
        for other in range(rules.num_players):
            if many := counts[other][place]:
                times = f" ({many} times)" if many > 1 else ""
                told.append(f"{word} {name_of(rules, s, other)}{times}")

    for act in _EVER:
        about(act, WORDS[act])
    for act in _TODAY:
        about(act, f"{WORDS[act]} today" if act == ASK_VOTE else WORDS[act])
    about(SUSPECTED, "earlier suspect")
    about(TRUSTED, "earlier trust")
    return told


def declared_lines(rules: Any, s: Any) -> list[str]:
    """What every player has declared in its speeches."""
    if rules.debate == NO_DEBATE:
        return []
    return [
        f"- {name_of(rules, s, seat)}: {', '.join(told)}"
        for seat in range(rules.num_players)
        if (told := _declared(rules, s, seat))
    ]


def count_text(rules: Any, s: Any) -> str:
    """How many wolves may live, by what all know."""
    least, most = living_wolves(rules, s)
    return f"{least}" if least == most else f"{least} to {most}"
