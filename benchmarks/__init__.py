"""Scripts that pair environments and policies: ``python -m benchmarks.<name> --help``."""
