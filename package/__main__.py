"""``python -m stratagym``: the list of commands; ``python -m stratagym COMMAND`` runs one."""

from stratagym.benchmarks.harness.commands import main

if __name__ == "__main__":
    main("python -m stratagym", "python -m stratagym ")
