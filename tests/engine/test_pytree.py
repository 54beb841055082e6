"""torch.utils._pytree and the hooks of every optimizer, which no scenario reaches: the same with torch and engine."""

import importlib
from collections import OrderedDict
from typing import Any, NamedTuple

import pytest

pytest.importorskip("torch")


class Point(NamedTuple):
    x: Any
    y: Any


TREES: list[Any] = [
    3,
    None,
    (),
    [1, (2, {"a": 3, "b": [4, None]})],
    OrderedDict(b=1, a=(2,)),
    Point(1, [2, 3]),
    {"a": {}, "b": ()},
]


class Pair:
    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second


@pytest.fixture(params=["torch", "conformance.engine"])
def name(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_trees(name: str, tree: Any) -> None:
    pytree = importlib.import_module(f"{name}.utils._pytree")
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == pytree.tree_leaves(tree) and len(leaves) == spec.num_leaves
    assert pytree.tree_unflatten(leaves, spec) == tree
    assert spec == pytree.tree_structure(tree)
    ones = pytree.tree_map(lambda leaf: 1, tree)
    assert pytree.tree_structure(ones) == spec and set(pytree.tree_leaves(ones)) <= {1}
    assert pytree.tree_map(lambda a, b: (a, b)[1], tree, ones) == ones
    doubled = pytree.tree_map_only(int, lambda leaf: leaf * 2, tree)
    assert pytree.tree_leaves(doubled) == [leaf and leaf * 2 for leaf in leaves]
    assert pytree.tree_all(lambda leaf: leaf is not None, tree) == (None not in leaves)
    assert pytree.tree_any(lambda leaf: leaf is None, tree) == (None in leaves)
    reference = importlib.import_module("torch.utils._pytree").tree_structure(tree)
    assert repr(spec) == repr(reference)
    with pytest.raises(ValueError, match=f"but the spec refers to a pytree that holds {len(leaves)} items"):
        pytree.tree_unflatten([*leaves, 1], spec)


OTHERS: list[Any] = [
    [(1, 2), ((3, 4), 5)],
    [(1, 2), (1, 2, 3)],
    [(1, 2), [1, 2]],
    [(1, (2,)), (1, 2)],
    [{"a": 1, "b": [2]}, {"b": [(3, 4)], "a": None}],
    [{"a": 1}, {"b": 1}],
    [{"a": 1}, OrderedDict(a=2)],
    [1, (2, 3)],
]


@pytest.mark.parametrize(("tree", "other"), OTHERS, ids=repr)
def test_trees_side_by_side(tree: Any, other: Any) -> None:
    """Another tree has anything in the places of the first one's leaves, and is nested like it else."""
    outcomes = []
    for name in ("torch", "conformance.engine"):
        pytree = importlib.import_module(f"{name}.utils._pytree")
        try:
            outcomes.append(pytree.tree_map(lambda a, b: (a, b), tree, other))
        except (ValueError, NotImplementedError):  # the engine refuses it by name
            outcomes.append("refused")
    assert outcomes[0] == outcomes[1]


def test_no_spec(name: str) -> None:
    pytree = importlib.import_module(f"{name}.utils._pytree")
    with pytest.raises(TypeError, match="instance of PyTreeSpec but got item of type <class 'int'>"):
        pytree.tree_unflatten([1], 3)


def test_own_nodes(name: str) -> None:
    pytree = importlib.import_module(f"{name}.utils._pytree")
    torch = importlib.import_module(name)
    pytree.register_pytree_node(
        Pair, lambda pair: ([pair.first, pair.second], "kept"), lambda parts, context: Pair(*parts)
    )
    with pytest.raises(ValueError, match="is already registered as pytree node"):
        pytree.register_pytree_node(Pair, lambda pair: ([], None), lambda parts, context: None)
    assert pytree.tree_leaves(Pair(1, (2, 3)), is_leaf=lambda value: isinstance(value, tuple)) == [1, (2, 3)]
    gradient = torch.func.grad(lambda pair: pair.first * pair.second)(
        Pair(torch.tensor(2.0), torch.tensor(3.0))
    )
    assert (gradient.first.item(), gradient.second.item()) == (3.0, 2.0)


def test_hooks_of_every_optimizer(name: str) -> None:
    torch = importlib.import_module(name)
    optimizer = importlib.import_module(f"{name}.optim.optimizer")
    seen: list[Any] = []
    handles = [
        optimizer.register_optimizer_step_pre_hook(lambda *given: seen.append("before every")),
        optimizer.register_optimizer_step_post_hook(lambda *given: seen.append("after every")),
    ]
    opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    opt.register_step_pre_hook(lambda *given: seen.append("before"))
    opt.register_step_post_hook(lambda *given: seen.append("after"))
    opt.step()
    for handle in handles:
        handle.remove()
    opt.step()
    assert seen == ["before every", "before", "after", "after every", "before", "after"]
