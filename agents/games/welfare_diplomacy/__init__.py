"""What players know of Welfare Diplomacy: the players of Diplomacy."""

from stratagym.agents.games.diplomacy import POLICIES as POLICIES
from stratagym.agents.games.diplomacy import RULES as RULES
from stratagym.agents.games.diplomacy import evaluate as evaluate
from stratagym.agents.games.diplomacy import heuristic as heuristic
from stratagym.agents.games.diplomacy import rule as rule
