"""Parameters and buffers: tensors that a module registers when they are assigned (torch: nn/parameter.py)."""

from .._nn.parameter import (
    Buffer,
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
    UninitializedTensorMixin,
    _BufferMeta,
    _ParameterMeta,
    is_lazy,
)
