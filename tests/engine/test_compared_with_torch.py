"""The engine compared with torch where scenarios cannot: dunder names, and names of modules."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import pytest
import torch

from conformance import engine
from conformance.engine._aten.method_binding import FUNCTIONS

ENGINES = [torch, engine]


def _dispatched(library: Any, mode_class: Any) -> list[Any]:
    """What a mode sees of an operator, and what is made of it."""
    seen: list[Any] = []

    class Mode(mode_class):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(("mode", str(func), kwargs))
            return func(*args, **kwargs)

    operator = library.custom_op(
        "beside::ruled", lambda x, n=2: x * n, mutates_args=(), schema="(Tensor x, int n=2) -> Tensor"
    )
    operator.register_autograd(lambda ctx, grad: (grad * 7, None))

    x = (torch if library is torch.library else engine).tensor([1.0], requires_grad=True)
    with Mode():
        y = operator(x, 3)
    y.sum().backward()
    seen.append((y.tolist(), x.grad.tolist(), y.grad_fn.name()))
    return seen


def test_operators_below_modes() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    expected = _dispatched(torch.library, TorchDispatchMode)
    found = _dispatched(engine.library, engine.utils._python_dispatch.TorchDispatchMode)
    assert found == expected


@pytest.mark.parametrize("value", [2.7, True, 0, -1.5])
def test_old_conversions(value: Any) -> None:
    one, other = (module.tensor(value) for module in ENGINES)
    assert other.__long__() == one.__long__()
    assert other.__nonzero__() is one.__nonzero__()


def _names_of(module: Any, name: str) -> list[str]:
    found = getattr(module.nn, name)
    unwritten = "_forward_unimplemented"  # torch's name for Module.forward
    forward = found.forward.__qualname__
    return [
        found.__module__,
        found.__init__.__qualname__,
        unwritten if forward == "Module.forward" else forward,
    ]


def test_names_of_modules() -> None:
    names = [name for name, found in vars(engine.nn).items() if isinstance(found, type)]
    modules = [name for name in names if issubclass(getattr(engine.nn, name), engine.nn.Module)]
    assert len(modules) > 150
    for name in modules:
        if name != "DataParallel":
            elsewhere = name.startswith("Lazy") or name == "MultiheadAttention"
            assert _names_of(engine, name)[elsewhere:] == _names_of(torch, name)[elsewhere:]
    assert not hasattr(engine.nn.Conv2d.forward, "__wrapped__")


def test_names_of_functions() -> None:
    grad = [importlib.import_module(f"{module.__name__}.nn.grad") for module in ENGINES]
    pairs = [importlib.import_module(f"{module.__name__}.nn.modules.utils") for module in ENGINES]
    assert grad[1].conv2d_input.__name__ == grad[0].conv2d_input.__name__
    assert "conv2d with respect to its input" in grad[1].conv2d_input.__doc__
    assert pairs[1]._pair.__name__ == "_pair"
    for module in ENGINES:
        assert module.optim.swa_utils.SWALR and not hasattr(module.optim, "nonsense")


def test_log_of_a_checkpoint() -> None:
    """What is saved is named in either pass, in order; torch words its operations otherwise."""
    runs = []

    def function(x: Any) -> Any:
        runs.append(x)
        return x.exp().sin() if len(runs) == 1 else x.exp().cos().sin().sin()

    x = engine.ones(2, requires_grad=True)
    checkpoint = importlib.import_module("conformance.engine.utils.checkpoint")
    y = checkpoint.checkpoint(function, x, use_reentrant=False, debug=True, early_stop=False)
    with pytest.raises(checkpoint.CheckpointError) as raised:
        y.sum().backward()
    text = str(raised.value)
    forward, again = text.split("Operations executed during the original forward:")[1].split(
        "Operations executed during recomputation:"
    )
    saved = [
        [line.split(" saved ")[0] for line in part.splitlines() if " saved torch." in line]
        for part in (forward, again)
    ]
    assert saved == [["exp", "sin"], ["exp", "cos", "sin"]]
    assert "(1 of 2 in original)" in text and "(3 of 3 in recompute)" in text


def test_functions_and_methods_apart() -> None:
    """What torch has as a function alone, or as a method alone, the engine has nowhere else."""
    own = [name for name in dir(engine.Tensor) if not name.startswith("_")]
    for name in {*dir(torch), *dir(torch.Tensor), *own, *FUNCTIONS}:
        assert hasattr(torch, name) or not callable(getattr(engine, name, None)), f"torch.{name}"
        assert hasattr(torch.Tensor, name) or not hasattr(engine.Tensor, name), f"Tensor.{name}"


# Each is evaluated with both: the same value, or the same error.
LINES = {
    "compiled": "jit.is_scripting(), jit.is_tracing()",
    "marked": "[mark(function) is function for mark in (jit.ignore, jit.unused, jit.export)]",
    "marked with arguments": "jit.ignore()(function) is function, jit.ignore(drop=False)(function) is function",
    "a mark of no function": "jit.ignore(3)",
    "another mark of no function": "jit.ignore(drop='a')",
    "a method": "overrides.is_tensor_method_or_property(Tensor.add)",
    "a method of Python's": "overrides.is_tensor_method_or_property(Tensor.__add__)",
    "getting a property": "overrides.is_tensor_method_or_property(Tensor.shape.__get__)",
    "setting a property": "overrides.is_tensor_method_or_property(Tensor.grad.__set__)",
    "a function": "overrides.is_tensor_method_or_property(torch.add)",
    "another function": "overrides.is_tensor_method_or_property(len)",
    "numbers of fields": "[(each.n_fields, each.n_sequence_fields, each.n_unnamed_fields) for each in results]",
    "names of fields": "[(each.__name__, each.__module__, each.__match_args__) for each in results]",
    "a storage copied": "torch.types.Storage().__deepcopy__({})",
    "a storage shared": "torch.types.Storage()._new_shared(3)",
    "a form refuses out": "torch.sum(x, 0, out=torch.empty(0))",
    "a form with a number before refuses out": "torch.pow(2, x, out=torch.empty(0))",
    "no sizes": "torch.split(x, None)",
    "a shape of None": "torch.nn.functional.layer_norm(x, None)",
    "no weights to draw by": "torch.multinomial(3, 1)",
    "no matrices": "torch.linalg.multi_dot(torch.float32)",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_says_what_torch_says(line: str) -> None:
    said = []
    for module in ENGINES:
        types = module.return_types
        names = {
            "torch": module,
            "jit": module.jit,
            "overrides": module.overrides,
            "Tensor": module.Tensor,
            "results": (types.sort, types.linalg_qr, types.svd),
            "function": lambda: None,
            "x": module.ones(2, requires_grad=True),
        }
        try:
            said.append(repr(eval(line, names)))
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")
    assert said[0] == said[1]


def test_a_library_that_was_destroyed() -> None:
    module: Any
    call: Any
    for module in ENGINES:
        library: Any = module.library.Library("gone", "FRAGMENT")
        library.define("twice(Tensor x) -> Tensor")
        library._destroy()
        for call in (
            lambda lib: lib.define("thrice(Tensor x) -> Tensor"),
            lambda lib: lib.impl("twice", lambda x: x, "CPU"),
        ):
            with pytest.raises(AssertionError, match="Library object has been destroyed"):
                call(library)


@pytest.mark.parametrize(
    "path", ["optim.sgd", "optim.lbfgs", "distributions.normal", "distributions.uniform"]
)
def test_modules_of_classes(path: str) -> None:
    """What a class names as its module is there, is found, and has the class, as in torch."""
    package = path.partition(".")[0]
    for module in ENGINES:
        name = f"{module.__name__}.{path}"
        held = importlib.import_module(name)
        found = importlib.util.find_spec(name)
        assert found is not None and found.name == name
        public = importlib.import_module(f"{module.__name__}.{package}")
        classes = [getattr(public, each) for each in public.__all__]
        own = [each for each in classes if isinstance(each, type) and each.__module__ == f"torch.{path}"]
        assert own and all(getattr(held, each.__name__) is each for each in own)


def test_module_of_a_class_that_is_shown_above() -> None:
    """Adafactor says torch.optim of itself, and lies in a module there."""
    for module in ENGINES:
        optim = importlib.import_module(f"{module.__name__}.optim")
        held = importlib.import_module(f"{module.__name__}.optim._adafactor")
        assert held.Adafactor is optim.Adafactor and held.Adafactor.__module__ == "torch.optim"
        assert not hasattr(optim, "optim")


@pytest.mark.parametrize("kind", [">f4", ">i8", ">c8", "O", "S3", "longdouble", "f8"])
@pytest.mark.parametrize("name", ["from_numpy", "tensor", "as_tensor", "asarray", "Tensor"])
def test_arrays_of_others(name: str, kind: str) -> None:
    """Arrays that torch cannot take: other kinds of numbers, bytes in another order, elements in reverse."""
    array = np.zeros(2, kind)
    outcomes = []
    for module in ENGINES:
        seen: list[Any] = []
        for given in (array, array[::-1], array[:0]):
            try:
                seen.append(getattr(module, name)(given).tolist())
            except (TypeError, ValueError) as error:
                seen.append(type(error))
        outcomes.append(seen)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("name", ["from_numpy", "tensor", "as_tensor", "asarray"])
def test_arrays_that_cannot_be_shared_freely(name: str) -> None:
    """Elements between others, of which numpy alone knows the distance, and memory that nobody may write to."""
    between = np.zeros((2, 2), [("a", np.float32), ("b", np.int8)])["a"]
    constant = np.broadcast_to(np.arange(2.0), (2, 2))
    outcomes = []
    for module in ENGINES:
        seen: list[Any] = []
        module.set_warn_always(True)
        for given, options in ((between, {}), (constant, {}), (constant, {"dtype": module.float32})):
            if options and name == "from_numpy":
                continue
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                try:
                    seen.append(getattr(module, name)(given, **options).tolist())
                except ValueError as error:
                    seen.append(type(error))
            seen.append([str(each.message).partition(" (Triggered")[0] for each in warned])
        outcomes.append(seen)
        module.set_warn_always(False)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("dtype", [None, np.float64])
def test_tensors_as_arrays(copy: bool | None, dtype: type | None) -> None:
    """np.array of a tensor, whose ``__array__`` knows of no copies; and numpy's scalars where numbers are counted."""
    outcomes = []
    for module in ENGINES:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                seen: Any = np.array(module.ones(2), dtype, copy=copy)
                seen = seen.dtype, seen.tolist()
            except ValueError as error:
                seen = str(error)
        counted = module.arange(np.float32(3)), module.arange(np.int32(3))
        named = [str(each.dtype).rpartition(".")[2] for each in counted]
        outcomes.append((seen, [str(each.message) for each in warned], named))
    assert outcomes[0] == outcomes[1]


def test_schemas_of_annotations() -> None:
    """The kinds of arguments for which an operator's schema has a type."""
    single = [
        torch.Tensor,
        int,
        float,
        bool,
        str,
        torch.types.Number,
        torch.dtype,
        torch.device,
        complex,
        dict,
    ]
    ours: dict[Any, Any] = {
        torch.Tensor: engine.Tensor,
        torch.dtype: engine.dtype,
        torch.device: engine.device,
    }
    outcomes = []
    for module in ENGINES:
        seen = []
        for kind in single:
            own = kind if module is torch else ours.get(kind, kind)
            for listed in (list[own], Sequence[own], list[Optional[own]]):  # type: ignore[valid-type]  # noqa: UP045
                for each in (own, Optional[own], listed, Optional[listed]):  # noqa: UP045

                    def operator(x: Any) -> Any:
                        return x

                    operator.__annotations__ = {"x": each, "return": module.Tensor}
                    try:
                        seen.append(module.library.infer_schema(operator, mutates_args=()))
                    except (ValueError, NotImplementedError):  # the engine refuses it by name
                        seen.append("refused")
        outcomes.append(seen)
    assert outcomes[0] == outcomes[1]


def test_steps_of_arrays() -> None:
    """Tensors of numpy's arrays have their steps, those of lengths of 1 as well."""
    arrays = [np.arange(3.0)[:, None], np.arange(6.0).reshape(2, 3)[:1].T, np.arange(6.0).reshape(2, 3).T]
    for make in ("tensor", "as_tensor", "from_numpy"):
        expected, found = ([getattr(m, make)(a).stride() for a in arrays] for m in ENGINES)
        assert found == expected


def test_the_name_of_what_is_defined() -> None:
    """``define`` returns the name as the schema has it; torch's own trips over the longer one when it forgets it."""
    library: Any = importlib.import_module("conformance.engine.library").Library("named", "FRAGMENT")
    assert library.define("plain(Tensor x) -> Tensor") == "plain"
    assert library.define("named::whole(Tensor x) -> Tensor") == "named::whole"
    assert library.define("named::whole.more(Tensor x, int n) -> Tensor") == "named::whole"
    library._destroy()


def test_divergences_registered() -> None:
    """Where two registrations contradict one another the first class decides, and a warning says so."""
    outcomes = []
    for module in ENGINES:
        kinds: Any = module.distributions
        a = type("A", (kinds.Distribution,), {})
        b, c = (type(name, (a,), {}) for name in "BC")
        kinds.register_kl(b, a)(lambda p, q: 1)
        kinds.register_kl(a, c)(lambda p, q: 2)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            made = [each(validate_args=False) for each in (a, b, c)]
            found = [kinds.kl_divergence(made[1], made[2]), kinds.kl_divergence(made[0], made[2])]
        with pytest.raises(TypeError) as refused:
            kinds.register_kl(3, a)
        ours = [str(each.message) for each in told if each.category is RuntimeWarning]
        outcomes.append((found, ours, str(refused.value)))
    assert outcomes[0] == outcomes[1]


def test_what_loading_notes() -> None:
    """load_state_dict(assign=True) notes in the state's own metadata that it assigned."""
    outcomes = []
    for module in ENGINES:
        linear: Any = module.nn.Linear(1, 1)
        state = linear.state_dict()
        linear.load_state_dict(state)
        before = dict(state._metadata[""])
        linear.load_state_dict(state, assign=True)
        outcomes.append((before, state._metadata[""]))
    assert outcomes[0] == outcomes[1]


def test_names_that_are_loaded_late() -> None:
    """What the engine loads when first asked for is there for ``import *``, and on objects, as in torch."""
    for module in ENGINES:
        assert {"SparseAdam", "Muon"} <= {*module.optim.__all__}
        layer = module.nn.Linear(1, 1)
        assert layer.share_memory() is layer
        numbers = [
            module.nn.TransformerEncoderLayer(4, 2, activation=each).activation_relu_or_gelu
            for each in ("relu", "gelu", module.nn.ReLU(), module.nn.GELU(), module.tanh)
        ]
        assert numbers == [1, 2, 1, 2, 0]
        assert hasattr(module.ops, "mylib_that_is_not")
        delattr(module.ops, "mylib_that_is_not")
