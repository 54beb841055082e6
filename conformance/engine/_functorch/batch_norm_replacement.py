"""Batch normalization without running statistics, which vmap cannot update (torch: batch_norm_replacement.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..nn.modules.batchnorm import _BatchNorm

if TYPE_CHECKING:
    from ..nn import Module


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Remove the running statistics from a module's batch normalizations, in place, and return the module."""
    for each in root.modules():
        if isinstance(each, _BatchNorm) and each.track_running_stats:
            each.running_mean = each.running_var = each.num_batches_tracked = None
            each.track_running_stats = False
    return root
