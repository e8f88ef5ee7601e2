"""What is said to a model whose answer is not played: what was found, what was wrong, the form."""

from __future__ import annotations

from stratagym.envs.plans import ILLEGAL, Outcome
from stratagym.envs.words import AnswerForm

UNREAD = {
    "empty": "it is empty",
    "too_long": "it is too long",
    "too_deep": "its JSON is nested too deeply",
    "too_many": "it has too many entries",
    "no_json": "it has no JSON object",
    "no_object": "it has no JSON object",
    "no_orders": 'its JSON object has no member "orders"',
    "wrong_key": "its JSON object has none of the members asked for",
    "bad_type": "a member of its JSON object is of another type than asked for",
    "duplicate_key": "its JSON object names a member twice",
    "example": "it repeats the form with its placeholders, which is no plan",
    "not_json": "the last JSON object that it begins is not well-formed",
}
"""Why an answer could not be read, by the word of its record."""
REFUSED = 5
"""Refused moves of a plan that are listed."""


def refusal(
    outcome: Outcome,
    wanted: str,
    form: AnswerForm | None = None,
    reasoning: str = "free",
    invites: bool = False,
) -> str:
    """The message that asks again.

    Args:
        wanted: such as ``a legal move``. form: of the answer, which is shown again; of an answer
            that is no move None. invites: as of ``AnswerForm.asked``.
    """
    told = f"{_what(outcome, form, reasoning)} Give {wanted}"
    if form is None:
        return f"{told}, exactly in the form asked for."
    return f"{told}.\n\n{form.asked(reasoning, invites)[1]}"


def _what(outcome: Outcome, form: AnswerForm | None, reasoning: str) -> str:
    reason = (outcome.told or outcome.reason).replace("_", " ")
    if outcome.kind == ILLEGAL and outcome.rejected:
        shown = [f"{_quoted(move)} ({why.replace('_', ' ')})" for move, why in outcome.rejected]
        more = len(shown) - REFUSED
        listed = ", ".join(shown[:REFUSED]) + (f" and {more} more" if more > 0 else "")
        return f"Your answer is not legal: {reason}. Refused: {listed}."
    if outcome.kind == ILLEGAL and outcome.move:
        return f"Your move {_quoted(outcome.move)} is not legal now: {reason}."
    if outcome.kind == ILLEGAL:
        return f"Your answer is not legal: {reason}."
    if outcome.reason == "no_move" and form is not None:
        asked = f"{form.kind} {_quoted(form.shown(reasoning))}"
        if outcome.found:
            return (
                f"The last answer in your reply is {_quoted(outcome.found)}, which is no {asked}."
            )
        return f"Your answer has no {asked}."
    return f"Your answer cannot be read: {UNREAD.get(outcome.reason, reason)}."


def _quoted(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"
