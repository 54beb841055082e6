"""torch.optim and torch.distributions: each file of the engine is one of torch's, and has what torch's has."""

from __future__ import annotations

import ast
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

import conformance.engine

ENGINE = conformance.engine.__name__
FOLDER = Path(conformance.engine.__file__).parent
PACKAGES = ("optim", "distributions")
PRIVATE = ("_optim", "_distributions")  # what torch has no file for


def modules(package: str) -> list[str]:
    """The modules of a package, by their names below it."""
    path = importlib.import_module(package).__path__
    return sorted(each.name for each in pkgutil.iter_modules(path))


def public(module: str) -> list[str]:
    """The public classes and functions that a module of torch defines."""
    found = vars(importlib.import_module(module)).items()
    return sorted(
        name
        for name, value in found
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and (value.__module__ == module or name in getattr(importlib.import_module(module), "__all__", ()))
    )


def defined(path: Path) -> set[str]:
    """The names of the classes and functions that a file defines."""
    body = ast.parse(path.read_text()).body
    return {each.name for each in body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}


IN_ENGINE = {
    package: set().union(*(defined(path) for each in pair for path in (FOLDER / each).glob("*.py")))
    for package, *pair in ((name, name, f"_{name}") for name in PACKAGES)
}
TORCHS = [(package, name) for package in PACKAGES for name in modules(f"torch.{package}")]
OURS = [(package, name) for package in PACKAGES for name in modules(f"{ENGINE}.{package}")]


@pytest.mark.parametrize(("package", "name"), OURS)
def test_each_module_is_torchs(package: str, name: str) -> None:
    assert find_spec(f"torch.{package}.{name}") is not None


@pytest.mark.parametrize(("package", "name"), TORCHS)
def test_each_module_has_what_torchs_has(package: str, name: str) -> None:
    """What the engine has at all of a module of torch is found in the module of that name, too."""
    known = [each for each in public(f"torch.{package}.{name}") if each in IN_ENGINE[package]]
    if name == "_multi_tensor":
        known = []  # partial classes of a release long past, which the engine lacks
    held = importlib.import_module(f"{ENGINE}.{package}.{name}") if known else None
    assert [each for each in known if not hasattr(held, each)] == []
    above = importlib.import_module(f"{ENGINE}.{package}")
    assert [
        each for each in known if getattr(above, each, getattr(held, each)) is not getattr(held, each)
    ] == []


@pytest.mark.parametrize(("package", "name"), OURS)
def test_each_class_is_in_torchs_file(package: str, name: str) -> None:
    """A class or function that torch defines in another file is not defined here."""
    torchs = {
        each: other for pack, other in TORCHS if pack == package for each in public(f"torch.{pack}.{other}")
    }
    here = defined(FOLDER / package / f"{name}.py")
    allowed = set(public(f"torch.{package}.{name}"))
    assert {each: torchs[each] for each in here & torchs.keys() - allowed} == {}


def imports(path: Path) -> Iterator[tuple[ast.stmt, str]]:
    """The import statements of a file, each with the module of the engine that it names."""
    package = path.parent.name
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node, each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = {0: "", 1: f"{package}."}.get(node.level, "")
            names = [node.module] if node.module else [each.name for each in node.names]
            yield from ((node, f"{start}{each}") for each in names)


@pytest.mark.parametrize("package", PRIVATE)
def test_private_packages_import_what_is_below(package: str) -> None:
    above = {name for name in (*PACKAGES, *PRIVATE) if name != package}
    found = [
        (path.name, name)
        for path in (FOLDER / package).glob("*.py")
        for _, name in imports(path)
        if name.split(".")[0] in above
    ]
    assert found == []


@pytest.mark.parametrize("package", [*PACKAGES, *PRIVATE])
def test_no_import_inside_a_function(package: str) -> None:
    """All imports are at the top, where a circle would show."""
    paths = (FOLDER / package).glob("*.py")
    assert [(path.name, name) for path in paths for node, name in imports(path) if node.col_offset] == []


def relaxed(module: Any) -> list[Any]:
    """Distributions whose base distribution is only in its own module."""
    half, one = module.tensor(0.5), module.tensor(1.0)
    kinds = module.distributions
    return [kinds.RelaxedBernoulli(one, half), kinds.RelaxedOneHotCategorical(one, module.ones(2))]


def test_base_distributions_are_pickled() -> None:
    for made in relaxed(conformance.engine):
        back = pickle.loads(pickle.dumps(made))
        assert type(back) is type(made) and type(back.base_dist) is type(made.base_dist)
    assert [type(each.base_dist).__name__ for each in relaxed(conformance.engine)] == [
        type(each.base_dist).__name__ for each in relaxed(torch)
    ]


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("name", ["SGD", "Adagrad", "Adam", "AdamW", "RMSprop", "Muon", "Adafactor"])
@pytest.mark.parametrize("derived", [False, True])
def test_sparse_gradients(name: str, derived: bool) -> None:
    """With a dense parameter before, and by classes derived from torch's: who steps and who refuses, in which words."""
    outcomes = []
    for module in (torch, conformance.engine):
        kind: Any = getattr(module.optim, name)
        kind = type("Derived", (kind,), {}) if derived else kind
        dense, table = (module.ones(n, 2, requires_grad=True) for n in (2, 3))
        opt = kind([dense, table], lr=0.5)
        (module.nn.functional.embedding(module.tensor([0, 2]), table, sparse=True) @ dense).sum().backward()
        try:
            opt.step()
            told = ""
        except RuntimeError as error:
            told = str(error)
        states = {key: sorted(each) for key, each in opt.state_dict()["state"].items()}
        outcomes.append((told, states, dense.tolist(), table.tolist()))
    assert outcomes[0] == outcomes[1]
