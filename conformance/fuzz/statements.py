"""Draw one statement of each kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

from hypothesis import strategies as st

from conformance.fuzz.complex_phrases import COMPLEX_VALUES, OF_COMPLEX, dtype_of
from conformance.fuzz.phrases import (
    APPLIED,
    BACKWARD,
    BINARY,
    CASTS,
    CONSTANTS,
    FLAGS,
    GRADS,
    HOOKS,
    IN_PLACE,
    IN_PLACE_WITH,
    PARTS,
    READS,
    REDUCTIONS,
    SWITCHES,
    UNARY,
    VIEWS,
)  # fmt: skip
from conformance.fuzz.scope import LiveTensor, Scope, Shape, broadcasts

Draw: TypeAlias = Callable[..., Any]

SHAPES: tuple[Shape, ...] = ((2,), (), (2, 2), (1,), (3,), (1, 2), (2, 1), (2, 3), (3, 2), (0,))
_REAL = ("float32", "float32", "float32", "float64", "float16", "bfloat16", "float32", "int64", "bool")
DTYPES = (*_REAL, "complex64", "complex128")
_DIFFERENTIABLE = ("float", "bfloat", "complex")
VALUES = ("1.", "2.", "3.", "-1.", "0.5", "0.", "-2.", "4.")


def literal(draw: Draw, shape: Shape, dtype: str) -> str:
    """Nested lists of small numbers."""
    if not shape:
        if dtype.startswith("complex"):
            return str(one(draw, COMPLEX_VALUES))
        value = str(one(draw, VALUES))
        if dtype == "bool":
            return "True" if value != "0." else "False"
        return str(int(float(value))) if dtype == "int64" else value
    return "[" + ", ".join(literal(draw, shape[1:], dtype) for _ in range(shape[0])) + "]"


def tensor(draw: Draw, scope: Scope) -> None:
    """A new leaf or constant."""
    dtype = str(one(draw, DTYPES))
    shape = one(draw, SHAPES[:-1] if dtype.startswith("complex") else SHAPES)
    requires = dtype.startswith(_DIFFERENTIABLE) and bool(one(draw, (True, True, False)))
    parts = [literal(draw, shape, dtype)]
    if dtype != "float32":
        parts.append(f"dtype=torch.{dtype}")
    if requires:
        parts.append("requires_grad=True")
    made = LiveTensor(scope.fresh(), shape, dtype, requires, leaf=True)
    scope.add(f"{made.name} = torch.tensor({', '.join(parts)})", name=made)


@cache
def _among(options: tuple[object, ...]) -> st.SearchStrategy[object]:
    return st.sampled_from(options)


def one(draw: Draw, options: tuple[Any, ...]) -> Any:
    """An element of a constant list, without the cost of creating a strategy."""
    return draw(_among(options))


def said(draw: Draw, table: tuple[str, ...], *of: LiveTensor) -> str:
    """A template; one for complex tensors if a tensor is complex."""
    if any(each.complex for each in of):
        table = OF_COMPLEX.get(table, table)
    return str(one(draw, table))


def pick(draw: Draw, scope: Scope) -> LiveTensor:
    """A live name, recent ones more often."""
    recent = list(reversed(scope.names))
    chosen: LiveTensor = draw(st.sampled_from(recent[:4] + recent))
    return chosen


def source(draw: Draw, scope: Scope) -> LiveTensor:
    """A live name, usually one that requires grad."""
    flowing = [each for each in reversed(scope.names) if each.flows]
    if not flowing or one(draw, (False,) * 7 + (True,)):
        return pick(draw, scope)
    chosen: LiveTensor = draw(st.sampled_from(flowing[:4] + flowing))
    return chosen


def mate(draw: Draw, scope: Scope, a: LiveTensor) -> LiveTensor:
    """A second operand, if possible one that broadcasts."""
    fitting = [each for each in scope.names if broadcasts(a.shape, each.shape) is not None]
    chosen: LiveTensor = draw(st.sampled_from(fitting or scope.names))
    return chosen


def bind(scope: Scope, text: str, like: LiveTensor) -> LiveTensor:
    """A statement that binds its result to a new name."""
    name = replace(like, name=scope.fresh(), leaf=False)
    scope.add(f"{name.name} = {text}", name=name)
    return name


def unary(draw: Draw, scope: Scope) -> None:
    """An operation on one tensor."""
    a = pick(draw, scope)
    template = said(draw, UNARY, a)
    dtype = CASTS.get(template) or (dtype_of(template, a.dtype) if a.complex else a.dtype)
    made = replace(
        a, dtype=dtype, flows=a.flows and dtype.startswith(_DIFFERENTIABLE) and template not in CONSTANTS
    )
    bind(scope, template.format(a=a.name), made)


def binary(draw: Draw, scope: Scope) -> None:
    """An operation on two tensors."""
    a = pick(draw, scope)
    b = mate(draw, scope, a)
    template = said(draw, BINARY, a, b)
    shape = broadcasts(a.shape, b.shape)
    made = replace(a, shape=a.shape if shape is None else shape, flows=a.flows or b.flows)
    if b.complex:
        made = replace(made, dtype=b.dtype)
    bind(scope, template.format(a=a.name, b=b.name), made)


def function(draw: Draw, scope: Scope) -> None:
    """Apply a custom Function."""
    a = source(draw, scope)
    template = str(one(draw, APPLIED))
    made = replace(a, flows=a.flows and template not in CONSTANTS)
    bind(scope, template.format(a=a.name, b=mate(draw, scope, a).name), made)


def reduction(draw: Draw, scope: Scope) -> None:
    """A reduction."""
    a = pick(draw, scope)
    template = said(draw, REDUCTIONS, a)
    if "keepdim" in template:
        shape = (*a.shape[:-1], 1) if a.shape else ()
    elif "(0)" in template:
        shape = a.shape[1:]
    elif "(-1)" in template:
        shape = a.shape[:-1]
    else:
        shape = ()
    dtype = dtype_of(template, a.dtype) if a.complex else a.dtype
    bind(scope, template.format(a=a.name), replace(a, shape=shape, dtype=dtype))


def view(draw: Draw, scope: Scope) -> None:
    """A view, or a possible view."""
    a = pick(draw, scope)
    template = said(draw, VIEWS, a)
    size = 1
    for n in a.shape:
        size *= n
    shapes: dict[str, Shape] = {
        "{a}[0]": a.shape[1:], "{a}.view(-1)": (size,), "{a}[0:1]": (1, *a.shape[1:]),
        "{a}.unsqueeze(0)": (1, *a.shape), "{a}.unsqueeze(-1)": (*a.shape, 1), "{a}[..., 0]": a.shape[:-1],
        "{a}[-1, ...]": a.shape[1:], "{a}.unbind()[0]": a.shape[1:], "{a}.split(1)[0]": (1, *a.shape[1:]),
        "{a}.broadcast_to(2, *{a}.shape)": (2, *a.shape), "{a}.ravel()": (size,),
        "{a}.movedim(0, -1)": (*a.shape[1:], *a.shape[:1]),
        "{a}.squeeze(0)": a.shape[1:] if a.shape[:1] == (1,) else a.shape, "{a}.mT": a.shape[::-1],
        "{a}.as_strided((1,), (1,))": (1,), "{a}.unfold(0, 1, 1)": (*a.shape, 1),
        "{a}.t()": a.shape[::-1], "{a}.reshape(-1)": (size,), "{a}[None]": (1, *a.shape),
        "{a}.squeeze()": tuple(n for n in a.shape if n != 1), "{a}[:, 0]": a.shape[:1], "{a}.flatten()": (size,),
        "{a}[1:]": (max(a.shape[0] - 1, 0), *a.shape[1:]) if a.shape else (), "{a}.select(0, 0)": a.shape[1:],
        "{a}.transpose(0, -1)": a.shape[::-1], "{a}.narrow(0, 0, 1)": (1, *a.shape[1:]), "{a}.T": a.shape[::-1],
        "{a}.expand(2, *{a}.shape)": (2, *a.shape), "{a}.detach()[0]": a.shape[1:], "Viewed.apply({a})": (size,),
        "torch.view_as_real({a})": (*a.shape, 2), "{a}.mH": a.shape[::-1], "{a}.H": a.shape[::-1],
        "{a}.adjoint()": a.shape[::-1], "{a}.conj().t()": a.shape[::-1], "{a}.conj().view(-1)": (size,),
        "{a}.view(-1).conj()": (size,), "{a}[0].imag": a.shape[1:],
    }  # fmt: skip
    dtype = dtype_of(template, a.dtype) if a.complex else a.dtype
    made = replace(a, shape=shapes.get(template, a.shape), dtype=dtype)
    bind(scope, template.format(a=a.name), made)


def parts(draw: Draw, scope: Scope) -> None:
    """Two names for several results."""
    a = pick(draw, scope)
    template = said(draw, PARTS, a)
    first, second = scope.fresh(), scope.fresh()
    shape = a.shape[1:] if "unbind" in template else a.shape
    scope.add(f"{first}, {second} = {template.format(a=a.name)}")
    for name in (first, second):
        scope.names.append(replace(a, name=name, shape=shape, leaf=False))


def in_place(draw: Draw, scope: Scope) -> None:
    """A change in place."""
    a = pick(draw, scope)
    b = mate(draw, scope, a)
    template = said(draw, one(draw, (IN_PLACE, IN_PLACE, IN_PLACE, IN_PLACE_WITH)), a)
    if ".data = " in template and a.complex is not b.complex:  # what is saved then fits no graph
        b = a
    scope.add(template.format(a=a.name, b=b.name))


def flag(draw: Draw, scope: Scope) -> None:
    """A flag or a grad is set."""
    a = source(draw, scope)
    scope.add(str(one(draw, FLAGS)).format(a=a.name))


def hook(draw: Draw, scope: Scope) -> None:
    """A hook is registered or removed."""
    a = source(draw, scope)
    template = said(draw, HOOKS, a)
    leaves = [each for each in scope.names if each.leaf and each.flows]
    if leaves and "post_accumulate" in template:
        a = draw(st.sampled_from(leaves))
    scope.add(template.format(a=a.name, b=mate(draw, scope, a).name))


def backward(draw: Draw, scope: Scope) -> None:
    """A backward pass."""
    a = source(draw, scope)
    template = said(draw, BACKWARD, a)
    scope.add(template.format(a=a.name, b=mate(draw, scope, a).name))


def grad(draw: Draw, scope: Scope) -> None:
    """A call of autograd.grad."""
    a = source(draw, scope)
    b = source(draw, scope)
    template = said(draw, GRADS, a)
    name = scope.fresh()
    scope.add(f"{name}, *_ = {template.format(a=a.name, b=b.name)}", name=replace(b, name=name, leaf=False))


def read(draw: Draw, scope: Scope) -> None:
    """Print or read a property."""
    a = pick(draw, scope)
    scope.add(said(draw, READS, a).format(a=a.name, b=mate(draw, scope, a).name))


def switch(draw: Draw, scope: Scope) -> None:
    """Grad mode for all that follows."""
    scope.add(str(one(draw, SWITCHES)))


def delete(draw: Draw, scope: Scope) -> None:
    """Delete a name."""
    if len(scope.names) < 3:
        return
    name = pick(draw, scope)
    scope.names.remove(name)
    scope.add(f"del {name.name}")
