"""torch.save and torch.load: pickles of this engine's tensors (not torch's file format)."""

from __future__ import annotations

import builtins
import contextlib
import os
import pickle
from collections.abc import Iterator
from typing import IO, Any, Union

File = Union[str, "os.PathLike[str]", IO[bytes]]

# What a file of weights alone may name: tensors, what holds them, and what numpy needs for their arrays.
_ENGINE = __name__.rpartition(".")[0]
_WEIGHTS = {
    "collections": {"OrderedDict", "defaultdict"},
    "builtins": {"dict", "list", "tuple", "set", "complex", "bytearray", "slice"},
    "numpy": {"ndarray", "dtype"},
    "_codecs": {"encode"},
    f"{_ENGINE}.copies": {"_rebuild"},
    f"{_ENGINE}.pickling": {"rebuild"},
    f"{_ENGINE}.dtypes": {"by_name"},
}
_NUMPY = {"_reconstruct", "_frombuffer", "scalar"}


def save(
    obj: object,
    f: File,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object to a file, or to what has been opened as one."""
    with _opened(f, "wb") as file:
        pickle_module.dump(obj, file, pickle_protocol)


def load(
    f: File,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what ``save`` wrote; by default tensors and what holds them, and nothing that could run code.

    Raises:
        UnpicklingError: something else is in it, and ``weights_only`` is not off.
    """
    with _opened(f, "rb") as file:
        if weights_only is False:
            return (pickle_module or pickle).load(file, **pickle_load_args)
        return _WeightsUnpickler(file, **pickle_load_args).load()


class _WeightsUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in _WEIGHTS.get(module, ()) or (module.startswith("numpy.") and name in _NUMPY):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            "Weights only load failed. WeightsUnpickler error: Unsupported global: GLOBAL "
            f"{module}.{name} was not an allowed global by default. Re-running `torch.load` with `weights_only` set to "
            "`False` will likely succeed, but it can result in arbitrary code execution. Do it only if you got the "
            "file from a trusted source."
        )


@contextlib.contextmanager
def _opened(f: File, mode: str) -> Iterator[Any]:
    if not isinstance(f, (str, os.PathLike)):
        yield f
        return
    with builtins.open(f, mode) as file:
        yield file
