"""torch.nn: modules, parameters and functions."""

from . import functional, init, modules, parameter
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter
