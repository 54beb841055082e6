"""What programs about autograd store: tensors, parameters, modules, by pickle and by torch.save."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest

import conformance.engine as torch
from conformance.engine.nn.modules.activation import ReLU
from conformance.engine.nn.modules.container import Sequential
from conformance.engine.nn.modules.linear import Linear
from conformance.engine.nn.parameter import Parameter


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
    from conformance.engine.pickling import rebuild

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
