"""Fight the Landlord: rules against a plain second implementation, OpenSpiel, DouZero, Botzone."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from dou_dizhu_positions import GAME, PARTS, WHOLE, dealt, legal_of, play, started
from plain_dou_dizhu import beats as plainly_beats
from plain_dou_dizhu import plays as plain_plays

from stratagym.envs import core
from stratagym.envs.dou_dizhu import cards as sets
from stratagym.envs.dou_dizhu import metrics, patterns, plays, view
from stratagym.envs.dou_dizhu import rules as kernel
from stratagym.envs.text import OK, TextOptions, judge, messages
from stratagym.envs.words import Renaming
from stratagym.testing import RandomGame

BOTZONE = GAME.make_rules(plays="whole", judge="botzone")
KICKERS = ("distinct", "pagat", "loose")
NO_PLAYS = 26065


def returned(rules, states):
    out = np.zeros(3)
    core.returns_at(rules, states, 0, out)
    return out.tolist()


def some_hand(rng, size):
    """Ranks, in clumps often enough for sequences and fours."""
    if rng.random() < 0.5:
        ranks = rng.permutation(np.repeat(np.arange(15), [4] * 13 + [1, 1]))
        return ranks[:size].tolist()
    order = (rng.integers(15) + np.arange(15)) % 15 if rng.random() < 0.7 else rng.permutation(15)
    deck = [rank for rank in order.tolist() for _ in range(1 if rank > 12 else rng.integers(1, 5))]
    return (deck + [rank for rank in range(13) if rank not in deck])[:size]


# --- the tables ----------------------------------------------------------------------------------


def test_numbers_of_plays():
    by_kind = Counter(np.diff(patterns.FIRST)[:1].tolist())
    assert by_kind == {1: 1} and patterns.PATTERNS == 398
    first = [int(patterns.FIRST[patterns.FIRST_PATTERN[kind]]) for kind in range(18)]
    assert first == [
        0, 1, 16, 29, 42, 224, 380, 416, 468, 513, 20915, 23854, 25193, 26051, 26064, 26065, 26103,
        32131,
    ]  # fmt: skip
    assert patterns.FIRST_PATTERN.tolist() == [
        0, 1, 16, 29, 42, 55, 68, 104, 156, 201, 239, 269, 282, 295, 308, 309, 347, 377,
    ]  # fmt: skip
    assert len(patterns.PLAY_CARDS) == 33936 == BOTZONE.num_actions
    assert WHOLE.num_actions == 26065
    sizes = [
        GAME.make_rules(shuttle=shuttle, bidding=bidding).num_actions
        for bidding in ("none", "points")
        for shuttle in (False, True)
    ]
    assert sizes == [324, 413, 328, 417]
    assert GAME.make_rules(plays="whole", bidding="points").num_actions == 26069
    usual = patterns.PLAY_CARDS[:NO_PLAYS]
    allowed = [int((usual & np.uint64(plays.forbidden_kickers(k)) == 0).sum()) for k in range(3)]
    assert allowed == [13551, 12655, 26065]
    assert int((patterns.PLAY_CARDS & plays.forbidden_kickers(0) == 0).sum()) == 21422


def test_cards_and_numbers_of_plays_are_one_to_one():
    cards = (patterns.PLAY_CARDS & patterns.ONLY_CARDS).tolist()
    assert len(set(cards)) == len(cards)
    assert [plays.play_of(each) for each in cards] == list(range(len(cards)))
    assert all(sets.packed(sets.ranks_of(each)) == each for each in cards[::97])
    for action in range(0, BOTZONE.num_actions, 1009):
        out = np.ones(54, np.int8)
        kernel.action_cards(BOTZONE, action, out)
        ranks = [min(k // 4, 13) if k < 53 else 14 for k in np.flatnonzero(out)]
        assert ranks == sets.ranks_of(cards[action])


@pytest.mark.parametrize("shuttle", [False, True])
@pytest.mark.parametrize("kickers", KICKERS)
def test_plays_are_those_of_the_plain_rules(kickers, shuttle, rng):
    """Leading and following, as whole plays and in parts."""
    rules = GAME.make_rules(kickers=kickers, shuttle=shuttle, plays="whole")
    code = KICKERS.index(kickers)
    out, seen = np.zeros(rules.num_actions, np.int64), Counter()
    for _ in range(25):
        hand = some_hand(rng, int(rng.integers(1, 14)))
        packed = np.uint64(sets.packed(hand))
        plain = dict(plain_plays(hand, kickers, shuttle))
        tops = [(0, (), ())]
        other = list(plain_plays(some_hand(rng, 12), kickers, shuttle))
        for k in rng.integers(len(other), size=4):
            cards, kind = other[k]
            tops.append((int(patterns.PATTERN[plays.play_of(sets.packed(cards))]), cards, kind))
        for top, top_cards, top_kind in tops:
            found = out[: plays.find_plays(packed, top, 1, code, int(shuttle), out)].tolist()
            assert found == sorted(set(found))
            ours = {
                tuple(sets.ranks_of(patterns.PLAY_CARDS[k] & patterns.ONLY_CARDS))
                for k in found if k
            }  # fmt: skip
            wanted = {
                cards for cards, kind in plain.items()
                if not top or plainly_beats(cards, kind, top_cards, top_kind)
            }  # fmt: skip
            assert ours == wanted, (hand, top_cards)
            assert (0 in found) == (top != 0)
            by_parts = parts_of(packed, top, code, shuttle)
            assert by_parts == {sets.packed(cards) for cards in wanted}, (hand, top_cards)
            seen.update(patterns.KIND[patterns.PATTERN[found]].tolist())
    assert len(seen) > 5


def parts_of(hand, top, kickers, shuttle):
    """The cards of all plays that can be named in parts, each by one sequence of actions."""
    out = np.zeros(413, np.int64)
    found = []

    def name(pattern, placed):
        wanted = int(patterns.KICKERS[pattern]) * int(patterns.KICKER_SIZE[pattern])
        if sets.size(np.uint64(placed)) == wanted:
            found.append(int(patterns.BODY[pattern]) + placed)
            return
        n = plays.find_kickers(hand, pattern, np.uint64(placed), kickers, out)
        choice = out[:n].tolist()
        assert choice and choice == sorted(set(choice))
        for action in choice:
            each = int(patterns.KICKER_SIZE[pattern])
            name(pattern, placed + (each << 4 * (action - plays.KICKER_AT)))

    n = plays.find_plays(hand, top, 0, kickers, int(shuttle), out)
    begun = out[:n].tolist()
    assert begun == sorted(set(begun))
    for action in begun:
        if action:
            name(int(plays.pattern_of_part(action)), 0)
    assert len(found) == len(set(found))
    return set(found)


@pytest.mark.oracle
def test_plays_are_those_of_douzero(rng):
    """All of ours and nothing else but plays with three or four equal kickers."""
    generator = pytest.importorskip("douzero.env.move_generator")
    names = [*range(3, 15), 17, 20, 30]
    ranks = {name: rank for rank, name in enumerate(names)}
    out, extra = np.zeros(NO_PLAYS, np.int64), 0
    for _ in range(60):
        hand = sorted(some_hand(rng, int(rng.integers(1, 21))))
        theirs = generator.MovesGener([names[rank] for rank in hand]).gen_moves()
        theirs = {sets.packed(ranks[card] for card in cards) for cards in theirs}
        n = plays.find_plays(np.uint64(sets.packed(hand)), 0, 1, plays.LOOSE, 0, out)
        ours = set((patterns.PLAY_CARDS[out[:n]] & patterns.ONLY_CARDS).tolist())
        assert ours <= theirs, hand
        for cards in theirs - ours:
            held = Counter(Counter(sets.ranks_of(cards)).values())
            assert any(number >= 3 for number in held) and sum(held.values()) < 6, cards
        extra += len(theirs - ours)
    assert extra < 100


# --- the course of the game ----------------------------------------------------------------------


def test_both_encodings_reach_the_same_states(rng):
    """What is played in parts, played whole; 100 games."""
    for _ in range(100):
        seed = int(rng.integers(2**63))
        played = RandomGame(PARTS, seed)
        states = started(WHOLE, seed)
        legal, probs = core.new_scratch(WHOLE)
        for state, action in zip(played.states, played.actions, strict=True):
            if not state[0]["building"]:
                assert same_state(state[0], states[0])
            cards = view._completed(PARTS, state[0], action)
            if cards is not None:
                whole = plays.play_of(cards)
                assert core.is_legal_action_at(WHOLE, states, 0, whole, legal)
                core.play_at(WHOLE, states, 0, whole, legal, probs)
        assert same_state(played.end[0], states[0])
        assert returned(PARTS, played.end) == returned(WHOLE, states)


def same_state(one, other):
    return all(np.array_equal(one[name], other[name]) for name in kernel.STATE.names)


def test_a_whole_play_is_legal_where_it_is_listed(rng):
    for rules in (WHOLE, BOTZONE, GAME.make_rules(plays="whole", kickers="pagat")):
        played = RandomGame(rules, int(rng.integers(2**63)))
        for state, choice in zip(played.states, played.choices, strict=True):
            asked = {*choice.tolist(), *rng.integers(-2, rules.num_actions + 2, 40).tolist()}
            for action in asked:
                found = core.is_legal_action_at(rules, state, 0, action, played.legal)
                assert found == (action in choice), action


def test_the_deal_is_that_of_the_seed():
    states = [started(rules, 5)[0] for rules in (PARTS, WHOLE, BOTZONE)]
    for s in states:
        assert [int(sets.size(np.uint64(hand))) for hand in s["hands"]] == [20, 17, 17]
        assert sum(int(hand) for hand in s["hands"]) == int(sets.DECK)
        assert sets.holds(s["hands"][0], s["bottom"]) and sets.size(s["bottom"]) == 3
        assert s["hands"].tolist() == states[0]["hands"].tolist()
    bid = started(GAME.make_rules(bidding="points"), 5)[0]
    assert bid["hands"][1:].tolist() == states[0]["hands"][1:].tolist()
    assert int(bid["hands"][0] + bid["bottom"]) == int(states[0]["hands"][0])
    assert started(PARTS, 6)[0]["hands"].tolist() != states[0]["hands"].tolist()


def test_every_card_is_dealt_to_every_place_alike():
    where = np.zeros(4)
    for seed in range(2000):
        s = started(PARTS, seed)[0]
        for k, held in enumerate((s["bottom"], *s["hands"])):
            where[k] += sets.count(np.uint64(held), 14)
    assert where[1:].sum() == 2000
    expected = np.array([3, 20, 17, 17]) / 54 * 2000
    assert (np.abs(where - expected) < 5 * np.sqrt(expected)).all(), where


def test_two_passes_give_the_lead_back():
    states = dealt(WHOLE, [[0, 0, 3, 4], [1, 5, 5], [2, 2, 6, 7]])
    assert play(WHOLE, states, "3 3", "8 8", "pass", "pass") == 1
    assert states["top"][0] == 0 and 0 not in legal_of(WHOLE, states)
    with pytest.raises(ValueError, match="not_in_hand"):
        view.string_to_action(WHOLE, states[0], "3")
    assert play(WHOLE, states, "4") == core.TERMINAL
    assert returned(WHOLE, states) == [-4, 2, 2]  # the landlord played once only: spring


def test_stakes_bombs_and_spring():
    rules = GAME.make_rules(plays="whole", spring=False)
    for options, worth in (
        (WHOLE, 8),
        (rules, 4),
        (GAME.make_rules(plays="whole", score="win"), 0.5),
    ):
        states = dealt(options, [[0, 1, 1, 1, 1, 13, 14], [3, 4], [5, 6]])
        end = play(options, states, "4 4 4 4", "pass", "pass", "BlackJoker RedJoker", "pass",
                   "pass", "3")  # fmt: skip
        assert end == core.TERMINAL
        assert returned(options, states) == [2 * worth, -worth, -worth]
    states = dealt(WHOLE, [[0, 1, 12], [3, 4], [5, 6]])
    play(WHOLE, states, "3", "6", "pass", "2", "pass", "pass", "4")
    assert returned(WHOLE, states) == [2, -1, -1]


def test_bidding():
    rules = GAME.make_rules(bidding="points", plays="whole")
    bids = NO_PLAYS
    states = started(rules, 3)
    hands = states["hands"][0].copy()
    assert GAME.sides_of(rules) is None and GAME.sides_of(WHOLE) == ((0,), (1, 2))
    assert legal_of(rules, states) == [bids, bids + 1, bids + 2, bids + 3]
    assert play(rules, states, "bid 2") == 1
    assert legal_of(rules, states) == [bids, bids + 3]
    with pytest.raises(ValueError, match="no_such_play"):
        view.string_to_action(rules, states[0], "3")
    assert view.why_illegal(rules, states[0], bids + 1) == "too_low"
    assert play(rules, states, "pass", "bid 3") == 2
    s = states[0]
    assert (s["landlord"], s["bid"]) == (2, 3)
    assert int(s["hands"][2]) == int(hands[2] + s["bottom"]) and s["top"] == 0
    states = started(rules, 3)
    assert play(rules, states, "pass", "pass", "pass") == core.TERMINAL
    assert returned(rules, states) == [0, 0, 0]
    states = started(rules, 3)
    assert play(rules, states, "bid 1", "pass", "pass") == 0
    assert view.forfeit_returns(rules, states[0], 1) == [2, -1, -1]


def test_botzones_score():
    states = dealt(BOTZONE, [[0, 1, 1, 1, 2, 13], [3, 4, 5], [5, 6]])
    play(BOTZONE, states, "3", "6", "pass", "BlackJoker", "pass", "pass", "4 4 4 5")
    assert returned(BOTZONE, states) == [2.06, 0.005, 0.005]
    assert view.forfeit_returns(BOTZONE, states[0], 0) == [-1, 2.5, 2.5]
    assert view.forfeit_returns(BOTZONE, states[0], 2) == [2.5, -1, -1]
    s = started(WHOLE)[0]
    s["bombs"] = 2
    assert view.forfeit_returns(WHOLE, s, 0) == [-8, 4, 4]
    assert view.forfeit_returns(WHOLE, s, 1) == [8, -4, -4]


def test_recorded_games_replay(shared_data):
    lines = (shared_data / "botzone_games" / "FightTheLandlord.jsonl").read_text().splitlines()
    assert len(lines) == 13
    decisions = 0
    for record in map(json.loads, lines):
        states = started(BOTZONE)
        s = states[0]
        hands = [[kernel.rank_of_card(c) for c in h] for h in record["initial"]["allocation"]]
        s["hands"] = [sets.packed(hand) for hand in hands]
        s["bottom"] = sets.packed(kernel.rank_of_card(c) for c in record["initial"]["publiccard"])
        legal, probs = core.new_scratch(BOTZONE)
        seat = 0
        for move in record["moves"]:
            assert seat == move["player"], record["id"]
            action = plays.play_of(sets.packed(kernel.rank_of_card(c) for c in move["cards"]))
            assert action in legal_of(BOTZONE, states), (record["id"], move)
            seat, _ = core.play_at(BOTZONE, states, 0, action, legal, probs)
            decisions += 1
        assert seat == core.TERMINAL, record["id"]
        assert np.allclose(returned(BOTZONE, states), record["result"]["scores"], atol=1e-9)
    assert decisions == 648


# --- what is seen --------------------------------------------------------------------------------


def thermometer(packed):
    out = np.zeros(54, np.int8)
    for rank in range(13):
        out[4 * rank : 4 * rank + (int(packed) >> 4 * rank & 15)] = 1
    out[52], out[53] = int(packed) >> 52 & 15, int(packed) >> 56 & 15
    return out


def test_observation_holds_what_its_slices_say(rng):
    rules = GAME.make_rules(bidding="points")
    for _ in range(4):
        played = RandomGame(rules, int(rng.integers(2**63)))
        past: list[int] = []
        for state, action in zip(played.states, played.actions, strict=True):
            s = state[0]
            for seat in range(3):
                o = played.observation(state, seat)
                others = [(seat + k) % 3 for k in (1, 2)]
                bidding = s["landlord"] < 0
                unseen = int(s["hands"][others].sum()) + (int(s["bottom"]) if bidding else 0)
                wanted = [s["hands"][seat], unseen]
                assert (o[:108] == np.concatenate([thermometer(x) for x in wanted])).all()
                own = s["building"] and seat == s["player"]
                named = int(patterns.BODY[s["building"]] + s["kickers"]) if own else 0
                assert (o[216:270] == thermometer(named)).all()
                assert (o[162:216] == thermometer(s["top_cards"])).all()
                z = np.concatenate([thermometer(x) for x in ([0] * 15 + past)[-15:]])
                assert (o[594:1404] == z).all()
                seats = [seat, *others]
                assert (
                    o[270:432].reshape(3, 54) == [thermometer(s["played"][k]) for k in seats]
                ).all()
                left = [int(sets.size(np.uint64(s["hands"][k]))) for k in seats]
                assert (o[1404:1464].reshape(3, 20).argmax(1) + 1).tolist() == left
                if bidding:
                    assert not o[108:162].any() and not o[1464:1467].any()
                    continue
                lord = int(s["landlord"])
                for j, k in enumerate(seats):
                    back = [i for i in range(len(past)) if (lord + i) % 3 == k]
                    last = past[back[-1]] if back else 0
                    assert (o[432 + 54 * j : 486 + 54 * j] == thermometer(last)).all()
                assert o[1464:1467].argmax() == (seat - lord) % 3
                assert o[1467:1470].argmax() + 1 == s["bid"]
                partner = bool(s["top"]) and seat != lord and s["owner"] not in (seat, lord)
                assert o[1470] == partner
                assert o[1471:1486].argmax() == s["bombs"] and o[1471:1486].sum() == 1
                assert o[1486:].argmax() == (int(s["bidder"]) - seat) % 3
            if s["landlord"] >= 0:
                cards = view._completed(rules, s, action)
                past += [] if cards is None else [cards]


def test_redrawn_hands_agree_with_what_is_known(rng):
    places = Counter()
    for k in range(60):
        rules = (PARTS, WHOLE, GAME.make_rules(bidding="points"))[k % 3]
        played = RandomGame(rules, int(rng.integers(2**63)))
        at = int(rng.integers(len(played.states)))
        state, seat = played.states[at], int(rng.integers(3))
        for _ in range(3):
            other = state.copy()
            core.determinize_at(rules, other, 0, seat, np.uint64(rng.integers(2**63)))
            a, b = state[0], other[0]
            assert a["hands"][seat] == b["hands"][seat]
            assert sets.size(b["bottom"]) == 3
            total = int(b["hands"].sum()) + (int(b["bottom"]) if b["landlord"] < 0 else 0)
            assert total + int(b["played"].sum()) == int(sets.DECK)
            for k2 in range(3):
                assert sets.size(a["hands"][k2]) == sets.size(b["hands"][k2])
            if a["landlord"] >= 0:
                assert a["bottom"] == b["bottom"]
                assert sets.holds(b["hands"][a["landlord"]], kernel.bottom_left(b))
            places[int(b["hands"][(seat + 1) % 3])] += 1
    assert len(places) > 60


@pytest.mark.oracle
def test_openspiel_scores_the_same_games(rng):
    """Random games with bidding and without four and two, replayed there."""
    pyspiel = pytest.importorskip("pyspiel")
    rules = GAME.make_rules(bidding="points", plays="whole", kickers="pagat")
    theirs = pyspiel.load_game("dou_dizhu")
    assert theirs.num_players() == 3
    for _ in range(12):
        follow_in_openspiel(theirs, rules, int(rng.integers(2**63)), rng)


def follow_in_openspiel(game, rules, seed, rng):
    """Play a random game of ours there; legal plays are compared but for fours and airplanes.

    There a seat may bid again, airplanes take more kickers, and four with two is no play.
    """
    states, theirs = started(rules, seed), game.new_initial_state()
    hands = [sets.ranks_of(hand) for hand in states[0]["hands"]]
    dealt_ranks: Counter = Counter()
    theirs.apply_action(0)  # the first card is open, so that its owner, seat 0, bids first
    for k in range(51):
        rank = hands[k % 3].pop()
        card = rank + 13 * dealt_ranks[rank] if rank < 13 else 39 + rank
        dealt_ranks[rank] += 1
        theirs.apply_action(51 + card)
    legal, probs = core.new_scratch(rules)
    bids, passed, seat = NO_PLAYS, 0, 0
    while states[0]["landlord"] < 0 and seat >= 0:
        action = int(rng.choice(legal_of(rules, states)))
        words = {theirs.action_to_string(a): a for a in theirs.legal_actions()}
        theirs.apply_action(words["Pass" if action == bids else f"Bid {action - bids}"])
        passed = passed + 1 if action == bids else 0
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    if seat >= 0 and states[0]["bid"] < 3:
        for _ in range(2 - passed):
            theirs.apply_action(
                {theirs.action_to_string(a): a for a in theirs.legal_actions()}["Pass"]
            )
    others = {9, 10, 11, 12}
    while seat >= 0:
        assert seat == theirs.current_player()
        found = {in_ranks(theirs.action_to_string(a)): a for a in theirs.legal_actions()}
        hand = states[0]["hands"][seat]
        ours = {}
        for action in legal_of(rules, states):
            pattern = int(patterns.PATTERN[action])
            kind = int(patterns.KIND[pattern])
            four = sets.count(np.uint64(hand), int(patterns.START[pattern])) == 4
            # It knows no sequence from a rank on that is held four times.
            if kind not in (6, 7, 8) or not four:
                ours[int(patterns.PLAY_CARDS[action] & patterns.ONLY_CARDS)] = action, kind
        plain = {cards for cards, (_, kind) in ours.items() if kind not in others}
        theirs_plain = {cards for cards in found if kind_of(cards) not in others}
        if states[0]["top"] == plays.ROCKET_PATTERN:  # on which it lets bombs be played
            theirs_plain = {cards for cards in theirs_plain if kind_of(cards) != 13}
        assert plain == theirs_plain, (str(theirs), plain ^ theirs_plain)
        choice = [
            cards for cards, (_, kind) in ours.items() if kind not in (11, 12) and cards in found
        ]
        cards = choice[int(rng.integers(len(choice)))]
        theirs.apply_action(found[cards])
        seat, _ = core.play_at(rules, states, 0, ours[cards][0], legal, probs)
    assert theirs.is_terminal() and theirs.returns() == returned(rules, states)


def in_ranks(text):
    """OpenSpiel's words for a play as packed cards."""
    if text == "Pass":
        return 0
    ranks = [13] * text.count("(BWJ)") + [14] * text.count("(CJ)")
    text = text.replace("(BWJ)", "").replace("(CJ)", "")
    return sets.packed(ranks + ["3456789TJQKA2".index(c) for c in text if c != "-"])


def kind_of(cards):
    play = plays.play_of(cards)
    return 9 if play < 0 else int(patterns.KIND[patterns.PATTERN[play]])


# --- how players behaved -------------------------------------------------------------------------


def test_counts(rng):
    rules = WHOLE
    seeds, actions, plies = [], [], []
    for _ in range(20):
        seed = int(rng.integers(2**62))
        played = RandomGame(rules, seed)
        seeds.append(seed)
        plies.append(len(played.actions))
        actions.append(played.actions + [0] * (rules.max_game_length - plies[-1]))
    counts = metrics.game_counts(
        rules, np.array(seeds, np.uint64), np.array(actions), np.array(plies)
    )
    of = dict(zip(metrics.COUNTS, counts.sum((0, 1)).tolist(), strict=True))
    assert of["decisions"] == sum(plies) and of["asked"] < of["decisions"]
    assert of["choices"] == of["choices_partner"] + of["choices_enemy"]
    assert of["passes"] == of["passes_partner"] + of["passes_enemy"]
    assert of["plays"] == sum(of[name] for name in metrics.COUNTS[16:])
    assert abs(of["passes"] - of["passes_chance"]) < 5 * of["choices"] ** 0.5
    assert (of["games"], of["losses"]) == (60, counts[:, :, metrics.COUNTS.index("losses")].sum())
    assert 20 <= of["losses"] <= 40
    told = metrics.rates(counts.sum((0, 1)))
    assert told["pass_rate"] == pytest.approx(of["passes"] / of["asked"])
    assert told["over_partner"] == pytest.approx(1 - told["of_choices_partner"])


def test_bombs_held_at_a_loss():
    states = dealt(WHOLE, [[0], [1, 1, 1, 1, 13, 14], [2, 2, 2, 2, 3]])
    counts = np.zeros((3, len(metrics.COUNTS)))
    play(WHOLE, states, "3")
    metrics.count_after(WHOLE, states[0], 0, 1, counts)
    assert counts[:, metrics.COUNTS.index("bombs_held_at_loss")].tolist() == [0, 2, 1]


# --- words ---------------------------------------------------------------------------------------


def test_replies_are_read():
    states = dealt(WHOLE, [[0, 0, 0, 1, 7, 13, 14], [2, 2, 3, 3, 4, 4, 4], [5, 6, 7, 8, 9]])

    def read(reply, lenient=False):
        found = judge(GAME, WHOLE, states, reply, TextOptions(lenient=lenient))
        if found.kind != OK:
            return found.reason
        return view.action_to_string(WHOLE, states[0], found.action)

    assert read('Evaluation: x\nReason: y\nAnswer: {"cards": ["3", "3"]}') == "3 3"
    assert read('Answer: {"cards": ["♠3", "H3", "3d", "s4"]}') == "3 3 3 4"
    assert read('Answer: {"cards": ["RedJoker", "Black Joker"]}') == "BlackJoker RedJoker"
    assert read('Answer: {"cards": ["4"]}\n**Answer:** {"cards": [10]}') == "10"
    assert read('Answer: {"cards": ["4"]} or rather\n```json\n{"cards": ["3"]}\n```') == "3"
    assert read('{"cards": ["3"]}') == "3" and read("Answer: 3 3") == "3 3"
    assert read('{"cards": ["3"]}', True) == "3" and read("3 3 | to begin", True) == "3 3"
    assert read("Answer: 10, 10", True) == "not_in_hand"
    assert read("I pass.", True) == "no_move" and read("pass", True) == "cannot_pass"
    for cards, reason in (([], "cannot_pass"), (["3", "4"], "no_such_play"), (["K"], "not_in_hand"),
                          (["3"] * 5, "not_in_hand"), (["x"], "no_such_play")):  # fmt: skip
        assert read(f"Answer: {json.dumps({'cards': cards})}") == reason
    play(WHOLE, states, "10")
    assert read('Answer: {"cards": ["5"]}') == "does_not_beat"
    assert read('Answer: {"cards": ["5", "5"]}') == "wrong_type"
    assert read('Answer: {"cards": []}') == "pass"
    assert read("Pass", True) == "pass"
    told, asked = (
        m["content"] for m in messages(GAME, WHOLE, states, TextOptions(list_legal=True))
    )
    assert "Choose the legal play that gives your side the best chance to win." in told
    assert asked.endswith("by their cards\n[] (a pass)")
    assert '"10"] (previous player (left), enemy)' in asked and "You may pass" in asked
    assert "J: 1" in asked and "Q: 1" in asked and "K: 0" in asked


def test_renamed_cards_are_read_back():
    renaming = Renaming(view.RENAMED)
    for name in sets.NAMES:
        assert renaming.original(renaming.renamed(name)) == name
