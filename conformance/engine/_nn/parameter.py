"""Parameters and buffers: tensors that a module registers when they are assigned (torch: nn/parameter.py)."""

from __future__ import annotations

from typing import Any

from .._aten.creation import factories
from .._aten.tensor_repr import tensor_text
from .._autograd.tensor import Tensor, make, set_array
from .._autograd.torch_dispatch_subclass import has_torch_dispatch
from .._autograd.torch_function import disabled_torch_function
from .._c10 import errors, pickling
from .._c10.dispatch_state import without_dispatch_modes


class _ParameterMeta(type):
    """A tensor of another class is an instance too if it was made a Parameter (``_is_param``)."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a Module registers as a parameter when it is assigned as an attribute."""

    __module__ = "torch.nn.parameter"
    __torch_function__ = disabled_torch_function

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = factories.empty(0)
        if not isinstance(data, Tensor) or _overrides(data):
            return _of_subclass(data, data.detach(), requires_grad)
        with without_dispatch_modes():
            source = data.detach()
        if requires_grad and source._array.dtype.kind not in "fcV":
            raise RuntimeError(errors.REQUIRES_GRAD_DTYPE_NEW)
        parameter = make(source._array, cls)
        parameter._version_counter, parameter._inference = source._version_counter, source._inference
        parameter.requires_grad = requires_grad
        return parameter

    def __copy__(self) -> Any:
        copy = super().__copy__()  # type: ignore[misc]
        copy._version_counter = None  # torch creates a parameter that shares the data
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)(self.data.clone(), self.requires_grad)  # unlike a copied tensor, it has no grad

    def __repr__(self) -> str:
        return "Parameter containing:\n" + tensor_text(self)


def _overrides(data: Any) -> bool:
    """Whether the tensor's class overrides __torch_function__ or __torch_dispatch__."""
    cls = type(data)
    return cls is not Tensor and (
        cls.__torch_function__ is not disabled_torch_function or has_torch_dispatch(data)
    )


def _of_subclass(data: Any, source: Any, requires_grad: bool) -> Any:
    errors.need_fitting(type(source) is type(data), "Parameter")
    source.requires_grad_(requires_grad)
    source._is_param = True
    return source


class _BufferMeta(type):
    """A tensor is an instance if it was made a Buffer (``_is_buffer``); its class is Tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False):
            return True
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a Module registers as a buffer when it is assigned to one."""

    persistent: bool

    __module__ = "torch.nn.parameter"
    __torch_function__ = disabled_torch_function

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = factories.empty(0)
        buffer = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent, buffer._is_buffer = persistent, True
        return buffer


_ARRAY: Any = Tensor._array  # the slot's descriptor


def _data_method(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        own, self.__class__ = type(self), self.cls_to_become
        try:
            found = getattr(self, name)(*args, **kwargs)
        finally:
            self.__class__ = own
        if found is self:
            return found
        # Converting an uninitialized buffer returns an uninitialized one.
        if isinstance(found, Tensor) and self.cls_to_become is Tensor:
            return type(self)(dtype=found.dtype, persistent=self.persistent)
        return found

    return method


def _refused_method(name: str) -> Any:
    """A method that is refused, since it would not read elements and hence not raise."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        text = errors.UNINITIALIZED.format(type(self).__name__)
        raise ValueError(text.replace("parameter.", f"parameter in <method '{name}' of 'torch._C.TensorBase' objects>.", 1))  # fmt: skip

    return method


class UninitializedTensorMixin:
    """A parameter or buffer whose shape is not known yet; it has a dtype but no elements.

    Every operation reads the ``_array`` of its operands; that of such a tensor raises.
    """

    cls_to_become: type[Any]

    @property
    def _array(self) -> Any:
        raise ValueError(errors.UNINITIALIZED.format(type(self).__name__))

    @_array.setter
    def _array(self, value: Any) -> None:
        _ARRAY.__set__(self, value)

    @property
    def data(self) -> Tensor:
        return make(_ARRAY.__get__(self))

    @data.setter
    def data(self, value: Tensor) -> None:
        self._array = value._array

    @property
    def shape(self) -> Any:
        raise RuntimeError(errors.UNINITIALIZED_SHAPE)

    dtype = property(lambda self: self.data.dtype)
    is_floating_point = _data_method("is_floating_point")
    is_complex = _data_method("is_complex")
    size = _data_method("size")
    to, half, float, double, cpu = map(_data_method, ("to", "half", "float", "double", "cpu"))
    long, int, short, char = map(_data_method, ("long", "int", "short", "char"))
    requires_grad_, detach_, retain_grad, new = map(
        _refused_method, ("requires_grad_", "detach_", "retain_grad", "new")
    )

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a regular parameter or buffer of this shape, with arbitrary values."""
        set_array(
            self, factories.empty(shape, device=device, dtype=self.dtype if dtype is None else dtype)._array
        )
        self.__class__ = self.cls_to_become

    def __reduce_ex__(self, protocol: Any) -> Any:
        return pickling.rebuild, (pickling.place(type(self)), self.requires_grad)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape ``materialize`` sets."""

    __module__ = "torch.nn.parameter"
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return _uninitialized(cls, requires_grad, device, dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)(self.requires_grad, dtype=self.dtype)


class UninitializedBuffer(UninitializedTensorMixin, Buffer):
    """A buffer whose shape ``materialize`` sets."""

    __module__ = "torch.nn.parameter"
    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        buffer = _uninitialized(cls, requires_grad, device, dtype)
        buffer.persistent = persistent
        return buffer


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer is uninitialized."""
    return isinstance(param, UninitializedTensorMixin)


def _uninitialized(cls: type[Any], requires_grad: bool, device: Any, dtype: Any) -> Any:
    found: Any = make(factories.empty(0, device=device, dtype=dtype)._array, cls)
    found._requires_grad = requires_grad
    return found
