"""torch.library: custom operators with schemas, kernels and derivatives (torch: library.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ._arguments.absent_names import look_up
from ._c10.errors import need_fitting
from ._dispatch.torch_dispatch import OpOverload
from ._library.autograd import Formula, autograd_kernel
from ._library.batched import vmap_kernel
from ._library.custom_ops import OPDEFS, CustomOpDef, DeviceTypes, check_functional, custom_op, dispatch_key
from ._library.infer_schema import infer_schema
from ._library.libraries import KEYS as _KEYS
from ._library.libraries import Library
from ._library.operators import ENTRIES, Operator, lookup, split
from .amp.autocast_mode import check_available as _check_available
from .amp.autocast_mode import operator_kernel as _operator_kernel

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "infer_schema",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]

Function = Callable[..., Any]

_keep_alive: list[
    Library
] = []  # the libraries of operators that were defined without one, kept for the life of the process
_defs = ENTRIES


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A context with a library that is destroyed at its end."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


# Functions that take operators by name -----------------------------------------------------------


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Define an operator ``namespace::name`` with a schema without a name.

    Raises:
        ValueError: the name has no namespace.
        MisfitError: the schema does not parse.
    """
    need_fitting(isinstance(qualname, str), "torch.library.define")
    namespace, name = split(qualname)
    _library_for(namespace, lib).define(name + schema)


def impl(
    qualname: Any,
    types: str | Sequence[str],
    func: Any = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Register a kernel of an operator for device types or dispatch keys; without a function, a decorator.

    With a library as the first argument, ``types`` is the operator's name and the decorator returns the function.
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
    """The CustomOpDef, or else the operator's name."""
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
    """Register an operator's kernel for device types; None means all that have no kernel of their own."""
    found = _resolved(op, "register_kernel")
    if isinstance(found, CustomOpDef):
        return found.register_kernel(device_types, func)
    return impl(found, device_types or "CompositeExplicitAutograd", func, lib=lib)


def register_fake(op: Any, func: Function | None = None, /, *, lib: Library | None = None) -> Any:
    """Register the fake kernel, which computes shapes without values (kept, never called)."""
    found = _resolved(op, "register_fake")
    if isinstance(found, CustomOpDef):
        return found.register_fake if func is None else found.register_fake(func)

    def register(function: Function) -> Function:
        _library_for(split(found)[0], lib)
        return function

    return register if func is None else register(func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Library | None = None) -> Any:
    """Register the dtype to which autocast casts an operator's tensors, as in `CustomOpDef.register_autocast`."""
    found = _resolved(op, "register_autocast")
    _check_available(device_type)
    if isinstance(found, CustomOpDef):
        return found.register_autocast(device_type, cast_inputs)
    kernel = _operator_kernel(lookup(found), device_type, cast_inputs)
    return _library_for(split(found)[0], lib).impl(found, kernel, f"Autocast{dispatch_key(device_type)}")


def register_autograd(
    op: Any,
    backward: Function,
    /,
    *,
    setup_context: Function | None = None,
    lib: Library | None = None,
) -> None:
    """Register an operator's derivative, as in `CustomOpDef.register_autograd`.

    Raises:
        MisfitError: the operator writes to its arguments or returns nothing, or a tensor is a keyword-only argument.
    """
    found = _resolved(op, "register_autograd")
    if isinstance(found, CustomOpDef):
        found.register_autograd(backward, setup_context=setup_context)
        return
    operator = lookup(found)
    check_functional(operator, operator._parsed, views=False)
    _refuse_keyword_tensors(operator, "register_autograd")
    formula = Formula(backward, setup_context)
    kernel = autograd_kernel(operator, lambda: formula)
    _library_for(split(found)[0], lib).impl(found, kernel, "Autograd")


def _refuse_keyword_tensors(operator: Operator, function: str) -> None:
    keyword_tensors = any(each.kwarg_only and each.type.tensors for each in operator._parsed.arguments)
    need_fitting(not keyword_tensors, function)


def register_vmap(op: Any, func: Function | None = None, /, *, lib: Library | None = None) -> Any:
    """Register an operator's vmap rule, as in `CustomOpDef.register_vmap`.

    Raises:
        MisfitError: a tensor is a keyword-only argument.
    """
    found = _resolved(op, "register_vmap")
    if isinstance(found, CustomOpDef):
        return found.register_vmap(func)
    _refuse_keyword_tensors(lookup(found), "register_vmap")

    def register(function: Function) -> None:
        _library_for(split(found)[0], lib).impl(found, vmap_kernel(function), "FuncTorchBatched")

    return register if func is None else register(func)


CustomOpDef.__module__ = "torch._library.custom_ops"
__getattr__ = look_up("torch.library")
