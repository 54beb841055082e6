"""What programs about autograd store: tensors, parameters, modules, by pickle and by torch.save."""

from __future__ import annotations

import copy
import pickle
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import pytest
import torch as pytorch

import conformance.engine as torch
from conformance.engine._nn.parameter import Parameter


class Allowed:
    """A class of the program's own."""

    def __init__(self) -> None:
        self.tensor = torch.ones(1)


@pytest.mark.parametrize(
    "value",
    [torch.float32, torch.bool, torch.Size([2, 3]), torch.device("cpu")],
    ids=["dtype", "bool", "size", "device"],
)
def test_small_things_come_back(value: Any) -> None:
    """Types, shapes and devices are themselves again, also where the real torch is importable."""
    assert pickle.loads(pickle.dumps(value)) == value


def test_a_hook_is_announced_as_not_copied() -> None:
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: None)
    with pytest.warns(UserWarning, match="on tensor will not be serialized"):
        copy.copy(x)


@pytest.mark.parametrize("kind", [torch.nn.LazyLinear, torch.nn.LazyBatchNorm1d])
def test_a_lazy_module_comes_back_lazy(kind: Any) -> None:
    """With the hooks that give it a shape and go; of a parameter without a shape not even the dtype is kept."""
    module = pickle.loads(pickle.dumps(kind(2) if kind is torch.nn.LazyLinear else kind()))
    assert module.has_uninitialized_params() and len(module._forward_pre_hooks) == 1
    module(torch.ones(2, 3))
    assert type(module) is kind.cls_to_become and not module._forward_pre_hooks
    given = torch.nn.UninitializedParameter(requires_grad=False, dtype=torch.float64)
    back = pickle.loads(pickle.dumps(given))
    assert (type(back), back.requires_grad, back.dtype) == (type(given), False, torch.float32)


def test_a_copied_parameter_has_no_grad() -> None:
    """deepcopy takes the grad of a tensor along, but not that of a parameter."""
    leaf = torch.ones(2, requires_grad=True)
    parameter = Parameter(torch.ones(2))
    leaf.grad, parameter.grad = torch.ones(2), torch.ones(2)
    copied: Any = copy.deepcopy(leaf)
    assert copied.grad.tolist() == [1.0, 1.0]
    assert copy.deepcopy(parameter).grad is None


def test_a_handle_keeps_its_number() -> None:
    """The handle of a hook comes back with its number; later ones have greater numbers, one by one."""
    leaf = torch.ones(2, requires_grad=True)
    handle = leaf.register_hook(lambda grad: None)
    state, number, extra = handle.__getstate__()
    handle.__setstate__((state, number + 10, extra))
    later = leaf.register_hook(lambda grad: None)
    assert (handle.id, later.id) == (number + 10, number + 11)
    handle.__setstate__((None, number))
    handle.remove()
    assert handle.id == number and leaf.register_hook(lambda grad: None).id == number + 12


BESIDE_TENSORS = {
    "set": {1, 2},
    "complex": 1 + 2j,
    "bytes": b"a",
    "bytearray": bytearray(b"a"),
    "ordered": OrderedDict(a=1),
    "counted": Counter("aab"),
    "big": 2**70,
    "frozen": frozenset([1]),
    "range": range(3),
    "slice": slice(1, 2),
    "default": defaultdict(list, a=[1]),
    "function": len,
    "ellipsis": ...,
}


LOADS: tuple[dict[str, Any], ...] = (
    {"weights_only": True, "pickle_module": pickle},
    {"mmap": True},
    {"map_location": "cuda"},
    {},
)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_memory_and_versions_of_copies(copied: Any) -> None:
    """Copies lie in memory as torch's do, and count their versions from the same number."""
    shown = []
    for module in (torch, pytorch):
        whole = module.arange(6.0)
        values = [
            whole[1::2], module.ones(1).expand(3), module.ones(2, 3).t(), module.nn.Parameter(module.ones(1)),
            module.ones(2).to_sparse(), module.ones(1, requires_grad=True),
        ]  # fmt: skip
        found: list[Any] = []
        for value in values:
            back = copied(value)
            found.append([back._version, back.requires_grad])
            if back.layout is module.strided:
                found[-1] += [back.stride(), back.storage_offset(), back.untyped_storage().nbytes()]
        both = copied([whole, whole[1:]])
        both[0][1] = 9.0
        shown.append([found, both[1].tolist(), whole.tolist()])
    assert shown[0] == shown[1]
