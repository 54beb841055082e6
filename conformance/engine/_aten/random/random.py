"""torch's random functions; ``distribution_kernels`` draws the numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.random_state import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes
from ..._c10 import generator as streams
from ..._c10.device import check_memory
from ..._c10.errors import need_fitting, wrong_type
from ..._c10.operator_facts import Out
from ..._c10.operator_facts import composite as _composite
from ..._c10.shapes import broadcast_shapes, new_sizes
from ..creation.factories import empty_like, finish, kind_of, zeros_written
from ..inplace import run_inplace
from ..out import warn_resized
from ..reduction import partial_sort
from ..registry import ROWS, Array, op
from . import binomial as binomial_samples
from . import distribution_kernels


def _from(generator: Any) -> streams.Generator:
    return default_generator if generator is None else generator


def _drawn(
    name: str, draw: Callable[..., Array], writes: Out
) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    @_composite(random="by_shape", name=name, out=writes)
    def by_shape(
        *sides: Any, size: Any = None, generator: Any = None, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, out: Any = None, layout: Any = None, pin_memory: bool = False,
    ) -> Tensor:  # fmt: skip
        check_memory(device, pin_memory)
        shape = new_sizes(sides if size is None else (size,))
        return finish(draw(_from(generator), shape, kind_of(dtype, out), True), requires_grad, out, name)

    @_composite(random="elementwise")
    def like(
        input: Tensor, *, generator: Any = None, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, layout: Any = None, memory_format: Any = None, pin_memory: bool = False,
    ) -> Tensor:  # fmt: skip
        check_memory(device, pin_memory)
        result = empty_like(input, dtype=dtype, memory_format=memory_format)._array
        result[...] = _laid_out(result, lambda shape, flat: draw(_from(generator), shape, result.dtype, flat))
        return finish(result, requires_grad)

    by_shape.__name__ = by_shape.__qualname__ = name
    like.__name__ = like.__qualname__ = f"{name}_like"
    return by_shape, like


rand, rand_like = _drawn(
    "rand",
    lambda generator, shape, kind, flat: distribution_kernels.uniform(generator, shape, kind),
    Out(),
)
randn, randn_like = _drawn(
    "randn",
    lambda generator, shape, kind, flat: distribution_kernels.normal(generator, shape, kind, contiguous=flat),
    Out(resize="first"),
)


@_composite(random="by_shape", overload=lambda *args: "low" if len(args) > 2 else "default")
def randint(
    *args: Any, low: Any = None, high: Any = None, size: Any = None, generator: Any = None, dtype: Any = None,
    device: Any = None, requires_grad: bool = False, out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.randint: integers in [low, high)."""
    check_memory(device, pin_memory)
    given = list(args)
    if size is None and given and not hasattr(given[-1], "__index__"):
        size = given.pop()
    if len(given) == 2:
        low, high = given
    elif given and low is None:
        low, high = (*given, high) if high is not None else (None, *given)
    low = operator.index(0 if low is None else low)
    high = operator.index(high)
    if size is None:
        raise wrong_type("randint", "size", "tuple of ints", given[-1], len(args))
    if not low >= -(2**63) or not high < 2**63:
        raise ValueError("Overflow when unpacking long long")
    array = distribution_kernels.integers(
        _from(generator), new_sizes((size,)), kind_of(dtype, out, dtypes.int64), low, high
    )
    return finish(array, requires_grad, out, "randint")


@_composite(random="elementwise")
def randint_like(
    input: Tensor,
    low: Any = None,
    high: Any = None,
    *,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """torch.randint_like."""
    check_memory(device, pin_memory)
    if low is None or high is None:
        low, high = 0, low if high is None else high
    result = empty_like(input, dtype=dtype, memory_format=memory_format)._array
    result[...] = _laid_out(
        result,
        lambda shape, _: distribution_kernels.integers(_from(generator), shape, result.dtype, low, high),
    )
    return finish(result, requires_grad)


@_composite(random="by_example")
def randperm(
    n: int, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.randperm: a random permutation of 0 .. n-1."""
    check_memory(device, pin_memory)
    kind = kind_of(dtype, out, dtypes.int64)
    drawn = distribution_kernels.permutation(_from(generator), operator.index(n), kind)
    return finish(drawn, requires_grad, out, "randperm")


@_composite(random="by_example", random_by_values=True, out=None)
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """torch.multinomial: indices drawn in proportion to the weights in each row."""
    weights = input._array
    distribution_kernels.check_multinomial(weights, num_samples, replacement=replacement)
    if replacement and num_samples > 1:
        return finish(distribution_kernels.multinomial(_from(generator), weights, num_samples))
    race = weights / _fill(empty_like(input)._array, distribution_kernels.exponential, generator)
    chosen = (
        race.argmax(-1, keepdims=True)
        if num_samples == 1
        else partial_sort.top_indices(race, num_samples, -1, largest=True, in_order=True)
    )
    return finish(chosen)


def _zeros(grad: Tensor) -> Tensor:
    return make(np.zeros(grad._array.shape, grad._array.dtype))


@op(
    "BernoulliBackward0",
    name="bernoulli_probabilities",
    no_complex="bernoulli_tensor_cpu_self_",
    complex_if="empty",
    operator="bernoulli",
    self=_zeros,
)
def _bernoulli(self: Array, *, generator: Any = None) -> Array:
    return distribution_kernels.bernoulli_each(_from(generator), self, self.dtype)


@op(
    "NotImplemented",
    name="bernoulli_with",
    overload="p",
    operator="bernoulli",
    self=lambda grad: "aten::bernoulli",
)
def _bernoulli_with(self: Array, p: Any, generator: Any) -> Array:
    return distribution_kernels.bernoulli(_from(generator), self.shape, self.dtype, p)


def _happened(target: Array, p: Array, kind: np.dtype[Any], generator: Any) -> Array:
    """Bernoulli samples with probabilities ``p``, drawn in the order of the target's memory."""
    order = _outermost_first(target)
    drawn = distribution_kernels.bernoulli_each(_from(generator), p.transpose(order), kind)
    return drawn.transpose(np.argsort(order))


@_composite(random="elementwise", random_by_values=True)
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    """torch.bernoulli: samples whose probabilities are the elements of input, or p for all of them."""
    if out is not None:
        raise NotImplementedError("torch.bernoulli(out=...)")
    if isinstance(p, Tensor):
        p = p.item()
    if p is not None:
        return _bernoulli_with(input, p, generator)
    return _bernoulli(input, generator=generator)


def _zeroed(grad: Tensor) -> Tensor:
    """Zeros of version 1: torch's formula writes them in place."""
    return zeros_written(grad._array.shape, grad.dtype)


@op("PoissonBackward0", name="poisson", self=_zeroed)
def _poisson(self: Array, generator: Any = None) -> Array:
    return distribution_kernels.poisson(_from(generator), self)


@_composite(random="elementwise", random_by_values=True)
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """torch.poisson: a Poisson sample for each element, which is its rate."""
    return _poisson(input, generator)


@op(
    "NotImplemented",
    name="binomial",
    count=lambda grad: "aten::binomial",
    prob=lambda grad: "aten::binomial",
)
def _binomial(count: Array, prob: Array, generator: Any = None) -> Array:
    need_fitting(count.dtype.kind in "fV" and count.dtype == prob.dtype, "torch.binomial")
    warn_resized(count.shape, broadcast_shapes(count.shape, prob.shape))  # torch allocates the shape of count
    return binomial_samples.binomial(_from(generator), count, prob)


@_composite(random="by_example", random_by_values=True)
def binomial(*args: Any, **named: Any) -> Tensor:
    """torch.binomial(count, prob, generator): the number of successes in ``count`` trials of probability ``prob``.

    Raises:
        ValueError: the dtype of ``count`` is not floating point.
        RuntimeError: ``prob`` has another dtype.
        NotImplementedError: both are in half precision.
    """
    return _binomial(*args, **named)


# The gradient of torch.normal is zero for each parameter that is a tensor.


@op(
    "NormalBackward1",
    name="normal_of_mean",
    operator="normal",
    mean=lambda grad, mean_sym_sizes: _zeroed(grad.new_empty(mean_sym_sizes)),
)
def _normal_of_mean(mean: Array, drawn: Any) -> Array:
    return drawn


@op(
    "NormalBackward2",
    name="normal_of_std",
    operator="normal",
    std=lambda grad, std_sym_sizes: _zeroed(grad.new_empty(std_sym_sizes)),
)
def _normal_of_std(std: Array, drawn: Any) -> Array:
    return drawn


@op(
    "NormalBackward3",
    name="normal_of_both",
    operator="normal",
    mean=lambda grad, mean_sym_sizes: _zeroed(grad.new_empty(mean_sym_sizes)),
    std=lambda grad, std_sym_sizes: _zeroed(grad.new_empty(std_sym_sizes)),
)
def _normal_of_both(mean: Array, std: Array, drawn: Any) -> Array:
    return drawn


@_composite(random="by_example", random_by_values=True)
def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.normal: normal samples; mean and std are numbers, or tensors with a value for each element."""
    check_memory(device, pin_memory)
    if size is not None:
        drawn = distribution_kernels.normal(
            _from(generator), new_sizes((size,)), kind_of(dtype, out), mean, std
        )
        return finish(drawn, requires_grad, out, "normal")
    if out is not None:
        raise NotImplementedError("torch.normal of tensors with out=")
    arrays = [each._array if isinstance(each, Tensor) else each for each in (mean, std)]
    need_fitting(not np.iscomplexobj(arrays[1]) and (isinstance(std, Tensor) or std >= 0), "torch.normal")
    if np.any(arrays[1] < 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    shape = broadcast_shapes(*(np.shape(each) for each in arrays))
    kind = next(each for each in arrays if isinstance(each, np.ndarray)).dtype
    result = distribution_kernels.normal(_from(generator), shape, kind)
    for function, each in ((np.multiply, arrays[1]), (np.add, arrays[0])):
        result = function(result, each).astype(kind)
    if not isinstance(std, Tensor):
        return _normal_of_mean(mean, result)
    if not isinstance(mean, Tensor):
        return _normal_of_std(std, result)
    return _normal_of_both(mean, std, result)


# In-place forms: they are operators, so that autograd records them like any other in-place operation.


@op(
    "NormalBackward0",
    name="normal",
    complex="as_written",
    random="elementwise",
    inplace="method",
    self=_zeros,
)
@_composite(random="elementwise")
def _normal(self: Array, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Array:
    return _laid_out(
        self,
        lambda shape, flat: distribution_kernels.normal(
            _from(generator), shape, self.dtype, mean, std, contiguous=flat
        ),
    )


def _fill(target: Array, draw: Callable[..., Array], generator: Any, *settings: Any) -> Array:
    return _laid_out(target, lambda shape, _: draw(_from(generator), shape, target.dtype, *settings))


def _outermost_first(target: Array) -> list[int]:
    return sorted(range(target.ndim), key=lambda axis: -target.strides[axis])


def _laid_out(target: Array, draw: Callable[[tuple[int, ...], bool], Array]) -> Array:
    """Samples, drawn in the order of the target's memory."""
    if target.flags.c_contiguous:
        return draw(target.shape, True)
    order = _outermost_first(target)
    samples = draw(tuple(target.shape[axis] for axis in order), False)
    return samples.transpose(np.argsort(order))


@op(
    "UniformBackward0",
    name="uniform",
    complex="as_written",
    random="elementwise",
    inplace="method",
    self=_zeros,
)
@_composite(random="elementwise")
def _uniform(self: Array, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.uniform, generator, from_, to)


@op(
    "LogNormalBackward0",
    name="log_normal",
    random="elementwise",
    inplace="method",
    self=_zeros,
)
@_composite(random="elementwise")
def _log_normal(self: Array, mean: Any = 1.0, std: Any = 2.0, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.log_normal, generator, mean, std)


@op("ExponentialBackward0", name="exponential", random="elementwise", inplace="method", self=_zeros)
@_composite(random="elementwise")
def _exponential(self: Array, lambd: Any = 1.0, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.exponential, generator, lambd)


@op("CauchyBackward0", name="cauchy", random="elementwise", inplace="method", self=_zeros)
@_composite(random="elementwise")
def _cauchy(self: Array, median: Any = 0.0, sigma: Any = 1.0, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.cauchy, generator, median, sigma)


@op(
    "GeometricBackward0",
    name="geometric",
    random="elementwise",
    inplace="method",
    self=_zeros,
)
@_composite(random="elementwise")
def _geometric(self: Array, p: Any, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.geometric, generator, p)


@op(
    "BernoulliBackward1",
    name="bernoulli_each",
    inplace_overload="Tensor",
    operator="bernoulli",
    self=_zeros,
    p=lambda _p_sym_sizes, _p_scalar_type: zeros_written(_p_sym_sizes, _p_scalar_type),
)
def _bernoulli_each(self: Array, p: Array, *, generator: Any = None) -> Array:
    return _happened(self, np.broadcast_to(p, self.shape), self.dtype, generator)


@op(
    "BernoulliBackward2",
    name="bernoulli",
    inplace_overload="float",
    inplace="method",
    self=_zeros,
)
def _bernoulli_fill(self: Array, p: Any = 0.5, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.bernoulli, generator, p)


@op("RandomBackward0", name="random_between", operator="random", self=_zeros)
def _random_between(self: Array, low: Any, high: Any, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.integers, generator, low, high)


@op("RandomBackward1", name="random_to", self=_zeros)
def _random_to(self: Array, to: Any, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.integers, generator, 0, to)


@op("RandomBackward2", name="random", inplace="method", self=_zeros)
def _random_fill(self: Array, *, generator: Any = None) -> Array:
    return _fill(self, distribution_kernels.integers_all, generator)


@_composite(random="elementwise")
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with Bernoulli samples, with one probability or one for each element."""
    return run_inplace(ROWS["bernoulli_each" if isinstance(p, Tensor) else "bernoulli"], [self, p, generator])


@_composite(random="elementwise")
def random_(self: Tensor, *bounds: Any, generator: Any = None, **named: Any) -> Tensor:
    """Fill with random integers: of the whole dtype, in [0, to), or in [from, to); ``from`` alone is unsupported."""
    given = dict(zip(("from", "to") if len(bounds) == 2 else ("to",), bounds, strict=False)) | named
    if "from" in given:
        if given.get("to") is None:
            raise NotImplementedError("Tensor.random_ with from and no to")
        return run_inplace(ROWS["random_between"], [self, given["from"], given["to"], generator])
    if "to" in given:
        return run_inplace(ROWS["random_to"], [self, given["to"], generator])
    return run_inplace(ROWS["random"], [self, generator])


FUNCTIONS = {
    name: globals()[name]
    for name in (
        "Generator", "bernoulli", "binomial", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "multinomial",
        "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "seed",
        "set_rng_state",
    )
}  # fmt: skip


def attach() -> None:
    """Install the sampling functions that are also Tensor methods."""
    Tensor.bernoulli_ = bernoulli_  # type: ignore[attr-defined]
    Tensor.random_ = random_  # type: ignore[attr-defined]
    Tensor.bernoulli = bernoulli  # type: ignore[attr-defined]
    Tensor.multinomial = multinomial  # type: ignore[attr-defined]
