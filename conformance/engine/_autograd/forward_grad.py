"""Forward-mode AD: levels, dual tensors and their tangents (torch: forward_grad.h, autograd_meta.cpp).

A dual tensor has one tangent for each level, in ``_tangents``. The tangent of an inner level may itself be a dual tensor of an
outer level: so transforms of torch.func nest.

Note [Views and tangents]: the tangent of a view is a view of the tangent of its base. So a tangent must have the strides of its
tensor and is copied if it does not. If an in-place operation gives a tangent to a view, the base gets one as well; if it
gives one to the base, a view gets its part of it when its tangent is next read. The results of make_dual and unpack_dual
are views for backward mode, but not for forward mode.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._c10.interpreter_stack import transforms
from .._c10.modes import state
from .._c10.shapes import strides
from .._c10.slots import unfilled
from . import batched_tensor
from .batched_tensor import (
    BatchedTensor,
    batch_samples,
    flat_values,
    level_of,
    make_batched,
    sample_at,
    unwrap_batched,
    uses_batch_rules,
    vmaps,
)
from .conj_view import conjugate_view, is_conjugate_view
from .storage_impl import address, buffer, offset, storage
from .tensor import Tensor, make

shown_as: Callable[[np.ndarray[Any, Any], Tensor, bool], Tensor] = (
    unfilled  # from ops.parts, see Note [Slots]
)


class Level:
    """A level of forward-mode AD, possibly of a torch.func.jvp; its end removes its tangents (torch: ForwardADLevel).

    The levels below ``lowest`` are disabled inside it: a jvp began while forward-mode AD was.
    """

    __slots__ = ("age", "duals", "lowest", "number", "of_func")

    def __init__(self, number: int, of_func: bool) -> None:
        self.number, self.of_func, self.age, self.lowest = number, of_func, transforms.age, 0
        self.duals: list[weakref.ref[Tensor]] = []


levels: list[Level] = []  # the outermost first


def begin_level(of_func: bool = False, enabled: bool = True) -> Level:
    """Enter a level inside the existing ones."""
    level = Level(len(levels), of_func)
    level.lowest = (levels[-1].lowest if levels else 0) if enabled else level.number
    levels.append(level)
    transforms.begin()
    return level


def end_level() -> None:
    """Leave the innermost level and remove its tangents."""
    level = levels.pop()
    for reference in level.duals:
        dual = reference()
        if dual is not None and dual._tangents:
            dual._tangents.pop(level.number, None)
    transforms.end()


def levels_of(tensor: Tensor) -> set[int]:
    """The levels at which a tensor has a tangent."""
    result = set(tensor._tangents or ())
    base = forward_base(tensor)
    if base is not None and base._tangents:
        result.update(base._tangents)
    return result


def forward_base(tensor: Tensor) -> Tensor | None:
    """The base of this tensor for forward mode (torch: get_forward_view)."""
    if tensor._forward_base is not False:
        return tensor._forward_base
    return None if tensor._view is None else tensor._view.base


def tangent_of(tensor: Tensor, level: int) -> Tensor | None:
    """The tangent at a level, None if there is none; see Note [Views and tangents]."""
    if not state.forward_grad or state.inference or (levels and level < levels[-1].lowest):
        return None
    own = tensor._tangents
    if own and level in own:
        return own[level]
    base = forward_base(tensor)
    if base is None or not base._tangents or level not in base._tangents:
        return None
    result = _view_of_tangent(base._tangents[level], tensor, base)
    _set_value(tensor, result, level)
    return result


def has_batched(tensor: Tensor) -> bool:
    """Whether an unbatched tensor has a batched tangent; see Note [Batched tangents]."""
    return any(tangent_of(tensor, number).__class__ is BatchedTensor for number in levels_of(tensor))


def sample_of_dual(tensor: Tensor, index: int, level: int) -> Tensor:
    """An unbatched tensor for one sample: batched tangents are replaced by those of the sample."""
    tangents = [tangent_of(tensor, number) for number in levels_of(tensor)] if levels else []
    if not any(each.__class__ is BatchedTensor and each._level == level for each in tangents):
        return tensor
    result = tensor.view(tensor._array.shape)
    result._forward_base = result._tangents = None
    for number in sorted(levels_of(tensor)):
        tangent = tangent_of(tensor, number)
        if tangent.__class__ is BatchedTensor and tangent._level == level:
            tangent = tangent._samples[index]
        assert tangent is not None
        _set_value(result, tangent, number)
    return result


def _view_of_tangent(tangent: Tensor, view: Tensor, base: Tensor) -> Tensor:
    """The view of a base's tangent that belongs to a view of the base."""
    if tangent.__class__ is BatchedTensor:
        return batch_samples(
            [_view_of_tangent(each, view, base) for each in tangent._samples], tangent._level
        )
    shown, whole = view._array, base._array
    tangent = shown_as(shown, tangent, is_conjugate_view(shown) != is_conjugate_view(whole))
    start = (offset(shown) - offset(whole)) // shown.itemsize if shown.size else 0
    own = offset(tangent._array) // tangent._array.itemsize
    return tangent.as_strided(shown.shape, strides(shown), own + start)


def _set_value(tensor: Tensor, tangent: Tensor, level: int) -> None:
    if tensor._tangents is None:
        tensor._tangents = {}
    tensor._tangents[level] = tangent
    levels[level].duals.append(weakref.ref(tensor))


class DualOutput:
    """The tangents of a saved output, and the weak reference to its ``view_node``.

    Note [Tangents of saved outputs]: a saved input is the tensor itself and has its tangents. A saved output is created again
    by ``unpack``, and gets its tangents from here: they are needed for the tangents of gradients (forward over reverse).
    """

    __slots__ = ("tangents", "view_node")

    def __init__(self, output: Tensor, view_node: Any) -> None:
        self.view_node = view_node
        self.tangents = {levels[number]: tangent for number, tangent in (output._tangents or {}).items()}

    def __call__(self) -> Any:
        """The regenerated node of a view, like a weak reference; see Note [Saved outputs]."""
        return None if self.view_node is None else self.view_node()

    def restore(self, tensor: Tensor) -> None:
        """Set the tangents of levels that have not ended."""
        for level, tangent in self.tangents.items():
            if level in levels:
                _set_value(tensor, tangent, level.number)


def set_tangent(tensor: Tensor, tangent: Tensor, level: int, in_place: bool = False) -> None:
    """Set the tangent of a tensor at a level (torch: AutogradMeta::set_fw_grad).

    Args:
        in_place: whether an in-place operation sets it; then the base of a view gets a tangent as well.

    Raises:
        RuntimeError: the tangent is a dual tensor of the same level, or has another size; or the level does not exist.
    """
    if tangent_of(tangent, level) is not None:
        raise RuntimeError(
            f"Setting a forward grad that itself has a forward gradient at the same level{level} is not supported."
        )
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
            f"not supported. Tensor is of size {list(tensor._array.shape)} while the given forward gradient is of "
            f"size {list(tangent._array.shape)}."
        )
    if level >= len(levels):
        raise RuntimeError(
            "Trying to access a forward AD level with an invalid index. This index was either not created or is "
            "already deleted."
        )
    base = forward_base(tensor) if in_place else None
    if base is not None and not (base._tangents and level in base._tangents):
        if has_same_meta(tangent, base) and has_same_meta(tangent, tensor):
            _set_value(base, tangent, level)
        else:
            whole = _zeros_with_same_meta(base, tangent)
            part = _view_of_tangent(whole, tensor, base)
            part.copy_(tangent)
            _set_value(base, whole, level)
            tangent = part
    shared = tangent.__class__ is not BatchedTensor and _shares_examples(tensor)
    _set_value(tensor, tangent if shared else with_same_meta(tangent, tensor), level)


def _shares_examples(tensor: Tensor) -> bool:
    """Whether a tensor may be an expanded value of a running vmap, whose samples share memory."""
    steps = strides(tensor._array) if vmaps else ()
    return any(n > 1 and step == 0 for n, step in zip(tensor._array.shape, steps, strict=False))


def batched_value_tangent(batch: BatchedTensor, tangent: Tensor) -> Tensor:
    """The tangent of a BatchedTensor as one for its value, with the strides of a sample."""
    tangent = with_same_meta(tangent, batch)
    whole, dim = unwrap_batched(batch)
    if tangent.__class__ is BatchedTensor and tangent._level == batch._level:
        direction, place = unwrap_batched(tangent)
        # A write to a view of the value needs a tangent that is laid out as the value is.
        return direction if place == dim else with_same_meta(direction.movedim(place, dim), whole)
    return tangent.unsqueeze(dim).expand(whole._array.shape)


def attach(dual: Tensor, tangent: Tensor, level: int) -> None:
    """Set the tangent of a new tensor, without checks."""
    _set_value(dual, tangent, level)


def with_same_meta(tangent: Tensor, tensor: Tensor) -> Tensor:
    """The tangent, or a copy of it with the strides, storage offset and storage size of a tensor."""
    same = has_same_meta(tangent, tensor)
    return tangent if same else _zeros_with_same_meta(tensor, tangent).copy_(tangent)


def has_same_meta(tangent: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors have the same strides, storage offset and storage size (torch: utils::has_same_meta)."""
    a, b = tangent._array, tensor._array
    if a is b:
        return True
    if a.shape != b.shape or is_conjugate_view(a) != is_conjugate_view(b):
        return False
    if any(n > 1 and one != other for n, one, other in zip(a.shape, strides(a), strides(b), strict=True)):
        return False
    if a.base is None and b.base is None:
        return True
    storage_a, storage_b = storage(a), storage(b)
    return (
        # The values of a vmap may have storages of other sizes.
        (
            storage_a.nbytes // a.itemsize == storage_b.nbytes // b.itemsize
            or BatchedTensor in (tangent.__class__, tensor.__class__)
        )
        and (address(a) - address(storage_a)) * b.itemsize == (address(b) - address(storage_b)) * a.itemsize
    )


def update_tangent(tensor: Tensor, tangent: Tensor, level: int) -> None:
    """Set the tangent of a tensor that was modified in place; an existing tangent is written to."""
    own = tangent_of(tensor, level)
    if own is None:
        set_tangent(tensor, tangent, level, in_place=True)
        return
    held = own  # not a captured tensor: it was passed to the transform
    held._age = max(held._age, transforms.age)
    while held.__class__ is BatchedTensor:
        held = unwrap_batched(held)[0]
        held._age = max(held._age, transforms.age)
    own.copy_(tangent)


def _is_of_plain(value: Tensor, level: int) -> bool:
    """Whether a tensor is batched at this level at most."""
    if value.__class__ is not BatchedTensor:
        return True
    return value._level == level and unwrap_batched(value)[0].__class__ is not BatchedTensor


def _zeros_with_same_meta(tensor: Tensor, tangent: Tensor) -> Tensor:
    """Zeros with the strides, storage offset and storage size of a tensor; batched if the tangent is.

    torch: new_zeros_with_same_feature_meta.
    """
    level = level_of((tangent, tensor))
    if level >= 0 and not (
        uses_batch_rules(level) and _is_of_plain(tangent, level) and _is_of_plain(tensor, level)
    ):
        pairs = [
            (sample_at(tensor, i, level), sample_at(tangent, i, level)) for i in range(vmaps[level].size)
        ]
        return batch_samples([_zeros_with_same_meta(*pair) for pair in pairs], level)
    array, kind = tensor._array, tensor._array.dtype
    under = storage(array)
    length = under.nbytes // array.itemsize
    start = (address(array) - address(under)) // array.itemsize if array.size else 0
    steps = tuple(step * kind.itemsize for step in strides(array))
    if tensor.__class__ is BatchedTensor:
        reach = zip(array.shape, strides(array), strict=True)
        start, length = 0, 1 + sum(max(size - 1, 0) * abs(step) for size, step in reach)
    if level >= 0:
        count = vmaps[level].size
        memory, steps = np.zeros(count * length, kind), (length * kind.itemsize, *steps)
        zeros = np.ndarray((count, *array.shape), kind, buffer(memory), start * kind.itemsize, steps)
        return make_batched(make(zeros), 0, level)
    zeros = np.ndarray(array.shape, kind, buffer(np.zeros(length, kind)), start * kind.itemsize, steps)
    return make(conjugate_view(zeros) if is_conjugate_view(array) else zeros)


def is_recorded(*named: dict[str, Any]) -> bool:
    """Whether operations on these arguments are recorded."""
    return bool(state.recording) and any(
        requires_grad(each) for values in named for each in flat_values(values.values())
    )


def materialize_tangent(zeros: Callable[..., Any], value: Any, direction: Any) -> Any:
    """A tangent; if it is None and the value is differentiable, ``zeros`` (see Note [Absent tangents])."""
    if direction is not None or not isinstance(value, Tensor) or value._array.dtype.kind not in "fcV":
        return direction
    return make(zeros(value._array.shape, value._array.dtype))


def materialized_tangents(
    arguments: dict[str, Any], directions: dict[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """The tangents of these arguments; if the operation is recorded, zeros for arguments without a tangent."""
    named_tangents = {name: directions.get(name) for name in names}
    if is_recorded(arguments, directions):
        named_tangents = {
            name: materialize_tangent(np.zeros, arguments[name], each)
            for name, each in named_tangents.items()
        }
    return {name: each for name, each in named_tangents.items() if each is not None}


def requires_grad(value: Any) -> bool:
    if not isinstance(value, Tensor):
        return False
    return value.requires_grad or any(map(requires_grad, (value._tangents or {}).values()))


batched_tensor.sample_of_dual = sample_of_dual
