"""The operations, by kind. Importing this package registers every row and attaches the Tensor methods.

``FUNCTIONS`` are the names that become ``torch.<name>``; a function whose first argument is a tensor is a
Tensor method as well unless it is listed in ``_NO_METHOD``. In-place methods (``name_``) are made from rows.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import random
from ..inplace import inplace
from ..rows import ROWS
from ..tensor import Tensor
from . import (
    activation,
    arithmetic,
    binary,
    copying,
    gated,
    gather,
    indexing,
    joining,
    logic,
    masking,
    matmul,
    operators,
    placing,
    power,
    reduction,
    rounding,
    selection,
    shape,
    softmax,
    special,
    splitting,
    unary,
)  # fmt: skip

MODULES: tuple[ModuleType, ...] = (
    activation, arithmetic, binary, copying, gated, gather, indexing, joining, logic, masking, matmul,
    placing, power, reduction, rounding, selection, shape, softmax, special, splitting, unary,
)  # fmt: skip

# In-place forms that torch has as functions too.
INPLACE_FUNCTIONS = """
abs_ acos_ acosh_ addmv_ alpha_dropout_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_
atan_ atanh_ ceil_ celu_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ detach_ dropout_ erf_ erfc_ exp2_ exp_
expm1_ feature_alpha_dropout_ feature_dropout_ fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_
log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rrelu_ rsqrt_ selu_ sigmoid_ sin_ sinc_
sinh_ sqrt_ square_ tan_ tanh_ threshold_ trunc_ xlogy_ zero_
"""


def public(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """A module's own functions with a public name."""
    own = getattr(module, "PUBLIC", None)
    names = own if own is not None else [n for n in vars(module) if not n.startswith("_") and n != "attach"]
    found = {}
    for name in names:
        value = getattr(module, name)
        if callable(value) and getattr(value, "__module__", "") in (module.__name__, "torch") and not isinstance(value, type):
            found[name.rstrip("_") if name in ("slice_", "type_") else name] = value
    return found


FUNCTIONS: dict[str, Callable[..., Any]] = {}


def attach() -> None:
    """Make the operations methods of Tensor."""
    for module in MODULES:
        for name, function in public(module).items():
            if name.endswith("_"):
                setattr(Tensor, name, function)
            else:
                FUNCTIONS[name] = function
    for name, function in FUNCTIONS.items():
        if name not in vars(Tensor):
            setattr(Tensor, name, function)
    random.attach()
    for name, row in ROWS.items():
        if row.view is None and not row.lists and next(iter(row.parameters), "") == "self":
            method = name if name.endswith("_") else name + "_"
            if method not in vars(Tensor) and (method == name or method not in ROWS):
                setattr(Tensor, method, inplace(row))
    indexing.attach()
    selection.attach()
    shape.attach()
    copying.attach()
    operators.attach()
    for name in INPLACE_FUNCTIONS.split():
        if name not in FUNCTIONS and hasattr(Tensor, name):
            FUNCTIONS[name] = getattr(Tensor, name)
    from .. import creation

    creation.attach()


attach()
