"""Battle card a second time: slow, plain Python written from the rules' page alone.

Nothing of ``stratagym.envs.battle_card`` is used here: the tests compare its kernel with this.
A team is a list of ``(name, gold)`` from left to right, a priority list holds names.
"""

from dataclasses import dataclass

# name: (element, attack, health)
TABLE = {
    "FireLizard": ("Fire", 2, 2),
    "WaterElemental": ("Water", 2, 2),
    "PoisonFrog": ("Water", 1, 1),
    "MoltenHound": ("Fire", 3, 1),
    "BattleFrenzy": (None, 7, 4),
    "BanditLeader": (None, 8, 3),
    "LavaGolem": ("Fire", 1, 8),
    "TideGuardian": ("Water", 4, 2),
    "TideLord": ("Water", 4, 9),
    "Phoenix": ("Fire", 5, 5),
    "ShadowOverlord": (None, 4, 4),
    "Sapling": ("Nature", 2, 2),
    "RockBeetle": ("Earth", 1, 5),
    "ForestSeer": ("Nature", 2, 2),
    "StoneWarrior": ("Earth", 2, 5),
    "EliteSoldier": (None, 1, 1),
    "Paladin": (None, 3, 6),
    "BlackRock": ("Earth", 5, 1),
    "VineProtector": ("Nature", 5, 4),
    "King": (None, 3, 10),
    "MountainGiant": ("Earth", 4, 9),
    "AncientTreant": ("Nature", 4, 4),
    "SlowSkeleton": (None, 3, 1),
    "Soldier": (None, 2, 2),
}
RELEASED = {
    "TideLord": ("Water", 4, 10),
    "ForestSeer": ("Nature", 1, 2),
    "BlackRock": ("Earth", 2, 1),
    "VineProtector": ("Nature", 3, 4),
    "King": (None, 3, 12),
    "Soldier": (None, 1, 1),
    "AncientTreant": ("Nature", 2, 3),
}
BEATS = {"Fire": "Nature", "Nature": "Water", "Water": "Earth", "Earth": "Fire"}
TAUNT = ("LavaGolem", "RockBeetle", "StoneWarrior", "MountainGiant")
PLACES = 7
ROUNDS = 100


@dataclass(eq=False)
class Unit:
    side: str
    name: str
    gold: bool
    element: str | None
    attack: int
    health: int
    most: int
    base: int
    shield: bool
    burn: int = 0
    revived: bool = False
    gone: bool = False
    killer: "Unit | None" = None

    @property
    def living(self) -> bool:
        return not self.gone and self.health > 0

    def times(self, number: int) -> int:
        """A number of the unit's ability: twice as much when it is gold."""
        return 2 * number if self.gold else number


class Battle:
    def __init__(
        self, teams, priorities, elements=True, chain=True, released=False, burn_hits=False
    ):
        self.elements, self.chain, self.released = elements, chain, released
        self.burn_hits = burn_hits
        self.table = {**TABLE, **RELEASED} if released else TABLE
        self.priorities = priorities
        self.line: dict[str, list[Unit]] = {"attacker": [], "defender": []}
        for side, team in teams.items():
            for name, gold in team:
                self.line[side].append(self.new(side, name, gold))

    def new(self, side, name, gold) -> Unit:
        element, attack, health = self.table[name]
        factor = 2 if gold else 1
        attack, health = attack * factor, health * factor
        shield = name in ("TideGuardian", "Paladin", "Soldier")
        return Unit(side, name, gold, element, attack, health, health, health, shield)

    def living(self, side) -> list[Unit]:
        return [unit for unit in self.line[side] if unit.living]

    @staticmethod
    def enemy(side) -> str:
        return "defender" if side == "attacker" else "attacker"

    # the whole battle

    def play(self) -> tuple[str, int, tuple[int, int]]:
        """Returns the winner, the round in which it ended and both sides' health left."""
        attackers, defenders = len(self.line["attacker"]), len(self.line["defender"])
        if attackers == 0:
            return "defender", 0, self.left()
        if defenders == 0:
            return "attacker", 0, self.left()
        self.start_effects()
        first = "attacker" if attackers >= defenders else "defender"
        for number in range(1, ROUNDS + 1):
            lists = {side: self.living(side) for side in ("attacker", "defender")}
            for k in range(max(len(units) for units in lists.values())):
                for side in (first, self.enemy(first)):
                    if k < len(lists[side]) and lists[side][k].living:
                        self.turn(lists[side][k])
                        winner = self.winner()
                        if winner:
                            return winner, number, self.left()
        left = self.left()
        return ("attacker" if left[0] > left[1] else "defender"), ROUNDS, left

    def left(self) -> tuple[int, int]:
        return tuple(sum(u.health for u in self.living(s)) for s in ("attacker", "defender"))

    def winner(self) -> str | None:
        if not self.living("defender"):
            return "attacker"
        if not self.living("attacker"):
            return "defender"
        return None

    def start_effects(self):
        line = self.line["defender"]
        for place, unit in enumerate(line):
            others = [other for other in line if other is not unit]
            if unit.name == "ForestSeer":
                health = 1 if self.released else 2
                for other in others:
                    if other.element == "Nature":
                        self.raise_(other, unit.times(1), unit.times(health))
            elif unit.name == "EliteSoldier":
                for near in (place - 1, place + 1):
                    if 0 <= near < len(line):
                        line[near].shield = True
                        self.raise_(line[near], unit.times(1), 0)
            elif unit.name == "BlackRock":
                self.raise_(unit, 0, unit.times(3) * len(others))
            elif unit.name == "AncientTreant":
                gift = unit.times(2 if self.released else 3)
                for other in others:
                    self.raise_(other, gift, gift)

    @staticmethod
    def raise_(unit, attack, health):
        unit.attack += attack
        unit.health += health
        unit.most += health

    # one unit's attack

    def turn(self, unit):
        if unit.burn and self.burn_hits and unit.shield:
            self.damage(unit, unit.burn, None)
        elif unit.burn:
            unit.health -= unit.burn
            self.settle()
            if not unit.living:
                return
        for _ in range(2 if unit.name == "TideGuardian" else 1):
            if unit.living and self.living(self.enemy(unit.side)):
                self.strike(unit)

    def target(self, side) -> Unit | None:
        """Whom ``side`` hits: its enemies with taunt first, then its priorities, then leftmost."""
        enemies = self.living(self.enemy(side))
        taunting = [enemy for enemy in enemies if enemy.name in TAUNT]
        enemies = taunting or enemies
        for name in self.priorities[side]:
            for enemy in enemies:
                if enemy.name == name:
                    return enemy
        return enemies[0] if enemies else None

    def strike(self, unit):
        target = self.target(unit.side)
        if unit.name == "WaterElemental":
            unit.attack += unit.times(1)
        elif unit.name == "Sapling":
            self.raise_(unit, 0, unit.times(1))
        elif unit.name == "King":
            self.summon(unit, "Soldier")

        attack, answer = unit.attack, target.attack
        hit = [target]
        if unit.name == "Phoenix":
            enemies = self.living(target.side)
            place = enemies.index(target)
            hit += enemies[max(place - 1, 0) : place] + enemies[place + 1 : place + 2]
        excess = 0
        for enemy in hit:
            over = self.damage(enemy, self.bonus(unit, enemy, attack), unit)
            if enemy is target:
                excess = over
        self.damage(unit, self.bonus(target, unit, answer), target)

        if attack > 0:
            if target.name == "LavaGolem":
                unit.burn = max(unit.burn, target.times(3))
            elif target.name == "MountainGiant":
                unit.attack = max(unit.attack - target.times(2), 0)

        if unit.name == "BanditLeader":
            while excess > 0:
                following = self.target(unit.side)
                if following is None:
                    break
                excess = self.damage(following, excess, unit)
                if not self.chain:
                    break
        elif unit.name == "BattleFrenzy":
            unit.attack = max(unit.attack - unit.times(4), 0)
        self.settle()

    def bonus(self, by, to, damage) -> int:
        if self.elements and by.element and BEATS[by.element] == to.element:
            return (5 * damage + 3) // 4
        return damage

    def damage(self, to, amount, by) -> int:
        """One instance of damage; returns what was more than the health (0 under a shield)."""
        if amount <= 0 or not to.living:
            return 0
        if to.shield:
            to.shield = False
            for friend in self.living(to.side):
                if friend is not to and friend.name == "Paladin":
                    friend.attack += friend.times(2)
            return 0
        excess = max(amount - to.health, 0)
        to.health -= amount
        if by is not None and by.name == "PoisonFrog":
            to.health = min(to.health, 0)
        if to.health <= 0:
            to.killer = by
        elif to.name == "TideLord":
            to.attack = min(2 * to.attack, 999)
        return excess

    # deaths

    def summon(self, by, name):
        if len(self.living(by.side)) < PLACES:
            self.line[by.side].append(self.new(by.side, name, by.gold))

    def settle(self):
        died = True
        while died:
            died = False
            for side in ("attacker", "defender"):
                for unit in list(self.line[side]):
                    if not unit.gone and unit.health <= 0:
                        died = True
                        self.die(unit)

    def die(self, unit):
        if unit.name == "Phoenix" and not unit.revived:
            unit.revived = True
            unit.health = unit.most = unit.base
            unit.burn = 0
            return
        unit.gone = True
        if unit.name == "FireLizard":
            if unit.killer is not None:
                self.damage(unit.killer, unit.times(2), None)
        elif unit.name == "MoltenHound":
            for enemy in self.living(self.enemy(unit.side)):
                self.damage(enemy, unit.times(1), None)
        elif unit.name == "StoneWarrior":
            self.summon(unit, "RockBeetle")
        elif unit.name == "ShadowOverlord":
            for _ in range(PLACES if self.released else 1):
                self.summon(unit, "SlowSkeleton")
        elif unit.name == "VineProtector":
            for friend in self.living(unit.side):
                friend.health = min(friend.health + unit.times(2), friend.most)


def battle(attackers, attacker_priority, defenders, defender_priority, **options):
    """``play`` of a battle; ``options``: elements, chain, released, burn_hits
    (all bool)."""
    return Battle(
        {"attacker": attackers, "defender": defenders},
        {"attacker": attacker_priority, "defender": defender_priority},
        **options,
    ).play()
