"""Policies: random, search, game knowledge, engines and language models."""
