"""Hold'em against pokerkit, Botzone's recordings and facts of the game."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from stratagym.envs import core, make, make_batch, prompts, spec, text
from stratagym.envs.prompts import prompt
from stratagym.envs.texas_holdem import botzone, metrics, rules, view
from stratagym.envs.text import TextGame
from stratagym.testing import random_positions

GAME = spec("texas_holdem")


def fresh(seed: int = 1, **options: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Rules, a match that has begun, and scratch."""
    made = GAME.make_rules(**options)
    states = core.new_states(made)
    legal, probs = core.new_scratch(made)
    core.start_at(made, states, 0, np.uint64(seed), probs)
    return made, states, legal, probs


def cards(text: str) -> list[int]:
    """``"As Td"`` as numbers."""
    return [4 * "23456789TJQKA".index(one[0]) + "cdhs".index(one[1]) for one in text.split()]


def play(made: Any, states: np.ndarray, *moves: str) -> None:
    """Play moves written as text; each has to be legal."""
    legal, probs = core.new_scratch(made)
    for move in moves:
        action = view.string_to_action(made, states[0], move)
        n = core.legal_actions_at(made, states, 0, legal)
        assert action in legal[:n], (move, view.why_illegal(made, states[0], action))
        core.play_at(made, states, 0, action, legal, probs)


def words(made: Any, states: np.ndarray) -> list[str]:
    legal, _ = core.new_scratch(made)
    n = core.legal_actions_at(made, states, 0, legal)
    return [view.action_to_string(made, states[0], a) for a in legal[:n].tolist()]


# --- betting, against pokerkit -------------------------------------------------------------------


class Pokerkit:
    """A hand in pokerkit; its player 0 posts the big blind, its player 1 has the button."""

    def __init__(self, s: Any, stacks: list[int]):
        from pokerkit import Automation, NoLimitTexasHoldem

        button = int(s["button"])
        self.seats = [1 - button, button]
        self.state = NoLimitTexasHoldem.create_state(
            (
                Automation.ANTE_POSTING,
                Automation.BET_COLLECTION,
                Automation.BLIND_OR_STRADDLE_POSTING,
                Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
                Automation.HAND_KILLING,
                Automation.CHIPS_PUSHING,
                Automation.CHIPS_PULLING,
                Automation.CARD_BURNING,
            ),
            True,
            0,
            (50, 100),
            100,
            [stacks[seat] for seat in self.seats],
            2,
        )
        self.board = [view.card_text(card) for card in s["board"].tolist()]
        for _ in range(2):
            for place in range(2):
                k = len(self.state.hole_cards[place])
                if self.state.can_deal_hole():
                    self.state.deal_hole(view.card_text(int(s["hole"][self.seats[place], k])))
        self.deal()

    def deal(self) -> None:
        while self.state.can_deal_board():
            count = 3 if not list(self.state.get_board_cards(0)) else 1
            self.state.deal_board("".join(self.board[:count]))
            self.board = self.board[count:]

    def legal(self) -> tuple[int, bool, int, int]:
        """Seat to move, whether folding means something, least and most to raise to (or 0, 0)."""
        state = self.state
        seat = self.seats[state.actor_index]
        facing = state.checking_or_calling_amount > 0
        if not state.can_complete_bet_or_raise_to():
            return seat, facing, 0, 0
        return (
            seat,
            facing,
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )

    def play(self, action: int) -> None:
        if action == rules.FOLD:
            self.state.fold()
        elif action == rules.CALL:
            self.state.check_or_call()
        else:
            # All that the other can match, where the player has more.
            least = self.state.min_completion_betting_or_raising_to_amount
            self.state.complete_bet_or_raise_to(max(action - 1, least))
        self.deal()

    def payoffs(self) -> list[int]:
        return [self.state.payoffs[self.seats.index(seat)] for seat in range(2)]


def play_beside_pokerkit(hands: int, rng: np.random.Generator) -> None:
    """Random hands, with stacks from two big blinds up: legal moves, chips and results agree."""
    pytest.importorskip("pokerkit")
    done = 0
    while done < hands:
        stack = int(rng.choice([200, 333, 1_000, 2_500, 20_000]))
        stacks = str(rng.choice(["reset", "carry"]))
        seed = int(rng.integers(2**63))
        made, states, legal, probs = fresh(seed, raises="chips", stack=stack, stacks=stacks)
        s = states[0]
        while not s["over"] and done < hands:
            hand, total = int(s["hand"]), s["total"].tolist()
            beside = Pokerkit(s, (s["stack"] + s["paid"]).tolist())
            while s["hand"] == hand:
                n = core.legal_actions_at(made, states, 0, legal)
                seat, facing, least, most = beside.legal()
                ours = legal[:n]
                assert core.current_player_at(made, states, 0) == seat
                assert (ours[0] == rules.FOLD) == facing
                raises = ours[ours > rules.CALL] - 1
                # pokerkit lets a stack bet more than the other can match.
                cap = int((s["bet"] + s["stack"]).min())
                assert len(raises) == (0 if most == 0 else min(most, cap) - min(least, cap) + 1)
                if len(raises):
                    assert (raises[0], raises[-1]) == (min(least, cap), min(most, cap))
                other = beside.state.bets[beside.seats.index(1 - seat)]
                assert s["bet"].tolist()[1 - seat] == min(other, cap) or other > cap
                action = int(random_action(ours, rng))
                beside.play(action)
                core.play_at(made, states, 0, action, legal, probs)
            won = [int(s["total"][seat]) - total[seat] for seat in range(2)]
            if s["hand"] == hand + 2:  # the next was decided by its blinds, all-in
                won = [won[seat] - int(s["last_won"][seat]) for seat in range(2)]
            if s["hand"] <= hand + 2:
                assert won == beside.payoffs()
            done += 1


def random_action(legal: np.ndarray, rng: np.random.Generator) -> int:
    """Small raises more often than large ones, so that hands last."""
    raises = legal[legal > rules.CALL]
    kind = rng.random()
    if len(raises) == 0 or kind < 0.5:
        return legal[0] if kind < 0.08 else rules.CALL
    if kind < 0.6:
        return raises[0]
    if kind < 0.65:
        return raises[-1]
    return raises[int(len(raises) * rng.random() ** 4)]


# Cards that pokerkit has burnt come up again, since the deck is ours.
pytestmark = pytest.mark.filterwarnings("ignore:A card being dealt")


@pytest.mark.oracle
def test_random_hands_agree_with_pokerkit(rng):
    play_beside_pokerkit(300, rng)


@pytest.mark.oracle
@pytest.mark.slow
def test_many_random_hands_agree_with_pokerkit(rng):
    play_beside_pokerkit(3_000, rng)


def test_raises_are_at_least_the_last_raise():
    made, states, _, _ = fresh(raises="chips")
    assert words(made, states)[:3] == ["fold", "call", "raise 200"]
    play(made, states, "raise 250")
    assert words(made, states)[:3] == ["fold", "call", "raise 400"]
    play(made, states, "raise 1000")
    assert words(made, states)[:3] == ["fold", "call", "raise 1750"]
    play(made, states, "call")
    assert words(made, states)[:2] == ["check", "raise 100"]
    assert words(made, states)[-2:] == ["raise 18999", "all-in"]


def test_all_in_for_less_is_not_answered_by_a_raise():
    made, states, _, _ = fresh(raises="chips", stacks="carry", stack=1000)
    play(made, states, "raise 600", "call", "check", "raise 100", "fold")
    # Player 0 has 1,600 or 400 now; the other may go all-in for less than a raise.
    assert sorted((states[0]["stack"] + states[0]["paid"]).tolist()) == [400, 1600]
    short = int((states[0]["stack"] + states[0]["paid"]).argmin())
    while core.current_player_at(made, states, 0) == short:
        play(made, states, "call")
    play(made, states, "raise 300")
    assert words(made, states) == ["fold", "call", "all-in"]
    play(made, states, "all-in")
    assert words(made, states) == ["fold", "call"]


def test_order_of_play_and_the_button():
    made, states, _, _ = fresh(raises="chips")
    s = states[0]
    assert (s["button"], s["player"], s["bet"].tolist()) == (0, 0, [50, 100])
    play(made, states, "call", "check")
    assert (s["street"], s["player"]) == (rules.FLOP, 1)
    play(made, states, "check", "check", "check", "check", "check", "check")
    assert (s["hand"], s["button"], s["player"], s["bet"].tolist()) == (1, 1, 1, [100, 50])


def test_rewards_between_two_turns_are_added_as_pettingzoo_adds_them():
    """To the last bit, for its ``api_test`` compares with ``==``: -32.38 + 0.5 is not -31.88."""
    env = make("texas_holdem", raises="chips")
    env.reset(seed=0)
    for action in (3238 + 1, 7000 + 1, rules.FOLD, rules.FOLD):
        env.step(action)
    assert env.last()[1] == -32.38 + 0.5 != -31.88


def test_split_pots_are_even():
    made, states, _, _ = fresh(raises="chips", hands=1)
    botzone.set_hand(made, states[0], 0, [cards("2c 3c"), cards("2d 3d")], cards("As Ks Qh Jh Th"))
    play(made, states, "raise 333", "call", "raise 101", "call", *["check"] * 4)
    assert states[0]["over"]
    assert states[0]["last_won"].tolist() == [0, 0]
    assert states[0]["stack"].tolist() == [20_000, 20_000]


def test_the_ace_ends_a_straight_at_both_ends():
    hole, board = [cards("Ac 9c"), cards("Kd Kh")], cards("2s 3s 4h 5h Js")
    for judge, won in (("standard", 100), ("botzone", -100)):
        made, states, _, _ = fresh(raises="chips", hands=1, judge=judge)
        botzone.set_hand(made, states[0], 0, hole, board)
        play(made, states, "call", *["check"] * 7)
        assert states[0]["last_won"].tolist() == [won, -won]


def test_fractions_of_the_pot():
    made, states, legal, _ = fresh()
    n = core.legal_actions_at(made, states, 0, legal)
    # A third of the 200 after calling would be less than the least raise.
    assert legal[:n].tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert words(made, states)[2:] == ["raise 200", "raise 233", "raise 300", "raise 500", "all-in"]
    with pytest.raises(ValueError, match="not_offered"):
        view.string_to_action(made, states[0], "raise 450")


def test_cards_do_not_depend_on_what_is_played(seed, rng):
    def dealt(moves: np.random.Generator | None) -> list[Any]:
        made, states, legal, probs = fresh(seed)
        seen = []
        while not states[0]["over"]:
            now = (states[0]["hole"].tolist(), states[0]["board"].tolist())
            seen += [now] if now not in seen else []
            n = core.legal_actions_at(made, states, 0, legal)
            action = moves.choice(legal[:n]) if moves else legal[0]
            core.play_at(made, states, 0, action, legal, probs)
        return seen

    hands = dealt(None)
    assert len(hands) == 20
    assert hands == dealt(rng) == dealt(rng)
    for hole, board in hands:
        assert len({*hole[0], *hole[1], *board}) == 9


def test_deals_are_uniform(rng):
    made, states, _, probs = fresh()
    counts = np.zeros((9, 52))
    for _ in range(52 * 400):
        core.start_at(made, states, 0, np.uint64(rng.integers(2**63)), probs)
        nine = [*states[0]["hole"].ravel(), *states[0]["board"]]
        counts[range(9), nine] += 1
    assert (stats.chisquare(counts, axis=1).pvalue > 1e-8).all()


# --- hidden and public ---------------------------------------------------------------------------


def test_hidden_cards_change_nothing_that_a_seat_sees(seed):
    """Two states that differ in the hidden cards alone: the same tensor, prompt, moves, players."""
    from stratagym.agents.core import make_policy

    made, states, legal, probs = fresh(seed, raises="chips")
    rng = np.random.default_rng(seed)
    policies = [make_policy(GAME, name) for name in ("heuristic", "rule:strong")]
    while not states[0]["over"]:
        seat = int(core.current_player_at(made, states, 0))
        n = core.legal_actions_at(made, states, 0, legal)
        other = states.copy()
        hole = [card for card in range(52) if card not in states[0]["hole"][seat]]
        hole = [card for card in hole if card not in view.public_board(states[0])]
        redrawn = rng.permutation(hole)
        other[0]["hole"][1 - seat] = redrawn[:2]
        public = len(view.public_board(states[0]))
        other[0]["board"][public:] = redrawn[2 : 7 - public]
        other[0]["seed"] += np.uint64(1)
        seen = [np.zeros(made.observation_shape, np.float32) for _ in range(2)]
        core.observe_at(made, states, 0, seat, seen[0])
        core.observe_at(made, other, 0, seat, seen[1])
        assert seen[0].tobytes() == seen[1].tobytes()
        asked = [prompt(view, made, one[0], seat, legal=[]) for one in (states, other)]
        assert asked[0] == asked[1]
        assert view.seat_text(made, states[0], seat) == view.seat_text(made, other[0], seat)
        again = np.zeros(made.num_actions, np.int64)
        assert core.legal_actions_at(made, other, 0, again) == n
        assert (again[:n] == legal[:n]).all()
        for policy in policies:
            chosen = [
                policy.act_each(made, one, np.array([seed], np.uint64))[0]
                for one in (states, other)
            ]
            assert chosen[0] == chosen[1]
            assert chosen[0] in legal[:n]
        core.play_at(made, states, 0, random_action(legal[:n], rng), legal, probs)


def test_determinize_redraws_uniformly(rng):
    """Every unseen card as often as any other, in the opponent's hand and on the board."""
    made, states, _, _ = fresh(raises="chips")
    play(made, states, "call", "check")
    s = states[0]
    seen = {*s["hole"][0].tolist(), *view.public_board(s)}
    counts = np.zeros((4, 52))
    for _ in range(47 * 300):
        other = states.copy()
        core.determinize_at(made, other, 0, 0, np.uint64(rng.integers(2**63)))
        assert other[0]["hole"][0].tolist() == s["hole"][0].tolist()
        assert view.public_board(other[0]) == view.public_board(s)
        assert other[0]["seed"] != s["seed"]
        counts[range(4), [*other[0]["hole"][1], *other[0]["board"][3:]]] += 1
    assert not counts[:, sorted(seen)].any()
    unseen = np.delete(counts, sorted(seen), axis=1)
    assert (stats.chisquare(unseen, axis=1).pvalue > 1e-8).all()


def test_shown_hands_are_public_and_folded_ones_are_not():
    made, states, _, _ = fresh(raises="chips", hands=2)
    shown = states[0]["hole"].copy()
    told = ""
    for move in ["call", *["check"] * 7]:
        told = view.move_text(made, states[0], view.string_to_action(made, states[0], move))
        play(made, states, move)
    assert (states[0]["last_hole"] == shown).all()
    seat = int(states[0]["player"])
    asked = prompt(view, made, states[0], seat)[-1]["content"]
    for cards_of in shown.tolist():
        assert view.cards_text(cards_of) in told
        assert view.cards_text(cards_of) in asked
    seen = np.zeros(made.observation_shape, np.float32)
    core.observe_at(made, states, 0, seat, seen)
    assert np.flatnonzero(seen[104:156]).tolist() == sorted(shown[1 - seat].tolist())
    play(made, states, "fold")
    assert states[0]["over"]
    assert (states[0]["last_hole"] == rules.NO_CARD).all()
    after = states.copy()
    core.determinize_at(made, after, 0, seat, np.uint64(5))
    assert after[0]["hole"][1 - seat].tolist() != states[0]["hole"][1 - seat].tolist()


# --- Botzone's judge -----------------------------------------------------------------------------


def test_recorded_matches_replay_to_the_chip(shared_data):
    path = shared_data / "botzone_games" / "TexasHoldem2p.jsonl"
    made = GAME.make_rules(judge="botzone", raises="chips")
    matches = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(matches) == 3
    for match in matches:
        hands = match["moves"]
        won: list[list[int]] = []
        for states, _ in botzone.replay(made, hands):
            s = states[0]
            if s["hand"] > len(won):
                won.append(s["last_won"].tolist())
        assert won == [hand["win_chips"] for hand in hands]
        for hand in hands:
            if len(hand["board"]) >= 3:
                made_of = [view.hand_name([*own, *hand["board"]], made) for own in hand["hole"]]
                assert made_of == [view.CATEGORIES[k - 1] for k in hand["hand_types"]]
        if match["complete"]:
            returns = np.zeros(2)
            core.returns_at(made, states, 0, returns)
            assert s["over"]
            assert s["total"].tolist() == match["result"]["chips"]
            assert returns.tolist() == match["result"]["scores"]


def test_botzones_judge():
    made, states, _, _ = fresh(judge="botzone", raises="chips")
    s = states[0]
    # The player without the button posts the small blind and acts first on every street.
    assert (s["button"], s["player"], s["bet"].tolist()) == (0, 1, [100, 50])
    assert words(made, states)[:3] == ["fold", "call", "raise 200"]
    play(made, states, "raise 500")  # adds 450
    assert words(made, states)[2] == "raise 900"
    play(made, states, "raise 1000", "call")  # adds 900
    assert (s["street"], s["player"]) == (rules.FLOP, 1)
    assert words(made, states)[:3] == ["fold", "check", "raise 100"]
    play(made, states, "all-in")
    assert words(made, states) == ["fold", "all-in"]
    hand = {"dealer": 0, "hole": [[0, 1], [2, 3]], "board": [], "actions": []}
    with pytest.raises(ValueError, match="hands are over"):
        list(botzone.replay(made, [hand, hand]))


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        ("raise 450 | value", "raise 450"),
        ("Bet 1,200 | pressure", "raise 1200"),
        ("RAISE to 450|x", "raise 450"),
        ("All in | now", "all-in"),
        ("call | cheap", "call"),
        ("I raise 450 | value", None),
        ("raise | more", None),
        ("call", None),
    ],
)
def test_extract(reply, move):
    assert view.ANSWER.extract(reply) == move
    assert view.ANSWER.extract("call", lenient=True) == "call"


@pytest.mark.parametrize(
    "options",
    [{"raises": raises, "judge": judge} for raises in ("chips", "pot")
     for judge in ("standard", "botzone")] + [{"raises": "chips", "stacks": "carry", "stack": 500}],
)  # fmt: skip
def test_a_single_action_is_judged_as_in_the_list(options, seed):
    made = GAME.make_rules(hands=4, **options)
    states, (legal, _) = random_positions(made, 40, seed), core.new_scratch(made)
    scratch = np.zeros(made.num_actions, np.int64)
    for i in range(len(states)):
        listed = set(legal[: core.legal_actions_at(made, states, i, legal)].tolist())
        asked = range(-2, made.num_actions + 2)
        judged = {a for a in asked if core.is_legal_action_at(made, states, i, a, scratch)}
        assert judged == listed


def test_a_text_game_lists_no_amounts(monkeypatch):
    """Neither to ask, nor to judge a reply, nor to play it."""
    game = TextGame("texas_holdem", hands=2)
    game.reset(seed=3)
    monkeypatch.setattr(text, "legal_list", None)
    monkeypatch.setattr(prompts, "legal_list", None)
    for reply in ("raise 457 | x", "call | x", "check | x"):
        assert game.observe().messages
        assert game.submit(reply).kind == "ok"
    assert game.submit("raise 20001 | x").reason == "above_stack"
    with pytest.raises(ValueError, match="may not play"):
        game.play(5)


def test_text_players_may_name_any_amount():
    game = TextGame("texas_holdem", hands=1)
    game.reset(seed=3)
    assert game.rules.chips
    assert game.submit("check | free").reason == "cannot_check"
    assert game.submit("raise 150 | small").reason == "below_minimum"
    assert game.submit("raise 20001 | all").reason == "above_stack"
    assert game.submit("raise 457 | odd").kind == "ok"
    assert game.states["bet"][0].tolist() == [457, 100]
    assert game.submit("all-in | pressure").kind == "ok"
    assert game.submit("raise 20000 | more").reason == "cannot_raise"
    assert "raise" not in " ".join(words(game.rules, game.states))
    assert game.submit("all-in | a call").kind == "ok"
    assert game.over
    told = TextGame("texas_holdem", hands=1, raises="pot")
    told.reset(seed=3)
    assert "You may raise to one of: 200, 233" in told.observe().messages[-1]["content"]


def test_options_in_one_line():
    for option, value in (("hands", 0), ("stacks", "deep"), ("judge", "x"), ("raises", "any")):
        with pytest.raises(ValueError, match=option):
            make("texas_holdem", **{option: value})


@pytest.mark.parametrize("options", [{"raises": "chips", "stack": 500}, {"judge": "botzone"},
                                     {"stacks": "carry", "stack": 700}])  # fmt: skip
def test_other_options_play_to_the_end(options, seed):
    batch = make_batch("texas_holdem", 8, seed=seed % 2**32, **options)
    rng = np.random.default_rng(seed)
    longest, length = 0, np.zeros(8, int)
    for _ in range(600):
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks]))
        assert ((batch.observations >= 0) & (batch.observations <= 1)).all()
        length = (length + 1) * ~batch.terminations
        longest = max(longest, int(length.max()))
        assert batch.rewards.sum() == pytest.approx(0)
    assert batch.episodes.min() > 0
    assert longest <= batch.rules.max_game_length


# --- players and behaviour -----------------------------------------------------------------------


def test_preflop_table_and_exact_equities():
    from stratagym.agents.games.texas_holdem import EQUITIES, equity

    # Known exact equities against a random hand: aces, kings, ace-king suited, seven-deuce.
    known = {(12, 12): 852, (11, 11): 824, (11, 12): 670, (5, 0): 346}
    for place, value in known.items():
        assert EQUITIES[place] == pytest.approx(value, abs=4)
    made, states, _, _ = fresh(raises="chips")
    botzone.set_hand(made, states[0], 0, [cards("As Ah"), cards("2d 3d")], cards("Ac Ad Ks Kd 2c"))
    play(made, states, "call", *["check"] * 5)
    assert equity(made, states[0], 0, 1) == 1.0
    # A three as kicker ties with 9 of the 990 hands and beats none.
    assert equity(made, states[0], 1, 1) == pytest.approx(4.5 / 990)


def play_duel(first: str, second: str, deals: int, seed: int, **options: Any) -> np.ndarray:
    """Big blinds won by the first for each hand, of duplicate matches: (deals,)."""
    from stratagym.agents.core import make_policy
    from stratagym.agents.kernel_policies import play_many

    made = GAME.make_rules(**options)
    seeds = np.repeat(
        core.derive_seed(np.uint64(seed), np.uint64(0)) + np.arange(deals, dtype=np.uint64), 2
    )
    seating = np.tile([[0, 1], [1, 0]], (deals, 1))
    games = play_many(made, [make_policy(GAME, name) for name in (first, second)], seeds, seating)
    won = games.returns[np.arange(2 * deals), seating.argmin(axis=1)]
    return won.reshape(deals, 2).mean(axis=1) / made.hands


def test_the_strong_player_beats_the_threshold_player(seed):
    won = play_duel("rule:strong", "heuristic", 150, seed)
    mean, error = won.mean(), won.std(ddof=1) / np.sqrt(len(won))
    print(f"strong - heuristic: {1000 * mean:.0f} +- {1960 * error:.0f} mbb/hand")
    assert mean > 1.96 * error
    won = play_duel("heuristic", "random", 50, seed)
    assert won.mean() > 1.96 * won.std(ddof=1) / np.sqrt(len(won))


@pytest.mark.parametrize("raises", ["pot", "chips"])
def test_an_all_in_that_calls_is_counted_as_chosen(raises):
    """Botzone's judge lets a seat that faces an all-in answer by fold and all-in alone."""
    made, states, _, _ = fresh(raises=raises, judge="botzone", hands=1)
    actions = []
    for move in ("all-in", "all-in"):
        actions.append(view.string_to_action(made, states[0], move))
        play(made, states, move)
    counts = metrics.game_counts(made, np.array([1], np.uint64), np.array([actions]), np.array([2]))
    found = [metrics.rates(counts[0, seat]) for seat in range(2)]
    of = [(one["all_in"], one["call"], one["all_ins_made"], one["calls_made"]) for one in found]
    assert sorted(of) == [(1, 0, 0, 1), (1, 0, 1, 0)]
    assert sorted(one["pfr"] for one in found) == [0, 1] and all(o["vpip"] == 1 for o in found)


def test_behaviour_is_counted():
    made, states, _, _ = fresh(raises="chips", hands=2)
    moves = [
        "raise 300",
        "call",
        "check",
        "raise 400",
        "all-in",
        "call",
        "call",
        "raise 300",
        "fold",
    ]
    actions = []
    for move in moves:
        actions.append(view.string_to_action(made, states[0], move))
        play(made, states, move)
    counts = metrics.game_counts(made, np.array([1], np.uint64), np.array([actions]), np.array([9]))
    first = dict(zip(metrics.COUNTS, counts[0, 0].tolist(), strict=True))
    second = dict(zip(metrics.COUNTS, counts[0, 1].tolist(), strict=True))
    assert (first["decisions"], second["decisions"]) == (4, 5)
    assert (first["raise"], first["call"], first["all_in"]) == (3, 1, 0)
    assert (second["all_in"], second["check"], second["call"], second["fold"]) == (1, 1, 2, 1)
    assert first["hands"] == second["hands"] == 2
    assert first["showdowns"] == second["showdowns"] == 1
    assert first["showdowns_won"] + second["showdowns_won"] == 1
    rates = metrics.rates(counts[0, 0])
    assert rates["vpip"] == 1.0
    assert rates["showdown"] == 0.5
