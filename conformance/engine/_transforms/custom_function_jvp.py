"""Forward-mode AD of custom Functions by their ``jvp`` (torch: custom_function.cpp, _process_forward_mode_AD)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._autograd.batched_tensor import BatchedTensor
from .._autograd.custom_function_outputs import typename
from .._autograd.forward_grad import forward_base, levels, set_tangent, tangent_of
from .._autograd.tensor import Tensor, make
from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.modes import state
from .forward_ad import _set_fwd_grad_enabled
from .functorch_dispatch import carried

if TYPE_CHECKING:
    from .._autograd.custom_function import BackwardCFunction

_NOT_IN_PLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
_NOT_AS_IS = (
    "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying an "
    "input inplace, then the jvp function must modify the gradient inplace and return it as-is."
)
_NOT_A_VIEW = (
    "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
)
_NOT_AN_INPUT = (
    "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need to pass it "
    "to mark_dirty()."
)


_RUNNING: list[int] = []  # the levels whose jvp is running


class Marks:
    """What forward returned, and the ids that ctx.mark_dirty and ctx.mark_non_differentiable marked."""

    __slots__ = ("constant", "dirty", "raw")

    def __init__(self, raw: tuple[Any, ...], dirty: set[int], constant: set[int]) -> None:
        self.raw, self.dirty, self.constant = raw, dirty, constant


def give_tangents(
    node: BackwardCFunction,
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
    returned_and_said: tuple[tuple[Any, ...], set[int], set[int]],
) -> None:
    """Call the Function's jvp, and set the tangents of the outputs.

    Args:
        returned_and_said: the arguments of Marks.
    """
    marks = Marks(*returned_and_said)
    for level in _enabled_levels(inputs):
        with _set_fwd_grad_enabled(True):
            _give_at(level, node, inputs, outputs, marks)


def _give_at(
    level: int, node: BackwardCFunction, inputs: tuple[Any, ...], outputs: tuple[Any, ...], marks: Marks
) -> None:
    before = {
        id(each): (tangent, _version(tangent))
        for each in inputs
        if isinstance(each, Tensor) and (tangent := tangent_of(each, level)) is not None
    }
    returned = _ask(node, inputs, level)
    if len(returned) != len(outputs):
        raise RuntimeError(
            "Function's jvp returned an invalid number of forward gradients (expected "
            f"{len(outputs)} but got {len(returned)})"
        )
    for number, (raw, output, tangent) in enumerate(zip(marks.raw, outputs, returned, strict=True)):
        _give(number, raw, output, tangent, inputs, before, marks, level)


def _enabled_levels(inputs: tuple[Any, ...]) -> list[int]:
    """The levels at which the inputs have tangents and forward-mode AD is enabled, the outermost first.

    torch applies a Function at each level of torch.func, and enables forward-mode AD again for the levels outside: it is
    disabled for the innermost one only, or for that whose jvp is running.
    """
    if state.forward_grad or not (levels and levels[-1].of_func):
        return sorted(carried(inputs))
    innermost = len(levels) - (levels[-1].age == transforms.since)
    disabled = _RUNNING[-1] if _RUNNING else innermost
    with _set_fwd_grad_enabled(True):
        return sorted(each for each in carried(inputs) if each < disabled)


def _version(tangent: Tensor) -> Any:
    """The version of a tangent; of a batched one, the versions of its samples."""
    return [*map(_version, tangent._samples)] if tangent.__class__ is BatchedTensor else tangent._version


def _ask(node: BackwardCFunction, inputs: tuple[Any, ...], level: int) -> list[Tensor | None]:
    tangents = []
    for each in inputs:
        tangent = tangent_of(each, level) if isinstance(each, Tensor) else None
        if (
            tangent is None
            and isinstance(each, Tensor)
            and node._materialize
            and each._array.dtype.kind in "fcV"
        ):
            tangent = make(np.zeros_like(each._array))
        tangents.append(tangent)
    _RUNNING.append(level)
    try:
        with _set_fwd_grad_enabled(False):  # for an outer level the tangents are constants
            returned = node._forward_cls.jvp(node, *tangents)
    finally:
        _RUNNING.pop()
    listed = returned if isinstance(returned, tuple) else (returned,)
    for number, each in enumerate(listed):
        if each is not None and not isinstance(each, Tensor):
            raise RuntimeError(f"expected Variable or None (got {typename(each)}) for grad output {number}.")
    return list(listed)


def _give(
    number: int,
    raw: Any,
    output: Any,
    tangent: Tensor | None,
    inputs: tuple[Any, ...],
    before: dict[int, tuple[Tensor, int]],
    marks: Marks,
    level: int,
) -> None:
    if not isinstance(raw, Tensor):
        return
    if id(raw) in marks.constant or raw._array.dtype.kind not in "fcV":
        if tangent is not None:
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {number}, but  the corresponding forward output is "
                "not a differentiable Tensor.You should return None at that position instead."
            )
        return
    is_input = any(raw is each for each in inputs)
    if id(raw) in marks.dirty:
        if not is_input:
            raise RuntimeError(_NOT_AN_INPUT)
        if id(raw) in before:
            own, version = before[id(raw)]
            if tangent is None or _version(tangent) == version:
                raise RuntimeError(_NOT_IN_PLACE)
            if tangent is not own:
                raise RuntimeError(_NOT_AS_IS)
        else:
            set_tangent(output, _defined(tangent), level, in_place=True)
        return
    base = None if levels[level].of_func else forward_base(output)  # torch.func treats no output as a view
    for each in inputs:
        if base is None or not isinstance(each, Tensor):
            continue
        root = forward_base(each)
        if (each if root is None else root) is not base:
            continue
        if id(each) not in before:
            set_tangent(output, _defined(tangent), level, in_place=True)
            return
        shown = before[id(each)][0]
        theirs = forward_base(shown)
        mine = None if tangent is None else forward_base(tangent)
        if mine is None:
            raise RuntimeError(_NOT_A_VIEW)
        if mine is not (shown if theirs is None else theirs):
            raise RuntimeError(
                "A custom Function is returning a view but the jvp is not returning a view of the "
                + ("given grad input." if theirs is None else "same base as the given grad input.")
            )
        break
    set_tangent(output, _defined(tangent), level)


def _defined(tangent: Tensor | None) -> Tensor:
    if tangent is None:
        raise RuntimeError(errors.UNDEFINED_TANGENT)
    return tangent
