"""torch.nn.utils.memory_format: conversion of convolution weights to a memory format."""

from __future__ import annotations

from typing import Any, TypeVar

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

_M = TypeVar("_M", bound=Module)


def _convert(module: _M, memory_format: Any, kinds: tuple[type[Module], ...]) -> _M:
    if isinstance(module, kinds):
        weight = module.weight.detach().clone(memory_format=memory_format)
        module.weight.data = weight.resize_(weight.size(), memory_format=memory_format)
    for child in module.children():
        _convert(child, memory_format, kinds)
    return module


def convert_conv2d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """Convert the weights of all Conv2d and ConvTranspose2d in a module, in place; returns the module."""
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """Convert the weights of all Conv3d and ConvTranspose3d in a module, in place; returns the module."""
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
