"""Tiny games that only tests know: plans, talk, decisions at the same time and in real time, tables
of many seats, roles that are dealt and rules that are data.
"""

from stratagym import envs


def register() -> None:
    """Make the games known to this process."""
    from tiny_games import bids, catch, geography, heap, powers, roles, village

    for package in (bids, roles, catch, geography, heap, village, powers):
        envs.register(package.SPEC)
