"""Generalized geography (T. J. Schaefer, 1978): a game whose rules are data, a directed graph.

Two players in turn move a token along an arc to a node on which it has not been; who cannot loses.
Action: the node to move to. Observation: (2, nodes), where the token has been and where it is.
The graph is built in, or in a file: a JSON list of the successors of every node.
"""

from stratagym.envs.core import GameSpec, Option
from stratagym.envs.data_files import data_file

from .graphs import GRAPHS


def graph(value: object) -> str:
    """A ``choices`` function: the name of a graph that is built in, or of a file."""
    return str(value) if value in GRAPHS else data_file(value)


SPEC = GameSpec(
    name="geography",
    title="Generalized geography",
    version=1,
    max_game_length=9,
    sources=("T. J. Schaefer: On the complexity of some two-person perfect-information games",),
    options={
        "graph": Option("petersen", graph, "petersen, cube, or a file", examples=tuple(GRAPHS))
    },
    package=__name__,
)
