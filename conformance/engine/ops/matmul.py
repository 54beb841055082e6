"""Products of vectors and matrices (torch: native/LinearAlgebra.cpp)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes, errors, twins
from ..batching import BatchedTensor
from ..errors import expected_scalar_type, wrong_type
from ..inplace import check_castable
from ..once import warn_once, warn_program
from ..out import RESIZED, check_out, given
from ..refusals import check_tensors
from ..rows import Array, op
from ..shapes import broadcast_shapes, existing_dim, laid_out
from ..tensor import Tensor
from .inplace_views import squeeze_
from .kernels import check_multipliable, half_up, refuse_bools
from .scalars import maybe_times
from .shape import _unsafe_view, expand, reshape, t, unsqueeze, view


def product(a: Array, b: Array, kernel: str = "") -> Array:
    """numpy's product; halves are summed in single precision, integers as they are; a named kernel has no bools."""
    found = exact_product(a, b, kernel)
    return found if found.dtype is a.dtype else found.astype(a.dtype)


def exact_product(a: Array, b: Array, kernel: str = "") -> Array:
    """product, of halves in single precision still."""
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


def _got(array: Array, first: str) -> str:
    return "" if first == "self" else f", got {array.ndim}-D tensor"


def _check_mm(a: Array, b: Array, first: str = "self") -> None:
    if a.ndim != 2:
        raise RuntimeError(f"{first} must be a matrix" + _got(a, first))
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix" + _got(b, first))
    check_multipliable(a, b)


def _mat1_grad(grad: Tensor, mat2: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    """The gradient of the left matrix, laid out as the matrix was."""
    by_columns = tuple(steps) == (1, shape[0])
    found = mat2.mm(grad.t()).t() if by_columns else grad.mm(mat2.t())
    return maybe_times(found, alpha)


def mat2_grad(grad: Tensor, mat1: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    """The gradient of the right matrix, laid out as the matrix was."""
    by_columns = tuple(steps) == (1, shape[0])
    found = grad.t().mm(mat1).t() if by_columns else mat1.t().mm(grad)
    return maybe_times(found, alpha)


@op(
    "MmBackward0",
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
    _one_type(self, mat1, mat2)
    if not mat1.shape[1]:
        _check_factor(self, beta)
    return _plus(self, exact_product(mat1, mat2, "addmm_impl_cpu_"), beta, alpha if mat1.shape[1] else 1)


def _kinds(*arrays: Array) -> list[str]:
    return [dtypes.BY_NUMPY[each.dtype].legacy for each in arrays]


def _one_type(self: Array, mat1: Array, mat2: Array) -> None:
    for name, each in (("self", self), ("mat1", mat1)):
        if each.dtype != mat2.dtype:
            first, second = _kinds(each, mat2)
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {first} and {second}")


def _check_factor(self: Array, beta: Any) -> None:
    """Where nothing is added, torch multiplies by beta as it would anywhere else."""
    if beta != 0:
        check_castable(dtypes.result_dtype(self, beta), self.dtype)


def _factor(kind: np.dtype[Any], number: Any) -> Any:
    """alpha or beta in the dtype of what it multiplies; by 1 nothing is."""
    if number.__class__ is int and number == 1:
        return 1
    whole = number.__class__ is not complex and math.isfinite(number)
    return kind.type(number if whole else dtypes.number_within(kind, number))


def _times(array: Array, number: Any) -> Array:
    """A product of halves with a number that is rounded to a half first."""
    return array if number == 1 else array * array.dtype.type(number)


def _plus(self: Array, found: Array, beta: Any, alpha: Any) -> Array:
    """beta * self + alpha * found, in the memory of found; of halves computed in single precision."""
    found, wide = half_up(found), half_up(self)
    alpha, beta = _factor(found.dtype, alpha), _factor(found.dtype, beta)
    if alpha != 1:
        found = found * alpha
    try:
        if beta == 0:  # not a product: nan and inf of self do not count
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
        axis = next(
            i
            for i in range(1, self.ndim + 1)
            if self.shape[-i] not in (1, found.shape[-i] if i <= found.ndim else 0)
        )
        raise RuntimeError(
            f"The expanded size of the tensor ({found.shape[-axis]}) must match the existing size "
            f"({self.shape[-axis]}) at non-singleton dimension {found.ndim - axis}.  Target sizes: "
            f"{list(found.shape)}.  Tensor sizes: {list(self.shape)}"
        ) from None


def _check_addmv(*operands: Array) -> None:
    if any(each.dtype != operands[0].dtype for each in operands):
        first, second, third = _kinds(*operands)
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {first}, {second}, and {third}"
        )


@op("MvBackward0", self=lambda grad, vec: grad.outer(vec), vec=lambda grad, self: self.t().mv(grad))
def mv(self: Array, vec: Array) -> Array:
    """A matrix times a vector."""
    existing_dim(0, self.ndim)
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})"
        )
    _check_addmv(vec, self, vec)
    return product(self, vec, "addmv_impl_cpu")


@op(
    "AddmvBackward0",
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
    _check_addmv(self, mat, vec)
    if dtypes.is_half(self.dtype):  # beta * self is rounded, and so are the factors
        alpha, self, beta = self.dtype.type(alpha), _times(self, beta), beta if beta == 0 else 1
    if not mat.size and beta != 0:  # torch writes beta * self over the result, and with that its shape
        if len(mat) and self.shape != mat.shape[:1]:
            warn_program(RESIZED.format([len(mat)], list(self.shape)))
        return self * _factor(self.dtype, beta)
    return _plus(self, exact_product(mat, vec, "addmv_impl_cpu"), beta, alpha)


@op("DotBackward0", self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)
def dot(self: Array, tensor: Array) -> Array:
    """The inner product of two vectors."""
    turned = self.dtype.kind == "c" and twins.is_twin(tensor) and not twins.is_twin(self)
    _check_dot(*((tensor, self) if turned else (self, tensor)))  # torch calls vdot, with the conjugate first
    refuse_bools("dot", self)
    found = product(self, tensor)
    return _as_conjugate(found) if _are_conjugated(self, tensor) else found


def _are_conjugated(*arrays: Array) -> bool:
    """Whether all are conjugated views: torch multiplies what they are views of, and conjugates the product."""
    return arrays[0].dtype.kind == "c" and all(map(twins.is_twin, arrays))


def _as_conjugate(found: Array) -> Array:
    return twins.conjugated(np.array(np.conj(found)))


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


@op("VdotBackward0", self=lambda grad, other: grad.conj() * other, other=lambda grad, self: grad * self)
def vdot(self: Array, other: Array) -> Array:
    """The inner product of two vectors, the first one conjugated."""
    turned = self.dtype.kind == "c" and twins.is_twin(self) and twins.is_twin(other)
    _check_dot(*((other, self) if turned else (self, other)))
    refuse_bools("dot", self)
    found = product(np.conj(self) if self.dtype.kind == "c" else self, other)
    return _as_conjugate(found) if _are_conjugated(other) and not _are_conjugated(self) else found


def _batch_kernel(name: str, a: Array, b: Array) -> str:
    """Products so small that torch has a loop of its own for them, or each by the kernel of one."""
    return name if a.shape[1] * a.shape[2] * b.shape[2] < 400 else "addmm_impl_cpu_"


def _check_batches(a: Array, b: Array) -> None:
    for each, text in ((a, "batch1"), (b, "batch2")):
        if each.ndim != 3:
            raise RuntimeError(f"{text} must be a 3D tensor")


def _check_sizes(*asked: tuple[int, Array]) -> None:
    """torch asks for these sizes before it looks at how many dimensions there are."""
    for dim, each in asked:
        existing_dim(dim, each.ndim)


def _check_same(a: Array, b: Array) -> None:
    if a.dtype != b.dtype:
        raise expected_scalar_type(a.dtype, b.dtype)


def _check_bmm(a: Array, b: Array) -> None:
    _check_batches(a, b)
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )


@op(
    "BmmBackward0",
    self=lambda grad, mat2: grad.bmm(mat2.transpose(1, 2)),
    mat2=lambda grad, self: self.transpose(1, 2).bmm(grad),
)
def bmm(self: Array, mat2: Array) -> Array:
    """Products of matrices, one for each entry of the first dimension."""
    _check_bmm(self, mat2)
    kernel = _batch_kernel("bmm", self, mat2)
    if not (self.size and mat2.size):  # no kernel runs, which would look at their types
        return product(self.astype(mat2.dtype, copy=False), mat2)
    refuse_bools(kernel, self)
    _check_same(self, mat2)
    return product(self, mat2)


@op(
    "BaddbmmBackward0",
    self=lambda grad, beta: maybe_times(grad, beta),
    batch1=lambda grad, batch2, alpha: maybe_times(grad.bmm(batch2.transpose(1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: maybe_times(batch1.transpose(1, 2).bmm(grad), alpha),
)
def baddbmm(self: Array, batch1: Array, batch2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * (batch1 @ batch2)."""
    _check_sizes((0, batch1), (1, batch1), (2, batch2))
    _check_bmm(batch1, batch2)
    if self.dtype != batch1.dtype:
        first, second, third = (dtypes.c_name(each.dtype) for each in (self, batch1, batch2))
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {first}, batch1: {second}, batch2: {third}"
        )
    if batch1.size and batch2.size:
        refuse_bools(_batch_kernel("baddbmm", batch1, batch2), batch1)
    _check_same(batch1, batch2)
    if not batch1.shape[2]:
        _check_factor(self, beta)
    return _plus(self, exact_product(batch1, batch2), beta, alpha)


@op(
    "AddbmmBackward0",
    self=lambda grad, beta: maybe_times(grad, beta),
    batch1=lambda grad, batch2, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2, alpha: (
        maybe_times(
            _spread(grad, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2).bmm(
                batch2.transpose(1, 2)
            ),
            alpha,
        )
    ),
    batch2=lambda grad, batch1, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2, alpha: (
        maybe_times(
            batch1.transpose(1, 2).bmm(
                _spread(grad, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2)
            ),
            alpha,
        )
    ),
)
def addbmm(self: Array, batch1: Array, batch2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * the sum of batch1 @ batch2."""
    _check_sizes((0, batch1), (1, batch1), (2, batch2))
    _check_batches(batch1, batch2)
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}"
        )
    if batch1.shape[2] != batch2.shape[1]:
        first, second = (f"{each.shape[1]}x{each.shape[2]}" for each in (batch1, batch2))
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({first} and {second})")
    _one_type(self, batch1, batch2)
    if batch1.size and batch2.size:
        refuse_bools("addmm_impl_cpu_", batch1)
    elif not batch1.shape[2]:
        _check_factor(self, beta)
    if dtypes.is_half(batch1.dtype) and len(batch1):  # rounded after each
        for first, second in zip(batch1, batch2, strict=True):
            self, beta = _plus(self, exact_product(first, second), beta, alpha), 1
        return self
    return _plus(self, product(batch1, batch2).sum(0, dtype=batch1.dtype), beta, alpha)


@op(
    "AddrBackward0",
    self=lambda grad, beta: maybe_times(grad, beta),
    vec1=lambda grad, vec2, alpha: maybe_times(grad.mv(vec2), alpha),
    vec2=lambda grad, vec1, alpha: maybe_times(grad.t().mv(vec1), alpha),
)
def addr(self: Array, vec1: Array, vec2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * self + alpha * outer(vec1, vec2)."""
    if vec1.ndim != 1 or vec2.ndim != 1:
        number, wrong = (1, vec1) if vec1.ndim != 1 else (2, vec2)
        raise RuntimeError(f"addr: Expected 1-D argument vec{number}, but got {wrong.ndim}-D")
    kind = dtypes.result_dtype(np.atleast_1d(self), vec1, vec2)  # torch has expanded self
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if kind.kind != "b" and isinstance(factor, bool):
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if kind.kind in "iub" and isinstance(factor, (float, complex)):
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number."
            )
    self, vec1, vec2 = (each.astype(kind, copy=False) for each in (self, vec1, vec2))
    if dtypes.is_half(kind):  # rounded after each step
        found = np.multiply.outer(_times(vec1, alpha), vec2)
        found = found if beta == 0 else _times(self, beta) + found
    else:
        found = _plus(self, np.multiply.outer(_times(vec1, alpha), vec2), beta, 1)
    return laid_out(found, self, vec1[:, None], vec2)


def _spread(grad: Tensor, *shape: int) -> Tensor:
    return grad.unsqueeze(0).expand(shape)


def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """Every product of two vectors' elements."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        which = "self" if input._array.ndim != 1 else "vec2"
        ndim = input._array.ndim if which == "self" else vec2._array.ndim
        raise RuntimeError(f"outer: Expected 1-D argument {which}, but got {ndim}-D")
    return given("outer", out, reshape(input, input._array.size, 1) * vec2)


def ger(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """outer, by its older name; torch says so only of the form with out=."""
    if out is not None:
        warn_once(
            "torch.ger is deprecated and will be removed in a future PyTorch release. Use torch.outer instead.",
        )
    return outer(input, vec2, out=out)


def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """torch.matmul: chosen by the number of dimensions, folded to mm, mv or bmm as torch does."""
    if out is not None:
        check_out("matmul", out, (input, other))
        name = "dot" if input._array.ndim == other._array.ndim == 1 else "matmul"
        return given(name, out, matmul(input, other))
    try:
        a, b = input._array.ndim, other._array.ndim
    except AttributeError:
        check_tensors("matmul", input=input)
        found = wrong_type("matmul", "other", "Tensor", other, 1)  # of the method: the function looks before
        raise found from None
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return squeeze_(mm(unsqueeze(input, 0), other), 0)
    if a == 2 and b == 2:
        return mm(input, other)
    if should_fold(input, other):
        return _folded(input, other)
    return _batched(input, other)


def should_fold(a: Tensor, b: Tensor) -> bool:
    """Whether a batch of matrices is multiplied as one tall matrix, with mm or mv in place of bmm.

    Where the smaller one requires grad it is always so: expanded to a batch, its gradient would be a batch as well.
    """
    larger, smaller = (a, b) if a._array.ndim >= b._array.ndim else (b, a)
    if larger._array.ndim < 3 or smaller._array.ndim > 2:
        return False
    if smaller.requires_grad:
        return True
    if a._array.ndim == 2:  # the transposed result would have to be copied
        return False
    if not larger._array.size:
        return True
    if larger is b:
        larger = larger.mT
    shape, steps = larger._array.shape, larger.stride()
    return all(steps[i] == steps[i + 1] * shape[i + 1] for i in range(len(shape) - 2))


def _folded(a: Tensor, b: Tensor) -> Tensor:
    swapped = b._array.ndim > a._array.ndim
    big = b.mT if swapped else a
    small = (t(a) if a._array.ndim == 2 else a) if swapped else b
    *batch, columns = big._array.shape
    flat = reshape(big, int(np.prod(batch)), columns)
    if small._array.ndim == 1:
        return _unsafe_view(mv(flat, small), tuple(batch))
    found = _unsafe_view(mm(flat, small), (*batch, small._array.shape[1]))
    return found.mT.contiguous() if swapped else found


def _batched(a: Tensor, b: Tensor) -> Tensor:
    left, right = a._array.shape, b._array.shape
    vector = len(right) == 1
    if len(left) == len(right) == 3 and left[0] != right[0]:
        if left[0] == 1 and a.requires_grad:
            return matmul(a.squeeze(0), b)
        if right[0] == 1 and b.requires_grad:
            return matmul(a, b.squeeze(0))
    rows = left[-2:-1] or (1,)
    columns = () if vector else right[-1:]
    batch = broadcast_shapes(left[:-2], right[:-2])
    count = int(np.prod(batch))
    many = reshape(expand(a, (*batch, *rows, left[-1])), count, *rows, left[-1])
    inner = right[-1:] if vector else right[-2:]
    others = reshape(expand(b, (*batch, *inner)), count, *inner)
    shape = (*batch, *left[-2:-1], *columns) if len(left) > 1 else (*batch, *columns)
    if vector:
        return _unsafe_view(bmm(many, others.unsqueeze(2)).squeeze(-1), shape)
    return _unsafe_view(bmm(many, others), shape)


def rmatmul(self: Tensor, other: Any) -> Tensor:
    """other @ self."""
    return matmul(other, self)


def _is_fusable(bias: Tensor) -> bool:
    """Whether torch adds a bias in the product's kernel: one in a line, or with sides of 1 beside that."""
    array = bias._array
    in_line = array.ndim == 1 or len([n for n in array.shape if n != 1]) == 1
    return in_line and array.flags.c_contiguous


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """torch.nn.functional.linear: input @ weight.T + bias."""
    if out is not None:
        return given("linear", out, linear(input, weight, bias))
    try:
        ndim, of_weight = input._array.ndim, weight._array.ndim
    except AttributeError:
        check_tensors("linear", input=input, weight=weight)
        raise
    if not ndim or not of_weight:
        sizes = f"{ndim}D and {of_weight}D"
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {sizes}")
    if bias is None:
        return matmul(input, t(weight))
    if ndim == 2:
        return addmm(bias, input, t(weight))
    if BatchedTensor in (input.__class__, weight.__class__, bias.__class__):
        return matmul(input, t(weight)) + bias
    if not (input.is_contiguous() and _is_fusable(bias)):
        return matmul(input, t(weight)).add_(bias)
    shape = input._array.shape
    flat = reshape(input, -1 if input._array.size else int(np.prod(shape[:-1])), shape[-1])
    return view(addmm(bias, flat, t(weight)), (*shape[:-1], weight._array.shape[0]))
