"""torch.utils.dlpack: tensors that share memory with other libraries."""

from .._aten.dlpack import DLDeviceType, from_dlpack, to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
