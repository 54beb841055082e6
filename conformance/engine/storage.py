"""torch's storages: the memory under a tensor and its views, as bytes and as numbers (torch: torch/storage.py)."""

from ._aten.storage import (
    Storage,
    TypedStorage,
    UntypedStorage,
    _warn_typed_storage_removal,
)
