"""Dispatch wrappers that show composite functions to modes below autograd: factories, detach, and reads of a number.

Note [Seen below autograd]: in torch these functions are dispatched like any operator, so a ``TorchDispatchMode`` sees them.
It also sees operations of autograd itself: an output that a node saves is detached when it is saved and again when it is
unpacked, a backward pass starts with ``ones_like``, and a leaf's first gradient is detached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten import conversions
from .._aten.creation import factories, from_data, ranges
from .._aten.random import dropout, random
from .._aten.shape import triangular_diagonal
from .._autograd.tensor import Tensor
from .._autograd.torch_dispatch_subclass import overloaded_args
from .._c10.device import CPU
from .._c10.interpreter_stack import CompositeWrappers
from .._c10.layout import preserve_format
from .._c10.modes import state
from .._c10.operator_facts import facts_of
from .._c10.shapes import sizes
from .torch_dispatch import call_handler, overload, packet
from .torch_function_wrappers import unwrapped

_OPTIONS = ("generator", "dtype", "layout", "device", "pin_memory", "memory_format")


def _is_dispatched(args: tuple[Any, ...]) -> bool:
    """Whether a mode or an argument handles __torch_dispatch__."""
    return bool(state.dispatch_modes or overloaded_args(args))


def _call_handler(name: str, *args: Any, **kwargs: Any) -> Any:
    """The result of an operation without a row, from the innermost mode or from a class of the arguments."""
    base, _, form = name.partition(".")
    return call_handler(overload(packet(base), form or "default"), args, kwargs)


def ones_like(root: Tensor) -> Tensor:
    """The gradient with which a backward pass starts."""
    result: Tensor = _call_handler("ones_like", root, pin_memory=False, memory_format=preserve_format)
    return result


def _factory_wrapper(
    name: str, arguments: Callable[..., tuple[Any, ...]], **defaults: Any
) -> Callable[..., Any]:
    """Calls the handler of a factory, whose overload the factory declares if the arguments decide it."""

    def wrapper(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not _is_dispatched(args) or kwargs.get("out") is not None:
            return composite(*args, **kwargs)
        given = {**defaults, **{key: value for key, value in kwargs.items() if value is not None}}
        requires_grad = given.pop("requires_grad", False)
        options = {key: given.pop(key) for key in _OPTIONS if key in given}
        positional = arguments(*args, **given)
        declared = facts_of(composite).overload
        form = declared(*positional) if callable(declared) else "default"
        if "generator" in options:
            form = "generator" if form == "default" else f"{form}_generator"
        result = _call_handler(name if form == "default" else f"{name}.{form}", *positional, **options)
        return result.requires_grad_() if requires_grad else result

    return wrapper


def _sizes(*args: Any, size: Any = None) -> tuple[Any, ...]:
    return ([*sizes(args if size is None else (size,), "size")],)


def _full(size: Any, fill_value: Any) -> tuple[Any, ...]:
    return [*size], fill_value


def _like_sizes(like: Tensor, *args: Any, size: Any = None) -> tuple[Any, ...]:
    return like, *_sizes(*args, size=size)


def _like_full(like: Tensor, size: Any, fill_value: Any) -> tuple[Any, ...]:
    return like, *_full(size, fill_value)


def _with_size(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    *bounds, size = (*args, *kwargs.values())
    return *bounds, [*size]


def _all_positional(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    return (*args, *kwargs.values())


def _lift_fresh(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not state.dispatch_modes:
        return composite(*args, **kwargs)
    requires_grad = kwargs.pop("requires_grad", False)
    result = _call_handler("lift_fresh", composite(*args, **kwargs))
    return result.requires_grad_() if requires_grad else result


def _lift_fresh_data(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    arguments = args[0] if args else kwargs.get("data")
    return (
        composite(*args, **kwargs) if isinstance(arguments, Tensor) else _lift_fresh(composite, args, kwargs)
    )


def _multinomial(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not _is_dispatched(args) or kwargs.get("out") is not None:
        return composite(*args, **kwargs)
    named = {name: kwargs.pop(name) for name in ("generator", "out") if name in kwargs}
    return _call_handler(
        "multinomial",
        *args,
        *kwargs.values(),
        **{name: each for name, each in named.items() if each is not None},
    )


def _normal(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    arguments = dict(zip(("mean", "std", "size"), args, strict=False)) | kwargs
    if arguments.get("size") is None:
        return composite(*args, **kwargs)
    numbers = arguments.pop("mean"), arguments.pop("std", 1.0), [*arguments.pop("size")]
    return _factory_wrapper("normal.float_float", _all_positional, device=CPU, pin_memory=False)(
        composite, numbers, arguments
    )


def _dropout(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Dropout as torch composes it: the mask is a tensor that is created, drawn and scaled by dispatched operations."""
    input, p, train = args
    feature = kwargs.get("feature", False)
    plain = input._array.dtype.kind in "fV" and not kwargs.get("alpha") and (input.dim() > 1 or not feature)
    if not (plain and train and 0 < p <= 1 and input._array.size and _is_dispatched(args)):
        return composite(*args, **kwargs)
    if p == 1:
        noise = _call_handler("zeros", [], dtype=input.dtype, layout=input.layout, device=CPU)
    else:
        shape = [*input.shape[:2], *[1] * (input.dim() - 2)]
        noise = _call_handler("new_empty", input, shape) if feature else _call_handler("empty_like", input)
        _call_handler("bernoulli_.float", noise, *([1 - p] if p != 0.5 else []))
        _call_handler("div_.Scalar", noise, 1 - p)
    return input.mul_(noise) if kwargs.get("inplace") else input.mul(noise)


def _data(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if overloaded_args(args):
        return _call_handler("detach", *args)
    return composite(_call_handler("detach", *args)) if state.dispatch_modes else composite(*args)


def _detach(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _call_handler("detach", *args) if _is_dispatched(args) else composite(*args)


def _item(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if _is_dispatched(args[:1]) and args[0]._array.size == 1:
        return _call_handler("_local_scalar_dense", *args)
    return composite(*args)


def _convert(composite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if _is_dispatched(args[:1]) and args[0]._array.size == 1:
        _item(composite, args, kwargs)
    return composite(*args)


def _composite_wrappers() -> CompositeWrappers:
    wrappers = CompositeWrappers()
    wrap: Callable[[Any, Any], None] = wrappers.wrap
    options = {"device": CPU, "pin_memory": False}
    for name in ("ones", "zeros"):
        wrap(getattr(factories, name), _factory_wrapper(name, _sizes, **options))
    wrap(factories.empty, _factory_wrapper("empty.memory_format", _sizes, **options))
    wrap(factories.full, _factory_wrapper("full", _full, **options))
    wrap(factories.eye, _factory_wrapper("eye", _all_positional, **options))
    wrap(factories.scalar_tensor, _factory_wrapper("scalar_tensor", _all_positional, **options))
    for name in ("arange", "linspace", "logspace"):
        wrap(getattr(ranges, name), _factory_wrapper(name, _all_positional, **options))
    for name in ("tril_indices", "triu_indices"):
        wrap(getattr(triangular_diagonal, name), _factory_wrapper(name, _all_positional, **options))
    wrap(random.randperm, _factory_wrapper("randperm", _all_positional, **options))
    wrap(random.normal, _normal)
    wrap(random.multinomial, _multinomial)
    wrap(dropout._drop, _dropout)
    for name in ("new_zeros", "new_ones", "new_empty", "new_full"):
        arguments = _like_full if name == "new_full" else _like_sizes
        wrap(unwrapped(vars(Tensor)[name]), _factory_wrapper(name, arguments, pin_memory=False))
    wrap(random.randint, _factory_wrapper("randint", _with_size, **options))
    for name in ("rand", "randn"):
        wrap(getattr(random, name), _factory_wrapper(name, _sizes, **options))
    for module, listed in ((factories, "ones zeros empty full"), (random, "rand randn")):
        for name in listed.split():
            like = f"{name}_like"
            wrap(getattr(module, like), _factory_wrapper(like, _all_positional, pin_memory=False))
    wrap(from_data.tensor, _lift_fresh)
    wrap(from_data.as_tensor, _lift_fresh_data)
    wrap(unwrapped(Tensor.detach), _detach)
    wrap(unwrapped(vars(Tensor)["data"].fget), _data)
    wrap(conversions.item, _item)
    for read in (conversions.whole, *(vars(Tensor)[name] for name in ("__bool__", "__index__"))):
        wrap(unwrapped(read), _convert)
    return wrappers


_WRAPPERS = _composite_wrappers()
install, remove = _WRAPPERS.install, _WRAPPERS.remove
