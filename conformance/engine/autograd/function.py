"""torch.autograd.Function: custom operations with a user-defined backward (torch: python_function.cpp)."""

from .._autograd.custom_function import (
    BackwardCFunction,
    Function,
    FunctionCtx,
    FunctionMeta,
    InplaceFunction,
    NestedIOFunction,
    once_differentiable,
)
