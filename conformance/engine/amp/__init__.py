"""torch.amp: autocast and GradScaler."""

from .._arguments.absent_names import look_up
from .autocast_mode import (
    autocast,
    custom_bwd,
    custom_fwd,
    is_autocast_available,
)
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__ = look_up("torch.amp")
