"""``python -m benchmarks``: the list of commands; ``python -m benchmarks.COMMAND`` runs one."""

from stratagym.benchmarks.harness.commands import main

if __name__ == "__main__":
    main("python -m benchmarks", "python -m benchmarks.")
