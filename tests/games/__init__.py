"""Tiny games that only tests know: plans, talk, rules that are data,
decisions at the same time and in real time.
"""

from stratagym import envs


def register() -> None:
    """Make the games known to this process."""
    from games import bids, catch, geography, roles

    for package in (bids, roles, catch, geography):
        envs.register(package.SPEC)
