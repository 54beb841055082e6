"""What modes below autograd see of functions that are no rows: those that make tensors, detach them, or read a number.

Note [Seen below autograd]: torch's dispatcher hands these on as any operation. What a node saves of its outputs is detached
when it is saved, and again when it is unpacked; the pass starts with ``ones_like``, and a leaf's first gradient is detached.
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
from .._c10.shapes import sizes
from .torch_dispatch import hand_over, overload, packet
from .torch_function_wrappers import beneath

_OPTIONS = ("generator", "dtype", "layout", "device", "pin_memory", "memory_format")
# Overloads by how many arguments are given, where that is no matter of their kinds.
_FORMS = {
    "arange": {2: ".start", 3: ".start_step"},
    "eye": {2: ".m"},
    "randint": {3: ".low"},
}


def _is_seen(args: tuple[Any, ...]) -> bool:
    """Whether a mode, or one of the arguments, is asked."""
    return bool(state.dispatch_modes or overloaded_args(args))


def ask(name: str, *args: Any, **kwargs: Any) -> Any:
    """What the innermost mode gives for an operation that is no row."""
    base, _, form = name.partition(".")
    return hand_over(overload(packet(base), form or "default"), args, kwargs)


def ones_like(root: Tensor) -> Tensor:
    """The gradient that a pass starts with."""
    found: Tensor = ask("ones_like", root, pin_memory=False, memory_format=preserve_format)
    return found


def _making(name: str, arguments: Callable[..., tuple[Any, ...]], **told: Any) -> Callable[..., Any]:
    def show(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not _is_seen(args) or kwargs.get("out") is not None:
            return made(*args, **kwargs)
        given = {**told, **{key: value for key, value in kwargs.items() if value is not None}}
        requires_grad = given.pop("requires_grad", False)
        options = {key: given.pop(key) for key in _OPTIONS if key in given}
        positional = arguments(*args, **given)
        form = _FORMS.get(name, {}).get(len(positional), "")
        if "generator" in options:
            form = f"{form}_generator" if form else ".generator"
        result = ask(name + form, *positional, **options)
        return result.requires_grad_() if requires_grad else result

    return show


def _sizes(*args: Any, size: Any = None) -> tuple[Any, ...]:
    return ([*sizes(args if size is None else (size,), "size")],)


def _full(size: Any, fill_value: Any) -> tuple[Any, ...]:
    return [*size], fill_value


def _of_sizes(like: Tensor, *args: Any, size: Any = None) -> tuple[Any, ...]:
    return like, *_sizes(*args, size=size)


def _of_full(like: Tensor, size: Any, fill_value: Any) -> tuple[Any, ...]:
    return like, *_full(size, fill_value)


def _with_size(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    *bounds, size = (*args, *kwargs.values())
    return *bounds, [*size]


def _as_given(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    return (*args, *kwargs.values())


def _lifting(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not state.dispatch_modes:
        return made(*args, **kwargs)
    requires_grad = kwargs.pop("requires_grad", False)
    result = ask("lift_fresh", made(*args, **kwargs))
    return result.requires_grad_() if requires_grad else result


def _lifting_data(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = args[0] if args else kwargs.get("data")
    return made(*args, **kwargs) if isinstance(given, Tensor) else _lifting(made, args, kwargs)


def _drawing(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not _is_seen(args) or kwargs.get("out") is not None:
        return made(*args, **kwargs)
    named = {name: kwargs.pop(name) for name in ("generator", "out") if name in kwargs}
    return ask(
        "multinomial",
        *args,
        *kwargs.values(),
        **{name: each for name, each in named.items() if each is not None},
    )


def _normal(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = dict(zip(("mean", "std", "size"), args, strict=False)) | kwargs
    if given.get("size") is None:
        return made(*args, **kwargs)
    numbers = given.pop("mean"), given.pop("std", 1.0), [*given.pop("size")]
    return _making("normal.float_float", _as_given, device=CPU, pin_memory=False)(made, numbers, given)


def _dropping(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What dropout multiplies with is a tensor of its own, where there is anything to drop."""
    input, p, train = args
    feature = kwargs.get("feature", False)
    plain = input._array.dtype.kind in "fV" and not kwargs.get("alpha") and (input.dim() > 1 or not feature)
    if not (plain and train and 0 < p <= 1 and input._array.size and _is_seen(args)):
        return made(*args, **kwargs)
    if p == 1:
        noise = ask("zeros", [], dtype=input.dtype, layout=input.layout, device=CPU)
    else:
        shape = [*input.shape[:2], *[1] * (input.dim() - 2)]
        noise = ask("new_empty", input, shape) if feature else ask("empty_like", input)
        ask("bernoulli_.float", noise, *([1 - p] if p != 0.5 else []))
        ask("div_.Scalar", noise, 1 - p)
    return input.mul_(noise) if kwargs.get("inplace") else input.mul(noise)


def _data(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if overloaded_args(args):
        return ask("detach", *args)
    return made(ask("detach", *args)) if state.dispatch_modes else made(*args)


def _detaching(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return ask("detach", *args) if _is_seen(args) else made(*args)


def _reading(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if _is_seen(args[:1]) and args[0]._array.size == 1:
        return ask("_local_scalar_dense", *args)
    return made(*args)


def _converting(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if _is_seen(args[:1]) and args[0]._array.size == 1:
        _reading(made, args, kwargs)
    return made(*args)


def _wrapped() -> CompositeWrappers:
    wrappers = CompositeWrappers()
    put: Callable[[Any, Any], None] = wrappers.wrap
    made = {"device": CPU, "pin_memory": False}
    for name in ("ones", "zeros"):
        put(getattr(factories, name), _making(name, _sizes, **made))
    put(factories.empty, _making("empty.memory_format", _sizes, **made))
    put(factories.full, _making("full", _full, **made))
    put(factories.eye, _making("eye", _as_given, **made))
    put(factories.scalar_tensor, _making("scalar_tensor", _as_given, **made))
    for name in ("arange", "linspace", "logspace"):
        put(getattr(ranges, name), _making(name, _as_given, **made))
    for name in ("tril_indices", "triu_indices"):
        put(getattr(triangular_diagonal, name), _making(name, _as_given, **made))
    put(random.randperm, _making("randperm", _as_given, **made))
    put(random.normal, _normal)
    put(random.multinomial, _drawing)
    put(dropout._drop, _dropping)
    for name in ("new_zeros", "new_ones", "new_empty", "new_full"):
        arguments = _of_full if name == "new_full" else _of_sizes
        put(beneath(vars(Tensor)[name]), _making(name, arguments, pin_memory=False))
    put(random.randint, _making("randint", _with_size, **made))
    for name in ("rand", "randn"):
        put(getattr(random, name), _making(name, _sizes, **made))
    for module, listed in ((factories, "ones zeros empty full"), (random, "rand randn")):
        for name in listed.split():
            like = f"{name}_like"
            put(getattr(module, like), _making(like, _as_given, pin_memory=False))
    put(from_data.tensor, _lifting)
    put(from_data.as_tensor, _lifting_data)
    put(beneath(Tensor.detach), _detaching)
    put(beneath(vars(Tensor)["data"].fget), _data)
    put(conversions.item, _reading)
    for read in (conversions.whole, *(vars(Tensor)[name] for name in ("__bool__", "__index__"))):
        put(beneath(read), _converting)
    return wrappers


DOORS = _wrapped()
install, remove = DOORS.install, DOORS.remove
