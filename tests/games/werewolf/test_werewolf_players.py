"""Players of Werewolf without language: what they do with their roles, and who is stronger."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym.agents.core import make_policy
from stratagym.agents.games.werewolf.posterior import wolf_chances
from stratagym.agents.kernel_policies import play_many
from stratagym.envs import core, spec
from stratagym.envs.werewolf import state as st
from stratagym.envs.werewolf.metrics import COUNTS, RESULTS, replay
from stratagym.testing import RandomGame

GAME = spec("werewolf")
RULES = GAME.make_rules()


def games_of(rng, village, wolves, many, **options):
    """Games of one policy in the village against another in the pack."""
    rules = GAME.make_rules(**options)
    seeds = rng.integers(2**63, size=many).astype(np.uint64)
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    seating = np.zeros((many, rules.num_players), np.int64)
    for k, seed in enumerate(seeds):
        core.start_at(rules, states, 0, seed, probs)
        seating[k] = [int(states["wolves"][0]) >> s & 1 for s in range(rules.num_players)]
    policies = [make_policy(GAME, name) for name in (village, wolves)]
    played = play_many(rules, policies, seeds, seating)
    return rules, played, seating


def village_wins(rng, village, wolves, many):
    _, played, seating = games_of(rng, village, wolves, many)
    return (played.returns[np.arange(many), seating.argmin(1)] > 0).mean()


@pytest.mark.parametrize(
    ("village", "wolves", "low", "high"),
    [
        ("rule:herd", "random", 0.15, 0.45),
        ("random", "rule:herd", 0.0, 0.10),
        ("rule:seer", "rule:herd", 0.40, 0.70),
        ("rule:seer", "rule:bluff", 0.08, 0.32),
        ("rule:deductive", "rule:bluff", 0.80, 1.0),
        ("rule:deductive", "rule:deductive", 0.40, 0.72),
    ],
)
def test_how_strong_they_are(village, wolves, low, high, rng):
    """Bounds that 400 games miss by chance less than once in ten million."""
    assert low <= village_wins(rng, village, wolves, 400) <= high


@pytest.mark.parametrize("name", ["herd", "seer", "bluff", "deductive"])
@pytest.mark.parametrize(
    "options",
    [{"players": 5}, {"players": 12, "killer": 1, "jester": 1, "hunter": 1, "alpha": 1},
     {"debate": "bid", "votes": "secret", "kill": "one"}, {"debate": "none", "exile": "revote"}],
)  # fmt: skip
def test_they_play_any_role_under_any_options(name, options, rng):
    rules, played, _ = games_of(rng, f"rule:{name}", f"rule:{name}", 20, **options)
    for actions, plies, seed in zip(played.actions, played.plies, played.seeds, strict=True):
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, seed, probs)
        n = core.legal_actions_at(rules, states, 0, legal)
        for action in actions[:plies]:
            assert action in legal[:n]
            _, n = core.play_at(rules, states, 0, action, legal, probs)


def test_what_they_say(rng):
    """Seers tell the truth, the bluffer does not, wolves never vote for a wolf."""
    _, played, seating = games_of(rng, "rule:seer", "rule:bluff", 60)
    counts, results = replay(RULES, played.seeds, played.actions, played.plies)
    told = {name: counts[..., COUNTS.index(name)] for name in COUNTS}
    pack = seating.astype(bool)
    assert not told["wrong_results"][~pack].any() and not told["false_claims"][~pack].any()
    assert told["seer_claims"][pack].any()
    assert (told["false_seer_claims"] == told["seer_claims"])[pack].all()
    assert not told["wolf_votes"][pack].any() and told["votes"][pack].any()
    exiles, wolves = results[:, RESULTS.index("exiles")], results[:, RESULTS.index("wolf_exiles")]
    assert (wolves <= exiles).all() and exiles.any()


def test_chances_are_chances_and_follow_from_results(rng):
    """They add up to the number of wolves; a seer's own results count as facts."""
    out, seen = np.zeros(8), 0
    for _ in range(30):
        played = RandomGame(RULES, int(rng.integers(2**60)))
        for states, seat in zip(played.states[::9], played.players[::9], strict=True):
            s = states[0]
            if int(s["wolves"]) >> seat & 1 or s["phase"] <= st.AT_KILLER:
                continue
            wolf_chances(RULES, s, seat, out)
            assert out.min() >= 0 and out.max() <= 1 + 1e-9
            assert out.sum() == pytest.approx(2) and out[seat] == 0
            if s["role"][seat] == st.SEER:
                checks = s["check"][1 : int(s["day"]) + 1].tolist()
                for checked in (one for one in checks if one >= 0):
                    seen += 1
                    is_wolf = int(s["wolves"]) >> checked & 1
                    assert out[checked] == pytest.approx(is_wolf)
    assert seen


def test_metrics_count_what_the_positions_say(rng):
    """Votes for wolves, their chance, statements and survival, counted again in plain Python."""
    for options in ({}, {"players": 9, "killer": 1, "debate": "bid", "exile": "revote"}):
        rules = GAME.make_rules(**options)
        n, seed = rules.num_players, int(rng.integers(2**60))
        played = RandomGame(rules, seed)
        votes, hits, claims, wrong = (np.zeros(n) for _ in range(4))
        for states, seat, action in zip(played.states, played.players, played.actions, strict=True):
            s = states[0]
            if s["phase"] == st.VOTE and action < n:
                target = (seat + action) % n
                votes[seat] += 1
                hits[seat] += int(s["wolves"]) >> target & 1 or s["role"][target] == st.KILLER
            elif s["phase"] == st.SPEECH and n + 7 <= action < n + 14:
                claims[seat] += 1
            elif s["phase"] == st.SPEECH and n + 14 + 2 * n <= action < n + 14 + 4 * n:
                about = (seat + (action - n - 14) % n) % n
                is_wolf = bool(int(s["wolves"]) >> about & 1)
                wrong[seat] += is_wolf != ((action - n - 14) // n == st.IS_WOLF)
        counts, results = replay(
            rules, np.array([seed], np.uint64), np.array([played.actions]),
            np.array([len(played.actions)]),
        )  # fmt: skip
        told = {name: counts[0, :, COUNTS.index(name)] for name in COUNTS}
        for name, plain in (
            ("votes", votes), ("wolf_votes", hits), ("claims", claims), ("wrong_results", wrong)
        ):  # fmt: skip
            assert told[name].tolist() == plain.tolist(), name
        end = played.end[0]
        fates = end["fate"][:n].tolist()
        assert results[0, RESULTS.index("exiles")] == fates.count(st.EXILED)
        seer = end["role"].tolist().index(st.SEER)
        assert results[0, RESULTS.index("seer_alive")] == (fates[seer] == st.LIVING)
        assert results[0, RESULTS.index("days")] == end["day"]
