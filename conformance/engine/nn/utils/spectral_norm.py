"""torch.nn.utils.spectral_norm: a forward pre-hook that divides a weight by its largest singular value."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10 import errors
from ..._c10.modes import no_grad
from ..._nn.distance import normalize
from ..._nn.parameter import Parameter, is_lazy
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]

_TRANSPOSED = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The weight as a matrix, whose rows are along one dimension."""
    if dim != 0:
        weight = weight.permute(dim, *(each for each in range(weight.dim()) if each != dim))
    return weight.reshape(weight.size(0), -1)


def dim_of_outputs(module: Module, dim: int | None) -> int:
    """The output dimension of a module's weight."""
    return (1 if isinstance(module, _TRANSPOSED) else 0) if dim is None else dim


def check_iterations(count: int) -> None:
    """Raise an error unless the number of iterations is positive.

    Raises:
        ValueError: with torch's message.
    """
    if count <= 0:
        raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={count}")


class SpectralNorm:
    """The forward pre-hook."""

    __module__ = "torch.nn.utils.spectral_norm"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        check_iterations(n_power_iterations)
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight divided by its largest singular value, which power iterations estimate."""
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v = normalize(matrix.t().mv(u), dim=0, eps=self.eps, out=v)
                    u = normalize(matrix.mv(v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(), v.clone()
        found: Tensor = weight / u.dot(matrix.mv(v))
        return found

    def remove(self, module: Module) -> None:
        """Make the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for name in (self.name, *(f"{self.name}_{part}" for part in ("u", "v", "orig"))):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Replace a parameter by ``weight_orig`` and buffers with estimates of the singular vectors.

        Raises:
            RuntimeError: it was done already.
            ValueError: the parameter is None.
        """
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(errors.UNINITIALIZED_NORM.format("SpectralNorm", "spectral"))
        with no_grad():
            height, width = as_matrix(weight, dim).size()
            u = normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
            v = normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(hook)
        return hook


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a parameter by its largest singular value before each call.

    Raises:
        RuntimeError: it was done already.
        ValueError: the number of iterations is not positive, or the parameter is None.
    """
    SpectralNorm.apply(module, name, n_power_iterations, dim_of_outputs(module, dim), eps)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a regular parameter again.

    Raises:
        ValueError: the parameter has no such hook.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
