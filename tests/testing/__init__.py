"""For authors of games: the checks that every game has to pass, and what tests of one need.

In a test of your own game::

    import pytest
    from stratagym.testing import contract_checks

    @pytest.mark.parametrize(("name", "check"), contract_checks("nim"))
    def test_contract(name, check):
        check()

or all at once, ``contract("nim")``. A game is given by its name, its ``GameSpec``, or, where
options matter, its ``Rules``. pytest is not needed; what cannot be checked raises
``unittest.SkipTest``, which pytest shows as a skip.
"""

import sys

if "pytest" in sys.modules:  # it then shows what was compared, and not the message alone
    for _part in ("contract", "hiding", "oracles", "positions"):
        sys.modules["pytest"].register_assert_rewrite(f"{__name__}.{_part}")

from stratagym.testing.contract import CHECKS, contract, contract_checks
from stratagym.testing.oracles import same_as_openspiel, same_as_pettingzoo
from stratagym.testing.positions import RandomGame, check_replies, position, random_positions

__all__ = [
    "CHECKS",
    "RandomGame",
    "check_replies",
    "contract",
    "contract_checks",
    "position",
    "random_positions",
    "same_as_openspiel",
    "same_as_pettingzoo",
]
