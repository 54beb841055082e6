"""Tensor: an array with autograd metadata (torch: core/TensorBase.h, autograd/variable.h)."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from .._c10 import dtypes, errors
from .._c10.interpreter_stack import transforms
from .._c10.layout import Unstrided
from .._c10.modes import state
from .._c10.operator_facts import composite
from .._c10.slots import on_first_use
from .._c10.tensor_metadata import SharedMetadata
from .._c10.version_counter import NO_VERSIONS, VersionCounter, counter_at
from . import node as nodes
from .node import AccumulateGrad, Node, node_hooks
from .ownership import Owner

if TYPE_CHECKING:
    from .views import ViewInfo

new_tensor: Callable[..., Any] = on_first_use("new_tensor")  # see Note [Slots]

_OPAQUE = "torch._C.TensorBase"


def read_only(name: str, read: Callable[[Any], Any]) -> property:
    """A property that can be neither assigned nor deleted."""

    def refuse(self: Tensor, value: Any = None) -> NoReturn:
        raise AttributeError(f"attribute '{name}' of '{_OPAQUE}' objects is not writable")

    return property(read, refuse, refuse)


def undeletable_property(slot: str, text: str) -> property:
    """A property for another attribute whose deletion raises.

    A ``__delattr__`` of Tensor would do this for all attributes, but would make each write of an attribute slower, by a
    fifth of a small operation.
    """

    def refuse(self: Tensor) -> NoReturn:
        raise RuntimeError(text)

    return property(attrgetter(slot), lambda self, value: setattr(self, slot, value), refuse)


class Tensor:
    """A multi-dimensional array of one dtype.

    ``_array`` has the values; views share its memory. ``_node`` and ``_output_nr`` are grad_fn and output_nr (stale for
    some views, see Note [Regenerating grad_fn]). ``_requires_grad`` is True for a tensor with a grad_fn and for a leaf that
    requires grad. Attributes that every operation reads are slots; those that few tensors have (grad, hooks) have their
    default in the class.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_array",
        "_inference",
        "_node",
        "_output_nr",
        "_requires_grad",
        "_shared_metadata",
        "_version_counter",
        "_view",
    )
    __module__ = "torch"

    _array: np.ndarray[Any, Any]
    _shared_metadata: SharedMetadata | None  # see Note [Shared metadata]
    _node: Node | None
    _output_nr: int
    _requires_grad: bool
    _version_counter: VersionCounter | None
    _view: ViewInfo | None  # of a differentiable view
    _inference: (
        bool  # an inference tensor: without version counter, except for detach() outside inference mode
    )
    _grad: Tensor | None = None
    _retains_grad = False
    _was_detached = False  # whether detach_() has removed its grad_fn
    _hooks: OrderedDict[int, Callable[..., Any]] | None = None
    _post_accumulate_hooks: OrderedDict[int, Callable[..., Any]] | None = None
    _post_accumulate_owner: Owner | None = None  # see Note [Owned from C++]
    _grad_accumulator: weakref.ref[AccumulateGrad] | None = None
    _grad_dtype: Any = False  # False: the tensor's own dtype; None: any
    _tangents: dict[int, Tensor] | None = None  # by level of forward-mode AD; see _autograd/forward_grad.py
    _transform: Any = None  # of an input that a transform of torch.func differentiates by: that transform
    _age = 0  # see Note [Captured tensors] in _c10/interpreter_stack.py
    _forward_base: Tensor | Literal[False] | None = (
        False  # the base for tangents; False: the same as in _view
    )

    # Otherwise numpy would compute ``ndarray * tensor`` element by element.
    __array_priority__ = 1000

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return new_tensor(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    # Autograd metadata ----------------------------------------------------------------------------

    def _get_grad_fn(self) -> Node | None:
        """The node that computed this tensor; that of a view may be regenerated here."""
        return self._node if self._view is None else self._view.grad_fn(self)

    grad_fn = read_only("grad_fn", _get_grad_fn)

    @property
    def _grad_fn(self) -> Node | None:
        """grad_fn; assigning None detaches the tensor, like detach_()."""
        return self.grad_fn

    @_grad_fn.setter
    def _grad_fn(self, value: Any) -> None:
        if value is not None:
            raise RuntimeError("_grad_fn can be only set to None")
        self.detach_()

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    def _get_is_leaf(self) -> bool:
        """Whether the tensor has no grad_fn."""
        return self.grad_fn is None

    is_leaf = read_only("is_leaf", _get_is_leaf)

    def _get_output_nr(self) -> int:
        """Which output of its grad_fn this tensor is; reading it does not regenerate the grad_fn."""
        return self._output_nr

    output_nr = read_only("output_nr", _get_output_nr)

    @property
    def requires_grad(self) -> bool:
        """Whether the tensor, or the base of which it is a view, requires grad."""
        return self._requires_grad or (self._view is not None and self._view.base._requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: Any) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        # Not grad_fn: a view whose grad_fn is not regenerated yet counts as a leaf.
        if self._node is not None:
            raise RuntimeError(errors.REQUIRES_GRAD_NON_LEAF if value else errors.REQUIRES_GRAD_NON_LEAF_OFF)
        if value and self._array.dtype.kind not in "fcV":
            raise RuntimeError(errors.REQUIRES_GRAD_DTYPE_ATTRIBUTE)
        if value and self._inference and not state.inference:
            raise RuntimeError(errors.INFERENCE_REQUIRES_GRAD)
        self._requires_grad = value

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Change ``requires_grad`` in place and return the tensor.

        Raises:
            RuntimeError: False for a non-leaf; True for a dtype that is not differentiable, or for an inference tensor.
            TypeError: for anything but a bool.
        """
        if not isinstance(requires_grad, bool):
            raise errors.wrong_type("requires_grad_", "requires_grad", "bool", requires_grad, 1)
        if transforms.depth:
            raise RuntimeError(errors.TRANSFORMED_REQUIRES_GRAD)
        if self._node is not None:
            if not requires_grad:
                raise RuntimeError(errors.REQUIRES_GRAD_NON_LEAF_OFF)
            return self
        if requires_grad and self._array.dtype.kind not in "fcV":
            raise RuntimeError(errors.REQUIRES_GRAD_DTYPE)
        if requires_grad and self._inference and not state.inference:
            raise RuntimeError(errors.INFERENCE_REQUIRES_GRAD)
        self._requires_grad = requires_grad
        return self

    def _get_retains_grad(self) -> bool:
        """Whether backward stores the gradient of this non-leaf."""
        return self._retains_grad

    retains_grad = read_only("retains_grad", _get_retains_grad)

    _backward_hooks = undeletable_property("_hooks", "Deletion of _backwards_hooks not allowed!")
    _post_accumulate_grad_hooks = undeletable_property(
        "_post_accumulate_hooks", "Deletion of _post_accumulate_grad_hooks not allowed!"
    )

    def retain_grad(self) -> None:
        """Make backward store the gradient of this non-leaf in ``grad``; no effect on a leaf.

        Raises:
            RuntimeError: for a tensor that does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError(errors.RETAIN_GRAD)
        if transforms.depth:
            raise RuntimeError(errors.TRANSFORMED_RETAIN_GRAD)
        # A view whose grad_fn was not generated yet counts as a leaf.
        node = None if self._node is None else self.grad_fn
        if node is None or self._retains_grad:
            return
        node_hooks(node).retains_grad[self._output_nr] = weakref.ref(self)
        self._retains_grad = True

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward stored; warns for a non-leaf that does not retain it."""
        result = self._grad
        if result is None and self.requires_grad and not self._retains_grad and self._node is not None:
            warnings.warn(errors.NON_LEAF_GRAD, stacklevel=2)
        return result

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is None:
            self._grad = None
            return
        if not isinstance(value, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {errors.typename(value)}"
            )
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        wanted = self.dtype if self._grad_dtype is False else self._grad_dtype
        if wanted is not None and value.dtype is not wanted:
            raise RuntimeError(errors.grad_dtype_assigned(value.dtype, wanted))
        if isinstance(self._array, Unstrided) and not isinstance(value._array, Unstrided):
            raise RuntimeError(
                "attempting to assign a gradient to a tensor that has data of a different type"
            )
        if value._array.shape != self._array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{_sizes(value._array.shape)}' to a tensor of size "
                f"'{_sizes(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
            )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def grad_dtype(self) -> Any:
        """The dtype that a gradient of this leaf must have; None for any."""
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        return self.dtype if self._grad_dtype is False else self._grad_dtype

    @grad_dtype.setter
    def grad_dtype(self, value: Any) -> None:
        if value is not None and not isinstance(value, dtypes.dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
        _ = self.grad
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if value is not None and self._grad is not None and self._grad.dtype is not value:
            raise RuntimeError(errors.grad_dtype_set(value, self._grad.dtype))
        self._grad_dtype = value
        accumulator = None if self._grad_accumulator is None else self._grad_accumulator()
        if accumulator is not None:
            accumulator.input_metadata = ((self._array.shape, self._gradient_type()),)

    def _gradient_type(self) -> np.dtype[Any] | None:
        """The numpy dtype that gradients are cast to; None if ``grad_dtype`` was set."""
        return self._array.dtype if self._grad_dtype is False else None

    def _get_version(self) -> int:
        if self._inference and self._version_counter is None:
            raise RuntimeError(errors.INFERENCE_VERSION)
        return 0 if self._version_counter is None else self._version_counter.value

    _version = read_only("_version", _get_version)

    def _get_base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    _base = read_only("_base", _get_base)

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """Whether this is an inference tensor."""
        return self._inference

    @composite(vmap="decompose")
    def detach(self) -> Tensor:
        """A view without grad_fn, which shares memory and version counter."""
        if self._inference:
            return detach_inference(self)
        result = _same_age(make(self._array), self)
        result._version_counter = version_counter(self)
        return result

    @composite(variants="function, method", vmap="fallback")
    def detach_(self) -> Tensor:
        """Remove the grad_fn of this tensor; no effect in inference mode.

        Raises:
            RuntimeError: for a view.
            NotImplementedError: inside nested derivatives of torch.func, where torch detaches from the innermost only.
        """
        if state.inference:
            return self
        if transforms.since != transforms.outermost and (self.requires_grad or self._tangents):
            raise NotImplementedError("Tensor.detach_ inside nested transforms of torch.func")
        if self._view is not None:
            raise RuntimeError(errors.DETACH_VIEW)
        if self._node is not None:  # see Note [Inputs saved as tensors]
            self._was_detached = True
            version_counter(self)
        self._node, self._output_nr, self._requires_grad = None, 0, False
        self._tangents = None
        return self

    @property
    def data(self) -> Tensor:
        """A tensor without grad_fn over the same memory, with a version counter of its own.

        Raises:
            NotImplementedError: inside nested transforms of torch.func, where torch detaches from the innermost only.
        """
        if transforms.depth > 1 and self.requires_grad:
            raise NotImplementedError("Tensor.data inside nested transforms of torch.func")
        return detach_inference(self) if self._inference else _same_age(make(self._array), self)

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {errors.typename(value)}")
        if transforms.since and self._age >= transforms.since:
            raise RuntimeError("mutating directly with `.data` inside functorch transform is not allowed.")
        if isinstance(self._array, Unstrided) is not isinstance(value._array, Unstrided):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
            )
        if self._requires_grad and value._array.dtype.kind not in "fcV":
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype"
            )
        if value._array.dtype is not self._array.dtype:
            self._grad_accumulator = None
        if value._inference is not self._inference:  # the version counter stays
            if self._version_counter is None:
                self._version_counter = NO_VERSIONS if self._inference else counter_at(0)
            self._inference = value._inference
        set_array(self, value._array)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def __hash__(self) -> int:
        return id(self)

    if TYPE_CHECKING:  # set as attributes where they are defined

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...


def set_array(tensor: Tensor, array: np.ndarray[Any, Any]) -> None:
    """Replace the array of a tensor; its shared metadata is unknown then."""
    tensor._array, tensor._shared_metadata = array, None


_new = object.__new__


def make(array: np.ndarray[Any, Any], cls: Any = Tensor) -> Tensor:
    """A leaf with this array, without checks."""
    tensor: Tensor = _new(cls)
    tensor._array = array
    tensor._node = None
    tensor._output_nr = 0
    tensor._requires_grad = tensor._inference = False
    tensor._version_counter = tensor._view = tensor._shared_metadata = None
    if transforms.depth:
        tensor._age = transforms.age
    return tensor


def _same_age(result: Tensor, source: Tensor) -> Tensor:
    """The result over the memory of a captured tensor is captured as well; see Note [Captured tensors]."""
    if transforms.depth:
        result._age = source._age
    return result


def wrap(value: Any) -> Tensor:
    """The result of an operation as a tensor without grad_fn; a numpy scalar becomes 0-dimensional."""
    tensor = make(
        value if value.__class__ is np.ndarray or isinstance(value, Unstrided) else np.asanyarray(value)
    )
    if state.inference:
        tensor._inference = True
    return tensor


def detach_inference(tensor: Tensor) -> Tensor:
    """detach() and .data of an inference tensor: an inference tensor, with a version counter outside inference mode."""
    result = make(tensor._array)
    result._inference = True
    if not state.inference:
        result._version_counter = counter_at(0)
    return result


def version_counter(tensor: Tensor) -> VersionCounter:
    """The version counter of a tensor, created on first access."""
    counter = tensor._version_counter
    if counter is None:
        counter = tensor._version_counter = counter_at(0)
    return counter


def _sizes(shape: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


nodes.is_tensor = lambda value: isinstance(value, Tensor)
