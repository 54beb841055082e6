"""Versions of what is computed inside a kernel of a program's own operator.

Note [Writes inside kernels]: torch's kernels of some operations write to their results by operations of their own. As a
rule the counters of versions are off meanwhile; inside a kernel that runs below autograd alone they are not, and a
result begins at a later version.
"""

from __future__ import annotations

from typing import Any

from .._c10.modes import state
from .batched_tensor import flat_values
from .tensor import Tensor
from .views import increment_version


def bump_versions(times: int, result: Any) -> Any:
    """The result of a kernel that writes to it so often, with the version that it has where it was computed."""
    if state.below_autograd:
        for _ in range(times):
            for each in flat_values([result]):
                if isinstance(each, Tensor):
                    increment_version(each)
    return result
