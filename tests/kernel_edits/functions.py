"""Functions, and what a game is made of."""

from __future__ import annotations

from kernel_edits import kind

# --- functions ------------------------------------------------------------------------------------

CALL = """
from .other import g
@njit(cache=True)
def f(x):
    return g(x)
def result():
    return f(5)
"""
PLUS = """
@njit
def plus(x):
    return x {{+|-}} 1
"""
TWO = """
@njit
def one(x):
    return x + 1
@njit
def two(x):
    return x + 2
"""
kind(
    "body",
    """
    @njit(cache=True)
    def f():
        return 7 {{+|-}} 1
    """,
)
for what, text in {
    "body": "@njit\ndef g(x):\n    return x {{+|-}} 1",
    "callee": "from .third import plus\n@njit\ndef g(x):\n    return plus(x)",
    "attribute_callee": "from . import third\n@njit\ndef g(x):\n    return third.plus(x)",
    "re_exported": "from .third import plus as g",
    "renamed": "from .third import {{one|two}} as g",
    "assigned": "from .third import one, two\ng = {{one|two}}",
    "of_a_table": "from .third import one, two\ng = [one, two][{{0|1}}]",
    "default": "@njit\ndef g(x, y={{1|2}}):\n    return x + y",
    "imported_default": "from .third import A\n@njit\ndef g(x, y=A):\n    return x + y",
    "default_from_a_file": "A = int((HERE / 'number.txt').read_text())\n@njit\ndef g(x, y=A):\n"
    "    return x + y\ndel A",
    "closure_constant": "def make(a):\n    @njit\n    def g(x):\n        return x + a\n"
    "    return g\ng = make({{1|2}})",
    "closure_constant_from_a_file": "def make(a):\n    @njit\n    def g(x):\n        return x + a\n"
    "    return g\ng = make(int((HERE / 'number.txt').read_text()))",
    "closure_array_from_a_file": "def make(a):\n    @njit\n    def g(x):\n        return x + a[0]\n"
    "    return g\ng = make(np.loadtxt(HERE / 'number.txt', ndmin=1))",
    "closure_callee": "from .third import one, two\ndef make(h):\n    @njit\n    def g(x):\n"
    "        return h(x)\n    return g\ng = make({{one|two}})",
    "vectorize_closure_from_a_file": "def make(a):\n    @vectorize\n    def g(x):\n"
    "        return x + a\n    return g\ng = make(int((HERE / 'number.txt').read_text()))",
    "lambda": "g = njit(lambda x: x {{+|-}} 1)",
    "inner_function": "@njit\ndef g(x):\n    def inner(y):\n        return y {{+|-}} 1\n"
    "    return inner(x)",
    "wrapped": "from .third import one\n@njit\n@functools.wraps(one)\ndef g(x):\n"
    "    return x {{+|-}} 1",
    "conditional": "from .third import A\nif A == 1:\n    @njit\n    def g(x):\n"
    "        return x + 1\nelse:\n    @njit\n    def g(x):\n        return x - 1",
    "conditional_by_a_file": "if (HERE / 'number.txt').read_text() == '1':\n    @njit\n"
    "    def g(x):\n        return x + 1\nelse:\n    @njit\n    def g(x):\n        return x - 1",
    "conditional_lambda_by_a_file": "one = (HERE / 'number.txt').read_text() == '1'\n"
    "g = njit((lambda x: x + 1) if one else (lambda x: x - 1))",
    "conditional_import_by_a_file": "if (HERE / 'number.txt').read_text() == '1':\n"
    "    from .third import one as g\nelse:\n    from .third import two as g",
    "executed_text": "text = 'def g(x): return x {{+|-}} 1'\nexec(text)\ng = njit(g)",
    "executed_file": "exec((HERE / 'code.txt').read_text())\ng = njit(g)",
    "set_from_elsewhere": "from . import third, fourth\ng = third.one",
    "imported_by_name": "import importlib\ng = importlib.import_module('edited.' "
    "+ __name__.split('.')[1] + '.third').plus",
}.items():
    kind(
        f"function_{what}",
        CALL,
        kept=not any(word in what for word in ("executed", "conditional_lambda")),
        other=text,
        third=f"A = {{{{1|2}}}}\n{PLUS}\n{TWO}",
        fourth="from . import third\nthird.one = third.{{one|two}}",
        number_txt="{{1|2}}",
        code_txt="def g(x): return x {{+|-}} 1",
    )
kind(
    "function_as_an_argument",
    """
    from .other import g
    @njit(cache=True)
    def f(h, x):
        return h(x)
    def result():
        return f(g, 5)
    """,
    other="from .third import plus\n@njit\ndef g(x):\n    return plus(x)",
    third=PLUS,
)
kind(
    "function_in_a_global_tuple",
    """
    from .other import FUNCTIONS
    @njit(cache=True)
    def f(x):
        return FUNCTIONS[0](x)
    def result():
        return f(5)
    """,
    other="from .third import one, two\nFUNCTIONS = ({{one, two|two, one}})",
    third=TWO,
)
kind(
    "kernel_that_is_a_closure",
    """
    def make(a):
        @njit(cache=True)
        def f():
            return a
        return f
    f = make(int((HERE / "number.txt").read_text()))
    """,
    number_txt="{{1|2}}",
)
kind(
    "default_of_the_kernel",
    """
    from .other import A
    @njit(cache=True)
    def f(x=A):
        return x
    """,
    other="A = {{1|2}}",
)
kind(
    "dtype_of_an_argument",
    """
    from .other import STATE
    @njit(cache=True)
    def f(s):
        return s[0].x
    def result():
        return f(np.array([(1, 2)], STATE))
    """,
    other="STATE = np.dtype([{{('x', 'i8'), ('y', 'i8')|('y', 'i8'), ('x', 'i8')}}])",
)

# --- what a game is made of -----------------------------------------------------------------------

STUB = """
from stratagym.envs import core
from .rules import Rules
@core.kernel("rules", default=core._no_turns)
def worth(rules, s): pass
def plain(rules, s):
    return A
A = {{1|2}}
@core.kernel("rules", default=plain)
def missing(rules, s): pass
@core.kernel("agents")
def judged(rules, s): pass
@njit(cache=True)
def f(rules, s):
    return STUB(rules, s)
def result():
    return f(Rules(1, 2), 0)
"""
for what, stub in (
    ("of_the_rules", "worth"),
    ("of_the_agents", "judged"),
    ("by_default", "missing"),
):
    kind(
        f"stub_{what}",
        STUB.replace("STUB", stub).replace("{{1|2}}", "{{1|2}}" if stub == "missing" else "1"),
        rules="""
        from .other import B
        class Rules(NamedTuple):
            a: int
            b: int
        @njit(cache=True)
        def worth(rules, s):
            return rules.a + B
        """,
        other="B = {{1|2}}" if stub == "worth" else "B = 1",
        agents="@njit\ndef judged(rules, s):\n    return rules.b {{+|-}} 1",
    )

# --- what changes nothing -------------------------------------------------------------------------

for what, edit in {
    "comment": "{{|# A comment\n        # of two lines.}}",
    "docstring": '"""One {{text|other text}}."""',
    "new_docstring": '{{|"""A text."""}}',
}.items():
    kind(
        f"nothing_by_a_{what}",
        f"""
        {edit}
        from .other import g
        @njit(cache=True)
        def f():
            {edit}
            return g(1)
        """,
        same=True,
        other=f"""
        {edit}
        A = 1
        {edit if "doc" in what else ""}
        class Pair(NamedTuple):
            {edit}
            x: int
        @njit
        def g(x):
            {edit}
            return Pair(x).x
        """,
    )
kind(
    "nothing_by_another_module",
    """
    @njit(cache=True)
    def f():
        return 1
    def show():
        from . import other
    """,
    same=True,
    other="A = {{1|2}}",
)
