"""fractional_max_pool2d and fractional_max_pool3d: pooling over random windows (torch: nn/functional.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._aten.nn.convolution import full
from .._aten.nn.fractional_pooling import FRACTIONAL
from .._aten.random.random import rand
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .pooling import as_setting, with_indices


def _pool(spatial: int) -> Callable[..., Any]:
    name = f"fractional_max_pool{spatial}d"

    @composite(vmap="decompose")
    def function(
        input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Tensor | None = None,
    ) -> Any:  # fmt: skip
        """The largest element of each of as many windows as are asked for, at random steps."""
        if output_size is None:
            if spatial == 3 and not isinstance(output_ratio, Iterable):
                output_ratio = (output_ratio,) * spatial
            need_fitting(spatial == 3 or len(output_ratio) <= 2, name)  # 3d ignores what is too much
            output_size = [int(input.size(axis - spatial) * output_ratio[axis]) for axis in range(spatial)]
        if _random_samples is None:
            batch = 1 if input.dim() == spatial + 1 else input.size(0)
            _random_samples = rand(batch, input.size(-spatial - 1), spatial, dtype=input.dtype)
        found = FRACTIONAL[spatial](
            input,
            full(as_setting(name, kernel_size, spatial), spatial),
            full(as_setting(name, output_size, spatial), spatial),
            _random_samples,
        )
        return tuple(found) if return_indices else found[0]

    function.__name__, function.__qualname__ = name, f"_{name}"  # the name in errors about missing arguments
    return function


fractional_max_pool2d, fractional_max_pool3d = map(_pool, (2, 3))
fractional_max_pool2d_with_indices, fractional_max_pool3d_with_indices = map(
    with_indices, (fractional_max_pool2d, fractional_max_pool3d)
)
