"""Names shared among modules of operators, and methods whose arguments are checked differently."""

# Neither functions nor methods: helpers shared among modules of operators.
INTERNAL = """
add_at assigned clamped defined delitem dims_of_index getitem half_opposed index_backward
log_add_exp narrow_start parse_to real_part setitem warn_of_lost_part without_leading_ones
"""

# Methods that are called so often that their arguments are not checked again on failure.
IN_INNER_LOOPS = "backward clone matmul mean permute pow reshape squeeze sum to view"

# Methods without a function, whose arguments are checked like those of functions.
REFUSING_METHODS = """
bernoulli_ cauchy_ contiguous expand_as exponential_ geometric_ is_contiguous is_set_to log_normal_ new_empty
new_empty_strided new_full new_ones new_zeros normal_ random_ repeat reshape_as resize_ resize_as_ sum_to_size type_as
swapaxes_ swapdims_ t_ transpose_ uniform_ view_as
"""

# Functions that would accept more than their overloads.
LOOKED_AT_BEFORE = "gradient"
