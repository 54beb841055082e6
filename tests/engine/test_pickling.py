"""What programs about autograd store: tensors, parameters, modules, by pickle and by torch.save."""

from __future__ import annotations

import copy
import io
import pickle
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch as pytorch

import conformance.engine as torch
from conformance.engine._nn.parameter import Parameter
from conformance.engine.nn.modules.activation import ReLU
from conformance.engine.nn.modules.container import Sequential
from conformance.engine.nn.modules.linear import Linear


class Allowed:
    """A class of the program's own."""

    def __init__(self) -> None:
        self.tensor = torch.ones(1)


def stored(value: Any, **options: Any) -> Any:
    """The value after torch.save and torch.load."""
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize(
    "value",
    [torch.float32, torch.bool, torch.Size([2, 3]), torch.device("cpu")],
    ids=["dtype", "bool", "size", "device"],
)
def test_small_things_come_back(value: Any) -> None:
    """Types, shapes and devices are themselves again, also where the real torch is importable."""
    assert pickle.loads(pickle.dumps(value)) == value


def test_a_tensor_comes_back_as_a_leaf() -> None:
    """Values, requires_grad and the user's attributes are kept; grad_fn and grad are not."""
    leaf: Any = torch.tensor([1.0, 2.0], requires_grad=True)
    leaf.label = "x"
    (leaf * 2).sum().backward()
    back = pickle.loads(pickle.dumps(leaf))
    assert (back.tolist(), back.requires_grad, back.grad, back.label) == ([1.0, 2.0], True, None, "x")
    result = stored(leaf * 2)
    assert (result.is_leaf, result.requires_grad, result.tolist()) == (True, True, [2.0, 4.0])


def test_a_module_comes_back_whole() -> None:
    """Parameters keep their class and values; weights alone are read by default, a module only on demand."""
    module = Sequential(Linear(2, 1), ReLU())
    back = stored(module, weights_only=False)
    assert type(back[0].weight) is Parameter
    assert back[0].weight.equal(module[0].weight)
    weights = stored(module.state_dict())
    assert weights["0.bias"].equal(module[0].bias)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        stored(module)


def test_a_weights_file_names_no_function() -> None:
    """Among weights, what a file calls must be a class of the engine."""
    from conformance.engine._c10.pickling import rebuild

    class Call:
        def __reduce__(self) -> Any:
            return rebuild, (("serialization", "save"), 1, "nowhere")

    with pytest.raises(TypeError, match="is not a class"):
        stored(Call())


def test_a_hook_is_announced_as_lost() -> None:
    """Pickling a tensor warns of each hook that it drops."""
    leaf = torch.ones(2, requires_grad=True)
    leaf.register_hook(lambda grad: None)
    with pytest.warns(UserWarning, match="will not be serialized"):
        pickle.dumps(leaf)
    with pytest.warns(UserWarning, match="will not be serialized"):
        stored(leaf)


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


def test_saved_tensors_go_on_sharing_memory() -> None:
    """torch.save writes memory once for all tensors over it, however they lie in it."""
    whole = torch.arange(6.0).reshape(2, 3)
    loaded, row, turned = stored([whole, whole[1], whole.t()])
    row.fill_(9)
    assert loaded.tolist() == [[0.0, 1.0, 2.0], [9.0, 9.0, 9.0]]
    assert turned.stride() == (1, 3) and turned.tolist() == [[0.0, 9.0], [1.0, 9.0], [2.0, 9.0]]


def test_a_class_allowed_among_weights() -> None:
    """safe_globals allows a class of the program's own in a file of weights, for a while."""
    with torch.serialization.safe_globals([Allowed]):
        assert stored(Allowed()).tensor.tolist() == [1.0]
        assert torch.serialization.get_safe_globals() == [Allowed]
    with pytest.raises(pickle.UnpicklingError, match="Allowed was not an allowed global"):
        stored(Allowed())


def test_formats_stay_themselves() -> None:
    """Layouts and memory formats are one object each, and are the same one when they are read again."""
    for each in (torch.strided, torch.channels_last):
        assert stored(each) is each


def test_a_subclass_that_says_how() -> None:
    """A tensor whose class has a __reduce_ex__ of its own is written by that."""

    class Told(torch.Tensor):
        def __reduce_ex__(self, protocol: Any) -> Any:
            return complex, (int(protocol), 1)

    assert stored(torch.ones(2).as_subclass(Told)) == 2 + 1j


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


@pytest.mark.parametrize(
    "make", [lambda m: m.ones(0), lambda m: m.tensor([[0.0, 2.0], [1.0, 0.0]]).to_sparse()]
)
def test_tensors_of_few_elements_come_back(make: Any) -> None:
    """Weights may be empty, or sparse."""
    value = make(torch)
    back = stored(value)
    assert back.layout == value.layout and back.to_dense().tolist() == value.to_dense().tolist()


LOADS: tuple[dict[str, Any], ...] = (
    {"weights_only": True, "pickle_module": pickle},
    {"mmap": True},
    {"map_location": "cuda"},
    {},
)


def test_modules_allowed_among_weights() -> None:
    """safe_globals allows torch's own classes, and the first that is not allowed is named."""
    network = Sequential(Linear(1, 1))
    with torch.serialization.safe_globals([Sequential]):
        with pytest.raises(
            pickle.UnpicklingError, match=r"GLOBAL torch\.nn\.modules\.linear\.Linear was not"
        ):
            stored(network)
        torch.serialization.add_safe_globals([Linear])
        assert repr(stored(network)) == repr(network)


@pytest.mark.parametrize("content", [b"", b"<html>", b"\x00" * 4], ids=["nothing", "a page", "zeros"])
def test_files_that_hold_no_weights(content: bytes) -> None:
    """What was never saved is refused in torch's words."""
    texts = []
    for module in (pytest.importorskip("torch"), torch):
        with pytest.raises((EOFError, pickle.UnpicklingError)) as told:
            module.load(io.BytesIO(content))
        texts.append((told.type, str(told.value)))
    assert texts[0] == texts[1]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """It is named before anything is written."""
    with pytest.raises(RuntimeError, match=r"^Parent directory .*absent does not exist\.$"):
        torch.save(torch.ones(1), tmp_path / "absent" / "file")


@pytest.mark.parametrize("options", LOADS)
def test_refuses_to_load_as_torch_does(options: dict[str, Any]) -> None:
    """The same error in the same words, also where something else than weights is in the file."""
    texts = []
    for module in (pytest.importorskip("torch"), torch):
        file = io.BytesIO()
        module.save(module.ones(1) if options else slice(1, 2), file)
        file.seek(0)
        with pytest.raises((RuntimeError, ValueError, pickle.UnpicklingError)) as told:
            module.load(file, **options)
        texts.append((told.type, str(told.value)))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("value", BESIDE_TENSORS.values(), ids=BESIDE_TENSORS)
def test_what_may_stand_beside_weights(value: Any) -> None:
    """Among weights torch allows the same values; Python 2, whose protocol it is, named some classes otherwise."""
    outcomes = []
    for module in (pytest.importorskip("torch"), torch):
        file = io.BytesIO()
        module.save(value, file)
        file.seek(0)
        try:
            outcomes.append(module.load(file))
        except pickle.UnpicklingError:
            outcomes.append(pickle.UnpicklingError)
    assert outcomes[0] == outcomes[1]


def test_a_class_of_python_allowed_among_weights() -> None:
    """safe_globals allows one of Python's own classes."""
    with torch.serialization.safe_globals([frozenset, range]):
        assert stored([frozenset([1]), range(3)]) == [frozenset([1]), range(3)]


def test_numbers_from_elsewhere() -> None:
    """numpy compares the dtypes that pickle makes as equal to its own, but they are other objects."""
    array = pickle.loads(pickle.dumps(np.ones(2, np.float32)))
    tensors = [torch.from_numpy(array), torch.tensor(array), torch.as_tensor(array), torch.asarray(array)]
    for each in [*tensors, stored(torch.ones(2)), pickle.loads(pickle.dumps(torch.ones(2)))]:
        x = torch.zeros(2, requires_grad=True)
        x.register_hook(lambda grad, each=each: each)
        x.sum().backward()
        assert x.grad is not None and x.grad.tolist() == [1.0, 1.0]


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
