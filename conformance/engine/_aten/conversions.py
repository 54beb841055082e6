"""Conversions of tensors to Python and NumPy: numbers, lists, arrays, text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._autograd import conj_view
from .._autograd.node import gradient_edge
from .._autograd.tensor import Tensor
from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.layout import Unstrided
from .._c10.modes import state
from .._c10.operator_facts import composite
from .._c10.slots import on_first_use
from .._c10.warn_once import warn_once
from .._c10.zero_tensor import ZeroTensor, in_memory

# See Note [Slots].
from_numpy: Callable[[np.ndarray[Any, Any]], Tensor] = on_first_use("from_numpy")
stft: Callable[..., Tensor] = on_first_use("stft")
istft: Callable[..., Tensor] = on_first_use("istft")
tensor_text: Callable[..., str] = on_first_use("tensor_text")


def item(self: Tensor) -> Any:
    """The one element, as a Python number.

    Raises:
        RuntimeError: the tensor does not have exactly one element.
    """
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
    return self._array.item()


def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers; for a conjugate or negative view those of a copy, which is recorded.

    Raises:
        RuntimeError: it is such a view and too stale to be recorded.
    """
    if state.recording and self._view is not None and conj_view.is_conjugate_view(self._array):
        gradient_edge(self)
    if isinstance(self._array, ZeroTensor):
        if not self._array.size:
            return in_memory(self._array).tolist()
        raise RuntimeError("tolist() shouldn't be called on a tensor with unallocated storage")
    return self._array.tolist()


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray[Any, Any]:
    """The array itself, which shares memory; with ``force``, a copy of a conjugate or negative view.

    Raises:
        RuntimeError: the tensor requires grad while grad mode is enabled, unless ``force``.
        TypeError: for bfloat16.
    """
    if isinstance(self._array, Unstrided):
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")
    if state.recording and self.requires_grad and not force:
        raise RuntimeError(errors.NUMPY_REQUIRES_GRAD)
    if transforms.outermost:  # it wraps the detached tensor
        raise RuntimeError(errors.NO_STORAGE)
    if isinstance(self._array, ZeroTensor):
        raise NotImplementedError("numpy() of a ZeroTensor")
    for bit, is_set, resolve in (("conjugate", self.is_conj(), "conj"), ("negative", self.is_neg(), "neg")):
        if is_set and not force:
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{resolve}().numpy() instead."
            )
    if self._array.dtype.kind == "V":
        raise TypeError("Got unsupported ScalarType BFloat16")
    return self._array.copy("K") if conj_view.is_conjugate_view(self._array) else self._array


def __array__(self: Tensor, dtype: Any = None) -> np.ndarray[Any, Any]:  # noqa: N807  numpy looks for it in TypeErrors
    return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)


def whole(self: Tensor) -> Any:
    """The one number of a tensor.

    Raises:
        ValueError: the tensor does not have exactly one element.
    """
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._array.item()


def fraction(self: Tensor) -> Any:
    """The number, with a warning that its gradient is lost; torch does not warn for integers."""
    if state.recording and self.requires_grad:
        warn_once(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
            "Consider using tensor.detach() first.",
        )
    return whole(self)


def _float(self: Tensor) -> float:
    return float(_real(fraction(self), "double"))


def _int(self: Tensor) -> int:
    return int(_real(whole(self), "int64_t"))


def _real(number: Any, kind: str) -> Any:
    """The number, or the real part of a complex number without an imaginary part."""
    if number.imag:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return number.real


def _complex(self: Tensor) -> complex:
    return complex(fraction(self))


def _index(self: Tensor) -> int:
    if self._array.size != 1 or self._array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


def _bool(self: Tensor) -> bool:
    if self._array.size != 1:
        how_many = "no values" if self._array.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {how_many} is ambiguous")
    return bool(self._array.item())


def _len(self: Tensor) -> int:
    if self._array.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return len(self._array)


def _iter(self: Tensor) -> Iterator[Tensor]:
    if self._array.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def _reversed(self: Tensor) -> Tensor:
    return self.flip(0) if self._array.ndim else self


def _array_wrap(self: Tensor, array: np.ndarray[Any, Any]) -> Tensor:
    """Wrap a result of NumPy as a tensor; NumPy warns that the method has no further parameters, as with torch's."""
    return from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)


def _contains(self: Tensor, element: Any) -> bool:
    if isinstance(element, (Tensor, int, float, complex, bool)):
        result: Any = element == self
        return bool(result.any().item())
    raise RuntimeError(
        f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
    )


def _format(self: Tensor, spec: str) -> str:
    if self._array.ndim == 0 and type(self) is Tensor:
        return self._array.item().__format__(spec)
    return object.__format__(self, spec)


def _repr(self: Tensor) -> str:
    return tensor_text(self)


@composite(vmap="fallback")
def _stft(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    return stft(self, *args, **kwargs)


@composite(vmap="fallback")
def _istft(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    return istft(self, *args, **kwargs)


METHODS = {
    "item": item, "tolist": tolist, "numpy": numpy, "_scalar": whole, "__array__": __array__, "__float__": _float,
    "__array_wrap__": _array_wrap, "__reversed__": _reversed,
    "__int__": _int, "__long__": _int, "__nonzero__": _bool, "__complex__": _complex, "__index__": _index, "__bool__": _bool, "__len__": _len,
    "__iter__": _iter, "__contains__": _contains, "__format__": _format, "__repr__": _repr,
    "stft": _stft, "istft": _istft,
}  # fmt: skip


def attach() -> None:
    """Make them methods of Tensor."""
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
