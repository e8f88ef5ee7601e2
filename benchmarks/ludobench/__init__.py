"""LudoBench: spots, metrics and figures behind ``python -m benchmarks.ludo_spots``."""
