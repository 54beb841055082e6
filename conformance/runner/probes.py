"""What scenarios may need of the machine besides a device: the engine is asked, never the processor's name.

Note [Probes]: a probe asks an engine's torch for what a scenario does, with the smallest values that reach the same
kernel. Whatever it raises means that the machine does not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.language.scenario import Scenario
from conformance.runner.isolate import isolated
from conformance.runner.own_state import lookup


def answers(torch: Any, need: str) -> bool:
    """Whether an engine's ``torch`` has what the probe asks for."""
    try:
        with isolated(torch):
            return PROBES[need](torch)
    except Exception:
        return False


SECOND_DEVICE = "second_device"
"""The need of a device other than the CPU, and the word by which programs know it."""


def uses_second_device(scenario: Scenario) -> bool:
    """Whether a program names the second device; it then chooses devices itself."""
    return any(SECOND_DEVICE in step.run for step in scenario.steps)


def second_device_of(engine: Any) -> Any:
    """The device that programs know as ``second_device``: the engine's own, or torch's accelerator; None if absent."""
    own = getattr(engine, "second_device", None)
    if own is not None:
        return own
    current = lookup(engine.torch, "accelerator.current_accelerator")
    try:
        return None if current is None else current(True)
    except Exception:
        return None


def _is_built_for_the_cpu(torch: Any) -> bool:
    is_built = lookup(torch, "backends.cuda.is_built")
    return is_built is None or not is_built()


def _runs_a_bfloat16_lstm(torch: Any) -> bool:
    """Autocast sends an LSTM to oneDNN, which has no such primitive on processors without AVX-512."""
    drawn = torch.get_rng_state()
    layer = torch.nn.LSTM(1, 1)
    torch.set_rng_state(drawn)
    with torch.autocast("cpu"):
        layer(torch.zeros(1, 1, 1))
    return True


PROBES: Mapping[str, Callable[[Any], bool]] = {
    "cpu_build": _is_built_for_the_cpu,
    "bfloat16_lstm": _runs_a_bfloat16_lstm,
}
