"""torch.autograd.Function: custom functions (torch: autograd/function.py, python_function.cpp)."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._c10 import errors, slots
from .._c10.interpreter_stack import outside_derivatives, transforms
from .._c10.modes import _set, enable_grad, no_grad, state
from .._c10.tensor_metadata import InputMetadata
from .custom_function_outputs import (
    Outputs,
    VariableInfo,
    checked_tuple,
    delayed_error,
    dirty_inputs,
    non_differentiable_outputs,
    save_for_backward,
    typename,
    variable_info,
)
from .node import Gradients, Node, gradient_edge, new_node
from .saved_variable import EMPTY, SavedTensor
from .tensor import Tensor, make
from .views import increment_version

# See Note [Slots].
_give_tangents: Callable[..., None] = slots.on_first_use("give_tangents")
_for_rule: Callable[[dict[str, Any]], dict[str, Any]] = slots.on_first_use("for_rule")
_set_up_outside: Callable[..., None] = slots.on_first_use("set_up_outside")
_apply_transformed: Callable[..., Any] = slots.on_first_use("apply_transformed")


class FunctionCtx:
    """torch.autograd.function.FunctionCtx: the ``ctx`` that forward and backward get."""

    __slots__ = ()
    __module__ = "torch.autograd.function"

    if TYPE_CHECKING:  # slots of BackwardCFunction
        to_save: Any
        saved_for_forward: Any
        dirty_tensors: Any
        non_differentiable: Any
        materialize_grads: Any

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors (or None) for backward, which reads them from ``saved_tensors``."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors for jvp."""
        for each in tensors:
            if not (isinstance(each, Tensor) or each is None):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should "
                    "save non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Declare inputs that forward changed in place; it must return them."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Deprecated; does nothing."""
        warnings.warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note "
            "that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Any) -> None:
        """Declare outputs that are not differentiable."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros for undefined gradients (the default) or None."""
        self.materialize_grads = value


class BackwardCFunction(Node, FunctionCtx):
    """The node of a Function, which is also its ``ctx``: each Function has a subclass named after it."""

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_backward_only",
        "_cleared",
        "_is_tensor",
        "_materialize",
        "_materialize_non_diff",
        "_output_info",
        "_pure_view",
        "_saved",
        "dirty_tensors",
        "needs_input_grad",
        "non_differentiable",
        "saved_for_forward",
        "to_save",
    )
    __module__ = "torch.autograd.function"

    def __dir__(self) -> list[str]:  # a ctx also has the attributes that the user sets
        return [*object.__dir__(self)]

    __repr__ = object.__repr__
    selective = False
    accepts_batches = True

    _forward_cls: type[Function]
    _saved: tuple[Any, ...] | None  # None once freed
    _is_tensor: tuple[bool, ...]  # of each input
    _backward_only: bool  # created inside a derivative of torch.func, which ignores vjp
    needs_input_grad: tuple[bool, ...]
    _output_info: list[VariableInfo | None]  # of each output, None for one that is not a tensor

    def __init__(self) -> None:
        self.to_save = self.dirty_tensors = self.non_differentiable = self.saved_for_forward = None
        self._materialize = self._materialize_non_diff = True
        self._saved = ()
        self._cleared = False
        self._backward_only = bool(transforms.backward)
        self.next_edges = ()
        self.input_metadata: tuple[InputMetadata, ...] = ()
        self._output_info = []

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    # What forward may set -------------------------------------------------------------------------

    def _set_flag(slot: str, name: str) -> property:  # type: ignore[misc]
        def unreadable(self: Any) -> Any:
            raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not readable")

        def assign(self: Any, value: Any) -> None:
            if not isinstance(value, bool):
                raise TypeError(
                    f"set_{name.lstrip('_')} received an invalid combination of arguments - got (), "
                    "but expected (bool)"
                )
            setattr(self, slot, value)

        return property(unreadable, assign)

    materialize_grads = _set_flag("_materialize", "materialize_grads")
    _materialize_non_diff_grads = _set_flag("_materialize_non_diff", "_materialize_non_diff_grads")
    _is_pure_view = _set_flag("_pure_view", "_pure_view")
    del _set_flag

    # What backward reads --------------------------------------------------------------------------

    def _get_saved_tensors(self) -> tuple[Any, ...]:
        """What forward saved."""
        if self.saved_for_forward is not None:
            result: tuple[Any, ...] = self.saved_for_forward
            return result
        if self._saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        once = self._forward_cls.clear_saved_tensors_on_access
        if not isinstance(once, bool):
            raise RuntimeError(f"clear_saved_tensors_on_access must be a bool, got {type(once).__name__}")
        if self._cleared:
            raise RuntimeError(errors.SAVED_TENSORS_ONCE)
        result = tuple(None if each is None else each.unpack(self) for each in self._saved)
        self.maybe_clear_saved_tensors()
        return result

    def maybe_clear_saved_tensors(self) -> None:
        """Release the saved tensors if the Function has ``clear_saved_tensors_on_access``."""
        if self._forward_cls.clear_saved_tensors_on_access is True:
            self._saved, self._cleared = (), True

    def _get_saved_variables(self) -> tuple[Any, ...]:
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self._get_saved_tensors()

    def _get_raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self._saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        return tuple(EMPTY if each is None else each for each in self._saved)

    def _refuse(name: str) -> Callable[[Any, Any], None]:  # type: ignore[misc]
        def refuse(self: Any, value: Any) -> None:
            raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not writable")

        return refuse

    saved_tensors = property(_get_saved_tensors, _refuse("saved_tensors"))
    saved_variables = property(_get_saved_variables, _refuse("saved_variables"))
    _raw_saved_tensors = property(_get_raw_saved_tensors, _refuse("_raw_saved_tensors"))
    next_functions = property(vars(Node)["next_functions"].fget, _refuse("next_functions"))
    metadata = property(vars(Node)["metadata"].fget, _refuse("metadata"))
    requires_grad = property(lambda self: True, _refuse("requires_grad"))
    del _refuse

    # Called by the engine -------------------------------------------------------------------------

    def apply(self, *args: Any) -> Any:
        """Run the user's backward. The engine passes a tuple of gradients, users pass the gradients one by one."""
        by_engine = len(args) == 1 and args[0].__class__ in (tuple, list)
        grads: tuple[Any, ...] = self._materialized(args[0]) if by_engine else args
        if self._forward_cls.boxed_grads_call:
            grads = (list(grads),)
        if not by_engine:
            return self._user_backward()(self, *grads)
        state.graph_task.enter_python(self)
        return self._checked(self._user_backward()(self, *grads))

    def _apply(self, grads: Gradients) -> Gradients:
        found: Gradients = self.apply(grads)
        return found

    def release(self) -> None:
        self._saved = None

    def _user_backward(self) -> Callable[..., Any]:
        cls = self._forward_cls
        if cls.vjp is not Function.vjp and not self._backward_only:
            if cls.backward is not Function.backward:
                raise RuntimeError(
                    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                    "implement one of them."
                )
            return cls.vjp
        return cls.backward

    def _materialized(self, grads: Gradients) -> Gradients:
        if not self._materialize or all(each is not None for each in grads):
            return grads
        result: list[Tensor | None] = []
        for gradient, info in zip(grads, self._output_info, strict=True):
            if gradient is None and info is not None and (info.requires_grad or self._materialize_non_diff):
                gradient = make(info.zeros(info.shape, info.dtype))
                increment_version(gradient)  # torch fills them in place
            result.append(gradient)
        return tuple(result)

    def _checked(self, result: Any) -> Gradients:
        """Check what backward returned: one gradient for each input; additional ones must be None (torch: PyNode::apply)."""
        if not isinstance(result, tuple):
            result = (result,)
        expected = len(self._is_tensor)
        # torch.func applies a Function that it generates
        name = self._forward_cls.__name__ + "GeneratedBackward" if self._backward_only else self.name()
        if all(each is None for each in result[expected:]):
            result = result[:expected]
        if len(result) != expected:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(result)})"
            )
        found = []
        for number, (each, was_tensor) in enumerate(zip(result, self._is_tensor, strict=True), 1):
            if was_tensor:
                if each is not None and not isinstance(each, Tensor):
                    raise RuntimeError(f"expected Variable or None (got {typename(each)})")
                found.append(each)
            elif each is not None:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position {number}, but "
                    "the corresponding forward input was not a Variable"
                )
        return tuple(found)


class FunctionMeta(type):
    """Creates the class of the nodes of each Function, ``_backward_cls``."""

    __module__ = "torch.autograd.function"
    _backward_cls: type[BackwardCFunction]

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        cls._backward_cls = type(
            name + "Backward",
            (BackwardCFunction,),
            {"_forward_cls": cls, "__module__": "torch.autograd.function", "__slots__": ()},
        )
        super().__init__(name, bases, attrs)


class Function(FunctionCtx, metaclass=FunctionMeta):
    """torch.autograd.Function: users define ``forward`` and ``backward``, and call ``apply``."""

    __module__ = "torch.autograd.function"
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False  # if True, saved_tensors can be read once and is then released
    boxed_grads_call = False  # backward gets its gradients as one list

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error in a "
            "future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __getattr__(self, name: str) -> Any:
        """An instance of a Function, which is deprecated, has the attributes of a node that is not in a graph."""
        cls = type(self)._backward_cls
        if not hasattr(cls, name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if "_node" not in vars(self):
            node = vars(self)["_node"] = cls()
            node.hooks, node.sequence_nr, node.needs_input_grad = None, 0, None  # type: ignore[assignment]
        return (lambda: type(self).__name__) if name == "name" else getattr(vars(self)["_node"], name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: ``forward(ctx, *args)``, or ``forward(*args)`` if there is a setup_context."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Prepare ``ctx`` for backward if forward does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return one gradient for each input, None for inputs that are not tensors."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it "
            "with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Return the tangents of the outputs, given those of the inputs (None for inputs that are not tensors)."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Return the outputs for batched inputs, and their batch dimensions."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record the node (torch: THPFunction_apply)."""
        with_setup = cls.setup_context is not Function.setup_context
        if with_setup:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        for_rule = _for_rule(kwargs) if kwargs and with_setup and transforms.count else {}
        if kwargs and not for_rule:
            args = _by_position(cls.forward, args, kwargs, with_setup)
        if transforms.count:
            return _apply_transformed(
                cls, args, for_rule, with_setup, lambda arguments: _apply(cls, arguments, with_setup)
            )
        return _apply(cls, args, with_setup)


def _by_position(
    forward: Callable[..., Any], args: tuple[Any, ...], arguments: dict[str, Any], bare: bool
) -> Any:
    """Convert keyword arguments to positional ones, since gradients are assigned to inputs by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [name for name, each in inspect.signature(forward).parameters.items() if each.kind in kinds]
    names = names if bare else names[1:]
    for name in arguments:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    last = max(names.index(name) for name in arguments)
    result = list(args)
    for position in range(len(args), last + 1):
        name = names[position]
        if name not in arguments:
            raise TypeError(f"forward() missing required argument: '{name}' (position {position})")
        result.append(arguments[name])
    return tuple(result)


def _apply(cls: type[Function], inputs: tuple[Any, ...], with_setup: bool) -> Any:
    node: BackwardCFunction = new_node(cls._backward_cls)
    node.__init__()  # type: ignore[misc]
    tensors = [each for each in inputs if isinstance(each, Tensor)]
    node._is_tensor = tuple(isinstance(each, Tensor) for each in inputs)
    node.needs_input_grad = tuple(isinstance(each, Tensor) and each.requires_grad for each in inputs)
    recorded = state.recording and any(node.needs_input_grad)
    if recorded:
        node.next_edges = tuple(gradient_edge(each) for each in tensors)
    enabled, forward_grad = state.grad_enabled, state.forward_grad
    _set(False, state.inference)
    state.forward_grad = False
    try:
        if with_setup:
            with outside_derivatives():
                output = cls.forward(*inputs)
            if transforms.depth:
                _set_up_outside(cls, node.needs_input_grad, inputs, output)
            cls.setup_context(node, inputs, output)
        else:
            output = cls.forward(node, *inputs)
    finally:
        _set(enabled, state.inference)
        state.forward_grad = forward_grad
    outputs = output if isinstance(output, tuple) else (output,)
    to_save = checked_tuple(node.to_save, "to_save") or ()
    held = {id(each) for each in to_save} if with_setup else set()
    dirty, constant = dirty_inputs(node), non_differentiable_outputs(node)
    wrapped = Outputs(node if recorded else None, tensors, held, dirty, constant).wrap(outputs)
    if transforms.count:
        _give_tangents(node, inputs, wrapped, (outputs, dirty, constant))
    if recorded:
        node._output_info = [variable_info(each) if isinstance(each, Tensor) else None for each in wrapped]
    node.to_save = node.saved_for_forward = None  # an output among them would be a reference cycle
    if recorded:
        node._saved = tuple(save_for_backward(each, number, node) for number, each in enumerate(to_save))
    node.non_differentiable = None
    return wrapped if isinstance(output, tuple) else wrapped[0]


def _leaf(tensor: Tensor) -> Tensor:
    result = tensor.detach()
    result.requires_grad = True
    return result


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """torch.autograd.function.once_differentiable: differentiating the decorated backward raises."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args, **kwargs)
        if not state.grad_enabled:
            return outputs
        if not any(isinstance(each, Tensor) and each.requires_grad for each in args):
            return outputs
        listed = outputs if isinstance(outputs, tuple) else (outputs,)
        leaves = [each if each is None else _leaf(each) for each in listed]
        with enable_grad():
            result = delayed_error(
                "trying to differentiate twice a function that was marked with @once_differentiable", leaves
            )
        return result if len(result) != 1 else result[0]

    return wrapper


class InplaceFunction(Function):
    """Only in torch for backward compatibility."""

    __module__ = "torch.autograd.function"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Only in torch for backward compatibility, for Functions with nested inputs and outputs."""

    __module__ = "torch.autograd.function"

    def forward_extended(self, *input: Any) -> None:
        """Compute the outputs."""
        raise NotImplementedError

    def backward_extended(self, *grad_output: Any) -> None:
        """The gradients of the inputs."""
        raise NotImplementedError
