"""torch.func.vmap: turn a function of one sample into a function of a batch; see Note [Batch rules]."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .._aten.operators import FUNCTIONS
from .._aten.random.random import default_generator
from .._autograd.batched_tensor import BatchedTensor, Vmap, make_batched, unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.pytree import broadcast_to_and_flatten, flatten, unflatten
from .composite_batch_rules import composites
from .interpreter_nesting import nested


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that calls ``func`` once with batched tensors, which look like single samples to ``func``.

    Args:
        in_dims: the dimension of each argument to map over, None for an argument that all samples share.
        out_dims: where the mapped dimension appears in each output.
        randomness: "error" refuses random operations; "same" or "different" numbers for all samples.
        chunk_size: how many samples are computed at once; None for all.

    Raises:
        ValueError: ``in_dims`` or ``out_dims`` do not fit the arguments or outputs; ``chunk_size`` is not positive.
        RuntimeError: ``randomness`` has another value, or an operation has data-dependent control flow or shapes.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        flat, spec = flatten(args)
        dims = in_dims_of(func, in_dims, args, flat, spec)
        if any(dim is not None and each.is_sparse for each, dim in zip(flat, dims, strict=True)):
            raise NotImplementedError(errors.SPARSE_VMAP)
        size = size_of(flat, dims)
        run = functools.partial(_run, func, spec, dims, out_dims, randomness, kwargs)
        if chunk_size is None:
            return run(flat, size)
        parts = []
        before = default_generator.get_state() if randomness == "same" else None
        for start in range(0, size, chunk_size):
            count = min(chunk_size, size - start)
            taken = [
                each if dim is None else each.narrow(dim, start, count)
                for each, dim in zip(flat, dims, strict=True)
            ]
            if before is not None:
                default_generator.set_state(before)
            parts.append(run(taken, count))
        return _joined(parts, out_dims)

    return mapped


def _joined(parts: list[Any], out_dims: Any) -> Any:
    """Concatenate the outputs of all chunks."""
    join = FUNCTIONS["cat"]  # which raises torch's error if a dimension is None
    flat, spec = zip(*map(flatten, parts), strict=True)
    dims = broadcast_to_and_flatten(out_dims, spec[0]) or []
    return unflatten(
        [join(list(column), dim=dim) for column, dim in zip(zip(*flat, strict=True), dims, strict=True)],
        spec[0],
    )


def _run(
    func: Callable[..., Any], spec: Any, dims: list[Any], out_dims: Any, randomness: str, kwargs: Any,
    flat: list[Any], size: int,
) -> Any:  # fmt: skip
    """Call the function with batched arguments, and unwrap its outputs."""
    with vmapping(size, randomness) as level:
        arguments = [
            each if dim is None else make_batched(each, dim, level)
            for each, dim in zip(flat, dims, strict=True)
        ]
        results = func(*unflatten(arguments, spec), **kwargs)
        return _unwrapped(func, results, out_dims, level, size)


@contextmanager
def vmapping(size: int, randomness: str) -> Iterator[int]:
    """A context manager that runs one more vmap, and yields its level."""
    with nested(derivative=False) as depth:
        if not vmaps:
            composites.install()
        vmaps.append(Vmap(size, randomness, depth, transforms.age))
        try:
            yield len(vmaps) - 1
        finally:
            vmaps.pop()
            if not vmaps:
                composites.remove()


def old_vmap(
    func: Callable[..., Sequence[Tensor | None]], given: Sequence[Tensor | None], size: int
) -> list[Any]:
    """The legacy vmap of is_grads_batched and gradcheck, over the first dimension of tensors; None stays None."""
    level = len(vmaps)
    transforms.begin()
    try:
        if not vmaps:
            composites.install()
        vmaps.append(Vmap(size, "error", transforms.depth + 1, transforms.age, old=True))
        try:
            if any(each is not None and each.is_sparse for each in given):
                raise RuntimeError("expand is unsupported for Sparse tensors")
            results = func(*[None if each is None else make_batched(each, 0, level) for each in given])
            return [None if each is None else _unbatched("vjp", each, 0, level, size) for each in results]
        finally:
            vmaps.pop()
            if not vmaps:
                composites.remove()
    finally:
        transforms.end()


def _name(func: Any) -> str:
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)


def in_dims_of(
    func: Any, in_dims: Any, args: tuple[Any, ...], flat: list[Any], spec: Any, *, old: bool = False
) -> list[int | None]:
    where = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{where}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    dims = broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{where}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    for number, (value, dim) in enumerate(zip(flat, dims, strict=True)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{where}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(value, Tensor):
            raise ValueError(
                f"{where}Got in_dim={dim} for an input but the input is of type {type(value)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        if dim.__class__ is bool:
            raise TypeError("size(): argument 'dim' (position 1) must be int, not bool")
        least = "0" if old else f"-{value.dim()}"  # "-0" for a 0-d tensor, as torch prints it
        if not int(least) <= dim < value.dim():
            raise ValueError(
                f"{where}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {value.dim()} "
                f"so expected in_dim to satisfy {least} <= in_dim < {value.dim()}."
            )
        dims[number] = dim % value.dim()
    return dims


def size_of(flat: list[Any], dims: list[int | None]) -> int:
    sizes = [each.size(dim) for each, dim in zip(flat, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return int(sizes[0])


def _unwrapped(func: Any, results: Any, out_dims: Any, level: int, size: int) -> Any:
    """Unwrap the outputs, with the batch dimension at ``out_dims``."""
    flat, spec = flatten(results)
    if any(not isinstance(each, int) and each is not None for each in flatten(out_dims)[0]):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
            "ints representing where in the outputs the vmapped dimension should appear."
        )
    dims: list[Any] | None
    if isinstance(results, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        dims = list(out_dims)
    else:
        dims = broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    dims = [dim if dim is None else int(dim) for dim in dims]
    result = [_unbatched(_name(func), each, dim, level, size) for each, dim in zip(flat, dims, strict=True)]
    return unflatten(result, spec)


def _unbatched(name: str, value: Any, dim: int | None, level: int, size: int) -> Any:
    """Unwrap one output, with the batch dimension moved to ``dim``; an unbatched output is expanded."""
    own = value.__class__ is BatchedTensor and value._level == level
    if dim is None:
        if value.__class__ is BatchedTensor:
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return value
    if not isinstance(value, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(value)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    if own:
        unwrapped, bdim = unwrap_batched(value)
        if value._value is None:
            unwrapped._inference = value._samples[0]._inference
        return unwrapped if dim in (bdim, bdim - unwrapped.dim()) else unwrapped.movedim(bdim, dim)
    shape = list(value.shape)
    shape.insert(dim, size)  # torch leaves a negative dim undefined
    return value.expand(shape)
