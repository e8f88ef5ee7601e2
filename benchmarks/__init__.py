"""Scripts that pair environments and policies: ``python -m benchmarks.<name> --help``."""

import sys

if sys.argv[0] == "-m" and sys.stderr.isatty():
    # A script is on its way in, and what it imports takes seconds on a slow machine.
    print("stratagym: loading ...", end="\r", file=sys.stderr, flush=True)
