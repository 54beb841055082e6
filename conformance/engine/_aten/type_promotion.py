"""Type promotion and checks of operands, called by generated code; see Note [Rows are compiled] in
_aten/registry.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments.argument_errors import inside_argument_check
from .._arguments.overloads import argument_error, keyword_only_names, opname, parameters
from .._autograd.node import gradient_edge
from .._autograd.tensor import Tensor
from .._autograd.torch_function import dispatch_torch_function, overrides_without_tensor
from .._c10 import dtypes, errors
from .._c10.dtypes import NUMBERS
from .._c10.errors import need_fitting, typename, wrong_type
from .._c10.modes import state
from .._c10.shapes import broadcast_shapes, like_steps
from .._c10.slots import on_first_use
from .codegen.node import is_optional, may_be_number

if TYPE_CHECKING:
    from .registry import Row

Array = np.ndarray[Any, Any]
# See Note [Slots].
dispatch_after_failure: Callable[..., Any] = on_first_use("dispatch_after_failure")
from_numpy: Callable[[Array], Tensor] = on_first_use("from_numpy")


def array_to_float(array: Array) -> Array:
    """Convert integers and bools to the default dtype; leave other arrays unchanged."""
    return array if array.dtype.kind in "fcV" else converted(array, dtypes.default.numpy)


def converted(array: Array, kind: np.dtype[Any]) -> Array:
    """Convert an operand: a dense copy with the same order of strides, which decides the strides of the result."""
    return array if array.dtype is kind else like_steps(array.astype(kind, copy=False), array)


def promote_arrays(to_float: bool, *operands: Any) -> tuple[Any, ...]:
    """Promote operands (arrays, numbers) to one dtype; None stays None."""
    present = [each for each in operands if each is not None]
    kind = dtypes.result_dtype(*present)
    if to_float and kind.kind not in "fcV":
        kind = dtypes.default.numpy
    return tuple(None if each is None else converted(np.asanyarray(each), kind) for each in operands)


def promote_operands(to_float: bool, *operands: Any) -> tuple[Any, ...]:
    """``promote_arrays`` for an operator that is not a comparison.

    Raises:
        NotImplementedError: float16 operands and a complex number of lower priority, which would give complex32.
    """
    result = promote_arrays(to_float, *operands)
    if next(each for each in result if each is not None).dtype.kind == "c":
        strong = [each.dtype for each in operands if isinstance(each, np.ndarray) and each.ndim]
        parts = [each for each in strong if each.kind in "fcV"]
        if parts and all(each == np.float16 for each in parts):
            raise NotImplementedError(errors.COMPLEX_HALF)
    return result


def promote_scaled(to_float: bool, *operands: Any) -> tuple[Any, ...]:
    """``promote_operands`` for a product or quotient of two.

    Note [Halves and numbers]: torch converts a half-precision tensor and a number to float32 and rounds their product
    or quotient once. So the number is not rounded to half precision first; in a sum it is.
    """
    result = promote_operands(to_float, *operands)
    plain = operands[0].__class__ is np.ndarray  # a product of zeros without memory has none either
    if plain and dtypes.is_half(result[0].dtype) and not np.ndim(operands[1]):
        return result[0], np.float32(operands[1])
    return result


def promote_checked(check: Callable[..., None]) -> Callable[..., tuple[Any, ...]]:
    """``promote_operands`` after a check of the operands."""

    def promote(to_float: bool, *operands: Any) -> tuple[Any, ...]:
        check(*operands)
        return promote_operands(to_float, *operands)

    return promote


def check_list(tensors: Sequence[Any], argument: int = 0) -> None:
    """Check that an argument is a sequence of tensors.

    Raises:
        TypeError: with torch's message for an element; for anything but a sequence see Note [Arguments are checked on
            failure].
    """
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"no sequence of tensors: {typename(tensors)}")
    for number, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {number} in argument {argument}, but got {typename(each)}"
            )


def not_differentiable(row: Row, name: str) -> RuntimeError:
    """The error of an argument that requires grad and has no formula."""
    called = row.name + "_forward" * row.name.startswith("nll_loss") * ("backward" not in row.name)
    return RuntimeError(errors.NOT_DIFFERENTIABLE.format(called, name))


def check_history(arguments: tuple[Any, ...]) -> None:
    """Raise for stale views as torch does before its kernel runs; what it saves or packs then is left out."""
    given = [
        each for value in arguments for each in (value if isinstance(value, (list, tuple)) else (value,))
    ]
    tensors = [each for each in given if isinstance(each, Tensor)]
    recorded = [each for each in tensors if state.recording and each.requires_grad]
    for each in recorded:
        gradient_edge(each)
    need_fitting(
        not recorded or not (state.saved_hooks or any(each._inference for each in tensors)), "backward"
    )


def explained(
    row: Row, error: Exception, variant: str, arguments: tuple[Any, ...], operands: tuple[Any, ...]
) -> Exception:
    """The error that torch raises where a row's forward has failed: for argument types, stale views, or for shapes.

    Args:
        variant: which function of the row was called; ``evaluate`` is called by in-place forms.
        operands: the promoted arrays.
    """
    if isinstance(error, (AttributeError, TypeError, ValueError)) and variant != "operator":
        result = _of_overloads(row, arguments, _shown(row, variant == "evaluate"), variant != "call")
        if result is not None:
            return result
    if row.recorded:
        check_history(arguments)
    if isinstance(error, (NotImplementedError, ValueError)):
        try:
            broadcast_shapes(*(np.shape(each) for each in operands if each is not None))
        except RuntimeError as mismatch:
            return mismatch
    return errors.in_words_of_torch(error, f"torch.{row.name}")


def retry(row: Row, function: Callable[..., Any], arguments: tuple[Any, ...], out: Any = None) -> Any:
    """Call again with NumPy scalars as Python numbers, or raise for an argument that is not a tensor."""
    if any(map(overrides_without_tensor, _flat(arguments))) and not inside_argument_check():
        return _asked(row, function, arguments)
    plain = [
        plain_number(each) if may_be_number(row, name) else each
        for name, each in zip(row.parameters, arguments, strict=True)
    ]
    if all(a is b for a, b in zip(plain, arguments, strict=True)):
        if function is row.operator:
            return _beside_array(row, arguments)
        raise refuse_operand(row, arguments, function is row.evaluate, function is not row.call) from None
    given = dict(zip(row.parameters, plain, strict=True))
    positional = [given.pop(name) for name, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY]
    return function(*positional, **given, **({} if out is None else {"out": out}))


def _beside_array(row: Row, operands: tuple[Any, ...]) -> Any:
    """The result of a Python operator with an operand that is not a tensor; only ``==`` accepts a NumPy array (torch:
    _tensor.py).
    """
    if row.name != "eq" or not isinstance(operands[1], np.ndarray):
        return NotImplemented

    try:
        return row.call(operands[0], from_numpy(operands[1]))
    except TypeError:
        return NotImplemented


def _flat(arguments: tuple[Any, ...]) -> Iterator[Any]:
    for each in arguments:
        yield from each if isinstance(each, (tuple, list)) else (each,)


def _asked(row: Row, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result of arguments that are not tensors but override torch's functions."""
    given = dict(zip(row.parameters, arguments, strict=True))
    kept = {name: value for name, value in given.items() if value is not row.parameters[name].default}
    positional = [
        kept.pop(name) for name in list(kept) if row.parameters[name].default is inspect.Parameter.empty
    ]
    if function is not row.operator:
        return dispatch_after_failure(function, positional, kept)
    return ask_operand(row.name, *positional)


def ask_operand(name: str, left: Any, right: Any) -> Any:
    """The result of an operand that is not a tensor but overrides torch's functions."""
    try:
        return dispatch_torch_function(vars(Tensor)[name], (right,), left, right)
    except TypeError:
        return NotImplemented


class _Missing:
    """The default of a required tensor argument."""


MISSING = _Missing()


PLAIN = NUMBERS | {type(None)}


def may_be_none(row: Row, name: str) -> bool:
    """Whether None means that a number is not given."""
    return row.parameters[name].default is None or name == "correction"


def as_scalar(row: Row, name: str, value: Any, form: str = "") -> Any:
    """Convert a number argument to a Python number: a NumPy scalar would change the dtype; a tensor with one element
    is accepted.

    Raises:
        TypeError: for a tensor with dimensions, or one that requires grad.
    """
    if not isinstance(value, Tensor) and (value is not None or may_be_none(row, name)):
        return plain_number(value)
    if value is not None and not value._array.ndim and not value.requires_grad:
        return value.item()
    by_order = row.parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY
    raise wrong_type(row.name + form, name, "Number", value, row.places[name] + 1 if by_order else 0)


def check_plain(row: Row, name: str, value: Any, arguments: tuple[Any, ...], method: bool) -> None:
    """Check arguments that must be bool or int.

    Raises:
        TypeError: with torch's message.
    """
    called = opname(row.name)
    method = method or row.name != called  # a composite function raises itself; this is its method
    result = _of_overloads(row, arguments, _shown(row, False), method)
    if result is not None:
        raise result
    if row.forward.__annotations__[name] == "bool" and value is not MISSING:
        raise wrong_type(called, name, "bool", value, row.places[name] + 1 - method)


def is_number(value: Any) -> bool:
    """Whether a value is a number: Python's own, one of a subclass, or numpy's."""
    return value.__class__ in NUMBERS or isinstance(value, (int, float, complex, np.number, np.bool_))


def plain_number(value: Any) -> Any:
    """Convert NumPy scalars and subclasses of Python's numbers to Python numbers; np.bool_ becomes a float, as in
    torch.
    """
    if value.__class__ in NUMBERS or not is_number(value):
        return value
    if isinstance(value, (complex, np.complexfloating)):
        return complex(value)
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def invalid_combination(name: str, operands: tuple[Any, ...]) -> TypeError:
    """The TypeError for operands of a function for which torch has no overload."""
    result = argument_error(name, operands, {})
    assert result is not None, name
    return result


def check_arguments(row: Row, arguments: list[Any]) -> None:
    """Check the tensor arguments of an in-place form.

    Raises:
        TypeError: with torch's message.
    """
    plain = tuple(map(plain_number, arguments))
    result = refuse_operand(row, plain, True, True)
    if isinstance(result, TypeError):
        raise result


def _shown(row: Row, inplace: bool) -> str:
    """The name of torch's function, or of its in-place form."""
    return opname(row.name) + "_" * (inplace or row.name.endswith("_"))


def refuse_operand(row: Row, arguments: tuple[Any, ...], inplace: bool, method: bool) -> Exception:
    """The TypeError for the first argument that must be a tensor and is not."""
    shown_name = _shown(row, inplace)
    result = _of_overloads(row, arguments, shown_name, method)
    if result is not None:
        return result
    for position, (name, value) in enumerate(zip(row.parameters, arguments, strict=True), 0 if method else 1):
        if name in row.lists:
            check_list(value, position - 1)
        if (
            name in row.tensors
            and not isinstance(value, Tensor)
            and not (value is None and is_optional(row, name))
        ):
            if may_be_number(row, name) and value.__class__ in NUMBERS:
                continue
            return wrong_type(shown_name, "input" if name == "self" else name, "Tensor", value, position)
    return AttributeError(f"{row.name}: a tensor lacks its array")


def _of_overloads(row: Row, arguments: tuple[Any, ...], called: str, method: bool) -> TypeError | None:
    """The error of torch's argument parser; arguments equal to their defaults are treated as not given."""
    name = f"Tensor.{called}" if method else called
    shown = ["input" if each == "self" else each for each in row.parameters][method:]
    if not parameters(name).issuperset(shown):
        return None  # a part of that function, with other arguments
    by_name = keyword_only_names(name)

    given = {
        name: value
        for name, value in zip(row.parameters, arguments, strict=True)
        if value is not MISSING and value is not row.parameters[name].default
    }
    in_order = [
        each for each, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY and each not in by_name
    ]
    while in_order and in_order[-1] not in given:
        in_order.pop()
    args: list[Any] = []
    for each in in_order:
        default = row.parameters[each].default
        if each not in given and default is inspect.Parameter.empty:
            break
        args.append(given.pop(each, default))
    return argument_error(name, args[method:], given)
