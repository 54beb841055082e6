"""Parameters flattened to one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ..._aten.shape.cat_stack import cat
from ..._autograd.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Flatten all parameters to one vector, recorded by autograd."""
    return cat([each.view(-1) for each in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Set each parameter's data to a slice of the vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for each in parameters:
        count = each.numel()
        each.data = vec[start : start + count].view_as(each).data
        start += count
