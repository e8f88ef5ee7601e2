"""The contract of a game, for a domain with conditional effects and one with numbers."""

from __future__ import annotations

import unittest
from dataclasses import replace

import pytest

from stratagym import envs
from stratagym.envs import registry
from stratagym.testing import contract_checks

GAME = envs.spec("planning")
LEFT_OUT = ("golden_playthrough", "ptx", "fresh_process_plays_within_two_seconds",
            "environments_import_nothing_heavy", "pettingzoo_render")  # fmt: skip
"""What does not depend on the domain."""


@pytest.mark.parametrize("domain", ["assembly", "drone"])
def test_contract_of_other_domains(domain, seed, monkeypatch):
    length = GAME.make_rules(domain=domain).max_steps
    options = {**GAME.options, "domain": replace(GAME.options["domain"], default=domain)}
    game = replace(GAME, name=f"planning_{domain}", options=options, max_game_length=length)
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))  # until it ends
    envs.register(game)
    for name, check in contract_checks(game, seed=seed):
        if name in LEFT_OUT or (domain, name) == ("assembly", "prompts_tell_all_that_counts"):
            continue  # the second takes long, and drones have it
        try:
            check()
        except unittest.SkipTest:
            continue
