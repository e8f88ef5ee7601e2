"""A GGUF file's model with a LoRA adapter that learns, on the processor.

transformers reads the weights, peft adds the adapter, and the tokenizer is llama.cpp's own, so that
the model is tuned on the very tokens that it is asked with afterwards.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import torch

from stratagym.agents import gguf_engine, gguf_file
from stratagym.benchmarks.tune import adapter
from stratagym.benchmarks.tune.adapter import PARTS
from stratagym.benchmarks.tune.course import Lora
from stratagym.benchmarks.tune.packing import Asked, Row, packed


class Tokens:
    """Conversations as llama.cpp makes tokens of them, with the model's own template."""

    def __init__(self, path: Path):
        self._engine = gguf_engine.engine(
            gguf_engine.Settings(path, context=256, slots=1, threads=1)
        )
        values = gguf_file.read(path).values
        end = values.get("tokenizer.ggml.eot_token_id", values.get("tokenizer.ggml.eos_token_id"))
        self.end = int(end)
        self._known: dict[str, tuple[int, ...]] = {}

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> tuple[int, ...]:
        return tuple(self._engine.prompt_ids(messages))

    def answer(self, text: str) -> tuple[int, ...]:
        """The tokens of an answer and its end."""
        if text not in self._known:
            self._known[text] = (*self._engine.tokens(text), self.end)
        return self._known[text]

    def text(self, tokens: Sequence[int]) -> str:
        """The text of an answer's tokens."""
        return self._engine.text([token for token in tokens if token != self.end])


def load_model(path: Path) -> Any:
    """The model of a GGUF file as transformers has it, in bfloat16."""
    import transformers
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    # Packed weights, which newer versions may keep, learn nothing.
    kind = getattr(transformers, "GgufConfig", None)
    more = {} if kind is None else {"quantization_config": kind(dequantize=True)}
    with contextlib.redirect_stderr(io.StringIO()):  # a bar of the loader's own
        return transformers.AutoModelForCausalLM.from_pretrained(
            str(path.parent), gguf_file=path.name, dtype=torch.bfloat16, **more
        )


class Learner:
    """A model and its adapter.

    Args:
        model: of transformers, of the Llama architecture; the adapter is put into it.
        lora: the adapter's form. seed: of its first weights. threads: of PyTorch.
    """

    def __init__(self, model: Any, lora: Lora, seed: int, threads: int = 1):
        from peft import LoraConfig, get_peft_model

        torch.set_num_threads(threads)
        self.heads = {
            "q_proj": int(model.config.num_attention_heads),
            "k_proj": int(model.config.num_key_value_heads),
        }
        torch.manual_seed(seed)
        depth = int(model.config.num_hidden_layers)
        config = LoraConfig(
            r=lora.rank,
            lora_alpha=lora.alpha,
            target_modules=list(PARTS),
            layers_to_transform=list(range(max(0, depth - lora.layers), depth)),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of what peft asks transformers
            self.lora, self.model = lora, get_peft_model(model, config)
        self.model.train()
        self._body, self._head = model.model, model.lm_head
        known = signature(type(self._body).forward).parameters
        self._cache = "cache" if "cache" in known else "past_key_values"  # its name before
        self.weights = {
            name: weight for name, weight in self.model.named_parameters() if weight.requires_grad
        }
        self.optimizer = torch.optim.Adam(self.weights.values(), lr=lora.rate)

    def _hidden(self, row: Row, cache: Any = None) -> torch.Tensor:
        return self._body(
            input_ids=torch.from_numpy(row.tokens)[None],
            position_ids=torch.from_numpy(row.places)[None],
            attention_mask=torch.from_numpy(row.sees)[None, None],
            use_cache=cache is not None,
            **({} if cache is None else {self._cache: cache}),
        ).last_hidden_state[0]

    def log_probabilities(self, row: Row) -> list[torch.Tensor]:
        """For each branch of a row (its answer's tokens, vocabulary) of each next token."""
        at = [place for places in row.answers for place in places]
        logits = self._head(self._hidden(row)[at]).float()
        parts = torch.log_softmax(logits, -1).split([len(places) for places in row.answers])
        return list(parts)

    def write(self, path: Path) -> None:
        """Write the adapter as a GGUF file."""
        weights = {name: weight.detach().numpy() for name, weight in self.weights.items()}
        adapter.write(path, weights, self.heads, self.lora.alpha)

    def read(self, path: Path) -> None:
        """Take an adapter that ``write`` wrote. Raises ``KeyError`` where it is of another form."""
        found = adapter.read(path, list(self.weights), self.heads)
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(torch.from_numpy(found[name]))

    def step(self) -> float:
        """An update by the gradients that were added up; returns their norm."""
        norm = torch.nn.utils.clip_grad_norm_(self.weights.values(), self.lora.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return float(norm)

    @torch.no_grad()
    def drawn(
        self,
        prompts: Sequence[tuple[int, ...]],
        end: int,
        longest: int,
        draws: np.random.Generator | None = None,
    ) -> list[tuple[int, ...]]:
        """An answer to each prompt, token by token up to its end.

        Args:
            longest: most tokens of an answer, its end included.
            draws: what tokens are drawn by, at temperature 1; None for the likeliest.
        """
        found: list[tuple[int, ...]] = [()] * len(prompts)
        for row in packed([Asked(prompt) for prompt in prompts]):
            answers = self._drawn(row, end, longest, draws)
            for member, answer in zip(row.members, answers, strict=True):
                found[member] = answer
        return found

    def _drawn(
        self, row: Row, end: int, longest: int, draws: np.random.Generator | None
    ) -> list[tuple[int, ...]]:
        from transformers import DynamicCache

        cache = DynamicCache()
        count = len(row.members)
        last = [places[0] for places in row.answers]
        hidden = self._hidden(row, cache)[last]
        sees, place = row.sees[last], row.places[last]
        answers: list[list[int]] = [[] for _ in range(count)]
        for _ in range(longest):
            tokens = _picked(self._head(hidden).float(), draws)
            for answer, token in zip(answers, tokens, strict=True):
                if not answer or answer[-1] != end:
                    answer.append(token)
            if all(answer[-1] == end for answer in answers):
                break
            # Of all members at once, those that are done too: each sees its own alone.
            place = place + 1
            sees = np.concatenate([sees, np.eye(count, dtype=bool)], 1)
            hidden = self._hidden(Row(row.members, np.array(tokens), place, sees, ()), cache)
        return [tuple(answer) for answer in answers]


def _picked(logits: torch.Tensor, draws: np.random.Generator | None) -> list[int]:
    """A token for each of (n, vocabulary) logits."""
    if draws is None:
        return logits.argmax(1).tolist()
    sums = torch.softmax(logits.double(), 1).cumsum(1).numpy()
    # As many draws whoever is done: each answer's are its own.
    picks = draws.random(len(sums)) * sums[:, -1]
    return [
        int(np.searchsorted(line, pick, "right")) for line, pick in zip(sums, picks, strict=True)
    ]


def save_state(path: Path, learner: Learner, updates: int, spent: float) -> None:
    """Keep the adapter and the optimizer, so that a run can be gone on with."""
    state = {
        "weights": {name: weight.detach() for name, weight in learner.weights.items()},
        "optimizer": learner.optimizer.state_dict(),
        "updates": updates,
        "spent": spent,
    }
    beside = path.with_suffix(".new")
    torch.save(state, beside)
    beside.replace(path)


def load_state(path: Path, learner: Learner) -> tuple[int, float]:
    """Go on from what ``save_state`` kept, if it did; returns how many updates and CPU-seconds."""
    if not path.exists():
        return 0, 0.0
    state = torch.load(path, weights_only=True)
    with torch.no_grad():
        for name, weight in learner.weights.items():
            weight.copy_(state["weights"][name])
    learner.optimizer.load_state_dict(state["optimizer"])
    return int(state["updates"]), float(state["spent"])
