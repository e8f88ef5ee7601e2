"""Board games against players that do not err: the judge of moves, the figures, the report."""
