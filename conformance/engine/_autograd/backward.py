"""torch.autograd.backward and torch.autograd.grad: check the arguments and start a pass (torch: autograd/__init__.py)."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._c10 import dtypes, errors
from .._c10.interpreter_stack import transforms
from .._c10.modes import state
from .._c10.size import Size
from .._c10.slots import on_first_use
from .batched_tensor import level_of, vmaps
from .engine import ones_like_root, run_backward
from .node import Edge, GradientEdge, Identity, gradient_edge, new_node
from .tensor import Tensor
from .torch_dispatch_subclass import overloaded_args

# See Note [Slots].
grad_under_vmap: Callable[..., Any] = on_first_use("grad_under_vmap")
old_vmap: Callable[..., Any] = on_first_use("old_vmap")
zeros_like: Callable[..., Tensor] = on_first_use("zeros_like")
ones_like: Callable[[Tensor], Tensor] = on_first_use("ones_like")


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """torch.autograd.backward: accumulate the gradients of ``tensors`` into the grad of the leaves, or of ``inputs``.

    Raises:
        RuntimeError: called inside a transform of torch.func; ``inputs`` is empty; or a tensor does not require grad.
    """
    if transforms.depth:
        raise RuntimeError(errors.TRANSFORMED_BACKWARD)
    if vmaps:
        raise RuntimeError(errors.VMAPPED_BACKWARD)
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = tuple(inputs.values()) if isinstance(inputs, dict) else _tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _tuple(tensors)
    grads = _make_grads(roots, _as_tuple_of_gradients(grad_tensors, len(roots)), batched=False)
    if retain_graph is None:
        retain_graph = create_graph
    _engine_run_backward(roots, grads, retain_graph, create_graph, inputs or (), True)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """torch.autograd.grad: the gradients of ``outputs`` with respect to ``inputs``; no ``.grad`` changes.

    Raises:
        RuntimeError: an input is not in the graph (unless ``allow_unused``) or does not require grad.
        ValueError: ``materialize_grads`` together with ``allow_unused=False``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if transforms.count and (level := level_of((outputs, inputs))) >= 0:
        options = (retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched, materialize_grads)
        return grad_under_vmap(outputs, inputs, grad_outputs, options, level)
    keys = list(inputs) if isinstance(inputs, dict) else None
    roots = _tuple(outputs)
    t_inputs = tuple(inputs.values()) if isinstance(inputs, dict) else _tuple(inputs)
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient "
            "for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    if not t_inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    grads = _make_grads(roots, _as_tuple_of_gradients(grad_outputs, len(roots)), is_grads_batched)
    if retain_graph is None:
        retain_graph = create_graph
    if is_grads_batched:
        result = _vmap_backward(roots, grads, retain_graph, create_graph, t_inputs, allow_unused)
    else:
        result = _engine_run_backward(roots, grads, retain_graph, create_graph, t_inputs, False)
        _check_used(result, allow_unused)
    if materialize_grads:
        result = _materialize_grads(result, t_inputs, bool(create_graph))
    return dict(zip(keys, result, strict=True)) if keys is not None else tuple(result)


def _materialize_grads(
    gradients: Sequence[Tensor | None], inputs: tuple[Any, ...], requires_grad: bool
) -> list[Tensor | None]:
    """The gradients, with zeros in place of None."""
    pairs = [*zip(gradients, inputs, strict=True)]
    if any(each is None and isinstance(place, GradientEdge) for each, place in pairs):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return [zeros_like(place, requires_grad=requires_grad) if each is None else each for each, place in pairs]


def _vmap_backward(
    roots: tuple[Any, ...], grads: list[Any], retain: Any, create: bool, inputs: tuple[Any, ...], unused: bool
) -> list[Any]:
    """The pass for ``is_grads_batched``: a vmap over the first dimension of the gradients."""
    for each in grads:
        if each is None:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for an input but the input is of type <class "
                "'NoneType'>. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not each._array.ndim:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
    sizes = [len(each) for each in grads]
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )

    def vjp(*gradients: Tensor | None) -> list[Tensor | None]:
        result = _engine_run_backward(roots, list(gradients), bool(retain), create, inputs, False)
        _check_used(result, unused)
        return result

    return old_vmap(vjp, grads, sizes[0])


def _check_used(gradients: Sequence[Tensor | None], allow_unused: bool) -> None:
    for number, each in enumerate(gradients):
        if each is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {number} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )


def _tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _as_tuple_of_gradients(value: Any, length: int) -> tuple[Any, ...]:
    if value is None:
        return (None,) * length
    return (value,) if isinstance(value, Tensor) else tuple(value)


def _make_grads(roots: tuple[Any, ...], grads: tuple[Any, ...], batched: bool) -> list[Tensor | None]:
    """Check the given gradients, and create ones for scalar roots without (torch: _make_grads).

    Error messages find the number of a wrong gradient by ``index``, as in torch: so they name the first that is equal to it,
    and the comparison itself may raise.
    """
    result: list[Tensor | None] = []
    for root, gradient in zip(roots, grads, strict=False):
        if not isinstance(root, (Tensor, GradientEdge)):
            raise AssertionError("Expected output to be a torch.Tensor")
        shape, kind = _shape_and_dtype(root)
        if isinstance(gradient, Tensor):
            have = gradient._array.shape
            if batched:
                have = have[1:] if gradient.is_sparse and have and have[0] else gradient[0]._array.shape
            if have != shape:
                # torch removes the first dimension twice in this message
                numbers = grads.index(gradient), roots.index(root)
                raise RuntimeError(_mismatch(numbers, have[1:] if batched else have, shape, batched))
            if (gradient._array.dtype.kind == "c") != (kind.kind == "c"):
                raise RuntimeError(
                    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch "
                    f"in dtype: grad_output[{grads.index(gradient)}] has a dtype of {gradient.dtype} and "
                    f"output[{roots.index(root)}] has a "
                    f"dtype of {dtypes.BY_NUMPY[kind]}."
                )
            result.append(gradient)
        elif gradient is None:
            if isinstance(root, Tensor) and not root.requires_grad:
                result.append(None)
                continue
            size = 1
            for length in shape:
                size *= length
            if size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if kind.kind not in "fV":
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {dtypes.BY_NUMPY[kind]}"
                )
            if (
                transforms.carrying
                and isinstance(root, Tensor)
                and (state.dispatch_modes or overloaded_args([root]))
            ):
                result.append(ones_like(root))
            else:
                result.append(ones_like_root((shape, kind)))
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    return result


def _shape_and_dtype(root: Tensor | GradientEdge) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and dtype of a root."""
    if isinstance(root, Tensor):
        return root._array.shape, root._array.dtype
    shape, kind = root.node.input_metadata[root.output_nr]
    if kind is None:  # a leaf whose grad_dtype was set
        kind = root.node.variable._array.dtype  # type: ignore[attr-defined]
    return shape, kind


def _mismatch(numbers: tuple[int, int], have: tuple[int, ...], shape: tuple[int, ...], batched: bool) -> str:
    grad, output = numbers
    if batched:
        return (
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
            "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
            f"output, but a mismatch was detected: grad_output[{grad}] has a shape of {Size(have)} and "
            f"output[{output}] has a shape of {Size(shape)}. If you only want some tensors in `grad_output` to be "
            "considered batched, consider using vmap."
        )
    return (
        f"Mismatch in shape: grad_output[{grad}] has a shape of {Size(have)} and output[{output}] has a shape of "
        f"{Size(shape)}."
    )


def _as_bool(value: Any) -> bool:
    """A number as a bool: torch's engine parses keep_graph and create_graph as unsigned bytes."""
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    if not 0 <= number < 256:
        raise OverflowError(
            "unsigned byte integer is " + ("less than minimum" if number < 0 else "greater than maximum")
        )
    return number != 0


def _engine_run_backward(
    roots: tuple[Any, ...],
    grads: list[Tensor | None],
    keep_graph: Any,
    create_graph: Any,
    inputs: tuple[Any, ...],
    accumulate: bool,
) -> list[Tensor | None]:
    keep_graph, create_graph = _as_bool(keep_graph), _as_bool(create_graph)
    if len(roots) != len(grads):
        raise RuntimeError(f"got {len(roots)} tensors and {len(grads)} gradients")
    edges: list[Edge] = []
    for number, root in enumerate(roots):
        edge: Edge = (root.node, root.output_nr) if isinstance(root, GradientEdge) else gradient_edge(root)
        if edge[0] is None:
            raise RuntimeError(errors.OUTSIDE_THE_GRAPH.format(number))
        edges.append(edge)
    input_edges: list[Edge] = []
    for place in inputs:
        if isinstance(place, GradientEdge):
            input_edges.append((place.node, place.output_nr))
            continue
        if not isinstance(place, Tensor):
            raise RuntimeError(
                f"all inputs have to be Tensors or GradientEdges, but got {errors.typename(place)}"
            )
        if accumulate:
            place.retain_grad()
        if not place.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        edge = gradient_edge(place)
        if edge[0] is None:
            node = new_node(Identity)
            node.next_edges, node.input_metadata = (), ((place._array.shape, place._array.dtype),)
            edge = (node, 0)
        input_edges.append(edge)
    return run_backward(tuple(edges), tuple(grads), keep_graph, create_graph, input_edges, accumulate)


def _tensor_backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Compute the gradients of the leaves that this tensor was computed from."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_tensor_backward.__name__, _tensor_backward.__qualname__ = "backward", "Tensor.backward"
Tensor.backward = _tensor_backward  # type: ignore[attr-defined]
