"""torch.Generator, the default generator, and the functions that seed it and save its state (torch: random.py, Generator.cpp)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._c10 import dtypes
from .._c10 import generator as streams
from .._c10.device import check_device, device
from .tensor import Tensor, wrap


class Generator(streams.Generator):
    """torch.Generator."""

    __slots__ = ()
    __module__ = "torch._C"

    def __init__(self, device: Any = "cpu") -> None:
        check_device(device)
        super().__init__()

    def manual_seed(self, seed: int) -> Any:
        if not isinstance(seed, int):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        return super().manual_seed(seed)

    @property
    def device(self) -> device:
        return device("cpu")

    def get_state(self) -> Any:
        """The state as a uint8 tensor."""
        return wrap(super().get_state())

    def set_state(self, state: Any) -> Any:
        """Set the state.

        Raises:
            TypeError: not a uint8 tensor.
        """
        if not isinstance(state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(state).__name__}")
        if state.dtype is not dtypes.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        super().set_state(state._array)
        return self

    def clone_state(self) -> Generator:
        """A new generator with the same state."""
        other = Generator()
        other.set_state(self.get_state())
        return other

    def __reduce__(self) -> Any:
        return _restored, (self.initial_seed(), self.get_state())


def _restored(seed: int, state: Tensor) -> Generator:
    """Unpickle a generator."""
    generator: Generator = Generator().manual_seed(seed)
    return generator.set_state(state)


default_generator = Generator()


def manual_seed(seed: Any) -> Generator:
    """torch.manual_seed: seed the default generator."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """torch.seed: seed from the system's entropy."""
    return default_generator.seed()


def initial_seed() -> int:
    """torch.initial_seed."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """torch.get_rng_state."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """torch.set_rng_state."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, device_type: Any = None) -> Iterator[None]:
    """torch.random.fork_rng: restores the state of the default generator at the end."""
    before = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(before)
