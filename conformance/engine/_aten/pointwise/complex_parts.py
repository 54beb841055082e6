"""real, imag, conj, angle, complex, polar, view_as_real, view_as_complex and frexp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd import conj_view, forward_grad
from ..._autograd.storage_impl import buffer, offset, storage
from ..._autograd.tensor import Tensor
from ..._autograd.views import with_view_fn
from ..._c10 import dtypes, errors, structseq
from ..._c10.errors import need_fitting
from ..._c10.layout import Unstrided
from ..._c10.operator_facts import composite
from ..._c10.shapes import broadcast_shapes, laid_out, like_steps, strides
from ..._c10.zero_tensor import ZeroTensor, zeros
from ..creation.factories import scalar_tensor, zeros_like
from ..registry import Array, op
from ..scalar_operands import times
from ..shape.clone_to import assigned
from ..shape.slice_select import select
from .where_clamp import where


@op(
    "FrexpBackward0",
    name="frexp",
    outputs="mantissa exponent",
    returns=structseq.frexp,
    vmap="front",
    self=lambda grad, exponent: grad / exponent.exp2(),
)
def _frexp(self: Array) -> tuple[Array, Array]:
    if self.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(self)
    return like_steps(mantissa, self), like_steps(exponent, self)


@composite(vmap="decompose", out=None)
def frexp(input: Tensor) -> Any:
    """Mantissa (absolute value in [0.5, 1)) and exponent to base 2."""
    return _frexp(input)


def _angle_backward(grad: Tensor, self: Tensor) -> Tensor:
    if self._array.dtype.kind != "c":
        return zeros_like(self)
    square = self.abs().pow(2)  # see Note [Right operands first]
    turned = times(grad * self / square, 1j)
    return where(self == 0.0, scalar_tensor(0, dtype=self.dtype), turned)


@op(
    "AngleBackward0",
    promote="self",
    to_float=True,
    complex="as_written",
    elementwise=False,
    self=_angle_backward,
)
def angle(self: Array) -> Array:
    """The argument of a complex number; of a real one 0, or pi if it is negative."""
    if self.dtype.kind == "c":
        return np.ascontiguousarray(np.angle(self)).reshape(self.shape)
    result = np.where(self < 0, self.dtype.type(math.pi), self.dtype.type(0))
    return laid_out(np.where(np.isnan(self), self, result), self)


@op(
    "ConjBackward0",
    view="default",
    complex="as_written",
    vmap="pointwise",
    self=lambda grad: grad.conj(),
)
def _conj(self: Array) -> Array:
    return conj_view.conjugate_view(self)


@composite(vmap="decompose")
def conj(input: Tensor) -> Tensor:
    """The conjugate as a view; a real tensor is returned itself. See Note [Conjugate views]."""
    if input._array.dtype.kind != "c":
        return input
    if isinstance(input._array, Unstrided):  # a layout without strides has no conjugate views
        return _conj_physical(input)
    return with_view_fn(_conj(input), input, conj)


@op(
    "ConjPhysicalBackward0",
    promote="self",
    name="conj_physical",
    complex="as_written",
    vmap_inplace="fallback",
    self=lambda grad: grad.conj_physical(),
)
def _conj_physical(self: Array) -> Array:
    return self.copy() if self.dtype.kind == "b" else np.conjugate(self)


@composite(vmap="decompose", out=None)
def conj_physical(input: Tensor) -> Tensor:
    """The conjugate as a copy; a real tensor is returned itself."""
    return input if input._array.dtype.kind != "c" else _conj_physical(input)


@composite(vmap="decompose")
def resolve_conj(input: Tensor) -> Tensor:
    """A copy of a conjugate view; any other tensor is returned itself."""
    return input.clone() if input.is_conj() else input


@composite(vmap="decompose")
def resolve_neg(input: Tensor) -> Tensor:
    """A copy of a negative view; any other tensor is returned itself."""
    return input.clone() if input.is_neg() else input


def _as_complex(grad: Tensor) -> Tensor:
    """The gradient of view_as_real, as a complex tensor."""
    return view_as_complex(grad.contiguous())


@op(
    "ViewAsRealBackward0",
    view="default",
    complex="as_written",
    vmap="pointwise",
    self=_as_complex,
)
def _view_as_real(self: Array) -> Array:
    if self.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if isinstance(self, ZeroTensor):
        return zeros((*self.shape, 2), np.dtype(f"f{self.itemsize // 2}"))
    return np.ndarray((*self.shape, 2), f"f{self.itemsize // 2}", *_place(self, self.itemsize // 2))


def _place(array: Array, step: int) -> tuple[Any, int, tuple[int, ...]]:
    """The buffer, offset and strides of an array with one more dimension."""
    start = offset(array) if array.size else 0  # an empty array may have any offset
    return buffer(storage(array)), start, (*array.strides, step)


@composite(variants="function", vmap="decompose")
def view_as_real(input: Tensor) -> Tensor:
    """A real view with the real and imaginary parts along a new last dimension."""
    if input.is_conj():
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias "
            "the original."
        )
    return with_view_fn(_view_as_real(input), input, view_as_real)


def _as_parts(grad: Tensor) -> Tensor:
    return view_as_real(resolve_conj(grad.contiguous()))


@op(
    "ViewAsComplexBackward0",
    view="default",
    complex="as_written",
    self=_as_parts,
)
def _view_as_complex(self: Array) -> Array:
    if self.dtype.kind != "f":
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            + dtypes.BY_NUMPY[self.dtype].legacy
        )
    if self.itemsize < 4:
        raise NotImplementedError(errors.COMPLEX_HALF)
    if not self.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if self.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    *outer, last = strides(self)
    if last != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    even = not any(step % 2 for step in (*outer, offset(self) // self.itemsize))
    need_fitting(even, "torch.view_as_complex")
    memory, start, steps = _place(self, 0)
    return np.ndarray(self.shape[:-1], f"c{self.itemsize * 2}", memory, start, steps[:-2])


@composite(variants="function", vmap="decompose", autocast="fp32")
def view_as_complex(input: Tensor) -> Tensor:
    """A complex view of a tensor whose last dimension holds real and imaginary parts."""
    return with_view_fn(_view_as_complex(input), input, view_as_complex)


@op(
    "NegViewBackward0",
    view="default",
    complex="as_written",
    vmap="pointwise",
    no_vmap="Batching rule not implemented for aten::_neg_view; the fallback path doesn't work on out= or view ops.",
    self=lambda grad: -grad,
)
def _neg_view(self: Array) -> Array:
    return conj_view.conjugate_view(self)  # imag() uses it on imaginary parts alone


def _negated(input: Tensor) -> Tensor:
    """The negative as a view."""
    return with_view_fn(_neg_view(input), input, _negated)


@composite(vmap="decompose")
def real(input: Tensor) -> Tensor:
    """The real part as a view; a real tensor is returned itself."""
    if input._array.dtype.kind != "c":
        return input
    return select(view_as_real(conj(input) if input.is_conj() else input), input._array.ndim, 0)


@composite(vmap="decompose")
def imag(input: Tensor) -> Tensor:
    """The imaginary part as a view; an error for a real tensor."""
    if input._array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if input.is_conj():
        return select(_negated(view_as_real(conj(input))), input._array.ndim, 1)
    return select(view_as_real(input), input._array.ndim, 1)


def _set_real(self: Tensor, value: Any) -> None:
    part = self.real
    part.copy_(assigned(part, value))


def _set_imag(self: Tensor, value: Any) -> None:
    part = self.imag
    part.copy_(assigned(part, value))


@op(
    "ComplexBackward0",
    complex="as_written",
    vmap="pointwise",
    variants="function",
    real=lambda grad, real: grad.real,  # torch saves each operand though the value is not needed
    imag=lambda grad, imag: grad.imag,
)
def complex(real: Array, imag: Array) -> Array:
    """real + 1j * imag."""
    need_fitting(real.dtype != np.float16, errors.COMPLEX_HALF)
    _check_parts("complex", real, imag)
    result = np.empty(broadcast_shapes(real.shape, imag.shape), f"c{2 * real.itemsize}")
    result.real, result.imag = real, imag
    return laid_out(result, real, imag)


def _check_parts(name: str, first: Array, second: Array) -> None:
    kinds = [dtypes.BY_NUMPY[each.dtype] for each in (first, second)]
    if any(not each.is_floating_point or each is dtypes.bfloat16 for each in kinds):
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {kinds[0].legacy} and {kinds[1].legacy}"
        )
    if kinds[0] is not kinds[1]:
        raise RuntimeError(
            f"Expected object of scalar type {kinds[0].legacy} but got scalar type {kinds[1].legacy} for second "
            "argument"
        )


def _polar_backward(grad: Tensor, result: Tensor, needed: list[bool]) -> tuple[Tensor | None, Tensor | None]:
    conjugate = grad.conj()
    found = (conjugate * result.sgn()).real if needed[0] else None
    if not needed[1]:
        return found, None
    turned = times(result, 1j)
    return found, (conjugate * turned).real


@op(
    "PolarBackward0",
    complex="as_written",
    autocast="fp32",
    vmap="pointwise",
    variants="function",
    inputs={"abs angle": _polar_backward},
)
def polar(abs: Array, angle: Array) -> Array:
    """abs * (cos(angle) + 1j * sin(angle))."""
    _check_parts("polar", abs, angle)
    need_fitting(abs.itemsize > 2, errors.COMPLEX_HALF)
    found = np.empty(broadcast_shapes(abs.shape, angle.shape), f"c{2 * abs.itemsize}")
    found.real, found.imag = abs * np.cos(angle), abs * np.sin(angle)
    return laid_out(found, abs, angle)


@op(promote="self", out=False)
def isreal(self: Array) -> Array:
    """Whether the imaginary part of each element is 0."""
    return np.isreal(self)


def is_nonzero(input: Tensor) -> bool:
    """Whether the single element of a tensor is not 0."""
    return bool(input)


@op(
    "ConjPhysicalBackward1",
    name="conj_physical_",
    complex="as_written",
    vmap="fallback",
    inplace="function, method",
    self=lambda grad: grad.conj_physical(),
)
@composite(vmap="fallback")
def _conj_physical_in_place(self: Array) -> Array:
    return np.conjugate(self) if self.dtype.kind == "c" else self


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether the shapes are the same."""
    return input._array.shape == other._array.shape


def attach() -> None:
    """Install ``real`` and ``imag``, which are attributes of a tensor, not methods."""
    Tensor.real = property(real, _set_real)  # type: ignore[attr-defined]
    Tensor.imag = property(imag, _set_imag)  # type: ignore[attr-defined]


def _shown_as(shown: np.ndarray[Any, Any], tangent: Tensor, turned: bool) -> Tensor:
    """Convert a base's tangent to match a view of it: conjugated or negated, as real parts or as complex numbers."""
    if turned:
        tangent = conj(tangent) if tangent._array.dtype.kind == "c" else _negated(tangent)
    if tangent._array.dtype.kind == shown.dtype.kind:
        return tangent
    if shown.dtype.kind == "f":
        return _view_as_real(tangent)
    count = storage(tangent._array).nbytes // tangent._array.itemsize
    return _view_as_complex(tangent.as_strided((count // 2, 2), (2, 1), 0))


forward_grad.shown_as = _shown_as
