"""torch.nn.modules: the classes of modules."""

import functools
from importlib import import_module
from types import FunctionType
from typing import Any

from ..._arguments.torch_api import public_names
from . import activation, batchnorm, conv, instancenorm, linear, padding, utils
from ._multihead_attention import MultiheadAttention
from .module import Module

_FILES = """
activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold instancenorm lazy linear loss
module normalization padding pixelshuffle pooling rnn sparse transformer upsampling
"""


def _is_public(name: str, value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Module) and name in public_names("torch.nn")


for _name in _FILES.split():
    _found = vars(import_module(f".{_name}", __name__)).items()
    globals().update({name: each for name, each in _found if _is_public(name, each)})
__all__ = [name for name, each in vars().items() if _is_public(name, each)]


def _set_module_names(*modules: Any) -> None:
    """Set ``__module__`` of the classes to torch's modules."""
    for each in modules:
        each.__module__ = each.__module__.replace(__name__, "torch.nn.modules")


_set_module_names(*(globals()[name] for name in __all__))


def _set_torch_attributes(module: Any, *classes: Any) -> None:
    """Set the attributes of a torch module whose classes are defined in another file here."""
    for each in classes:
        each.__module__ = module.__name__.replace(__name__, "torch.nn.modules")
        setattr(module, each.__name__, each)


_set_torch_attributes(activation, MultiheadAttention)
for _file, _kinds in (
    (batchnorm, "BatchNorm"),
    (conv, "Conv"),
    (conv, "ConvTranspose"),
    (instancenorm, "InstanceNorm"),
):
    _set_torch_attributes(_file, *(globals()[f"Lazy{_kinds}{n}d"] for n in (1, 2, 3)))
_set_torch_attributes(linear, globals()["LazyLinear"])


# Names that several of torch's modules have.
_SHARED = frozenset(
    [
        "_AdaptiveAvgPoolNd.__init__",
        "_AdaptiveMaxPoolNd.__init__",
        "_BatchNorm.__init__",
        "_BatchNorm.forward",
        "_DropoutNd.__init__",
        "_InstanceNorm.__init__",
        "_InstanceNorm.forward",
        "_LPPoolNd.__init__",
        "_LazyNormBase.__init__",
        "_Loss.__init__",
        "_MaxPoolNd.__init__",
        "_NormBase.__init__",
        "_PadNd.forward",
        "_CircularPadNd.forward",
        "_ConstantPadNd.forward",
        "_WeightedLoss.__init__",
    ]
)


def _copy_inherited_methods(*modules: Any) -> None:
    """Give classes their own copies of inherited methods as in torch, whose qualified names errors about arguments show."""
    for each in sorted(modules, key=lambda module: len(module.__mro__)):
        for name in ("__init__", "forward", "pop"):
            method = getattr(each, name, None)
            shared = getattr(method, "__qualname__", "")
            if isinstance(method, FunctionType) and shared.startswith("_") and shared not in _SHARED:
                _copy_method(each, name)


def _copy_method(module: Any, name: str) -> None:
    """Copy an inherited method to a class under the class's qualified name."""
    method = getattr(module, name)
    parts = (method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__)
    found = FunctionType(*parts)
    functools.update_wrapper(found, method)
    found.__kwdefaults__, found.__qualname__ = method.__kwdefaults__, f"{module.__name__}.{name}"
    del vars(found)["__wrapped__"]
    setattr(module, name, found)


_copy_inherited_methods(*(globals()[name] for name in __all__))
for _class in (batchnorm._BatchNorm, instancenorm._InstanceNorm):
    _copy_method(_class, "__init__")
for _padding in (padding._ReflectionPadNd, padding._ReplicationPadNd):
    _copy_method(_padding, "forward")
