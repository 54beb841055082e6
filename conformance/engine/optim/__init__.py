"""torch.optim: optimizers and learning-rate schedules."""

from importlib import import_module
from typing import Any

from ..absent import look_up
from ..module_names import stand_in
from . import lr_scheduler
from .adafactor import Adafactor
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .descent import ASGD, SGD, Adadelta, Adagrad, RMSprop, Rprop
from .lbfgs import LBFGS
from .optimizer import Optimizer

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop",
    "Rprop", "lr_scheduler",
]  # fmt: skip

stand_in(globals())
Adafactor.__module__ = "torch.optim"  # torch shows the class there, and has it in optim._adafactor as well
_look_up = look_up("torch.optim")
_LATER = {"Muon": "muon", "SparseAdam": "sparse"}  # what few programs ask for, by module
__all__ += ["Muon", "SparseAdam"]


def __getattr__(name: str) -> Any:
    if name == "swa_utils":
        return import_module(f"{__name__}.{name}")
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return _look_up(name)
