"""The player that negotiates: what it says, promises, keeps and breaks."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from stratagym.agents.core import make_policy
from stratagym.agents.games.diplomacy import phrases
from stratagym.agents.games.diplomacy.phrases import PEACE, SUPPORT_MOVE, Proposal
from stratagym.benchmarks.harness.match_play import play_match
from stratagym.benchmarks.harness.matches import SeatedMatch
from stratagym.benchmarks.harness.protocol import NOBODY_ANSWERS
from stratagym.envs import spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import metrics
from stratagym.envs.diplomacy.notation import board_order_text, read_order

GAME = spec("diplomacy")
OPTIONS = {"rounds": 2, "years": 2}


def negotiated(name, seed):
    """A game of seven players of one name: (movements, messages with ``phase``)."""
    rules, said = GAME.make_rules(**OPTIONS), []
    seats = [make_policy(GAME, name) for _ in range(7)]
    in_force = GAME.options_in_force(**OPTIONS)
    match = SeatedMatch.of("test", "one", GAME, rules, in_force, seed, seats)
    record = asyncio.run(play_match(match, NOBODY_ANSWERS, messages=said.append))
    assert record["ended_by"] == "truncated" and record["messages"] == len(said)
    return metrics.play_again(rules, record["actions"], seed).movements, said


def promised(said):
    """(phase, who, to whom, kind, order) by what was said, told from the words by themselves."""
    offers, found = set(), set()
    for message in said:
        who, (to,), text = message["seat"], message["to"], message["text"]
        phase = text.rstrip(".").split(":")[0].split()[-1]
        if text.startswith("Let us keep peace in "):
            offers.add((phase, who, to, ""))
        elif text.startswith("Please order "):
            order, phase = text.removeprefix("Please order ").rstrip(".").split(" in ")
            offers.add((phase, who, to, order))
        else:
            what, phase = text.removeprefix("Agreed: ").rstrip(".").split(" in ")
            order = "" if what == "peace" else what
            assert (phase, to, who, order) in offers
            found.add((phase, who, to, order))
            if not order:
                found.add((phase, to, who, ""))
    return offers, found


def ordered(movement):
    """The orders of a movement by power, as texts; supports without coasts."""
    s = movement.before[0]
    texts = {power: [] for power in range(7)}
    for place, action in movement.orders.items():
        texts[int(s["owner"][place])].append(board_order_text(action, s["unit"], s["area"]))
    return texts


def is_attack(movement, text, power):
    """Whether a move, or a support of one, is to where a power has a unit or a centre."""
    if " - " not in text or " C " in text:
        return False
    place = g.SHORT[text.removesuffix(" VIA").rpartition(" - ")[2][:3]]
    s = movement.before[0]
    centre = metrics.CENTRE[place]
    return s["owner"][place] == power or (centre >= 0 and s["centre_owner"][centre] == power)


def kept(movements, promises):
    """Whether each promise was kept, by the orders."""
    by_phase = {one.phase: one for one in movements}
    found = {}
    for phase, who, to, order in promises:
        attacks = []
        texts = ordered(by_phase[phase])[who]
        if order:
            found[phase, who, to, order] = order in texts
        else:
            attacks = [text for text in texts if is_attack(by_phase[phase], text, to)]
            found[phase, who, to, order] = not attacks
        counted = metrics.is_kept(by_phase[phase], told(who, to, order))
        # A void support attacks nobody, though the orders alone do not tell that it is void.
        assert counted == found[phase, who, to, order] or (
            counted and all(" S " in a for a in attacks)
        )
    return found


def told(who, to, order):
    """A promise as ``metrics`` takes it."""
    return metrics.Promise(who, to, SUPPORT_MOVE if order else PEACE, order)


def test_who_keeps_promises_keeps_all_of_them(seed):
    movements, said = negotiated("negotiator", seed % 2**32)
    offers, promises = promised(said)
    assert {order for _, _, _, order in offers} > {""}  # peace, and some order
    messages = [SimpleNamespace(**one) for one in said]
    for one in movements:
        made = [found for agreed in phrases.agreements(messages, one.phase)
                for found in agreed.promises()]  # fmt: skip
        assert {(one.phase, who, to, what.order) for who, to, what in made} == {
            found for found in promises if found[0] == one.phase
        }
    found = kept(movements, promises)
    assert found and all(found.values()), [one for one in found if not found[one]]


def test_who_keeps_no_promise_plays_as_if_it_had_made_none(seed):
    seed %= 2**32
    movements, said = negotiated("negotiator:0", seed)
    _, promises = promised(said)
    found = kept(movements, promises)
    assert not any(found[one] for one in found if one[3])  # DumbBot supports its own alone
    silent, nothing = negotiated("negotiator:0?accept=0", seed)
    assert not promised(nothing)[1]
    assert [one.orders for one in silent] == [one.orders for one in movements]


def test_which_promises_are_kept_is_drawn_once(seed):
    """Half of them: what it draws for each is what its orders show."""
    seed %= 2**32
    movements, said = negotiated("negotiator:0.5", seed)
    _, promises = promised(said)
    player = make_policy(GAME, "negotiator:0.5")
    by_phase = {one.phase: one for one in movements}
    for (phase, who, to, order), is_so in kept(movements, promises).items():
        what = Proposal(SUPPORT_MOVE if order else PEACE, phase, order)
        drawn = player.keeps(by_phase[phase].before[0], who, to, what)
        if order:
            target, s = read_order(order).target_province, by_phase[phase].before[0]
            # A support of a move against a power that it keeps peace with is not given.
            assert is_so == drawn or metrics.holders(s, target), order
        elif drawn:
            assert is_so


def test_phrases_are_read_as_they_were_said():
    peace, order = Proposal(PEACE, "S1901M"), "F STP/SC S A LVN - FIN"
    for what in (peace, Proposal(SUPPORT_MOVE, "F1902M", order)):
        assert phrases.read(what.proposed()) == ("propose", what)
        assert phrases.read(what.accepted()) == ("accept", what)
    assert phrases.read("Let us keep peace in S1901M, please.") is None
    said = [SimpleNamespace(seat=seat, to=(to,), text=text) for seat, to, text in (
        (0, 1, peace.accepted()), (0, 1, peace.proposed()), (1, 0, peace.accepted()),
    )]  # fmt: skip
    (found,) = phrases.agreements(said, "S1901M")
    assert found.promises() == [(1, 0, peace), (0, 1, peace)]
    assert not phrases.agreements(said[:2], "S1901M") and not phrases.agreements(said, "F1901M")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("negotiator:2", "keep '2': a probability from 0 to 1"),
        ("negotiator:?accept=often", "accept 'often'"),
        ("negotiator:nan", "keep 'nan'"),
        ("negotiator?keep=1", "unknown option 'keep'; it takes accept"),
    ],
)
def test_what_is_no_probability_is_refused(name, words):
    with pytest.raises(ValueError, match=words):
        make_policy(GAME, name)
