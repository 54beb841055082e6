"""The active transforms: forward AD, vmap, torch.func, modes below autograd, autocast (torch: functorch/DynamicLayer.h).

``transforms`` counts the active transforms. While there are any, the functions of operations that users call pass through stubs,
which pass every call to ``dispatch``: it looks for tensors with tangents, BatchedTensors and so on. See Note
[Transforms cost nothing until one is in force] in _c10/dispatch_wrapper.py. Functions that are composed of several operations,
and have to be intercepted as a whole, have stubs of their own, see ``CompositeWrappers``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from .dispatch_wrapper import DispatchWrapper, install_stubs, not_compiled, restore_code
from .keyword_names import numpy_names, renamed
from .slots import provided

if TYPE_CHECKING:
    from .._aten.registry import Row
    from .._autograd.tensor import Tensor

Compile = Callable[[], FunctionType]
Dispatch = Callable[["Row", Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class Transforms:
    """The active transforms, and the functions of operations that pass through their stubs while there are any.

    - ``count``: all active transforms; ``carrying``: those other than autocast; ``depth``: those of torch.func.
    - ``age``: how many transforms of torch.func have begun so far. The next ones are ages at which running derivatives began,
      0 if none runs:
    - ``since``: the innermost derivative; ``outermost``: the outermost one; ``backward``: the innermost one in reverse mode.
    - ``apart``: the innermost one in reverse mode inside one in forward mode; see Note [Derivatives of examples].

    Note [Captured tensors]: inside a derivative of torch.func, a tensor that was created before must not be modified in place.
    So a tensor created inside a transform stores the ``age`` of its creation (a view that of its base), which is compared
    with ``since``.
    """

    def __init__(self) -> None:
        self.count = self.carrying = self.depth = self.age = self.since = self.backward = self.outermost = (
            self.apart
        ) = 0
        self.wrappers: list[DispatchWrapper] = []  # of the compiled functions
        self.lock = threading.Lock()
        self.dispatch: Dispatch | None = None

    def begin(self, carrying: bool = True) -> None:
        """Begin a transform.

        Args:
            carrying: False for a transform whose tensors are plain tensors (autocast).
        """
        if self.dispatch is None:
            self.dispatch = provided("dispatch")
        with self.lock:
            self.count += 1
            self.carrying += carrying
            if self.count == 1:
                install_stubs(self.wrappers)

    def end(self, carrying: bool = True) -> None:
        """End a transform."""
        with self.lock:
            self.count -= 1
            self.carrying -= carrying
            if not self.count:
                restore_code(self.wrappers)


transforms = Transforms()


def is_wrapped(tensor: Tensor) -> bool:
    """Whether a tensor was created inside a running derivative of torch.func, where torch has a TensorWrapper without storage."""
    return bool(transforms.outermost) and tensor._age >= transforms.outermost


@contextmanager
def outside_derivatives(age: int = 0, depth: int | None = None) -> Iterator[None]:
    """While a Function's forward or vmap runs, its tensors are those outside of the derivatives: they have storage.

    Args:
        age: the derivatives that began after this are suspended, all for 0.
        depth: how many transforms still run, if vmaps are suspended as well.
    """
    before = transforms.since, transforms.outermost, transforms.depth
    if transforms.since > age:
        transforms.since = transforms.outermost = 0
    transforms.depth = before[2] if depth is None else depth
    try:
        yield
    finally:
        transforms.since, transforms.outermost, transforms.depth = before


class Transform:
    """A torch.func derivative: whether it is still running (``alive``), and its ``age``; see Note [Captured tensors]."""

    __slots__ = ("age", "alive")

    def __init__(self, alive: bool = True) -> None:
        self.alive, self.age = alive, transforms.age


def dispatching(row: Row, name: str, compiled: Compile) -> FunctionType:
    """The public function of an operation: compiled by its first call; calls pass through a stub while transforms are active."""
    wrapper = not_compiled(name, row.scope)
    alone = (wrapper,)
    function: FunctionType | None = None

    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal function
        if function is None:
            own = compiled()
            wrapper.enter_by(enter, own)
            wrapper.own_code = own.__code__
            with transforms.lock:
                if function is None:  # no other thread was faster
                    transforms.wrappers.append(wrapper)
                function = own
                if not transforms.count:
                    restore_code(alone)
        if transforms.count and transforms.dispatch is not None:
            names = numpy_names(row.parameters) if kwargs else None
            return transforms.dispatch(row, function, args, renamed(kwargs, names) if names else kwargs)
        return function(*args, **kwargs)

    wrapper.enter_by(enter)
    return wrapper.function


# Composite functions ------------------------------------------------------------------------------

Intercept = Callable[..., Any]  # called instead of a function, with the function and the arguments


class CompositeWrappers:
    """Functions composed of several operations, and the intercepts that are called instead while this is installed.

    Several of these may wrap the same function. While one of them is installed, a call passes through all intercepts of
    the function, the outer ones first.
    """

    _installed: ClassVar[list[CompositeWrappers]] = []
    lock: ClassVar = threading.RLock()

    def __init__(self) -> None:
        self.wrapped: dict[FunctionType, Composite] = {}

    def wrap(self, function: FunctionType, intercept: Intercept, outer: bool = False) -> None:
        """Call ``intercept(own, args, kwargs)`` instead of this function; ``own`` is the next intercept, or the function."""
        composite = _COMPOSITES.get(function)
        if composite is None:
            composite = _COMPOSITES[function] = Composite(function)
        composite.intercepts.insert(0 if outer else len(composite.intercepts), intercept)
        composite.link()
        self.wrapped[function] = composite

    def install(self) -> None:
        """Install the stubs of these functions."""
        with self.lock:
            self._installed.append(self)
            install_stubs(self.wrapped.values())

    def remove(self) -> None:
        """Remove the stubs, except for functions that are also wrapped by others that are installed."""
        with self.lock:
            self._installed.remove(self)
            restore_code(self.wrapped.values())
            for other in self._installed:
                install_stubs(other.wrapped.values())


class SharedCompositeWrappers(CompositeWrappers):
    """CompositeWrappers with a count of users, which also install the stubs of operations; the first user calls ``find``."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def find(self) -> None:
        """Wrap the functions."""
        raise NotImplementedError

    def install(self) -> None:
        """Install the stubs for one more user."""
        transforms.begin(carrying=False)
        with self.lock:
            if not self.wrapped:
                self.find()
            self.count += 1
            if self.count == 1:
                super().install()

    def remove(self) -> None:
        """Remove the stubs when the last user has called this."""
        transforms.end(carrying=False)
        with self.lock:
            self.count -= 1
            if not self.count:
                super().remove()


class Composite(DispatchWrapper):
    """A function with intercepts."""

    __slots__ = ("intercepts", "own")

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        self.intercepts: list[Intercept] = []
        own = FunctionType(
            self.own_code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        own.__kwdefaults__, own.__qualname__ = function.__kwdefaults__, function.__qualname__
        own.__dict__.update(function.__dict__)  # with __wrapped__, for inspect.signature
        self.own = own

    def link(self) -> None:
        """Chain the intercepts: the stub calls the first, this the second, and so on; the last calls the function."""
        first, *others = self.intercepts
        call: Callable[..., Any] = self.own
        for intercept in reversed(others):
            call = _intercepted(intercept, call)
        self.enter_by(partial(first, call))


_COMPOSITES: dict[FunctionType, Composite] = {}


def _intercepted(intercept: Intercept, own: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(own)
    def call(*args: Any, **kwargs: Any) -> Any:
        return intercept(own, args, kwargs)

    return call
