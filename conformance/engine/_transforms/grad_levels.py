"""Nested grad, vjp and jacrev levels in a single autograd graph (torch: functorch/TensorWrapper.cpp, DynamicLayer.cpp).

Note [Levels of one graph]: torch has a graph for each level; this engine has one graph for all. A transform replaces
its arguments by fresh tensors and differentiates with respect to these. A fresh tensor is a leaf; or a view, if the
argument itself requires grad. What a transform returns is detached, unless its graph reaches a leaf that outlives the
transform: a parameter of the user's, or a fresh tensor of an enclosing transform. A leaf made by the transformed
function does not outlive it. After a transform has ended, a node reports its edges as in the graph outside: they skip
fresh views, and an edge that leads only to fresh leaves is not reported.

Note [Derivatives of examples]: inside a vmap each sample has its own fresh tensor, even for an argument that is not
batched. These are one batched value: since samples do not mix, backward of the sum over all samples yields each
sample's gradient. Where tensors may have batched tangents, see Note [Batched tangents], each sample is differentiated
separately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from weakref import WeakSet

from .._aten.creation.factories import ones_like, zeros_like
from .._autograd import backward
from .._autograd.batched_tensor import (
    BatchedTensor,
    for_each_sample,
    level_of,
    make_batched,
    unwrap_batched,
    uses_batch_rules,
    vmaps,
)
from .._autograd.node import NO_EDGE, AccumulateGrad, Edge, Gradients, Node, gradient_edge, new_node
from .._autograd.tensor import Tensor, make, version_counter
from .._autograd.torch_function import without_overrides
from .._autograd.views import ViewInfo, as_view
from .._c10 import errors
from .._c10.interpreter_stack import Transform, transforms
from .._c10.layout import Unstrided
from .._c10.modes import state
from .jvp import primal

ALL_LEVELS = 1 << 30


class StandIn(Node):
    """The node of a fresh view, which passes the gradient on unchanged."""

    __slots__ = ("transform", "value")
    transform: Transform
    value: Tensor  # the argument that the view replaces

    def _apply(self, grads: Gradients) -> Gradients:
        return grads


class _FreshView(ViewInfo):
    """The view metadata of a fresh view, whose node stays: at its level no write to the argument counts."""

    __slots__ = ()

    def grad_fn(self, view: Tensor) -> Node | None:
        return view._node


StandIn.__name__ = StandIn.__qualname__ = "ViewBackward0"
_LEAVES: WeakSet[Tensor] = WeakSet()  # the fresh ones


@without_overrides
def fresh(value: Any, transform: Transform) -> Tensor:
    """The tensor that replaces an argument, and with respect to which the transform differentiates."""
    if not isinstance(value, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
    Node.visible_edges = staticmethod(_shown)
    if vmaps and not uses_batch_rules(len(vmaps) - 1):
        level = level_of((value,))
        return (
            for_each_sample(fresh, (value, transform), {}, level)
            if level >= 0
            else _fresh(value, transform, -1)
        )
    return _fresh(value, transform, len(vmaps) - 1)


def _fresh(value: Tensor, transform: Transform, level: int) -> Tensor:
    if level >= 0:
        return make_batched(_fresh(_front_at(value, level), transform, level - 1), 0, level)
    if state.recording and value.requires_grad:
        is_sparse = isinstance(value._array, Unstrided)  # which has no views
        seen = make(value._array) if is_sparse else value.view_as(value)
        seen._transform, seen._age = transform, transforms.age
        seen._node, seen._requires_grad = _standing(value, transform), True
        if seen._view is not None:
            seen._view = _FreshView(seen._view.base, seen._view.creation, seen._view.attr_version)
        return seen
    result = primal(value, ALL_LEVELS, False)
    if result._array.dtype.kind not in "fcV":
        raise RuntimeError(errors.REQUIRES_GRAD_DTYPE)
    result._requires_grad = True
    if (
        not value._inference
    ):  # it has the memory of the argument, whose version counts writes through detach()
        result._version_counter = version_counter(value)
    result._transform = transform
    _LEAVES.add(result)
    return result


def _unwrap_or_expand(value: Tensor, level: int) -> tuple[Tensor, int]:
    """The value of a batched tensor and its batch dimension; an unbatched tensor is expanded."""
    if value.__class__ is BatchedTensor and value._level == level:
        return unwrap_batched(value)
    return value.expand(vmaps[level].size, *value._array.shape), 0


def _standing(value: Tensor, transform: Transform) -> StandIn:
    node = new_node(StandIn)
    node.next_edges, node.input_metadata = (
        (gradient_edge(value),),
        ((value._array.shape, value._array.dtype),),
    )
    node.transform, node.value = transform, value
    return node


@without_overrides
def left(value: Any, recording: bool, transform: Transform) -> Any:
    """What a transform returns, detached from its level and no subclass; see Note [Levels of one graph]."""
    if not isinstance(value, Tensor):
        return value
    if value._age >= transform.age and value.__class__ is not BatchedTensor:
        value.__class__ = Tensor
    level = level_of((value,))
    if level >= 0 and uses_batch_rules(level):
        unwrapped, dim = unwrap_batched(value)
        return make_batched(left(unwrapped, recording, transform), dim, level)
    if level >= 0:
        return for_each_sample(left, (value, recording, transform), {}, level)
    if value._tangents:
        value._tangents = {
            number: left(tangent, recording, transform) for number, tangent in value._tangents.items()
        }
    if not value.requires_grad:
        return value
    if recording and isinstance(value._node, StandIn) and not value._node.transform.alive:
        return value._node.value
    node = value.grad_fn
    outlives = not _is_gone(value, transform.age) if node is None else _leads_on(node, transform.age)
    return value if recording and outlives else _outside(value)


def _outside(value: Tensor) -> Tensor:
    """A detached tensor that is still a view of its base, or has the same version."""
    result = primal(value, ALL_LEVELS, False)
    if value._view is not None and not value._inference:
        base = value._view.base
        as_view(result, _outside(base) if base.requires_grad else base)
    elif value._version_counter is not None:
        version_counter(result).value = value._version
    return result


def _is_gone(leaf: Tensor, age: int = ALL_LEVELS) -> bool:
    """Whether a leaf ended with a transform: that of a fresh tensor, or one of at most this age that made it."""
    return leaf._age >= age if leaf._transform is None else not leaf._transform.alive


def _leads_on(root: Node, age: int = ALL_LEVELS) -> bool:
    """Whether the graph of a node reaches a leaf that outlives the transforms that ended.

    It also does if it reaches no leaf at all: a view made under no_grad requires grad, but has no accumulator.
    """
    seen = {root}
    waiting = [root]
    leaves = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, AccumulateGrad):
            leaves += 1
            if not _is_gone(node.variable, age):
                return True
        for following in node.next_nodes:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return not leaves


def _shown(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """The edges of a node as they are in the graph outside of the transforms that ended."""
    return tuple(map(_shown_edge, edges))


def _shown_edge(edge: Edge) -> Edge:
    node = edge[0]
    while isinstance(node, StandIn) and not node.transform.alive:
        edge = node.next_edges[0]
        node = edge[0]
    if node is None or (_LEAVES and not _is_shown(node)):
        return NO_EDGE
    return edge


_SHOWN: dict[tuple[int, int], bool] = {}  # by number and place of a node, which no two nodes share


def _is_shown(root: Node) -> bool:
    """Whether a node's graph ends elsewhere than in leaves that are gone; the answer is cached for each node on the way."""
    waiting = [root]
    while waiting:
        node = waiting[-1]
        following = [each for each in node.next_nodes if each is not None]
        result = [_known(each) for each in following]
        if _known(node) is None:
            if None in result and True not in result:
                waiting += [each for each, known in zip(following, result, strict=True) if known is None]
                continue
            _SHOWN[node.sequence_nr, id(node)] = True in result or not following
        waiting.pop()
    return bool(_known(root))


def _known(node: Node) -> bool | None:
    if isinstance(node, AccumulateGrad):  # which have no sequence number of their own
        return not _is_gone(node.variable)
    return _SHOWN.get((node.sequence_nr, id(node)))


def end(transform: Transform) -> None:
    """Mark a transform as ended, and with it its fresh tensors."""
    transform.alive = False
    _SHOWN.clear()


def are_batched_at(inputs: Sequence[Any], level: int) -> bool:
    """Whether all inputs are batched at a level and have a single value, not separate samples."""
    return all(
        each.__class__ is BatchedTensor and each._level == level and each._value is not None
        for each in inputs
    )


def grad_of_batched(
    take: Callable[..., Sequence[Tensor | None]], outputs: Sequence[Any], inputs: Sequence[Any], given: Sequence[Any],
    level: int,
) -> list[Any]:  # fmt: skip
    """The gradients of batched inputs, by one call of ``take`` with the values; see Note [Derivatives of examples]."""
    roots = [_front_at(each, level) for each in outputs]
    vectors = [
        ones_like(root) if each is None else _front_at(each, level)
        for root, each in zip(roots, given, strict=True)
    ]
    values = [_unwrap_or_expand(each, level) for each in inputs]
    result = take(roots, [value for value, _ in values], vectors)
    return [
        gradient if gradient is None else make_batched(gradient, dim, level)
        for gradient, (_, dim) in zip(result, values, strict=True)
    ]


def grad_under_vmap(
    outputs: Any, inputs: Any, grad_outputs: Any, options: tuple[Any, ...], level: int
) -> Any:
    """grad of tensors that are batched by a vmap: one batched pass if the inputs are batched, else one for each sample.

    Args:
        options: the further arguments of ``grad``.
        level: of the vmap.
    """
    roots = backward._tuple(outputs)
    for number, root in enumerate(roots):
        if not root.requires_grad:
            raise RuntimeError(errors.OUTSIDE_THE_GRAPH.format(number))
    *_, is_grads_batched, _ = options
    if is_grads_batched or isinstance(inputs, dict) or not are_batched_at(backward._tuple(inputs), level):
        return for_each_sample(backward.grad, (outputs, inputs, grad_outputs, *options), {}, level)
    grads = backward._make_grads(
        roots, backward._as_tuple_of_gradients(grad_outputs, len(roots)), batched=False
    )
    return tuple(
        grad_of_batched(
            lambda roots, wanted, grads: backward.grad(roots, wanted, grads, *options),
            roots,
            backward._tuple(inputs),
            grads,
            level,
        )
    )


def _front_at(tensor: Tensor, level: int) -> Tensor:
    value, dim = _unwrap_or_expand(tensor, level)
    return value if dim == 0 else value.movedim(dim, 0)


def gradients_of(
    outputs: list[Any],
    inputs: list[Any],
    given: list[Any],
    retain_graph: bool = True,
    create_graph: bool = True,
) -> list[Tensor]:
    """The gradients of the outputs with respect to the inputs, zeros for unused inputs; batched for batched inputs."""
    level = level_of((outputs, inputs))
    how = {"retain_graph": retain_graph, "create_graph": create_graph}
    if level >= 0 and level_of(given) <= level and are_batched_at(inputs, level):
        if any(each is None for each in given):  # of a complex output there is no implicit gradient
            given = backward._make_grads(tuple(outputs), tuple(given), batched=False)
        return grad_of_batched(partial(gradients_of, **how), outputs, inputs, given, level)
    if level >= 0:
        result: list[Tensor] = for_each_sample(
            gradients_of, (outputs, inputs, given), how, max(level, level_of(given))
        )
        return result
    live = [(output, v) for output, v in zip(outputs, given, strict=True) if output.requires_grad]
    gradients: Sequence[Tensor | None] = [None] * len(inputs)
    if live:
        roots, vectors = zip(*live, strict=True)
        gradients = backward.grad(roots, inputs, vectors, **how, allow_unused=True)
    return [
        zeros_like(each) if gradient is None else gradient
        for each, gradient in zip(inputs, gradients, strict=True)
    ]
