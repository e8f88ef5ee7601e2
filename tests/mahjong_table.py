"""Mahjong from given walls, played by words, for tests."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.mcr_mahjong import view
from stratagym.envs.mcr_mahjong.rules import deal_walls
from stratagym.envs.mcr_mahjong.table import SEATS
from stratagym.envs.mcr_mahjong.tiles import CHOW, KINDS, KONG, NUMBERS, PUNG

GAME = spec("mcr_mahjong")
KIND_OF = {"CHI": CHOW, "PENG": PUNG, "GANG": KONG}
MELD_WORDS = {CHOW: "CHI", PUNG: "PENG"}
"""What claims that make no kong are called."""


class Table:
    """A game from given walls, played by words."""

    def __init__(self, walls, wind=0, **options):
        self.rules = GAME.make_rules(**options)
        self.states = core.new_states(self.rules)
        self.legal, self.probs = core.new_scratch(self.rules)
        row = np.array([tile for wall in walls for tile in wall], np.int8)
        deal_walls(self.rules, self.states, 0, row, wind)

    @property
    def s(self):
        return self.states[0]

    @property
    def seat(self):
        return core.current_player_at(self.rules, self.states, 0)

    def choices(self):
        n = core.legal_actions_at(self.rules, self.states, 0, self.legal) if self.seat >= 0 else 0
        return self.legal[:n].tolist()

    def words(self):
        return [view.action_to_string(self.rules, self.s, action) for action in self.choices()]

    def play(self, *moves):
        for move in moves:
            action = move
            if isinstance(move, str):
                action = view.string_to_action(self.rules, self.s, move)
            assert action in self.choices(), (move, self.words())
            core.play_at(self.rules, self.states, 0, action, self.legal, self.probs)

    def observation(self, seat):
        out = np.zeros(self.rules.observation_shape, np.int8)
        core.observe_at(self.rules, self.states, 0, seat, out)
        return out

    def returns(self):
        out = np.zeros(SEATS)
        core.returns_at(self.rules, self.states, 0, out)
        return out.tolist()


def tiles(text):
    return [NUMBERS[word] for word in text.split()]


def walls_from(*hands, draws=("", "", "", "")):
    """Four walls that begin with these hands and draws, each as words, the rest in some order."""
    begun = [tiles(hand) + tiles(more) for hand, more in zip(hands, draws, strict=True)]
    left = Counter(dict.fromkeys(range(KINDS), 4))
    for wall in begun:
        left.subtract(wall)
    assert min(left.values()) >= 0
    rest = list(left.elements())
    Random(1).shuffle(rest)
    return [wall + [rest.pop() for _ in range(34 - len(wall))] for wall in begun]


def melds_array(melds):
    out = np.zeros((4, 3), np.int8)
    for k, (word, tile, offer) in enumerate(melds):
        out[k] = KIND_OF[word], tile, offer
    return out
