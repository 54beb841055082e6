"""torch.autograd.functional: Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._arguments.absent_names import look_up
from .._aten.creation import factories as _factories
from .._aten.shape import cat_stack as _cat_stack
from .._autograd import backward as _backward
from .._autograd.tensor import Tensor
from .._c10 import modes as _modes
from .._transforms.vmap import old_vmap as _old_vmap
from . import forward_ad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = tuple[Any, ...]

_STRICT = " This is not allowed in strict mode."
_NO_PATH = "The output of the user-provided function is independent of input {}." + _STRICT
_CONSTANT = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in "
    "a differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function."
    + _STRICT,
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {} is independent of the input. This is not allowed in strict mode. You should ensure that your function "
    "is twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
    "function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the input."
    + _STRICT
    + " You should ensure that your function is thrice differentiable and that the hessian depends on the inputs.",
}
_MISSING = {
    "back": _NO_PATH,
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using "
    "the double backward trick to compute forward mode gradients." + _STRICT,
    "double_back": "The jacobian of the user-provided function is independent of input {}." + _STRICT,
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. "
    "This is not allowed in strict mode as it prevents from using the double backward trick to replace forward mode "
    "AD.",
}
_ONE_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
    "element."
)
_ONE_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single "
    "element."
)
_OUTPUTS = "outputs of the user-provided function"


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of ``func`` and the product of a vector with its Jacobian.

    Raises:
        RuntimeError: v does not match the outputs; in strict mode, an output does not depend on an input.
    """
    with _modes.enable_grad():
        several, points = _as_tuple(inputs, "inputs", "vjp")
        points = _prepare_inputs(points, create_graph, True)
        several_outputs, outputs = _as_tuple(func(*points), _OUTPUTS, "vjp")
        _check_differentiable(outputs, "outputs", strict)
        if v is not None:
            v = _vector(v, outputs, several_outputs, "vjp", create_graph)
        elif len(outputs) != 1 or outputs[0].nelement() != 1:
            raise RuntimeError(_ONE_OUTPUT)
    product = _fill_zeros(_grad(outputs, points, v, create_graph), points, strict, create_graph, "back")
    return _given_back(outputs, several_outputs, create_graph), _given_back(product, several, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of ``func`` and the product of its Jacobian with a vector, by two backward passes.

    Raises:
        RuntimeError: v does not match the inputs; in strict mode, an output does not depend on an input.
    """
    with _modes.enable_grad():
        _, points, v = _points_and_vector(inputs, v, create_graph, "jvp")
        several_outputs, outputs = _as_tuple(func(*points), _OUTPUTS, "jvp")
        _check_differentiable(outputs, "outputs", strict)
        weights = tuple(_zeros_like(each).requires_grad_() for each in outputs)
        gradients = _grad(outputs, points, weights, True)
        _check_differentiable(gradients, "grad_inputs", strict)
    product = _grad(gradients, weights, v, create_graph)
    product = _fill_zeros(product, outputs, strict, create_graph, "back_trick")
    return (
        _given_back(outputs, several_outputs, create_graph),
        _given_back(product, several_outputs, create_graph),
    )


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value of a scalar function and the product of a vector with its Hessian.

    Raises:
        RuntimeError: the function does not return a scalar; v does not match; strict mode is violated.
    """
    with _modes.enable_grad():
        several, points, v = _points_and_vector(inputs, v, create_graph, "vhp")
        outputs, gradients = _value_and_gradients(func, points, strict, "vhp")
    product = _fill_zeros(
        _grad(gradients, points, v, create_graph), points, strict, create_graph, "double_back"
    )
    return _given_back(outputs, False, create_graph), _given_back(product, several, create_graph)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value of a scalar function and the product of its Hessian with a vector.

    Raises:
        RuntimeError: the function does not return a scalar; v does not match; strict mode is violated.
    """
    with _modes.enable_grad():
        several, points, v = _points_and_vector(inputs, v, create_graph, "hvp")
        outputs, gradients = _value_and_gradients(func, points, strict, "hvp")
        weights = tuple(_zeros_like(each).requires_grad_() for each in points)
        second = _grad(gradients, points, weights, True)
        _check_differentiable(gradients, "hessian", strict)
    product = _grad(second, weights, v, create_graph)
    product = _fill_zeros(product, points, strict, create_graph, "double_back_trick")
    return _given_back(outputs, False, create_graph), _given_back(product, several, create_graph)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of ``func``: for each output and input a tensor of both their shapes.

    Raises:
        RuntimeError: strict mode is violated, or used with ``vectorize``.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        _check_forward_mode(create_graph, strict, vectorize)
        return _jacobian_columns(func, inputs)
    with _modes.enable_grad():
        several, points = _as_tuple(inputs, "inputs", "jacobian")
        points = _prepare_inputs(points, create_graph, True)
        several_outputs, outputs = _as_tuple(func(*points), _OUTPUTS, "jacobian")
        _check_differentiable(outputs, "outputs", strict)
        if strict and vectorize:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        if vectorize:
            blocks = _batched_jacobian_rows(outputs, points, create_graph)
        else:
            blocks = tuple(
                _jacobian_rows(number, output, points, create_graph, strict)
                for number, output in enumerate(outputs)
            )
        found = blocks if create_graph else tuple(tuple(each.detach() for each in row) for row in blocks)
    return _unwrapped(found, several_outputs, several)


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a scalar function: for each pair of inputs a tensor of both their shapes.

    Raises:
        RuntimeError: the function does not return a scalar; strict mode is violated.
    """
    several, points = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*arguments: Any) -> Any:
        return _scalar_output(func, arguments, "hessian", strict)[0].squeeze()

    def gradient(*arguments: Any) -> Any:
        # Otherwise they would be detached from the graph and lose their tangents.
        if outer_jacobian_strategy == "forward-mode":
            arguments = tuple(each.requires_grad_(True) for each in arguments)
        found = jacobian(scalar, arguments, create_graph=True)
        _check_differentiable(found, "jacobian", strict)
        return found

    found = jacobian(gradient, points, create_graph, strict, vectorize, outer_jacobian_strategy)
    return _unwrapped(found, several, several)


# Helpers ------------------------------------------------------------------------------------------


def _check_forward_mode(create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Raise an error for options that forward mode does not support."""
    head = "torch.autograd.functional.jacobian: "
    if create_graph:
        raise NotImplementedError(
            head
            + '`create_graph=True` and `strategy="forward-mode"` are not supported together (yet). Please either '
            'set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            head
            + '`strict=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
            '`strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )


def _jacobian_columns(func: Callable[..., Any], inputs: Any) -> Any:
    """The Jacobian by columns: one call of ``func`` on dual tensors with a batch of tangents."""
    several, points = _as_tuple(inputs, "inputs", "jacobian")
    counts = tuple(each.nelement() for each in points)
    seen: list[Any] = []

    def push(*directions: Any) -> list[Tensor]:
        with forward_ad.dual_level():
            duals = [
                forward_ad.make_dual(each, v.view_as(each))
                for each, v in zip(points, directions, strict=True)
            ]
            several_outputs, outputs = _as_tuple(func(*duals), "outputs", "None")
            pairs = [forward_ad.unpack_dual(each) for each in outputs]
            seen[:] = several_outputs, [primal.shape for primal, _ in pairs]
            return [_zeros_like(primal) if v is None else v for primal, v in pairs]

    columns = _old_vmap(push, _construct_standard_basis_for(points, counts), sum(counts))
    blocks = [  # torch returns lists in this case only
        [
            part.movedim(0, -1).reshape((*shape, *each.shape))
            for part, each in zip(column.split(list(counts)), points, strict=True)
        ]
        for column, shape in zip(columns, seen[1], strict=True)
    ]
    return _unwrapped(blocks, seen[0], several)


def _jacobian_rows(
    number: int, output: Tensor, points: Tensors, create_graph: bool, strict: bool
) -> tuple[Tensor, ...]:
    """The Jacobian of one output by rows: one backward pass for each element."""
    rows: list[list[Tensor]] = [[] for _ in points]
    for element in range(output.nelement()):
        found = _grad((output.reshape(-1)[element],), points, None, create_graph, retain_graph=True)
        for place, (gradient, point) in enumerate(zip(found, points, strict=True)):
            if gradient is None and strict:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {place}."
                    + _STRICT
                )
            if gradient is not None and strict and create_graph and not gradient.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. This is not "
                    "allowed in strict mode when create_graph=True."
                )
            rows[place].append(_zeros_like(point) if gradient is None else gradient)
    return tuple(
        _cat_stack.stack(each, 0).view(output.size() + point.size())
        for each, point in zip(rows, points, strict=True)
    )


def _batched_jacobian_rows(outputs: Tensors, points: Tensors, create_graph: bool) -> Tensors:
    """The Jacobians of all outputs by one backward pass with a batch of gradients."""
    counts = tuple(output.nelement() for output in outputs)
    flat = tuple(output.reshape(-1) for output in outputs)
    basis = _construct_standard_basis_for(outputs, counts)
    found = _grad(flat, points, basis, create_graph, batched=True)
    columns = []
    for gradient, point in zip(found, points, strict=True):
        whole = gradient
        if gradient is None:
            whole = _zeros_like(point).expand((sum(counts), *point.size()))
        parts = whole.split(list(counts), 0)
        columns.append(
            [each.view(output.size() + point.size()) for each, output in zip(parts, outputs, strict=True)]
        )
    return tuple(zip(*columns, strict=True))


def _construct_standard_basis_for(tensors: Tensors, tensor_numels: tuple[int, ...]) -> Tensors:
    """The identity matrix over all elements of several tensors, split into each tensor's columns."""
    total = sum(tensor_numels)
    chunks = tuple(each.new_zeros((total, n)) for each, n in zip(tensors, tensor_numels, strict=True))
    start = 0
    for chunk, n in zip(chunks, tensor_numels, strict=True):
        np.fill_diagonal(chunk._array[start : start + n], 1)
        start += n
    return chunks


def _as_tuple(value: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """Whether the argument is a tuple, and the argument as a tuple."""
    several = isinstance(value, tuple)
    listed = value if several else (value,)
    for index, each in enumerate(listed):
        if not isinstance(each, Tensor):
            where = f"the value at index {index}" if several else f"the given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but {where} has type "
                f"{type(each)}."
            )
    return several, listed


def _prepare_inputs(tensors: Tensors, create_graph: bool, need_graph: bool) -> Tensors:
    """The inputs to differentiate: connected to the graph with ``create_graph``, else detached leaves."""
    return tuple(
        each.view_as(each)
        if create_graph and each.requires_grad
        else each.detach().requires_grad_(need_graph)
        for each in tensors
    )


def _vector(v: Any, others: Tensors, several: bool, function: str, create_graph: bool) -> Tensors:
    vector = _prepare_inputs(_as_tuple(v, "v", function)[1], create_graph, False)
    if len(others) != len(vector):
        if several:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(others)} but got {len(vector)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (have, want) in enumerate(zip(vector, others, strict=True)):
        if have.size() != want.size():
            where = f"Entry {index} in " if several else ""
            raise RuntimeError(f"{where}v has invalid size: should be {want.size()} but got {have.size()}.")
    return vector


def _points_and_vector(
    inputs: Any, v: Any, create_graph: bool, function: str
) -> tuple[bool, Tensors, Tensors | None]:
    """Whether the inputs are a tuple, the inputs, and a vector of the same shapes."""
    several, points = _as_tuple(inputs, "inputs", function)
    points = _prepare_inputs(points, create_graph, True)
    if v is not None:
        return several, points, _vector(v, points, several, function, create_graph)
    if len(points) != 1 or points[0].nelement() != 1:
        raise RuntimeError(_ONE_INPUT)
    return several, points, None


def _value_and_gradients(
    func: Callable[..., Any], points: Tensors, strict: bool, function: str
) -> tuple[Tensors, Any]:
    """The scalar output of a function, and its gradients with a graph."""
    outputs = _scalar_output(func, points, function, strict)
    gradients = _grad(outputs, points, None, True)
    _check_differentiable(gradients, "jacobian", strict)
    return outputs, gradients


def _scalar_output(func: Callable[..., Any], points: Tensors, function: str, strict: bool) -> Tensors:
    several, outputs = _as_tuple(func(*points), _OUTPUTS, function)
    _check_differentiable(outputs, "outputs", strict)
    if several:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {function} should contain a single element"
        )
    return outputs


def _check_differentiable(tensors: Any, what: str, strict: bool) -> None:
    """In strict mode, raise an error for outputs that do not require grad."""
    if not strict:
        return
    for index, each in enumerate(tensors):
        if each is None:
            raise RuntimeError(_NO_PATH.format(index))
        if not each.requires_grad:
            raise RuntimeError(_CONSTANT[what].format(index))


def _grad(
    outputs: Tensors,
    inputs: Tensors,
    given: Tensors | None,
    create_graph: bool,
    retain_graph: bool | None = None,
    batched: bool = False,
) -> Tensors:
    """torch.autograd.grad of the outputs that require grad; None for inputs that they do not depend on."""
    pairs = zip(outputs, given or (None,) * len(outputs), strict=True)
    live = [(output, v) for output, v in pairs if output is not None and output.requires_grad]
    if not live:
        return (None,) * len(inputs)
    found: Tensors = _backward.grad(
        tuple(output for output, _ in live),
        inputs,
        tuple(v for _, v in live),
        allow_unused=True,
        create_graph=create_graph,
        retain_graph=retain_graph,
        is_grads_batched=batched,
    )
    return found


def _fill_zeros(found: Tensors, like: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """Replace missing gradients by zeros; in strict mode raise an error."""
    filled = []
    for index, (each, reference) in enumerate(zip(found, like, strict=False)):
        if each is None:
            if strict:
                raise RuntimeError(_MISSING[stage].format(index))
            filled.append(_zeros_like(reference))
            continue
        if strict and create_graph and not each.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {index}. This is not allowed in "
                "strict mode when create_graph=True."
            )
        filled.append(each)
    return tuple(filled)


def _given_back(tensors: Tensors, several: bool, create_graph: bool) -> Any:
    found = tensors if create_graph else tuple(each.detach() for each in tensors)
    return found if several else found[0]


def _unwrapped(blocks: Any, several_outer: bool, several_inner: bool) -> Any:
    """Unwrap the levels of nested tuples that were single tensors."""
    found: Sequence[Any] = blocks if several_inner else tuple(each[0] for each in blocks)
    return found if several_outer else found[0]


def _zeros_like(tensor: Tensor) -> Any:
    return _factories.zeros_like(tensor)


__getattr__ = look_up("torch.autograd.functional")
