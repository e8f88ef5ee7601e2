"""Errors that the command line reports in one line."""

from __future__ import annotations


class InputError(Exception):
    """An error that the user can mend: what is wrong, where, and what would be right."""
