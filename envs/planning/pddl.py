"""Reads and writes PDDL: what PDDL 2.1 has of typing, ADL and numbers, without time.

Read: types with several levels, ``either``, constants, ``and or not imply forall exists``, equality
of objects, comparisons and sums of numbers, conditional effects, ``increase decrease assign``, one
linear metric. What else a file uses (durative actions, derived predicates, preferences, ...) is
refused by its name. PDDL is case-blind: everything is lower case once it is read.

A formula is a tuple that begins with what it is:

    ("atom", predicate, terms)   ("same", term, term)     ("compare", operator, number, number)
    ("not", f)   ("and", f, ...)   ("or", f, ...)   ("imply", f, f)   ("forall", parameters, f)
    ("exists", parameters, f)

So is a number, ("number", x), ("value", function, terms), ("+", n, ...), ("-", n, ...),
("*", n, n) or ("/", n, n), and an effect:

    ("add", predicate, terms)   ("del", predicate, terms)   ("all", e, ...)   ("when", f, e)
    ("each", parameters, e)     ("change", "increase", function, terms, number)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Formula = tuple[Any, ...]
"""A formula, a number or an effect, as told above."""
Atom = tuple[str, ...]
"""A ground atom or the place of a value: its name and its arguments."""
Parameters = tuple[tuple[str, tuple[str, ...]], ...]
"""Variables, each with the types that its objects may be of."""

MOST_CHARACTERS, MOST_TOKENS, MOST_DEPTH = 2_000_000, 200_000, 64
"""Limits of one file."""
COMPARISONS = (">=", ">", "<=", "<", "=")
CHANGES = ("increase", "decrease", "assign")
REFUSED = frozenset(
    {
        ":durative-actions", ":duration-inequalities", ":continuous-effects", ":preferences",
        ":constraints", ":derived-predicates", ":timed-initial-literals", ":object-fluents",
        ":timed-effects", ":processes", ":events", ":time",
    }
)  # fmt: skip
"""Requirements that name what is not read."""
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")
_NAME = re.compile(r"[a-z0-9_][^\s()?:;]*")


class PddlError(ValueError):
    """A file that is no PDDL as it is read here: which, where and why, in one line."""


@dataclass(frozen=True)
class Schema:
    """An action with its parameters."""

    name: str
    parameters: Parameters
    condition: Formula
    effect: Formula


@dataclass(frozen=True)
class Domain:
    """What the problems of a domain have in common.

    Attributes:
        above: of each type, the types directly above it. constants: the type of each.
        predicates, functions: the parameters of each by its name.
    """

    name: str
    above: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, tuple[str, ...]]
    predicates: Mapping[str, Parameters]
    functions: Mapping[str, Parameters]
    schemas: tuple[Schema, ...]

    def types_of(self, names: Iterable[str]) -> set[str]:
        """These types and all above them; of every object also ``object``."""
        found, to_do = {"object"}, list(names)
        while to_do:
            one = to_do.pop()
            if one not in found:
                found.add(one)
                to_do += self.above.get(one, ())
        return found


@dataclass(frozen=True)
class Problem:
    """One problem of a domain.

    Attributes:
        objects: the types of each, constants of the domain left out. atoms: those true at the
            start. values: the numbers given at the start. goal: what is wanted.
        metric: the number to be made small, or None. ignored: names in ``:init`` that the domain
            does not declare.
    """

    name: str
    domain: str
    objects: Mapping[str, tuple[str, ...]]
    atoms: tuple[Atom, ...]
    values: Mapping[Atom, float]
    goal: Formula
    metric: Formula | None = None
    ignored: tuple[str, ...] = field(default=(), compare=False)


# --- lists ---------------------------------------------------------------------------------------


class _List(list[Any]):
    """What stands between two parentheses, and the line that it begins in."""

    line: int = 0

    @property
    def head(self) -> str:
        return self[0] if self and isinstance(self[0], str) else ""


class _Reader:
    """One file. Everything that is wrong with it becomes a ``PddlError`` that names the file."""

    def __init__(self, text: str, file: str):
        self.file = file
        if len(text) > MOST_CHARACTERS:
            raise self.error(0, f"over {MOST_CHARACTERS:,} characters")
        self.top = self._lists(text)

    def error(self, line: int, what: str) -> PddlError:
        place = f"{self.file}, line {line}" if line else self.file
        return PddlError(f"{place}: {what}")

    def _lists(self, text: str) -> _List:
        """The first list of the text, with all in it."""
        stack: list[_List] = []
        tokens = 0
        for line, words in enumerate(text.lower().split("\n"), 1):
            for match in re.finditer(r"[()]|[^\s()]+", words.partition(";")[0]):
                tokens += 1
                if tokens > MOST_TOKENS:
                    raise self.error(line, f"over {MOST_TOKENS:,} words and parentheses")
                word = match[0]
                if word == "(":
                    if len(stack) == MOST_DEPTH:
                        raise self.error(line, f"over {MOST_DEPTH} lists within each other")
                    stack.append(_List())
                    stack[-1].line = line
                elif not stack:
                    raise self.error(line, f"{_shown(word)} stands before (define ...)")
                elif word == ")":
                    done = stack.pop()
                    if not stack:
                        return done
                    stack[-1].append(done)
                else:
                    stack[-1].append(word)
        if not stack:
            raise self.error(0, "no (define ...) in it")
        raise self.error(stack[-1].line, "the parenthesis that opens here is never closed")

    def sections(self, kind: str) -> tuple[str, list[_List]]:
        """The name that is defined, and the other parts of ``(define (KIND name) ...)``."""
        top = self.top
        if top.head != "define" or len(top) < 2 or not isinstance(top[1], _List):
            raise self.error(top.line, f"(define ({kind} NAME) ...) is needed")
        if top[1].head != kind or len(top[1]) != 2 or not isinstance(top[1][1], str):
            raise self.error(top[1].line, f"({kind} NAME) is needed, not {_shown(top[1])}")
        for part in top[2:]:
            if not isinstance(part, _List) or not part.head.startswith(":"):
                raise self.error(top.line, f"{_shown(part)} is no part of a {kind}")
        return top[1][1], top[2:]

    def lists(self, items: Iterable[Any], line: int, what: str) -> list[_List]:
        """The items, each of which is to be a list that begins with a word."""
        found = []
        for item in items:
            if not isinstance(item, _List) or not item.head:
                raise self.error(line, f"{_shown(item)} is no {what}")
            found.append(item)
        return found

    def typed(self, items: Sequence[Any], line: int) -> list[tuple[Any, tuple[str, ...]]]:
        """``a b - t c`` as [(a, (t,)), (b, (t,)), (c, (object,))]; of ``either``, all its types."""
        found: list[tuple[Any, tuple[str, ...]]] = []
        waiting: list[Any] = []
        at = 0
        while at < len(items):
            if items[at] != "-":
                waiting.append(items[at])
                at += 1
                continue
            told = items[at + 1] if at + 1 < len(items) else None
            if isinstance(told, _List) and told.head == "either" and len(told) > 1:
                types = tuple(self.name(one, told.line) for one in told[1:])
            elif isinstance(told, str):
                types = (self.name(told, line),)
            else:
                raise self.error(line, "no type stands after -")
            found += [(one, types) for one in waiting]
            waiting = []
            at += 2
        return found + [(one, ("object",)) for one in waiting]

    def name(self, word: Any, line: int) -> str:
        if not isinstance(word, str) or _NAME.fullmatch(word) is None:
            raise self.error(line, f"{_shown(word)} is no name")
        return word

    def parameters(self, items: Any, line: int) -> Parameters:
        if not isinstance(items, _List):
            raise self.error(line, f"a list of parameters is needed, not {_shown(items)}")
        found = self.typed(items, line)
        for word, _ in found:
            if not isinstance(word, str) or not re.fullmatch(r"\?[^\s()?:;]+", word):
                raise self.error(line, f"{_shown(word)} is no variable")
        return tuple(found)


def _shown(what: Any) -> str:
    text = "(...)" if isinstance(what, _List) else str(what)
    if isinstance(what, _List) and what.head:
        text = f"({what.head} ...)"
    return text if len(text) <= 60 else f"{text[:60]}..."


# --- formulas ------------------------------------------------------------------------------------


class _Formulas:
    """Reads the formulas, numbers and effects of one file over the names that are known."""

    def __init__(
        self,
        reader: _Reader,
        predicates: Mapping[str, Parameters],
        functions: Mapping[str, Parameters],
        objects: Iterable[str],
    ):
        self.reader, self.predicates, self.functions = reader, predicates, functions
        self.objects = set(objects)

    def terms(
        self, node: _List, known: Mapping[str, Parameters], bound: frozenset[str], what: str
    ) -> Atom:
        """A name and its arguments, each of them a variable that is bound, or an object."""
        name = node.head
        if name not in known:
            raise self.reader.error(node.line, f"the {what} {_shown(name)} is not declared")
        if len(node) - 1 != len(known[name]):
            raise self.reader.error(
                node.line, f"{name} has {len(known[name])} arguments, not {len(node) - 1}"
            )
        for term in node[1:]:
            self.term(term, bound, node.line)
        return tuple(node)

    def term(self, term: Any, bound: frozenset[str], line: int) -> str:
        if not isinstance(term, str) or not (term in bound or term in self.objects):
            raise self.reader.error(line, f"{_shown(term)} is no object and no bound variable")
        return term

    def formula(self, node: Any, bound: frozenset[str]) -> Formula:
        error = self.reader.error
        if not isinstance(node, _List):
            raise error(0, f"{_shown(node)} is no condition")
        if not node:
            return ("and",)
        head, rest = node.head, node[1:]
        if head in ("and", "or"):
            return (head, *(self.formula(one, bound) for one in rest))
        if head == "not" and len(rest) == 1:
            return ("not", self.formula(rest[0], bound))
        if head == "imply" and len(rest) == 2:
            return ("imply", *(self.formula(one, bound) for one in rest))
        if head in ("forall", "exists") and len(rest) == 2:
            parameters = self.reader.parameters(rest[0], node.line)
            inner = bound | {word for word, _ in parameters}
            return (head, parameters, self.formula(rest[1], inner))
        if head in COMPARISONS and len(rest) == 2:
            if head == "=" and not any(isinstance(r, _List) or _is_number(r) for r in rest):
                return ("same", *(self.term(one, bound, node.line) for one in rest))
            return ("compare", head, *(self.number(one, bound, node.line) for one in rest))
        if head in ("not", "imply", "forall", "exists", *COMPARISONS):
            raise error(node.line, f"{head} with {len(rest)} arguments")
        if head in ("preference", "always", "sometime", "within", "at-most-once", "when"):
            raise error(node.line, f"{head} cannot stand in a condition here")
        name, *terms = self.terms(node, self.predicates, bound, "predicate")
        return ("atom", name, tuple(terms))

    def number(self, node: Any, bound: frozenset[str], line: int) -> Formula:
        if isinstance(node, str):
            if _is_number(node):
                return ("number", self.finite(node, line))
            raise self.reader.error(line, f"{_shown(node)} is no number")
        if node.head in ("+", "-", "*", "/"):
            parts = tuple(self.number(one, bound, node.line) for one in node[1:])
            most = {"+": 64, "-": 2, "*": 64, "/": 2}[node.head]
            if not (1 if node.head == "-" else 2) <= len(parts) <= most:
                raise self.reader.error(node.line, f"{node.head} with {len(parts)} arguments")
            return (node.head, *parts)
        name, *terms = self.terms(node, self.functions, bound, "function")
        return ("value", name, tuple(terms))

    def finite(self, word: str, line: int) -> float:
        value = float(word)
        if not math.isfinite(value):
            raise self.reader.error(line, f"the number {_shown(word)} is too large")
        return value

    def effect(self, node: Any, bound: frozenset[str]) -> Formula:
        error = self.reader.error
        if not isinstance(node, _List):
            raise error(0, f"{_shown(node)} is no effect")
        if not node:
            return ("all",)
        head, rest = node.head, node[1:]
        if head == "and":
            return ("all", *(self.effect(one, bound) for one in rest))
        if head == "forall" and len(rest) == 2:
            parameters = self.reader.parameters(rest[0], node.line)
            inner = bound | {word for word, _ in parameters}
            return ("each", parameters, self.effect(rest[1], inner))
        if head == "when" and len(rest) == 2:
            return ("when", self.formula(rest[0], bound), self.effect(rest[1], bound))
        if head in CHANGES and len(rest) == 2 and isinstance(rest[0], _List):
            name, *terms = self.terms(rest[0], self.functions, bound, "function")
            return ("change", head, name, tuple(terms), self.number(rest[1], bound, node.line))
        if head in ("scale-up", "scale-down", "forall", "when", *CHANGES):
            raise error(node.line, f"the effect {_shown(node)} is not read")
        gone = head == "not" and len(rest) == 1 and isinstance(rest[0], _List)
        name, *terms = self.terms(rest[0] if gone else node, self.predicates, bound, "predicate")
        return ("del" if gone else "add", name, tuple(terms))


def _is_number(word: Any) -> bool:
    return isinstance(word, str) and _NUMBER.fullmatch(word) is not None


# --- files ---------------------------------------------------------------------------------------


def read_domain(text: str, file: str = "the domain") -> Domain:
    """A domain from its text.

    Args:
        file: what messages call it.

    Raises:
        PddlError: the file, the line and what is wrong.
    """
    reader = _Reader(text, file)
    name, parts = reader.sections("domain")
    known = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
    for part in parts:
        if part.head not in known:
            raise reader.error(part.line, f"{part.head} is not read")
        refused = sorted(REFUSED & {str(word) for word in part[1:]})
        if part.head == ":requirements" and refused:
            raise reader.error(part.line, f"the requirement {refused[0]} is not met")

    def of(head: str) -> Iterator[_List]:
        return (part for part in parts if part.head == head)

    above: dict[str, tuple[str, ...]] = {}
    for part in of(":types"):
        for one, types in reader.typed(part[1:], part.line):
            kind = reader.name(one, part.line)
            above[kind] = tuple(dict.fromkeys((*above.get(kind, ()), *types)))
    above = {kind: types for kind, types in above.items() if kind != "object"}
    known_types = {"object", *above, *(kind for types in above.values() for kind in types)}

    def check(types: Iterable[str], line: int) -> None:
        for kind in types:
            if kind not in known_types:
                raise reader.error(line, f"the type {_shown(kind)} is not declared")

    constants: dict[str, tuple[str, ...]] = {}
    for part in of(":constants"):
        for one, types in reader.typed(part[1:], part.line):
            check(types, part.line)
            constants[reader.name(one, part.line)] = types
    tables: dict[str, dict[str, Parameters]] = {":predicates": {}, ":functions": {}}
    for head, table in tables.items():
        for part in of(head):
            items = part[1:]
            if head == ":functions":
                items = [one for one, _ in reader.typed(items, part.line)]
            for node in reader.lists(items, part.line, head[1:-1]):
                parameters = reader.parameters(_List(node[1:]), node.line)
                for _, types in parameters:
                    check(types, node.line)
                if node.head in table:
                    raise reader.error(node.line, f"{node.head} is declared twice")
                table[reader.name(node.head, node.line)] = parameters
    predicates, functions = tables.values()
    formulas = _Formulas(reader, predicates, functions, constants)
    schemas: dict[str, Schema] = {}
    for part in of(":action"):
        schema = _schema(reader, formulas, part)
        for _, types in schema.parameters:
            check(types, part.line)
        if schema.name in schemas:
            raise reader.error(part.line, f"the action {schema.name} is declared twice")
        schemas[schema.name] = schema
    if not schemas:
        raise reader.error(0, "a domain without an :action")
    return Domain(name, above, constants, predicates, functions, tuple(schemas.values()))


def _schema(reader: _Reader, formulas: _Formulas, part: _List) -> Schema:
    if len(part) % 2 or len(part) < 2:
        raise reader.error(part.line, ":action NAME and pairs of :word and value are needed")
    name = reader.name(part[1], part.line)
    given = dict(zip(part[2::2], part[3::2], strict=True)) if _are_words(part[2::2]) else {"": ""}
    if unknown := sorted(set(given) - {":parameters", ":precondition", ":effect"}):
        raise reader.error(part.line, f"{unknown[0] or 'a list'} is no part of an action")
    parameters = reader.parameters(given.get(":parameters", _List()), part.line)
    if len({word for word, _ in parameters}) < len(parameters):
        raise reader.error(part.line, f"{name} has two parameters of one name")
    bound = frozenset(word for word, _ in parameters)
    condition = formulas.formula(given.get(":precondition", _List()), bound)
    effect = formulas.effect(given.get(":effect", _List()), bound)
    return Schema(name, parameters, condition, effect)


def _are_words(items: Iterable[Any]) -> bool:
    return all(isinstance(item, str) for item in items)


def read_problem(
    text: str, domain: Domain, file: str = "the problem", strict: bool = False
) -> Problem:
    """A problem of a domain from its text.

    Args:
        strict: refuse names in ``:init`` that the domain does not declare, and do not pass over
            them.

    Raises:
        PddlError: the file, the line and what is wrong.
    """
    reader = _Reader(text, file)
    name, parts = reader.sections("problem")
    known = (":domain", ":objects", ":init", ":goal", ":metric", ":requirements")
    found: dict[str, _List] = {}
    for part in parts:
        if part.head not in known:
            raise reader.error(part.line, f"{part.head} is not read")
        if part.head in found:
            raise reader.error(part.line, f"{part.head} stands here for the second time")
        found[part.head] = part
    if ":goal" not in found or len(found[":goal"]) != 2:
        raise reader.error(0, "one (:goal ...) is needed")
    objects: dict[str, tuple[str, ...]] = {}
    if ":objects" in found:
        part = found[":objects"]
        kinds = {"object", *domain.above, *(t for types in domain.above.values() for t in types)}
        for one, types in reader.typed(part[1:], part.line):
            if unknown := sorted(set(types) - kinds):
                raise reader.error(part.line, f"the type {_shown(unknown[0])} is not declared")
            objects[reader.name(one, part.line)] = types
    objects = {one: types for one, types in objects.items() if one not in domain.constants}
    everything = {*domain.constants, *objects}
    formulas = _Formulas(reader, domain.predicates, domain.functions, everything)
    atoms, values, ignored = _read_init(reader, formulas, found.get(":init", _List()), strict)
    goal = formulas.formula(found[":goal"][1], frozenset())
    metric = None
    if ":metric" in found:
        part = found[":metric"]
        if len(part) != 3 or part[1] not in ("minimize", "maximize"):
            raise reader.error(part.line, "(:metric minimize NUMBER) is needed")
        metric = formulas.number(part[2], frozenset(), part.line)
        metric = ("-", metric) if part[1] == "maximize" else metric
    told = found.get(":domain", _List())[1:]
    of = told[0] if told and isinstance(told[0], str) else domain.name
    return Problem(name, of, objects, atoms, values, goal, metric, ignored)


def _read_init(
    reader: _Reader, formulas: _Formulas, part: _List, strict: bool
) -> tuple[tuple[Atom, ...], dict[Atom, float], tuple[str, ...]]:
    """What is true at the start, the numbers then, and the names that were passed over."""
    atoms: dict[Atom, None] = {}
    values: dict[Atom, float] = {}
    ignored: dict[str, None] = {}
    none: frozenset[str] = frozenset()
    for node in reader.lists(part[1:], part.line, "fact"):
        if node.head == "not" and len(node) == 2 and isinstance(node[1], _List):
            continue  # the world is closed: what is not told is false
        if node.head == "at" and len(node) == 3 and _is_number(node[1]):
            raise reader.error(node.line, "timed initial literals are not read")
        number = node.head == "=" and len(node) == 3
        place = node[1] if number else node
        if not isinstance(place, _List):
            raise reader.error(node.line, f"{_shown(node)} is no fact")
        table = formulas.functions if number else formulas.predicates
        if place.head not in table and not strict:
            ignored[place.head] = None
            continue
        atom = formulas.terms(place, table, none, "function" if number else "predicate")
        if not number:
            atoms[atom] = None
        elif _is_number(node[2]):
            values[atom] = formulas.finite(node[2], node.line)
        else:
            raise reader.error(node.line, f"{_shown(node[2])} is no number")
    return tuple(atoms), values, tuple(ignored)


# --- writing -------------------------------------------------------------------------------------


def problem_text(problem: Problem) -> str:
    """A problem as PDDL, which reads back as it."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for one, types in problem.objects.items():
        kinds.setdefault(types, []).append(one)
    typed = len(kinds) > 1
    objects = [f"    {' '.join(names)}{_type(types, typed)}" for types, names in kinds.items()]
    facts = [f"    ({' '.join(atom)})" for atom in problem.atoms]
    facts += [f"    (= ({' '.join(at)}) {number_text(x)})" for at, x in problem.values.items()]
    goal = problem.goal
    parts = goal[1:] if goal[0] == "and" and len(goal) > 1 else [goal]
    wanted = "\n".join(f"    {formula_text(one)}" for one in parts)
    lines = [
        f"(define (problem {problem.name})",
        f"  (:domain {problem.domain})",
        "  (:objects",
        *objects,
        "  )",
        "  (:init",
        *facts,
        "  )",
        "  (:goal (and",
        wanted,
        "  ))",
    ]
    if problem.metric:
        lines.append(f"  (:metric minimize {formula_text(problem.metric)})")
    return "\n".join([*lines, ")", ""])


def _type(types: tuple[str, ...], typed: bool = False) -> str:
    """How a type is told; ``object`` only where types of others stand behind it."""
    if types == ("object",) and not typed:
        return ""
    told = types[0] if len(types) == 1 else f"(either {' '.join(types)})"
    return f" - {told}"


def number_text(value: float) -> str:
    """A number as PDDL has it: whole numbers without a point, all others so that they read back."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value)) if abs(value) >= 1e-4 else format(value, ".17f").rstrip("0")


def formula_text(formula: Formula) -> str:
    """A formula or a number without variables as PDDL."""
    kind, *rest = formula
    if kind in ("atom", "value"):
        return f"({' '.join((rest[0], *rest[1]))})"
    if kind == "number":
        return number_text(rest[0])
    if kind == "same":
        return f"(= {rest[0]} {rest[1]})"
    if kind == "compare":
        return f"({rest[0]} {formula_text(rest[1])} {formula_text(rest[2])})"
    if kind in ("forall", "exists"):
        listed = " ".join(f"{word}{_type(types, typed=True)}" for word, types in rest[0])
        return f"({kind} ({listed}) {formula_text(rest[1])})"
    return f"({' '.join((kind, *map(formula_text, rest)))})"
