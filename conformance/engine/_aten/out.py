"""Results written into the tensors given as ``out=`` (torch: native/Resize.cpp, TensorIterator.cpp).

A result of another shape resizes the tensor, with a warning unless it was empty. Which dtypes the tensor may have
depends on the operation, and so do the error messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments.overloads import opname
from .._autograd.forward_grad import levels, levels_of
from .._autograd.inplace_checks import (
    SHARED_MEMORY,
    check_no_overlap,
    check_no_partial_overlap,
    warn_of_lost_part,
    write,
)
from .._autograd.node import Node, NotImplementedNode, gradient_edge, new_node
from .._autograd.storage_impl import resize_impl
from .._autograd.tensor import Tensor
from .._autograd.views import check_inplace, increment_version, rebase_history
from .._c10 import dtypes, structseq
from .._c10.errors import wrong_type
from .._c10.modes import state
from .._c10.operator_facts import composite
from .._c10.shapes import ordered, wrap_dim
from .._c10.warn_once import warn_program

if TYPE_CHECKING:
    from .registry import Row

Array = np.ndarray[Any, Any]

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)

# Operations whose out= must have the dtype of the result, by their error message; all others accept any dtype to which
# the result can be cast.
_CAST = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)"
)
_SAME_DTYPE = {
    "Expected out tensor to have dtype {wanted}, but got {got} instead": """
        addmm addmv baddbmm bmm cross linalg_cross diag diagonal_copy alias_copy linalg_lu_solve lu_solve max_dim min_dim
        softmax log_softmax aminmax topk mm slice_scatter gather index_copy index_add index_reduce sort scatter
        scatter_value scatter_add unfold_copy renorm take_along_dim unsqueeze_copy transpose_copy tril triu t_copy
        scatter_reduce permute_copy select_copy slice_copy squeeze_copy expand_copy view_copy linalg_det linalg_slogdet
        linalg_vector_norm linalg_lu_factor linalg_lu_factor_ex linalg_lu linalg_inv linalg_inv_ex linalg_solve
        linalg_svdvals linalg_cholesky linalg_cholesky_ex linalg_eigh linalg_eigvalsh linalg_qr linalg_svd
        linalg_solve_ex qr svd triangular_solve sort_stable msort as_strided_copy squeeze_dim_copy squeeze_dims_copy
        scatter_reduce_into scatter_value_reduce isin argmax argmin matmul scatter_with scatter_value_with mv
        matrix_power linear avg_pool2d avg_pool3d lu_unpack argsort linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve
    """,
    "self and mat2 must have the same dtype, but got {Got} and {Wanted}": "addbmm",
    "multi_dot(): expected out tensor to have dtype {wanted} but got {got}": "multi_dot",
    _CAST.format("self.dtype() == output.dtype()"): "narrow_copy",
    "torch.frexp() expects mantissa to have dtype {wanted} but got {got}": "frexp_mantissa",
    "torch.frexp() expects exponent to have {wanted} dtype but got {got}": "frexp_exponent",
    "Found dtype {Got} but expected {Wanted}": """
        abs ceil frac floor softshrink hardshrink gelu neg round round_decimals sign sgn trunc lerp_tensor softplus
        clamp clamp_min clamp_max conj_physical conj_physical_ bitwise_not
    """,
    "expected scalar_type {Wanted} but found {Got}": "cummax cummin logcumsumexp",
    "expected scalar type {Wanted} but found {Got}": "linalg_solve_triangular log_sigmoid_forward",
    "output values must be of same type as input": "kthvalue",
    "Expected result to be of dtype uint64, but got {Got}": "hash_tensor",
    "result dtype {Got} does not match input dtype {Wanted}": "dot vdot",
    "nan_to_num: dtype of out: {Got} should be same as input: {Wanted}": "nan_to_num",
    "index_select(): self and result must have the same scalar type": "index_select",
    "take(): self and out expected to have the same dtype, but got self.dtype = {Wanted} and out.dtype = {Got}": "take",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {wanted} and hist {got}": (
        "histc"
    ),
    "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{Wanted} and result has dtype {Got}": (
        "ormqr"
    ),
    "quantile() out tensor must be same dtype as the input tensor": "quantile nanquantile",
    "logsumexp(): Expected floating point type for result tensor, but got: {Got}": "logsumexp",
    "tensordot: Expected the output tensor to have dtype {Wanted}, but got an output tensor with dtype {Got}": (
        "tensordot inner"
    ),
    "linalg.vecdot: Expected out of dtype{Wanted} but found {Got}": "vecdot",
    "linalg.norm expected out tensor dtype {Wanted} but got: {Got}": "linalg_norm",
    "linalg.matrix_norm expected out tensor dtype {Wanted} but got: {Got}": "linalg_matrix_norm",
    "expected scalar type '{Wanted}' but got '{Got}' for values output": "mode",
    "heaviside is not yet implemented for tensors with different dtypes.": "heaviside",
    "masked_select(): self and result must have the same scalar type": "masked_select",
    "Expected object of scalar type {Wanted} but got scalar type {Got} for argument 'out'": "complex polar",
    "signbit does not support non-boolean outputs.": "signbit",
    "isposinf does not support non-boolean outputs.": "isposinf",
    "isneginf does not support non-boolean outputs.": "isneginf",
    "all only supports bool tensor for result, got: {Got}": "all",
    "any only supports bool tensor for result, got: {Got}": "any",
    "nonzero: Expected out tensor to have scalar type Long but got scalar type{Got}": "nonzero",
    "Expected out type to be {Wanted} but got {Got}": "where",
    "Expected the dtype for input and out to match, but got {Wanted} for input's dtype and {Got} for out's dtype.": (
        "amax amin"
    ),
    "the output given to float_power has dtype {Got} but the operation's result requires dtype {Wanted}": "float_power",
}
_SUMMAND = "addmv input tensors must have the same dtype, but got {Got}, {Wanted}, and {Wanted}"
# The messages of operations that accept any dtype to which the result can be cast.
_SAFELY = "{0}: Expected {1} to be safely castable from {{Wanted}} dtype, but got {1} with dtype {{Got}}"
_NOT_CASTABLE = {
    "cholesky": _SAFELY.format("cholesky", "result"),
    "linalg_pinv": _SAFELY.format("linalg.pinv", "result"),
    "matrix_power": _SAFELY.format("matrix_power", "result"),
    "cholesky_inverse": _SAFELY.format("cholesky_inverse", "result"),
    "cholesky_solve": _SAFELY.format("cholesky_solve", "result"),
    "linalg_cond": _SAFELY.format("linalg.cond", "result"),
    "linalg_eigvals": _SAFELY.format("torch.linalg.eigvals", "eigenvalues"),
    "linalg_eig": _SAFELY.format("torch.linalg.eig", "eigenvalues"),
    "geqrf": _SAFELY.format("torch.geqrf", "a"),
    "linalg_lstsq": _SAFELY.format("torch.linalg.lstsq", "solution"),
    "linalg_lstsq_rank": _SAFELY.format("torch.linalg.lstsq", "rank"),
    "linalg_lstsq_singular_values": _SAFELY.format("torch.linalg.lstsq", "singular_values"),
    "ldexp": "ldexp can't be cast to the desired output type {Got}",
    "diag": "diag: result type {Wanted} can't be cast to the desired out= type {Got}",
    "mvlgamma": "mvlgamma: result type {Wanted} can't be cast to the desired output type {Wanted}",
    "mean": "mean.dtype_out(): input types can't be cast to the desired output type {Got}",
    "max": _CAST.format("canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype()))"),
}
_NOT_CASTABLE["min"] = _NOT_CASTABLE["max"]
# Operations whose second result has its own messages.
_INDICES = {
    "kthvalue": "output indices must be of scalar type Long",
    "mode": "expected scalar type 'Long' but got '{Got}' for indices output",
    "cummax": "expected scalar_type Long but found {Got}",
    "cummin": "expected scalar_type Long but found {Got}",
}
_SAME = {name: text for text, names in _SAME_DTYPE.items() for name in names.split()}
_SAME |= {f"{name}_indices": text for name, text in _INDICES.items()}
_SAME["aminmax_indices"] = _SAME["aminmax"]
_SAME |= {f"{name}_indices": _SAME["topk"] for name in ("max_dim", "min_dim", "sort", "sort_stable", "topk")}
# Composite operations, by the operation that raises for out=.
_CALLED = {
    "diag": "aten::diag_embed",
    "diff": "sub",
    "floor_divide": "aten::floor_divide",
    "histogram": "aten::histogram",
    "kron": "mul",
    "linalg_cholesky": "linalg_cholesky_ex",
    "linalg_eigvalsh": "_linalg_eigh",
    "linalg_inv": "linalg_inv_ex",
    "linalg_solve": "_linalg_solve_ex",
    "linalg_svdvals": "_linalg_svd",
    "matrix_power": "matmul",
    "msort": "sort",
    "multi_dot": "mm",
    "outer": "mul",
    "qr": "linalg_qr",
    "svd": "_linalg_svd",
    "take_along_dim": "take_along_dim",  # under its own full name
    **{name: f"_{name}" for name in ("linalg_svd", "linalg_eigh", "linalg_det", "linalg_slogdet")},
}
_BY_FALLBACK = """
_log_softmax _softmax alias_copy as_strided_copy conj_physical diagonal_copy expand_copy heaviside linalg_eigvals permute_copy
slice_scatter squeeze_copy t_copy transpose_copy unfold_copy unsqueeze_copy view_copy
"""  # whose out= form has no autograd kernel of its own
_CALLED |= {name: f"aten::{name.removeprefix('_')}" for name in _BY_FALLBACK.split()}
# Operations that copy their result into out=, which autograd records.
_COPIED = frozenset(
    [
        "quantile",
        "nanquantile",
        "tensordot",
        "inner",
        "linalg_norm",
        "linalg_cond",
        "linalg_matrix_norm",
        "linalg_tensorinv",
        "linalg_tensorsolve",
        "special_ndtr",
    ]
)
# Operations whose result may not share memory with an input, not even all of it.
_APART = frozenset(["gather", "take", "index_select", "kthvalue", "cat", "stack", "masked_select"])
_OVERLAP_FREE = frozenset(["mm", "bmm", "addmm", "baddbmm", "addmv", "mv", "dot"])  # these do not check


def _called(name: str) -> str:
    """The operation that raises for out= of an operation or row."""
    operator = opname(name)
    return _CALLED.get(name) or _CALLED.get(operator, operator)


_NO_OUT = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
    "requires grad."
)
_NO_OUT_FORWARD = "Trying to use forward AD with {} that does not support it"


def check_out(name: str, out: Any, arguments: Sequence[Any]) -> None:
    """Raise for out= if autograd would record the operation, and for anything but a tensor."""
    if not isinstance(out, Tensor):
        raise wrong_type(name, "out", "Tensor", out)
    called = _called(name)
    underived = name.startswith("special_") and "polynomial" in name  # torch has no derivative of them
    operands = _tensors(arguments) if underived else (out, *_tensors(arguments))
    if not (state.recording and any(each.requires_grad for each in operands)):
        return
    if called.startswith("aten::") and not _refuses_change(out):
        return  # see _without_derivative
    raise RuntimeError(_NO_OUT.format(called))


def check_forward(name: str, out: Any, arguments: Sequence[Any]) -> None:
    """Raise for out= in forward mode, after the result has been written, as in torch.

    Raises:
        NotImplementedError: an argument or an output has a tangent.
    """
    if not (levels and state.forward_grad and any(map(levels_of, _tensors((out, arguments))))):
        return
    called = _CALLED.get(name, name)
    if called.startswith("aten::"):
        raise NotImplementedError(_NO_OUT_FORWARD.format(called) + ".")
    function = called.removesuffix("_dim") + "_out"
    raise NotImplementedError(_NO_OUT_FORWARD.format(function) + " because it is an out= function")


def check_count(out: Any, count: int) -> None:
    """Check the number of tensors given for the results.

    Raises:
        TypeError: with torch's message.
    """
    if len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")


def _refuses_change(out: Tensor) -> bool:
    """Whether the tensor may not be written in place; torch does not give the reason here."""
    try:
        check_inplace(out, True)
    except RuntimeError:
        return True
    return False


def _without_derivative(name: str, out: Sequence[Tensor], arguments: Sequence[Any]) -> Node | None:
    """The node of an out= form that torch's autograd does not implement (torch: autograd_not_implemented)."""
    called = _called(name)
    tensors = [each for each in (*_tensors(arguments), *out) if each.requires_grad]
    if not (called.startswith("aten::") and state.recording and tensors):
        return None
    node: NotImplementedNode = new_node(NotImplementedNode)
    node.operation = called
    node.next_edges = tuple(map(gradient_edge, tensors))
    node.input_metadata = tuple((each._array.shape, each._array.dtype) for each in out)
    return node


def _tensors(arguments: Sequence[Any]) -> Iterator[Tensor]:
    for each in arguments:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _tensors(each)


def _check_dtype(name: str, out: Tensor, result: Array) -> None:
    """Check that the operation writes the tensor's dtype.

    Raises:
        RuntimeError: with the operation's own message.
        TypeError: for cat and operations made of it.
    """
    kind = out._array.dtype
    if kind == result.dtype or (name in ("all", "any") and kind in (np.uint8, np.bool_)):
        return
    if name == "logsumexp" and kind.kind in "fV":
        return
    text = _SAME.get(name.lstrip("_"))
    if name == "mv" and out._array.shape in (result.shape, (1,), ()):
        text = _SUMMAND  # it is added to the product, 0 times
    wanted, got = dtypes.BY_NUMPY[result.dtype], dtypes.BY_NUMPY[kind]
    if name in _NOT_CASTABLE and not dtypes.can_cast(wanted, got):
        text = _NOT_CASTABLE[name]
    if text is not None:
        raise RuntimeError(
            text.format(
                wanted=dtypes.c_name(result.dtype),
                got=dtypes.c_name(kind),
                Wanted=wanted.legacy,
                Got=got.legacy,
            )
        )
    if dtypes.can_cast(wanted, got):
        return
    if name in ("cat", "stack"):
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {got.legacy}")
    raise RuntimeError(f"result type {wanted.legacy} can't be cast to the desired output type {got.legacy}")


def check_asked(out: Tensor, dtype: dtypes.dtype | None) -> None:
    """Check that the tensor has the dtype given as ``dtype=``.

    Raises:
        RuntimeError: with torch's message.
    """
    if dtype is not None and out.dtype is not dtype:
        asked, got = (dtypes.c_name(each.numpy) for each in (dtype, out.dtype))
        raise RuntimeError(f"Expected out tensor to have dtype {asked}, but got {got} instead")


def _check_memory(name: str, out: Tensor, arguments: Sequence[Any]) -> None:
    if name in _OVERLAP_FREE:
        return
    check_no_overlap(out._array)
    for place, operand in enumerate(_tensors(arguments)):
        if name in _APART and operand._array is out._array and not (name == "gather" and place):
            raise RuntimeError(SHARED_MEMORY)
        check_no_partial_overlap(out._array, operand._array)


# Operations that write a contiguous result; the tensors of all others get the strides of their results.
_IN_ORDER = frozenset(
    ["cholesky", "cholesky_solve", "kron", "linalg_tensorinv", "matrix_power", "slice_scatter"]
)
_IN_ORDER |= {f"_{name}" for name in ("fft", "hfft", "ifft", "irfft", "rfft")}
_IN_ORDER |= {f"_{name}n" for name in ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft")}


def resize_out(out: Tensor, shape: tuple[int, ...], like: Array | None = None) -> None:
    """Resize the tensor to the result's shape, with the strides of ``like``; warns unless it was empty."""
    if out._array.shape == shape:
        return
    warn_resized(out._array.shape, shape)
    resize_impl(out, shape, like=like)


# The place of dim where the dimension stays until all is written, in the tensors given as well, and keepdim follows
# (torch: native/ReduceOpsUtils.h).
_KEEPING = {"kthvalue": 2, "mode": 1}
_SILENT = frozenset(["addbmm", "log_sigmoid_forward", "narrow_copy"])  # resize without a warning


def _resize_keeping(name: str, out: Tensor, shape: tuple[int, ...], arguments: Sequence[Any]) -> None:
    """``resize_out`` with a warning that shows the shapes before the reduced dimension is dropped."""
    dim, keepdim = arguments[_KEEPING[name] :][:2]
    ndim, before = arguments[0]._array.ndim, out._array.shape
    if ndim and not keepdim:
        axis = wrap_dim(dim, ndim)
        told = [(*each[:axis], 1, *each[axis:]) for each in (before, shape)]
        warn_resized(told[0] if name == "mode" or len(before) == ndim - 1 else before, told[1])
    elif ndim or name != "mode":
        warn_resized(before, shape)
    resize_impl(out, shape)


def warn_resized(before: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Warn if a non-empty tensor is resized."""
    if before != shape and 0 not in before:
        warn_program(RESIZED.format(list(before), list(shape)))


def _lies_in_order(name: str, result: Array, arguments: Sequence[Any]) -> bool:
    """Whether torch writes this result in contiguous order: for some operations, and the absolute values of complex
    numbers.
    """
    if name == "abs":
        return any(each._array.dtype != result.dtype for each in _tensors(arguments))
    return name in _IN_ORDER


def fill_out(out: Tensor, values: Array, name: str) -> Tensor:
    """Fill the tensor given as out= to a factory function: of any shape, without a warning.

    Raises:
        RuntimeError: a leaf that requires grad.
    """
    if name in ("empty", "randn") and out.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if name and out.requires_grad and _refuses_change(out):
        raise RuntimeError(_NO_OUT.format(f"aten::{name}"))
    if name in ("arange", "linspace", "logspace", "range") and out._array.size == values.size:
        values = values.reshape(out._array.shape)  # they count elements
    if name in ("empty", "randn") and out._array.shape != values.shape:
        increment_version(out)
    resize_impl(out, values.shape)
    if name != "empty":
        write(out, values)
    return out


def store_out(name: str, out: Tensor, result: Any, arguments: Sequence[Any] = ()) -> Tensor:
    """Write a result into the tensor given as out=.

    Raises:
        RuntimeError: the operation does not write the dtype, or elements of the tensor share memory.
    """
    array = np.asarray(result)
    _check_dtype(name, out, array)
    _check_memory(name, out, arguments)
    if name.removesuffix("_indices") in _KEEPING:
        _resize_keeping(name.removesuffix("_indices"), out, array.shape, arguments)
    elif name in _SILENT:
        resize_impl(out, array.shape)
    else:
        resize_out(out, array.shape, None if _lies_in_order(name, array, arguments) else array)
    if array.dtype.kind == "c" and out._array.dtype.kind not in "cb":
        if array.size:
            warn_of_lost_part(out.dtype)
        array = array.real
    node = _without_derivative(name, [out], arguments)
    write(out, array)
    if node is not None:
        rebase_history(out, node)
    return out


def store_together(
    name: str, outs: Sequence[Tensor], results: Sequence[Array], arguments: Sequence[Any]
) -> None:
    """Write several results into the tensors given as out=; they share a node, each as its first output."""
    for out, result in zip(outs, results, strict=True):
        _check_memory(name, out, arguments)
        resize_out(out, result.shape)
    node = _without_derivative(name, outs, arguments)
    for out, result in zip(outs, results, strict=True):
        write(out, result)
        if node is not None:
            rebase_history(out, node)


@composite(vmap="decompose")
def given(name: str, out: Tensor | None, found: Tensor) -> Tensor:
    """The result of a composite operation, written into out= if given."""
    if out is None:
        return found
    if name in _COPIED and (found.requires_grad or out.requires_grad):
        resize_out(out, found._array.shape)
        return out.copy_(found)
    check_out(name, out, (found,))
    if found.requires_grad and state.recording and _called(name).startswith("aten::"):
        raise NotImplementedError(f"{name} with out=, of tensors that require grad")
    stored = store_out(name, out, found._array)
    check_forward(name, out, (found,))
    return stored


def given_several(name: str, out: Any, found: Sequence[Tensor], names: Sequence[str] = ()) -> Any:
    """``given`` for several results, which may have their own error messages."""
    if out is None:
        return found
    check_count(out, len(found))
    for each in out:
        check_out(name, each, found)
    stored = [
        given(which, each, value.detach())
        for which, each, value in zip(names or (name,) * len(out), out, found, strict=True)
    ]
    check_forward(name, out, found)
    return getattr(structseq, f"{name}_out", tuple)(stored)


def several(row: Row, out: Any, *arguments: Any) -> Any:
    """The results of a row with several outputs, written into out= if given."""
    if out is None:
        return row.call(*arguments)
    check_count(out, len(row.outputs))
    for each in out:
        check_out(row.name, each, arguments)
    values = row.evaluate(*arguments)
    if row.is_ordered:
        values = map(ordered, values)
    named = getattr(structseq, opname(row.name) + "_out", tuple)
    stored = [
        store_out(row.name if not i else f"{row.name}_indices", target, value, arguments)
        for i, (target, value) in enumerate(zip(out, values, strict=True))
    ]
    check_forward(row.name, out, arguments)
    return named(stored)
