"""Diplomacy with rounds of talk: the contract again, as far as it may depend on them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stratagym.envs import spec
from stratagym.testing import contract_checks, hiding

GAME = spec("diplomacy")
SAME = (
    "chance_outcomes", "environments_import", "fresh_process", "golden", "pickled", "pictures",
    "ptx", "registered", "sides_part", "pettingzoo_render", "pettingzoo_seed", "pettingzoo_state",
    "information_and_seed", "prompts_tell",
)  # fmt: skip
"""Checks that kernels and words pass alike with and without talk; ``prompts_tell_all_that_counts``
mixes all options anyhow."""
CHECKS = [name for name, _ in contract_checks("diplomacy") if not name.startswith(SAME)]


@pytest.fixture
def talkative(monkeypatch):
    """Two rounds of talk, before Winter too, as the default of two years."""
    for name, default in (("rounds", 2), ("winter_press", "yes"), ("years", 2)):
        option = replace(GAME.options[name], default=default)
        monkeypatch.setitem(GAME.options, name, option)
    before = GAME.max_game_length
    object.__setattr__(GAME, "max_game_length", GAME.make_rules().max_game_length)
    monkeypatch.setattr(hiding, "MOST_SEEN", 400)
    monkeypatch.setattr(hiding, "MOST_COMMITS", 300)
    yield
    object.__setattr__(GAME, "max_game_length", before)


@pytest.mark.usefixtures("talkative")
@pytest.mark.parametrize("check", CHECKS)
def test_contract_with_talk(check, seed):
    dict(contract_checks("diplomacy", seed=seed))[check]()
