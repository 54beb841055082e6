"""torch.library: operators of a program's own, with names, schemas and derivatives (torch: library.py)."""

from __future__ import annotations

import re
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ._library.autograd import Formula, autograd_kernel
from ._library.batched import vmap_kernel
from ._library.custom_ops import (
    OPDEFS,
    CustomOpDef,
    DeviceTypes,
    check_functional,
    custom_op,
    dispatch_key,
)
from ._library.infer_schema import infer_schema
from ._library.operators import ENTRIES, Entry, Operator, Registration, lookup, split
from ._library.schema import FunctionSchema, parse_schema
from ._library.tags import Tags, listed
from .absent import look_up
from .dispatch import OpOverload

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "impl",
    "infer_schema",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
]

Function = Callable[..., Any]

_KEYS = frozenset(
    """
    ADInplaceOrView AutocastCPU AutocastCUDA Autograd AutogradCPU AutogradCUDA BackendSelect CPU CUDA CompositeExplicitAutograd
    CompositeImplicitAutograd FuncTorchBatched MPS Meta Python XPU
    """.split()  # noqa: SIM905  as torch's own lists
)
_KINDS = {"DEF": "TORCH_LIBRARY", "FRAGMENT": "TORCH_LIBRARY_FRAGMENT", "IMPL": "TORCH_LIBRARY_IMPL"}
_keep_alive: list[Library] = []  # the libraries of what was defined without one
_defs = ENTRIES
_whole: dict[str, str] = {}  # the namespaces that a library of kind DEF has, and where that was made


def fallthrough_kernel() -> None:
    """Stands for a kernel that lets the next one run; not to be called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """What a program registers for the operators of a namespace, for as long as this object lives.

    Its kind is "DEF" (the only one of its namespace), "FRAGMENT" (one of several) or "IMPL" (kernels alone).

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
        self._owner = object()  # which the registrations hold: they must not hold the library
        self._destroy = weakref.finalize(self, _forget, self._owner, ns if kind == "DEF" else None)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    @property
    def _block(self) -> str:
        return f"{_KINDS[self.kind]} block at {self._origin.removeprefix('registered at ')}"

    def _check_alive(self) -> None:
        if not self._destroy.alive:
            raise AssertionError("Library object has been destroyed")

    def define(self, schema: str, alias_analysis: str = "", *, tags: Tags = ()) -> str:
        """A new operator ``name(...) -> ...`` of the namespace; its name.

        Raises:
            RuntimeError: the schema is none, or there is an operator of the name already.
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        self._check_alive()
        told = listed(tags)
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
        entry.schema, entry.library, entry.origin, entry.tags = whole, self._owner, self._origin, told
        return parsed.name

    def impl(
        self,
        op_name: str | OpOverload,
        fn: Function,
        dispatch_key: str = "",
        *,
        allow_override: bool = True,
    ) -> None:
        """A kernel of an operator; without a key one that is composed of operations with derivatives.

        Raises:
            TypeError, RuntimeError: it is no function, or the operator or the key are none.
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
        if key and key not in _KEYS:
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
    """Drop what a library registered."""
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


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A library that is destroyed at the end of the block."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


# Functions for operators by their names ----------------------------------------------------------

_SCHEMA_ALONE = re.compile(r"\(.*\) -> .*")


def define(
    qualname: Any, schema: str, alias_analysis: str = "", *, lib: Library | None = None, tags: Tags = ()
) -> Any:
    """A new operator ``namespace::name`` with a schema that does not name it.

    With a library in place of the name, a decorator of a kernel for a schema that does.

    Raises:
        ValueError: the name has no namespace, or the schema is none.
    """
    if isinstance(qualname, Library):

        def wrap(function: Function) -> Function:
            qualname.impl(qualname.define(schema, alias_analysis), function)
            return function

        return wrap
    if not isinstance(qualname, str):
        raise ValueError(
            f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}"
        )
    namespace, name = split(qualname)
    if not _SCHEMA_ALONE.fullmatch(schema):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    _library_for(namespace, lib).define(name + schema, tags=tags)
    return None


def impl(
    qualname: Any,
    types: str | Sequence[str],
    func: Any = None,
    *,
    lib: Library | None = None,
) -> Any:
    """A kernel of an operator for types of devices, or dispatch keys; without a function, a decorator of it.

    With a library in place of the name ``types`` is the name, and the decorator returns the function.
    """
    if isinstance(qualname, Library):

        def wrap(function: Function) -> Function:
            qualname.impl(str(types), function, func or "")
            return function

        return wrap
    listed = (types,) if isinstance(types, str) else tuple(types)
    keys = [each if each in _KEYS else _key_of(each) for each in dict.fromkeys(listed)]

    def register(function: Function) -> None:
        library = _library_for(split(qualname)[0], lib)
        for key in keys:
            library.impl(qualname, function, key)

    return register if func is None else register(func)


def _key_of(device_type: str) -> str:
    return "CompositeExplicitAutograd" if device_type == "default" else dispatch_key(device_type)


def _library_for(namespace: str, lib: Library | None) -> Library:
    if lib is not None:
        return lib
    made = Library(namespace, "FRAGMENT")
    _keep_alive.append(made)
    return made


def _resolved(op: Any, function: str) -> CustomOpDef | str:
    """The custom op, or the name of an operator that is none.

    Raises:
        ValueError: it is neither a name, nor an operator.
    """
    if not isinstance(op, (str, OpOverload, CustomOpDef)):
        raise ValueError(f"{function}({op}): got unexpected type for op: {type(op)}")
    if isinstance(op, CustomOpDef):
        return op
    name = op.name() if isinstance(op, OpOverload) else op
    return OPDEFS.get(name, name)


def register_kernel(
    op: Any,
    device_types: DeviceTypes,
    func: Function | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """A kernel of an operator for types of devices; None stands for all that have nothing of their own."""
    found = _resolved(op, "register_kernel")
    if isinstance(found, CustomOpDef):
        return found.register_kernel(device_types, func)
    return impl(found, device_types or "CompositeExplicitAutograd", func, lib=lib)


def register_fake(op: Any, func: Function | None = None, /, *, lib: Library | None = None) -> Any:
    """Keep what tells an operator's shapes without values, for compilers; here nothing asks for it."""
    found = _resolved(op, "register_fake")
    if isinstance(found, CustomOpDef):
        return found.register_fake if func is None else found.register_fake(func)

    def register(function: Function) -> Function:
        _library_for(split(found)[0], lib)
        return function

    return register if func is None else register(func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Library | None = None) -> Any:
    """What an operator's tensors are cast to where autocast is on, as in `CustomOpDef.register_autocast`."""
    from .amp.autocast_mode import check_available, operator_kernel

    found = _resolved(op, "register_autocast")
    check_available(device_type)
    if isinstance(found, CustomOpDef):
        return found.register_autocast(device_type, cast_inputs)
    kernel = operator_kernel(lookup(found), device_type, cast_inputs)
    return _library_for(split(found)[0], lib).impl(found, kernel, f"Autocast{dispatch_key(device_type)}")


def register_autograd(
    op: Any,
    backward: Function,
    /,
    *,
    setup_context: Function | None = None,
    lib: Library | None = None,
) -> None:
    """The derivative of an operator, as in `CustomOpDef.register_autograd`.

    Raises:
        RuntimeError: the operator writes to its arguments, or returns nothing.
        NotImplementedError: a tensor can be given by keyword alone.
    """
    found = _resolved(op, "register_autograd")
    if isinstance(found, CustomOpDef):
        found.register_autograd(backward, setup_context=setup_context)
        return
    operator = lookup(found)
    check_functional(operator, operator._schema, views=False)
    _refuse_keyword_tensors(operator, "register_autograd")
    formula = Formula(backward, setup_context)
    kernel = autograd_kernel(operator, lambda: formula)
    _library_for(split(found)[0], lib).impl(found, kernel, "Autograd")


def _refuse_keyword_tensors(operator: Operator, function: str) -> None:
    if any(each.kwarg_only and each.type.tensors for each in operator._schema.arguments):
        raise NotImplementedError(
            f"{function} with kwarg-only Tensor args. In the original definition of the op, please make your tensors not "
            f"kwarg-only. Got: {operator._schema}"
        )


def register_vmap(op: Any, func: Function | None = None, /, *, lib: Library | None = None) -> Any:
    """What runs on batches, as in `CustomOpDef.register_vmap`.

    Raises:
        NotImplementedError: a tensor can be given by keyword alone.
    """
    found = _resolved(op, "register_vmap")
    if isinstance(found, CustomOpDef):
        return found.register_vmap(func)
    _refuse_keyword_tensors(lookup(found), "register_vmap")

    def register(function: Function) -> None:
        _library_for(split(found)[0], lib).impl(found, vmap_kernel(function), "FuncTorchBatched")

    return register if func is None else register(func)


def register_torch_dispatch(
    op: Any,
    torch_dispatch_class: type,
    func: Function | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """What stands in for a mode's ``__torch_dispatch__``, as in `CustomOpDef.register_torch_dispatch`."""
    found = _resolved(op, "register_torch_dispatch")
    if isinstance(found, CustomOpDef):
        return found.register_torch_dispatch(torch_dispatch_class, func)

    def register(function: Function) -> Function:
        lookup(found).entry.rules[torch_dispatch_class] = function
        return function

    return register if func is None else register(func)


CustomOpDef.__module__ = "torch._library.custom_ops"
__getattr__ = look_up("torch.library")
