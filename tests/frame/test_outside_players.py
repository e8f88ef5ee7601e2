"""Players of other packages: entry points ``stratagym.policies``."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import outside_package
import pytest
from outside_package import install, python, script
from scripts import lines

from stratagym.agents.core import FACTORIES


@pytest.fixture(scope="module")
def site(once) -> Path:
    """A folder with the package installed in it."""
    return once("outside", install) / "site"


distribution = partial(outside_package.distribution, group="stratagym.policies", prefix="players_")


MADE = """
import pickle, sys
import gymnasium
import numpy as np
from stratagym import envs
from stratagym.agents.core import decision_for, make_policy
from stratagym.testing import position

game = envs.spec("tictactoe")
make_policy(game, "random")
assert not [name for name in sys.modules if name.startswith("stratagym_nim")]
policy = make_policy(game, "nth:7")
assert "stratagym_nim.players" in sys.modules
assert policy.name == "nth:7" and make_policy(game, policy.name).name == "nth:7"
at = position(game, 4, 0)
assert policy.act(decision_for(game, game.make_rules(), at, 1)) == [1, 2, 3, 5, 6, 7, 8][7 % 7]
assert type(policy.act(decision_for(game, game.make_rules(), at, 1))) is int
weak = make_policy(game, "nth:0?random=0.5")
played = {weak.act(decision_for(game, game.make_rules(), at, seed)) for seed in range(200)}
assert weak.name == "nth:0?random=0.5" and played == {1, 2, 3, 5, 6, 7, 8}

# At once for many states, and as an opponent of learners; it completes a row where it can.
ahead = make_policy(game, "ahead")
two = position(game, 0, 3, 1, 4)
assert ahead.act_each(game.make_rules(), two, np.zeros(1, np.uint64)).tolist() == [2]
env = gymnasium.make("stratagym/Tictactoe-v0", opponent="ahead", seat=0)
_, info = env.reset(seed=1)
over = False
while not over:
    _, _, over, _, info = env.step(int(info["action_mask"].argmax()))

# A game's own player keeps its name there; elsewhere the package's has it.
assert type(make_policy(envs.spec("nim"), "bouton:2")).__name__ == "Bouton"
assert make_policy(envs.spec("nim"), "nth:1").name == "nth:1"
assert type(make_policy(game, "bouton").policy).__name__ == "OtherBouton"
for text in ("nth", "ahead:3", "never"):
    try:
        make_policy(game, text)
    except ValueError as error:
        print(error)
"""


def test_it_is_made_by_its_string_and_imported_when_named(site):
    said, warned = python("-c", MADE, path=site)
    number, argument, unknown = said.splitlines()
    assert number == "policy nth:: a number is needed"
    assert argument == "policy ahead: it takes no argument"
    assert unknown.startswith("unknown policy 'never'; the policies are: random, ")
    assert unknown.endswith(", ahead, bouton, nth")
    assert "policy 'bouton' of stratagym-nim 1.0 is left out in nim" in warned


def test_it_plays_in_worker_processes(site, tmp_path):
    script("tournament", "--game", "tictactoe", "--policies", "nth:0,nth:3?random=0.2,ahead",
           "--games", 4, "--workers", 2, "--output", tmp_path / "run", path=site)  # fmt: skip
    played = lines(tmp_path / "run" / "games.jsonl")
    assert len(played) == 3 * 4
    assert {game["ended_by"] for game in played} == {"terminal"}
    firsts = {game["actions"][0] for game in played if game["seats"][0] == "nth:0"}
    assert firsts == {0}


def test_a_second_process_compiles_nothing_of_it(site):
    code = """
from stratagym import envs
from stratagym.agents.core import make_policy
from stratagym.testing import position
import numpy as np
from stratagym_nim import players
game = envs.spec("tictactoe")
make_policy(game, "ahead").act_each(game.make_rules(), position(game), np.zeros(1, np.uint64))
print(type(players._ahead._cache).__name__, sum(players._ahead.stats.cache_misses.values()))
"""
    for _ in range(2):
        said, error = python("-c", code, path=site)
        assert "for this process only" not in error
    assert said == "KernelCache 0\n"


def test_they_are_listed_with_what_they_are(site, tmp_path):
    distribution(tmp_path, "crash", {"crash": "players_crash:make"}, "1 / 0")
    said, _ = python("-m", "stratagym.agents.outside", path=Path(f"{site}{os.pathsep}{tmp_path}"))
    assert "nth (stratagym-nim 1.0): The legal action of a certain number.\n" in said
    assert "crash (crash 1.0): policy 'crash' of crash 1.0 cannot be used: importing" in said
    assert python("-m", "stratagym.agents.outside", path=tmp_path / "none")[0] == (
        "No installed package has players.\n"
    )


# --- packages that do not work -------------------------------------------------------------------

ASK = """
import json, sys
from stratagym import envs
from stratagym.agents.core import make_policy
game, said = envs.spec("tictactoe"), {}
for name in sys.argv[1:]:
    try:
        said[name] = "made " + type(make_policy(game, name)).__name__
    except ValueError as error:
        said[name] = str(error)
print(json.dumps(said))
"""
POLICY = "from stratagym.agents.core import Policy\nclass Own(Policy):\n    name = 'mcts:5'\n"


def test_packages_that_do_not_work_harm_nobody(tmp_path):
    make = "    def act(self, decision): return 0\ndef make(spec, text): return Own()\n"
    for name, value, code in (
        ("raises", "players_raises:make", "1 / 0"),
        ("ends", "players_ends:make", "import sys\nsys.exit(0)"),
        ("absent", "players_nowhere:make", ""),
        ("module", "players_module", ""),
        ("empty", "players_empty:make", ""),
        ("none", "players_none:make", "def make(spec, text): return None"),
        ("fails", "players_fails:make", "def make(spec, text): return {}[0]"),
        ("called", "players_called:make", POLICY + make),
        ("whole", "players_whole:make", (POLICY + make).replace("mcts:5", "whole?k=1")),
    ):
        distribution(tmp_path, name, {name: value}, code)
    distribution(tmp_path, "ours", {"mcts": "players_ours:make"}, "1 / 0")
    distribution(tmp_path, "one", {"twin": "players_one:make"})
    distribution(tmp_path, "other", {"twin": "players_other:make"})
    distribution(tmp_path, "shouts", {"No-Name": "players_shouts:make"})
    wanted = ("raises", "ends", "absent", "module", "empty", "none", "fails", "called", "twin",
              "No-Name", "whole", "mcts:5", "random")  # fmt: skip
    text, warned = python("-c", ASK, *wanted, path=tmp_path)
    said = json.loads(text)
    assert [said.pop(name) for name in wanted[-3:]] == [
        "made Outside", "made MCTS", "made KernelPolicy"
    ]  # fmt: skip
    for name, words in {
        "raises": "'raises' of raises 1.0 cannot be used: importing players_raises failed",
        "ends": "importing players_ends failed with SystemExit: 0",
        "absent": "No module named 'players_nowhere'",
        "module": "'players_module' names no function; write name = \"module:function\"",
        "empty": "'players_empty:make' names no function",
        "none": "returned no Policy but None",
        "fails": "making it failed with KeyError",
        "called": "calls itself 'mcts:5'; a policy's name makes it again, so it begins",
        "twin": "'twin' is in more than one package: one 1.0 and other 1.0",
        "No-Name": "a name is small letters",
    }.items():
        assert words in said[name] and "\n" not in said[name], said[name]
    assert "'mcts' of ours 1.0 is left out: stratagym has a policy of that name" in warned
    tournament = ("-m", "benchmarks.tournament", "--game", "tictactoe", "--policies")
    refused = python(*tournament, "random,raises", path=tmp_path, code=2)[1].splitlines()[-1]
    assert "cannot be used: importing players_raises" in refused
    assert set(FACTORIES).isdisjoint(said)


FAULTS = """
from stratagym.agents.core import BatchPolicy, Policy
class Bad(Policy):
    def __init__(self, kind): self.kind = kind
    def act(self, decision):
        if len(decision.legal) > 6: return decision.legal[0]
        if self.kind == "raises": raise OSError("gone\\nfor good")
        if self.kind == "exits": raise SystemExit(0)
        decision.legal[:] = 99
        return {"illegal": 99, "text": "b2", "none": None}[self.kind]
class BadBatch(BatchPolicy):
    def act_each(self, rules, states, seeds): return [0.5] * len(states)
def bad(spec, text): return Bad(text.argument)
def bad_batch(spec, text): return BadBatch()
"""


LOSE = """
import json, sys
from pathlib import Path
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.protocol import AnswerProtocol
from stratagym.benchmarks.harness.workers import play_all
from stratagym.envs.text import TextOptions
PROTOCOL = AnswerProtocol(TextOptions(), 1, "forfeit")
if __name__ == "__main__":
    items = [
        item
        for name in sys.argv[3:]
        for item in Contest("tournament", "tictactoe", {}, 2, 1, PROTOCOL).among(
            name, ((0,), (1,)), (name, "random")
        )
    ]
    played = play_all(items, Path(sys.argv[1]), workers=int(sys.argv[2]))
    print(json.dumps(list(played.values())))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_what_it_does_wrong_is_its_own_loss(tmp_path, workers):
    distribution(tmp_path, "bad", {"bad": "players_bad:bad", "batch": "players_bad:bad_batch"},
                 FAULTS)  # fmt: skip
    kinds = ("raises", "exits", "illegal", "text", "none")
    (tmp_path / "lose.py").write_text(LOSE)
    (tmp_path / "run").mkdir()
    names = [*(f"bad:{kind}" for kind in kinds), "batch"]
    said, _ = python(tmp_path / "lose.py", tmp_path / "run", workers, *names, path=tmp_path)
    played = json.loads(said)
    assert len(played) == 6 * 2
    assert {game["ended_by"] for game in played} == {"forfeit"}
    faults = {game["seats"][game["forfeited_by"]]: game["fault"] for game in played}
    words = {
        "bad:raises": "choosing an action failed with OSError: gone for good",
        "bad:exits": "choosing an action failed with SystemExit: 0",
        "bad:illegal": "99 is no legal action",
        "bad:text": "'b2' is no legal action",
        "bad:none": "None is no legal action",
        "batch": "actions are wanted, not float64",
    }
    assert set(faults) == set(words)
    for name, fault in faults.items():
        assert fault.startswith(f"{name}: ") and words[name] in fault
