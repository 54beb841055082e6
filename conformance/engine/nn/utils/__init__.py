"""torch.nn.utils."""

from ...absent import look_up
from . import clip_grad, convert_parameters, parametrize, rnn, stateless
from .clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from .convert_parameters import parameters_to_vector, vector_to_parameters

__getattr__ = look_up("torch.nn.utils")
