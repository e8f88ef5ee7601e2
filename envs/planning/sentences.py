"""Domains and formulas in plain words, for people and language models that do not read PDDL."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from stratagym.envs.planning.lifted import rows_of
from stratagym.envs.planning.pddl import Domain, Formula, Parameters, Schema, number_text


def _word(term: str) -> str:
    return term.removeprefix("?")


def _listed(parameters: Parameters) -> str:
    return ", ".join(f"{_word(name)} ({' or '.join(types)})" for name, types in parameters)


def formula_words(formula: Formula) -> str:
    """A formula or a number in words."""
    kind, *rest = formula
    if kind in ("atom", "value"):
        return " ".join([rest[0], *map(_word, rest[1])])
    if kind == "number":
        return number_text(rest[0])
    if kind == "not":
        if rest[0][0] == "same":
            return f"{_word(rest[0][1])} is not {_word(rest[0][2])}"
        return f"not ({formula_words(rest[0])})"
    if kind in ("and", "or"):
        joined = f" {kind} " if kind == "or" else ", and "
        inner = [
            f"({formula_words(one)})" if one[0] in ("or", "imply", "forall", "exists")
            or (kind == "or" and one[0] == "and") else formula_words(one)
            for one in rest
        ]  # fmt: skip
        return joined.join(inner) or "nothing"
    if kind == "imply":
        return f"if {formula_words(rest[0])} then {formula_words(rest[1])}"
    if kind == "same":
        return f"{_word(rest[0])} is {_word(rest[1])}"
    if kind == "compare":
        told = {
            ">=": "is at least", ">": "is more than", "<=": "is at most", "<": "is less than",
            "=": "equals",
        }[rest[0]]  # fmt: skip
        return f"{formula_words(rest[1])} {told} {formula_words(rest[2])}"
    if kind in ("forall", "exists"):
        every = "for every" if kind == "forall" else "there is"
        joined = ":" if kind == "forall" else " with"
        return f"{every} {_listed(rest[0])}{joined} {formula_words(rest[1])}"
    if kind == "-" and len(rest) == 1:
        return f"minus {formula_words(rest[0])}"
    joined = {"+": " plus ", "-": " minus ", "*": " times ", "/": " divided by "}[kind]
    return joined.join(
        formula_words(one) if one[0] in ("value", "number") else f"({formula_words(one)})"
        for one in rest
    )


@lru_cache(maxsize=64)
def _sentences(schemas: tuple[Schema, ...]) -> tuple[str, ...]:
    return tuple(line for schema in schemas for line in schema_sentences(schema))


def domain_sentences(domain: Domain) -> tuple[str, ...]:
    """The types and the actions of a domain."""
    types = [
        f"- Every {kind} is a {' or a '.join(above)}."
        for kind, above in domain.above.items()
        if above != ("object",)
    ]
    return (*types, *_sentences(domain.schemas))


def schema_sentences(schema: Schema) -> list[str]:
    """An action: its parameters, its condition, what it changes."""
    words = " ".join([schema.name, *(_word(name) for name, _ in schema.parameters)])
    lines = [f"- ({words})" + (f", for {_listed(schema.parameters)}" if schema.parameters else "")]
    if schema.condition != ("and",):
        lines.append(f"  It can be taken if: {formula_words(schema.condition)}.")
    for row in rows_of(schema.effect):
        lead = "  "
        if row.parameters:
            lead += f"For every {_listed(row.parameters)}: "
        if row.condition != ("and",):
            lead += f"If {formula_words(row.condition)}: "
        told = []
        if row.dels:
            told.append(f"no longer true: {_atoms(row.dels)}")
        if row.adds:
            told.append(f"true from then on: {_atoms(row.adds)}")
        for kind, name, terms, number in row.changes:
            place = formula_words(("value", name, terms))
            by = {"increase": "grows by", "decrease": "shrinks by", "assign": "becomes"}[kind]
            told.append(f"{place} {by} {formula_words(number)}")
        lines.append(f"{lead}{'; '.join(told)}.")
    return lines


def _atoms(atoms: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    return ", ".join(formula_words(("atom", *atom)) for atom in atoms)
