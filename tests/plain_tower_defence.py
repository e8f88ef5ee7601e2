"""Tower defence a second time: slow, plain Python written from the rules' page, tick by tick.

A demon is told as ``(name, row, ms)``, a unit as ``(name, column, row, ms)``, both in the order of
their plans.
"""

from dataclasses import dataclass

PATH, WIDTH, LAST = 12_320, 1120, 3600
# name: (points of HP, ms between acts, points of damage, type)
UNITS = {
    "HandgunSoldier": (3, 1000, 1, "normal"),
    "RifleSoldier": (3, 500, 1, "normal"),
    "MachineGunSoldier": (3, 250, 1, "normal"),
    "ShieldSoldier": (15, None, 0, None),
    "EnhancedShieldSoldier": (30, None, 0, None),
    "FlamethrowerSoldier": (2, 1000, 1, "fire"),
    "IceSoldier": (2, 1000, 1, "ice"),
    "AntiAirSoldier": (2, 1000, 1, "air"),
    "Bomb": (50, 500, 30, "explosion"),
    "LinearExplosion": (50, 500, 30, "explosion"),
    "MagneticSoldier": (2, 2000, 0, None),
    "LightMage": (2, None, 0, None),
    "RocketLauncherSoldier": (2, 1000, 2, "explosion"),
}
# name: (points of HP, speed, bite)
DEMONS = {
    "NormalDemon": (10, 2, 1),
    "GreatDemon": (20, 2, 1),
    "DemonKing": (100, 2, 5),
    "SpeedyDemon": (10, 4, 1),
    "ShieldDemon": (10, 2, 1),
    "MachineDemon": (20, 2, 3),
    "BouncingDemon": (10, 2, 1),
    "ShieldBreakerDemon": (10, 2, 1),
    "FireDemon": (10, 2, 1),
    "FrostDemon": (10, 2, 1),
    "FlyingDemon": (10, 2, 0),
    "ShadowDemon": (10, 2, 1),
    "SummoningDemon": (10, 1, 1),
}
ARMOUR = {"ShieldDemon": 30, "MachineDemon": 50}
EXPLOSIVES = ("Bomb", "LinearExplosion")
SHIELDS = ("ShieldSoldier", "EnhancedShieldSoldier")


@dataclass(eq=False)
class Unit:
    name: str
    x: int
    y: int
    hp: int
    due: int | None
    lit: int | None = None  # the tick in which it goes off


@dataclass(eq=False)
class Demon:
    name: str
    y: int
    p: int
    hp: int
    speed: int
    bite_due: int
    summon_due: int
    armour: bool = True
    jumped: bool = False
    shaded: bool = False
    slow_until: int = 0
    burn_due: int | None = None
    burn_end: int = 0

    @property
    def flies(self) -> bool:
        return self.name == "FlyingDemon"

    @property
    def column(self) -> int:
        return (self.p - 1) // WIDTH


class Battle:
    def __init__(self, demons, units, placed=False, own_row=False, block=False, released=False):
        self.coming_demons = sorted(demons, key=lambda demon: demon[2])
        self.coming_units = sorted(units, key=lambda unit: unit[3])
        self.placed, self.own_row, self.block = placed, own_row, block
        self.released = released
        self.demons: list[Demon] = []
        self.units: dict[tuple[int, int], Unit] = {}  # by row and column
        self.tick, self.nearest = 0, PATH

    def play(self):
        """Returns the winner, the tick of the end, and (farthest advance, HP left in tenths)."""
        winner = None
        while winner is None:
            if self.tick > LAST:
                winner = "defender"
                break
            winner = self.one_tick()
            if winner is None:
                self.tick += 1
        hp = sum(unit.hp for unit in self.units.values())
        return winner, self.tick, (PATH - max(self.nearest, 0), hp)

    def one_tick(self):
        self.spawn()
        for demon in self.living():
            self.burn(demon)
        for demon in self.living():
            if demon.name == "SummoningDemon" and demon.summon_due == self.tick:
                demon.summon_due += 100
                self.add("NormalDemon", demon.y, max(demon.p - WIDTH, 1))
        for demon in self.living():
            demon.shaded = any(
                other.name == "ShadowDemon" and other.y == demon.y and other.p > demon.p
                for other in self.living()
            )
        for place in sorted(self.units):
            self.act(self.units[place])
        for demon in list(self.demons):
            if demon.hp > 0:
                self.go(demon)
                self.nearest = min(self.nearest, demon.p)
                if demon.p <= 0:
                    return "attacker"
        if not self.living() and not self.coming_demons:
            return "defender"
        return None

    def living(self):
        return [demon for demon in self.demons if demon.hp > 0]

    def spawn(self):
        while self.coming_units and self.coming_units[0][3] <= 50 * self.tick:
            name, x, y, _ = self.coming_units.pop(0)
            hp, interval, _, _ = UNITS[name]
            unit = Unit(name, x, y, 10 * hp, interval and self.tick + interval // 50)
            if name in EXPLOSIVES and self.placed:
                unit.lit = self.tick + 10
            self.units[y, x] = unit
        while self.coming_demons and self.coming_demons[0][2] <= 50 * self.tick:
            name, row, _ = self.coming_demons.pop(0)
            self.add(name, row, PATH)

    def add(self, name, row, p):
        hp, speed, _ = DEMONS[name]
        if self.released and name == "DemonKing":
            hp = 80
        now = self.tick
        self.demons.append(Demon(name, row, p, 10 * hp, 22 * speed, now + 20, now + 100))

    def burn(self, demon):
        if self.tick > demon.burn_end:
            demon.burn_due = None
        if demon.burn_due == self.tick:
            demon.burn_due += 20
            demon.hp -= 10 * self.percent(demon, "fire") // 100

    def percent(self, demon, kind):
        if kind == "light":
            return 100
        if demon.flies and kind != "air":
            return 0
        if demon.shaded and kind != "explosion":
            return 0
        if (kind, demon.name) in (("fire", "FireDemon"), ("ice", "FrostDemon")):
            return 0
        if demon.name in ARMOUR and demon.armour and kind in ("normal", "air"):
            return ARMOUR[demon.name]
        return 100

    # the defenders

    def act(self, unit):
        if unit.name in EXPLOSIVES:
            self.explosive(unit)
        elif unit.due is not None and unit.due <= self.tick:
            done = self.pulse(unit) if unit.name == "MagneticSoldier" else self.shoot(unit)
            if done:
                unit.due = self.tick + UNITS[unit.name][1] // 50

    def explosive(self, unit):
        ground = [demon for demon in self.living() if not demon.flies]
        if unit.lit is None:
            if any((demon.y, demon.column) == (unit.y, unit.x) for demon in ground):
                unit.lit = self.tick + 10
        elif unit.lit <= self.tick:
            del self.units[unit.y, unit.x]
            for demon in ground:
                if unit.name == "Bomb":
                    near = abs(demon.y - unit.y) <= 1 and abs(demon.column - unit.x) <= 1
                else:
                    near = demon.y == unit.y
                if near:
                    self.hurt(demon, 300)

    def pulse(self, unit):
        found = [
            demon
            for demon in self.living()
            if demon.y == unit.y and demon.name in ARMOUR and demon.armour
        ]
        for demon in found:
            demon.armour = False
        return bool(found)

    def shoot(self, unit):
        kind = UNITS[unit.name][3]
        if any(u.name == "LightMage" and y == unit.y for (y, _), u in self.units.items()):
            kind = "light"
        in_front = [demon for demon in self.living() if demon.p > WIDTH * unit.x]
        if not self.block:
            in_front = [demon for demon in in_front if self.percent(demon, kind) > 0]
        targets = []
        if unit.name == "AntiAirSoldier":
            targets = [d for d in in_front if d.flies and (d.y == unit.y or not self.own_row)]
        if not targets:
            targets = [d for d in in_front if not d.flies and d.y == unit.y]
        if not targets:
            return False
        target = min(targets, key=lambda demon: demon.p)
        hit = [target]
        if unit.name == "RocketLauncherSoldier":
            y, column = target.y, target.column
            hit = [
                demon
                for demon in self.living()
                if not demon.flies and abs(demon.y - y) <= 1 and abs(demon.column - column) <= 1
            ]
        for demon in hit:
            self.shot(unit, demon, kind)
        return True

    def shot(self, unit, demon, kind):
        damage = 10 * UNITS[unit.name][2] * self.percent(demon, kind) // 100
        if damage == 0:
            return
        self.hurt(demon, damage)
        if unit.name == "FlamethrowerSoldier" and demon.name != "FireDemon":
            if demon.burn_due is None:
                demon.burn_due = self.tick + 20
            demon.burn_end = self.tick + 60
        elif unit.name == "IceSoldier" and demon.name != "FrostDemon":
            demon.slow_until = self.tick + 40

    @staticmethod
    def hurt(demon, damage):
        demon.hp -= damage
        if demon.name == "MachineDemon":
            demon.speed = 66

    # the demons

    def go(self, demon):
        unit = self.units.get((demon.y, demon.column))
        if unit is None or demon.flies:
            demon.p -= demon.speed // 2 if self.tick < demon.slow_until else demon.speed
        elif (
            demon.name == "BouncingDemon"
            and not demon.jumped
            and unit.name != "EnhancedShieldSoldier"
        ):
            demon.jumped = True
            demon.p -= WIDTH
        elif demon.bite_due <= self.tick:
            demon.bite_due = self.tick + 20
            bite = DEMONS[demon.name][2]
            if demon.name == "ShieldBreakerDemon" and unit.name in SHIELDS:
                bite = 5
            unit.hp -= 10 * bite
            if unit.hp <= 0:
                del self.units[unit.y, unit.x]


def tower_battle(demons, units, **options):
    """``play`` of a battle; ``options``: placed, own_row, block, released (all bool)."""
    return Battle(demons, units, **options).play()
