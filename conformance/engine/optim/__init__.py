"""torch.optim: optimizers and learning-rate schedules."""

from ..absent import look_up
from . import lr_scheduler
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .descent import ASGD, SGD, Adadelta, Adagrad, RMSprop, Rprop
from .lbfgs import LBFGS
from .optimizer import Optimizer

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop",
    "Rprop", "lr_scheduler",
]  # fmt: skip

__getattr__ = look_up("torch.optim")
