"""Whole games as a ``rollout_func`` of TRL's ``GRPOTrainer`` (https://github.com/huggingface/trl).

    rollout = GameRollout("tictactoe", "random", games=200)
    GRPOTrainer(model, rollout.reward, GRPOConfig(...), rollout.dataset(), rollout_func=rollout)

Written for TRL 1.16. Its ``environment_factory`` gives games to models that call tools; a
``rollout_func`` asks in words, as all of this project does, and needs no template for tools. A game
is one growing chat: the model's answers are learned from, and what the game says between them is
masked out (``env_mask``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stratagym.wrappers.dialogue import FORFEIT, Dialogue, check_cut_off, pairings, players_of
from stratagym.wrappers.rewards import Rewards

Messages = Sequence[Mapping[str, str]]
Answers = Callable[[list[list[int]], Any], list[list[int]]]
"""From conversations, as tokens, and a trainer to the tokens of an answer to each."""
MARK = "stratagym-answer"
"""Stands for an answer where only what follows it is looked at."""


class GameRollout:
    """Plays games with the model that is trained.

    Args:
        game: a registered game. opponent: a policy string, of all other seats.
        games: how many different ones, a multiple of the number of seats; by default ten seeds
            from every seat. seed: of their seeds.
        max_tokens: of an answer. A game ends, as ``cut_off`` says, where the trainer's
            ``max_completion_length`` has no room for another.
        cut_off: what a game comes to that is not over: ``forfeit``, or ``none``: no reward.
        rewards: as of ``Rewards.of``; by default the seat's return.
        generate: answers conversations; by default the model's own ``generate``, with the trainer's
            temperature. For a server such as vLLM, give one that asks it.
        settings: ``Dialogue``'s other arguments.

    Raises:
        ValueError: a bad argument, in one line.
    """

    def __init__(
        self,
        game: str,
        opponent: str = "random",
        *,
        games: int | None = None,
        seed: int = 0,
        max_tokens: int = 32,
        cut_off: str = FORFEIT,
        rewards: Mapping[str, Any] | None = None,
        generate: Answers | None = None,
        **settings: Any,
    ):
        if max_tokens < 1:
            raise ValueError(f"max_tokens {max_tokens}: at least 1 is needed")
        check_cut_off(cut_off)
        self._settings = {
            "game": game, "opponent": opponent, "rewards": Rewards.of(rewards), **settings,
        }  # fmt: skip
        self._max_tokens, self._cut_off = max_tokens, cut_off
        self._generate = generate or self._own_generate
        self._games: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._played = 0
        self.prompts: list[list[dict[str, str]]] = []
        for own, seat in pairings(players_of(game, settings.get("options")), games, seed):
            dialogue = Dialogue(seed=own, seat=seat, **self._settings)
            if not dialogue.over:
                self.prompts.append(dialogue.messages)
                self._games[json.dumps(dialogue.messages)].append((own, seat))

    def dataset(self) -> Any:
        """The first question of each game, as a ``datasets.Dataset`` with the column ``prompt``."""
        from datasets import Dataset

        return Dataset.from_list([{"prompt": prompt} for prompt in self.prompts])

    @staticmethod
    def reward(*, earned: Sequence[float | None], **others: Any) -> list[float | None]:
        """TRL's ``reward_funcs``: what each game earned."""
        return list(earned)

    def __call__(self, prompts: list[Any], trainer: Any) -> dict[str, Any]:
        """Play a game for each prompt; those of neighbours with one prompt have the same seed.

        Games that begin alike are one question to the model: which of them is played goes round.

        Returns:
            ``prompt_ids``, ``completion_ids``, ``env_mask``, ``logprobs`` (None, TRL computes
            them), and for rewards ``earned``, ``returns``, ``forfeited``, ``seeds``, ``seats``.
        """
        played = [
            _Played(Dialogue(seed=seed, seat=seat, **self._settings), trainer.processing_class)
            for seed, seat in self._seeds(prompts, trainer)
        ]
        longest = int(trainer.args.max_completion_length)
        open_ = played
        while open_:
            answers = self._generate([one.prompt + one.tokens for one in open_], trainer)
            for one, answer in zip(open_, answers, strict=True):
                one.take(answer[: longest - len(one.tokens)], longest - self._max_tokens)
            open_ = [one for one in open_ if one.is_open]
        return {
            "prompt_ids": [one.prompt for one in played],
            "completion_ids": [one.tokens for one in played],
            "logprobs": None,
            "env_mask": [one.mask for one in played],
            "earned": [one.dialogue.earned(self._cut_off) for one in played],
            "returns": [one.dialogue.scores(self._cut_off)["return"] for one in played],
            "forfeited": [one.dialogue.forfeited for one in played],
            "seeds": [one.dialogue.seed for one in played],
            "seats": [one.dialogue.seat for one in played],
        }

    def _seeds(self, prompts: list[Any], trainer: Any) -> list[tuple[int, int]]:
        """Seed and seat of the game of each prompt."""
        size = int(trainer.num_generations if trainer.model.training else 1)
        found: list[tuple[int, int]] = []
        before, left = "", 0
        for prompt in prompts:
            name = json.dumps([{key: one[key] for key in ("role", "content")} for one in prompt])
            if name not in self._games:
                raise ValueError("a prompt that is the first question of none of the games")
            if name != before or left == 0:
                before, left = name, size
                known = self._games[name]
                pair = known[self._played % len(known)]
                self._played += 1
            left -= 1
            found.append(pair)
        return found

    def _own_generate(self, conversations: list[list[int]], trainer: Any) -> list[list[int]]:
        import torch

        model = trainer.accelerator.unwrap_model(trainer.model)
        tokenizer = trainer.processing_class
        longest = max(map(len, conversations))
        pad = tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (longest - len(own)) + own for own in conversations])
        mask = torch.tensor([[0] * (longest - len(own)) + [1] * len(own) for own in conversations])
        was_training = model.training
        model.eval()
        try:
            with torch.no_grad():
                whole = model.generate(
                    input_ids=ids.to(model.device),
                    attention_mask=mask.to(model.device),
                    max_new_tokens=self._max_tokens,
                    do_sample=True,
                    temperature=trainer.args.temperature,
                    pad_token_id=pad,
                    eos_token_id=tokenizer.eos_token_id,
                )
        finally:
            model.train(was_training)
        return [_to_end(own, tokenizer.eos_token_id) for own in whole[:, longest:].tolist()]


def _to_end(tokens: list[int], end: int) -> list[int]:
    """An answer's tokens up to and with its end."""
    return tokens[: tokens.index(end) + 1] if end in tokens else tokens


class _Played:
    """A game with its chat as tokens.

    Attributes:
        prompt: the first question. tokens: all that came after it. mask: 1 for the model's own.
        is_open: whether another answer is wanted.
    """

    def __init__(self, dialogue: Dialogue, tokenizer: Any):
        self.dialogue, self._tokenizer = dialogue, tokenizer
        text = self._written(list(dialogue.messages))
        self.prompt = self._cut(text)
        self.tokens: list[int] = []
        self.mask: list[int] = []
        self.is_open = not dialogue.over

    def take(self, answer: list[int], room: int) -> None:
        """Take an answer; the next question follows where ``room`` tokens hold it."""
        self.tokens += answer
        self.mask += [1] * len(answer)
        self.dialogue.answer(self._tokenizer.decode(answer, skip_special_tokens=True))
        self.is_open = not self.dialogue.over
        if self.is_open:
            said = self._said(answer)
            self.is_open = len(self.tokens) + len(said) <= room
            if self.is_open:
                self.tokens += said
                self.mask += [0] * len(said)

    def _said(self, answer: list[int]) -> list[int]:
        """What the game says next, as the chat's template has it between two answers."""
        news = self.dialogue.new_messages
        before = [{"role": "user", "content": MARK[:1]}, {"role": "assistant", "content": MARK}]
        text = self._written([*before, *news]).partition(MARK)[2]
        said = self._cut(text)
        end = self._tokenizer.eos_token_id
        # An answer that came to its end has that token already.
        return said[1:] if answer and answer[-1] == end and said[:1] == [end] else said

    def _written(self, messages: list[dict[str, str]]) -> str:
        return self._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )

    def _cut(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
