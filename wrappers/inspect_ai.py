"""Whole games as a task of Inspect (https://inspect.aisi.org.uk).

    inspect eval stratagym/game -T game=tictactoe -T opponent=mcts:100 --model MODEL

Each sample is one game: a seed and the seat that the model has. Every turn is a call of Inspect's
``generate``, so its logs, limits, caches and retries apply; a model call that fails is Inspect's to
report, and not counted as an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from stratagym.envs import spec
from stratagym.envs.prompts import prompt_version
from stratagym.envs.text import Outcome, TextOptions
from stratagym.wrappers.dialogue import (
    FORFEIT,
    Dialogue,
    check_cut_off,
    pairings,
    players_of,
)

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import transcript
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
SCORES, RECORD, RESULT = "stratagym_scores", "stratagym_record", "stratagym_result"


@solver
def play(*, text: Mapping[str, Any], cut_off: str = FORFEIT, **settings: Any) -> Solver:
    """Plays a sample's game to its end.

    A limit of Inspect's can end it before: after every answer, what the game is worth if nothing
    more comes stands in the sample's metadata, from which it is scored.

    Args:
        text: of ``TextOptions``, by name. cut_off: as of ``Dialogue.scores``.
        settings: ``Dialogue``'s other arguments.
    """
    options = TextOptions(**text)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        seed, seat = int(state.metadata["seed"]), int(state.metadata["seat"])
        # In a thread: an opponent that thinks must not hold up other samples' requests.
        dialogue = await asyncio.to_thread(Dialogue, seed=seed, seat=seat, text=options, **settings)
        said: list[ChatMessage] = []
        keep(state, dialogue, cut_off)
        try:
            while not dialogue.over:
                asked = [ROLES[m["role"]](content=m["content"]) for m in dialogue.new_messages]
                state.messages = [ROLES[m["role"]](content=m["content"]) for m in dialogue.messages]
                state = await generate(state)
                reply = state.output.completion
                said += [*asked, ChatMessageAssistant(content=reply)]
                ply = len(dialogue.game.actions)
                outcome = await asyncio.to_thread(dialogue.answer, reply)
                transcript().info(told(outcome, ply), source="stratagym")
                keep(state, dialogue, cut_off)
        finally:
            state.messages = said
        return state

    return solve


def keep(state: TaskState, dialogue: Dialogue, cut_off: str) -> None:
    """Write into a sample's metadata what its game has come to; seeds are text in all that leaves
    Python, as JavaScript rounds whole numbers above 2**53."""
    record = dialogue.record(cut_off, str(state.model))
    last = dialogue.answers[-1] if dialogue.answers else None
    explanation = f"{len(dialogue.answers)} answers, {record['plies']} moves of all seats"
    if dialogue.forfeited and last is not None:
        explanation = f"forfeit: the last of {dialogue.tries} answers was {last.kind}"
        explanation += f" ({last.reason})" if last.reason else ""
    elif not dialogue.over:
        scored = "scored as a forfeit" if cut_off == FORFEIT else "not scored"
        explanation = f"cut off by a limit after {explanation}; {scored}"
    state.metadata[SCORES] = dialogue.scores(cut_off)
    state.metadata[RECORD] = {**record, "seed": str(record["seed"])}
    state.metadata[RESULT] = [dialogue.result(), explanation]


def told(outcome: Outcome, ply: int) -> dict[str, Any]:
    """An answer as an event of the log; ``ply`` counts the moves before it."""
    return {
        "ply": ply,
        "kind": outcome.kind,
        "reason": outcome.reason or None,
        "move": outcome.move,
    }


@scorer(metrics={"*": [mean(), stderr(cluster="seed")]})
def outcome() -> Scorer:
    """``Dialogue.scores`` of the game, of one that a limit cut off too (``cut_off`` is 1).

    The games of one seed are one piece of evidence, so the standard errors are clustered by it.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        if SCORES not in state.metadata:
            return None
        answer, explanation = state.metadata[RESULT]
        return Score(
            value=state.metadata[SCORES],
            answer=answer,
            explanation=explanation,
            metadata=state.metadata[RECORD],
        )

    return score


@task
def game(
    game: str = "connect_four",
    opponent: str = "mcts:100",
    games: int | None = None,
    seed: int = 0,
    tries: int = 3,
    invalid: str = FORFEIT,
    cut_off: str = FORFEIT,
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
        cut_off: what a game comes to that a limit ends: ``forfeit``, or ``none``, where it counts
            in no mean but that of ``cut_off``, the share of such games.
        list_legal, lenient, history, memory, persona, renamed: see ``TextOptions``.
        prompt: more of ``TextOptions``, such as ``{"system": "merge", "hints": true}``.
        options: the game's options, such as ``{"players": 3}``.

    Raises:
        ValueError: a bad argument, in one line.
    """
    check_cut_off(cut_off)
    text = TextOptions(persona, list_legal, lenient, history, memory, renamed).with_more(prompt)
    settings: dict[str, Any] = {
        "game": game, "opponent": opponent, "tries": tries, "invalid": invalid,
        "options": options,
    }  # fmt: skip
    # A bad setting is refused here, not in every sample.
    Dialogue(seed=0, seat=0, text=text, **settings)
    players, about = players_of(game, options), spec(game)
    samples = [
        Sample(
            input=f"{game}, seed {own}, seat {seat}",
            id=f"{number // players}-{seat}",
            metadata={"seed": str(own), "seat": seat},
        )
        for number, (own, seat) in enumerate(pairings(players, games, seed))
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"stratagym/{game}"),
        solver=play(text=asdict(text), cut_off=cut_off, **settings),
        scorer=outcome(),
        name=f"stratagym/{game}",
        display_name=about.title,
        version=f"{prompt_version(about.module('view'), text)}, reader {text.reader}",
    )


stratagym_game = game
"""The same task under a name that stands alone in an import."""
