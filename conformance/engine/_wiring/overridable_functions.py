"""All public functions of torch, which are wrapped in checks for __torch_function__."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from .. import autograd, fft, functional, linalg, nn, special
from .._aten import operators
from .._aten.creation import factories
from .._aten.fft import stft
from .._aten.nn import batch_norm, cross_entropy
from .._aten.random import dropout, random
from .._autograd import backward
from .._autograd.tensor import Tensor
from .._autograd.torch_function import (
    MARK,
    NOT_OVERRIDABLE,
    disabled_torch_function,
    dispatch_torch_function,
    flat_values,
)
from .._c10.location import PACKAGE
from .._c10.operator_facts import COMPOSITES, facts_of
from .._dispatch.torch_function_wrappers import (
    REFLECTED,
    Overridable,
    name_methods,
    reflected_operator_wrapper,
    unwrapped,
    wrap_methods,
)
from .._nn import rnn
from .._nn.functions import FUNCTIONS
from .._transforms.composite_batch_rules import INDEXING, UNMAPPED

_PREFIXED = (
    "fft",
    "linalg",
    "special",
)  # modules whose functions have the module's name as a prefix in the dispatcher
# Functions that torch.nn.functional imports from torch and torch._C._nn; the others are written in Python.
_FROM_TORCH = frozenset(
    """
    adaptive_avg_pool1d avg_pool1d bilinear channel_shuffle conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d cosine_similarity hardshrink pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu
    """.split()  # noqa: SIM905  like torch's own lists
)
_FROM_NN = frozenset(
    "avg_pool2d avg_pool3d gelu linear logsigmoid one_hot scaled_dot_product_attention softplus softshrink".split()  # noqa: SIM905  as above
)
_INITS = (
    "constant_",
    "kaiming_uniform_",
    "normal_",
    "uniform_",
)  # the functions of torch.nn.init that check for overrides
_FILES = {"pca_lowrank": "torch._lowrank", "svd_lowrank": "torch._lowrank"}
_FACTORIES = (
    "tensor",
    "as_tensor",
    "asarray",
    "from_numpy",
    "sparse_coo_tensor",
)  # factories, which only a TorchFunctionMode overrides


@functools.cache
def wrap_tensor_methods() -> None:
    _wrap_functions()
    module = sys.modules[PACKAGE]
    for name in _FACTORIES:
        setattr(module, name, Overridable(getattr(module, name), name))
    wrap_methods()


def _modules() -> tuple[Any, ...]:
    """The modules whose functions can be overridden."""
    return sys.modules[PACKAGE], fft, linalg, special, nn.functional, nn.init


def wrap_subclass_methods(cls: type[Tensor]) -> None:
    """Install the wrappers for a new subclass of Tensor that overrides __torch_function__, with its reflected operators."""
    wrapped: Any = cls
    if wrapped.__torch_function__ is disabled_torch_function:
        return
    own_names = {name for base in cls.__mro__ if base not in (Tensor, object) for name in vars(base)}
    if MARK in own_names:  # inherited from a base with the wrappers
        return
    setattr(cls, MARK, True)
    _wrap_functions()
    wrap_methods()
    for name in REFLECTED & vars(Tensor).keys() - own_names:
        setattr(cls, name, reflected_operator_wrapper(name))


@functools.cache
def _wrap_functions() -> None:
    name_methods()
    torch = sys.modules[PACKAGE]
    vars(torch).update(FUNCTIONS, **{name: getattr(torch, name) for name in (*stft.FUNCTIONS, *_FILES)})
    in_python = frozenset(functional.__all__) - {"istft"} | _FILES.keys()
    for module in _modules():
        for name, value in list(vars(module).items()):
            own = isinstance(value, FunctionType) and value.__module__.startswith((PACKAGE, "torch"))
            if not own or name.startswith("_") or name in NOT_OVERRIDABLE:
                continue
            place = f"torch{module.__name__.removeprefix(PACKAGE)}"
            if module is torch and name in in_python:
                wrapped = Overridable(value, name, _FILES.get(name, "torch.functional"), True)
            elif module is nn.functional and name in _FROM_NN:
                wrapped = Overridable(value, "log_sigmoid" if name == "logsigmoid" else name, "torch.nn")
            elif module is torch or (module is nn.functional and name in _FROM_TORCH):
                wrapped = Overridable(value, name)
            elif place.removeprefix("torch.") in _PREFIXED:
                wrapped = Overridable(value, f"{place.removeprefix('torch.')}_{name}", place)
            elif module is nn.functional or name in _INITS:
                wrapped = Overridable(value, name, place, True)
            else:
                continue
            setattr(module, name, wrapped)
    autograd.grad = backward.grad = Overridable(autograd.grad, "grad")


def dispatch_after_failure(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The result of __torch_function__ of arguments that override it but are not tensors, after a function rejected them."""
    _wrap_functions()
    public = (each for module in _modules() for each in vars(module).values() if type(each) is Overridable)
    wrapped = next((each for each in public if function in _layers(each.function)), None)
    if wrapped is not None:
        return wrapped(*args, **kwargs)
    return dispatch_torch_function(
        function, [*flat_values(args), *flat_values(kwargs.values())], *args, **kwargs
    )


def _layers(function: Any) -> Iterator[Any]:
    """A function and the functions that it wraps, from the outside in."""
    while function is not None:
        yield function
        function = getattr(function, "__wrapped__", None)


# Composite functions ------------------------------------------------------------------------------


def composites_of_autocast() -> Iterator[FunctionType]:
    """The functions with a policy of autocast that are not rows; the modules imported above have declared them."""
    for each in COMPOSITES:
        if facts_of(each).autocast is not None:
            assert isinstance(each, FunctionType)
            yield each


def composed() -> Iterator[tuple[tuple[str, int], FunctionType]]:
    """All composite functions of torch (those without a row), by name; a name may have several."""
    factories_like = {
        name: getattr(factories, name) for name in ("zeros_like", "ones_like", "full_like", "empty_like")
    }
    stft_functions = {"stft": stft._stft, "istft": stft.istft}
    layers = {f"recurrent_{name}": getattr(rnn, name) for name in rnn.CALLED_BY_MODULES}
    cpp_functions = {
        "classes_loss": cross_entropy.classes_loss,
        "dropout": dropout.dropout,
        "native_batch_norm": batch_norm.native_batch_norm,
    }
    plain = (
        factories_like,
        stft_functions,
        cpp_functions,
        layers,
        vars(Tensor),
        operators.FUNCTIONS,
        random.FUNCTIONS,
        FUNCTIONS,
        vars(nn.functional),
    )
    prefixed = (("linalg_", vars(linalg)), ("special_", vars(special)))
    for prefix, namespace in (*(("", each) for each in plain), *prefixed):
        for name, found in list(namespace.items()):
            function = unwrapped(found)
            if (
                isinstance(function, FunctionType)
                and not hasattr(function, "row")
                and (not name.startswith("_") or name in INDEXING or facts_of(function).random)
                and name not in UNMAPPED
                and function.__module__.startswith(PACKAGE)
            ):
                yield (prefix + name, id(function)), function
