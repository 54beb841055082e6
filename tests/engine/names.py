"""torch's public names, as the engine lists them; `python -m tests.engine.names` writes them down."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from conformance.engine import absent

PATH = Path(absent.__file__).with_name("names.txt")
# The modules that the engine has.
MODULES = """
torch torch.accelerator torch.autograd torch.autograd.functional torch.autograd.graph torch.autograd.profiler
torch.backends torch.backends.cuda torch.backends.cudnn torch.backends.mkl torch.backends.mkldnn torch.backends.mps
torch.backends.openmp torch.backends.opt_einsum torch.compiler torch.cpu torch.cuda torch.distributions
torch.distributions.constraints torch.distributions.transforms torch.fft torch.func torch.functional
torch.jit torch.library torch.linalg torch.mps torch.nn torch.nn.attention torch.nn.functional torch.nn.init
torch.nn.utils torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler torch.optim.swa_utils
torch.profiler torch.random torch.signal torch.signal.windows torch.sparse torch.special torch.testing torch.types
torch.utils torch.utils.checkpoint torch.utils.data torch.xpu
"""


def _torchs(value: Any) -> bool:
    """Whether it is torch's own: no number, no text, nothing that a module imported from elsewhere."""
    if isinstance(value, ModuleType):
        return value is not torch and value.__name__.startswith("torch.")
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)):
        return True
    return callable(value) and (getattr(value, "__module__", None) or "torch").startswith("torch")


def text() -> str:
    """A line for each module, and one for Tensor."""
    lines = []
    for path in MODULES.split():
        module = importlib.import_module(path)
        names = [name for name in dir(module) if name[0] != "_" and _torchs(getattr(module, name))]
        lines.append(f"{path}: {' '.join(names)}")
    lines.append(f"Tensor: {' '.join(name for name in dir(torch.Tensor) if name[0] != '_')}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
