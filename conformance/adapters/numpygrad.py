"""numpygrad, which has some of torch's names for NumPy's functions; it claims only values.

Arrays that require grad have a gradient of zeros before any pass.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpygrad

from conformance.adapters.module import ModuleEngine

torch: Any = SimpleNamespace(**{name: getattr(numpygrad, name) for name in numpygrad.__all__})
torch.Tensor = torch.tensor = numpygrad.array
torch.grads_start_as_zeros = True
engine = ModuleEngine("numpygrad", torch, version=numpygrad.__version__, claims=("values",))
