"""Faults of sparse tensors and their gradients."""

from __future__ import annotations

from conformance.mutation.faults.table import area

LAYOUTS = (
    *area(
        "sparse tensors",
        ("stolen-gradient-stays-coalesced", "a sparse gradient that is taken as it is stays coalesced",
         "_aten.sparse.gradients:accumulated", "coo(array.indices, array.values, array.shape)",
         "coo(array.indices, array.values, array.shape, array.coalesced)"),
        ("sparse-gradients-in-order", "sparse gradients that meet are added in the order in which they come",
         "_autograd.accumulate_grad:sum_of_layouts", "dense + other", "other + dense"),
        ("padding-keeps-its-gradient", "padded rows have sparse gradients",
         "_aten.sparse.gradients:of_embedding", "if padding_idx != -1:", "if False:"),
        ("duplicates-last", "of values at one place coalesce keeps the last",
         "_aten.sparse.sparse_array:coalesced", "np.add.at(summed, inverse, array.values)", "summed[inverse] = array.values"),
        ("dense-last", "of values at one place to_dense keeps the last",
         "_aten.sparse.sparse_array:dense", "np.add.at(result, tuple(array.indices), array.values)",
         "result[tuple(array.indices)] = array.values"),
        ("written-values", "a change in place writes no version",
         "_aten.sparse.inplace:written", "increment_version(self)", "pass"),
        ("merged-unordered", "a sum of sparse tensors is not merged",
         "_aten.sparse.elementwise:add", "if self.values.flags.c_contiguous and other.values.flags.c_contiguous:",
         "if False:"),
    ),
)  # fmt: skip
