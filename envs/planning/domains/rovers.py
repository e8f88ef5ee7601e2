"""Rovers on a planet that sample soil and rock, take images, and send them to a lander."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain rover)
  (:types
    rover waypoint store camera mode lander objective)
  (:predicates
    (at ?x - rover ?y - waypoint) (at_lander ?x - lander ?y - waypoint)
    (can_traverse ?r - rover ?x ?y - waypoint) (equipped_for_soil_analysis ?r - rover)
    (equipped_for_rock_analysis ?r - rover) (equipped_for_imaging ?r - rover)
    (empty ?s - store) (have_rock_analysis ?r - rover ?w - waypoint)
    (have_soil_analysis ?r - rover ?w - waypoint) (full ?s - store)
    (calibrated ?c - camera ?r - rover) (supports ?c - camera ?m - mode)
    (available ?r - rover) (visible ?w ?p - waypoint)
    (have_image ?r - rover ?o - objective ?m - mode) (communicated_soil_data ?w - waypoint)
    (communicated_rock_data ?w - waypoint)
    (communicated_image_data ?o - objective ?m - mode) (at_soil_sample ?w - waypoint)
    (at_rock_sample ?w - waypoint) (visible_from ?o - objective ?w - waypoint)
    (store_of ?s - store ?r - rover) (calibration_target ?i - camera ?o - objective)
    (on_board ?i - camera ?r - rover) (channel_free ?l - lander))
  (:action navigate
    :parameters (?x - rover ?y ?z - waypoint)
    :precondition (and (can_traverse ?x ?y ?z) (available ?x) (at ?x ?y) (visible ?y ?z))
    :effect (and (at ?x ?z) (not (at ?x ?y))))
  (:action sample_soil
    :parameters (?x - rover ?s - store ?p - waypoint)
    :precondition (and
      (at ?x ?p) (at_soil_sample ?p) (equipped_for_soil_analysis ?x) (store_of ?s ?x)
      (empty ?s))
    :effect (and
      (full ?s) (have_soil_analysis ?x ?p) (not (empty ?s)) (not (at_soil_sample ?p))))
  (:action sample_rock
    :parameters (?x - rover ?s - store ?p - waypoint)
    :precondition (and
      (at ?x ?p) (at_rock_sample ?p) (equipped_for_rock_analysis ?x) (store_of ?s ?x)
      (empty ?s))
    :effect (and
      (full ?s) (have_rock_analysis ?x ?p) (not (empty ?s)) (not (at_rock_sample ?p))))
  (:action drop
    :parameters (?x - rover ?y - store)
    :precondition (and (store_of ?y ?x) (full ?y))
    :effect (and (empty ?y) (not (full ?y))))
  (:action calibrate
    :parameters (?r - rover ?i - camera ?t - objective ?w - waypoint)
    :precondition (and
      (equipped_for_imaging ?r) (calibration_target ?i ?t) (at ?r ?w) (visible_from ?t ?w)
      (on_board ?i ?r))
    :effect (and (calibrated ?i ?r)))
  (:action take_image
    :parameters (?r - rover ?p - waypoint ?o - objective ?i - camera ?m - mode)
    :precondition (and
      (calibrated ?i ?r) (on_board ?i ?r) (equipped_for_imaging ?r) (supports ?i ?m)
      (visible_from ?o ?p) (at ?r ?p))
    :effect (and (have_image ?r ?o ?m) (not (calibrated ?i ?r))))
  (:action communicate_soil_data
    :parameters (?r - rover ?l - lander ?p ?x ?y - waypoint)
    :precondition (and
      (at ?r ?x) (at_lander ?l ?y) (have_soil_analysis ?r ?p) (visible ?x ?y) (available ?r)
      (channel_free ?l))
    :effect (and
      (channel_free ?l) (communicated_soil_data ?p) (available ?r) (not (available ?r))
      (not (channel_free ?l))))
  (:action communicate_rock_data
    :parameters (?r - rover ?l - lander ?p ?x ?y - waypoint)
    :precondition (and
      (at ?r ?x) (at_lander ?l ?y) (have_rock_analysis ?r ?p) (visible ?x ?y) (available ?r)
      (channel_free ?l))
    :effect (and
      (channel_free ?l) (communicated_rock_data ?p) (available ?r) (not (available ?r))
      (not (channel_free ?l))))
  (:action communicate_image_data
    :parameters (?r - rover ?l - lander ?o - objective ?m - mode ?x ?y - waypoint)
    :precondition (and
      (at ?r ?x) (at_lander ?l ?y) (have_image ?r ?o ?m) (visible ?x ?y) (available ?r)
      (channel_free ?l))
    :effect (and
      (channel_free ?l) (communicated_image_data ?o ?m) (available ?r) (not (available ?r))
      (not (channel_free ?l)))))
"""


def generate(draws: Draws) -> Made:
    """1, 3 or 4 rovers, 5, 10 or 14 waypoints, 1, 3 or 5 cameras, 1, 3 or 4 objectives, 3 modes, 1,
    5 or 11 samples of soil and as many of rock, and up to 1, 7 or 13 parts of the goal.

    The goal is drawn from what a rover can reach, and the plan fetches its parts one by one.
    """
    while True:
        found = _Planet(draws).made()
        if found:
            return found


class _Planet:
    def __init__(self, draws: Draws):
        self.draws = draws
        self.rovers = [f"rover{k}" for k in range(draws.measure(1, 3, 4))]
        self.points = [f"waypoint{k}" for k in range(draws.measure(5, 10, 14))]
        self.cameras = [f"camera{k}" for k in range(draws.measure(1, 3, 5))]
        self.objectives = [f"objective{k}" for k in range(draws.measure(1, 3, 4))]
        self.modes = ["colour", "high_res", "low_res"]
        order = draws.shuffled(self.points)
        # A tree, so that all can be reached, and half as many ways again.
        links = [(one, draws.one_of(order[:k])) for k, one in enumerate(order) if k]
        for _ in range(len(order)):
            one, other = draws.some_of(order, 2)
            links.append((one, other))
        self.visible = {pair for one, other in links for pair in ((one, other), (other, one))}
        self.ways = {}
        for rover in self.rovers:
            own = [(a, b) for a, b in sorted(self.visible) if a < b and draws.happens(0.8)]
            self.ways[rover] = {pair for a, b in own for pair in ((a, b), (b, a))}
        self.at = {rover: draws.one_of(self.points) for rover in self.rovers}
        self.soil = draws.some_of(self.points, draws.measure(1, 5, 11))
        self.rock = draws.some_of(self.points, draws.measure(1, 5, 11))
        self.lander = draws.one_of(self.points)
        self.kit = {
            kind: [rover for rover in self.rovers if draws.happens(0.6)]
            for kind in ("soil", "rock", "imaging")
        }
        self.board = {camera: draws.one_of(self.rovers) for camera in self.cameras}
        self.supports = {
            camera: draws.some_of(self.modes, draws.between(1, 3)) for camera in self.cameras
        }
        self.target = {camera: draws.one_of(self.objectives) for camera in self.cameras}
        self.seen_from = {
            one: draws.some_of(self.points, draws.between(1, max(1, len(self.points) // 2)))
            for one in self.objectives
        }
        self.full: set[str] = set()
        self.plan: list[tuple[str, ...]] = []

    def path(self, rover: str, goals: list[str]) -> list[str] | None:
        """The waypoints from where a rover is to the nearest of some, or None."""
        start = self.at[rover]
        came: dict[str, str | None] = {start: None}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            if here in goals:
                steps: list[str] = []
                at: str | None = here
                while at is not None:
                    steps.append(at)
                    at = came[at]
                return steps[::-1]
            for other in self.points:
                if (here, other) in self.ways[rover] and other not in came:
                    came[other] = here
                    queue.append(other)
        return None

    def go(self, rover: str, goals: list[str]) -> None:
        path = self.path(rover, goals) or []
        for here, there in pairwise(path):
            self.plan.append(("navigate", rover, here, there))
        self.at[rover] = path[-1]

    def jobs(self) -> list[tuple[str, ...]]:
        """All that can be fetched and sent: (kind, rover, what ...)."""
        heard = [a for a, b in sorted(self.visible) if b == self.lander]
        found: list[tuple[str, ...]] = []
        for kind, samples in (("soil", self.soil), ("rock", self.rock)):
            for point in samples:
                for rover in self.kit[kind]:
                    if self.path(rover, [point]) and self.path(rover, heard):
                        found.append((kind, rover, point))
                        break
        for one in self.objectives:
            for mode in self.modes:
                for camera, rover in self.board.items():
                    if (
                        rover in self.kit["imaging"]
                        and mode in self.supports[camera]
                        and self.path(rover, self.seen_from[self.target[camera]])
                        and self.path(rover, self.seen_from[one])
                        and self.path(rover, heard)
                    ):
                        found.append(("image", rover, one, mode, camera))
                        break
        return found

    def do(self, job: tuple[str, ...]) -> str:
        """Plan a job; returns its part of the goal."""
        heard = [a for a, b in sorted(self.visible) if b == self.lander]
        kind, rover, what, *rest = job
        if kind == "image":
            mode, camera = rest
            target = self.target[camera]
            self.go(rover, self.seen_from[target])
            self.plan.append(("calibrate", rover, camera, target, self.at[rover]))
            self.go(rover, self.seen_from[what])
            self.plan.append(("take_image", rover, self.at[rover], what, camera, mode))
            self.go(rover, heard)
            sent = ("communicate_image_data", rover, "general", what, mode)
            self.plan.append((*sent, self.at[rover], self.lander))
            return f"communicated_image_data {what} {mode}"
        self.go(rover, [what])
        store = f"{rover}store"
        if store in self.full:
            self.plan.append(("drop", rover, store))
        self.full.add(store)
        self.plan.append((f"sample_{kind}", rover, store, what))
        self.go(rover, heard)
        told = (f"communicate_{kind}_data", rover, "general", what)
        self.plan.append((*told, self.at[rover], self.lander))
        return f"communicated_{kind}_data {what}"

    def made(self) -> Made | None:
        atoms = self.atoms()
        jobs = self.draws.some_of(self.jobs(), self.draws.measure(1, 7, 13))
        if len(jobs) < (self.draws.measure(1, 7, 13) + 1) // 2:
            return None
        goal = [self.do(job) for job in jobs]
        objects = {
            "lander": ["general"], "mode": self.modes, "rover": self.rovers,
            "store": [f"{rover}store" for rover in self.rovers], "waypoint": self.points,
            "camera": self.cameras, "objective": self.objectives,
        }  # fmt: skip
        return problem_of(self.draws, "rover", objects, atoms, goal), self.plan

    def atoms(self) -> list[str]:
        """All that is true at the start."""
        atoms = [f"visible {a} {b}" for a, b in sorted(self.visible)]
        atoms += [f"at_soil_sample {point}" for point in self.soil]
        atoms += [f"at_rock_sample {point}" for point in self.rock]
        atoms += [f"at_lander general {self.lander}", "channel_free general"]
        for rover in self.rovers:
            atoms += [f"at {rover} {self.at[rover]}", f"available {rover}"]
            atoms += [f"store_of {rover}store {rover}", f"empty {rover}store"]
            atoms += [f"can_traverse {rover} {a} {b}" for a, b in sorted(self.ways[rover])]
        for kind, told in (("soil", "soil_analysis"), ("rock", "rock_analysis"),
                           ("imaging", "imaging")):  # fmt: skip
            atoms += [f"equipped_for_{told} {rover}" for rover in self.kit[kind]]
        for camera, rover in self.board.items():
            atoms += [f"on_board {camera} {rover}"]
            atoms.append(f"calibration_target {camera} {self.target[camera]}")
            atoms += [f"supports {camera} {mode}" for mode in self.supports[camera]]
        for one, points in self.seen_from.items():
            atoms += [f"visible_from {one} {point}" for point in points]
        return atoms
