"""What a player of Werewolf knows of the others' roles, and what follows from what all know."""

from __future__ import annotations

from numba import njit

from stratagym.envs.werewolf.state import (
    ALPHA,
    AT_KILLER,
    DOCTOR,
    KILLED,
    LIVING,
    NOBODY,
    RUNNING,
    SEER,
    SHOT,
    VILLAGER,
    WOLF,
    dead_before,
    has,
    is_peace,
    killed_at,
    seen_as,
    size,
)


@njit(cache=True)
def last_night(s):
    """The last night that is over."""
    return s.day - 1 if s.phase <= AT_KILLER and s.winner == RUNNING else s.day


@njit(cache=True)
def is_told_tonight(s, player):
    """Whether a player hears what the pack says and does in the running night."""
    return has(s.wolves, player) and has(s.alive, player)


@njit(cache=True)
def knows_target(s, player, night):
    """Whether a player was told whom the pack chose in a night that is over."""
    return has(s.wolves, player) and not dead_before(s, player, night)


@njit(cache=True)
def seen(rules, s, player, seat):
    """The role that a seer has seen a seat to have; NOBODY if it has not looked."""
    if s.role[player] == SEER:
        for night in range(1, last_night(s) + 1):
            if s.check[night] == seat:
                return seen_as(rules, s.role[seat])
    return NOBODY


@njit(cache=True)
def known_role(rules, s, player, seat):
    """The role that a player knows a seat to have; NOBODY if it does not."""
    role = s.role[seat]
    if seat == player or s.winner != RUNNING or has(s.revealed, seat):
        return role
    if has(s.wolves, player) and has(s.wolves, seat):
        return role
    found = seen(rules, s, player, seat)
    if found == WOLF or (found != NOBODY and found != VILLAGER and rules.seer == 0):
        return role
    if found == VILLAGER and rules.seer == 0 and not rules.alpha:
        return role
    return NOBODY


@njit(cache=True)
def _is_cleared(rules, s, player, seat):
    """Whether a seat of unknown role died as no wolf can, or was seen to be none."""
    if s.fate[seat] == KILLED and not rules.killer:
        return True
    return not rules.alpha and seen(rules, s, player, seat) == VILLAGER


@njit(cache=True)
def known_sides(rules, s, player):
    """Two sets, of those that a player knows for wolves and of those that it knows for none."""
    wolves, others = 0, 0
    for seat in range(rules.num_players):
        role = known_role(rules, s, player, seat)
        if role == WOLF or role == ALPHA:
            wolves |= 1 << seat
        elif role != NOBODY or has(s.wolves, player) or _is_cleared(rules, s, player, seat):
            others |= 1 << seat
    if s.role[player] == DOCTOR and not rules.killer:
        for night in range(1, last_night(s) + 1):
            ward = s.ward[night]
            if ward != NOBODY and not is_peace(rules, night) and killed_at(rules, s, night) == 0:
                others |= 1 << ward
    return wolves, others


@njit(cache=True)
def living_wolves(rules, s):
    """The least and the most wolves that may live, by what all know."""
    gone, doubtful = 0, 0
    for seat in range(rules.num_players):
        if s.fate[seat] == LIVING:
            continue
        if has(s.revealed, seat) or s.winner != RUNNING:
            gone += has(s.wolves, seat)
        elif s.fate[seat] != KILLED or rules.killer:
            doubtful += 1
    least, most = rules.wolves - gone - doubtful, rules.wolves - gone
    if not rules.killer and s.winner == RUNNING:
        least = max(1, least)
        if s.phase != SHOT:
            most = min(most, (size(s.alive) - 1) // 2)
    return max(0, least), most
