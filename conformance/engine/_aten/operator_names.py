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
