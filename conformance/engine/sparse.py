"""torch.sparse, and tensors of the layout torch.sparse_coo (torch: torch/sparse, native/sparse).

A sparse tensor is a Tensor whose array (``_aten/sparse/sparse_array.py``) has indices and values, see Note
[Sparse arrays]. Operators that dense tensors also have use separate kernels (``_aten/sparse/kernels.py``).
Operators of sparse tensors alone are in ``_aten/sparse/construction.py``, ``_aten/sparse/methods.py`` and
``_aten/sparse/products.py``, and sparse gradients in ``_aten/sparse/gradients.py``. These modules are imported on first use.

Not supported: the compressed layouts (CSR, CSC, BSR, BSC), semi-structured sparsity, sampled_addmm, spdiags, spsolve,
smm, hspmm and sspaddmm, sparse_resize_; norm, floor division and narrow_copy, though torch has
kernels for them, as it has for products that broadcast a sparse tensor; ``out=``; assert_close; gradcheck in fast mode;
in-place changes of a view of a sparse tensor that requires grad; sparse tensors inside torch.func and in forward mode.
Where torch composes an operation of others, the error of a missing sparse kernel may name another one than torch's.
"""

from __future__ import annotations

from typing import Any

from ._arguments.absent_names import look_up
from ._aten.sparse.products import addmm, mm, sum
from ._aten.sparse.softmax import log_softmax, softmax
from ._c10 import context as _context

__all__ = ["addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "softmax", "sum"]
_look_up = look_up("torch.sparse")


def __getattr__(name: str) -> Any:
    if name.endswith("Tensor"):
        from ._aten.sparse.legacy_constructors import TYPES

        if name in TYPES:
            return TYPES[name]
    return _look_up(name)


class check_sparse_tensor_invariants:
    """A setting whether sparse tensors are checked on construction, also usable as a context or decorator."""

    __module__ = "torch.sparse"

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether the checks are on."""
        return _context.checks_invariants()

    @staticmethod
    def enable() -> None:
        """Turn the checks on."""
        _context.set_checks_invariants(True)

    @staticmethod
    def disable() -> None:
        """Turn the checks off."""
        _context.set_checks_invariants(False)

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for context "
                "nesting."
            )
        self.saved_state = self.is_enabled()
        _context.set_checks_invariants(self.state)

    def __exit__(self, *error: object) -> None:
        assert self.saved_state is not None
        _context.set_checks_invariants(self.saved_state)
        self.saved_state = None

    def __call__(self, function: Any) -> Any:
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)

        return checked
