"""Tiny games that only tests know: plans, talk, decisions at the same time and in real time."""

from stratagym import envs


def register() -> None:
    """Make the games known to this process."""
    from games import bids, catch, powers, roles

    for package in (bids, roles, catch, powers):
        envs.register(package.SPEC)
