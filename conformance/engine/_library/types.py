"""Schema types, and the conversion of Python values to them (torch: jit/python/pybind_utils.h)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.device import device
from .._c10.dtypes import dtype
from .._c10.errors import MisfitError

_ALIASES = {
    "short": "int16", "int": "int32", "long": "int64", "half": "float16", "float": "float32", "double": "float64",
    "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
SCALAR_TYPES: dict[str, dtype] = {
    **{name: dtypes.by_name(name) for name in dtypes.BY_NAME},
    **{alias: dtypes.by_name(name) for alias, name in _ALIASES.items()},
}  # dtypes by their names in schemas
_NUMBERS = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64",
    9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16",
}  # fmt: skip  # torch's numbers of the dtypes (c10/core/ScalarType.h)


def number_of(kind: dtype) -> int:
    """torch's number of a dtype."""
    return next(number for number, name in _NUMBERS.items() if SCALAR_TYPES[name] is kind)


@dataclass(frozen=True)
class Type:
    """A schema type: a named type, or a list or optional of types."""

    kind: str
    parts: tuple[Type, ...] = ()
    size: int | None = None  # the length of a list that a single value may replace, as in int[2]

    @property
    def tensors(self) -> str:
        """Which tensors it holds: ``one``, ``several`` or none (an empty string)."""
        if self.kind in ("list", "optional"):
            inner = self.parts[0].tensors
            return "several" if inner and self.kind == "list" else inner
        return "one" if self.kind == "Tensor" else ""


def cast(kind: Type, value: Any) -> Any:
    """A Python value converted to the type, as kernels receive it.

    Raises:
        MisfitError: it does not convert to the type.
    """
    if kind.kind == "optional":
        return None if value is None else cast(kind.parts[0], value)
    if kind.kind == "list":
        return _cast_list(kind, value)
    return _CASTS[kind.kind](value)


def _cast_list(kind: Type, value: Any) -> list[Any]:
    (part,) = kind.parts
    if kind.size is not None and isinstance(value, int):
        return [cast(part, value)] * kind.size
    if not isinstance(value, (list, tuple)):
        raise _unable(value)
    if part.kind == "Tensor" and not all(isinstance(each, Tensor) for each in value):
        raise _unable(value)  # also for None
    return [cast(part, each) for each in value]


def _unable(value: Any) -> MisfitError:
    return MisfitError(f"the text of torch.library's error for a {type(value)}")


def _is_single(value: Any) -> bool:
    return isinstance(value, Tensor) and value.numel() == 1


def _to_tensor(value: Any) -> Any:
    if value is not None and not isinstance(value, Tensor):
        raise _unable(value)
    return value


def _to_int(value: Any) -> Any:
    if isinstance(value, int) or _is_single(value):
        return int(value)
    raise _unable(value)


def _to_int_or_dtype(value: Any) -> Any:
    return number_of(value) if isinstance(value, dtype) else _to_int(value)


def _to_float(value: Any) -> Any:
    if isinstance(value, (int, float)) or _is_single(value):
        return float(value)
    raise _unable(value)


def _to_bool(value: Any) -> Any:
    if value is None or isinstance(value, (int, float, complex)) or _is_single(value):
        return bool(value)
    raise _unable(value)


def _to_number(value: Any) -> Any:
    if isinstance(value, dtype):
        return number_of(value)
    if not isinstance(value, (int, float, complex)):
        raise _unable(value)
    return value


def _to_str(value: Any) -> Any:
    if not isinstance(value, str):
        raise _unable(value)
    return value


def _to_dtype(value: Any) -> Any:
    return value if isinstance(value, dtype) else SCALAR_TYPES[_NUMBERS[_to_int(value)]]


def _to_device(value: Any) -> Any:
    if isinstance(value, str):
        return device(value)
    if not isinstance(value, device):
        raise _unable(value)
    return value


_CASTS = {
    "Tensor": _to_tensor,
    "int": _to_int_or_dtype,
    "SymInt": _to_int,
    "float": _to_float,
    "bool": _to_bool,
    "str": _to_str,
    "Scalar": _to_number,
    "ScalarType": _to_dtype,
    "Device": _to_device,
}
KINDS = _CASTS.keys()  # the names of types in schemas
