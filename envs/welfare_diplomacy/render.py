"""The picture of Welfare Diplomacy: Diplomacy's, with welfare points in its legend."""

from stratagym.envs.diplomacy.render import picture as picture
