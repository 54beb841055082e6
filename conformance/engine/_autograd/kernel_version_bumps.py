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

# How often the kernel of an operation increments the version of its result.
_BUMPS = {
    **dict.fromkeys(
        ["clone", "_to_copy", "sum", "sum_dim", "nansum", "max", "min", "amax", "amin", "any", "all"], 1
    ),
    **dict.fromkeys(["prod", "prod_dim", "abs", "sort", "sort_stable", "logsumexp", "kthvalue"], 1),
    **dict.fromkeys(["mean", "mean_dim", "max_dim", "min_dim", "masked_fill", "diag_embed", "index_add"], 2),
    **dict.fromkeys(["scatter", "scatter_value", "addmm", "mv", "dot", "logical_not"], 1),
}


def bump_versions(row: str, result: Any) -> Any:
    """The result of an operation; below autograd with its version incremented."""
    if state.below_autograd:
        for _ in range(_BUMPS.get(row, 0)):
            for each in flat_values([result]):
                if isinstance(each, Tensor):
                    increment_version(each)
    return result
