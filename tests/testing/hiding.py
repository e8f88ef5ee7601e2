"""The part of the contract that says what a seat may know: checks of tensors and of all texts."""

from __future__ import annotations

import importlib.util
import json
import unittest
from typing import Any

import numpy as np

from stratagym.envs import core, prompts
from stratagym.envs.display import draws_for_seats
from stratagym.envs.talk import EVERYBODY, ONESELF, SPEECH_LIMIT
from stratagym.envs.text import TextGame
from stratagym.envs.views import part, seat_names
from stratagym.testing.positions import RandomGame

PICTURES = 4
"""Positions that are drawn at most."""
MOST_SEEN = 2000
"""Positions of a game, times seats, in which what is hidden is redrawn."""
MOST_COMMITS = 1200
"""Commits of a game that are made otherwise, times the square of the number of seats."""
GAMES_WITH_HEARERS = 20
"""Random games in which a seat is looked for that is asked after another."""
MOST_TOLD = 50
"""Legal moves, and about as many others, whose texts are compared in one position."""
MOST_KEPT = 400
"""Texts of positions that are kept to be compared again."""


class Hiding:
    """Checks of one game, which ``Contract`` has with its others.

    Attributes:
        spec, name: the game's. rules: with default options. seed: of the random games.
    """

    spec: core.GameSpec
    name: str
    rules: Any
    seed: int

    def played(self, k: int = 0) -> RandomGame:
        """A random game, another for every ``k``."""
        return RandomGame(self.rules, (self.seed + k) % 2**63)

    def part(self, name: str) -> Any:
        """One of the game's modules, or None if it has no such file."""
        if importlib.util.find_spec(f"{self.spec.package}.{name}") is None:
            return None
        return self.spec.module(name)

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def hidden_things_do_not_show(self) -> None:
        """What a seat cannot know, redrawn, changes neither its tensor nor any text for it.

        The seat to move is still to move then. Another seat may not know who that is: what is
        redrawn for it can be played on.
        """
        played, view = self.played(), self.part("view")
        for at in played.some(max(1, MOST_SEEN // self.rules.num_players)):
            state, mover = played.states[at], played.players[at]
            for seat in range(self.rules.num_players):
                other = state.copy()
                core.determinize_at(self.rules, other, 0, seat, np.uint64(self.seed + at + 1))
                assert other["rng"] != state["rng"], (
                    "determinize left the dice to come as they were"
                )
                seen = played.observation(other, seat).tobytes()
                assert seen == played.observation(state, seat).tobytes(), (
                    f"what seat {seat} cannot know shows in its tensor: {state} / {other}"
                )
                if view:
                    self._same_texts(view, other, state, seat, mover)
                now = core.current_player_at(self.rules, other, 0)
                if seat == mover:
                    assert now == mover, (
                        f"seat {seat} is to move; redrawn for it, {now} is: {state} / {other}"
                    )
                else:
                    self._plays_on(played, other, seat)

    def _plays_on(self, played: RandomGame, redrawn: np.ndarray, seat: int) -> None:
        """Play a random game on from what was redrawn for a seat that is not to move."""
        rules, twin = self.rules, redrawn.copy()
        player = int(core.current_player_at(rules, twin, 0))
        assert player >= 0, (
            f"redrawn for seat {seat} while another is to move, the game is over: {redrawn}"
        )
        n = core.legal_actions_at(rules, twin, 0, played.legal)
        assert n > 0, f"redrawn for seat {seat}, seat {player} has no legal action: {redrawn}"
        player, _ = played.play(twin, int(played.rng.choice(played.legal[:n])))
        assert player >= 0 or player in (core.TERMINAL, core.TRUNCATED), (
            f"redrawn for seat {seat} and played on, current_player is {player}: {redrawn}"
        )

    def information_and_seed_decide(self) -> None:
        """Of states that look alike to a seat, one seed makes one redrawn state and one decision.

        Asked of every built-in player that plays any game, and of the game's own.
        """
        from stratagym.agents.core import decision_for, make_policy
        from stratagym.agents.hooks import found, rule_names

        names = ["random", "mcts:8", *(f"rule:{one}" for one in rule_names(self.spec))]
        names += ["heuristic"] if found(self.spec, "heuristic") else []
        policies = [make_policy(self.spec, name) for name in names]
        played = self.played()
        for at in range(0, len(played.states), 1 + len(played.states) // 12):
            states, seat = played.states[at], played.players[at]
            decision = decision_for(self.spec, self.rules, states, self.seed)
            chosen = [policy.act(decision) for policy in policies]
            for k in range(3):
                twin = states.copy()
                core.determinize_at(self.rules, twin, 0, seat, np.uint64(self.seed + k + 1))
                again = decision_for(self.spec, self.rules, twin, self.seed)
                which = f"of states that look alike to seat {seat}, {states} / {twin}"
                assert again.states == decision.states, f"one seed redraws two states {which}"
                assert again.legal.tolist() == decision.legal.tolist(), f"other moves {which}"
                now = [policy.act(again) for policy in policies]
                assert now == chosen, f"{names} play {chosen} and {now} {which}"

    def pictures_for_a_seat_show_nothing_hidden(self) -> None:
        """What a seat cannot know, redrawn, changes no picture that is drawn for it."""
        played, render = self.played(), self.part("render")
        if render is None or not draws_for_seats(render):
            raise unittest.SkipTest("no pictures for a seat")
        for at in range(0, len(played.states), 1 + len(played.states) // PICTURES):
            state = played.states[at]
            for seat in range(self.rules.num_players):
                other = state.copy()
                core.determinize_at(self.rules, other, 0, seat, np.uint64(self.seed + at + 1))
                drawn = [render.picture(self.rules, s[0], seat=seat) for s in (state, other)]
                assert np.array_equal(*drawn), (
                    f"what seat {seat} cannot know shows in its picture: {state} / {other}"
                )

    def told_moves_tell_what_is_seen(self) -> None:
        """A move is told alike where a seat saw the same before it and sees the same after it.

        A commit of another seat is looked at when its turn is over, as it is told then.
        """
        played, view = self.played(), self.part("view")
        if view is None:
            raise unittest.SkipTest("no view yet")
        following = [*played.states[1:], played.end]
        for at, (state, after) in enumerate(zip(played.states, following, strict=True)):
            mover, action = played.players[at], played.actions[at]
            if self.spec.is_simultaneous and _same_turn(self.rules, state, after):
                continue
            said = view.move_text(self.rules, state[0], action)
            for seat in range(self.rules.num_players):
                twin = state.copy()
                core.determinize_at(self.rules, twin, 0, seat, np.uint64(self.seed + at + 1))
                if core.current_player_at(self.rules, twin, 0) != mover or action not in (
                    prompts.legal_list(self.rules, twin)
                ):
                    continue
                again = view.move_text(self.rules, twin[0], action)
                played.play(twin, action)
                seen = played.observation(twin, seat).tobytes()
                if seen == played.observation(after, seat).tobytes():
                    assert said == again, (
                        f"what seat {seat} cannot know shows in a move told to it: {said!r} / "
                        f"{again!r}, {state} / {twin}"
                    )

    def _same_texts(
        self, view: Any, one: np.ndarray, other: np.ndarray, seat: int, mover: int
    ) -> None:
        """Two states look alike to a seat in words: as it is shown them and, if it is to move, in
        every form of prompt, in its legal moves and in what is wrong with others."""
        told = [self._texts(view, states, seat, mover) for states in (one, other)]
        assert told[0].keys() == told[1].keys(), (
            f"texts for seat {seat}: {[*told[0]]}, {[*told[1]]}"
        )
        for what, said in told[0].items():
            again = told[1][what]
            assert said == again, f"{what}: {said!r} / {again!r}"

    def _texts(self, view: Any, states: np.ndarray, seat: int, mover: int) -> dict[str, Any]:
        """What ``_same_texts`` compares, by what it is; of the states asked for lately kept, as one
        is compared with many."""
        kept: dict[Any, dict[str, Any]] = self.__dict__.setdefault("_kept_texts", {})
        key = states.tobytes(), seat, seat == mover
        if key not in kept:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[key] = self._made_texts(view, states, seat, mover)
        return kept[key]

    def _made_texts(self, view: Any, states: np.ndarray, seat: int, mover: int) -> dict[str, Any]:
        rules, s = self.rules, states[0]
        is_imperfect, found = self.spec.information == "imperfect", {}
        if is_imperfect:
            found[f"seat_text for seat {seat}"] = view.seat_text(rules, s, seat)
        if seat != mover:
            return found
        for form in prompts.part(view, "POSITION_FORMS"):
            options = prompts.TextOptions(position=form)
            found[f"prompt with {form!r}"] = prompts.prompt(view, rules, s, seat, options)
        if is_imperfect:
            legal = prompts.legal_list(rules, states)
            some = range(0, rules.num_actions, 1 + rules.num_actions // MOST_TOLD)
            found[f"legal moves of seat {seat}"] = legal
            found[f"moves told to seat {seat}"] = [
                view.action_to_string(rules, s, action) for action in legal[:MOST_TOLD]
            ] + [view.why_illegal(rules, s, action) for action in some if action not in legal]
        return found

    def commits_of_the_running_turn_do_not_show(self) -> None:
        """Another commit of one seat changes nothing for the others until the turn resolves.

        Every seat's tensor and what it is shown are compared, and the prompt and legal actions of
        the seat to move.
        """
        rng, view, compared = self.rng(), self.part("view"), 0
        for k in range(10):
            played = self.played(k)
            for at in played.some(max(1, MOST_COMMITS // self.rules.num_players**2)):
                choice = played.choices[at]
                others = choice[choice != played.actions[at]]
                if len(others):
                    twin = played.states[at].copy()
                    played.play(twin, int(rng.choice(others)))
                    compared += self._same_to_others(played, at, twin, view)
        assert compared, "no two seats committed in one turn of ten random games"

    def _same_to_others(self, played: RandomGame, at: int, twin: np.ndarray, view: Any) -> int:
        """Play ``twin`` on as ``played`` went on; how many decisions of others were compared."""
        rules, committing, compared = self.rules, played.players[at], 0
        turn = core.turn_at(rules, played.states[at], 0)
        for state, player, choice, action in zip(
            played.states[at + 1 :],
            played.players[at + 1 :],
            played.choices[at + 1 :],
            played.actions[at + 1 :],
            strict=True,
        ):
            if core.turn_at(rules, state, 0) != turn or core.turn_at(rules, twin, 0) != turn:
                break
            if (now := core.current_player_at(rules, twin, 0)) != player:
                assert committing in (player, now), f"who commits in turn {turn} depends on it"
                break  # one of the two plans of the committing seat is longer
            legal = played.legal[: core.legal_actions_at(rules, twin, 0, played.legal)].copy()
            if player != committing:
                compared += 1
                assert legal.tolist() == choice.tolist(), (
                    f"a hidden commit of seat {committing} changes the moves of seat {player}"
                )
                for seat in set(range(rules.num_players)) - {committing}:
                    seen = played.observation(twin, seat).tobytes()
                    assert seen == played.observation(state, seat).tobytes(), (
                        f"a commit of seat {committing} shows to seat {seat}: {state} / {twin}"
                    )
                    if view:
                        self._same_texts(view, twin, state, seat, player)
            elif action not in legal:
                break
            played.play(twin, action)
        return compared

    def messages_reach_only_those_they_are_for(self) -> None:
        """What one seat tells another changes no third seat's prompt, and it is in the other's.

        The other is a seat that is asked later, which not every one needs to be.
        """
        text, silent, told = "the moon is green", TextGame(self.name), TextGame(self.name)
        for k in range(GAMES_WITH_HEARERS):
            played = RandomGame(told.rules, (self.seed + k) % 2**63)
            teller = played.players[0] if played.players else 0
            hearer = next((seat for seat in reversed(played.players) if seat != teller), None)
            if hearer is not None:
                break
        else:
            raise AssertionError(f"{GAMES_WITH_HEARERS} random games asked one seat each")
        for game in (silent, told):
            game.reset(seed=(self.seed + k) % 2**63)
        reached = compared = 0
        for chosen in played.actions:
            told.say(teller, (hearer,), text)
            one, other = silent.observe(), told.observe()
            if told.seat == hearer:
                reached += text in json.dumps(other.messages)
            elif told.seat != teller:
                compared += 1
                assert one.messages == other.messages, (
                    f"what seat {teller} told seat {hearer} is in the prompt of seat {told.seat}"
                )
            for game in (silent, told):
                game.play(chosen)
        assert reached, f"seat {hearer} was never shown what seat {teller} said"
        third = set(played.players) - {teller, hearer}
        assert compared or not third, f"no prompt of the seats {third} was compared"

    def what_talk_tells_shows_nothing_hidden(self) -> None:
        """Names, phases and words of actions follow from what those know who tell and hear them.

        Names tell the seats apart, and are no words that stand for several seats or oneself.
        """
        played, view, rules = self.played(), self.spec.module("view"), self.rules
        for at, (state, seat) in enumerate(zip(played.states, played.players, strict=True)):
            names, hearers = (
                seat_names(view, rules, state[0]),
                view.listeners(rules, state[0], seat),
            )
            called = {" ".join(name.split()).casefold() for name in names}
            assert len(called) == len(names) and not called & {"", *EVERYBODY, *ONESELF}, (
                f"the seats' names do not tell them apart, or stand for others too: {names}"
            )
            assert all(name.isprintable() for name in names), f"unprintable names: {names}"
            told = _told_by_talk(view, rules, state, seat)
            others = set(range(rules.num_players)) - {seat}
            assert set(hearers) <= others, f"seat {seat} may speak to {hearers}"
            for knows in (seat, *hearers):
                other = state.copy()
                core.determinize_at(rules, other, 0, knows, np.uint64(self.seed + at + 1))
                assert told == _told_by_talk(view, rules, other, seat), (
                    f"what talk tells of seat {seat} changes with what is hidden from seat {knows}"
                )
                if knows == seat and hasattr(view, "spoken_text"):
                    for action in played.choices[at][:MOST_TOLD]:
                        said = view.spoken_text(rules, state[0], action)
                        assert said == view.spoken_text(rules, other[0], action), (
                            f"what is said with action {action} changes with what is hidden"
                        )
                        assert len(said) <= SPEECH_LIMIT, f"{said[:80]!r} is too long"


def _told_by_talk(view: Any, rules: Any, states: np.ndarray, seat: int) -> tuple[Any, ...]:
    """What goes with a message of a seat beside its text."""
    s = states[0]
    present, phase = part(view, "present")(rules, s), part(view, "phase_text")(rules, s)
    listeners = view.listeners(rules, s, seat)
    return seat_names(view, rules, s), list(present), phase, list(listeners)


def _same_turn(rules: Any, before: np.ndarray, after: np.ndarray) -> bool:
    if core.current_player_at(rules, after, 0) < 0:
        return False
    return bool(core.turn_at(rules, before, 0) == core.turn_at(rules, after, 0))
