"""torch.nn.utils.prune: parameters multiplied by masks (torch: nn/utils/prune.py).

A pruned ``weight`` consists of the parameter ``weight_orig`` and the buffer ``weight_mask``; the pruning method is a
forward pre-hook, which sets ``weight`` to their product before each call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any

from ..._aten.creation.factories import ones_like, zeros_like
from ..._aten.random.random import rand, rand_like
from ..._autograd.tensor import Tensor
from .convert_parameters import parameters_to_vector


class BasePruningMethod(ABC):
    """The base class of pruning methods, which compute the mask."""

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask, 1 for elements to keep; ``t`` has importance scores, ``default_mask`` the earlier pruning."""

    def apply_mask(self, module: Any) -> Any:
        """The parameter times its mask."""
        mask, orig = (
            getattr(module, self._tensor_name + "_mask"),
            getattr(module, self._tensor_name + "_orig"),
        )
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> Any:
        """Prune a parameter of a module, on top of earlier pruning.

        Raises:
            AssertionError: the scores have another shape.
        """
        method = _following(cls(*args, **kwargs), module, name)
        orig = getattr(module, name)
        if importance_scores is None:
            importance_scores = orig
        elif importance_scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {orig.shape}"
            )
        first = not isinstance(method, PruningContainer)
        if first:
            module.register_parameter(name + "_orig", orig)
            del module._parameters[name]
            mask = ones_like(orig)
        else:
            mask = getattr(module, name + "_mask").detach().clone()
        try:
            module.register_buffer(name + "_mask", method.compute_mask(importance_scores, default_mask=mask))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """Prune a tensor by its elements or by scores, without a module."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=mask)

    def remove(self, module: Any) -> None:
        """Make the pruned tensor a parameter again."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        orig = module._parameters.pop(name + "_orig")
        orig.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, orig)


def _following(method: BasePruningMethod, module: Any, name: str) -> BasePruningMethod:
    """The method, or a container of the earlier methods and this one."""
    hooks = module._forward_pre_hooks
    earlier = {key: hook for key, hook in hooks.items() if _prunes(hook, name)}
    if len(earlier) > 1:
        raise AssertionError(
            f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
        )
    method._tensor_name = name
    for key, found in earlier.items():
        del hooks[key]
        container = found if isinstance(found, PruningContainer) else PruningContainer(found)
        container.add_pruning_method(method)
        return container
    return method


def _prunes(hook: Any, name: str) -> bool:
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


class PruningContainer(BasePruningMethod):
    """A sequence of pruning methods, each applied to elements that are not pruned yet."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Append a method for the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        left = _left(method, t, default_mask)
        found = method.compute_mask(t[left], default_mask=default_mask[left])
        if mask is default_mask and method.PRUNING_TYPE != "global":
            mask = mask.clone()
        mask[left] = found.to(dtype=mask.dtype)
        return mask


def _left(method: Any, t: Tensor, mask: Tensor) -> Any:
    """The index of the elements that are not pruned yet."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    index: list[Any] = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        dim = method.dim + t.dim() if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
        index[dim] = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(index)


class Identity(BasePruningMethod):
    """Prunes nothing, but creates the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class _Amount(BasePruningMethod):
    """Prunes a number of elements or slices, or a fraction of them."""

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount: Any = amount

    def _count(self, size: int) -> int:
        count = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(count, size)
        return count


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, Integral) and float(amount) > 1):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, Integral) and amount > tensor_size:  # type: ignore[operator]
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}"
        )


def _validate_structured_pruning(t: Tensor) -> None:
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    """The norms of the slices along a dimension."""
    others = list(range(t.dim()))
    del others[dim]
    return t.norm(p=n, dim=others)


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    return amount if isinstance(amount, Integral) else round(amount * tensor_size)  # type: ignore[return-value]


class RandomUnstructured(_Amount):
    """Prunes elements at random."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[rand_like(t).view(-1).topk(k=count).indices] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the smallest elements."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[t.abs().view(-1).topk(k=count, largest=False).indices] = 0
        return mask


class _Slices(_Amount):
    """Prunes whole slices of one dimension."""

    PRUNING_TYPE = "structured"
    dim: int

    def _slices(self, t: Tensor) -> tuple[int, int]:
        """The number of slices, and the number to prune."""
        _validate_structured_pruning(t)
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        return size, self._count(size)

    def _keep(self, t: Tensor, kept: Tensor, default_mask: Tensor) -> Tensor:
        mask = zeros_like(t)
        index: list[Any] = [slice(None)] * t.dim()
        index[self.dim] = kept
        mask[tuple(index)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask


class RandomStructured(_Slices):
    """Prunes slices at random."""

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        size, count = self._slices(t)
        if not count:
            return default_mask
        draws = rand(size)
        return self._keep(t, draws > draws.kthvalue(k=count).values, default_mask)


class LnStructured(_Slices):
    """Prunes the slices of the smallest norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        size, count = self._slices(t)
        largest = _compute_norm(t, self.n, self.dim).topk(k=size - count, largest=True)
        return self._keep(t, largest.indices, default_mask) if count else default_mask


class CustomFromMask(BasePruningMethod):
    """Prunes where a given mask is 0."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Any, name: str) -> Any:
    """Give a parameter a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Prune a number, or a fraction, of a parameter's elements at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Tensor | None = None) -> Any:
    """Prune a number, or a fraction, of a parameter's smallest elements."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prune slices of a dimension at random."""
    RandomStructured.apply(module, name, amount, dim=dim)
    return module


def ln_structured(
    module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Prune the slices of a dimension that have the smallest norm."""
    LnStructured.apply(module, name, amount, n, dim=dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: type[BasePruningMethod], importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune several parameters, ``(module, name)`` each, as if they were one.

    Raises:
        TypeError: the parameters are not iterable, the scores are not a dictionary, or the method is structured.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    places = list(parameters)
    together = parameters_to_vector([scores.get(place, getattr(*place)) for place in places])
    masks = [getattr(module, name + "_mask", ones_like(getattr(module, name))) for module, name in places]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of type '
            f"{method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    mask = PruningContainer(method).compute_mask(together, parameters_to_vector(masks))
    at = 0
    for module, name in places:
        parameter = getattr(module, name)
        custom_from_mask(module, name, mask=mask[at : at + parameter.numel()].view_as(parameter))
        at += parameter.numel()


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prune a parameter where the mask is 0."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Any, name: str) -> Any:
    """Make pruning permanent: the parameter is regular again, with zeros where it was pruned.

    Raises:
        ValueError: it is not pruned.
    """
    for key, hook in module._forward_pre_hooks.items():
        if _prunes(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether the module or a submodule is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for below in module.modules()
        for hook in below._forward_pre_hooks.values()
    )


for _class in [*vars().values()]:
    if isinstance(_class, type) and issubclass(_class, BasePruningMethod):
        _class.__module__ = "torch.nn.utils.prune"
