"""torch.library.custom_op: makes an operator of a function (torch: _library/custom_ops.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._autograd.batched_tensor import flat_values
from .._autograd.storage_impl import storage
from .._autograd.tensor import Tensor
from .._c10.device import device
from .._c10.errors import need_fitting
from .._c10.slots import on_first_use
from .autograd import Formula, autograd_kernel
from .batched import vmap_kernel
from .infer_schema import infer_schema
from .libraries import Library
from .operators import Operator, lookup
from .schema import FunctionSchema, parse_schema

# See Note [Slots].
check_available: Callable[[str], None] = on_first_use("check_autocast_available")
check_device_type: Callable[[str], None] = on_first_use("check_autocast_device_type")
operator_kernel: Callable[..., Any] = on_first_use("autocast_operator_kernel")

Function = Callable[..., Any]
DeviceTypes = str | Sequence[str] | None

OPDEF_TO_LIB: dict[str, Library] = {}  # the library of each custom op, kept for the life of the process
OPDEFS: dict[str, CustomOpDef] = {}


def custom_op(
    name: str,
    fn: Function | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Any = (),
) -> Any:
    """Make a function an operator ``namespace::name``; without a function, a decorator.

    Defining a name again replaces the operator.

    Raises:
        ValueError: the name has no namespace.
        MisfitError: the schema does not parse, an annotation is not supported, a tensor is a keyword-only argument, or
            schema and mutates_args differ.
    """

    def define(function: Function) -> CustomOpDef:
        text = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        namespace, opname = name.split("::")
        made = CustomOpDef(namespace, opname, text, function)
        written = {each.name for each in _written(made._opoverload._parsed)}
        need_fitting(schema is None or written == set(mutates_args), "torch.library.custom_op")
        made.register_kernel(device_types)(function)
        return made

    return define if fn is None else define(fn)


def _written(schema: FunctionSchema) -> list[Any]:
    return [each for each in schema.arguments if each.alias_info is not None and each.alias_info.is_write]


def dispatch_key(device_type: str) -> str:
    """The dispatch key of a device's kernels."""
    kind = device(device_type).type
    return "Meta" if kind == "meta" else kind.upper()


class CustomOpDef:
    """A function that is an operator: it is callable, and registers kernels, a derivative and rules."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, namespace: str, name: str, schema: str, fn: Function) -> None:
        self._namespace, self._name, self._schema, self._init_fn = namespace, name, schema, fn
        self._qualname = f"{namespace}::{name}"
        self._backend_fns: dict[str | None, Function] = {}
        self._formula = Formula()
        self._abstract_fn: Function | None = None
        self._vmap_fn: Function | None = None
        self._autocast_dtype: dict[str, Any] = {}
        if self._qualname in OPDEF_TO_LIB:
            OPDEF_TO_LIB.pop(self._qualname)._destroy()
        self._lib = OPDEF_TO_LIB[self._qualname] = Library(namespace, "FRAGMENT")
        parsed = parse_schema(name + schema)
        keyword_tensors = any(each.kwarg_only and each.type.tensors for each in parsed.arguments)
        need_fitting(not keyword_tensors, "torch.library.custom_op")
        self._lib.define(name + schema)
        self._opoverload: Operator = lookup(self._qualname)
        self._lib.impl(name, autograd_kernel(self._opoverload, lambda: self._formula), "Autograd")
        if parsed.is_mutable:
            self._lib.impl(name, self._call, "ADInplaceOrView")
        OPDEFS[self._qualname] = self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    __call__ = _call

    def register_kernel(self, device_types: DeviceTypes, fn: Function | None = None, /) -> Any:
        """Register the kernel for these device types; None means all that have no kernel of their own.

        Raises:
            NotImplementedError: no argument is a tensor, which would determine the device.
        """

        def register(function: Function) -> Function:
            listed: list[str | None]
            listed = [device_types] if isinstance(device_types, str | None) else list(device_types)

            for each in listed:  # the closures of several device types all refer to the last one, as in torch
                if each not in self._backend_fns:
                    key = "CompositeExplicitAutograd" if each is None else dispatch_key(each)
                    self._lib.impl(self._name, self._kernel(listed[-1]), key)
                self._backend_fns[each] = function
            return function

        schema = self._opoverload._parsed
        if device_types is not None and not any(each.type.tensors for each in schema.arguments):
            raise NotImplementedError(
                "conformance.engine has no custom operators that choose a device; torch has"
            )
        return register if fn is None else register(fn)

    def _kernel(self, device_type: str | None) -> Function:
        def kernel(*args: Any, **kwargs: Any) -> Any:
            result = self._backend_fns[device_type](*args, **kwargs)
            _check_aliases(self._name, (*args, *kwargs.values()), result)
            return result

        return kernel

    def register_fake(self, fn: Function, /) -> Function:
        """Register the fake kernel, which computes shapes without values (kept, never called)."""
        self._abstract_fn = fn
        return fn

    def register_autograd(self, backward: Function, /, *, setup_context: Function | None = None) -> None:
        """Register ``backward(ctx, *grads)`` and ``setup_context(ctx, inputs, output)``, which saves values for it.

        Raises:
            MisfitError: the operator writes to its arguments, or returns nothing.
        """
        check_functional(self, self._opoverload._parsed, views=True)
        self._formula = Formula(backward, setup_context)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> Function:
        """While autocast is on for a device type, cast tensors to a dtype and call the operator with autocast off.

        Raises:
            ValueError: the device type does not support autocast.
        """
        check_device_type(device_type)
        check_available(device_type)
        kernel = operator_kernel(self._opoverload, device_type, cast_inputs)
        if device_type not in self._autocast_dtype:
            self._autocast_dtype[device_type] = cast_inputs
            self._lib.impl(self._name, kernel, f"Autocast{dispatch_key(device_type)}")
        return kernel

    def _vmap(self, *args: Any, **kwargs: Any) -> Any:
        assert self._vmap_fn is not None
        return self._vmap_fn(*args, **kwargs)

    def register_vmap(self, func: Function | None = None) -> Any:
        """Register the vmap rule ``func(info, in_dims, *args)``, which returns the output and ``out_dims``."""

        def register(function: Function) -> None:
            if self._vmap_fn is None:
                self._lib.impl(self._name, vmap_kernel(self._vmap), "FuncTorchBatched")
            self._vmap_fn = function

        return register if func is None else register(func)


def check_functional(op: Any, schema: FunctionSchema, views: bool) -> None:
    """Raise an error if the operator mutates arguments, returns nothing or (unless ``views``) returns a view."""
    aliases = any(each.alias_info is not None for each in schema.returns)
    single = sum(each.type.tensors == "one" for each in schema.arguments) == 1 == len(schema.returns)
    functional = schema.returns and not schema.is_mutable and (not aliases or (views and single))
    need_fitting(functional, f"register_autograd of {op}")


def _check_aliases(name: str, given: tuple[Any, ...], result: Any) -> None:
    """Raise an error if a result shares memory with an argument or another result."""
    seen = {id(storage(each._array)) for each in flat_values(given) if isinstance(each, Tensor)}
    for each in flat_values(result if isinstance(result, tuple) else (result,)):
        if not isinstance(each, Tensor):
            continue
        memory = id(storage(each._array))
        if memory in seen:
            raise RuntimeError(
                f"{name} (with implementation in <module 'torch._library.custom_ops' from '{__file__}'>): The output of this custom operator "
                "(1) must not also be an input to this custom operator and (2) may not alias any inputs to this custom "
                "operator or other returns. The most common way to trigger this error is if we have y = custom_op(x) and y "
                "and x are the same Tensor. Please instead return a clone of the offending output tensor(s) (e.g. return "
                "x.clone()) or refactor the custom operator to not return y."
            )
        seen.add(memory)
