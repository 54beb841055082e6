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
