"""torch._vmap_internals: the vmap that came before torch.func's."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .func.vmap import in_dims_of, old_vmap, size_of
from .pytree import broadcast_to_and_flatten, flatten, unflatten
from .tensor import Tensor


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """A function that calls ``func`` with every example of its arguments at once.

    Raises:
        ValueError: dimensions that do not fit; results that are no tensors.
    """

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        flat, spec = flatten(args)
        dims = in_dims_of(func, in_dims, args, flat, spec)
        size = size_of(flat, dims)
        seen: list[Any] = []

        def run(*batches: Any) -> list[Tensor | None]:
            waiting = iter(batches)
            given = [each if dim is None else next(waiting) for each, dim in zip(flat, dims, strict=True)]
            results = func(*unflatten(given, spec))
            listed = results if isinstance(results, tuple) else (results,)
            for each in listed:
                if not (isinstance(each, Tensor) or (each is None and allow_none_pass_through)):
                    name = getattr(func, "__name__", repr(func))
                    raise ValueError(
                        f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(each)} as the return."
                    )
            seen[:] = [isinstance(results, tuple)]
            return list(listed)

        batches = [
            each.movedim(dim, 0) if dim else each
            for each, dim in zip(flat, dims, strict=True)
            if dim is not None
        ]
        found = old_vmap(run, batches, size)
        places = broadcast_to_and_flatten(out_dims, flatten(tuple(found))[1]) or [0] * len(found)
        moved = [
            each.movedim(0, dim) if each is not None and dim else each
            for each, dim in zip(found, places, strict=True)
        ]
        return tuple(moved) if seen[0] else moved[0]

    return wrapped


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """Deprecated; see ``torch.vmap``."""
    warnings.warn(
        "Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.", FutureWarning, stacklevel=2
    )
    return _vmap(func, in_dims, out_dims)
