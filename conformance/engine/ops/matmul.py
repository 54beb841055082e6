"""Products of vectors and matrices (torch: native/LinearAlgebra.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes, errors
from ..rows import Array, op
from ..shapes import broadcast_shapes
from ..tensor import Tensor
from .shape import _unsafe_view, expand, reshape, t, transpose, unsqueeze, view


def product(a: Array, b: Array) -> Array:
    """numpy's product; halves are summed in single precision, integers and bools as they are."""
    if a.dtype == np.float16:
        return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(np.float16)
    return np.matmul(a, b)


def _same_type(a: Array, b: Array) -> None:
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {errors.c_name(a.dtype)} != {errors.c_name(b.dtype)}"
        )


def _check_mm(a: Array, b: Array, first: str = "self") -> None:
    if a.ndim != 2:
        raise RuntimeError(f"{first} must be a matrix")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
        )
    if first == "mat1" and a.dtype != b.dtype:
        kinds = " and ".join(dtypes.BY_NUMPY[each.dtype].legacy for each in (a, b))
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {kinds}")
    _same_type(a, b)


def _mat1_grad(grad: Tensor, mat2: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    """The gradient of the left matrix, laid out as the matrix was."""
    if tuple(steps) == (1, shape[0]):
        found = mat2.mm(grad.t()).t()
    else:
        found = grad.mm(mat2.t())
    return found if alpha == 1 else found * alpha  # type: ignore[no-any-return]


def _mat2_grad(grad: Tensor, mat1: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    """The gradient of the right matrix, laid out as the matrix was."""
    if tuple(steps) == (1, shape[0]):
        found = grad.t().mm(mat1).t()
    else:
        found = mat1.t().mm(grad)
    return found if alpha == 1 else found * alpha  # type: ignore[no-any-return]


@op(
    "MmBackward0",
    self=lambda grad, mat2, self_sym_sizes, self_sym_strides: _mat1_grad(
        grad, mat2, self_sym_sizes, self_sym_strides
    ),
    mat2=lambda grad, self, mat2_sym_sizes, mat2_sym_strides: _mat2_grad(
        grad, self, mat2_sym_sizes, mat2_sym_strides
    ),
)
def mm(self: Array, mat2: Array) -> Array:
    """The product of two matrices."""
    _check_mm(self, mat2)
    return product(self, mat2)


@op(
    "AddmmBackward0",
    self=lambda grad, beta: grad if beta == 1 else grad * beta,
    mat1=lambda grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha: _mat1_grad(
        grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha
    ),
    mat2=lambda grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha: _mat2_grad(
        grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha
    ),
)
def addmm(self: Array, mat1: Array, mat2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * (mat1 @ mat2)."""
    _check_mm(mat1, mat2, "mat1")
    return _plus(self, product(mat1, mat2), beta, alpha)


def _plus(self: Array, found: Array, beta: Any, alpha: Any) -> Array:
    if self.dtype != found.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {dtypes.BY_NUMPY[self.dtype].legacy} and "
            f"{dtypes.BY_NUMPY[found.dtype].legacy}"
        )
    try:
        np.broadcast_to(self, found.shape)
    except ValueError:
        axis = next(
            i for i in range(1, self.ndim + 1) if self.shape[-i] not in (1, found.shape[-i] if i <= found.ndim else 0)
        )
        raise RuntimeError(
            f"The expanded size of the tensor ({found.shape[-axis]}) must match the existing size ({self.shape[-axis]}) "
            f"at non-singleton dimension {found.ndim - axis}.  Target sizes: {list(found.shape)}.  Tensor sizes: "
            f"{list(self.shape)}"
        ) from None
    if alpha != 1:
        found = found * found.dtype.type(alpha)
    if beta == 0:  # not a product: nan and inf of self do not count
        return found
    return found + (self if beta == 1 else self * self.dtype.type(beta))


@op("MvBackward0", self=lambda grad, vec: grad.outer(vec), vec=lambda grad, self: self.t().mv(grad))
def mv(self: Array, vec: Array) -> Array:
    """A matrix times a vector."""
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})"
        )
    _same_type(self, vec)
    return product(self, vec)


@op(
    "AddmvBackward0",
    self=lambda grad, beta: grad if beta == 1 else grad * beta,
    mat=lambda grad, vec, alpha: grad.outer(vec) * alpha if alpha != 1 else grad.outer(vec),
    vec=lambda grad, mat, alpha: mat.t().mv(grad) * alpha if alpha != 1 else mat.t().mv(grad),
)
def addmv(self: Array, mat: Array, vec: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * (mat @ vec)."""
    if mat.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0] if self.ndim else 1}), mat ({mat.shape[0]}x{mat.shape[1]}), vec "
            f"({vec.shape[0]})"
        )
    return _plus(self, product(mat, vec), beta, alpha)


@op("DotBackward0", self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)
def dot(self: Array, tensor: Array) -> Array:
    """The inner product of two vectors."""
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self.dtype != tensor.dtype:
        a, b = (dtypes.BY_NUMPY[each.dtype].legacy for each in (self, tensor))
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {a} and {b}")
    if self.shape != tensor.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor {list(self.shape)} and src {list(tensor.shape)} to have the same "
            f"number of elements, but got {self.size} and {tensor.size} elements respectively"
        )
    return product(self, tensor)


vdot = op(
    "VdotBackward0", name="vdot", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self
)(lambda self, other: product(self, other))


def _check_bmm(a: Array, b: Array) -> None:
    for each, text in ((a, "batch1"), (b, "batch2")):
        if each.ndim != 3:
            raise RuntimeError(f"{text} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )
    _same_type(a, b)


@op(
    "BmmBackward0",
    self=lambda grad, mat2: grad.bmm(mat2.transpose(1, 2)),
    mat2=lambda grad, self: self.transpose(1, 2).bmm(grad),
)
def bmm(self: Array, mat2: Array) -> Array:
    """Products of matrices, one for each entry of the first dimension."""
    _check_bmm(self, mat2)
    return product(self, mat2)


def _times(grad: Tensor, alpha: Any) -> Tensor:
    return grad if alpha == 1 else grad * alpha


@op(
    "BaddbmmBackward0",
    self=lambda grad, beta: _times(grad, beta),
    batch1=lambda grad, batch2, alpha: _times(grad.bmm(batch2.transpose(1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: _times(batch1.transpose(1, 2).bmm(grad), alpha),
)
def baddbmm(self: Array, batch1: Array, batch2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * (batch1 @ batch2)."""
    _check_bmm(batch1, batch2)
    return _plus(self, product(batch1, batch2), beta, alpha)


@op(
    "AddbmmBackward0",
    self=lambda grad, beta: _times(grad, beta),
    batch1=lambda grad, batch2, batch1_sym_sizes, alpha: _times(
        grad.unsqueeze(0).expand((batch1_sym_sizes[0], *grad.shape)).bmm(batch2.transpose(1, 2)), alpha
    ),
    batch2=lambda grad, batch1, batch2_sym_sizes, alpha: _times(
        batch1.transpose(1, 2).bmm(grad.unsqueeze(0).expand((batch2_sym_sizes[0], *grad.shape))), alpha
    ),
)
def addbmm(self: Array, batch1: Array, batch2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * the sum of batch1 @ batch2."""
    _check_bmm(batch1, batch2)
    return _plus(self, product(batch1, batch2).sum(0), beta, alpha)


@op(
    "AddrBackward0",
    self=lambda grad, beta: _times(grad, beta),
    vec1=lambda grad, vec2, alpha: _times(grad.mv(vec2), alpha),
    vec2=lambda grad, vec1, alpha: _times(grad.t().mv(vec1), alpha),
)
def addr(self: Array, vec1: Array, vec2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * outer(vec1, vec2)."""
    if vec1.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"addr: Expected 1-D argument vec{1 if vec1.ndim != 1 else 2}, but got {vec1.ndim}-D")
    kind = dtypes.result_dtype(self, vec1, vec2)
    return _plus(self.astype(kind), np.multiply.outer(vec1, vec2).astype(kind), beta, alpha)


def outer(input: Tensor, vec2: Tensor) -> Tensor:  # noqa: A002
    """Every product of two vectors' elements."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        which = "self" if input._array.ndim != 1 else "vec2"
        ndim = input._array.ndim if which == "self" else vec2._array.ndim
        raise RuntimeError(f"outer: Expected 1-D argument {which}, but got {ndim}-D")
    return reshape(input, input._array.size, 1) * vec2


ger = outer


def matmul(input: Tensor, other: Tensor) -> Tensor:  # noqa: A002
    """torch.matmul: chosen by the number of dimensions, folded to mm, mv or bmm as torch does."""
    if not isinstance(other, Tensor):
        raise TypeError(f"matmul(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    a, b = input._array.ndim, other._array.ndim
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return dot(input, other)  # type: ignore[no-any-return]
    if a == 2 and b == 1:
        return mv(input, other)  # type: ignore[no-any-return]
    if a == 1 and b == 2:
        return _without_row(mm(unsqueeze(input, 0), other))  # type: ignore[no-any-return]
    if a == 2 and b == 2:
        return mm(input, other)  # type: ignore[no-any-return]
    if should_fold(input, other):
        return _folded(input, other)
    return _batched(input, other)


@op("SqueezeBackward4", name="_without_row", self=lambda grad: grad.unsqueeze(0))
def _without_row(self: Array) -> Array:
    return self[0]


def should_fold(a: Tensor, b: Tensor) -> bool:
    """Whether a batch of matrices is multiplied as one tall matrix."""
    larger, smaller = (a, b) if a._array.ndim >= b._array.ndim else (b, a)
    if not (larger._array.ndim >= 3 and smaller._array.ndim <= 2):
        # one matrix in a batch of length 1 on the left of a batch is folded as well
        return False
    if larger.requires_grad and larger is a or smaller.requires_grad:
        return True
    if larger._array.ndim == 2:
        return False
    if larger._array.size == 0:
        return True
    shape, steps = larger._array.shape, larger.stride()
    return all(steps[i] == steps[i + 1] * shape[i + 1] for i in range(len(shape) - 2))


def _folded(a: Tensor, b: Tensor) -> Tensor:
    swapped = b._array.ndim > a._array.ndim
    big = b.transpose(-1, -2) if swapped else a
    small = (t(a) if a._array.ndim == 2 else a) if swapped else b
    shape = big._array.shape
    if small._array.ndim == 2 and big._array.shape[-1] != small._array.shape[0] or (
        small._array.ndim == 1 and big._array.shape[-1] != small._array.shape[0]
    ):
        rows = int(np.prod(shape[:-1]))
        if small._array.ndim == 1:
            raise RuntimeError(
                f"size mismatch, got input ({rows}), mat ({rows}x{shape[-1]}), vec ({small._array.shape[0]})"
            )
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{shape[-1]} and "
            f"{small._array.shape[0]}x{small._array.shape[1]})"
        )
    flat = reshape(big, -1 if shape[-1] else int(np.prod(shape[:-1])), shape[-1])
    if small._array.ndim == 1:
        return _unsafe_view(mv(flat, small), shape[:-1])  # type: ignore[no-any-return]
    found = _unsafe_view(mm(flat, small), (*shape[:-1], small._array.shape[1]))
    return transpose(found, -1, -2).contiguous() if swapped else found  # type: ignore[no-any-return]


def _batched(a: Tensor, b: Tensor) -> Tensor:
    n = a._array.shape[-2] if a._array.ndim > 1 else 1
    m1 = a._array.shape[-1]
    m2 = b._array.shape[-2] if b._array.ndim > 1 else b._array.shape[-1]
    p = b._array.shape[-1] if b._array.ndim > 1 else 1
    batch = broadcast_shapes(a._array.shape[:-2], b._array.shape[:-2])
    count = int(np.prod(batch))
    left = reshape(expand(a if a._array.ndim > 1 else unsqueeze(a, 0), (*batch, n, m1)), count, n, m1)
    right_matrix = b if b._array.ndim > 1 else unsqueeze(b, 1)
    right = reshape(expand(right_matrix, (*batch, m2, p)), count, m2, p)
    shape = list(batch)
    if a._array.ndim > 1:
        shape.append(n)
    if b._array.ndim > 1:
        shape.append(p)
    return _unsafe_view(bmm(left, right), tuple(shape))  # type: ignore[no-any-return]


def rmatmul(self: Tensor, other: Any) -> Tensor:
    """other @ self."""
    return matmul(other, self)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:  # noqa: A002
    """torch.nn.functional.linear: input @ weight.T + bias."""
    ndim = input._array.ndim
    if bias is None:
        return matmul(input, t(weight))
    if ndim == 2:
        return addmm(bias, input, t(weight))  # type: ignore[no-any-return]
    shape = input._array.shape
    flat = reshape(input, -1 if input._array.size else int(np.prod(shape[:-1])), shape[-1])
    return view(addmm(bias, flat, t(weight)), (*shape[:-1], weight._array.shape[0]))
