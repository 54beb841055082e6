"""PaddlePaddle, whose dynamic graph has most of torch's names.

It does not say whether a tensor retains its gradient, nor output numbers and bases, and its errors have other types
(SystemError for a freed graph). So it claims only values.

Calls that would crash paddle 3.3.1 are reported as not implemented, as are calls that would read uninitialized or
foreign memory. Operators that a program defines are removed at its end, as in torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any

import paddle

from conformance.adapters.module import ModuleEngine

_backward = paddle.Tensor.backward
_grad = paddle.grad
_power = paddle.Tensor.__pow__
_register_hook = paddle.Tensor.register_hook
_set_item = paddle.Tensor.__setitem__
_failed: list[str] = []  # the calls from hooks of the running pass
_running = False
_operators: Any = paddle.library.PYTHON_OP_REGISTRY
_register_own = _operators.register


@contextmanager
def _a_pass() -> Iterator[None]:
    """One backward pass; calls that are not allowed in it are reported at its end."""
    global _running  # noqa: PLW0603 - one pass per process
    if _running:
        raise NotImplementedError("a pass within a pass")
    _failed.clear()
    _running = True
    try:
        yield
    finally:
        _running = False
    if _failed:
        raise NotImplementedError(_failed[0])


def backward(tensor: Any, gradient: Any = None, retain_graph: bool | None = None) -> None:
    """Paddle's backward pass, which has another name for the gradient."""
    if getattr(tensor, "freed_function", False):
        raise NotImplementedError("a second pass from a Function")  # it ends the interpreter
    with _a_pass():
        _backward(tensor, gradient, bool(retain_graph))
    if not retain_graph and "PyLayer" in str(tensor.grad_fn and tensor.grad_fn.name()):
        tensor.freed_function = True


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
) -> Any:
    """Paddle's function with torch's arguments, as far as it supports them."""
    with _a_pass():
        return _grad(
            outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused=bool(allow_unused)
        )


def register_hook(tensor: Any, hook: Callable[[Any], Any]) -> Any:
    """Paddle's hook; what would crash in a hook is reported at the end of the pass.

    A pass reads the list of hooks in place, which adding or removing one reallocates.
    """
    if _running:
        _failed.append("a hook registered in a pass")
        return None

    def guarded(gradient: Any) -> Any:
        try:
            result = hook(gradient)
        except Exception:
            _failed.append("a hook that raises")
            return None
        if result is None or isinstance(result, paddle.Tensor):
            return result
        _failed.append("a hook that returns no tensor")
        return None

    return Handle(_register_hook(tensor, guarded))


class Handle:
    """Paddle's handle; a hook that is removed during a pass stays until its end."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def remove(self) -> None:
        """Remove the hook."""
        if _running:
            _failed.append("a hook removed in a pass")
        else:
            self._own.remove()


class Function(paddle.autograd.PyLayer):  # type: ignore[misc]  # it has no types
    """Paddle's own, except for gradients that are None, which crash if a hook sees them."""

    def __init_subclass__(cls) -> None:
        own: Any = cls.backward

        def backward(*given: Any) -> Any:
            result = own(*given)
            if result is None:
                raise NotImplementedError("a Function that has no gradient")
            return result

        cls.backward = staticmethod(backward)


def _raised_to(tensor: Any, exponent: Any) -> Any:
    if isinstance(exponent, int) and exponent < 0 and tensor.dtype in (paddle.int32, paddle.int64):
        raise NotImplementedError("integers to a negative power")  # it never returns
    return _power(tensor, exponent)


def _beyond(index: Any, size: int) -> bool:
    whole = index.dtype in (paddle.int32, paddle.int64) and index.numel() > 0
    return whole and bool(index.max() >= size or index.min() < -size)


def _set(tensor: Any, index: Any, value: Any) -> None:
    if isinstance(value, complex):
        raise NotImplementedError("a complex number assigned to an element")
    for size, each in zip(tensor.shape, index if isinstance(index, tuple) else (index,), strict=False):
        if isinstance(each, paddle.Tensor) and _beyond(each, size):
            raise NotImplementedError("an assignment beyond the elements")  # it writes there
    _set_item(tensor, index, value)


def _guarded(own: Callable[..., Any], what: str, fatal: Callable[..., bool]) -> Callable[..., Any]:
    """The function, except for arguments with which it crashes or hangs."""

    @wraps(own)
    def call(*given: Any, **named: Any) -> Any:
        if _applies(fatal, given, named):
            raise NotImplementedError(what)
        try:
            return own(*given, **named)
        except TypeError as error:
            if "got an unexpected keyword argument" not in str(error):
                raise
            raise NotImplementedError(str(error)) from None

    return call


def _applies(fatal: Callable[..., bool], given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether these are such arguments; of names that it does not know, as many values as it takes."""
    with suppress(TypeError):
        return fatal(*given, **named)
    for count in range(1, len(named) + 1):
        with suppress(TypeError):
            return fatal(*given, *[*named.values()][:count])
    return False


def _undeletable(tensor: Any, name: str) -> None:
    raise NotImplementedError(f"del Tensor.{name}")


def _has_least(tensor: Any) -> bool:
    whole = isinstance(tensor, paddle.Tensor) and tensor.dtype in (paddle.int32, paddle.int64)
    return whole and bool((tensor == paddle.iinfo(tensor.dtype).min).any())


class Operator:
    """An operator that a program defines, which paddle keeps for the life of the process."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _destroy(self) -> None:
        _operators._registry.pop(self._name, None)


def _register(name: str, function: Callable[..., Any]) -> None:
    _register_own(name, function)
    paddle.library._keep_alive.append(Operator(name))


class ObservedPaddleTensor:
    """A tensor for observation, without is_leaf, so that all gradients are read.

    Paddle does not say which results retain their gradients.
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        if name == "is_leaf":
            raise AttributeError(name)
        return getattr(self._own, name)


class Paddle(ModuleEngine):
    """Paddle itself."""

    def observe(self, value: Any, /) -> Any | None:
        """The tensor, without the attributes that paddle cannot provide."""
        found = super().observe(value)
        return None if found is None else ObservedPaddleTensor(found)


# Owner, function, message, and the arguments that it applies to.
_FATAL: tuple[tuple[Any, str, str, Callable[..., bool]], ...] = (
    (paddle.Tensor, "split", "parts of a negative size",
     lambda tensor, size, *_, **__: isinstance(size, int) and size < 0),
    (paddle, "split", "parts of a negative size", lambda _, size, *__, **___: isinstance(size, int) and size < 0),
    (paddle, "index_put_", "a tensor passed by name", lambda *given, **_: not given),
    (paddle.fft, "fftn", "a dimension twice",
     lambda *_, axes=None, dim=None, **__: len(set(axes or dim or ())) < len(axes or dim or ())),
    (paddle.nn.LSTMCell, "forward", "an input or a state that is not a matrix",  # sometimes computed, sometimes refused
     lambda _, inputs, states=None: any(each.ndim != 2 for each in (inputs, *(states or ())))),
    (paddle.Tensor, "fill_diagonal_", "the diagonal of a vector", lambda tensor, *_, **__: tensor.ndim < 2),
    (paddle.Tensor, "scatter", "more rows scattered than there are",
     lambda tensor, _, index, *__, **___: index.ndim > 0 and index.shape[0] > tensor.shape[0]),
    (paddle.Tensor, "__getitem__", "indexing an empty tensor with a tensor",
     lambda tensor, index: 0 in tensor.shape and isinstance(index, paddle.Tensor)),
    (paddle.Tensor, "index_put_", "indices out of range",
     lambda tensor, indices, *_, **__: int(indices[0].max()) >= tensor.shape[0]),
    (paddle.Tensor, "mode", "the mode of an empty tensor", lambda tensor, *_, **__: 0 in tensor.shape),
    (paddle.nn.functional, "adaptive_avg_pool2d", "a negative size",
     lambda _, size, **__: isinstance(size, int) and size < 0),
    (paddle.linalg, "cross", "the derivative of a product with a constant",
     lambda x, y, *_, **__: x.stop_gradient and not y.stop_gradient),
    (paddle, "einsum", "an equation with other signs",
     lambda equation, *_: isinstance(equation, str) and "!" in equation),
    (paddle.linalg, "qr", "the derivative of qr by one factor alone",
     lambda tensor, mode="reduced", **_: mode == "reduced" and not tensor.stop_gradient),
    *((of, name, "divisors of the least integer", lambda *given, **_: any(map(_has_least, given)))
      for of, name in ((paddle, "gcd"), (paddle.Tensor, "gcd"), (paddle.Tensor, "gcd_"))),
    *((of, name, "a dtype that is a number", lambda _, *given, dtype=None, **__: int in map(type, (*given[1:2], dtype)))
      for name in ("sum", "nansum") for of in (paddle, paddle.Tensor)),
    *((paddle, name, "results written into an object that is not a tensor",
       lambda *_, out=(), **__: not all(isinstance(each, paddle.Tensor) for each in out or ()))
      for name in ("topk", "median")),
    (paddle, "binomial", "draws with the probability nan", lambda _, prob, **__: bool(paddle.isnan(prob).any())),
    (paddle.nn.functional, "instance_norm", "a bias without a weight",
     lambda *given, **_: len(given) > 4 and given[3] is None and given[4] is not None),
    (paddle.nn.utils, "clip_grad_value_", "sparse gradients",
     lambda given, *_, **__: any(each.grad is not None and each.grad.is_selected_rows() for each in given)),
    (paddle.linalg, "solve", "the derivative of equations of a vector",
     lambda a, b, **_: b.ndim == 1 and not (a.stop_gradient and b.stop_gradient)),
    *((of, "bmm", "sums of empty tensors", lambda one, *_, **__: one.ndim == 3 and one.shape[2] == 0)
      for of in (paddle, paddle.Tensor)),
    (paddle.linalg, "eig", "eigenvalues of nan", lambda tensor, **_: bool(paddle.isnan(tensor).any())),
)  # fmt: skip
for _of, _name, _what, _fatal in _FATAL:
    setattr(_of, _name, _guarded(getattr(_of, _name), _what, _fatal))
paddle.Tensor.backward, paddle.Tensor.register_hook = backward, register_hook
paddle.grad = paddle.autograd.grad = grad
paddle.autograd.Function = Function
paddle.Tensor.__pow__, paddle.Tensor.__setitem__ = _raised_to, _set
paddle.Tensor.__delattr__ = _undeletable
_operators.register = _register
paddle.library._keep_alive = []  # torch's name: its operators are removed at the end of a program
paddle.Tensor.retain_grad = paddle.Tensor.retain_grads
del paddle.nn.PReLU  # the derivative with respect to its weight crashes
del paddle.meshgrid  # so does the second derivative
del paddle.Tensor.apply_  # so does a result that is not a tensor
engine = Paddle("paddle", paddle, version=paddle.__version__, claims=("values",))
