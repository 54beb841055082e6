"""torch.autograd.forward_ad: dual tensors and their levels."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._aten.shape.view_reshape import alias
from .._autograd.batched_tensor import (
    NO_RULE,
    OLD_VIEW,
    BatchedTensor,
    for_each_sample,
    level_of,
    make_batched,
    unwrap_batched,
    uses_batch_rules,
    vmaps,
)
from .._autograd.forward_grad import (
    attach,
    batched_value_tangent,
    begin_level,
    end_level,
    has_batched,
    set_tangent,
    tangent_of,
)
from .._autograd.forward_grad import levels as _levels
from .._autograd.tensor import Tensor
from .._autograd.torch_function import handle_torch_function, has_torch_function
from .._c10.errors import NESTED_FORWARD, wrong_type
from .._c10.interpreter_stack import transforms
from .._c10.modes import ContextDecorator, state
from .jvp import unpacked

__all__ = [
    "UnpackedDualTensor",
    "_set_fwd_grad_enabled",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_current_level = -1


class _set_fwd_grad_enabled(ContextDecorator):
    """Switches forward-mode AD on or off when called; as a context manager it restores the previous state."""

    __module__ = "torch.autograd.forward_ad"

    def __init__(self, mode: bool) -> None:
        self.previous, self.mode = state.forward_grad, mode
        state.forward_grad = mode

    def clone(self) -> _set_fwd_grad_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        state.forward_grad = self.previous


def enter_dual_level() -> int:
    """Enter a forward AD level, at which dual tensors can be made.

    Raises:
        RuntimeError: a level is entered already.
    """
    global _current_level
    if _levels:
        raise RuntimeError(NESTED_FORWARD)
    _current_level = begin_level().number
    return _current_level


def exit_dual_level(*, level: int | None = None) -> None:
    """Exit a forward AD level, which removes the tangents of all dual tensors.

    Raises:
        RuntimeError: no level is entered, or ``level`` is another one.
    """
    global _current_level
    if level is None:
        level = _current_level
    if level != _current_level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    end_level()
    _current_level = level - 1


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Tensor:
    """A dual tensor: a view of ``tensor`` that carries ``tangent``, which has the same shape.

    Raises:
        RuntimeError: no level is entered; the shapes differ; or the tensor has a tangent already.
        ValueError: the primal or the tangent is neither floating point nor complex.
    """
    if level is None:
        level = _current_level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for each, what in ((tensor, "primal"), (tangent, "tangent")):
        if not (each.is_floating_point() or each.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {each.dtype}")
    if level != 0:
        raise RuntimeError("Invalid level given to _make_dual")
    for each in (tensor, tangent):
        mapped = level_of((each,))
        if mapped >= 0 and not vmaps[mapped].old:
            raise RuntimeError(NO_RULE.format("_make_dual"))
    return overridable_dual(tensor, tangent, level)


def overridable_dual(tensor: Tensor, tangent: Tensor, level: int) -> Any:
    """dual_of, unless a subclass or mode overrides it; of a subclass, the dual tensor is one as well."""
    if has_torch_function((tensor, tangent)):
        return handle_torch_function(overridable_dual, (tensor, tangent), tensor, tangent, level)
    return dual_of(tensor, tangent, level)


def dual_of(tensor: Tensor, tangent: Tensor, level: int) -> Tensor:
    """make_dual without its checks, at a level of forward_ad or of torch.func."""
    mapped = level_of((tensor, tangent))
    of_func = level < len(_levels) and _levels[level].of_func
    if of_func and tensor.__class__ is BatchedTensor and vmaps[tensor._level].old:
        raise RuntimeError(OLD_VIEW.format("alias"))
    alone = len(vmaps) == 1 and level_of((tensor,)) < 0 and not has_batched(tensor)
    if mapped >= 0 and not alone:  # see Note [Batched tangents]
        if uses_batch_rules(mapped) and tensor.__class__ is BatchedTensor and tensor._level == mapped:
            return _dual_of_value(tensor, tangent, level)
        return for_each_sample(dual_of, (tensor, tangent, level), {}, mapped)
    if tangent_of(tensor, level) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{level} is not supported."
        )
    dual = alias(tensor) if of_func else tensor.view(tensor._array.shape)
    if 1 in tensor._array.shape and not tensor.is_sparse:
        dual._array = tensor._array[...]  # unlike view(), torch keeps the strides of dimensions of length 1
    if state.inference:
        return dual
    dual._forward_base = None
    if transforms.depth:
        dual._age = transforms.age  # not a captured tensor: it may be changed in place
    set_tangent(dual, tangent, level)
    return dual


def _dual_of_value(tensor: BatchedTensor, tangent: Tensor, level: int) -> Tensor:
    """dual_of for a batched tensor: batch the dual of its value."""
    value, dim = unwrap_batched(tensor)
    direction = batched_value_tangent(tensor, tangent)
    if value.__class__ is BatchedTensor:
        return make_batched(dual_of(value, direction, level), dim, tensor._level)
    if direction.__class__ is not BatchedTensor:
        dual = alias(value)
        dual._forward_base = None
        attach(dual, direction, level)
        return make_batched(dual, dim, tensor._level)
    return for_each_sample(dual_of, (tensor, tangent, level), {}, tensor._level)


class UnpackedDualTensor(NamedTuple):
    """The result of unpack_dual: the primal, and the tangent or None."""

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """A view of the primal without its tangent, and the tangent, or None if there is none.

    Raises:
        TypeError: ``tensor`` is not a tensor.
    """
    if level is None:
        level = _current_level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise wrong_type("_unpack_dual", "dual", "Tensor", tensor, 1)
    if level != 0 and tangent_of(tensor, 0) is not None:
        raise RuntimeError("Invalid level given to _fw_primal")
    return UnpackedDualTensor(*overridable_unpacked(tensor, level))


def overridable_unpacked(tensor: Tensor, level: int) -> Any:
    """unpacked_dual, unless a subclass or mode overrides it; of a subclass, primal and tangent are ones as well."""
    if has_torch_function((tensor,)):
        return handle_torch_function(overridable_unpacked, (tensor,), tensor, level)
    return unpacked_dual(tensor, level)


def unpacked_dual(tensor: Tensor, level: int) -> tuple[Tensor, Tensor | None]:
    """unpack_dual without its checks, at a level of forward_ad or of torch.func."""
    mapped = level_of((tensor,))
    if mapped >= 0 and uses_batch_rules(mapped):
        value, dim = unwrap_batched(tensor)
        primal, tangent = unpacked_dual(value, level)
        batch = make_batched(primal, dim, mapped)
        return batch, None if tangent is None else make_batched(tangent, dim, mapped)
    if mapped >= 0:
        return for_each_sample(unpacked_dual, (tensor, level), {}, mapped)
    return unpacked(tensor, level), tangent_of(tensor, level)


class dual_level(ContextDecorator):
    """A context manager that enters a forward AD level, and exits it."""

    __module__ = "torch.autograd.forward_ad"

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *args: object) -> None:
        exit_dual_level()


def _is_fwd_grad_enabled() -> bool:
    """Whether forward-mode AD is enabled: operations propagate tangents."""
    return state.forward_grad
