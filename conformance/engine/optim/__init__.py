"""torch.optim: optimizers and learning-rate schedules."""

from . import lr_scheduler
from .descent import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, RMSprop
from .lbfgs import LBFGS
from .optimizer import Optimizer

__all__ = [
    "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Optimizer", "RMSprop", "lr_scheduler",
]  # fmt: skip
