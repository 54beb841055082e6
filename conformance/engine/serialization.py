"""torch.save and torch.load: pickles of this engine's tensors (not torch's file format)."""

from __future__ import annotations

import builtins
import contextlib
import os
import pickle
import re
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from ast import literal_eval
from collections.abc import Iterator
from typing import IO, Any, Union

from ._aten import copy_and_pickle, storage
from ._aten.copy_and_pickle import reduce_in_memory
from ._aten.sparse.sparse_array import SparseArray
from ._autograd.tensor import Tensor
from ._c10 import dtypes, layout, pickling
from ._c10.device import device

File = Union[str, "os.PathLike[str]", IO[bytes]]

# The classes and functions allowed with weights_only: tensors, containers, and NumPy's for their arrays.
_WEIGHTS = {
    "collections": {"OrderedDict", "Counter"},
    "builtins": {"set", "complex", "bytearray", "bytes"},
    "numpy": {"ndarray", "dtype"},
    "ml_dtypes": {"bfloat16"},
    "_codecs": {"encode"},
}
for _each in (
    SparseArray,
    copy_and_pickle._rebuild,
    copy_and_pickle._rebuild_in,
    dtypes.by_name,
    layout.by_name,
    pickling.rebuild,
    storage._of_bytes,
    storage._rebuild,
):
    _WEIGHTS.setdefault(_each.__module__, set()).add(_each.__name__)
_SAFE: dict[Any, None] = {}
_NUMPY = {"_reconstruct", "_frombuffer", "scalar"}


def save(
    obj: object,
    f: File,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Pickle an object to a path or file object; tensors that share memory do so again when loaded.

    Raises:
        AttributeError: the argument is not a file.
        RuntimeError: the directory does not exist.
    """
    if isinstance(f, (str, os.PathLike)) and (parent := os.path.dirname(f)) and not os.path.isdir(parent):
        raise RuntimeError(f"Parent directory {parent} does not exist.")
    if not (isinstance(f, (str, os.PathLike)) or hasattr(f, "write")):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    with _opened(f, "wb") as file:
        if pickle_module is pickle:
            _Pickler(file, pickle_protocol).dump(obj)
        else:
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
    """Load a file that ``save`` wrote, by default only tensors and containers, so that no code runs.

    Raises:
        UnpicklingError: the file contains other classes, and ``weights_only`` is not False.
        AttributeError: the argument is not a file.
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "seek"):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is seekable."
            " Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    if not _available(map_location):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on "
            "a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        )
    with _opened(f, "rb") as file:
        if weights_only is False or (weights_only is None and pickle_module is not None):
            return (pickle_module or pickle).load(file, **pickle_load_args)
        return _weights(file, pickle_load_args)


def _weights(file: IO[bytes], options: dict[str, Any]) -> Any:
    """Unpickle with only the allowed classes and functions."""
    try:
        return _WeightsUnpickler(file, **options).load()
    except EOFError:
        raise EOFError from None
    except pickle.UnpicklingError as error:
        found = re.fullmatch("invalid load key, '(.*)'.", str(error))
        if found is None:
            raise
        raise pickle.UnpicklingError(_UNREADABLE.format(ord(literal_eval(f"'{found[1]}'")))) from None


def _available(location: Any) -> bool:
    """Whether tensors can be moved to this location: only to the CPU."""
    return not isinstance(location, (str, device)) or device(location).type != "cuda"


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor) and type(obj).__reduce_ex__ is Tensor.__reduce_ex__:
            return reduce_in_memory(obj)
        return NotImplemented


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Allow classes and functions with ``weights_only``."""
    _SAFE.update(dict.fromkeys(safe_globals))


def get_safe_globals() -> list[Any]:
    """The classes and functions that were allowed with ``weights_only``."""
    return list(_SAFE)


def clear_safe_globals() -> None:
    """Reset to the default: tensors and containers."""
    _SAFE.clear()


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """add_safe_globals within a context."""
    before = get_safe_globals()
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        clear_safe_globals()
        add_safe_globals(before)


_UNREADABLE = (
    "Weights only load failed. In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can "
    "result in arbitrary code execution. Do it only if you got the file from a trusted source.\n"
    "Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: "
    "WeightsUnpickler error: \n\nUnsupported operand {}\n\n"
    "Check the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)
_REFUSED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only "
    "if you trust the source of the checkpoint\x1b[0m. \n"
    "\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source.\n"
    "\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error "
    "message.\n"
    "\tWeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{0}])` or the `torch.serialization.safe_globals([{0}])` context manager to "
    "allowlist this global if you trust this class/function.\n\n"
    "Check the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


class _WeightsUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        # Protocol 2 has Python 2's names for the modules of builtins.
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        for each in _SAFE:
            if (each.__module__, each.__qualname__) == (module, name):
                return each
        if name in _WEIGHTS.get(module, ()) or (module.startswith("numpy.") and name in _NUMPY):
            return super().find_class(module, name)
        if (module, name) == (pickling.__name__, "blank"):
            return self._blank
        raise pickle.UnpicklingError(_REFUSED.format(name if module == "builtins" else f"{module}.{name}"))

    def _blank(self, where: pickling.Place) -> Any:
        """An uninitialized object of an engine class; the program's classes were looked up before."""
        cls = pickling.find(where)
        if cls not in _SAFE:
            raise pickle.UnpicklingError(_REFUSED.format(f"{cls.__module__}.{cls.__qualname__}"))
        return pickling.blank(where)


@contextlib.contextmanager
def _opened(f: File, mode: str) -> Iterator[Any]:
    if not isinstance(f, (str, os.PathLike)):
        yield f
        return
    with builtins.open(f, mode) as file:
        yield file
