"""Pips in words."""

from stratagym.envs.words import move_line, section

PROMPT_VERSION = "pips-1"
ANSWER = move_line("<rest or die>", r"rest|die")


def board_text(rules, s):
    pips = ", ".join(f"Player {k}: {int(n)}" for k, n in enumerate(s["pips"]))
    return f"{80 - int(s['ply'])} turns left. {pips}"


def rules_text(rules):
    told = "Four players in turn rest, or roll a die and gain its pips; a 1 costs up to two."
    return section("Rules", f"{told} Who first has {rules.goal} wins, or who has most at the end.")


def action_to_string(rules, s, action):
    return ("rest", "die")[action]
