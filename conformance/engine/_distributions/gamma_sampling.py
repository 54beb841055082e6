"""torch._standard_gamma and torch._sample_dirichlet, with their derivatives (torch: native/Distributions.cpp)."""

from __future__ import annotations

from typing import Any

from .. import draws, dtypes
from ..errors import unimplemented
from ..ops.kernels import need_floats
from ..ops.undefined import undefined, unsupported
from ..random import default_generator
from ..rows import Array, op
from ..tensor import Tensor
from . import gamma_gradients


@op("StandardGammaGradBackward0", name="_standard_gamma_grad", self=undefined("_standard_gamma_grad"))
def _standard_gamma_grad(self: Array, output: Tensor) -> Array:
    return gamma_gradients.of_gamma(self, output._array)


@op(
    "StandardGammaBackward0",
    name="_standard_gamma",
    self=lambda grad, self, result: grad * _standard_gamma_grad(self, result),
)
def _standard_gamma(self: Array, generator: Any = None) -> Array:
    return draws.gamma(default_generator if generator is None else generator, self)


@op("NotImplemented", name="_sample_dirichlet", self=unsupported("_sample_dirichlet"))
def _sample_dirichlet(self: Array, generator: Any = None) -> Array:
    return draw_dirichlet(self, generator)


def draw_dirichlet(concentration: Array, generator: Any = None) -> Array:
    need_floats("dirichlet", concentration)
    if dtypes.is_half(concentration.dtype):
        raise unimplemented("dirichlet", concentration.dtype)
    return draws.dirichlet(default_generator if generator is None else generator, concentration)
