"""Every reason for which a move can be illegal, and every way in which a game can end, is told.

``golden/told.json`` has by game the words of ``why_illegal`` and of readers of moves (``reasons``)
and of ends (``ends``, see ``endings``), each with a regular expression of the sentence that tells
it. It is looked for in the prompts of all seats; where a word comes under other options of the
game only, ``under`` names these.
"""

from __future__ import annotations

import ast
import inspect
import json
import random
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endings import CODED, coded, ending
from ours import games_of_moves

from stratagym.envs import spec
from stratagym.envs.text import TextGame
from stratagym.testing.prompts import phases
from stratagym.testing.telling import variants

TOLD = json.loads((Path(__file__).parents[1] / "golden" / "told.json").read_text(encoding="utf-8"))
FORM = re.compile(r"no_such_\w+|malformed|ambiguous")
"""Words for a text that names no move, or more than one: the form is told again."""
TRIED = 60
"""Actions that are tried in each position."""
SHORT = {"civilization": {"turns": 20}, "starcraft": {"minutes": 2}}
"""Games that last no longer than so, since nobody is asked after ``MOST`` moves."""
MOST = 120
"""Moves of a game after which nobody is asked any more; it is played to its end."""


def sentence(entry: Any) -> str:
    """What tells a word, a regular expression."""
    return entry["told"] if isinstance(entry, dict) else entry


def asked(game: str, **options: Any) -> list[str]:
    """Prompts of the phases that two random games reach; where answers are plans, of the start."""
    if game in games_of_moves():
        return [text for by in phases(spec(game), 2, 1, **options).values() for text in by.values()]
    at = TextGame(game, **options)
    at.reset(1)
    return [_whole(turn) for turn in at.turns()]


@cache
def usually_asked(game: str) -> list[str]:
    return asked(game)


def _whole(turn: Any) -> str:
    return "\n\n".join(message["content"] for message in turn.messages)


def played(game: str, **options: Any) -> tuple[set[str], str, str]:
    """What a random game comes to: why random illegal actions were refused, its end, its prompts.

    The game is the same in every run, since nothing says how rare a word may be.
    """
    at, rng, found = TextGame(game, **options), random.Random(1), set()
    view, actions = at.spec.module("view"), range(at.rules.num_actions)
    at.reset(rng.randrange(2**31))
    texts: dict[str, None] = {}
    while not at.over:
        legal = at.state.legal_actions()
        if len(at.actions) < MOST:
            texts[_whole(at.observe())] = None
            for action in set(rng.sample(actions, min(len(actions), TRIED))) - set(legal):
                word = view.why_illegal(at.rules, at.states[0], action)
                found.add(re.sub(r"^not_enough_fan_\d+$", "not_enough_fan", word))
        at.play(rng.choice(legal))
    return found, ending(game, at.rules, at.states[0]), "\n\n".join(texts)


@pytest.mark.parametrize("game", TOLD)
def test_every_reason_and_every_end_is_told(game):
    for kind in ("reasons", "ends"):
        for word, entry in TOLD[game][kind].items():
            under = entry["under"] if isinstance(entry, dict) else {}
            prompts = asked(game, **under) if under else usually_asked(game)
            assert any(re.search(sentence(entry), text) for text in prompts), (kind, word, entry)


def sets_of_options(game: str) -> list[dict[str, Any]]:
    """The defaults, and each option at each of its values."""
    found = list(variants(spec(game), np.random.default_rng(1), 0))
    if game == "planning":  # no rules but the problem's; a domain for each kind of size
        found = [one for one in found if one.get("domain", "counters") in ("counters", "grid")]
    for name, most in SHORT.get(game, {}).items():
        found = [{**one, name: min(one.get(name, most), most)} for one in found]
    return found


@pytest.mark.parametrize("game", TOLD)
def test_what_random_games_come_to_is_told_under_all_options(game):
    for options in sets_of_options(game):
        found, end, prompts = played(game, **options)
        if not prompts:  # over before anybody was asked
            continue
        for kind, words in (("reasons", found), ("ends", {end})):
            for word in words:
                entry = TOLD[game][kind].get(word)
                assert entry is not None, (options, kind, word)
                assert re.search(sentence(entry), prompts), (options, kind, word, entry)


@pytest.mark.parametrize("game", CODED)
def test_every_code_of_an_end_in_the_kernel_has_its_sentence(game):
    codes = set(coded(game))
    assert codes and codes <= set(TOLD[game]["ends"]), codes


def words_in_source(game: str) -> set[str]:
    """The constant words that a view refuses moves with, from its source."""
    found: set[str] = set()
    view = spec(game).module("view")
    for name in (view.__name__, view.__name__.replace(".view", ".notation")):
        module = sys.modules.get(name)
        if module is None:
            continue
        for one in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(one, ast.FunctionDef) and one.name.startswith(("why_", "_why_")):
                for said in ast.walk(one):
                    if isinstance(said, ast.Return) and said.value is not None:
                        found |= set(_texts(said.value))
            elif isinstance(one, ast.Raise) and isinstance(one.exc, ast.Call) and one.exc.args:
                found |= set(_texts(one.exc.args[0]))
    return {word for word in found if re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", word)}


def _texts(value: ast.expr) -> list[str]:
    if isinstance(value, ast.IfExp):
        return [*_texts(value.body), *_texts(value.orelse)]
    return [value.value] if isinstance(value, ast.Constant) and isinstance(value.value, str) else []


@pytest.mark.parametrize("game", TOLD)
def test_every_word_in_the_source_is_in_the_table(game):
    missing = {w for w in words_in_source(game) - set(TOLD[game]["reasons"]) if not FORM.match(w)}
    assert not missing, missing


def test_the_page_says_how_many_are_told():
    page = (Path(__file__).parents[2] / "docs" / "benchmarks" / "audit.md").read_text("utf-8")
    reasons, ends = (
        sum(len(words[kind]) for words in TOLD.values()) for kind in ("reasons", "ends")
    )
    assert f"{reasons} reasons and {ends} ends in {len(TOLD)} games" in " ".join(page.split())
