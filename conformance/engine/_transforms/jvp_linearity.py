"""How often torch's forward-mode formulas write to the tangent that they return, which its version shows.

The kinds of formulas, such as "auto_linear" and "auto_element_wise" in torch's derivatives.yaml, are the fact ``jvp``
in _c10/operator_facts.py; formulas of single operations are in _transforms/jvp_formulas.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._autograd.tensor import Tensor

if TYPE_CHECKING:
    from .._aten.registry import Row

Arguments = dict[str, Any]


def _writes_reduced(given: Arguments) -> int:
    return int(given["reduction"] != 0)


def _writes_normalized(given: Arguments) -> int:
    if not given.get("training", True):  # batch_norm in eval mode
        return 0
    if any(isinstance(given[name], Tensor) and given[name]._tangents for name in ("weight", "bias")):
        return 3
    return 2 if given["weight"] is None else 1


def _writes_norm(given: Arguments) -> int:
    return 2 if given["p"] == 2 else int(1 < given["p"] < math.inf)


_WRITES: dict[str, Callable[[Arguments], int]] = {
    "reduced": _writes_reduced,
    "normalized": _writes_normalized,
    "norm": _writes_norm,
}


def writes_to_tangent(row: Row, arguments: Arguments) -> int | None:
    """How often torch's forward-mode formula writes in place to the tangent it returns; None if unknown."""
    result = row.facts.tangent_writes
    return _WRITES[result](arguments) if isinstance(result, str) else result


def writes_afresh(row: Row, of_func: bool, batched: bool) -> bool:
    """Whether torch avoids these writes: norms do under torch.func, and losses are decomposed under vmap."""
    kind = row.facts.tangent_writes
    return (of_func and kind == "normalized") or (batched and kind == "reduced")
