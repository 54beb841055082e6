"""The custom Functions of random programs: legal ones, and some whose backward raises."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class _Methods:
    """The bodies of a Function's two methods, and their parameters after ``ctx``."""

    forward: str
    backward: str
    takes: str = "x"
    given: str = "g"
    decorator: str = ""  # of backward


def _written(name: str, methods: _Methods) -> str:
    """The source of a Function."""
    lines = [
        f"class {name}(torch.autograd.Function):",
        "    @staticmethod",
        f"    def forward(ctx, {methods.takes}):",
        *(f"        {line}" for line in methods.forward.split("\n")),
        "    @staticmethod",
        *([f"    @{methods.decorator}"] if methods.decorator else []),
        f"    def backward(ctx, {methods.given}):",
        *(f"        {line}" for line in methods.backward.split("\n")),
    ]
    return "\n".join(lines)


_SETUP = """\
class Setup(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]"""

_BOTH_OF_TWO = """\
x, y = ctx.saved_tensors
return g * y if ctx.needs_input_grad[0] else None, g * x if ctx.needs_input_grad[1] else None"""

_A_PASS_OF_ITS_OWN = """\
with torch.enable_grad():
    x = ctx.saved_tensors[0].detach().requires_grad_()
    (x * x * g).sum().backward()
return x.grad"""

_METHODS = {
    "Square": _Methods("ctx.save_for_backward(x)\nreturn x * x", "x, = ctx.saved_tensors\nreturn g * 2 * x"),
    "Same": _Methods("return x", "return g * 3"),
    "Viewed": _Methods("return x.view(-1)", "return g.clone()"),
    "Scaled": _Methods("ctx.mark_dirty(x)\nreturn x.mul_(2)", "return g * 2"),
    "Two": _Methods("y = x > 0\nctx.mark_non_differentiable(y)\nreturn x + 1, y", "return g", given="g, h"),
    "Some": _Methods(
        "y = x * 3\nctx.mark_non_differentiable(y)\nreturn x * 2, y", "return g * 2", given="g, h"
    ),
    "Result": _Methods(
        "y = x.exp()\nctx.save_for_backward(y)\nreturn y",
        "y, = ctx.saved_tensors\nreturn g * y",
    ),
    "Once": _Methods("return x * 2", "return g * 2", decorator="torch.autograd.function.once_differentiable"),
    "Times": _Methods("ctx.save_for_backward(x, y)\nreturn x * y", _BOTH_OF_TWO, "x, y"),
    "Unmade": _Methods(
        "ctx.set_materialize_grads(False)\nreturn x * 2, x * 3",
        "return h if g is None else g if h is None else g + h",
        given="g, h",
    ),
    "Pair": _Methods("return x * 2, x * 3", "return g * 2 + h * 3", given="g, h"),
    "Both": _Methods("return x, x * 2", "return g + h", given="g, h"),
    "Told": _Methods(
        "print(ctx.needs_input_grad, torch.is_grad_enabled(), x.requires_grad)\nreturn x + y",
        "print(ctx.needs_input_grad, torch.is_grad_enabled(), g.requires_grad)\nreturn g * 2, g * 3",
        "x, y",
    ),
    "Named": _Methods(
        "ctx.scale = scale\nreturn x * scale + shift",
        "return g * ctx.scale, None, None",
        "x, scale=2, shift=0",
    ),
    "Inner": _Methods("ctx.save_for_backward(x)\nreturn x * x", _A_PASS_OF_ITS_OWN),
    "Few": _Methods("return x + y", "return g", "x, y"),
    "More": _Methods("return x * 2", "return g * 2, None, None"),
    "Number": _Methods("return x * 2", "return 1.0"),
    "Nothing": _Methods("return x * 2", "return None"),
    "Given": _Methods("return x * n", "return g * 2, g", "x, n"),
    "Wide": _Methods("return x + y", "return g, torch.ones(5)", "x, y"),
    "Unreturned": _Methods("ctx.mark_dirty(x)\nreturn x.mul_(2) * 1", "return g * 2"),
    "Outside": _Methods("y = x * 2\nctx.mark_dirty(y)\nreturn y", "return g * 2"),
    "Whole": _Methods("return torch.zeros_like(x, dtype=torch.int64)", "return torch.zeros_like(g)"),
    "Dropped": _Methods("ctx.mark_dirty(x)\nreturn x.mul_(2)", "return None"),
}

FUNCTIONS = {name: _written(name, methods) for name, methods in _METHODS.items()} | {"Setup": _SETUP}
