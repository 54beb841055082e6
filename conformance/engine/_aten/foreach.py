"""torch._foreach_*: an operation on each tensor of a list (torch: native/ForeachOpsKernels.cpp).

Each loops over the operation, whose nodes the results have; in-place forms return the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.errors import wrong_type
from .operators import FUNCTIONS as OPS
from .reduction.norm import vector_norm
from .registry import ROWS
from .special.special import SPECIAL
from .type_promotion import check_list

_OF_NUMBERS = {"maximum": "clamp_min", "minimum": "clamp_max"}  # comparison with a number
Tensors = Sequence[Tensor]


def _check(name: str, tensors: Any, *lists: Any) -> None:
    if not isinstance(tensors, (list, tuple)):
        raise wrong_type(f"_foreach_{name}", "self", "tuple of Tensors", tensors, 1)
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    check_list(tensors)
    for each in lists:
        if len(each) == len(tensors):
            continue
        if not each or isinstance(each[0], Tensor):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(each)}"
            )
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")


def _operation(name: str, operand: Any, in_place: bool) -> Callable[..., Tensor]:
    if not isinstance(operand, Tensor):
        name = _OF_NUMBERS.get(name, name)
    run = OPS.get(name) or SPECIAL[name]
    if not in_place:
        return run
    return getattr(Tensor, f"{name}_", None) or (lambda self, other: self.copy_(run(self, other)))


def _unary(name: str, in_place: bool) -> Callable[..., Any]:
    run = _operation(name, None, in_place)

    def foreach(self: Tensors) -> Any:
        _check(name + "_" * in_place, self)
        result = tuple(run(each) for each in self)
        return self if in_place else result

    return foreach


def _others(name: str, tensors: Any, other: Any) -> Sequence[Any]:
    """The second operand of each: its element of a list, or the same for all."""
    if isinstance(other, (list, tuple)):
        _check(name, tensors, other)
        return other
    _check(name, tensors)
    if isinstance(other, Tensor) and other.dim():
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {other.dim()} dimensions and {other.numel()} elements."
        )
    return [other] * len(tensors)


def _binary(name: str, in_place: bool) -> Callable[..., Any]:
    def foreach(self: Any, other: Any, **options: Any) -> Any:
        if name == "pow" and not isinstance(self, (list, tuple)) and not in_place:
            return tuple(OPS["pow"](self, each) for each in other)
        pairs = zip(self, _others(name + "_" * in_place, self, other), strict=True)
        result = tuple(_operation(name, b, in_place)(a, b, **options) for a, b in pairs)
        return self if in_place else result

    return foreach


def _ternary(name: str, in_place: bool) -> Callable[..., Any]:
    run = _operation(name, None, in_place)

    def foreach(self: Tensors, tensor1: Tensors, tensor2: Tensors, *scalars: Any, value: Any = 1) -> Any:
        public = name + "_" * in_place
        _check(public, self, tensor1, tensor2)
        values = scalars[0] if scalars else value
        if isinstance(values, Tensor):
            if values.numel() != len(self):
                raise RuntimeError(
                    f"Expected length of scalars to match input of length {len(self)} but got {values.numel()} instead."
                )
            values = values.tolist()
        if not isinstance(values, (list, tuple)):
            values = [values] * len(self)
        _check(public, self, values)
        result = tuple(run(*each, value=v) for *each, v in zip(self, tensor1, tensor2, values, strict=True))
        return self if in_place else result

    return foreach


def _lerp(in_place: bool) -> Callable[..., Any]:
    run = _operation("lerp", None, in_place)

    def foreach(self: Tensors, tensors1: Tensors, weight: Any) -> Any:
        _check("lerp", self, tensors1)
        if isinstance(weight, Tensor):  # used as the number that it contains
            weight = weight.item()
        weights = _others("lerp", self, weight)
        result = tuple(run(*each) for each in zip(self, tensors1, weights, strict=True))
        return self if in_place else result

    return foreach


def _norm(self: Tensors, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    _check("norm", self)
    return tuple(vector_norm(each, ord, dtype=dtype) for each in self)


def _powsum(self: Tensors, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    _check("powsum", self)
    return tuple(each.abs().pow(ord).sum(dtype=dtype) for each in self)


def _max(self: Tensors) -> tuple[Tensor, ...]:
    _check("max", self)
    return tuple(each.max() for each in self)


def _clone(self: Tensors, *, memory_format: Any = None) -> tuple[Tensor, ...]:
    _check("clone", self)
    return tuple(each.clone() for each in self)


def _mm(self: Tensors, mat2: Tensors) -> tuple[Tensor, ...]:
    _check("mm", self, mat2)
    return tuple(a.mm(b) for a, b in zip(self, mat2, strict=True))


def _copy_(self: Tensors, src: Tensors, non_blocking: bool = False) -> Any:
    for i, each in enumerate(src):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(each).__name__}")
    _check("copy_", self, src)
    for each, other in zip(self, src, strict=True):
        each.copy_(other)
    return self


def _zero_(self: Tensors) -> Any:
    _check("zero_", self)
    for each in self:
        each.zero_()
    return self


_MAKE = {"unary": _unary, "binary": _binary, "ternary": _ternary}  # by the fact ``foreach``
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        f"_foreach_{name}{'_' * in_place}": _MAKE[row.facts.foreach](name, in_place)
        for name, row in ROWS.items()
        if row.facts.foreach is not None
        for in_place in (False, True)
    },
    "_foreach_lerp": _lerp(False), "_foreach_lerp_": _lerp(True), "_foreach_norm": _norm, "_foreach_powsum": _powsum,
    "_foreach_max": _max, "_foreach_clone": _clone, "_foreach_mm": _mm, "_foreach_copy_": _copy_,
    "_foreach_zero_": _zero_,
}  # fmt: skip

for _name, _function in FUNCTIONS.items():  # Python's texts about arguments tell them
    _function.__name__ = _function.__qualname__ = _name
