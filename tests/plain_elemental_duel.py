"""The elemental duel a second time: slow, plain Python written from the rules' page alone.

Nothing of ``stratagym.envs.elemental_duel`` is used here: the tests compare its kernel with this.
A team is a list of three ``(element, [skill, skill, skill])`` in the order in which they act.
"""

from dataclasses import dataclass, field
from fractions import Fraction

BALANCED = {
    "burst layer": 3,
    "whirlwind layers": 4,
    "whirlwind rounds": 2,
    "magma": 40,
    "magma layer": 5,
    "curtain": 35,
    "curtain returns": 30,
    "curtain rounds": 2,
    "whirlpool layer": 4,
    "brand": 15,
    "brand factor": Fraction(3, 2),
    "tsunami": 30,
    "tsunami layer": 5,
    "abyss layer": 3,
    "abyss shield": 6,
    "abyss rounds": 3,
    "siphon": 25,
    "siphon more": 15,
    "ambush": 20,
    "ambush factor": Fraction(6, 5),
    "final": 45,
    "final step": 5,
    "void share": Fraction(1, 5),
    "void factor": Fraction(2),
    "bud": 6,
    "totem": 25,
    "totem factor": Fraction(11, 10),
    "purification": 30,
    "forest heals": 60,
    "forest shield": Fraction(1, 2),
    "forest": 20,
    "vine": 25,
    "vine rounds": 3,
    "armor returns": 5,
    "granite factor": Fraction(3, 5),
    "quicksand hits": 3,
    "quicksand factor": Fraction(4, 5),
    "quicksand costs": 10,
    "pulse shield": 8,
    "pulse damage": 0,
    "rebound": Fraction(4, 5),
    "glimmer": 8,
    "dispel factor": Fraction(17, 20),
    "sanctuary": 30,
    "sword": 20,
    "sword more": 20,
    "sword factor": Fraction(1),
}
RELEASED = {
    "burst layer": 4,
    "whirlwind layers": 5,
    "whirlwind rounds": 3,
    "magma": 50,
    "magma layer": 8,
    "curtain": 45,
    "curtain returns": 50,
    "curtain rounds": 3,
    "whirlpool layer": 6,
    "brand": 20,
    "brand factor": Fraction(8, 5),
    "tsunami": 40,
    "tsunami layer": 8,
    "abyss layer": 5,
    "abyss shield": 10,
    "abyss rounds": 4,
    "siphon": 30,
    "siphon more": 25,
    "ambush": 25,
    "ambush factor": Fraction(5, 4),
    "final": 55,
    "final step": 8,
    "void share": Fraction(1, 4),
    "void factor": Fraction(5, 2),
    "bud": 7,
    "totem": 30,
    "totem factor": Fraction(23, 20),
    "purification": 40,
    "forest heals": 80,
    "forest shield": Fraction(3, 5),
    "forest": 30,
    "vine": 35,
    "vine rounds": 4,
    "armor returns": 8,
    "granite factor": Fraction(11, 20),
    "quicksand hits": 4,
    "quicksand factor": Fraction(3, 4),
    "quicksand costs": 15,
    "pulse shield": 10,
    "pulse damage": 10,
    "rebound": Fraction(6, 5),
    "glimmer": 9,
    "dispel factor": Fraction(4, 5),
    "sanctuary": 40,
    "sword": 35,
    "sword more": 0,
    "sword factor": Fraction(13, 10),
}
ELEMENTS = {
    ("Fire", "Wood"): Fraction(6, 5),
    ("Earth", "Water"): Fraction(6, 5),
    ("Wood", "Fire"): Fraction(4, 5),
    ("Water", "Earth"): Fraction(4, 5),
    ("Light", "Dark"): Fraction(3, 2),
    ("Dark", "Light"): Fraction(3, 2),
}
NEGATIVE = ("burning", "brand", "ambush", "fear", "seed", "vine", "quicksand", "dispel")
ROUNDS = 50


@dataclass(eq=False)
class Fighter:
    side: str
    element: str
    skills: list[str]
    most: int
    hp: int
    used: int = 0
    ends: dict[str, int] = field(default_factory=dict)  # status: the last slot in which it works
    layers: int = 0  # burning
    trapped: int = 0  # hits that quicksand still weakens
    tide: int = 0
    timed: int = 0
    timed_end: int = -1
    permanent: int = 0
    stored: int = 0


class Duel:
    def __init__(
        self, teams, weakest=False, fear_self=False, released=False, rebound_nothing=False
    ):
        self.weakest, self.fear_self = weakest, fear_self
        self.rebound_nothing = rebound_nothing
        self.of = {**BALANCED, **RELEASED} if released else BALANCED
        most = {"attacker": 100, "defender": 100 if released else 135}
        self.teams = {
            side: [Fighter(side, e, list(skills), most[side], most[side]) for e, skills in team]
            for side, team in teams.items()
        }
        self.now = 0

    def play(self) -> tuple[str, int, tuple[int, int]]:
        """Returns the winner, the round in which it ended and both sides' total HP."""
        order = self.teams["attacker"] + self.teams["defender"]
        for number in range(1, ROUNDS + 1):
            for fighter in order:
                if fighter.hp > 0:
                    self.slot(fighter)
                    if not self.living("defender"):
                        return "attacker", number, self.left()
                    if not self.living("attacker"):
                        return "defender", number, self.left()
                self.now += 1
        left = self.left()
        return ("attacker" if left[0] > left[1] else "defender"), ROUNDS, left

    def living(self, side):
        return [fighter for fighter in self.teams[side] if fighter.hp > 0]

    def left(self):
        return tuple(sum(f.hp for f in self.living(side)) for side in ("attacker", "defender"))

    # statuses

    def has(self, fighter, status) -> bool:
        return status in fighter.ends and self.now <= fighter.ends[status]

    def put(self, fighter, status, rounds):
        fighter.ends[status] = self.now + 6 * rounds

    def burning(self, fighter) -> int:
        return fighter.layers if self.has(fighter, "burning") else 0

    def burn(self, fighter, layers, rounds):
        fighter.layers = self.burning(fighter) + layers
        self.put(fighter, "burning", rounds)

    def trapped(self, fighter) -> bool:
        return self.has(fighter, "quicksand") and fighter.trapped > 0

    def timed(self, fighter) -> int:
        return fighter.timed if self.now <= fighter.timed_end else 0

    def shield(self, fighter, amount, rounds):
        fighter.timed = self.timed(fighter) + amount
        fighter.timed_end = max(fighter.timed_end, self.now + 6 * rounds)

    # losing and winning HP

    def lose(self, fighter, amount, through_shields=False) -> int:
        """Returns the HP that it cost."""
        if fighter.hp <= 0:
            return 0
        if not through_shields:
            timed = min(self.timed(fighter), amount)
            if timed:
                fighter.timed -= timed
            amount -= timed
            permanent = min(fighter.permanent, amount)
            fighter.permanent -= permanent
            amount -= permanent
        cost = min(amount, fighter.hp)
        fighter.hp -= cost
        fighter.stored += cost
        return cost

    def heal(self, fighter, amount) -> int:
        """Returns what was too much."""
        if fighter.hp <= 0:
            return 0
        if self.has(fighter, "totem"):
            amount = int(amount * self.of["totem factor"])
        healed = min(amount, fighter.most - fighter.hp)
        fighter.hp += healed
        return amount - healed

    def hit(self, user, target, base) -> int:
        """Direct damage of a skill; returns the HP that it cost the target."""
        of, amount = self.of, Fraction(base)
        if self.has(user, "sword"):
            amount = (amount + of["sword more"]) * of["sword factor"]
            del user.ends["sword"]
        amount *= ELEMENTS.get((user.element, target.element), 1)
        if self.has(user, "warmth"):
            amount *= Fraction(13, 10)
            del user.ends["warmth"]
        if self.has(user, "dispel"):
            amount *= of["dispel factor"]
        if self.has(user, "fear"):
            amount *= Fraction(9, 10)
        trapped = self.trapped(user)
        if trapped:
            amount *= of["quicksand factor"]
        if self.has(target, "brand"):
            amount *= of["brand factor"]
        if self.has(target, "ambush"):
            amount *= of["ambush factor"]
        if self.has(target, "granite"):
            amount *= of["granite factor"]
        if self.has(target, "courage"):
            amount *= Fraction(9, 10)
        damage = int(amount)
        if self.has(target, "sanctuary"):
            damage -= of["sanctuary"]
        damage = max(damage, 1)

        cost = 0
        if self.has(target, "link"):
            del target.ends["link"]
            self.lose(user, damage)
        elif self.has(target, "emblem"):
            del target.ends["emblem"]
            off = damage * 20 // 100
            cost = self.lose(target, damage - off)
            self.heal(target, off)
            self.lose(user, 10)
        else:
            armored = self.has(target, "armor") and self.timed(target) > 0
            cost = self.lose(target, damage)
            if armored:
                self.lose(user, of["armor returns"])
        if self.has(target, "curtain"):
            del target.ends["curtain"]
            self.lose(user, of["curtain returns"])
        if trapped:
            user.trapped -= 1
            self.lose(user, of["quicksand costs"])
        if self.has(user, "seed"):
            self.lose(user, 5)
        return cost

    # a fighter's slot

    def slot(self, fighter):
        if self.burning(fighter):
            self.lose(fighter, 5 * self.burning(fighter))
        if self.has(fighter, "vine"):
            self.lose(fighter, self.of["vine"])
        if self.has(fighter, "bud"):
            self.heal(fighter, self.of["bud"])
        if fighter.hp <= 0:
            return
        skill = fighter.skills[fighter.used % 3]
        fighter.used += 1
        enemies = self.living("defender" if fighter.side == "attacker" else "attacker")
        target = min(enemies, key=lambda enemy: enemy.hp) if self.weakest else enemies[0]
        getattr(self, skill)(fighter, target)

    @staticmethod
    def tenths(fighter) -> int:
        """Full 10% of its HP that it lacks."""
        return (fighter.most - fighter.hp) * 10 // fighter.most

    # fire

    def flame_splash(self, user, target):
        self.hit(user, target, 12)
        self.burn(target, 1, 2)

    def residual_warmth(self, user, target):
        self.put(user, "warmth", 1)

    def burst_flame_bomb(self, user, target):
        self.hit(user, target, 25 + self.of["burst layer"] * self.burning(target))

    def flame_whirlwind(self, user, target):
        self.burn(target, self.of["whirlwind layers"], self.of["whirlwind rounds"])

    def magma_eruption(self, user, target):
        self.hit(user, target, self.of["magma"] + self.of["magma layer"] * self.burning(target))
        target.ends.pop("burning", None)

    def hell_curtain(self, user, target):
        self.hit(user, target, self.of["curtain"])
        self.put(user, "curtain", self.of["curtain rounds"])

    # water

    def stream_pierce(self, user, target):
        self.hit(user, target, 10)
        user.tide += 1

    def water_barrier(self, user, target):
        self.shield(user, 5, 3)
        user.tide += 1

    def whirlpool_strangle(self, user, target):
        self.hit(user, target, 20 + self.of["whirlpool layer"] * user.tide)

    def ice_branded(self, user, target):
        self.hit(user, target, self.of["brand"])
        self.put(target, "brand", 1)

    def tsunami_ending(self, user, target):
        self.hit(user, target, self.of["tsunami"] + self.of["tsunami layer"] * user.tide)
        user.tide = 0

    def abyss_resonance(self, user, target):
        if user.tide:
            self.hit(user, target, self.of["abyss layer"] * user.tide)
            self.shield(user, self.of["abyss shield"] * user.tide, self.of["abyss rounds"])

    # dark

    def shadow_claw(self, user, target):
        cost = self.hit(user, target, 14)
        self.heal(user, cost * 30 // 100)

    def fear_whisper(self, user, target):
        if self.fear_self:
            self.put(user, "courage", 3)
        else:
            self.put(target, "fear", 3)

    def soul_siphon(self, user, target):
        more = self.of["siphon more"] if 2 * target.hp < target.most else 0
        self.hit(user, target, self.of["siphon"] + more)

    def night_ambush(self, user, target):
        self.hit(user, target, self.of["ambush"])
        self.put(target, "ambush", 1)

    def final_announcement(self, user, target):
        self.hit(user, target, self.of["final"] + self.of["final step"] * self.tenths(target))

    def void_assimilation(self, user, target):
        price = int(user.hp * self.of["void share"])
        self.lose(user, price, through_shields=True)
        self.lose(target, int(price * self.of["void factor"]), through_shields=True)

    # wood

    def bud_healing(self, user, target):
        self.put(user, "bud", 3)

    def parasitic_seed(self, user, target):
        self.hit(user, target, 10)
        self.put(target, "seed", 3)

    def life_totem(self, user, target):
        self.heal(user, self.of["totem"])
        self.put(user, "totem", 3)

    def natural_purification(self, user, target):
        for status in NEGATIVE:
            user.ends.pop(status, None)
        self.hit(user, target, self.of["purification"])

    def forest_reincarnation(self, user, target):
        excess = self.heal(user, self.of["forest heals"])
        if excess > 1:
            self.shield(user, int(excess * self.of["forest shield"]), 3)
        self.hit(user, target, self.of["forest"])

    def poison_vine(self, user, target):
        self.put(target, "vine", self.of["vine rounds"])

    # earth

    def rock_armor(self, user, target):
        self.shield(user, 12, 3)
        self.put(user, "armor", 3)

    def earth_shock(self, user, target):
        self.hit(user, target, 20)

    def granite_barrier(self, user, target):
        self.put(user, "granite", 3)

    def quicksand_trap(self, user, target):
        self.put(target, "quicksand", 3)
        target.trapped = self.of["quicksand hits"]

    def earth_pulse(self, user, target):
        steps = self.tenths(user)
        user.permanent += self.of["pulse shield"] * steps
        if steps and self.of["pulse damage"]:
            self.hit(user, target, self.of["pulse damage"] * steps)

    def core_rebound(self, user, target):
        if user.stored:
            stored, user.stored = user.stored, 0  # what comes back for the hit is stored again
            share = int(stored * self.of["rebound"])
            if share >= 1 or not self.rebound_nothing:
                self.hit(user, target, share)

    # light

    def holy_glimmer(self, user, target):
        for status in NEGATIVE:
            there = self.trapped(user) if status == "quicksand" else self.has(user, status)
            if there:
                del user.ends[status]
                break
        self.heal(user, self.of["glimmer"])
        self.hit(user, target, self.of["glimmer"])

    def faith_emblem(self, user, target):
        self.put(user, "emblem", 1)

    def divine_link(self, user, target):
        self.put(user, "link", 1)

    def luminous_dispel(self, user, target):
        if self.timed(target):
            target.timed = 0
        elif self.has(target, "curtain"):
            del target.ends["curtain"]
        elif self.has(target, "warmth"):
            del target.ends["warmth"]
        elif target.tide:
            target.tide -= 1
        self.put(target, "dispel", 2)

    def angelic_sanctuary(self, user, target):
        self.put(user, "sanctuary", 3)

    def divine_sword(self, user, target):
        self.hit(user, target, self.of["sword"])
        self.put(user, "sword", 1)


def duel(attackers, defenders, **options):
    """``play`` of a duel; ``options``: weakest, fear_self, released,
    rebound_nothing (all bool)."""
    return Duel({"attacker": attackers, "defender": defenders}, **options).play()
