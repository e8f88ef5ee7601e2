"""Hanabi in words."""
from stratagym.envs.hanabi.rules import *
from stratagym.envs.hanabi.rules import decode, DISCARD, PLAY, REVEAL_COLOUR
COLOURS="RYGWB"
def action_to_string(rules, s, action):
    """The Hanabi Learning Environment's words, such as ``(Reveal player +1 color R)``."""
    kind, offset, value = decode(rules, action)
    if kind == DISCARD: return f"(Discard {value})"
    if kind == PLAY: return f"(Play {value})"
    if kind == REVEAL_COLOUR: return f"(Reveal player +{offset} color {COLOURS[value]})"
    return f"(Reveal player +{offset} rank {value+1})"
