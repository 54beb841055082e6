"""torch.overrides: the __torch_function__ protocol and its modes."""

from ._autograd.torch_function import (
    BaseTorchFunctionMode,
    TorchFunctionMode,
    _get_current_function_mode,
    _get_current_function_mode_stack,
    _pop_mode,
    _push_mode,
    get_default_nowrap_functions,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
    is_tensor_like,
    is_tensor_method_or_property,
    wrap_torch_function,
)
