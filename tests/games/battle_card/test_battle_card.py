"""Battle card: battles recorded elsewhere, a battle by hand for every unit, words."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from sealed_plans import (
    battle,
    check_golden_pairs,
    check_round_trip,
    defenders_share,
)

from stratagym.envs import core, sealed, spec
from stratagym.envs.battle_card import view
from stratagym.envs.battle_card.battle import (
    BURNT,
    DEATH,
    GROWTH,
    HIT,
    REVIVE,
    SHIELDED,
    START,
    SUMMON,
)  # fmt: skip
from stratagym.envs.battle_card.replay import beside, frames, move
from stratagym.envs.battle_card.story import Battle
from stratagym.envs.battle_card.tables import NAMES, UNITS
from stratagym.envs.text import TextGame, TextOptions
from stratagym.testing import check_replies, position

GAME = spec("battle_card")
RULES = GAME.make_rules()
LARGE = {"attacker_budget": 80, "defender_budget": 80}


def plan(side: str, words: str) -> dict:
    """``King Sapling+ | Phoenix`` as JSON: a plus is gold, behind the bar are priorities."""
    units, _, first = words.partition("|")
    return {
        side: [
            {"name": unit.removesuffix("+"), "tier": "Gold" if unit.endswith("+") else "Bronze"}
            for unit in units.split()
        ],
        f"target_priority_for_{side}": first.split(),
    }


class Fight:
    """A battle of two plans.

    Attributes:
        won: ``attacker`` or ``defender``. end: its round. left: units that live, by side, as text.
        hits, shields, grown, started, burnt, died, revived, summoned: events of a kind, by names.
    """

    def __init__(self, attacker: str, defender: str, **options: str):
        rules = GAME.make_rules(**LARGE, **options)
        plans = plan("invaders", attacker), plan("defenders", defender)
        s = battle(GAME, rules, *plans)[0]
        self.won = "attacker" if s["result"][0] > 0 else "defender"
        self.end, self.totals = int(s["end"][0]), s["left"][0].tolist()
        fought, found = Battle(rules, s), []
        for event in sealed.last_events(rules, s):
            _, kind, actor, target, amount, extra = event.tolist()
            fought.apply(event)
            names = [NAMES[fought.unit(one).kind] if one >= 0 else "" for one in (actor, target)]
            found.append((kind, *names, amount, extra))
        self.left = [[str(unit) for unit in fought.living(side)] for side in range(2)]
        living = [sum(unit.health for unit in fought.living(side)) for side in range(2)]
        assert living == self.totals

        def of(kind: int, *parts: int) -> list[tuple]:
            return [tuple(event[k] for k in parts) for event in found if event[0] == kind]

        self.hits, self.grown = of(HIT, 1, 2, 3), of(GROWTH, 1, 3, 4)
        self.started, self.burnt = of(START, 1, 2, 3, 4), of(BURNT, 1, 2, 3)
        self.died, self.revived, self.summoned = of(DEATH, 1), of(REVIVE, 1, 3), of(SUMMON, 1, 2, 4)
        self.shields = of(SHIELDED, 2, 3)


# --- against another program ---------------------------------------------------------------------


def test_golden_pairs(shared_data):
    path = shared_data / "advgamebench" / "battle_card.jsonl"

    def plans(line):
        for side, seat in (("invaders", "attacker"), ("defenders", "defender")):
            units = [{"name": name, "tier": tier} for name, tier in line[seat]]
            yield {side: units, f"target_priority_for_{side}": line[f"{seat}_priority"]}

    check_golden_pairs(GAME, path, plans)


def test_random_plans_are_won_as_often_as_they_should_be(seed):
    assert abs(defenders_share(RULES, 50_000, seed) - 0.36) < 0.02


# --- a battle for every unit ---------------------------------------------------------------------


def test_fire_lizard():
    """Dying, it takes 2 of the unit whose hit killed it; its own 2 went into the shield."""
    fight = Fight("FireLizard", "Paladin")
    assert fight.hits == [("Paladin", "FireLizard", 3), ("FireLizard", "Paladin", 2)]
    assert (fight.won, fight.end, fight.left[1]) == ("defender", 1, ["Paladin 3/4"])


def test_water_elemental():
    """3 attack after growing, 4 on earth; growing is for its attacks only."""
    fight = Fight("WaterElemental", "RockBeetle")
    assert fight.hits == [
        ("WaterElemental", "RockBeetle", 4), ("RockBeetle", "WaterElemental", 1),
        ("RockBeetle", "WaterElemental", 1), ("WaterElemental", "RockBeetle", 4),
    ]  # fmt: skip
    assert fight.grown == [("WaterElemental", 1, 0)]
    assert (fight.won, fight.totals) == ("attacker", [0, 0])


def test_poison_frog():
    """What it strikes back at dies too."""
    assert Fight("PoisonFrog", "AncientTreant").died == [("PoisonFrog",), ("AncientTreant",)]
    fight = Fight("PoisonFrog", "Sapling Sapling")
    assert fight.hits == [("Sapling", "PoisonFrog", 3), ("PoisonFrog", "Sapling", 1)]
    assert fight.died == [("PoisonFrog",), ("Sapling",)]
    assert (fight.won, fight.left[1]) == ("defender", ["Sapling 2/2"])
    assert Fight("PoisonFrog", "Paladin").left[1] == ["Paladin 3/6"]  # the shield takes poison


def test_molten_hound():
    fight = Fight("MoltenHound", "StoneWarrior Sapling")
    assert fight.hits[-2:] == [
        ("MoltenHound", "StoneWarrior", 1), ("MoltenHound", "Sapling", 1),
    ]  # fmt: skip
    assert fight.left[1] == ["StoneWarrior 2/1", "Sapling 2/1"]


def test_battle_frenzy():
    """7, then 3 in return, when it strikes back; the king falls and leaves a soldier."""
    fight = Fight("BattleFrenzy", "King")
    assert fight.hits == [
        ("BattleFrenzy", "King", 7), ("King", "BattleFrenzy", 3),
        ("King", "BattleFrenzy", 3), ("BattleFrenzy", "King", 3),
    ]  # fmt: skip
    assert fight.grown == [("BattleFrenzy", -4, 0)]
    assert (fight.won, fight.left[1]) == ("defender", ["Soldier 2/2, shield"])


@pytest.mark.parametrize(("excess", "saplings"), [("chain", 2), ("once", 1)])
def test_bandit_leader(excess, saplings):
    fight = Fight("BanditLeader FireLizard FireLizard", "RockBeetle Sapling Sapling", excess=excess)
    first = [
        ("BanditLeader", "RockBeetle", 8), ("RockBeetle", "BanditLeader", 1),
        ("BanditLeader", "Sapling", 3), ("BanditLeader", "Sapling", 1),
    ]  # fmt: skip
    assert fight.hits[: 2 + saplings] == first[: 2 + saplings]
    assert (fight.hits[3] == first[3]) == (saplings == 2)


def test_lava_golem():
    """A gold one: the king burns 6, and dies before his second attack; the soldier comes."""
    fight = Fight("LavaGolem+", "King")
    assert fight.burnt == [
        ("LavaGolem", "King", 6), ("King", "King", 6), ("LavaGolem", "Soldier", 6),
    ]  # fmt: skip
    assert fight.died == [("King",), ("Soldier",)]
    assert (fight.won, fight.end, fight.left[0]) == ("attacker", 3, ["LavaGolem (gold) 2/3"])


def test_tide_guardian():
    """The first of its two attacks takes the shields, the second kills nobody but itself."""
    fight = Fight("TideGuardian", "Paladin")
    assert fight.hits == [("TideGuardian", "Paladin", 4), ("Paladin", "TideGuardian", 3)]
    assert fight.shields == [("Paladin", 0), ("TideGuardian", 0)]
    assert (fight.won, fight.left[1]) == ("defender", ["Paladin 3/2"])


def test_tide_lord():
    fight = Fight("TideLord", "AncientTreant")
    assert fight.hits == [("TideLord", "AncientTreant", 4), ("AncientTreant", "TideLord", 5)]
    assert fight.grown == [("TideLord", 4, 0)] and fight.left[0] == ["TideLord 8/4"]


def test_phoenix():
    """It strikes the living neighbours too, which do not strike back, and comes back once."""
    fight = Fight("Phoenix", "Sapling RockBeetle Sapling")
    assert fight.hits == [
        ("Sapling", "Phoenix", 2), ("Phoenix", "Sapling", 7), ("Phoenix", "RockBeetle", 5),
        ("Phoenix", "Sapling", 7), ("RockBeetle", "Phoenix", 2),
    ]  # fmt: skip
    assert fight.left[0] == ["Phoenix 5/1"]
    assert Fight("Phoenix", "MountainGiant").revived == [("Phoenix", 5)]


def test_shadow_overlord():
    fight = Fight("ShadowOverlord", "MountainGiant")
    assert fight.summoned == [("ShadowOverlord", "SlowSkeleton", 1)]
    assert (fight.won, fight.left[1]) == ("defender", ["MountainGiant 4/2"])
    released = Fight("ShadowOverlord", "MountainGiant", setting="released")
    assert len(released.summoned) == 7


def test_sapling():
    fight = Fight("PoisonFrog", "Sapling Sapling")
    assert fight.grown == [("Sapling", 0, 1)]


def test_rock_beetle():
    """Taunt comes before priorities, priorities before places."""
    assert Fight("FireLizard FireLizard | Sapling", "Sapling RockBeetle").hits[0][1] == "RockBeetle"
    taken = Fight("FireLizard FireLizard | ForestSeer King", "Sapling ForestSeer").hits[0]
    assert taken[1] == "ForestSeer"
    assert Fight("FireLizard FireLizard", "Sapling ForestSeer").hits[0][1] == "Sapling"


def test_forest_seer():
    fight = Fight("FireLizard", "ForestSeer Sapling RockBeetle")
    assert fight.started == [("ForestSeer", "Sapling", 1, 2)]


def test_stone_warrior():
    """Its beetle attacks from the next round on."""
    fight = Fight("BanditLeader", "StoneWarrior")
    assert fight.summoned == [("StoneWarrior", "RockBeetle", 1)]
    assert (fight.won, fight.end, fight.totals) == ("attacker", 2, [0, 0])


def test_elite_soldier():
    fight = Fight("FireLizard", "Sapling EliteSoldier+ RockBeetle King")
    assert fight.started == [
        ("EliteSoldier", "Sapling", 2, 0), ("EliteSoldier", "RockBeetle", 2, 0),
    ]  # fmt: skip
    assert fight.shields[:2] == [("Sapling", 1), ("RockBeetle", 1)]


def test_paladin():
    """It gains when another loses a shield, not when it loses its own."""
    fight = Fight("FireLizard FireLizard FireLizard | Sapling", "Paladin EliteSoldier Sapling")
    assert fight.shields[2:3] == [("Sapling", 0)] and fight.grown[0] == ("Paladin", 2, 0)
    assert not Fight("FireLizard", "Paladin").grown


def test_black_rock():
    fight = Fight("FireLizard", "BlackRock Sapling Sapling")
    assert fight.started == [("BlackRock", "BlackRock", 0, 3)] * 2


def test_vine_protector():
    """The dying hound hurts the king, the dying vine heals him, up to his 10."""
    fight = Fight("MoltenHound BanditLeader | VineProtector", "VineProtector King")
    assert fight.hits[:4] == [
        ("MoltenHound", "VineProtector", 4), ("VineProtector", "MoltenHound", 5),
        ("MoltenHound", "VineProtector", 1), ("MoltenHound", "King", 1),
    ]  # fmt: skip
    assert fight.grown[0] == ("King", 0, 1)


def test_king():
    """He summons before his blow; the new one has a shield."""
    fight = Fight("FireLizard", "King")
    assert fight.hits[0] == ("FireLizard", "King", 2)
    assert fight.left[1] == ["King 3/6"]


def test_mountain_giant():
    """Whoever attacks it loses 2 attack, also where the blow kills it or the attacker."""
    fight = Fight("Phoenix", "MountainGiant")
    assert fight.hits == [
        ("Phoenix", "MountainGiant", 5), ("MountainGiant", "Phoenix", 5),
        ("MountainGiant", "Phoenix", 5), ("Phoenix", "MountainGiant", 3),
    ]  # fmt: skip
    assert fight.grown == [("Phoenix", -2, 0)] and fight.left[1] == ["MountainGiant 4/1"]


def test_ancient_treant():
    fight = Fight("FireLizard", "King AncientTreant EliteSoldier")
    assert fight.started[:2] == [
        ("AncientTreant", "King", 3, 3), ("AncientTreant", "EliteSoldier", 3, 3),
    ]  # fmt: skip


def test_slow_skeleton_and_soldier_have_the_summoners_tier():
    assert Fight("LavaGolem+", "King+").summoned[0] == ("King", "Soldier", 2)
    assert Fight("LavaGolem+", "King").summoned[0] == ("King", "Soldier", 1)


def test_elements_can_be_off():
    assert Fight("MoltenHound", "Sapling").hits[0] == ("MoltenHound", "Sapling", 4)
    assert Fight("MoltenHound", "Sapling", elements="off").hits[0] == ("MoltenHound", "Sapling", 3)


def test_battles_end_after_100_rounds():
    """Two without attack: the more health wins, the defenders if it is equal."""
    rules = GAME.make_rules(**LARGE)
    states = battle(
        GAME, rules, plan("invaders", "PoisonFrog"), plan("defenders", "EliteSoldier")
    )  # one strikes the other dead at once: only the tables are needed below
    assert states["end"][0][0] == 1
    fight = Fight("LavaGolem", "MountainGiant RockBeetle")
    assert fight.end <= 100


# --- plans in words ------------------------------------------------------------------------------


def test_plans_are_read_as_they_are_told(seed):
    check_round_trip(GAME, 1000, seed % 2**32)


@pytest.mark.slow
def test_many_plans_are_read_as_they_are_told(seed):
    check_round_trip(GAME, 10_000, seed % 2**32)


def told(units: list, **more: object) -> str:
    return json.dumps({"invaders": units, **more})


def test_replies():
    lizard = {"name": "FireLizard", "tier": "Bronze"}
    many = told([lizard] * 8)
    check_replies(
        GAME,
        {
            told([lizard]): 0,
            told([{"name": "fire lizard", "tier": "gold", "price": -5}]): 11,
            told([{"name": "FIRE_LIZARD"}]): 0,
            f"I think so.\n```json\n{told([lizard])}\n```\nDone.": 0,
            "": "unparseable: empty",
            "nothing": "unparseable: no_object",
            '{"units": []}': "unparseable: wrong_key",
            '{"defenders": [{"name": "King"}]}': "unparseable: wrong_key",
            '{"invaders": "FireLizard"}': "unparseable: bad_type",
            '{"invaders": ["FireLizard"]}': "unparseable: bad_type",
            '{"invaders": [{"name": 5}]}': "unparseable: bad_type",
            '{"invaders": [{"tier": "Gold"}]}': "unparseable: bad_type",
            '{"invaders": [], "invaders": []}': "unparseable: duplicate_key",
            '{"invaders": ' + "[" * 20 + "]" * 20 + "}": "unparseable: too_deep",
            told([lizard], pad="x" * 200_000): "unparseable: too_long",
            told([]): "illegal: empty_plan",
            told([{"name": "Peashooter"}]): "illegal: unknown_unit",
            told([{"name": "King"}]): "illegal: wrong_side",
            told([{"name": "FireLizard", "tier": "Silver"}]): "illegal: unknown_tier",
            many: "illegal: too_many",
            told([lizard] * 1500): "illegal: too_many",
            told([{"name": "Phoenix", "tier": "Gold"}] * 2): "illegal: over_budget",
            told([lizard], target_priority_for_invaders=["King", "King"]): "illegal: named_twice",
            told([lizard], target_priority_for_invaders=["Zombie"]): "illegal: unknown_unit",
            told([lizard], target_priority_for_invaders="King"): "unparseable: bad_type",
            '{"keep": true}': "illegal: not_now",
            '{"keep": false}': "unparseable: bad_type",
        },
    )


def test_a_wrong_name_is_told_as_it_was_written():
    game = TextGame("battle_card")
    game.reset(1)
    reply = told([{"name": "FireLizard"}, {"name": "Pea Shooter"}])
    assert game.submit(reply).rejected == (("entry 2: Pea Shooter", "unknown_unit"),)


def test_a_game_in_words():
    """Two rounds: a plan over budget loses, is told so, and is mended; the other side keeps."""
    game = TextGame("battle_card", rounds=2)
    game.reset(1)
    system, user = (message["content"] for message in game.observe().messages)
    assert "Your budget is 20 gold, theirs 16" in system and "A plan over budget loses" in system
    assert '{"invaders": [{"name": ' in system and "Round 1 of 2" in user
    phoenixes = told([{"name": "Phoenix", "tier": "Gold"}, {"name": "Phoenix"}] * 2)
    assert game.submit(phoenixes).kind == "ok"
    assert "Phoenix" not in game.observe().messages[1]["content"]
    assert game.submit('{"defenders": [{"name": "King"}, {"name": "Sapling"}]}').kind == "ok"
    user = game.observe().messages[1]["content"]
    assert game.seat == 0
    assert "You lost round 1. Your plan was over budget by 20. Nothing was fought." in user
    assert "1 x King: no element, cost 5" in user and '{"keep": true}' in user
    assert game.submit(told([{"name": "Phoenix"}] * 2)).kind == "ok"
    assert game.over and game.states["why"][0][:2].tolist() == [2, 0]


def test_feedback_tells_what_happened():
    game = TextGame("battle_card", rounds=3)
    game.reset(1)
    game.submit(told([{"name": "MoltenHound"}]))
    game.submit('{"defenders": [{"name": "StoneWarrior"}, {"name": "Sapling"}]}')
    user = game.observe().messages[1]["content"]
    assert "You lost round 1. The battle ended in its round 1." in user
    assert "Round 1: the invaders lost MoltenHound." in user
    assert "Left of the defenders (attack/health): StoneWarrior 2/1, Sapling 2/1." in user
    published = TextOptions(position="as_published")
    own = TextGame("battle_card", published, rounds=3)
    own.reset(1)
    for action in game.actions:
        own.play(action)
    user = own.observe().messages[1]["content"]
    assert "keep" not in user and "What happened" not in user and "StoneWarrior" in user


def test_own_catalogue():
    both, own = (
        view.catalogue_text(GAME.make_rules(catalogue=word), 1) for word in ("both", "own")
    )
    assert "Phoenix: Fire" in both and "Phoenix: Fire" not in own and "King: no element" in own


def test_every_unit_is_told_with_its_numbers():
    for released in ("balanced", "released"):
        rules = GAME.make_rules(setting=released)
        texts = [view.unit_text(rules, kind) for kind in range(2 * UNITS)]
        assert len(set(texts)) == 2 * UNITS and all(view.ability_text(rules, k) for k in range(22))


# --- what a replay shows -------------------------------------------------------------------------


def test_frames_show_the_battle():
    rules = GAME.make_rules(**LARGE)
    after = battle(GAME, rules, plan("invaders", "LavaGolem+"), plan("defenders", "King"))
    before = position(rules)
    shown = frames(rules, before[0], after[0])
    assert shown[0][0] == "The battle begins"
    assert shown[1][0] == "Battle round 1: LavaGolem (gold) attacks King"
    assert len(shown) == 7
    pictures = [paint() for _, _, paint in shown]
    assert len({picture.shape for picture in pictures}) == 1
    assert all((a != b).any() for a, b in pairwise(pictures))
    assert frames(rules, after[0], after[0]) == []


def test_what_stands_beside_a_picture():
    rules = GAME.make_rules(rounds=2)
    states = position(rules, 8, 34, 20, 34)
    told = [beside(rules, states[0], seat) for seat in range(2)]
    assert told == ["5 of 20, 0 won", "15 of 16, 1 won"]
    states = position(rules, 8, 34, 20, 34, 0, 33 - 1)
    assert beside(rules, states[0], 0) == "1 of 20, 0 won"
    assert move(rules, states[0], 20) == "Phoenix gold" and move(rules, states[0], 22 + 8) == (
        "first King"
    )


def test_observation_shows_standing_plans():
    """After a round: the old plans; after a first micro-action the new one."""
    rules = GAME.make_rules(rounds=2)
    states = position(rules, 0, 12, 23, 34, 9, 34)
    out = np.zeros(rules.observation_shape, np.float32)
    core.observe_at(rules, states, 0, 0, out)
    assert out[0] == 1 and out[22 + 12] == 1 and out[154 + 1] == np.float32(1 / 11)
    assert out[165 + 9] == 1 and out[330] == np.float32(16 / 20) and out[331] == np.float32(2 / 7)
    assert out[332] == 0.5 and out[335] == 1 and abs(out[333]) == 1
    states = position(rules, 0, 12, 23, 34, 9, 34, 3)
    core.observe_at(rules, states, 0, 0, out)
    assert out[3] == 1 and out[:154].sum() == 1 and out[330] == np.float32(18 / 20)
