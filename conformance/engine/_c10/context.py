"""Global settings: number of threads, matmul precision, deterministic algorithms (torch: ATen/Context.h).

Most of them have no effect here and are only stored.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from .warn_once import warn_once

_settings: dict[str, Any] = {
    "invariants": None,  # not set yet
    "threads": os.cpu_count() or 1,
    "precision": "highest",
    "deterministic": False,
    "warn_only": False,
    "fill": True,
}

# Which kernels of scaled_dot_product_attention are enabled, by torch.nn.attention's names.
attention = dict.fromkeys(
    ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "OVERRIDEABLE"), True
)


def _count(name: str, number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return number


def get_num_threads() -> int:
    """torch.get_num_threads."""
    return int(_settings["threads"])


def set_num_threads(number: int) -> None:
    """torch.set_num_threads: stored; numpy's threads do not change.

    Raises:
        RuntimeError: not a positive integer.
    """
    _settings["threads"] = _count("set_num_threads", number)


def get_float32_matmul_precision() -> str:
    """torch.get_float32_matmul_precision."""
    return str(_settings["precision"])


def set_float32_matmul_precision(precision: str) -> None:
    """torch.set_float32_matmul_precision: stored; products always have full precision here."""
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in ("highest", "high", "medium"):
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has "
            "no effect.",
            stacklevel=2,
        )
        return
    _settings["precision"] = precision


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """torch.use_deterministic_algorithms: operations without a deterministic algorithm in torch raise or warn.

    Raises:
        TypeError: an argument is not a bool.
    """
    for given, called in ((mode, "'mode' (position 1)"), (warn_only, "'warn_only'")):
        if given.__class__ is not bool:
            kind = type(given).__name__
            raise TypeError(f"_set_deterministic_algorithms(): argument {called} must be bool, not {kind}")
    _settings["deterministic"], _settings["warn_only"] = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """torch.are_deterministic_algorithms_enabled."""
    return bool(_settings["deterministic"])


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """torch.is_deterministic_algorithms_warn_only_enabled."""
    return bool(_settings["warn_only"])


def get_fill_uninitialized_memory() -> bool:
    """torch.utils.deterministic.fill_uninitialized_memory."""
    return bool(_settings["fill"])


def set_fill_uninitialized_memory(mode: bool) -> None:
    """torch.utils.deterministic.fill_uninitialized_memory = mode.

    Raises:
        RuntimeError: not a bool.
    """
    if mode.__class__ is not bool:
        raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
    _settings["fill"] = mode


def empty_array(shape: tuple[int, ...], kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An uninitialized array, as torch.empty returns it; here its values are zeros.

    With deterministic algorithms torch fills it with nan or the greatest integer (torch: fill_empty_deterministic_).
    """
    if not (_settings["deterministic"] and _settings["fill"]):
        return np.zeros(shape, kind)
    found: np.ndarray[Any, Any] = np.full(
        shape, np.iinfo(kind).max if kind.kind in "iu" else kind.kind == "b" or np.nan, kind
    )
    return found


def alert_not_deterministic(caller: str) -> None:
    """Warn or raise if deterministic algorithms are on, for an operation that has none (torch: alertNotDeterministic).

    Raises:
        RuntimeError: unless ``warn_only`` is set.
    """
    if not _settings["deterministic"]:
        return
    further = "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic "
    further += "support for this operation."
    start = f"{caller} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms"
    if _settings["warn_only"]:
        warnings.warn(f"{start}(True, warn_only=True)'. You can {further}", stacklevel=2)
        return
    raise RuntimeError(
        f"{start}(True)'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' "
        f"option, if that's acceptable for your application. You can also {further}"
    )


def checks_invariants() -> bool:
    """False: the invariants of new sparse tensors are not checked."""
    return False


def warn_of_invariants() -> None:
    """Warn once that they are not checked, unless the user has said so."""
    if _settings["invariants"] is None:
        warn_once(
            "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a "
            "sparse tensor which violates the invariants, but checks incur performance overhead. To silence this warning, "
            "explicitly opt in or out. See `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. ",
        )


def set_checks_invariants(value: bool) -> None:
    """Say whether they are checked.

    Raises:
        NotImplementedError: they shall be.
    """
    if value:
        raise NotImplementedError("checks of a sparse tensor's invariants")
    _settings["invariants"] = value
