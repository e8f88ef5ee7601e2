"""The elemental duel in words: ``element Fire``, ``skill flame_splash``; a plan is JSON."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from stratagym.envs import sealed, sealed_words
from stratagym.envs.elemental_duel import tables
from stratagym.envs.elemental_duel.fight import ROUNDS
from stratagym.envs.elemental_duel.rules import FIRST_SKILL, KEEP, PER_FIGHTER, VOID
from stratagym.envs.elemental_duel.story import SIDES, summary
from stratagym.envs.elemental_duel.tables import (
    CHOSEN,
    COSTS,
    ELEMENTS,
    FIGHTERS,
    HP,
    NAMES,
    SKILLS,
)
from stratagym.envs.plan_schemas import among, entries, members
from stratagym.envs.plans import PlanError
from stratagym.envs.sealed_words import ANSWER as ANSWER
from stratagym.envs.sealed_words import CONSEQUENCES as CONSEQUENCES
from stratagym.envs.sealed_words import MERGED_PARTS as MERGED_PARTS
from stratagym.envs.sealed_words import POSITION_FORMS as POSITION_FORMS
from stratagym.envs.sealed_words import TEXT_OPTIONS as TEXT_OPTIONS
from stratagym.envs.sealed_words import legal_text as legal_text
from stratagym.envs.sealed_words import plan_facts as plan_facts
from stratagym.envs.sealed_words import refusal_text as refusal_text
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import section

PROMPT_VERSION, MERGED_VERSION = "elemental_duel-5", "elemental_duel-3"
PLAN = "all"
SPELLINGS = {"final_announcment": "final_announcement"}
"""Names as the paper spells them."""
_RIGHT = {sealed_words.plain(wrong): right for wrong, right in SPELLINGS.items()}
MEMBERS = tuple(((side,), ("element", "skills")) for side in SIDES)
"""By seat, the members of a plan and of its entries that mean something."""
RULES_BRIEF = section(
    "Rules",
    "Both sides put three fighters in order and give each three skills within a budget, sealed. "
    "Then the fighters use their skills in turn until one side is dead.",
)
HINTS = (
    "All damage goes to the first living enemy: your first fighter has to stand a lot of it.",
    "Set what lasts, such as burning or a brand, before the skills that profit from it.",
    "What works for one round helps fighters behind the one that set it, and its own next turn.",
    "A skill that costs three is not three times as good: a cheap one may bring another along.",
    "Large single blows suffer from links and emblems, many small ones from sanctuaries.",
    "If the other side's plan is known, plan against that plan, not against all plans.",
)
RENAMED = {
    "elemental duel": "trio clash", "invaders": "norgs", "defenders": "wemps",
    "invader": "norg", "defender": "wemp",
    "Fire": "Zil", "Water": "Tay", "Dark": "Ruk", "Wood": "Mur", "Earth": "Kob", "Light": "Pell",
    "flame_splash": "zil_oka", "residual_warmth": "zil_bem", "burst_flame_bomb": "zil_dura",
    "flame_whirlwind": "zil_fenta", "magma_eruption": "zil_gorr", "hell_curtain": "zil_haspe",
    "stream_pierce": "tay_oka", "water_barrier": "tay_bem", "whirlpool_strangle": "tay_dura",
    "ice_branded": "tay_fenta", "tsunami_ending": "tay_gorr", "abyss_resonance": "tay_haspe",
    "shadow_claw": "ruk_oka", "fear_whisper": "ruk_bem", "soul_siphon": "ruk_dura",
    "night_ambush": "ruk_fenta", "final_announcement": "ruk_gorr", "void_assimilation": "ruk_haspe",
    "bud_healing": "mur_oka", "parasitic_seed": "mur_bem", "life_totem": "mur_dura",
    "natural_purification": "mur_fenta", "forest_reincarnation": "mur_gorr",
    "poison_vine": "mur_haspe",
    "rock_armor": "kob_oka", "earth_shock": "kob_bem", "granite_barrier": "kob_dura",
    "quicksand_trap": "kob_fenta", "earth_pulse": "kob_gorr", "core_rebound": "kob_haspe",
    "holy_glimmer": "pell_oka", "faith_emblem": "pell_bem", "divine_link": "pell_dura",
    "luminous_dispel": "pell_fenta", "angelic_sanctuary": "pell_gorr", "divine_sword": "pell_haspe",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""


def _rounds(n: int) -> str:
    return f"{n} round{'s' if n > 1 else ''}"


@lru_cache(maxsize=1024)  # of each set of options there are 36, and a prompt tells most of them
def skill_text(rules: Any, skill: int) -> str:
    """What a skill does."""
    n, t = rules.released, tables
    curtain, magma, tsunami, abyss = t.CURTAIN[n], t.MAGMA[n], t.TSUNAMI[n], t.ABYSS[n]
    wind, siphon, final, void = t.WHIRLWIND[n], t.SIPHON[n], t.FINAL[n], t.VOID_SHARE[n]
    brand, ambush, totem, forest = t.BRAND[n], t.AMBUSH[n], t.TOTEM[n], t.FOREST[n]
    vine, mire, pulse, sword = t.VINE[n], t.QUICKSAND[n], t.PULSE[n], t.SWORD[n]
    fear = (
        "for 3 rounds the user takes x0.9"
        if rules.fear_self
        else "for 3 rounds the target deals x0.9"
    )
    told = {
        t.FLAME_SPLASH: "12 damage; burning +1 on the target for 2 rounds",
        t.RESIDUAL_WARMTH: "the user's next damaging skill within 1 round does x1.3",
        t.BURST_FLAME_BOMB: f"25 damage + {t.BURST_LAYER[n]} for each burning layer of the target",
        t.FLAME_WHIRLWIND: f"burning +{wind[0]} on the target for {wind[1]} rounds",
        t.MAGMA_ERUPTION: f"{magma[0]} damage + {magma[1]} for each burning layer of the target; "
        "then the burning is gone",
        t.HELL_CURTAIN: f"{curtain[0]} damage; within {curtain[2]} rounds the next hit on the user "
        f"returns {curtain[1]}",
        t.STREAM_PIERCE: "10 damage; then the user's tide +1 (for good)",
        t.WATER_BARRIER: "shield 5 for 3 rounds; tide +1",
        t.WHIRLPOOL_STRANGLE: f"20 damage + {t.WHIRLPOOL_LAYER[n]} for each tide layer",
        t.ICE_BRANDED: f"{brand[0]} damage; then for 1 round the target takes x{brand[1] / 100:g}",
        t.TSUNAMI_ENDING: f"{tsunami[0]} damage + {tsunami[1]} for each tide layer; tide back to 0",
        t.ABYSS_RESONANCE: f"{abyss[0]} damage for each tide layer, and a shield of {abyss[1]} a "
        f"layer for {abyss[2]} rounds; nothing without tide",
        t.SHADOW_CLAW: "14 damage; heals the user by 30% of the HP taken",
        t.FEAR_WHISPER: fear,
        t.SOUL_SIPHON: f"{siphon[0]} damage, {siphon[1]} more if the target is below half its HP",
        t.NIGHT_AMBUSH: f"{ambush[0]} damage; then for 1 round the target takes "
        f"x{ambush[1] / 100:g}",
        t.FINAL_ANNOUNCEMENT: f"{final[0]} damage + {final[1]} for each full 10% of its HP "
        "that the target lacks",
        t.VOID_ASSIMILATION: f"the user loses {void[0]}% of its own HP, the target "
        f"{void[1] / 10:g} times that, past all shields and reductions",
        t.BUD_HEALING: f"for 3 rounds {t.BUD[n]} HP for the user at each of its turns",
        t.PARASITIC_SEED: "10 damage; for 3 rounds the target takes 5 at each damaging skill of "
        "its own",
        t.LIFE_TOTEM: f"heals {totem[0]}; then for 3 rounds healing is {totem[1] - 100}% more",
        t.NATURAL_PURIFICATION: f"all negative statuses of the user are gone; {t.PURIFICATION[n]} "
        "damage",
        t.FOREST_REINCARNATION: f"heals {forest[0]}; {forest[1]}% of what is too much, if more "
        f"than 1, is a shield for 3 rounds; {forest[2]} damage",
        t.POISON_VINE: f"for {vine[1]} rounds the target takes {vine[0]} at each of its turns",
        t.ROCK_ARMOR: f"shield 12 for 3 rounds; while it holds, each hit returns "
        f"{t.ARMOR_RETURN[n]}",
        t.EARTH_SHOCK: "20 damage",
        t.GRANITE_BARRIER: f"for 3 rounds the user takes {t.GRANITE[n]}%",
        t.QUICKSAND_TRAP: f"the target's next {mire[0]} hits within 3 rounds do x{mire[1] / 100:g} "
        f"and cost it {mire[2]} each",
        t.EARTH_PULSE: f"shield for good, +{pulse[0]}"
        + (f" and {pulse[1]} damage" if pulse[1] else "")
        + " for each full 10% of its HP that the user lacks",
        t.CORE_REBOUND: f"{t.REBOUND[n]}% of the user's stored damage (all HP that it has lost), "
        f"which is 0 then; nothing {'where that is less than 1' if rules.rounds_off else 'at 0'}",
        t.HOLY_GLIMMER: f"one negative status of the user is gone; heals {t.GLIMMER[n]}; "
        f"{t.GLIMMER[n]} damage",
        t.FAITH_EMBLEM: "of the next hit on the user within 1 round 20% is healed instead, and the "
        "attacker takes 10",
        t.DIVINE_LINK: "the next hit on the user within 1 round hits the attacker instead",
        t.LUMINOUS_DISPEL: "one buff of the target is gone (shield, curtain, warmth or a tide "
        f"layer); for 2 rounds it deals x{t.DISPEL[n] / 100:g}",
        t.ANGELIC_SANCTUARY: f"for 3 rounds each hit on the user does {t.SANCTUARY[n]} less",
        t.DIVINE_SWORD: f"{sword[0]} damage; the user's next damaging skill within 1 round does "
        + (f"{sword[1]} more" if sword[1] else f"x{sword[2] / 100:g}"),
    }[skill]
    return f"{NAMES[skill]}: cost {int(COSTS[n, skill % SKILLS])}; {told}"


def skills_of(seat: int, element: int) -> tuple[str, ...]:
    """Names of the skills of a side's element, from 0."""
    first = SKILLS * (FIGHTERS * seat + element)
    return NAMES[first : first + SKILLS]


def elements_of(seat: int) -> tuple[str, ...]:
    """Names of a side's elements."""
    return ELEMENTS[FIGHTERS * seat : FIGHTERS * (seat + 1)]


def plan_json(rules: Any, s: Any, seat: int, last: bool = True) -> dict[str, Any]:
    """A seat's plan as JSON, as far as it is made: of the round before, or that of the record."""
    plan, n = ("last_plan", int(s["last_n"][seat])) if last else ("plan", int(s["n"][seat]))
    fighters = []
    for k, row in enumerate(s[plan][seat].tolist()):
        chosen = n - PER_FIGHTER * k
        if chosen > 0:
            names = skills_of(seat, row[0])
            skills = [names[skill] for skill in row[1 : min(chosen, PER_FIGHTER)]]
            fighters.append({"element": elements_of(seat)[row[0]], "skills": skills})
    return {SIDES[seat]: fighters}


def plan_schema(rules: Any, s: Any) -> dict[str, Any]:
    """The JSON schema of a plan: all fighters, each an element with skills of its own."""
    seat = int(s["seat"])
    fighters = [
        members(element=among([name]), skills=entries(among(skills_of(seat, k)), CHOSEN, CHOSEN))
        for k, name in enumerate(elements_of(seat))
    ]
    return members(**{SIDES[seat]: entries({"anyOf": fighters}, FIGHTERS, FIGHTERS)})


def plan_text(plan: dict[str, Any], seat: int) -> str:
    """A plan in one line for a terminal: ``Fire (flame_splash, ...); Water (...)``."""
    told = [f"{one['element']} ({', '.join(one['skills'])})" for one in plan[SIDES[seat]]]
    return "; ".join(told) or "nothing"


def _end(s: Any) -> str:
    return f"The duel ended in its round {int(s['end'][int(s['round']) - 1])}."


def board_text(rules: Any, s: Any) -> str:
    """Both plans with their costs, and how the last round ended, for a terminal."""
    return _table(rules, s)


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The same as a player sees it: without the plan that the other side is making."""
    return _table(rules, s, player)


def _table(rules: Any, s: Any, player: int | None = None) -> str:
    return sealed_words.board_text(
        rules,
        s,
        SIDES,
        lambda seat, last: plan_text(plan_json(rules, s, seat, last), seat),
        lambda: [_end(s), *summary(rules, s, sealed.last_events(rules, s), 8)],
        player,
    )


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """``element Fire``, ``skill flame_splash``, ``keep`` or ``void``."""
    seat = int(s["seat"])
    if action < FIRST_SKILL:
        return f"element {elements_of(seat)[action]}"
    if action in (KEEP, VOID):
        return "keep" if action == KEEP else "void"
    # Before a fighter has an element its skills have no names.
    at = int(s["n"][seat])
    if at % PER_FIGHTER == 0:
        return f"skill {action - FIRST_SKILL}"
    element = int(s["plan"][seat, at // PER_FIGHTER, 0])
    return f"skill {skills_of(seat, element)[action - FIRST_SKILL]}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action of a move's text, legal or not.

    Raises:
        ValueError: ``no_such_move``, ``unknown_unit``, ``wrong_side``, ``wrong_element``.
    """
    seat, parts = int(s["seat"]), text.strip().split()
    word = parts[0].lower() if parts else ""
    if len(parts) == 1 and word in ("keep", "void"):
        return KEEP if word == "keep" else VOID
    try:
        if word == "element" and len(parts) == 2:
            return sealed_words.unit_of(0, parts[1], elements_of(seat), elements_of(1 - seat))
        if word == "skill" and len(parts) == 2:
            fighter, at = divmod(int(s["n"][seat]), PER_FIGHTER)
            if at == 0:
                raise ValueError("no_such_move")
            return FIRST_SKILL + _skill(0, parts[1], seat, int(s["plan"][seat, fighter, 0]))
    except PlanError as error:
        raise ValueError(error.reason) from None
    raise ValueError("no_such_move")


def _skill(k: int, name: str, seat: int, element: int) -> int:
    """The number of a skill among its element's.

    Raises:
        PlanError: ``unknown_unit``, ``wrong_side``, ``wrong_element``.
    """
    half = len(NAMES) // 2
    own, other = NAMES[half * seat : half * (seat + 1)], NAMES[half * (1 - seat) :][:half]
    right = _RIGHT.get(sealed_words.plain(name), name)
    found = sealed_words.unit_of(k, right, own, other)
    if found // SKILLS != element:
        raise sealed_words.bad_entry(k, name, "wrong_element")
    return found % SKILLS


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    who = f"The {SIDES[s['seat']]}"
    word, _, rest = action_to_string(rules, s, action).partition(" ")
    return {
        "element": f"{who} put {rest} next.",
        "skill": f"{who} chose {rest}.",
        "keep": f"{who} kept their plan.",
        "void": f"{who} handed in a plan that breaks a rule.",
    }[word]


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """``element_twice``, ``skill_twice``, ``over_budget``, or ``not_now``."""
    seat = int(s["seat"])
    fighter, at = divmod(int(s["n"][seat]), PER_FIGHTER)
    if action in (KEEP, VOID) or (action < FIRST_SKILL) != (at == 0):
        return "not_now"
    if action < FIRST_SKILL:
        return "element_twice"
    chosen = s["plan"][seat, fighter, 1:at].tolist()
    return "skill_twice" if action - FIRST_SKILL in chosen else "over_budget"


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The moves of a plan in JSON; see ``sealed_words.plan_of`` for replies that are none.

    Raises:
        ReplyError: the reply cannot be read. PlanError: an entry breaks a rule.
    """
    seat = int(s["seat"])
    plan = sealed_words.plan_of(text, SIDES[seat])
    if SIDES[seat] not in plan:
        return ["keep"]
    own, enemies = elements_of(seat), elements_of(1 - seat)
    moves, seen = [], set()
    entries = plan[SIDES[seat]]
    if not entries:
        raise PlanError(SIDES[seat], "empty_plan")
    for k, entry in enumerate(entries):
        name = sealed_words.text_of(entry, "element")
        skills = sealed_words.texts_of(entry, "skills")
        element = sealed_words.unit_of(k, name, own, enemies)
        if element in seen:
            raise sealed_words.bad_entry(k, name, "element_twice")
        if len(skills) != CHOSEN:
            raise sealed_words.bad_entry(k, f"{name}, {len(skills)} skills", "skill_count")
        seen.add(element)
        moves.append(f"element {own[element]}")
        chosen: set[int] = set()
        for skill_name in skills:
            skill = _skill(k, skill_name, seat, element)
            if skill in chosen:
                raise sealed_words.bad_entry(k, skill_name, "skill_twice")
            chosen.add(skill)
            moves.append(f"skill {skills_of(seat, element)[skill]}")
    if len(seen) < FIGHTERS:
        missing = ", ".join(one for one_k, one in enumerate(own) if one_k not in seen)
        raise PlanError(missing, "element_missing")
    return moves


# --- prompts -------------------------------------------------------------------------------------


def seat_name(rules: Any, s: Any, player: int) -> str:
    """Its side."""
    return SIDES[player].capitalize()


def role_text(rules: Any, player: int) -> str:
    """Side, goal and budget."""
    budget = sealed.budget_of.py_func(rules, player)
    more = " A plan over budget loses." if rules.loses else ""
    return (
        f"You plan for the {SIDES[player]} in a game of elemental duel, against the "
        f"{SIDES[1 - player]}. "
        "Your goal is that your fighters kill all of theirs. Your budget for skills is "
        f"{budget}, theirs {sealed.budget_of.py_func(rules, 1 - player)}.{more}"
    )


def rules_text(rules: Any) -> str:
    """The rules in numbers."""
    attacker, defender = HP[rules.released].tolist()
    aim = (
        "the living enemy with the least HP, the first of equals"
        if rules.weakest
        else "the first living enemy in its side's order"
    )
    return section(
        "Rules",
        "- Each side has three fighters in the order of its plan, one of each of its elements: "
        f"Fire, Water and Dark for the invaders, with {attacker} HP each, Wood, Earth and Light "
        f"for the defenders, with {defender}. Each fighter has three different skills of its "
        "element and uses them in the listed order, again and again. Both plans are sealed.",
        "- A round of the duel is a turn of each invader in order, then of each defender; the dead "
        f"pass. What is hostile aims at {aim}.",
        "- Damage: x1.2 for Fire on Wood and Earth on Water, x0.8 the other way round, x1.5 "
        "between Light and Dark; then all other factors, in one product, rounded down; then what "
        "is taken off; at least 1. Shields take it first, those for some rounds before those for "
        "good.",
        "- At its turn a fighter first takes 5 for each burning layer, then what a vine does, then "
        "it is healed by a bud; then it acts.",
        "- What lasts n rounds works for n whole rounds from the turn in which it was set, so that "
        "after 1 round it still works in its user's own next turn. Set again it is refreshed, not "
        "doubled; only burning layers add up, and shields do.",
        "- Returned damage and damage at turns is a fixed amount: no factors, never returned "
        "again. Nobody is healed beyond its HP at the start.",
        "- When all of a side are dead it has lost; if both are at once, the invaders win. After "
        f"{ROUNDS} rounds of the duel more HP in all wins; if it is equal, the defenders win.",
        *sealed_words.rounds_rules(rules, SIDES),
    )


def notation_text(rules: Any) -> str:
    """How plans are written."""
    return section(
        "How plans are written",
        "A plan is a JSON object: the list of the three fighters in order, each with its element "
        "and the names of three skills in the order in which they are used.",
    )


def catalogue_text(rules: Any, player: int) -> str:
    """Own skills, the other side's, limits and the form of a plan."""
    fighter = {"element": "<element>", "skills": ["<skill>"] * CHOSEN}
    return _catalogue(rules, player, {SIDES[player]: [fighter] * FIGHTERS})


def _catalogue_2(rules: Any, player: int) -> str:
    """As in the second version: the form was a plan that could be played."""
    example = {
        SIDES[player]: [
            {"element": name, "skills": list(skills_of(player, k)[:CHOSEN])}
            for k, name in enumerate(elements_of(player))
        ]
    }
    return _catalogue(rules, player, example)


_RULES_4 = {"rules_text": sealed_words.without_draws(rules_text)}
EARLIER_PROMPTS = {
    "elemental_duel-4": _RULES_4,
    "elemental_duel-3": {**POSITION_FIRST, **_RULES_4},
    "elemental_duel-2": {**POSITION_FIRST, **_RULES_4, "catalogue_text": _catalogue_2},
}


def _catalogue(rules: Any, player: int, example: dict[str, Any]) -> str:
    told = []
    for side in (player,) if rules.own_catalogue else (player, 1 - player):
        whose = "Your skills" if side == player else "The other side's skills"
        lines = []
        for element, name in enumerate(elements_of(side)):
            first = SKILLS * (FIGHTERS * side + element)
            lines.append(f"{name}:")
            lines += [f"- {skill_text(rules, first + k)}" for k in range(SKILLS)]
        told.append(section(f"{whose} (the {SIDES[side]})", *lines))
    told.append(
        section(
            "Limits of a plan",
            "Three fighters, each of your elements once, in any order; three different skills of "
            f"its element each; at most {sealed.budget_of.py_func(rules, player)} in all.",
        )
    )
    told.append(section("The form of a plan", sealed_words.json_text(example)))
    return "\n\n".join(told)


def position_text(rules: Any, s: Any, player: int, form: str, refusal: str = "") -> str:
    """The round, and what came of the one before."""

    def units(seat: int) -> list[str]:
        n, lines = int(s["last_n"][seat]), []
        for k in range(n // PER_FIGHTER):
            element, *skills = s["last_plan"][seat, k].tolist()
            first = SKILLS * (FIGHTERS * seat + element)
            known = "; ".join(skill_text(rules, first + skill) for skill in skills)
            lines.append(
                f"{elements_of(seat)[element]}, {int(HP[rules.released, seat])} HP: {known}"
            )
        return lines

    return sealed_words.position_text(
        rules,
        s,
        player,
        form,
        plan=lambda seat, last: plan_json(rules, s, seat, last),
        units=units,
        end=lambda: _end(s),
        summary=lambda: summary(rules, s, sealed.last_events(rules, s), sealed_words.SUMMARY_LINES),
        refusal=refusal,
    )
