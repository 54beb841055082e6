"""Custom operators, and how a call finds its kernel (torch: core/dispatch/Dispatcher.cpp, _ops.py).

Note [Order of kernels]: a call passes through the kernels of an operator from the outermost to the innermost: the vmap
rule, autocast, autograd, ADInplaceOrView (which bumps the version counters of mutated arguments), ``__torch_dispatch__``
modes, and last the kernel of the device. If a kernel is missing the next one runs; a composite operator has a single kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .._autograd.batched_tensor import flat_values, for_each_sample, level_of
from .._autograd.tensor import Tensor
from .._autograd.views import increment_version
from .._c10.dispatch_state import below_autograd
from .._c10.errors import MisfitError
from .._c10.interpreter_stack import transforms
from .._c10.modes import state
from .._dispatch.torch_dispatch import OpOverload, OpOverloadPacket, call_handler
from .arguments import bind, filled, returned
from .fallback import warn_in_backward
from .schema import FunctionSchema, check_name

Kernel = Callable[..., Any]


@dataclass(frozen=True)
class Registration:
    """A kernel and the library that registered it."""

    kernel: Kernel
    library: object


@dataclass
class Entry:
    """An operator's registrations: its schema, and kernels by dispatch key, the latest last."""

    schema: FunctionSchema | None = None
    library: Any = None  # the library that defined it
    kernels: dict[str, list[Registration]] = field(default_factory=dict)

    def kernel(self, *keys: str) -> Kernel | None:
        """The kernel of the first dispatch key that has one."""
        for key in keys:
            if found := self.kernels.get(key):
                return found[-1].kernel
        return None


ENTRIES: dict[str, Entry] = {}  # by qualified names such as mylib::f and mylib::f.int


def split(qualname: str) -> tuple[str, str]:
    """The namespace and name of a qualified name.

    Raises:
        ValueError: it is not of the form ``namespace::name``.
    """
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    return parts[0], parts[1]


class Operator(OpOverload):
    """One overload of a custom operator, such as ``torch.ops.mylib.f.default``."""

    def __init__(self, packet: Packet, overload: str, entry: Entry) -> None:
        super().__init__(packet, overload)
        assert entry.schema is not None
        self.namespace, self.entry, self._parsed = packet.namespace, entry, entry.schema
        self._name = self.name()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return dispatch(self, *bind(self._parsed, args, kwargs))


class Packet(OpOverloadPacket):
    """All overloads of a custom operator, such as ``torch.ops.mylib.f``."""

    def __init__(self, namespace: str, name: str) -> None:
        super().__init__(name, self._match, namespace)
        self._operators: dict[str, Operator] = {}

    def _names(self) -> Iterator[tuple[str, str]]:
        whole = f"{self.namespace}::{self.__name__}"
        for name, entry in ENTRIES.items():
            if entry.schema is not None and name.partition(".")[0] == whole:
                yield name, name.partition(".")[2] or "default"

    def overloads(self) -> list[str]:
        """The names of its overloads."""
        return [overload for _, overload in self._names()]

    def __getattr__(self, overload: str) -> Operator:
        for name, found in self._names():
            if found == overload:
                known = self._operators.get(found)
                if known is None or known.entry is not ENTRIES[name]:
                    known = self._operators[found] = Operator(self, found, ENTRIES[name])
                return known
        raise AttributeError(
            f"The underlying op of '{self.namespace}.{self.__name__}' has no overload name '{overload}'"
        )

    def _match(self, *args: Any, **kwargs: Any) -> Any:
        """Call the first overload whose schema matches these arguments."""
        for overload in self.overloads():
            operator = getattr(self, overload)
            try:
                given = bind(operator._parsed, args, kwargs)
            except MisfitError as misfit:
                last = misfit
            else:
                return dispatch(operator, *given)
        raise last


for _cls, _name in ((Operator, "OpOverload"), (Packet, "OpOverloadPacket")):
    _cls.__name__ = _cls.__qualname__ = _name
    _cls.__module__ = "torch._ops"


class OpNamespace:
    """The operators of one namespace, such as ``torch.ops.mylib``."""

    def __init__(self, name: str) -> None:
        self.__name__, self._packets = f"torch.ops.{name}", {}  # type: ignore[var-annotated]
        self.name = name

    def __getattr__(self, name: str) -> Packet:
        packet = self._packets.get(name) or Packet(self.name, name)
        if name.startswith("__") or not packet.overloads():
            self._packets.pop(name, None)
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")
        self._packets[name] = packet
        return packet


_NAMESPACES: dict[str, OpNamespace] = {}


def namespace(name: str) -> OpNamespace:
    """``torch.ops.<name>``, one object for all callers."""
    return _NAMESPACES.setdefault(name, OpNamespace(name))


def lookup(qualname: str) -> Operator:
    """The operator of that name, which may name an overload."""
    space, name = split(qualname)
    check_name(qualname)
    if space == "aten":
        raise NotImplementedError(f"{qualname}: registering for an operator of torch's own")
    name, _, overload = name.partition(".")
    found: Operator = getattr(getattr(namespace(space), name), overload or "default")
    return found


# Calling, see Note [Order of kernels] ------------------------------------------------------------

Keywords = dict[str, Any]


def dispatch(op: Operator, args: tuple[Any, ...], kwargs: Keywords) -> Any:
    """Call an operator with arguments of its schema's types."""
    if transforms.count and (level := level_of((*args, *kwargs.values()))) >= 0:
        rule = op.entry.kernel("FuncTorchBatched")
        if rule is not None:
            return rule(level, args, kwargs)
        return for_each_sample(lambda *given, **named: dispatch(op, given, named), args, kwargs, level)
    if "cpu" in state.autocast and _has_tensors(args, kwargs):
        rule = op.entry.kernel("AutocastCPU")
        if rule is not None:
            return returned(op._parsed, rule(*args, **kwargs))
    if state.below_autograd:
        return redispatch(op, args, kwargs)
    composed = _is_composed(op.entry)
    kernel = op.entry.kernel("AutogradCPU") or (None if composed else op.entry.kernel("Autograd"))
    if kernel is not None:
        return returned(op._parsed, kernel(*args, **kwargs))
    if composed:
        return redispatch(op, args, kwargs)
    return warn_in_backward(op._parsed, args, kwargs, lambda: redispatch(op, args, kwargs))


def redispatch(op: Operator, args: tuple[Any, ...], kwargs: Keywords) -> Any:
    """Call an operator's kernels below autograd."""
    if op.entry.kernel("ADInplaceOrView") is not None:
        whole, named = filled(op._parsed, args, kwargs)
        for argument, value in zip(op._parsed.arguments, (*whole, *named.values()), strict=True):
            if argument.alias_info is not None and argument.alias_info.is_write:
                for each in flat_values([value]):
                    if isinstance(each, Tensor):
                        increment_version(each)
    if state.dispatch_modes:
        with below_autograd():
            return call_handler(op, args, kwargs)
    kernel = _kernel_of_device(op, args, kwargs)
    return returned(op._parsed, kernel(*args, **kwargs))


def _is_composed(entry: Entry) -> bool:
    """Whether the kernel is CompositeImplicitAutograd: composed of differentiable operations."""
    others = entry.kernel("CPU", "CompositeExplicitAutograd")
    return others is None and entry.kernel("CompositeImplicitAutograd") is not None


def _has_tensors(args: tuple[Any, ...], kwargs: Keywords) -> bool:
    return any(isinstance(each, Tensor) for each in flat_values((*args, *kwargs.values())))


def _kernel_of_device(op: Operator, args: tuple[Any, ...], kwargs: Keywords) -> Kernel:
    tensors = _has_tensors(args, kwargs)
    keys = ("CPU",) if tensors else ()
    kernel = op.entry.kernel(*keys, "CompositeExplicitAutograd", "CompositeImplicitAutograd")
    if kernel is None:
        where = "with arguments from the 'CPU' backend" if tensors else "without tensor arguments"
        raise NotImplementedError(f"Could not run '{op._name}' {where}: no kernel is registered.")
    return kernel
