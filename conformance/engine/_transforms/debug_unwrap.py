"""torch.func.debug_unwrap: what a tensor is outside the transforms (torch: _functorch/eager_transforms.py)."""

from __future__ import annotations

from .._autograd.batched_tensor import BatchedTensor, unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .._c10.interpreter_stack import transforms


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor that stands under that of a transform: all examples of a vmap, or the values without their graph."""
    level = tensor._level if isinstance(tensor, BatchedTensor) else -1
    innermost = level >= 0 and vmaps[level].depth == transforms.depth
    if transforms.depth and tensor.requires_grad and not innermost:
        found = tensor.detach()
    elif isinstance(tensor, BatchedTensor):
        found, _ = unwrap_batched(tensor)
    else:
        return tensor
    return debug_unwrap(found) if recurse else found
