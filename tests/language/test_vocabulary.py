"""The vocabulary against real torch: every name exists, and none leads out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from conformance.adapters.samples import OWNERS, samples
from conformance.language import vocabulary
from tests.language import reserved

pytestmark = pytest.mark.filterwarnings("ignore")  # reading every attribute meets deprecated ones

OBJECTS: dict[str, Any] = {}


PYTHON: dict[str, list[Any]] = {
    "generator": [(i for i in range(1))],
    "property": [property()],
    "Exception": [ValueError(), StopIteration()],
    "slice": [slice(1)],
    "list": [[]],
    "dict": [{}],
    "set": [set()],
    "str": [""],
    "bytes": [b""],
    "ndarray": [np.zeros(1)],
    "float": [1.0],
}


def instances(owner: str) -> list[Any]:
    """Objects of the kind that an owner of attributes names."""
    if owner in OWNERS:
        return list(samples(torch, owner))
    return PYTHON.get(owner) or [reserved.resolve(owner)]


def test_every_name_exists_in_torch() -> None:
    """No entry is a misspelling or of another release."""
    for owner in {entry.owner for entry in vocabulary.entries()}:
        OBJECTS[owner] = instances(owner)
    missing = [
        entry.path
        for entry in vocabulary.entries()
        if not any(entry.name in dir(owner) or hasattr(owner, entry.name) for owner in OBJECTS[entry.owner])
    ]
    assert missing == []


def test_a_saved_tensor_is_looked_at_by_its_class() -> None:
    """An object of it reads the memory of its node, and ends the interpreter where that is gone."""
    assert all(isinstance(sample, type) for sample in samples(torch, "SavedTensor"))


def test_kinds_are_true() -> None:
    """A class is listed as a class, a module is only what has names below it."""
    wrong = []
    for path, kind in vocabulary.PATHS.items():
        value = reserved.resolve(path)
        is_module = isinstance(value, ModuleType) or path == "torch.autograd.gradcheck"
        real = "module" if is_module else "class" if isinstance(value, type) else "other"
        if real != kind and path != "torch.autograd.gradcheck":
            wrong.append((path, kind, real))
    assert wrong == []


def test_no_name_is_listed_twice_in_its_place() -> None:
    """One area has each name."""
    entries = [(entry.owner, entry.name) for entry in vocabulary.entries()]
    assert sorted(entry for entry in set(entries) if entries.count(entry) > 1) == []


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11) or torch.version.cuda is not None,
    reason="the names are those of Python 3.11 and a torch built for the CPU alone",
)
def test_reserved_names_are_current() -> None:
    """What a program can reach beyond the vocabulary; `python -m tests.language.reserved` writes it."""
    # In a process of its own: what other tests import shows up in torch.
    command = [sys.executable, "-c", "from tests.language import reserved; print(reserved.text())"]
    root = Path(__file__).parents[2]
    current = set(
        subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split()
    )
    assert vocabulary.reserved() == current


def test_no_attribute_gives_a_module() -> None:
    """Nothing that a program can hold has a module under a name it may read."""
    leaks = [
        (type(value).__name__, name)
        for value in reserved.reachable()
        if not isinstance(value, ModuleType)
        for name in vocabulary.ATTRIBUTES
        if isinstance(_read(value, name), ModuleType)
    ]
    assert leaks == []


def _read(value: Any, name: str) -> Any:
    try:
        return getattr(value, name, None)
    except (RuntimeError, TypeError, ValueError):
        return None


@pytest.mark.parametrize(
    "name",
    [
        "tofile",
        "dump",
        "dumps",
        "tobytes",
        "load",
        "save",
        "from_file",
        "save_to",
        "share_memory",
        "share_memory_",
        "format",
        "format_map",
        "hub",
        "jit",
        "compile",
        "script",
        "ops",
        "distributed",
        "gi_frame",
        "f_globals",
        "f_builtins",
        "tb_frame",
        "cr_frame",
        "ag_frame",
        "gi_code",
        "func_globals",
        "mro",
        "with_traceback",
        "fget",
        "filename",
        "ctypes",
    ],
)
def test_ways_out_are_no_attributes(name: str) -> None:
    """Names that reach files, processes, code or frames are neither attributes nor below torch."""
    assert not vocabulary.is_attribute(name)
    below = ["mylib"] if name == "ops" else []  # where torch has nothing
    assert vocabulary.children(f"torch.{name}") == below
    assert (f"torch.{name}" in vocabulary.PATHS) == bool(below)


def test_functions_have_their_paths() -> None:
    """Over 220 functions of torch, most of them tensor methods too."""
    functions = {entry.name for entry in vocabulary.entries() if entry.owner == "torch"}
    methods = {entry.name for entry in vocabulary.entries() if entry.owner == "torch.Tensor"}
    assert len(functions & methods) > 220
