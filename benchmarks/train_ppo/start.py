"""The network that training goes on from: a shipped agent or an agent file.

Agent files of ``train_ppo`` hold the actor alone, so the critic is begun anew; a model saved with
``sb3.save`` has its critic, which goes on too. The optimizer always begins anew. A new critic
learns alone at first: what it says in the beginning would make the agent worse.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stratagym.agents import sb3
from stratagym.agents.core import PolicyString
from stratagym.agents.networks import BoardActor
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.train_ppo.ppo import Settings
from stratagym.envs.core import GameSpec

KEPT, ANEW = "kept", "begun anew"
ALONE = 0.1
"""The share of the decisions in which a new critic learns alone."""


class Start:
    """The agent that ``--from`` names, for a game's settings.

    Attributes:
        settings: with the agent's network in place of the game's own.
        critic: ``KEPT`` or ``ANEW``.

    Raises:
        InputError: no agent file of this game, or one of a network that training does not make.
    """

    def __init__(self, game: GameSpec, name: str, settings: Settings):
        parsed = PolicyString.parse(name)
        shipped = (parsed.name, parsed.argument) == ("sb3", "")
        path = sb3.SHIPPED / f"{game.name}.zip" if shipped else parsed.argument or name
        path = path if parsed.name == "sb3" else name
        try:
            self.weights, actor, self._facts = sb3.load_whole(path)
            if self._facts.get("game") != game.name or self._facts.get("version") != game.version:
                of = f"{self._facts.get('game')}-v{self._facts.get('version')}"
                raise ValueError(f"{path} is of {of}, not of {game.name}-v{game.version}")
            actor.on(game.make_rules(**settings.options))
        except (ValueError, ModuleNotFoundError) as error:
            raise InputError(f"--from {name}: {error}") from None
        if actor.activation != "ReLU":
            raise InputError(f"--from {name}: its network has {actor.activation}, ReLU is needed")
        self.name = name
        layers = [weight for key, weight in actor.weights.items() if key.endswith(".weight")]
        net = tuple(weight.shape[0] for weight in layers[:-1])
        board = isinstance(actor, BoardActor)
        planes = layers[0].shape[1] if board else None
        self.settings = replace(settings, net=net, board=board, planes=planes)
        self._fixed = {key for key in actor.weights if not key.endswith((".weight", ".bias"))}
        self._actor = set(actor.weights) - self._fixed
        self.critic = KEPT if any(key.startswith("value_net.") for key in self.weights) else ANEW

    def into(self, network: Any) -> None:
        """Copy the agent's numbers into SB3's policy of the same settings."""
        own = network.state_dict()
        for key, tensor in self.weights.items():
            # What a board's size decides is of the game at hand.
            if key in own and key not in self._fixed and own[key].shape == tensor.shape:
                own[key] = tensor
            elif key in self._actor or (key in own and key not in self._fixed):
                raise InputError(f"--from {self.name}: {key} does not fit the game's network")
        network.load_state_dict(own)

    def hold(self, network: Any, share: float) -> None:
        """Let the actor of SB3's policy learn, or not yet, when a ``share`` of training is done."""
        learns = self.critic == KEPT or share >= ALONE
        for key, parameter in network.named_parameters():
            if key in self._actor:
                parameter.requires_grad_(learns)

    def record(self) -> dict[str, Any]:
        """``from`` of a configuration and of the agent that comes out."""
        return {"agent": self.name, "steps": self._facts.get("steps"), "critic": self.critic}
