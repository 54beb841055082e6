"""torch.nn: modules, parameters and functions."""

from . import functional, functions, init, modules, parameter, utils
from .modules import *
from .parameter import Buffer, Parameter
