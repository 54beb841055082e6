"""Lazy modules, which infer sizes from their first input (torch: nn/modules/lazy.py)."""

from __future__ import annotations

from itertools import chain
from typing import Any, ClassVar

from ..._aten.creation.from_data import tensor
from ..._autograd.tensor import Tensor
from ..._c10.dtypes import int64
from ..._c10.modes import no_grad
from ..._nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from . import batchnorm, conv, instancenorm
from .linear import Linear
from .module import Module


class LazyModuleMixin:
    """Makes a module lazy: the first call materializes its parameters and changes its class to ``cls_to_become``."""

    cls_to_become: ClassVar[type[Any] | None] = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer is uninitialized."""
        return any(is_lazy(each) for each in chain(self._parameters.values(), self._buffers.values()))

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters with shapes for this input.

        Raises:
            NotImplementedError: the subclass does not define it.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _infer_parameters(self: Any, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        for name in ("_initialize_hook", "_load_hook"):
            getattr(module, name).remove()
            delattr(module, name)
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        kept = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        for name, value in {**self._parameters, **kept}.items():
            if value is not None:
                destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *_: Any) -> None:
        """Materialize uninitialized parameters with the shapes of a loaded state."""
        for name, value in chain(self._parameters.items(), self._buffers.items()):
            loaded = state_dict.get(prefix + name)
            if loaded is not None and is_lazy(value) and not is_lazy(loaded):
                with no_grad():
                    value.materialize(loaded.shape)


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear that infers in_features."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight: Any = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias: Any = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Initialize weight and bias unless they are uninitialized."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Infer in_features from the last dimension."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


class _LazyConv(LazyModuleMixin, conv._ConvNd):
    _spatial: int

    def _become_lazy(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.weight: Any = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias: Any = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Initialize weight and bias unless they are uninitialized."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Infer the number of channels."""
        if not self.has_uninitialized_params():
            return
        inner = _channels(self, input, self._spatial)
        self.in_channels = inner
        if inner % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        outer = self.out_channels
        channels = (inner, outer // self.groups) if self.transposed else (outer, inner // self.groups)
        self.weight.materialize((*channels, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((outer,))
        self.reset_parameters()


class _LazyForward(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._become_lazy(out_channels, bias, device, dtype)


class _LazyTransposed(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0,
            0,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            False,
            dilation,
            padding_mode,
            device,
            dtype,
        )
        self._become_lazy(out_channels, bias, device, dtype)


def _channels(module: Module, input: Tensor, spatial: int) -> int:
    single, batch = spatial + 1, spatial + 2
    if input.dim() not in (single, batch):
        raise RuntimeError(
            f"Expected {single}D (unbatched) or {batch}D (batched) input to {type(module).__name__}, but got input of "
            f"size: {input.shape}"
        )
    return input.shape[input.dim() - single]


class _LazyNormBase(LazyModuleMixin, batchnorm._NormBase):
    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight: Any = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias: Any = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean: Any = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var: Any = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=int64)

    def reset_parameters(self) -> None:
        """Reset statistics, weight and bias unless they are uninitialized."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Infer the number of channels."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        found = [self.weight, self.bias] if self.affine else []
        if self.track_running_stats:
            found += [self.running_mean, self.running_var]
        for each in found:
            if each is not None:
                each.materialize((self.num_features,))
        self.reset_parameters()


def _lazy(base: type, module: Any, name: str) -> Any:
    """The lazy forms of a layer over one, two and three dimensions, which infer its number of channels."""
    for plain in (getattr(module, f"{name}{n}d") for n in (1, 2, 3)):
        text = f"A {plain.__name__} that infers its number of channels."
        body = {"cls_to_become": plain, "__doc__": text, "__module__": __name__}
        yield type(f"Lazy{plain.__name__}", (base, plain), body)


LazyConv1d, LazyConv2d, LazyConv3d = _lazy(_LazyForward, conv, "Conv")
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = _lazy(_LazyTransposed, conv, "ConvTranspose")
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = _lazy(_LazyNormBase, batchnorm, "BatchNorm")
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = _lazy(
    _LazyNormBase, instancenorm, "InstanceNorm"
)
