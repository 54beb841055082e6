"""The versions of results that are computed inside a kernel of a custom operator.

Note [Version bumps inside kernels]: torch's kernels of some operations write to their results with other operations in place.
Usually version counters do not change there. But inside a kernel that runs below autograd only (AutoDispatchBelowAutograd)
they do, so that a result starts with a version greater than 0.
"""

from __future__ import annotations

from typing import Any

from .._c10.modes import state
from .batched_tensor import flat_values
from .tensor import Tensor
from .views import increment_version


def bump_versions(times: int, result: Any) -> Any:
    """The result of an operation whose kernel writes to it this often; below autograd its version counts that."""
    if state.below_autograd:
        for _ in range(times):
            for each in flat_values([result]):
                if isinstance(each, Tensor):
                    increment_version(each)
    return result
