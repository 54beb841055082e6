"""The _copy variants of views, such as ``expand_copy``: the views' rows with outputs that own their memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from ..._autograd.tensor import Tensor, make
from ..._autograd.undefined_gradient import unsupported
from ..._c10 import dtypes
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import sizes
from ..registry import ROWS, Array, op
from ..type_promotion import MISSING
from . import split  # noqa: F401  it has rows that are made to copy
from .as_strided_unfold import _arguments as strided_arguments
from .view_reshape import view


def _copy_of(name: str, **facts: Any) -> Callable[..., Any]:
    """The _copy variant of a view's row."""
    row = ROWS[name]
    view = row.forward

    def forward(self: Array, *arguments: Any) -> Array:
        if name == "view":  # a copy need not be laid out as the view would be
            self = self.copy()
        return view(self, *arguments).copy()

    forward.__wrapped__ = view  # type: ignore[attr-defined]  # whose signature it has
    return op(f"{row.node_name}_copy", name=f"{name.lstrip('_')}_copy", **row.formulas, **facts)(forward)


def _linear_copy_of(name: str, **facts: Any) -> Callable[..., Any]:
    """The _copy variant of a view that only picks or arranges elements."""
    return _copy_of(name, complex="holomorphic", jvp="auto_linear", **facts)


def _without_out(name: str, **facts: Any) -> Callable[..., Any]:
    """One whose ``out=`` form torch's autograd does not implement."""
    return _linear_copy_of(name, out=Out(operator=f"aten::{name}_copy"), **facts)


def _copies_of(name: str, **facts: Any) -> Callable[..., Any]:
    """The _copy variant of the row of a view with several outputs."""
    row = ROWS[name]

    def forward(self: Array, *arguments: Any) -> Any:
        return [piece.copy() for piece in row.forward(self, *arguments)]

    forward.__wrapped__ = row.forward  # type: ignore[attr-defined]
    return op(
        f"{row.node_name}_copy",
        name=f"{name}_copy",
        outputs="first others",
        complex="holomorphic",
        **row.formulas,
        **facts,
    )(forward)


alias_copy, unfold_copy = (_without_out(each, variants="function") for each in ("alias", "unfold"))
select_copy = _copy_of("select", overload="int", jvp="auto_linear", vmap="fallback", variants="function")
t_copy, unsqueeze_copy = (
    _without_out(each, vmap="fallback", variants="function") for each in ("t", "unsqueeze")
)
transpose_copy = _without_out("transpose", overload="int", vmap="fallback", variants="function")
slice_copy = _copy_of("slice", overload="Tensor", jvp="auto_linear", vmap="fallback", variants="function")
_as_strided, _expand = _without_out("as_strided"), _without_out("expand")
_permute = _without_out("permute", vmap="fallback")
_view = _linear_copy_of("view")
_view_as_real, _view_as_complex = (
    _copy_of(each, vmap="fallback") for each in ("_view_as_real", "_view_as_complex")
)
_split = _copies_of("split", overload="Tensor")
_split_with_sizes = _copies_of("split_with_sizes", vmap="along")
_unbind = _copies_of("unbind", overload="int", vmap="along")
_squeeze = _without_out("squeeze", vmap="fallback")
_squeeze_dim, _squeeze_dims = (
    _linear_copy_of(f"squeeze_{each}", overload=each, operator="squeeze_copy") for each in ("dim", "dims")
)


@composite(variants="function", out=True)
def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """as_strided as a copy."""
    return _as_strided(input, *strided_arguments(input, size, stride, storage_offset))


@composite(variants="function", vmap="decompose", out=True)
def expand_copy(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    """expand as a copy."""
    return _expand(input, sizes((size,)))


@composite(variants="function", vmap="fallback", out=True)
def permute_copy(input: Tensor, dims: Any) -> Tensor:
    """permute as a copy."""
    return _permute(input, sizes((dims,)))


@composite(variants="function", vmap="decompose", out=Out(operator="aten::view_copy"))
def view_copy(input: Tensor, size: Any = None, *, dtype: Any = None) -> Tensor:
    """view as a copy, in another shape, or as another dtype, which is not differentiable."""
    dtype = size if isinstance(size, dtypes.dtype) else dtype
    if dtype is not None:
        return make(view(input.detach(), dtype)._array.copy())
    return _view(input, sizes((size,)))


def _overload(input: Any, dim: Any = None) -> str:
    return "default" if dim is None else "dim" if isinstance(dim, int) else "dims"


@composite(variants="function", vmap="fallback", overload=_overload, out=True)
def squeeze_copy(input: Tensor, dim: Any = MISSING) -> Tensor:
    """squeeze as a copy."""
    if dim is MISSING:
        return _squeeze(input)
    if isinstance(dim, (tuple, list)):
        return _squeeze_dims(input, tuple(dim))
    return _squeeze_dim(input, dim)


@composite(variants="function", vmap="no_fallback", overload="Tensor", out=None)
def split_copy(input: Tensor, split_size: int, dim: int = 0) -> Any:
    """split into pieces of one length as copies."""
    return _split(input, index(split_size), dim)


@composite(variants="function", vmap="decompose", out=None)
def split_with_sizes_copy(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> Any:
    """split into pieces of given lengths as copies."""
    return _split_with_sizes(input, tuple(split_sizes), dim)


@composite(variants="function", vmap="decompose", out=None)
def unbind_copy(input: Tensor, dim: int = 0) -> Any:
    """unbind as copies."""
    return _unbind(input, dim)


@composite(variants="function", vmap="fallback", out=True)
def view_as_real_copy(input: Tensor) -> Tensor:
    """view_as_real as a copy."""
    return _view_as_real(input)


@composite(variants="function", vmap="fallback", out=True)
def view_as_complex_copy(input: Tensor) -> Tensor:
    """view_as_complex as a copy; torch does not implement its gradient.

    Raises:
        RuntimeError: the input requires grad.
    """
    return _view_as_complex(input)


@op("NotImplemented", vmap="fallback", variants="function", self=unsupported("detach_copy"))
def detach_copy(self: Array) -> Array:
    """detach as a copy; torch raises an error in its backward."""
    return self.copy()


PUBLIC = (
    "alias_copy", "as_strided_copy", "detach_copy", "expand_copy", "permute_copy", "select_copy", "slice_copy",
    "split_copy", "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy", "unbind_copy", "unfold_copy", "unsqueeze_copy", "view_as_complex_copy", "view_as_real_copy", "view_copy",
)  # fmt: skip
