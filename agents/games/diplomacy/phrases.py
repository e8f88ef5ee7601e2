"""What the negotiating player says, and reads: proposals and answers, one sentence each.

A *proposal* is of peace in a movement phase, or asks for an order of the hearer's. *Agreements* are
proposals that the hearer has accepted; they follow from the messages alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

PEACE, SUPPORT_MOVE = "peace", "support_move"
PROPOSE, ACCEPT = "propose", "accept"
_PHASE = r"(?P<phase>[SF]\d{4}M)"
_ORDER = r"(?P<order>[AF] [A-Z/]{3,6} S [AF] [A-Z/]{3,6} - [A-Z/]{3,6})"
_FORMS = (
    (PROPOSE, PEACE, f"Let us keep peace in {_PHASE}: neither of us attacks the other\\."),
    (PROPOSE, SUPPORT_MOVE, f"Please order {_ORDER} in {_PHASE}\\."),
    (ACCEPT, PEACE, f"Agreed: peace in {_PHASE}\\."),
    (ACCEPT, SUPPORT_MOVE, f"Agreed: {_ORDER} in {_PHASE}\\."),
)


class Proposal(NamedTuple):
    """What is proposed.

    Attributes:
        kind: ``PEACE`` or ``SUPPORT_MOVE``. phase: for which movement phase, such as ``S1901M``.
        order: that the hearer is to give; empty for peace.
    """

    kind: str
    phase: str
    order: str = ""

    def proposed(self) -> str:
        """The sentence that proposes it."""
        if self.kind == PEACE:
            return f"Let us keep peace in {self.phase}: neither of us attacks the other."
        return f"Please order {self.order} in {self.phase}."

    def accepted(self) -> str:
        """The sentence that accepts it."""
        return f"Agreed: {self.order or PEACE} in {self.phase}."


class Agreement(NamedTuple):
    """A proposal that seat ``by`` made to seat ``to``, which accepted it."""

    by: int
    to: int
    proposal: Proposal

    def promises(self) -> list[tuple[int, int, Proposal]]:
        """(who, to whom, what): both promise peace, who accepts promises the order."""
        found = [(self.to, self.by, self.proposal)]
        return [*found, (self.by, self.to, self.proposal)] if self._is_peace else found

    @property
    def _is_peace(self) -> bool:
        return self.proposal.kind == PEACE


class Spoken(Protocol):
    """What agreements are read from: ``talk.Message``."""

    @property
    def seat(self) -> int: ...
    @property
    def to(self) -> Sequence[int]: ...
    @property
    def text(self) -> str: ...


def read(text: str) -> tuple[str, Proposal] | None:
    """``PROPOSE`` or ``ACCEPT``, and what; None for any other text."""
    for act, kind, form in _FORMS:
        if found := re.fullmatch(form, text):
            return act, Proposal(kind, found["phase"], found.groupdict().get("order", ""))
    return None


def agreements(messages: Iterable[Spoken], phase: str) -> list[Agreement]:
    """What was agreed for a phase, oldest first, each once; ``messages`` are oldest first."""
    open_: set[Agreement] = set()
    found: dict[Agreement, None] = {}
    for message in messages:
        said = read(message.text)
        if said is None or said[1].phase != phase or len(message.to) != 1:
            continue
        act, proposal = said
        if act == PROPOSE:
            open_.add(Agreement(message.seat, message.to[0], proposal))
        elif (agreed := Agreement(message.to[0], message.seat, proposal)) in open_:
            found[agreed] = None
    return list(found)
