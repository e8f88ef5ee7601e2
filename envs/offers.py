"""What installed packages offer by entry points: games and players, by names of their own."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points


@dataclass(frozen=True)
class Offer:
    """What a package offers under a name: ``module`` or ``module:function``, and whose it is."""

    value: str
    owner: str

    @property
    def module(self) -> str:
        return self.value.partition(":")[0].strip()


def offers(
    group: str, kind: str, is_taken: Callable[[str], bool]
) -> tuple[dict[str, Offer], dict[str, str]]:
    """What a group of entry points offers, and why the rest cannot be had, by name.

    It warns of everything that is left out: what has a name that is none, a name that
    ``is_taken`` here, or a name that two packages give. Nothing is imported.

    Args:
        kind: what the group holds, as in ``game``, for messages.
    """
    named: dict[str, set[Offer]] = {}
    refused: dict[str, str] = {}
    for point in entry_points(group=group):
        named.setdefault(point.name, set()).add(Offer(point.value, _owner(point)))
    found = {}
    for name, offered in sorted(named.items()):
        owners = " and ".join(sorted(offer.owner for offer in offered))
        if not is_name(name):
            refused[name] = f"{kind} {name!r} of {owners}: {NAMES}"
        elif is_taken(name):
            warnings.warn(
                f"{kind} {name!r} of {owners} is left out: stratagym has a {kind} of that name",
                RuntimeWarning,
                stacklevel=3,
            )
        elif len(offered) > 1:
            refused[name] = f"{kind} {name!r} is in more than one package: {owners}; uninstall one"
        else:
            found[name] = offered.pop()
    for reason in refused.values():
        warnings.warn(f"{reason} (left out)", RuntimeWarning, stacklevel=3)
    return found, refused


def _owner(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


NAMES = "a name is small letters, digits and underscores, a letter first"


def is_name(name: str) -> bool:
    return re.fullmatch("[a-z][a-z0-9_]*", name) is not None
