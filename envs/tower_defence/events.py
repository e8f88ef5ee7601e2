"""What can happen in a battle of tower defence, as a list of events tells it."""

from __future__ import annotations

EVENTS = (
    "spawn", "shot", "burn", "explode", "pulse", "slow", "bite", "death", "jump", "summon", "reach",
)  # fmt: skip
"""Kinds of events by number.

A row of the list is (tick, kind, actor, target, amount, extra). An actor or target is a cell 0 to
54, or 64 and the number of a demon, in the order in which they came; -1 is nobody. Amounts of HP
and damage are in tenths.

| kind | actor | target | amount | extra |
|---|---|---|---|---|
| spawn | who comes | its row, or its cell | HP | unit |
| shot | cell | demon | damage | type |
| burn | demon | -1 | damage | 0 |
| explode | cell | -1, and then every demon that it hurts | damage | unit |
| pulse | cell | demon that loses its armour | 0 | 0 |
| slow | cell | demon | tick in which it ends | 0 |
| bite | demon | cell | damage | 0 |
| death | who died | -1 | where a demon was | unit |
| jump | demon | cell that it jumps over | where it lands | 0 |
| summon | demon | the one that comes | where | unit |
| reach | demon | -1 | 0 | unit |
"""
(
    SPAWN, SHOT, BURN, EXPLODE, PULSE, SLOW, BITE, DEATH, JUMP, SUMMON, REACH,
) = range(len(EVENTS))  # fmt: skip
FIRST_DEMON = 64
"""Demon 0 among actors."""
LOG_LENGTH = 65_536
"""Events that a list for ``fight`` should hold."""
