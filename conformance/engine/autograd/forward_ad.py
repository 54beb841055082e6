"""torch.autograd.forward_ad: dual tensors and their levels."""

from .._transforms.forward_ad import (
    UnpackedDualTensor,
    _current_level,
    _is_fwd_grad_enabled,
    _set_fwd_grad_enabled,
    dual_level,
    enter_dual_level,
    exit_dual_level,
    make_dual,
    unpack_dual,
)
