"""Constants."""

from __future__ import annotations

from kernel_edits import kind

# --- constants ------------------------------------------------------------------------------------

READ_A = """
from .other import A
@njit(cache=True)
def f():
    return A
"""
for what, text in {
    "integer": "A = {{1|2}}",
    "integer_to_float": "A = {{1|1.0}}",
    "integer_to_bool": "A = {{1|True}}",
    "negative_zero": "A = {{0.0|-0.0}}",
    "complex": "A = {{1j|2j}}",
    "text": "A = '{{one|two}}'",
    "bytes": "A = b'{{one|two}}'",
    "tuple": "A = (1, ({{2|3}}, 4))",
    "numpy_scalar": "A = np.{{float32|float64}}(1 / 3)",
    "computed": "B = {{1|2}}\nA = B + 1",
    "computed_elsewhere": "from .third import compute\nA = compute()",
    "re_exported": "from .third import A",
    "renamed": "from .third import {{A|B}} as A",
    "star": "from .third import *",
    "from_a_file": "A = json.loads((HERE / 'number.json').read_text())",
    "overwritten": "A = 1\n{{A = 1|A = 2}}",
    "chosen": "from .third import B\nif B == 2:\n    A = 1\nelse:\n    A = 2",
}.items():
    kind(
        f"constant_{what}",
        READ_A,
        other=text,
        third="A, B = {{1, 2|2, 3}}\ndef compute():\n    return {{1|2}}"
        if what != "renamed"
        else "A, B = 1, 2",
        number_json="{{1|2}}",
    )
for what, text in {
    "content": "A = np.array([1, {{2|3}}])",
    "dtype": "A = np.array([1, 300]).astype(np.{{int8|int16}})",
    "shape": "A = np.ones({{(2, 3)|(3, 2)}})",
    "record": "A = np.array([(1, 2)], [{{('x', 'i4'), ('y', 'i4')|('y', 'i4'), ('x', 'i4')}}])",
    "from_a_file": "A = np.loadtxt(HERE / 'number.txt', ndmin=1)",
    "in_a_tuple": "A = (np.array([{{1|2}}]),)[0]",
}.items():
    kind(
        f"array_{what}",
        """
        from .other import A
        @njit(cache=True)
        def f():
            return INDEXED, A.shape
        """.replace("INDEXED", {"record": "A[0].x", "shape": "A[0, 0]"}.get(what, "A[-1]")),
        other=text,
        number_txt="{{1|2}}",
    )
kind(
    "array_that_a_callee_reads_from_a_file",
    """
    from .other import g
    @njit(cache=True)
    def f():
        return g(0)
    """,
    other="""
    TABLE = np.loadtxt(HERE / "number.txt", ndmin=1)
    @njit
    def g(i):
        return TABLE[i]
    """,
    number_txt="{{1|2}}",
)
for what, text in {
    "Enum": "class Colour(enum.Enum):\n    RED = {{1|2}}",
    "IntEnum": "class Colour(enum.IntEnum):\n    RED = {{1|2}}",
    "IntEnum_from_a_file": "Colour = enum.IntEnum('Colour', {'RED': int((HERE / 'number.txt')"
    ".read_text())}, module=__name__)",
}.items():
    kind(
        f"member_of_{what}",
        """
        from .other import Colour
        @njit(cache=True)
        def f():
            return Colour.RED.value
        """,
        other=text,
        number_txt="{{1|2}}",
    )
kind(
    "numba_type",
    """
    from .other import T
    @njit(cache=True)
    def f(x):
        return T(x)
    def result():
        return f(300)
    """,
    other="T = {{int8|int16}}",
)
kind(
    "numpy_dtype",
    """
    from .other import T
    @njit(cache=True)
    def f():
        return np.full(1, 300).astype(T)[0]
    """,
    other="T = np.dtype(np.{{int8|int16}})",
)
for what, main, other in (
    ("attribute", "from . import other", "A = {{1|2}}"),
    ("other_module", "from . import {{other|third}} as other", "A = 1"),
    ("re_exported", "from . import other", "from .third import A"),
    (
        "getattr",
        "from . import other",
        "def __getattr__(name):\n    if name != 'A':\n        raise AttributeError\n"
        "    return {{1|2}}",
    ),
    (
        "getattr_elsewhere",
        "from . import other",
        "def __getattr__(name):\n    if name != 'A':\n        raise AttributeError\n"
        "    from .third import A\n    return A",
    ),
):
    kind(
        f"module_{what}",
        f"""
        {main}
        @njit(cache=True)
        def f():
            return other.A
        """,
        kept="getattr" not in what,
        other=other,
        third="A = {{1|2}}" if what != "other_module" else "A = 2",
    )
kind(
    "module_in_a_module",
    """
    from . import other
    @njit(cache=True)
    def f():
        return other.third.A
    """,
    other="from . import third",
    third="A = {{1|2}}",
)
kind(
    "message_of_an_error",
    """
    from .other import g
    @njit(cache=True)
    def f():
        return g()
    def result():
        try:
            return f()
        except Exception as error:
            return repr(error)
    """,
    other="""
    @njit
    def g():
        raise {{ValueError|KeyError}}("{{one|two}}")
    """,
)
kind(
    "module_by_its_full_name",
    """
    import edited.module_by_its_full_name.third
    @njit(cache=True)
    def f():
        return edited.module_by_its_full_name.third.A
    """,
    third="A = {{1|2}}",
)
kind(
    "member_as_an_argument",
    """
    from .other import Colour
    @njit(cache=True)
    def f(colour):
        return colour.value + (colour == Colour.BLUE)
    def result():
        return f(Colour.RED)
    """,
    other="class Colour(enum.IntEnum):\n    RED = 1\n    BLUE = {{2|1}}",
)
