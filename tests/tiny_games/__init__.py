"""Tiny games that only tests know: plans, talk, decisions at the same time and in real time, tables
of many seats, roles that are dealt and rules that are data.
"""

from stratagym import envs


def register() -> set[str]:
    """Make the games known to this process; their names."""
    from tiny_games import bids, catch, geography, heap, powers, roles, village

    specs = [package.SPEC for package in (bids, roles, catch, geography, heap, village, powers)]
    for spec in specs:
        envs.register(spec)
    return {spec.name for spec in specs}
