"""Training with Stable-Baselines3 and what is measured of it."""
