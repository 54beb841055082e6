"""Settings that change nothing on the CPU, compared with torch: each reads as it was set."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

import conformance.engine

reference = pytest.importorskip("torch")

LINES = {
    "precision": "torch.get_float32_matmul_precision()",
    "determinism": "torch.use_deterministic_algorithms(False) or torch.are_deterministic_algorithms_enabled()",
    "warnings of it": "torch.is_deterministic_algorithms_warn_only_enabled()",
    "device": "torch.get_default_device()",
    "no threads": "torch.set_num_threads(0)",
    "threads by name": "torch.set_num_threads('one')",
    "memory filled": "setattr(torch.utils.deterministic, 'fill_uninitialized_memory', 3)",
    "negative": "torch.is_neg(torch.ones(1))",
    "conjugate": "torch.ones(1).is_conj()",
    "pinned": "torch.ones(1).is_pinned()",
}


def _shown(torch: Any, line: str) -> str:
    try:
        return repr(eval(line, {"torch": torch}))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_reads_what_torch_reads(line: str) -> None:
    """The same value, or the same error."""
    assert _shown(conformance.engine, line) == _shown(reference, line)


def test_threads_are_remembered() -> None:
    """What is set is read again."""
    before = conformance.engine.get_num_threads()
    conformance.engine.set_num_threads(before + 1)
    assert conformance.engine.get_num_threads() == before + 1
    conformance.engine.set_num_threads(before)


def test_other_devices_are_not_implemented() -> None:
    """There is the CPU alone."""
    with conformance.engine.device("meta"), pytest.raises(NotImplementedError, match="meta"):
        conformance.engine.ones(2)


def test_what_a_dense_tensor_is_asked() -> None:
    """Questions about other layouts and devices, as torch answers them for a dense tensor on the CPU."""
    flags = ("is_sparse_csr", "is_ipu", "is_maia", "is_mtia", "is_vulkan", "is_xla")
    module: Any
    for module in (conformance.engine, reference):
        x = module.ones(2, requires_grad=True)
        assert x.to_dense() is x and x.to_dense(module.float64).dtype is module.float64
        assert not any(getattr(x, each) for each in flags)
        with pytest.raises(RuntimeError, match="is_coalesced expected sparse coordinate tensor layout"):
            x.is_coalesced()
        with pytest.raises(AssertionError, match="never"):
            module._assert(module.tensor(False), "never")
        shapes = module.autograd._calculate_shape(x, module.ones(3, 2), True)
        assert [list(each) for each in shapes] == [[2], [2]]


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_modes_in_another_thread() -> None:
    """Anomaly mode is that of all threads, other modes are each thread's own."""

    def seen(torch: Any) -> list[bool]:
        found: list[bool] = []

        def look() -> None:
            found.extend((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
            found.extend((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))

        with torch.autograd.detect_anomaly(check_nan=False), torch.no_grad(), torch.inference_mode():
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
        return found

    assert seen(conformance.engine) == seen(reference)


SAID_ONCE = """
import warnings
import {module} as torch
x = torch.ones(2, 2, 2)
for always in (False, True):
    torch.set_warn_always(always)
    cast = lambda: x.to(torch.complex64).float()
    for warning in (lambda: x.T, cast, lambda: torch.meshgrid(x[0, 0]), lambda: x.storage()):
        with warnings.catch_warnings(record=True) as log:
            warnings.simplefilter("always")
            for _ in range(3):
                warning()
        print(len(log), end=" ")
"""


@pytest.mark.parametrize("module", ["torch", "conformance.engine"])
def test_some_warnings_are_given_once_in_a_program(module: str) -> None:
    """Until torch.set_warn_always says otherwise, in a process of its own."""
    command = [sys.executable, "-c", SAID_ONCE.format(module=module)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert said[:4] == ["1"] * 4 and said[4:7] == ["3"] * 3
