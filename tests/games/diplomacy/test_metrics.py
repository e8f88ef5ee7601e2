"""What is counted of orders, and which promises were kept."""

from __future__ import annotations

from collections import Counter

import pytest
from diplomacy_boards import movement, random_game

from stratagym.envs import spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import metrics, saved
from stratagym.envs.diplomacy.metrics import Promise, Share

GAME = spec("diplomacy")
RULES = GAME.make_rules()
AUSTRIA, ENGLAND, FRANCE, GERMANY, ITALY, RUSSIA, TURKEY = range(7)


BOARD = {
    "FRANCE": ["A PAR", "A MAR", "A BUR", "F MAO", "A BRE"],
    "GERMANY": ["A MUN", "A RUH"],
    "RUSSIA": ["F STP/SC", "A TYR"],
    "ENGLAND": ["A NWY", "F ENG"],
}
ORDERS = {
    "FRANCE": ["A BUR - MUN", "A MAR - BUR", "A PAR S A MAR - BUR", "F MAO C A BRE - POR",
               "A BRE - POR VIA"],
    "GERMANY": ["A MUN H", "A RUH S A MUN"],
    "RUSSIA": ["A TYR S A BUR - MUN", "F STP/SC H"],
    "ENGLAND": ["A NWY - STP", "F ENG S F MAO"],
}  # fmt: skip


def test_shares_of_a_board_counted_by_hand():
    """Burgundy fails against two; so does Marseilles, behind it, whose support is void of nobody's
    defence; the support by Russia is of another player's attack."""
    one = movement(BOARD, ORDERS)
    france = metrics.order_shares(one, {FRANCE})
    assert france == {
        "move": Share(1, 3), "attack": Share(0, 1), "support_self": Share(0, 0),
        "support_others": Share(0, 0),
    }  # fmt: skip
    assert metrics.order_shares(one, {RUSSIA})["support_others"] == Share(1, 1)
    assert metrics.order_shares(one, {FRANCE, RUSSIA})["support_self"] == Share(1, 1)
    assert metrics.order_shares(one, {ENGLAND})["attack"] == Share(0, 1)
    assert metrics.order_shares(one, {GERMANY})["support_self"] == Share(0, 0)
    coded = metrics.order_shares_as_coded(one, {FRANCE})
    assert coded["move"] == Share(2, 4) and coded["attack"] == Share(0, 1)
    assert coded["support_self"] == Share(1, 2) and coded["support_others"] == Share(0, 0)
    # The fleet on the southern coast is another text than the army's target.
    assert metrics.order_shares_as_coded(one, {ENGLAND})["attack"] == Share(0, 0)
    assert metrics.order_shares_as_coded(one, {ENGLAND})["support_others"] == Share(1, 1)


def test_shares_of_random_games_follow_from_their_orders_as_text(seed):
    """Counted from a saved game's orders and results, in the package's words, and T = 2 SS + SO."""
    rules = GAME.make_rules(years=4)
    actions = random_game(rules, seed)
    told = metrics.play_again(rules, actions)
    phases = [p for p in saved.from_game(rules, actions)["phases"] if p["name"].endswith("M")]
    assert [one.phase for one in told.movements] == [p["name"] for p in phases][
        : len(told.movements)
    ]
    assert len(told.years) == 4 and told.years[-1][1] == metrics.centres_of(told.end[0])
    for power, name in enumerate(g.POWERS):
        totals, expected = Counter(), Counter()
        for one, phase in zip(told.movements, phases, strict=False):
            for kind, share in metrics.order_shares_as_coded(one, {power}).items():
                totals[kind] += share.total
                totals[kind, "done"] += share.successes
            own = {unit.split("/")[0] for unit in phase["state"]["units"][name]}
            for text in phase["orders"][name] or ():
                words, unit = text.split(), " ".join(text.split()[:2])
                done = not phase["results"][unit]
                if "S" in words:
                    helped = " ".join(words[3:5]).split("/")[0]
                    kind = "support_self" if helped in own else "support_others"
                elif "-" in words:
                    kind = "move"
                else:
                    continue
                expected[kind] += 1
                expected[kind, "done"] += done
        mine, others = expected["support_self"], expected["support_others"]
        assert totals["support_self"] == 2 * mine + others
        assert totals["support_others"] == others and totals["move"] == expected["move"]
        for kind in ("support_self", "support_others", "move"):
            assert totals[kind, "done"] == expected[kind, "done"], (name, kind)


@pytest.mark.parametrize(
    ("promise", "is_kept"),
    [
        (Promise(FRANCE, GERMANY, "peace"), False),
        (Promise(RUSSIA, GERMANY, "peace"), False),  # by its support
        (Promise(FRANCE, RUSSIA, "peace"), True),
        (Promise(ENGLAND, RUSSIA, "peace"), False),
        (Promise(GERMANY, FRANCE, "peace"), True),
        (Promise(RUSSIA, FRANCE, "support_move", "A TYR S A BUR - MUN"), True),
        (Promise(RUSSIA, FRANCE, "support_move", "A TYR S A BUR - BOH"), False),
        (Promise(GERMANY, FRANCE, "support_move", "A TYR S A BUR - MUN"), False),
        (Promise(ENGLAND, FRANCE, "support_hold", "F ENG S F MAO"), True),
        (Promise(FRANCE, ENGLAND, "move", "A BRE - POR"), True),  # by convoy
        (Promise(FRANCE, ENGLAND, "convoy", "F MAO C A BRE - POR"), True),
        (Promise(RUSSIA, ENGLAND, "hold", "F STP H"), True),
        (Promise(FRANCE, GERMANY, "hold", "A BUR H"), False),
        (Promise(FRANCE, GERMANY, "dmz", provinces=(g.SHORT["BUR"],)), False),
        (Promise(GERMANY, FRANCE, "dmz", provinces=(g.SHORT["BUR"], g.SHORT["MUN"])), True),
        (Promise(FRANCE, GERMANY, "hold", "WAIVE"), False),
    ],
)  # fmt: skip
def test_which_promises_orders_keep(promise, is_kept):
    assert metrics.is_kept(movement(BOARD, ORDERS), promise) == is_kept


def test_promises_that_say_nothing_are_refused():
    one = movement(BOARD, ORDERS)
    with pytest.raises(ValueError, match="promise 'love': choose one of: peace, dmz, move"):
        metrics.is_kept(one, Promise(FRANCE, GERMANY, "love"))
    with pytest.raises(ValueError, match="no_such_order"):
        metrics.is_kept(one, Promise(FRANCE, GERMANY, "hold", "please"))


def test_a_void_support_attacks_nobody():
    orders = ORDERS | {"FRANCE": ["A BUR H"]}
    assert metrics.is_kept(movement(BOARD, orders), Promise(RUSSIA, GERMANY, "peace"))
