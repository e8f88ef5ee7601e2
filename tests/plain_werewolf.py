"""Werewolf once more, as plainly as possible: a generator that asks for choices and for lots.

It shares nothing with the kernel: roles are words, the dead are struck from a list. ``play``
yields ``("ask", seat, actions)`` and is sent one of the action ids, ``("lot", what, outcomes)`` and
is sent one of the outcomes, and returns who has won.
"""

from __future__ import annotations

from collections import Counter

WON_BY = {"village": 1, "wolves": 2, "jester": 3, "killer": 4, "nobody": 5, "undecided": 6}
PACK = ("wolf", "alpha")


class Table:
    """One game under options in words; see the game's page."""

    def __init__(self, roles, options):
        self.roles, self.o, self.n = roles, options, len(roles)
        self.alive = list(range(self.n))
        self.day, self.checked, self.wards = 0, set(), {}

    def with_role(self, *roles):
        return [seat for seat in self.alive if self.roles[seat] in roles]

    def towards(self, seat, others):
        """The ids of choosing players, for a seat."""
        return {(other - seat) % self.n for other in others}

    def ask(self, seat, others, *more):
        action = yield "ask", seat, self.towards(seat, others) | set(more)
        return None if action >= self.n else (seat + action) % self.n

    def decided(self):
        pack, rest = self.with_role(*PACK), len(self.alive) - len(self.with_role(*PACK))
        if self.with_role("killer"):
            return "killer" if len(self.alive) <= 2 else None
        if not self.alive:
            return "nobody"
        return "village" if not pack else "wolves" if len(pack) >= rest else None

    def play(self):
        while True:
            self.day += 1
            hunter = yield from self.night()
            if hunter is not None and self.alive:
                yield from self.shot(hunter)
            if won := self.decided():
                return won
            yield from self.debate()
            out = yield from self.vote()
            if out is not None:
                self.alive.remove(out)
                if self.roles[out] == "jester":
                    return "jester"
                if self.roles[out] == "hunter" and self.alive:
                    yield from self.shot(out)
            if won := self.decided():
                return won
            if self.day == self.o["max_days"]:
                return "undecided"

    def shot(self, hunter):
        chosen = yield from self.ask(hunter, self.alive, self.n)
        if chosen is not None:
            self.alive.remove(chosen)

    def night(self):
        peace = self.o["first_night"] == "peace" and self.day == 1
        attacked, ward = [], None
        pack = self.with_role(*PACK)
        prey = [seat for seat in self.alive if seat not in pack]
        if pack and not peace:
            if self.o["kill"] == "one":
                wolf = yield "lot", "wolf", set(pack)
                attacked.append((yield from self.ask(wolf, prey)))
            else:
                for round_ in range(2):
                    named = []
                    for wolf in pack:
                        named += [(yield from self.ask(wolf, prey))]
                    if len(set(named)) == 1:
                        attacked.append(named[0])
                        break
                    if round_ == 1:
                        attacked.append((yield "lot", "kill", set(named)))
        for doctor in self.with_role("doctor"):
            if peace:
                continue
            others = [seat for seat in self.alive
                      if not (self.o["doctor"] == "not_self" and seat == doctor)
                      and not (self.o["doctor"] == "not_twice"
                               and self.wards.get(self.day - 1) == seat)]  # fmt: skip
            ward = yield from self.ask(doctor, others)
            self.wards[self.day] = ward
        for seer in self.with_role("seer"):
            others = [seat for seat in self.alive if seat != seer and seat not in self.checked]
            if others:
                self.checked.add((yield from self.ask(seer, others)))
        for killer in self.with_role("killer"):
            others = [k for k in self.alive if k != killer]
            attacked += [] if peace else [(yield from self.ask(killer, others))]
        dead = {seat for seat in attacked if seat != ward}
        self.alive = [seat for seat in self.alive if seat not in dead]
        hunters = [seat for seat in dead if self.roles[seat] == "hunter"]
        return hunters[0] if hunters and self.o["hunter_night"] else None

    def debate(self):
        if self.o["debate"] == "none":
            return
        if self.o["debate"] == "round":
            at = self.alive.index((yield "lot", "speaker", set(self.alive)))
            order = self.alive[at:] + self.alive[:at]
            for speaker in order * self.o["speeches"]:
                yield from self.speech(speaker)
            return
        last, mentioned = None, set()
        for _ in range(self.o["turns"]):
            bids = {}
            for seat in self.alive:
                if seat != last:
                    bid = yield "ask", seat, {self.n + 1 + k for k in range(5)}
                    bids[seat] = bid - self.n - 1
            best = {seat for seat, bid in bids.items() if bid == max(bids.values())}
            last = yield "lot", "speaker", (best & mentioned) or best
            mentioned = yield from self.speech(last)

    def speech(self, seat):
        n, said, mentioned, claimed = self.n, [], set(), False
        while True:
            legal = {n + 6}
            if len(said) < self.o["acts"]:
                legal |= set() if claimed else {n + 7 + k for k in range(7)}
                for act in range(9):
                    of = range(n) if act in (2, 3, 4) else self.alive
                    legal |= {
                        n + 14 + act * n + (other - seat) % n
                        for other in of
                        if other != seat or act == 4
                    }
                legal -= set(said)
            action = yield "ask", seat, legal
            if action == n + 6:
                return mentioned
            said.append(action)
            if action < n + 14:
                claimed = True
            else:
                mentioned.add((seat + (action - n - 14) % n) % n)

    def vote(self):
        leaders = yield from self.one_vote(self.alive)
        if len(leaders) > 1 and self.o["exile"] == "revote":
            leaders = yield from self.one_vote(leaders)
        if len(leaders) > 1 and self.o["exile"] == "lot":
            return (yield "lot", "exile", set(leaders))
        return leaders[0] if len(leaders) == 1 else None

    def one_vote(self, candidates):
        votes = Counter()
        for seat in self.alive:
            others = [other for other in candidates if other != seat]
            more = (self.n,) if self.o["abstain"] else ()
            votes[(yield from self.ask(seat, others, *more))] += 1
        del votes[None]
        if self.o["exile"] == "majority":
            return [seat for seat, many in votes.items() if many > len(self.alive) / 2]
        return [seat for seat in sorted(votes) if votes[seat] == max(votes.values())]
