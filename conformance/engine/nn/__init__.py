"""torch.nn: modules, parameters and functions."""

from ..absent import look_up
from . import functional, functions, init, modules, parameter, utils
from .modules import *
from .parameter import Buffer, Parameter

__getattr__ = look_up("torch.nn")
