"""torch.func.debug_unwrap: the tensor that functorch wrappers contain (torch: _functorch/eager_transforms.py)."""

from __future__ import annotations

from .._autograd.batched_tensor import BatchedTensor, unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .._c10.interpreter_stack import transforms


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor inside the innermost wrapper, or with ``recurse`` inside all: a batch's value, or it detached."""
    level = tensor._level if isinstance(tensor, BatchedTensor) else -1
    innermost = level >= 0 and vmaps[level].depth == transforms.depth
    if transforms.depth and tensor.requires_grad and not innermost:
        result = tensor.detach()
    elif isinstance(tensor, BatchedTensor):
        result, _ = unwrap_batched(tensor)
    else:
        return tensor
    return debug_unwrap(result) if recurse else result
