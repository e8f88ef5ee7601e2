"""TRL: GRPOTrainer learns from whole games, which GameRollout plays with its model."""

import numpy as np
import pytest
from local_engine import missing

REASON = "pip install 'stratagym[trl]'"
torch = pytest.importorskip("torch", reason=REASON)
transformers = pytest.importorskip("transformers", reason=REASON)
pytest.importorskip("trl", reason=REASON)

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

from stratagym.agents.gguf import model_path  # noqa: E402
from stratagym.wrappers.dialogue import Dialogue  # noqa: E402
from stratagym.wrappers.rewards import Rewards  # noqa: E402
from stratagym.wrappers.trl import GameRollout  # noqa: E402

TEMPLATE = (
    "{% for m in messages %}{{ '<s>' + m['role'] + '\n' + m['content'] + '</s>' + '\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<s>assistant\n' }}{% endif %}"
)


@pytest.fixture(scope="module")
def letters():
    """A tokenizer of single letters, and two marks that are one token each."""
    known = ["<pad>", "<s>", "</s>", "<unk>", "\n", *map(chr, range(32, 127))]
    made = Tokenizer(models.WordLevel({name: k for k, name in enumerate(known)}, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    made.decoder = decoders.Fuse()
    found = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        unk_token="<unk>", padding_side="left",
    )  # fmt: skip
    found.chat_template = TEMPLATE
    return found


def tiny(tokenizer, seed=1):
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=24, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=4096,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    torch.manual_seed(seed)
    return transformers.LlamaForCausalLM(config)


def config(folder, **more):
    return GRPOConfig(
        output_dir=str(folder), per_device_train_batch_size=4, num_generations=2, max_steps=2,
        max_completion_length=400, learning_rate=1e-2, report_to=[], use_cpu=True,
        logging_steps=1, save_strategy="no", bf16=False, disable_tqdm=True, seed=1, **more,
    )  # fmt: skip


def scripted(tokenizer, rng):
    """Answers that name a column, full or not, and the conversations that asked for them."""
    asked = []

    def generate(conversations, trainer):
        asked.append([tokenizer.decode(own) for own in conversations])
        replies = [f"Move: {rng.integers(7)}" for _ in conversations]
        end = [tokenizer.eos_token_id]
        return [[*tokenizer(one, add_special_tokens=False)["input_ids"], *end] for one in replies]

    return generate, asked


def test_games_are_chats_with_what_the_game_says_masked_out(tmp_path, letters, rng):
    generate, asked = scripted(letters, rng)
    rollout = GameRollout(
        "connect_four", "random", games=4, seed=3, generate=generate,
        rewards={"turn": 0.25, "forfeit": -2}, tries=2,
    )  # fmt: skip
    trainer = GRPOTrainer(
        tiny(letters), rollout.reward, config(tmp_path), rollout.dataset(),
        processing_class=letters, rollout_func=rollout,
    )  # fmt: skip
    trainer.args.max_completion_length = 100_000
    prompts = [prompt for prompt in rollout.prompts for _ in range(2)]
    trainer.model.train()
    found = rollout(prompts, trainer)
    assert len(found["earned"]) == 8 and all(value is not None for value in found["earned"])
    for k, prompt in enumerate(prompts):
        tokens, mask = found["completion_ids"][k], found["env_mask"][k]
        assert len(tokens) == len(mask) and mask[0] == mask[-1] == 1
        whole = letters.decode(found["prompt_ids"][k] + tokens)
        assert whole.startswith(letters.apply_chat_template(prompt, tokenize=False))
        own = letters.decode([token for token, is_own in zip(tokens, mask, strict=True) if is_own])
        replies = own.split("</s>")[:-1]
        # The same replies make the same game.
        again = Dialogue(
            "connect_four", "random", seed=found["seeds"][k], seat=found["seats"][k], tries=2,
            rewards=Rewards(turn=0.25, forfeit=-2.0),
        )  # fmt: skip
        assert again.messages == prompt
        for reply in replies:
            again.answer(reply)
        assert again.over and again.earned() == found["earned"][k]
        assert again.returns()[again.seat] == found["returns"][k]
        # Every question stands in the chat as the template has it.
        assert whole.count("<s>assistant\n") == len(replies)
        assert whole.count("</s>") == 2 * len(replies) + whole.count("<s>system")
    assert found["seeds"][::2] == found["seeds"][1::2]
    assert len(asked) > 1


def test_the_trainer_takes_steps(tmp_path, letters):
    rollout = GameRollout(
        "tictactoe", "random", games=4, max_tokens=8, rewards={"unparseable": -0.5}, tries=1
    )
    model = tiny(letters)
    before = [weight.detach().clone() for weight in model.parameters()]
    trainer = GRPOTrainer(
        model, [rollout.reward, length], config(tmp_path), rollout.dataset(),
        processing_class=letters, rollout_func=rollout,
    )  # fmt: skip
    trainer.train()
    assert trainer.state.global_step == 2
    logs = [line for line in trainer.state.log_history if "reward" in line]
    assert len(logs) == 2 and all(np.isfinite(line["reward"]) for line in logs)
    changed = [
        not torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True)
    ]
    assert any(changed)


def length(*, completion_ids, **others):
    """A reward that differs between games: a tiny model's games all end as a forfeit."""
    return [float(sum(ids) % 5) for ids in completion_ids]


def test_a_game_without_room_is_cut_off(tmp_path, letters, rng):
    generate, _ = scripted(letters, rng)
    for cut_off, expected in (("forfeit", -1.0), ("none", None)):
        rollout = GameRollout("connect_four", "random", games=2, generate=generate, cut_off=cut_off)
        trainer = GRPOTrainer(
            tiny(letters), rollout.reward, config(tmp_path), rollout.dataset(),
            processing_class=letters, rollout_func=rollout,
        )  # fmt: skip
        trainer.args.max_completion_length = 40
        found = rollout(rollout.prompts[:1], trainer)
        assert found["earned"] == [expected]
        assert len(found["completion_ids"][0]) <= 40 and found["env_mask"][0] == [1] * 8


def test_bad_arguments_are_one_line(letters):
    with pytest.raises(ValueError, match="max_tokens 0"):
        GameRollout("tictactoe", max_tokens=0)
    with pytest.raises(ValueError, match="cut_off"):
        GameRollout("tictactoe", cut_off="never")
    with pytest.raises(ValueError, match="unknown reward"):
        GameRollout("tictactoe", rewards={"joy": 1})


@pytest.mark.skipif(bool(missing()), reason=missing())
@pytest.mark.slow
def test_smollm2_plays_and_takes_a_step(tmp_path):
    """The real model and its own template, from its GGUF file and without a network."""
    file = model_path("smollm2")
    tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    # transformers takes a model for packed that it has unpacked, and does not train such.
    weights = model.state_dict()
    del model.config.quantization_config
    model = type(model)(model.config)
    model.load_state_dict(weights)
    from peft import LoraConfig

    rollout = GameRollout(
        "tictactoe", "random", games=2, max_tokens=8, tries=1, rewards={"unparseable": -0.5}
    )
    trainer = GRPOTrainer(
        model, [rollout.reward, length],
        GRPOConfig(
            output_dir=str(tmp_path), per_device_train_batch_size=2, num_generations=2,
            max_steps=1, max_completion_length=64, report_to=[], use_cpu=True, bf16=False,
            save_strategy="no", disable_tqdm=True, seed=1, gradient_checkpointing=False,
            logging_steps=1,
        ),
        rollout.dataset(), processing_class=tokenizer, rollout_func=rollout,
        peft_config=LoraConfig(r=4, target_modules=["q_proj", "v_proj"]),
    )  # fmt: skip
    trainer.train()
    assert trainer.state.global_step == 1
    (line,) = [one for one in trainer.state.log_history if "reward" in one]
    assert np.isfinite(line["reward"]) and np.isfinite(line["grad_norm"])
