"""The fighter in words: moves by the names of the paper, positions in its fields and exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from stratagym.envs.replies import ReplyError
from stratagym.envs.street_fighter.moves import MOVES, NONE
from stratagym.envs.street_fighter.stage import (
    BODY,
    DASH,
    DIZZY,
    DOWN,
    GUARDING,
    HEALTH,
    HURT,
    LEAP,
    ROUND_FRAMES,
    STUN_FULL,
    relative,
)
from stratagym.envs.words import AnswerForm, section

PROMPT_VERSION = "street_fighter-1"
PLAN = "queue"
IDLE = 0
CONSEQUENCES = {"idle": ("No-Move",)}
POSITION_FORMS = ("honest", "paper")
MOST_MOVES = 10
"""Moves of a reply that are taken, and bad ones that are listed beside them."""
MOST_BAD = 200
FAR = 38
"""Pixels between the bodies from which the opponent is told to be far: a tenth of the screen."""

INPUTS = (
    "No-Move", "Left", "Left+Up", "Up", "Up+Right", "Right", "Right+Down", "Down", "Down+Left",
    "Low Punch", "Medium Punch", "High Punch", "Low Kick", "Medium Kick", "High Kick",
    "Low Punch+Low Kick", "Medium Punch+Medium Kick", "High Punch+High Kick",
)  # fmt: skip
TOWARDS = {
    "Away": 1, "Away+Up": 2, "Closer+Up": 4, "Closer": 5, "Closer+Down": 6, "Away+Down": 8,
}  # fmt: skip
"""Directions that are told by where the fighter looks, and the inputs of one who looks right."""
_NAMES = {number: name for name, number in TOWARDS.items()}

MACROS: dict[str, tuple[int, ...]] = {
    "Move Closer": (5, 5, 5, 5),
    "Move Away": (1, 1, 1, 1),
    "Fireball": (7, 6, 5, 10),
    "Megapunch": (5, 7, 6, 11),
    "Hurricane": (7, 8, 1, 12),
    "Megafireball": (7, 6, 5, 10, 10),
    "Super attack 2": (5, 7, 6, 11, 11),
    "Super attack 3": (5, 7, 6, 5, 7, 6, 11),
    "Super attack 4": (5, 7, 6, 5, 7, 6, 12),
    **{INPUTS[button]: (button,) for button in range(9, 18)},
    "Jump Closer": (4, 4, 4, 4),
    "Jump Away": (2, 2, 2, 2),
}
"""The named moves: the inputs of a fighter that looks right. A No-Move follows each."""
STRAY = (5, 7, 6, 5, 7, 6, 11, 12)
"""Super attack 4 of a fighter that looks right in the released code."""
_TOLD = {
    "Move Closer": "walk towards the opponent",
    "Move Away": "walk away from the opponent",
    "Fireball": "a Hadouken, a ball that flies across the stage",
    "Megapunch": "a High Punch Shoryuken, which also hits who jumps",
    "Hurricane": "a Low Kick Tatsumaki, which moves forward",
    "Megafireball": "the EX Hadouken with 40 meter, else a Fireball",
    "Super attack 2": "the EX Shoryuken with 40 meter, else a Megapunch",
    "Super attack 3": "the super Shoryureppa with 80 meter",
    "Super attack 4": "the super Shippu Jinraikyaku with 80 meter",
    "Low Punch+Low Kick": "a throw, from near by; it cannot be blocked",
    "Medium Punch+Medium Kick": "the overhead, which is blocked standing only",
    "High Punch+High Kick": "the taunt; the next hit after it is stronger",
    "Jump Closer": "jump towards the opponent",
    "Jump Away": "jump away from the opponent",
}
_KEYS = {name.casefold(): name for name in MACROS}

RENAMED = {
    "Street Fighter III": "Yard Contest", "fighter": "rival", "fighters": "rivals", "Ken": "Tovo",
    "fireball": "ember", "megapunch": "riser", "hurricane": "whirler", "megafireball": "grandember",
    "hadouken": "emberfly", "shoryuken": "risefly", "tatsumaki": "whirlfly",
    "shoryureppa": "risestorm", "Shippu Jinraikyaku": "windstorm", "Super attack": "Great deed",
    "punch": "slap", "kick": "stamp", "kicks": "stamps", "throw": "clutch", "throws": "clutches",
    "taunt": "jeer", "overhead": "overarm", "overheads": "overarms",
}  # fmt: skip
"""The game's words under ``TextOptions.renamed``."""
HINTS = (
    "Block or walk away while the opponent attacks, and hit back when its move is over.",
    "A Fireball from far away is safe, from near by it is not.",
    "Megapunch hits a jumping opponent, and leaves you open for long if it misses.",
    "Keep meter for a Megafireball or a super that hits.",
    "Throw an opponent that only blocks.",
)
PERSONAS = {
    "none": "",
    "aggressive": (
        "You play to be the best and most aggressive fighter there is: close the distance, keep up "
        "the pressure and finish the round early."
    ),
}


@dataclass(frozen=True)
class _Bullets(AnswerForm):
    """A reply that lists moves, one a line."""

    kind = "list"

    def request(self, reasoning: str = "free") -> str:
        first = {
            "free": "End your answer with a list of moves of this form",
            "steps": "Think step by step first. End your answer with a list of moves of this form",
            "answer": "Answer with a list of moves of this form and nothing else",
        }[reasoning]
        return section(self.title, f"{first}{self.note}:", self.form)

    def extract(self, text: str, lenient: bool = False, reasoning: str = "free") -> str | None:
        found = [line for line in text.splitlines() if _BULLET.match(line)]
        return "\n".join(found) or None

    def written(self, move: str) -> str:
        return f"- {move}"


_BULLET = re.compile(r"[ \t]*-[ \t]+(?P<name>\S.*)")
ANSWER: AnswerForm = _Bullets(
    "- <move>\n- <move>", "", ", a line for each, in the order in which they are played"
)


def seat_name(rules: Any, s: Any, player: int) -> str:
    """Both are Ken: by colour."""
    return ("Ken (red)", "Ken (blue)")[player]


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """An input by its name, such as ``Right+Down``."""
    return INPUTS[action]


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The input of a name; of ``Closer`` and the like, that of the seat to move.

    Raises:
        ValueError: ``no_such_move``.
    """
    if text in TOWARDS:
        return int(relative(int(s["facing"][int(s["seat"])]), TOWARDS[text]))
    if text not in INPUTS:
        raise ValueError("no_such_move")
    return INPUTS.index(text)


def move_text(rules: Any, s: Any, action: int) -> str:
    """An input told in one sentence."""
    return f"{seat_name(rules, s, int(s['seat']))} gave {INPUTS[action]}."


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The inputs of the moves that a reply lists, a No-Move after each; bad names as they are.

    Raises:
        ReplyError: ``no_move``, where it lists nothing.
    """
    found: list[str] = []
    good = bad = 0
    for word in _listed(text):
        name = _named(rules, word)
        if name is None:
            bad += 1
            if bad <= MOST_BAD:
                found.append(word)
        elif good < MOST_MOVES:
            good += 1
            found += [*_inputs(rules, s, name), INPUTS[IDLE]]
    if not found:
        raise ReplyError("no_move")
    return found


def plan_facts(rules: Any, s: Any, text: str, actions: tuple[int, ...]) -> dict[str, int]:
    """How many names a reply lists, and how many of them are names of moves."""
    names = _listed(text)
    good = sum(_named(rules, name) is not None for name in names)
    return {"named": len(names), "valid": good}


def _listed(text: str) -> list[str]:
    """The names that a reply lists, one a line."""
    found = map(_BULLET.match, text.splitlines())
    return [bullet["name"].strip() for bullet in found if bullet]


def _named(rules: Any, text: str) -> str | None:
    """The move of a name, capitals and blanks about ``+`` aside; None where there is none."""
    if rules.as_coded:
        text = text.partition("+")[0]
    parts = (" ".join(part.split()) for part in text.split("+"))
    return _KEYS.get("+".join(parts).casefold())


def _inputs(rules: Any, s: Any, name: str) -> list[str]:
    inputs = MACROS[name]
    if rules.as_coded and name == "Super attack 4" and s["facing"][int(s["seat"])] > 0:
        inputs = STRAY
    return [_NAMES.get(number, INPUTS[number]) for number in inputs]


# --- positions -----------------------------------------------------------------------------------


def _px(length: Any) -> str:
    """Half pixels as pixels."""
    whole, half = divmod(abs(int(length)), 2)
    return f"{'-' if length < 0 else ''}{whole}{'.5' if half else ''}"


def _stance(s: Any, i: int) -> str:
    """What a fighter does, with what is left of it."""
    stance, left, phase = int(s["stance"][i]), int(s["left"][i]), int(s["phase"][i])
    way = ("back", "up", "forward")[int(s["way"][i]) + 1]
    words = ["stands", "crouches", "walks forward", "walks back"]
    if stance < DASH:
        told = words[stance]
    elif stance == DASH:
        told = f"dashes {way}, frame {phase}"
    elif stance == LEAP:
        used = ", its move used" if s["jumped"][i] else ""
        told = f"jumps {way}, frame {phase}{used}"
    else:
        told = {
            HURT: "is in hit stun",
            GUARDING: "is in block stun",
            DOWN: "is knocked down",
            DIZZY: "is dizzy",
        }[stance]
        told += f" for {left} more frames"
        if stance == DOWN and s["fresh"][i]:
            told += ", less if it gives Down now"
    if s["move"][i] != NONE:
        touched = "has touched" if s["touched"][i] else "has not touched"
        told += f"; {MOVES[int(s['move'][i])]}, frame {int(s['frame'][i])}, {touched}"
    return told


def _exact(s: Any, i: int, name: str) -> list[str]:
    """All that counts about a fighter, exactly."""
    facing = "right" if s["facing"][i] > 0 else "left"
    lines = [
        f"- {name}: x {_px(s['x'][i])}, height {_px(s['y'][i])}, looks {facing}, {_stance(s, i)}.",
        f"  Stun {int(s['stun'][i])} of {STUN_FULL}, meter {int(s['meter'][i])}, hits of the "
        f"running combo taken {int(s['combo'][i])}.",
    ]
    given = ", ".join(INPUTS[k] for k in s["memory"][i].tolist())
    last = INPUTS[int(s["given"][i])]
    lines.append(f"  Last inputs as if looking right: {given}; the last as given: {last}.")
    if s["ball"][i]:
        kind = ("", "Hadouken", "EX Hadouken")[int(s["ball"][i])]
        lines.append(f"  Its {kind} at x {_px(s['ball_x'][i])}, {_px(s['ball_v'][i])} a frame.")
    more = []
    if s["shield"][i]:
        kind = "high" if s["shield"][i] == 1 else "low"
        held = "let go" if s["released"][i] else "held"
        more.append(f"{kind} parry since {int(s['window'][i])} frames, {held}")
    if s["cooldown"][i]:
        more.append(f"no parry for {int(s['cooldown'][i])} frames")
    if s["tech"][i]:
        more.append(f"escapes throws for {int(s['tech'][i])} frames")
    if s["boost"][i]:
        more.append("its next hit does 31% more")
    if s["restart"][i]:
        more.append(f"{INPUTS[int(s['restart'][i])]} now makes its special EX")
    if more:
        lines.append(f"  Also: {', '.join(more)}.")
    return lines


def _rounds(rules: Any, s: Any) -> str:
    red, blue = s["wins"].tolist()
    return f"Round {int(s['round']) + 1}, rounds won: red {red}, blue {blue}."


def board_text(rules: Any, s: Any) -> str:
    """The fight as a spectator sees it."""
    lines = []
    for i in range(2):
        lines += _exact(s, i, seat_name(rules, s, i))
        lines[-1] += f" Health {int(s['health'][i])}."
    return "\n".join([_rounds(rules, s), _clock(s), *lines])


def _clock(s: Any) -> str:
    left = ROUND_FRAMES - int(s["clock"])
    still = f" Both stand still for {int(s['freeze'])} frames." if s["freeze"] else ""
    return f"Time left: {left // 60} s ({left} frames).{still}"


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The same for a seat: everything but the other's input of this decision shows."""
    return board_text(rules, s)


def _distance(s: Any, player: int) -> str:
    gap = abs(int(s["x"][0]) - int(s["x"][1])) - 2 * BODY
    on_left = (s["side"] < 0) == (player == 1)
    if gap > 2 * FAR:
        side = "left" if on_left else "right"
        told = "You are very far from the opponent. Move closer to it."
        return f"{told} Your opponent is on the {side}."
    return "You are close to the opponent. You should attack it."


def _powers(s: Any, player: int, form: str) -> list[str]:
    """What the meter is told to allow: honestly, or at the paper's lower figures."""
    meter, lines = int(s["meter"][player]), []
    if meter >= (40 if form == "honest" else 30):
        lines.append("You can now use a powerful move: Megafireball or Super attack 2.")
    very = meter >= 80 if form == "honest" else meter >= 120 or meter == 0
    if very:
        lines.append("You can now use a very powerful move: Super attack 3 or Super attack 4.")
    return lines


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The paper's fields, then the whole position exactly."""
    other = 1 - player
    dealt, taken = HEALTH - int(s["health"][other]), HEALTH - int(s["health"][player])
    standing = "winning" if dealt > taken else "losing" if dealt < taken else "even"
    last = [MOVES[int(s["did"][i])] if s["did"][i] else "none yet" for i in (player, other)]
    meters = [int(s["meter"][i]) for i in (player, other)]
    bars = [f"Your meter: {meters[0]} of 240. Your opponent's meter: {meters[1]}."]
    now = [
        _distance(s, player),
        *(bars if form == "honest" else ()),
        f"Your health: {HEALTH - taken} of {HEALTH}. Your opponent's health: {HEALTH - dealt}.",
        *_powers(s, player, form),
        f"Your last attack: {last[0]}. Your opponent's last attack: {last[1]}.",
        f"Your score in this round, damage dealt less damage taken: {dealt - taken}. "
        + ("It is even." if standing == "even" else f"You are {standing}."),
    ]
    exact = [_rounds(rules, s), _clock(s)]
    if rules.by_health:
        lost = s["lost"].tolist()
        exact.append(f"Health lost in the match: you {lost[player]}, the opponent {lost[other]}.")
    if s["x"][0] == s["x"][1]:
        exact.append(
            f"You count as on the {'left' if (s['side'] < 0) == (player == 0) else 'right'}."
        )
    exact += _exact(s, player, "You") + _exact(s, other, "Opponent")
    return "\n\n".join([section("Situation", *now), section("Exactly", *exact)])


def role_text(rules: Any, player: int) -> str:
    """Who the seat is and whom it fights."""
    names = seat_name(rules, None, player), seat_name(rules, None, 1 - player)
    return (
        f"You are {names[0]} in a match of Street Fighter III; your opponent is {names[1]}. You "
        "both have the same moves."
    )


def rules_text(rules: Any) -> str:
    """The rules and the list of moves."""
    ms = round(1000 * rules.frames / 60)
    rounds = (
        "Who wins two rounds first wins the match"
        if rules.needed == 2
        else "Who wins the round wins the match"
    )
    pay = (
        " You are paid the health that your opponent loses less the health that you lose."
        if rules.by_health
        else ""
    )
    # Without the dashes of an answer: a prompt that is quoted back is none.
    listed = [name + (f": {_TOLD[name]}" if name in _TOLD else "") for name in MACROS]
    return "\n\n".join(
        [
            section(
                "Rules",
                f"- Each fighter has {HEALTH} health. A round ends when one has none left, or "
                "after 99 seconds; then more health wins it, and equal health gives it to both. "
                f"{rounds}; if both do, it is a draw.{pay}",
                f"- The game runs at 60 frames a second; a decision lasts {rules.frames} "
                f"{'frame' if rules.frames == 1 else 'frames'} ({ms} ms), and both fighters decide "
                "at the same time. Each move below takes several decisions; a move that cannot "
                "come out, as while you are hit, is lost.",
                "- Who walks or holds back blocks. Low kicks from a crouch must be blocked "
                "crouching, overheads and jump attacks standing. Throws cannot be blocked. "
                "Specials and supers do an eighth of their damage to who blocks them.",
                "- Meter grows as you attack and are hit, to 240. EX moves cost 40, supers 80.",
                f"- A list may have up to {MOST_MOVES} moves, played one after the other.",
            ),
            section("Moves", *listed),
        ]
    )


RULES_BRIEF = section(
    "Rules",
    "Bring your opponent's health to 0 before yours is, by moves of the list that you are given.",
)


def notation_text(rules: Any) -> str:
    """The names of moves."""
    return section("Moves", ", ".join(MACROS))


TASK_TEXT = "Which moves do you play next?"


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The named moves: they are the same at all times."""
    return section("Moves that you can name", ", ".join(MACROS))
