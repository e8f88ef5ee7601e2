"""MicroRTS, a small real-time strategy game in Java, called from Python through JPype.

Its jar is in the PyPI package ``gym-microrts``, whose Python half asks for a Gym that is gone and
is not used. Calls and names are those of https://github.com/Farama-Foundation/MicroRTS.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from stratagym.benchmarks.harness.measuring import Episode

MAP, FRAMES = "maps/16x16/basesWorkers16x16.xml", 4000
"""The map and the length of a game in the competition on 16 x 16."""


def random_games(game: str) -> Episode:
    """Whole games of two ``RandomAI``, counted by the frames in which a player had a unit to order.

    Raises:
        ImportError: JPype1, gym-microrts or Java is not there.
    """
    found = find_spec("gym_microrts")
    if find_spec("jpype") is None or found is None or not found.submodule_search_locations:
        raise ImportError("pip install JPype1, and pip install --no-deps gym-microrts")
    import jpype

    folder = Path(next(iter(found.submodule_search_locations))) / "microrts"
    try:
        jpype.startJVM("-XX:+UseSerialGC", classpath=[folder / "microrts.jar", folder / "lib/*"])
    except jpype.JVMNotFoundException as error:
        raise ImportError("Java is needed") from error
    types = jpype.JClass("rts.units.UnitTypeTable")()
    states, boards, player_of = map(
        jpype.JClass, ("rts.GameState", "rts.PhysicalGameState", "ai.RandomAI")
    )
    players = [player_of(types), player_of(types)]

    def episode() -> int:
        state = states(boards.load(str(folder / MAP), types), types)
        decisions = 0
        for _ in range(FRAMES):
            for seat, player in enumerate(players):
                if state.canExecuteAnyAction(seat):
                    state.issueSafe(player.getAction(seat, state))
                    decisions += 1
            if state.cycle():
                break
        return decisions

    return episode
