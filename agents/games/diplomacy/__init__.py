"""What players know of Diplomacy: compiled players, and policies with a name of their own."""

from __future__ import annotations

from stratagym.agents.core import PolicyString
from stratagym.agents.games.diplomacy.negotiator import negotiating
from stratagym.agents.games.diplomacy.players import RULES as RULES
from stratagym.agents.games.diplomacy.players import evaluate as evaluate
from stratagym.agents.games.diplomacy.players import heuristic as heuristic
from stratagym.agents.games.diplomacy.players import rule as rule
from stratagym.agents.games.diplomacy.responses import trying
from stratagym.agents.kernel_policies import RULE, KernelPolicy
from stratagym.agents.ladders import Ladder
from stratagym.envs.core import GameSpec


def compiled(spec: GameSpec, text: PolicyString) -> KernelPolicy:
    """A player of ``RULES`` by its name alone."""
    if text.argument or text.options:
        raise ValueError(f"policy {text.name}: it takes no options; write {text.name} alone")
    return KernelPolicy(text.name, RULE, RULES[text.name])


POLICIES = {
    **dict.fromkeys(RULES, compiled),
    "sbr": trying,
    "rm": trying,
    "negotiator": negotiating,
}

LADDER = Ladder(
    "diplomacy/ladder-v1",
    (
        ("random",),
        ("greedy?random=0.88",),
        ("greedy?random=0.73",),
        ("greedy?random=0.55",),
        ("greedy?random=0.35",),
        ("greedy?random=0.15",),
        ("greedy",),
        ("dumbbot",),
        ("sbr:96?profiles=16",),
    ),
    options={"map": "france_austria", "years": 12},
)
"""AUSTRIA against FRANCE: 18 centres win, or more centres after twelve years."""
