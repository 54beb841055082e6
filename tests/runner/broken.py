"""Engines that are torch but for what a test breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from conformance.adapters.module import ModuleEngine
from conformance.runner.engine import GROUPS
from tests.runner.make import torch_engine

torch = torch_engine.torch


class Namespace:
    """Torch with some names replaced, or gone."""

    def __init__(self, replaced: dict[str, Any], without: Iterable[str]) -> None:
        self._without = set(without)
        vars(self).update(replaced)

    def __getattr__(self, name: str) -> Any:
        if name in self._without:
            raise AttributeError(f"no {name}", name=name, obj=self)
        return getattr(torch, name)


class Seen:
    """A tensor with some attributes replaced; one that is callable is called with the tensor."""

    def __init__(self, tensor: Any, replaced: dict[str, Any]) -> None:
        self._tensor = tensor
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        if name not in self._replaced:
            return getattr(self._tensor, name)
        value = self._replaced[name]
        return value(self._tensor) if callable(value) else value


class Engine(ModuleEngine):
    """Tensors seen through `Seen`."""

    def __init__(self, module: Any, claims: Iterable[str], seen: dict[str, Any]) -> None:
        super().__init__("broken", module, claims=claims)
        self._seen = seen

    def observe(self, value: Any, /) -> Any | None:
        return Seen(value, self._seen) if isinstance(value, torch.Tensor) else None


def broken(
    *,
    claims: Iterable[str] = GROUPS,
    without: Iterable[str] = (),
    seen: dict[str, Any] | None = None,
    **replaced: Any,
) -> Engine:
    """Torch with names replaced in its namespace, without some, or with attributes of tensors replaced."""
    return Engine(Namespace(replaced, without), claims, seen or {})


def raising(error: BaseException) -> Callable[..., Any]:
    """A function that raises."""

    def fails(*_: Any, **__: Any) -> Any:
        raise error

    return fails
