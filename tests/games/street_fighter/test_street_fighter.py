"""Street fighter, frame by frame: advantages, blocks, parries, throws, mirrored matches."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from numba import njit

from stratagym.envs import core, spec
from stratagym.envs.street_fighter import moves as m
from stratagym.envs.street_fighter import stage
from stratagym.envs.street_fighter.rules import STATE
from stratagym.testing import position

GAME = spec("street_fighter")
RULES = GAME.make_rules()
SLOW = GAME.make_rules(frames=1)
"""A frame a decision: inputs to the frame."""
LEGAL, PROBS = core.new_scratch(RULES)
BLOCK, DUCK_BLOCK, DUCK = 5, 6, 7
"""Inputs of seat 1, who looks left: back, down and back, down."""
NEAR, APART = 80, 104
"""Half pixels between the middles: bodies that touch; too far for the close normals."""
RED, BLUE = 0, 1


def fight(dx=NEAR, x=300, **fields):
    """A position (1,) with seat 0 at ``x`` and seat 1 ``dx`` to the right of it."""
    states = position(SLOW)
    states["x"][0] = x, x + dx
    for name, value in fields.items():
        states[name][0] = value
    return states


def tick(states, red=0, blue=0, rules=SLOW):
    core.play_at(rules, states, 0, red, LEGAL, PROBS)
    core.play_at(rules, states, 0, blue, LEGAL, PROBS)


def inputs_of(move):
    """Inputs, a decision each, that bring about a ground move of seat 0 from neutral."""
    if move >= m.SA1:
        return [5, 7, 6, 5, 7, 6, 11 if move == m.SA1 else 12]
    if move >= m.TATSUMAKI:
        return [7, 8, 1, 12 + move - m.TATSUMAKI]
    if move == m.EX_SHORYUKEN:
        return [5, 7, 6, 11, 11]
    if move >= m.SHORYUKEN:
        return [5, 7, 6, 9 + move - m.SHORYUKEN]
    if move in (m.HADOUKEN, m.EX_HADOUKEN):
        return [7, 6, 5, 9] + [9] * (move == m.EX_HADOUKEN)
    if move >= m.THROW:
        before = {m.FORWARD_THROW: [5], m.BACK_THROW: [1]}
        button = {m.OVERHEAD_MOVE: 16, m.TAUNT: 17}
        return [*before.get(move, []), button.get(move, 15)]
    if move >= m.CROUCH:
        return [7, 9 + move - m.CROUCH]
    return [(9, 9, 10, 10, 11, 11, 12, 13, 14)[move - 1]]


GROUND = [*range(1, m.JUMP), *range(m.OVERHEAD_MOVE, m.NUM_MOVES)]


def begin(move, dx=None, victim=0, **fields):
    """A position in which seat 0 has just begun a move, its first frame played."""
    far = move in (m.FAR_LP, m.FAR_MP, m.FAR_HP)
    states = fight(APART if far else NEAR if dx is None else dx, meter=(160, 0), **fields)
    given = inputs_of(move)
    for k, action in enumerate(given):
        tick(states, action, victim)
        if k < len(given) - 1 and action < 9:
            # Walking there would change the distance, which the move is measured at.
            states["x"][0, RED] = states["x"][0, BLUE] - (APART if far else dx or NEAR)
    assert states["move"][0, RED] == move, (m.MOVES[move], states)
    return states


def free(states, seat):
    return states["stance"][0, seat] <= stage.BACK and states["move"][0, seat] == 0


@pytest.mark.parametrize("move", GROUND, ids=lambda move: m.MOVES[move])
def test_advantages_are_those_of_the_table(move):
    """Whoever is free first, by how many frames, on hit, on crouching hit and on block."""
    crouch_guard = m.GUARD[move] == m.LOW
    block = DUCK_BLOCK if crouch_guard else BLOCK
    assert measured(move, block) == m.ON_BLOCK[move]
    if move == m.HADOUKEN:
        assert measured(move, 0) == m.HADOUKEN_HIT - m.RECOVERY[move]
    elif m.ON_HIT[move] != m.KNOCK:
        assert measured(move, 0) == m.ON_HIT[move]
        assert measured(move, DUCK) == m.ON_HIT_CROUCH[move]
    else:
        states = begin(move)
        while states["stance"][0, BLUE] != stage.DOWN:
            tick(states)
        assert states["left"][0, BLUE] == stage.KNOCK_FRAMES - 1  # the contact was the first


def measured(move, victim):
    """The victim's first free frame after the contact less the attacker's."""
    states = begin(move, victim=victim)
    for _ in range(60):
        if states["stance"][0, BLUE] in (stage.HURT, stage.GUARDING):
            break
        dx = states["x"][0, BLUE] - states["x"][0, RED]
        tick(states, 0, victim)
        if not states["events"][0].any():  # who holds back walks away
            states["x"][0, BLUE] = states["x"][0, RED] + min(dx, APART)
    else:
        raise AssertionError(f"{m.MOVES[move]} does not touch")
    red = blue = None
    for frame in range(150):
        if red is None and free(states, RED):
            red = frame
        if blue is None and states["left"][0, BLUE] == 0:
            blue = frame
        if red is not None and blue is not None:
            return blue - red
        tick(states, 0, victim)
    raise AssertionError(m.MOVES[move])


def test_the_table_is_the_published_one(shared_data):
    """Frames, advantages, damage, stun, meter and guard, but for what the game's page says."""
    with open(shared_data / "dsgbench" / "sf3_ken_frames.csv", encoding="utf-8") as file:
        rows = {row["move"]: row for row in csv.DictReader(file)}
    buttons = ("LP", "MP", "HP", "LK", "MK", "HK")
    names = {m.LP: "Close LP", m.FAR_LP: "Far LP", m.MP: "Close MP", m.FAR_MP: "Far MP"}
    names |= {m.HP: "Close HP", m.FAR_HP: "Far HP"}
    names |= {m.LK + k: f"Stand {button}" for k, button in enumerate(buttons[3:])}
    names |= {m.CROUCH + k: f"Crouch {button}" for k, button in enumerate(buttons)}
    names |= {m.JUMP + k: f"Jump {button}" for k, button in enumerate(buttons)}
    names |= {m.THROW: "Hizageri", m.FORWARD_THROW: "Seoi Nage", m.BACK_THROW: "Jigoku Kuruma"}
    names |= {m.OVERHEAD_MOVE: "Straight Hit", m.TAUNT: "Taunt", m.HADOUKEN: "LP Hadouken"}
    names |= {m.EX_HADOUKEN: "EX Hadouken", m.EX_SHORYUKEN: "EX Shoryuken"}
    names |= {m.SHORYUKEN + k: f"{button} Shoryuken" for k, button in enumerate(buttons[:3])}
    names |= {m.TATSUMAKI + k: f"{b} Tatsumaki Senpukyaku" for k, b in enumerate(buttons[3:])}
    names |= {m.SA1: "Shoryureppa", m.SA3: "Shipuujinrai Kyaku"}
    assert sorted(names) == list(range(1, m.NUM_MOVES))
    for move, name in names.items():
        row, own = rows[name], dict(zip(m.COLUMNS, m.TABLE[move].tolist(), strict=True))
        for column in ("startup", "damage", "stun"):
            assert own[column] == int(row[column]), (name, column)
        for column in ("active", "recovery"):
            if row[column]:
                assert own[column] == int(row[column]), (name, column)
        for column in ("on_hit", "on_hit_crouch", "on_block"):
            told = row[column].split(" ")[0]
            if told == "D":
                assert own[column] == m.KNOCK
            elif told and (name, column) != ("Taunt", "on_hit_crouch"):
                assert own[column] == int(told), (name, column)
        for column in ("meter_whiff", "meter_hit", "meter_block"):
            if row[column] and not row[column].startswith("-"):
                assert own[column] == int(row[column]), (name, column)
        guards = {"A": m.ANY, "H": m.HIGH, "L": m.LOW, "": m.ANY}
        if not (m.JUMP <= move < m.THROW or move == m.OVERHEAD_MOVE):
            assert own["guard"] == guards[row["guard"]], name
    assert m.REACH[m.THROW] == int(rows["Hizageri"]["throw_range"])


# --- mirrored matches, what never happens --------------------------------------------------------


def mirrored(states):
    """The record with its seats exchanged, as seen in a mirror."""
    other = np.zeros(1, STATE)
    for name in STATE.names:
        by_seat = STATE[name].shape == (2,)
        other[name] = states[name][:, ::-1] if by_seat else states[name]
    other["rounds_health"] = states["rounds_health"][:, :, ::-1]
    for name in ("memory", "events"):
        other[name] = states[name][:, ::-1]
    other["x"] = stage.WIDTH - other["x"]
    other["ball_x"] = np.where(other["ball"] > 0, stage.WIDTH - other["ball_x"], 0)
    for name in ("facing", "vx", "ball_v"):
        other[name] = -other[name]
    other["given"] = MIRROR[other["given"]]
    return other


MIRROR = np.array([0, 5, 4, 3, 2, 1, 8, 7, 6, *range(9, 18)])
LIVELY = np.array([5, 5, 5, 7, 6, 5, 9, 10, 11, 12, 13, 14, 15, 16, 1, 4, 3, 2, 8, 11, 10, 0])


@pytest.mark.parametrize("frames", [1, 4, 6])
def test_exchanged_seats_play_the_mirror_image(rng, frames):
    """Bit for bit, over whole matches of random inputs."""
    rules = GAME.make_rules(frames=frames, rounds=3 if frames == 6 else 1)
    states, twin = position(rules), position(rules)
    while core.current_player_at(rules, states, 0) >= 0:
        red, blue = (int(rng.choice(LIVELY)) for _ in range(2))
        tick(states, red, blue, rules)
        tick(twin, int(MIRROR[blue]), int(MIRROR[red]), rules)
        assert mirrored(states).tobytes() == twin.tobytes(), (states, twin)


@njit
def _faults(rules, states, legal, probs, generators, games, seed, lively):
    """Random matches: how often a record breaks a rule, how many matches, the longest."""
    s, longest = states[0], 0
    faults = np.zeros(8, np.int64)
    for g in range(games):
        player = core.start(rules, s, core.derive_seed(seed, g), probs)
        core.seed_rng(generators[0], core.derive_seed(seed, g + games))
        ply = 0
        health, total = s.health.copy(), np.zeros(2, np.int64)
        round_number = s.round
        while player >= 0:
            action = lively[core.random_below(generators[0], lively.shape[0])]
            player = core.play(rules, s, action, probs)
            ply += 1
            if s.round != round_number:
                for i in range(2):
                    total[i] += 160 - s.rounds_health[round_number, i]
                round_number = s.round
                health[:] = 160
            for i in range(2):
                faults[0] += player >= 0 and s.health[i] > health[i]
                faults[1] += player >= 0 and s.lost[i] != total[i] + 160 - s.health[i]
                faults[2] += not 32 <= s.x[i] <= 736 or not 0 <= s.y[i] <= 192
                faults[3] += not 0 <= s.meter[i] <= 240 or not 0 <= s.stun[i] <= 64
                faults[4] += s.landed[i] > s.begun[i] or s.strong_landed[i] > s.strong[i]
                faults[5] += s.left[i] < 0 or s.left[i] > 120
                health[i] = s.health[i]
            apart = abs(s.x[0] - s.x[1])
            faults[6] += s.y[0] == 0 and s.y[1] == 0 and apart < 80
        for i in range(2):
            faults[7] += s.lost[i] != total[i]
        longest = max(longest, ply)
    return faults, longest


def faults_of(games, seed):
    states, generators = core.new_states(RULES), core.new_states(RULES)
    return _faults(RULES, states, LEGAL, PROBS, generators, games, np.uint64(seed), LIVELY)


def test_random_matches_keep_the_rules(seed):
    """Health never rises within a round and what is lost adds up; bodies, walls, meters hold."""
    faults, longest = faults_of(200, seed)
    assert not faults.any(), faults
    assert longest <= RULES.max_game_length


@pytest.mark.slow
def test_ten_thousand_random_matches_end(seed):
    faults, longest = faults_of(10_000, seed)
    assert not faults.any(), faults
    assert longest <= RULES.max_game_length


# --- rounds --------------------------------------------------------------------------------------


def returned(rules, states):
    out = np.zeros(2)
    core.returns_at(rules, states, 0, out)
    return out.tolist()


@pytest.mark.parametrize(
    ("health", "wins", "after", "over", "paid"),
    [
        ((0, 40), (0, 0), [0, 1], False, [0, 0]),
        ((40, 0), (1, 0), [2, 0], True, [1, -1]),
        ((0, 0), (0, 0), [1, 1], False, [0, 0]),
        ((0, 0), (1, 1), [2, 2], True, [0, 0]),
        ((0, 0), (1, 0), [2, 1], True, [1, -1]),
    ],
)
def test_rounds_are_won_by_knock_outs(health, wins, after, over, paid):
    states = fight(health=health, wins=wins, round=sum(wins))
    tick(states)
    assert states["wins"][0].tolist() == after and bool(states["over"][0]) == over
    assert returned(SLOW, states) == paid


def test_time_gives_the_round_to_more_health():
    for health, wins in (((50, 40), [1, 0]), ((40, 50), [0, 1]), ((7, 7), [1, 1])):
        states = fight(health=health, clock=stage.ROUND_FRAMES - 1, meter=(30, 100))
        tick(states)
        assert states["wins"][0].tolist() == wins and states["round"][0] == 1
        assert states["health"][0].tolist() == [160, 160]
        assert states["meter"][0].tolist() == [30, 100]  # is kept


def test_health_as_reward():
    rules = GAME.make_rules(rewards="health", frames=1)
    states = begin(m.MP)
    for _ in range(30):
        tick(states)
    assert returned(rules, states) == [17 / 160, -17 / 160]


# --- blocking, parrying, throwing ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "blocked"),
    [
        (m.LP, {BLOCK, DUCK_BLOCK}),
        (m.MP, {BLOCK}),
        (m.CROUCH + 3, {DUCK_BLOCK}),
        (m.OVERHEAD_MOVE, {BLOCK}),
        (m.SHORYUKEN, {BLOCK, DUCK_BLOCK}),
    ],
)
def test_guards(move, blocked):
    for held in (BLOCK, DUCK_BLOCK, DUCK, 0):
        states = begin(move, victim=held)
        for _ in range(25):
            if states["events"][0].any():
                break
            tick(states, 0, held)
        assert states["events"][0, BLUE].tolist() == [held not in blocked, held in blocked, 0]


def test_chip_is_an_eighth_of_specials_only():
    for move, chip in ((m.MP, 0), (m.SHORYUKEN, 4), (m.HADOUKEN, 2), (m.SA1, 9)):
        states = begin(move, victim=BLOCK)
        for _ in range(20):
            tick(states, 0, BLOCK)
        assert states["health"][0, BLUE] == 160 - chip, m.MOVES[move]


def parry(after, held, low=False, move=m.MP):
    """What comes of a tap given so that the contact is ``after`` frames behind it."""
    states = begin(move)
    contact = m.STARTUP[move]
    tap = 7 if low else 1  # forward of who looks left
    states["shield"][0] = states["cooldown"][0] = 0
    for frame in range(1, contact + 1):
        gone = frame - (contact - after)
        given = 0 if gone < 0 or (gone > 0 and not held) else tap
        states["x"][0, BLUE] = states["x"][0, RED] + NEAR
        tick(states, 0, given)
    return states["events"][0, BLUE].tolist()


def test_parry_windows_to_the_frame():
    """Ten frames after a tap, six where it is held on."""
    slow_move = m.HK  # contact in the 13th frame
    for after in range(12):
        assert parry(after, False, move=slow_move) == [after >= 10, 0, after < 10], after
        assert parry(after, True, move=slow_move) == [after >= 6, 0, after < 6], after
    assert parry(2, False, low=True, move=slow_move) == [1, 0, 0]
    assert parry(2, False, low=True, move=m.CROUCH + 4) == [0, 0, 1]
    assert parry(2, False, low=False, move=m.CROUCH + 4) == [1, 0, 0]


def test_a_window_is_followed_by_a_rest():
    """23 frames without a new window, from the end of the last one."""
    states = fight(300)
    tick(states, 5, 0)
    seen = []
    for frame in range(1, 60):
        seen.append(int(states["shield"][0, RED]))
        tick(states, 5 if frame % 2 == 0 else 0, 0)
    first = seen.index(0)
    again = seen.index(1, first)
    assert first == 10
    assert again - first in (23, 24)  # taps come every other frame


def test_who_parries_is_free_first():
    states = begin(m.HK)
    contact = int(m.STARTUP[m.HK])
    for frame in range(1, contact + 1):
        tick(states, 0, 1 if frame == contact else 0)
    assert states["events"][0, BLUE].tolist() == [0, 0, 1] and states["freeze"][0] == 16
    assert states["meter"][0, BLUE] == 2
    frame = int(states["frame"][0, RED])
    for _ in range(16):
        tick(states, 0, 10)  # stands still, as the attacker does
        assert states["frame"][0, RED] == frame and states["move"][0, BLUE] == 0
    tick(states, 0, 10)
    assert states["frame"][0, RED] == frame + 1 and states["move"][0, BLUE] == m.MP
    for _ in range(8):
        tick(states)
    assert states["stance"][0, RED] == stage.HURT and states["health"][0, BLUE] == 160


def test_throws_and_how_they_are_escaped():
    """An input 15 in the six frames before the touch; not in stun, in the air, or lying."""
    for early in range(9):
        states = fight(move=(0, m.HK), frame=(0, 20), touched=(0, 1))  # its throws cannot begin
        for frame in range(-8, 5):
            tick(states, 15 if frame == 0 else 0, 15 if frame == 3 - early else 0)
        escaped = states["health"][0].tolist() == [160, 160]
        assert escaped == (early < 6), early
        if escaped:
            assert (states["stance"][0] == stage.GUARDING).all()
    for move, x in ((m.FORWARD_THROW, 1), (m.BACK_THROW, -1)):
        states = begin(move)
        for _ in range(4):
            tick(states)
        assert states["stance"][0, BLUE] == stage.DOWN
        assert np.sign(states["x"][0, BLUE] - states["x"][0, RED]) == x
    states = begin(m.THROW, stance=(0, stage.HURT), left=(0, 30))
    for _ in range(5):
        tick(states)
    assert states["health"][0, BLUE] == 160


def test_a_strike_beats_a_throw_in_the_same_frame():
    states = fight()
    tick(states, 0, 9)  # close LP touches in its fifth frame, a throw in its fourth
    tick(states, 15, 0)
    for _ in range(4):
        tick(states)
    assert states["health"][0].tolist() == [157, 160]


def test_trades_hit_both_and_balls_cancel():
    states = fight()
    tick(states, 10, 10)
    for _ in range(6):
        tick(states)
    assert states["health"][0].tolist() == [143, 143]
    states = fight(300, x=200)
    for red, blue in ((7, 7), (6, 8), (5, 1), (9, 9)):
        tick(states, red, blue)
    for _ in range(30):
        tick(states)
    assert states["ball"][0].tolist() == [0, 0]
    assert states["health"][0].tolist() == [160, 160]


def test_knock_downs_are_shorter_with_down():
    for given, frames in ((0, 75), (7, 48), (5, 75)):
        states = begin(m.CROUCH + 5)
        while states["stance"][0, BLUE] != stage.DOWN:
            tick(states)
        count = 1
        while states["stance"][0, BLUE] == stage.DOWN:
            tick(states, 0, given)
            count += 1
        assert count == frames, given


def test_jumps_and_dashes_last_as_long_as_told():
    for way, frames in ((3, 40), (4, 41), (2, 42)):
        states = fight(300, x=200)
        tick(states, way, 0)
        count, top = 1, 0
        while states["stance"][0, RED] == stage.LEAP:
            top = max(top, int(states["y"][0, RED]))
            tick(states)
            count += 1
        assert count == frames, way
        assert 190 <= top <= 192
    for tap, frames, length in ((5, 17, 120), (1, 16, -80)):
        states = fight(400, x=200)
        tick(states, tap)
        tick(states, 0)
        x = int(states["x"][0, RED])
        tick(states, tap)
        count = 1
        while states["stance"][0, RED] == stage.DASH:
            tick(states)
            count += 1
        assert (count, int(states["x"][0, RED]) - x) == (frames, length)


def test_combos_are_scaled_and_the_dizzy_recover():
    states = fight(combo=(0, 4), stance=(0, stage.HURT), left=(0, 90), stun=(0, 60))
    tick(states, 10)
    for _ in range(6):
        tick(states)
    assert states["health"][0, BLUE] == 160 - 17 * 6 // 10
    assert states["stun"][0, BLUE] == 64
    while states["stance"][0, BLUE] == stage.HURT:
        tick(states)
    assert states["stance"][0, BLUE] == stage.DIZZY
    count = 0
    while states["stance"][0, BLUE] == stage.DIZZY:
        tick(states)
        count += 1
    assert count == 120 and states["stun"][0, BLUE] == 0


def test_a_dizzy_fighter_shakes_it_off():
    states = fight(stance=(0, stage.DIZZY), left=(0, 120), stun=(0, 64))
    count = 0
    while states["stance"][0, BLUE] == stage.DIZZY:
        tick(states, 0, count % 2)
        count += 1
    assert count == 18  # the first input is no change; then 7 frames of 120 a decision


def test_normals_are_cancelled_into_specials():
    """From the contact to six frames after the active ones; not where nothing was touched."""
    for dx, comes in ((NEAR, True), (300, False)):
        states = fight(dx, memory=([0, 0, 0, 0, 0, 5, 7, 6], [0] * 8))
        tick(states, 9)  # LP: its special is LP Shoryuken
        assert states["move"][0, RED] == m.SHORYUKEN
        states = fight(dx)
        tick(states, 10)
        for action in (0, 0, 5, 7, 6, 11):
            tick(states, action)
        assert (states["move"][0, RED] == m.SHORYUKEN + 2) == comes


def test_a_taunt_strengthens_one_hit():
    states = begin(m.TAUNT, dx=300)
    for _ in range(60):
        tick(states)
    states["x"][0, BLUE] = states["x"][0, RED] + NEAR
    for expected in (17 * 131 // 100, 17):
        before = int(states["health"][0, BLUE])
        tick(states, 10)
        for _ in range(60):
            tick(states)
        states["x"][0, BLUE] = states["x"][0, RED] + NEAR
        assert before - states["health"][0, BLUE] == expected


def test_a_corner_pushes_the_attacker_back():
    states = fight(x=736 - NEAR)
    tick(states, 9)
    for _ in range(6):
        tick(states)
    assert states["x"][0].tolist() == [736 - NEAR - 24, 736]
