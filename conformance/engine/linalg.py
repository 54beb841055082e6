"""torch.linalg."""

from ._arguments.absent_names import look_up
from ._aten.linalg.functions import *
from ._aten.linalg.functions import __all__

__all__ = list(__all__)
__getattr__ = look_up("torch.linalg")
