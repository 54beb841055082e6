"""torch.backends: settings of libraries that torch uses and this engine does not have, and of the CPU.

Settings are stored and have no effect.
"""

from __future__ import annotations

from .._arguments.absent_names import look_up
from . import cuda, cudnn, mps, opt_einsum

__all__ = ["cuda", "cudnn", "mps", "opt_einsum"]
__getattr__ = look_up("torch.backends")
