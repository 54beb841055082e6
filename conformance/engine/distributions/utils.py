"""torch.distributions.utils: what distributions are written with."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from .. import dtypes, functional
from ..creation import empty
from ..from_data import tensor
from ..modes import enable_grad
from ..ops import FUNCTIONS
from ..overrides import has_torch_function, is_tensor_like
from ..ranges import arange
from ..size import Size
from ..tensor import Tensor

NUMBER = (int, float, bool)


class lazy_property:
    """An attribute that is computed when it is first asked for, with its graph even under no_grad."""

    def __init__(self, compute: Callable[[Any], Tensor]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.compute(instance)
        setattr(instance, self.name, value)
        return value


def own_init(cls: type) -> None:
    """Give a class of torch's the ``__init__`` of a base that torch has not: errors name the class."""
    owner = next(base for base in cls.__mro__ if "__init__" in vars(base))
    if not cls.__module__.startswith("torch.") or owner.__module__.startswith("torch."):
        return
    init: Any = vars(owner)["__init__"]
    own = FunctionType(init.__code__, init.__globals__, "__init__", init.__defaults__, init.__closure__)
    own.__kwdefaults__, own.__annotations__ = init.__kwdefaults__, init.__annotations__
    own.__qualname__, own.__doc__ = f"{cls.__qualname__}.__init__", init.__doc__
    cls.__init__ = own  # type: ignore[misc]


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Tensors and numbers as tensors of one shape; a number takes the dtype of the first tensor.

    Raises:
        ValueError: something else is among them.
    """
    if not all(is_tensor_like(each) or isinstance(each, NUMBER) for each in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    kind = next((each.dtype for each in values if isinstance(each, Tensor)), dtypes.get_default_dtype())
    tensors = [tensor(each, dtype=kind) if isinstance(each, NUMBER) else each for each in values]
    asked = has_torch_function(values)
    broadcast_tensors = functional.broadcast_tensors if asked else FUNCTIONS["broadcast_tensors"]
    found: tuple[Tensor, ...] = broadcast_tensors(*tensors)
    return found


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last dimensions."""
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities that have a logarithm, as their complements have."""
    eps = dtypes.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of their logarithms, which need not be normalized; or, if binary, of their log odds."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The logarithms of probabilities; or, if binary, their log odds."""
    probs = clamp_probs(probs)
    return probs.log() - (-probs).log1p() if is_binary else probs.log()


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles of matrices, row by row.

    Raises:
        ValueError: there is no such diagonal.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    places = arange(n)
    return mat[..., places < places.view(-1, 1) + (diag + 1)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Lower triangular matrices of what they have row by row.

    Raises:
        ValueError: no triangle has so many elements.
    """
    count = vec.shape[-1]
    n = (((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5 - (1 + 2 * diag)) / 2
    if round(n) - n > dtypes.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square "
            "D x D matrix."
        )
    side = round(n)
    matrices = vec.new_zeros((*vec.shape[:-1], side, side))
    places = arange(side)
    matrices[..., places < places.view(-1, 1) + (diag + 1)] = vec
    return matrices


def _standard_normal(shape: Size, dtype: dtypes.dtype, device: Any = None) -> Tensor:
    """Samples around 0 with deviation 1."""
    return empty(shape, dtype=dtype).normal_()
