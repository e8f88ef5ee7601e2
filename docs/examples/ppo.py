"""PPO in one file on a batch of games, every seat played by one network. PyTorch only.

    python docs/examples/ppo.py --game connect_four --steps 2000000

In the style of CleanRL: no classes to inherit from, nothing hidden. ``envs.make_batch`` steps all
games in one compiled call and hands over the arrays it writes into: what the seat to move sees,
its mask of legal actions, whose turn it is and every seat's reward. All seats' decisions are
learned from, each on its own line of time: from a seat's decision to the same seat's next one
(``learning.advantages``). A game that a limit cuts off is worth what its seats expected there.
With ``--save agent.zip`` the network is the policy ``sb3:agent.zip`` of every command.

Schulman et al. 2017 (PPO), Schulman et al. 2016 (GAE), Huang and Ontanon 2022 (masks).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from stratagym import envs
from stratagym.agents import sb3
from stratagym.agents.learning import advantages
from stratagym.agents.networks import DenseActor


class ActorCritic(nn.Module):
    """Two perceptrons; the actor's logits of illegal actions are minus infinity."""

    def __init__(self, inputs: int, actions: int, width: int):
        super().__init__()
        self.actor = self.perceptron(inputs, width, actions, 0.01)
        self.critic = self.perceptron(inputs, width, 1, 1.0)

    @staticmethod
    def perceptron(inputs: int, width: int, outputs: int, gain: float) -> nn.Sequential:
        layers = [nn.Linear(inputs, width), nn.Linear(width, width), nn.Linear(width, outputs)]
        for layer, scale in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
            nn.init.orthogonal_(layer.weight, scale)
            nn.init.zeros_(layer.bias)
        return nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])

    def policy(self, x: torch.Tensor, masks: torch.Tensor) -> Categorical:
        logits = self.actor(x).masked_fill(~masks, -torch.inf)
        return Categorical(logits=logits, validate_args=False)

    def value(self, x: torch.Tensor) -> torch.Tensor:
        return self.critic(x).squeeze(-1)


def evaluate(
    network: ActorCritic, game: str, options: dict, games: int, seed: int
) -> tuple[str, float, float]:
    """How well the likeliest moves do: the measure in words, its mean and its standard error.

    The network sits in each seat in turn, against random play, and the share of games won counts;
    of a game in which all seats are one team it sits in every seat, and the return counts.
    """
    spec = envs.spec(game)
    batch = envs.make_batch(game, games, seed=seed, autoreset=False, **options)
    team = spec.utility == "identical"
    own = np.arange(games) % batch.rules.num_players
    rng = np.random.default_rng(seed)
    while (batch.players >= 0).any():
        noise = rng.random(batch.action_masks.shape)
        with torch.no_grad():
            logits = network.actor(flat(batch.observations)).numpy()
        scores = np.where(((batch.players == own) | team)[:, None], logits, noise)
        batch.step(np.where(batch.action_masks == 1, scores, -np.inf).argmax(1))
    if team:
        measure, found = "mean return of its team", batch.episode_returns[:, 0]
    else:
        measure, found = "won against random", batch.episode_returns[np.arange(games), own] > 0
    return measure, float(found.mean()), float(found.std(ddof=1) / games**0.5)


def save(network: ActorCritic, path: str, game: str, options: dict) -> None:
    """Write the actor under the names of Stable-Baselines3's, which ``sb3:PATH`` reads."""
    weights = network.actor.state_dict()
    names = {
        "0": "mlp_extractor.policy_net.0",
        "2": "mlp_extractor.policy_net.2",
        "4": "action_net",
    }
    named = {
        f"{names[layer]}.{kind}": tensor
        for (layer, kind), tensor in ((key.split("."), value) for key, value in weights.items())
    }
    facts = sb3.facts_of(envs.spec(game), "ReLU", **options)
    sb3.save_actor(DenseActor(named, "ReLU"), Path(path), facts)


def flat(observations: np.ndarray) -> torch.Tensor:
    """(N, inputs) float32, a copy: the batch overwrites its arrays."""
    return torch.from_numpy(observations.reshape(len(observations), -1).astype(np.float32))


def train(args: argparse.Namespace) -> ActorCritic:
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    options = dict(pair.split("=") for pair in args.rules.split(",") if pair)
    batch = envs.make_batch(
        args.game, args.envs, seed=args.seed, final_observations=True, **options
    )
    inputs, num_actions = batch.observations[0].size, batch.action_masks.shape[1]
    network = ActorCritic(inputs, num_actions, args.width)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
    steps, games, seats = args.rollout, args.envs, batch.rules.num_players
    updates = max(1, args.steps // (steps * games))
    seen, masks = torch.zeros(steps, games, inputs), torch.zeros(steps, games, num_actions).bool()
    actions, log_probs = torch.zeros(steps, games).long(), torch.zeros(steps, games)
    values, players = np.zeros((steps, games)), np.zeros((steps, games), np.int64)
    rewards, rows = np.zeros((steps, games, seats)), np.arange(games)
    terminations, truncations = np.zeros((2, steps, games), bool)
    began = time.perf_counter()

    for update in range(updates):
        final_values = np.zeros((steps, games, seats))
        next_values = np.full((games, seats), np.nan)  # of seats that were not asked
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - update / updates)
        for t in range(steps):
            seen[t], masks[t] = flat(batch.observations), torch.from_numpy(batch.action_masks == 1)
            players[t] = batch.players
            with torch.no_grad():
                policy = network.policy(seen[t], masks[t])
                actions[t] = policy.sample()
                log_probs[t] = policy.log_prob(actions[t])
                values[t] = network.value(seen[t]).numpy()
            batch.step(actions[t].numpy())
            rewards[t] = batch.rewards
            terminations[t], truncations[t] = batch.terminations, batch.truncations
            for i in np.flatnonzero(batch.truncations):
                with torch.no_grad():
                    final_values[t, i] = network.value(flat(batch.final_observations[i])).numpy()
        with torch.no_grad():
            next_values[rows, batch.players] = network.value(flat(batch.observations)).numpy()
        found, usable = advantages(
            rewards, terminations, truncations, players, values, next_values,
            gamma=args.gamma, lam=args.lam, final_values=final_values,
        )  # fmt: skip

        learned = torch.from_numpy(np.flatnonzero(usable))
        x, legal = seen.flatten(0, 1), masks.flatten(0, 1)
        played, before = actions.flatten(), log_probs.flatten()
        gain = torch.from_numpy(found).float().flatten()
        target = gain + torch.from_numpy(values).float().flatten()
        for _ in range(args.epochs):
            for some in learned[torch.randperm(len(learned))].split(args.batch):
                policy = network.policy(x[some], legal[some])
                ratio = (policy.log_prob(played[some]) - before[some]).exp()
                a = (gain[some] - gain[some].mean()) / (gain[some].std(correction=0) + 1e-8)
                clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                # p log p is 0 where an action is illegal; Categorical.entropy would give NaN.
                p = policy.probs
                entropy = -(p * policy.logits.clamp(min=-1e9)).sum(-1).mean()
                loss = (
                    -torch.min(ratio * a, clipped * a).mean()
                    + 0.5 * (network.value(x[some]) - target[some]).square().mean()
                    - args.entropy * entropy
                )
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()

        if (update + 1) % max(1, updates // args.reports) == 0 or update + 1 == updates:
            measure, mean, error = evaluate(
                network, args.game, options, args.eval_games, args.seed + update
            )
            done = (update + 1) * steps * games
            speed = done / (time.perf_counter() - began)
            print(
                f"{done:>10,} decisions  {speed:>8,.0f}/s  entropy {entropy.item():.2f}  "
                f"{measure} {mean:.3f} +- {1.96 * error:.3f} ({args.eval_games} games)",
                flush=True,
            )
    if args.save:
        save(network, args.save, args.game, options)
    return network


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = parser.add_argument
    add("--game", default="connect_four")
    add("--rules", default="", help="the game's options, such as players=2")
    add("--steps", type=int, default=2_000_000, help="decisions, of all seats together")
    add("--envs", type=int, default=256, help="games side by side")
    add("--rollout", type=int, default=64, help="steps between updates")
    add("--batch", type=int, default=2048)
    add("--epochs", type=int, default=4)
    add("--learning-rate", type=float, default=1e-3)
    add("--gamma", type=float, default=0.99)
    add("--lam", type=float, default=0.95)
    add("--clip", type=float, default=0.2)
    add("--entropy", type=float, default=0.01)
    add("--width", type=int, default=128)
    add("--eval-games", type=int, default=1000)
    add("--reports", type=int, default=10)
    add("--threads", type=int, default=1)
    add("--seed", type=int, default=0)
    add("--save", default="", help="a file for the network: sb3:FILE is a policy everywhere")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    train(parse())
