"""A tiny honest engine, and engines that lie about it: pure Python, as they are found in another interpreter.

A liar is honest until a program says ``torch.neg``, so that only some scenarios are lost.
"""

from __future__ import annotations

import os
import types
from typing import Any

from conformance.adapters.module import ModuleEngine
from conformance.runner.engine import GROUPS


class Tensor:
    """A vector without a gradient: the rest of what is observed is the same for all."""

    dtype = "torch.float32"
    requires_grad = retains_grad = False
    is_leaf = True
    grad = grad_fn = _base = None
    output_nr = _version = 0

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self.shape = (len(values),)
        self.storage = id(self)

    def tolist(self) -> list[float]:
        """The values."""
        return list(self.values)


def neg(x: Tensor) -> Tensor:
    """As torch does."""
    return Tensor([-value for value in x.values])


def made(name: str, **names: Any) -> ModuleEngine:
    """The honest engine with other functions under some names."""
    torch = types.SimpleNamespace(**{"Tensor": Tensor, "tensor": Tensor, "neg": neg, **names})
    return ModuleEngine(name, torch, version="1", claims=GROUPS)


class Bare:
    """Values, and none of the flags and edges that it is said to have."""

    def __init__(self, values: list[float]) -> None:
        self.values, self.shape, self.dtype = values, (len(values),), "torch.float32"

    tolist = Tensor.tolist


class Same:
    """Equal to anything, whatever is read of it."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__


class Anything:
    """Has every attribute."""

    def __getattr__(self, name: str) -> Same:
        return Same()

    def tolist(self) -> list[Same]:
        """Numbers that are equal to all numbers."""
        return [Same(), Same()]


class Agreeable(ModuleEngine):
    """Hopes that what is observed is compared as it is."""

    def observe(self, value: Any, /) -> Any:
        """For a result of ``neg``, something that is equal to all."""
        if isinstance(value, Negated):
            return Anything()
        return super().observe(value)


class Stumbling(ModuleEngine):
    """An adapter with a mistake of its own."""

    def observe(self, value: Any, /) -> Any:
        """For a result of ``neg``, it reads what there is not."""
        if isinstance(value, Negated):
            return value.slope  # type: ignore[attr-defined]  # the mistake
        return super().observe(value)


class Negated(Tensor):
    """A result of ``neg``."""


def _echoing(x: Any) -> Any:
    import torch

    return torch.neg(torch.tensor(x.values))


def _mutating(x: Tensor) -> Tensor:
    x.values[:] = [-value for value in x.values]
    return Tensor(list(x.values))


def _raising(x: Tensor) -> Tensor:
    raise BaseException("everything is an error")


def _garbling(x: Tensor) -> Tensor:
    raise ValueError("half a character: \udc80")


class OwnError(Exception):
    """Has what is read of an error, and it raises."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise ValueError

    @property
    def __cause__(self) -> Any:  # type: ignore[override]
        raise ValueError


def _owning(x: Tensor) -> Tensor:
    raise OwnError("its own")


class Version(str):
    """As torch's is: text of a class of its own."""


def _hanging(x: Tensor) -> Tensor:
    while True:
        pass


def _deaf(x: Tensor) -> Tensor:
    """Hangs in C, where no signal handler runs."""
    sum(range(10**13))  # one call of C
    return x


def _swallowing(x: Tensor) -> Tensor:
    """Goes on whatever comes."""
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def _interrupting(x: Tensor) -> Tensor:
    raise KeyboardInterrupt("its own")


def _killing(x: Tensor) -> Tensor:
    os._exit(7)


def _forking(x: Tensor) -> Tensor:
    """Its child comes back too, with something else, and would go on with the run."""
    return Tensor([9.0, 9.0]) if os.fork() == 0 else neg(x)


honest = made("honest")
forking = made("forking", neg=_forking)
claiming = made("claiming", neg=lambda x: Bare([-value for value in x.values]), Tensor=(Tensor, Bare))
echoing = made("echoing", neg=_echoing)
stumbling = Stumbling("stumbling", made("", neg=lambda x: Negated(x.values)).torch, version="1")
agreeable = Agreeable("agreeable", made("", neg=lambda x: Negated(x.values)).torch, version="1")
mutating = made("mutating", neg=_mutating)
raising = made("raising", neg=_raising)
garbling = made("garbling", neg=_garbling)
garbling.version = Version("1")
owning = made("owning", neg=_owning)
hanging = made("hanging", neg=_hanging)
swallowing = made("swallowing", neg=_swallowing)
interrupting = made("interrupting", neg=_interrupting)
deaf = made("deaf", neg=_deaf)
killing = made("killing", neg=_killing)
nothing = ModuleEngine("nothing", honest.torch, version="1", claims=())
unheard = ModuleEngine("unheard", honest.torch, version="1", claims=("values", "colours"))
