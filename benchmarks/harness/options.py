"""Options that scripts share: of language models, of what plays, of matches, of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stratagym.agents.answering import ANSWER
from stratagym.agents.chat_options import NUMBERS, PRICE
from stratagym.benchmarks.harness import cli, match_play
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.stand_ins import END, STAND_IN, USUAL
from stratagym.benchmarks.harness.text_options import TextArgs
from stratagym.envs.constraints import OFF
from stratagym.envs.core import GameSpec

EXECUTORS = ("process", "ray")
MOST_AT_ONCE = 1000
"""Requests in flight: each takes a connection, and systems give a process some thousand files."""


@cli.group("Models", 20)
@dataclass(kw_only=True)
class ModelArgs:
    """Options of the policies ``llm`` and ``llm:MODEL``; options in a policy string take
    precedence."""

    model: str | None = None
    """Model of the policy "llm"."""
    base_url: str | None = None
    """Endpoint of the model: any with OpenAI's chat completions interface; default OpenAI's own."""
    api_key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; the key itself is never written anywhere."""
    temperature: float = 0.0
    """Sampling temperature."""
    max_tokens: int = 16384
    """Longest reply in tokens, reasoning included. Lower it for a server with a smaller context."""
    top_p: float | None = None
    """Share of the most probable tokens to sample from; default the server's."""
    top_k: int | None = None
    """Number of the most probable tokens to sample from; default the server's."""
    model_seed: int | None = None
    """Seed of the server's sampling; default none. --seed is the seed of the run."""
    reasoning_effort: str | None = None
    """How much a model reasons: none, minimal, low, medium, high, xhigh or max; default the
    model's."""
    thinking_budget: int | None = None
    """Most tokens of reasoning, for servers that have such a limit; default none."""
    extra_body: str | None = None
    """Other fields of the request, as a JSON object."""
    constrain: str = OFF
    """What answers are held to: "form", the form of an answer; "legal", answers that name a legal
    move; "off", nothing. It measures another thing than free answers."""
    constrain_as: str | None = None
    """Under which name a server is told so: "response_format" (default; a JSON schema),
    "structured_outputs" (vLLM) or "grammar" (llama.cpp)."""
    decide: str = ANSWER
    """Whether the model answers ("answer"), or the legal answer is played that its probabilities
    favour: "likelihood", by their sum over tokens; "likelihood_per_token", by their mean."""
    concurrency: int = 8
    """Requests in flight at once; in benchmarks of whole games, games at once."""
    timeout: float = 300.0
    """Seconds to wait for a reply before trying again."""
    retries: int = 5
    """Repeats of a request after a transport failure (429, 5xx, lost connection, timeout)."""
    price_in: float = 0.0
    """Price of a million prompt tokens, for the cost figures."""
    price_out: float = 0.0
    """Price of a million reply tokens."""
    price_cached: float | None = None
    """Price of a million prompt tokens that the server had in its cache; default --price-in."""
    preflight: bool = True
    """First ask each model for one word, to check key, model and address."""

    def check(self) -> None:
        """Raises ``InputError`` for numbers that no model can be asked with."""
        if not 1 <= self.concurrency <= MOST_AT_ONCE:
            raise InputError(f"--concurrency {self.concurrency}: choose from 1 to {MOST_AT_ONCE}")
        try:
            NUMBERS["timeout_s"].read("--timeout", self.timeout)
            for option in ("price_in", "price_out", "price_cached"):
                PRICE.read(f"--{option.replace('_', '-')}", getattr(self, option))
        except ValueError as error:
            raise InputError(str(error)) from None


@cli.group("Execution", 30)
@dataclass(kw_only=True)
class ExecutorArgs:
    """Options of scripts that play matches on several processors."""

    executor: str = "process"
    """Where games are played: "process", in processes on this machine; "ray", on a Ray cluster. The
    results are the same."""
    workers: int | None = None
    """Matches that are computed at once; default one per processor."""
    ray_address: str | None = None
    """Ray cluster to use; default the cluster of this machine, or else a new local one."""

    def executor_options(self) -> dict[str, Any]:
        """The arguments of ``MatchRunner`` that these options are.

        Raises:
            InputError: an unknown executor, no workers, or Ray is not installed.
        """
        if self.executor not in EXECUTORS:
            raise InputError(f"--executor {self.executor!r}: choose from: {', '.join(EXECUTORS)}")
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers {self.workers}: at least 1 is needed")
        if self.ray_address is not None and self.executor != "ray":
            raise InputError("--ray-address: goes with --executor ray")
        if self.executor == "ray":
            from stratagym.benchmarks.harness.workers_ray import import_ray

            try:
                import_ray()
            except ModuleNotFoundError as error:
                raise InputError(str(error)) from None
        return {
            "executor": self.executor,
            "workers": self.workers,
            "ray_address": self.ray_address,
        }


@cli.group("Games and prompts", 10)
@dataclass(kw_only=True)
class MatchArgs(TextArgs, ModelArgs, ExecutorArgs):
    """Options of scripts that let language models play whole games."""

    tries: int = 3
    """Answers that a model may give for one move; a bad answer is quoted to it before it is asked
    again."""
    invalid: str = match_play.FORFEIT
    """After the last bad answer: "forfeit" loses the game, "random" plays a random legal move,
    "fold" or "pass" plays that move in games that have it."""
    time_limit: float | None = 300.0
    """Seconds that a model may take for a move, all its answers together; a later answer counts as
    the last bad one. "none" for no limit."""
    clock: str = match_play.SYNC
    """In games in real time: with "sync" the game waits for a reply; with "tokens:RATE" RATE tokens
    of a reply take one second of the game; with "wall" a reply takes its latency."""
    forfeit: str = END
    """What a forfeit ends in games of more than two sides: with "end", the game; with
    "stand-in:POLICY", only the play of that seat, which POLICY (default random) continues. The
    forfeiter has the last rank."""
    ask_forced: bool = True
    """Ask the model even if only one move is legal. Otherwise that move is played without asking,
    in games whose seats decide in turn, and does not count as a decision of the model."""

    def answer_protocol(self, game: GameSpec, rules: Any = None) -> match_play.AnswerProtocol:
        """How answers are treated in ``game``, under its options in force where ``rules`` has them.

        Raises:
            InputError: an option that makes no sense, or not in this game.
        """
        text = self.text_options(game)
        forfeit = self.forfeit if self.forfeit != STAND_IN else f"{STAND_IN}:{USUAL}"
        protocol = match_play.AnswerProtocol(
            text,
            self.tries,
            self.invalid,
            self.time_limit,
            self.clock,
            ask_forced=self.ask_forced,
            forfeit=forfeit,
        )
        try:
            protocol.check(game, rules)
        except ValueError as error:
            raise InputError(str(error)) from None
        return protocol


@cli.group("Execution", 30)
@dataclass(kw_only=True)
class RunArgs:
    """Options of scripts that leave a run's folder."""

    seed: int = 0
    """Seed of every random choice; the games of all pairings have the same seeds."""
    output: str | None = None
    """Folder of the run; default results/<script>/<time>."""
    resume: bool = False
    """Continue the run in --output, or the newest run."""
    json: bool = False
    """Print the summary as JSON instead of tables."""
