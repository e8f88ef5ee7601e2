"""What a player of Werewolf cannot know, drawn anew: roles, the choices of nights, hidden commits.

Roles are uniform over all that agree with what the player knows: its own role, its pack, what it
has seen, roles that all were shown, the deaths of every night, which some choices of the pack, the
doctor and the killer must explain, and that the game went on. What was said is no fact. Then the
choices of each night are uniform over those that explain its deaths.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import random_below
from stratagym.envs.werewolf.ballots import TRIES, draw_commits, draw_pack, draw_votes
from stratagym.envs.werewolf.knowledge import (
    is_told_tonight,
    known_role,
    known_sides,
    knows_target,
    last_night,
    seen,
)
from stratagym.envs.werewolf.state import (
    ALPHA,
    AT_DOCTOR,
    AT_KILLER,
    AT_SEER,
    BID,
    DOCTOR,
    EXILED,
    HUNTER,
    JESTER,
    KILLED,
    KILLER,
    NOBODY,
    NOT_TWICE,
    RUNNING,
    SEER,
    SHOT,
    SHOT_AT_DAWN,
    VILLAGER,
    VOTE,
    WOLF,
    WOLVES,
    any_of,
    first_of,
    has,
    has_acted_tonight,
    is_peace,
    killed_at,
    living_at,
    next_of,
    seat_of,
    seen_as,
    size,
    unchecked,
    wards,
)


@njit(cache=True)
def determinize(rules, s, player):
    if s.winner != RUNNING:
        return
    own = _own_phase(rules, s, player)
    acted = own != NOBODY and s.player != player and _has_chosen(s, player, own)
    _draw_roles(rules, s, player, own, acted)
    if own != AT_SEER and s.phase <= AT_KILLER:
        s.check[s.day] = NOBODY
    for _ in range(TRIES):
        for night in range(1, last_night(s) + 1):
            _draw_night(rules, s, player, night)
        if not _is_guessed(s, player) or _phases(rules, s, player, own, acted, True):
            break
    if s.phase <= AT_KILLER:
        _draw_tonight(rules, s, player, own, acted)
    elif s.phase == VOTE or s.phase == BID:
        draw_commits(rules, s, player)
    if rules.secret:
        for day in range(1, s.day + 1):
            draw_votes(rules, s, player, day)


# --- roles ---------------------------------------------------------------------------------------


@njit(cache=True)
def _own_phase(rules, s, player):
    """The phase of the running night in which a player chooses; NOBODY if in none.

    A wolf that may still be drawn to kill for the pack has none either.
    """
    if s.phase > AT_KILLER or not has(s.alive, player):
        return NOBODY
    role = s.role[player]
    if role == SEER:
        without = s.check[s.day]
        if without != NOBODY or unchecked(rules, s, player):
            return AT_SEER
    if is_peace(rules, np.int64(s.day)):
        return NOBODY
    if has(s.wolves, player) and (not rules.one or s.wolf == player):
        return WOLVES
    return AT_DOCTOR if role == DOCTOR else AT_KILLER if role == KILLER else NOBODY


@njit(cache=True)
def _is_guessed(s, player):
    """Whether the player does not know where the running night stands."""
    if s.phase > AT_KILLER or s.player == player:
        return False
    return s.phase != WOLVES or s.wolf != NOBODY or not is_told_tonight(s, player)


@njit(cache=True)
def _has_chosen(s, player, own):
    return s.phase > WOLVES if own == WOLVES else has_acted_tonight(s, player)


@njit(cache=True)
def _draw_roles(rules, s, player, own, acted):
    n = rules.num_players
    unknown, shown_villager = 0, 0
    _, others = known_sides(rules, s, player)
    wolves = alphas = seers = doctors = hunters = jesters = killers = 0
    for seat in range(n):
        if known_role(rules, s, player, seat) == NOBODY:
            unknown |= 1 << seat
            role = s.role[seat]
            wolves += role == WOLF or role == ALPHA
            alphas += role == ALPHA
            seers += role == SEER
            doctors += role == DOCTOR
            hunters += role == HUNTER
            jesters += role == JESTER
            killers += role == KILLER
        if seen(rules, s, player, seat) == VILLAGER:
            shown_villager |= 1 << seat
    known_wolves = s.wolves & ~unknown
    for _ in range(TRIES):
        drawn = draw_pack(s, unknown & ~others, wolves)
        s.wolves = known_wolves | drawn
        alpha = any_of(s, drawn) if alphas else NOBODY
        seer, doctor, hunter, jester, killer = seers, doctors, hunters, jesters, killers
        left = size(unknown & ~drawn)
        seat = first_of(unknown) if unknown else NOBODY
        while seat != NOBODY:
            if has(drawn, seat):
                s.role[seat] = ALPHA if seat == alpha else WOLF
            else:
                k = random_below(s, left)
                left -= 1
                if k < seer:
                    s.role[seat] = SEER
                    seer -= 1
                elif k < seer + doctor:
                    s.role[seat] = DOCTOR
                    doctor -= 1
                elif k < seer + doctor + hunter:
                    s.role[seat] = HUNTER
                    hunter -= 1
                elif k < seer + doctor + hunter + jester:
                    s.role[seat] = JESTER
                    jester -= 1
                elif k < seer + doctor + hunter + jester + killer:
                    s.role[seat] = KILLER
                    killer -= 1
                else:
                    s.role[seat] = VILLAGER
            seat = next_of(unknown, seat)
        if _agrees(rules, s, player, shown_villager, own, acted):
            return


@njit(cache=True)
def _agrees(rules, s, player, shown_villager, own, acted):
    """Whether the drawn roles agree with what the player knows."""
    for seat in range(rules.num_players):
        role = s.role[seat]
        if has(shown_villager, seat) and seen_as(rules, role) != VILLAGER:
            return False
        if not has(s.revealed, seat):
            fate = s.fate[seat]
            if role == HUNTER and (fate == EXILED or (fate == KILLED and rules.hunter_night)):
                return False
            if role == JESTER and fate == EXILED:
                return False
    killer, doctor = seat_of(rules, s, KILLER), seat_of(rules, s, DOCTOR)
    over = last_night(s)
    for night in range(1, over + 1):
        if not _is_explained(rules, s, player, night, doctor, killer):
            return False
        # The check at dawn is not made yet while a hunter shoots.
        if night < s.day or not (s.phase == SHOT and s.fate[s.player] == KILLED):
            living = living_at(rules, s, night) & ~killed_at(rules, s, night)
            for seat in range(rules.num_players):
                if s.fate[seat] == SHOT_AT_DAWN and s.fate_day[seat] == night:
                    living &= ~(1 << seat)
            if _is_decided(s, living, killer):
                return False
        if night < s.day and _is_decided(s, living_at(rules, s, night + 1), killer):
            return False
    return not _is_guessed(s, player) or _phases(rules, s, player, own, acted, False) != 0


@njit(cache=True)
def _is_decided(s, living, killer):
    """Whether the game is over where a set of seats lives."""
    if killer != NOBODY and has(living, killer):
        return size(living) <= 2
    pack = size(living & s.wolves)
    return pack == 0 or 2 * pack >= size(living)


# --- nights that are over ------------------------------------------------------------------------


@njit(cache=True)
def _targets(rules, s, player, night, living):
    """The set of those whom the pack may have chosen; empty where it did not choose."""
    if is_peace(rules, night) or not living & s.wolves:
        return 0
    return 1 << s.target[night] if knows_target(s, player, night) else living & ~s.wolves


@njit(cache=True)
def _victims(rules, s, player, night, living, killer):
    """The same of the killer."""
    if is_peace(rules, night) or killer == NOBODY or not has(living, killer):
        return 0
    return 1 << s.choice[night] if killer == player else living & ~(1 << killer)


@njit(cache=True)
def _protected(rules, s, player, night, living, doctor):
    """The set of those whom the doctor may have protected; empty where it did not choose."""
    if is_peace(rules, night) or doctor == NOBODY or not has(living, doctor):
        return 0
    if doctor == player:
        return 1 << s.ward[night]
    return wards(rules, np.int64(doctor), np.int64(living), np.int64(NOBODY))


@njit(cache=True)
def _is_explained(rules, s, player, night, doctor, killer):
    """Whether some choices give the deaths of a night."""
    living, dead = living_at(rules, s, night), killed_at(rules, s, night)
    pack = _targets(rules, s, player, night, living)
    other = _victims(rules, s, player, night, living, killer)
    ward = _protected(rules, s, player, night, living, doctor)
    no_doctor = ward == 0
    deaths = size(dead)
    if not pack or not other:
        attacked = pack | other
        if deaths == 0:
            return attacked == 0 or attacked & ward != 0
        return deaths == 1 and dead & attacked != 0 and (no_doctor or ward & ~dead != 0)
    if deaths == 0:
        return pack & other & ward != 0
    spared = no_doctor or ward & ~dead != 0
    by_pack, by_other = dead & pack != 0, dead & other != 0
    if deaths == 1:
        if by_pack and by_other and spared:
            return True
        if by_pack and other & ward & ~dead != 0:
            return True
        return by_other and pack & ward & ~dead != 0
    one = dead & -dead
    two = dead & ~one
    straight = one & pack != 0 and two & other != 0
    return spared and (straight or (two & pack != 0 and one & other != 0))


@njit(cache=True)
def _ways(target, victim, ward, no_doctor, dead):
    """How many wards explain a night's deaths, with these choices of pack and killer."""
    attacked = 0
    if target != NOBODY:
        attacked |= 1 << target
    if victim != NOBODY:
        attacked |= 1 << victim
    if attacked == dead:
        return 1 if no_doctor else size(ward & ~attacked)
    saved = attacked & ~dead
    return 1 if dead & ~attacked == 0 and size(saved) == 1 and saved & ward else 0


@njit(cache=True)
def _draw_night(rules, s, player, night):
    """Draw the choices of a night that is over."""
    living, dead = living_at(rules, s, night), killed_at(rules, s, night)
    doctor, killer = seat_of(rules, s, DOCTOR), seat_of(rules, s, KILLER)
    pack = _targets(rules, s, player, night, living)
    other = _victims(rules, s, player, night, living, killer)
    ward = _protected(rules, s, player, night, living, doctor)
    no_doctor = ward == 0
    if rules.doctor == NOT_TWICE and doctor != player and not no_doctor:
        ward = wards(rules, np.int64(doctor), np.int64(ward), np.int64(s.ward[night - 1]))
        if night < last_night(s) and killed_at(rules, s, night + 1) == 0:
            # Who was saved in the night after was protected by no means in this one.
            if knows_target(s, player, night + 1) and s.target[night + 1] != NOBODY:
                ward &= ~(1 << s.target[night + 1])
            elif killer == player and s.choice[night + 1] != NOBODY:
                ward &= ~(1 << s.choice[night + 1])
    total, chosen = 0, -1
    target = victim = saved = NOBODY
    for turn in range(2):
        if turn == 1:
            chosen = random_below(s, total) if total > 0 else -1
        left = chosen
        t = first_of(pack) if pack else NOBODY
        while True:
            k = first_of(other) if other else NOBODY
            while True:
                ways = _ways(t, k, ward, no_doctor, dead)
                if turn == 0:
                    total += ways
                elif 0 <= left < ways:
                    target, victim, saved = t, k, _ward(t, k, ward, no_doctor, dead, left)
                    left = -1
                elif left >= 0:
                    left -= ways
                k = next_of(other, k) if k != NOBODY else NOBODY
                if k == NOBODY:
                    break
            t = next_of(pack, t) if t != NOBODY else NOBODY
            if t == NOBODY:
                break
    s.target[night] = target
    s.choice[night] = victim
    s.ward[night] = saved
    seer = seat_of(rules, s, SEER)
    if seer != player and seer != NOBODY:
        found = 0
        if has(living, seer):
            found = living & ~(1 << seer)
            for earlier in range(1, night):
                if s.check[earlier] != NOBODY:
                    found &= ~(1 << s.check[earlier])
        s.check[night] = any_of(s, found) if found else NOBODY


@njit(cache=True)
def _ward(target, victim, ward, no_doctor, dead, k):
    """The ward number ``k`` of those that ``_ways`` counts."""
    if no_doctor:
        return NOBODY
    attacked = 0
    if target != NOBODY:
        attacked |= 1 << target
    if victim != NOBODY:
        attacked |= 1 << victim
    if attacked != dead:
        return first_of(attacked & ~dead)
    ward &= ~attacked
    while k > 0:
        ward &= ward - 1
        k -= 1
    return first_of(ward)


# --- the running night ---------------------------------------------------------------------------


@njit(cache=True)
def _phases(rules, s, player, own, acted, is_drawn):
    """The phases in which the night may be, as bits, for a player that is not to move.

    ``is_drawn`` tells that the checks of the nights before are drawn for the drawn roles.
    """
    found, peace = 0, is_peace(rules, np.int64(s.day))
    pack = s.alive & s.wolves
    if rules.one:
        pack &= ~(1 << player)
    if pack and not peace and not (is_told_tonight(s, player) and not rules.one):
        found |= 1 << WOLVES
    doctor, seer, killer = (
        seat_of(rules, s, DOCTOR),
        seat_of(rules, s, SEER),
        seat_of(rules, s, KILLER),
    )
    if doctor != NOBODY and has(s.alive, doctor) and not peace:
        found |= 1 << AT_DOCTOR
    is_there = seer != NOBODY and has(s.alive, seer) and seer != player
    if is_there and (unchecked(rules, s, seer) != 0 if is_drawn else s.day < rules.num_players):
        found |= 1 << AT_SEER
    if killer != NOBODY and has(s.alive, killer) and not peace:
        found |= 1 << AT_KILLER
    if own != NOBODY:
        found &= ~(1 << own)
        before = (1 << own) - 1
        found &= ~before if acted else before
    return found


@njit(cache=True)
def _draw_tonight(rules, s, player, own, acted):
    """Draw where the night stands, unless it is the player's own move, and the choices so far."""
    day, phase, pack = s.day, s.phase, s.alive & s.wolves
    told = is_told_tonight(s, player) and not rules.one
    if told and phase == WOLVES:
        return  # the pack knows all that has happened
    moves = s.player == player
    if not moves:
        found = _phases(rules, s, player, own, acted, True)
        phase = any_of(s, found) if found else phase
    keeps_target = told or (own == WOLVES and acted)
    if not keeps_target and not (moves and phase == WOLVES):
        s.target[day] = NOBODY
        s.wolf = NOBODY
        s.pack_round = 0
        for seat in range(rules.num_players):
            s.names[0, seat] = NOBODY
            s.names[1, seat] = NOBODY
        if pack and not is_peace(rules, np.int64(day)):
            _draw_pack_choice(rules, s, player, phase)
    if own != AT_DOCTOR:
        doctor = seat_of(rules, s, DOCTOR)
        s.ward[day] = NOBODY
        is_there = doctor != NOBODY and has(s.alive, doctor) and not is_peace(rules, np.int64(day))
        if phase > AT_DOCTOR and is_there:
            before = np.int64(s.ward[day - 1])
            s.ward[day] = any_of(s, wards(rules, np.int64(doctor), np.int64(s.alive), before))
    if own != AT_SEER:
        seer = seat_of(rules, s, SEER)
        s.check[day] = NOBODY
        if phase > AT_SEER and seer != NOBODY and has(s.alive, seer):
            found = unchecked(rules, s, seer)
            if found:
                s.check[day] = any_of(s, found)
    s.phase = phase
    if moves or phase == WOLVES:
        return
    role = DOCTOR if phase == AT_DOCTOR else SEER if phase == AT_SEER else KILLER
    s.player = seat_of(rules, s, role)


@njit(cache=True)
def _draw_pack_choice(rules, s, player, phase):
    """Draw what the pack has done tonight, up to a naming if the phase is the pack's."""
    pack, day = s.alive & s.wolves, s.day
    targets = s.alive & ~s.wolves
    if rules.one:
        s.wolf = any_of(s, pack & ~(1 << player) if pack & ~(1 << player) else pack)
        if phase == WOLVES:
            s.player = s.wolf
        else:
            s.target[day] = any_of(s, targets)
        return
    wolves = size(pack)
    steps = 2 * wolves if wolves > 1 and size(targets) > 1 else wolves
    named = random_below(s, steps) if phase == WOLVES else steps
    agreed = False
    while True:
        agreed = _draw_names(s, 0, pack, targets, min(named, wolves))
        if named < wolves or phase != WOLVES or not agreed:
            break
    if phase == WOLVES:
        s.pack_round = named // wolves
        if s.pack_round:
            _draw_names(s, 1, pack, targets, named - wolves)
        seat = first_of(pack)
        for _ in range(named % wolves):
            seat = next_of(pack, seat)
        s.player = seat
        return
    turn = 0
    if not agreed:
        turn = 1
        s.pack_round = 1
        _draw_names(s, 1, pack, targets, wolves)
    s.target[day] = s.names[turn, any_of(s, pack)]


@njit(cache=True)
def _draw_names(s, turn, pack, targets, count):
    """Let the first ``count`` wolves of the pack name somebody; whether all name the same."""
    seat, agreed, first = first_of(pack), True, NOBODY
    for k in range(count):
        named = any_of(s, targets)
        s.names[turn, seat] = named
        if k == 0:
            first = named
        agreed = agreed and named == first
        seat = next_of(pack, seat)
    return agreed
