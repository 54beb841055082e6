"""torch.distributions.biject_to and transform_to: transforms from real numbers to a constraint (torch:
distributions/constraint_registry.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, transforms
from .utils import NUMBER

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Any]


class ConstraintRegistry:
    """Maps a constraint to the transform that is registered for its class."""

    __module__ = "torch.distributions.constraint_registry"

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Register a function from constraints to transforms for a constraint's class; also a decorator.

        Raises:
            TypeError: the argument is neither a constraint nor a class of constraints.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not (isinstance(constraint, type) and issubclass(constraint, constraints.Constraint)):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()
"""The registries of bijective transforms, and of arbitrary ones."""
_BOTH = biject_to, transform_to


def _for(registries: tuple[ConstraintRegistry, ...], *kinds: Any) -> Callable[[Factory], Factory]:
    def decorator(factory: Factory) -> Factory:
        for registry in registries:
            for kind in kinds:
                registry.register(kind, factory)
        return factory

    return decorator


@_for(_BOTH, constraints.real)
def _real(constraint: Any) -> Any:
    return transforms.identity_transform


@_for(_BOTH, constraints.positive, constraints.nonnegative)
def _positive(constraint: Any) -> Any:
    return transforms.ExpTransform()


@_for(_BOTH, constraints.greater_than, constraints.greater_than_eq)
def _above(constraint: Any) -> Any:
    shift = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


@_for(_BOTH, constraints.less_than)
def _below(constraint: Any) -> Any:
    turn = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), turn])


@_for(_BOTH, constraints.interval)
def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    squashed = transforms.SigmoidTransform()
    if isinstance(low, NUMBER) and isinstance(high, NUMBER) and (low, high) == (0, 1):
        return squashed
    return transforms.ComposeTransform([squashed, transforms.AffineTransform(low, high - low)])


@_for((biject_to,), constraints.simplex)
def _broken_stick(constraint: Any) -> Any:
    return transforms.StickBreakingTransform()


@_for((transform_to,), constraints.simplex)
def _softmax(constraint: Any) -> Any:
    return transforms.SoftmaxTransform()


def _register_joined(registry: ConstraintRegistry) -> None:
    """Register transforms of composed constraints, whose parts use the same registry."""

    @_for((registry,), constraints.independent)
    def independent(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)


for _registry in _BOTH:
    _register_joined(_registry)
