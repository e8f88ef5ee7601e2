"""What the search asked of the game then; of all else it knew nothing."""

from stratagym.agents.games.breakthrough import by_advance
from stratagym.agents.games.breakthrough import evaluate as evaluate
from stratagym.agents.games.breakthrough import is_quiet as is_quiet
from stratagym.agents.games.breakthrough import position_hash as position_hash

priority = by_advance
