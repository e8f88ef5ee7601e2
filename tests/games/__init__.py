"""Tiny games that only tests know: plans, talk, decisions at the same time and in real time, tables
of many seats, roles that are dealt and rules that are data.
"""

from stratagym import envs


def register() -> tuple[str, ...]:
    """Make the games known to this process; returns their names."""
    from games import bids, catch, geography, heap, powers, roles, village

    specs = [p.SPEC for p in (bids, roles, catch, geography, heap, village, powers)]
    for game in specs:
        envs.register(game)
    return tuple(game.name for game in specs)
