"""Which operations are functions, which are methods, and which have an in-place form."""

# Tensor has these methods, torch no function of the name.
METHODS_ALONE = """
contiguous expand expand_as index is_set_to repeat reshape_as sum_to_size to type_as unfold view view_as
"""

# torch has these functions, Tensor no method of the name.
FUNCTIONS_ALONE = """
alias_copy as_strided_copy atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors bucketize
cartesian_prod cat cdist celu celu_ chain_matmul column_stack combinations complex concat concatenate
cumulative_trapezoid detach_copy diagonal_copy dstack einsum expand_copy fill gradient histogramdd hstack isin
lu_unpack matrix_rank meshgrid pca_lowrank pdist permute_copy polar row_stack rrelu rrelu_ rsub searchsorted segment_reduce
select_copy selu selu_ slice_copy split_copy
split_with_sizes_copy squeeze_copy stack std_mean svd_lowrank t_copy tensordot threshold threshold_ transpose_copy
trapezoid trapz tril_indices triu_indices unbind_copy unfold_copy unravel_index unsqueeze_copy vander var_mean
view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy vstack
_aminmax _assert_async _assert_tensor_metadata _efficientzerotensor _euclidean_dist _log_softmax _masked_softmax _safe_softmax
_sample_dirichlet _segment_reduce _shape_as_tensor _softmax _stack _standard_gamma _test_autograd_multiple_dispatch
_test_autograd_multiple_dispatch_view _test_autograd_multiple_dispatch_view_copy _trilinear _unsafe_index
"""

# Tensor has the in-place form ``name_`` of these.
INPLACE = """
abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr arccos arccosh arcsin arcsinh arctan2 arctan
arctanh as_strided asin asinh atan2 atan atanh baddbmm bernoulli bitwise_and bitwise_left_shift bitwise_not
bitwise_or bitwise_right_shift bitwise_xor cauchy ceil clamp clamp_max clamp_min clip conj_physical copy copysign
cos cosh cumprod cumsum deg2rad detach digamma div divide eq erf erfc erfinv exp2 exp expm1 exponential fill
fill_diagonal fix float_power floor floor_divide fmod frac gcd ge geometric greater greater_equal gt heaviside
hypot i0 igamma igammac index_add index_copy index_fill index_put index_reduce lcm ldexp le lerp less less_equal
lgamma log10 log1p log2 log log_normal logical_and logical_not logical_or logical_xor logit lt masked_fill
masked_scatter mul multiply mvlgamma nan_to_num ne neg negative nextafter normal not_equal polygamma pow put
rad2deg random reciprocal relu remainder renorm resize resize_as round rsqrt scatter scatter_add scatter_reduce
set sgn sigmoid sign sin sinc sinh sqrt square squeeze sub subtract swapaxes swapdims t tan tanh transpose tril
triu true_divide trunc uniform unsqueeze xlogy zero
"""

# torch has these as functions, too.
INPLACE_FUNCTIONS = """
abs_ acos_ acosh_ addmv_ alpha_dropout_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_
asinh_ atan_ atanh_ ceil_ celu_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach_
dropout_ erf_ erfc_ exp2_ exp_ expm1_ feature_alpha_dropout_ feature_dropout_ fill_ fix_ floor_ frac_ gcd_ i0_
index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_
resize_as_ round_ rrelu_ rsqrt_ selu_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ threshold_ trunc_ xlogy_
zero_
"""

# Neither: what modules of operations share among themselves.
INTERNAL = """
add_at alias assigned clamped defined delitem diagonal_backward dims_of_index getitem half_opposed in_order index_backward
log_add_exp narrow_start parse_to real_part select_backward setitem slice slice_backward warn_of_lost_part without_leading_ones
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
