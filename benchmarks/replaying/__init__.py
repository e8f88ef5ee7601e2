"""Recorded games, shown again: in the terminal, as a page, with a judge of the moves."""
