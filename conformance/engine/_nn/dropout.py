"""The dropout functions of torch.nn.functional, with their argument checks."""

from __future__ import annotations

from collections.abc import Callable

from .._aten.random import dropout as ops
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program


def _elements(
    plain: Callable[..., Tensor], inplace_form: Callable[..., Tensor], always: bool, random: str
) -> Callable[..., Tensor]:
    @composite(random=random)
    def function(input: Tensor, p: float = 0.5, training: bool = always, inplace: bool = False) -> Tensor:
        return inplace_form(input, p, training) if inplace else plain(input, p, training)

    function.__name__ = function.__qualname__ = plain.__name__
    function.__doc__ = plain.__doc__
    return function


dropout = _elements(ops.dropout, ops.dropout_, True, "elementwise")
alpha_dropout = _elements(ops.alpha_dropout, ops.alpha_dropout_, False, "elementwise")
feature_alpha_dropout = _elements(ops.feature_alpha_dropout, ops.feature_alpha_dropout_, False, "by_example")


def _channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    drop = ops.feature_dropout_ if inplace else ops.feature_dropout
    if batched:
        return drop(input, p, training)
    if inplace:
        return drop(input.unsqueeze_(0), p, training).squeeze_(0)
    return drop(input.unsqueeze(0), p, training).squeeze(0)


@composite(random="by_example")
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of a (batch, channel, length) input."""
    ndim = input.dim()
    need_fitting(ndim in (2, 3), "dropout1d")
    return _channels(input, p, training, inplace, ndim == 3)


def _warn(name: str, ndim: int, spatial: int) -> None:
    warn_program(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a channel "
        f"dimension, and an optional batch dimension (i.e. {spatial + 1}D or {spatial + 2}D inputs).",
    )


@composite(random="by_example")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of a (batch, channel, height, width) input."""
    ndim = input.dim()
    if ndim not in (3, 4):
        _warn("dropout2d", ndim, 2)
    if ndim == 3:
        warn_program(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
        )
    return _channels(input, p, training, inplace, True)


@composite(random="by_example")
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of a (batch, channel, depth, height, width) input."""
    ndim = input.dim()
    if ndim not in (4, 5):
        _warn("dropout3d", ndim, 3)
    return _channels(input, p, training, inplace, ndim == 5)
