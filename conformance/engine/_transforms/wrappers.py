"""torch._C._functorch: is_batchedtensor, get_unwrapped and others (torch: functorch/init.cpp)."""

from __future__ import annotations

from .._autograd.batched_tensor import BatchedTensor, unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .interpreter_nesting import Running, running


def _wrapping(tensor: Tensor) -> Running | None:
    """The innermost transform that wraps a tensor."""
    return next((each for each in reversed(running) if _wraps(each, tensor)), None)


def _wraps(level: Running, tensor: Tensor) -> bool:
    if level.derivative:
        return tensor._age >= level.age
    return tensor.__class__ is BatchedTensor and vmaps[tensor._level].depth == level.depth


def is_batchedtensor(tensor: Tensor) -> bool:
    """Whether the tensor's innermost wrapper is that of a vmap."""
    result = _wrapping(tensor)
    return result is not None and not result.derivative


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Whether the tensor's innermost wrapper is that of a derivative (grad, vjp, jvp)."""
    result = _wrapping(tensor)
    return result is not None and result.derivative


def is_functorch_wrapped_tensor(tensor: Tensor) -> bool:
    """Whether any running transform wraps the tensor."""
    return _wrapping(tensor) is not None


def maybe_get_level(tensor: Tensor) -> int:
    """The level of the tensor's innermost wrapper; -1 for none."""
    result = _wrapping(tensor)
    return -1 if result is None else result.depth


def maybe_get_bdim(tensor: Tensor) -> int:
    """The batch dimension of the innermost wrapper; -1 if that does not belong to a vmap."""
    return unwrap_batched(tensor)[1] if isinstance(tensor, BatchedTensor) and is_batchedtensor(tensor) else -1


def maybe_current_level() -> int | None:
    """The level of the innermost running transform; None for none."""
    return running[-1].depth if running else None


def get_unwrapped(tensor: Tensor) -> Tensor:
    """The tensor inside the innermost wrapper.

    Raises:
        RuntimeError: no running transform wraps the tensor.
    """
    result = _wrapping(tensor)
    if result is None:
        raise RuntimeError("No wrappers present!")
    if not result.derivative:
        return unwrap_batched(tensor)[0]
    return tensor.detach()
