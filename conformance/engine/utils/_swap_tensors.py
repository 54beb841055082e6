"""torch.utils.swap_tensors: exchanges two tensors (torch: utils/__init__.py)."""

from __future__ import annotations

import gc
import weakref
from typing import Any, NoReturn

from .._autograd.node import AccumulateGrad, Node
from .._autograd.saved_variable import SavedTensor
from .._autograd.tensor import Tensor
from .._autograd.views import ViewInfo
from ..autograd.graph import get_gradient_edge

_POISONED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run backward "
    "on a tensor that was swapped. For a module m with `torch.__future__.set_swap_module_params_on_conversion(True)` you "
    "should not change the device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and "
    "backward. To resolve this, please only change the device/dtype before running forward (or after both forward and "
    "backward)."
)


def _slots(cls: type) -> set[str]:
    names = [name for each in cls.__mro__ for name in vars(each).get("__slots__", ())]
    return {name for name in names if name not in ("__dict__", "__weakref__")}


def _use_count(tensor: Tensor) -> int:
    """The number of references to a tensor by the program, nodes and views."""
    count = 1
    for holder in gc.get_referrers(tensor):
        if isinstance(holder, (Node, SavedTensor, ViewInfo)):
            count += sum(getattr(holder, name, None) is tensor for name in _slots(type(holder)))
    return count


def _poison(grad_outputs: Any) -> NoReturn:
    raise RuntimeError(_POISONED)


def _accumulator(tensor: Tensor, name: str) -> AccumulateGrad | None:
    """The AccumulateGrad node, the only holder allowed besides the program; it must not run afterwards."""
    count = _use_count(tensor)
    if count == 1:
        return None
    if count == 2 and tensor.is_leaf:
        node = get_gradient_edge(tensor).node
        if _use_count(tensor) == 2 and isinstance(node, AccumulateGrad):
            node.register_prehook(_poison)
            return node
    raise RuntimeError(
        f"Expected use_count of {name} to be 1 or 2 with an AccumulateGrad node but got {count} make sure you are not holding "
        "references to the tensor in other places."
    )


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange class, attributes, memory and autograd state of two tensors.

    Raises:
        RuntimeError: a tensor has weak references, their slots differ, or a graph or view refers to one.
    """
    for tensor, name in ((t1, "t1"), (t2, "t2")):
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = _slots(type(t1))
    if slots != _slots(type(t2)):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    accumulators = _accumulator(t1, "t1"), _accumulator(t2, "t2")
    for name in ("__class__", "__dict__", *slots):
        one, other = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, other)
        setattr(t2, name, one)
    for node, tensor in zip(accumulators, (t2, t1), strict=True):
        if node is not None:
            node.variable = tensor
