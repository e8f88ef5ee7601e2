"""Strategy games for reinforcement-learning policies and language models.

``stratagym.envs`` has the games, ``stratagym.agents`` their players, ``stratagym.wrappers`` the
games for other frameworks, ``stratagym.benchmarks`` the scripts that ``python -m stratagym`` lists.
Nothing is imported here.
"""

from importlib.metadata import version

__version__ = version("stratagym")
