"""Blocks on a table, moved one at a time from towers to other towers."""

from __future__ import annotations

from functools import cache

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain blocksworld-4ops)
  (:predicates
    (clear ?x) (on-table ?x) (arm-empty) (holding ?x) (on ?x ?y))
  (:action pickup
    :parameters (?ob)
    :precondition (and (clear ?ob) (on-table ?ob) (arm-empty))
    :effect (and (holding ?ob) (not (clear ?ob)) (not (on-table ?ob)) (not (arm-empty))))
  (:action putdown
    :parameters (?ob)
    :precondition (and (holding ?ob))
    :effect (and (clear ?ob) (arm-empty) (on-table ?ob) (not (holding ?ob))))
  (:action stack
    :parameters (?ob ?underob)
    :precondition (and (clear ?underob) (holding ?ob))
    :effect (and
      (arm-empty) (clear ?ob) (on ?ob ?underob) (not (clear ?underob)) (not (holding ?ob))))
  (:action unstack
    :parameters (?ob ?underob)
    :precondition (and (on ?ob ?underob) (clear ?ob) (arm-empty))
    :effect (and
      (holding ?ob) (clear ?underob) (not (on ?ob ?underob)) (not (clear ?ob))
      (not (arm-empty)))))
"""


@cache
def _states(floating: int, grounded: int) -> int:
    """How many ways there are to put ``floating`` towers on the table or on any other tower."""
    if not floating:
        return 1
    on_table = _states(floating - 1, grounded + 1)
    return on_table + (floating - 1 + grounded) * _states(floating - 1, grounded)


def towers(draws: Draws, blocks: list[str]) -> list[list[str]]:
    """Towers of the blocks, the lowest first: all ways to stack them are equally likely.

    By J. Slaney and S. Thiebaux, Blocks World revisited, Artificial Intelligence 125 (2001).
    """
    floating = [[block] for block in draws.shuffled(blocks)]
    grounded: list[list[str]] = []
    while floating:
        tower = floating.pop()
        all_ways = _states(len(floating) + 1, len(grounded))
        if draws.below(all_ways) < _states(len(floating), len(grounded) + 1):
            grounded.append(tower)
        else:
            draws.one_of([*floating, *grounded]).extend(tower)
    return grounded


def _on(stacks: list[list[str]]) -> list[tuple[str, str]]:
    return [pair for tower in stacks for pair in zip(tower[1:], tower, strict=False)]


def generate(draws: Draws) -> Made:
    """5, 9 or 14 blocks; the goal says what stands on what.

    The plan takes all towers down and builds the new ones.
    """
    blocks = [f"b{k}" for k in range(1, draws.measure(5, 9, 14) + 1)]
    before = towers(draws, blocks)
    while True:
        after = towers(draws, blocks)
        if not set(_on(after)) <= set(_on(before)):
            break
    atoms = [f"on-table {tower[0]}" for tower in before]
    atoms += [f"on {upper} {lower}" for upper, lower in _on(before)]
    atoms += [*(f"clear {tower[-1]}" for tower in before), "arm-empty"]
    plan: list[tuple[str, ...]] = []
    for tower in before:
        for upper, lower in zip(tower[:0:-1], tower[-2::-1], strict=True):
            plan += [("unstack", upper, lower), ("putdown", upper)]
    for upper, lower in _on(after):
        plan += [("pickup", upper), ("stack", upper, lower)]
    goal = [f"on {upper} {lower}" for upper, lower in _on(after)]
    return problem_of(draws, "blocksworld-4ops", {"object": blocks}, atoms, goal), plan
