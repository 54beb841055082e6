"""torch.backends: libraries that torch may compute with, none of which this engine has, and the processor.

What a program sets there is remembered, and changes nothing.
"""

from __future__ import annotations

from .._arguments.absent_names import look_up
from . import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]
__getattr__ = look_up("torch.backends")
