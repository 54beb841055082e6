"""The functions of torch.linalg, with checks of their arguments."""

from __future__ import annotations

from ..._arguments.argument_errors import check_all_arguments
from ..._arguments.function_names import with_public_names
from ..._autograd.tensor import Tensor
from ..._c10.dtypes import bfloat16, bool_, float16
from ..._c10.errors import need_fitting
from ..._c10.keyword_names import taking_numpy_names
from ..._c10.operator_facts import composite as _composite
from ..blas.tensordot_kron import linalg_cross as cross
from ..blas.tensordot_kron import matrix_power, multi_dot, vecdot
from ..reduction.norm import vector_norm
from ..shape.cat_stack import cat as _cat
from .checks import LinAlgError
from .decompositions import cholesky, cholesky_ex, eigh, eigvalsh, qr, svd, svdvals
from .eig import eig, eigvals
from .householder import householder_product
from .lstsq_pinv import lstsq, matrix_exp, pinv
from .lu import lu, lu_factor, lu_factor_ex, lu_solve
from .norms import cond, matrix_norm, matrix_rank, norm
from .solve import (  # fmt: skip
    det,
    inv,
    inv_ex,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
    tensorinv,
    tensorsolve,
)

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "householder_product", "inv",
    "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot",
    "norm", "pinv", "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv",
    "tensorsolve", "vander", "vecdot", "vector_norm",
]  # fmt: skip


@_composite(vmap="decompose", out=True)
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """torch.linalg.matmul."""
    return input.matmul(other)


@_composite(vmap="decompose")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """torch.linalg.diagonal: of the last two dimensions."""
    return A.diagonal(offset, dim1, dim2)


@_composite(vmap="decompose")
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """torch.linalg.vander: the powers of each element, a column each."""
    if x._array.ndim == 0:
        x = x.unsqueeze(-1)
    column = x.unsqueeze(-1)
    count = x._array.shape[-1] if N is None else N
    need_fitting(count > 1 and x.dtype not in (bool_, float16, bfloat16), "linalg.vander")
    wide = column.expand((*x._array.shape, count - 1))
    return _cat([column.new_ones((*x._array.shape, 1)), wide.cumprod(-1)], -1)


_FOUND = check_all_arguments(
    {
        name: taking_numpy_names(globals()[name], f"linalg_{name}")
        for name in __all__
        if name != "LinAlgError"
    },
    "linalg_",
)
globals().update(_FOUND | with_public_names(_FOUND, "linalg_"))
