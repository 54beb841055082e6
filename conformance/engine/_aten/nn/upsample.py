"""Upsampling: nearest, linear, cubic and antialiased (torch: native/UpSample.h).

Every mode is separable: along one dimension after the other, each output element is a weighted sum of a few inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting
from ..._c10.layout import following
from ..._c10.shapes import ordered
from ..indexing.gather_scatter import add_along
from ..kernels import half_up
from ..registry import Array, op

PUBLIC = ()
Taps = list[
    tuple[Array, Array | None]
]  # per tap: the source indices of all outputs and their weights (None: 1)


def _nearest(old: int, new: int, scale: float | None, kind: Any) -> Taps:
    place = np.arange(new)
    if new == old:
        return [(place, None)]
    if new == 2 * old:
        return [(place >> 1, None)]
    step = np.float32(1.0 / scale if scale else np.float32(old) / np.float32(new))
    return [(np.minimum(np.floor(place.astype(np.float32) * step).astype(np.int64), old - 1), None)]


def _nearest_exact(old: int, new: int, scale: float | None, kind: Any) -> Taps:
    step = np.float32(1.0 / scale if scale else np.float32(old) / np.float32(new))
    place = np.floor((np.arange(new).astype(np.float32) + np.float32(0.5)) * step).astype(np.int64)
    return [(np.minimum(place, old - 1), None)]


def _step(old: int, new: int, scale: float | None, kind: Any, align_corners: bool) -> Any:
    """The distance of two neighbouring outputs, in inputs."""
    if align_corners:
        return kind((old - 1) / (new - 1) if new > 1 else 0)
    return kind(1.0 / scale if scale else old / new)


def _positions(old: int, new: int, scale: float | None, kind: Any, align_corners: bool, cubic: bool) -> Array:
    place, step = np.arange(new).astype(kind), _step(old, new, scale, kind, align_corners)
    if align_corners:
        return place * step
    result = step * (place + kind(0.5)) - kind(0.5)
    return result if cubic else np.maximum(result, kind(0))


def _linear(old: int, new: int, scale: float | None, kind: Any, align_corners: bool) -> Taps:
    if new == old:
        return [(np.arange(new), None)]
    source = _positions(old, new, scale, kind, align_corners, False)
    first = np.minimum(np.floor(source).astype(np.int64), old - 1)
    share = np.minimum(source - first, 1).astype(kind)
    second = first + (first < old - 1)
    return [(first, kind(1) - share), (second, share)]


def _cubic(old: int, new: int, scale: float | None, kind: Any, align_corners: bool) -> Taps:
    source = _positions(old, new, scale, kind, align_corners, True)
    first = np.floor(source)
    t = (source - first).astype(kind)
    a = kind(-0.75)

    def near(x: Array) -> Array:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Array) -> Array:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    weights = (far(t + 1), near(t), near(1 - t), far(2 - t))
    places = (np.clip(first.astype(np.int64) + o, 0, old - 1) for o in (-1, 0, 1, 2))
    return [(p, w.astype(kind)) for p, w in zip(places, weights, strict=True)]


def _triangle(x: Array) -> Array:
    return np.maximum(1 - np.abs(x), 0)


def _hat(x: Array) -> Array:
    """The cubic convolution kernel of _cubic with Pillow's coefficient."""
    x, a = np.abs(x), x.dtype.type(-0.5)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x < 1, near, far)


def _windowed_sinc(x: Array) -> Array:
    return (np.sinc(x) * np.sinc(x / 3)).astype(x.dtype)


def _filtered(reach: int, weigh: Callable[[Array], Array]) -> Callable[..., Taps]:
    """Antialiased taps: within ``reach`` elements of the center, times the scale if the image shrinks."""

    def taps(old: int, new: int, scale: float | None, kind: Any, align_corners: bool) -> Taps:
        need_fitting(reach < 3 or not align_corners, "interpolate")
        step = _step(old, new, scale, kind, align_corners)
        center = (step * (np.arange(new) + 0.5)).astype(kind)
        support = kind(reach * max(step, 1))
        first = np.maximum((center - support + 0.5).astype(np.int64), 0)
        size = np.minimum((center + support + 0.5).astype(np.int64), old) - first
        narrowed = kind(1 / max(step, 1))
        result: Taps = []
        for each in range(int(size.max())):
            place = first + each
            weights = weigh(((place - center + 0.5) * narrowed).astype(kind))
            result.append((np.minimum(place, old - 1), np.where(each < size, weights, kind(0))))
        total = sum(w for _, w in result if w is not None)
        return [(place, None if w is None else w / np.where(total == 0, 1, total)) for place, w in result]

    return taps


def _rounded(taps: Taps, kind: np.dtype[Any]) -> Taps:
    """The weights in half precision; of two weights, the first is 1 minus the second, rounded again."""
    result = [(places, None if w is None else half_up(w.astype(kind))) for places, w in taps]
    second = result[-1][1]
    if len(result) == 2 and second is not None:
        result[0] = result[0][0], half_up((np.float32(1) - second).astype(kind))
    return result


def _gather(array: Array, axis: int, taps: Taps) -> Array:
    shape = [1] * array.ndim
    shape[axis] = len(taps[0][0])
    result = None
    for sources, weights in taps:
        part = np.take(array, sources, axis)
        if weights is not None:
            part = part * weights.reshape(shape)
        result = part if result is None else result + part
    assert result is not None
    return result


def _scatter(array: Array, axis: int, taps: Taps, length: int) -> Array:
    result = np.zeros((*array.shape[:axis], length, *array.shape[axis + 1 :]), array.dtype)
    shape = (array.shape[axis], *(1,) * (array.ndim - axis - 1))
    for sources, weights in taps:
        each = array if weights is None else array * weights.reshape(shape)
        add_along(result, axis, sources.reshape(*(1,) * axis, *shape), each)
    return result


def _rows(
    name: str, node: str, spatial: int, taps_of: Callable[..., Taps], aligned: bool, **facts: Any
) -> Any:
    """Register forward and backward for one mode and number of dimensions."""
    scales = ["scales"] if spatial == 1 else [f"scales_{each}" for each in "dhw"[-spatial:]]
    rounds = not (spatial == 2 and taps_of is _linear)  # bilinear keeps its weights in single precision
    plain = ["output_size", *(["align_corners"] if aligned else []), *scales]

    def each(sizes: Any, new: Any, rest: Any, kind: Any) -> list[tuple[int, Taps, int]]:
        align = rest[:1] if aligned else ()
        factors = rest[1:] if aligned else rest
        old = sizes[-spatial:]
        return [
            (len(sizes) - spatial + i, taps_of(old[i], new[i], factors[i], kind, *align), old[i])
            for i in range(spatial)
        ]

    def forward(self: Array, output_size: Any, *rest: Any) -> Array:
        result = half_up(self)
        for axis, taps, _ in each(self.shape, output_size, rest, result.dtype.type):
            weights = _rounded(taps, self.dtype) if rounds and result is not self else taps
            result = _gather(result, axis, weights)
        return following(result.astype(self.dtype, copy=False), self)

    def backward(grad_output: Array, output_size: Any, input_size: Any, *rest: Any) -> Array:
        result = grad_output.astype(np.promote_types(grad_output.dtype, np.float32), copy=False)
        for axis, taps, length in reversed(each(input_size, output_size, rest, result.dtype.type)):
            result = _scatter(result, axis, taps, length)
        found = result.astype(grad_output.dtype, copy=False)
        # these ignore the gradient's strides
        in_order = "cubic" in name or "lanczos" in name or (spatial == 3 and not aligned)
        return ordered(found) if in_order else following(found, grad_output)

    def first(grad: Tensor, self_sym_sizes: Any, output_size: Any, *rest: Any) -> Tensor:
        return gradient(grad, output_size, self_sym_sizes, *rest)

    def again(grad: Tensor, output_size: Any, *rest: Any) -> Tensor:
        return resized(grad, output_size, *rest)

    gradient = op(
        f"{node}BackwardBackward0", name=f"{name}_backward", grad_output=named(again, "grad", *plain)
    )(named(backward, "grad_output", "output_size", "input_size", *plain[1:]))
    resized = op(f"{node}Backward0", name=name, self=named(first, "grad", "self_sym_sizes", *plain), **facts)(
        named(forward, "self", *plain)
    )
    return resized


def named(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Give a function of ``*rest`` the parameter names that its registration reads."""
    listed = ", ".join(names)
    result: Callable[..., Any] = eval(f"lambda {listed}: function({listed})", {"function": function})
    return result


def _plain(mode: str, spatial: int, taps_of: Callable[..., Taps]) -> Any:
    nearest = taps_of is _nearest
    return _rows(
        f"upsample_{mode}{spatial}d", f"Upsample{mode.capitalize()}{spatial}D", spatial, taps_of, not nearest,
        jvp="auto_linear", vmap="folded",
    )  # fmt: skip


# By mode and number of dimensions.
ROWS: dict[tuple[str, int], Any] = {
    **{("nearest", n): _plain("nearest", n, _nearest) for n in (1, 2, 3)},
    **{
        ("nearest-exact", n): _rows(
            f"_upsample_nearest_exact{n}d",
            f"UpsampleNearestExact{n}D",
            n,
            _nearest_exact,
            False,
            vmap="fallback",
        )
        for n in (1, 2, 3)
    },
    ("linear", 1): _plain("linear", 1, _linear),
    ("bilinear", 2): _plain("bilinear", 2, _linear),
    ("trilinear", 3): _plain("trilinear", 3, _linear),
    ("bicubic", 2): _plain("bicubic", 2, _cubic),
}
ANTIALIASED = {
    (mode, 2): _rows(
        f"_upsample_{mode}2d_aa",
        f"Upsample{mode.capitalize()}2DAa",
        2,
        _filtered(*how),
        True,
        jvp="auto_linear",
        vmap="fallback" if mode == "lanczos" else "folded",
    )
    for mode, how in {
        "bilinear": (1, _triangle),
        "bicubic": (2, _hat),
        "lanczos": (3, _windowed_sinc),
    }.items()
}
