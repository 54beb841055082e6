"""Storages compared with torch: memory as bytes, as numbers of a dtype, and as that of tensors."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import conformance.engine

reference = pytest.importorskip("torch")

LINES = """
s.tolist(), list(u), len(s), s.size(), u.size(), s.nbytes(), s.element_size(), u.element_size(), s.dtype
s.device
s[1], s[-1], u[2], u[-1], u[2:6].tolist(), u[10:5].tolist()
s[4]
s[1:2]
s["a"]
u[16]
u["a"]
u[::2]
s.__setitem__(0, 9), a
s.__setitem__(slice(1, 3), 7), a
s.__setitem__(slice(None), torch.arange(4)), a
s.__setitem__(9, 1)
s.__setitem__("a", 1)
s.__setitem__(0, s)
u.__setitem__(0, 300), u.__setitem__(slice(1, 3), -1), u.tolist()
u.__setitem__(100, 1)
u.__setitem__("a", 1)
s.fill_(2).tolist(), a, u.fill_(0).tolist(), a
u.copy_(u.clone()).tolist()
u.copy_(u[:4])
s.clone().tolist(), s.clone().data_ptr() == s.data_ptr(), s.data_ptr() == a.data_ptr()
u == a.untyped_storage(), s == a.storage(), u == u.clone(), hash(u) == hash(a.untyped_storage())
u.resize_(-1)
repr(s), repr(u[:2]), repr(torch.UntypedStorage(0))
torch.UntypedStorage([1, 300]).tolist(), torch.UntypedStorage(3).nbytes()
torch.UntypedStorage(device="cpu").size()
torch.UntypedStorage("a")
torch.UntypedStorage(1.5)
torch.UntypedStorage(-1)
torch.tensor(s), torch.tensor(u), torch.tensor(u, dtype=torch.float), torch.FloatTensor(s)
torch.IntTensor(u), a.new(s)
torch.tensor(s, dtype=torch.int)
torch.IntTensor(s)
a.int().new(s)
torch.tensor([]).set_(s, 1, (2,), (2,)), torch.tensor([]).set_(u, 1, (3,))
torch.tensor([]).set_(a, 1, (2,), (2,))
torch.tensor([]).set_(s, 1, (2,), (2,)).untyped_storage() == u
torch.tensor([], dtype=torch.int).set_(s)
torch.tensor([]).set_(s, -1, (2,))
torch.tensor([]).set_(s, 0, (-1,))
torch.tensor([]).set_(s, 0, (2,), (1, 1))
torch.tensor([]).set_(s, 0, (2,), (-1,))
copied([a, [a.storage(), u], a.view(2, 2)])
pickled(torch.Generator().manual_seed(5)).initial_seed()
torch.ones(2, 3).t().dim_order(), torch.ones(2, 3, 4).permute(2, 0, 1).dim_order(), torch.ones(()).dim_order()
torch.ones(1, 1).dim_order(ambiguity_check=True)
torch.ones(2, 1).dim_order(ambiguity_check=[torch.contiguous_format])
torch.ones(2, 3).dim_order(ambiguity_check="a")
torch.ones(1).pin_memory()
torch.ones(1).is_distributed(), torch.FloatTensor.layout
torch.Generator().set_state(3)
torch.tensor(0).as_subclass(3)
torch.return_types.max((1,))
torch.asarray(bytearray(8)), torch.asarray(b"abcd", dtype=torch.int16)
torch.asarray(bytearray(4), copy=False)
torch.tensor(b"ab")
torch.ones(2)[np.array(True)], torch.ones(2)[None, np.array(False)]
torch.ones(2) == np.ones(2), np.ones(1) == torch.ones(2), torch.ones(2) == np.array("a")
torch.ones(2) != np.ones(2)
torch.ones(2) == np.ones(3)
""".strip().split("\n")


def _copied(value: Any) -> Any:
    made = copy.deepcopy(value)
    made[0].add_(1)
    return [each.tolist() for each in (made[0], *made[1], made[2], value[0])]


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
            "copied": _copied,
        }
        try:
            return repr(eval(line, {**given, "pickled": lambda each: pickle.loads(pickle.dumps(each))}))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("line", LINES)
def test_shows_what_torch_shows(line: str) -> None:
    """Values, classes and texts of errors are torch's."""
    assert _shown(conformance.engine, line) == _shown(reference, line)
