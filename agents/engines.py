"""Engines as policies, over their own protocols and as processes of their own.

``uci:stockfish?nodes=1000`` is a chess engine that speaks UCI (Universal Chess Interface,
Meyer-Kahlen and Huber 2000). It is graded by nodes on one thread, which is reproducible. An engine
sees the position only: it does not know which positions came before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

import numpy as np

from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.envs import core

GAMES_DIRECTORY = "/usr/games"
"""Where Debian installs engines; it is often not on PATH."""

MATE = 30_000
"""Centipawns that stand for a forced mate; a mate in n moves counts n less."""


def find_engine(name: str) -> str:
    """The path of an engine's program. Raises ``ValueError`` that names the Debian package."""
    path = shutil.which(name) or shutil.which(name, path=GAMES_DIRECTORY)
    if path is None:
        raise ValueError(
            f"engine {name!r} is not installed; on Debian: apt-get install {os.path.basename(name)}"
        )
    return path


class UCIEngine(Policy):
    """A chess engine that speaks UCI.

    Args:
        engine: a program's name or path. nodes: positions searched a move.
        skill: the engine's "Skill Level", or None for full strength.

    Raises:
        ValueError: the engine is not installed.
        RuntimeError: from ``act`` and ``scores``: the engine ended or does not speak UCI.
    """

    def __init__(
        self,
        engine: str = "stockfish",
        nodes: int = 10_000,
        skill: int | None = None,
    ):
        self._process: subprocess.Popen[str] | None = None
        self._identity = ""
        self.path = find_engine(engine)
        self.nodes, self.skill = nodes, skill
        self.name = f"uci:{engine}?nodes={nodes}"
        if skill is not None:
            self.name += f"&skill={skill}"

    def _send(self, line: str) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError(f"{self.name}: not started")
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError(f"{self.name}: the engine has ended") from None

    def _until(self, word: str) -> list[str]:
        """Lines up to and with the first that begins with ``word``."""
        process = self._process
        assert process is not None and process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if line.startswith(word):
                return lines
        raise RuntimeError(f"{self.name}: the engine ended before it said {word!r}")

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._process = subprocess.Popen(
            [self.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self._send("uci")
        for line in self._until("uciok"):
            if line.startswith("id name "):
                self._identity = line.removeprefix("id name ")
        self._send("setoption name Threads value 1")
        if self.skill is not None:
            self._send(f"setoption name Skill Level value {self.skill}")

    def _search(self, decision: Decision, lines: int) -> list[str]:
        """What the engine says about the position, with the ``lines`` best moves."""
        notation = decision.spec.module("notation")
        self._start()
        self._send(f"setoption name MultiPV value {lines}")
        # An empty hash makes a search depend on its position alone.
        self._send("ucinewgame")
        self._send("isready")
        self._until("readyok")
        self._send(f"position fen {notation.fen(decision.states[0])}")
        self._send(f"go nodes {self.nodes * lines}")
        return self._until("bestmove")

    def act(self, decision: Decision) -> int:
        move = self._search(decision, 1)[-1].split()[1]
        return int(decision.spec.module("notation").parse_uci(decision.states[0], move))

    def scores(self, decision: Decision) -> tuple[np.ndarray, np.ndarray]:
        """(legal actions, centipawns for the side to move) of all legal moves, in one search.

        ``nodes`` are spent for every move on average.
        """
        notation = decision.spec.module("notation")
        found: dict[int, float] = {}
        for line in self._search(decision, len(decision.legal)):
            words = line.split()
            if "multipv" not in words or "pv" not in words:
                continue
            kind, value = words[words.index("score") + 1 : words.index("score") + 3]
            score = float(value)
            if kind == "mate":
                score = MATE - score if score > 0 else -MATE - score
            found[int(notation.parse_uci(decision.states[0], words[words.index("pv") + 1]))] = score
        actions = np.array(sorted(found), np.int64)
        return actions, np.array([found[action] for action in actions.tolist()])

    def identity(self) -> str:
        """What the engine calls itself, its version included; empty if it does not say."""
        self._start()
        return self._identity

    def close(self) -> None:
        """End the engine's process."""
        if self._process is not None and self._process.poll() is None:
            self._send("quit")
            self._process.wait(timeout=5)
        self._process = None

    def __del__(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()


def uci_policy(spec: core.GameSpec, text: PolicyString) -> UCIEngine:
    """``uci:ENGINE?nodes=N&skill=K``.

    Raises:
        ValueError: not chess, a bad option, or an engine that is not installed, in one line.
    """
    if spec.name != "chess":
        raise ValueError(f"policy uci: UCI engines play chess, not {spec.name}")
    options: dict[str, Any] = dict(text.options)
    if set(options) - {"nodes", "skill"}:
        raise ValueError("policy uci: unknown option; the options are: nodes, skill")
    try:
        nodes = int(options.get("nodes", 10_000))
        skill = int(options["skill"]) if "skill" in options else None
        if nodes < 1 or (skill is not None and not 0 <= skill <= 20):
            raise ValueError
    except ValueError:
        raise ValueError("policy uci: nodes at least 1 and skill 0 to 20 are needed") from None
    return UCIEngine(text.argument or "stockfish", nodes, skill)
