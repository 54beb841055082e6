"""CPU capability, on which it depends which kernel torch records for an LSTM."""

from __future__ import annotations

import functools

from numpy._core import _multiarray_umath  # type: ignore[attr-defined]  # private: numpy has no public name


@functools.cache
def has_onednn_of_bfloat16() -> bool:
    """Whether oneDNN has kernels for bfloat16 on this CPU (torch: mkldnn_bf16_device_check)."""
    features = _multiarray_umath.__cpu_features__
    return all(features.get(each) for each in ("AVX512VL", "AVX512BW", "AVX512DQ"))
