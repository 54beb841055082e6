"""Names that only torch has are reported as missing; names that neither has raise with torch's text."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import torch

from conformance import engine
from conformance.engine._arguments.gone import GONE
from conformance.engine._arguments.torch_api import FILE, public_names
from conformance.engine._aten import operators
from conformance.runner.processes import fresh
from tests.engine import torch_api


def test_the_names_and_signatures_are_those_of_torch() -> None:
    """The file stands as it is written from torch: a new one, since what tests import shows in modules above it."""
    ((_, written),) = fresh([torch_api.text], 1)
    assert Path(FILE).read_text(encoding="utf-8") == written


@pytest.mark.parametrize("path", torch_api.MODULES.split())
def test_what_is_absent_says_so(path: str) -> None:
    """Each name of torch's is there, or is not implemented by name and fails no probe."""
    module = importlib.import_module(f"conformance.engine{path.removeprefix('torch')}")
    absent = [name for name in dir(importlib.import_module(path)) if not hasattr(module, name)]
    for name in {*absent} & public_names(path):
        assert getattr(module, name, None) is None
        with pytest.raises(NotImplementedError, match=rf"^{path}\.{name}\b"):
            getattr(module, name)


@pytest.mark.parametrize("path", torch_api.MODULES.split())
def test_what_torch_lacks_too_has_its_text(path: str) -> None:
    """A name that is nowhere is an AttributeError, in torch's words."""
    module = importlib.import_module(f"conformance.engine{path.removeprefix('torch')}")
    with pytest.raises(AttributeError) as theirs:
        _ = importlib.import_module(path).nosuch
    with pytest.raises(AttributeError) as ours:
        _ = module.nosuch
    assert (type(ours.value), str(ours.value)) == (type(theirs.value), str(theirs.value))


@pytest.mark.parametrize("owner", [engine.Tensor, engine.ones(1)])
def test_absent_attributes_of_tensors(owner: Any) -> None:
    """A tensor's and its class's attributes are like a module's."""
    assert not hasattr(owner, "to_sparse_csr")
    with pytest.raises(NotImplementedError, match=r"^Tensor\.to_sparse_csr$"):
        _ = owner.to_sparse_csr
    theirs = torch.Tensor if isinstance(owner, type) else torch.ones(1)
    with pytest.raises(AttributeError) as expected:
        _ = theirs.nosuch  # type: ignore[union-attr]
    with pytest.raises(AttributeError) as found:
        _ = owner.nosuch
    assert str(found.value) == str(expected.value)


def test_dir_of_autograd_has_no_public_name_that_torch_has_not() -> None:
    ours = {name for name in dir(engine.autograd) if name[0] != "_"}
    assert ours - {*dir(torch.autograd)} == set()
    assert {"Function", "gradcheck", "graph"} <= ours


def test_there_is_no_function_that_torch_has_not() -> None:
    """What the engine's modules share among them is nothing for its users."""
    assert [name for name in operators.FUNCTIONS if not hasattr(torch, name)] == []
    assert [name for name in dir(engine.Tensor) if name[0] != "_" and not hasattr(torch.Tensor, name)] == []


@pytest.mark.parametrize("path", GONE)
def test_what_is_gone_says_so(path: str) -> None:
    """The engine says what it has no longer, and that torch has it."""
    module, _, name = path.rpartition(".")
    owner = importlib.import_module(f"conformance.engine{module.removeprefix('torch')}")
    assert not hasattr(owner, name)
    with pytest.raises(
        NotImplementedError, match=rf"^{path}: conformance\.engine has no {GONE[path]}; torch has$"
    ):
        getattr(owner, name)
