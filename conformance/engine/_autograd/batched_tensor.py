"""BatchedTensor, the tensor that vmap passes to a function (torch: BatchedTensorImpl.h).

Note [Batch rules]: a BatchedTensor wraps a tensor, its *value*, of which one dimension (``_bdim``, torch: bdim) is the batch
dimension; its own shape is that of one sample. An operation with a batch rule (_transforms/batch_rules.py, torch:
functorch/BatchRules*.cpp) runs once, on the values. So the graph outside of the vmap has the same nodes as in torch, views
share memory, and a thousand samples cost about as much as one.

Note [Per-sample fallback]: an operation without a batch rule runs once for each sample, and its results are batched again. Then
a BatchedTensor has samples, which are unbound from its value on first access; they are stacked if a batch rule needs a
value. The old vmap (``is_grads_batched``) never uses batch rules, nor do some derivatives, see Note [Derivatives of
examples] in _transforms/grad_levels.py. Reading values of a BatchedTensor (``item``, ``bool``, data-dependent shapes) raises:
its array, a LogicalArray, has a shape but no readable elements. BatchedTensors of an inner vmap wrap those of an outer one;
tangents and graph belong to the wrapped tensors.

Note [Batched gradients]: the gradients of a pass may be batched while the graph is the same for all samples. Built-in nodes
run once if batch rules apply, else once for each sample; custom Functions and hooks run once, with the BatchedTensor.

Note [Batched tangents]: an unbatched tensor may have a batched tangent: then its tangent differs from sample to sample though
its values do not. If the samples of a BatchedTensor have tangents, the value is a dual tensor with the tangents batched. Only
in the per-sample fallback (inside another vmap, or in a reverse-mode derivative) each sample is a dual tensor of its own, so
that samples of the two vmaps are not confused.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.layout import Unstrided
from .._c10.modes import state
from .._c10.operator_facts import USUAL, Facts
from .._c10.shapes import broadcast_shapes
from .._c10.slots import on_first_use, unfilled
from .tensor import Tensor, make, read_only
from .torch_function import disabled_torch_function

# See Note [Slots].
sample_of_dual: Callable[[Tensor, int, int], Tensor] = unfilled  # from forward_grad
stack: Callable[[Any], Tensor] = unfilled  # from ops.joining
tensor_text: Callable[[Tensor], str] = on_first_use("tensor_text")

_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
_EITHER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap over "
    "calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we don't support "
    "data-dependent control flow in vmap yet, please file an issue at https://github.com/pytorch/pytorch/issues . For (3): "
    "please file an issue."
)
OLD_REFUSAL = "Batching rule not implemented for aten::{}. We could not generate a fallback."
OLD_VIEW = "Batching rule not implemented for aten::{}; the fallback path doesn't work on out= or view ops."
_OLD_IN_PLACE = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
    "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {1}"
    ". Please try to use out-of-place operators instead of {0}. If said operator is being called inside "
    "the PyTorch framework, please file a bug report instead."
)
IN_PLACE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
    "over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being "
    "called inside the PyTorch framework, please file a bug report instead."
)
NO_RULE = "Batching rule not implemented for aten::{}; the fallback path doesn't work on out= or view ops."
DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. Please "
    "file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
    "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
    "`gen_vmap_plumbing` Please file an issue if it looks like the latter"
)
MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with "
    "a boolean mask."
)


class LogicalArray(np.ndarray[Any, Any]):
    """An array with the shape, dtype and strides of one sample, whose elements cannot be read."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        if not vmaps:
            raise RuntimeError(ESCAPED)
        raise NotImplementedError("vmap: this operation asks a batched tensor for its values")

    __array_ufunc__ = _refuse
    __array_function__ = _refuse
    __getitem__ = _refuse
    __setitem__ = _refuse
    __bool__ = __float__ = __int__ = __index__ = __complex__ = __iter__ = _refuse
    item = tolist = astype = copy = reshape = transpose = any = all = ravel = tobytes = _refuse


class BatchedTensor(Tensor):
    """A tensor of vmap: see Note [Batch rules] and Note [Per-sample fallback]."""

    __module__ = "torch"
    __slots__ = ()
    __torch_function__ = disabled_torch_function  # users see it as a plain Tensor
    _value: Tensor | None  # None if there are only samples
    _bdim: int  # the batch dimension of the value
    _cached_samples: list[Tensor] | None  # if there is no value, or after they were unbound from it
    _level: int

    @property
    def _samples(self) -> list[Tensor]:
        if self._cached_samples is not None:
            return self._cached_samples
        assert self._value is not None
        old = vmap_of(self._level).old
        examples = (selected if old else unbind_samples)(self._value, self._bdim)
        if state.recording:  # otherwise they have no grad_fn, and must not be reused with grad mode on
            self._cached_samples = examples
        return examples

    def item(self) -> NoReturn:
        """Raises: the value differs from sample to sample."""
        raise data_dependent_error("item", self._level)

    _scalar = item

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return int(self.item())

    def tolist(self) -> NoReturn:
        """Raises: a BatchedTensor has no storage."""
        raise RuntimeError(errors.NO_STORAGE)

    data_ptr = tolist

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raises, like tolist."""
        if vmap_of(self._level).old:
            raise RuntimeError(OLD_VIEW.format("detach"))
        self._check_alive()
        self.tolist()

    __array__ = numpy

    def __bool__(self) -> bool:
        raise data_dependent_error("is_nonzero", self._level)

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        if vmap_of(self._level).old:
            bool(self)
        if transforms.depth:
            return tensor_text(self)
        value, dim = unwrap_batched(self)
        shown = textwrap.indent(repr(value), "    ")
        return f"BatchedTensor(lvl={vmap_of(self._level).depth}, bdim={dim}, value=\n{shown}\n)"

    def _check_alive(self) -> None:
        if self._level >= len(vmaps):
            raise RuntimeError(ESCAPED)

    @property
    def requires_grad(self) -> bool:
        """Inside a derivative that began inside the vmap, whether a sample requires grad; a graph outside does not count."""
        if self._requires_grad or self._level >= len(vmaps):
            return self._requires_grad
        held = [self._value] if self._value is not None else self._samples
        return transforms.backward > vmaps[self._level].age and any(each.requires_grad for each in held)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._requires_grad = value

    def _get_grad_fn(self) -> Any:
        """Inside a reverse-mode derivative, the grad_fn of the value, except for the inputs of the derivative.

        In the per-sample fallback, the grad_fn of the first sample.
        """
        if self._value is None and self._node is None and self.requires_grad:
            return self._samples[0].grad_fn
        if self._value is None or self._level >= len(vmaps) or transforms.backward <= vmaps[self._level].age:
            return self._node
        node = self._value.grad_fn
        return None if getattr(node, "transform", None) is not None else node

    grad_fn = read_only("grad_fn", _get_grad_fn)

    def _get_is_leaf(self) -> bool:
        return self.grad_fn is None

    is_leaf = read_only("is_leaf", _get_is_leaf)

    def reset_from_samples(self) -> None:
        """Update shape and strides after an in-place operation on the samples; drop the value if they do not share its memory."""
        if self._cached_samples is None:
            return
        result = self._cached_samples[0]._array
        if self._value is not None and not same_memory(result, _first_sample(self._value._array, self._bdim)):
            self._value = None
        self._array = _logical(result)

    def reset_from_value(self) -> None:
        """Update shape and strides after an in-place operation on the value that changed its shape."""
        assert self._value is not None
        self._cached_samples, self._array = None, _logical(_first_sample(self._value._array, self._bdim))

    def detach(self) -> Tensor:
        """A BatchedTensor of the detached value or samples."""
        self._check_alive()
        if vmap_of(self._level).old:
            raise RuntimeError(OLD_VIEW.format("detach"))
        if self._value is not None and uses_batch_rules(self._level):
            return make_batched(self._value.detach(), self._bdim, self._level)
        return batch_samples([each.detach() for each in self._samples], self._level)

    @property
    def data(self) -> Tensor:
        """Raises, as in torch."""
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    @data.setter
    def data(self, value: Any) -> NoReturn:
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")

    def untyped_storage(self) -> NoReturn:
        """Raises: a BatchedTensor has no storage."""
        raise NotImplementedError("Cannot access storage of BatchedTensorImpl")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self.untyped_storage()


BatchedTensor.__name__ = BatchedTensor.__qualname__ = "Tensor"


def batch_samples(samples: list[Tensor], level: int) -> BatchedTensor:
    """A BatchedTensor of these samples.

    Raises:
        RuntimeError: their shapes differ.
        NotImplementedError: they are sparse.
    """
    first = samples[0]._array
    if any(each._array.shape != first.shape for each in samples):
        raise RuntimeError(
            "vmap: the shape of a result depends on the values of a batched tensor, which vmap does not support"
        )
    if isinstance(first, Unstrided):
        samples[0].view(first.shape)  # torch's error: it views every result as one of a batch
    result: Any = make(_logical(first), BatchedTensor)
    result._value, result._bdim, result._cached_samples, result._level = None, 0, samples, level
    return result


def make_batched(value: Tensor, dim: int, level: int) -> BatchedTensor:
    """A BatchedTensor of a value and its batch dimension (torch: makeBatched)."""
    result: Any = make(_logical(_first_sample(value._array, dim)), BatchedTensor)
    result._value, result._bdim, result._cached_samples, result._level = value, dim, None, level
    return result


def unbind_samples(value: Tensor, dim: int) -> list[Tensor]:
    """The samples of a value, as views that may be written to; for an empty batch, one sample of zeros."""
    if not value._array.shape[dim]:
        return [value.new_zeros((*value._array.shape[:dim], *value._array.shape[dim + 1 :]))]
    result = list(value.unbind(dim))
    for each in result:
        if each._view is not None and each._view.creation == "multi_output":
            each._view.creation = "default"
    return result


def selected(value: Tensor, dim: int) -> list[Tensor]:
    """The samples of a value of the old vmap, as views; see Note [Rules of the old vmap]."""
    value = value if dim == 0 else value.movedim(dim, 0)
    value = value.expand(value._array.shape)
    return [value.select(0, place) for place in range(len(value))]


def unwrap_batched(batch: BatchedTensor) -> tuple[Tensor, int]:
    """The value and its batch dimension (torch: unwrapTensorAtLevel); samples without a value are stacked."""
    if batch._value is not None:
        return batch._value, batch._bdim
    result = stack(batch._samples)
    if vmap_of(batch._level).old:
        return result.view(result._array.shape), 0
    empty = batch._level < len(vmaps) and not vmaps[batch._level].size
    return (result.narrow(0, 0, 0) if empty else result), 0


def physical_array(tensor: Tensor) -> Any:
    """The array of a tensor, or of the innermost value of a BatchedTensor."""
    while tensor.__class__ is BatchedTensor:
        tensor = unwrap_batched(tensor)[0]
    return tensor._array


def _first_sample(array: Any, dim: int) -> Any:
    if not array.shape[dim]:
        return np.empty((*array.shape[:dim], *array.shape[dim + 1 :]), array.dtype)
    return np.ndarray.__getitem__(array, (*(slice(None),) * dim, 0, ...))


def same_memory(one: Any, other: Any) -> bool:
    """Whether two arrays are the same elements: their address, shape and strides are equal."""
    placed = one.__array_interface__["data"][0] == other.__array_interface__["data"][0]
    return bool(placed and one.shape == other.shape and one.strides == other.strides)


def _logical(like: np.ndarray[Any, Any]) -> Any:
    return np.ndarray.view(like, LogicalArray)


def data_dependent_error(name: str, level: int) -> RuntimeError:
    """The error of an operation that reads values; inside a derivative torch cannot name the operation."""
    running = vmap_of(level)
    if running.old:
        return RuntimeError(OLD_REFUSAL.format(name))
    if transforms.since > running.age:
        return RuntimeError(_EITHER)
    return RuntimeError(_ITEM if name == "item" else _CONTROL_FLOW)


class Vmap(NamedTuple):
    """One running vmap (torch: VmapInterpreterPtr)."""

    size: int  # the batch size
    randomness: str  # "error", "same" or "different"
    depth: int  # its level on torch.func's interpreter stack, from 1
    age: int  # ``transforms.age`` when it began, see Note [Captured tensors]
    old: bool = False  # whether it is that of is_grads_batched, which is older than torch.func (torch: LegacyBatchedTensorImpl)


vmaps: list[Vmap] = []  # the running ones, the outermost first


def vmap_of(level: int) -> Vmap:
    """The vmap of a level; if it has ended, a substitute for tensors that have escaped from it."""
    return vmaps[level] if level < len(vmaps) else Vmap(0, "error", level + 1, transforms.age)


def uses_batch_rules(level: int) -> bool:
    """Whether operations use batch rules at this level; see Note [Per-sample fallback]."""
    running = vmap_of(level)
    return transforms.apart <= running.age and not running.old


def inside_derivative(level: int) -> bool:
    """Whether a derivative runs inside the vmap; there torch decomposes some operations that have a batch rule."""
    return transforms.since > vmap_of(level).age


def level_of(values: Iterable[Any]) -> int:
    """The innermost level at which one of the values is batched; -1 if none is."""
    result = -1
    if not vmaps:
        return result
    for each in values:
        if each.__class__ is BatchedTensor:
            result = max(result, each._level)
        elif isinstance(each, (tuple, list)):
            result = max(result, level_of(each))
    return result


def flat_values(values: Iterable[Any]) -> Iterable[Any]:
    """The values, with nested lists and tuples flattened."""
    for each in values:
        if isinstance(each, (list, tuple)):
            yield from flat_values(each)
        else:
            yield each


def sample_at(value: Any, index: int, level: int) -> Any:
    """A value for one sample: BatchedTensors of the level are replaced by their sample of this index."""
    if value.__class__ is BatchedTensor:
        return value._samples[index] if value._level == level else value
    if type(value) in (tuple, list):
        return type(value)(sample_at(each, index, level) for each in value)
    if type(value) is dict:
        return {name: sample_at(each, index, level) for name, each in value.items()}
    if isinstance(value, Tensor) and transforms.depth:
        return sample_of_dual(value, index, level)
    return value


def batch_size_at(values: Iterable[Any], level: int) -> int:
    """The batch size of the values that are batched at a level; 0 if none is."""
    for each in values:
        if each.__class__ is BatchedTensor and each._level == level:
            return len(each._samples)
        if isinstance(each, (tuple, list)) and (result := batch_size_at(each, level)):
            return result
    return 0


def for_each_sample(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """Call a function once for each sample, and batch its results (torch: batchedTensorForLoopFallback)."""
    values = (*args, *kwargs.values())
    count = batch_size_at(values, level)
    return batch_results(
        [function(*sample_at(args, i, level), **sample_at(kwargs, i, level)) for i in range(count)], level
    )


def rebuild_sequence(kind: Any, values: Iterable[Any]) -> Any:
    """A list, tuple or named tuple of these values."""
    return getattr(kind, "_make", kind)(values)


def batch_results(results: list[Any], level: int) -> Any:
    """Batch the results of all samples: tensors become BatchedTensors, also in lists and tuples."""
    first = results[0]
    if isinstance(first, Tensor):
        return batch_samples(results, level)
    if isinstance(first, (tuple, list)):
        columns = [batch_results(list(column), level) for column in zip(*results, strict=True)]
        return rebuild_sequence(type(first), columns)
    return first


def _inplace_error(name: str, facts: Facts, level: int, arguments: tuple[Any, ...]) -> str:
    kind = facts.vmap_unbatched
    if kind is None or vmaps[level].old:
        return _OLD_IN_PLACE.format(f"aten::{name}", f"at level {vmaps[level].depth}")
    if kind == "broadcast":
        ours, theirs = (each._array.shape for each in arguments[:2])
        shape = [len(arguments[1]._samples), *broadcast_shapes(ours, theirs)]
        return f"output with shape {list(ours)} doesn't match the broadcast shape {shape}"
    return IN_PLACE if kind == "arithmetic" else _OLD_IN_PLACE.format(name, "in a vmap")


def raise_unbatched_write(name: str, level: int) -> NoReturn:
    """Raise the error for a batched value that is written to an unbatched tensor."""
    raise RuntimeError(_OLD_IN_PLACE.format(name, f"at level {vmaps[level].depth}"))


def for_each_sample_inplace(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    kwargs: dict[str, Any],
    level: int,
    name: str,
    facts: Facts = USUAL,
) -> Any:
    """Call an in-place function once for each sample of its first argument.

    If the samples are views of one tensor, its version is incremented only once.

    Raises:
        RuntimeError: the first argument is not batched.
    """
    target = arguments[0]
    if target.__class__ is not BatchedTensor or target._level != level:
        raise RuntimeError(_inplace_error(name, facts, level, arguments))
    counters = {id(each._version_counter): each._version_counter for each in target._samples}
    at_once = not vmaps[level].old or name in ("fill_", "zero_")  # of which the old vmap has rules
    shared = next(iter(counters.values())) if len(counters) == 1 and at_once else None
    before = 0 if shared is None else shared.value

    def write(*given: Any, **named: Any) -> Any:
        if shared is not None:
            shared.value = before
        return function(*given, **named)

    result = for_each_sample(write, arguments, kwargs, level)
    target.reset_from_samples()
    return None if result is None else target
