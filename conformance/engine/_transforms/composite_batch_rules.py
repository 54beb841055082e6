"""Composite functions, which call several rows, under vmap.

Most read shapes and values of their arguments before they call a row, so the whole function is called once per
sample; see Note [Per-sample fallback]. Those that read only shapes and dtypes, and call rows that have batch rules,
run once with the batched tensors; see Note [Batch rules]. As with rows, stubs replace them while a vmap runs and call
``_mapped``: see Note [Transforms cost nothing until one is in force].
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from .._aten.random.random import default_generator
from .._autograd.batched_tensor import (
    DYNAMIC,
    MASK,
    NO_RULE,
    OLD_REFUSAL,
    OLD_VIEW,
    BatchedTensor,
    batch_samples,
    data_dependent_error,
    flat_values,
    for_each_sample,
    for_each_sample_inplace,
    inside_derivative,
    level_of,
    make_batched,
    uses_batch_rules,
    vmap_of,
    vmaps,
)
from .._autograd.tensor import Tensor
from .._autograd.torch_function import without_overrides
from .._c10 import errors
from .._c10.interpreter_stack import CompositeWrappers
from .._c10.operator_facts import Facts, facts_of
from .._c10.shapes import new_sizes
from .._c10.slots import on_first_use
from . import batched_fallback
from .batch_dims import front
from .batch_rule_registry import COMPOSED
from .inplace_batch_rules import has_inplace_batch_rule
from .view_batch_rules import strided

composed: Callable[[], Iterator[tuple[tuple[str, int], FunctionType]]] = on_first_use(
    "composed"
)  # see Note [Slots]

UNMAPPED = frozenset(
    [
        "as_subclass",
        "backward",
        "gumbel_softmax",
        "register_post_accumulate_grad_hook",
        "requires_grad_",
        "retain_grad",
    ]
)
INDEXING = ("__getitem__", "__setitem__")
# Functions that have no batch rule where an argument is a tensor: the argument, and the error.
_BY_TENSOR = {
    "narrow": ("start", NO_RULE.format("narrow.Tensor")),
    "tensor_split": (
        "indices_or_sections",
        batched_fallback.NO_FALLBACK.format("tensor_split.tensor_indices_or_sections"),
    ),
}
# Composite functions that the old vmap sees before they are decomposed, and refuses; with their overloads.
_OLD_VIEWS = {
    **dict.fromkeys(("adjoint", "broadcast_to", "linalg_diagonal", "positive", "ravel"), ""),
    "dsplit": ".int",
    "flatten": ".using_ints",
    "hsplit": ".int",
    "moveaxis": ".int",
    "swapaxes": "",
    "swapdims": "",
    "unflatten": ".int",
    "vsplit": ".int",
}
_OLD_LISTS = {
    "broadcast_tensors": "broadcast_tensors",
    "hstack": "hstack",
    "row_stack": "vstack",
    "vstack": "vstack",
}
_UNSUPPORTED = "vmap: we do not yet support aten::{}. Please file an issue"
_WITHOUT_CLASSES = (
    "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
)
_BATCHED_PARAMETERS = "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
_NORMS = ("batch_norm", "instance_norm", "native_batch_norm")
_RANDOMNESS = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
_RANDOM_OUT = (
    "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out variants as a "
    "workaround"
)
_UNBATCHED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If "
    "this is necessary for your usage, please file an issue with functorch."
)
_OLD_RANDOMNESS = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of "
    "vmap as a workaround"
)


class Composites(CompositeWrappers):
    """The composite functions, which are collected when the first vmap runs."""

    def install(self) -> None:
        """Replace the composite functions by stubs that call ``_mapped``."""
        self.find()
        super().install()

    def find(self) -> None:
        """Collect and wrap the composite functions, once."""
        if not self.wrapped:
            for (name, _), function in dict(composed()).items():
                if function not in self.wrapped:  # an alias may have been wrapped already
                    self.wrap(function, functools.partial(_mapped, name), outer=True)


composites = Composites()


@without_overrides
def _mapped(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a composite function under vmap: by its batch rule, as a decomposition, or per sample."""
    if not vmaps:
        return function(*args, **kwargs)
    facts = facts_of(function)
    if facts.random and not _sure(name, function, args, kwargs):
        return _drawn(name, function, args, kwargs)
    level = level_of((args, tuple(kwargs.values())))
    if level < 0:
        return function(*args, **kwargs)
    if name.startswith("recurrent_"):
        return batched_fallback.recurrent(name, function, args, kwargs, level)
    if name == "rrelu" and kwargs.get("inplace"):
        name = "rrelu_"
    if name in ("is_nonzero", "item"):
        raise data_dependent_error(name, level)
    refused = _refusal(name, facts, level)
    if refused:
        raise RuntimeError(refused)
    if name in INDEXING:
        masked = any(
            each.__class__ is BatchedTensor and each._array.dtype.kind == "b"
            for each in flat_values(args[1:2])
        )
        if masked and (name == "__getitem__" or args[0].__class__ is BatchedTensor):
            raise RuntimeError(MASK)
    again = functools.partial(_again, name, function)
    by_rule = uses_batch_rules(level) or (vmaps[level].old and name.startswith("new_"))
    if name in COMPOSED and by_rule and kwargs.get("out") is None:
        result = COMPOSED[name](again, args, kwargs, level)
        if result is not NotImplemented:
            return result
    if facts.vmap == "fallback" and uses_batch_rules(level) and kwargs.get("out") is None:
        called = batched_fallback.overload_of(name, facts.overload, args, kwargs)
        result = batched_fallback.composed(called, again, args, kwargs, level)
        if result is not NotImplemented:
            return result
    writes = name == "__setitem__" or (name.endswith("_") and not name.startswith("_"))
    if writes:
        if uses_batch_rules(level) and has_inplace_batch_rule(name, function, args, level):
            return function(*args, **kwargs)
        by_tensor = name == "__setitem__" and any(isinstance(each, Tensor) for each in flat_values(args[1:2]))
        if by_tensor:
            name, facts = "index_put_", facts_of(Tensor.index_put_)  # type: ignore[attr-defined]
        return for_each_sample_inplace(again, args, kwargs, level, name, facts)
    _check_arguments(name, function, args, kwargs, level)
    decomposed = facts.vmap in ("decompose", "fallback") or (facts.random and not name.endswith("_"))
    if decomposed and uses_batch_rules(level):  # with a fallback, inside of a derivative
        return function(*args, **kwargs)
    if vmaps[level].old and name != "outer":
        try:
            return function(*args, **kwargs)  # of rows that have rules; see Note [Rules of the old vmap]
        except NotImplementedError:
            pass
    if name in ("as_strided", "as_strided_copy"):
        return strided(again, *args, **kwargs)
    return for_each_sample(again, args, kwargs, level)


def _check_arguments(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> None:
    """Refuse arguments with which torch has no batch rule for a function."""
    if kwargs.get("out") is not None:
        raise RuntimeError(NO_RULE.format(f"{name}.out"))
    if name in _BY_TENSOR and not inside_derivative(level):  # which decomposes them
        argument, text = _BY_TENSOR[name]
        if isinstance(inspect.signature(function).bind(*args, **kwargs).arguments.get(argument), Tensor):
            raise RuntimeError(text)
    if name == "where" and len(args) + len(kwargs) == 1:
        raise RuntimeError(DYNAMIC.format(name))
    if (
        name == "one_hot"
        and inspect.signature(function).bind(*args, **kwargs).arguments.get("num_classes", -1) == -1
    ):
        raise RuntimeError(_WITHOUT_CLASSES)
    if name in _NORMS:
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        _refuse_shared_statistics(bound.arguments)


def _refusal(name: str, facts: Facts, level: int) -> str | None:
    """The error message for a function that torch refuses under vmap, or None; a derivative decomposes some."""
    old = vmap_of(level).old
    if old and name in _OLD_VIEWS:
        return OLD_VIEW.format(name + _OLD_VIEWS[name])
    if old and name in _OLD_LISTS:
        return OLD_REFUSAL.format(_OLD_LISTS[name])
    if facts.vmap == "no_fallback" and not inside_derivative(level):
        return batched_fallback.NO_FALLBACK.format(
            name if facts.overload == "default" else f"{name}.{facts.overload}"
        )
    if facts.vmap == "dynamic":
        return DYNAMIC.format(facts.operator or name)
    if facts.vmap == "unsupported":
        return _UNSUPPORTED.format(name)
    return facts.no_vmap if isinstance(facts.no_vmap, str) else None


def _refuse_shared_statistics(given: dict[str, Any]) -> None:
    """Refuse to update running statistics that are not batched where the input is."""
    moved = given["training" if "training" in given else "use_input_stats"]
    running = [given.get(name) for name in ("running_mean", "running_var")]
    level = level_of((given["input"],))
    if moved and any(each is not None and level_of((each,)) < level for each in running):
        raise RuntimeError(errors.BATCH_NORM_SHARED)


def _again(name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return _mapped(name, function, args, kwargs)


# Randomness ---------------------------------------------------------------------------------------


def _sure(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of a dropout function draws no random numbers: training is False, or p is 0 or 1."""
    if "dropout" not in name:
        return False
    given = dict(zip(("input", "p", "train"), args, strict=False)) | kwargs  # of torch.dropout
    signature = inspect.signature(function)
    if "p" in signature.parameters:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
    return given.get("training", given.get("train")) is False or given["p"] in (0, 1)


def _drawn(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a random function by vmap's randomness: refuse it, draw the same for all samples, or different numbers."""
    level = len(vmaps) - 1
    running = vmaps[level]
    if running.randomness == "error":
        raise RuntimeError(_OLD_RANDOMNESS if running.old else _RANDOMNESS)
    if kwargs.get("out") is not None:
        raise RuntimeError(_RANDOM_OUT)
    mapped = level_of((args, tuple(kwargs.values()))) == level
    if mapped and name.endswith("dropout") and not front(args[0]).is_contiguous():
        # torch draws in the order of the samples
        args = (make_batched(front(args[0]).contiguous(), 0, level), *args[1:])
    if running.randomness == "same":
        if not mapped:
            return _outside(name, function, args, kwargs)
        parameters = args if facts_of(function).random_by_values else args[1:] if name == "bernoulli_" else ()
        if level_of((parameters, tuple(kwargs.values()))) == level:
            raise RuntimeError(_BATCHED_PARAMETERS)
        if name.endswith("_like"):  # the result is the same for all samples, and not batched
            return _outside(name, function, (args[0]._samples[0], *args[1:]), kwargs)
        if name.endswith("_") and level and vmaps[level - 1].randomness == "different":
            raise RuntimeError(
                _UNBATCHED
            )  # torch draws into a tensor without batch dimensions, and copies that
        before = default_generator.get_state()

        def as_before(*inner: Any, **named: Any) -> Any:
            default_generator.set_state(before)
            return _outside(name, function, inner, named)

        if name.endswith("_"):
            return for_each_sample_inplace(as_before, args, kwargs, level, name)
        return for_each_sample(as_before, args, kwargs, level)
    if facts_of(function).random == "by_shape":
        return make_batched(_outside(name, function, *_with_size(name, args, kwargs, running.size)), 0, level)
    rest = level_of((args[1:], tuple(kwargs.values()))) < 0
    if facts_of(function).random == "elementwise" and rest:
        source = args[0]
        if name.endswith("_") and not mapped:
            raise RuntimeError(_UNBATCHED)
        value = front(source) if mapped else source.unsqueeze(0).expand((running.size, *source.shape)).clone()
        drawn = _outside(name, function, (value, *args[1:]), kwargs)
        if not name.endswith("_"):
            return make_batched(drawn, 0, level)
        if source._value is not None:
            return source
        values = iter(drawn.unbind(0))
        return for_each_sample_inplace(lambda each: each.copy_(next(values)), (source,), {}, level, name)
    if not mapped:
        return batch_samples(
            [_outside(name, function, args, kwargs) for _ in range(max(running.size, 1))], level
        )

    def draw(*inner: Any, **named: Any) -> Any:
        return _outside(name, function, inner, named)

    if name.endswith("_"):
        return for_each_sample_inplace(draw, args, kwargs, level, name)
    return for_each_sample(draw, args, kwargs, level)


def _outside(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw outside the innermost vmap; the randomness of an enclosing vmap applies there."""
    running = vmaps.pop()
    try:
        return _drawn(name, function, args, kwargs) if vmaps else function(*args, **kwargs)
    finally:
        vmaps.append(running)


def _with_size(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], count: int
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with ``count`` prepended to the size, for one draw for all samples."""
    if "size" in kwargs:
        return args, {**kwargs, "size": (count, *kwargs["size"])}
    if name == "randint":
        return (*args[:-1], (count, *args[-1])), kwargs
    return (count, *new_sizes(args)), kwargs
