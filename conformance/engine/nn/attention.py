"""torch.nn.attention: the backends of scaled_dot_product_attention (torch: nn/attention/__init__.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from .._arguments.absent_names import look_up
from .._c10 import context as settings

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """The backends of scaled_dot_product_attention; the CPU has MATH and FLASH_ATTENTION."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


SDPBackend.__module__ = "torch.nn.attention"


@contextmanager
def _only(enabled: set[str]) -> Iterator[dict[Any, Any]]:
    before = dict(settings.attention)
    settings.attention.update({name: name in enabled for name in before})
    try:
        yield {}
    finally:
        settings.attention.update(before)


def sdpa_kernel(backends: Any, set_priority: bool = False) -> Any:
    """A context or decorator in which attention uses only these backends."""

    @contextmanager
    def context() -> Iterator[dict[Any, Any]]:
        if not isinstance(backends, (list, SDPBackend)):
            raise AssertionError(
                "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
                f"{type(backends).__name__}"
            )
        listed = [backends] if isinstance(backends, SDPBackend) else backends
        with _only({each.name for each in listed if isinstance(each, SDPBackend)}) as nothing:
            yield nothing

    return context()


__getattr__ = look_up("torch.nn.attention")
