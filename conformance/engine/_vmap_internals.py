"""torch._vmap_internals: the deprecated vmap that torch.func's replaced."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ._autograd.tensor import Tensor
from ._c10.pytree import flatten, unflatten
from ._transforms.vmap import in_dims_of, old_vmap, size_of


def _listed(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """A function that calls ``func`` with batched arguments."""
    name = getattr(func, "__name__", repr(func))

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        if not all(isinstance(each, int) for each in _listed(out_dims)):
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int or a tuple of int representing where in "
                "the outputs the vmapped dimension should appear."
            )
        flat, spec = flatten(args)
        dims = in_dims_of(func, in_dims, args, flat, spec, old=True)
        if all(each is None for each in dims):
            raise IndexError("list index out of range")  # the accidental error of torch
        size = size_of(flat, dims)
        seen: list[Any] = []

        def run(*batches: Any) -> list[Tensor | None]:
            waiting = iter(batches)
            given = [each if dim is None else next(waiting) for each, dim in zip(flat, dims, strict=True)]
            results = func(*unflatten(given, spec))
            listed = _listed(results)
            for number, each in enumerate(listed):
                if not (isinstance(each, Tensor) or (each is None and allow_none_pass_through)):
                    which = f"for return {number}" if isinstance(results, tuple) else "as the return"
                    raise ValueError(
                        f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(each)} {which}."
                    )
            if isinstance(out_dims, tuple) and len(out_dims) != len(listed):
                raise ValueError(
                    f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must have one dim per output (got {len(listed)} "
                    f"outputs) of {name}."
                )
            seen[:] = [isinstance(results, tuple)]
            return list(listed)

        batches = [
            each.movedim(dim, 0) if dim else each
            for each, dim in zip(flat, dims, strict=True)
            if dim is not None
        ]
        found = old_vmap(run, batches, size)
        places = out_dims if isinstance(out_dims, tuple) else [out_dims] * len(found)
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
