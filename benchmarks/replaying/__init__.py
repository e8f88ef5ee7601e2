"""Pages that replay a recorded game."""
