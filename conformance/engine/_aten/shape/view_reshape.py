"""view, reshape, expand, squeeze, unsqueeze, flatten, unflatten and their aliases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._arguments.argument_errors import check_ints
from ..._arguments.overloads import argument_error
from ..._autograd import torch_function
from ..._autograd.tensor import Tensor, make, version_counter
from ..._autograd.tensor_attributes import is_conj, is_neg
from ..._autograd.torch_dispatch_subclass import has_torch_dispatch
from ..._autograd.validate_outputs import sum_to
from ..._c10 import dtypes, errors
from ..._c10.errors import MisfitError
from ..._c10.interpreter_stack import transforms
from ..._c10.layout import LayoutError
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import infer_size, restrided, sizes, strides, viewed, wrap_dim, wrap_dims
from ..creation import legacy_constructors
from ..registry import Array, op
from ..type_promotion import MISSING
from .clone_to import in_order

# Views --------------------------------------------------------------------------------------------


@op(
    "ViewBackward0",
    name="view",
    view="default",
    complex="holomorphic",
    self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes),
)
def _view(self: Array, size: Any) -> Array:
    return _in_shape(self, size)


def _in_shape(self: Array, size: Any) -> Array:
    shape = infer_size(size, self.size)
    try:
        return viewed(self, shape)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        ) from None


@composite(variants="method", vmap="decompose")
def view(self: Tensor, *sides: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """A view with another shape; or, given a dtype, of the same bytes as that dtype."""
    asked = sides[0] if len(sides) == 1 and isinstance(sides[0], (dtypes.dtype, type)) else dtype
    try:
        if asked is not None:
            kind = dtypes.parse_dtype("view", asked)
        else:
            shape = sizes(sides if size is None else (size,))
    except TypeError as error:
        named = {name: value for name, value in (("size", size), ("dtype", dtype)) if value is not None}
        raise argument_error("Tensor.view", sides, named) or error from None
    return _view(self, shape) if asked is None else _view_dtype(self, kind)


def _view_dtype(self: Tensor, dtype: dtypes.dtype) -> Tensor:
    for lazily, what in (
        (is_conj, "conjugate view tensors"),
        (is_neg, "tensors with negative bit set"),
    ):
        if lazily(self):
            raise RuntimeError(
                f"torch.Tensor.view is not supported for {what} when converting to a different dtype."
            )
    _check_bytes(self, dtype)
    result = make(self._array.view(dtype.numpy))
    result._inference = state.inference
    if not (result._inference or self._inference):
        result._version_counter = version_counter(self)
    return result


def _check_bytes(self: Tensor, dtype: dtypes.dtype) -> None:
    """Refuse a dtype of another element size if the tensor's shape and strides do not allow it."""
    own, new = self.dtype.itemsize, dtype.itemsize
    if own == new:
        return
    text = f"to view {self.dtype.legacy} as {dtype.legacy} (different element sizes)"
    shape, steps = self._array.shape, strides(self._array)
    if not shape:
        raise RuntimeError(f"self.dim() cannot be 0 {text}")
    ratio = max(new // own, 1)
    for what, value in (("size(-1)", shape[-1]), ("storage_offset()", self.storage_offset())):
        if value % ratio:
            raise RuntimeError(f"self.{what} must be divisible by {ratio} {text}, but got {value}")
    if steps[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {text}, but got {steps[-1]}")
    for i, step in enumerate(steps[:-1]):
        if step % ratio:
            raise RuntimeError(f"self.stride({i}) must be divisible by {ratio} {text}, but got {step}")


@op(
    "UnsafeViewBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes),
)
def _unsafe_view(self: Array, size: Any) -> Array:
    return _in_shape(self, size)


@op(
    "ReshapeAliasBackward0",
    view="default",
    complex="holomorphic",
    self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes),
)
def _reshape_alias(self: Array, size: Any) -> Array:
    return viewed(self, size)


@composite(vmap="decompose")
def reshape(input: Tensor, *sides: Any, shape: Any = None) -> Tensor:
    """Another shape: a view if the strides allow it, else a copy."""
    given = sizes(sides if shape is None else (shape,), "reshape(): argument 'shape'")
    wanted = infer_size(given, input._array.size)
    try:
        in_order_already = input._array.flags.c_contiguous
    except LayoutError:
        raise RuntimeError("reshape is not implemented for sparse tensors") from None
    if in_order_already:
        return _view(input, wanted)
    try:
        if (transforms.backward or state.dispatch_modes or has_torch_dispatch(input)) and type(
            input._array
        ) is np.ndarray:
            viewed(input._array, wanted)
            return _view(input, wanted)  # torch's choice for what is like a subclass (isTensorSubclassLike)
        return _reshape_alias(input, wanted)
    except (ValueError, MisfitError):
        return _unsafe_view(in_order(input), wanted)


@composite(variants="method", vmap="decompose")
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view in another tensor's shape."""
    return _view(self, other._array.shape)


@composite(variants="method", vmap="decompose")
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """reshape to another tensor's shape."""
    return reshape(self, other._array.shape)


@op(
    "AliasBackward0",
    view="default",
    complex="holomorphic",
    vmap="pointwise",
    variants="",
    self=lambda grad: grad,
)
def alias(self: Array) -> Array:
    """A view of the whole tensor."""
    return self[...]


@op(
    "ExpandBackward0",
    name="expand",
    view="default",
    complex="holomorphic",
    self=lambda grad, self_sym_sizes: sum_to(grad, self_sym_sizes),
)
def _expand(self: Array, size: Any) -> Array:
    shape = list(size)
    offset = len(shape) - self.ndim
    if offset < 0:
        kind = errors.tensor_type(dtypes.BY_NUMPY[self.dtype])
        raise RuntimeError(
            f"expand({kind}{{{list(self.shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({self.ndim})"
        )
    for i in reversed(range(len(shape))):
        n, have = shape[i], self.shape[i - offset] if i >= offset else 1
        if n == -1 and self.ndim:
            if i < offset:
                raise RuntimeError(
                    f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {i}"
                )
            shape[i] = have
        elif have not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({have}) at non-singleton "
                f"dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(self.shape)}"
            )
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    steps = [
        0 if m == 1 and n != 1 else s
        for m, n, s in zip(self.shape, shape[offset:], self.strides, strict=True)
    ]
    for n in reversed(shape[:offset]):
        extent = shape[-len(steps)] * steps[0] if steps else 0  # all strides of an expanded 0-d tensor are 0
        steps.insert(0, extent if n == 1 else 0)
    return restrided(self, shape, steps)


@composite(variants="method", vmap="decompose")
def expand(self: Tensor, *sides: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """Dimensions of length 1 repeated without copying."""
    return _expand(self, sizes(sides if size is None else (size,), "expand(): argument 'size'"))


@composite(variants="method", vmap="decompose")
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """expand to another tensor's shape."""
    return _expand(self, other._array.shape)


@composite(vmap="decompose")
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """expand, as a function."""
    return _expand(input, sizes((size,)))


@composite(vmap="decompose")
def _broadcast_to(self: Tensor, *sides: Any, size: Any = None) -> Tensor:
    return _expand(self, sizes(sides if size is None else (size,), "broadcast_to(): argument 'size'"))


@op("UnsqueezeBackward0", view="default", complex="holomorphic", self=lambda grad, dim: grad.squeeze(dim))
def unsqueeze(self: Array, dim: Any) -> Array:
    """A new dimension of length 1; its stride, unlike numpy's, is the size times the stride of the next dimension."""
    axis = wrap_dim(dim, self.ndim + 1)
    shape, steps = self.shape, self.strides
    step = steps[axis] * shape[axis] if axis < len(shape) else self.itemsize
    shape, steps = (*shape[:axis], 1, *shape[axis:]), (*steps[:axis], step, *steps[axis:])
    return restrided(self, shape, steps)


def _unsqueeze_to(grad: Tensor, shape: tuple[int, ...], dims: Any) -> Tensor:
    for axis in dims:
        if shape and shape[axis] == 1:
            grad = grad.unsqueeze(axis % len(shape))
    return grad


@op(
    "SqueezeBackward0",
    name="squeeze",
    view="default",
    complex="holomorphic",
    self=lambda grad, self_sym_sizes: _unsqueeze_to(grad, self_sym_sizes, range(len(self_sym_sizes))),
)
def _squeeze_all(self: Array) -> Array:
    return np.squeeze(self)


@op(
    "SqueezeBackward1",
    name="squeeze_dim",
    view="default",
    overload="dim",
    complex="holomorphic",
    operator="squeeze",
    self=lambda grad, self_sym_sizes, dim: _unsqueeze_to(
        grad, self_sym_sizes, [wrap_dim(dim, len(self_sym_sizes))]
    ),
)
def _squeeze_dim(self: Array, dim: Any) -> Array:
    axis = wrap_dim(dim, self.ndim)
    if self.ndim == 0 or self.shape[axis] != 1:
        return self[...]
    return np.squeeze(self, axis)


@op(
    "SqueezeBackward2",
    name="squeeze_dims",
    view="default",
    overload="dims",
    complex="holomorphic",
    operator="squeeze",
    self=lambda grad, self_sym_sizes, dim: _unsqueeze_to(
        grad, self_sym_sizes, sorted(wrap_dims(dim, len(self_sym_sizes)))
    ),
)
def _squeeze_dims(self: Array, dim: Any) -> Array:
    axes = wrap_dims(dim, self.ndim)
    return np.squeeze(self, tuple(a for a in axes if self.ndim and self.shape[a] == 1))


@composite(vmap="decompose")
def squeeze(input: Tensor, dim: Any = MISSING) -> Tensor:
    """Without the dimensions of length 1."""
    if dim is MISSING:
        return _squeeze_all(input)
    if isinstance(dim, (tuple, list)):
        return _squeeze_dims(input, tuple(dim))
    return _squeeze_dim(input, dim)


@composite(vmap="decompose")
def unflatten(input: Tensor, dim: Any, sizes: Any) -> Tensor:
    """One dimension split into several."""
    axis = wrap_dim(dim, input._array.ndim, "unflatten")
    shape = input._array.shape
    if not len(sizes):
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nDimension specified as {axis} but tensor has no dimensions"
        )
    try:
        parts = infer_size(tuple(sizes), shape[axis])
    except RuntimeError as error:
        if "only one" in str(error) or "ambiguous" in str(error):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} "
            f"({shape[axis]}) in the input tensor"
        ) from None
    return view(input, (*shape[:axis], *parts, *shape[axis + 1 :]))


@composite(vmap="decompose")
def _unflatten(self: Tensor, dim: Any, sizes: Any) -> Tensor:
    """Tensor.unflatten, which torch implements in Python."""
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    check_ints("unflatten", "sizes", sizes, 2, alone=False)
    return unflatten(self, dim, sizes)


_unflatten.__name__, _unflatten.__qualname__ = "unflatten", "Tensor.unflatten"


@composite(vmap="decompose")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions start_dim to end_dim as one."""
    ndim = input._array.ndim
    first, last = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return reshape(input, 1)
    if first == last:
        return input
    shape = input._array.shape
    joined = math.prod(shape[first : last + 1])
    return reshape(input, (*shape[:first], joined, *shape[last + 1 :]))


@composite(vmap="decompose")
def ravel(input: Tensor) -> Tensor:
    """All dimensions as one."""
    return _view(input.contiguous(), (input._array.size,))


def attach() -> None:
    """Attach the methods of Tensor that have no function of the same name."""
    Tensor.unflatten = _unflatten  # type: ignore[attr-defined]
    Tensor.broadcast_to = _broadcast_to  # type: ignore[attr-defined]


torch_function._alias = legacy_constructors.alias = alias
