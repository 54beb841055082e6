"""What runs in place of an operation while a program is transformed: forward AD, vmap, modes below autograd, autocast.

``transforms`` counts the transforms that are in force. While there are any, the functions of rows that users call pass
through stubs, which hand every call to ``dispatch``: it finds the tensors that carry more than an array. See Note
[Transforms cost nothing until one is in force] in _c10/dispatch_wrapper.py. Functions that are composed of several operations,
and have to be intercepted as a whole, have stubs of their own, see ``CompositeWrappers``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
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
    """How many transforms are in force, how many of them are more than autocast, how many of torch.func, and the
    functions of rows that pass through their stubs meanwhile.

    Note [Captured tensors]: while a derivative of torch.func is taken, nothing may be written into a tensor that was
    made before. So ``age`` counts the transforms of torch.func that ever began, tensors made while one runs keep the
    age at which they were made (a view that of its base), and ``since`` is the age at which the innermost derivative
    began, ``outermost`` that at which the outermost did, ``backward`` that at which the innermost one by backward did, and
    ``apart`` that at which the innermost did of those by backward within one by tangents; see Note [Derivatives of examples].
    """

    def __init__(self) -> None:
        self.count = self.carrying = self.depth = self.age = self.since = self.backward = self.outermost = (
            self.apart
        ) = 0
        self.wrappers: list[DispatchWrapper] = []  # of the functions that are compiled
        self.lock = threading.Lock()
        self.dispatch: Dispatch | None = None

    def begin(self, carrying: bool = True) -> None:
        """A transform is in force from here on; autocast's tensors carry nothing more than an array."""
        if self.dispatch is None:
            self.dispatch = provided("dispatch")
        with self.lock:
            self.count += 1
            self.carrying += carrying
            if self.count == 1:
                install_stubs(self.wrappers)

    def end(self, carrying: bool = True) -> None:
        """It is no longer."""
        with self.lock:
            self.count -= 1
            self.carrying -= carrying
            if not self.count:
                restore_code(self.wrappers)


transforms = Transforms()


def is_wrapped(tensor: Tensor) -> bool:
    """Whether a derivative that runs wraps a tensor, which then does not tell where its memory is."""
    return bool(transforms.outermost) and tensor._age >= transforms.outermost


class Transform:
    """One transform by backward, or by jvp: whether it still runs, and how many had begun when it did, itself included."""

    __slots__ = ("age", "alive")

    def __init__(self, alive: bool = True) -> None:
        self.alive, self.age = alive, transforms.age


def dispatching(row: Row, name: str, compiled: Compile) -> FunctionType:
    """A function that is compiled by its first call, and passes through its stub while a transform is in force."""
    wrapper = not_compiled(name, row.scope)
    alone = (wrapper,)
    made: FunctionType | None = None

    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal made
        if made is None:
            own = compiled()
            wrapper.enter_by(enter, own)
            wrapper.own_code = own.__code__
            with transforms.lock:
                if made is None:  # no other thread was faster
                    transforms.wrappers.append(wrapper)
                made = own
                if not transforms.count:
                    restore_code(alone)
        if transforms.count and transforms.dispatch is not None:
            names = numpy_names(row.parameters) if kwargs else None
            return transforms.dispatch(row, made, args, renamed(kwargs, names) if names else kwargs)
        return made(*args, **kwargs)

    wrapper.enter_by(enter)
    return wrapper.function


# Functions that are no rows -----------------------------------------------------------------------

Intercept = Callable[..., Any]  # what is called in place of a function: with the function, and the arguments


class CompositeWrappers:
    """Functions that are composed of several operations, and what is called in their place while it is installed.

    Several of these may hold the same function. When one of them is installed, a call passes all its intercepts, the
    outer ones first.
    """

    _installed: ClassVar[list[CompositeWrappers]] = []
    lock: ClassVar = threading.RLock()

    def __init__(self) -> None:
        self.wrapped: dict[FunctionType, Composite] = {}

    def wrap(self, function: FunctionType, intercept: Intercept, outer: bool = False) -> None:
        """Call ``intercept(own, args, kwargs)`` in place of this function; ``own`` is what there is further inside."""
        composite = _COMPOSITES.get(function)
        if composite is None:
            composite = _COMPOSITES[function] = Composite(function)
        composite.intercepts.insert(0 if outer else len(composite.intercepts), intercept)
        composite.link()
        self.wrapped[function] = composite

    def install(self) -> None:
        """Let calls of these functions pass through their stubs."""
        with self.lock:
            self._installed.append(self)
            install_stubs(self.wrapped.values())

    def remove(self) -> None:
        """Let them run their own code, but for those that others hold which are installed."""
        with self.lock:
            self._installed.remove(self)
            restore_code(self.wrapped.values())
            for other in self._installed:
                install_stubs(other.wrapped.values())


class SharedCompositeWrappers(CompositeWrappers):
    """Those that several users install, together with the stubs of rows; the functions are looked up by the first."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def find(self) -> None:
        """Wrap the functions."""
        raise NotImplementedError

    def install(self) -> None:
        """Let calls pass through the stubs, for one more user."""
        transforms.begin(carrying=False)
        with self.lock:
            if not self.wrapped:
                self.find()
            self.count += 1
            if self.count == 1:
                super().install()

    def remove(self) -> None:
        """One user needs them no longer."""
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
        own.__dict__.update(function.__dict__)  # what it wraps, by which its arguments are known
        self.own = own

    def link(self) -> None:
        """Let the stub call the first intercept, that the second, and so on; the last calls the function itself."""
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
