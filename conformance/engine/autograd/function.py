"""torch.autograd.Function: operations with a backward of the user's own (torch: python_function.cpp)."""

from .._autograd.custom_function import (
    BackwardCFunction,
    Function,
    FunctionCtx,
    FunctionMeta,
    InplaceFunction,
    NestedIOFunction,
    once_differentiable,
)
