"""What gradcheck compares, how closely, and what it says where that fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._aten.sparse.sparse_array import filled
from ..._autograd.tensor import Tensor, make
from ..._c10.layout import LAYOUTS
from .complex import Part
from .jacobians import Tensors, as_tuple


class GradcheckError(RuntimeError):
    """The derivatives of a function are not what they should be."""

    __module__ = "torch.autograd.gradcheck"


@dataclass(frozen=True, slots=True)
class Check:
    """What is compared, and how closely."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    undefined: bool
    backward: bool
    forward: bool
    batched: bool
    batched_forward: bool
    masked: bool = False  # whether, of sparse points, only the values count that they have
    part: Part | None = None  # of complex numbers

    def moved(self, points: Tensors) -> Tensors:
        """The points that finite differences move."""
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
    """torch.allclose after promotion to one dtype, which numpy sees to."""
    first, second = a._array, b._array
    close = abs(first - second) <= atol + rtol * abs(second)
    return bool(((first == second) | close).all())


def mismatch(
    exact: Tensor, estimate: Tensor, place: int, index: int, check: Check, forward: bool = False
) -> str:
    mode = "computed with forward mode " if forward else ""
    considered = "" if check.part is None else check.part.considered(index if forward else place, forward)
    return (
        f"{considered}Jacobian {mode}mismatch for output {place:d} with respect to input {index:d},\nnumerical:{estimate}\n"
        f"analytical:{exact}\n"
    )
