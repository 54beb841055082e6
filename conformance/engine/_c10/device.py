"""torch.device; this engine supports only the CPU."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import errors, pickling
from .modes import state
from .slots import on_first_use

# See Note [Slots].
ask: Callable[..., Any] = on_first_use("dispatch_torch_function")
leave_mode: Callable[[], None] = on_first_use("leave_mode")
enter_device: Callable[[Any], None] = on_first_use("enter_device")

_KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)


class device:
    """torch.device: a device type and an index."""

    __slots__ = ("index", "type")
    __module__ = "torch"

    type: str
    index: int | None

    def __new__(cls, *args: Any, **kwargs: Any) -> device:
        if not state.function_modes:
            return parsed(*args, **kwargs)
        found: device = ask(cls, (), *args, **kwargs)
        return found

    def __enter__(self) -> device:
        enter_device(self)
        return self

    def __exit__(self, *error: object) -> None:
        leave_mode()

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (f", index={self.index})" if self.index is not None else ")")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return pickling.rebuild, (pickling.place(device), self.type, self.index)


def parsed(type: Any = (), index: int | None = None) -> device:
    """Parse the arguments of torch.device; the device need not exist.

    Raises:
        RuntimeError: not a valid device string or index.
        TypeError: an argument of another type.
    """
    if isinstance(type, device):
        return type
    if isinstance(type, int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if not isinstance(type, str):
        kind = "" if type == () else type.__class__.__name__
        why = kind and f"      didn't match because some of the arguments have invalid types: (!{kind}!)\n"
        raise TypeError(
            f"device() received an invalid combination of arguments - got ({kind}), but expected one of:\n"
            f" * (torch.device device)\n{why} * (str type, int index = -1)\n"
        )
    if not type:
        raise RuntimeError("Device string must not be empty")
    found = re.fullmatch("([A-Za-z]+)(?::([0-9]+))?", type)
    if found is None:
        raise RuntimeError(f"Invalid device string: '{type}'")
    if found[1] not in _KINDS.split(", "):
        raise RuntimeError(f"Expected one of {_KINDS} device type at start of device string: {found[1]}")
    made = object.__new__(device)
    if index is not None and found[2]:
        raise RuntimeError(
            f"type (string) must not include an index because index was passed explicitly: {type}"
        )
    if index is not None and index < 0:
        raise RuntimeError("Device index must not be negative")
    made.type, made.index = found[1], int(found[2]) if found[2] else index
    return made


CPU = parsed("cpu")


def check_device(given: Any) -> None:
    """Check that a device is the CPU; None means the CPU.

    Raises:
        AssertionError: cuda, like torch without CUDA.
        NotImplementedError: another device.
    """
    if given is None or given is CPU:
        return
    kind = parsed(given)
    if kind.type == "cuda":
        raise AssertionError(errors.NO_CUDA)
    if kind.type != "cpu":
        raise NotImplementedError(f"tensors on the device {kind}")


def check_memory(given: Any, pinned: Any) -> None:
    """Check that a device is the CPU and that memory is not pinned.

    Raises:
        RuntimeError: pinned memory, like torch without an accelerator.
    """
    check_device(given)
    if pinned:
        raise RuntimeError(errors.NO_PINNED)
