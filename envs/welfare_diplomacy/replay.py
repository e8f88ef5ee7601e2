"""What a replay of Welfare Diplomacy shows: the same as of Diplomacy."""

from stratagym.envs.diplomacy.replay import arrow as arrow
from stratagym.envs.diplomacy.replay import badge as badge
from stratagym.envs.diplomacy.replay import beside as beside
from stratagym.envs.diplomacy.replay import move as move
