"""Adapters learn as they should: on a tiny model of random weights, and on a real GGUF file."""

import asyncio
import json
from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
from local_engine import missing
from scripts import run

REASON = "pip install 'stratagym[tune]'"
torch = pytest.importorskip("torch", reason=REASON)
transformers = pytest.importorskip("transformers", reason=REASON)
pytest.importorskip("peft", reason=REASON)
pytest.importorskip("gguf", reason=REASON)

from stratagym.agents import gguf_file  # noqa: E402
from stratagym.agents.gguf import GGUFChat, model_path  # noqa: E402
from stratagym.benchmarks.harness import experts  # noqa: E402
from stratagym.benchmarks.tune import adapter, practising, supervised  # noqa: E402
from stratagym.benchmarks.tune import learner as learners  # noqa: E402
from stratagym.benchmarks.tune.course import Course, Lora  # noqa: E402
from stratagym.benchmarks.tune.learner import Learner, Tokens, load_model, load_state, save_state  # noqa: E402
from stratagym.benchmarks.tune.packing import Asked, packed  # noqa: E402

VOCABULARY, END = 40, 2
real = pytest.mark.skipif(bool(missing()), reason=missing())


TINY = Lora(rank=4, alpha=8, layers=2)


def tiny(seed, lora=TINY):
    """A learner of three layers in float32, so that sums can be compared."""
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=48, num_hidden_layers=3,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256,
        initializer_range=0.3,
    )  # fmt: skip
    torch.manual_seed(seed)
    return Learner(transformers.LlamaForCausalLM(config), lora, seed)


def stir(learner, seed):
    """Weights of an adapter that is not at its start, where it changes nothing."""
    torch.manual_seed(seed + 1)
    with torch.no_grad():
        for weight in learner.weights.values():
            weight.copy_(torch.randn_like(weight) * 0.2)


def conversations(rng, count):
    begin = rng.integers(3, VOCABULARY, 20).tolist()
    return [
        Asked(
            (*begin, *rng.integers(3, VOCABULARY, rng.integers(1, 8)).tolist()),
            (*rng.integers(3, VOCABULARY, rng.integers(0, 4)).tolist(), END),
        )
        for _ in range(count)
    ]


def alone(learner, tokens):
    """The log-probabilities of the next token after each, of a conversation by itself."""
    with torch.no_grad():
        logits = learner.model(input_ids=torch.tensor([tokens])).logits[0].float()
    return torch.log_softmax(logits, -1)


def test_rows_say_what_each_conversation_says(seed, rng):
    learner = tiny(seed)
    stir(learner, seed)
    asked = conversations(rng, 9)
    for row in packed(asked):
        with torch.no_grad():
            parts = learner.log_probabilities(row)
        for k, part in zip(row.members, parts, strict=True):
            own = alone(learner, asked[k].told)[len(asked[k].prompt) - 1 :]
            torch.testing.assert_close(part, own, atol=1e-4, rtol=1e-4)


def test_the_likeliest_answers_are_those_of_each_prompt_alone(seed, rng):
    learner = tiny(seed)
    stir(learner, seed)
    prompts = [one.prompt for one in conversations(rng, 7)]
    for prompt, answer in zip(prompts, learner.drawn(prompts, END, 6), strict=True):
        assert len(answer) == 6 or answer[-1] == END
        for k, token in enumerate(answer):
            chances = alone(learner, [*prompt, *answer[:k]])[-1]
            # Two tokens may be as likely as each other but for rounding.
            assert chances[token] >= chances.max() - 1e-4


def test_draws_follow_the_probabilities(seed, rng):
    learner = tiny(seed)
    (asked,) = conversations(rng, 1)
    chances = alone(learner, asked.prompt)[-1].exp().numpy()
    drawn = learner.drawn([asked.prompt] * 4000, END, 1, np.random.default_rng(seed))
    found = np.bincount([answer[0] for answer in drawn], minlength=VOCABULARY) / 4000
    # Each share is within six standard deviations but once in a hundred million runs.
    assert (np.abs(found - chances) < 6 * np.sqrt(chances * (1 - chances) / 4000) + 1e-3).all()


def test_an_adapter_comes_back_from_its_file(tmp_path, seed):
    one, other = tiny(seed), tiny(seed)
    stir(one, seed)
    one.write(tmp_path / "adapter.gguf")
    found = gguf_file.read(tmp_path / "adapter.gguf")
    assert found.is_adapter and found.architecture == "llama"
    assert len(found.tensors) == len(one.weights) == 2 * 2 * len(adapter.PARTS)
    assert found.tensors["blk.1.ffn_down.weight.lora_a"] == (48, 4)
    assert found.tensors["blk.2.attn_k.weight.lora_b"] == (4, 16)
    other.read(tmp_path / "adapter.gguf")
    for name, weight in one.weights.items():
        assert torch.equal(weight, other.weights[name])
    with pytest.raises(KeyError):
        tiny(seed, Lora(rank=4, layers=3)).read(tmp_path / "adapter.gguf")


def test_rows_of_heads_stand_in_pairs(rng):
    """Of a head of four rows, transformers turns 0 with 2 and 1 with 3, llama.cpp neighbours."""
    rows = np.arange(8.0)[:, None]
    turned = adapter.rotated(rows, 2)
    assert turned[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert np.array_equal(adapter.rotated_back(turned, 2), rows)


def test_what_was_kept_goes_on_as_if_never_left(tmp_path, seed, rng):
    asked = conversations(rng, 4)

    def update(learner):
        for row in packed(asked):
            (-sum(part[:, END].sum() for part in learner.log_probabilities(row))).backward()
        learner.step()

    whole, broken, later = tiny(seed), tiny(seed), tiny(seed)
    assert load_state(tmp_path / "state.pt", later) == (0, 0.0)
    for _ in range(4):
        update(whole)
    for _ in range(2):
        update(broken)
    save_state(tmp_path / "state.pt", broken, 2, 1.5)
    assert load_state(tmp_path / "state.pt", later) == (2, 1.5)
    for _ in range(2):
        update(later)
    for name, weight in whole.weights.items():
        assert torch.equal(weight, later.weights[name])


class Letters:
    """A tokenizer of letters: enough for prompts of a few words."""

    end = END

    def prompt(self, messages):
        return tuple(3 + ord(letter) % 37 for letter in messages[-1]["content"][-60:])

    def answer(self, text):
        return (*(3 + ord(letter) % 37 for letter in text), END)

    def text(self, tokens):
        return ""


@pytest.fixture(scope="module")
def lessons():
    wanted = experts.Wanted("perfect", 60, 0.5, 0.2, "messages", 3, {"position": "list"}, {})
    given, there_are = experts.lessons(wanted, "tictactoe")
    assert there_are == 4520
    return list(given)


def test_training_that_was_broken_off_goes_on_to_the_same_end(tmp_path, seed, lessons):
    train = [lesson for lesson in lessons if not lesson.is_held_out]
    held_out = [lesson for lesson in lessons if lesson.is_held_out]

    def go(learner, folder, updates):
        folder.mkdir(exist_ok=True)
        course, told = Course(updates, 3, 2, 2, 4), []
        supervised.train(
            learner, Letters(), train, held_out, course, seed, folder,
            lambda done, words: told.append(done),
        )  # fmt: skip
        return told

    whole, broken, later = tiny(seed), tiny(seed), tiny(seed)
    assert go(whole, tmp_path / "whole", 6) == [1, 2, 3, 4, 5, 6]
    go(broken, tmp_path / "broken", 4)
    assert go(later, tmp_path / "broken", 6) == [5, 6]
    for name, weight in whole.weights.items():
        assert torch.equal(weight, later.weights[name])
    one, other = (supervised.read_curve(tmp_path / name) for name in ("whole", "broken"))
    assert [line["updates"] for line in one] == [0, 2, 4, 6]
    assert [line | {"cpu_s": 0} for line in one] == [line | {"cpu_s": 0} for line in other]


def test_answers_that_are_wanted_become_likelier(seed, lessons):
    learner, letters = tiny(seed), Letters()
    learner.optimizer.param_groups[0]["lr"] = 0.01
    few = lessons[:2]
    losses = [supervised.learn(learner, letters, few) for _ in range(40)]
    least = np.mean([np.log(len(lesson.replies)) for lesson in few])
    assert losses[-1] < losses[0] - 2
    assert losses[-1] >= least - 1e-3


def games(*rewards):
    """Games whose answers to one prompt each earned something."""
    reply = SimpleNamespace(prompt_ids=[5, 6, 7], token_ids=[8, END])
    return [
        SimpleNamespace(answers=[SimpleNamespace(reward=one, reply=reply) for one in own])
        for own in rewards
    ]


def test_an_answer_earns_what_comes_after_it():
    first, second = practising.advantages(games([1.0, 0.0, -1.0], [0.0, 2.0]))
    # What came after: 0, -1, -1 and 2, 2; less the means 1, .5 and -1.
    deviation = np.std([-1, -1.5, 0, 1, 1.5])
    np.testing.assert_allclose(first, np.array([-1, -1.5, 0]) / deviation)
    np.testing.assert_allclose(second, np.array([1, 1.5]) / deviation)
    assert practising.advantages(games([0.0], [0.0]))[0].tolist() == [0.0]


def test_what_earned_more_becomes_likelier(seed):
    learner = tiny(seed)
    prompt, good, bad = [5, 6, 7], 8, 9
    played = games([1.0], [-1.0])
    for game, token in zip(played, (good, bad), strict=True):
        game.answers[0].reply = SimpleNamespace(prompt_ids=prompt, token_ids=[token, END])
    before = alone(learner, prompt)[-1]
    for _ in range(5):
        practising.reinforce(learner, played)
    after = alone(learner, prompt)[-1]
    assert after[good] - after[bad] > before[good] - before[bad] + 0.01


@pytest.fixture(scope="module")
def smollm2():
    """The real model, to be copied: reading its file takes longer than all that it is asked."""
    return load_model(model_path("smollm2"))


@real
@pytest.mark.slow
def test_the_engine_answers_as_what_was_tuned(tmp_path, rng, smollm2):
    """An adapter is the same in PyTorch and in llama.cpp, whose weights are four bits each."""
    tokens = Tokens(model_path("smollm2"))
    learner = Learner(deepcopy(smollm2), Lora(rank=4, layers=30), 1)
    with torch.no_grad():
        for weight in learner.weights.values():
            weight.copy_(torch.randn_like(weight) * 0.03)
    learner.write(tmp_path / "adapter.gguf")
    messages = [{"role": "user", "content": "Name a square of a grid, such as 1,2."}]
    answers = ["Move: 2,2", "The third row.", "1,2"]
    asked = [Asked(tokens.prompt(messages), tokens.answer(text)) for text in answers]
    wanted = {}
    for row in packed(asked):
        for k, part in zip(row.members, learner.log_probabilities(row), strict=True):
            own = torch.tensor(asked[k].answer)[:, None]
            wanted[answers[k]] = float(part.gather(1, own).mean())

    def scored(**options):
        chat = GGUFChat("smollm2", slots=1, threads=1, context=512, **options)

        async def ask():
            return [(await chat.score(messages, text))[0].per_token for text in answers]

        return np.array(asyncio.run(ask()))

    tuned, plain = scored(lora=str(tmp_path / "adapter.gguf")), scored()
    same = np.abs(tuned - [wanted[text] for text in answers])
    other = np.abs(plain - [wanted[text] for text in answers])
    print(tuned, plain, wanted)
    assert same.max() < 0.5 and other.max() > 3 * same.max()
    assert tokens.text(tokens.answer("Move: 2,2")) == "Move: 2,2"


@real
@pytest.mark.slow
def test_from_an_expert_to_games_of_its_own(tmp_path, smollm2, monkeypatch):
    """The smallest course there is: what it comes to is complete, whatever it is."""
    monkeypatch.setattr(learners, "load_model", lambda file: deepcopy(smollm2))
    tiny_course = (
        "--positions", 60, "--updates", 2, "--batch", 2, "--every", 1, "--looks", 1,
        "--questions", 1, "--games", 2, "--no-climb", "--max-tokens", 8,
    )  # fmt: skip
    tuned, own = tmp_path / "tuned", tmp_path / "own"
    done = run("tune", *tiny_course, "--output", tuned)
    assert done.returncode == 0, done.stderr
    found = json.loads((tuned / "summary.json").read_text())
    assert [line["updates"] for line in found["curve"]] == [0, 1, 2]
    assert set(found["positions"]) == set(found["random"]) == {"untuned", "tuned"}
    assert found["adapter"]["sha256"] == gguf_file.sha256(tuned / "adapter.gguf")
    assert found["gain"]["n"] == 1 and "gguf:smollm2?lora=" in done.stdout
    again = run("tune", *tiny_course, "--output", tuned, "--resume")
    assert again.returncode == 0 and json.loads((tuned / "summary.json").read_text()) == found
    done = run(
        "tune", "reinforce", tuned, "--updates", 1, "--games", 2, "--rating-games", 2,
        "--output", own,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads((own / "summary.json").read_text())
    assert [line["updates"] for line in found["curve"]] == [1]
    assert found["config"]["begun"]["command"] == (
        f"python -m benchmarks.tune reinforce {tuned} --updates 1 --games 2 --rating-games 2"
    )
    assert {found[name]["n"] for name in ("before", "after", "gain")} == {2}
    # Where both games earn the same, nothing is learned from them.
    assert found["adapter"]["sha256"] == gguf_file.sha256(own / "adapter.gguf")
