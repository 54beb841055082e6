"""torch.utils.dlpack: memory shared with other libraries."""

from ..exchange import DLDeviceType, from_dlpack, to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
