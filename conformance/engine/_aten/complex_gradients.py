"""Gradients of complex numbers: which rows are right for them, and what becomes of what they save.

Note [Complex gradients]: the gradient of a real L with respect to z = x + iy is dL/dx + i dL/dy, the direction of
steepest ascent. Through a holomorphic f it flows back as ``grad * conj(f'(z))``. A row's formula is written as for
real numbers; f' has real coefficients, so that where the node's output is complex it is enough to give the formula the
conjugates of what was saved: tensors, results and numbers (and ``grad`` as it is). Such rows are HOLOMORPHIC. The
formulas of those that are AS_WRITTEN conjugate themselves what they have to, as those in FORMULAS do, or save nothing
that could be. Any other row refuses what is complex, as torch does: no node is made of it. In place torch does not ask, and
takes the formula as it is.

Where an input is real and the node's output complex, the real part of its gradient is taken right here, as torch's
formulas do (handle_r_to_c), but for those NOT_CAST; what a Function returns must fit by itself. An operand that had a
real node and was given complex data is no real input to the formulas, and its gradient no gradient for that node.

Real numbers pay nothing for this: the nodes of complex outputs have a class of their own, beside that of the others,
which is chosen where the metadata of real ones is not found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._arguments.overloads import opname
from .._autograd.node import Edge, Identity
from .._autograd.tensor import Tensor
from .._c10 import dtypes, errors
from .._c10.modes import state
from .._c10.slots import on_first_use
from .creation.factories import scalar_tensor

if TYPE_CHECKING:
    from .._autograd.node import Node
    from .._c10.tensor_metadata import InputMetadata
    from .registry import Row

of_complex_numbers: Callable[[str, str], Any] = on_first_use("of_complex_numbers")  # see Note [Slots]

_HOLOMORPHIC = """
acos acosh acosh_ add add_scalar addbmm addcdiv addcmul addmm addmv addr alias alias_copy as_strided
as_strided_copy as_strided_in_place as_strided_scatter asin asinh asinh_ atan atanh atanh_ baddbmm
block_diag bmm cat channel_shuffle clone col2im constant_pad_nd copy cos cosh cumprod cumsum
diag_embed diagonal diagonal_backward diagonal_copy diagonal_scatter div div_scalar dot exp exp2
expand expand_copy expm1 fill fill_copy fill_tensor fill_tensor_copy flip gather im2col _in_order
index index_add index_copy index_fill index_fill_tensor index_put _index_put_impl index_select ldexp
lerp lerp_tensor linalg_cross log log10 log1p log2 logaddexp logsumexp masked_fill
masked_fill_tensor masked_scatter masked_scatter_backward masked_select mean mean_dim mm mul
mul_scalar mv narrow_copy neg permute permute_copy pixel_shuffle pixel_unshuffle pow pow_of_number
pow_tensor prod prod_dim put reciprocal repeat _reshape_alias roll rot90 rsqrt rsub rsub_tensor
scatter scatter_add scatter_value select select_backward select_copy sigmoid sigmoid_backward sin
sinc sinh slice slice_backward split split_copy split_with_sizes split_with_sizes_copy sqrt squeeze squeeze_copy
squeeze_dim squeeze_dim_copy squeeze_dim_in_place squeeze_dims squeeze_dims_copy squeeze_dims_in_place
squeeze_in_place stack sub sub_scalar sum sum_dim t t_copy t_in_place take tan tanh tanh_backward
_to_copy trace transpose transpose_copy transpose_in_place tril triu unbind unbind_copy unfold unfold_backward
unfold_copy unsafe_split unsafe_split_with_sizes _unsafe_view unsqueeze unsqueeze_copy
unsqueeze_in_place view view_copy where zero
"""
_AS_WRITTEN = """
abs angle cholesky cholesky_inverse cholesky_solve complex _conj conj_physical conj_physical_ _conj_physical dist
_fft_c2c _fft_c2r _fft_r2c eq_number_ eq_tensor_ linalg_householder_product linalg_cholesky_ex _linalg_det linalg_eig _linalg_eigh linalg_inv_ex
linalg_lstsq linalg_lu linalg_lu_factor_ex linalg_lu_solve linalg_matrix_exp _linalg_pinv linalg_qr
_linalg_slogdet _linalg_solve_ex _coalesce _sparse_addmm _sparse_coo_tensor_with_dims_and_tensors _sparse_mask
_sparse_sparse_matmul _to_dense _values_of linalg_solve_triangular _linalg_svd linalg_vector_norm logcumsumexp
lu_unpack ne_number_ ne_tensor_ _neg_view norm_along norm_whole normal ormqr polar reflection_pad1d reflection_pad1d_backward
reflection_pad2d reflection_pad2d_backward reflection_pad3d reflection_pad3d_backward renorm
replication_pad1d replication_pad1d_backward replication_pad2d replication_pad2d_backward
replication_pad3d replication_pad3d_backward sgn std std_mean triangular_solve uniform var var_mean vdot
_view_as_complex _view_as_real
"""
# The formulas of these leave the gradient of a real input complex, which torch then refuses.
NOT_CAST = frozenset(
    [
        "addr",
        "as_strided_scatter",
        "diagonal_scatter",
        "fill_tensor",
        "fill_tensor_copy",
        "index_fill_tensor",
        "ldexp",
        "lerp_tensor",
        "linalg_solve_triangular",
        "logaddexp",
        "masked_fill_tensor",
        "where",
    ]
)
HOLOMORPHIC = frozenset(_HOLOMORPHIC.split())
AS_WRITTEN = frozenset(_AS_WRITTEN.split())


def check_declared(row: Row) -> None:
    """Refuse a row whose formulas are not right for complex numbers.

    Raises:
        RuntimeError: as torch words it.
    """
    if row.name not in HOLOMORPHIC and row.name not in AS_WRITTEN:
        raise RuntimeError(
            f"{opname(row.name)} does not support automatic differentiation for outputs with complex dtype."
        )


def formula_of(row: Row, key: str) -> Callable[..., Any]:
    """The formula for an input (or several) of a node whose output is complex."""
    return of_complex_numbers(row.name, key) or row.formulas[key]


def as_complex(
    row: Row,
    node: Node,
    metadata: Sequence[InputMetadata],
    operands: Sequence[Any],
    in_place: bool = False,
) -> None:
    """Make a node one of complex outputs.

    Raises:
        RuntimeError: the row is not declared for them; of what is changed in place torch does not ask that.
    """
    if not in_place:
        check_declared(row)
    node.__class__ = row.uncast_node if any(map(_has_become_complex, operands)) else row.complex_node
    node.input_metadata = tuple(metadata)


def _has_become_complex(operand: Any) -> bool:
    """Whether a tensor was given complex data after its real node."""
    if not isinstance(operand, Tensor) or operand._array.dtype.kind != "c" or operand._node is None:
        return False
    kind = operand._node.input_metadata[operand._output_nr][1]
    return kind is not None and kind.kind != "c"


def conjugate(saved: Any) -> Any:
    """What was saved, as the formula of a holomorphic function needs it."""
    if isinstance(saved, Tensor):
        return saved.conj() if saved._array.dtype.kind == "c" else saved
    if isinstance(saved, complex):
        return saved.conjugate()
    if saved.__class__ is list:
        return [conjugate(each) for each in saved]
    return saved


def conjugate_operand(saved: Any) -> Any:
    """As ``conjugate``, of what stood for a tensor: torch's conj() makes a number that did so a tensor like any other."""
    if saved.__class__ is complex:
        return scalar_tensor(saved.conjugate(), dtype=dtypes.complex128)
    return conjugate(saved)


def real_part(gradient: Tensor | None, edge: Edge) -> Tensor | None:
    """A complex gradient of a real input is its real part (torch: handle_r_to_c)."""
    return gradient.real if gradient is not None and _is_unfit(gradient, edge) else gradient


def uncast(gradient: Tensor | None, edge: Edge) -> Tensor | None:
    """A gradient of what is NOT_CAST, found unfit before the node frees what it saved.

    Raises:
        RuntimeError: it is complex, and the pass wants it for a real input.
    """
    task = state.graph_task
    if gradient is not None and _is_unfit(gradient, edge) and (task is None or task.should_compute(edge[0])):
        raise RuntimeError(errors.NO_COMPLEX_HERE)
    return gradient


def _is_unfit(gradient: Tensor, edge: Edge) -> bool:
    """Whether a gradient is complex and its input is not."""
    node, number = edge
    if node is None or gradient._array.dtype.kind != "c":
        return False
    if node.__class__ is Identity:  # which stands for an input outside the graph
        return False
    kind = node.input_metadata[number][1]
    if kind is None:  # a leaf that takes gradients of any dtype
        kind = node.variable._array.dtype  # type: ignore[attr-defined]
    return kind.kind != "c"
