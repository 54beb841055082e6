"""torch.library.Library: definitions and kernels that a program registers in a namespace."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from .._c10.errors import need_fitting
from .._dispatch.torch_dispatch import OpOverload
from .operators import ENTRIES, Entry, Registration
from .schema import FunctionSchema, parse_schema

Function = Callable[..., object]

KEYS = frozenset(
    """
    ADInplaceOrView AutocastCPU AutocastCUDA Autograd AutogradCPU AutogradCUDA BackendSelect CPU CUDA CompositeExplicitAutograd
    CompositeImplicitAutograd FuncTorchBatched MPS Meta Python XPU
    """.split()  # noqa: SIM905  as torch's own lists
)
_whole: set[str | None] = set()  # the namespaces with a DEF library


class Library:
    """Definitions and kernels that a program registers in a namespace, while this object is alive.

    Its kind is "DEF" (the only one of its namespace), "FRAGMENT" (one of several) or "IMPL" (only kernels).

    Raises:
        ValueError: there is no such kind.
        MisfitError: there is a "DEF" of the namespace already.
    """

    __module__ = "torch.library"

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "FRAGMENT", "IMPL"):
            raise ValueError(f"Unsupported kind: {kind}")
        need_fitting(ns != "prim" and (kind == "IMPL" or not dispatch_key), "torch.library.Library")
        _check_key(dispatch_key or "CPU")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        if kind == "DEF":
            need_fitting(ns not in _whole, "torch.library.Library")
            _whole.add(ns)
        self._owner = object()  # registrations hold this key, not the library, which they would keep alive
        self._destroy = weakref.finalize(self, _forget, self._owner, ns if kind == "DEF" else None)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def _own(self, qualname: str) -> str:
        """The name of an operator of this library's namespace.

        Raises:
            AssertionError: the library is destroyed.
            MisfitError: the name has another namespace.
        """
        if not self._destroy.alive:
            raise AssertionError("Library object has been destroyed")
        space, _, name = qualname.rpartition("::")
        need_fitting(space in ("", self.ns), "torch.library.Library")
        return name

    def define(self, schema: str, *, tags: Any = ()) -> str:
        """Define an operator ``name(...) -> ...`` in the namespace, and return its name.

        Raises:
            MisfitError: the schema does not parse, or the operator exists already.
        """
        parsed = parse_schema(schema)
        name = self._own(parsed.name)
        whole = FunctionSchema(f"{self.ns}::{name}", parsed.overload_name, parsed.arguments, parsed.returns)
        entry = ENTRIES.setdefault(whole.full_name, Entry())
        need_fitting(self.kind != "IMPL" and entry.schema is None, "Library.define")
        entry.schema, entry.library = whole, self._owner
        return parsed.name

    def impl(self, op_name: str | OpOverload, fn: Function, dispatch_key: str = "") -> None:
        """Register a kernel; without a dispatch key it is CompositeImplicitAutograd, made of differentiable operations.

        Raises:
            TypeError, MisfitError: it is not a function, or there is no such operator or dispatch key.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        need_fitting(isinstance(op_name, (str, OpOverload)), "Library.impl")
        name = self._own(op_name if isinstance(op_name, str) else op_name.name())
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        _check_key(key)
        registered = ENTRIES.setdefault(f"{self.ns}::{name}", Entry()).kernels
        registered.setdefault(key, []).append(Registration(fn, self._owner))


def _check_key(key: str) -> None:
    if key not in KEYS:
        raise RuntimeError(f"could not parse dispatch key: {key}")


def _forget(owner: object, namespace: str | None) -> None:
    """Remove a library's registrations."""
    _whole.discard(namespace)
    for name, entry in [*ENTRIES.items()]:
        if entry.library is owner:
            entry.schema = entry.library = None
        for key, registered in [*entry.kernels.items()]:
            left = [each for each in registered if each.library is not owner]
            entry.kernels[key] = left
            if not left:
                del entry.kernels[key]
        if entry.schema is None and not entry.kernels:
            del ENTRIES[name]
