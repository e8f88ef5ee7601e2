"""Writes tests/golden/<game>.txt:  python tests/golden/record.py [GAME ...], default all games."""

import sys
from pathlib import Path

from stratagym.testing import golden

if __name__ == "__main__":
    sys.exit(golden.main(["--folder", str(Path(__file__).parent), *sys.argv[1:]]))
