"""Packages in cities, by truck within a city and by plane between airports."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain logistics-strips)
  (:predicates
    (obj ?obj) (truck ?truck) (location ?loc) (airplane ?airplane) (city ?city)
    (airport ?airport) (at ?obj ?loc) (in ?obj1 ?obj2) (in-city ?obj ?city))
  (:action load-truck
    :parameters (?obj ?truck ?loc)
    :precondition (and
      (obj ?obj) (truck ?truck) (location ?loc) (at ?truck ?loc) (at ?obj ?loc))
    :effect (and (in ?obj ?truck) (not (at ?obj ?loc))))
  (:action load-airplane
    :parameters (?obj ?airplane ?loc)
    :precondition (and
      (obj ?obj) (airplane ?airplane) (location ?loc) (at ?obj ?loc) (at ?airplane ?loc))
    :effect (and (in ?obj ?airplane) (not (at ?obj ?loc))))
  (:action unload-truck
    :parameters (?obj ?truck ?loc)
    :precondition (and
      (obj ?obj) (truck ?truck) (location ?loc) (at ?truck ?loc) (in ?obj ?truck))
    :effect (and (at ?obj ?loc) (not (in ?obj ?truck))))
  (:action unload-airplane
    :parameters (?obj ?airplane ?loc)
    :precondition (and
      (obj ?obj) (airplane ?airplane) (location ?loc) (in ?obj ?airplane)
      (at ?airplane ?loc))
    :effect (and (at ?obj ?loc) (not (in ?obj ?airplane))))
  (:action drive-truck
    :parameters (?truck ?loc-from ?loc-to ?city)
    :precondition (and
      (truck ?truck) (location ?loc-from) (location ?loc-to) (city ?city)
      (at ?truck ?loc-from) (in-city ?loc-from ?city) (in-city ?loc-to ?city))
    :effect (and (at ?truck ?loc-to) (not (at ?truck ?loc-from))))
  (:action fly-airplane
    :parameters (?airplane ?loc-from ?loc-to)
    :precondition (and
      (airplane ?airplane) (airport ?loc-from) (airport ?loc-to) (at ?airplane ?loc-from))
    :effect (and (at ?airplane ?loc-to) (not (at ?airplane ?loc-from)))))
"""


def generate(draws: Draws) -> Made:
    """1, 2 or 3 cities of 2, 3 or 6 sites, of which the first is the airport; 2, 4 or 6 packages;
    1, 2 or 3 planes; a truck in every city. The plan ships the packages one by one.
    """
    cities = draws.measure(1, 2, 3)
    sites = draws.measure(2, 3, 6)
    place = {f"l{c}-{k}": c for c in range(cities) for k in range(sites)}
    packages = [f"p{k}" for k in range(draws.measure(2, 4, 6))]
    planes = [f"a{k}" for k in range(draws.measure(1, 2, 3))]
    at = {package: draws.one_of(list(place)) for package in packages}
    at |= {f"t{c}": f"l{c}-{draws.below(sites)}" for c in range(cities)}
    at |= {plane: f"l{draws.below(cities)}-0" for plane in planes}
    while True:
        to = {package: draws.one_of(list(place)) for package in packages}
        if any(at[package] != to[package] for package in packages):
            break
    atoms = [f"obj {package}" for package in packages]
    for c in range(cities):
        atoms += [f"city c{c}", f"truck t{c}", f"airport l{c}-0"]
    atoms += [f"airplane {plane}" for plane in planes]
    for site, c in place.items():
        atoms += [f"location {site}", f"in-city {site} c{c}"]
    atoms += [f"{'at'} {one} {site}" for one, site in at.items()]
    plan: list[tuple[str, ...]] = []

    def drive(package: str, site: str) -> None:
        """Bring a package to a site of the same city."""
        if at[package] == site:
            return
        truck, city = f"t{place[site]}", f"c{place[site]}"
        if at[truck] != at[package]:
            plan.append(("drive-truck", truck, at[truck], at[package], city))
        plan.append(("load-truck", package, truck, at[package]))
        plan.append(("drive-truck", truck, at[package], site, city))
        plan.append(("unload-truck", package, truck, site))
        at[truck] = at[package] = site

    for package, goal in to.items():
        before, after = place[at[package]], place[goal]
        if before != after:
            drive(package, f"l{before}-0")
            here, there, plane = at[package], f"l{after}-0", planes[0]
            if at[plane] != here:
                plan.append(("fly-airplane", plane, at[plane], here))
            plan.append(("load-airplane", package, plane, here))
            plan.append(("fly-airplane", plane, here, there))
            plan.append(("unload-airplane", package, plane, there))
            at[plane] = at[package] = there
        drive(package, goal)
    everything = [*planes, *(f"c{c}" for c in range(cities)), *(f"t{c}" for c in range(cities))]
    objects = {"object": [*everything, *place, *packages]}
    goals = [f"at {package} {site}" for package, site in to.items()]
    return problem_of(draws, "logistics-strips", objects, atoms, goals), plan
