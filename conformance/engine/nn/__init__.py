"""torch.nn: modules, parameters and functions."""

from .._arguments.absent_names import look_up
from . import attention, functional, grad, init, modules, parallel, parameter, utils
from .modules import *
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__getattr__ = look_up("torch.nn")
