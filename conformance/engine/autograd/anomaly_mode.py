"""torch.autograd.anomaly_mode."""

from .._c10.modes import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
