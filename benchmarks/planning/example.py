"""A solved problem in front of the asked one (``--one-shot``): three blocks, four actions."""

from __future__ import annotations

import json
from dataclasses import dataclass

from stratagym.benchmarks.harness.decisions import Question
from stratagym.envs.planning.domains import blocksworld
from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.planning.problems import grounded_from
from stratagym.envs.planning.sentences import domain_sentences, formula_words
from stratagym.envs.text import Asking, Turn
from stratagym.envs.words import section

PROBLEM = """(define (problem three-blocks)
  (:domain blocksworld-4ops)
  (:objects b1 b2 b3)
  (:init (arm-empty) (on b3 b1) (on-table b1) (on-table b2) (clear b3) (clear b2))
  (:goal (and (on b1 b2) (on-table b3))))"""
PLAN = ("(unstack b3 b1)", "(putdown b3)", "(pickup b1)", "(stack b1 b2)")
WHY = (
    "b3 stands on b1, which has to be moved, and nothing is held: after it b3 is held and b1 is "
    "clear",
    "b3 is held: after it b3 is on the table, as is wanted, and nothing is held",
    "b1 is clear and on the table, and nothing is held: after it b1 is held",
    "b2 is clear and b1 is held: after it b1 is on b2, as is wanted",
)
"""For each action of ``PLAN`` why it is taken, that its condition holds, and what it changes."""


def solved() -> Grounded:
    """The example, grounded."""
    return grounded_from(blocksworld.PDDL, PROBLEM, "the example's domain", "the example")


def example_text(form: str) -> str:
    """The example with its answer.

    Args:
        form: ``pddl`` or ``words``, as positions are told.
    """
    if form == "pddl":
        told = ["```pddl", blocksworld.PDDL.strip(), "```", "", "```pddl", PROBLEM, "```"]
    else:
        grounded = solved()
        true = ", ".join(" ".join(atom) for atom in grounded.problem.atoms)
        told = [
            *domain_sentences(grounded.domain), "",
            f"Objects: {', '.join(grounded.problem.objects)}. True at the start, and nothing else "
            f"is: {true}. Goal: {formula_words(grounded.problem.goal)}",
        ]  # fmt: skip
    steps = [
        f"{k}. {action}: {why}." for k, (action, why) in enumerate(zip(PLAN, WHY, strict=True), 1)
    ]
    return "\n\n".join(
        [
            section("Example", "Another problem, which is solved already:", "", *told),
            "\n".join(
                [
                    "Its answer:",
                    "",
                    *steps,
                    "In the last state b1 is on b2 and b3 on the table, so the goal holds.",
                    "",
                    json.dumps({"plan": list(PLAN)}),
                ]
            ),
            "The example ends here. This is the problem to be solved now:",
        ]
    )


@dataclass(frozen=True)
class OneShot(Question):
    """A question for a plan with the example in front of its problem."""

    form: str = "pddl"

    def asking(self, tries: int = 1) -> Asking:
        plain = super().asking(tries).turn
        *system, user = plain.messages
        shown = {**user, "content": f"{example_text(self.form)}\n\n{user['content']}"}
        turn = Turn(plain.seat, [*system, shown], plain.states, plain.rules)
        return Asking(self.game, self.rules, turn, tries, self.text)
