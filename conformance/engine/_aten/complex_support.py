"""What torch says of complex numbers where it has no kernel for them: by row, before its forward runs.

Numbers without an order can be neither sorted nor chosen among, and numpy would do both (by real part first).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._c10 import dtypes
from .._c10.shapes import wrap_dims

if TYPE_CHECKING:
    from .registry import Row

# kernel: rows
_KERNELS = """
adaptive_avg_pool2d: _adaptive_avg_pool2d
adaptive_avg_pool3d_cpu: _adaptive_avg_pool3d
adaptive_max_pool2d: adaptive_max_pool2d
adaptive_max_pool3d_cpu: adaptive_max_pool3d
airy_ai_cpu: special_airy_ai
arange_cpu: mvlgamma
atan2_cpu: atan2
bernoulli_tensor_cpu_self_: bernoulli_probabilities
bessel_j0_cpu: special_bessel_j0
bessel_j1_cpu: special_bessel_j1
bessel_y0_cpu: special_bessel_y0
bessel_y1_cpu: special_bessel_y1
copysign_cpu: copysign copysign_tensor
cummax_cpu: cummax
cummin_cpu: cummin
digamma: digamma
entr_cpu: special_entr
erf_vml_cpu: erf
erfc_vml_cpu: erfc
erfcx_cpu: special_erfcx
erfinv_vml_cpu: erfinv
fmod_cpu: fmod fmod_tensor
frac_cpu: frac
huber_cpu: huber_loss
hypot_cpu: hypot
i0_vml_cpu: i0
i0e_cpu: special_i0e
i1_cpu: special_i1
i1e_cpu: special_i1e
lgamma_vml_cpu: lgamma
log_ndtr_cpu: special_log_ndtr
logit_cpu: logit
max_all: max
max_values_cpu: amax
max_pool2d: max_pool2d_with_indices
max_pool3d: max_pool3d_with_indices
maximum_cpu: clamp_min_tensor
median_cpu: median nanmedian
median_out: median_dim nanmedian_dim
min_all: min
min_values_cpu: amin
minimum_cpu: clamp_max_tensor
mode_cpu: mode
modified_bessel_i0_cpu: special_modified_bessel_i0
modified_bessel_i1_cpu: special_modified_bessel_i1
modified_bessel_k0_cpu: special_modified_bessel_k0
modified_bessel_k1_cpu: special_modified_bessel_k1
mse_cpu: mse_loss
ndtri_cpu: special_ndtri
remainder_cpu: remainder remainder_of_number remainder_tensor
round_vml_cpu: round
scaled_modified_bessel_k0_cpu: special_scaled_modified_bessel_k0
scaled_modified_bessel_k1_cpu: special_scaled_modified_bessel_k1
smooth_l1_cpu: smooth_l1_loss
softmax_lastdim_kernel_impl: _safe_softmax
spherical_bessel_j0_cpu: special_spherical_bessel_j0
threshold_cpu: threshold
unique: _unique2 unique_consecutive
unique_dim: _unique_dim _unique_dim_consecutive
xlog1py_cpu: special_xlog1py special_xlog1py_of_number special_xlog1py_tensors
xlogy_cpu: xlogy xlogy_of_number xlogy_tensors
zeta_cpu: special_zeta special_zeta_of_number special_zeta_with_number
"""

_NOT_IMPLEMENTED = {
    "ceil": "ceil is not supported for complex inputs",
    "clamp clamp_max clamp_min clamp_tensors hardtanh relu": "clamp is not supported for complex types",
    "floor": "floor is not supported for complex inputs",
    "signbit": "signbit is not implemented for complex tensors.",
    "trunc": "trunc is not supported for complex inputs",
}
_RUNTIME = {
    "argmax": "argmax(): does not support complex input",
    "argmin": "argmin(): does not support complex input",
    "deg2rad": "deg2rad is not supported for complex tensors.",
    "fmax": "fmax not implemented for complex tensors.",
    "fmin": "fmin not implemented for complex tensors.",
    "heaviside": "heaviside is not yet implemented for complex tensors.",
    "isneginf": "isneginf does not support complex inputs.",
    "isposinf": "isposinf does not support complex inputs.",
    "max_dim": "max(): does not support complex input",
    "maximum": "maximum not implemented for complex tensors.",
    "min_dim": "min(): does not support complex input",
    "minimum": "minimum not implemented for complex tensors.",
    "nansum": "nansum on CPU does not support complex inputs",
    "rad2deg": "rad2deg is not supported for complex tensors.",
    "sort sort_stable": " Sort does not support complex dtypes on CPU",
}
# What is done without a kernel: nothing to what is empty, a copy of one number.
UNLESS_EMPTY = frozenset(
    [
        "_adaptive_avg_pool2d",
        "amax",
        "amin",
        "bernoulli_probabilities",
        "cummax",
        "cummin",
        "max",
        "median",
        "min",
        "mode",
        "nanmedian",
    ]
)
UNLESS_SINGLE = frozenset(["cummax", "cummin", "mode"])


def _by_row() -> dict[str, tuple[type[Exception], str]]:
    found: dict[str, tuple[type[Exception], str]] = {}
    for line in _KERNELS.split("\n"):
        kernel, _, rows = line.partition(": ")
        for name in rows.split():
            found[name] = NotImplementedError, f"\"{kernel}\" not implemented for '{{}}'"
    for error, texts in ((NotImplementedError, _NOT_IMPLEMENTED), (RuntimeError, _RUNTIME)):
        for rows, text in texts.items():
            found.update(dict.fromkeys(rows.split(), (error, text)))
    return found


REFUSALS = _by_row()


def refusal(row: Row, array: Any, dim: Any = None) -> Exception:
    """The error of a row that is given complex numbers, unless it has not the dimensions that are asked for."""
    if dim is not None and row.name not in ("argmax", "argmin"):
        axes = wrap_dims(dim, array.ndim)
        if row.name.endswith("_dim") and array.ndim and not array.shape[axes[0]]:
            called = row.name.removeprefix("nan").removesuffix("_dim")
            raise IndexError(f"{called}(): Expected reduction dim {axes[0]} to have non-zero size.")
    error, text = REFUSALS[row.name]
    kind = dtypes.result_dtype(array, 1j)  # an operand that is a number may be the complex one
    return error(text.format(dtypes.BY_NUMPY[kind].legacy))
