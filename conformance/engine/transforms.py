"""What runs in place of an operation while a program is transformed: forward AD, and vmap.

Note [Transforms cost nothing until one is in force]: the functions of the rows that users call ask for no tangent.
While a transform is in force their code is taken away and the door, below, put in its place; it hands every call to
``dispatch``, which finds the tensors that carry more than an array. When the last transform ends they get their code
back. A thread that runs no transform itself is slower meanwhile, and no result differs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .keywords import numpy_names, renamed

if TYPE_CHECKING:
    from .rows import Row

Compile = Callable[[], FunctionType]
Dispatch = Callable[["Row", Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


def door(*args: Any, enter: Callable[..., Any], **kwargs: Any) -> Any:
    """What stands in place of a function's own code."""
    return enter(args, kwargs)


class Transforms:
    """How many transforms are in force, how many of them of torch.func, and the functions that they stand before.

    Note [Captured tensors]: while a derivative of torch.func is taken, nothing may be written into a tensor that was
    made before. So ``age`` counts the transforms of torch.func that ever began, tensors made while one runs keep the
    age at which they were made (a view that of its base), and ``since`` is the age at which the innermost derivative
    began.
    """

    def __init__(self) -> None:
        self.count = self.depth = self.age = self.since = 0
        self.opened: dict[FunctionType, FunctionType] = {}  # compiled functions, and where their code is
        self.lock = threading.Lock()
        self.dispatch: Dispatch | None = None

    def begin(self) -> None:
        """A transform is in force from here on."""
        with self.lock:
            self.count += 1
            if self.count == 1:
                for function in self.opened:
                    function.__code__ = door.__code__

    def end(self) -> None:
        """It is no longer."""
        with self.lock:
            self.count -= 1
            if not self.count:
                for function, made in self.opened.items():
                    function.__code__ = made.__code__


transforms = Transforms()


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
