"""Trained networks as policies: ``sb3:PATH`` plays what Stable-Baselines3 has learned.

``sb3`` alone is the agent that is shipped for the game.

An agent file is a zip with two entries that matter here: ``stratagym.json``, the game and what the
network was trained on, and ``policy.pth``, its weights under SB3's names. ``save`` adds the former
to a model's ordinary SB3 file, ``save_actor`` writes a small file without critic and optimizer.

What loading can do: the first entry is read as JSON, the second by ``torch.load`` with
``weights_only``, whose unpickler makes tensors and nothing else. A file from elsewhere can fill
memory up to ``LARGEST`` and play badly; it cannot run code. PyTorch before 2.6 could be made to do
so all the same (CVE-2025-32434) and is refused. SB3's own ``load`` of such a file is another
matter: it unpickles other entries and runs whatever code is in them, so give it files that you
trust.
"""

from __future__ import annotations

import io
import json
import math
import pickle
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import decisive
from stratagym.agents.core import BatchPolicy, PolicyString, is_combinatorial
from stratagym.agents.networks import Actor, actor_of
from stratagym.envs import core
from stratagym.envs.echo import shortened

EXTRA = "sb3 needs PyTorch: pip install 'stratagym[rl]'"
SAFE_TORCH = (2, 6)
"""The first PyTorch whose ``weights_only`` keeps its word."""
LARGEST = 2**30
"""Bytes of an unpacked entry."""
FACTS, WEIGHTS = "stratagym.json", "policy.pth"
SHIPPED = Path(__file__).parent / "data" / "trained"
"""Agents that are part of the package, one file a game."""
LOOKING = ("chess",)
"""Games whose shipped agent looks ahead unless ``look=0`` says otherwise, from version 2 on."""
SCHEMA = 1


@njit(cache=True, nogil=True)
def see_each(rules, states, legal, observations, masks):
    """What the seat to move sees in every state, and its mask of legal actions."""
    for i in range(states.shape[0]):
        core.observe(rules, states[i], core.current_player(rules, states[i]), observations[i])
        core.legal_mask(rules, states[i], legal, masks[i])


@njit(cache=True, nogil=True)
def draw_each(logits, masks, seeds, greedy, actions):
    """A legal action for every row, drawn from the softmax of its legal logits by its own seed.

    The draw is the highest logit plus Gumbel noise; ``greedy`` leaves the noise out.
    """
    for i in range(logits.shape[0]):
        best, best_score = -1, 0.0
        for action in range(logits.shape[1]):
            if masks[i, action]:
                score = np.float64(logits[i, action])
                if not greedy:
                    bits = core.derive_seed(seeds[i], action) >> np.uint64(11)
                    unit = (np.float64(bits) + 0.5) / 9007199254740992.0
                    score -= math.log(-math.log(unit))
                if best < 0 or score > best_score:
                    best, best_score = action, score
        actions[i] = best


class SB3Policy(BatchPolicy):
    """A trained network; it samples unless ``greedy``.

    The action depends on the observation and the seed alone, and with ``look`` on what the next two
    moves can decide at once: for combinatorial games, as it plays on the position itself.
    """

    def __init__(self, name: str, actor: Actor, greedy: bool = False, look: bool = False):
        self.name, self.actor, self.greedy, self.look = name, actor, greedy, look
        self._fitted: tuple[Any, Actor] | None = None

    def act_each(self, rules: Any, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """As every ``BatchPolicy``.

        Raises:
            ValueError: the game's options give other observations than those trained on.
        """
        if self._fitted is None or self._fitted[0] != rules:
            try:
                self._fitted = rules, self.actor.on(rules)
            except ValueError as error:
                raise ValueError(f"policy {self.name}: {error}") from None
        shape, outputs = rules.observation_shape, rules.num_actions
        observations = np.empty((len(states), *shape), rules.observation_dtype)
        masks = np.empty((len(states), outputs), np.int8)
        legal = core.new_scratch(rules)[0]
        see_each(rules, states, legal, observations, masks)
        if self.look:
            scratch = core.new_states(rules, 3), legal, legal.copy(), np.zeros(rules.num_players)
            decisive.look_each(rules, states, masks, *scratch)
        actions = np.empty(len(states), np.int64)
        draw_each(self._fitted[1].logits(observations), masks, seeds, self.greedy, actions)
        return actions


# --- files ---------------------------------------------------------------------------------------


def facts_of(spec: core.GameSpec, activation: str, **options: Any) -> dict[str, Any]:
    """The content of ``stratagym.json``; raises ``ValueError`` for options that are not there."""
    rules = spec.make_rules(**options)
    return {
        "schema": SCHEMA,
        "game": spec.name,
        "version": spec.version,
        "options": spec.options_in_force(**options),
        "observation_shape": list(rules.observation_shape),
        "num_actions": rules.num_actions,
        "activation": activation,
    }


def save(model: Any, path: str | Path, spec: core.GameSpec, **options: Any) -> None:
    """Save an SB3 model so that ``sb3:PATH`` and SB3's ``load`` read it.

    Args:
        model: ``MaskablePPO``, ``PPO`` or ``A2C`` of SB3 or sb3-contrib, with an ``MlpPolicy`` or
            a ``BoardPolicy``.
        options: the game's options it was trained with.

    Raises:
        ValueError: a network of another kind, or unknown options.
    """
    activation = model.policy.activation_fn.__name__
    actor_of(model.policy.state_dict(), activation)
    facts = facts_of(spec, activation, **options)
    buffer = io.BytesIO()
    model.save(buffer)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(FACTS, json.dumps(facts, indent=1))
    Path(path).write_bytes(buffer.getvalue())


def save_actor(actor: Actor, path: Path, facts: dict[str, Any]) -> None:
    """Write the actor alone: enough to play, and a fifth of the size."""
    import torch

    weights = io.BytesIO()
    torch.save({name: tensor.clone() for name, tensor in actor.weights.items()}, weights)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(FACTS, json.dumps(facts, indent=1))
        archive.writestr(WEIGHTS, weights.getvalue())


def load(path: str | Path) -> tuple[Actor, dict[str, Any]]:
    """The actor and the facts of an agent file.

    Raises:
        ValueError: no such file, not an agent file, a damaged one, one of a newer schema or too
            large, or PyTorch is too old to read it safely.
        ModuleNotFoundError: PyTorch is not installed.
    """
    _, actor, facts = load_whole(path)
    return actor, facts


def load_whole(path: str | Path) -> tuple[dict[str, Any], Actor, dict[str, Any]]:
    """All tensors of an agent file by SB3's names, the critic's where it has any; and as ``load``.

    Raises:
        ValueError, ModuleNotFoundError: as ``load``.
    """
    try:
        import torch
    except ModuleNotFoundError:
        raise ModuleNotFoundError(EXTRA) from None
    if tuple(map(int, torch.__version__.split(".")[:2])) < SAFE_TORCH:
        raise ValueError(
            f"PyTorch {torch.__version__} can be made to run code by a file of weights; "
            "pip install 'torch>=2.6'"
        )
    facts, content = _entries(Path(path))
    if not isinstance(facts, dict) or not isinstance(facts.get("schema"), int):
        raise ValueError(f"{path} is damaged: {FACTS} does not hold an agent's facts")
    if facts["schema"] > SCHEMA:
        raise ValueError(
            f"{path}: schema {_quoted(facts['schema'])} is newer than this version of stratagym "
            f"reads ({SCHEMA}); upgrade stratagym"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is wrong is told in one line, below
            weights = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        actor = actor_of(weights, facts["activation"])
        expected = math.prod(facts["observation_shape"]), facts["num_actions"]
        if (actor.inputs, actor.outputs) == expected:
            # Numbers of another kind, or biases of another length, show when it plays.
            actor.logits(np.zeros((1, *facts["observation_shape"]), np.float32))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except pickle.UnpicklingError:
        raise ValueError(f"{path} is damaged: {WEIGHTS} does not hold tensors alone") from None
    except Exception as error:  # torch raises whatever a damaged archive makes it stumble over
        raise ValueError(f"{path} is damaged ({_reason(error)})") from None
    if (actor.inputs, actor.outputs) != expected:
        raise ValueError(f"{path} is damaged: its network does not fit the game it names")
    return weights, actor, facts


def _entries(path: Path) -> tuple[Any, bytes]:
    """The facts, as JSON has them, and the weights of an agent file. Raises ``ValueError``."""
    if not path.exists():
        raise ValueError(f"{path}: there is no such file")
    if not path.is_file():
        raise ValueError(f"{path} is {'a folder' * path.is_dir() or 'no file'}; name an agent file")
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            large = [one.filename for one in archive.infolist() if one.file_size > LARGEST]
            if FACTS in names and not {FACTS, WEIGHTS}.intersection(large):
                found, content = archive.read(FACTS), archive.read(WEIGHTS)
    except Exception as error:  # encrypted, packed in another way, torn: zipfile has many names
        raise ValueError(f"{path} is not an agent file, or damaged ({_reason(error)})") from None
    if FACTS not in names:
        raise ValueError(
            f"{path} does not say which game it plays: it has no {FACTS}; "
            "save models with stratagym.agents.sb3.save"
        )
    if {FACTS, WEIGHTS}.intersection(large):
        raise ValueError(f"{path} is larger than any agent: an entry is beyond 1 GiB")
    try:
        return json.loads(found), content
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is damaged: {FACTS} is not JSON") from None


def _quoted(value: Any) -> str:
    """What a file says, as a message may: in one line, and cut."""
    return shortened(value if isinstance(value, str) and value.isidentifier() else repr(value))


def _reason(error: Exception) -> str:
    return (next(iter(str(error).splitlines()), "") or type(error).__name__)[:80]


def sb3_policy(spec: core.GameSpec, text: PolicyString) -> SB3Policy:
    """``sb3:PATH``: a trained network; ``?deterministic=1`` plays its likeliest action.

    Without a path it is the agent that is shipped for the game. In combinatorial games, with
    ``?look=1`` it wins where it can at once, and avoids moves that lose or draw at once. That is
    what ``sb3`` does in the games of ``LOOKING``, but for its first version and with ``?look=0``.

    Raises:
        ValueError: no agent file for this game, or a wrong option, in one line.
    """
    flags = dict.fromkeys(("deterministic", "look"), "0") | text.options
    if len(flags) > 2:
        raise ValueError("policy sb3: unknown option; the options are: deterministic, look")
    for name, flag in flags.items():
        if flag not in ("0", "1"):
            raise ValueError(f"policy sb3: {name}={flag}; write 0 or 1")
    if flags["look"] == "1" and not is_combinatorial(spec):
        raise ValueError(
            f"policy sb3: look=1 is for games of two without chance and hidden information; "
            f"{spec.title} is none"
        )
    path = text.argument or SHIPPED / f"{spec.name}.zip"
    if not text.argument and not Path(path).exists():
        raise ValueError(
            f"policy sb3: no trained agent of {spec.name} is shipped; name a file, such as "
            "sb3:results/agent.zip"
        )
    try:
        actor, facts = load(path)
    except ValueError as error:
        raise ValueError(f"policy sb3: {error}") from None
    if facts.get("game") != spec.name:
        raise ValueError(f"policy sb3: {path} plays {_quoted(facts.get('game'))}, not {spec.name}")
    if facts.get("version") != spec.version:
        raise ValueError(
            f"policy sb3: {path} was trained on {spec.name}-v{_quoted(facts.get('version'))}, "
            f"this is v{spec.version}"
        )
    looks = not text.argument and spec.name in LOOKING
    named = {"deterministic": "1", "look": "01" if looks else "1"}
    options = "&".join(
        f"{name}={text.options[name]}"
        for name in flags
        if name in text.options and text.options[name] in named[name]
    )
    name = f"sb3:{text.argument}" if text.argument else "sb3"
    name += f"?{options}" if options else ""
    looks &= "look" not in text.options
    look = text.version > 1 if looks else flags["look"] == "1"
    policy = SB3Policy(name, actor, flags["deterministic"] == "1", look)
    policy.version = text.version if looks else 1
    return policy
