"""torch.nn.functional."""

from __future__ import annotations

from ..ops.activation import log_softmax, softmax
from ..ops.matmul import linear
from .functions.activation import relu
from .functions.dropout import (
    alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout,
)  # fmt: skip
from .functions.loss import mse_loss
from .functions.normalization import batch_norm
