"""Random number kernels, and the operators that use them."""
