"""torch.amp.GradScaler: loss scaling, so that small gradients do not underflow in a lower precision."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from .._aten.creation.factories import full
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.modes import no_grad


class GradScaler:
    """torch.amp.GradScaler: scales losses, unscales gradients before the step, and skips steps with infinities."""

    __module__ = "torch.amp.grad_scaler"

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        if enabled and device == "cuda":
            text = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
            warnings.warn(text, stacklevel=2)
            enabled = False
        self._device, self._enabled = device, enabled
        if not enabled:
            return
        if not growth_factor > 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if not backoff_factor < 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._growth_factor, self._backoff_factor = (
            init_scale,
            growth_factor,
            backoff_factor,
        )
        self._growth_interval, self._growth_tracker = growth_interval, 0
        self._scale: Tensor | None = None
        self._infinite: dict[
            int, bool
        ] = {}  # by optimizer: whether its unscaled gradients had infinities or nans
        self._stepped: set[int] = set()

    def scale(self, outputs: Any) -> Any:
        """Multiply a tensor, or an iterable of tensors, by the scale.

        Raises:
            ValueError: an output is neither a tensor nor an iterable.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale = full((), self._init_scale, dtype=dtypes.float32)
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _known(self, asking: str) -> Tensor:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {asking} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )
        return self._scale

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters, in place.

        Raises:
            RuntimeError: it was called already, or after the step.
            ValueError: a gradient is float16.
        """
        if not self._enabled:
            return
        scale = self._known("unscale_")
        if id(optimizer) in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if id(optimizer) in self._infinite:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        by = scale.double().reciprocal().float().item()
        infinite = False
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is None:
                        continue
                    if parameter.grad.dtype is dtypes.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    grad = parameter.grad._values() if parameter.grad.is_sparse else parameter.grad
                    infinite |= not grad.isfinite().all().item()
                    array = grad._array
                    np.multiply(
                        array, array.dtype.type(by), out=array
                    )  # torch's kernel does not bump the version
        self._infinite[id(optimizer)] = infinite

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Unscale the gradients and take the optimizer's step, unless a gradient is infinite or nan.

        Raises:
            RuntimeError: a closure is given, or the step was taken already.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._known("step")
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if id(optimizer) not in self._infinite:
            self.unscale_(optimizer)
        found = None if self._infinite[id(optimizer)] else optimizer.step(*args, **kwargs)
        self._stepped.add(id(optimizer))
        return found

    def update(self, new_scale: Any = None) -> None:
        """Lower the scale after infinities, raise it after ``growth_interval`` steps without any; or set it."""
        if not self._enabled:
            return
        scale = self._known("update")
        if new_scale is not None:
            scale.fill_(new_scale) if isinstance(new_scale, float) else scale.copy_(new_scale)
        else:
            if not self._infinite:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adjust(scale)
        self._infinite.clear()
        self._stepped.clear()

    def _adjust(self, scale: Tensor) -> None:
        if any(self._infinite.values()):
            scale.mul_(self._backoff_factor)
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            scale.mul_(self._growth_factor)
            self._growth_tracker = 0

    def get_scale(self) -> float:
        """The scale; 1 if the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def is_enabled(self) -> bool:
        """Whether the scaler is enabled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale, its factors and counters; empty if the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state of state_dict.

        Raises:
            RuntimeError: the state is empty, from a disabled scaler.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
