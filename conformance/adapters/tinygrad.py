"""tinygrad; it claims only values. It runs on the device that needs no compiler, unless the environment names another.

It has no ``requires_grad``: backward gives every floating-point tensor of the graph a gradient. So there are no
constants, and only the gradients of tensors that a program creates are observed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("DEV", "PYTHON")  # before tinygrad looks for clang
os.environ.setdefault("PARALLEL", "0")  # a pool of processes answers with pickles, which the wall refuses

import tinygrad
from tinygrad import dtypes

from conformance.adapters.module import ModuleEngine
from conformance.adapters.wrapped import Wrapped, WrappedArray, functions, gradient_of, unwrapped

DTYPES = {
    name: getattr(dtypes, name)
    for name in ("float16", "float32", "float64", "int32", "int64", "uint8", "bool")
}
_OF_NUMBERS = (
    "add sub mul div pow maximum minimum neg reciprocal abs sign square sqrt rsqrt exp exp2 log log2 log10 sin cos "
    "tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf relu where lerp logaddexp matmul dot masked_fill"
)
# Not clone and contiguous: observing them computes them, which detaches them from their inputs.
_OF_SHAPES = (
    "reshape view expand permute flatten unflatten transpose squeeze unsqueeze flip repeat roll diagonal tril triu "
    "split chunk gather detach float double half"
)
SAME = (*_OF_NUMBERS.split(), *_OF_SHAPES.split())
REDUCING = ("sum", "mean", "prod", "logsumexp")
ALONG = ("softmax", "log_softmax", "cumsum", "cumprod")
MAY = ("files", "processes", "ctypes")  # it calls a compiler and loads what that writes
FUNCTIONAL = ("relu", "sigmoid", "tanh", "softmax", "log_softmax", "logsigmoid", "softsign", "silu")


class TinygradTensor(WrappedArray, shown_as="Tensor"):
    """A ``tinygrad.Tensor`` under torch's names."""

    @classmethod
    def apply(cls, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """tinygrad's function; some return several tensors. The results do not count as created by the program."""
        if not given or not isinstance(given[0], TinygradTensor):
            raise NotImplementedError("a function of a number and a tensor")
        result = TinygradTensor(
            function(*map(unwrapped, given), **{key: unwrapped(item) for key, item in named.items()})
        )
        several = isinstance(result.own, list | tuple)
        return type(result.own)(map(TinygradTensor, result.own)) if several else result

    def tolist(self) -> Any:
        """The numbers."""
        return _on_device(self.own).tolist()

    def item(self) -> Any:
        """The number."""
        return _on_device(self.own).item()

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, **named: Any
    ) -> None:
        """tinygrad's backward pass: a graph is never freed, and gradients are part of it."""
        _checked_size(self.own).backward(gradient_of((gradient,), named))

    @property
    def grad(self) -> Any:
        """The gradient, which every floating-point tensor of a graph gets."""
        return None if self.own.grad is None else TinygradTensor(self.own.grad)


def _on_device(own: Any) -> Any:
    """A constant, moved to a device, since clang would compile it otherwise."""
    return _checked_size(own) if own.device is not None else own.clone(device=tinygrad.Device.DEFAULT)


def _checked_size(own: Any) -> Any:
    """Refuse large graphs: computation is lazy, and a chain of a thousand operations takes minutes."""
    if len(own.uop.toposort()) > 2_000:
        raise NotImplementedError("a graph of more than 2000 operations")
    return own


class Created(TinygradTensor):
    """A tensor that the program creates."""


class ObservedTinygradTensor:
    """A tensor for observation, with a gradient only if the program created it."""

    def __init__(self, tensor: TinygradTensor) -> None:
        self.tolist, self.shape = tensor.tolist, tensor.shape
        names = [name for name, dtype in DTYPES.items() if dtype == tensor.dtype]
        self.dtype = names[0] if names else str(tensor.dtype)
        self.grad = tensor.grad if isinstance(tensor, Created) else None


class Tinygrad(ModuleEngine):
    """Tinygrad under torch's names."""

    def observe(self, value: Any, /) -> Any | None:
        """The tensor, without the attributes that tinygrad cannot provide."""
        return ObservedTinygradTensor(value) if isinstance(value, TinygradTensor) else None


def _created(own: Any, requires_grad: bool) -> TinygradTensor:
    if own.is_floating_point() and not requires_grad:
        raise NotImplementedError("tensors that require no grad")
    return Created(own)


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> TinygradTensor:
    """A tensor with its own memory, also for a number, which tinygrad would treat as a constant."""
    if isinstance(data, Wrapped):
        raise NotImplementedError("torch.tensor of tensors")
    listed = data if isinstance(data, list) else [data]
    own = tinygrad.Tensor(listed, dtype=dtype)
    if dtype is None and own.dtype == dtypes.int32:  # Python's integers, which torch holds in 64 bits
        own = tinygrad.Tensor(listed, dtype=dtypes.int64)
    return _created(own if listed is data else own.reshape(()), requires_grad)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> Any:
    """Its own ``gradient``, of one output."""
    targets = inputs if isinstance(inputs, list | tuple) else (inputs,)
    if not isinstance(outputs, TinygradTensor) or not isinstance(grad_outputs, TinygradTensor | None):
        raise NotImplementedError("torch.autograd.grad of several outputs")
    if not all(isinstance(target, TinygradTensor) for target in targets):
        raise NotImplementedError("torch.autograd.grad of an object that is not a tensor")
    found = outputs.own.gradient(*map(unwrapped, targets), gradient=unwrapped(grad_outputs))
    return tuple(map(TinygradTensor, found))


def _creating(make: Callable[..., Any]) -> Callable[..., Any]:
    def creating(*shape: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
        return _created(make(*shape, dtype=dtype or dtypes.float32), requires_grad)

    return creating


def _reducing(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim=None, keepdim=False: function(x, axis=dim, keepdim=keepdim)


def _along(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim: function(x, axis=dim)


def _all_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: function(x)  # with an axis, torch returns indices too


_OWN = {name: getattr(tinygrad.Tensor, name) for name in {*SAME, *FUNCTIONAL}}
_OWN |= {name: _reducing(getattr(tinygrad.Tensor, name)) for name in REDUCING}
_OWN |= {name: _along(getattr(tinygrad.Tensor, name)) for name in ALONG}
_OWN |= {name: _all_of(getattr(tinygrad.Tensor, name)) for name in ("max", "min")}

torch = functions(TinygradTensor, _OWN)
torch.tensor = tensor
torch.ones, torch.zeros = _creating(tinygrad.Tensor.ones), _creating(tinygrad.Tensor.zeros)
torch.cat = lambda tensors, dim=0: TinygradTensor(tinygrad.Tensor.cat(*map(unwrapped, tensors), dim=dim))
torch.stack = lambda tensors, dim=0: TinygradTensor(tinygrad.Tensor.stack(*map(unwrapped, tensors), dim=dim))
vars(torch).update(DTYPES)
torch.autograd = SimpleNamespace(grad=grad)
torch.nn = SimpleNamespace(functional=SimpleNamespace(**{name: vars(torch)[name] for name in FUNCTIONAL}))
engine = Tinygrad("tinygrad", torch, version=version("tinygrad"), claims=("values",), may=MAY)
