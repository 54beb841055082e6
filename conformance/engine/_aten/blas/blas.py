"""mm, addmm, mv, addmv, dot, vdot and addr (torch: native/Blas.cpp, LinearAlgebra.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd import conj_view
from ..._autograd.inplace_checks import check_castable
from ..._autograd.tensor import Tensor
from ..._c10 import dtypes, errors
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import Out
from ..._c10.shapes import existing_dim, laid_out
from ..kernels import check_multipliable, half_up, refuse_bools
from ..registry import Array, op
from ..scalar_operands import maybe_times

PUBLIC = ("addmm", "addmv", "addr", "dot", "mm", "mv", "vdot")


def product(a: Array, b: Array, kernel: str = "") -> Array:
    """NumPy's matmul; halves are summed in single precision; with ``kernel``, bools raise that kernel's error."""
    result = exact_product(a, b, kernel)
    return result if result.dtype is a.dtype else result.astype(a.dtype)


def exact_product(a: Array, b: Array, kernel: str = "") -> Array:
    """product, but the result of halves stays in single precision."""
    if kernel and a.size and b.size:
        refuse_bools(kernel, a)
    if dtypes.is_half(a.dtype):
        a, b = half_up(a), half_up(b)
    return np.matmul(a, b)


def _same_type(a: Array, b: Array) -> None:
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {dtypes.c_name(a.dtype)} != {dtypes.c_name(b.dtype)}"
        )


def _check_mm(a: Array, b: Array, first: str = "self") -> None:
    for name, each in ((first, a), ("mat2", b)):
        if each.ndim != 2:
            got = "" if first == "self" else f", got {each.ndim}-D tensor"
            raise RuntimeError(f"{name} must be a matrix{got}")
    check_multipliable(a, b)


def _mat1_grad(grad: Tensor, mat2: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    """The gradient of the left matrix, with the memory layout of that matrix."""
    by_columns = tuple(steps) == (1, shape[0]) and not mat2.is_sparse
    result = mat2.mm(grad.t()).t() if by_columns else grad.mm(mat2.t())
    return maybe_times(result, alpha)


def mat2_grad(grad: Tensor, mat1: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    """The gradient of the right matrix, with the memory layout of that matrix."""
    by_columns = tuple(steps) == (1, shape[0]) and not mat1.is_sparse
    result = grad.t().mm(mat1).t() if by_columns else mat1.t().mm(grad)
    return maybe_times(result, alpha)


@op(
    "MmBackward0",
    complex="holomorphic",
    jvp="bilinear",
    autocast="lower_precision_fp",
    out=Out(memory="unchecked"),
    self=lambda grad, mat2, self_sym_sizes, self_sym_strides: _mat1_grad(
        grad, mat2, self_sym_sizes, self_sym_strides
    ),
    mat2=lambda grad, self, mat2_sym_sizes, mat2_sym_strides: mat2_grad(
        grad, self, mat2_sym_sizes, mat2_sym_strides
    ),
)
def mm(self: Array, mat2: Array) -> Array:
    """The product of two matrices."""
    _check_mm(self, mat2)
    _same_type(self, mat2)
    return product(self, mat2, "addmm_impl_cpu_")


@op(
    "AddmmBackward0",
    complex="holomorphic",
    jvp="multilinear",
    autocast="lower_precision_fp",
    vmap_inplace="fallback",
    kernel_writes=1,
    inplace="method",
    out=Out(memory="unchecked"),
    deprecated_numbers="beta alpha",
    self=lambda grad, beta: maybe_times(grad, beta),
    mat1=lambda grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha: _mat1_grad(
        grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha
    ),
    mat2=lambda grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha: mat2_grad(
        grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha
    ),
)
def addmm(self: Array, mat1: Array, mat2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * (mat1 @ mat2)."""
    _check_mm(mat1, mat2, "mat1")
    check_one_type(self, mat1, mat2)
    if not mat1.shape[1]:
        check_factor(self, beta)
    return plus_product(
        self, exact_product(mat1, mat2, "addmm_impl_cpu_"), beta, alpha if mat1.shape[1] else 1
    )


def check_one_type(self: Array, mat1: Array, mat2: Array) -> None:
    for name, each in (("self", self), ("mat1", mat1)):
        if each.dtype != mat2.dtype:
            first, second = (dtypes.BY_NUMPY[array.dtype].legacy for array in (each, mat2))
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {first} and {second}")


def check_factor(self: Array, beta: Any) -> None:
    """Check beta as torch's mul does, which computes ``beta * self`` where the product is empty."""
    if beta != 0:
        check_castable(dtypes.result_dtype(self, beta), self.dtype)


def _factor(kind: np.dtype[Any], number: Any) -> Any:
    """alpha or beta in the dtype of its operand; 1 stays as it is, and multiplies nothing."""
    if number.__class__ is int and number == 1:
        return 1
    return kind.type(dtypes.number_within(kind, number))


def plus_product(self: Array, found: Array, beta: Any, alpha: Any) -> Array:
    """beta * self + alpha * found, written into ``found``; halves are computed in single precision."""
    found, wide = half_up(found), half_up(self)
    alpha, beta = _factor(found.dtype, alpha), _factor(found.dtype, beta)
    if alpha != 1:
        found = found * alpha
    try:
        if beta == 0:  # no multiplication: nan and inf in self do not propagate
            np.broadcast_to(wide, found.shape)
        else:
            np.add(found, wide if beta == 1 else wide * beta, out=found)
        return found.astype(self.dtype, copy=False)
    except ValueError:
        if self.ndim > found.ndim:
            kind = errors.tensor_type(dtypes.BY_NUMPY[self.dtype])
            raise RuntimeError(
                f"expand({kind}{{{list(self.shape)}}}, size={list(found.shape)}): the number of sizes "
                f"provided ({found.ndim}) must be greater or equal to the number of dimensions in the tensor "
                f"({self.ndim})"
            ) from None
        axis = next(i for i in range(1, self.ndim + 1) if self.shape[-i] not in (1, found.shape[-i]))
        raise RuntimeError(
            f"The expanded size of the tensor ({found.shape[-axis]}) must match the existing size "
            f"({self.shape[-axis]}) at non-singleton dimension {found.ndim - axis}.  Target sizes: "
            f"{list(found.shape)}.  Tensor sizes: {list(self.shape)}"
        ) from None


@op(
    "MvBackward0",
    complex="holomorphic",
    jvp="bilinear",
    kernel_writes=1,
    out=Out(memory="unchecked"),
    self=lambda grad, vec: grad.outer(vec),
    vec=lambda grad, self: self.t().mv(grad),
)
def mv(self: Array, vec: Array) -> Array:
    """A matrix times a vector."""
    existing_dim(0, self.ndim)
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})"
        )
    need_fitting(self.dtype == vec.dtype, "torch.mv")
    return product(self, vec, "addmv_impl_cpu")


@op(
    "AddmvBackward0",
    complex="holomorphic",
    jvp="multilinear",
    vmap_inplace="fallback",
    inplace="function, method",
    out=Out(memory="unchecked"),
    deprecated_numbers="beta alpha",
    self=lambda grad, beta: maybe_times(grad, beta),
    mat=lambda grad, vec, alpha: maybe_times(grad.outer(vec), alpha),
    vec=lambda grad, mat, alpha: maybe_times(mat.t().mv(grad), alpha),
)
def addmv(self: Array, mat: Array, vec: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * (mat @ vec)."""
    if mat.ndim != 2 or vec.ndim != 1 or self.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or self.shape not in ((), (1,), mat.shape[:1]):
        existing_dim(0, self.ndim)
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0]}), mat ({mat.shape[0]}x{mat.shape[1]}), vec "
            f"({vec.shape[0]})"
        )
    need_fitting(self.dtype == mat.dtype == vec.dtype, "torch.addmv")
    if not mat.size and beta != 0:
        need_fitting(self.shape == mat.shape[:1] or not len(mat), "torch.addmv")  # torch resizes the result
        return self * _factor(self.dtype, beta)
    _factor(self.dtype, alpha)  # refuses what exceeds the dtype
    return plus_product(self, exact_product(mat, vec, "addmv_impl_cpu"), beta, alpha)


@op(
    "DotBackward0",
    complex="holomorphic",
    jvp="bilinear",
    kernel_writes=1,
    out=Out(memory="unchecked"),
    self=lambda grad, tensor: grad * tensor,
    tensor=lambda grad, self: grad * self,
)
def dot(self: Array, tensor: Array) -> Array:
    """The inner product of two vectors."""
    if self.dtype.kind == "c" and _are_conjugated(tensor) and not _are_conjugated(self):
        _check_dot(tensor, self)  # torch computes vdot(tensor.conj(), self)
    else:
        _check_dot(self, tensor)
    refuse_bools("dot", self)
    result = product(self, tensor)
    return _as_conjugate(result) if _are_conjugated(self, tensor) else result


def _are_conjugated(*arrays: Array) -> bool:
    """Whether all have the conjugate bit: torch then multiplies their bases, and conjugates the product."""
    return arrays[0].dtype.kind == "c" and all(map(conj_view.is_conjugate_view, arrays))


def _as_conjugate(found: Array) -> Array:
    return conj_view.conjugate_view(np.array(np.conj(found)))


def _check_dot(a: Array, b: Array) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        first, second = (dtypes.BY_NUMPY[each.dtype].legacy for each in (a, b))
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {first} and {second}")
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor {list(a.shape)} and src {list(b.shape)} to have the "
            f"same number of elements, but got {a.size} and {b.size} elements respectively"
        )


@op(
    "VdotBackward0",
    complex="as_written",
    jvp="bilinear",
    out=Out(memory="unchecked"),
    self=lambda grad, other: grad.conj() * other,
    other=lambda grad, self: grad * self,
)
def vdot(self: Array, other: Array) -> Array:
    """The inner product of two vectors, the first one conjugated."""
    if _are_conjugated(self, other):
        _check_dot(other, self)  # torch computes vdot(other.conj(), self.conj())
    else:
        _check_dot(self, other)
    refuse_bools("dot", self)
    result = product(np.conj(self) if self.dtype.kind == "c" else self, other)
    return _as_conjugate(result) if _are_conjugated(other) and not _are_conjugated(self) else result


@op(
    "AddrBackward0",
    complex="holomorphic",
    handle_r_to_c=False,
    jvp="multilinear",
    tangent_writes=0,
    vmap_inplace="fallback",
    overlap="refuse_inputs",
    inplace="method",
    deprecated_numbers="beta alpha",
    self=lambda grad, beta: maybe_times(grad, beta),
    vec1=lambda grad, vec2, alpha: maybe_times(grad.mv(vec2), alpha),
    vec2=lambda grad, vec1, alpha: maybe_times(grad.t().mv(vec1), alpha),
)
def addr(self: Array, vec1: Array, vec2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * outer(vec1, vec2)."""
    kind = dtypes.result_dtype(np.atleast_1d(self), vec1, vec2)  # torch has expanded self
    need_fitting(vec1.ndim == vec2.ndim == 1, "torch.addr")
    for name, factor in (("beta", beta), ("alpha", alpha)):
        need_fitting(kind.kind == "b" or not isinstance(factor, bool), "torch.addr")
        if kind.kind in "iub" and isinstance(factor, (float, complex)):
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number."
            )
    self, vec1, vec2 = (each.astype(kind, copy=False) for each in (self, vec1, vec2))
    factor = _factor(kind, alpha)
    scaled = vec1 if alpha == 1 else (vec1 * factor).astype(kind, copy=False)
    result = plus_product(self, np.multiply.outer(scaled, vec2), beta, 1)
    return laid_out(result, self, vec1[:, None], vec2)
