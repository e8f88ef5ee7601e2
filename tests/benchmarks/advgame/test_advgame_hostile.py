"""Plans as no model should send them: ``benchmarks.advgame`` names each, and goes on."""

from __future__ import annotations

import json
import re

import pytest
from advgame_runs import GUN, KEEP, asked, decisions, demons, prompt_of, run
from openai_server import OpenAIServer, answer

_unit = {"name": "NormalDemon", "y": 2}
_one = '{"name": "NormalDemon", "y": %s}'
HOSTILE = {
    "nothing to keep": (KEEP, "illegal", "nothing_to_keep", "keep"),
    "empty": ("", "unparseable", "empty", ""),
    "blank": (" \n ", "unparseable", "empty", ""),
    "prose": ("I send demons.", "unparseable", "no_object", ""),
    "list": ("[1, 2]", "unparseable", "no_object", ""),
    "wrong key": ('{"zombies": []}', "unparseable", "wrong_key", ""),
    "no list": ('{"demons": {"name": "NormalDemon"}}', "unparseable", "bad_type", ""),
    "nested lists": ('{"demons": [[{"name": "NormalDemon", "y": 1}]]}', "unparseable", "bad_type",
                     ""),
    "list as a name": ('{"demons": [{"name": ["NormalDemon"], "y": 1}]}', "unparseable",
                       "bad_type", ""),
    "no name": ('{"demons": [{"y": 1}]}', "unparseable", "bad_type", ""),
    "null": ('{"demons": [null]}', "unparseable", "bad_type", ""),
    "true as a number": ('{"demons": [%s]}' % (_one % "true"), "unparseable", "bad_type", ""),
    "text as a number": ('{"demons": [%s]}' % (_one % '"2"'), "unparseable", "bad_type", ""),
    "keep as a number": ('{"keep": 1}', "unparseable", "bad_type", ""),
    "twice": ('{"demons": [], "demons": []}', "unparseable", "duplicate_key", ""),
    "twice in an entry": ('{"demons": [{"name": "NormalDemon", "y": 1, "y": 2}]}', "unparseable",
                          "duplicate_key", ""),
    "deep": ('{"demons": ' + "[" * 99 + "]" * 99 + "}", "unparseable", "too_deep", ""),
    "very deep": ('{"a":' * 20_000 + "1" + "}" * 20_000, "unparseable", "too_long", ""),
    "two megabytes": ("x" * 2_000_000, "unparseable", "too_long", ""),
    "NaN": ('{"demons": [%s]}' % (_one % "NaN"), "unparseable", "no_object", ""),
    "Infinity": ('{"demons": [%s]}' % (_one % "-Infinity"), "unparseable", "no_object", ""),
    "1e999": ('{"demons": [%s]}' % (_one % "1e999"), "unparseable", "no_object", ""),
    "10^400": ('{"demons": [%s]}' % (_one % ("1" + "0" * 400)), "unparseable", "no_object", ""),
    "cut off": ('{"demons": [{"name": "NormalDemon", "y"', "unparseable", "no_object", ""),
    "no entry": ('{"demons": []}', "illegal", "empty_plan", "no entry"),
    "unknown": ('{"demons": [%s, {"name": "Pea Shooter", "y": 1}]}' % (_one % 1), "illegal",
                "unknown_unit", "entry 2: Pea Shooter"),
    "unicode": ('{"demons": [{"name": "\\ud83d\\udc79\\ud800 Dämon\\u202e", "y": 1}]}', "illegal",
                "unknown_unit", "entry 1: "),
    "long name": (json.dumps({"demons": [{"name": "a" * 5000, "y": 1}]}), "illegal",
                  "unknown_unit", "entry 1: " + "a" * 80),
    "other side": ('{"demons": [{"name": "RifleSoldier", "y": 1}]}', "illegal", "wrong_side",
                   "entry 1: RifleSoldier"),
    "half a row": ('{"demons": [%s]}' % (_one % 1.5), "illegal", "bad_cell",
                   "entry 1: NormalDemon"),
    "below": ('{"demons": [%s]}' % (_one % -1), "illegal", "bad_cell", "entry 1: NormalDemon"),
    "10^299": ('{"demons": [%s]}' % (_one % ("1" + "0" * 299)), "illegal", "bad_cell",
               "entry 1: NormalDemon"),
    "1e308": ('{"demons": [%s]}' % (_one % "1e308"), "illegal", "bad_cell",
              "entry 1: NormalDemon"),
    "late": (json.dumps({"demons": [{**_unit, "spawn_time": 10**299}]}), "illegal", "bad_time",
             "entry 1: NormalDemon"),
    "early": (json.dumps({"demons": [{**_unit, "spawn_time": -0.5}]}), "illegal", "bad_time",
              "entry 1: NormalDemon"),
    "huge list": (json.dumps({"demons": [_unit] * 2000}), "illegal", "too_many",
                  "entry 65: NormalDemon"),
    "beyond all": (demons(*["DemonKing"] * 64), "illegal", "over_budget", "send DemonKing 2"),
    "negative price": (json.dumps({"demons": [{**_unit, "price": -10**9, "cost": "free"}]}), "ok",
                       "", ""),
    "whole float": ('{"demons": [%s]}' % (_one % "2.0"), "ok", "", ""),
}  # fmt: skip


def test_hostile_plans_are_named_and_the_run_goes_on(tmp_path):
    """Two models that answer with one of them after the other, by the number of the round."""
    plans = list(HOSTILE.values())
    plans += [(GUN, "unparseable", "wrong_key", "")] * (40 - len(plans))

    def at(model, number):
        return plans[20 * int(model[-1]) + number - 1]

    def script(body, nth):
        _, attacks, number = asked(body)
        return answer(at(body["model"], number)[0] if attacks else GUN)

    with OpenAIServer(script) as server:
        summary = run(server, tmp_path, "--policies", "llm:m0,llm:m1", "--rounds", 20,
                      "--tries", 1)  # fmt: skip
    assert summary["games"] == 8 + 8  # with those of random and control:keep, who play beside
    seen = set()
    for record in decisions(tmp_path, seat=0):
        number = int(re.findall(r"Round (\d+) of", prompt_of(record))[0])
        said, kind, reason, where = at(record["policy"], number)
        assert record["reply"] == said or len(said) > 100_000 or "ud800" in said
        assert (record["kind"], record["reason"]) == (kind, reason), said[:80]
        assert record["rejected"] == [] or len(record["rejected"][0][0]) < 100
        if where:
            assert record["rejected"][0][0].startswith(where), said[:80]
        seen.add(said)
    assert len(seen) == len({said for said, *_ in plans}) >= len(HOSTILE)
    told = "\n".join(prompt_of(record) for record in decisions(tmp_path, seat=0))
    for words in ("entry 65: too many", "entry 1: bad cell", "empty plan: no entry",
                  "the answer could not be read: too deep",
                  "the answer could not be read: duplicate key"):  # fmt: skip
        assert f"Your plan broke a rule ({words}" in told
    page = (tmp_path / "report.md").read_text()
    for words in ("llm:m1", "corrections.png", "over_budget.png", "orr.png", "Pearson", "too few"):
        assert words in page, words


OTHER_GAMES = {
    "battle_card": [
        ('{"%s": [{"name": "Bob", "tier": "Gold"}]}', "unknown_unit", "entry 1: Bob"),
        ('{"%s": [{"name": "OWN", "tier": "Platinum"}]}', "unknown_tier", "entry 1: OWN Platinum"),
        ('{"%s": [{"name": "OWN"}], "target_priority_for_%s": ["OWN"]}', "wrong_side",
         "priority 1: OWN"),
        ('{"%s": []}', "empty_plan", ""),
    ],
    "elemental_duel": [
        ('{"%s": [{"element": "Wind", "skills": []}]}', "unknown_unit", "entry 1: Wind"),
        ('{"%s": [{"element": "OWN", "skills": ["hell_curtain"]}]}', "skill_count",
         "entry 1: OWN, 1 skills"),
        ('{"%s": []}', "empty_plan", ""),
    ],
}  # fmt: skip


@pytest.mark.parametrize("game", OTHER_GAMES)
def test_hostile_plans_of_the_other_games(tmp_path, game):
    """One after the other, by the number of the round."""
    plans = OTHER_GAMES[game]
    own = {"battle_card": ("Phoenix", "King"), "elemental_duel": ("Fire", "Wood")}[game]

    def script(body, nth):
        text, _, number = asked(body)
        seat = int("You plan for the defenders" in text)
        plan = plans[(number - 1) % len(plans)][0]
        return answer(plan.replace("%s", ("invaders", "defenders")[seat]).replace("OWN", own[seat]))

    with OpenAIServer(script) as server:
        run(server, tmp_path, "--game", game, "--rounds", len(plans) + 2, "--opponents",
            "plan:fill")  # fmt: skip
    seen = set()
    for record in decisions(tmp_path):
        number = int(re.findall(r"Round (\d+) of", prompt_of(record))[0])
        _, reason, where = plans[(number - 1) % len(plans)]
        assert (record["kind"], record["reason"]) == ("illegal", reason)
        assert record["rejected"][0][0].startswith(where.replace("OWN", own[record["seat"]]))
        assert number == 1 or "Your plan broke a rule (" in prompt_of(record)
        seen.add(reason)
    assert len(seen) == len(plans)
