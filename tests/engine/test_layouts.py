"""Tensors of other layouts: what has no kernel for them raises, and dense programs load nothing of them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from conformance import engine
from conformance.engine._c10.layout import LayoutError


@pytest.mark.parametrize(
    "read",
    [
        np.asarray,
        np.array,
        np.sum,
        np.exp,
        lambda a: a[0],
        lambda a: a + 1,
        lambda a: np.zeros((2, 2)) * a,
        iter,
    ],
)
def test_elements_of_a_sparse_array_are_not_read(read: object) -> None:
    """numpy would take them for something else."""
    array = engine.eye(2).to_sparse()._array
    with pytest.raises(LayoutError):
        read(array)  # type: ignore[operator]


def test_dense_programs_load_no_other_layout() -> None:
    program = (
        "import sys, conformance.engine as torch\n"
        "w = torch.nn.Linear(2, 2)\n"
        "opt = torch.optim.Adam(w.parameters())\n"
        "w(torch.ones(1, 2)).sum().backward()\n"
        "opt.step()\n"
        "print(w.weight.grad, w.weight.layout, w.weight.is_sparse)\n"
        "assert 'conformance.engine.sparse' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_sparse_gradient_may_be_the_first_sparse_tensor() -> None:
    """Its kernels are found although nothing else has imported them."""
    program = (
        "import conformance.engine as torch\n"
        "table = torch.ones(3, 2, requires_grad=True)\n"
        "torch.nn.functional.embedding(torch.tensor([0, 2]), table, sparse=True).sum().backward()\n"
        "print(table.detach().add_(table.grad).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "[[2.0, 2.0], [1.0, 1.0], [2.0, 2.0]]\n", done.stderr
