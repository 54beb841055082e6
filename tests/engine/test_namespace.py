"""A public name of the engine that is a module is one of torch's modules."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from conformance import engine

ENGINE = Path(engine.__file__).parent


def public_modules() -> list[str]:
    """The paths below the engine of the modules that have no part with one underscore in front."""
    found = []
    for path in sorted(ENGINE.rglob("*.py")):
        parts = path.relative_to(ENGINE).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") and not part.startswith("__") for part in parts):
            found.append(".".join(parts))
    return found


def is_torchs(path: str) -> bool:
    """Whether torch has a module, or what it uses as one, under this path."""
    try:
        importlib.import_module(f"torch.{path}")
    except ImportError:
        owner: Any = torch
        for part in path.split("."):
            owner = getattr(owner, part, None)
        return isinstance(owner, ModuleType)
    return True


@pytest.mark.parametrize("path", [path for path in public_modules() if path])
def test_a_public_module_is_torchs(path: str) -> None:
    assert is_torchs(path)


def test_a_module_of_ours_is_not_torchs() -> None:
    """The check above can fail."""
    assert not is_torchs("accumulate")
    assert not is_torchs("optim.steps")


NAMESPACES = """
autograd autograd.functional autograd.graph fft func linalg nn nn.functional nn.init nn.utils optim overrides random
sparse special storage testing utils utils.checkpoint distributions
""".split()  # noqa: SIM905  as torch's documentation lists them


@pytest.mark.parametrize("path", ["", *NAMESPACES])
def test_no_private_module_has_a_public_name(path: str) -> None:
    """``from torch import registry`` finds nothing: namespaces import private modules under private names."""
    namespace = importlib.import_module(f"conformance.engine.{path}".rstrip("."))
    own = [
        name
        for name, value in vars(namespace).items()
        if isinstance(value, ModuleType)
        and value.__name__.removeprefix("conformance.engine").startswith("._")
        and not name.startswith("_")
    ]
    assert own == []
