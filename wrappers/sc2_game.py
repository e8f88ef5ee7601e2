"""StarCraft II as a process of ours, and how a game on it is set up.

The game is a program of its own under Blizzard's terms: from Battle.net, or for Linux Blizzard's
packages of github.com/Blizzard/s2client-proto. This module starts it where it is installed, and
ends no other process.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagym.envs import spec
from stratagym.wrappers import programs
from stratagym.wrappers.programs import HOST

GAME = spec("starcraft")
DIFFICULTIES = (
    "VeryEasy", "Easy", "Medium", "MediumHard", "Hard", "Harder", "VeryHard", "CheatVision",
    "CheatMoney", "CheatInsane",
)  # fmt: skip
BUILDS = "RandomBuild", "Rush", "Timing", "Power", "Macro", "Air"
"""The game's own players."""
OLDEST_BUILD = 55958
"""Of 3.16.1, the first version whose protocol is spoken here."""
FOLDERS = {
    "Linux": "~/StarCraftII",
    "Darwin": "/Applications/StarCraft II",
    "Windows": "C:/Program Files (x86)/StarCraft II",
}
PROGRAMS = {
    "Linux": "SC2_x64", "Darwin": "SC2.app/Contents/MacOS/SC2", "Windows": "SC2_x64.exe",
}  # fmt: skip
INSTALL = (
    "install it and name its folder by SC2PATH; for Linux: "
    "github.com/Blizzard/s2client-proto#downloads"
)


class Sc2Error(RuntimeError):
    """The game is not there, is another version, refuses or has gone; in one line."""


@dataclass(frozen=True)
class Setting:
    """How a game is set up.

    Attributes:
        seed: of the game. minutes, decision_ticks, defend: as the options of ``starcraft``.
        map: a file of the game's folder Maps, with or without ``.SC2Map``. difficulty, build: of
            the game's own player. address: ``HOST:PORT`` of a running game to attach to; without
            one the game is started. port: for the started one; None takes a free one.
            seconds: the longest that an answer is waited for. start_seconds: that a start is.
    """

    seed: int = 1
    minutes: int = 30
    decision_ticks: int = 45
    defend: str = "auto"
    map: str = "Ancient Cistern LE"
    difficulty: str = "Medium"
    build: str = "Macro"
    address: str | None = None
    port: int | None = None
    seconds: float = 60.0
    start_seconds: float = 180.0

    def __post_init__(self) -> None:
        for value, known in ((self.difficulty, DIFFICULTIES), (self.build, BUILDS)):
            if value not in known:
                raise ValueError(f"unknown {value!r}; the choices are {', '.join(known)}")
        if self.address is not None and not re.fullmatch(r"[^:/\s]+:\d{1,5}", self.address):
            raise ValueError(f"an address is HOST:PORT, not {self.address!r}")

    def rules(self) -> Any:
        """Rules of ``starcraft``. Raises ``ValueError`` in one line for what it has not."""
        names = "minutes", "decision_ticks", "defend"
        return GAME.make_rules(**{name: getattr(self, name) for name in names})

    @property
    def map_file(self) -> str:
        """Relative to the game's folder Maps."""
        return self.map if self.map.endswith(".SC2Map") else f"{self.map}.SC2Map"


def find_game() -> tuple[Path, Path]:
    """The program of the newest version, and the folder that the game is installed in.

    Raises:
        Sc2Error: none is installed, or it is too old.
    """
    system = platform.system()
    folder = Path(os.environ.get("SC2PATH") or FOLDERS.get(system, "")).expanduser()
    builds = {}
    for path in (folder / "Versions").glob("Base*"):
        if re.fullmatch(r"Base\d+", path.name) and (path / PROGRAMS.get(system, "-")).exists():
            builds[int(path.name[4:])] = path / PROGRAMS[system]
    if not builds:
        raise Sc2Error(f"StarCraft II is not installed in {folder}; {INSTALL}")
    newest = max(builds)
    if newest < OLDEST_BUILD:
        raise Sc2Error(f"StarCraft II in {folder} is build {newest}; 3.16.1 or newer is needed")
    return builds[newest], folder


class Program:
    """The running game. ``close`` ends it.

    Attributes:
        port: on the loopback interface, where it listens when it has started.
    """

    def __init__(self, port: int | None = None):
        program, folder = find_game()
        try:
            self.port = programs.port_for(port)
        except OSError as error:
            raise Sc2Error(str(error)) from None
        self._made = tempfile.TemporaryDirectory(prefix="stratagym-sc2-")
        command = [
            str(program), "-listen", HOST, "-port", str(self.port), "-dataDir", str(folder),
            "-tempDir", self._made.name, "-displayMode", "0", "-verbose",
        ]  # fmt: skip
        support = folder / "Support64"
        try:
            self._process = subprocess.Popen(
                command, cwd=support if support.exists() else None, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._made.cleanup()
            raise Sc2Error(f"StarCraft II does not start: {error}") from None

    @property
    def exit_code(self) -> int | None:
        """None while the process runs."""
        return self._process.poll()

    def close(self) -> None:
        """End the process that was started, and no other."""
        programs.end(self._process)
        self._made.cleanup()
