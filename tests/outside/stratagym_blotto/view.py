"""Blotto in words: a move is a place, or ``end``; a plan is JSON."""

from stratagym.envs import sealed, sealed_words
from stratagym.envs.sealed_words import ANSWER as ANSWER
from stratagym.envs.sealed_words import CONSEQUENCES as CONSEQUENCES
from stratagym.envs.sealed_words import MERGED_PARTS as MERGED_PARTS
from stratagym.envs.sealed_words import POSITION_FORMS as POSITION_FORMS
from stratagym.envs.sealed_words import TEXT_OPTIONS as TEXT_OPTIONS
from stratagym.envs.sealed_words import legal_text as legal_text
from stratagym.envs.sealed_words import plan_facts as plan_facts
from stratagym.envs.sealed_words import refusal_text as refusal_text
from stratagym.envs.words import section

from .rules import END, KEEP, MOST, PLACES

PROMPT_VERSION = "blotto-1"
PLAN = "all"
SIDES = "raiders", "guards"
NAMES = "ford", "bridge", "pass"
WORDS = (*NAMES, "end", "keep", "void")
MEMBERS = tuple(((side,), ("name",)) for side in SIDES)


def plan_json(rules, s, seat, last=True):
    counts = s["last_plan" if last else "plan"][seat].tolist()
    return {SIDES[seat]: [{"name": NAMES[k]} for k in range(PLACES) for _ in range(counts[k])]}


def _happened(rules, s):
    return [
        f"{NAMES[place]}: {own} against {other}, {'taken' if falls else 'held'}"
        for place, falls, _, _, own, other in sealed.last_events(rules, s).tolist()
    ]


def _plan_text(rules, s, seat, last):
    return ", ".join(one["name"] for one in plan_json(rules, s, seat, last)[SIDES[seat]])


def board_text(rules, s):
    return seat_text(rules, s, None)


def seat_text(rules, s, player):
    return sealed_words.board_text(
        rules, s, SIDES,
        lambda seat, last: _plan_text(rules, s, seat, last), lambda: _happened(rules, s), player,
    )  # fmt: skip


def action_to_string(rules, s, action):
    return WORDS[action]


def string_to_action(rules, s, text):
    word = text.strip().lower()
    if word not in WORDS:
        raise ValueError("no_such_move")
    return WORDS.index(word)


def why_illegal(rules, s, action):
    if action in (END, KEEP, KEEP + 1):
        return "not_now"
    return "too_many" if int(s["n"][int(s["seat"])]) >= MOST else "over_budget"


def read_plan(rules, s, text):
    side = SIDES[int(s["seat"])]
    plan = sealed_words.plan_of(text, side)
    if side not in plan:
        return ["keep"]
    names = [sealed_words.text_of(entry, "name") for entry in plan[side]]
    return [*(NAMES[sealed_words.unit_of(k, n, NAMES, ())] for k, n in enumerate(names)), "end"]


def seat_name(rules, s, player):
    return SIDES[player].capitalize()


def rules_text(rules):
    return section(
        "Rules",
        f"Each side sends one to {MOST} companies to three places, the ford (cost 1), the bridge "
        "(2) and the pass (3), sealed. A place falls to the raiders if they have more companies "
        "there; with two places of three they win, else the guards do.",
        *sealed_words.rounds_rules(rules, SIDES),
    )


def catalogue_text(rules, player):
    budget = sealed.budget_of.py_func(rules, player)
    form = sealed_words.json_text({SIDES[player]: [{"name": "<place>"}]})
    return section("The form of a plan", form, f"Your budget is {budget}.")


def position_text(rules, s, player, form, refusal=""):
    return sealed_words.position_text(
        rules, s, player, form,
        plan=lambda seat, last: plan_json(rules, s, seat, last),
        units=lambda seat: [_plan_text(rules, s, seat, True)],
        end=lambda: "", summary=lambda: _happened(rules, s), refusal=refusal,
    )  # fmt: skip
