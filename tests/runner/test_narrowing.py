"""A number that a narrower dtype wraps around, or cannot hold, differs because of the dtype."""

from __future__ import annotations

import pytest

from conformance.runner.narrowing import is_narrowed


@pytest.mark.parametrize(
    ("one", "dtype", "other", "other_dtype", "narrowed"),
    [
        ("[300, 2]", "int64", "[44, 2]", "uint8", True),
        ("[200]", "int64", "[-56]", "int8", True),
        ("[200]", "int64", "[56]", "int8", False),
        ("[-1]", "int8", "[255]", "uint8", True),
        ("[70000.0]", "float32", "[inf]", "float16", True),
        ("[-70000.0]", "float32", "[-inf]", "float16", True),
        ("[1e+39]", "float64", "[inf]", "float32", True),
        ("[7000.0]", "float32", "[inf]", "float16", False),
        ("[2.5, -2.5]", "float32", "[2, -2]", "int64", True),
        ("[2.5]", "float32", "[3]", "int64", False),
        ("[3, 0]", "int64", "[True, False]", "bool", True),
        ("[3]", "int64", "[False]", "bool", False),
        ("[inf]", "float32", "[-9223372036854775808]", "int64", True),
        ("[(1e+39+1j)]", "complex128", "[(inf+1j)]", "complex64", True),
        ("[1.00390625]", "float32", "[1.0]", "bfloat16", True),
        ("[1.0]", "float32", "[2.0]", "float32", False),
        ("[1.0]", "float32", "[[1.0]]", "float16", False),
        ("[1.0]", "float32", "[2.0]", "f4", False),
        ("'x'", None, "'y'", "float32", False),
    ],
)
def test_is_narrowed(one: str, dtype: str | None, other: str, other_dtype: str, narrowed: bool) -> None:
    """Whichever side has the narrower dtype."""
    assert is_narrowed(one, dtype, other, other_dtype) is narrowed
    assert is_narrowed(other, other_dtype, one, dtype) is narrowed
