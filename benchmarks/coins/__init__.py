"""Teams of coin game players: their returns, what they took, and the report."""
