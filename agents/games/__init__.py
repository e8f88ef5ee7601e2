"""What players know of single games: found by ``hooks``, one module or folder a game."""
