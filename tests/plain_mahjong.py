"""One hand of mahjong by its plain rules, for tests: lists of tiles, and a generator that asks.

Nothing here comes from the game but what a win is worth, which the caller tells.
"""

from __future__ import annotations

from collections import Counter
from random import Random

PASS, HU = 0, 1


def play(tile):
    return 2 + tile


def chi(middle, claimed):
    suit, rank = divmod(middle, 9)
    return 36 + 21 * suit + 3 * (rank + 1 - 2) + (claimed - middle + 1)


def peng(tile):
    return 99 + tile


def gang(tile):
    return 133 + tile


def an_gang(tile):
    return 167 + tile


def bu_gang(tile):
    return 201 + tile


class Hand:
    """Ask ``moves()`` for (seat, options) and send what is chosen; see the rest when it is over.

    Args:
        walls: four lists of tiles, or one, in the order they are drawn. worth: called with seat,
            tiles with the winning one, melds, the winning tile and, as truth values, self-drawn,
            last of its kind, about a kong, last of the wall; tells the fans, 0 for no win.
    """

    def __init__(self, walls, worth, minimum=8, forced=False):
        self.one = len(walls) == 1
        self.walls = [list(wall) for wall in walls]
        self.worth, self.minimum, self.forced = worth, minimum, forced
        self.hands = [[] for _ in range(4)]
        for seat in range(4):
            for _ in range(13):
                self.hands[seat].append(self.walls[0 if self.one else seat].pop(0))
        self.melds = [[] for _ in range(4)]  # (word, tile, offer)
        self.open = Counter()
        self.points = [0] * 4
        self.seen = Counter()  # what happened, for the test to know that it did

    def left(self, seat):
        return len(self.walls[0 if self.one else seat])

    def is_last(self, seat):
        return self.left((seat + 1) % 4) == 0

    def moves(self):
        seat, why = 0, "turn"
        while True:
            options, fans = self.own_options(seat, why)
            action = HU if self.forced and HU in options else (yield seat, options)
            if action == HU:
                self.seen["self-drawn"] += 1
                return self.pay(seat, None, fans)
            if action >= an_gang(0):
                tile, added = (action - 167) % 34, action >= bu_gang(0)
                if not added:
                    for _ in range(4):
                        self.hands[seat].remove(tile)
                    self.melds[seat].append(("GANG", tile, 0))
                    self.seen["concealed kong"] += 1
                else:
                    self.hands[seat].remove(tile)
                    self.open[tile] += 1
                    self.seen["added kong"] += 1
                    won = yield from self.offer(seat, tile, robbing=True)
                    if won == "over":
                        self.seen["robbed"] += 1
                        return None
                    at = [meld[:2] for meld in self.melds[seat]].index(("PENG", tile))
                    self.melds[seat][at] = ("GANG", tile, self.melds[seat][at][2])
                why = "kong"
                continue
            tile = action - 2
            self.hands[seat].remove(tile)
            self.open[tile] += 1
            taken = yield from self.offer(seat, tile, robbing=False)
            if taken == "over":
                return None
            if taken is None:
                if self.is_last(seat):
                    self.seen["wall end"] += 1
                    return None
                seat, why = (seat + 1) % 4, "turn"
            else:
                seat, why = taken

    def own_options(self, seat, why):
        hand, fans, options = self.hands[seat], 0, set()
        if why != "claim":
            wall = self.walls[0 if self.one else seat]
            tile = wall.pop() if self.one and why == "kong" else wall.pop(0)
            hand.append(tile)
            last = self.is_last(seat)
            fans = self.worth(
                seat, hand, self.melds[seat], tile, True, self.open[tile] == 3, why == "kong", last
            )
            if fans >= self.minimum:
                options.add(HU)
            if not last and self.left(seat):
                options |= {an_gang(t) for t in hand if hand.count(t) == 4}
                options |= {bu_gang(t) for word, t, _ in self.melds[seat]
                            if word == "PENG" and t in hand}  # fmt: skip
        return options | {play(t) for t in hand}, fans

    def offer(self, giver, tile, robbing):
        """Ask the others about a tile; "over" if it is won, (seat, why) if claimed, else None."""
        answers, could_win = {}, 0
        asked = []
        for k in (1, 2, 3):
            seat = (giver + k) % 4
            options, fans = self.claims(giver, seat, tile, robbing)
            asked.append((seat, options, fans))
            could_win += HU in options
        self.seen["two could win"] += could_win > 1
        kinds = [
            {"chi" if 36 <= a < 99 else "peng" for a in opts if a > HU} for _, opts, _ in asked
        ]
        self.seen["chow against pung"] += any("peng" in k for k in kinds[1:]) and "chi" in kinds[0]
        self.seen["pung against win"] += could_win > 0 and any("peng" in kind for kind in kinds)
        for seat, options, fans in asked:
            if not options:
                continue
            if self.forced and HU in options:
                answer = HU
            else:
                answer = yield seat, options | {PASS}
            if answer == HU:
                self.seen["won on a tile"] += 1
                self.pay(seat, giver, fans)
                return "over"
            answers[seat] = answer
        for seat, answer in answers.items():
            if answer >= peng(0):
                kong = answer >= gang(0)
                for _ in range(3 if kong else 2):
                    self.hands[seat].remove(tile)
                    self.open[tile] += 1
                self.melds[seat].append(("GANG" if kong else "PENG", tile, (seat - giver) % 4))
                return seat, "kong" if kong else "claim"
        for seat, answer in answers.items():
            if answer > HU:
                (middle,) = (m for m in (tile - 1, tile, tile + 1) if chi(m, tile) == answer)
                for t in (middle - 1, middle, middle + 1):
                    if t != tile:
                        self.hands[seat].remove(t)
                        self.open[t] += 1
                self.melds[seat].append(("CHI", middle, tile - middle + 2))
                return seat, "claim"
        return None

    def claims(self, giver, seat, tile, robbing):
        hand, options, last = self.hands[seat], set(), self.is_last(giver)
        lone = self.open[tile] == 4
        fans = self.worth(seat, [*hand, tile], self.melds[seat], tile, False, lone, robbing, last)
        if fans >= self.minimum:
            options.add(HU)
        if robbing or last:
            return options, fans
        if hand.count(tile) >= 2:
            options.add(peng(tile))
        if hand.count(tile) == 3 and self.left(seat):
            options.add(gang(tile))
        if seat == (giver + 1) % 4 and tile < 27:
            for middle in (tile - 1, tile, tile + 1):
                chow = (middle - 1, middle, middle + 1)
                fits = chow[0] >= 0 and chow[2] < 27 and chow[0] // 9 == chow[2] // 9
                if fits and all(t in hand for t in chow if t != tile):
                    options.add(chi(middle, tile))
        return options, fans

    def pay(self, winner, giver, fans):
        for seat in range(4):
            if seat != winner:
                owed = 8 + (fans if giver in (None, seat) else 0)
                self.points[seat] -= owed
                self.points[winner] += owed


def near_wins(rng: Random, one: bool):
    """Walls with which every seat begins near a win, so that much is claimed and won.

    Some hold the makings of a robbed kong: a pair with one seat, which draws the fourth later, and
    a seat that waits for it.

    Returns:
        The walls, and whether they are such.
    """
    pool = Counter(dict.fromkeys(range(34), 4))
    hands = [[] for _ in range(4)]

    def draw(seat, tiles):
        need = Counter(tiles)
        if any(pool[tile] < n for tile, n in need.items()):
            return False
        pool.subtract(need)
        hands[seat].extend(tiles)
        return True

    suited = [tile for tile in range(27) if tile % 9 in range(1, 8)]
    later = None
    if rng.random() < 0.5:
        a, b = rng.sample(range(4), 2)
        tile = rng.choice(suited)
        draw(a, [tile, tile])
        draw(b, [tile - 1, tile + 1])
        pool[tile] -= 2
        while len(hands[b]) < 11:
            middle = rng.choice(suited)
            draw(b, [middle - 1, middle, middle + 1])
        while len(hands[b]) < 13:
            draw(b, [rng.choice(suited)] * 2)
        later = a, b, tile
    for seat in range(4):
        while len(hands[seat]) < 13:
            room = 13 - len(hands[seat])
            middle = rng.choice(suited)
            one_set = [middle - 1, middle, middle + 1]
            if rng.random() < 0.35:
                one_set = [rng.randrange(34)] * 3
            if rng.random() < 0.04:
                one_set = [rng.randrange(34)] * 4
            if room < 5:
                one_set = [rng.randrange(34)] * 2 if rng.random() < 0.7 else one_set[: min(2, room)]
            draw(seat, one_set[:room])
    rest = list((+pool).elements())
    rng.shuffle(rest)
    if one:
        if later:
            rest += [later[2]] * 2
            rng.shuffle(rest)
        return [[*hands[0], *hands[1], *hands[2], *hands[3], *rest]], later is not None
    walls = [
        hands[seat] + [rest.pop() for _ in range(21 if not later else 20)] for seat in range(4)
    ]
    if later:
        seat, waiting, tile = later
        other = rng.choice([k for k in range(4) if k not in (seat, waiting)])
        walls[other].insert(13, tile)
        walls[seat].insert(13 if other < seat else 14, tile)
        for k in range(4):
            while len(walls[k]) < 34:
                walls[k].append(rest.pop())
    return walls, later is not None
