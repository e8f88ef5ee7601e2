"""Elemental duel: recorded duels of another program, a turn by hand for every skill, words."""

from __future__ import annotations

from sealed_plans import check_golden_pairs

from stratagym.envs import spec

GAME = spec("elemental_duel")
RULES = GAME.make_rules()


def test_golden_pairs(shared_data):
    path = shared_data / "advgamebench" / "elemental_duel.jsonl"

    def plans(line):
        for side, seat in (("invaders", "attacker"), ("defenders", "defender")):
            yield {side: [{"element": name, "skills": skills} for name, skills in line[seat]]}

    check_golden_pairs(GAME, path, plans)
