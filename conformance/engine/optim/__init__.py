"""torch.optim: optimizers and learning rate schedulers."""

from importlib import import_module
from typing import Any

from .._arguments.absent_names import look_up
from . import lr_scheduler
from ._adafactor import Adafactor
from .adadelta import Adadelta
from .adagrad import Adagrad
from .adam import Adam
from .adamax import Adamax
from .adamw import AdamW
from .asgd import ASGD
from .lbfgs import LBFGS
from .nadam import NAdam
from .optimizer import Optimizer
from .radam import RAdam
from .rmsprop import RMSprop
from .rprop import Rprop
from .sgd import SGD

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop",
    "Rprop", "lr_scheduler",
]  # fmt: skip

Adafactor.__module__ = "torch.optim"  # the module of the class in torch
_look_up = look_up("torch.optim")
_LATER = {"Muon": "_muon", "SparseAdam": "sparse_adam"}  # classes that are imported on first use, by module
__all__ += ["Muon", "SparseAdam"]


def __getattr__(name: str) -> Any:
    if name == "swa_utils":
        return import_module(f"{__name__}.{name}")
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return _look_up(name)
