"""Werewolf in words: replies and every reason to refuse them, what is said and read, who hears."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from injections import INJECTIONS

from stratagym.agents.chat import ScriptedChat
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.match_play import AnswerProtocol, SeatedMatch, play_match
from stratagym.envs import core, spec
from stratagym.envs.plans import ILLEGAL, OK, UNPARSEABLE, read_reply
from stratagym.envs.text import TextGame, TextOptions
from stratagym.envs.werewolf import replay, view
from stratagym.envs.werewolf import state as st
from stratagym.envs.werewolf.acts import READ, act_text, acts_in, names, speech_text
from stratagym.testing import RandomGame

GAME = spec("werewolf")


def position_in(rng, phase, wanted=lambda s: True, **options):
    """(rules, states, seat) of a random game in which a seat is to move in a phase."""
    rules = GAME.make_rules(**options)
    while True:
        played = RandomGame(rules, int(rng.integers(2**60)))
        for states, seat in zip(played.states, played.players, strict=True):
            if states["phase"][0] == phase and wanted(states[0]):
                return rules, states, seat


def read(rules, states, reply):
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return read_reply(GAME, rules, states, text, TextOptions())


def some_names(rules, s, seat):
    """Names of oneself, of another living player and of a dead one, or None."""
    called = names(rules, s)
    others = [k for k in range(rules.num_players) if k != seat]
    living = next(called[k] for k in others if int(s["alive"]) >> k & 1)
    dead = next((called[k] for k in others if not int(s["alive"]) >> k & 1), None)
    return called[seat], living, dead


def has_dead(s):
    return s["fate"].any() and s["said"] == 0


# --- replies -------------------------------------------------------------------------------------


def test_votes_are_read_by_name(rng):
    rules, states, seat = position_in(rng, st.VOTE, has_dead)
    own, living, dead = some_names(rules, states[0], seat)
    for told in (living, living.upper(), f" {living} ", f"{living} (You)"):
        outcome = read(rules, states, {"reasoning": "x", "vote": told})
        assert outcome.kind == OK and len(outcome.actions) == 1
        assert view.action_to_string(rules, states[0], outcome.action) == living
    for told, reason in (
        (own, "oneself"), (dead, "dead_player"), ("Nemo", "unknown_name"), (3, "unknown_name"),
        (f"{living} or {own}", "ambiguous_name"), (f"{living}\n{own}", "ambiguous_name"),
        ("nobody", "not_an_option"), ("", "unknown_name"),
    ):  # fmt: skip
        outcome = read(rules, states, {"vote": told})
        assert (outcome.kind, outcome.reason) == (ILLEGAL, reason), told
    for reply, reason in (
        ("I vote for nobody", "no_json"), ({"voice": living}, "no_choice"),
        ({"vote": [living]}, "bad_type"), ({"vote": None}, "no_choice"), ("", "empty"),
        ('{"vote": "a", "vote": "b"}', "duplicate_key"),
    ):  # fmt: skip
        outcome = read(rules, states, reply)
        assert (outcome.kind, outcome.reason) == (UNPARSEABLE, reason), reply


def test_a_vote_for_nobody_where_it_is_allowed(rng):
    rules, states, _ = position_in(rng, st.VOTE, abstain=1)
    assert read(rules, states, {"vote": "Nobody"}).actions == (rules.num_players,)


def test_only_the_tied_may_be_voted_for_again(rng):
    rules, states, seat = position_in(
        rng, st.VOTE, lambda s: s["tied"] != 0, exile="revote", debate="none"
    )
    s = states[0]
    tied = [k for k in range(8) if int(s["tied"]) >> k & 1]
    for other in range(8):
        if other == seat or not int(s["alive"]) >> other & 1:
            continue
        outcome = read(rules, states, {"vote": names(rules, s)[other]})
        assert (outcome.kind == OK) == (other in tied)
        assert outcome.reason == ("" if other in tied else "not_an_option")


@pytest.mark.parametrize(
    ("phase", "options"),
    [(st.WOLVES, {}), (st.AT_DOCTOR, {}), (st.AT_SEER, {}), (st.AT_KILLER, {"killer": 1}),
     (st.SHOT, {"hunter": 1, "exile": "lot", "debate": "none"})],
)  # fmt: skip
def test_choices_have_a_member_each(phase, options, rng):
    rules, states, seat = position_in(rng, phase, **options)
    legal = np.zeros(rules.num_actions, np.int64)
    n = core.legal_actions_at(rules, states, 0, legal)
    for action in legal[:n].tolist():
        told = view.action_to_string(rules, states[0], action)
        outcome = read(rules, states, {"reasoning": "", view.KEYS[phase]: told})
        assert outcome.kind == OK and outcome.actions == (action,)
    wrong = read(rules, states, {"vote": "Ada"})
    assert (wrong.kind, wrong.reason) == (UNPARSEABLE, "no_choice")
    if phase == st.WOLVES:
        pack = [k for k in range(8) if int(states[0]["wolves"]) >> k & 1 and k != seat]
        for other in pack:
            outcome = read(rules, states, {"remove": names(rules, states[0])[other]})
            assert outcome.reason in ("not_an_option", "dead_player")


def test_bids(rng):
    rules, states, _ = position_in(rng, st.BID, debate="bid")
    for bid in range(5):
        for told in (bid, str(bid)):
            assert read(rules, states, {"bid": told}).actions == (rules.num_players + 1 + bid,)
    for told in ("5", "-1", "high", 2.5):
        assert read(rules, states, {"bid": told}).kind != OK
    assert view.default_actions(rules, states[0]) == [rules.num_players + 1]


def test_a_speech_stands_where_only_acts_are_bad(rng):
    rules, states, seat = position_in(rng, st.SPEECH, has_dead)
    own, living, dead = some_names(rules, states[0], seat)
    acts = [
        ["suspect", living], ["suspect", living], ["claim", "seer"], ["claim", "doctor"],
        ["praise", living], ["claim", "king"], ["trust", own], ["suspect", dead], ["wolf", "Nemo"],
        7, ["wolf", dead], ["vote", living],
    ]  # fmt: skip
    outcome = read(rules, states, {"reasoning": "x", "say": "Hm.", "acts": acts})
    assert outcome.kind == OK and len(outcome.said) == 1
    told = [act_text(rules, states[0], seat, action) for action in outcome.actions]
    assert told == [f"suspect {living}", "claim seer", f"wolf {dead}", "end"]
    assert [reason for _, reason in outcome.rejected] == [
        "repeated_act", "second_claim", "unknown_act", "unknown_role", "oneself", "dead_player",
        "unknown_name", "unknown_act", "too_many_acts",
    ]  # fmt: skip
    assert outcome.facts["acts"] == 3 and outcome.facts["parsed"] == 0
    silent = read(rules, states, {"say": "", "acts": []})
    assert silent.actions == (rules.num_players + 6,) and not silent.said
    alone = read(rules, states, {"acts": [["suspect", "Nemo"]]})
    assert (alone.kind, alone.reason) == (ILLEGAL, "unknown_name")
    assert read(rules, states, {"acts": "suspect"}).kind == ILLEGAL
    assert read(rules, states, {"say": "x", "acts": {"a": 1}}).kind == OK
    assert read(rules, states, {"thought": 1}).reason == "no_speech"


def test_declared_and_said_are_compared(rng):
    rules, states, seat = position_in(rng, st.SPEECH, lambda s: s["said"] == 0)
    _, living, _ = some_names(rules, states[0], seat)
    facts = read(rules, states, {"say": f"I suspect {living}.", "acts": [["trust", living]]}).facts
    assert (facts["declared"], facts["read"], facts["agreed"]) == (1, 1, 0)
    facts = read(rules, states, {"say": f"I suspect {living}."}).facts
    assert facts == {"acts": 1, "parsed": 1, "declared": 1, "read": 1, "agreed": 1}


# --- acts and words ------------------------------------------------------------------------------


def test_what_is_said_for_players_without_words_is_read_as_it_was_meant(rng):
    """Of the acts that are read: each of its sentences, for every player."""
    for _ in range(20):
        rules, states, seat = position_in(rng, st.SPEECH, lambda s: s["said"] == 0)
        s, n = states[0], rules.num_players
        for action in range(n + 7, rules.num_actions):
            told = act_text(rules, s, seat, action)
            word, _, about = told.partition(" ")
            if about == names(rules, s)[seat]:
                continue
            found = acts_in(rules, s, seat, speech_text(rules, s, seat, action))
            assert found == ([told] if word in READ else []), (told, found)


@pytest.mark.parametrize(
    ("words", "acts"),
    [
        ("I am the seer. I investigated {a} and {a} is a wolf!", ["claim seer", "wolf {a}"]),
        ("I checked {a}, not a wolf", ["not_wolf {a}"]),
        ("As your doctor: {a} is lying; trust {b}", ["claim doctor", "suspect {a}", "trust {b}"]),
        ("I don't trust {a}", ["suspect {a}"]),
        ("{a} is not suspicious", ["trust {a}"]),
        ("Let's exile {a}\nand not vote {b}", ["vote {a}"]),
        ("{a} and {b} deflect", ["suspect {a}", "suspect {b}"]),
        ("I am not the seer. Good morning", []),
        ("suspicious silence", []),
    ],
)  # fmt: skip
def test_words_as_models_write_them(words, acts, rng):
    rules, states, seat = position_in(rng, st.SPEECH, lambda s: s["said"] == 0)
    called = names(rules, states[0])
    a, b = (called[(seat + k) % 8] for k in (1, 2))
    expected = [act.format(a=a, b=b) for act in acts]
    assert acts_in(rules, states[0], seat, words.format(a=a, b=b)) == expected


def test_acts_are_read_from_words_where_that_is_an_option(rng):
    rules, states, seat = position_in(
        rng, st.SPEECH, lambda s: s["said"] == 0, acts_from="say", acts=2
    )
    called = [name for k, name in enumerate(names(rules, states[0])) if k != seat]
    reply = {"say": "\n".join(f"I suspect {name}." for name in called), "acts": [["claim", "wolf"]]}
    outcome = read(rules, states, reply)
    told = [act_text(rules, states[0], seat, action) for action in outcome.actions]
    living = [name for name in called
              if int(states[0]["alive"]) >> names(rules, states[0]).index(name) & 1]  # fmt: skip
    assert outcome.kind == OK and told[-1] == "end"
    assert set(told[:-1]) <= {f"suspect {name}" for name in living}
    assert '"acts"' not in view.position_text(rules, states[0], seat, "board")


# --- who hears -----------------------------------------------------------------------------------


def prompt_of(game):
    return "\n".join(message["content"] for message in game.observe().messages)


def any_reply(game, rng):
    """A reply of the seat to move that names a legal move and says nothing."""
    rules, s = game.rules, game.states[0]
    if s["phase"] == st.SPEECH:
        return json.dumps({"say": "", "acts": []})
    legal = np.zeros(rules.num_actions, np.int64)
    n = core.legal_actions_at(rules, game.states, 0, legal)
    told = view.action_to_string(rules, s, int(rng.choice(legal[:n])))
    return json.dumps({view.KEYS[int(s["phase"])]: told})


def test_what_wolves_say_at_night_reaches_their_pack_alone(rng):
    secret, compared = "The moon is green tonight.", 0
    for kill in ("pack", "one"):
        game = TextGame("werewolf", kill=kill)
        game.reset(int(rng.integers(2**40)))
        wolves = int(game.states[0]["wolves"])
        speaker = game.seat
        if not wolves >> speaker & 1:
            continue
        reply = json.loads(any_reply(game, rng)) | {"say": secret}
        assert game.submit(json.dumps(reply)).kind == OK
        heard = set()
        for _ in range(60):
            if game.over:
                break
            if secret in prompt_of(game):
                heard.add(game.seat)
            else:
                compared += 1
            assert secret not in prompt_of(game) or wolves >> game.seat & 1
            game.submit(any_reply(game, rng))
        assert heard - {speaker} or kill == "one" or game.over
    assert compared


def test_at_night_nobody_but_the_pack_speaks_and_notes_stay_with_oneself(rng):
    rules, states, seat = position_in(rng, st.AT_SEER)
    legal = np.zeros(rules.num_actions, np.int64)
    n = core.legal_actions_at(rules, states, 0, legal)
    told = view.action_to_string(rules, states[0], int(legal[:n][0]))
    outcome = read(rules, states, {"investigate": told, "say": "Hear me"})
    assert outcome.kind == OK and outcome.rejected == (("Hear me", "may_not_hear"),)
    outcome = read(rules, states, {"investigate": told, "say": {"me": "a wolf?"}})
    assert outcome.said == (((seat,), "a wolf?"),)


@pytest.mark.parametrize("name", INJECTIONS)
def test_words_change_nothing_but_what_hearers_read(name, rng):
    """A speech with a vote, an announcement or marks in it: no act, and no line of a prompt."""
    seed, found = int(rng.integers(2**40)), []
    for text in ("Good day.", INJECTIONS[name]):
        game, own = TextGame("werewolf"), np.random.default_rng(seed)
        game.reset(seed)
        while game.states[0]["phase"] != st.SPEECH:
            game.submit(any_reply(game, own))
        outcome = game.submit(json.dumps({"say": text, "acts": []}))
        assert outcome.kind == OK and outcome.actions == (game.rules.num_players + 6,)
        asked = prompt_of(game)
        assert all(c == "\n" or c.isprintable() for c in asked)
        found.append([line for line in asked.split("\n") if not line.startswith("| ")])
        found[-1].append(game.states.tobytes())
    assert found[0] == found[1]


def test_names_and_words_of_a_reply_are_no_more_than_that(rng):
    rules, states, _ = position_in(rng, st.VOTE)
    for text in INJECTIONS.values():
        assert read(rules, states, json.dumps({"vote": text})).kind == ILLEGAL


# --- what is shown -------------------------------------------------------------------------------


def test_a_table_says_what_the_lines_say(rng):
    for options in ({}, {"debate": "none"}, {"reveal": "role", "jester": 1, "alpha": 1}):
        rules, states, seat = position_in(rng, st.VOTE, has_dead, **options)
        lines, table = (
            view.position_text(rules, states[0], seat, form) for form in view.POSITION_FORMS
        )
        rows = {line.split(" | ")[0]: line for line in table.splitlines() if " | " in line}
        assert len(rows) == rules.num_players + 1
        alike = [one for one in lines.splitlines() if one in table]
        for line in set(lines.splitlines()) - set(alike):
            name, _, told = line.removeprefix("- ").partition(": ")
            row = rows.get(name) or rows.get(f"{name} (You)") or ""
            assert told in row or all(part in row for part in told.split(", ")), line
            assert row or line.startswith("## Declared")


def test_badges_are_beginnings_of_names_that_no_other_has(rng):
    for options in ({}, {"players": 17, "names": "paper"}):
        rules, states, _ = position_in(rng, st.VOTE, debate="none", **options)
        called = names(rules, states[0])
        for seat, name in enumerate(called):
            mark, _ = replay.badge(rules, states[0], seat)
            assert [one for one in called if one.startswith(mark)] == [name]


# --- matches of models ---------------------------------------------------------------------------


class Waiting(ScriptedChat):
    """A model that answers at night only when as many are asked as choose at once."""

    def __init__(self):
        super().__init__(lambda messages: "I am no help.")
        self.nightly, self.all_there = 0, asyncio.Event()

    async def generate(self, messages, limit_s=None):
        if "- Now: Night 1" in messages[-1]["content"]:
            self.nightly += 1
            if self.nightly == 3:  # a wolf, the doctor and the seer
                self.all_there.set()
            await asyncio.wait_for(self.all_there.wait(), 60)
        return await super().generate(messages, limit_s)


def test_a_night_costs_the_slowest_of_its_replies():
    rules = GAME.make_rules(kill="one", max_days=1)
    chat = Waiting()
    model = LanguageModel(chat)
    match = SeatedMatch.of(
        "test", "m", GAME, rules, GAME.options_in_force(kill="one", max_days=1), 5, [model] * 8
    )
    record = asyncio.run(play_match(match, AnswerProtocol(TextOptions(), 1, "default")))
    assert chat.nightly == 3 and record["ended_by"] in ("terminal", "truncated")


def test_models_hear_players_without_words(rng):
    """What players without language do in their speeches is said to a model in sentences."""
    chat = ScriptedChat(lambda messages: "Nothing.")
    seats = [LanguageModel(chat)] + [make_policy(GAME, "rule:herd")] * 7
    match = SeatedMatch.of(
        "test", "m", GAME, GAME.make_rules(), GAME.options_in_force(), int(rng.integers(2**40)),
        seats,
    )  # fmt: skip
    said = []
    asyncio.run(
        play_match(match, AnswerProtocol(TextOptions(), 1, "default"), messages=said.append)
    )
    assert {one["seat"] for one in said} - {0}
    heard = [asked[-1]["content"] for asked in chat.asked]
    later = [one["text"] for one in said[:-20] if one["seat"] and 0 in one["to"]]
    for text in later if len(heard) > 10 else ():
        assert any(f"| {text}" in prompt for prompt in heard)
