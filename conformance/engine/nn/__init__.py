"""torch.nn: modules, parameters and functions."""

from ..absent import look_up
from . import attention, functional, functions, grad, init, modules, parallel, parameter, utils
from .modules import *
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__getattr__ = look_up("torch.nn")
