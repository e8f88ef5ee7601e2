"""Engines that speak GTP, the Go Text Protocol (Farnebäck 2002), as policies.

``gtp:gtp-rhino?level=2`` is Debian's Rhino at a level of its own, ``gtp:gnugo?level=5`` is GNU Go.
A game that engines play has a module ``gtp``: ``COLOURS``, ``why_not(rules)``, ``setup(rules, s)``
and ``vertex(rules, action)``, as in ``envs/reversi/gtp.py``. An engine is given the position before
every move.
"""

from __future__ import annotations

from stratagym.agents.core import Decision, PolicyString
from stratagym.agents.engines import TIMEOUT_S, Engine, find_engine, timeout_of
from stratagym.envs import core

ARGUMENTS = {
    "gtp-rhino": ("-b", "0", "-r", "0", "-l", "{level}"),
    "gnugo": (
        "--mode", "gtp", "--level", "{level}", "--seed", "1", "--chinese-rules",
        "--positional-superko", "--never-resign", "--capture-all-dead",
    ),
}  # fmt: skip
"""What is said to a program, besides its name: no opening book and no chance, and the level.

GNU Go counts areas, and takes all dead stones off before it passes.
"""
LEVELS = {"gnugo": (0, 10)}
"""The lowest and the highest level of a program, where they are not 1 and ``MAX_LEVEL``."""
MAX_LEVEL = 99


class GTPEngine(Engine):
    """An engine that speaks GTP.

    Args:
        spec: the game. engine: a program's name or path.
        level: as the engine counts them, where it takes one.

    Raises:
        ValueError: the engine is not installed, or the game has no words of the protocol.
        PolicyFault: from ``act`` and ``identity``; from ``act`` too where the engine does not
            know the game's rules.
    """

    def __init__(
        self, spec: core.GameSpec, engine: str, level: int = 1, timeout_s: float = TIMEOUT_S
    ):
        words = spec.optional_module("gtp")
        if words is None:
            raise ValueError(f"policy gtp: {spec.name} has no words of the protocol")
        self.words = words
        told = [part.format(level=level) for part in ARGUMENTS.get(engine, ())]
        super().__init__([find_engine(engine), *told], timeout_s)
        self.name = f"gtp:{engine}?level={level}{self._timeout_word}"

    def _greet(self) -> None:
        self._identity = f"{self._ask('name')} {self._ask('version')}"[:100]

    def _ask(self, command: str) -> str:
        """The answer to a command, without the sign that begins it."""
        self._send(command)
        answer = " ".join(self._until("")).strip()
        if not answer.startswith("="):
            raise self._fault(f"answers {answer[:80]!r} to {command.split()[0]!r}")
        return answer[1:].strip()

    def act(self, decision: Decision) -> int:
        rules, s = decision.rules, decision.states[0]
        if why := self.words.why_not(rules):
            raise self._fault(f"cannot play: {why}")
        if len(decision.legal) == 1:
            return int(decision.legal[0])  # engines disagree about how to be told of passes
        self._start()
        for command in self.words.setup(rules, s):
            self._ask(command)
        move = self._ask(f"genmove {self.words.COLOURS[decision.seat]}").lower()
        if move == "resign":
            raise self._fault("resigns")
        for action in decision.legal.tolist():
            if self.words.vertex(rules, action).lower() == move:
                return int(action)
        raise self._fault(f"plays {move[:20]!r}, which is no legal move")


def gtp_policy(spec: core.GameSpec, text: PolicyString) -> GTPEngine:
    """``gtp:ENGINE?level=N&timeout_s=SECONDS``.

    Raises:
        ValueError: a game without the protocol, a bad option, an engine that is not installed.
    """
    if set(text.options) - {"level", "timeout_s"} or not text.argument:
        raise ValueError("policy gtp: write gtp:ENGINE?level=N&timeout_s=SECONDS")
    lowest, highest = LEVELS.get(text.argument, (1, MAX_LEVEL))
    try:
        level = int(text.options.get("level", 1))
        timeout_s = timeout_of(text.options)
        if not lowest <= level <= highest:
            raise ValueError
    except ValueError:
        raise ValueError(
            f"policy gtp: a level of {lowest} to {highest} and seconds of timeout_s are needed"
        ) from None
    return GTPEngine(spec, text.argument, level, timeout_s)
