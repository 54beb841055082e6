"""torch.nn.utils.stateless: calls of modules with replaced parameters and buffers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._autograd.tensor import Tensor
from ..modules.module import Module

_MISSING: Any = object()


def _named(module: Module) -> dict[str, Tensor]:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _tied(module: Module, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """The given tensors, also under the other names of tied weights.

    Raises:
        ValueError: tied weights get different values.
    """
    by_tensor: dict[int, list[str]] = {}
    for name, tensor in _named(module).items():
        by_tensor.setdefault(id(tensor), []).append(name)
    given_names = set(given.keys())
    found = given.copy()
    for names in by_tensor.values():
        values = [given[name] for name in names if name in given_names]
        if len(names) < 2 or not values:
            continue
        if any(each is not values[0] for each in values):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                "tie_weights=False"
            )
        found |= dict.fromkeys(names, values[0])
    return found


def _check_names(module: Module, given: dict[str, Tensor]) -> None:
    have = set(_named(module))
    unexpected, missing = sorted(set(given) - have), sorted(have - set(given))
    texts = [
        f"{kind} key(s): {', '.join(map(repr, names))}."
        for kind, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if texts:
        raise RuntimeError(
            "Error(s) in reparametrizing for {}:\n\t{}".format(module._get_name(), "\n\t".join(texts))
        )


def _swap(module: Module, path: str, tensor: Any) -> Any:
    """Set the tensor at a path, and return the previous one."""
    owner = module
    *steps, name = path.split(".")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for step in steps:
        if not hasattr(owner, step):
            raise AttributeError(f"{owner._get_name()} has no attribute `{step}`")
        owner = getattr(owner, step)
        if not isinstance(owner, Module):
            raise TypeError(f"submodule `{'.'.join(steps)}`: {owner} is not an instance of torch.nn.Module")
    for place in (owner._parameters, owner._buffers):
        if name in place:
            before = place[name]
            place[name] = tensor
            return before
    before = getattr(owner, name, _MISSING)
    if before is not _MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(owner, name, tensor)
    elif before is not _MISSING:
        delattr(owner, name)
    return before


@contextmanager
def _reparametrized(
    module: Module, given: dict[str, Tensor], tie_weights: bool, strict: bool
) -> Iterator[None]:
    tensors = _tied(module, given) if tie_weights else given
    if strict:
        _check_names(module, tensors)
    before: dict[str, Any] = {}
    try:
        for path, tensor in tensors.items():
            if not isinstance(tensor, Tensor) and tensor is not None:
                raise TypeError(f"{tensor} is not an instance of torch.Tensor")
            before[path] = _swap(module, path, tensor)
        yield
    finally:
        changed = {path: _swap(module, path, tensor) for path, tensor in before.items()}
        given.update({path: tensor for path, tensor in changed.items() if path in given})


def call(
    module: Module, given: dict[str, Tensor], args: Any, kwargs: dict[str, Any] | None, *,
    tie_weights: bool, strict: bool,
) -> Any:  # fmt: skip
    """Call a module with these tensors in place of its own, which are always restored."""
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrized(module, given, tie_weights, strict):
        return module(*arguments, **(kwargs or {}))


def functional_call(
    module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """torch.func.functional_call under its deprecated name."""
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
