"""How tangents pass through single operations where that is simpler than Note [Jacobian-vector products from derivatives].

torch's derivatives.yaml knows the same three kinds: "auto_linear", the product rule, and "auto_element_wise". What has a
rule of its own is in _transforms/jvp_formulas.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor

Arguments = dict[str, Any]

# The operation itself, applied to the tangents (of all its inputs at once) as it was to the inputs.
LINEAR = frozenset(
    [
        "_adaptive_avg_pool2d",
        "_adaptive_avg_pool3d",
        "_fft_c2c",
        "_fft_c2r",
        "_fft_r2c",
        "_in_order",
        "_test_autograd_multiple_dispatch",
        "_to_copy",
        "_unsafe_view",
        "_upsample_bicubic2d_aa",
        "_upsample_bilinear2d_aa",
        "_upsample_lanczos2d_aa",
        "add",
        "alias_copy",
        "as_strided_copy",
        "as_strided_scatter",
        "avg_pool2d",
        "avg_pool3d",
        "block_diag",
        "cat",
        "channel_shuffle",
        "clone",
        "col2im",
        "cumsum",
        "diag_embed",
        "diagonal_backward",
        "diagonal_copy",
        "diagonal_scatter",
        "embedding",
        "embedding_dense_backward",
        "expand_copy",
        "flip",
        "gather",
        "im2col",
        "index",
        "index_add",
        "index_copy",
        "index_select",
        "masked_scatter",
        "masked_select",
        "max_unpool2d",
        "max_unpool3d",
        "mean",
        "mean_dim",
        "narrow_copy",
        "permute_copy",
        "pixel_shuffle",
        "pixel_unshuffle",
        "reflection_pad1d",
        "reflection_pad2d",
        "reflection_pad3d",
        "repeat",
        "replication_pad1d",
        "replication_pad2d",
        "replication_pad3d",
        "roll",
        "rot90",
        "rsub_tensor",
        "scatter",
        "scatter_add",
        "select_backward",
        "select_copy",
        "select_scatter",
        "slice_backward",
        "slice_copy",
        "slice_scatter",
        "squeeze_copy",
        "squeeze_dim_copy",
        "squeeze_dims_copy",
        "stack",
        "sub",
        "sum",
        "sum_dim",
        "t_copy",
        "take",
        "trace",
        "transpose_copy",
        "tril",
        "triu",
        "unfold_backward",
        "unfold_copy",
        "unsafe_split",
        "unsafe_split_with_sizes",
        "unsqueeze_copy",
        "upsample_bicubic2d",
        "upsample_bilinear2d",
        "upsample_linear1d",
        "upsample_nearest1d",
        "upsample_nearest2d",
        "upsample_nearest3d",
        "upsample_trilinear3d",
        "view_copy",
        "where",
    ]
)

# The sum, over the inputs that have a tangent, of the operation with that in the input's place.
BILINEAR = frozenset(["bmm", "dot", "linalg_cross", "mm", "mul", "mv", "vdot"])

# The formula of the gradient, applied to the tangent instead.
ELEMENTWISE = frozenset(
    [
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "ceil",
        "celu",
        "clamp",
        "clamp_max",
        "clamp_max_tensor",
        "clamp_min",
        "clamp_min_tensor",
        "clamp_tensors",
        "cos",
        "cosh",
        "deg2rad",
        "digamma",
        "div",
        "div_scalar",
        "elu",
        "erf",
        "erfc",
        "erfinv",
        "exp",
        "exp2",
        "expm1",
        "floor",
        "fmod",
        "gelu",
        "hardshrink",
        "hardsigmoid",
        "hardswish",
        "hardtanh",
        "hypot",
        "i0",
        "leaky_relu",
        "lgamma",
        "log",
        "log10",
        "log1p",
        "log2",
        "logaddexp",
        "logaddexp2",
        "logit",
        "maximum",
        "minimum",
        "mish",
        "mul_scalar",
        "nan_to_num",
        "neg",
        "pow",
        "pow_of_number",
        "pow_tensor",
        "rad2deg",
        "reciprocal",
        "relu",
        "remainder",
        "round",
        "rsqrt",
        "sigmoid",
        "sign",
        "silu",
        "sin",
        "sinc",
        "sinh",
        "softplus",
        "softshrink",
        "special_entr",
        "special_erfcx",
        "special_i0e",
        "special_i1",
        "special_i1e",
        "special_log_ndtr",
        "special_ndtri",
        "sqrt",
        "tan",
        "tanh",
        "threshold",
        "trunc",
        "xlogy",
        "xlogy_of_number",
        "xlogy_tensors",
    ]
)

# Tensors and numbers are one kind of operand to these.
MEETING_NUMBERS = frozenset(["add", "div", "mul", "sub"])

# Linear in each input but those that are normalized or solved with: finite where a tangent is 0.
MULTILINEAR = frozenset(
    [
        "_linalg_solve_ex",
        "_prelu_kernel",
        "addbmm",
        "addcmul",
        "addmm",
        "addmv",
        "addr",
        "baddbmm",
        "convolution",
        "native_batch_norm",
        "native_group_norm",
        "native_layer_norm",
        "trilinear",
    ]
)


def _writes_reduced(given: Arguments) -> int:
    return int(given["reduction"] != 0)


def _writes_normalized(given: Arguments) -> int:
    if any(isinstance(given[name], Tensor) and given[name]._tangents for name in ("weight", "bias")):
        return 3
    return 2 if given["weight"] is None else 1


def _writes_norm(given: Arguments) -> int:
    return 2 if given["p"] == 2 else int(1 < given["p"] < math.inf)


# How often torch's own formula of forward mode writes to the tangent that it makes.
WRITES: dict[str, Callable[[Arguments], int]] = {
    **dict.fromkeys(("mse_loss", "smooth_l1_loss", "soft_margin_loss"), _writes_reduced),
    **dict.fromkeys(("native_layer_norm", "native_group_norm"), _writes_normalized),
    "native_batch_norm": lambda given: _writes_normalized(given) if given["training"] else 0,
    **dict.fromkeys(
        [
            "addcdiv",
            "addcmul",
            "addr",
            "cumprod",
            "fmod_tensor",
            "huber_loss",
            "index_fill_tensor",
            "index_put",
            "lerp",
            "lerp_tensor",
            "masked_fill_tensor",
            "put",
            "remainder_tensor",
            "renorm",
            "trilinear",
        ],
        lambda given: 0,
    ),
    **dict.fromkeys(("dist", "norm_along"), _writes_norm),
    **dict.fromkeys(("linalg_matrix_exp", "sgn", "std"), lambda given: 1),
}

# Of these, what torch computes otherwise: a level of torch.func is no plain tensor to it, and losses of batches are composed.
WRITTEN_BY_DUALS = frozenset(["native_batch_norm", "native_group_norm", "native_layer_norm"])
WRITTEN_BY_SINGLES = frozenset(["mse_loss", "smooth_l1_loss", "soft_margin_loss"])

# What torch has no forward mode of, under the name that its error has.
UNSUPPORTED = {
    "_cdist_forward": "_cdist_forward",
    "_ctc_loss": "_ctc_loss",
    "_embedding_bag": "_embedding_bag",
    "_euclidean_dist": "_euclidean_dist",
    "_flash_attention": "_scaled_dot_product_flash_attention_for_cpu",
    "_pdist_forward": "_pdist_forward",
    "_masked_softmax": "_masked_softmax",
    "_standard_gamma": "_standard_gamma",
    "_test_autograd_multiple_dispatch_view": "_test_autograd_multiple_dispatch_view",
    "_test_autograd_multiple_dispatch_view_copy": "_test_autograd_multiple_dispatch_view_copy",
    "_unique2": "_unique2",
    "_weight_norm_interface": "_weight_norm_interface",
    "unique_consecutive": "unique_consecutive",
    "_unique_dim": "unique_dim",
    "_unique_dim_consecutive": "unique_dim_consecutive",
    "cholesky": "cholesky",
    "conv_tbc": "conv_tbc",
    "geqrf": "geqrf",
    "grid_sampler_2d": "grid_sampler_2d",
    "grid_sampler_3d": "grid_sampler_3d",
    "igamma": "igamma",
    "igammac": "igammac",
    "index_reduce": "index_reduce",
    "mkldnn_rnn_layer": "mkldnn_rnn_layer",
    "multi_margin_loss": "multi_margin_loss",
    "multilabel_margin_loss_forward": "multilabel_margin_loss_forward",
    "ormqr": "ormqr",
    "segment_reduce": "segment_reduce",
    "soft_margin_loss_backward": "soft_margin_loss_backward",
    "special_zeta": "special_zeta",
    "special_zeta_of_number": "special_zeta",
    "special_zeta_with_number": "special_zeta",
}
UNSUPPORTED_IN_PLACE = frozenset(["acosh_", "asinh_", "atanh_", "embedding_renorm"])  # rows of their own
KERNELS = frozenset(
    ["logit_backward", "mish_backward", "silu_backward"]
)  # of first derivatives, which have none
