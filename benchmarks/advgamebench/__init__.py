"""AdvGameBench: plans under a budget, and how a player revises them."""
