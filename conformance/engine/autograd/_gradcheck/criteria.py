"""The settings of a gradcheck, its tolerance and its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._aten.sparse.sparse_array import filled
from ..._autograd.tensor import Tensor, make
from ..._c10.layout import LAYOUTS
from .complex import Part
from .jacobians import Tensors, as_tuple


class GradcheckError(RuntimeError):
    """The derivatives of a function are wrong."""

    __module__ = "torch.autograd.gradcheck"


@dataclass(frozen=True, slots=True)
class Check:
    """The settings of one gradcheck."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    undefined: bool
    backward: bool
    forward: bool
    batched: bool
    batched_forward: bool
    masked: bool = False  # whether only the specified elements of sparse inputs are perturbed
    part: Part | None = None  # for complex functions

    def moved(self, points: Tensors) -> Tensors:
        """The points that finite differences perturb."""
        if not LAYOUTS or self.masked:
            return points
        return tuple(
            _filled(each) if isinstance(each, Tensor) and each.is_sparse else each for each in points
        )


def _filled(point: Tensor) -> Tensor:
    return make(filled(point._array)).requires_grad_(point.requires_grad)


def differentiable(value: Any) -> Tensors:
    return tuple(each for each in as_tuple(value) if each.requires_grad)


def close(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    """torch.allclose after type promotion, by NumPy."""
    first, second = a._array, b._array
    close = abs(first - second) <= atol + rtol * abs(second)
    return bool(((first == second) | close).all())


def mismatch(
    exact: Tensor, estimate: Tensor, place: int, index: int, check: Check, forward: bool = False
) -> str:
    mode = "computed with forward mode " if forward else ""
    message_prefix = (
        "" if check.part is None else check.part.message_prefix(index if forward else place, forward)
    )
    return (
        f"{message_prefix}Jacobian {mode}mismatch for output {place:d} with respect to input {index:d},\nnumerical:{estimate}\n"
        f"analytical:{exact}\n"
    )
