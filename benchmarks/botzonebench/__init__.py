"""BotzoneBench: its eight games, its tables and figures, and what its paper printed."""
