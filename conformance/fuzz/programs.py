"""Programs of the scenario language, drawn by Hypothesis.

A program is a list of statements, each a step of its own, so that one that raises does not end it. The generator
follows the shape and dtype of every name, so that most statements are legal; some are not, on purpose.
Hypothesis shrinks a diverging program by leaving statements out and by choosing earlier alternatives: what is
simplest stands first in every list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

Shape = tuple[int, ...]

SHAPES: tuple[Shape, ...] = ((2,), (), (2, 2), (1,), (3,), (1, 2), (2, 1), (2, 3), (3, 2), (0,))
DTYPES = ("float32", "float32", "float32", "float64", "float16", "float32", "int64", "bool")
VALUES = ("1.", "2.", "3.", "-1.", "0.5", "0.", "-2.", "4.")


@dataclass(frozen=True)
class Name:
    """A live tensor, as far as the generator follows it."""

    name: str
    shape: Shape
    dtype: str

    @property
    def floating(self) -> bool:
        """Whether it may require grad."""
        return self.dtype.startswith("float")


@dataclass(frozen=True)
class Statement:
    """One statement and what it is an example of."""

    text: str
    features: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """Statements in order."""

    statements: tuple[Statement, ...]

    @property
    def features(self) -> frozenset[str]:
        """What the program has in it."""
        found = frozenset(each for statement in self.statements for each in statement.features)
        passes = sum("backward" in statement.features for statement in self.statements)
        return found | ({"second backward"} if passes > 1 else frozenset())

    def __str__(self) -> str:
        return "\n".join(statement.text for statement in self.statements)


@dataclass
class Scope:
    """What has been written so far: the one thing here that changes."""

    names: list[Name] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    count: int = 0

    def fresh(self) -> str:
        """A name not used yet: a, b, ... z, then a1, ..."""
        number = self.count
        self.count += 1
        letter = "abcdefghijklmnopqrstuvwxyz"[number % 26]
        return letter if number < 26 else f"{letter}{number // 26}"

    def add(self, text: str, *features: str, name: Name | None = None) -> None:
        """A statement, and the name that it binds."""
        self.statements.append(Statement(text, features))
        if name is not None:
            self.names.append(name)


Draw = Callable[..., object]

# Operations: template, result's shape (same, scalar, or a function), features ---------------------

UNARY = (
    "{a} * 2", "{a} + 1", "-{a}", "{a} * {a}", "{a}.clone()", "{a} / 2", "{a} ** 2", "{a}.exp()", "{a}.relu()",
    "{a}.sigmoid()", "{a}.tanh()", "{a}.abs()", "{a} - 3", "1 - {a}", "2 / {a}", "{a}.sin()", "{a}.cos()",
    "{a}.clamp(0, 2)", "{a} ** 3", "{a}.square()", "{a}.detach()", "{a}.data", "{a}.contiguous()",
    "{a}.cumsum(-1)", "{a}.softmax(-1)", "{a}.flip(-1)", "torch.zeros_like({a})", "torch.ones_like({a})",
    "torch.where({a} > 1, {a}, {a} * 3)", "{a}.masked_fill({a} > 1, 0.)", "{a}.double()", "{a}.float()",
    "{a}.half()", "{a}.neg()", "F.leaky_relu({a})", "{a}.log_softmax(-1)", "{a}.detach().requires_grad_()",
    "Square.apply({a})", "Same.apply({a})", "torch.maximum({a}, {a} * 0)", "{a}.add(1, alpha=2)", "{a} > 1",
    "{a}.sqrt()", "{a}.log()", "{a} % 2", "{a}.roll(1)", "{a}.nan_to_num()",
)  # fmt: skip
CASTS = {"{a}.double()": "float64", "{a}.float()": "float32", "{a}.half()": "float16", "{a} > 1": "bool"}
BINARY = (
    "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / {b}", "torch.maximum({a}, {b})", "torch.where({a} > {b}, {a}, {b})",
    "torch.minimum({a}, {b})", "{a}.lerp({b}, 0.5)", "{a}.addcmul({b}, {b})", "torch.add({a}, {b}, alpha=2)",
    "{a} ** {b}", "F.mse_loss({a}, {b}, reduction='none')", "{a} == {b}", "torch.hypot({a}, {b})",
)  # fmt: skip
REDUCTIONS = (
    "{a}.sum()", "{a}.mean()", "{a}.sum(0)", "{a}.mean(-1)", "{a}.prod()", "{a}.max()", "{a}.min()", "{a}.norm()",
    "{a}.sum(-1, keepdim=True)", "{a}.amax()", "{a}.std()", "{a}.var(0)", "{a}.logsumexp(-1)", "{a}.max(0).values",
)  # fmt: skip
VIEWS = (
    "{a}[0]", "{a}.view(-1)", "{a}[0:1]", "{a}.unsqueeze(0)", "{a}.t()", "{a}[...]", "{a}.reshape(-1)", "{a}[None]",
    "{a}.squeeze()", "{a}.expand_as({a})", "{a}.transpose(0, -1)", "{a}[:, 0]", "{a}[1:]", "{a}.view_as({a})",
    "{a}.flatten()", "{a}.narrow(0, 0, 1)", "{a}.diagonal()", "{a}[::2]", "{a}.select(0, 0)",
    "{a}.expand(2, *{a}.shape)", "{a}.permute(tuple(range({a}.dim())))", "{a}.detach()[0]", "{a}.T", "Viewed.apply({a})",
)  # fmt: skip
PARTS = ("{a}.unbind()", "{a}.split(1)", "{a}.chunk(2)", "{a}.tensor_split(2)", "Two.apply({a})")
IN_PLACE = (
    "{a}.mul_(2)", "{a}.add_(1)", "{a}.zero_()", "{a} += 1", "{a} *= 2", "{a}.fill_(3)", "{a}.copy_({a} * 2)",
    "{a}.sigmoid_()", "{a}.relu_()", "{a}.exp_()", "{a}[0] = 2.", "{a}[0].mul_(3)", "{a}.clamp_(0, 1)", "{a}.neg_()",
    "{a}.data.mul_(2)", "{a}.detach().add_(1)", "{a}[{a} > 1] = 0.", "{a}.sub_(1)", "{a}.div_(2)", "{a}.tanh_()",
    "{a}[0:1] *= 2", "{a}.view(-1).mul_(2)", "{a}.masked_fill_({a} > 1, 2.)", "{a} -= {a}", "Scaled.apply({a})",
    "{a}.t_()", "{a}.unsqueeze_(0)", "{a}.pow_(2)", "{a}.detach_()", "{a}.requires_grad_(False)",
)  # fmt: skip
IN_PLACE_WITH = (
    "{a}.mul_({b})", "{a}.add_({b})", "{a}.copy_({b})", "{a} += {b}", "{a}[0] = {b}", "{a}[0:1] = {b}", "{a}.data = {b}",
    "{a}.lerp_({b}, 0.5)", "{a}.sub_({b}, alpha=2)", "{a}.div_({b})", "{a}.addcmul_({b}, {b})", "{a}.set_({b})",
)  # fmt: skip
FLAGS = (
    "{a}.retain_grad()", "{a}.requires_grad_()", "{a}.requires_grad = True", "{a}.requires_grad = False",
    "{a}.requires_grad_(False)", "{a}.detach_()", "{a}.grad = None", "{a}.grad.zero_()", "{a}.grad = torch.ones_like({a})",
    "{a}.grad.add_(1)", "del {a}.grad", "{a}.grad = {a}.grad * 2",
)  # fmt: skip
HOOKS = (
    "{a}.register_hook(lambda g: g * 2)", "{a}.register_hook(lambda g: None)",
    "{a}.register_hook(lambda g: seen.append(g.clone()))", "{a}.register_post_accumulate_grad_hook(lambda t: None)",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2))",
    "{a}.grad_fn.register_hook(lambda i, o: None)", "{a}.grad_fn.register_prehook(lambda o: tuple(g * 3 for g in o))",
    "h = {a}.register_hook(lambda g: g + 1); h.remove()",
)  # fmt: skip
BACKWARD = (
    "{a}.sum().backward()", "{a}.backward()", "{a}.backward(torch.ones_like({a}))",
    "{a}.sum().backward(retain_graph=True)", "{a}.backward(torch.ones_like({a}), retain_graph=True)",
    "({a} * {a}).sum().backward()", "{a}.sum().backward(create_graph=True)", "{a}.sum().backward(inputs=[{b}])",
    "torch.autograd.backward([{a}.sum(), {b}.sum()])", "({a} * {b}).sum().backward(retain_graph=True)",
    "{a}.backward(torch.ones_like({a}), inputs=[{b}], retain_graph=True)",
)  # fmt: skip
GRADS = (
    "torch.autograd.grad({a}.sum(), {b})", "torch.autograd.grad({a}.sum(), {b}, retain_graph=True)",
    "torch.autograd.grad({a}.sum(), {b}, create_graph=True)", "torch.autograd.grad({a}.sum(), {b}, allow_unused=True)",
    "torch.autograd.grad({a}, {b}, torch.ones_like({a}), create_graph=True, allow_unused=True)",
    "torch.autograd.grad({a}.sum(), [{a}, {b}], allow_unused=True, retain_graph=True)",
    "torch.autograd.grad({a}.sum(), {b}, materialize_grads=True)",
)  # fmt: skip
# Not inference_mode: outside of it torch counts versions of what comes from its tensors kernel by kernel.
MODES = (
    "torch.no_grad()",
    "torch.enable_grad()",
    "torch.set_grad_enabled(False)",
    "torch.set_grad_enabled(True)",
)

FUNCTIONS = {
    "Square": """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x""",
    "Same": """\
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3""",
    "Viewed": """\
class Viewed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)
    @staticmethod
    def backward(ctx, g):
        return g.clone()""",
    "Scaled": """\
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2""",
    "Two": """\
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x > 0
        ctx.mark_non_differentiable(y)
        return x + 1, y
    @staticmethod
    def backward(ctx, g, h):
        return g""",
}


def prelude(program: Program) -> str:
    """What a program needs before its first statement: the Functions and the list that it uses."""
    text = str(program)
    parts = ["seen = []"] if "seen" in text else []
    parts += [source for name, source in FUNCTIONS.items() if f"{name}.apply" in text]
    return "\n".join(parts)


# Drawing ------------------------------------------------------------------------------------------


def broadcasts(a: Shape, b: Shape) -> Shape | None:
    """The shape to which two broadcast; None where they do not."""
    length = max(len(a), len(b))
    padded = [(1,) * (length - len(each)) + each for each in (a, b)]
    if any(m != n and 1 not in (m, n) for m, n in zip(*padded, strict=True)):
        return None
    return tuple(n if m == 1 else m for m, n in zip(*padded, strict=True))


def literal(draw: Callable[..., object], shape: Shape, dtype: str) -> str:
    """Nested lists of small numbers."""
    if not shape:
        value = str(draw(st.sampled_from(VALUES)))
        if dtype == "bool":
            return "True" if value != "0." else "False"
        return str(int(float(value))) if dtype == "int64" else value
    return "[" + ", ".join(literal(draw, shape[1:], dtype) for _ in range(shape[0])) + "]"


def _tensor(draw: Callable[..., object], scope: Scope) -> None:
    shape = draw(st.sampled_from(SHAPES))
    dtype = str(draw(st.sampled_from(DTYPES)))
    requires = dtype.startswith("float") and bool(draw(st.sampled_from((True, True, False))))
    parts = [literal(draw, shape, dtype)]  # type: ignore[arg-type]
    if dtype != "float32":
        parts.append(f"dtype=torch.{dtype}")
    if requires:
        parts.append("requires_grad=True")
    name = scope.fresh()
    scope.add(f"{name} = torch.tensor({', '.join(parts)})", "leaf", dtype, name=Name(name, shape, dtype))  # type: ignore[arg-type]


def _pick(draw: Callable[..., object], scope: Scope) -> Name:
    """A live name, recent ones more often."""
    recent = list(reversed(scope.names))
    chosen: Name = draw(st.sampled_from(recent[:4] + recent))  # type: ignore[assignment]
    return chosen


def _mate(draw: Callable[..., object], scope: Scope, a: Name) -> Name:
    """A second operand: one that broadcasts where there is one."""
    fitting = [each for each in scope.names if broadcasts(a.shape, each.shape) is not None]
    chosen: Name = draw(st.sampled_from(fitting or scope.names))  # type: ignore[assignment]
    return chosen


def _bind(scope: Scope, text: str, shape: Shape, dtype: str, *features: str) -> None:
    name = scope.fresh()
    scope.add(f"{name} = {text}", *features, name=Name(name, shape, dtype))


def _unary(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(draw(st.sampled_from(UNARY)))
    _bind(scope, template.format(a=a.name), a.shape, CASTS.get(template, a.dtype), "operation")


def _binary(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    b = _mate(draw, scope, a)
    template = str(draw(st.sampled_from(BINARY)))
    shape = broadcasts(a.shape, b.shape)
    features = ["operation"] + (["broadcast"] if a.shape != b.shape else [])
    _bind(scope, template.format(a=a.name, b=b.name), a.shape if shape is None else shape, a.dtype, *features)


def _reduction(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(draw(st.sampled_from(REDUCTIONS)))
    if "keepdim" in template:
        shape = (*a.shape[:-1], 1) if a.shape else ()
    elif "(0)" in template:
        shape = a.shape[1:]
    elif "(-1)" in template:
        shape = a.shape[:-1]
    else:
        shape = ()
    _bind(scope, template.format(a=a.name), shape, a.dtype, "reduction")


def _view(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(draw(st.sampled_from(VIEWS)))
    size = 1
    for n in a.shape:
        size *= n
    shapes: dict[str, Shape] = {
        "{a}[0]": a.shape[1:], "{a}.view(-1)": (size,), "{a}[0:1]": (1, *a.shape[1:]), "{a}.unsqueeze(0)": (1, *a.shape),
        "{a}.t()": a.shape[::-1], "{a}.reshape(-1)": (size,), "{a}[None]": (1, *a.shape),
        "{a}.squeeze()": tuple(n for n in a.shape if n != 1), "{a}[:, 0]": a.shape[:1], "{a}.flatten()": (size,),
        "{a}[1:]": (max(a.shape[0] - 1, 0), *a.shape[1:]) if a.shape else (), "{a}.select(0, 0)": a.shape[1:],
        "{a}.transpose(0, -1)": a.shape[::-1], "{a}.narrow(0, 0, 1)": (1, *a.shape[1:]), "{a}.T": a.shape[::-1],
        "{a}.expand(2, *{a}.shape)": (2, *a.shape), "{a}.detach()[0]": a.shape[1:], "Viewed.apply({a})": (size,),
    }  # fmt: skip
    _bind(scope, template.format(a=a.name), shapes.get(template, a.shape), a.dtype, "view")


def _parts(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(draw(st.sampled_from(PARTS)))
    first, second = scope.fresh(), scope.fresh()
    shape = a.shape[1:] if "unbind" in template else a.shape
    scope.add(f"{first}, {second} = {template.format(a=a.name)}", "view", "several views")
    for name in (first, second):
        scope.names.append(Name(name, shape, a.dtype))


def _in_place(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(draw(st.sampled_from(IN_PLACE + IN_PLACE_WITH)))
    b = _mate(draw, scope, a)
    scope.add(template.format(a=a.name, b=b.name), "in place")


def _flag(draw: Callable[..., object], scope: Scope) -> None:
    scope.add(str(draw(st.sampled_from(FLAGS))).format(a=_pick(draw, scope).name), "flag")


def _hook(draw: Callable[..., object], scope: Scope) -> None:
    text = str(draw(st.sampled_from(HOOKS))).format(a=_pick(draw, scope).name)
    scope.add(text, "hook")


def _backward(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(draw(st.sampled_from(BACKWARD)))
    scope.add(template.format(a=a.name, b=_mate(draw, scope, a).name), "backward")


def _grad(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    b: Name = draw(st.sampled_from(scope.names))  # type: ignore[assignment]
    template = str(draw(st.sampled_from(GRADS)))
    name = scope.fresh()
    scope.add(
        f"{name}, *_ = {template.format(a=a.name, b=b.name)}", "grad", name=Name(name, b.shape, b.dtype)
    )


def _mode(draw: Callable[..., object], scope: Scope) -> None:
    """One to three statements inside a mode."""
    mode = str(draw(st.sampled_from(MODES)))
    inner = Scope(list(scope.names), [], scope.count)
    for _ in range(int(draw(st.integers(1, 3)))):  # type: ignore[call-overload]
        draw(st.sampled_from((_unary, _view, _in_place, _binary, _reduction, _tensor)))(draw, inner)  # type: ignore[operator]
    body = "\n".join(f"    {line}" for each in inner.statements for line in each.text.split("\n"))
    features = sorted({"mode", *(f for each in inner.statements for f in each.features)})
    scope.add(f"with {mode}:\n{body}", *features)
    scope.names, scope.count = inner.names, inner.count


def _delete(draw: Callable[..., object], scope: Scope) -> None:
    if len(scope.names) < 3:
        return
    name = _pick(draw, scope)
    scope.names.remove(name)
    scope.add(f"del {name.name}", "del")


_KINDS: tuple[Callable[[Callable[..., object], Scope], None], ...] = (
    _unary, _binary, _backward, _reduction, _view, _in_place, _tensor, _grad, _flag, _unary, _view, _in_place, _backward,
    _parts, _hook, _mode, _delete, _binary,
)  # fmt: skip


@st.composite
def programs(draw: Callable[..., object], most: int = 14) -> Program:
    """A program of up to ``most`` statements after its first tensor."""
    scope = Scope()
    _tensor(draw, scope)
    for _ in range(int(draw(st.integers(1, most)))):  # type: ignore[call-overload]
        draw(st.sampled_from(_KINDS))(draw, scope)  # type: ignore[operator]
    return Program(tuple(scope.statements))
