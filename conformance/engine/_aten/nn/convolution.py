"""Convolutions of any number of dimensions, and their transposes (torch: native/Convolution.cpp).

The forward pass and both gradients are matrix products over the same matrix of windows ("columns", as in im2col): the
output is weight @ columns, the input's gradient is col2im of weight.T @ grad, and the weight's gradient is grad @
columns.T. A transposed convolution swaps the first two.
"""

from __future__ import annotations

import math
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import is_half
from ..._c10.errors import expected_scalar_type, need_fitting
from ..._c10.layout import channels_last, following_image, is_contiguous_as
from ..._c10.shapes import is_one_number, like_steps
from ..registry import Array, OptionalArray, op
from ..shape.cat_stack import cat

PUBLIC = ()
Ints = tuple[int, ...]


class Geometry(NamedTuple):
    """Kernel size, stride, padding and dilation of a convolution."""

    kernel: Ints
    stride: Ints
    padding: Ints
    dilation: Ints

    def extent(self) -> Ints:
        """The extent of the dilated kernel along each dimension."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def places(self, sizes: Ints) -> Ints:
        """The output size along each dimension."""
        return tuple(
            (n + 2 * p - e) // s + 1
            for n, p, e, s in zip(sizes, self.padding, self.extent(), self.stride, strict=True)
        )


def full(setting: Ints, spatial: int) -> Ints:
    """A setting for each dimension; a single number applies to all."""
    return setting * spatial if len(setting) == 1 else setting


def as_setting(name: str, value: Any, spatial: int) -> Ints:
    """A setting as torch passes it on: a number applies to all dimensions, a sequence has one number or all."""
    found = (index(value),) * spatial if is_one_number(value) else tuple([index(each) for each in value])
    need_fitting(len(found) in (1, spatial), name)
    return found


def padded(array: Array, padding: Ints) -> Array:
    """Pad the last dimensions with zeros."""
    if not any(padding):
        return array
    return np.pad(array, [(0, 0)] * (array.ndim - len(padding)) + [(p, p) for p in padding])


def windows(array: Array, geometry: Geometry, places: Ints | None = None) -> Array:
    """A view of the padded array's windows (leading dimensions, kernel, output), or of the first ``places`` of them."""
    around = padded(array, geometry.padding)
    spatial = len(geometry.kernel)
    lead = array.ndim - spatial
    steps = around.strides[lead:]
    return np.lib.stride_tricks.as_strided(
        around,
        (*array.shape[:lead], *geometry.kernel, *(places or geometry.places(array.shape[lead:]))),
        (
            *around.strides[:lead],
            *(s * d for s, d in zip(steps, geometry.dilation, strict=True)),
            *(s * t for s, t in zip(steps, geometry.stride, strict=True)),
        ),
    )


def put_back(columns: Array, sizes: Ints, geometry: Geometry) -> Array:
    """Sum overlapping windows into an array (col2im): the transpose of ``windows``."""
    spatial = len(sizes)
    lead = columns.ndim - 2 * spatial
    places = columns.shape[lead + spatial :]
    around = np.zeros(
        (*columns.shape[:lead], *(n + 2 * p for n, p in zip(sizes, geometry.padding, strict=True))),
        columns.dtype,
    )
    starts = (slice(None),) * lead
    for offset in np.ndindex(*geometry.kernel):
        place = tuple(
            slice(o * d, o * d + s * (n - 1) + 1, s)
            for o, d, s, n in zip(offset, geometry.dilation, geometry.stride, places, strict=True)
        )
        around[(..., *place)] += columns[(*starts, *offset)]
    if not any(geometry.padding):
        return around
    return around[(..., *(slice(p, p + n) for n, p in zip(sizes, geometry.padding, strict=True)))].copy()


def _columns(array: Array, geometry: Geometry, groups: int, places: Ints) -> Array:
    """The matrix of windows: batch, group, channels times kernel, output elements."""
    inner = array.shape[1] // groups * math.prod(geometry.kernel)
    return windows(array, geometry, places).reshape(array.shape[0], groups, inner, math.prod(places))


def correlate(array: Array, weight: Array, geometry: Geometry, groups: int, places: Ints) -> Array:
    """The convolution, for the first ``places`` output elements along each dimension."""
    outer = weight.shape[0]
    matrix = weight.reshape(groups, outer // groups, -1)
    result = np.empty(
        (array.shape[0], outer, *places), array.dtype
    )  # a copy: a gradient has to own its memory
    flat = result.reshape(array.shape[0], groups, outer // groups, math.prod(places))
    np.matmul(matrix, _columns(array, geometry, groups, places), out=flat)
    return result


def spread(
    array: Array,
    weight: Array,
    sizes: Ints,
    geometry: Geometry,
    groups: int,
) -> Array:
    """The transpose of the convolution: scatter each output element's contribution to an input of these sizes."""
    outer, inner = weight.shape[:2]
    batch = array.shape[0]
    matrix = weight.reshape(groups, outer // groups, -1).swapaxes(1, 2)
    columns = np.matmul(matrix, array.reshape(batch, groups, outer // groups, math.prod(array.shape[2:])))
    columns = columns.reshape(batch, inner * groups, *geometry.kernel, *array.shape[2:])
    return put_back(columns, sizes, geometry)


def weigh(array: Array, grad: Array, shape: Ints, geometry: Geometry, groups: int) -> Array:
    """The gradient of the weight."""
    batch, outer = grad.shape[:2]
    places = math.prod(grad.shape[2:])
    columns = _columns(array, geometry, groups, grad.shape[2:])
    rows = grad.reshape(batch, groups, outer // groups, places)
    result = np.empty(shape, array.dtype)
    if groups == 1:
        flat = rows.transpose(1, 2, 0, 3).reshape(1, outer, batch * places)
        tall = columns.transpose(1, 0, 3, 2).reshape(1, batch * places, columns.shape[2])
        np.matmul(flat, tall, out=result.reshape(1, outer, columns.shape[2]))
    else:
        np.matmul(rows, columns.swapaxes(2, 3)).sum(
            0, out=result.reshape(groups, outer // groups, columns.shape[2])
        )
    return result


def _single(*arrays: Array | None) -> list[Any]:
    """Cast half precision to single; leave other dtypes unchanged."""
    return [a.astype(np.float32) if a is not None and is_half(a.dtype) else a for a in arrays]


@op(
    "ConvolutionBackward0", jvp="multilinear",
    schema_args=lambda *args: (args[:9], {}),
    inputs={
        "input weight bias": lambda grad, input, weight, bias_sym_sizes_opt, stride, padding, dilation,
        transposed, output_padding, groups, needed: convolution_backward(
            grad, input, weight, bias_sym_sizes_opt, stride, padding, dilation, transposed, output_padding, groups,
            tuple(needed),
        )
    },
)  # fmt: skip
def convolution(
    input: Array, weight: Array, bias: OptionalArray, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, output_padding: Ints, groups: int, bias_sym_sizes_opt: Ints = (0,),
) -> Array:  # fmt: skip
    """torch.convolution, with all arguments already expanded and checked."""
    if input.dtype != weight.dtype:
        raise expected_scalar_type(input.dtype, weight.dtype)
    kind = input.dtype
    x, w, b = _single(input, weight, bias)
    dims = weight.ndim - 2
    geometry = Geometry(weight.shape[2:], full(stride, dims), full(padding, dims), full(dilation, dims))
    if transposed:
        sizes = transposed_sizes(input.shape[2:], geometry, full(output_padding, dims))
        result = spread(x, w, sizes, geometry, groups)
    else:
        result = correlate(x, w, geometry, groups, geometry.places(input.shape[2:]))
    if b is not None:
        result += b.reshape(len(b), *(1,) * dims)
    return following_image(dims, result.astype(kind, copy=False), input, weight)


def transposed_sizes(sizes: Ints, geometry: Geometry, output_padding: Ints) -> Ints:
    """The sizes of a transposed convolution's result."""
    along = zip(sizes, geometry.stride, geometry.padding, geometry.extent(), output_padding, strict=True)
    return tuple((n - 1) * s - 2 * p + e + o for n, s, p, e, o in along)


def _double_backward(
    grads: Any, grad_output: Tensor, input: Tensor, weight: Tensor, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, output_padding: Ints, groups: int, needed: Any,
) -> Any:  # fmt: skip
    """The gradients of grad_output, input and weight: convolutions again, each linear in each of its operands."""
    gg_input, gg_weight, gg_bias = grads
    dims = len(weight._array.shape[2:])
    stride, padding, dilation, output_padding = (
        full(each, dims) for each in (stride, padding, dilation, output_padding)
    )
    settings = (stride, padding, dilation, transposed, output_padding, groups)
    g_out = g_input = g_weight = None
    if gg_input is not None:
        g_out = convolution(gg_input, weight, None, *settings)
    if gg_weight is not None:
        term = convolution(input, gg_weight, None, *settings)
        g_out = term if g_out is None else g_out + term
    if gg_bias is not None:
        term = gg_bias.contiguous().view(1, -1, *(1,) * dims).expand(grad_output._array.shape)
        g_out = term if g_out is None else g_out + term
    if gg_input is not None and needed[2]:
        g_weight = _weight_by_channels(grad_output, gg_input, weight, *settings)
    if gg_weight is not None and needed[1]:
        geometry = Geometry(weight._array.shape[2:], stride, padding, dilation)
        least = transposed_sizes(grad_output._array.shape[2:], geometry, (0,) * dims)
        beyond = tuple(n - m for n, m in zip(input._array.shape[2:], least, strict=True))
        beyond = output_padding if transposed else beyond
        g_input = _first_places(
            convolution(
                grad_output, gg_weight, None, stride, padding, dilation, not transposed, beyond, groups
            ),
            input._array.shape,
        )
    return g_out, g_input, g_weight


@op(
    "ConvolutionBackwardBackward0",
    outputs="result0 result1 result2",
    inputs={
        "grad_output input weight": _double_backward
    },
)  # fmt: skip
def convolution_backward(
    grad_output: Array, input: Array, weight: Array, bias_sizes: Ints, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, output_padding: Ints, groups: int, output_mask: tuple[bool, ...],
) -> Any:  # fmt: skip
    """The gradients of input, weight and bias that ``output_mask`` selects.

    Raises:
        RuntimeError: a third derivative of a transposed convolution, as in torch.
    """
    if not transposed and any(output_padding):
        got = " ".join(map(str, output_padding))
        raise RuntimeError(f"output_padding is not supported for non-transposed convolutions; got: {got}")
    kind = input.dtype
    g, x, w = _single(grad_output, input, weight)
    dims = weight.ndim - 2
    geometry = Geometry(weight.shape[2:], full(stride, dims), full(padding, dims), full(dilation, dims))
    nothing = np.zeros(0, kind)
    result = [nothing, nothing, nothing]
    if output_mask[0]:
        if transposed:
            result[0] = correlate(g, w, geometry, groups, input.shape[2:])
        else:
            result[0] = spread(g, w, input.shape[2:], geometry, groups)
    if output_mask[1]:
        over, along = (g, x) if transposed else (x, g)
        result[1] = weigh(over, along, weight.shape, geometry, groups)
    if output_mask[2]:
        result[2] = g.sum((0, *range(2, g.ndim)))
    result = [each.astype(kind, copy=False) for each in result]
    result[0], result[1] = (following_image(dims, each, input, weight) for each in result[:2])
    plain = kind == np.float64 and (
        transposed or max(dilation) == 1
    )  # torch's native kernel instead of oneDNN's
    if plain and is_contiguous_as(weight, channels_last):
        result[1] = like_steps(result[1], weight)
    return result


def _weight_by_channels(
    grad_output: Tensor, gg_input: Tensor, weight: Tensor, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, output_padding: Ints, groups: int,
) -> Tensor:  # fmt: skip
    """The weight's gradient as a convolution over the batch, per channel, cropped to the kernel's size."""
    settings = (dilation, padding, stride, False, output_padding, 1)

    def product(over: Tensor, along: Tensor) -> Tensor:
        return convolution(*((along, over) if transposed else (over, along)), None, *settings)

    along, over = grad_output.transpose(0, 1), gg_input.transpose(0, 1)
    if groups == 1:
        result = product(over, along)
    else:
        n, m = (each._array.shape[0] // groups for each in (over, along))
        of_groups = ((over.narrow(0, g * n, n), along.narrow(0, g * m, m)) for g in range(groups))
        result = cat([product(*each) for each in of_groups], 1)
    return _first_places(result.transpose(0, 1), weight._array.shape)


def _first_places(found: Tensor, shape: Ints) -> Tensor:
    """Crop to a shape: strides or output_padding may leave more elements than that."""
    for axis, n in enumerate(shape):
        if found._array.shape[axis] > n:
            found = found.narrow(axis, 0, n)
    return found
