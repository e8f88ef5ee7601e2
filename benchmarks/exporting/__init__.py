"""Records turned into the tables that other tools read."""
