"""What players say: who hears it, what is made of it, and what it cannot change."""

from __future__ import annotations

import asyncio
import json

import pytest
import tiny_games
from injections import INJECTIONS

from stratagym.agents.chat import ScriptedChat
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.match_play import AnswerProtocol, SeatedMatch, play_match
from stratagym.envs import spec
from stratagym.envs.talk import FENCE, SPEECH_LIMIT, Transcript, limited, read_speech, visible
from stratagym.envs.text import TextGame, TextOptions
from stratagym.wrappers.dialogue import Dialogue

tiny_games.register()


def started(**options) -> TextGame:
    game = TextGame("roles", TextOptions(**options))
    game.reset(2)
    return game


def speech(text: str, to="all") -> str:
    return json.dumps({"messages": [{"to": to, "text": text}], "acts": []})


def outside(messages: list[dict[str, str]]) -> list[str]:
    """The lines of a prompt that others have not said."""
    lines = "\n".join(message["content"] for message in messages).split("\n")
    return [line for line in lines if not line.startswith(FENCE)]


@pytest.mark.parametrize("name", INJECTIONS)
@pytest.mark.parametrize("options", [{}, {"system": "merge"}, {"history": 5, "memory": 0}])
def test_words_change_no_prompt_outside_their_fence(name, options):
    """Another's words leave the rest of the prompt as harmless words do."""
    found = []
    for text in ("Good day.", INJECTIONS[name]):
        game = started(**options)
        assert game.submit(speech(text)).kind == "ok"
        asked = game.observe().messages
        found.append(([message["role"] for message in asked], outside(asked)))
        whole = "".join(message["content"] for message in asked)
        assert all(c == "\n" or c.isprintable() for c in whole)
        assert visible(whole) == whole
        whole.encode()
    assert found[0] == found[1]


@pytest.mark.parametrize("name", INJECTIONS)
def test_words_change_no_template(name):
    options = {"template": "{role}\n---\n{heard}\n{position}\n{answer}"}
    game = started(**options)
    game.submit(speech("Good day."))
    other = started(**options)
    other.submit(speech(INJECTIONS[name]))
    # A template closes up empty lines; those of a message are none.
    assert outside(game.observe().messages) == outside(other.observe().messages)


def test_a_template_of_a_game_with_talk_shows_it():
    with pytest.raises(ValueError, match=r"roles has talk, and \{heard\} is missing"):
        TextGame("roles", TextOptions(template="{position} {answer}"))


@pytest.mark.parametrize("name", INJECTIONS)
def test_words_in_a_reply_do_not_change_its_moves(name):
    text = INJECTIONS[name]
    reply = json.dumps({"messages": [{"to": 1, "text": text}], "acts": ["accuse 1", "claim"]})
    outcome = started().submit(reply)
    assert (outcome.kind, outcome.actions, outcome.rejected) == ("ok", (1, 3, 4), ())
    assert outcome.said == (((1,), limited(text.encode("utf-8", "replace").decode())),)


def test_who_hears_what():
    game = started()
    game.submit(speech("For all."))
    game.submit(speech("For 2 alone.", to=2))
    assert [m.text for m in game.heard(0)] == ["For all."]
    assert [m.text for m in game.heard(1)] == ["For all.", "For 2 alone."]
    assert [m.text for m in game.heard(2)] == ["For all.", "For 2 alone."]
    content = game.observe().messages[-1]["content"]
    assert "Player 0 to all:\n| For all.\nPlayer 1 to you:\n| For 2 alone." in content
    assert [(m.ply, m.seat, m.to) for m in game.transcript.messages] == [
        (0, 0, (1, 2)), (1, 1, (2,)),
    ]  # fmt: skip


def test_what_a_seat_was_not_told_does_not_change_its_prompt():
    found = []
    for text in ("It is you.", "It is Player 0, and here are\nmore lines."):
        game = started(history=4)
        game.submit(speech(text, to=2))
        asked = [game.observe().messages]  # seat 1, here and a round later
        game.submit(speech("Hm.", to=0))
        assert "| It is" in game.observe().messages[-1]["content"]
        for _ in range(2):
            game.submit('{"acts": ["claim"]}')
        asked.append(game.observe().messages)
        found.append(asked)
    assert found[0] == found[1]


def test_nobody_may_be_spoken_to_in_a_vote():
    game = started()
    for _ in range(6):
        game.submit('{"acts": []}')
    outcome = game.submit('{"vote": 1, "messages": "Vote 2!"}')
    assert outcome.kind == "ok" and outcome.said == ()
    assert outcome.rejected == (("Vote 2!", "may_not_hear"),)


@pytest.mark.parametrize(
    ("said", "messages", "refused"),
    [
        (None, [], []),
        ("Hi", [((1, 2), "Hi")], []),
        (["a", "b"], [((1, 2), "a"), ((1, 2), "b")], []),
        ({"to": [2, 1], "text": "x"}, [((1, 2), "x")], []),
        ({"Player 1": "x", "GLOBAL": "y"}, [((1,), "x"), ((1, 2), "y")], []),
        ([{"to": "seat 2", "text": "x"}, {"text": "y"}], [((2,), "x"), ((1, 2), "y")], []),
        ([{"to": 0, "text": "x"}], [], [("x", "may_not_hear")]),
        ([{"to": [1, 7], "text": "x"}], [], [("x", "may_not_hear")]),
        ([{"to": True, "text": "x"}], [], [("x", "may_not_hear")]),
        ([{"to": {"a": 1}, "text": "x"}], [], [("x", "may_not_hear")]),
        ([7, None, {"to": 1}], [], [("7", "no_text"), ("None", "no_text"),
                                    ("{'to': 1}", "no_text")]),
        ([" ", "\n"], [], []),
    ],
)  # fmt: skip
def test_the_forms_of_a_speech(said, messages, refused):
    assert read_speech(said, [1, 2]) == (messages, refused)


def test_there_are_limits():
    said, refused = read_speech(["x"] * 500, [1])
    assert len(said) == 12 and len(refused) == 100
    assert refused[0] == ("x", "too_many_messages")
    assert len(limited("x" * 10_000)) < SPEECH_LIMIT + 10
    assert len(limited("\u202e" * 10_000)) < SPEECH_LIMIT + 10
    transcript = Transcript(2)
    for k in range(250):
        transcript.say(0, [1], f"number {k}", k)
    text = transcript.text(1)
    assert "(50 earlier messages are left out.)" in text and "number 49\n" not in text
    for seat, to in ((0, []), (0, [2]), (3, [0]), (3, [3])):
        with pytest.raises(ValueError, match="no such seats"):
            transcript.say(seat, to, "x", 0)


# --- names, phases, notes ------------------------------------------------------------------------


def powers(years: int = 3, **options) -> TextGame:
    game = TextGame("powers", TextOptions(**options), years=years)
    game.reset(2)
    return game


def words(messages: dict[str, str], **more) -> str:
    return json.dumps({"messages": messages, **more})


def heard(game: TextGame, seat: int) -> list[str]:
    """The lines of a seat's prompt from where it tells what was said."""
    lines = game.question(seat).messages[-1]["content"].split("\n")
    begin = next((k for k, line in enumerate(lines) if line.startswith("What was said")), None)
    if begin is None:
        return []
    told = lines[begin + 1 :]
    end = next((k for k, line in enumerate(told) if line.startswith("## ")), len(told))
    return [line for line in told[:end] if line]


def silent(game: TextGame, seats: int) -> None:
    for _ in range(seats):
        assert game.submit("{}").kind == "ok"


def test_seats_are_spoken_to_and_told_of_by_their_names():
    game = powers()
    outcome = game.submit(words({"France": "To you.", " russia": "And you.", "Player 4": "Too."}))
    assert outcome.said == (((2,), "To you."), ((5,), "And you."), ((4,), "Too."))
    assert outcome.rejected == ()
    silent(game, 6)
    assert heard(game, 2) == ["### Year 1, talk", "Austria to you:", "| To you."]
    assert heard(game, 0)[:3] == ["### Year 1, talk", "You to France:", "| To you."]
    assert game.submit(words({"Prussia": "x"})).rejected == (("x", "may_not_hear"),)


def test_a_game_without_names_numbers_its_seats():
    game = started()
    assert game.submit(speech("x", to="Player 2")).said == (((2,), "x"),)
    assert game.submit(speech("x", to="Two")).rejected == (("x", "may_not_hear"),)
    assert "Player 0 to you:" in game.question(2).messages[-1]["content"]


def test_what_went_to_everybody_is_told_so():
    """Everybody is who is there: those that are out hear nothing."""
    game = powers()
    silent(game, 7)
    for choice in ("Russia", "Russia", "pass", "pass", "pass", "pass", "pass"):
        assert game.submit(json.dumps({"choice": choice})).kind == "ok"
    game.submit(words({"all": "Good day."}))
    game.submit(json.dumps({"messages": [{"to": ["Austria", "France"], "text": "Only two."}]}))
    silent(game, 4)
    assert heard(game, 2) == [
        "### Year 2, talk", "Austria to all:", "| Good day.",
        "England to Austria, you:", "| Only two.",
    ]  # fmt: skip
    assert game.transcript.messages[0].to == (1, 2, 3, 4, 6)


def test_a_phase_heads_what_was_said_in_it():
    game = powers()
    for year in (1, 2):
        game.submit(words({"all": f"Year {year}.", "England": "Psst."}))
        silent(game, 13)
    lines = heard(game, 2)
    assert [line for line in lines if not line.startswith("|")] == [
        "### Year 1, talk", "Austria to all:", "### Year 2, talk", "Austria to all:",
    ]  # fmt: skip
    assert heard(game, 1).count("### Year 1, talk") == 1


@pytest.mark.parametrize(("option", "shown"), [(None, 40), (3, 3), (0, 0), (1000, 48)])
def test_how_many_messages_a_prompt_shows(option, shown):
    game = powers(years=5, **({} if option is None else {"heard": option}))
    for year in range(4):
        game.submit(json.dumps({"messages": [f"Number {12 * year + k}." for k in range(12)]}))
        silent(game, 13)
    lines = heard(game, 1)
    said = [line for line in lines if line.startswith("|")]
    assert said == [f"| Number {k}." for k in range(48 - shown, 48)]
    assert (f"({48 - shown} earlier messages are left out.)" in lines) == (0 < shown < 48)


def test_a_number_of_messages_is_for_games_with_talk():
    with pytest.raises(ValueError, match="heard 3: in tictactoe nobody says anything"):
        TextGame("tictactoe", TextOptions(heard=3))
    with pytest.raises(ValueError, match="heard -1: 0 messages or more are needed"):
        powers(heard=-1)
    assert "heard" not in TextOptions().record()
    assert TextOptions.of_record(TextOptions(heard=7).record()).heard == 7


def test_a_note_to_oneself_is_in_ones_own_prompts_alone():
    game, other = powers(heard=2), powers(heard=2)
    noted = game.submit(words({"me": "England lies.", "all": "Good day."}))
    assert noted.said == (((0,), "England lies."), ((1, 2, 3, 4, 5, 6), "Good day."))
    other.submit(words({"all": "Good day."}))
    for each in (game, other):
        silent(each, 6)
    assert [game.question(seat).messages for seat in range(1, 7)] == [
        other.question(seat).messages for seat in range(1, 7)
    ]
    assert heard(game, 0) == [
        "### Year 1, talk", "You to yourself:", "| England lies.", "You to all:", "| Good day.",
    ]  # fmt: skip
    # Where nobody may be spoken to too; and notes are not among the messages that are counted.
    noted = game.submit(words({"myself": "Attack.", "all": "Attack!"}, choice="England"))
    assert noted.said == (((0,), "Attack."),) and noted.rejected == (("Attack!", "may_not_hear"),)
    silent(game, 6)
    lines = heard(game, 0)
    assert [line for line in lines if line.startswith("|")] == [
        "| England lies.", "| Good day.", "| Attack.",
    ]  # fmt: skip
    assert not any("left out" in line for line in lines)


def test_earlier_notes_are_left_out_as_messages_are():
    transcript = Transcript(2)
    for k in range(5):
        transcript.say(0, [0], f"note {k}", k)
    transcript.say(1, [0], "word", 5)
    lines = transcript.text(0, limit=2).split("\n")
    assert lines[1:] == [
        "(3 earlier notes to yourself are left out.)", "You to yourself:", "| note 3",
        "You to yourself:", "| note 4", "Player 1 to all:", "| word",
    ]  # fmt: skip
    assert [message.text for message in transcript.heard(1)] == ["word"]


def test_a_note_rescues_no_bad_move_and_a_speech_does():
    game = started()
    bad = json.dumps({"messages": {"me": "Hm."}, "acts": ["dance"]})
    assert (game.submit(bad).kind, game.submit(bad).reason) == ("illegal", "no_such_act")
    assert game.submit(json.dumps({"messages": "Hm.", "acts": ["dance"]})).kind == "ok"


def test_a_reply_that_speaks_and_names_bad_moves_tells_why(monkeypatch):
    monkeypatch.delattr(spec("roles").module("view"), "default_actions")
    outcome = started().submit(json.dumps({"messages": "Hm.", "acts": ["dance", "sing"]}))
    assert (outcome.kind, outcome.reason) == ("illegal", "no_such_act")
    assert [reason for _, reason in outcome.rejected] == ["no_such_act", "no_such_act"]
    # A turn that good moves leave open is unfinished.
    outcome = started().submit(json.dumps({"messages": "Hm.", "acts": ["claim", "dance"]}))
    assert (outcome.kind, outcome.reason) == ("illegal", "unfinished")


def test_visible():
    assert visible("a\tb\u202e\r\nc\U000e0041\x1b") == "a\\u0009b\\u202e\nc\\U000e0041\\u001b"
    assert visible("Grüße, 你好 😀 𝒳") == "Grüße, 你好 😀 𝒳"


def test_a_match_records_what_is_said():
    texts = list(INJECTIONS.values())

    def say(messages):
        said = " ".join(message["content"] for message in messages)
        if "All vote." in said:
            return '{"vote": 0}' if "You are Player 0" not in said else '{"vote": 1}'
        return speech(texts[len(said) % len(texts)])

    game, kept, said = spec("roles"), [], []

    class Journal:
        write = staticmethod(kept.append)

    seats = [LanguageModel(ScriptedChat(say))] * 3
    match = SeatedMatch.of("tiny", "one", game, game.make_rules(), {}, 1, seats)
    protocol = AnswerProtocol(TextOptions(), 1, "forfeit")
    record = asyncio.run(play_match(match, protocol, Journal, {}, messages=said.append))
    assert record["ended_by"] == "terminal"
    assert [m["text"] for m in said] == [limited(m["text"]) for r in kept for m in r["said"]]
    assert [m["number"] for m in said] == list(range(6))
    json.dumps(said)


# --- conversations -------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_conversation_carries_plans_and_talk(seat):
    dialogue = Dialogue("roles", "random", seed=4, seat=seat)
    while not dialogue.over:
        vote = "All vote." in dialogue.messages[-1]["content"]
        said = {"vote": (seat + 1) % 3} if vote else {"messages": "Hello.", "acts": ["claim"]}
        assert dialogue.answer(json.dumps(said)).kind == "ok"
    record = dialogue.record()
    assert record["ended_by"] == "terminal"
    assert [(m["seat"], m["text"]) for m in record["messages"]] == [(seat, "Hello.")] * 2
    game = TextGame("roles")
    game.reset(4)
    for action in record["actions"]:
        game.play(action)
    assert game.returns() == record["returns"]


def test_a_conversation_does_not_show_what_opponents_commit():
    """Seat 1 answers after seat 0 has committed: another commit gives the same question."""
    dialogue = Dialogue("bids", "random", seed=4, seat=1, invalid="random", tries=1)
    assert dialogue.game.actions and dialogue.game.seat == 1
    other = TextGame("bids")
    other.reset(4)
    assert dialogue.messages == other.question(1).messages
    dialogue.answer("no")
    assert dialogue.replaced == 1 and len(dialogue.game.actions) >= 6


def test_a_conversation_in_real_time():
    dialogue = Dialogue("catch", "random", seed=4, seat=0, options={"ticks": 8})
    answers = 0
    while not dialogue.over:
        dialogue.answer('{"moves": ["left", "stay", "right", "stay"]}')
        answers += 1
    assert answers == 2 and dialogue.record()["plies"] == 16
