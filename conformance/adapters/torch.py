"""The reference. The only file of the suite that imports torch."""

from __future__ import annotations

import warnings
from typing import Any

import torch
import torch.autograd.forward_ad
import torch.library
import torch.nn.utils.prune
import torch.optim.lr_scheduler

from conformance.adapters.guards import guard
from conformance.adapters.module import ZeroTensorEngine

_load_decompositions: Any = torch.autograd.forward_ad._maybe_load_decompositions


def _load_decompositions_quietly() -> None:
    """Import the module of torch's first dual tensor quietly: it warns once, which would be in one scenario."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _load_decompositions()


torch.autograd.forward_ad._maybe_load_decompositions = _load_decompositions_quietly


engine = ZeroTensorEngine("torch", torch)
engine.says_what_draws = True

guard(torch, torch.optim.lr_scheduler)
