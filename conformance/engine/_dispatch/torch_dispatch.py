"""Modes that see every operation below autograd (torch: utils/_python_dispatch.py, _ops.py).

Note [Below autograd]: while a ``TorchDispatchMode`` is active, an operator gets its result from the mode's
``__torch_dispatch__`` and records its node for that result. The mode receives the ``OpOverload`` that torch's dispatcher
would call; calling it there runs the next mode, or the operator's kernel without recording. The engine then runs the
operator once with a forward that returns the mode's result. In-place operations work in the same way: the mode computes
the value, which is written afterwards.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from .._arguments.overloads import opname
from .._aten import operators
from .._aten.codegen.node import names_of
from .._aten.registry import ROWS, Row
from .._autograd.saved_variable import SavedTensor
from .._autograd.tensor import Tensor, version_counter
from .._autograd.torch_dispatch_subclass import (
    attach_history,
    call_torch_dispatch,
    has_torch_dispatch,
    overloaded_args,
    save_detached,
)
from .._autograd.views import check_inplace
from .._c10.interpreter_stack import transforms
from .._c10.location import PACKAGE
from .._c10.modes import state
from .._c10.slots import on_first_use

# See Note [Slots].
nn_functions: Callable[[], dict[str, Any]] = on_first_use("nn_functions")
install_wrappers: Callable[[], None] = on_first_use("install_dispatch_wrappers")
remove_wrappers: Callable[[], None] = on_first_use("remove_dispatch_wrappers")


class TorchDispatchMode:
    """A context in which ``__torch_dispatch__`` computes the result of every operation."""

    __module__ = "torch.utils._python_dispatch"

    def __init__(self, _dispatch_key: Any = None) -> None:
        pass

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The result of the operation ``func``."""
        raise NotImplementedError

    def __enter__(self) -> TorchDispatchMode:
        state.dispatch_modes = (*state.dispatch_modes, self)
        transforms.begin()
        install_wrappers()
        return self

    def __exit__(self, *error: object) -> None:
        state.dispatch_modes = state.dispatch_modes[:-1]
        transforms.end()
        remove_wrappers()


# Operations by the dispatcher's names -------------------------------------------------------------


class OpOverload:
    """One overload of an operation, such as ``torch.ops.aten.mul.Tensor``."""

    __module__ = "torch._ops"  # of the class; instances have the module of their namespace

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self.__module__ = packet.__module__
        self.overloadpacket = self._overloadpacket = packet
        self._overloadname = overload
        self._opname, self.__name__ = packet.__name__, f"{packet.__name__}.{overload}"
        self.namespace = packet.namespace

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        pending: Pending | None = state.pending
        if pending is None or pending.op is not self or (pending.written not in (None, id(args[0]))):
            return self.overloadpacket(*args, **kwargs)
        if state.dispatch_modes or overloaded_args(args):
            return call_pending(pending, args, kwargs)
        if pending.schema_args is None:
            return pending.row.call(*args, **kwargs)
        replaced = {id(old): new for old, new in zip(pending.schema_args, args, strict=False)}
        arguments, named = pending.given
        return pending.row.call(*(replaced.get(id(each), each) for each in arguments), **named)

    def name(self) -> str:
        """The name with its namespace and overload, such as ``aten::mul.Tensor``; ``default`` is left out."""
        rest = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.namespace}::{self._opname}{rest}"

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """All overloads of an operation, such as ``torch.ops.aten.mul``."""

    __module__ = "torch._ops"

    def __init__(self, name: str, call: Callable[..., Any], namespace: str = "aten") -> None:
        self.__module__ = f"torch._ops.{namespace}"
        self.__name__, self._call, self.namespace = name, call, namespace

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("_"):
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        return overload(self, name)

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


@cache
def overload(packet: OpOverloadPacket, name: str) -> OpOverload:
    """The overload of that name, one object for all callers."""
    return OpOverload(packet, name)


@cache
def packet(name: str) -> OpOverloadPacket:
    """An operation by the dispatcher's name."""
    method = vars(Tensor).get(name)
    call = _DISPATCHER_ONLY.get(name) or operators.FUNCTIONS.get(name) or nn_functions().get(name)
    if call is None and name in ROWS:
        call = ROWS[name].call
    if call is None:
        call = method if callable(method) else getattr(sys.modules[PACKAGE], name, None)
    if call is None:
        raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
    return OpOverloadPacket(name, call)


def _lift_fresh(self: Tensor) -> Any:
    """lift_fresh, which outer modes see for a tensor made of data."""
    return (
        call_handler(overload(packet("lift_fresh"), "default"), (self,), {}) if state.dispatch_modes else self
    )


_DISPATCHER_ONLY: dict[str, Callable[..., Any]] = {
    "lift_fresh": _lift_fresh,
    "_local_scalar_dense": lambda self: self.item(),
    "normal": lambda *args, **kwargs: sys.modules[PACKAGE].normal(*args, **kwargs),
}  # operations that torch has in the dispatcher alone, and those whose name is an in-place row's


class Namespace:
    """``torch.ops.aten``."""

    def __getattr__(self, name: str) -> OpOverloadPacket:
        return packet(name)


aten = Namespace()


def operation(row: Row, args: tuple[Any, ...], in_place: bool) -> OpOverload:
    """The overload that torch's dispatcher calls for an operator with these arguments."""
    name = row.name
    base = opname(name) + "_" * name.endswith("_")
    forms = (row.facts.inplace_overload if in_place else None) or row.facts.overload
    chosen = (forms if isinstance(forms, str) else forms(*args)).split()
    second = len(args) > 1 and isinstance(args[1], Tensor)
    if len(chosen) > 1:
        first = second if chosen[0] == "Tensor" else len(args) == 1 or args[1] is None
        chosen = chosen[:1] if first else chosen[1:]
    if in_place and not base.endswith("_"):
        base += "_"
    return overload(_packet_of(base, row), chosen[0])


def _packet_of(name: str, row: Row) -> OpOverloadPacket:
    try:
        return packet(name)
    except AttributeError:
        return _row_packet(name, row.name)


@cache
def _row_packet(name: str, row: str) -> OpOverloadPacket:
    return OpOverloadPacket(name, ROWS[row].call)


@dataclass(frozen=True)
class Pending:
    """An operation that has been passed to a mode or a class and whose result is not known yet."""

    row: Row
    op: OpOverload
    written: int | None  # the id of the tensor that an in-place operation writes to
    schema_args: tuple[Any, ...] | None = None  # the arguments of torch's schema, where the row's differ
    given: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})


# Calling the modes --------------------------------------------------------------------------------


def call_through_modes(
    row: Row, op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], run: Callable[[], Any]
) -> Any:
    """Run an operator with the result that the innermost mode, or a class of its arguments, computes.

    See Note [Below autograd] and Note [Subclasses with torch_dispatch].
    """
    if kwargs.get("out") is not None:
        raise NotImplementedError(f"{op} with out= inside a TorchDispatchMode")
    args, kwargs = _dispatched_arguments(row, args, kwargs)
    in_place = op.overloadpacket.__name__.endswith("_") and not row.name.endswith("_")
    outer = (state.dispatch_modes, state.dispatching, state.suspended_dispatch_modes)
    written = id(args[0]) if in_place else None
    counted = version_counter(args[0]) if in_place else None
    version = 0 if counted is None else counted.value
    if in_place:
        recorded = any(isinstance(each, Tensor) and each.requires_grad for each in args)
        check_inplace(args[0], recorded)
        if state.recording and recorded and _saves_overwritten(row, args):
            packet("clone").default(args[0])  # see Note [In place saves a clone]
    if row.facts.schema_args is not None:
        schema_args, named = row.facts.schema_args(*args, **kwargs)
        result = call_pending(Pending(row, op, written, schema_args, (args, kwargs)), schema_args, named)
    else:
        result = call_pending(Pending(row, op, written), args, kwargs)
    if (
        counted is not None
    ):  # a write below autograd does not count, even into the memory of the class's own tensor
        counted.value = version
    arguments = list(result) if isinstance(result, (tuple, list)) else [result]
    for each in arguments:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Unable to cast {each} to Tensor")
    arrays = [each._array for each in arguments]
    state.dispatch_modes, state.dispatching, state.suspended_dispatch_modes = (), False, outer[0]
    try:
        with _forward_replaced(row, args, arrays if isinstance(result, (tuple, list)) else arrays[0]):
            found = run()
    finally:
        state.dispatch_modes, state.dispatching, state.suspended_dispatch_modes = outer
    if in_place:
        if (
            state.recording
            and recorded
            and "output" in row.saved.values()
            and not has_torch_dispatch(args[0])
        ):
            packet("detach").default(args[0])  # see Note [Seen below autograd]
        return found
    if row.view is None:
        for each, like in zip([found] if isinstance(found, Tensor) else found, arguments, strict=True):
            _share_version(row, each, like)
    return attach_history(found, result)


def _saves_overwritten(row: Row, args: tuple[Any, ...]) -> bool:
    """Whether the overwritten value is saved for a formula; see Note [Only what is needed is saved]."""
    if row.saved.get("self") != "tensor":
        return False
    users = [name for name, rule in row.formulas.items() if "self" in names_of(rule)]
    if len(users) > 1 or len(row.formulas) < 2:
        return True
    arguments = dict(zip(row.parameters, args, strict=False))
    return any(
        isinstance(arguments.get(name), Tensor) and arguments[name].requires_grad for name in users[0].split()
    )


def _dispatched_arguments(
    row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as torch's dispatcher passes them on: without defaults, with sizes and dims as lists.

    Keyword-only arguments are passed by name.
    """
    kwargs = {**dict(zip([*row.parameters][row.most :], args[row.most :], strict=False)), **kwargs}
    args = args[: row.most]
    while len(args) > row.fewest and _is_default(args[-1], row.defaults[len(args) - 1]):
        args = args[:-1]
    given_kwargs = {name: value for name, value in kwargs.items() if name != "out"}
    for name in [name for name in given_kwargs if name in row.parameters]:
        if _is_default(given_kwargs[name], row.parameters[name].default):
            del given_kwargs[name]
    return tuple([*each] if type(each) is tuple else each for each in args), given_kwargs


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) is not Tensor and bool(value == default))


def _share_version(row: Row, result: Tensor, like: Tensor) -> None:
    """Let a result share the version counter of the tensor that the mode returned, whose memory it has."""
    counter = version_counter(like)
    result._version_counter = counter
    for name, kind in row.saved.items():
        saved = getattr(result._node, f"saved_{name}", None)
        if kind != "output" or not isinstance(saved, SavedTensor) or saved.tensor is not None:
            continue
        if saved.array is not result._array:
            continue
        if has_torch_dispatch(like):
            save_detached(saved, like)
        else:
            saved.counter, saved.version = counter, counter.value
            packet("detach").default(like)  # see Note [Seen below autograd]


def call_pending(pending: Pending, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a pending operation from the innermost mode or from a class of the arguments.

    Raises:
        TypeError: all handlers returned NotImplemented.
    """
    outer = state.pending
    state.pending = pending
    try:
        return call_handler(pending.op, args, kwargs)
    finally:
        state.pending = outer


def call_handler(
    op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], rule: Callable[..., Any] | None = None
) -> Any:
    """Call the innermost mode's ``__torch_dispatch__`` (or ``rule``) with only the outer modes active.

    Without a mode, or if it returns NotImplemented, the classes of the arguments are called.
    """
    before, autocast, recording = state.dispatch_modes, state.autocast, state.recording
    tensors = overloaded_args((args, tuple(kwargs.values())))
    types = tuple(map(type, tensors))
    state.dispatch_modes, state.autocast = before[:-1], frozenset()
    state.recording = recording and False  # grad mode itself does not change
    result = NotImplemented
    try:
        if rule is not None:
            result = rule(before[-1], op, types, args, kwargs)
        elif before:
            result = before[-1].__torch_dispatch__(op, types, args, kwargs)
        if result is NotImplemented:
            state.dispatch_modes = before
            result = call_torch_dispatch(op, tensors, args, kwargs)
    finally:
        state.dispatch_modes, state.autocast, state.recording = before, autocast, recording
    if result is NotImplemented:
        listed = [f"mode object {mode}" for mode in before[-1:]] + [f"tensor subclass {cls}" for cls in types]
        raise TypeError(
            f"Multiple dispatch failed for 'torch._ops.{op}'; all __torch_dispatch__ handlers returned "
            "NotImplemented:\n\n"
            + "".join(f"  - {each}\n" for each in listed)
            + "\nFor more information, try "
            "re-running with TORCH_LOGS=not_implemented"
        )
    return result


_lock = threading.RLock()


@contextmanager
def _forward_replaced(row: Row, args: tuple[Any, ...], arrays: Any) -> Iterator[None]:
    """Let the row's forward return these arrays at this thread's next call.

    Operands lose their ``_shared_metadata`` inside, since alike ones would use the ufunc without a call of the forward.
    """
    thread = threading.get_ident()
    marked = (
        [(each, each._shared_metadata) for each in args if isinstance(each, Tensor)]
        if row.ufunc is not None
        else []
    )
    with _lock:
        for each, _ in marked:
            each._shared_metadata = False  # see Note [Shared metadata]
        forward = row.scope.setdefault("forward_", row.forward)
        waiting = [arrays]

        def given(*args: Any, **kwargs: Any) -> Any:
            if waiting and threading.get_ident() == thread:
                return waiting.pop()
            return forward(*args, **kwargs)

        row.scope["forward_"] = given
        try:
            yield
        finally:
            row.scope["forward_"] = forward
            for each, alike in marked:
                each._shared_metadata = alike
