"""Acts of a speech in words: how they are written, said for a player without words, and read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from stratagym.envs.werewolf.options import NEUTRAL, PAPER
from stratagym.envs.werewolf.state import (
    ACTS,
    AGREE,
    ALPHA,
    ASK_ROLE,
    ASK_VOTE,
    CLAIMS,
    DISAGREE,
    DOCTOR,
    HUNTER,
    IS_WOLF,
    JESTER,
    KILLER,
    NOT_WOLF,
    PROTECTED,
    SEER,
    SUSPECT,
    TRUST,
    VILLAGER,
    WOLF,
)

ROLE_NAMES = {
    VILLAGER: "villager", WOLF: "wolf", SEER: "seer", DOCTOR: "doctor", HUNTER: "hunter",
    ALPHA: "alpha", JESTER: "jester", KILLER: "killer",
}  # fmt: skip
WORDS = {
    SUSPECT: "suspect", TRUST: "trust", IS_WOLF: "wolf", NOT_WOLF: "not_wolf",
    PROTECTED: "protected", ASK_VOTE: "vote", AGREE: "agree", DISAGREE: "disagree",
    ASK_ROLE: "ask_role",
}  # fmt: skip
CLAIM, END = "claim", "end"
_ACT_OF = {word: act for act, word in WORDS.items()}
_CLAIM_OF = {ROLE_NAMES[role]: k for k, role in enumerate(CLAIMS)}

_SAID = {
    SUSPECT: ("I do not trust {t}.", "I suspect {t}.", "{t} looks suspicious to me.",
              "Something about {t} is suspicious."),
    TRUST: ("I trust {t}.", "I believe {t}.", "To me {t} seems to be innocent.",
            "I would not suspect {t}."),
    IS_WOLF: ("I checked {t}: a wolf.", "I looked at {t} at night, and {t} is a wolf.",
              "My check says that {t} is a wolf.", "I have checked {t}, a wolf."),
    NOT_WOLF: ("I checked {t}: no wolf.", "I looked at {t} at night, and {t} is no wolf.",
               "My check says that {t} is no wolf.", "I have checked {t}, no wolf."),
    PROTECTED: ("I protected {t}.", "At night I kept {t} safe.", "It was {t} whom I protected.",
                "I guarded {t}."),
    ASK_VOTE: ("Let us vote for {t}.", "I ask you all to vote for {t}.",
               "We should vote {t} out today.", "My vote goes to {t}; join me."),
    AGREE: ("I agree with {t}.", "{t} is right.", "What {t} says makes sense.",
            "I am with {t} on that."),
    DISAGREE: ("I disagree with {t}.", "{t} is mistaken.", "I do not see it as {t} does.",
               "What {t} says does not convince me."),
    ASK_ROLE: ("{t}, what is your role?", "{t}, tell us your role.",
               "I want to hear from {t} what role that is.", "{t}, who are you?"),
}  # fmt: skip
_CLAIMED = ("I am {role}.", "You should know that I am {role}.",
            "I will say it openly: I am {role}.", "My role: I am {role}.")  # fmt: skip
_NAMED = ("I say we take {t}.", "Let us take {t}.", "{t} should go tonight.", "My choice is {t}.")
_SILENT = ("I have nothing to say.", "I pass.", "I would rather listen.", "Nothing from me.")


def name_of(rules: Any, s: Any, seat: int) -> str:
    """What a seat is called."""
    return (PAPER if rules.paper else NEUTRAL)[int(s["called"][seat])]


def names(rules: Any, s: Any) -> list[str]:
    """What all seats are called."""
    return [name_of(rules, s, seat) for seat in range(rules.num_players)]


def seat_at(rules: Any, s: Any, seat: int, offset: int) -> int:
    """The seat so many places clockwise of another."""
    return int((seat + offset) % rules.num_players)


# --- acts as actions -----------------------------------------------------------------------------


def act_text(rules: Any, s: Any, seat: int, action: int) -> str:
    """An action of a seat's speech, such as ``suspect Ada`` or ``claim seer``."""
    n = rules.num_players
    if action == n + 6:
        return END
    if action < n + 14:
        return f"{CLAIM} {ROLE_NAMES[CLAIMS[action - n - 7]]}"
    act, offset = divmod(action - n - 14, n)
    return f"{WORDS[act]} {name_of(rules, s, seat_at(rules, s, seat, offset))}"


def act_of(rules: Any, s: Any, seat: int, text: str) -> int:
    """The action that ``act_text`` writes so.

    Raises:
        ValueError: ``unknown_act``, ``unknown_role``, ``unknown_name``, ``ambiguous_name``.
    """
    n = rules.num_players
    word, _, rest = " ".join(text.split()).casefold().partition(" ")
    if word == END and not rest:
        return n + 6
    if word == CLAIM:
        role = rest.removeprefix("the ").removeprefix("a ")
        if role not in _CLAIM_OF:
            raise ValueError("unknown_role")
        return n + 7 + _CLAIM_OF[role]
    if word not in _ACT_OF:
        raise ValueError("unknown_act")
    return n + 14 + n * _ACT_OF[word] + (named(rules, s, rest) - seat) % n


def named(rules: Any, s: Any, text: str) -> int:
    """The seat of a name, in capitals or not.

    Raises:
        ValueError: ``unknown_name``, or ``ambiguous_name`` for a text with several.
    """
    wanted = " ".join(text.split()).casefold().removesuffix("(you)").strip()
    known = [name.casefold() for name in names(rules, s)]
    if wanted in known:
        return known.index(wanted)
    inside = sum(name in re.findall(r"\w+", wanted) for name in known)
    raise ValueError("ambiguous_name" if inside > 1 else "unknown_name")


# --- acts as words of players that have none -----------------------------------------------------


def _one_of(lines: tuple[str, ...], rules: Any, s: Any, action: int) -> str:
    """One of some lines, the same whenever it is asked for."""
    called = sum(int(name) * (k + 1) for k, name in enumerate(s["called"][: rules.num_players]))
    return lines[(called + 7 * int(s["day"]) + 3 * int(s["spoken"]) + action) % len(lines)]


def speech_text(rules: Any, s: Any, seat: int, action: int) -> str:
    """An act in words; of an end, words of who has said nothing."""
    n = rules.num_players
    if action == n + 6:
        return "" if s["said"] else _one_of(_SILENT, rules, s, seat)
    if action < n + 14:
        role = ROLE_NAMES[CLAIMS[action - n - 7]]
        article = "a" if role in ("villager", "wolf") else "the"
        return _one_of(_CLAIMED, rules, s, seat).format(role=f"{article} {role}")
    act, offset = divmod(action - n - 14, n)
    about = name_of(rules, s, seat_at(rules, s, seat, offset))
    return _one_of(_SAID[act], rules, s, action).format(t=about)


def naming_text(rules: Any, s: Any, seat: int, action: int) -> str:
    """A wolf's choice, in words for its pack."""
    about = name_of(rules, s, seat_at(rules, s, seat, action))
    return _one_of(_NAMED, rules, s, action).format(t=about)


# --- acts read from words ------------------------------------------------------------------------

_ROLE_WORDS = {
    "villager": "villager", "seer": "seer", "doctor": "doctor", "hunter": "hunter",
    "wolf": "wolf", "werewolf": "wolf", "jester": "jester", "killer": "killer",
}  # fmt: skip
_CLAIMING = re.compile(
    r"\b(?:i am|i'm|as) (?:the |a |an |your )?"
    r"(villager|seer|doctor|hunter|werewolf|wolf|jester|killer)\b"
)
_LOOKED = re.compile(r"\b(?:investigated|checked|check|looked at)\b")
_NOT = {"not", "no", "never", "don't", "doesn't", "isn't", "wasn't", "cannot", "can't", "without"}
_KEYS = (
    ("vote", re.compile(r"\b(?:vote|votes|voting|exile|remove)\b")),
    ("protected", re.compile(r"\b(?:protected|guarded|kept)\b")),
    ("suspect", re.compile(r"\b(?:suspicious|suspects?|wolf|werewolf|lying|liar|deflect\w*)\b")),
    ("trust", re.compile(r"\b(?:trusts?|innocent|believes?)\b")),
)
_SENTENCES = re.compile(r"[.!?;\n]+")
READ = frozenset({CLAIM, "wolf", "not_wolf", "vote", "protected", "suspect", "trust"})
"""Acts that are read from words."""


def _is_denied(before: str) -> bool:
    """Whether one of the last three words denies what follows."""
    return bool(_NOT & set(re.findall(r"[\w']+", before)[-3:]))


def acts_in(rules: Any, s: Any, seat: int, words: str) -> list[str]:
    """The acts that a speech's words show, in their order, at most as many as a speech may have.

    A sentence is one act about every other player that it names: the first of a check's result, a
    vote, a protection, suspicion and trust of which it holds a word. A word of denial up to three
    words before turns suspicion into trust, and trust into suspicion.
    """
    known = {name.casefold(): k for k, name in enumerate(names(rules, s)) if k != seat}
    shown = {name.casefold(): name for name in names(rules, s)}
    found: list[str] = []
    for sentence in _SENTENCES.split(words.casefold().replace("\u2019", "'")):
        for move in _acts_of(sentence, list(known)):
            word, _, about = move.partition(" ")
            told = f"{word} {shown.get(about, about)}"
            claims_again = word == CLAIM and any(one.startswith(CLAIM) for one in found)
            if told not in found and not claims_again:
                found.append(told)
    return found[: rules.acts]


def _acts_of(sentence: str, known: list[str]) -> Iterator[str]:
    claim = _CLAIMING.search(sentence)
    if claim is not None and not _is_denied(sentence[: claim.start()]):
        yield f"{CLAIM} {_ROLE_WORDS[claim[1]]}"
    about = [name for name in re.findall(r"\w+", sentence) if name in known]
    if not about:
        return
    looked = _LOOKED.search(sentence)
    if looked is not None and (wolf := re.search(r"\b(?:were)?wol(?:f|ves)\b", sentence)):
        word = "not_wolf" if _is_denied(sentence[: wolf.start()]) else "wolf"
    elif looked is not None and "innocent" in sentence:
        word = "not_wolf"
    else:
        for word, key in _KEYS:  # noqa: B007 - the first that is there
            if (match := key.search(sentence)) is not None:
                break
        else:
            return
        if _is_denied(sentence[: match.start()]):
            if word in ("vote", "protected"):
                return
            word = "trust" if word == "suspect" else "suspect"
    for name in dict.fromkeys(about):
        yield f"{word} {name}"


ALL_ACTS = tuple(WORDS[act] for act in range(ACTS))
