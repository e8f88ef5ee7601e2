"""Installed as ``stratagym_game``: verifiers finds environments by top-level module names only."""

from stratagym.wrappers.verifiers import GameEnv, GameTaskset, load_environment

__all__ = ["GameEnv", "GameTaskset", "load_environment"]
