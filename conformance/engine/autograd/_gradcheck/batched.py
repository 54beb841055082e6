"""gradcheck of batched gradients: one pass with a batch against one pass for each sample (torch: autograd/gradcheck.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..._aten.creation.factories import zeros
from ..._aten.random.random import randn_like
from ..._aten.shape.cat_stack import stack
from ..._autograd import backward
from ..._autograd.tensor import Tensor
from ..._transforms.forward_ad import dual_level, make_dual, unpack_dual
from ..._transforms.vmap import old_vmap
from . import errors
from .jacobians import Function, Tensors, as_tuple, is_floating, places_wanted

_COUNT = 2  # the batch size


def wrong_batched_gradients(points: Tensors, output: Tensor, number: int) -> Iterator[str]:
    """The mismatch between batched and per-sample gradients of one output, if any."""
    by = [points[index] for index in places_wanted(points)]

    def vjp(*given: Tensor | None) -> list[Tensor | None]:
        found = backward.grad(output, by, given, retain_graph=True, allow_unused=True)
        return [_zeros(point) if each is None else each for each, point in zip(found, by, strict=True)]

    examples = [randn_like(output) for _ in range(_COUNT)]
    yield from _differences(vjp, examples, errors.BATCHED, number)


def wrong_batched_tangents(func: Function, points: Tensors) -> Iterator[str]:
    """The mismatch between batched and per-sample tangents of a function's results, if any."""
    for index in places_wanted(points):
        point = points[index]
        if not is_floating(point):
            continue

        def jvp(*tangents: Tensor | None, index: int = index) -> list[Tensor | None]:
            with dual_level():
                inputs = [each.detach() if isinstance(each, Tensor) else each for each in points]
                inputs[index] = make_dual(inputs[index], tangents[0])
                pairs = [unpack_dual(each) for each in as_tuple(func(*inputs)) if each is not None]
                return [_zeros(each.primal) if each.tangent is None else each.tangent for each in pairs]

        yield from _differences(jvp, [randn_like(point) for _ in range(_COUNT)], errors.BATCHED_FORWARD)


def _differences(
    func: Callable[..., list[Tensor | None]], examples: list[Tensor], advice: str, number: int | None = None
) -> Iterator[str]:
    expected = [stack(column) for column in zip(*map(func, examples), strict=True)]
    try:
        found = old_vmap(func, [stack(examples)], _COUNT)
    except RuntimeError as error:
        yield f"While computing batched gradients, got: {error}\n\n{advice}"
    else:
        for place, (got, wanted) in enumerate(zip(found, expected, strict=True)):
            assert got is not None
            if not got.allclose(wanted):
                output = place if number is None else number
                text = f"For output {output} and input {place}:\n\n{advice}\n\nGot:\n{got}\n\nExpected:\n{wanted}"
                yield text.strip()


def _zeros(like: Tensor) -> Tensor:
    return zeros([], dtype=like.dtype).expand(like.shape)
