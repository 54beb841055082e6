"""Operations that are imported when they are first asked for.

Note [Operations asked for late]: a program uses a few dozen of some 900 operations, and to read their code is most of an
import. The modules of names.LATE are imported when the first of their operations is asked for: as an attribute of torch,
as a method, in whose place a LateMethod stands, or as a row. Who looks at operations as a whole asks for everything() before.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from threading import RLock

from ..tensor import Tensor
from . import names
from .attaching import FUNCTIONS, LateMethod, attach

_waiting = {*names.LATE}
_lock = RLock()


def load(module: str) -> None:
    """Import a module of operations, if none of them was asked for so far."""
    found = import_module(f"{__package__}.{module}")
    with _lock:
        if module in _waiting:
            attach([found])
            torch = vars(sys.modules[__package__.rpartition(".")[0]])
            for name, owner in names.MODULE_OF.items():
                if owner == module and name in FUNCTIONS:
                    torch.setdefault(name, FUNCTIONS[name])
            _waiting.remove(module)


def everything() -> None:
    """Import all operations that were not asked for so far."""
    for module in sorted(_waiting):
        load(module)


_FUNCTIONS = """
alias_copy as_strided_copy atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors bucketize
cartesian_prod cdist celu celu_ chain_matmul combinations cumulative_trapezoid detach_copy diagonal_copy
einsum expand_copy gradient histogramdd lu_unpack matrix_rank meshgrid pca_lowrank pdist permute_copy rrelu
rrelu_ searchsorted segment_reduce select_copy selu selu_ slice_copy split_copy split_with_sizes_copy
squeeze_copy std_mean svd_lowrank t_copy tensordot transpose_copy trapezoid trapz tril_indices triu_indices
unbind_copy unfold_copy unravel_index unsqueeze_copy vander var_mean view_as_complex_copy view_as_real_copy
view_copy _aminmax _assert_async _assert_tensor_metadata _efficientzerotensor _euclidean_dist _log_softmax
_masked_softmax _safe_softmax _sample_dirichlet _segment_reduce _shape_as_tensor _softmax _stack
_standard_gamma _test_autograd_multiple_dispatch _test_autograd_multiple_dispatch_view
_test_autograd_multiple_dispatch_view_copy _trilinear _unsafe_index
"""  # which are no methods


def stand_in() -> None:
    """Let a LateMethod stand in for each method that is asked for late."""
    alone = _FUNCTIONS.split()
    for name, module in names.MODULE_OF.items():
        if name not in alone:
            setattr(Tensor, name, LateMethod(name, partial(load, module)))
