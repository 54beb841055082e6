"""The kinds of values, and the paths into them: ``m.weight``, ``seen[0]``, ``opt.state[0].momentum_buffer``."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, TypeAlias

from conformance.runner.engine import Engine, observed

OWN_MODULE = "__main__"
"""The module that a program's own classes belong to."""

SHOWN = 200
"""Entries of one container that are observed."""

Children: TypeAlias = Iterator[tuple[str, Any]]


class Kind(Enum):
    """How a value is observed."""

    PLAIN = auto()  # its own text
    TENSOR = auto()
    NODE = auto()
    SEQUENCE = auto()  # this and the next kinds are observed by the paths into them
    MAPPING = auto()
    MODULE = auto()
    OPTIMIZER = auto()
    OWN = auto()  # of a class that the program defines
    CONSTANT = auto()  # a dtype, device or layout: its name
    ARRAY = auto()  # numpy's, also its numbers: numbers, shape and dtype
    OPAQUE = auto()  # functions, classes, handles: that the name is bound


class Kinds:
    """The kind of each type of value, decided once per type."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._of: dict[type, Kind] = dict.fromkeys((bool, int, float, complex, str, type(None)), Kind.PLAIN)
        self._of |= {list: Kind.SEQUENCE, tuple: Kind.SEQUENCE, dict: Kind.MAPPING}
        torch = engine.torch
        self._module = _class(torch, "nn", "Module")
        self._optimizer = _class(torch, "optim", "Optimizer")
        self.unread = not (self._module and self._optimizer)  # see Note [What cannot be read]
        # Not `type`, where an engine's dtypes are classes, nor `str`.
        constants = {type(getattr(torch, name, None)) for name in ("float32", "strided")} - {
            type(None),
            type,
            str,
        }
        device = _class(torch, "device")
        self._constants = (*constants, device) if isinstance(device, type) else tuple(constants)

    def __call__(self, value: Any) -> Kind:
        kind = self._of.get(type(value))
        if kind is None:
            kind = self._of[type(value)] = self._decide(value)
        return kind

    def _decide(self, value: Any) -> Kind:
        if observed(self._engine, value) is not None:
            return Kind.TENSOR
        if type(value).__module__ == "numpy" and hasattr(value, "tolist") and not isinstance(value, str):
            return Kind.ARRAY
        by_class = (
            (self._module, Kind.MODULE),
            (self._optimizer, Kind.OPTIMIZER),
            (self._constants, Kind.CONSTANT),
            ((int, float, complex, str), Kind.PLAIN),
            ((list, tuple), Kind.SEQUENCE),
            (dict, Kind.MAPPING),
        )
        for classes, kind in by_class:
            if isinstance(value, classes):
                return kind
        if hasattr(type(value), "next_functions"):
            return Kind.NODE
        if _is_integer(value):
            return Kind.PLAIN
        if "dtype" in type(value).__name__.lower():
            return Kind.CONSTANT
        return Kind.OWN if type(value).__module__ == OWN_MODULE else Kind.OPAQUE


def _class(torch: Any, *path: str) -> type | tuple[()]:
    for name in path:
        torch = getattr(torch, name, None)
    return torch if isinstance(torch, type) else ()


def _is_integer(value: Any) -> bool:
    """Whether it is an integer of a class of its own; a tensor of one number has `__index__` too."""
    return hasattr(type(value), "__index__") and not hasattr(value, "tolist") and not hasattr(value, "shape")


def plain(value: Any, depth: int = 0) -> str | None:
    """The text of a number, a string or None, and of containers of those; None for anything else."""
    match value:
        case None | bool():
            return repr(value)
        case int() | float() | complex() | str():
            return _scalar(value)
        case list() | tuple() | dict() | set() | frozenset() if depth < 20:
            return _plain_container(value, depth + 1)
    return repr(int(value)) if _is_integer(value) else None


def _scalar(value: int | float | complex | str) -> str:
    """The text of a scalar; a subclass such as numpy's float64 is converted to Python's type."""
    base: type[Any] = next(t for t in (int, float, complex, str) if isinstance(value, t))
    return repr(value if type(value) is base else base(value))


def _plain_container(value: Any, depth: int) -> str | None:
    if isinstance(value, dict):
        pairs = [(plain(key, depth), plain(item, depth)) for key, item in value.items()]
        texts = [None if key is None or item is None else f"{key}: {item}" for key, item in pairs]
    else:
        texts = [plain(item, depth) for item in value]
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    inside = ", ".join(sorted(known) if isinstance(value, set | frozenset) else known)
    if isinstance(value, list):
        return f"[{inside}]"
    if isinstance(value, tuple):
        return f"({inside},)" if len(known) == 1 else f"({inside})"
    return f"{{{inside}}}" if inside or isinstance(value, dict) else "set()"


def inside(value: Any, kind: Kind) -> Children:
    """The paths, one step long, into a value that is observed by paths."""
    if kind is Kind.SEQUENCE:
        yield from ((f"[{i}]", item) for i, item in enumerate(value[:SHOWN]))
    elif kind is Kind.MAPPING:
        yield from ((f"[{_key(key, i)}]", item) for i, (key, item) in enumerate([*value.items()][:SHOWN]))
    elif kind is Kind.MODULE:
        yield from _in_module(value)
    elif kind is Kind.OPTIMIZER:
        yield from _in_optimizer(value)
    else:
        yield from _own_attributes(value)


def _key(key: Any, i: int) -> str:
    return plain(key) or f"key {i}"


def _in_module(module: Any) -> Children:
    held = vars(module)
    if "_modules" in held:
        for name in ("_parameters", "_buffers", "_modules"):
            yield from ((_attribute(key), item) for key, item in held[name].items())
    else:
        yield from ((_attribute(key), item) for key, item in module.named_parameters())
        yield from ((_attribute(key), item) for key, item in module.named_buffers())
    if "training" in held:
        yield ".training", held["training"]
    if type(module).__module__ == OWN_MODULE:
        yield from ((path, item) for path, item in _own_attributes(module) if path != ".training")


def _own_attributes(value: Any) -> Children:
    held = getattr(value, "__dict__", {})
    yield from ((f".{name}", item) for name, item in held.items() if not name.startswith("_"))


def _attribute(dotted: str) -> str:
    """``0.weight`` in Python's notation: ``[0].weight``."""
    return "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in dotted.split("."))


def _in_optimizer(optimizer: Any) -> Children:
    parameters: list[Any] = []
    for i, group in enumerate(optimizer.param_groups):
        parameters += group["params"]
        for key, item in group.items():
            if key == "params":
                yield from ((f".param_groups[{i}].params[{j}]", one) for j, one in enumerate(item))
            else:
                yield f".param_groups[{i}].{key}", item
    order = {id(parameter): i for i, parameter in enumerate(parameters)}
    for parameter, state in optimizer.state.items():
        at = order.get(id(parameter), "?")
        if isinstance(state, dict):
            yield from ((f".state[{at}].{key}", item) for key, item in state.items())
        else:
            yield f".state[{at}]", state
