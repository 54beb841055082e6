"""Views of a tensor's memory, and what joins, repeats and copies tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..modes import state
from ..rows import Array, op
from ..shapes import infer_size, sizes, wrap_dim, wrap_dims
from ..tensor import Tensor, make, version_counter

# Views --------------------------------------------------------------------------------------------


@op("ViewBackward0", name="view", view="default", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def _view(self: Array, size: Any) -> Array:
    shape = infer_size(size, self.size)
    try:
        return self.reshape(shape, copy=False)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        ) from None


def view(self: Tensor, *size: Any, dtype: Any = None) -> Tensor:
    """The same memory in another shape; or, given a dtype, its bytes as that type."""
    if len(size) == 1 and isinstance(size[0], dtypes.dtype):
        return _view_dtype(self, size[0])
    if dtype is not None:
        return _view_dtype(self, dtype)
    return _view(self, sizes(size))  # type: ignore[no-any-return]


def _view_dtype(self: Tensor, dtype: dtypes.dtype) -> Tensor:
    if dtype is self.dtype:
        return alias(self)  # type: ignore[no-any-return]
    return make(self._array.view(dtype.numpy))


@op("UnsafeViewBackward0", name="_unsafe_view", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def _unsafe_view(self: Array, size: Any) -> Array:
    return self.reshape(size)


def reshape(input: Tensor, *shape: Any) -> Tensor:  # noqa: A002
    """Another shape: a view where the memory allows, else a copy."""
    wanted = infer_size(sizes(shape), input._array.size)
    if input._array.flags.c_contiguous:
        return _view(input, wanted)  # type: ignore[no-any-return]
    try:
        input._array.reshape(wanted, copy=False)
    except ValueError:
        return _unsafe_view(input.clone(), wanted)  # type: ignore[no-any-return]
    return _view(input, wanted)  # type: ignore[no-any-return]


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view in another tensor's shape."""
    return _view(self, other._array.shape)  # type: ignore[no-any-return]


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """reshape to another tensor's shape."""
    return reshape(self, other._array.shape)


@op("AliasBackward0", view="default", self=lambda grad: grad)
def alias(self: Array) -> Array:
    """The same memory, the same shape."""
    return self[...]


@op(
    "ExpandBackward0",
    name="expand",
    view="default",
    self=lambda grad, self_sym_sizes: _sum_to(grad, self_sym_sizes),
)
def _expand(self: Array, size: Any) -> Array:
    shape = list(size)
    offset = len(shape) - self.ndim
    if offset < 0:
        kind = dtypes.BY_NUMPY[self.dtype].legacy
        raise RuntimeError(
            f"expand(torch.{kind}Tensor{{{list(self.shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({self.ndim})"
        )
    for i, n in enumerate(shape):
        have = self.shape[i - offset] if i >= offset else 1
        if n == -1:
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
    return np.lib.stride_tricks.as_strided(
        self, shape, [0] * offset + [0 if m == 1 and n != 1 else s for m, n, s in zip(self.shape, shape[offset:], self.strides, strict=True)]
    )


def _sum_to(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    from ..execution import sum_to

    return sum_to(grad, shape)


def expand(self: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    """Dimensions of length 1 repeated without copying."""
    return _expand(self, sizes(size))  # type: ignore[no-any-return]


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """expand to another tensor's shape."""
    return _expand(self, other._array.shape)  # type: ignore[no-any-return]


def broadcast_to(input: Tensor, size: Any) -> Tensor:  # noqa: A002
    """expand, as a function."""
    return _expand(input, tuple(size))  # type: ignore[no-any-return]


@op(
    "SelectBackward0",
    view="default",
    self=lambda grad, self_sym_sizes, dim, index: select_backward(grad, self_sym_sizes, dim, index),
)
def select(self: Array, dim: Any, index: Any) -> Array:
    """One entry along a dimension."""
    if self.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, self.ndim)
    n = self.shape[axis]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {dim}"
        )
    return self[(slice(None),) * axis + (index, ...)]


@op("SelectBackwardBackward0", grad_=lambda grad, dim, index: grad.select(dim, index))
def select_backward(grad_: Array, sizes: Any, dim: Any, index: Any) -> Array:
    """Zeros with the gradient at one entry."""
    result = np.zeros(sizes, grad_.dtype)
    result[(slice(None),) * wrap_dim(dim, len(sizes)) + (index,)] = grad_
    return result


@op(
    "SliceBackward0",
    name="slice",
    view="default",
    self=lambda grad, self_sym_sizes, dim, start, end, step: slice_backward(
        grad, self_sym_sizes, dim, start, end, step
    ),
)
def slice_(self: Array, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Array:
    """Entries start to end along a dimension."""
    return self[(slice(None),) * dim + (slice(start, end, step),)]


@op(
    "SliceBackwardBackward0",
    grad_=lambda grad, dim, start, end, step: slice_(grad, dim, start, end, step),
)
def slice_backward(grad_: Array, sizes: Any, dim: Any, start: Any, end: Any, step: Any) -> Array:
    """Zeros with the gradient in a slice."""
    result = np.zeros(sizes, grad_.dtype)
    result[(slice(None),) * dim + (slice(start, end, step),)] = grad_
    return result


@op("UnsqueezeBackward0", view="default", self=lambda grad, dim: grad.squeeze(dim))
def unsqueeze(self: Array, dim: Any) -> Array:
    """A new dimension of length 1."""
    return np.expand_dims(self, wrap_dim(dim, self.ndim + 1))


@op("SqueezeBackward0", name="squeeze", view="default", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def _squeeze_all(self: Array) -> Array:
    return self.reshape([n for n in self.shape if n != 1], copy=False)


@op(
    "SqueezeBackward1",
    name="squeeze_dim",
    view="default",
    self=lambda grad, self_sym_sizes, dim: grad.reshape(self_sym_sizes),
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
    self=lambda grad, self_sym_sizes, dim: grad.reshape(self_sym_sizes),
)
def _squeeze_dims(self: Array, dim: Any) -> Array:
    axes = wrap_dims(dim, self.ndim)
    return np.squeeze(self, tuple(a for a in axes if self.ndim and self.shape[a] == 1))


def squeeze(input: Tensor, dim: Any = None) -> Tensor:  # noqa: A002
    """Without the dimensions of length 1."""
    if dim is None:
        return _squeeze_all(input)  # type: ignore[no-any-return]
    if isinstance(dim, Sequence):
        return _squeeze_dims(input, tuple(dim))  # type: ignore[no-any-return]
    return _squeeze_dim(input, dim)  # type: ignore[no-any-return]


@op("TBackward0", view="default", self=lambda grad: grad.t())
def t(self: Array) -> Array:
    """A matrix transposed."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@op("TransposeBackward0", view="default", self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1))
def transpose(self: Array, dim0: Any, dim1: Any) -> Array:
    """Two dimensions exchanged."""
    if self.ndim == 0:
        wrap_dim(dim0, 0), wrap_dim(dim1, 0)
        return self[...]
    return np.swapaxes(self, wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim))


@op("PermuteBackward0", name="permute", view="default", self=lambda grad, dims: grad.permute(_inverse(dims)))
def _permute(self: Array, dims: Any) -> Array:
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    wrapped = [wrap_dim(dim, self.ndim) for dim in dims]
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(wrapped)


def _inverse(dims: Sequence[int]) -> list[int]:
    n = len(dims)
    inverse = [0] * n
    for position, dim in enumerate(dims):
        inverse[dim % n] = position
    return inverse


def permute(input: Tensor, *dims: Any) -> Tensor:  # noqa: A002
    """The dimensions in another order."""
    return _permute(input, sizes(dims))  # type: ignore[no-any-return]


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:  # noqa: A002
    """Dimensions moved to other places."""
    ndim = input._array.ndim
    src = [wrap_dim(d, ndim) for d in (source if isinstance(source, Sequence) else (source,))]
    dst = [wrap_dim(d, ndim) for d in (destination if isinstance(destination, Sequence) else (destination,))]
    order = [d for d in range(ndim) if d not in src]
    for to, place in sorted(zip(dst, src, strict=True)):
        order.insert(to, place)
    return permute(input, order)


def unflatten(input: Tensor, dim: Any, sizes: Any) -> Tensor:  # noqa: A002
    """One dimension split into several."""
    axis = wrap_dim(dim, input._array.ndim)
    shape = input._array.shape
    return view(input, (*shape[:axis], *infer_size(tuple(sizes), shape[axis]), *shape[axis + 1 :]))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:  # noqa: A002
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
    joined = int(np.prod(shape[first : last + 1]))
    return reshape(input, (*shape[:first], joined, *shape[last + 1 :]))


def ravel(input: Tensor) -> Tensor:  # noqa: A002
    """All dimensions as one."""
    return reshape(input, -1) if input._array.ndim != 1 else input


def narrow(input: Tensor, dim: Any, start: Any, length: Any) -> Tensor:  # noqa: A002
    """``length`` entries along a dimension."""
    if input._array.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[axis]
    first = start.item() if isinstance(start, Tensor) else start
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -n <= first <= n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n}], but got {first})"
        )
    if first < 0:
        first += n
    if first + length > n:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return slice_(input, axis, first, first + length, 1)  # type: ignore[no-any-return]


@op(
    "DiagonalBackward0",
    view="default",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2),
)
def diagonal(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """The diagonal of two dimensions, as the last one."""
    first, second = wrap_dim(dim1, self.ndim), wrap_dim(dim2, self.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    found = np.diagonal(self, offset, first, second)
    found.flags.writeable = self.flags.writeable
    return found


@op(
    "DiagonalBackwardBackward0",
    grad_=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)
def diagonal_backward(grad_: Array, sizes: Any, offset: int, dim1: int, dim2: int) -> Array:
    """Zeros with the gradient on a diagonal."""
    result = np.zeros(sizes, grad_.dtype)
    found = np.diagonal(result, offset, dim1, dim2)
    found.flags.writeable = True
    found[...] = grad_
    return result


# Several views at once ----------------------------------------------------------------------------


def defined(grads: Sequence[Tensor | None], metadata: Any) -> list[Tensor]:
    """Gradients of several outputs, zeros where one is undefined."""
    return [
        make(np.zeros(shape, kind)) if each is None else each
        for each, (shape, kind) in zip(grads, metadata, strict=True)
    ]


@op(
    "UnbindBackward0",
    view="multi_output",
    self=lambda grads, metadata, dim: stack(defined(grads, metadata), dim),
)
def unbind(self: Array, dim: Any = 0) -> Any:
    """The entries along a dimension, as views."""
    if self.ndim == 0:
        raise IndexError(
            f"Dimension specified as {dim} but tensor has no dimensions"
        )
    axis = wrap_dim(dim, self.ndim)
    lead = (slice(None),) * axis
    return [self[(*lead, i, ...)] for i in range(self.shape[axis])]


def _pieces(self: Array, axis: int, lengths: Sequence[int]) -> list[Array]:
    lead = (slice(None),) * axis
    found, start = [], 0
    for n in lengths:
        found.append(self[(*lead, slice(start, start + n))])
        start += n
    return found


@op(
    "SplitBackward0",
    name="split",
    view="multi_output",
    self=lambda grads, metadata, self_sym_sizes, split_size, dim: cat(defined(grads, metadata), dim),
)
def _split(self: Array, split_size: int, dim: Any = 0) -> Any:
    axis = wrap_dim(dim, self.ndim)
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    n = self.shape[axis]
    if split_size == 0:
        if n:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
        return [self[...]]
    count = max(1, -(-n // split_size))
    return _pieces(self, axis, [min(split_size, n - i * split_size) for i in range(count)])


@op(
    "SplitWithSizesBackward0",
    name="split_with_sizes",
    view="multi_output",
    self=lambda grads, metadata, self_sym_sizes, split_sizes, dim: cat(defined(grads, metadata), dim),
)
def split_with_sizes(self: Array, split_sizes: Any, dim: Any = 0) -> Any:
    """Pieces of given lengths along a dimension, as views."""
    axis = wrap_dim(dim, self.ndim)
    if sum(split_sizes) != self.shape[axis]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self.shape[axis]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(split_sizes)}"
        )
    return _pieces(self, axis, split_sizes)


def split(tensor: Tensor, split_size_or_sections: Any, dim: Any = 0) -> Any:
    """Pieces along a dimension, of one length or of given ones."""
    if isinstance(split_size_or_sections, int):
        return _split(tensor, split_size_or_sections, dim)
    return split_with_sizes(tensor, tuple(split_size_or_sections), dim)


def chunk(input: Tensor, chunks: int, dim: Any = 0) -> Any:  # noqa: A002
    """At most ``chunks`` pieces of equal length."""
    if input._array.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._array.shape[wrap_dim(dim, input._array.ndim)]
    size = -(-n // chunks)
    if size == 0 and n == 0:
        return split_with_sizes(input, (0,) * chunks, dim)
    return _split(input, size, dim)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: Any = 0) -> Any:  # noqa: A002
    """Pieces cut at given places, or in a number of nearly equal ones; each a slice of its own."""
    if input._array.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    axis = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[axis]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {count}")
        bounds = [0]
        for i in range(count):
            bounds.append(bounds[-1] + n // count + (1 if i < n % count else 0))
    else:
        bounds = [0, *indices_or_sections, n]
    return tuple(slice_(input, axis, a, b, 1) for a, b in zip(bounds, bounds[1:], strict=False))


# Joining ------------------------------------------------------------------------------------------


def _cat_parts(grad: Tensor, shapes: Sequence[tuple[int, ...]], dim: Any) -> list[Tensor]:
    found, start = [], 0
    for shape in shapes:
        if shape == (0,):  # an empty 1-d tensor joins anything
            found.append(make(np.zeros(0, grad._array.dtype)))
            continue
        n = shape[dim]
        found.append(grad.narrow(dim, start, n))
        start += n
    return found


@op(
    "CatBackward0",
    name="cat",
    lists="tensors",
    inputs={"tensors": lambda grad, _tensors_sizes, dim: _cat_parts(grad, _tensors_sizes, dim)},
)
def _cat(tensors: Any, dim: Any, _tensors_sizes: Any) -> Array:
    kind = dtypes.result_dtype(*tensors)
    joined = [each for each in tensors if each.shape != (0,)] or list(tensors)
    first = joined[0]
    axis = wrap_dim(dim, first.ndim)
    for number, each in enumerate(joined):
        if each.ndim != first.ndim:
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {first.ndim} and {each.ndim}"
            )
        for i, (a, b) in enumerate(zip(first.shape, each.shape, strict=True)):
            if i != axis and a != b:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {a} but got size {b} for "
                    f"tensor number {number} in the list."
                )
    return np.concatenate(joined, axis, dtype=kind)


def cat(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    """Tensors joined along a dimension."""
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"cat(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    if not tensors:
        raise RuntimeError("torch.cat(): expected a non-empty list of Tensors")
    for each in tensors:
        if isinstance(each, Tensor) and each._array.ndim == 0:
            number = [id(t) for t in tensors].index(id(each))
            raise RuntimeError(f"zero-dimensional tensor (at position {number}) cannot be concatenated")
    shapes = tuple(t._array.shape if isinstance(t, Tensor) else () for t in tensors)
    return _cat(tensors, dim, shapes, out=out)  # type: ignore[no-any-return]


concat = concatenate = cat


@op(
    "StackBackward0",
    name="stack",
    lists="tensors",
    inputs={"tensors": lambda grad, dim: list(grad.unbind(dim))},
)
def _stack(tensors: Any, dim: Any = 0) -> Array:
    kind = dtypes.result_dtype(*tensors)
    for number, each in enumerate(tensors):
        if each.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and "
                f"{list(each.shape)} at entry {number}"
            )
    return np.stack([each.astype(kind, copy=False) for each in tensors], wrap_dim(dim, tensors[0].ndim + 1))


def stack(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    """Tensors joined along a new dimension."""
    if isinstance(tensors, (tuple, list)) and not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    return _stack(tensors, dim, out=out)  # type: ignore[no-any-return]


# Copies -------------------------------------------------------------------------------------------


@op("CloneBackward0", name="clone", self=lambda grad: grad)
def _clone(self: Array) -> Array:
    return self.copy("C") if self.flags.c_contiguous else self.copy("K")


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:  # noqa: A002
    """A recorded copy."""
    copy: Tensor = _clone(input)
    if input._inference and not state.inference:
        version_counter(copy).value = 1  # torch copies into a tensor that counts
    return copy


def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself where its memory is in order, else a copy that is."""
    if self._array.flags.c_contiguous:
        return self
    return _in_order(self)  # type: ignore[no-any-return]


@op("CloneBackward0", name="_in_order", self=lambda grad: grad)
def _in_order(self: Array) -> Array:
    return self.copy("C")


@op("ToCopyBackward0", name="_to_copy", self=lambda grad: grad)
def _to_copy(self: Array, dtype: Any) -> Array:
    return self.astype(dtype.numpy)


@op(name="_to_copy_integer", tensors="self")
def _to_copy_integer(self: Array, dtype: Any) -> Array:
    return self.astype(dtype.numpy)


def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """The tensor in another dtype; itself where nothing changes."""
    for each in args:
        if isinstance(each, dtypes.dtype):
            dtype = each
        elif isinstance(each, Tensor):
            dtype = each.dtype
    if (dtype is None or dtype is self.dtype) and not copy:
        return self
    dtype = dtype or self.dtype
    if dtype.category < dtypes.FLOATING:
        return _to_copy_integer(self, dtype)  # type: ignore[no-any-return]
    return _to_copy(self, dtype)  # type: ignore[no-any-return]


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in another tensor's dtype."""
    return to(self, other.dtype)


def type_(self: Tensor, dtype: Any = None) -> Any:
    """The tensor in another dtype, or without one the name of its type."""
    if dtype is None:
        return f"torch.{self.dtype.legacy}Tensor"
    return to(self, dtype)


@op("CopyBackwards", name="copy", tensors="self", meet="", self=lambda grad: _zeros_like(grad), src=lambda grad: grad)
def _copy(self: Array, src: Array) -> Array:
    try:
        return np.broadcast_to(src, self.shape).astype(self.dtype)
    except ValueError:
        raise RuntimeError(
            f"The expanded size of the tensor must match the existing size: output with shape {list(self.shape)} "
            f"doesn't match the broadcast shape {list(np.broadcast_shapes(self.shape, src.shape))}"
        ) from None


def _zeros_like(grad: Tensor) -> Tensor:
    return make(np.zeros(grad._array.shape, grad._array.dtype))


@op(
    "RepeatBackward0",
    name="repeat",
    self=lambda grad, repeats, self_sym_sizes: _repeat_backward(grad, repeats, self_sym_sizes),
)
def _repeat(self: Array, repeats: Any) -> Array:
    if len(repeats) < self.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    return np.tile(self, repeats)


def _repeat_backward(grad: Tensor, repeats: Sequence[int], shape: tuple[int, ...]) -> Tensor:
    padded = (1,) * (len(repeats) - len(shape)) + tuple(shape)
    split_shape = [n for pair in zip(repeats, padded, strict=True) for n in pair]
    summed = grad.reshape(split_shape).sum(list(range(0, len(split_shape), 2)))
    return summed.reshape(shape)


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """The tensor tiled."""
    return _repeat(self, sizes(repeats))  # type: ignore[no-any-return]



def _reversed_dims(self: Tensor) -> Tensor:
    return permute(self, tuple(reversed(range(self._array.ndim))))


def _matrix_transpose(self: Tensor) -> Tensor:
    if self._array.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {self._array.ndim}-D tensor."
        )
    return transpose(self, -1, -2)  # type: ignore[no-any-return]


def _cast(kind: dtypes.dtype) -> Any:
    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        return to(self, kind)

    return method


def attach() -> None:
    """Transposing properties and the methods named after dtypes."""
    Tensor.T = property(_reversed_dims)  # type: ignore[attr-defined]
    Tensor.mT = property(_matrix_transpose)  # type: ignore[attr-defined]
    Tensor.H = Tensor.mH = property(_matrix_transpose)  # type: ignore[attr-defined]
    Tensor.type = type_  # type: ignore[attr-defined]
    names = {
        "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "int": dtypes.int32,
        "long": dtypes.int64, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_,
    }  # fmt: skip
    for name, kind in names.items():
        setattr(Tensor, name, _cast(kind))
    Tensor.cpu = lambda self, memory_format=None: self  # type: ignore[attr-defined]
