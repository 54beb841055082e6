"""The processor, which decides what torch's kernels and numpy's functions do in the last place."""

from __future__ import annotations

import functools
import os

from numpy._core import _multiarray_umath  # type: ignore[attr-defined]  # private: numpy has no public name

# What the processor has, by numpy's names.
FEATURES: dict[str, bool] = _multiarray_umath.__cpu_features__


def _has(*features: str) -> bool:
    return all(FEATURES.get(each) for each in features)


@functools.cache
def has_onednn_of_bfloat16() -> bool:
    """Whether oneDNN computes it: that looks at the processor alone (torch: mkldnn_bf16_device_check)."""
    return _has("AVX512VL", "AVX512BW", "AVX512DQ")


@functools.cache
def get_cpu_capability() -> str:
    """ "AVX512", "AVX2" or "DEFAULT", by the processor, or by ATEN_CPU_CAPABILITY as torch reads it (DispatchStub.cpp)."""
    asked = os.environ.get("ATEN_CPU_CAPABILITY", "")
    if asked in ("avx512", "avx2", "default"):
        return asked.upper()
    if _has("AVX512VL", "AVX512BW", "AVX512DQ", "FMA3"):
        return "AVX512"
    return "AVX2" if _has("AVX2", "FMA3") else "DEFAULT"
