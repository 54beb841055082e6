"""Programs of the scenario language, drawn by Hypothesis.

A program is a list of statements, each a step of its own, so that one that raises does not end it. The generator
follows the shape and dtype of every name, so that most statements are legal; some are not, on purpose.
Hypothesis shrinks a diverging program by leaving statements out and by choosing earlier alternatives: what is
simplest stands first in every list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

from conformance.fuzz.phrases import (
    BACKWARD,
    BINARY,
    CASTS,
    FLAGS,
    FUNCTIONS,
    GRADS,
    HOOKS,
    IN_PLACE,
    IN_PLACE_WITH,
    INFERRED,
    MODES,
    PARTS,
    REDUCTIONS,
    UNARY,
    USES,
    VIEWS,
)  # fmt: skip

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
    inferred: list[Name] = field(default_factory=list)  # made in inference mode
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
        value = str(_one(draw, VALUES))
        if dtype == "bool":
            return "True" if value != "0." else "False"
        return str(int(float(value))) if dtype == "int64" else value
    return "[" + ", ".join(literal(draw, shape[1:], dtype) for _ in range(shape[0])) + "]"


def _tensor(draw: Callable[..., object], scope: Scope) -> None:
    shape = _one(draw, SHAPES)
    dtype = str(_one(draw, DTYPES))
    requires = dtype.startswith("float") and bool(_one(draw, (True, True, False)))
    parts = [literal(draw, shape, dtype)]
    if dtype != "float32":
        parts.append(f"dtype=torch.{dtype}")
    if requires:
        parts.append("requires_grad=True")
    name = scope.fresh()
    scope.add(f"{name} = torch.tensor({', '.join(parts)})", "leaf", dtype, name=Name(name, shape, dtype))


@cache
def _among(options: tuple[object, ...]) -> st.SearchStrategy[object]:
    return st.sampled_from(options)


def _one(draw: Callable[..., object], options: tuple[Any, ...]) -> Any:
    """One of a list that stays as it is: making the strategy takes longer than drawing from it."""
    return draw(_among(options))


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
    template = str(_one(draw, UNARY))
    _bind(scope, template.format(a=a.name), a.shape, CASTS.get(template, a.dtype), "operation")


def _binary(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    b = _mate(draw, scope, a)
    template = str(_one(draw, BINARY))
    shape = broadcasts(a.shape, b.shape)
    features = ["operation"] + (["broadcast"] if a.shape != b.shape else [])
    _bind(scope, template.format(a=a.name, b=b.name), a.shape if shape is None else shape, a.dtype, *features)


def _reduction(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(_one(draw, REDUCTIONS))
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
    template = str(_one(draw, VIEWS))
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
    template = str(_one(draw, PARTS))
    first, second = scope.fresh(), scope.fresh()
    shape = a.shape[1:] if "unbind" in template else a.shape
    scope.add(f"{first}, {second} = {template.format(a=a.name)}", "view", "several views")
    for name in (first, second):
        scope.names.append(Name(name, shape, a.dtype))


def _in_place(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(_one(draw, IN_PLACE + IN_PLACE_WITH))
    b = _mate(draw, scope, a)
    scope.add(template.format(a=a.name, b=b.name), "in place")


def _flag(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    scope.add(str(_one(draw, FLAGS)).format(a=a.name), "flag")


def _hook(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    text = str(_one(draw, HOOKS)).format(a=a.name, b=_mate(draw, scope, a).name)
    scope.add(text, "hook")


def _inferred(draw: Callable[..., object], scope: Scope) -> None:
    """What may be done with a tensor of inference mode outside of it, and what may not."""
    if not scope.inferred:
        _mode(draw, scope)
        return
    made: Name = draw(st.sampled_from(scope.inferred))  # type: ignore[assignment]
    template = str(_one(draw, INFERRED))
    text = template.format(i=made.name, a=_pick(draw, scope).name)
    scope.add(text, "inference tensor outside")


def _backward(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    template = str(_one(draw, BACKWARD))
    scope.add(template.format(a=a.name, b=_mate(draw, scope, a).name), "backward")


def _grad(draw: Callable[..., object], scope: Scope) -> None:
    a = _pick(draw, scope)
    b: Name = draw(st.sampled_from(scope.names))  # type: ignore[assignment]
    template = str(_one(draw, GRADS))
    name = scope.fresh()
    scope.add(
        f"{name}, *_ = {template.format(a=a.name, b=b.name)}", "grad", name=Name(name, b.shape, b.dtype)
    )


def _mode(draw: Callable[..., object], scope: Scope) -> None:
    """One to three statements inside a mode."""
    mode = str(_one(draw, MODES))
    inner = Scope(list(scope.names), [], [], scope.count)
    for _ in range(int(draw(st.integers(1, 3)))):  # type: ignore[call-overload]
        _one(draw, _INSIDE[:-1] if mode == "torch.inference_mode()" else _INSIDE)(draw, inner)
    body = "\n".join(f"    {line}" for each in inner.statements for line in each.text.split("\n"))
    kind = mode.partition("(")[0].rpartition(".")[2]
    features = sorted({"mode", kind, *(f for each in inner.statements for f in each.features)})
    scope.add(f"with {mode}:\n{body}", *features)
    made = [name for name in inner.names if name not in scope.names]
    if mode == "torch.inference_mode()":
        # Of what is computed from these outside, torch counts versions kernel by kernel: INFERRED is all they are for.
        scope.inferred += made
    else:
        scope.names += made
    scope.count = inner.count


def _story(draw: Callable[..., object], scope: Scope) -> None:
    """What single statements seldom come to: a non-leaf is used, changed in place, and a pass runs through it."""
    a = _pick(draw, scope)
    base = Name(scope.fresh(), a.shape, a.dtype)
    scope.add(f"{base.name} = {a.name} * 2", "operation", name=base)
    used = Name(scope.fresh(), a.shape, a.dtype)
    scope.add(f"{used.name} = {_one(draw, USES).format(a=base.name)}", "operation", name=used)
    scope.add(_one(draw, IN_PLACE).format(a=base.name), "in place")
    root = _one(draw, (used, base))
    scope.add(_one(draw, BACKWARD).format(a=root.name, b=a.name), "backward")


def _delete(draw: Callable[..., object], scope: Scope) -> None:
    if len(scope.names) < 3:
        return
    name = _pick(draw, scope)
    scope.names.remove(name)
    scope.add(f"del {name.name}", "del")


_INSIDE = (_unary, _view, _in_place, _binary, _reduction, _tensor)
_KINDS: tuple[Callable[[Callable[..., object], Scope], None], ...] = (
    _unary, _binary, _backward, _reduction, _view, _in_place, _tensor, _grad, _flag, _unary, _view, _in_place, _backward,
    _parts, _hook, _mode, _delete, _binary, _inferred, _flag, _hook, _story, _story,
)  # fmt: skip


@st.composite
def programs(draw: Callable[..., object], most: int = 14) -> Program:
    """A program of up to ``most`` statements after its first tensor."""
    scope = Scope()
    _tensor(draw, scope)
    for _ in range(int(draw(st.integers(1, most)))):  # type: ignore[call-overload]
        _one(draw, _KINDS)(draw, scope)
    return Program(tuple(scope.statements))
