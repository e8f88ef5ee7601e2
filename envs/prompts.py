"""What a seat is asked: the prompt of a position, with what holds of the run.

``messages`` builds the chat messages for the seat to move in a lone state; ``TextOptions`` says
what they hold and how replies are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.words import Renaming


@dataclass(frozen=True)
class TextOptions:
    """What a prompt holds and how replies are read; recorded with every result.

    Attributes:
        persona: a playing style the game's view knows, or ``none``.
        list_legal: name the legal moves in the prompt.
        lenient: also accept replies the game's view calls lenient.
        history: how many of the game's last moves the prompt retells.
        memory: how many of the seat's own last prompts and replies are sent along.
        renamed: tell the game under made-up names (the view's ``RENAMED``), its rules in full, so
            that what was read about it elsewhere is of less use.
    """

    persona: str = "none"
    list_legal: bool = False
    lenient: bool = False
    history: int = 0
    memory: int = 0
    renamed: bool = False

    def check(self, game: core.GameSpec) -> None:
        """Raises ``ValueError`` for what the game's view does not have, or a negative count."""
        view = game.module("view")
        if self.persona not in view.PERSONAS:
            raise ValueError(
                f"{game.name}: unknown persona {self.persona!r}; "
                f"the personas are: {', '.join(view.PERSONAS)}"
            )
        if self.renamed and not hasattr(view, "RENAMED"):
            raise ValueError(f"{game.name}: the game has no other names for renamed rules")
        if self.history < 0 or self.memory < 0:
            raise ValueError("history and memory count turns: 0 or more is needed")


def legal_list(rules: Any, states: np.ndarray) -> list[int]:
    """Legal action ids in ``states[0]``."""
    legal = np.zeros(rules.num_actions, np.int64)
    return legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()


def messages(
    game: core.GameSpec,
    rules: Any,
    states: np.ndarray,
    options: TextOptions = TextOptions(),
    history: str = "",
) -> list[dict[str, str]]:
    """The prompt for the seat to move in ``states[0]``."""
    seat, view = core.current_player_at(rules, states, 0), game.module("view")
    asked = view.prompt(
        rules,
        states[0],
        seat,
        persona=options.persona,
        history=history,
        list_legal=legal_list(rules, states) if options.list_legal else None,
    )
    if not options.renamed:
        return asked
    words = Renaming(view.RENAMED)
    rules_in_full = getattr(view, "rules_in_full", None)
    if rules_in_full is not None:
        told = f"{rules_in_full(rules)}\n\n{asked[0]['content']}"
        asked[0] = {**asked[0], "content": told}
    return [{**part, "content": words.renamed(part["content"])} for part in asked]
