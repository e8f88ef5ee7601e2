"""Werewolf in words: prompts for every phase, replies as JSON, talk, and what is said for players
without words.

The fields of prompts and replies are those of DSGBench's, which are Werewolf Arena's; the sentences
are this project's. A speech is words (``say``) and what they do (``acts``), and each reaches those
that can read it.
"""

from __future__ import annotations

from typing import Any

from stratagym.envs.plans import EACH, SHOWN_PLAN
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.werewolf import telling
from stratagym.envs.werewolf.acts import (
    READ,
    ROLE_NAMES,
    act_of,
    act_text,
    acts_in,
    name_of,
    named,
    naming_text,
    seat_at,
    speech_text,
)
from stratagym.envs.werewolf.describing import notation_text as notation_text
from stratagym.envs.werewolf.describing import rules_brief as rules_brief
from stratagym.envs.werewolf.describing import rules_text as rules_text
from stratagym.envs.werewolf.rules import choices
from stratagym.envs.werewolf.state import (
    AT_DOCTOR,
    AT_KILLER,
    AT_SEER,
    BID,
    JESTER,
    PROTECTED,
    RUNNING,
    SHOT,
    VOTE,
    WOLVES,
)
from stratagym.envs.werewolf.state import SPEECH as AT_SPEECH
from stratagym.envs.words import section

PROMPT_VERSION = "werewolf-1"
PLAN = EACH
SPEECH = "say"
POSITION_FORMS = ("board", "table")
SIDE_NAMES = ("village", "wolves", "outsider", "second outsider")
"""The jester and the killer are outsiders, each on its own; who is alone is the first."""
KEYS = {
    WOLVES: "remove", AT_DOCTOR: "protect", AT_SEER: "investigate", AT_KILLER: "kill", BID: "bid",
    VOTE: "vote", SHOT: "shoot",
}  # fmt: skip
"""The member of a reply that holds the choice, by phase; a speech has ``say`` and ``acts``."""
BIDS = 5
MOST_ACTS = 50
"""Acts of a reply that are looked at."""
RENAMED = {
    "werewolf": "infiltration", "wolf": "mole", "wolves": "moles", "alpha": "prime",
    "pack": "cell", "seer": "scanner", "doctor": "medic", "hunter": "marksman",
    "jester": "trickster", "killer": "saboteur", "villager": "colonist",
    "villagers": "colonists", "village": "colony",
}  # fmt: skip
"""The game's name and its roles, and what they are called under ``TextOptions.renamed``."""
HINTS = (
    "The village wins by votes: a vote that follows nothing that was said helps the wolves.",
    "A seer's results are worth most while the seer lives and is believed.",
    "Compare what was said with who died: wolves seldom kill those who accuse the wrong players.",
    "Look at past votes: wolves often vote together, or leave each other out.",
)


ANSWER = SHOWN_PLAN


# --- names and roles -----------------------------------------------------------------------------


def seat_name(rules: Any, s: Any, player: int) -> str:
    """A first name, drawn for each game."""
    return name_of(rules, s, player)


def dealt_sides(rules: Any, s: Any) -> tuple[tuple[int, ...], ...]:
    """The village, the wolves, and the jester and the killer, each alone, where there are such."""
    seats, wolves = range(rules.num_players), int(s["wolves"])
    pack = tuple(seat for seat in seats if wolves >> seat & 1)
    outsiders = [(seat,) for seat in seats if s["role"][seat] >= JESTER]
    village = (seat for seat in seats if seat not in pack and (seat,) not in outsiders)
    return (tuple(village), pack, *sorted(outsiders, key=lambda one: int(s["role"][one[0]])))


def dealt_role(rules: Any, s: Any, seat: int) -> str:
    """The name of a seat's role."""
    return ROLE_NAMES[int(s["role"][seat])]


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """A name, ``nobody``, a bid such as ``3``, or an act of a speech such as ``suspect Ada``."""
    n, seat = rules.num_players, int(s["player"])
    if action < n:
        return name_of(rules, s, seat_at(rules, s, seat, action))
    if action == n:
        return "nobody"
    if action <= n + BIDS:
        return str(action - n - 1)
    return act_text(rules, s, seat, action)


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action that a text means in this phase.

    Raises:
        ValueError: ``unknown_name``, ``ambiguous_name``; of speeches ``unknown_act`` and
            ``unknown_role``; of bids ``no_bid``.
    """
    n, seat = rules.num_players, int(s["player"])
    if s["phase"] == AT_SPEECH:
        return act_of(rules, s, seat, text)
    word = " ".join(text.split()).casefold()
    if s["phase"] == BID:
        if word not in map(str, range(BIDS)):
            raise ValueError("no_bid")
        return n + 1 + int(word)
    if word == "nobody":
        return n
    return (named(rules, s, text) - seat) % n


def move_text(rules: Any, s: Any, action: int) -> str:
    """What all see of a move; nothing of those of the night, and of secret votes."""
    name, told = name_of(rules, s, int(s["player"])), action_to_string(rules, s, action)
    if s["phase"] == AT_SPEECH:
        return f"{name} said: {told}." if action != rules.num_players + 6 else ""
    if s["phase"] == BID:
        return f"{name} bid {told}."
    if s["phase"] == SHOT:
        return f"{name}, the hunter, shot {told}."
    return f"{name} voted for {told}." if s["phase"] == VOTE and not rules.secret else ""


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the player may not do this, as one word.

    ``not_an_option``, ``dead_player``, ``oneself``; of speeches ``too_many_acts``,
    ``second_claim``, ``repeated_act`` too.
    """
    n, seat = rules.num_players, int(s["player"])
    if s["phase"] == AT_SPEECH:
        if action <= n + 6 or action >= rules.num_actions:
            return "not_an_option"
        if s["said"] >= rules.acts:
            return "too_many_acts"
        if action < n + 14:
            return "second_claim"
        if action in s["acts"][: s["said"]]:
            return "repeated_act"
        act, offset = divmod(action - n - 14, n)
        return "oneself" if offset == 0 and act != PROTECTED else "dead_player"
    if not 0 <= action < n or s["phase"] == BID:
        return "not_an_option"
    about = seat_at(rules, s, seat, action)
    if not int(s["alive"]) >> about & 1:
        return "dead_player"
    return "oneself" if about == seat else "not_an_option"


# --- replies -------------------------------------------------------------------------------------


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The choice of a reply, or the acts of a speech.

    Raises:
        ReplyError: ``no_json``, ``no_choice``, ``no_speech``, ``bad_type``.
    """
    found = last_json(text, dict)
    if s["phase"] == AT_SPEECH:
        if not {"say", "acts"} & found.keys():
            raise ReplyError("no_speech")
        if rules.read or "acts" not in found:
            return _acts_said(rules, s, found)
        return _declared(found["acts"])
    value = found.get(KEYS[int(s["phase"])])
    if value is None:
        raise ReplyError("no_choice")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ReplyError("bad_type")
    return [str(value)]


def _declared(acts: Any) -> list[str]:
    """The acts that a reply names, as moves; whatever else stands there is one too."""
    found = []
    for act in (acts if isinstance(acts, list) else [acts])[:MOST_ACTS]:
        words = act if isinstance(act, list) else [act]
        found.append(" ".join(str(word) for word in words[:4]))
    return found


def _words(found: Any) -> str:
    """What a reply says to others, all together."""
    said = found.get(SPEECH)
    if isinstance(said, dict):
        said = [text for to, text in said.items() if to not in ("me", "myself", "to")]
    texts = said if isinstance(said, list) else [said]
    return "\n".join(
        text if isinstance(text, str) else str(text.get("text", ""))
        for text in texts
        if isinstance(text, str | dict)
    )


def _acts_said(rules: Any, s: Any, found: Any) -> list[str]:
    return acts_in(rules, s, int(s["player"]), _words(found))


def plan_facts(rules: Any, s: Any, text: str, actions: tuple[int, ...]) -> dict[str, int]:
    """Of a speech: acts that were played, whether they were read from its words, and how the two
    compare.

    ``acts``, ``parsed`` (1 if the acts were read from the words), ``declared`` and ``read`` (acts
    of the kinds that can be read, as declared and as read), ``agreed`` (those in both).
    """
    if s["phase"] != AT_SPEECH:
        return {}
    found, seat = last_json(text, dict), int(s["player"])
    played = [act_text(rules, s, seat, action) for action in actions][:-1]
    read = set(_acts_said(rules, s, found))
    is_parsed = bool(rules.read) or "acts" not in found
    declared = {one for one in played if one.partition(" ")[0] in READ}
    return {
        "acts": len(played),
        "parsed": int(is_parsed),
        "declared": len(declared),
        "read": len(read),
        "agreed": len(declared & read),
    }


def default_actions(rules: Any, s: Any) -> list[int]:
    """The end of a speech, a bid of 0; nothing where somebody has to be chosen."""
    n = rules.num_players
    return [n + 6] if s["phase"] == AT_SPEECH else [n + 1] if s["phase"] == BID else []


# --- talk ----------------------------------------------------------------------------------------


def present(rules: Any, s: Any) -> list[int]:
    """The living."""
    return telling.living(rules, s)


def listeners(rules: Any, s: Any, seat: int) -> list[int]:
    """In a speech all others who live; at night the rest of a wolf's pack."""
    if s["winner"] != RUNNING or not int(s["alive"]) >> seat & 1:
        return []
    if s["phase"] == AT_SPEECH:
        return [other for other in present(rules, s) if other != seat]
    if s["phase"] <= AT_KILLER and int(s["wolves"]) >> seat & 1:
        pack = telling.seats_in(rules, int(s["alive"]) & int(s["wolves"]))
        return [other for other in pack if other != seat]
    return []


def phase_text(rules: Any, s: Any) -> str:
    """Such as ``Night 2``, the same for all who are awake then."""
    return telling.when_text(rules, s)


def spoken_text(rules: Any, s: Any, action: int) -> str:
    """An act, or a wolf's choice, in words of this project."""
    seat = int(s["player"])
    if s["phase"] == AT_SPEECH:
        return speech_text(rules, s, seat, action)
    if s["phase"] == WOLVES and action < rules.num_players:
        return naming_text(rules, s, seat, action)
    return ""


# --- the prompt ----------------------------------------------------------------------------------


def role_text(rules: Any, player: int) -> str:
    """What is played."""
    return (
        f"You play a game of Werewolf with {rules.num_players} players. Your name and your role "
        "stand with the position."
    )


def board_text(rules: Any, s: Any) -> str:
    """The table as a spectator sees it, with all roles, and what happened."""
    lines = [telling.when_text(rules, s), telling.table_text(rules, s, None)]
    if s["winner"] != RUNNING:
        lines.append(telling.RESULTS[int(s["winner"])])
    lines += telling.past_lines(rules, s, None)
    lines += telling.tonight_lines(rules, s, None)
    return "\n".join(lines)


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """What a seat knows of the game, and what it is asked if it is to move.

    As ``table``, what players have declared stands in columns beside what became of them.
    """
    role, in_columns = int(s["role"][player]), form == "table"
    players = telling.columns_text if in_columns else telling.table_text
    parts = [
        section(
            "State of the game",
            f"- Now: {telling.when_text(rules, s)}",
            f"- Your name: {name_of(rules, s, player)}",
            f"- Your role: {telling.role_name(rules, role)}",
            f"- Wolves that live, by what all know: {telling.count_text(rules, s)}",
        ),
        section("Players, clockwise", players(rules, s, player)),
    ]
    past = telling.past_lines(rules, s, player) + telling.tonight_lines(rules, s, player)
    if past:
        parts.append(section("What happened, and what you did and were told", *past))
    if not in_columns and (told := telling.declared_lines(rules, s)):
        parts.append(section("Declared in speeches, true or not", *told))
    if told := telling.debate_lines(rules, s):
        parts.append(section("Today's debate", *told))
    if s["winner"] != RUNNING:
        parts.append(telling.RESULTS[int(s["winner"])])
    elif int(s["player"]) == player:
        parts += _asked(rules, s, player)
    return "\n\n".join(parts)


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The same for a terminal."""
    return position_text(rules, s, player, POSITION_FORMS[0])


_ASKED = {
    WOLVES: ("Name whom your pack is to kill tonight.", "<name>"),
    AT_DOCTOR: ("Choose whom you protect tonight.", "<name>"),
    AT_SEER: ("Choose whom you look at tonight.", "<name>"),
    AT_KILLER: ("Choose whom you kill tonight.", "<name>"),
    SHOT: ("You may take one player with you.", '<name, or "nobody">'),
}
_BID_TEXT = (
    "Bid for the next speech: 0 to listen, 1 with general thoughts, 2 with something specific, 3 "
    "if it is urgent, 4 if you were addressed directly. The highest bid speaks."
)


def _asked(rules: Any, s: Any, player: int) -> list[str]:
    """What the phase asks, the options, and the form of the reply."""
    phase = int(s["phase"])
    if phase == AT_SPEECH:
        return _speech_asked(rules, s)
    if phase == BID:
        form = '{"reasoning": <text>, "bid": "0", "1", "2", "3" or "4"}'
        return [section("Your bid", _BID_TEXT), section("Form of the answer", form)]
    found = telling.seats_in(rules, choices(rules, s))
    options = f"Options: {telling.listed(name_of(rules, s, seat) for seat in found)}."
    if phase == VOTE:
        return _vote_asked(rules, s, options)
    what, value = _ASKED[phase]
    members = [f'"reasoning": <text>, "{KEYS[phase]}": {value}']
    lines = [what, options]
    if phase == WOLVES and listeners(rules, s, player):
        members.append('"say": <words that your pack alone hears>')
    if phase == WOLVES and not rules.one and s["pack_round"]:
        lines.insert(0, "The pack did not agree. Whom it names now counts; without agreement a lot "
                     "among these names decides.")  # fmt: skip
    return [
        section("Your choice", *lines),
        section("Form of the answer", "{" + ", ".join(members) + "}"),
    ]


def _vote_asked(rules: Any, s: Any, options: str) -> list[str]:
    lines = ["Vote for whom the village is to exile.", options]
    if s["tied"]:
        lines.insert(0, "The vote was a tie. Everybody votes once more, among those who were tied.")
    value = '<name, or "nobody">' if rules.abstain else "<name>"
    return [
        section("Your vote", *lines),
        section(
            "Form of the answer",
            f'{{"reasoning": <text>, "vote": {value}, "say": {{"me": <a note to yourself on the '
            "day, of at most 600 characters, that only you read later>}}",
        ),
    ]


def _speech_asked(rules: Any, s: Any) -> list[str]:
    lines = ["Speak to all who live, in at most 800 characters."]
    if rules.acts and rules.read:
        lines.append("What your speech does is read from its words: name players by their names.")
        form = '{"reasoning": <text>, "say": <words>}'
    elif rules.acts:
        lines.append(
            f"Declare under acts what your words do, at most {rules.acts} acts; players who do not "
            "read words read these."
        )
        form = '{"reasoning": <text>, "say": <words>, "acts": [[<word>, <name or role>], ...]}'
    else:
        form = '{"reasoning": <text>, "say": <words>}'
    return [section("Your speech", *lines), section("Form of the answer", form)]


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The options; of a speech, its acts."""
    told = [action_to_string(rules, s, action) for action in legal]
    return section("Legal moves", ", ".join(told))


def task_text(rules: Any) -> str:
    """The objective."""
    return "Play so that your side wins."
