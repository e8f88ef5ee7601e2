"""Tournaments: what they come to, and their report."""
