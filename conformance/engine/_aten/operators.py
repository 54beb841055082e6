"""The operations, by kind. Importing this package attaches them to Tensor."""

from __future__ import annotations

from types import ModuleType

from .._arguments import absent_names
from .._autograd import (
    hooks,
    strided_geometry,  # fmt: skip
    tensor_attributes,
    torch_dispatch_subclass,
    torch_function,
)
from .._autograd.tensor import Tensor
from . import conversions, copy_and_pickle, python_operators
from .blas import blas, bmm, cdist, diff_gradient, einsum, matmul, tensordot_kron
from .creation import factories, from_data, legacy_constructors
from .indexing import gather_scatter, getitem_setitem, index_put, index_select, masked, scatter_reduce
from .linalg import torch_level_functions
from .method_binding import FUNCTIONS, attach, public
from .nn import exp_activations, prelu_rrelu_glu, relu_family, softmax
from .pointwise import (
    arithmetic,
    binary,
    comparison,
    complex_parts,
    logical,
    power,
    remainder,
    rounding,
    unary,
    where_clamp,
)
from .private_ops import underscored
from .random import random
from .reduction import (
    any_all,
    cumulative,
    min_max,
    norm,
    segment_reduce,
    sort,
    sum_mean_prod,
    unique_searchsorted,
    var_std,
)
from .shape import (
    as_strided_unfold,
    broadcast_meshgrid,
    cat_stack,
    clone_to,
    copy_fill_zero,
    flip_roll_tile,
    inplace_views,
    resize_set,
    scatter_views,
    slice_select,
    split,
    transpose,
    triangular_diagonal,
    view_copy,
    view_reshape,
)
from .special import gamma, special

PARTS: tuple[ModuleType, ...] = (
    tensor_attributes, conversions, copy_and_pickle, factories, torch_dispatch_subclass, from_data, hooks, legacy_constructors, torch_function, random,
)  # fmt: skip
MODULES: tuple[ModuleType, ...] = (
    relu_family, arithmetic, flip_roll_tile, bmm, binary, blas, comparison, tensordot_kron, clone_to, cumulative,
    triangular_diagonal, diff_gradient, cdist, einsum, min_max, gamma, prelu_rrelu_glu, gather_scatter, broadcast_meshgrid, index_put,
    index_select, getitem_setitem, inplace_views, cat_stack, torch_level_functions, logical, masked, matmul, resize_set, var_std, norm,
    sort, copy_fill_zero, complex_parts, power, underscored, sum_mean_prod, remainder, scatter_views, rounding, scatter_reduce,
    unique_searchsorted, segment_reduce, where_clamp, view_reshape, slice_select, exp_activations, softmax, special, split, transpose, any_all, unary,
    view_copy, as_strided_unfold, python_operators,
)  # fmt: skip


attach(MODULES, PARTS)
absent_names.attach(Tensor)
