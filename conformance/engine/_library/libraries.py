"""torch.library.Library: definitions and kernels that a program registers in a namespace."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

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
_KINDS = {"DEF": "TORCH_LIBRARY", "FRAGMENT": "TORCH_LIBRARY_FRAGMENT", "IMPL": "TORCH_LIBRARY_IMPL"}
_whole: dict[str, str] = {}  # each namespace with a DEF library, and the file and line that made it


class Library:
    """Definitions and kernels that a program registers in a namespace, while this object is alive.

    Its kind is "DEF" (the only one of its namespace), "FRAGMENT" (one of several) or "IMPL" (only kernels).

    Raises:
        ValueError: the namespace is torch's own, or there is no such kind.
        RuntimeError: there is a "DEF" of the namespace already.
    """

    __module__ = "torch.library"

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in _KINDS:
            raise ValueError(f"Unsupported kind: {kind}")
        if ns == "prim" and kind != "IMPL":
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        frame = sys._getframe(1)
        self._origin = f"registered at {frame.f_code.co_filename}:{frame.f_lineno}"
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        if dispatch_key and kind != "IMPL":
            raise RuntimeError(
                '!dispatch_key_.has_value() INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/core/library.cpp"'
                f":108, please report a bug to PyTorch. (Error occurred while processing {self._block})"
            )
        if kind == "DEF":
            if ns in _whole:
                raise RuntimeError(
                    f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your "
                    "definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, consider "
                    "using TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define operators for a "
                    "single namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate "
                    f"this.  Previous registration of TORCH_LIBRARY was {_whole[ns]}; latest registration was "
                    f"{self._origin}"
                )
            _whole[ns] = self._origin
        self._owner = object()  # registrations hold this key, not the library, which they would keep alive
        self._destroy = weakref.finalize(self, _forget, self._owner, ns if kind == "DEF" else None)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    @property
    def _block(self) -> str:
        return f"{_KINDS[self.kind]} block at {self._origin.removeprefix('registered at ')}"

    def _check_alive(self) -> None:
        if not self._destroy.alive:
            raise AssertionError("Library object has been destroyed")

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Define an operator ``name(...) -> ...`` in the namespace, and return its name.

        Raises:
            RuntimeError: the schema does not parse, or the operator exists already.
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        self._check_alive()
        parsed = parse_schema(schema)
        if self.kind == "IMPL":
            raise RuntimeError(
                f'def("{parsed.full_name}"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All def()s '
                "should be placed in the (unique) TORCH_LIBRARY block for their namespace.  (Error occurred while processing "
                f"{self._block})"
            )
        space, _, name = parsed.name.rpartition("::")
        if space and space != self.ns:
            raise RuntimeError(
                f"Explicitly provided namespace ({space}) in schema string does not match namespace of enclosing "
                f"{_KINDS[self.kind]} block ({self.ns}).  Move this definition to the (unique) TORCH_LIBRARY block "
                "corresponding to this namespace (and consider deleting the namespace from your schema string.)  (Error "
                f"occurred while processing {self._block})"
            )
        whole = FunctionSchema(f"{self.ns}::{name}", parsed.overload_name, parsed.arguments, parsed.returns)
        entry = ENTRIES.setdefault(whole.full_name, Entry())
        if entry.schema is not None:
            raise RuntimeError(
                f"Tried to register an operator ({whole}) with the same name and overload name multiple times. Each "
                "overload's schema should only be registered with a single call to def(). Duplicate registration: "
                f"{self._origin}. Original registration: {entry.origin}"
            )
        entry.schema, entry.library, entry.origin = whole, self._owner, self._origin
        return parsed.name

    def impl(
        self,
        op_name: str | OpOverload,
        fn: Function,
        dispatch_key: str = "",
        *,
        allow_override: bool = True,
    ) -> None:
        """Register a kernel; without a dispatch key it is CompositeImplicitAutograd, made of differentiable operations.

        Raises:
            TypeError, RuntimeError: it is not a function, or there is no such operator or dispatch key.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = dispatch_key or self.dispatch_key
        if not isinstance(op_name, (str, OpOverload)):
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first argument, got "
                f"{type(op_name)}"
            )
        given = op_name if isinstance(op_name, str) else op_name.name()
        space, _, name = given.rpartition("::")
        registered = ENTRIES.setdefault(f"{self.ns}::{name}", Entry()).kernels
        if not allow_override and registered.get(key):
            raise RuntimeError(
                "This is not allowed since there's already a kernel registered from python overriding "
                f"{name}'s behavior for {key} dispatch key and {self.ns} namespace."
            )
        self._check_alive()
        if key and key not in KEYS:
            raise RuntimeError(f"could not parse dispatch key: {key}")
        if space and space != self.ns:
            kind = _KINDS[self.kind]
            raise RuntimeError(
                f'impl("{given}", ...): Explicitly provided namespace ({space}) in operator name does not match namespace of '
                f"enclosing {kind} block ({self.ns}).  Move this definition to the {kind} block corresponding to this "
                "namespace (and consider deleting the namespace from your schema string.)  (Error occurred while processing "
                f"{self._block})"
            )
        registered.setdefault(key or "CompositeImplicitAutograd", []).append(Registration(fn, self._owner))


def _forget(owner: object, namespace: str | None) -> None:
    """Remove a library's registrations."""
    if namespace is not None:
        del _whole[namespace]
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
