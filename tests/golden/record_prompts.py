"""Keep the prompts and readings of replies of a version that is known to be right.

    PYTHON tests/golden/record_prompts.py [GAME ...]

PYTHON is the interpreter of an environment that has that version, for these files 0.1. Writes
``tests/golden/prompts/GAME.json.gz``, by default of all games.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import golden_prompts as golden


def main() -> None:
    for game in sys.argv[1:] or golden.GAMES:
        cases = golden.cases(game)
        content = [{**case, **golden.asked(game, case)} for case in cases]
        # Of early, middle and late positions, one of them renamed.
        for k in (0, 4, 7, 16):
            content[k]["verdicts"] = golden.verdicts(game, cases[k])
        size = golden.save(golden.FOLDER / f"{game}.json.gz", content)
        print(f"{game}: {len(content)} positions, {size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
