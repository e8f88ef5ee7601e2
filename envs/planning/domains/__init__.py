"""The domains that are built in: their PDDL, and generators of problems that can be solved.

One module a domain. Each has ``PDDL``, the domain's text, and ``generate(draws)``, which returns a
``Made`` problem with a plan for it.

The smallest, the middle and the largest of each parameter, at sizes 1, 5 and 9, follow SPIN-Bench's
published tasks. What is middle is decided by the whole problem: in size 5 its objects, atoms and
actions are those of the median task, within 20%. Actions are products of parameters, so that the
medians of all parameters do not make the median of the actions; where they would miss it, one
parameter is another (robots of Multi_Agent_coordination, directions of satellite, crates of depots,
markets of markettrader). Published deals of freecell are all of one size, which is large here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from stratagym.envs.planning.domains.making import Draws, Instance

NAMES = (
    "Multi_Agent_coordination", "assembly", "barman", "blocksworld", "briefcaseworld",
    "cooperate_sequential_gripper", "counters", "depots", "drone", "elevator", "floortile",
    "freecell", "grid", "logistics", "markettrader", "rovers", "satellite", "settlersnumeric",
    "sokoban", "sugar", "termes",
)  # fmt: skip
"""As the published tasks name them."""
SIZES: tuple[Any, ...] = (*range(1, 10), "spin")
VARIANTS = ("published", "strict")
STRICT = ("Multi_Agent_coordination", "markettrader", "settlersnumeric")
"""Domains that have a ``STRICT_PDDL`` besides: as published they allow what was not meant."""


def make_instance(domain: str, size: int | str, instance: int, variant: str) -> Instance:
    """A problem that is built in, with a plan for it.

    The same arguments give the same problem on every machine.

    Raises:
        ValueError: a variant that the domain does not have.
    """
    module = import_module(f"stratagym.envs.planning.domains.{domain.lower()}")
    if variant == "strict" and domain not in STRICT:
        listed = ", ".join(STRICT)
        raise ValueError(f"planning: variant=strict is for {listed}, not for {domain}")
    text = module.STRICT_PDDL if variant == "strict" else module.PDDL
    problem, plan = module.generate(Draws(domain, size, instance, variant))
    return Instance(text, problem, tuple(plan))
