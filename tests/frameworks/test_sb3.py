"""Trained networks as policies."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'stratagym[rl]'")
pytest.importorskip("sb3_contrib", reason="sb3-contrib is missing: pip install 'stratagym[rl]'")

import torch
from sb3_contrib import MaskablePPO

from stratagym import envs
from stratagym.agents import hooks, networks, sb3
from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.benchmarks.harness.batched import play_batched
from stratagym.benchmarks.harness.match_play import SeatedMatch
from stratagym.envs import core
from stratagym.envs.chess.tables import WHITE
from stratagym.envs.stratego.moves import move_id, moves_from
from stratagym.wrappers.sb3 import SB3VecEnv
from stratagym.wrappers.sb3_board import BoardPolicy, board_settings


def small_model(env: SB3VecEnv, seed: int = 0) -> MaskablePPO:
    return MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=seed % 2**32, device="cpu",
        policy_kwargs={"net_arch": [16, 16]},
    )  # fmt: skip


@pytest.fixture
def model(seed):
    return small_model(SB3VecEnv("tictactoe", 8, seed=seed), seed)


@pytest.fixture
def agent(model, tmp_path):
    path = tmp_path / "agent.zip"
    sb3.save(model, path, envs.spec("tictactoe"))
    return path


def positions(game: str, n: int, rng: np.random.Generator, **options):
    """States of random games in which a seat is to move."""
    rules = envs.spec(game).make_rules(**options)
    states = core.new_states(rules, n)
    legal, probs = core.new_scratch(rules)
    for i in range(n):
        player = core.start_at(rules, states, i, np.uint64(rng.integers(2**63)), probs)
        count = core.legal_actions_at(rules, states, i, legal)
        for _ in range(rng.integers(5)):
            before = states[i : i + 1].copy()
            player, count = core.play_at(rules, states, i, rng.choice(legal[:count]), legal, probs)
            if player < 0:
                states[i] = before[0]
                break
    return rules, states


@pytest.mark.parametrize("activation", [torch.nn.ReLU, torch.nn.Tanh])
def test_greedy_actions_are_those_of_sb3(activation, seed, rng, tmp_path):
    env = SB3VecEnv("connect_four", 2)
    network = {"net_arch": [32, 16], "activation_fn": activation}
    model = MaskablePPO("MlpPolicy", env, seed=seed % 2**32, device="cpu", policy_kwargs=network)
    with torch.no_grad():
        model.policy.action_net.weight *= 100  # far from ties
    sb3.save(model, tmp_path / "a.zip", envs.spec("connect_four"))
    policy = make_policy(envs.spec("connect_four"), f"sb3:{tmp_path}/a.zip?deterministic=1")
    rules, states = positions("connect_four", 60, rng)
    actions = policy.act_each(rules, states, np.zeros(60, np.uint64))
    for i in range(60):
        view = decision_for(envs.spec("connect_four"), rules, states[i : i + 1], 1)
        mask = np.isin(np.arange(7), view.legal)
        expected, _ = model.predict(view.observation(), action_masks=mask, deterministic=True)
        assert actions[i] == policy.act(view) == expected


@pytest.fixture
def board_model(seed):
    env = SB3VecEnv("chess", 4, seed=seed)
    return MaskablePPO(
        BoardPolicy, env, n_steps=4, batch_size=16, n_epochs=1, seed=seed % 2**32, device="cpu",
        policy_kwargs=board_settings(env.rules, (4, 6), planes=20),
    )  # fmt: skip


def test_actions_stand_where_their_piece_stands(rng):
    """The cell of a chess action lies on a square on which the observation shows an own piece."""
    rules, states = positions("chess", 40, rng)
    cells = hooks.action_cells(rules)
    assert len(np.unique(cells)) == rules.num_actions
    for i in range(len(states)):
        view = decision_for(envs.spec("chess"), rules, states[i : i + 1], 0)
        shown = _shown(rules, states[i])
        for action in view.legal:
            plane, row, column = np.unravel_index(cells[action], (73, 8, 8))
            assert plane == action % 73
            assert shown[row, column]


def test_boards_with_their_planes_first_play_from_a_file_as_in_training(rng, tmp_path):
    """Stratego's moves stand on the cells they start from, and small boards' networks on large."""
    spec, options = envs.spec("stratego"), {"board": "barrage8", "setup": "random"}
    env = SB3VecEnv("stratego", 2, **options)
    model = MaskablePPO(
        BoardPolicy, env, n_steps=4, batch_size=8, device="cpu",
        policy_kwargs=board_settings(env.rules, (4, 6), planes=29),
    )  # fmt: skip
    model.learn(8)
    sb3.save(model, tmp_path / "a.zip", spec, **options)
    policy = make_policy(spec, f"sb3:{tmp_path}/a.zip?deterministic=1")
    rules, states = positions("stratego", 10, rng, **options)
    actions = policy.act_each(rules, states, np.zeros(10, np.uint64))
    cells = hooks.action_cells(rules)
    assert len(np.unique(cells)) == rules.num_actions
    for i in range(10):
        view = decision_for(spec, rules, states[i : i + 1], 1)
        seen, mask = view.observation(), np.isin(np.arange(rules.num_actions), view.legal)
        assert actions[i] == model.predict(seen, action_masks=mask, deterministic=True)[0]
        for action in view.legal:
            _, row, column = np.unravel_index(cells[action], (28, 8, 8))
            assert seen[:10, row, column].sum() == 1
    actor, _ = sb3.load(tmp_path / "a.zip")
    small = np.zeros((3, 73, 6, 6), np.int8)
    large = np.zeros((3, 73, 8, 8), np.int8)
    small[:, :29] = rng.integers(2, size=(3, 29, 6, 6))
    large[:, :, 1:7, 1:7] = small
    there = actor.on(other := spec.make_rules(setup="random", board="six")).logits(small)
    for a in range(other.num_actions):
        source, target = moves_from(other, a)
        if all(2 <= k <= 3 for k in divmod(source, 6)):  # the edge is two cells away
            wide = [8 * (cell // 6 + 1) + cell % 6 + 1 for cell in (source, target)]
            same = actor.logits(large)[:, move_id(rules, *wide)]
            np.testing.assert_allclose(there[:, a], same, atol=1e-5)
    with pytest.raises(ValueError, match="use the options it was trained with"):
        actor.on(spec.make_rules(setup="random"))  # a step of nine cells has no plane


def _shown(rules, s):
    """(8, 8) bool: the pieces of the seat to move, by the rows and columns of the observation."""
    own = int(s["white"] if s["turn"] == WHITE else s["black"])
    board = np.zeros((8, 8), bool)
    for square in range(64):
        rank = (square & 7) ^ (0 if s["turn"] == WHITE else 7)
        board[7 - rank, square >> 3] = own >> square & 1
    return board


def test_a_game_without_places_for_its_actions_gets_one_line():
    with pytest.raises(ValueError, match="connect_four does not say where its actions stand"):
        board_settings(envs.spec("connect_four").make_rules(), (4,))


def test_convolutions_play_from_a_file_as_in_training(board_model, seed, rng, tmp_path):
    board_model.learn(16)
    spec, path = envs.spec("chess"), tmp_path / "board.zip"
    sb3.save(board_model, path, spec)
    actor, facts = sb3.load(path)
    sb3.save_actor(actor, tmp_path / "small.zip", facts)
    policy = make_policy(spec, f"sb3:{tmp_path}/small.zip?deterministic=1")
    again = MaskablePPO.load(path, device="cpu")
    rules, states = positions("chess", 20, rng)
    actions = policy.act_each(rules, states, np.zeros(20, np.uint64))
    for i in range(20):
        view = decision_for(spec, rules, states[i : i + 1], 1)
        mask = np.isin(np.arange(rules.num_actions), view.legal)
        expected, _ = again.predict(view.observation(), action_masks=mask, deterministic=True)
        assert actions[i] == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("features_extractor.layers.1.weight", "do not fit together"),
        ("features_extractor.shape", "do not fit its board"),
        ("action_net.bias", "neither kind"),
    ],
)
def test_wrong_convolutions_get_one_line(name, message, board_model):
    weights = dict(board_model.policy.state_dict())
    if name.endswith("bias"):
        del weights[name]
    elif name.endswith("shape"):
        weights[name] = torch.tensor([8, 8, 7])
    else:
        weights[name] = weights[name][:, :-1]
    with pytest.raises(ValueError, match=message):
        networks.actor_of(weights, "ReLU")


def test_convolutions_play_boards_of_every_size(rng, tmp_path):
    """What they say of a position on 9 x 9 they say of it in the middle of 15 x 15."""
    spec, path, size = envs.spec("gomoku"), tmp_path / "small.zip", {"rows": 9, "columns": 9}
    env = SB3VecEnv("gomoku", 2, **size)
    network = board_settings(env.rules, (4, 6))
    sb3.save(MaskablePPO(BoardPolicy, env, policy_kwargs=network), path, spec, **size)
    actor, _ = sb3.load(path)
    seen, wide = (
        rng.integers(2, size=(3, 9, 9, 2)).astype(np.int8),
        np.zeros((3, 15, 15, 2), np.int8),
    )
    wide[:, 3:12, 3:12] = seen
    own, there = actor.logits(seen), actor.on(spec.make_rules()).logits(wide)
    np.testing.assert_allclose(
        own.reshape(3, 9, 9)[:, 1:8, 1:8], there.reshape(3, 15, 15)[:, 4:11, 4:11], atol=1e-5
    )
    rules, states = positions("gomoku", 10, rng)
    actions = make_policy(spec, f"sb3:{path}").act_each(rules, states, np.arange(10, dtype="u8"))
    for i in range(10):
        assert actions[i] in decision_for(spec, rules, states[i : i + 1], 0).legal
    with pytest.raises(ValueError, match="use the options it was trained with"):
        actor.on(spec.make_rules(opening="swap2"))


def test_draws_follow_the_softmax_of_legal_actions(model, agent, rng):
    spec = envs.spec("tictactoe")
    policy = make_policy(spec, f"sb3:{agent}")
    with torch.no_grad():
        policy.actor.weights["action_net.bias"] += torch.linspace(-1, 1, 9)
    rules, states = positions("tictactoe", 1, rng)
    view = decision_for(spec, rules, states, 0)
    n = 20_000
    drawn = policy.act_each(rules, np.repeat(states, n), rng.integers(2**63, size=n).astype("u8"))
    logits = policy.actor.logits(view.observation()[None])[0][view.legal].astype(float)
    expected = np.exp(logits) / np.exp(logits).sum()
    shares = np.bincount(drawn, minlength=9)[view.legal] / n
    assert set(drawn) <= set(view.legal)
    np.testing.assert_allclose(shares, expected, atol=5 * 0.5 / n**0.5)


def test_a_seed_repeats_the_action(agent, rng):
    policy = make_policy(envs.spec("tictactoe"), f"sb3:{agent}")
    rules, states = positions("tictactoe", 50, rng)
    seeds = rng.integers(2**63, size=50).astype(np.uint64)
    first = policy.act_each(rules, states, seeds)
    np.testing.assert_array_equal(first, policy.act_each(rules, states, seeds))
    order = rng.permutation(50)
    np.testing.assert_array_equal(first[order], policy.act_each(rules, states[order], seeds[order]))
    assert (first != policy.act_each(rules, states, seeds + np.uint64(1))).any()


def test_a_fresh_process_loads_it_by_path_alone(agent):
    code = (
        "from stratagym import envs; from stratagym.agents.core import make_policy\n"
        f"print(make_policy(envs.spec('tictactoe'), 'sb3:{agent}').name)\n"
        "import sys; assert 'stable_baselines3' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == f"sb3:{agent}", done.stderr


@pytest.mark.parametrize("game", sorted(path.stem for path in sb3.SHIPPED.glob("*.zip")))
def test_shipped_agents_beat_random(game):
    """Their files do not change and the games are those of fixed seeds: no luck is in it."""
    spec = envs.spec(game)
    policy, other = make_policy(spec, "sb3"), make_policy(spec, "random")
    options = sb3.load(sb3.SHIPPED / f"{game}.zip")[1]["options"]
    rules, games = spec.make_rules(**options), 100 if spec.name == "chess" else 400
    together, many = spec.utility == "identical", rules.num_players

    def mean_return(mine: Policy) -> float:
        others = mine if together else other
        seats = [[mine if seat == own else others for seat in range(many)] for own in range(many)]
        played = play_batched(
            [
                SeatedMatch.of("test", f"{k}/{own}", spec, rules, options, k, seats[own])
                for k in range(games // many)
                for own in range(many)
            ]
        )
        return float(np.mean([record["returns"][g % many] for g, record in enumerate(played)]))

    assert mean_return(policy) > mean_return(other)


def test_sb3_itself_loads_the_file(model, agent):
    again = MaskablePPO.load(agent, device="cpu")
    for one, other in zip(again.policy.parameters(), model.policy.parameters(), strict=True):
        assert torch.equal(one, other)


def test_the_actor_alone_plays_alike(agent, tmp_path, rng):
    actor, facts = sb3.load(agent)
    sb3.save_actor(actor, tmp_path / "small.zip", facts)
    small, same = sb3.load(tmp_path / "small.zip")
    assert same == facts
    seen = rng.integers(2, size=(5, 3, 3, 2)).astype(np.int8)
    np.testing.assert_array_equal(small.logits(seen), actor.logits(seen))
    assert (tmp_path / "small.zip").stat().st_size < agent.stat().st_size / 2


# --- files that are wrong ------------------------------------------------------------------------


def rewrite(source, target, **entries) -> None:
    """Copy a zip with entries replaced, or left out where None."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = entries.get(name.replace(".", "_"), old.read(name))
            if content is not None:
                new.writestr(name, content)


def damaged(kind: str, agent, folder, model) -> str:
    path = folder / "bad.zip"
    facts = json.loads(zipfile.ZipFile(agent).read(sb3.FACTS))
    if kind == "text":
        path.write_text("not a zip")
    elif kind == "cut":
        path.write_bytes(agent.read_bytes()[:-500])
    elif kind == "flipped":
        content = bytearray(agent.read_bytes())
        with zipfile.ZipFile(agent) as archive:
            at = archive.getinfo(sb3.WEIGHTS).header_offset + 200
        content[at : at + 40] = bytes(b ^ 255 for b in content[at : at + 40])
        path.write_bytes(content)
    elif kind == "plain sb3":
        model.save(path)
    elif kind == "no weights":
        rewrite(agent, path, policy_pth=None)
    elif kind == "weights of something else":
        buffer = io.BytesIO()
        torch.save({"a.weight": torch.zeros(2)}, buffer)
        rewrite(agent, path, policy_pth=buffer.getvalue())
    elif kind == "a pickle that runs code":
        buffer = io.BytesIO()
        torch.save(make_policy(envs.spec("tictactoe"), "random"), buffer)
        rewrite(agent, path, policy_pth=buffer.getvalue())
    elif kind == "a program in TorchScript":
        buffer = io.BytesIO()
        torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), buffer)
        rewrite(agent, path, policy_pth=buffer.getvalue())
    elif kind == "half the precision":
        weights = torch.load(io.BytesIO(zipfile.ZipFile(agent).read(sb3.WEIGHTS)))
        buffer = io.BytesIO()
        torch.save({name: tensor.half() for name, tensor in weights.items()}, buffer)
        rewrite(agent, path, policy_pth=buffer.getvalue())
    elif kind == "a game of many words":
        rewrite(agent, path, stratagym_json=json.dumps(facts | {"game": "a\nb " * 10_000}))
    elif kind == "a long version":
        rewrite(agent, path, stratagym_json=json.dumps(facts | {"version": [[1]] * 10_000}))
    elif kind == "newer":
        rewrite(agent, path, stratagym_json=json.dumps(facts | {"schema": 99}))
    elif kind == "other shape":
        rewrite(agent, path, stratagym_json=json.dumps(facts | {"num_actions": 5}))
    elif kind == "not json":
        rewrite(agent, path, stratagym_json="{")
    elif kind == "no facts in it":
        rewrite(agent, path, stratagym_json="[]")
    return str(path)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("missing", "there is no such file"),
        ("text", "not an agent file"),
        # zipfile finds the end of the archive of weights inside: PyTorch's files are zips too.
        ("cut", "does not say which game|not an agent file"),
        ("flipped", "damaged"),
        ("plain sb3", "does not say which game"),
        ("no weights", "not an agent file, or damaged"),
        ("weights of something else", "neither kind"),
        ("a pickle that runs code", "does not hold tensors alone"),
        ("a program in TorchScript", "damaged"),
        ("half the precision", "damaged"),
        ("a game of many words", "plays 'a"),
        ("a long version", "was trained on tictactoe-v"),
        ("newer", "upgrade stratagym"),
        ("other shape", "does not fit"),
        ("not json", "not JSON"),
        ("no facts in it", "damaged"),
    ],
)
def test_a_wrong_file_gets_one_line(kind, message, agent, tmp_path, model, recwarn):
    path = damaged(kind, agent, tmp_path, model)
    recwarn.clear()
    with pytest.raises(ValueError, match=message) as caught:
        make_policy(envs.spec("tictactoe"), f"sb3:{path}")
    said = str(caught.value)
    assert said.isprintable() and path in said and len(said) < 400 + len(path)
    assert not recwarn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sb3:{agent}?deterministic=2", "write 0 or 1"),
        ("sb3:{agent}?look=2", "look=2; write 0 or 1"),
        ("sb3:{agent}?greedy=1", "unknown option"),
        ("sb3:{folder}", "is a folder"),
    ],
)
def test_a_wrong_string_gets_one_line(text, message, agent, tmp_path):
    with pytest.raises(ValueError, match=message):
        make_policy(envs.spec("tictactoe"), text.format(agent=agent, folder=tmp_path))


def test_a_game_without_a_shipped_agent_gets_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(sb3, "SHIPPED", tmp_path)
    with pytest.raises(ValueError, match="no trained agent of tictactoe is shipped") as caught:
        make_policy(envs.spec("tictactoe"), "sb3")
    assert "\n" not in str(caught.value)


def test_another_games_file_is_refused(agent):
    with pytest.raises(ValueError, match="plays tictactoe, not connect_four"):
        make_policy(envs.spec("connect_four"), f"sb3:{agent}")


def test_other_options_are_refused(tmp_path, rng):
    spec = envs.spec("ludo")
    sb3.save(small_model(SB3VecEnv("ludo", 8, players=2)), tmp_path / "a.zip", spec, players=2)
    policy = make_policy(spec, f"sb3:{tmp_path}/a.zip")
    rules, states = positions("ludo", 3, rng, players=2)
    assert len(policy.act_each(rules, states, np.zeros(3, np.uint64))) == 3
    rules, states = positions("ludo", 3, rng, players=4)
    with pytest.raises(ValueError, match="use the options it was trained with"):
        policy.act_each(rules, states, np.zeros(3, np.uint64))


def test_without_torch_the_extra_is_named(agent, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match=r"stratagym\[rl\]"):
        make_policy(envs.spec("tictactoe"), f"sb3:{agent}")


def test_looking_ahead_wins_at_once(agent):
    state = envs.make_state("tictactoe")
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    policy = make_policy(envs.spec("tictactoe"), f"sb3:{agent}?look=1")
    states, seeds = np.repeat(state.states, 20), np.arange(20, dtype=np.uint64)
    assert set(policy.act_each(state.rules, states, seeds)) == {2}
