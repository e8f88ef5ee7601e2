"""What the command line tells in one line."""

from __future__ import annotations


class InputError(Exception):
    """Something whoever runs a script can put right: what, where, and what would be right."""
