"""How a model's answers are held to a shape, and moves scored by its own probabilities.

``constrain`` is what an answer may be, ``constrain_as`` under which name a server is told so, and
``decide`` whether the model answers or its probabilities of all legal answers are compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stratagym.agents.chat_replies import Reply
from stratagym.envs import core
from stratagym.envs.constraints import CONSTRAINTS, OFF, Shape, check_constraint, constrained
from stratagym.envs.plan_schemas import members
from stratagym.envs.plans import plan_kind
from stratagym.envs.prompts import TextOptions

RESPONSE_FORMAT, STRUCTURED_OUTPUTS, GRAMMAR = "response_format", "structured_outputs", "grammar"
DIALECTS = (RESPONSE_FORMAT, STRUCTURED_OUTPUTS, GRAMMAR)
"""Fields of a request by which servers are told, OpenAI's first."""
ANSWER, LIKELIHOOD, PER_TOKEN = "answer", "likelihood", "likelihood_per_token"
DECISIONS = (ANSWER, LIKELIHOOD, PER_TOKEN)
OPTIONS = ("constrain", "constrain_as", "decide")
"""As policy strings name them."""
MEMBER = "answer"
"""Of the JSON object that holds an answer where only JSON can be asked for."""
LONGEST_RECORD = 20_000
"""Characters of what was sent that a record holds; of more their hash."""


@dataclass(frozen=True)
class Answering:
    """How a model comes to its move.

    Attributes:
        constrain: one of ``CONSTRAINTS``. constrain_as: one of ``DIALECTS``.
        decide: one of ``DECISIONS``; by the likelihood of whole answers, their ends included, as a
            sum over tokens or per token.
    """

    constrain: str = OFF
    constrain_as: str = RESPONSE_FORMAT
    decide: str = ANSWER

    @classmethod
    def of(cls, game: core.GameSpec, options: Mapping[str, str], scores: bool) -> Answering:
        """From the options of a policy string.

        Args:
            scores: whether the client gives the probability of a given answer.

        Raises:
            ValueError: an unknown word, or what is not possible in this game or with this client.
        """
        found = cls(**{name: options[name] for name in OPTIONS if name in options})
        for name, known in zip(OPTIONS, (CONSTRAINTS, DIALECTS, DECISIONS), strict=True):
            if getattr(found, name) not in known:
                raise ValueError(f"{name}={getattr(found, name)}: choose from {', '.join(known)}")
        check_constraint(game, found.constrain)
        if found.decide != ANSWER:
            if plan_kind(game) is not None:
                raise ValueError(
                    f"decide={found.decide}: answers in {game.name} are plans, of which "
                    "there are too many to score"
                )
            if not scores:
                raise ValueError(
                    f"decide={found.decide}: an endpoint does not tell how probable a given answer "
                    "is; a model in this process does, gguf:FILE"
                )
            if found.constrain != OFF:
                raise ValueError(
                    f"decide={found.decide}: legal answers are scored, so constrain={OFF} it is"
                )
        return found

    def settings(self) -> dict[str, str]:
        """What a record holds of it: what is not as usual."""
        usual = Answering()
        told = {} if self.constrain == OFF else {"constrain_as": self.constrain_as}
        for name in ("constrain", "decide"):
            if getattr(self, name) != getattr(usual, name):
                told[name] = getattr(self, name)
        return told

    def fields(
        self, game: core.GameSpec, rules: Any, states: Any, options: TextOptions
    ) -> dict[str, Any]:
        """The fields of a request that hold the answer of the seat to move to its shape."""
        shape = constrained(game, rules, states, options, self.constrain)
        return {} if shape is None else fields(shape, self.constrain_as)


def fields(shape: Shape, dialect: str) -> dict[str, Any]:
    """A shape as fields of a request in one of ``DIALECTS``."""
    if dialect == GRAMMAR:
        return {"grammar": shape.grammar()}
    if dialect == STRUCTURED_OUTPUTS:
        if shape.schema is not None:
            return {"structured_outputs": {"json": dict(shape.schema)}}
        if shape.answers:
            return {"structured_outputs": {"choice": list(shape.answers)}}
        return {"structured_outputs": {"regex": shape.pattern}}
    text = {"enum": list(shape.answers)} if shape.answers else {"pattern": f"^{shape.pattern}$"}
    schema = shape.schema or members(**{MEMBER: {"type": "string", **text}})
    asked = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": asked}}


def unwrapped(text: str, sent: Mapping[str, Any]) -> str:
    """An answer as the game has it, out of the JSON object in which it was asked for."""
    if MEMBER not in _properties(sent):
        return text
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if isinstance(found, dict) and list(found) == [MEMBER] and isinstance(found[MEMBER], str):
        return found[MEMBER]
    return text


def _properties(sent: Mapping[str, Any]) -> Any:
    try:
        return sent["response_format"]["json_schema"]["schema"]["properties"]
    except (KeyError, TypeError):
        return ()


def recorded(sent: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent as a record holds it: itself, or where it is long the hash of its JSON."""
    text = json.dumps(sent, ensure_ascii=False)
    if len(text) <= LONGEST_RECORD:
        return dict(sent)
    return {name: {"sha256": _hash(value)} for name, value in sent.items()}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True)
class Scored:
    """An answer and how probable the model takes it to be.

    Attributes:
        log_probability: natural, of all its tokens and its end. tokens: how many, the end included.
    """

    text: str
    log_probability: float
    tokens: int

    @property
    def per_token(self) -> float:
        """The mean log-probability of a token."""
        return self.log_probability / self.tokens


@dataclass(frozen=True)
class Choice:
    """The most probable answer, as a reply, and all that were compared."""

    reply: Reply
    scored: tuple[Scored, ...]


def best(scored: tuple[Scored, ...], decide: str) -> Scored:
    """The most probable answer; of equal ones the first."""
    if decide == PER_TOKEN:
        return max(scored, key=lambda one: one.per_token)
    return max(scored, key=lambda one: one.log_probability)
