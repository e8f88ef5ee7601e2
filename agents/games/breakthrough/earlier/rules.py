"""The rules of breakthrough under another class; see the package."""

from __future__ import annotations

from stratagym.envs.breakthrough import rules
from stratagym.envs.breakthrough.rules import STATE as STATE
from stratagym.envs.breakthrough.rules import current_player as current_player
from stratagym.envs.breakthrough.rules import legal_actions as legal_actions
from stratagym.envs.breakthrough.rules import returns as returns
from stratagym.envs.breakthrough.rules import step as step


class Rules(rules.Rules):
    """The options in force."""

    __slots__ = ()
