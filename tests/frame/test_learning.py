"""``agents.learning``: advantages against a plain reference, on games made up and on real ones."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym import envs
from stratagym.agents.learning import advantages

GAMMA, LAM = 0.93, 0.9


def plain(rewards, terminations, truncations, players, values, next_values, final_values):
    """The sums of the definition, for every seat and episode by itself, forwards in time."""
    steps, games, seats = rewards.shape
    found, usable = np.zeros((steps, games)), np.zeros((steps, games), bool)
    for i in range(games):
        ends = [t for t in range(steps) if terminations[t, i] or truncations[t, i]]
        begin = 0
        for end in [*ends, steps - 1]:
            for seat in range(seats):
                own = [t for t in range(begin, end + 1) if players[t, i] == seat]
                if end in ends and terminations[end, i]:
                    last = 0.0
                elif end in ends:
                    last = final_values[end, i, seat]
                else:
                    last = next_values[i, seat]
                deltas = []
                for k, t in enumerate(own):
                    until = own[k + 1] if k + 1 < len(own) else end + 1
                    follows = values[own[k + 1], i] if k + 1 < len(own) else last
                    deltas.append(rewards[t:until, i, seat].sum() + GAMMA * follows - values[t, i])
                known = deltas if not np.isnan(last) else deltas[:-1]
                for k, t in enumerate(own[: len(known)]):
                    found[t, i] = sum((GAMMA * LAM) ** j * d for j, d in enumerate(known[k:]))
                    usable[t, i] = True
            begin = end + 1
    return found, usable


@pytest.mark.parametrize("seats", range(2, 8))
def test_advantages_equal_their_definition(seats, seed):
    """Turns in any order, ends of both kinds, games that are over, seats that nobody asked."""
    rng = np.random.default_rng([seed, seats])
    steps, games = 60, 5
    rewards = rng.normal(size=(steps, games, seats))
    ended = rng.random((steps, games)) < 0.07
    truncations = ended & (rng.random((steps, games)) < 0.5)
    players = rng.integers(0, seats, (steps, games))
    players[rng.random((steps, games)) < 0.05] = -1
    values = rng.normal(size=(steps, games))
    final_values = np.where(truncations[..., None], rng.normal(size=rewards.shape), np.nan)
    final_values[rng.random(rewards.shape) < 0.2] = np.nan
    next_values = rng.normal(size=(games, seats))
    next_values[rng.random((games, seats)) < 0.4] = np.nan
    given = (rewards, ended & ~truncations, truncations, players, values, next_values)
    found, usable = advantages(*given, gamma=GAMMA, lam=LAM, final_values=final_values)
    wanted, known = plain(*given, final_values)
    assert (usable == known).all() and 0 < usable.sum() < usable.size
    assert np.allclose(found, wanted, atol=1e-12)


def test_a_truncated_game_is_worth_what_was_expected(seed):
    """The same rollout of Ludo with and without the values at the cut: the two differ there."""
    batch = envs.make_batch("ludo", 64, seed=seed, players=2, max_rolls=40, final_observations=True)
    rng, rows = np.random.default_rng(seed), []
    for _ in range(60):
        players = batch.players.copy()
        batch.step((batch.action_masks * (1 + rng.random((64, 4)))).argmax(1))
        rows.append(
            (batch.rewards.copy(), batch.terminations.copy(), batch.truncations.copy(), players)
        )
    rewards, terminations, truncations, players = map(np.array, zip(*rows, strict=True))
    assert truncations.sum() >= 64  # of 60 steps at most 40 are of one episode
    given = (rewards, terminations, truncations, players, np.zeros(players.shape))
    options = {"gamma": 1.0, "lam": 1.0, "next_values": np.zeros((64, 2))}
    worthless, _ = advantages(*given, **options, final_values=np.zeros(rewards.shape))
    half, usable = advantages(*given, **options, final_values=np.full(rewards.shape, 0.5))
    assert usable.all() and np.abs(half - worthless).max() == 0.5
    cut = np.maximum.accumulate(truncations[::-1], axis=0)[::-1]  # decisions before a cut
    assert not (half - worthless)[~cut].any()
    with pytest.raises(ValueError, match="final_values: truncated games are in the rollout"):
        advantages(*given, **options)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("players", (3, 4)), ("next_values", (4,)), ("final_values", (3, 4)), ("values", (4, 3))],
)
def test_other_shapes_are_one_line(name, shape):
    given = dict.fromkeys(("terminations", "truncations", "players", "values"), np.zeros((4, 4)))
    given |= {"next_values": np.zeros((4, 2)), "final_values": np.zeros((4, 4, 2))}
    with pytest.raises(ValueError, match=rf"^{name} of shape .*; rewards of shape .* want"):
        advantages(np.zeros((4, 4, 2)), **{**given, name: np.zeros(shape)}, gamma=1, lam=1)


def test_advantages_follow_each_seat():
    """Three steps of one game of two: by hand, with gamma and lambda of one half."""
    rewards = np.array([[[0.0, 0.0]], [[0.0, 0.0]], [[1.0, -1.0]]])
    ends, never = np.array([[False], [False], [True]]), np.zeros((3, 1), bool)
    players, values = np.array([[0], [1], [0]]), np.array([[0.2], [0.4], [0.8]])
    after, options = np.array([[9.0, np.nan]]), {"gamma": 0.5, "lam": 0.5}
    found, usable = advantages(rewards, ends, never, players, values, after, **options)
    last = 1 - 0.8
    assert np.allclose(found[:, 0], [0.5 * 0.8 - 0.2 + 0.25 * last, -1 - 0.4, last])
    assert usable.all()
    _, usable = advantages(rewards, never, never, players, values, after, **options)
    assert usable[:, 0].tolist() == [True, False, True]
