"""CPU capability, on which the last digits of results depend in torch's and numpy's kernels (torch: DispatchStub.cpp)."""

from __future__ import annotations

import functools
import os

from numpy._core import _multiarray_umath  # type: ignore[attr-defined]  # private: numpy has no public name

# The CPU features, by numpy's names.
FEATURES: dict[str, bool] = _multiarray_umath.__cpu_features__


def _has(*features: str) -> bool:
    return all(FEATURES.get(each) for each in features)


@functools.cache
def has_onednn_of_bfloat16() -> bool:
    """Whether oneDNN has kernels for bfloat16 on this CPU (torch: mkldnn_bf16_device_check)."""
    return _has("AVX512VL", "AVX512BW", "AVX512DQ")


@functools.cache
def get_cpu_capability() -> str:
    """torch.backends.cpu.get_cpu_capability: "AVX512", "AVX2" or "DEFAULT"; ATEN_CPU_CAPABILITY overrides it."""
    override = os.environ.get("ATEN_CPU_CAPABILITY", "")
    if override in ("avx512", "avx2", "default"):
        return override.upper()
    if _has("AVX512VL", "AVX512BW", "AVX512DQ", "FMA3"):
        return "AVX512"
    return "AVX2" if _has("AVX2", "FMA3") else "DEFAULT"
