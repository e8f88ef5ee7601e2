"""A trader with a camel who buys where goods are cheap and sells where they are dear."""

from __future__ import annotations

from typing import Any

from stratagym.envs.planning.domains.making import Draws, Made, compared, mended, problem_of, value

PDDL = """\
(define (domain trader)
  (:types
    market - place camel goods - locatable)
  (:predicates
    (at ?t - camel ?p - place) (can-drive ?from ?to - place))
  (:functions
    (on-sale ?g - goods ?m - market) (drive-cost ?p1 ?p2 - place)
    (price ?g - goods ?m - market) (sellprice ?g - goods ?m - market) (bought ?g - goods)
    (cash) (capacity))
  (:action travel
    :parameters (?t - camel ?from ?to - market)
    :precondition (and
      (can-drive ?from ?to) (>= (cash) (drive-cost ?from ?to)) (at ?t ?from))
    :effect (and (decrease (cash) (drive-cost ?from ?to)) (at ?t ?to) (not (at ?t ?from))))
  (:action buy
    :parameters (?t - camel ?g - goods ?m - market)
    :precondition (and
      (at ?t ?m) (<= (+ 7 (price ?g ?m)) (cash)) (>= (capacity) 1) (> (on-sale ?g ?m) 0))
    :effect (and
      (decrease (capacity) 1) (increase (bought ?g) 1) (decrease (cash) (price ?g ?m))))
  (:action upgrade
    :parameters (?t - camel)
    :precondition (and (>= (cash) 57))
    :effect (and (increase (capacity) 20) (decrease (cash) 50)))
  (:action sell
    :parameters (?t - camel ?g - goods ?m - market)
    :precondition (and (at ?t ?m) (>= (bought ?g) 1))
    :effect (and
      (increase (capacity) 1) (decrease (bought ?g) 1) (increase (cash) (price ?g ?m)))))
"""


STRICT_PDDL = mended(
    PDDL,
    (
        "(decrease (cash) (price ?g ?m))))",
        "(decrease (cash) (price ?g ?m))\n      (decrease (on-sale ?g ?m) 1)))",
    ),
    ("(increase (cash) (price ?g ?m))", "(increase (cash) (sellprice ?g ?m))"),
)
"""Stock runs out, and selling has prices of its own."""
_GOODS = (
    "food", "rugs", "coffee", "cattle", "water", "cars", "gummybears", "computers", "floors",
    "copper", "footballs", "kittens", "minerals", "gold", "platinum", "dvds", "machines",
)  # fmt: skip
_CASH, _GOAL, _SPARE, _CAPACITY = 100.0, 1000.0, 7.0, 20
_MOST_TRADES = 40
_ROUNDING = 1e-6
"""Cash is left over by this much, since sums of tenths depend on their order in float64."""


def generate(draws: Draws) -> Made:
    """2, 4 or 5 markets with 17 goods at prices from 2 to 100.8, stock 0 to 63, and roads both ways
    for 1.7 to 7. From 100 the trader is to come to 1,000, with room for 20 goods.

    The plan always makes the trade that gains most for each step; what it does not solve is drawn
    again. As published stock lasts for ever, and goods are sold for what they cost.
    """
    while True:
        found = _drawn(draws)
        if found:
            return found


def _drawn(draws: Draws) -> Made | None:
    markets = [f"market{k}" for k in range(draws.measure(2, 4, 5))]
    # A ring of roads, and half of all others.
    roads = {}
    for a, one in enumerate(markets):
        for b, other in enumerate(markets[:a]):
            ring = a - b == 1 or (b == 0 and a == len(markets) - 1)
            if ring or draws.happens(0.5):
                cost = draws.between(17, 70) / 10
                roads[one, other] = roads[other, one] = cost
    base = {one: draws.between(40, 800) for one in _GOODS}
    price = {
        (one, market): max(20, min(1008, int(base[one] * (0.75 + draws.unit() / 2)))) / 10
        for one in _GOODS
        for market in markets
    }
    stock = {place: 0 if draws.happens(1 / 3) else draws.between(1, 63) for place in price}
    here = draws.one_of(markets)
    atoms = [f"at camel0 {here}", *(f"can-drive {one} {other}" for one, other in roads)]
    values: dict[str, float] = {"cash": _CASH, "capacity": _CAPACITY}
    values |= {f"bought {one}": 0 for one in _GOODS}
    for (one, market), cost in price.items():
        values[f"price {one} {market}"] = cost
        values[f"on-sale {one} {market}"] = stock[one, market]
    values |= {f"drive-cost {one} {other}": cost for (one, other), cost in roads.items()}
    pays = price
    if draws.variant == "strict":
        pays = {place: int(cost * (9 + draws.unit())) / 10 for place, cost in price.items()}
        for (one, market), paid in pays.items():
            values[f"sellprice {one} {market}"] = paid
    plan = _traded(here, roads, price, pays, stock, lasts=draws.variant != "strict")
    if plan is None:
        return None
    objects = {"market": markets, "camel": ["camel0"], "goods": list(_GOODS)}
    wanted = [compared(">=", value("cash"), _GOAL)]
    return problem_of(draws, "trader", objects, atoms, [], values, others=wanted), plan


def _traded(
    here: str,
    roads: dict[tuple[str, str], float],
    price: dict[Any, float],
    pays: dict[Any, float],
    stock: dict[Any, int],
    lasts: bool,
) -> list[tuple[str, ...]] | None:
    """A plan by single trades: go where something is bought, buy, go next door, sell."""
    plan: list[tuple[str, ...]] = []
    stock = dict(stock)
    cash, camel = _CASH, "camel0"
    for _ in range(_MOST_TRADES):
        best: tuple[float, Any] = (0.0, None)
        ways = {here: 0.0} | {b: cost for (a, b), cost in roads.items() if a == here}
        for first, cost in ways.items():
            for (a, b), more in roads.items():
                if a != first:
                    continue
                for (good, market), asked in price.items():
                    if market != a or not stock[good, a] or pays[good, b] <= asked:
                        continue
                    left = cash - cost
                    # Each purchase needs 7 more than the price; the road has to be paid as well.
                    n = min(_CAPACITY, int((left - _SPARE - _ROUNDING) // asked))
                    n = n if lasts else min(n, stock[good, a])
                    while n > 0 and left - n * asked < more + _ROUNDING:
                        n -= 1
                    if n <= 0:
                        continue
                    gain = n * (pays[good, b] - asked) - cost - more
                    rate = gain / (2 * n + (first != here) + 1)
                    if rate > best[0]:
                        best = rate, (first, cost, b, more, good, n)
        if best[1] is None:
            return None
        first, cost, b, more, good, n = best[1]
        if first != here:
            plan.append(("travel", camel, here, first))
        plan += [("buy", camel, good, first)] * n
        plan.append(("travel", camel, first, b))
        cash -= cost + n * price[good, first] + more
        if not lasts:
            stock[good, first] -= n
        for _ in range(n):
            plan.append(("sell", camel, good, b))
            cash += pays[good, b]
            if cash >= _GOAL + _ROUNDING:
                return plan
        here = b
    return None
