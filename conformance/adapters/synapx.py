"""synapx, which has torch's names: a tape of its own in C++, whose kernels are those of libtorch 2.7.

Its functions that create tensors take a sequence of sizes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import synapx
from synapx import Tensor

from conformance.adapters.module import ModuleEngine

Tensor.tolist = lambda self: self.detach().torch().tolist()


def _creating(make: Callable[..., Any]) -> Callable[..., Any]:
    def creating(*sizes: Any, **named: Any) -> Any:
        return make(sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes, **named)

    return creating


torch: Any = SimpleNamespace(**vars(synapx))
for _name in ("ones", "zeros", "empty", "rand", "randn"):
    setattr(torch, _name, _creating(getattr(synapx, _name)))
del torch.torch  # libtorch's own, which synapx imports
engine = ModuleEngine(
    "synapx", torch, version=synapx.__version__, claims=("values", "dtypes", "flags", "errors")
)
