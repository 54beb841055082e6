"""torch.dtype, type promotion, torch.finfo and torch.iinfo (torch: c10/core/ScalarType.h, native/TypeProperties.cpp).

Note [Interned dtypes]: numpy dtypes are compared by ``is``, which is faster than ``==``. Arrays from pickle or numpy.load may
have dtypes that are equal to numpy's but other objects: ``with_own_dtype`` replaces them.

Note [bfloat16 has kind V]: numpy's ``dtype.kind`` is b, i, u, f or c. numpy has no bfloat16; that of ml_dtypes has the kind V, like no
other array here. So code for floating-point dtypes checks for "fV". ml_dtypes is imported on first use.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

COMPLEX_HALF = "complex numbers of two halves (torch.complex32)"  # which the engine lacks


class dtype:
    """torch.dtype: each dtype is a singleton, such as ``torch.float32``."""

    __slots__ = ("category", "itemsize", "legacy", "name", "numpy")
    __module__ = "torch"

    def __init__(self, name: str, legacy: str, category: int) -> None:
        self.name = name
        self.legacy = legacy  # the name in error messages and legacy types: torch.FloatTensor, "expected scalar type Float"
        self.category = category  # bool 0 < integer 1 < floating 2 < complex 3
        if name == "bfloat16":
            self.itemsize = 2
        else:
            self.numpy = np.dtype(name)
            self.itemsize = self.numpy.itemsize

    def __getattr__(self, name: str) -> Any:
        """``numpy`` of bfloat16, on first access; see Note [bfloat16 has kind V]."""
        if name != "numpy":
            raise AttributeError(
                f"'{type(self).__module__}.{type(self).__name__}' object has no attribute '{name}'"
            )
        import ml_dtypes  # slow to import

        self.numpy = np.dtype(ml_dtypes.bfloat16)
        BY_NUMPY[self.numpy] = self
        return self.numpy

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOATING

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        return self not in (uint8, uint64, bool_)

    def to_complex(self) -> dtype:
        """torch.dtype.to_complex: the complex dtype whose parts have this dtype.

        Raises:
            RuntimeError: this is bool or an integer dtype.
            NotImplementedError: this is float16.
        """
        if self.category < FLOATING:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.legacy}")
        if self is float16:
            raise NotImplementedError(COMPLEX_HALF)
        return complex128 if self in (float64, complex128) else complex64

    def to_real(self) -> dtype:
        """torch.dtype.to_real: the dtype of the parts of this complex dtype."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return by_name, (self.name,)


BOOLEAN, INTEGER, FLOATING, COMPLEX = range(4)

uint8 = dtype("uint8", "Byte", INTEGER)
int8 = dtype("int8", "Char", INTEGER)
int16 = dtype("int16", "Short", INTEGER)
int32 = dtype("int32", "Int", INTEGER)
int64 = dtype("int64", "Long", INTEGER)
uint64 = dtype("uint64", "UInt64", INTEGER)
float16 = dtype("float16", "Half", FLOATING)
bfloat16 = dtype("bfloat16", "BFloat16", FLOATING)
float32 = dtype("float32", "Float", FLOATING)
float64 = dtype("float64", "Double", FLOATING)
complex64 = dtype("complex64", "ComplexFloat", COMPLEX)
complex128 = dtype("complex128", "ComplexDouble", COMPLEX)
bool_ = dtype("bool", "Bool", BOOLEAN)

ALL = (
    uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128, bool_,
)  # fmt: skip
BY_NAME = {
    each.name: each for each in (*ALL, uint64)
}  # uint64 is not promoted with other integers, and has few operations
BY_NUMPY: dict[np.dtype[Any], dtype] = {each.numpy: each for each in BY_NAME.values() if each is not bfloat16}
# numpy has two 64-bit integers ("long" and "long long"); both are int64 here.
BY_NUMPY[np.dtype(np.longlong)] = int64

F32, F64, I64, BOOL = float32.numpy, float64.numpy, int64.numpy, bool_.numpy
FULL_PRECISION = frozenset((F32, F64))  # a Python number does not change these in type promotion
NUMBERS = frozenset((int, float, complex, bool))  # the types of a Scalar

NAMES_IN_C = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint64": "unsigned long", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


_OF_PYTHON = {complex: "complex128", float: "float64", int: "int64", bool: "bool"}


def parse_dtype(function: str, kind: Any, argument: str = "'dtype'") -> dtype | None:
    """Parse an argument ``dtype``: None, a dtype, or one of the types bool, int, float and complex.

    Args:
        function: the name of the function, for the error.

    Raises:
        TypeError: anything else.
    """
    if kind is None or isinstance(kind, dtype):
        return kind
    if isinstance(kind, type) and kind in _OF_PYTHON:
        return BY_NAME[_OF_PYTHON[kind]]
    raise TypeError(f"{function}(): argument {argument} must be torch.dtype, not {type(kind).__name__}")


def with_own_dtype(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array from outside of the engine with the interned object for its dtype; see Note [Interned dtypes]."""
    kind = BY_NUMPY.get(array.dtype)
    return array if kind is None or array.dtype is kind.numpy else array.view(kind.numpy)


def c_name(kind: np.dtype[Any]) -> str:
    """The C++ name of a dtype in error messages: "expected dtype float for `end`"."""
    return NAMES_IN_C[BY_NUMPY[kind].name]


def is_half(kind: np.dtype[Any]) -> bool:
    """Whether a dtype is float16 or bfloat16, with which torch computes in single precision (at::opmath_type)."""
    return kind.itemsize == 2 and kind.kind in "fV"


def float_limits(kind: np.dtype[Any]) -> Any:
    """numpy.finfo, for bfloat16 as well."""
    if kind.kind != "V":
        return np.finfo(kind)
    import ml_dtypes  # slow to import

    return ml_dtypes.finfo(kind)  # type: ignore[no-untyped-call]


# The names in the error of a number that overflows.
_FIXED_NAMES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
    "uint64": "uint64_t",
}


def number_within(kind: np.dtype[Any], number: Any, name: str | None = None) -> Any:
    """Convert a number to a dtype (torch: c10::checked_convert).

    For an integer dtype it is truncated, and a negative number wraps around if the dtype is unsigned. For other dtypes it is
    only checked; infinity and nan never overflow.

    Raises:
        RuntimeError: it overflows (``name`` is the name of the dtype in the error).
        TypeError: it is not a number; NumPy would convert a text or a list.
    """
    if number.__class__ in (float, int) and -65504 <= number <= 65504 and kind.kind in "fcV":
        return number  # within the range of each of these dtypes
    if not (hasattr(number, "__float__") or hasattr(number, "__complex__")):
        raise TypeError(f"a number is expected, not {type(number).__name__}")
    if isinstance(number, complex) and kind.kind != "c" and not number.imag:
        number = number.real
    if kind.kind in "fcV" and (
        (isinstance(number, complex) and kind.kind != "c")
        or (number.__class__ in NUMBERS and _is_beyond(float(float_limits(kind).max), number))
    ):
        raise RuntimeError(f"value cannot be converted to type {NAMES_IN_C[kind.name]} without overflow")
    if kind.kind not in "iu" or number.__class__ is bool:
        return number
    limits = np.iinfo(kind)
    fits = not isinstance(number, complex) and limits.min <= number <= limits.max  # a nan does not
    if kind.kind == "u" and number.__class__ is int and -limits.max <= number < 0:
        return number + limits.max + 1
    if not fits:
        raise RuntimeError(
            f"value cannot be converted to type {name or _FIXED_NAMES[kind.name]} without overflow"
        )
    return int(number)


def number_in_single(kind: np.dtype[Any], number: Any) -> Any:
    """``number_within`` for a kernel that computes with numbers in single precision where its tensors are halves."""
    return number_within(F32 if is_half(kind) else kind, number)


def _is_beyond(most: float, number: Any) -> bool:
    return any(most < abs(part) < math.inf for part in (number.real, number.imag))


def number_as(kind: np.dtype[Any], number: Any) -> np.ndarray[Any, Any]:
    """A number as a 0-dimensional array of a dtype; float16 and bfloat16 accept the range of float64.

    Raises:
        RuntimeError: it overflows.
    """
    held = F64 if kind.kind in "fV" and kind.itemsize == 2 else kind
    if isinstance(number, complex) and kind.kind not in "cb":
        if number.imag:
            name = _FIXED_NAMES.get(kind.name) or c_name(held)
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")
        number = number.real
    return np.asarray(number_within(held, number)).astype(kind)


def number_to_fill(kind: np.dtype[Any], count: int, number: Any) -> Any:
    """The number that fills ``count`` elements; torch has a kernel for one element, in which a half takes any float64."""
    return number_as(kind, number) if count == 1 and is_half(kind) else number_within(kind, number)


def by_name(name: str) -> dtype:
    """The dtype with this name."""
    return BY_NAME[name]


default = float32  # the default dtype; see set_default_dtype


def set_default_dtype(d: dtype) -> None:
    """torch.set_default_dtype: the dtype of tensors from Python floats.

    Raises:
        TypeError: not a floating-point dtype.
    """
    global default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(
            "only floating-point types are supported as the default type"
            if isinstance(d, dtype)
            else "invalid dtype object: only floating-point types are supported as the default type"
        )
    default = d


def get_default_dtype() -> dtype:
    """torch.get_default_dtype."""
    return default


def of_number(value: object) -> dtype:
    """The dtype of ``torch.tensor(value)`` for a number.

    Raises:
        RuntimeError: a complex number, if the default dtype is bfloat16.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64
    if isinstance(value, (complex, np.complexfloating)):
        if default is bfloat16:
            raise RuntimeError("invalid default scalar type for complex")
        return default.to_complex()
    return default


def promote_types(type1: Any, type2: Any) -> dtype:
    """torch.promote_types: like numpy's, except that an integer never widens a floating-point dtype.

    Raises:
        RuntimeError: uint64 with another integer dtype.
    """
    a, b = type1, type2
    if a.__class__ is type or b.__class__ is type:
        a, b = parse_dtype("promote_types", a), parse_dtype("promote_types", b)
    if a is b:
        return a
    if a.category != b.category and max(a.category, b.category) >= FLOATING:
        wider, other = (a, b) if a.category > b.category else (b, a)
        if wider.category == COMPLEX and other is float64:
            return complex128
        return wider
    if {a, b} == {float16, bfloat16}:  # neither can represent the other's numbers
        return float32
    if uint64 in (a, b):
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {a.legacy} and {b.legacy}"
        )
    return BY_NUMPY[np.promote_types(a.numpy, b.numpy)]


def result_dtype(*operands: Any) -> np.dtype[Any]:
    """The promoted dtype of arrays and numbers (torch: ResultTypeState in native/TypeProperties.cpp).

    Note [Type promotion]: operands have one of three priorities: arrays with dimensions, 0-dimensional arrays, numbers. An
    operand of a lower priority counts only if its category (bool, integer, floating-point, complex) is higher than that of
    all operands of higher priority. Then a Python float has the default dtype; a complex number makes a floating-point dtype
    complex without changing its width.
    """
    best: list[dtype | None] = [None, None, None]
    for value in operands:
        if isinstance(value, np.ndarray):
            rank, kind = (0 if value.ndim else 1), BY_NUMPY[value.dtype]
        else:
            rank, kind = 2, of_number(value)
        known = best[rank]
        best[rank] = kind if known is None else promote_types(known, kind)
    result: dtype | None = None
    for kind_or_none in best:
        if kind_or_none is None:
            continue
        if result is None:
            result = kind_or_none
        elif kind_or_none.category > result.category:
            parts = result.category == FLOATING
            result = result.to_complex() if parts else promote_types(kind_or_none, result)
    assert result is not None
    return result.numpy


def result_type(tensor: Any, other: Any) -> dtype:
    """torch.result_type: the promoted dtype of two tensors or numbers."""
    return BY_NUMPY[result_dtype(*(getattr(each, "_array", each) for each in (tensor, other)))]


def can_cast(from_: Any, to: Any) -> bool:
    """torch.can_cast: whether the result of an in-place operation may be cast to the other dtype."""
    if from_.__class__ is type or to.__class__ is type:
        from_, to = parse_dtype("can_cast", from_), parse_dtype("can_cast", to)
    if from_.is_complex and not to.is_complex:
        return False
    if from_.category >= FLOATING and to.category < FLOATING:
        return False
    return not (to is bool_ and from_ is not bool_)


class _Limits:
    """The base class of finfo and iinfo; equal for equal dtypes."""

    dtype: str

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.dtype == other.dtype

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: 'torch.{type(self).__name__}'")


class finfo(_Limits):
    """torch.finfo: the limits of a floating-point dtype.

    Raises:
        TypeError: of another type.
    """

    __module__ = "torch"

    def __init__(self, type: Any = None) -> None:
        given = parse_dtype("finfo", type, "'type' (position 1)") or default
        if given.category < FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        given = given.to_real()
        self.dtype = given.name
        info = float_limits(given.numpy)
        self.bits = int(info.bits)
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = 10.0**-info.precision

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in names)}, dtype={self.dtype})"


class iinfo(_Limits):
    """torch.iinfo: the limits of an integer dtype.

    Raises:
        TypeError: of another type.
    """

    __module__ = "torch"

    def __init__(self, type: Any) -> None:
        kind = parse_dtype("iinfo", type, "'type' (position 1)")
        if kind is None or kind.category >= FLOATING:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            )
        if kind is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        info = np.iinfo(kind.numpy)
        self.dtype, self.bits, self.max, self.min = kind.name, int(info.bits), int(info.max), int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
