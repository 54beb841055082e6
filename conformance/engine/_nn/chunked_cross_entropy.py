"""linear_cross_entropy without the logits of the whole batch (torch: nn/modules/linear_cross_entropy.py).

For the reductions mean and sum, all gradients are computed with the loss, chunk by chunk, and backward multiplies them by
the incoming gradient. Without a reduction, backward goes through the chunks again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from .._aten.creation.factories import empty, zeros
from .._aten.indexing.index_select import index_select
from .._aten.pointwise.arithmetic import div, mul
from .._aten.pointwise.where_clamp import where
from .._aten.shape.cat_stack import stack
from .._c10 import dtypes
from .._c10.slots import on_first_use

custom_op: Callable[..., Any] = on_first_use("custom_op")  # see Note [Slots]

_TENSORS = "Tensor input, Tensor linear_weight, Tensor target, Tensor? linear_bias, Tensor? weight"
_CHUNKS = "SymInt batch_chunk_size, str acc_policy, ScalarType acc_dtype"
_CALLED_TWICE = "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are not supported."
_NO_GRADIENTS = (False, False, False)


class _Dtypes(NamedTuple):
    """The dtypes of intermediate values: some are wider than the input's if the accumulation dtype is."""

    sums: Any
    logits: Any
    loss: Any
    input_grad: Any


def _dtypes(kind: Any, wider: Any, policy: str) -> _Dtypes:
    if kind is wider:
        return _Dtypes(kind, kind, kind, kind)
    if wider is not dtypes.float32 or kind not in (dtypes.float16, dtypes.bfloat16):
        raise RuntimeError(
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
            f"{wider} acc_dtype and {kind} inputs."
        )
    half, saving = kind is dtypes.float16, policy in ("balanced", "compact")
    return _Dtypes(
        wider, kind if half and saving else wider, wider if half else kind, kind if saving else wider
    )


def _signed_weights(target: Any, ignored: Any, weight: Any, kind: Any, reduction: str, upstream: Any) -> Any:
    """The signed weight of each sample's log probability in the loss."""
    found = ~ignored if weight is None else where(ignored, 0, index_select(weight, 0, target))
    found = found.to(kind)
    if reduction == "mean":
        whole = found.sum()
        found.div_(where(whole == 0, float("nan"), -whole))
    elif reduction == "sum":
        found.neg_()
    elif upstream is not None:
        found.neg_().mul_(upstream.to(kind))
    return found


def _loop_over_chunks(
    input: Any, linear_weight: Any, target: Any, linear_bias: Any, weight: Any, reduction: str, ignore_index: int,
    size: int, policy: str, wider: Any, needs: tuple[bool, bool, bool], upstream: Any = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """The loss, and the gradients of input, weight and bias (empty tensors where one is not needed)."""
    needs_input, needs_weight, needs_bias = needs
    kind, examples, classes = input.dtype, input.shape[0], linear_weight.shape[0]
    dtypes_used = _dtypes(kind, wider, policy)
    ignored = target == ignore_index
    if not 0 <= ignore_index < classes:
        target = where(ignored, 0, target)
    factors = _signed_weights(target, ignored, weight, dtypes_used.sums, reduction, upstream)
    cast = linear_weight if dtypes_used.logits is kind else linear_weight.to(dtypes_used.logits)
    bias = None if linear_bias is None else linear_bias.to(dtypes_used.logits)
    each_loss = reduction == "none" and upstream is None
    loss = empty(examples, dtype=kind) if each_loss else zeros((), dtype=dtypes_used.loss)
    if reduction == "mean" and not examples:
        loss.fill_(float("nan"))
    input_grad: Any = empty(input.shape if needs_input else (0, 0), dtype=dtypes_used.input_grad)
    weight_grad: Any = zeros(linear_weight.shape if needs_weight else (0, 0), dtype=kind)
    bias_grad: Any = zeros((classes,) if needs_bias else (0,), dtype=kind)
    separately = policy != "compact" or dtypes_used.logits is not kind
    for start in range(0, examples, size):
        length = min(size, examples - start)
        part, labels = input.narrow(0, start, length), target.narrow(0, start, length)
        factor = factors.narrow(0, start, length)
        logits = part.to(dtypes_used.logits).mm(cast.T)
        if bias is not None:
            logits.add_(bias)
        logits.sub_(logits.amax(1, keepdim=True))
        own = logits.gather(1, labels.unsqueeze(1)).squeeze(1)
        total = logits.exp_().sum(1, dtype=dtypes_used.sums)
        if each_loss:
            found = total.log_().sub_(own.to(total.dtype)).mul_(factor.to(total.dtype))
            loss.narrow(0, start, length).copy_(found)
            continue
        loss.add_(factor.dot(own.to(factor.dtype)))
        if any(needs):
            logits.mul_(div(factor, total, out=empty(length, dtype=dtypes_used.logits)).unsqueeze(1))
        loss.sub_(factor.dot(total.log_()))
        if needs_bias:
            _add_to_bias(bias_grad, logits, labels, factor, dtypes_used.sums)
        if needs_input:
            _write_input(input_grad.narrow(0, start, length), logits, labels, factor, cast)
        if needs_weight:
            _add_to_weight(weight_grad, logits, labels, factor, part, dtypes_used.sums, separately)
    return loss.to(kind), input_grad.to(kind), weight_grad, bias_grad


def _add_to_bias(grad: Any, logits: Any, labels: Any, factor: Any, sums: Any) -> None:
    """Accumulate a chunk's gradient of the bias."""
    of_chunk = grad if sums is grad.dtype else zeros(grad.shape, dtype=sums)
    of_chunk.sub_(logits.sum(0, dtype=sums)).index_add_(0, labels, factor)
    if of_chunk is not grad:
        grad.add_(of_chunk.to(grad.dtype))


def _write_input(grad: Any, logits: Any, labels: Any, factor: Any, weight: Any) -> None:
    """Write the gradient of a chunk's input."""
    written = grad if grad.dtype is weight.dtype else empty(grad.shape, dtype=weight.dtype)
    mul(index_select(weight, 0, labels), factor.to(weight.dtype).unsqueeze(1), out=written)
    written.addmm_(logits, weight, alpha=-1)
    if written is not grad:
        grad.copy_(written)


def _add_to_weight(
    grad: Any, logits: Any, labels: Any, factor: Any, part: Any, sums: Any, separately: bool
) -> None:
    """Accumulate a chunk's gradient of the weight; with ``separately`` the chunk is summed by itself first."""
    wide = part.to(sums)
    found = wide * factor.unsqueeze(1)
    if separately:
        own_part = logits.to(sums).T.mm(wide)
        grad.sub_(own_part.index_add_(0, labels, found, alpha=-1))
    else:
        grad.addmm_(logits.T, part, alpha=-1).index_add_(0, labels, found.to(grad.dtype))


def _per_sample_rule(operator: Callable[[], Any], several: bool) -> Callable[..., Any]:
    """The vmap rule: one sample at a time."""

    def rule(info: Any, in_dims: Any, *args: Any) -> Any:
        moved = [
            each if dim is None else each.movedim(dim, 0) for each, dim in zip(args, in_dims, strict=True)
        ]
        found = [
            operator()(*[each if dim is None else each[n] for each, dim in zip(moved, in_dims, strict=True)])
            for n in range(info.batch_size)
        ]
        return (tuple(map(stack, zip(*found, strict=True))), (0, 0, 0, 0)) if several else (stack(found), 0)

    return rule


@functools.cache
def reduced() -> Any:
    """The operator for the reductions mean and sum."""

    def forward(
        input: Any, linear_weight: Any, target: Any, linear_bias: Any, weight: Any, reduction: str, ignore_index: int,
        label_smoothing: float, size: int, policy: str, wider: Any, allow_retain_graph: bool, *needs: bool,
    ) -> Any:  # fmt: skip
        return _loop_over_chunks(
            input, linear_weight, target, linear_bias, weight, reduction, ignore_index, size, policy, wider,
            (needs[0], needs[1], needs[2]),
        )  # fmt: skip

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.allow_retain_graph, *needs = inputs[-4:]
        ctx.kept = [grad.detach() if need else None for grad, need in zip(output[1:], needs, strict=True)]
        ctx.needs = needs

    def backward(ctx: Any, grad_output: Any, *others: Any) -> Any:
        found: list[Any] = [None] * 15
        for place, number in enumerate((0, 1, 3)):
            if not ctx.needs[place]:
                continue
            if ctx.allow_retain_graph:
                found[number] = ctx.kept[place] * grad_output
                continue
            kept, ctx.kept[place] = ctx.kept[place], None
            if kept is None:
                raise RuntimeError(_CALLED_TWICE)
            found[number] = kept.mul_(grad_output)
        return tuple(found)

    made = custom_op(
        "torch_nn::_linear_cross_entropy_batch_chunked", forward, mutates_args=(),
        schema=f"({_TENSORS}, str reduction, SymInt ignore_index, float label_smoothing, {_CHUNKS}, bool allow_retain_graph, "
        "bool compute_input_grad, bool compute_linear_weight_grad, bool compute_linear_bias_grad) -> "
        "(Tensor, Tensor, Tensor, Tensor)",
    )  # fmt: skip
    made.register_autograd(backward, setup_context=setup_context)
    made.register_vmap(_per_sample_rule(reduced, several=True))
    return made


@functools.cache
def unreduced() -> Any:
    """The operator for the reduction none."""

    def forward(
        input: Any, linear_weight: Any, target: Any, linear_bias: Any, weight: Any, ignore_index: int, size: int,
        policy: str, wider: Any,
    ) -> Any:  # fmt: skip
        return _loop_over_chunks(
            input, linear_weight, target, linear_bias, weight, "none", ignore_index, size, policy, wider, _NO_GRADIENTS
        )[0]  # fmt: skip

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        input, linear_weight, target, linear_bias, weight, *ctx.rest = inputs
        ctx.save_for_backward(
            input.detach(),
            linear_weight.detach(),
            target,
            linear_bias if linear_bias is None else linear_bias.detach(),
            weight if weight is None else weight.detach(),
        )

    def backward(ctx: Any, grad_output: Any) -> Any:
        input, linear_weight, target, linear_bias, weight = ctx.saved_tensors
        ignore_index, size, policy, wider = ctx.rest
        wanted = ctx.needs_input_grad
        needs = wanted[0], wanted[1], linear_bias is not None and wanted[3]
        found: list[Any] = [None] * 9
        if any(needs):
            grads = _loop_over_chunks(
                input, linear_weight, target, linear_bias, weight, "none", ignore_index, size, policy, wider, needs,
                grad_output,
            )  # fmt: skip
            for number, grad, need in zip((0, 1, 3), grads[1:], needs, strict=True):
                found[number] = grad if need else None
        return tuple(found)

    made = custom_op(
        "torch_nn::_linear_cross_entropy_batch_chunked_no_reduction", forward, mutates_args=(),
        schema=f"({_TENSORS}, SymInt ignore_index, {_CHUNKS}) -> Tensor",
    )  # fmt: skip
    made.register_autograd(backward, setup_context=setup_context)
    made.register_vmap(_per_sample_rule(unreduced, several=False))
    return made
