"""What answers are held to, how servers are told so, and moves chosen by their probability."""

import asyncio
import json
import re

import pytest
import scripts
from local_engine import fake_engine, gguf
from openai_server import OpenAIServer, answer, error
from ours import our_games

from stratagym.agents import answering, gguf_engine
from stratagym.agents.answering import Answering, Scored, fields, unwrapped
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.decisions import Question, ask_model
from stratagym.envs import constraints, games, plan_schemas, spec
from stratagym.envs.constraints import Shape
from stratagym.envs.plans import plan_kind
from stratagym.envs.prompts import legal_list
from stratagym.envs.text import OK, TextGame, TextOptions, judge

__all__ = ["fake_engine"]
ONE_MOVE = [name for name in games() if plan_kind(spec(name)) is None]
PLANS = [name for name in our_games() if plan_schemas.has_schema(spec(name))]
ON_OTHERS = (
    "named_twice", "element_twice", "skill_twice", "element_missing", "occupied", "over_budget",
)  # fmt: skip
FEW = 500
"""Hold'em has twenty thousand bets at its start; games with more moves are played on to fewer."""


def played(name, rng, plies, options=TextOptions()):  # noqa: B008 - frozen
    game = TextGame(name, options)
    game.reset(seed=int(rng.integers(2**31)))
    for _ in range(plies):
        if game.over:
            break
        game.play(int(rng.choice(legal_list(game.rules, game.states))))
    return game


@pytest.mark.parametrize("name", ONE_MOVE)
def test_every_legal_answer_is_read_as_its_move_and_has_the_form(name, rng):
    for plies in (0, int(rng.integers(1, 12))):
        game = played(name, rng, plies)
        if game.over or len(legal_list(game.rules, game.states)) > FEW:
            continue
        asked = spec(name), game.rules, game.states, TextOptions()
        answers = constraints.legal_answers(*asked)
        assert list(answers) == legal_list(game.rules, game.states)
        assert len(set(answers.values())) == len(answers)
        pattern = constraints.form_pattern(*asked)
        for action, text in answers.items():
            outcome = judge(*asked[:3], text)
            assert (outcome.kind, outcome.action) == (OK, action)
            # A reason follows a bar where prompts ask for one.
            assert re.fullmatch(pattern, text + "because" * text.endswith("| "))
        assert not re.fullmatch(pattern, "I would rather not")


@pytest.mark.parametrize("options", [{"answer": "evaluation"}, {"reasoning": "answer"}, "renamed"])
@pytest.mark.parametrize("name", ["tictactoe", "ludo", "hanabi", "reversi", "dou_dizhu"])
def test_other_wordings_are_held_to_as_well(name, options, rng):
    text = TextOptions(renamed=True) if options == "renamed" else TextOptions(**options)
    game = played(name, rng, 2, text)
    answers = constraints.legal_answers(spec(name), game.rules, game.states, text)
    assert list(answers) == legal_list(game.rules, game.states)


def test_thoughts_go_before_an_answer_that_is_to_be_reasoned_about(rng):
    text = TextOptions(reasoning="steps")
    game = played("tictactoe", rng, 0, text)
    pattern = constraints.form_pattern(spec("tictactoe"), game.rules, game.states, text)
    assert re.fullmatch(pattern, "The centre is best.\nSo I take it.\nMove: 2,2")
    assert re.fullmatch(pattern, "Move: 2,2")


@pytest.mark.parametrize(
    ("pattern", "grammar"),
    [
        (r"Move: [0-9]+", 'root ::= "M" "o" "v" "e" ":" " " ([0-9]){1,}'),
        (r"(?i:no|b)", "root ::= (([nN] [oO] | [bB]))"),
        (r'a{2}[^\n"]?', 'root ::= ("a"){2} ([^\\n"]){0,1}'),
        (r"\d\.", 'root ::= [0-9] "."'),
    ],
)
def test_a_pattern_as_a_grammar(pattern, grammar):
    assert Shape(pattern=pattern).grammar() == grammar


def test_answers_as_a_grammar():
    assert Shape(answers=('{"a": 1}', "Müll")).grammar() == r'root ::= "{\"a\": 1}" | "Müll"'


def test_each_server_is_told_in_its_own_words():
    legal, form = Shape(answers=("Move: 1", "Move: 2")), Shape(pattern="Move: [0-9]")
    assert fields(legal, "grammar") == {"grammar": 'root ::= "Move: 1" | "Move: 2"'}
    assert fields(legal, "structured_outputs") == {
        "structured_outputs": {"choice": ["Move: 1", "Move: 2"]}
    }
    assert fields(form, "structured_outputs") == {"structured_outputs": {"regex": "Move: [0-9]"}}
    sent = fields(legal, "response_format")["response_format"]["json_schema"]
    assert sent["strict"] and sent["schema"]["properties"] == {
        "answer": {"type": "string", "enum": ["Move: 1", "Move: 2"]}
    }


def test_an_answer_comes_out_of_its_json():
    sent = fields(Shape(answers=("Move: 1",)), "response_format")
    assert unwrapped('{"answer": "Move: 1"}', sent) == "Move: 1"
    for other in ("Move: 1", '{"answer": 1}', '{"answer": "a", "b": 2}', "[]", "{"):
        assert unwrapped(other, sent) == other
    assert unwrapped('{"answer": "x"}', {"grammar": "root"}) == '{"answer": "x"}'


def asked(policy, game):
    async def ask():
        try:
            return await ask_model(policy, question)
        finally:
            await policy.chat.close()

    name = game.spec.name if hasattr(game, "spec") else "tictactoe"
    question = Question("b", "item", spec(name), game.rules, game.states, 1, game.seat)
    return asyncio.run(ask())


@pytest.mark.parametrize("dialect", answering.DIALECTS)
def test_what_was_sent_is_recorded(dialect, rng):
    game = played("tictactoe", rng, 2)
    bodies = []

    def script(body, nth):
        bodies.append(body)
        if dialect == "response_format":
            schema = body["response_format"]["json_schema"]["schema"]
            return answer(json.dumps({"answer": schema["properties"]["answer"]["enum"][-1]}))
        if dialect == "structured_outputs":
            return answer(body["structured_outputs"]["choice"][-1])
        return answer(json.loads(body["grammar"].rpartition(" | ")[2]))

    with OpenAIServer(script) as server:
        options = f"base_url={server.base_url}&constrain=legal&constrain_as={dialect}"
        record = asked(make_policy(spec("tictactoe"), f"llm:m?{options}"), game)
    assert record["kind"] == OK
    assert record["chosen"] == legal_list(game.rules, game.states)[-1]
    (body,) = bodies
    assert record["held_to"] == {dialect: body[dialect]}


def test_a_server_that_refuses_is_quoted(rng):
    with OpenAIServer(lambda body, nth: error(400, "grammar is not supported")) as server:
        options = f"base_url={server.base_url}&constrain=form&constrain_as=grammar"
        record = asked(
            make_policy(spec("tictactoe"), f"llm:m?{options}"), played("tictactoe", rng, 0)
        )
    assert (record["kind"], record["reason"]) == ("transport", "rejected")


def drawn(schema, rng):
    """A plan of a schema, every choice in it at random."""
    if "enum" in schema:
        return schema["enum"][int(rng.integers(len(schema["enum"])))]
    if "anyOf" in schema:
        return drawn(schema["anyOf"][int(rng.integers(len(schema["anyOf"])))], rng)
    if schema["type"] == "array":
        count = int(rng.integers(schema["minItems"], min(schema["maxItems"], 9) + 1))
        return [drawn(schema["items"], rng) for _ in range(count)]
    if schema["type"] == "object":
        return {name: drawn(one, rng) for name, one in schema["properties"].items()}
    return "Anybody" if schema["type"] == "string" else int(rng.integers(100))


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("renamed", [False, True])
def test_a_plan_of_a_schema_is_refused_for_its_other_entries_alone(name, renamed, rng):
    options = TextOptions(renamed=renamed)
    game = TextGame(name, options)
    good = 0
    for draw in range(2000):  # of three fighters, one plan in 25 is good
        if draw >= 60 and good:
            break
        game.reset(seed=int(rng.integers(2**31)))
        if draw % 2:  # the other side plans after the first one
            while game.seat == 0:
                game.play(int(rng.choice(legal_list(game.rules, game.states))))
        asked = spec(name), game.rules, game.states, options
        shape, form = (constraints.constrained(*asked, one) for one in ("legal", "form"))
        outcome = judge(*asked[:3], json.dumps(drawn(shape.schema, rng)), options)
        good += outcome.kind == OK
        assert outcome.kind in (OK, "illegal"), outcome
        # What depends on another entry. Up to four times the budget a plan is played, and loses.
        assert outcome.reason in ("", *ON_OTHERS), outcome
        outcome = judge(*asked[:3], json.dumps(drawn(form.schema, rng)), options)
        assert outcome.kind in (OK, "illegal"), outcome
    assert good


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_asked_for_by_its_schema(name, rng):
    game = played(name, rng, 0)
    shape = constraints.constrained(spec(name), game.rules, game.states, TextOptions(), "legal")
    sent = fields(shape, "response_format")
    assert sent["response_format"]["json_schema"]["schema"] == shape.schema
    assert fields(shape, "structured_outputs") == {"structured_outputs": {"json": shape.schema}}
    plan = json.dumps(drawn(shape.schema, rng))
    assert unwrapped(plan, sent) == plan


def test_a_schema_as_a_grammar():
    few = plan_schemas.entries(plan_schemas.among(["a", "b"]), 0, 2)
    whole = plan_schemas.members(n=few, x=plan_schemas.among([1, 2]))
    assert Shape(schema=whole).grammar() == (
        r'root ::= "{\"n\": " "[" ((("\"a\"" | "\"b\"")) (", " (("\"a\"" | "\"b\""))){0,1})? "]" '
        r'", \"x\": " ("1" | "2") "}"'
    )


def test_long_fields_are_recorded_by_their_hash():
    sent = {"grammar": "root ::= " + "x" * answering.LONGEST_RECORD}
    held = answering.recorded(sent)
    assert len(held["grammar"]["sha256"]) == 64


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("tictactoe", "constrain=most", "choose from off, form, legal"),
        ("tictactoe", "constrain_as=xml", "choose from response_format"),
        ("tictactoe", "decide=coin", "choose from answer, likelihood"),
        ("tictactoe", "decide=likelihood", "gguf:FILE"),
        ("tower_defence", "decide=likelihood", "plans"),
    ],
)
def test_what_is_not_possible_is_refused_in_a_line(game, options, why):
    with pytest.raises(ValueError, match=why) as refused:
        make_policy(spec(game), f"llm:m?base_url=http://127.0.0.1:9/v1&{options}")
    assert "\n" not in str(refused.value)


def test_legal_answers_are_not_held_to_twice():
    with pytest.raises(ValueError, match="constrain=off"):
        options = {"constrain": "legal", "decide": "likelihood"}
        Answering.of(spec("tictactoe"), options, scores=True)


def test_each_is_a_setting_of_its_own(tmp_path):
    with OpenAIServer(lambda body, nth: answer("Move: 1,1")) as server:
        policies = "random,llm:m,llm:m?constrain=legal&constrain_as=grammar"
        done = scripts.run(
            "tournament", "--game", "tictactoe", "--policies", policies, "--games", 2,
            "--base-url", server.base_url, "--output", tmp_path / "a",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        config = json.loads((tmp_path / "a" / "config.json").read_text())
        names = [policy["name"] for policy in config["policies"]]
        assert names[1:] == ["llm:m", "llm:m?constrain=legal"]
        assert config["policies"][2]["constrain"] == "legal"
        assert "constrain" not in config["policies"][1]
        done = scripts.run(
            "tournament", "--game", "tictactoe", "--policies", "random,llm:m", "--games", 2,
            "--base-url", server.base_url, "--output", tmp_path / "b", "--constrain", "form",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "llm:m?constrain=form" in done.stdout


# --- probabilities -------------------------------------------------------------------------------


def test_the_most_probable_by_sum_and_per_token():
    long, short = Scored("Move: 1,1", -3.0, 6), Scored("Pass", -2.0, 2)
    assert answering.best((long, short), "likelihood") is short
    assert answering.best((long, short), "likelihood_per_token") is long
    assert long.per_token == -0.5


def test_every_legal_answer_is_scored_and_recorded(fake_engine, tmp_path, monkeypatch, rng):
    def cut(self, text):
        return [ord(letter) for letter in text]

    def script(body, take):
        tokens = [int(word) for word in re.findall(r"<\[(\d+)\]>", body["grammar"])]
        assert body["logprobs"] and body["temperature"] == 0
        # The higher the last letter, the more probable; the end costs a half.
        chances = [{"id": token, "logprob": -100.0 / token} for token in tokens]
        content = [*chances, {"id": 2, "logprob": -0.5}]
        choice = {"message": {"content": "x"}, "finish_reason": "stop"}
        take({"choices": [choice | {"logprobs": {"content": content}}]})

    fake_engine(script)
    monkeypatch.setattr(gguf_engine.Engine, "tokens", cut)
    policy = make_policy(spec("tictactoe"), f"gguf:{gguf(tmp_path / 'm.gguf')}?decide=likelihood")
    assert isinstance(policy, LanguageModel)
    assert policy.settings()["decide"] == "likelihood"
    game = played("tictactoe", rng, 3)
    record = asked(policy, game)
    legal = constraints.legal_answers(spec("tictactoe"), game.rules, game.states, TextOptions())
    expected = {
        action: sum(-100.0 / ord(letter) for letter in text) - 0.5 for action, text in legal.items()
    }
    assert record["scores"] == [
        [action, round(value, 4), len(legal[action]) + 1] for action, value in expected.items()
    ]
    assert record["chosen"] == max(expected, key=expected.__getitem__)
    assert record["reply"] == legal[record["chosen"]] and "held_to" not in record
