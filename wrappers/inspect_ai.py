"""Whole games as a task of Inspect (https://inspect.aisi.org.uk).

    inspect eval stratagym/game -T game=tictactoe -T opponent=mcts:100 --model MODEL

Each sample is one game: a seed and the seat that the model has. Every turn is a call of Inspect's
``generate``, so its logs, limits, caches and retries apply; a model call that fails is Inspect's to
report, and not counted as an answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

from stratagym.envs.text import TextOptions
from stratagym.wrappers.dialogue import FORFEIT, Dialogue, pairings, players_of

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
    )
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ModuleNotFoundError as error:
    if error.name != "inspect_ai":
        raise
    raise ModuleNotFoundError(
        'this task needs Inspect: pip install "stratagym[inspect]"', name="inspect_ai"
    ) from None

ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
SCORES, RECORD = "stratagym_scores", "stratagym_record"


@solver
def play(**settings: Any) -> Solver:
    """Plays a sample's game to its end; ``settings`` are ``Dialogue``'s arguments."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        seed, seat = int(state.metadata["seed"]), int(state.metadata["seat"])
        # In a thread: an opponent that thinks must not hold up other samples' requests.
        dialogue = await asyncio.to_thread(Dialogue, seed=seed, seat=seat, **settings)
        said: list[ChatMessage] = []
        while not dialogue.over:
            news = dialogue.news
            state.messages = [ROLES[m["role"]](content=m["content"]) for m in dialogue.messages]
            state = await generate(state)
            reply = state.output.completion
            said += [ChatMessageUser(content=news), ChatMessageAssistant(content=reply)]
            await asyncio.to_thread(dialogue.answer, reply)
        state.messages = said
        state.metadata[SCORES] = dialogue.scores()
        state.metadata[RECORD] = dialogue.record()
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr(cluster="seed")]})
def outcome() -> Scorer:
    """``Dialogue.scores`` of the game; none for a game that a limit cut off.

    The games of one seed are one piece of evidence, so the standard errors are clustered by it.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        if SCORES not in state.metadata:
            return None
        record = state.metadata[RECORD]
        return Score(value=state.metadata[SCORES], answer=record["ended_by"], metadata=record)

    return score


@task
def game(
    game: str = "connect_four",
    opponent: str = "mcts:100",
    games: int | None = None,
    seed: int = 0,
    tries: int = 3,
    invalid: str = FORFEIT,
    list_legal: bool = False,
    lenient: bool = False,
    history: int = 0,
    memory: int = 0,
    persona: str = "none",
    renamed: bool = False,
    prompt: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
) -> Task:
    """A model against a policy, every seed once from each seat.

    Args:
        game: a registered game. opponent: a policy string for all other seats.
        games: how many, a multiple of the number of seats; by default ten seeds.
        seed: of the seeds. tries, invalid: see ``Dialogue``.
        list_legal, lenient, history, memory, persona, renamed: see ``TextOptions``.
        prompt: more of ``TextOptions``, such as ``{"system": "merge", "hints": true}``.
        options: the game's options, such as ``{"players": 3}``.

    Raises:
        ValueError: a bad argument, in one line.
    """
    text = TextOptions(persona, list_legal, lenient, history, memory, renamed).with_more(prompt)
    settings: dict[str, Any] = {
        "game": game, "opponent": opponent, "tries": tries, "invalid": invalid,
        "text": text, "options": options,
    }  # fmt: skip
    Dialogue(seed=0, seat=0, **settings)  # a bad setting is refused here, not in every sample
    samples = [
        Sample(
            input=f"{game}, seed {own}, seat {seat}",
            id=f"{own}-{seat}",
            metadata={"seed": own, "seat": seat},
        )
        for own, seat in pairings(players_of(game, options), games, seed)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"stratagym/{game}"),
        solver=play(**settings),
        scorer=outcome(),
    )


stratagym_game = game
"""The same task under a name that stands alone in an import."""
