"""torch.func: Jacobians, by vmap over a basis (torch: _functorch/eager_transforms.py)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from .._aten.shape.cat_stack import cat
from .._autograd.tensor import Tensor
from .._c10.pytree import flatten, tree_map, unflatten
from .derivatives import jvp, places_of, replaced, vjp
from .vmap import vmap


def _need_real(name: str, what: str, values: Any) -> None:
    """Refuse complex tensors."""
    for number, each in enumerate(flatten(values)[0]):
        if isinstance(each, Tensor) and each.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {number}"
            )


def _bases(tensors: list[Tensor], chunk_size: int | None = None) -> Iterator[list[Tensor]]:
    """The standard basis of all elements of the tensors, in chunks; a chunk has a batch of basis vectors per tensor."""
    count = sum(each.numel() for each in tensors)
    for start in range(0, max(count, 1), chunk_size or max(count, 1)):
        size = min(chunk_size or count, count - start)
        basis, place = [], -start
        for each in tensors:
            part = each.new_zeros(size, each.numel())
            part.diagonal(-place).fill_(1)
            basis.append(part.view(size, *each.shape))
            place += each.numel()
        yield basis


def jacrev(
    func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """A function that returns the Jacobian of ``func`` with respect to ``argnums``, by reverse-mode AD.

    Raises:
        ValueError: ``chunk_size`` is not positive.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        _need_real("jacrev", "inputs", args)
        places = places_of(argnums, len(args))
        value, vjp_fn, *aux = vjp(
            lambda *chosen: func(*replaced(args, places, chosen)),
            *[args[place] for place in places],
            has_aux=has_aux,
        )
        _need_real("jacrev", "outputs", value)
        outputs, output_spec = flatten(value)
        inputs, input_spec = flatten([args[place] for place in places])
        counts = [each.numel() for each in outputs]
        chunks = []
        for basis in _bases(outputs, chunk_size):
            if chunk_size == 1:  # without vmap, and so without its limitations
                row = vjp_fn(unflatten([each.squeeze(0) for each in basis], output_spec))
                chunks.append([each.unsqueeze(0) for each in flatten(row)[0]])
            else:
                chunks.append(flatten(vmap(vjp_fn)(unflatten(basis, output_spec)))[0])
        if _preallocate_and_copy and len(chunks) > 1:
            rows = [each.new_zeros(sum(counts), *each.shape) for each in inputs]
            for number, chunk in enumerate(chunks):
                for each, result in zip(chunk, rows, strict=True):
                    result[number * chunk_size : (number + 1) * chunk_size].copy_(each)  # type: ignore[operator]
        else:
            rows = [cat(list(each)) if len(each) > 1 else each[0] for each in zip(*chunks, strict=True)]
        columns = [
            [
                part.view((*output.shape, *each.shape))
                for part, output in zip(row.split(counts, 0), outputs, strict=True)
            ]
            for row, each in zip(rows, inputs, strict=True)
        ]
        blocks = [unflatten(list(block), input_spec) for block in zip(*columns, strict=True)]
        blocks = [block[0] if isinstance(argnums, int) else tuple(block) for block in blocks]
        jacobian = unflatten(blocks, output_spec)
        return (jacobian, aux[0]) if has_aux else jacobian

    return wrapper


def jacfwd(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func`` with respect to ``argnums``, by forward-mode AD."""

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        _need_real("jacfwd", "inputs", args)
        places = tuple(range(len(args))) if argnums is None else places_of(argnums, len(args))
        inputs, input_spec = flatten([args[place] for place in places])

        def called(*chosen: Any) -> Any:
            pairs = [
                (place, value)
                for place, value in zip(places, chosen, strict=True)
                if argnums is None or place in _listed(argnums)  # torch ignores negative argnums here
            ]
            return func(*replaced(args, *zip(*pairs, strict=True))) if pairs else func(*args)

        def push(*directions: Tensor) -> Any:
            value, *products = jvp(
                called,
                tuple(args[place] for place in places),
                tuple(unflatten(list(directions), input_spec)),
                has_aux=has_aux,
            )
            _need_real("jacfwd", "outputs", value)
            return tuple(products)

        columns = next(_bases(inputs))
        products, *aux = vmap(push, randomness=randomness)(*columns)
        flat, output_spec = flatten(products)
        counts = [each.numel() for each in inputs]
        blocks = []
        for product in flat:
            jacobians = [
                part.unflatten(-1, each.shape) if each.dim() else part.squeeze(-1)
                for part, each in zip(product.movedim(0, -1).split(counts, -1), inputs, strict=True)
            ]
            result = unflatten(jacobians, input_spec)
            blocks.append(result[0] if isinstance(argnums, int) else tuple(result))
        jacobian = unflatten(blocks, output_spec)
        return (jacobian, tree_map(lambda each: each[0], aux[0])) if has_aux else jacobian

    return wrapper


def _listed(argnums: Any) -> tuple[Any, ...]:
    return argnums if isinstance(argnums, tuple) else (argnums,)


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """A function that returns the Hessian of ``func`` with respect to ``argnums``: forward mode over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)
