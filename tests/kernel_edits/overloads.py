"""What numba is told besides its own."""

from __future__ import annotations

from textwrap import dedent

from kernel_edits import kind

# --- overloads ------------------------------------------------------------------------------------

OVERLOADED = "def g(x): pass"
CALL_G = """
from .other import g
from . import third
@njit(cache=True)
def f(x):
    return g(x)
def result():
    return f(5)
"""
kind(
    "overload_beside_its_function",
    """
    def g(x): pass
    @overload(g)
    def _(x):
        return lambda x: x {{+|-}} 1
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(5)
    """,
)
for where, text in {
    "body": """
        @overload(g)
        def _(x):
            return lambda x: x {{+|-}} 1
        """,
    "constant": """
        A = {{1|2}}
        @overload(g)
        def _(x):
            return lambda x: x + A
        """,
    "helper": """
        from .fourth import helper
        @overload(g)
        def _(x):
            return lambda x: helper(x)
        """,
    "helper_while_typing": """
        from .fourth import choose
        @overload(g)
        def _(x):
            return (lambda x: x + 1) if choose() else (lambda x: x - 1)
        """,
    "import_while_typing": """
        @overload(g)
        def _(x):
            from .fourth import A
            return lambda x: x + A
        """,
    "constant_from_a_file": """
        A = float((HERE / "number.txt").read_text())
        @overload(g)
        def _(x):
            return lambda x: x + A
        """,
    "factory": """
        from .fourth import make
        overload(g)(lambda x: make())
        """,
}.items():
    kind(
        f"overload_in_another_module_{where}",
        CALL_G,
        kept=where != "import_while_typing",
        other=OVERLOADED,
        third="from .other import g\n" + dedent(text),
        fourth="""
        A = {{1|2}}
        def choose():
            return A == 1
        def make():
            return lambda x: x + A
        @njit
        def helper(x):
            return x {{+|-}} 1
        """,
        number_txt="{{1|2}}",
    )
kind(
    "overload_that_the_kernels_module_does_not_import",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        from . import third
        return f(5)
    """,
    kept=False,
    other=OVERLOADED,
    third="""
    from .other import g
    @overload(g)
    def _(x):
        return lambda x: x {{+|-}} 1
    """,
)
for where, text in {
    "body": """
        @overload_method(types.Integer, "plus")
        def _(x):
            return lambda x: x {{+|-}} 1
        """,
    "constant": """
        A = {{1|2}}
        @overload_method(types.Integer, "plus")
        def _(x):
            return lambda x: x + A
        """,
    "constant_from_a_file": """
        A = int((HERE / "number.txt").read_text())
        @overload_method(types.Integer, "plus")
        def _(x):
            return lambda x: x + A
        """,
    "helper": """
        from .fourth import helper
        @overload_method(types.Integer, "plus")
        def _(x):
            return lambda x: helper(x)
        """,
    "name": """
        @overload_method(types.Integer, "{{plus|minus}}")
        def _(x):
            return lambda x: x + 1
        @overload_method(types.Integer, "{{minus|plus}}")
        def _(x):
            return lambda x: x - 1
        """,
}.items():
    kind(
        f"overload_method_{where}",
        """
        from . import third
        @njit(cache=True)
        def f(x):
            return x.plus()
        def result():
            return f(5)
        """,
        alone=True,
        third=text,
        fourth="""
        @njit
        def helper(x):
            return x {{+|-}} 1
        """,
        number_txt="{{1|2}}",
    )
kind(
    "overload_method_that_the_kernels_module_does_not_import",
    """
    @njit(cache=True)
    def f(x):
        return x.plus()
    def result():
        from . import third
        return f(5)
    """,
    kept=False,
    alone=True,
    third="""
    @overload_method(types.Integer, "plus")
    def _(x):
        return lambda x: x {{+|-}} 1
    """,
)
kind(
    "overload_attribute",
    """
    from . import third
    @njit(cache=True)
    def f(x):
        return x.doubled
    def result():
        return f(5)
    """,
    alone=True,
    third="""
    @overload_attribute(types.Integer, "doubled")
    def _(x):
        return lambda x: x * {{2|3}}
    """,
)
for name, where in (
    ("math.comb", "of_the_standard_library"),
    ("np.heaviside", "of_numpy"),
    ("operator.matmul", "of_an_operator"),
    ("format", "of_a_builtin"),
):
    call = "x @ y" if name == "operator.matmul" else f"{name}(x, y)"
    for imported in (True, False):
        kind(
            f"overload_{where}" + ("" if imported else "_that_is_not_imported"),
            f"""
            {"from . import third" if imported else ""}
            @njit(cache=True)
            def f(x, y):
                return {call}
            def result():
                from . import third
                return f(5, 3)
            """,
            kept=imported or name == "operator.matmul",  # an operator's is part of every key
            alone=True,
            third=f"""
            @overload({name})
            def _(x, y):
                if isinstance(x, types.Integer):
                    return lambda x, y: x {{{{+|-}}}} y
            """,
        )
kind(
    "overload_by_another_name",
    """
    from .other import comb as choose
    from . import third
    @njit(cache=True)
    def f(x, y):
        return choose(x, y)
    def result():
        return f(5, 3)
    """,
    alone=True,
    other="from math import comb",
    third="""
    @overload(math.comb)
    def _(x, y):
        return lambda x, y: x {{+|-}} y
    """,
)
kind(
    "register_jitable",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(5)
    """,
    other="""
    @register_jitable
    def g(x):
        return x {{+|-}} 1
    """,
)
