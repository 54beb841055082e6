"""torch._standard_gamma and torch._sample_dirichlet, with their derivatives (torch: native/Distributions.cpp)."""

from __future__ import annotations

from typing import Any

from .._aten.kernels import need_floats
from .._aten.random import distribution_kernels
from .._aten.random.random import default_generator
from .._aten.registry import Array, op
from .._autograd.tensor import Tensor
from .._autograd.undefined_gradient import undefined, unsupported
from .._c10 import dtypes
from .._c10.errors import unimplemented
from . import gamma_gradients


@op("StandardGammaGradBackward0", name="_standard_gamma_grad", self=undefined("_standard_gamma_grad"))
def _standard_gamma_grad(self: Array, output: Tensor) -> Array:
    return gamma_gradients.of_gamma(self, output._array)


@op(
    "StandardGammaBackward0",
    name="_standard_gamma",
    jvp="not_implemented",
    self=lambda grad, self, result: grad * _standard_gamma_grad(self, result),
)
def _standard_gamma(self: Array, generator: Any = None) -> Array:
    return distribution_kernels.gamma(default_generator if generator is None else generator, self)


@op("NotImplemented", name="_sample_dirichlet", self=unsupported("_sample_dirichlet"))
def _sample_dirichlet(self: Array, generator: Any = None) -> Array:
    return draw_dirichlet(self, generator)


def draw_dirichlet(concentration: Array, generator: Any = None) -> Array:
    """Samples of Dirichlet distributions with the shape of the concentrations."""
    need_floats("dirichlet", concentration)
    if dtypes.is_half(concentration.dtype):
        raise unimplemented("dirichlet", concentration.dtype)
    return distribution_kernels.dirichlet(
        default_generator if generator is None else generator, concentration
    )
