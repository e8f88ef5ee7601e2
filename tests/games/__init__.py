"""Tiny games that only tests know: plans, talk, decisions at the same time and in real time, tables
of many seats and roles that are dealt.
"""

from stratagym import envs


def register() -> None:
    """Make the games known to this process."""
    from games import bids, catch, heap, powers, roles, village

    for package in (bids, roles, catch, heap, village, powers):
        envs.register(package.SPEC)
