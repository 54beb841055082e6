"""Modes that see every operation below autograd (torch: utils/_python_dispatch.py, _ops.py).

Note [Below autograd]: while a mode is in force an operation asks it for the result, and records the node of what it
gets. The mode is handed the operation as torch's dispatcher names it, an ``OpOverload``; called there, that runs the
next mode, or the operation itself, outside the graph. The result then stands in for the row's forward, once. What is
written in place is computed like that, too, and written afterwards.
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
from .._autograd.torch_dispatch_subclass import answer, asked, is_asked, save_detached, take_place
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
    """Inside, ``__torch_dispatch__`` is asked what each operation gives."""

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
    """One form of an operation, such as ``torch.ops.aten.mul.Tensor``."""

    __module__ = "torch._ops"  # of the class; one of them is in its namespace

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
        if state.dispatch_modes or asked(args):
            return ask(pending, args, kwargs)
        if pending.shown is None:
            return pending.row.call(*args, **kwargs)
        replaced = {id(old): new for old, new in zip(pending.shown, args, strict=False)}
        given, named = pending.given
        return pending.row.call(*(replaced.get(id(each), each) for each in given), **named)

    def name(self) -> str:
        """The name with its namespace, without the default overload's."""
        rest = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.namespace}::{self._opname}{rest}"

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """All forms of an operation, such as ``torch.ops.aten.mul``."""

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
    """The overload of that name, one for all."""
    return OpOverload(packet, name)


@cache
def packet(name: str) -> OpOverloadPacket:
    """An operation by the dispatcher's name.

    Raises:
        AttributeError: there is none.
    """
    method = vars(Tensor).get(name)
    call = _OTHERS.get(name) or operators.FUNCTIONS.get(name) or nn_functions().get(name)
    if call is None and name in ROWS:
        call = ROWS[name].call
    if call is None:
        call = method if callable(method) else getattr(sys.modules[PACKAGE], name, None)
    if call is None:
        raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
    return OpOverloadPacket(name, call)


def _lift_fresh(self: Tensor) -> Any:
    """A tensor that was made of data: the modes that are left see it, too."""
    return hand_over(overload(packet("lift_fresh"), "default"), (self,), {}) if state.dispatch_modes else self


_OTHERS: dict[str, Callable[..., Any]] = {
    "lift_fresh": _lift_fresh,
    "_local_scalar_dense": lambda self: self.item(),
    "normal": lambda *args, **kwargs: sys.modules[PACKAGE].normal(*args, **kwargs),
}  # which torch has for its dispatcher alone, or where a row in place has the name


class Namespace:
    """``torch.ops.aten``."""

    def __getattr__(self, name: str) -> OpOverloadPacket:
        return packet(name)


aten = Namespace()


def operation(row: Row, args: tuple[Any, ...], in_place: bool) -> OpOverload:
    """What the dispatcher calls a row with these arguments."""
    name = row.name
    base = opname(name) + "_" * name.endswith("_")
    forms = (row.facts.inplace_overload if in_place else None) or row.facts.overload
    assert isinstance(forms, str)
    chosen = forms.split()
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
    """An operation whose result a mode is asked for."""

    row: Row
    op: OpOverload
    written: int | None  # the id of the tensor that is written in place
    shown: tuple[Any, ...] | None = None  # the arguments in torch's form, where the row's is another
    given: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})


# Asking the modes ---------------------------------------------------------------------------------


def through_modes(
    row: Row, op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], run: Callable[[], Any]
) -> Any:
    """Ask the innermost mode, or the arguments, for an operation's result, and run the row around it.

    See Notes [Below autograd] and [Classes below autograd].
    """
    if kwargs.get("out") is not None:
        raise NotImplementedError(f"{op} with out= inside a TorchDispatchMode")
    args, kwargs = _as_called(row, args, kwargs)
    in_place = op.overloadpacket.__name__.endswith("_") and not row.name.endswith("_")
    before, dispatching, standing_in = state.dispatch_modes, state.dispatching, state.standing_in
    written = id(args[0]) if in_place else None
    counted = version_counter(args[0]) if in_place else None
    version = 0 if counted is None else counted.value
    if in_place:
        recorded = any(isinstance(each, Tensor) and each.requires_grad for each in args)
        check_inplace(args[0], recorded)
        if state.recording and recorded and _overwrites(row, args):
            packet("clone").default(args[0])  # see Note [In place saves a clone]
    if row.facts.schema_args is not None:
        shown, named = row.facts.schema_args(*args, **kwargs)
        result = ask(Pending(row, op, written, shown, (args, kwargs)), shown, named)
    else:
        result = ask(Pending(row, op, written), args, kwargs)
    if counted is not None:  # below autograd nothing is, even where the memory is a class's own tensor's
        counted.value = version
    given = list(result) if isinstance(result, (tuple, list)) else [result]
    for each in given:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Unable to cast {each} to Tensor")
    arrays = [each._array for each in given]
    state.dispatch_modes, state.dispatching, state.standing_in = (), False, before
    try:
        with _standing_in(row, args, arrays if isinstance(result, (tuple, list)) else arrays[0]):
            found = run()
    finally:
        state.dispatch_modes, state.dispatching, state.standing_in = before, dispatching, standing_in
    if in_place:
        if state.recording and recorded and "output" in row.saved.values() and not is_asked(args[0]):
            packet("detach").default(args[0])  # see Note [Seen below autograd]
        return found
    if row.view is None:
        for each, like in zip([found] if isinstance(found, Tensor) else found, given, strict=True):
            _share_version(row, each, like)
    return take_place(found, result)


def _overwrites(row: Row, args: tuple[Any, ...]) -> bool:
    """Whether the value that is written over is saved for a formula, by itself; see Note [Only what is needed is saved]."""
    if row.saved.get("self") != "tensor":
        return False
    users = [name for name, rule in row.formulas.items() if "self" in names_of(rule)]
    if len(users) > 1 or len(row.formulas) < 2:
        return True
    given = dict(zip(row.parameters, args, strict=False))
    return any(isinstance(given.get(name), Tensor) and given[name].requires_grad for name in users[0].split())


def _as_called(
    row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments without those that only say the default, which rows have as torch's schemas do.

    Several sizes, dimensions or steps are a list; what rows take by name alone has one.
    """
    kwargs = {**dict(zip([*row.parameters][row.most :], args[row.most :], strict=False)), **kwargs}
    args = args[: row.most]
    while len(args) > row.fewest and _is_default(args[-1], row.defaults[len(args) - 1]):
        args = args[:-1]
    told = {name: value for name, value in kwargs.items() if name != "out"}
    for name in [name for name in told if name in row.parameters]:
        if _is_default(told[name], row.parameters[name].default):
            del told[name]
    return tuple([*each] if type(each) is tuple else each for each in args), told


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) is not Tensor and bool(value == default))


def _share_version(row: Row, result: Tensor, like: Tensor) -> None:
    """Let a result count its versions with the tensor whose memory it is."""
    counter = version_counter(like)
    result._version_counter = counter
    for name, kind in row.saved.items():
        saved = getattr(result._node, f"saved_{name}", None)
        if kind != "output" or not isinstance(saved, SavedTensor) or saved.tensor is not None:
            continue
        if saved.array is not result._array:
            continue
        if is_asked(like):
            save_detached(saved, like)
        else:
            saved.counter, saved.version = counter, counter.value
            packet("detach").default(like)  # see Note [Seen below autograd]


def ask(pending: Pending, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the innermost mode, or a class, says of an operation.

    Raises:
        TypeError: none knows.
    """
    outer = state.pending
    state.pending = pending
    try:
        return hand_over(pending.op, args, kwargs)
    finally:
        state.pending = outer


def hand_over(
    op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], rule: Callable[..., Any] | None = None
) -> Any:
    """Call the innermost mode, or what stands in for it, with an operation; inside, there are only those around it.

    Where there is none, or it does not know, the classes of the arguments are asked.

    Raises:
        TypeError: none knows.
    """
    before, autocast, recording = state.dispatch_modes, state.autocast, state.recording
    tensors = asked((args, tuple(kwargs.values())))
    types = tuple(map(type, tensors))
    state.dispatch_modes, state.autocast = before[:-1], frozenset()
    state.recording = recording and False  # grad mode itself stays as it is
    result = NotImplemented
    try:
        if rule is not None:
            result = rule(before[-1], op, types, args, kwargs)
        elif before:
            result = before[-1].__torch_dispatch__(op, types, args, kwargs)
        if result is NotImplemented:
            state.dispatch_modes = before
            result = answer(op, tensors, args, kwargs)
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
def _standing_in(row: Row, args: tuple[Any, ...], arrays: Any) -> Iterator[None]:
    """In this thread the row's forward gives these arrays when it is next called: it is, of operands that are not alike."""
    thread = threading.get_ident()
    met = [(each, each._alike) for each in args if isinstance(each, Tensor)] if row.ufunc is not None else []
    with _lock:
        for each, _ in met:
            each._alike = False  # see Note [Alike operands]
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
            for each, alike in met:
                each._alike = alike
