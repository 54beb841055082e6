"""What scenarios may need of the machine besides a device: the engine is asked, never the processor's name.

Note [Probes]: a probe asks an engine's torch for what a scenario does, with the smallest values that reach the same
kernel. Whatever it raises means that the machine does not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.runner.isolate import isolated
from conformance.runner.own_state import lookup


def answers(torch: Any, need: str) -> bool:
    """Whether an engine's ``torch`` has what the probe asks for."""
    try:
        with isolated(torch):
            return PROBES[need](torch)
    except Exception:
        return False


def _is_built_for_the_cpu(torch: Any) -> bool:
    is_built = lookup(torch, "backends.cuda.is_built")
    return is_built is None or not is_built()


def _runs_a_bfloat16_lstm(torch: Any) -> bool:
    """Autocast sends an LSTM to oneDNN, which has no such primitive on processors without AVX-512."""
    x, weight, bias = torch.zeros(1, 1, 1), torch.zeros(4, 1), torch.zeros(4)
    with torch.autocast("cpu"):
        torch.lstm(x, (x, x), [weight, weight, bias, bias], True, 1, 0.0, False, False, False)
    return True


PROBES: Mapping[str, Callable[[Any], bool]] = {
    "cpu_build": _is_built_for_the_cpu,
    "bfloat16_lstm": _runs_a_bfloat16_lstm,
}
