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

from ._arguments.absent_names import look_up
from ._aten.sparse.products import addmm, mm, sum
from ._aten.sparse.softmax import log_softmax, softmax

__all__ = ["addmm", "log_softmax", "mm", "softmax", "sum"]
__getattr__ = look_up("torch.sparse")
