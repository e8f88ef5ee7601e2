"""What a player of Werewolf knows, and what is drawn anew for it: against plain enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from stratagym.envs import core, spec
from stratagym.envs.werewolf import state as st
from stratagym.envs.werewolf.observation import AT, GLOBALS, OF_PAIR, OF_SEAT, PAIR, SEAT
from stratagym.testing import RandomGame

GAME = spec("werewolf")
PACK = (st.WOLF, st.ALPHA)
UNLIKELY = 1e-8
"""Below it a distribution is not what it should be: some tens of comparisons a run."""
SETS = (
    {"players": 5},
    {"players": 7, "doctor": "not_self"},
    {"players": 6, "seer": "side", "reveal": "role", "exile": "lot"},
    {"players": 6, "killer": 1, "exile": "plurality"},
    {"players": 7, "alpha": 1, "kill": "one", "exile": "lot"},
    {"players": 7, "hunter": 1, "hunter_night": 1, "jester": 1, "exile": "lot"},
    {"players": 6, "first_night": "peace", "doctor": "not_twice", "votes": "secret"},
)


# --- plain knowledge -----------------------------------------------------------------------------


class Known:
    """What a seat knows in a position, and whether roles agree with it, by trying all choices."""

    def __init__(self, rules, s, seat):
        self.rules, self.s, self.seat, self.n = rules, s, seat, rules.num_players
        self.roles = s["role"][: self.n].tolist()
        self.own = self.roles[seat]
        self.fate, self.fate_day = s["fate"].tolist(), s["fate_day"].tolist()
        self.last = int(s["day"]) - (s["phase"] <= st.AT_KILLER)

    def living(self, night):
        return [k for k in range(self.n) if not self.fate[k] or self.fate_day[k] >= night]

    def dead(self, night, *fates):
        return {k for k in range(self.n) if self.fate[k] in fates and self.fate_day[k] == night}

    def seen(self, role):
        role = st.VILLAGER if role == st.ALPHA else role
        return role == st.WOLF if self.rules.seer == st.SEES_SIDE else role

    def agrees(self, roles):
        if roles[self.seat] != self.own:
            return False
        for k in range(self.n):
            if int(self.s["revealed"]) >> k & 1 and roles[k] != self.roles[k]:
                return False
            in_pack = roles[k] in PACK or self.roles[k] in PACK
            if self.own in PACK and in_pack and roles[k] != self.roles[k]:
                return False
            if not int(self.s["revealed"]) >> k & 1:
                shot = (st.EXILED, st.KILLED) if self.rules.hunter_night else (st.EXILED,)
                if self.fate[k] in shot and roles[k] == st.HUNTER:
                    return False
            if self.fate[k] == st.EXILED and roles[k] == st.JESTER:
                return False
        for night in range(1, self.last + 1):
            check = int(self.s["check"][night])
            looked = self.own == st.SEER and check >= 0
            if looked and self.seen(roles[check]) != self.seen(self.roles[check]):
                return False
            if not self.choices(roles, night) or self.was_over(roles, night):
                return False
        return True

    def was_over(self, roles, night):
        after = [k for k in self.living(night)
                 if k not in self.dead(night, st.KILLED, st.SHOT_AT_DAWN)]  # fmt: skip
        shooting = self.s["phase"] == st.SHOT and self.fate[int(self.s["player"])] == st.KILLED
        looked = [] if night == self.s["day"] and shooting else [after]
        looked += [self.living(night + 1)] if night < self.s["day"] else []
        for living in looked:
            pack = sum(roles[k] in PACK for k in living)
            if any(roles[k] == st.KILLER for k in living):
                if len(living) <= 2:
                    return True
            elif pack == 0 or pack >= len(living) - pack:
                return True
        return False

    def choices(self, roles, night):
        """All (target, ward, killer's choice) of a night that give its deaths."""
        living, peace = self.living(night), self.rules.peace and night == 1
        pack = [k for k in living if roles[k] in PACK]
        targets = [k for k in living if roles[k] not in PACK] if pack and not peace else [None]
        if self.own in PACK and self.seat in living and not peace:
            targets = [int(self.s["target"][night])]
        wards, attacks = [None], [None]
        for k in living:
            if roles[k] == st.DOCTOR and not peace:
                not_self = self.rules.doctor == st.NOT_SELF
                wards = [other for other in living if other != k or not not_self]
                wards = [int(self.s["ward"][night])] if k == self.seat else wards
            if roles[k] == st.KILLER and not peace:
                attacks = [other for other in living if other != k]
                attacks = [int(self.s["choice"][night])] if k == self.seat else attacks
        dead = self.dead(night, st.KILLED)
        return [
            (t, w, a) for t, w, a in product(targets, wards, attacks) if {t, a} - {None, w} == dead
        ]

    def assignments(self):
        """All that agree, found among all orders of the roles."""
        return sorted({roles for roles in permutations(self.roles) if self.agrees(roles)})


def some_positions(rng, options, many):
    """Positions with the seat to move, of random games, not of their first night alone."""
    rules, found = GAME.make_rules(debate="none", **options), []
    while len(found) < many:
        played = RandomGame(rules, int(rng.integers(2**60)))
        later = [k for k, s in enumerate(played.states) if s["day"][0] > 1 or rng.random() < 0.1]
        if later:
            k = int(rng.choice(later))
            found.append((played.states[k], played.players[k]))
    return rules, found


@pytest.mark.parametrize("options", SETS, ids=lambda o: "-".join(map(str, o.values())))
def test_roles_are_uniform_over_all_that_agree(options, rng):
    rules, positions = some_positions(rng, options, 3)
    for states, seat in positions:
        known = Known(rules, states[0], seat)
        support = known.assignments()
        assert tuple(known.roles) in support
        draws = 60 * len(support)
        found = Counter()
        for k in range(draws):
            twin = states.copy()
            core.determinize_at(rules, twin, 0, seat, np.uint64(rng.integers(2**60)))
            drawn = Known(rules, twin[0], seat)
            found[tuple(drawn.roles)] += 1
            if k < 200:
                for night in range(1, drawn.last + 1):
                    told = [int(twin[0][name][night]) for name in ("target", "ward", "choice")]
                    choice = tuple(None if one < 0 else one for one in told)
                    assert choice in known.choices(drawn.roles, night)
                    check = int(twin[0]["check"][night])
                    if check >= 0:
                        seer = drawn.roles.index(st.SEER)
                        assert check in drawn.living(night) and seer in drawn.living(night)
        assert set(found) <= set(support)
        if len(support) > 1:
            expected = draws / len(support)
            distance = sum((found[roles] - expected) ** 2 / expected for roles in support)
            assert chi2.sf(distance, len(support) - 1) > UNLIKELY


def test_the_choices_of_a_night_are_uniform(rng):
    """For a villager who has seen one night: pairs of roles and choices, given the roles."""
    rules = GAME.make_rules(debate="none", players=5)
    while True:
        played = RandomGame(rules, int(rng.integers(2**60)))
        votes = [k for k, s in enumerate(played.states) if s["phase"][0] == st.VOTE]
        states, seat = played.states[votes[0]], played.players[votes[0]]
        if states["role"][0][seat] == st.VILLAGER:
            break
    known, found = Known(rules, states[0], seat), {}
    for _ in range(20_000):
        twin = states.copy()
        core.determinize_at(rules, twin, 0, seat, np.uint64(rng.integers(2**60)))
        roles = tuple(twin[0]["role"][:5].tolist())
        choice = int(twin[0]["target"][1]), int(twin[0]["ward"][1])
        found.setdefault(roles, Counter())[choice] += 1
    for roles, counts in found.items():
        ways = {(t, w if w is not None else -1) for t, w, _ in known.choices(roles, 1)}
        assert set(counts) <= ways
        expected = counts.total() / len(ways)
        distance = sum((counts[way] - expected) ** 2 / expected for way in ways)
        assert len(ways) == 1 or chi2.sf(distance, len(ways) - 1) > UNLIKELY


# --- what seats and orders carry -----------------------------------------------------------------


def test_roles_follow_from_nothing_that_all_see(rng):
    """Seats, names and the order of speeches say nothing of roles."""
    rules = GAME.make_rules()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    by_seat, by_name = np.zeros((8, 4), int), np.zeros((24, 4), int)
    by_turn = np.zeros((8, 4), int)
    for _ in range(10_000):
        player = core.start_at(rules, states, 0, np.uint64(rng.integers(2**63)), probs)
        s = states[0]
        roles = s["role"].copy()
        for seat in range(8):
            by_seat[seat, roles[seat]] += 1
            by_name[s["called"][seat], roles[seat]] += 1
        while s["phase"] <= st.AT_KILLER:
            n = core.legal_actions_at(rules, states, 0, legal)
            player, _ = core.play_at(rules, states, 0, int(rng.choice(legal[:n])), legal, probs)
        if player >= 0:  # nobody speaks before others by role: who died at night speaks to nobody
            alive = [k for k in range(8) if int(s["alive"]) >> k & 1]
            order = [k for k in np.roll(range(8), -int(s["first"])) if k in alive]
            by_turn[rng.integers(len(order)), roles[order[0]]] += 1
            for place, seat in enumerate(order):
                by_turn[place, roles[seat]] += place > 0
    for table in (by_seat, by_name, by_turn[1:7]):
        assert chi2_contingency(table).pvalue > UNLIKELY


# --- the observation -----------------------------------------------------------------------------


def test_the_tensor_says_what_its_layout_says(rng):
    for options in ({}, {"players": 10, "debate": "bid", "votes": "secret", "seer": "side"}):
        rules = GAME.make_rules(**options)
        n, played = rules.num_players, RandomGame(rules, int(rng.integers(2**60)))
        assert rules.observation_shape == (20 + 27 * n + 13 * n * n,)
        for at in played.some(40):
            states = played.states[at]
            s, seat = states[0], int(rng.integers(n))
            seen = played.observation(states, seat).astype(int)
            own, roles = int(s["role"][seat]), s["role"].tolist()
            assert seen[AT["role"] : AT["role"] + 8].tolist() == [k == own for k in range(8)]
            assert seen[AT["day"]] == s["day"] and seen[AT["said"]] == s["said"]
            shown = s["phase"] > st.AT_KILLER or s["player"] == seat
            assert seen[AT["phase"] : AT["phase"] + 8].sum() == shown
            wolves = sum(roles[k] in PACK and int(s["alive"]) >> k & 1 for k in range(n))
            assert seen[AT["least"]] <= wolves <= seen[AT["most"]]
            for offset in range(n):
                k = (seat + offset) % n
                of = seen[GLOBALS + SEAT * offset :]
                assert of[OF_SEAT["alive"]] == int(s["alive"]) >> k & 1
                assert of[OF_SEAT["claims"]] == s["claims"][k]
                known = of[OF_SEAT["role"] : OF_SEAT["role"] + 8]
                assert known.sum() <= 1 and (not known.any() or known[roles[k]])
                assert not of[OF_SEAT["wolf"]] or roles[k] in PACK
                assert not of[OF_SEAT["not_wolf"]] or roles[k] not in PACK
                if own in PACK:
                    assert of[OF_SEAT["wolf"]] == (roles[k] in PACK)
                for other in range(n):
                    about = seen[GLOBALS + SEAT * n + PAIR * (n * offset + other) :]
                    target = (seat + other) % n
                    assert about[OF_PAIR["is_wolf"]] == s["pairs"][k][target][st.IS_WOLF]
                    assert about[OF_PAIR["suspect"]] == s["pairs"][k][target][st.SUSPECT]
                    last = int(s["day"]) - (s["votes"][s["day"]][:n] == -1).all()
                    voted = s["votes"][1 : last + 1, k] == target
                    if rules.secret and k != seat:
                        voted = np.zeros(0, bool)
                    assert about[OF_PAIR["vote"]] == (voted[-1:].sum())
                    assert about[OF_PAIR["votes"]] == voted[:-1].sum()
