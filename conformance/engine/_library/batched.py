"""vmap rules that programs register for custom operators (torch: _functorch/autograd_function.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._c10.pytree import flatten, unflatten
from .._c10.slots import on_first_use

through_rule: Callable[..., Any] = on_first_use("through_vmap_rule")  # see Note [Slots]


def vmap_kernel(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel for batched arguments, given the innermost level at which they are batched."""

    def kernel(level: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaves, spec = flatten(args)

        def on_batches(info: Any, in_dims: tuple[Any, ...], *whole: Any) -> Any:
            return rule(info, unflatten(list(in_dims), spec), *unflatten(list(whole), spec), **kwargs)

        return through_rule(on_batches, tuple(leaves), level)

    return kernel
