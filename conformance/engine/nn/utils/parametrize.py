"""torch.nn.utils.parametrize: parameters computed from others by modules (torch: nn/utils/parametrize.py)."""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.modes import no_grad
from ..._nn.parameter import Parameter
from ..modules.container import ModuleDict, ModuleList

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache_enabled = 0
_cache: dict[tuple[int, str], Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """A context in which parametrized tensors are computed once and cached."""
    global _cache, _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache = {}


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, with the original tensor or tensors."""

    __module__ = "torch.nn.utils.parametrize"

    def __init__(self, modules: Sequence[Any], original: Any, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, kind = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                + type(new).__name__
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._keep_one(original, new)
        else:
            self._keep_several(original, new)
        if not unsafe:
            _check_same(
                self(), shape, kind, "Registering a parametrization", "unparametrized", "parametrized"
            )

    def _keep_one(self, original: Any, new: Any) -> None:
        if original.dtype != new.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
            )
        with no_grad():
            original.set_(new)
        _register(self, "original", original)

    def _keep_several(self, original: Any, new: Any) -> None:
        for number, each in enumerate(new):
            if not isinstance(each, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                    f"{number} of the sequence with type {type(each).__name__}."
                )
            kept = Parameter(each, original.requires_grad) if isinstance(original, Parameter) else each
            kept.requires_grad_(original.requires_grad)
            _register(self, f"original{number}", kept)

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the parametrizations compute this value.

        Raises:
            RuntimeError: a parametrization has no right_inverse.
            ValueError: a right_inverse returns values that do not match the originals.
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                self._assign_one(value)
            else:
                self._assign_several(value)

    def _assign_one(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                f"{self.original.dtype}"
            )
        self.original.set_(value)

    def _assign_several(self, values: Any) -> None:
        if not isinstance(values, Sequence):
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors. Got {type(values).__name__}."
            )
        if len(values) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                f"length {len(values)}."
            )
        for number, each in enumerate(values):
            if not isinstance(each, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. Got element "
                    f"{number} of type {type(each).__name__}."
                )
            original = getattr(self, f"original{number}")
            if original.dtype != each.dtype:
                raise ValueError(
                    f"Tensor {number} returned by `right_inverse` has dtype {each.dtype} while `original{number}` has "
                    f"dtype {original.dtype}"
                )
            original.set_(each)

    def forward(self) -> Any:
        """Apply the parametrizations in sequence to the originals."""
        first, *rest = self
        value = first(*(getattr(self, name) for name in self._names()))
        for module in rest:
            value = module(value)
        return value

    def _names(self) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{number}" for number in range(self.ntensors)]


def _register(module: Any, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _check_same(value: Any, shape: Any, kind: Any, what: str, before: str, after: str) -> None:
    """Raise an error if a parametrization changes dtype or shape."""
    if not isinstance(value, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
    flag = "unless `unsafe` flag" if before == "unparametrized" else "unless the `unsafe` flag"
    for aspect, have, want in (("dtype", value.dtype, kind), ("shape", value.shape, shape)):
        if have != want:
            places = (f"{before} {aspect}", f"{after} {aspect}")
            if before != "unparametrized":
                places = (f"{before}.{aspect}", f"{after}.{aspect}")
            raise ValueError(
                f"{what} may not change the {aspect} of the tensor, {flag} is enabled.\n"
                f"{places[0]}: {want}\n{places[1]}: {have}"
            )


def _check_inverse(parametrization: Any, value: Any, before: Any, tensor_name: str) -> None:
    try:
        back = parametrization.right_inverse(value)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for aspect in ("dtype", "shape"):
        if getattr(back, aspect) != getattr(before, aspect):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {aspect} as "
                f"module.{tensor_name}, unless the `unsafe` flag is enabled.\n"
                f"module.{tensor_name}.{aspect}: {getattr(before, aspect)}\n"
                f"returned {aspect}: {getattr(back, aspect)}"
            )


# The module's class -------------------------------------------------------------------------------


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    found = memo.get(id(self))
    if found is not None:
        return found
    copy = memo[id(self)] = self.__new__(self.__class__)
    copy.__dict__ = deepcopy(self.__dict__, memo)
    for slot in copyreg._slotnames(self.__class__):  # type: ignore[attr-defined]
        if hasattr(self, slot):
            setattr(copy, slot, deepcopy(getattr(self, slot), memo))
    return copy


def _refuse_state(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-"
        "inference-and-or-resuming-training"
    )


def _inject_new_class(module: Any) -> None:
    """Replace a module's class by a dynamic subclass, which holds the properties of parametrized tensors."""
    cls = type(module)
    body: dict[str, Any] = {"__getstate__": _refuse_state, "__module__": "torch.nn.utils.parametrize"}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _inject_property(module: Any, tensor_name: str) -> None:
    def read(self: Any) -> Any:
        parametrization = self.parametrizations[tensor_name]
        if not _cache_enabled:
            return parametrization()
        key = (id(module), tensor_name)
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def assign(self: Any, value: Any) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(type(module), tensor_name, property(read, assign))


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False
) -> Any:
    """Register a parametrization of a parameter or buffer, after existing ones.

    Raises:
        ValueError: there is no such tensor, or without ``unsafe`` the dtype or shape would change.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            before = getattr(module, tensor_name)
            value = parametrization(before)
            name = f"module.{tensor_name}"
            _check_same(
                value,
                before.shape,
                before.dtype,
                "Registering a parametrization",
                name,
                f"parametrization({name})",
            )
            if hasattr(parametrization, "right_inverse"):
                _check_inverse(parametrization, value, before, tensor_name)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module, or one tensor of it, is parametrized."""
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Remove a tensor's parametrizations and keep its current value, or the original one.

    Raises:
        ValueError: it is not parametrized, or has several originals to restore.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found = module.parametrizations[tensor_name]
    original: Any
    if found.is_tensor:
        original = found.original
        if leave_parametrized:
            with no_grad():
                original.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type_of_parametrized(module)
    return module


def type_of_parametrized(module: Any) -> type:
    """The class of a module before the first parametrization."""
    return type(module).__bases__[0]


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """Copy parametrizations and originals of one module's tensors to another module."""
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for each in source:
            register_parametrization(to_module, name, each)
        target = to_module.parametrizations[name]
        for original in source._names():
            setattr(target, original, getattr(source, original))
    return to_module


def type_before_parametrizations(module: Any) -> type:
    """The class of a module before parametrizations, if it has any."""
    return type_of_parametrized(module) if is_parametrized(module) else type(module)
