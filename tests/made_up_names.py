"""Whether words of a game are in a text, for the tests of prompts under made-up names."""

from __future__ import annotations

import re
from collections.abc import Iterable


def words_in(words: Iterable[str], text: str) -> list[str]:
    """Those of ``words`` that a text has as words, in capitals or not.

    Where a word is in no form a search for it takes time with the text's length, so that few are
    searched for.
    """
    small = text.casefold()
    return [word for word in words if word.casefold() in small and _has(word, text)]


def _has(word: str, text: str) -> bool:
    return re.search(rf"(?i)(?<![a-z]){re.escape(word)}(?![a-z])", text) is not None
