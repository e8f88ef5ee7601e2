"""Callees by other decorators than njit."""

from __future__ import annotations

from kernel_edits import kind

# --- callees by other decorators ------------------------------------------------------------------

for where, text in {
    "body": """
        @vectorize
        def g(x):
            return x {{+|-}} 1
        """,
    "signature": """
        @vectorize(["{{f4(f4)|f8(f8)}}"])
        def g(x):
            return x / 3
        """,
    "constant": """
        A = {{1|2}}
        @vectorize
        def g(x):
            return x + A
        """,
    "helper": """
        from .third import helper
        @vectorize(["f8(f8)"])
        def g(x):
            return helper(x)
        """,
    "constant_from_a_file": """
        A = float((HERE / "number.txt").read_text())
        @vectorize
        def g(x):
            return x + A
        """,
}.items():
    kind(
        f"vectorize_{where}",
        """
        from .other import g
        @njit(cache=True)
        def f(x):
            return g(x)
        def result():
            return f(np.ones(1, np.float32))
        """,
        other=text,
        third="""
        @njit
        def helper(x):
            return x {{+|-}} 1
        """,
        number_txt="{{1|2}}",
    )
for where, text in {
    "body": """
        @guvectorize(["f8[:], f8[:]"], "(n)->(n)")
        def g(x, out):
            for i in range(len(x)):
                out[i] = x[i] {{+|-}} 1
        """,
    "constant": """
        A = {{1|2}}
        @guvectorize(["f8[:], f8[:]"], "(n)->(n)")
        def g(x, out):
            for i in range(len(x)):
                out[i] = x[i] + A
        """,
    "helper": """
        from .third import helper
        @guvectorize(["f8[:], f8[:]"], "(n)->(n)")
        def g(x, out):
            for i in range(len(x)):
                out[i] = helper(x[i])
        """,
    "constant_from_a_file": """
        A = float((HERE / "number.txt").read_text())
        @guvectorize(["f8[:], f8[:]"], "(n)->(n)")
        def g(x, out):
            for i in range(len(x)):
                out[i] = x[i] + A
        """,
}.items():
    kind(
        f"guvectorize_{where}",
        """
        from .other import g
        @njit(cache=True)
        def f(x, out):
            g(x, out)
        def result():
            out = np.zeros(1)
            f(np.ones(1), out)
            return out
        """,
        other=text,
        third="""
        @njit
        def helper(x):
            return x {{+|-}} 1
        """,
        number_txt="{{1|2}}",
    )
for where, text in {
    "body": """
        @stencil
        def g(a):
            return a[0] {{+|-}} a[1]
        """,
    "option": """
        @stencil(cval={{1.0|2.0}})
        def g(a):
            return a[0] + a[1]
        """,
    "constant": """
        A = {{1|2}}
        @stencil
        def g(a):
            return a[0] + A * a[1]
        """,
    "constant_from_a_file": """
        A = float((HERE / "number.txt").read_text())
        @stencil
        def g(a):
            return a[0] + A * a[1]
        """,
}.items():
    kind(
        f"stencil_{where}",
        """
        from .other import g
        @njit(cache=True)
        def f(a):
            return g(a)
        def result():
            return f(np.arange(3.0))
        """,
        other=text,
        number_txt="{{1|2}}",
    )
for where, spec, body in (
    ("method", "int64", "self.x {{+|-}} 1"),
    ("field", "{{int8|int16}}", "self.x"),
    ("constant", "int64", "self.x + A"),
    ("helper", "int64", "helper(self.x)"),
    ("constant_from_a_file", "int64", "self.x + B"),
):
    kind(
        f"jitclass_{where}",
        """
        from .other import Counter
        @njit(cache=True)
        def f(x):
            return Counter(x).get()
        def result():
            return f(300)
        """,
        other=f"""
        from .third import helper
        A = {"{{1|2}}" if where == "constant" else 1}
        B = int((HERE / "number.txt").read_text())
        @jitclass([("x", {spec})])
        class Counter:
            def __init__(self, x):
                self.x = x
            def get(self):
                return {body}
        """,
        third="""
        @njit
        def helper(x):
            return x {{+|-}} 1
        """
        if where == "helper"
        else "def helper(x): pass",
        number_txt="{{1|2}}" if where == "constant_from_a_file" else "1",
    )
kind(
    "jitclass_as_an_argument",
    """
    from .other import Counter
    @njit(cache=True)
    def f(counter):
        return counter.get()
    def result():
        return f(Counter(5))
    """,
    kept=False,  # numba names the class by its address
    other="""
    @jitclass([("x", int64)])
    class Counter:
        def __init__(self, x):
            self.x = x
        def get(self):
            return self.x {{+|-}} 1
    """,
)
kind(
    "intrinsic_body",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(5)
    """,
    other="""
    @intrinsic
    def g(typing, x):
        def generate(context, builder, signature, args):
            return builder.{{add|sub}}(args[0], args[0])
        return x(x), generate
    """,
)
kind(
    "intrinsic_constant",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(5)
    """,
    other="""
    from .third import A
    @intrinsic
    def g(typing, x):
        def generate(context, builder, signature, args):
            return builder.add(args[0], context.get_constant(x, A))
        return x(x), generate
    """,
    third="A = {{1|2}}",
)
kind(
    "low_level_typing_and_lowering",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(5)
    """,
    other="""
    def g(x): pass
    @type_callable(g)
    def type_g(context):
        return lambda x: x
    @lower_builtin(g, types.Integer)
    def lower_g(context, builder, signature, args):
        return builder.{{add|mul}}(args[0], args[0])
    """,
)
kind(
    "cfunc_body",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(5)
    """,
    kept=False,  # its address is in the code
    other="""
    @cfunc("i8(i8)")
    def g(x):
        return x {{+|-}} 1
    """,
)
kind(
    "vectorize_with_numbas_cache",
    """
    from .other import g
    @njit(cache=True)
    def f(x):
        return g(x)
    def result():
        return f(np.ones(1))
    """,
    other="""
    from .third import A
    @vectorize(["f8(f8)"], cache=True)
    def g(x):
        return x + A
    """,
    third="A = {{1|2}}",
)
kind(
    "guvectorize_with_numbas_cache",
    """
    from .other import g
    @njit(cache=True)
    def f(x, out):
        g(x, out)
    def result():
        out = np.zeros(1)
        f(np.ones(1), out)
        return out
    """,
    other="""
    from .third import A
    @guvectorize(["f8[:], f8[:]"], "(n)->(n)", cache=True)
    def g(x, out):
        for i in range(len(x)):
            out[i] = x[i] + A
    """,
    third="A = {{1|2}}",
)
