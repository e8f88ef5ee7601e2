"""Figures of SPIN-Bench's paper (2025), as published: tables 2 to 4 of its formal part.

Of 1,280 problems 71 can never be scored, because the validator refuses the problem itself, whatever
the plan: all of ``grid``, all of ``markettrader`` and three of ``assembly``.
"""

from __future__ import annotations

TASKS, SCORABLE, SOLVABLE = 1280, 1209, 1207
"""Published problems; those that the validator reads; those of them that have a plan."""
PLANNING: dict[str, tuple[int, float, float, int | None, int | None, int | None]] = {
    "o1": (750, 58.59, 16.09, 230, 229, 71),
    "o3-mini": (656, 51.25, 13.04, None, None, None),
    "DeepSeek R1": (567, 44.30, 10.71, None, None, None),
    "Claude 3.5 Sonnet": (263, 20.55, 4.44, 366, 573, 78),
    "o1-mini": (169, 13.20, 1.95, 882, 76, 153),
    "GPT-4o": (112, 8.75, 0.60, 1044, 46, 78),
    "Llama-3.3-70b": (74, 5.78, 0.32, None, None, None),
    "GPT-4-turbo": (72, 5.62, 0.13, None, None, None),
    "Claude 3.5 haiku": (54, 4.22, 0.30, None, None, None),
}
"""By model: valid plans, accuracy in %, N-step look-ahead, and of the errors those that break a
constraint (BC), that miss the goal (GS), and others; None where the paper has no row."""
RETRIEVAL: dict[str, tuple[float | None, float | None]] = {
    "o1": (94.29, 100.0),
    "o1-mini": (56.33, 84.93),
    "GPT-4o": (41.68, 43.93),
    "Claude 3.5 Sonnet": (None, 76.76),
    "DeepSeek R1": (None, 97.38),
}
"""By model: factual retrieval and spatial tracking in % (table 3)."""
RETRIEVAL_AND_BC = {"o1": (94.29, 17.97), "o1-mini": (56.33, 68.91), "GPT-4o": (41.68, 81.56)}
"""By model: factual retrieval, and plans that break a constraint, in % of all problems."""


def of_readable(valid: int) -> float:
    """Accuracy among the problems that the validator reads."""
    return valid / SCORABLE


def table_holds() -> bool:
    """Whether valid plans and the three classes of errors come to all problems, in every row."""
    return all(
        valid + broken + unmet + other == TASKS
        for valid, _, _, broken, unmet, other in PLANNING.values()
        if broken is not None and unmet is not None and other is not None
    )
