"""Hanabi in teams: metrics and report."""
