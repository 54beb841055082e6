"""What an engine cannot show is not compared, and does not make its values differ."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters.module import ModuleEngine
from conformance.runner.compare import Difference, differences
from conformance.runner.engine import GROUPS, Engine
from conformance.runner.execute import run
from conformance.runner.states import dtype_in
from tests.runner.broken import Seen, broken
from tests.runner.make import facets, scenario, step, torch_engine

torch = torch_engine.torch
ATTRIBUTES = [
    "dtype",
    "requires_grad",
    "is_leaf",
    "retains_grad",
    "grad_fn",
    "output_nr",
    "_version",
    "_base",
    "untyped_storage",
    "is_sparse",
]
RETAINING = """
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.retain_grad()
z = y.sum()
z.backward()
g = y.grad
""".strip()


def _found(program: str, engine: Engine, *groups: str) -> list[Difference]:
    made = scenario(program)
    claimed = groups or engine.claims
    return [*differences(made, run(made, torch_engine), run(made, engine), claimed)]


class Without(ModuleEngine):
    """Torch, whose adapter shows tensors without an attribute."""

    def __init__(self, *names: str) -> None:
        super().__init__("without", torch, claims=("values", "errors", "messages"))
        self._names = names

    def observe(self, value: Any, /) -> Any | None:
        return _Without(value, self._names) if isinstance(value, torch.Tensor) else None


class _Without:
    def __init__(self, tensor: Any, names: tuple[str, ...]) -> None:
        self._own, self._names = tensor, names

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            raise AttributeError(f"no {name}", name=name, obj=self)
        return getattr(self._own, name)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_that_observe_does_not_show_is_no_difference(name: str) -> None:
    """Where its group is not claimed: torch agrees with torch."""
    assert _found(RETAINING, Without(name)) == []


@pytest.mark.parametrize("names", [("retains_grad", "requires_grad"), ATTRIBUTES[1:]])
def test_nor_are_several(names: tuple[str, ...]) -> None:
    """As an adapter that claims values alone would show them."""
    assert _found(RETAINING, Without(*names)) == []


def test_a_grad_that_can_be_read_is_compared() -> None:
    """Of a leaf, whatever is not known of others."""
    engine = Without("retains_grad")
    engine.torch = SimpleNamespace(tensor=lambda *_, **__: torch.tensor([1.0, 3.0], requires_grad=True))
    program = "x = torch.tensor([1., 2.], requires_grad=True)\n(x * x).sum().backward()"
    found = _found(program, engine)
    assert ("x.grad", "[2.0, 4.0]", "[2.0, 6.0]") in [(d.name, d.reference, d.engine) for d in found]


class Value:
    """A number whose gradient starts as zero, as micrograd's."""

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.data, self.slope = data, 0.0

    def fill(self, slope: float) -> None:
        """As a pass would."""
        self.slope = slope


class Zeros:
    """An engine that cannot tell a gradient that no pass has reached from one that is zero."""

    name, version, claims = "zeros", "1", frozenset({"values"})
    grads_start_as_zeros = True
    torch = SimpleNamespace(tensor=Value)

    def observe(self, value: Any, /) -> Any | None:
        if not isinstance(value, Value):
            return None
        grad = np.array([value.slope], np.float32)
        return SimpleNamespace(
            tolist=lambda: value.data, shape=(1,), dtype="float32", grad=grad, storage=None
        )


def test_grads_that_start_as_zeros() -> None:
    """None or zero on torch, they are not compared; a grad of torch that is not zero is."""
    leaf = "a = torch.tensor([2.], requires_grad=True)"
    assert _found(leaf, Zeros()) == []
    zero = scenario(f"{leaf}\na.grad = torch.tensor([0.])")
    reference = run(zero, torch_engine)
    assert not [d for d in differences(zero, reference, run(scenario(leaf), Zeros()), {"values"}) if d.name]
    saying = Zeros()
    saying.grads_start_as_zeros = False
    assert [(d.name, d.reference, d.engine) for d in _found(leaf, saying)] == [("a.grad", "None", "[0.0]")]


def test_a_grad_of_zeros_under_another_name() -> None:
    """Is not compared either with torch's None; another None is."""
    kept = np.zeros(1, np.float32)
    seen = SimpleNamespace(tolist=lambda: [2.0], shape=(1,), dtype="float32", grad=kept, storage=None)
    engine = Zeros()
    engine.observe = lambda value: seen if isinstance(value, Value) else None  # type: ignore[method-assign]
    engine.torch = SimpleNamespace(tensor=Value, kept=kept)
    made = scenario("a = torch.tensor([2.], requires_grad=True)\ng = [a.grad]\nn = None")
    taken = made.steps[0].run.replace("a.grad", "torch.kept")
    for program, names in ((taken, []), (taken.replace("n = None", "n = 0"), ["n"])):
        found = differences(made, run(made, torch_engine), run(scenario(program), engine), {"values"})
        assert [each.name for each in found] == names


def test_a_grad_that_a_pass_did_not_fill_is_a_difference() -> None:
    """Also of an engine whose grads start as zeros."""
    program = "a = torch.tensor([2.], requires_grad=True)\n(a * a).backward()"
    made = scenario(program)
    engine = run(scenario("a = torch.tensor([2.], requires_grad=True)\na = a"), Zeros())
    found = differences(made, run(made, torch_engine), engine, {"values"})
    assert [(d.name, d.reference, d.engine) for d in found] == [("a.grad", "[4.0]", "[0.0]")]


class Opaque:
    """Whatever an engine has for a node, a module or a handle."""


@pytest.mark.parametrize(
    ("program", "names", "group"),
    [
        (
            "b = torch.ones(1, requires_grad=True) * 2\nn = torch.node(b)",
            {"node": lambda b: b.grad_fn},
            "graph",
        ),
        ("n = torch.node(torch.ones(1))", {"node": lambda b: torch.float32}, "dtypes"),
    ],
    ids=["node", "dtype"],
)
def test_a_value_of_a_kind_of_its_own_is_in_its_group(
    program: str, names: dict[str, Any], group: str
) -> None:
    """Shown as what torch has there; an engine that does not claim the group does not fail."""
    made = scenario(program)
    reference = run(made, ModuleEngine("reference", broken(**names).torch))
    engine = run(made, broken(node=lambda b: Opaque()))
    found = differences(made, reference, engine)
    assert [(d.name, d.group, d.engine) for d in found] == [("n", group, "bound")]
    assert found[0].reference in ("MulBackward0", "torch.float32")
    assert differences(made, reference, engine, {"values"}) == ()


def test_nothing_where_torch_has_no_node_is_in_the_group_of_what_is_read() -> None:
    """A leaf has no node; what an engine binds there instead does not count as a value."""
    engine = broken(seen={}, node=lambda b: Opaque())
    made = scenario("b = torch.ones(1)\nn = b.grad_fn")
    states = run(scenario("b = torch.ones(1)\nn = torch.node(b)"), engine)
    found = differences(made, run(made, torch_engine), states)
    assert [(d.name, d.group, d.reference, d.engine) for d in found] == [("n", "graph", "None", "bound")]


@pytest.mark.parametrize(("read", "group"), [("stride()", "graph"), ("shape", "values")])
def test_numpys_numbers_in_a_sequence_are_in_its_group(read: str, group: str) -> None:
    """Strides that differ are in the group graph, whether they are Python's numbers or NumPy's."""
    made = scenario(f"x = torch.ones(2, 3)\ns = x.{read}")
    engine = run(
        scenario("x = torch.ones(2, 3)\ns = torch.read()"), broken(read=lambda: (np.int64(1), np.int64(7)))
    )
    found = differences(made, run(made, torch_engine), engine)
    assert {each.name for each in found} >= {"s[0]", "s[1]"}
    assert {each.group for each in found} == {group}


class _Module:
    """A module without named_parameters()."""


class _Empty(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A module that cannot list its parameters, since nothing has made a place for them."""

    def __init__(self) -> None:
        pass


def test_a_module_that_cannot_be_read_is_no_difference() -> None:
    """Since the program does not ask for its parameters; one that has torch's methods can be read."""
    made = scenario("m = torch.nn.Module()\nn = 1")
    for cls, names in ((_Module, []), (_Empty, ["m"])):
        bare = SimpleNamespace(nn=SimpleNamespace(Module=cls), optim=torch.optim)
        found = differences(made, run(made, torch_engine), run(made, ModuleEngine("bare", bare, version="1")))
        assert [each.name for each in found][:1] == names


def test_numpys_numbers_in_an_expectation_are_in_its_group() -> None:
    """Also where the expression begins with a name of another group."""
    made = scenario(step("x = torch.ones(2, 3)", expect={"torch.read(x).stride()": [3, 1]}))
    strided = SimpleNamespace(stride=lambda: (np.int64(1), np.int64(7)))
    reference = run(made, ModuleEngine("reference", broken(read=lambda x: x).torch))
    found = differences(made, reference, run(made, broken(read=lambda x: strided)))
    assert {each.name for each in found} >= {"torch.read(x).stride()[0]"}
    assert {each.group for each in found} == {"graph"}


class Numpy:
    """An engine whose names are NumPy's, and its dtypes too."""

    name, version, claims = "numpy", "1", frozenset({"values", "dtypes"})
    torch = SimpleNamespace(
        tensor=lambda data: np.array(data, np.float32),
        numel=lambda x: np.int64(x.size),
        float32=np.float32,
        int64=np.dtype("int64"),
        dtype_of=lambda x: x.dtype,
        item=lambda x: x.reshape(-1)[0],
        sizes=lambda x: [np.int64(each) for each in x.shape],
    )

    def observe(self, value: Any, /) -> Any | None:
        if not isinstance(value, np.ndarray):
            return None
        return SimpleNamespace(tolist=value.tolist, shape=value.shape, dtype=value.dtype, storage=None)


@pytest.mark.parametrize(
    ("program", "there"),
    [
        ("n = torch.numel(torch.tensor([1., 2.]))", {}),
        ("n = [torch.numel(torch.tensor([1., 2.])), 1]", {}),
        ("d = torch.float32", {}),
        ("d = torch.int64", {}),
        ("d = torch.dtype_of(torch.tensor([1.]))", {"dtype_of": lambda x: x.dtype}),
        ("n = torch.item(torch.tensor([1., 2.]))", {"item": lambda x: x.reshape(-1)[0].item()}),
        ("n = torch.sizes(torch.tensor([1., 2.]))", {"sizes": lambda x: [*x.shape]}),
        ("n = {'a': torch.sizes(torch.tensor([1., 2.]))}", {"sizes": lambda x: [*x.shape]}),
    ],
)
def test_numpys_numbers_and_dtypes_are_numbers_and_dtypes(program: str, there: dict[str, Any]) -> None:
    """Whatever has ``__index__`` is an integer, a dtype is known by its name."""
    made = scenario(program)
    reference = run(made, broken(**there) if there else torch_engine)
    assert [*differences(made, reference, run(made, Numpy()), {"values", "dtypes"})] == []


def test_a_wrong_number_in_a_list_of_numpys_is_a_difference() -> None:
    """And one of another dtype is another one."""
    made = scenario("n = torch.sizes(torch.tensor([1., 2.]))")
    reference = run(made, broken(sizes=lambda x: [3]))
    assert next(d.group for d in differences(made, reference, run(made, Numpy()), GROUPS)) == "values"
    made = scenario("d = torch.wide")
    engine = Numpy()
    engine.torch = SimpleNamespace(float32=np.float32, wide=np.dtype("float32"))
    found = differences(made, run(made, broken(wide=torch.float64)), run(made, engine), GROUPS)
    assert [(d.facet, d.group, d.reference, d.engine) for d in found] == [
        ("dtype", "dtypes", "torch.float64", "torch.float32")
    ]


MODULE = "m = nn.Linear(2, 2)\nopt = torch.optim.SGD(m.parameters(), lr=0.5)"


def _with_modules(**nn: Any) -> Engine:
    names: dict[str, Any] = {"nn": SimpleNamespace(Linear=lambda *_: _Linear(), **nn)}
    optim = SimpleNamespace(SGD=lambda *_, **__: Opaque(), **({"Optimizer": Opaque} if nn else {}))
    return broken(claims=("values",), **names, optim=optim)


class _Linear:
    def parameters(self) -> list[Any]:
        """None that can be seen."""
        return []


def test_modules_are_not_compared_where_the_engine_has_no_class_of_them() -> None:
    """Their content is not compared either; an engine with that class shows something else, which is a difference."""
    assert _found(MODULE, _with_modules()) == []
    found = _found(MODULE, _with_modules(Module=Opaque), "values", "random")
    assert next((d.name, d.reference, d.engine) for d in found if "." not in d.name) == (
        "m",
        "module",
        "bound",
    )


def test_classes_as_dtypes_make_no_class_a_dtype() -> None:
    """An engine whose dtypes are classes: a class of the program is still bound, and no more."""
    moment = run(scenario("class C: pass\nk = C"), Numpy()).moments[-1]
    assert facets(moment, "k")["value"] == "bound, unread"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<class 'numpy.float32'>", "float32"),
        ("mlx.core.bfloat16", "bfloat16"),
        ("'int8'", "int8"),
        ("f4", ""),
    ],
)
def test_dtypes_are_known_by_name(text: str, name: str) -> None:
    """However an engine writes them."""
    assert dtype_in(text) == name


def test_the_proxy_of_these_tests_shows_what_it_is_told() -> None:
    """Otherwise they prove nothing."""
    with pytest.raises(AttributeError):
        _Without(torch.ones(1), ("dtype",)).dtype  # noqa: B018
    assert Seen(torch.ones(1), {"dtype": 1}).dtype == 1
