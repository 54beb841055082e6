"""What runs in place of an operation while a program is transformed: forward AD, vmap, modes below autograd, autocast.

Note [Transforms cost nothing until one is in force]: the functions of the rows that users call ask for no tangent.
While a transform is in force their code is taken away and the door, below, put in its place; it hands every call to
``dispatch``, which finds the tensors that carry more than an array. When the last transform ends they get their code
back. A thread that runs no transform itself is slower meanwhile, and no result differs. Functions that are composed of
several operations, and have to be asked as a whole, get doors of their own, see ``Doors``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, partial, wraps
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from .keywords import numpy_names, renamed
from .slots import provided

if TYPE_CHECKING:
    from .rows import Row
    from .tensor import Tensor

Compile = Callable[[], FunctionType]
Dispatch = Callable[["Row", Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


def door(*args: Any, enter: Callable[..., Any], **kwargs: Any) -> Any:
    """What stands in place of a function's own code."""
    return enter(args, kwargs)


class Transforms:
    """How many transforms are in force, how many of them are more than autocast, how many of torch.func, and the
    functions that they stand before.

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
        self.opened: dict[FunctionType, FunctionType] = {}  # compiled functions, and where their code is
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
                for function in self.opened:
                    function.__code__ = door.__code__

    def end(self, carrying: bool = True) -> None:
        """It is no longer."""
        with self.lock:
            self.count -= 1
            self.carrying -= carrying
            if not self.count:
                for function, made in self.opened.items():
                    function.__code__ = made.__code__


transforms = Transforms()


def is_wrapped(tensor: Tensor) -> bool:
    """Whether a derivative that runs wraps a tensor, which then does not tell where its memory is."""
    return bool(transforms.outermost) and tensor._age >= transforms.outermost


class Transform:
    """One transform by backward, or by jvp: whether it still runs, and how many had begun when it did, itself included."""

    __slots__ = ("age", "alive")

    def __init__(self, alive: bool = True) -> None:
        self.alive, self.age = alive, transforms.age


def guarded(row: Row, name: str, compiled: Compile) -> FunctionType:
    """A function that is compiled when it is first called, and has its own code while no transform is in force.

    Its default arguments suit both codes: another thread may call in between.
    """
    function = FunctionType(door.__code__, row.scope, name)
    function.__qualname__ = name

    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = transforms.opened.get(function)
        if made is None:
            made = compiled()
            function.__kwdefaults__ = {"enter": enter, **(made.__kwdefaults__ or {})}
            function.__defaults__ = made.__defaults__
            with transforms.lock:
                transforms.opened[function] = made
                if not transforms.count:
                    function.__code__ = made.__code__
        if transforms.count and transforms.dispatch is not None:
            names = numpy_names(row.parameters) if kwargs else None
            return transforms.dispatch(row, made, args, renamed(kwargs, names) if names else kwargs)
        return made(*args, **kwargs)

    function.__kwdefaults__ = {"enter": enter}
    return function


# Functions that are no rows -----------------------------------------------------------------------

Ask = Callable[..., Any]  # what a function is asked in place of itself: the function, and its arguments


class Doors:
    """Functions that are composed of several operations, and what they are asked while these doors are closed.

    A function may have several such doors. Whichever of them is closed, the call passes all, the outer ones first.
    """

    _closed: ClassVar[list[Doors]] = []
    lock: ClassVar = threading.RLock()

    def __init__(self) -> None:
        self.codes: dict[FunctionType, CodeType] = {}
        self.doors: dict[FunctionType, CodeType] = {}

    def guard(self, function: FunctionType, ask: Ask, outer: bool = False) -> None:
        """Ask in place of this function: ``ask(made, args, kwargs)``, where ``made`` is what there is further inside."""
        composed = _COMPOSED.get(function)
        if composed is None:
            composed = _COMPOSED[function] = Composed(function)
        composed.asks.insert(0 if outer else len(composed.asks), ask)
        composed.link()
        self.codes[function], self.doors[function] = composed.code, composed.door

    def close(self) -> None:
        """Put them before their functions."""
        with self.lock:
            self._closed.append(self)
            self._put()

    def _put(self) -> None:
        for function, code in self.doors.items():
            function.__code__ = code

    def open(self) -> None:
        """Give the functions their code back, but for those behind other doors that are closed."""
        with self.lock:
            self._closed.remove(self)
            for function, code in self.codes.items():
                function.__code__ = code
            for other in self._closed:
                other._put()


class SharedDoors(Doors):
    """Doors that are closed for each of several who ask, beside those of rows, and found when they first are."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def find(self) -> None:
        """Guard the functions."""
        raise NotImplementedError

    def close(self) -> None:
        """Put them before their functions, for one more."""
        transforms.begin(carrying=False)
        with self.lock:
            if not self.codes:
                self.find()
            self.count += 1
            if self.count == 1:
                super().close()

    def open(self) -> None:
        """For one they are no longer needed."""
        transforms.end(carrying=False)
        with self.lock:
            self.count -= 1
            if not self.count:
                super().open()


class Composed:
    """A function with doors."""

    def __init__(self, function: FunctionType) -> None:
        self.code = function.__code__
        self.door = _door(self.code.co_freevars)
        self.asks: list[Ask] = []
        made = FunctionType(
            self.code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
        made.__dict__.update(function.__dict__)  # what it wraps, by which its arguments are known
        self.made = made
        self.defaults = function.__kwdefaults__ = dict(function.__kwdefaults__ or {})

    def link(self) -> None:
        """Line up what is asked before the function itself: the door leads to the first."""
        first, *others = self.asks
        call: Callable[..., Any] = self.made
        for ask in reversed(others):
            call = _asking(ask, call)
        self.defaults["enter"] = partial(first, call)


_COMPOSED: dict[FunctionType, Composed] = {}


def _asking(ask: Ask, made: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(made)
    def call(*args: Any, **kwargs: Any) -> Any:
        return ask(made, args, kwargs)

    return call


@cache
def _door(free: tuple[str, ...]) -> CodeType:
    """The code of ``door`` for a function with these free variables.

    It names them itself, though where it is never run: a frame whose code has free variables that were not set up
    crashes Python when its variables are read, as pytest reads those of a failure.
    """
    if not free:
        return door.__code__
    names = ", ".join(free)
    scope: dict[str, Any] = {}
    exec(
        f"def outside({names}):\n def door(*args, enter, **kwargs):\n  return enter(args, kwargs)\n"
        f"  {names}\n return door",
        scope,
    )
    made: CodeType = scope["outside"](*free).__code__
    return made
