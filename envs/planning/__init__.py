"""Planning.

One agent changes the world by actions until a goal holds. The problem is data: a domain in PDDL
(which actions there are) and a problem of it (which objects, what is true at the start, what is
wanted). One compiled engine plays all of them, and another problem compiles nothing.

The domains are those of the formal part of SPIN-Bench (2025), written anew, with generators: every
number of an instance is another problem, and the generator has a plan for it. Any other problem can
be given as files.

## Rules and variants

| Topic | Here | Option |
| --- | --- | --- |
| Problem | built in: a domain, a size from 1 to 9, the number of an instance | `domain`, `size`, `instance` |
| Size `"spin"` | parameters drawn from the whole range of the published tasks | `size="spin"` |
| Files | PDDL with typing, ADL and numbers (below) | `task`, `domain_file` |
| Within an action | all conditions and numbers are read from the state before it; then atoms are deleted, then added (added wins), then numbers change | |
| Several changes of one number | increases and decreases sum; assigning it besides is an error of the domain | |
| A number that was never given | every comparison with it is false; `assign` sets it; `total-cost` alone starts at 0 | |
| What is not told at the start | is false | |
| One object for two parameters | allowed | |
| End | when the goal holds, when nothing can be done, or after `max_steps` | `max_steps` |

Read of PDDL: typing with several levels and `either`, constants, equality, negative and disjunctive conditions,
quantifiers, conditional effects, `increase`, `decrease` and `assign` with linear sums, comparisons of numbers, a
linear metric. Anything else, such as durative actions, is refused by its name. A file has at most
2,000,000 characters; an environment holds 4,096 atoms and 256 numbers that change.

## Action space

`Discrete(n)`: the actions that can be reached if nothing is ever deleted, `n` of them in this problem, ordered by
action schema and objects as they are declared. As text an action is `(stack b1 b2)`.

## Observation space

`observation`: `Box(-1, 1, (2 F + N + K,), float32)`, without bounds where numbers change, for F atoms, N numbers and
K parts of the goal.

| Entries | Content |
| --- | --- |
| F | 1 for an atom that is true |
| F | 1 for an atom that the goal wants true, -1 for one that it wants false |
| N | numbers, each divided by the largest of 1, its start and its bound in the goal; 0 where never given |
| K | 1 for a part of the goal that holds |

`action_mask`: `Box(0, 1, (n,), int8)`.

## Starting state

The problem's; `reset(seed)` changes nothing. Another instance is another environment:
`make("planning", instance=7)`.

## Rewards

1 when the goal is reached, else 0. With `reward="cost"`, minus what each step adds to the problem's metric, where it has
none minus 1 for each step.

## Episode end

Termination when the goal holds or no action can be taken; truncation after `max_steps` steps, by default 4 times the
length of the plan that came with the problem and 20 more, at most 2,000, and 500 where none came with it.

## Many plans at once

`stratagym.envs.planning.bulk.check_plans` tries any number of plans for one problem in one compiled call, a million plans
of 40 actions a second on one core; `stratagym.envs.planning.task` has the engine that searches use, whose states are bare
rows of words and numbers.

## Planners as a ladder

`planner:0` to `planner:5` are players; a calibration tells how many problems each solves, not how many games it wins.
`python -m stratagym.benchmarks.planning.ladder FILE` makes it again, the same to the last number, in 15 minutes on two
cores. One problem of each of the 21 domains and 9 sizes, 163 with at most 3,000 actions (26 larger ones are left out), and
10,000 states at most for every level, so that searches are compared and not their budgets:

| Level | Solved of 163 | It alone | The level below alone | Shorter plans | Longer plans |
| --- | --- | ---: | ---: | ---: | ---: |
| 0 | 13: 0.08 [0.05, 0.13] | | | | |
| 1 | 34: 0.21 [0.15, 0.28] | 24 | 3 | 10 | 0 |
| 2 | 47: 0.29 [0.22, 0.36] | 20 | 7 | 0 | 27 |
| 3 | 94: 0.58 [0.50, 0.65] | 50 | 3 | 44 | 0 |
| 4 | 103: 0.63 [0.56, 0.70] | 15 | 6 | 26 | 13 |
| 5 | 103: 0.63 [0.56, 0.70] | 0 | 0 | 27 | 0 |

Of the problems that one of two neighbouring levels solves alone, the higher one has 71% to 94%. Breadth-first search stands
below random walks that count the goal's parts: with as many states it solves fewer problems, and only small ones. Its plans
are the shortest there are, those of the walks 5 times as long. With no more states than level 4, level 5 finds the same
plans and shortens them with what is left.

Each level with its own budget, on the 39 problems with at most 100 actions
(`python -m stratagym.benchmarks.planning.ladder FILE 1000000 2 100`):

| Level | Solved of 39 | It alone | The level below alone | Shorter plans | Longer plans |
| --- | --- | ---: | ---: | ---: | ---: |
| 0 | 8: 0.21 [0.11, 0.36] | | | | |
| 1 | 18: 0.46 [0.32, 0.61] | 10 | 0 | 8 | 0 |
| 2 | 20: 0.51 [0.36, 0.66] | 3 | 1 | 0 | 17 |
| 3 | 28: 0.72 [0.56, 0.83] | 8 | 0 | 20 | 0 |
| 4 | 31: 0.79 [0.64, 0.89] | 3 | 0 | 5 | 3 |
| 5 | 31: 0.79 [0.64, 0.89] | 0 | 0 | 14 | 0 |

So on small problems level 5 is not told from level 4 by what it solves, only by shorter plans; neither solves counters from
size 3 on. Larger problems that level 4 leaves over take minutes each. Of six such, chosen by hand, level 5 solved three
(cooperate_sequential_gripper in sizes 3 and 4, briefcaseworld in size 6) and not the others (floortile in size 8, sugar in
sizes 1 and 3): too few for a share.
"""

from typing import Any

from stratagym.envs.core import GameSpec, Option, integer
from stratagym.envs.data_files import data_file
from stratagym.envs.planning.domains import NAMES, SIZES, VARIANTS


def _file(value: Any) -> str:
    """A ``choices`` function: nothing, or the name of a file."""
    return data_file(value) if value else ""


SPEC = GameSpec(
    name="planning",
    title="Planning",
    version=1,
    min_players=1,
    max_players=1,
    utility="general",
    max_game_length=84,
    options={
        "domain": Option("blocksworld", NAMES, "which actions and objects there are"),
        "size": Option(3, SIZES, "how large the problem is"),
        "instance": Option(0, integer(0, 2**31 - 1), "which problem of this domain and size"),
        "task": Option("", _file, "a problem from a PDDL file, with `domain_file`"),
        "domain_file": Option("", _file, "the PDDL file with the domain of `task`"),
        "max_steps": Option(
            0, integer(0, 2000), "0: 4 times the length of the known plan and 20, or 500"
        ),
        "reward": Option("goal", ("goal", "cost"), "what is rewarded"),
        "variant": Option("published", VARIANTS, "strict: three flawed domains, mended"),
    },
    sources=(
        "SPIN-Bench: how well do LLMs plan strategically and reason socially? (2025)",
        "M. Fox, D. Long: PDDL2.1, an extension to PDDL for expressing temporal planning domains (2003)",
    ),
)
