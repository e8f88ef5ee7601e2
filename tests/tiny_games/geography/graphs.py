"""Graphs to play on, as lists of the successors of every node."""

from __future__ import annotations

import json

from stratagym.envs.data_files import read_data_file

GRAPHS = {
    # An outer ring, an inner star, and spokes.
    "petersen": [sorted(((k + 1) % 5, (k - 1) % 5, 5 + k)) for k in range(5)]
    + [sorted((k, 5 + (k + 2) % 5, 5 + (k - 2) % 5)) for k in range(5)],
    # Corners that differ in one bit.
    "cube": [sorted((k ^ 1, k ^ 2, k ^ 4)) for k in range(8)],
}
MOST_NODES = 32


def graph_of(text: str) -> list[list[int]]:
    """The graph that an option names. Raises ``ValueError`` where a file holds none."""
    if text in GRAPHS:
        return GRAPHS[text]
    try:
        found = json.loads(read_data_file(text))
        n = len(found)
        good = 1 < n <= MOST_NODES and bool(found[0])
        for node, others in enumerate(found):
            good &= others == sorted(set(others)) and node not in others
            good &= all(other in range(n) for other in others)
    except (TypeError, KeyError, json.JSONDecodeError, UnicodeDecodeError):
        good = False
    if not good:
        raise ValueError(
            f"geography: {text} is no list of the successors of each of 2 to {MOST_NODES} nodes"
        )
    return found
