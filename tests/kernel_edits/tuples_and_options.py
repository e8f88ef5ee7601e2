"""Fields of NamedTuples and options of decorators."""

from __future__ import annotations

from kernel_edits import kind

# --- fields of NamedTuples ------------------------------------------------------------------------

PAIR = """
class Pair(NamedTuple):
    {{rows: int
    columns: int|columns: int
    rows: int}}
"""
PAIR_RENAMED = """
class Pair(NamedTuple):
    {{rows|first}}: int
    {{columns|rows}}: int
"""
for how, pair in (("reordered", PAIR), ("renamed", PAIR_RENAMED)):
    kind(
        f"fields_of_an_argument_{how}",
        """
        from .other import Pair
        @njit(cache=True)
        def f(pair):
            return 10 * pair.rows
        def result():
            return f(Pair(1, 2))
        """,
        other=pair,
    )
    kind(
        f"fields_of_a_callees_argument_{how}",
        """
        from .other import Pair
        @njit
        def g(pair):
            return 10 * pair.rows
        @njit(cache=True)
        def f():
            return g(Pair(1, 2))
        """,
        other=pair,
    )
    kind(
        f"fields_of_a_global_{how}",
        """
        from .other import Pair
        PAIR = Pair(1, 2)
        @njit(cache=True)
        def f():
            return 10 * PAIR.rows
        """,
        other=pair,
    )
    kind(
        f"fields_of_an_imported_global_{how}",
        """
        from .third import PAIR
        @njit(cache=True)
        def f():
            return 10 * PAIR.rows
        """,
        third="from .other import Pair\nPAIR = Pair(1, 2)",
        other=pair,
    )
kind(
    "fields_of_a_tuple_in_an_argument",
    """
    from .other import Pair
    class Outer(NamedTuple):
        pair: Pair
        more: int
    @njit(cache=True)
    def f(outer):
        return outer.pair.rows + outer.more
    def result():
        return f(Outer(Pair(1, 2), 3))
    """,
    other=PAIR,
)
kind(
    "fields_of_a_tuple_in_a_tuple",
    """
    from .other import Pair
    @njit(cache=True)
    def f(pairs):
        return pairs[0].rows
    def result():
        return f((Pair(1, 2), 5.0))
    """,
    other=PAIR,
)
kind(
    "fields_of_what_a_module_holds",
    """
    from . import third
    @njit(cache=True)
    def f():
        return third.PAIR.rows
    """,
    third="from .other import Pair\nPAIR = Pair(1, 2)",
    other=PAIR,
)
# --- options of the decorators --------------------------------------------------------------------

kind(
    "locals_of_the_kernel",
    """
    @njit(cache=True, locals={"y": {{int8|int16}}})
    def f():
        y = 300
        return y
    """,
)
kind(
    "locals_of_a_callee",
    """
    from .other import g
    @njit(cache=True)
    def f():
        return g()
    """,
    other="""
    @njit(locals={"y": {{int8|int16}}})
    def g():
        y = 300
        return y
    """,
)
kind(
    "locals_that_are_imported",
    """
    from .other import LOCALS
    @njit(cache=True, locals=LOCALS)
    def f():
        y = 300
        return y
    """,
    other='LOCALS = {"y": {{int8|int16}}}',
)
kind(
    "error_model_of_the_kernel",
    """
    @njit(cache=True, error_model="{{python|numpy}}")
    def f(x):
        return 1 / x
    def result():
        try:
            return f(0)
        except ZeroDivisionError:
            return "raised"
    """,
)
kind(
    "error_model_of_a_callee",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        try:
            return f(0)
        except ZeroDivisionError:
            return "raised"
    """,
    other="""
    @njit(error_model="{{python|numpy}}")
    def g(x):
        return 1 / x
    """,
)
kind(
    "options_that_are_imported",
    """
    from .other import OPTIONS
    @njit(cache=True, **OPTIONS)
    def f(x):
        return 1 / x
    def result():
        try:
            return f(0)
        except ZeroDivisionError:
            return "raised"
    """,
    other='OPTIONS = {"error_model": "{{python|numpy}}"}',
)
kind(
    "fastmath_of_a_callee",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(math.nan)
    """,
    other="""
    @njit{{|(fastmath=True)}}
    def g(x):
        return x != x
    """,
)
kind(
    "boundscheck_of_a_callee",
    """
    from .other import g
    @njit(cache=True)
    def f(a):
        return g(a)
    def result():
        try:
            return f(np.arange(10)[:3])
        except IndexError:
            return "raised"
    """,
    other="""
    @njit{{|(boundscheck=True)}}
    def g(a):
        return a[5]
    """,
)
kind(
    "signature_of_the_kernel",
    """
    @njit("{{f4(f4)|f8(f8)}}", cache=True)
    def f(x):
        return x / 3
    def result():
        return f(1.0)
    """,
)
kind(
    "signature_of_a_callee",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(1.0)
    """,
    other="""
    @njit("{{f4(f4)|f8(f8)}}")
    def g(x):
        return x / 3
    """,
)
kind(
    "signature_that_is_imported",
    """
    from .third import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(1.0)
    """,
    third="""
    from .other import SIGNATURE
    @njit(SIGNATURE)
    def g(x):
        return x / 3
    """,
    other='SIGNATURE = "{{f4(f4)|f8(f8)}}"',
)
