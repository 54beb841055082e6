"""Print options, and the formatting of tensor elements (torch: _tensor_str.py)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class PrintOptions(NamedTuple):
    """The options of torch.set_printoptions."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}

options = PROFILES["default"]  # the current options


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """torch.set_printoptions: None changes nothing, except that ``sci_mode=None`` means automatic."""
    global options
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    start = options if profile is None else PROFILES.get(profile, options)
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    options = start._replace(**changes, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """torch.get_printoptions."""
    return options._asdict()


@contextlib.contextmanager
def printoptions(**changes: Any) -> Iterator[None]:
    """torch.printoptions: a context manager that sets print options."""
    global options
    before = options
    set_printoptions(**changes)
    try:
        yield
    finally:
        options = before


def tensor_text(array: Array, *, default: np.dtype[Any], suffixes: Iterable[str], name: str) -> str:
    """The repr of a tensor with these elements.

    Args:
        array: the elements.
        default: the default dtype, which is not printed.
        suffixes: printed after size and dtype, such as "grad_fn=<MulBackward0>" or "requires_grad=True".
        name: "tensor", or the name of a subclass.
    """
    # The dtype of an empty tensor is printed unless it is the default dtype.
    unnamed: tuple[np.dtype[Any], ...] = (default,)
    if array.size:
        complex_default = np.complex128 if default == np.float64 else np.complex64
        unnamed += (np.dtype(complex_default), np.dtype(np.int64), np.dtype(np.bool_))
    every = []
    if not options.edgeitems if array.size else array.ndim != 1:
        every.append(f"size={array.shape}")
    if array.dtype not in unnamed:
        every.append(f"dtype=torch.{array.dtype.name}")
    every.extend(suffixes)
    indent = len(name) + 1
    return with_suffixes(f"{name}({elements_text(array, indent)}", every, indent)


def elements_text(array: Array, indent: int = 0) -> str:
    """The elements in brackets, for a text that starts at column ``indent``."""
    if not array.size:
        return "[]"
    summarize = array.size > options.threshold
    shown = _summary(array) if summarize else array
    if array.dtype.kind != "c":
        return _nested(array, indent, summarize, _format(shown))
    return _nested(array, indent, summarize, _pair(_format(shown.real), _format(shown.imag)))


class _Format(NamedTuple):
    """How to print one element, and the width of the text."""

    width: int
    text: Callable[[Any], str]


def _format(shown: Array) -> _Format:
    """The common format of all printed elements (torch: _Formatter)."""
    if shown.dtype.kind not in "fV":
        width = max((len(str(value)) for value in shown.ravel().tolist()), default=1)
        return _Format(width, lambda value: str(value).rjust(width))
    # Zero, nan and inf do not count for width, digits and notation.
    deciding = shown[np.isfinite(shown) & (shown != 0)]
    integers = bool((deciding == np.ceil(deciding)).all())
    spec = ".0f" if integers else f".{options.precision}f"
    if deciding.size and _is_scientific(deciding):
        integers, spec = False, f".{options.precision}e"
    width = max((len(format(value, spec)) + integers for value in deciding.tolist()), default=1)

    def text(value: float) -> str:
        point = "." if integers and math.isfinite(value) else ""
        return (format(value, spec) + point).rjust(width)

    return _Format(width, text)


def _is_scientific(deciding: Array) -> bool:
    if options.sci_mode is not None:
        return options.sci_mode
    magnitudes = np.abs(deciding).astype(np.float64)
    smallest, largest = float(magnitudes.min()), float(magnitudes.max())
    return largest > 1.0e8 or smallest < 1.0e-4 or largest / smallest > 1000.0


def _pair(real: _Format, imaginary: _Format) -> _Format:
    """The format of complex numbers whose parts have these formats."""

    def text(value: complex) -> str:
        second = imaginary.text(value.imag).lstrip() + "j"
        return real.text(value.real) + ("" if second[0] == "-" else "+") + second

    return _Format(real.width + imaginary.width + 1, text)


def _nested(array: Array, indent: int, summarize: bool, form: _Format) -> str:
    if array.ndim == 0:
        return form.text(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, form)
    edge = options.edgeitems
    if summarize and len(array) > 2 * edge:
        parts = [_nested(each, indent + 1, summarize, form) for each in array[:edge]]
        parts.append("...")
        parts += [_nested(each, indent + 1, summarize, form) for each in array[len(array) - edge :]]
    else:
        parts = [_nested(each, indent + 1, summarize, form) for each in array]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _row(array: Array, indent: int, summarize: bool, form: _Format) -> str:
    edge = options.edgeitems
    if summarize and not edge:
        texts = ["..."]
    elif summarize and len(array) > 2 * edge:
        texts = [form.text(value) for value in array[:edge].tolist()]
        texts.append(" ...")
        texts += [form.text(value) for value in array[-edge:].tolist()]
    else:
        texts = [form.text(value) for value in array.tolist()]
    per_line = max(1, (options.linewidth - indent) // (form.width + 2))
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _summary(array: Array) -> Array:
    """The elements that are printed in summarized form."""
    edge = options.edgeitems
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            array = np.delete(array, slice(edge, length - edge), axis)
    return array


def with_suffixes(text: str, suffixes: list[str], indent: int, on_new_line: bool = False) -> str:
    """Append suffixes to the text of a tensor, on new lines if a line becomes too long (torch: _add_suffixes)."""
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if on_new_line or column + len(suffix) + 2 > options.linewidth:
            on_new_line = False
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"
