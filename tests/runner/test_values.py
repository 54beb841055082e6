"""How near two texts of numbers are, and what an author wrote against what was observed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.language.scenario import Tolerance
from conformance.runner.paths import plain
from conformance.runner.values import (
    EXACT,
    Bounds,
    bounds,
    close,
    differs_in_last_digits,
    holds,
    parsed,
    shortened,
    texts_close,
    types_differ,
    within_rounding,
)
from tests.runner.make import torch_engine

torch = torch_engine.torch


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int64"]
)
def test_bounds_are_those_of_assert_close(dtype: str) -> None:
    """As live torch has them."""
    default = torch.testing._comparison.default_tolerances(getattr(torch, dtype))
    assert bounds(dtype, None)[:2] == default


def test_a_scenarios_tolerance_goes_before() -> None:
    """Whatever the dtype."""
    assert bounds("float32", Tolerance(0.5, 0.25, ""), "float16") == (0.5, 0.25, False)
    assert bounds("float16", Tolerance(0, 0, "exact")) == EXACT


def test_of_two_dtypes_the_coarser_one_decides() -> None:
    """An integer is exact, unless the other one is not an integer."""
    assert bounds("float64", None, "float32") == bounds("float32", None, "float64") == bounds("float32", None)
    assert bounds("int64", None, "float32") == bounds("float32", None)
    assert bounds("int64", None, "int32") == Bounds()


@pytest.mark.parametrize(
    ("one", "other", "dtype", "same"),
    [
        ("[1.0, 2.0]", "[1.0, 2.000001]", "float32", True),
        ("[1.0, 2.0]", "[1.0, 2.001]", "float32", False),
        ("[1.0, 2.0]", "[1.0, 2.000001]", "float64", False),
        ("[nan, inf]", "[nan, inf]", "float32", True),
        ("nan", "1.0", "float32", False),
        ("inf", "-inf", "float32", False),
        ("inf", "3e+38", "float32", False),
        ("0.0", "-0.0", "float32", True),
        ("1e-06", "0.0", "float32", True),
        ("[1, 2]", "[1, 3]", "int64", False),
        ("[1000000000]", "[1000000001]", "int64", False),
        ("1000000000", "1000000001", None, False),
        ("[True]", "[False]", "bool", False),
        ("(1+2j)", "(1+2.0000001j)", "complex64", True),
        ("(1+2j)", "(1+3j)", "complex64", False),
        ("(1+2j)", "(1-2j)", "complex64", False),
        ("[2j, (nan+1j)]", "[2.0000001j, (nan+1j)]", "complex64", True),
        ("(1+infj)", "(1-infj)", "complex64", False),
        ("[1.0]", "1.0", "float32", False),
        ("('a', 1.5)", "('a', 1.5000001)", None, True),
        ("('a1', 1.5)", "('a2', 1.5)", None, False),
        ("1.0", "1", None, True),
        ("True", "1", None, True),
        ("[1, (0, True)]", "[1.0, (False, (1+0j))]", None, True),
        ("[2, 1.0]", "[1, 1.0]", None, False),
        ("{'a': 1}", "{'a': 1.0}", None, True),
        ("['1']", "['1.0']", None, False),
        ("[1.0]", "(1.0,)", None, False),
        ("0", "-0.0", "int64", True),
        ("9007199254740993", "9007199254740992", None, False),
        ("1" * 400, "1.0", None, False),
        ("'nan'", "'inf'", None, False),
        ("['1.0']", "['x']", None, False),
    ],
)
def test_texts_close(one: str, other: str, dtype: str | None, same: bool) -> None:
    """Floating-point numbers may differ in their last digits, all else is to be equal."""
    assert texts_close(one, other, bounds(dtype, None)) is same
    assert texts_close(other, one, bounds(dtype, None)) is same


def test_exact_asks_for_the_sign_of_zero_too() -> None:
    """And for nothing more of nan."""
    assert not texts_close("0.0", "-0.0", EXACT)
    assert texts_close("[nan, 1.0]", "[nan, 1.0]", EXACT)
    assert not texts_close("1.0", "1.0000000000000002", EXACT)


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("1", "1.0", True),
        ("[1, True]", "[1, 1]", True),
        ("[1.0]", "[1.0000001]", False),
        ("'1'", "'1'", False),
    ],
)
def test_types_differ(one: str, other: str, differ: bool) -> None:
    """Of numbers that are equal."""
    assert types_differ(one, other) is types_differ(other, one) is differ


@given(st.floats(width=32), st.floats(width=32))
def test_close_agrees_with_assert_close(one: float, other: float) -> None:
    """On any two float32 numbers."""
    try:
        torch.testing.assert_close(torch.tensor(one), torch.tensor(other), equal_nan=True)
        expected = True
    except AssertionError:
        expected = False
    assert close(one, other, bounds("float32", None)) is expected


_scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.complex_numbers()
)
_data = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
)


@given(_data)
def test_text_is_parsed_to_the_data_it_was(data: Any) -> None:
    """Lists, mappings, numbers, nan and complex ones too."""
    text = plain(data)
    assert text is not None
    again = parsed(text)
    assert plain(again) == text or "j" in text


@given(st.floats(width=32))
def test_shortened_is_the_same_float32(value: float) -> None:
    """In fewer digits."""
    short = float(shortened(repr(value), "float32"))
    assert math.isnan(value) if math.isnan(short) else torch.tensor(short).item() == value


def test_shortened_for_a_reader() -> None:
    """0.1 as float32 is 0.1; of other dtypes all digits are meant."""
    assert shortened("[0.10000000149011612, 2.0, nan]", "float32") == "[0.1, 2.0, nan]"
    assert shortened("0.10000000149011612", "float64") == "0.10000000149011612"


@pytest.mark.parametrize(
    ("expected", "actual", "answer"),
    [
        ([6.0], [6.0], True),
        ([6], [6.0], True),
        (6.0, 6, True),
        ([6.0], 6.0, False),
        ([[1, 2]], [[1.0, 2.0000001]], True),
        (True, True, True),
        (True, 1, False),
        (1, True, False),
        (None, None, True),
        (None, 0, False),
        ("x", "x", True),
        ("1", 1, False),
        (math.nan, math.nan, True),
        (0.0, -0.0, True),
        ({"a": [1]}, {"a": [1.0]}, True),
        ({"0": 1}, {0: 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [1], False),
        (2, 2 + 0j, True),
        (2, 2 + 1j, False),
    ],
)
def test_holds(expected: Any, actual: Any, answer: bool) -> None:
    """Numbers agree within tolerance, integers or not; True is not a number; lists are compared by their entries."""
    assert holds(expected, actual, bounds("float32", None)) is answer


@pytest.mark.parametrize(
    ("actual", "exact", "near"),
    [
        ("[1.0000002, 2.0]", "[1.0000001, 2.0]", True),
        ("[1.5, 2.0]", "[1.0000001, 2.0]", False),
        ("[1.0000002, 2.0]", "[1.0, 2.0]", False),
        ("[nan, 2.0]", "[1.0000001, 2.0]", False),
        ("[1.0, 2.0, 3.0]", "[1.0, 2.0]", False),
    ],
)
def test_as_near_as_double_precision(actual: str, exact: str, near: bool) -> None:
    """Numbers may be as far off as the exact ones are, a few times over, and not at all where those are not."""
    assert within_rounding("[1.0, 2.0]", actual, exact, 4) is near


@pytest.mark.parametrize(
    ("other", "alike"),
    [("tensor([54.5981, -1.])", True), ("tensor([54.5980, -1.])", False), ("tensor([54.598, -1.])", False)],
)
def test_numbers_alike_but_for_the_last_digit(other: str, alike: bool) -> None:
    """As many digits, of which the last is 1 more or less."""
    assert differs_in_last_digits("tensor([54.5982, -1.])", other) is alike


def test_large_numbers_are_printed_with_more_digits_than_they_have() -> None:
    """So the last digits may differ by more than 1."""
    assert differs_in_last_digits("tensor(47695.3281)", "tensor(47695.3203)")
    assert not differs_in_last_digits("tensor(47695.3281)", "tensor(47695.2203)")
    assert not differs_in_last_digits("0.3333333333333333", "0.3333333033333333")


def test_of_an_overflow_nothing_is_told() -> None:
    """Where the exact number is finite and the expected one is not."""
    assert within_rounding("inf", "3e38", "3.5e38", 4)
    assert not within_rounding("inf", "3e38", "inf", 4)
