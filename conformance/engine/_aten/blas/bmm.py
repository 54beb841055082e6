"""bmm, baddbmm and addbmm: batched matrix products (torch: native/LinearAlgebra.cpp)."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.errors import expected_scalar_type, need_fitting
from ..._c10.operator_facts import Out
from ..kernels import refuse_bools
from ..registry import ROWS, Array, op
from ..scalar_operands import maybe_times
from .blas import check_factor, check_one_type, exact_product, plus_product, product

PUBLIC = ("addbmm", "baddbmm", "bmm")


def _batch_kernel(name: str, a: Array, b: Array) -> str:
    """The kernel for torch's errors: a plain loop for small matrices, otherwise that of mm for each matrix."""
    return name if a.shape[1] * a.shape[2] * b.shape[2] < 400 else "addmm_impl_cpu_"


def _check_bmm(a: Array, b: Array) -> None:
    for each, text in ((a, "batch1"), (b, "batch2")):
        if each.ndim != 3:
            raise RuntimeError(f"{text} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )


@op(
    "BmmBackward0",
    complex="holomorphic",
    jvp="bilinear",
    autocast="lower_precision_fp",
    out=Out(memory="unchecked"),
    self=lambda grad, mat2: grad.bmm(mat2.transpose(1, 2)),
    mat2=lambda grad, self: self.transpose(1, 2).bmm(grad),
)
def bmm(self: Array, mat2: Array) -> Array:
    """Products of matrices, one for each entry of the first dimension."""
    _check_bmm(self, mat2)
    kernel = _batch_kernel("bmm", self, mat2)
    if not (self.size and mat2.size):  # no kernel runs that would check the dtypes
        return product(self.astype(mat2.dtype, copy=False), mat2)
    refuse_bools(kernel, self)
    if self.dtype != mat2.dtype:
        raise expected_scalar_type(self.dtype, mat2.dtype)
    return product(self, mat2)


def _mat2_grad(grad: Tensor, mat1: Tensor, shape: Any, steps: Any) -> Tensor:
    by_columns = tuple(steps[1:]) == (1, shape[1])
    return grad.mT.bmm(mat1).mT if by_columns else mat1.mT.bmm(grad)


@op(
    "BmmBackward0",
    name="_mm_of_samples",
    complex="holomorphic",
    jvp="bilinear",
    self=lambda grad, mat2: grad.bmm(mat2.mT),
    mat2=lambda grad, self, mat2_sym_sizes, mat2_sym_strides: _mat2_grad(
        grad, self, mat2_sym_sizes, mat2_sym_strides
    ),
)
def mm_of_samples(self: Array, mat2: Array) -> Array:
    """bmm for the values of a vmap in which mm is differentiated: the gradient has the samples' layout, as in mm's."""
    return ROWS["bmm"].forward(self, mat2)


@op(
    "BaddbmmBackward0",
    complex="holomorphic",
    jvp="multilinear",
    autocast="lower_precision_fp",
    vmap_inplace="fallback",
    inplace="method",
    out=Out(memory="unchecked"),
    deprecated_numbers="beta alpha",
    self=lambda grad, beta: maybe_times(grad, beta),
    batch1=lambda grad, batch2, alpha: maybe_times(grad.bmm(batch2.transpose(1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: maybe_times(batch1.transpose(1, 2).bmm(grad), alpha),
)
def baddbmm(self: Array, batch1: Array, batch2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * (batch1 @ batch2)."""
    _check_bmm(batch1, batch2)
    need_fitting(self.dtype == batch1.dtype == batch2.dtype, "torch.baddbmm")
    refuse_bools(_batch_kernel("baddbmm", batch1, batch2), batch1)
    if not batch1.shape[2]:
        check_factor(self, beta)
    return plus_product(self, exact_product(batch1, batch2), beta, alpha)


@op(
    "AddbmmBackward0",
    complex="holomorphic",
    jvp="multilinear",
    autocast="lower_precision_fp",
    vmap_inplace="fallback",
    inplace="method",
    out=Out(warns=False),
    deprecated_numbers="beta alpha",
    self=lambda grad, beta: maybe_times(grad, beta),
    batch1=lambda grad, batch2, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2, alpha: (
        maybe_times(
            spread_over_batch(grad, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2).bmm(
                batch2.transpose(1, 2)
            ),
            alpha,
        )
    ),
    batch2=lambda grad, batch1, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2, alpha: (
        maybe_times(
            batch1.transpose(1, 2).bmm(
                spread_over_batch(grad, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2)
            ),
            alpha,
        )
    ),
)
def addbmm(self: Array, batch1: Array, batch2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * the sum of batch1 @ batch2."""
    fits = batch1.ndim == batch2.ndim == 3 and batch1.shape[::2] == batch2.shape[:2]
    need_fitting(fits, "torch.addbmm")
    check_one_type(self, batch1, batch2)
    refuse_bools("addmm_impl_cpu_", batch1)
    if not batch1.shape[2]:
        check_factor(self, beta)
    return plus_product(self, product(batch1, batch2).sum(0, dtype=batch1.dtype), beta, alpha)


def spread_over_batch(grad: Tensor, *shape: int) -> Tensor:
    return grad.unsqueeze(0).expand(shape)
