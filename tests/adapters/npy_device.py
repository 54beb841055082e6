"""A device written in Python: PrivateUse1, named npy, whose memory is the CPU's and whose kernels are the CPU's.

A storage of this device has no memory of its own: it carries a storage of the CPU as an attribute. The one kernel, a
fallback for every operator, gives the operator tensors of the CPU on that memory, and wraps what comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_setup_privateuseone_for_python_backend("npy")

divergences = Path(__file__).with_name("npy.yaml")
ON_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
NPY = torch.device("npy", 0)
set_geometry: Any = torch.ops.aten.set_.source_Storage_storage_offset.redispatch


def is_on_npy(value: Any) -> bool:
    """Whether a value is a tensor of this device."""
    return isinstance(value, torch.Tensor) and value.device.type == "npy"


def on_cpu(value: Any) -> Any:
    """A tensor of the CPU on the memory of one of this device; the CPU for the device; all else as it is."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "npy" else value
    if not is_on_npy(value):
        return value
    held = torch.empty(0, dtype=value.dtype, device="cpu")
    place = value.storage_offset(), value.size(), value.stride()
    return held.set_(value.untyped_storage().on_cpu, *place)


def on_npy(held: torch.Tensor, storage: Any = None) -> torch.Tensor:
    """A tensor of this device, on the storage given or a new one, for one of the CPU."""
    made = torch._C._acc.create_empty_tensor((0,), held.dtype)
    return place(made, held, storage or storage_of(held))


def storage_of(held: torch.Tensor) -> Any:
    """A storage of this device on the memory of a tensor of the CPU."""
    memory = held.untyped_storage()
    storage: Any = torch._C._construct_storage_from_data_pointer(memory.data_ptr(), NPY, memory.nbytes())
    storage.on_cpu = memory
    return storage


def place(tensor: torch.Tensor, held: torch.Tensor, storage: Any) -> torch.Tensor:
    """Give a tensor of this device the storage, and the sizes and strides of its tensor of the CPU."""
    set_geometry(ON_CPU, tensor, storage, held.storage_offset(), held.size(), held.stride())
    return tensor


def kernel(op: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Run an operator on the CPU's tensors; what it returns is an argument, a view of one, or new."""
    known: list[tuple[torch.Tensor, torch.Tensor]] = []

    def given(value: Any) -> Any:
        held = on_cpu(value)
        if is_on_npy(value):
            known.append((value, held))
        return held

    wanted = named.get("device")
    held_args, held_named = tree_map(given, (args, named))
    results = op(*held_args, **held_named)
    for tensor, held in known:
        if (held.size(), held.stride()) != (tensor.size(), tensor.stride()):
            place(tensor, held, storage_of(held))
    here = is_on_npy(wanted) or (wanted.type == "npy" if wanted is not None else bool(known))

    def result(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.device.type != "cpu" or not here:
            return value
        for tensor, held in known:
            if value is held:
                return tensor
        for tensor, held in known:
            if value.untyped_storage()._cdata == held.untyped_storage()._cdata:
                return on_npy(value, tensor.untyped_storage())
        return on_npy(value)

    for arg in args:  # an operator that writes to a tensor of the CPU returns that
        if isinstance(arg, torch.Tensor) and results is arg:
            return results
    return tree_map(result, results)


libraries: Any = torch.library
library = libraries.Library("_", "IMPL")
library.fallback(kernel, "PrivateUse1")
kernels = libraries.Library("aten", "IMPL")


def copy(source: torch.Tensor, to: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    """`copy_` of torch calls this, with the tensors of two devices."""
    on_cpu(to).copy_(on_cpu(source))
    return to


kernels.impl("_copy_from", copy, "PrivateUse1")


# The storage of a tensor of zeros has no memory, and the CPU's kernel makes one for any device.
zeros = torch.ops.aten._efficientzerotensor.default.redispatch
kernels.impl("_efficientzerotensor", partial(zeros, ON_CPU), "PrivateUse1")
