"""What modes below autograd see of functions that are no rows: those that make tensors, detach them, or read a number.

Note [Seen below autograd]: torch's dispatcher hands these on as any operation. What a node saves of its outputs is detached
when it is saved, and again when it is unpacked; the pass starts with ``ones_like``, and a leaf's first gradient is detached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import conversions, creation, from_data, random, ranges
from .asking import beneath
from .device import CPU
from .dispatch import hand_over, overload, packet
from .dispatch_classes import asked
from .formats import preserve_format
from .modes import state
from .shapes import sizes
from .tensor import Tensor
from .transforms import Doors

_OPTIONS = ("generator", "dtype", "layout", "device", "pin_memory", "memory_format")
# Overloads by how many arguments are given, where that is no matter of their kinds.
_FORMS = {
    "arange": {2: ".start", 3: ".start_step"},
    "eye": {2: ".m"},
    "randint": {3: ".low"},
}


def _is_seen(args: tuple[Any, ...]) -> bool:
    """Whether a mode, or one of the arguments, is asked."""
    return bool(state.dispatch_modes or asked(args))


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


def _data(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if asked(args):
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


def _closed() -> Doors:
    doors = Doors()
    put: Callable[[Any, Any], None] = doors.guard
    made = {"device": CPU, "pin_memory": False}
    for name in ("ones", "zeros"):
        put(getattr(creation, name), _making(name, _sizes, **made))
    put(creation.empty, _making("empty.memory_format", _sizes, **made))
    put(creation.full, _making("full", _full, **made))
    put(creation.eye, _making("eye", _as_given, **made))
    put(ranges.arange, _making("arange", _as_given, **made))
    put(random.randint, _making("randint", _with_size, **made))
    for name in ("rand", "randn"):
        put(getattr(random, name), _making(name, _sizes, **made))
    for module, listed in ((creation, "ones zeros empty full"), (random, "rand randn")):
        for name in listed.split():
            like = f"{name}_like"
            put(getattr(module, like), _making(like, _as_given, pin_memory=False))
    put(from_data.tensor, _lifting)
    put(beneath(Tensor.detach), _detaching)
    put(beneath(vars(Tensor)["data"].fget), _data)
    put(conversions.item, _reading)
    for read in (conversions.whole, *(vars(Tensor)[name] for name in ("__bool__", "__index__"))):
        put(beneath(read), _converting)
    return doors


DOORS = _closed()
