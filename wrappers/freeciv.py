"""The real Freeciv as a PettingZoo parallel environment, seen as positions of ``civilization``.

Each agent is a client of a server that this module starts; the server's own players can sit beside
them. What an agent was told is kept as a record of ``civilization`` (``freeciv_record``), so that
the observation, the prompts, the scripted players and any ``Policy`` are the same there and here.
A step takes one action of every agent that has something to decide in the phase; when none has, the
turn ends. Orders go to the server, and the record is made anew from its answer, so nothing here
computes what an order comes to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from stratagym.agents.core import Policy, decision_for
from stratagym.envs import core, spec
from stratagym.envs.civilization import actions
from stratagym.envs.civilization.geography import neighbour
from stratagym.envs.civilization.state import (
    CITIES,
    COUNCIL,
    IDLE,
    ITEM_ASKED,
    MOST_COUNCIL,
    MOST_DECISIONS,
    TREATIES,
    TROOPS,
)
from stratagym.envs.civilization.tables import ITEM_BUILDING, ITEM_COINAGE
from stratagym.envs.civilization.towns import price
from stratagym.envs.civilization.treaties import TEMPLATES
from stratagym.wrappers.freeciv_client import Client, end_turn, join, save, wait_for
from stratagym.wrappers.freeciv_record import BUILDING_KIND, UNIT_KIND, Recorder
from stratagym.wrappers.freeciv_score import LOG, dsgbench, land_of, read_scores
from stratagym.wrappers.freeciv_server import FreecivError, Server, Setting
from stratagym.wrappers.freeciv_treaties import TREATY_OF_PEACE, clauses_of, offer_of

GAME = spec("civilization")
MOST_TRIES = 12
"""Orders of one unit in one turn, after which it is asked no more."""
# The server's numbers: actions, activities, orders.
_FOUND, _JOIN, _ATTACK, _CONQUER, _DISBAND, _HELP_WONDER = 25, 26, 41, 42, 36, 20
_NO_ACTION, _NO_ACTIVITY = 44, 21
_SENTRY, _PILLAGE, _EXPLORE, _FORTIFYING = 7, 9, 11, 15
_WORKS = {actions.BUILD_ROAD: (19, "Road"), actions.IRRIGATE: (4, "Irrigation"),
          actions.BUILD_MINE: (3, "Mine")}  # fmt: skip
_DIRECTIONS = (1, 2, 4, 7, 6, 5, 3, 0)
"""The server's numbers of N NE E SE S SW W NW."""


class Player:
    """One client's turn: who is asked, and what its answers are for the server.

    Attributes:
        client: the connection. recorder: makes the records. states: (1,) the record as it stands.
    """

    def __init__(self, client: Client, setting: Setting):
        self.client = client
        self.recorder = Recorder(client.world, setting.turns, setting.start)
        self.rules: Any = self.recorder.rules
        self.legal = np.zeros(actions.ACTIONS, np.int64)
        self._known_cities: set[int] = set()
        self.begin_turn()

    def begin_turn(self) -> None:
        """Nobody has been asked yet."""
        self.council = self.decisions = 0
        self.woken = self.summoned = False
        self.asked: set[int] = set()
        self.buy_asked: set[int] = set()
        self.done: set[int] = set()
        self.tries: dict[int, int] = {}
        self.proposed = 0
        self.answered: set[int] = set()
        self.seek()

    def seek(self) -> None:
        """Make the record anew and go to the next actor; ``is_open`` is false if none is left."""
        self.states = self.recorder.make()
        s, seat, world = self.states[0], self.recorder.seat, self.client.world
        s["decisions"], s["council"] = self.decisions, min(self.council, MOST_COUNCIL)
        s["woken"], s["summoned"] = self.woken, self.summoned
        s["proposed"][seat] = self.proposed
        self.is_open = False
        if world.is_over or not s["alive"][seat] or self.decisions >= MOST_DECISIONS:
            return
        for other in np.flatnonzero(s["offer"][seat] >= 0).tolist():
            if other not in self.answered:
                self._ask(TREATIES, other)
                return
        if self.council < MOST_COUNCIL:
            self._ask(COUNCIL, 0)
            return
        for place, number in enumerate(self.recorder.cities):
            if self._wants_item(s, seat, place, number):
                self._ask(CITIES, place)
                return
            if number in self.asked and number not in self.buy_asked:
                gold = int(price(s, seat, place))
                told = world.cities[number]
                may = not told["did_buy"] and told["turn_founded"] < world.turn
                if may and 0 < gold <= s["gold"][seat]:
                    s["city_flags"][seat][place] |= ITEM_ASKED
                    self._ask(CITIES, place)
                    return
        for place, number in enumerate(self.recorder.units):
            if number in self.done or s["unit_moves"][seat][place] == 0:
                continue
            if s["unit_order"][seat][place] == IDLE or self.woken:
                self._ask(TROOPS, place)
                return

    def _wants_item(self, s: Any, seat: int, place: int, number: int) -> bool:
        if number in self.asked:
            return False
        told = self.client.world.cities[number]
        is_new = number not in self._known_cities
        finished = told["turn_last_built"] >= self.client.world.turn - 1
        no_item = s["city_item"][seat][place] == ITEM_COINAGE
        return is_new or finished or no_item or self.summoned or s["turn"] % 10 == 0

    def _ask(self, stage: int, actor: int) -> None:
        s = self.states[0]
        s["stage"], s["actor"] = stage, actor
        self.is_open = True

    def choices(self) -> np.ndarray:
        """The legal actions of the actor that is asked, ascending."""
        n = core.legal_actions_at(self.rules, self.states, 0, self.legal)
        return self.legal[:n]

    # --- orders ----------------------------------------------------------------------------------

    def order(self, action: int) -> None:
        """Send what an action means, or note that nothing is to be sent."""
        s, actor = self.states[0], int(self.states[0]["actor"])
        self.decisions += 1
        if s["stage"] == TREATIES:
            self.answered.add(actor)
            answer = "ACCEPT_TREATY" if action == actions.ACCEPT else "CANCEL_MEETING"
            player = self.recorder.player_of(actor)
            self.client.send(f"DIPLOMACY_{answer}_REQ", counterpart=player)
        elif s["stage"] == COUNCIL:
            self._council(s, action)
        elif s["stage"] == CITIES:
            self._city(s, actor, action)
        else:
            self._unit(s, actor, action)

    def _council(self, s: Any, action: int) -> None:
        names, send = self.recorder.names, self.client.send
        self.council += 1
        if action == actions.KEEP:
            self.council = MOST_COUNCIL
        elif action == actions.WAKE:
            self.woken = True
        elif action == actions.SUMMON:
            self.summoned = True
        elif action >= actions.PROPOSE:
            self._negotiate(s, action)
        elif action < actions.GOVERN:
            send("PLAYER_RESEARCH", tech=names.tech_of[action - actions.RESEARCH])
        elif action < actions.TAXES:
            government = names.government_of[action - actions.GOVERN]
            send("PLAYER_CHANGE_GOVERNMENT", government=government)
        else:
            tax, luxury, science = map(int, actions.rates_of(s, self.recorder.seat, action))
            send("PLAYER_RATES", tax=tax, luxury=luxury, science=science)

    def _negotiate(self, s: Any, action: int) -> None:
        """Propose a treaty, or end a peace."""
        recorder, send, seat = self.recorder, self.client.send, self.recorder.seat
        if action >= actions.CANCEL:
            other = int(actions.other_seat(self.rules, seat, action - actions.CANCEL))
            player = recorder.player_of(other)
            send("DIPLOMACY_CANCEL_PACT", other_player_id=player, clause=TREATY_OF_PEACE)
            return
        k, template = divmod(action - actions.PROPOSE, TEMPLATES)
        other = int(actions.other_seat(self.rules, seat, k))
        player = recorder.player_of(other)
        self.proposed |= 1 << other
        if player in self.client.world.meetings:
            return  # the other has begun one
        send("DIPLOMACY_INIT_MEETING_REQ", counterpart=player)
        for giver, kind, value in clauses_of(
            self.rules, s, seat, other, template, recorder.player_of, recorder.names.tech_of
        ):
            send("DIPLOMACY_CREATE_CLAUSE_REQ", counterpart=player, giver=giver, type=kind,
                 value=value)  # fmt: skip
        send("DIPLOMACY_ACCEPT_TREATY_REQ", counterpart=player)

    def leave_meetings(self) -> None:
        """What was not answered by the end of a turn is void."""
        for player, meeting in self.client.world.meetings.items():
            known = offer_of(meeting.clauses, player, self.recorder.names.techs) is not None
            self.recorder.left_out["treaties of other clauses"] += not (known or meeting.is_ours)
            self.client.send("DIPLOMACY_CANCEL_MEETING_REQ", counterpart=player)

    def _city(self, s: Any, place: int, action: int) -> None:
        number, send = self.recorder.cities[place], self.client.send
        if number in self.asked:
            self.buy_asked.add(number)
            if action == actions.BUY:
                send("CITY_BUY", city_id=number)
            return
        self.asked.add(number)
        self._known_cities.add(number)
        if action != actions.KEEP:
            item = int(actions.action_item(action))
            kind = UNIT_KIND if item < ITEM_BUILDING else BUILDING_KIND
            names = self.recorder.names
            value = (
                names.unit_of[item]
                if item < ITEM_BUILDING
                else names.building_of[item - ITEM_BUILDING]
            )
            send("CITY_CHANGE", city_id=number, production_kind=kind, production_value=value)

    def _unit(self, s: Any, place: int, action: int) -> None:
        number, seat = self.recorder.units[place], self.recorder.seat
        tile = int(s["unit_tile"][seat][place])
        self.tries[number] = self.tries.get(number, 0) + 1
        if self.tries[number] >= MOST_TRIES or not actions.MOVE <= action < actions.FORTIFY:
            self.done.add(number)
        if actions.MOVE <= action < actions.FORTIFY:
            self._move(s, number, tile, action - actions.MOVE)
        elif action == actions.FORTIFY:
            self._activity(number, _FORTIFYING)
        elif action == actions.SENTRY_DUTY:
            self._activity(number, _SENTRY)
        elif action in _WORKS:
            activity, extra = _WORKS[action]
            self._activity(number, activity, self.recorder.names.extras[extra])
        elif action == actions.PILLAGE:
            self._activity(number, _PILLAGE)
        elif action == actions.GO_EXPLORE:
            self._activity(number, _EXPLORE)
        elif action == actions.GO_AUTO:
            self.client.send("UNIT_AUTOSETTLERS", unit_id=number)
        elif action == actions.BUILD_CITY:
            self._do(number, tile, _FOUND, f"{self.client.name} {self.decisions}-{number}")
        elif action == actions.DISBAND:
            self._do(number, number, _DISBAND)
        elif action != actions.KEEP:
            city = self._city_on(tile)
            self._do(number, city, _JOIN if action == actions.JOIN_CITY else _HELP_WONDER)

    def _move(self, s: Any, number: int, tile: int, direction: int) -> None:
        goal = int(neighbour(self.rules, tile, direction))
        seat = self.recorder.seat
        there = int(s["city_at"][goal])
        if s["army"][goal] >= 0 and s["army"][goal] != seat:
            self._do(number, goal, _ATTACK)
        elif there >= 0 and s["owner"][goal] != seat:
            self._do(number, self._city_on(goal), _CONQUER)
        else:
            self.client.send(
                "UNIT_ORDERS", unit_id=number, src_tile=tile, length=1, repeat=False,
                vigilant=False, orders=[0], dir=[_DIRECTIONS[direction]],
                activity=[_NO_ACTIVITY], sub_target=[-1], action=[_NO_ACTION], dest_tile=goal,
            )  # fmt: skip

    def _city_on(self, tile: int) -> int:
        cities = self.client.world.cities
        return next((number for number, one in cities.items() if one["tile"] == tile), 0)

    def _activity(self, unit: int, activity: int, target: int = -1) -> None:
        self.client.send("UNIT_CHANGE_ACTIVITY", unit_id=unit, activity=activity, target=target)

    def _do(self, unit: int, target: int, action: int, name: str = "") -> None:
        self.client.send(
            "UNIT_DO_ACTION", actor_id=unit, target_id=target, sub_tgt_id=0, name=name,
            action_type=action,
        )  # fmt: skip


class FreecivEnv(ParallelEnv):
    """Clients on one server, a step a decision of every agent that has one.

    Observations, masks and actions are those of ``civilization`` on the server's map. Rewards are 0
    until the end; then 1 for the agent of the highest score and -1 for others, 0 for equal ones.

    Args:
        agents: names of the clients, one or two. setting: of the game.

    Raises:
        FreecivError: no server, another version, a server that has gone; in one line.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "freeciv",
        "is_parallelizable": True,
        "render_modes": [],
    }
    render_mode = None

    def __init__(
        self,
        agents: Sequence[str] = ("Ann", "Bob"),
        setting: Setting = Setting(),  # noqa: B008
    ):
        if len(agents) + len(setting.computers) not in (2, 3, 4):
            raise ValueError("two to four players are needed, those of the server counted")
        self.possible_agents, self.setting = list(agents), setting
        self.agents: list[str] = []
        self.server: Server | None = None
        self.players: dict[str, Player] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a server and a game; the seed is that of map and game."""
        self.close()
        if seed is not None:
            self.setting = Setting(**{**vars(self.setting), "seed": 1 + seed % 2**31})
        self.server = Server(self.setting)
        self._clients = [Client(name, self.server.port) for name in self.possible_agents]
        try:
            join(self._clients)
            self.players = {one.name: Player(one, self.setting) for one in self._clients}
        except BaseException:
            self.close()
            raise
        self.agents = self.possible_agents[:]
        return self._observations(), {agent: {} for agent in self.agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        rules = self.players[agent].rules
        low, high = rules.observation_low, rules.observation_high
        mask: Any = spaces.Box(0, 1, (rules.num_actions,), np.int8)
        return spaces.Dict(
            {
                "observation": spaces.Box(low, high, rules.observation_shape, np.float32),
                "action_mask": mask,
            }
        )

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Discrete(actions.ACTIONS)

    def _observations(self) -> dict[str, Any]:
        found = {}
        for agent in self.agents:
            player = self.players[agent]
            seen = np.zeros(player.rules.observation_shape, np.float32)
            core.observe_at(player.rules, player.states, 0, player.recorder.seat, seen)
            mask = np.zeros(actions.ACTIONS, np.int8)
            mask[player.choices() if player.is_open else [actions.KEEP]] = 1
            found[agent] = {"observation": seen, "action_mask": mask}
        return found

    def step(self, given: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """One action of every agent; that of one with nothing to decide is ignored."""
        for agent in self.agents:
            player = self.players[agent]
            if player.is_open:
                action = int(given[agent])
                if action not in player.choices():
                    raise ValueError(f"{agent} may not do {action}")
                before = player.client.decoder.counts.get("PROCESSING_FINISHED", 0)
                sent = player.client.sent
                player.order(action)
                if player.client.sent > sent:
                    self._settle(player.client, before + player.client.sent - sent)
                player.seek()
        wait_for(self._clients, self._is_told, "what was proposed")
        for player in self.players.values():
            if player.client.world.meetings:
                player.seek()  # somebody has proposed something to it
        if not any(player.is_open for player in self.players.values()):
            for player in self.players.values():
                player.leave_meetings()
            end_turn(self._clients)
            for player in self.players.values():
                player.begin_turn()
        is_over = any(client.world.is_over for client in self._clients)
        rewards = self._rewards() if is_over else dict.fromkeys(self.agents, 0.0)
        ends = dict.fromkeys(self.agents, is_over)
        seen = self._observations()
        infos: dict[str, Any] = {agent: {} for agent in self.agents}
        if is_over:
            self.agents = []
        return seen, rewards, ends, dict.fromkeys(ends, False), infos

    def _is_told(self) -> bool:
        """Whether every client knows of what another proposed to it, and of what came of it."""
        by_number = {client.world.player: client.world for client in self._clients}
        for number, world in by_number.items():
            for other, meeting in world.meetings.items():
                if meeting.we_accepted and other in by_number and not world.is_over:
                    theirs = by_number[other].meetings.get(number)
                    if theirs is None or not theirs.accepted:
                        return False
        return True

    def _settle(self, client: Client, answers: int) -> None:
        """Wait until the server has dealt with what was sent."""
        counts = client.decoder.counts
        wait_for(
            self._clients,
            lambda: client.world.is_over or counts.get("PROCESSING_FINISHED", 0) >= answers,
            "what came of an order",
        )

    def _rewards(self) -> dict[str, float]:
        scores = {agent: self.score(agent) for agent in self.agents}
        best = max(scores.values())
        winners = [agent for agent, score in scores.items() if score == best]
        if len(winners) == len(scores) > 1:
            return dict.fromkeys(scores, 0.0)
        return {agent: 1.0 if agent in winners else -1.0 for agent in scores}

    def score(self, agent: str) -> int:
        """An agent's score as the server told it last."""
        world = self.players[agent].client.world
        return int(world.results.get(world.player, world.players[world.player])["score"])

    def measures(self, as_published: bool = False) -> dict[str, dict[str, Any]]:
        """DSGBench's EGR, CER, TRP, LUR and MGR of every agent, by the server's score log.

        Raises:
            FreecivError: the server is gone, no game has begun, or the server's files do not tell.
        """
        if self.server is None:
            raise FreecivError("there is no game to measure: reset begins one")
        rules = self._clients[0].world.rules["RULESET_TECH"]
        techs = sum(one["rule_name"] != "None" for one in rules.values())
        try:
            turn, scores = read_scores((self.server.folder / LOG).read_text(encoding="utf-8"))
            turn = min(turn, self.setting.turns)
            land = land_of(save(self._clients, self.server.folder))
            return {
                one.name: dsgbench(
                    turn, scores.get(one.world.player, {}), land, techs, as_published
                )
                for one in self._clients
            }
        except (OSError, ValueError) as error:
            raise FreecivError(f"no metrics of the game: {error}") from error

    def close(self) -> None:
        """End the server that was started."""
        for client in getattr(self, "_clients", []):
            client.close()
        if self.server is not None:
            self.server.close()
            self.server = None


def play(env: FreecivEnv, policies: Mapping[str, Policy], seed: int = 0) -> dict[str, int]:
    """Play a game on the server between policies of ``civilization``; the scores at the end.

    Each is asked as anywhere else, by a ``Decision`` about what its client knows. An action that is
    not offered here counts as keeping to what is done.
    """
    env.reset(seed=seed)
    asked = 0
    while env.agents:
        chosen = {}
        for agent in env.agents:
            player = env.players[agent]
            if player.is_open:
                asked += 1
                one = int(core.derive_seed(np.uint64(seed), np.uint64(asked)))
                action = policies[agent].act(decision_for(GAME, player.rules, player.states, one))
                chosen[agent] = action if action in player.choices() else actions.KEEP
        env.step(chosen)
    return {agent: env.score(agent) for agent in env.possible_agents}


__all__ = ["FreecivEnv", "FreecivError", "Player", "Setting", "play"]
