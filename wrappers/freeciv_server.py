"""Freeciv's server as a process of ours, on this machine only, with everything fixed by seeds.

Debian and Ubuntu have it: ``apt-get install --no-install-recommends freeciv-server``. It is a
program of its own under the GPL; this module starts it, and ends no other.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagym.wrappers import programs
from stratagym.wrappers.programs import HOST

LEVELS = ("novice", "easy", "normal", "hard", "cheating")
"""The server's own players."""
START_SECONDS = 30.0
NOBODY = 65534
"""The user that it runs as where we are root, which it refuses to be."""
SCENARIOS = "/usr/share/games/freeciv/scenarios", "/usr/share/freeciv/scenarios"
"""Where they are installed."""
INSTALL = "apt-get install --no-install-recommends freeciv-server"


class FreecivError(RuntimeError):
    """The server is not there, is another one, or has gone; what to do, in one line."""


def find_server() -> str:
    """The path of the program. Raises ``FreecivError`` if it is not installed."""
    found = shutil.which("freeciv-server") or shutil.which("freeciv-server", path="/usr/games")
    if found is None:
        raise FreecivError(f"freeciv-server is not installed; on Debian: {INSTALL}")
    return found


def version_of(program: str) -> str:
    """Such as ``3.0.6``. Raises ``FreecivError`` for any but 3.0."""
    told = subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=20, check=False
    )
    match = re.search(r"(\d+\.\d+(?:\.\d+)?)", told.stdout + told.stderr)
    version = match[1] if match else "an unknown version"
    if not version.startswith("3.0"):
        raise FreecivError(f"{program} is {version}; this client speaks the protocol of 3.0")
    return version


@dataclass(frozen=True)
class Setting:
    """How a game on the server is set up.

    Attributes:
        seed: of map and game. turns: after which it ends. size: of the map in thousands of tiles.
        computers: the levels of the server's own players, one each.
        start: units of each player, by the server's letters. more: other server commands.
        scenario: a map of the server's, such as ``france``, ``british-isles`` or ``earth-small``
            (DSGBench's), or a file; without one the map is made by the seed.
    """

    seed: int = 1
    turns: int = 100
    size: int = 1
    computers: tuple[str, ...] = ()
    start: str = "ccwwxdd"
    more: Sequence[str] = ()
    scenario: str = ""

    def commands(self) -> list[str]:
        """What the server reads at its start, in order."""
        settings: Mapping[str, Any] = {
            "minplayers": 0, "aifill": 0, "timeout": 0, "gameseed": self.seed,
            "autotoggle": "disabled", "barbarians": "DISABLED", "startunits": self.start,
            "scorelog": "enabled", "scorefile": "freeciv-score.log", "endturn": self.turns,
            "revolentype": "FIXED", "revolen": 2, "compresstype": "PLAIN", "autosaves": "GAMEOVER",
        }  # fmt: skip
        lines = []
        if not self.scenario:  # which has a map and says which rules are its own
            settings = {
                "mapseed": self.seed, "size": self.size, "topology": '"WRAPX"', "startpos": "ALL",
                **settings,
            }  # fmt: skip
            lines = ["rulesetdir classic"]
        lines = [*lines, *(f"set {name} {value}" for name, value in settings.items())]
        for k, level in enumerate(self.computers):
            lines += [f"create Computer{k}", f"{level} Computer{k}"]
        return [*lines, *self.more, "cmdlevel hack new"]


def find_scenario(name: str) -> Path:
    """The file of a scenario. Raises ``FreecivError`` if there is none of the name."""
    folders = [Path(folder) for folder in SCENARIOS]
    found = [Path(name), *(folder / f"{name}.sav.gz" for folder in folders)]
    for path in found:
        if path.is_file():
            return path.resolve()
    names = sorted({p.name.removesuffix(".sav.gz") for f in folders for p in f.glob("*.sav.gz")})
    raise FreecivError(f"no scenario {name!r}; there are {', '.join(names) or 'none'}")


class Server:
    """A running server. ``close`` ends it; it is a context manager.

    Attributes:
        port: on the loopback interface. folder: its files, such as the log and the scores.
    """

    def __init__(self, setting: Setting = Setting(), port: int | None = None):
        program = find_server()
        version_of(program)
        scenario = find_scenario(setting.scenario) if setting.scenario else None
        try:
            self.port = programs.port_for(port)
        except OSError as error:
            raise FreecivError(str(error)) from None
        self._made = tempfile.TemporaryDirectory(prefix="stratagym-freeciv-")
        self.folder = Path(self._made.name)
        script = self.folder / "game.serv"
        script.write_text("\n".join(setting.commands()) + "\n", encoding="utf-8")
        command = [
            program, "-b", HOST, "-p", str(self.port), "-A", "none", "-e",
            "-l", str(self.log), "-s", str(self.folder), "-r", str(script),
        ]  # fmt: skip
        if scenario is not None:
            command += ["-f", str(scenario)]
        if os.geteuid() == 0:
            for path in (self.folder, script):
                os.chown(path, NOBODY, NOBODY)
            drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            command = [*drop, "env", f"HOME={self.folder}", *command]
        self._process = subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._wait()

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "server.log"

    @property
    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self._process.poll() is None

    def _wait(self) -> None:
        last = time.monotonic() + START_SECONDS
        while time.monotonic() < last:
            if not self.is_running:
                break
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex((HOST, self.port)) == 0:
                    return
            time.sleep(0.1)
        why = self.last_words()
        self.close()
        raise FreecivError(f"freeciv-server did not start: {why}")

    def last_words(self) -> str:
        """The last line of its log."""
        if not self.log.exists():
            return "it wrote no log"
        lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "its log is empty"

    def close(self) -> None:
        """End the process that was started, and no other."""
        programs.end(self._process)
        self._made.cleanup()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
