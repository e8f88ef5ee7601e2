"""How replies name plays: ranks as people write them, and the reader of the JSON answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from stratagym.envs.dou_dizhu.cards import BLACK_JOKER, NAMES, RED_JOKER
from stratagym.envs.reading import Reading, last_line, last_object, shown
from stratagym.envs.replies import ReplyError, find_json
from stratagym.envs.words import AnswerForm, ReplyWords, evaluated, section

PASS = "pass"
_SUIT = re.compile(r"\W|_|suit|spades?|hearts?|diamonds?|clubs?")
_RANKS = {name.lower(): rank for rank, name in enumerate(NAMES)} | {
    "t": 7, "red": RED_JOKER, "big": RED_JOKER, "bigjoker": RED_JOKER, "r": RED_JOKER,
    "rj": RED_JOKER, "black": BLACK_JOKER, "small": BLACK_JOKER, "smalljoker": BLACK_JOKER,
    "littlejoker": BLACK_JOKER, "b": BLACK_JOKER, "bj": BLACK_JOKER,
}  # fmt: skip


def rank_named(word: str) -> int | None:
    """The rank that a word names, whatever suit it names too; None for no rank."""
    word = _SUIT.sub("", word.lower())
    for name in (word, word[1:], word[:-1]):
        # A letter in front or behind is a suit's.
        if name in _RANKS and (name == word or word.replace(name, "", 1) in ("s", "h", "d", "c")):
            return _RANKS[name]
    return None


def ranks_named(text: str) -> list[int] | None:
    """The ranks of a list of words, with blanks or commas between; None if one names no rank."""
    text = re.sub(r"(?i)[ _-]joker", "joker", text.strip(" ,"))
    ranks = [rank_named(word) for word in re.split(r"[\s,]+", text)]
    return None if None in ranks else [rank for rank in ranks if rank is not None]


def _is_named(line: str) -> bool:
    """Whether a line names cards, a pass or a bid."""
    return bool(ranks_named(line) or re.fullmatch(rf"(?i){PASS}|bid [1-3]", line))


_LINE = rf"(?i:{PASS}|bid [1-3]|[0-9a-z]{{1,11}}(?:,? [0-9a-z]{{1,11}}){{0,19}})"
"""What may be cards in a line; ``_is_named`` decides."""


@dataclass(frozen=True)
class _CardsAnswer(AnswerForm):
    """The lines Evaluation, Reason and Answer, the last with a JSON object that lists cards."""

    def shown(self, reasoning: str = "free") -> str:
        return f"Answer: {self.form}"

    def request(self, reasoning: str = "free") -> str:
        if reasoning == "answer":
            lines = ["Answer with one line of exactly this form and nothing else:"]
        else:
            steps = "Think step by step first. " if reasoning == "steps" else ""
            lines = [
                f"{steps}End your answer with exactly these three lines:",
                "Evaluation: <a few promising plays, in one line>",
                "Reason: <one line>",
            ]
        return section(self.title, *lines, f"Answer: {self.form}")

    def written(self, move: str) -> str:
        words = [] if move == PASS else [move]
        if ranks_named(move):
            words = move.split(" ")
        return json.dumps({"cards": words})

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        labels = list(re.finditer(r"(?im)^[^\w\n]*answer[^\w\n:]*:", text))
        after = text[labels[-1].end() :] if labels else text if lenient else ""
        for value, _, _ in reversed(find_json(after)):
            if isinstance(value, dict) and isinstance(value.get("cards"), list):
                words = [str(word) for word in value["cards"]]
                return " ".join(words).strip() or PASS
        if lenient:
            line = after.strip().partition("\n")[0].partition("|")[0][:200].strip(" .,`*\"'[]()")
            if _is_named(line):
                return line
        if labels:
            raise ReplyError("not_json")
        return None

    def read(self, text: str, lenient: bool = False, reasoning: str = "free") -> Reading:
        cards, place = last_object(text, "cards")
        behind = text if place is None else text[place.end :]
        # A line may name the cards without JSON; it counts where it comes last.
        line = last_line(behind, _LINE)
        if line != Reading():
            named = line.move if line.move and _is_named(line.move) else None
            return Reading(named, "" if named else line.found or shown(line.move or ""))
        if place is None:
            return Reading(self.extract(text, lenient, reasoning) if lenient else None)
        if self.form in behind:  # a prompt quoted back, whose rules have plays as examples
            return Reading(None, self.form)
        words = [cards] if isinstance(cards, str) else cards
        if isinstance(words, list):
            return Reading(" ".join(map(str, words)).strip() or PASS)
        return Reading(None, shown(text[place.start : place.end]))

    def reply(self, move: str, words: ReplyWords | None = None, action: int | None = None) -> str:
        return evaluated(self.written(move), words)

    def evaluation(self) -> AnswerForm:
        return self


ANSWER = _CardsAnswer('{"cards": ["<rank>", ...]}', r"\w+", what="the cards")
