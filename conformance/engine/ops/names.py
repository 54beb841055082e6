"""What is shared among the modules of operations, and methods whose arguments are looked at otherwise than usual."""

# Neither: what modules of operations share among themselves.
INTERNAL = """
add_at assigned clamped defined delitem dims_of_index getitem half_opposed index_backward
log_add_exp narrow_start parse_to real_part setitem warn_of_lost_part without_leading_ones
"""

# Methods that programs call so often that their arguments are not looked at again when they fail.
IN_INNER_LOOPS = "backward clone detach_ div_ matmul mean permute pow reshape squeeze sum to view zero_"

# Methods without functions, whose arguments are looked at as those of functions are.
REFUSING_METHODS = """
bernoulli_ cauchy_ contiguous expand_as exponential_ geometric_ is_contiguous is_set_to log_normal_ new_empty
new_empty_strided new_full new_ones new_zeros normal_ random_ repeat reshape_as resize_ resize_as_ sum_to_size type_as
uniform_ view_as
"""

# Functions that would take more than their overloads do, and compute something from it.
LOOKED_AT_BEFORE = "gradient"

# What is asked for late, by its module; see Note [Operations asked for late].
LATE = {
    "arranging": "flip fliplr flipud repeat_interleave roll rot90 tile",
    "contraction": "chain_matmul cross inner kron matrix_power tensordot trace",
    "cumulative": "cummax cummin cumprod cumprod_ cumsum cumsum_ logcumsumexp",
    "diagonals": """
        diag diag_embed diagflat diagonal_copy fill_diagonal_ tril tril_ tril_indices triu triu_ triu_indices
        vander
    """,
    "differences": "cumulative_trapezoid diff gradient trapezoid trapz",
    "distances": "cdist pdist",
    "einsum": "einsum",
    "gamma": """
        digamma digamma_ igamma igamma_ igammac igammac_ lgamma lgamma_ mvlgamma mvlgamma_ polygamma
        polygamma_
    """,
    "gated": "prelu rrelu rrelu_",
    "gather": "gather scatter scatter_ scatter_add scatter_add_ take_along_dim",
    "grids": """
        atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors cartesian_prod combinations
        meshgrid
    """,
    "hashing": "hash_tensor",
    "histograms": "histogram histogramdd",
    "index_select": """
        index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_reduce index_reduce_
        index_select put put_ take
    """,
    "linear_algebra": """
        cholesky cholesky_inverse cholesky_solve det geqrf inverse logdet lu lu_solve lu_unpack matrix_exp
        orgqr ormqr pca_lowrank pinverse qr slogdet svd svd_lowrank triangular_solve
    """,
    "masking": """
        argwhere masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select nonzero nonzero_static
    """,
    "moments": "corrcoef cov std std_mean var var_mean",
    "norms": "dist norm renorm renorm_",
    "ordering": "argsort kthvalue median mode msort nanmedian nanquantile quantile sort topk",
    "private": """
        _aminmax _assert_async _assert_tensor_metadata _conj _conj_physical _efficientzerotensor
        _euclidean_dist _is_all_true _is_any_true _is_zerotensor _log_softmax _masked_softmax _neg_view
        _safe_softmax _sample_dirichlet _segment_reduce _shape_as_tensor _softmax _stack _standard_gamma
        _test_autograd_multiple_dispatch _test_autograd_multiple_dispatch_view
        _test_autograd_multiple_dispatch_view_copy _trilinear _unsafe_index
    """,
    "removed": "eig lstsq matrix_rank solve symeig",
    "replacing": "as_strided_scatter diagonal_scatter narrow_copy select_scatter slice_scatter",
    "scatter_reduce": "scatter_reduce scatter_reduce_",
    "searching": "bincount bucketize histc searchsorted unique unique_consecutive unravel_index",
    "segments": "segment_reduce",
    "smooth": "celu celu_ selu selu_",
    "special": "erf erf_ erfc erfc_ erfinv erfinv_ i0 i0_ logit logit_ sinc sinc_ xlogy xlogy_",
    "splitting": """
        chunk dsplit hsplit split split_with_sizes tensor_split unbind unsafe_chunk unsafe_split
        unsafe_split_with_sizes vsplit
    """,
    "view_copies": """
        alias_copy as_strided_copy detach_copy expand_copy permute_copy select_copy slice_copy split_copy
        split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy
        view_as_complex_copy view_as_real_copy view_copy
    """,
    "windows": "as_strided as_strided_ unfold",
}
MODULE_OF = {name: module for module, listed in LATE.items() for name in listed.split()}
