"""Satellites that turn their instruments to stars and take images."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain satellite)
  (:types
    satellite direction instrument mode)
  (:predicates
    (on_board ?i - instrument ?s - satellite) (supports ?i - instrument ?m - mode)
    (pointing ?s - satellite ?d - direction) (power_avail ?s - satellite)
    (power_on ?i - instrument) (calibrated ?i - instrument)
    (have_image ?d - direction ?m - mode)
    (calibration_target ?i - instrument ?d - direction))
  (:action turn_to
    :parameters (?s - satellite ?d_new ?d_prev - direction)
    :precondition (and (pointing ?s ?d_prev))
    :effect (and (pointing ?s ?d_new) (not (pointing ?s ?d_prev))))
  (:action switch_on
    :parameters (?i - instrument ?s - satellite)
    :precondition (and (on_board ?i ?s) (power_avail ?s))
    :effect (and (power_on ?i) (not (calibrated ?i)) (not (power_avail ?s))))
  (:action switch_off
    :parameters (?i - instrument ?s - satellite)
    :precondition (and (on_board ?i ?s) (power_on ?i))
    :effect (and (power_avail ?s) (not (power_on ?i))))
  (:action calibrate
    :parameters (?s - satellite ?i - instrument ?d - direction)
    :precondition (and
      (on_board ?i ?s) (calibration_target ?i ?d) (pointing ?s ?d) (power_on ?i))
    :effect (and (calibrated ?i)))
  (:action take_image
    :parameters (?s - satellite ?d - direction ?i - instrument ?m - mode)
    :precondition (and
      (calibrated ?i) (on_board ?i ?s) (supports ?i ?m) (power_on ?i) (pointing ?s ?d))
    :effect (and (have_image ?d ?m))))
"""


def generate(draws: Draws) -> Made:
    """1, 3 or 5 satellites, 1, 6 or 14 instruments, 3, 4 or 5 modes, 2, 9 or 19 directions and 1,
    6 or 13 parts of the goal: mostly images, and where some satellites point in the end.
    """
    count = draws.measure(1, 3, 5)
    satellites = [f"satellite{k}" for k in range(count)]
    instruments = [f"instrument{k}" for k in range(max(count, draws.measure(1, 6, 14)))]
    modes = [f"mode{k}" for k in range(draws.measure(3, 4, 5))]
    directions = [f"star{k}" for k in range(draws.measure(2, 9, 19))]
    home = {
        one: satellites[k] if k < count else draws.one_of(satellites)
        for k, one in enumerate(instruments)
    }
    supports = {one: draws.some_of(modes, draws.between(1, 3)) for one in instruments}
    targets = {
        one: draws.some_of(directions, draws.between(1, min(3, len(directions))))
        for one in instruments
    }
    pointing = {one: draws.one_of(directions) for one in satellites}
    able = [mode for mode in modes if any(mode in own for own in supports.values())]
    ends: dict[str, str] = {}
    images = [(d, m) for d in directions for m in able]
    parts = draws.measure(1, 6, 13)
    for one in satellites:
        if len(ends) < parts - 1 and draws.happens(0.25):
            ends[one] = draws.one_of(directions)
    wanted = draws.some_of(images, parts - len(ends))
    atoms = []
    for one in instruments:
        atoms.append(f"on_board {one} {home[one]}")
        atoms += [f"supports {one} {mode}" for mode in supports[one]]
        atoms += [f"calibration_target {one} {target}" for target in targets[one]]
    for one in satellites:
        atoms += [f"pointing {one} {pointing[one]}", f"power_avail {one}"]
    goal = [f"have_image {d} {m}" for d, m in wanted]
    goal += [f"pointing {one} {d}" for one, d in ends.items()]
    plan: list[tuple[str, ...]] = []
    on: dict[str, str] = {}

    def turn(satellite: str, direction: str) -> None:
        if pointing[satellite] != direction:
            plan.append(("turn_to", satellite, direction, pointing[satellite]))
            pointing[satellite] = direction

    for direction, mode in wanted:
        one = next(
            (one for one in on.values() if mode in supports[one]),
            next(one for one in instruments if mode in supports[one]),
        )
        satellite = home[one]
        if on.get(satellite) != one:
            if satellite in on:
                plan.append(("switch_off", on[satellite], satellite))
            plan.append(("switch_on", one, satellite))
            on[satellite] = one
            turn(satellite, targets[one][0])
            plan.append(("calibrate", satellite, one, targets[one][0]))
        turn(satellite, direction)
        plan.append(("take_image", satellite, direction, one, mode))
    for satellite, direction in ends.items():
        turn(satellite, direction)
    objects = {
        "satellite": satellites, "instrument": instruments, "mode": modes, "direction": directions
    }  # fmt: skip
    return problem_of(draws, "satellite", objects, atoms, goal), plan
