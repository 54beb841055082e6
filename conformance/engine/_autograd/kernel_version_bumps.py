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

# How often the kernel of a row writes to its result.
_BUMPS = {
    **dict.fromkeys(
        ["clone", "_to_copy", "sum", "sum_dim", "nansum", "max", "min", "amax", "amin", "any", "all"], 1
    ),
    **dict.fromkeys(["prod", "prod_dim", "abs", "sort", "sort_stable", "logsumexp", "kthvalue"], 1),
    **dict.fromkeys(["mean", "mean_dim", "max_dim", "min_dim", "masked_fill", "diag_embed", "index_add"], 2),
    **dict.fromkeys(["scatter", "scatter_value", "addmm", "mv", "dot", "logical_not"], 1),
}


def bump_versions(row: str, result: Any) -> Any:
    """The result of a row, with the version that it has where it was computed."""
    if state.below_autograd:
        for _ in range(_BUMPS.get(row, 0)):
            for each in flat_values([result]):
                if isinstance(each, Tensor):
                    increment_version(each)
    return result
