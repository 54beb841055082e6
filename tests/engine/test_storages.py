"""Storages compared with torch: memory as bytes, as numbers of a dtype, and as that of tensors."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import conformance.engine

reference = pytest.importorskip("torch")

LINES = """
len(s), s.size(), u.size(), s.nbytes(), s.dtype, s.data_ptr() == a.data_ptr()
u == a.untyped_storage(), s == a.storage(), u == torch.ones(4).untyped_storage(), hash(u) == hash(a.untyped_storage())
pickled(torch.Generator().manual_seed(5)).initial_seed()
torch.ones(1).pin_memory()
torch.Generator().set_state(3)
torch.tensor(0).as_subclass(3)
torch.return_types.max((1,))
torch.ones(2)[np.array(True)], torch.ones(2)[None, np.array(False)]
torch.ones(2) == np.ones(2), np.ones(1) == torch.ones(2), torch.ones(2) == np.array("a")
torch.ones(2) != np.ones(2)
torch.ones(2) == np.ones(3)
torch.FloatTensor.layout
""".strip().split("\n")


def _shown(torch: Any, line: str) -> str:
    a = torch.tensor([1.0, 2.0, 3.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {
            "torch": torch,
            "np": np,
            "a": a,
            "s": a.storage(),
            "u": a.untyped_storage(),
        }
        try:
            return repr(eval(line, {**given, "pickled": lambda each: pickle.loads(pickle.dumps(each))}))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("line", LINES)
def test_shows_what_torch_shows(line: str) -> None:
    """Values, classes and texts of errors are torch's."""
    assert _shown(conformance.engine, line) == _shown(reference, line)
