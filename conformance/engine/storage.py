"""torch's storages: the memory of a tensor and its views, untyped and typed (torch: torch/storage.py)."""

from ._aten.storage import (
    Storage,
    TypedStorage,
    UntypedStorage,
    _warn_typed_storage_removal,
)
