"""Elemental duel: recorded duels of another program, a turn by hand for every skill, words."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from sealed_plans import battle, check_golden_pairs, check_round_trip, defenders_share

from stratagym.envs import core, sealed, spec
from stratagym.envs.elemental_duel import view
from stratagym.envs.elemental_duel.replay import frames
from stratagym.envs.elemental_duel.story import Duel
from stratagym.envs.elemental_duel.tables import ELEMENTS, NAMES
from stratagym.envs.text import TextGame
from stratagym.testing import check_replies, position

GAME = spec("elemental_duel")
RULES = GAME.make_rules()
LARGE = {"attacker_budget": 27, "defender_budget": 27}


def plan(side: str, *fighters: str) -> dict:
    """Fighters told by words of which each is in one skill's name of the side."""
    names = NAMES[:18] if side == "invaders" else NAMES[18:]
    found = []
    for words in fighters:
        skills = [next(name for name in names if word in name) for word in words.split()]
        found.append({"element": ELEMENTS[NAMES.index(skills[0]) // 6], "skills": skills})
    return {side: found}


def fought(attacker: tuple, defender: tuple, **options: str) -> dict[int, list[str]]:
    """What happens in a duel, by time: 100 x round + slot."""
    rules = GAME.make_rules(**LARGE, **options)
    s = battle(GAME, rules, plan("invaders", *attacker), plan("defenders", *defender))[0]
    duel, found = Duel(rules, s), {}
    for event in sealed.last_events(rules, s):
        found.setdefault(int(event[0]), []).append(duel.tell(event))
        duel.apply(event)
    left = [sum(one.health for one in duel.fighters[k : k + 3]) for k in (0, 3)]
    assert left == s["left"][0].tolist()
    return found


# --- against another program ---------------------------------------------------------------------


def test_golden_pairs(shared_data):
    path = shared_data / "advgamebench" / "elemental_duel.jsonl"

    def plans(line):
        for side, seat in (("invaders", "attacker"), ("defenders", "defender")):
            yield {side: [{"element": name, "skills": skills} for name, skills in line[seat]]}

    check_golden_pairs(GAME, path, plans)


def test_random_plans_are_won_as_often_as_they_should_be(seed):
    assert abs(defenders_share(RULES, 50_000, seed) - 0.39) < 0.02


# --- a turn for every skill ----------------------------------------------------------------------

FIRE, WATER, DARK = "warmth whirlwind splash", "water_barrier pierce whirlpool", "fear claw siphon"
WOOD, EARTH, LIGHT = "bud totem seed", "rock_armor granite shock", "faith link sanctuary"
TURNS = {
    # 12 x 1.2 = 14.4 on wood; 5 for the layer at its next turn
    "flame_splash": (
        ("splash warmth burst", WATER, DARK), (WOOD, EARTH, LIGHT),
        {100: "Wood loses 14; Wood: burning on", 103: "Wood loses 5 by burning"},
    ),
    # 12 x 1.2 x 1.3 = 18.7
    "residual_warmth": (
        ("warmth splash burst", WATER, DARK), (WOOD, EARTH, LIGHT),
        {100: "Fire: warmth on", 200: "Fire: warmth off; Wood loses 18"},
    ),
    # (25 + 3) x 1.2 = 33.6
    "burst_flame_bomb": (
        ("splash burst warmth", WATER, DARK), (WOOD, EARTH, LIGHT), {200: "Wood loses 33"},
    ),
    "flame_whirlwind": (
        ("whirlwind magma splash", WATER, DARK), (WOOD, EARTH, LIGHT),
        {100: "Wood: burning on", 103: "Wood loses 20 by burning"},
    ),
    # (40 + 4 x 5) x 1.2
    "magma_eruption": (
        ("whirlwind magma splash", WATER, DARK), (WOOD, EARTH, LIGHT),
        {200: "Wood loses 72; Wood: burning off"},
    ),
    # 35 x 1.2; wood's 30 x 0.8 is answered by 30
    "hell_curtain": (
        ("curtain magma splash", WATER, DARK), ("purification bud totem", EARTH, LIGHT),
        {
            100: "Wood loses 42; Fire: curtain on",
            103: "Fire loses 24; Fire: curtain off; Wood takes 30 back from Fire",
        },
    ),
    # 10 x 0.8 on earth
    "stream_pierce": (
        ("pierce whirlpool tsunami", FIRE, DARK), (EARTH, WOOD, LIGHT),
        {100: "Earth loses 8; Water has 1 tide"},
    ),
    "water_barrier": (
        ("water_barrier abyss ice", FIRE, DARK), ("purification bud totem", EARTH, LIGHT),
        {
            100: "Water has a shield of 5; Water has 1 tide",
            103: "Water's shield takes 5; Water loses 25",
        },
    ),
    # (20 + 4) x 0.8 = 19.2, of which the armour's shield takes 12
    "whirlpool_strangle": (
        ("pierce whirlpool tsunami", FIRE, DARK), (EARTH, WOOD, LIGHT),
        {200: "Earth's shield takes 12; Earth loses 7; Water takes 5 back from Earth"},
    ),
    # 25 x 1.5 by the one behind
    "ice_branded": (
        ("ice water_barrier pierce", "burst warmth splash", DARK), (LIGHT, WOOD, EARTH),
        {100: "Light loses 15; Light: brand on", 101: "Light loses 37"},
    ),
    # (30 + 5) x 0.8 x 0.6 behind granite
    "tsunami_ending": (
        ("pierce whirlpool tsunami", FIRE, DARK), (EARTH, WOOD, LIGHT),
        {300: "Earth loses 16; Water has 0 tide"},
    ),
    "abyss_resonance": (
        ("water_barrier abyss ice", FIRE, DARK), ("purification bud totem", EARTH, LIGHT),
        {200: "Wood loses 3; Water has a shield of 6"},
    ),
    # wood's purification has hurt dark by then
    "shadow_claw": (
        ("fear claw siphon", FIRE, WATER), ("purification bud totem", EARTH, LIGHT),
        {103: "Dark loses 30", 200: "Wood loses 14; Dark regains 4"},
    ),
    # 20 x 0.9
    "fear_whisper": (
        ("splash burst warmth", WATER, DARK), ("shock rock_armor granite", WOOD, LIGHT),
        {102: "Earth: fear on", 103: "Fire loses 18"},
    ),
    "soul_siphon": (
        ("ambush siphon final", FIRE, WATER), (WOOD, EARTH, LIGHT), {200: "Wood loses 30"},
    ),
    # in the own next turn 25 x 1.2
    "night_ambush": (
        ("ambush siphon final", FIRE, WATER), (WOOD, EARTH, LIGHT),
        {100: "Wood loses 20; Wood: ambush on", 200: "Wood loses 30"},
    ),
    # wood has 86 of 135: 45 + 3 x 5
    "final_announcement": (
        ("ambush siphon final", FIRE, WATER), (WOOD, EARTH, LIGHT), {300: "Wood loses 60"},
    ),
    "void_assimilation": (
        ("void fear claw", FIRE, WATER), ("rock_armor shock granite", WOOD, LIGHT),
        {100: "Dark gives 20 HP; Earth loses 40"},
    ),
    "bud_healing": (
        ("claw fear siphon", FIRE, WATER), (WOOD, EARTH, LIGHT),
        {103: "Wood: bud on", 203: "Wood loses 20 by burning; Wood regains 6"},
    ),
    # at a damaging skill only: fear_whisper costs nothing
    "parasitic_seed": (
        ("claw fear siphon", FIRE, WATER), ("seed bud totem", EARTH, LIGHT),
        {
            103: "Dark loses 10; Dark: seed on", 200: "Dark uses fear_whisper on Wood; "
            "Wood: fear on", 300: "Wood loses 25; Dark loses 5 by seed",
        },
    ),
    # a bud's 6 are 6.6 under the totem
    "life_totem": (
        ("final claw fear", FIRE, WATER), ("totem bud seed", EARTH, LIGHT),
        {103: "Wood regains 25; Wood: totem on", 303: "Wood regains 6"},
    ),
    "natural_purification": (
        ("fear claw ambush", "whirlwind splash burst", WATER),
        ("purification bud seed", EARTH, LIGHT),
        {103: "Wood: burning off; Wood: fear off; Dark loses 30"},
    ),
    # 33 to the full 135, half of the other 27
    "forest_reincarnation": (
        ("claw fear ambush", "splash warmth burst", WATER), ("forest bud seed", EARTH, LIGHT),
        {103: "Wood regains 33; Wood has a shield of 13; Dark loses 20"},
    ),
    "poison_vine": (
        ("claw fear ambush", FIRE, WATER), ("vine bud seed", EARTH, LIGHT),
        {103: "Dark: vine on", 200: "Dark loses 25 by vine"},
    ),
    "rock_armor": (
        ("splash burst warmth", WATER, DARK), ("rock_armor shock granite", WOOD, LIGHT),
        {
            103: "Earth has a shield of 12",
            200: "Earth's shield takes 12; Earth loses 16; Fire takes 5 back from Earth",
        },
    ),
    # 20 x 1.2 x 0.9
    "earth_shock": (
        ("pierce water_barrier whirlpool", FIRE, DARK), ("shock rock_armor granite", WOOD, LIGHT),
        {103: "Water loses 21"},
    ),
    # 28 x 0.6
    "granite_barrier": (
        ("splash burst warmth", WATER, DARK), ("granite shock rock_armor", WOOD, LIGHT),
        {103: "Earth: granite on", 200: "Earth loses 16"},
    ),
    # 28 x 0.8, then 35 x 0.8
    "quicksand_trap": (
        ("splash burst curtain", WATER, DARK), ("quicksand shock rock_armor", WOOD, LIGHT),
        {
            103: "Fire: quicksand on", 200: "Earth loses 22; Fire loses 10 by quicksand",
            300: "Earth loses 28; Fire loses 10 by quicksand",
        },
    ),
    # 12 + 12 + 50 x 1.5 + 5 lost of 135: seven tenths
    "earth_pulse": (
        ("splash burst curtain", "ice pierce whirlpool", "final claw ambush"),
        ("pulse rebound shock", WOOD, LIGHT),
        {103: "Earth has a shield of 56", 200: "Earth's shield takes 42; Earth loses 0"},
    ),
    # 80% of 12 + 8 + 5, x 0.9
    "core_rebound": (
        ("splash burst curtain", "pierce whirlpool water_barrier", DARK),
        ("rebound pulse shock", WOOD, LIGHT), {103: "Fire loses 18"},
    ),
    # burning is the first there; 8 x 0.9
    "holy_glimmer": (
        ("splash burst curtain", WATER, "fear claw ambush"), ("glimmer faith link", WOOD, EARTH),
        {103: "Light: burning off; Light regains 8; Fire loses 7"},
    ),
    # of 28, 5 are taken off
    "faith_emblem": (
        ("splash burst curtain", WATER, DARK), ("faith glimmer link", WOOD, EARTH),
        {200: "Light: emblem off; Light loses 23; Light regains 5; Fire takes 10 back from Light"},
    ),
    "divine_link": (
        ("splash burst curtain", WATER, DARK), ("link faith glimmer", WOOD, EARTH),
        {200: "Light: link off; Fire takes 28 back from Light"},
    ),
    # 25 x 0.85
    "luminous_dispel": (
        ("warmth burst splash", WATER, DARK), ("dispel faith glimmer", WOOD, EARTH),
        {103: "Fire: warmth off; Fire: dispel on", 200: "Light loses 21"},
    ),
    # 28 - 30, at least 1
    "angelic_sanctuary": (
        ("splash burst curtain", WATER, DARK), ("sanctuary faith glimmer", WOOD, EARTH),
        {200: "Light loses 1"},
    ),
    # 20 x 1.5 x 0.9, then (8 + 20) x 1.5 x 0.9
    "divine_sword": (
        ("fear claw siphon", FIRE, WATER), ("sword glimmer faith", WOOD, EARTH),
        {103: "Dark loses 27; Light: sword on", 203: "Light: sword off; Dark loses 37"},
    ),
}  # fmt: skip
"""By skill: both plans, and what happens at some times, in order, among other things."""


@pytest.mark.parametrize("skill", NAMES)
def test_skills(skill):
    attacker, defender, expected = TURNS[skill]
    found = fought(attacker, defender)
    for time, told in expected.items():
        assert told in "; ".join(found[time]), found[time]


def test_dispel_takes_the_first_buff_there():
    plans = ("water_barrier pierce whirlpool", FIRE, DARK), ("dispel glimmer faith", WOOD, EARTH)
    assert fought(*plans)[103][1] == "Water: shield off"
    plans = ("pierce abyss whirlpool", FIRE, DARK), ("dispel glimmer faith", WOOD, EARTH)
    found = fought(*plans)
    assert found[103][1] == "Water has 0 tide" and len(found[200]) == 1


def test_fear_can_protect_its_user():
    plans = ("fear claw siphon", FIRE, WATER), ("purification bud totem", EARTH, LIGHT)
    assert "Dark loses 27" in fought(*plans, fear="self")[103]
    assert "Dark loses 30" in fought(*plans)[103]


def test_the_weakest_can_be_the_target():
    plans = (DARK, FIRE, WATER), ("seed bud totem", EARTH, LIGHT)
    assert "Wood uses parasitic_seed on Dark" in fought(*plans, target="weakest")[103]
    plans = ("void claw fear", FIRE, WATER), (WOOD, "shock rock_armor granite", LIGHT)
    assert "Earth uses earth_shock on Dark" in fought(*plans, target="weakest")[104]
    plans = (FIRE, "void claw fear", WATER), (WOOD, "shock rock_armor granite", LIGHT)
    assert "Earth uses earth_shock on Dark" in fought(*plans, target="weakest")[104]
    assert "Earth uses earth_shock on Fire" in fought(*plans)[104]


def test_released_numbers():
    plans = ("curtain magma splash", WATER, DARK), ("purification bud totem", EARTH, LIGHT)
    assert "Wood loses 54" in fought(*plans, setting="released")[100]  # 45 x 1.2
    plans = ("splash warmth burst", WATER, DARK), ("purification bud totem", EARTH, LIGHT)
    assert "Fire loses 32" in fought(*plans, setting="released")[103]  # 40 x 0.8


# --- plans in words ------------------------------------------------------------------------------


def test_plans_are_read_as_they_are_told(seed):
    check_round_trip(GAME, 400, seed % 2**32)


@pytest.mark.slow
def test_many_plans_are_read_as_they_are_told(seed):
    check_round_trip(GAME, 10_000, seed % 2**32)


def told(*fighters: tuple) -> str:
    return json.dumps({"invaders": [{"element": one, "skills": two} for one, two in fighters]})


def test_replies():
    fire = ("Fire", ["flame_splash", "residual_warmth", "burst_flame_bomb"])
    water = ("Water", ["stream_pierce", "water_barrier", "ice_branded"])
    dark = ("Dark", ["shadow_claw", "fear_whisper", "final_announcment"])
    dear = [(one, list(NAMES[first + 3 : first + 6])) for one, first in
            (("Fire", 0), ("Water", 6), ("Dark", 12))]  # fmt: skip
    check_replies(
        GAME,
        {
            told(fire, water, dark): 0,
            told(dark, fire, water): 2,
            told(("FIRE", ["Flame Splash", "residualwarmth", fire[1][2]]), water, dark): 0,
            told(fire, water): "illegal: element_missing",
            told(): "illegal: empty_plan",
            told(fire, fire, dark): "illegal: element_twice",
            told(fire, water, dark, fire): "illegal: element_twice",
            told(("Fire", fire[1][:2]), water, dark): "illegal: skill_count",
            told(("Fire", fire[1] * 2), water, dark): "illegal: skill_count",
            told(("Fire", [fire[1][0]] * 3), water, dark): "illegal: skill_twice",
            told(("Fire", water[1]), water, dark): "illegal: wrong_element",
            told(("Fire", ["ember", *fire[1][:2]]), water, dark): "illegal: unknown_unit",
            told(("Fire", ["bud_healing", *fire[1][:2]]), water, dark): "illegal: wrong_side",
            told(("Wood", fire[1]), water, dark): "illegal: wrong_side",
            told(("Ice", fire[1]), water, dark): "illegal: unknown_unit",
            told(*dear): "illegal: over_budget",
            told(("Fire", "flame_splash"), water, dark): "unparseable: bad_type",
            '{"invaders": [{"element": 1, "skills": []}]}': "unparseable: bad_type",
            '{"keep": true}': "illegal: not_now",
            "[]": "unparseable: no_object",
        },
    )


def test_a_game_in_words():
    game = TextGame("elemental_duel", rounds=2, first="defender")
    game.reset(1)
    system, user = (message["content"] for message in game.observe().messages)
    assert "flame_splash: cost 1; 12 damage" in system and "Round 1 of 2" in user
    fire = ("Fire", ["flame_splash", "residual_warmth", "burst_flame_bomb"])
    water = ("Water", ["stream_pierce", "water_barrier", "ice_branded"])
    dark = ("Dark", ["shadow_claw", "fear_whisper", "final_announcement"])
    assert game.submit(told(fire, water, dark)).kind == "ok"
    assert "shadow_claw" not in game.observe().messages[1]["content"]
    sides = plan("defenders", "vine seed purification", "shock quicksand rebound", LIGHT)
    assert game.submit(json.dumps(sides)).kind == "ok" and game.seat == 1
    user = game.observe().messages[1]["content"]
    assert "Fire, 100 HP: flame_splash: cost 1" in user and "What happened" in user
    assert game.submit('{"keep": true}').kind == "ok" and game.over
    assert game.states["result"][0][0] == game.states["result"][0][1] != 0


def test_every_skill_is_told():
    for word in ("balanced", "released"):
        rules = GAME.make_rules(setting=word)
        assert len({view.skill_text(rules, skill) for skill in range(36)}) == 36


# --- what a replay shows -------------------------------------------------------------------------


def test_frames_show_the_duel():
    rules = GAME.make_rules(**LARGE)
    burn = "splash magma burst", "ice whirlpool pierce", "ambush final siphon"
    after = battle(GAME, rules, plan("invaders", *burn), plan("defenders", WOOD, LIGHT, EARTH))
    shown = frames(rules, position(rules)[0], after[0])
    assert shown[0][0] == "The duel begins"
    assert shown[1][0] == "1: Fire uses flame_splash on Wood, Wood loses 14, Wood: burning on"
    pictures = [paint() for _, _, paint in shown[:4]]
    assert all(a.shape == b.shape and (a != b).any() for a, b in pairwise(pictures))


def test_observation_shows_standing_plans():
    rules = GAME.make_rules(rounds=2)
    attacker = [0, 3, 4, 5, 1, 3, 4, 5, 2, 3, 4, 5]
    states, out = position(rules, *attacker, *attacker), np.zeros(rules.observation_shape)
    out = out.astype(np.float32)
    core.observe_at(rules, states, 0, 0, out)
    first = [0, 3, 7, 11]  # fire; its first skill first, its second second, its third third
    assert out[:21].nonzero()[0].tolist() == first
    assert out[63:84].nonzero()[0].tolist() == first
    assert out[126] == np.float32(8 / 20) and out[127] == 1 and out[130] == 1 and out[134] == 0.5
    states = position(rules, *attacker, *attacker, 2, 8)
    core.observe_at(rules, states, 0, 0, out)
    assert out[:63].nonzero()[0].tolist() == [2, 3 + 3 * 5]
    assert out[127] == 1 and out[132] == 1 and out[126] == np.float32(17 / 20)
