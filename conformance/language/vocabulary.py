"""The names that a program may use: torch's dotted names, attributes, builtins, and the words of `words`."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple, TypeAlias

from conformance.language import names

Kind: TypeAlias = Literal["module", "class", "other", "attribute"]

BUILTINS: frozenset[str] = frozenset(names.BUILTINS.split())
EXCEPTIONS: frozenset[str] = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type)
    and issubclass(value, Exception)
    and not issubclass(value, OSError | ImportError | SyntaxError | ExceptionGroup)
)
TORCH_EXCEPTIONS = frozenset({"LinAlgError", "_LinAlgError", "GradcheckError", "CheckpointError"})


class VocabularyName(NamedTuple):
    """One entry: ``VocabularyName("unary", "torch.Tensor", "sin_", "attribute")``."""

    area: str
    owner: str
    name: str
    kind: Kind

    @property
    def path(self) -> str:
        """``torch.Tensor.sin_``"""
        return f"{self.owner}.{self.name}"


def entries() -> Iterator[VocabularyName]:
    """Every name of the vocabulary with its owner, area by area."""
    for area, places in names.NAMES.items():
        for key, words in places.items():
            for place in key.split(", "):
                head, _, owner = place.rpartition(" ")
                for name in words.split():
                    if place == "in place":
                        yield VocabularyName(area, "torch.Tensor", f"{name}_", "attribute")
                    elif head == "of":
                        yield VocabularyName(area, owner, name, "attribute")
                    else:
                        yield VocabularyName(area, owner, name, "class" if head == "class in" else "other")


def _paths() -> dict[str, Kind]:
    paths: dict[str, Kind] = {}
    for entry in entries():
        if entry.kind != "attribute":
            parts = entry.owner.split(".")
            paths.update((".".join(parts[:length]), "module") for length in range(1, len(parts) + 1))
            paths[entry.path] = entry.kind
    return paths


OPERATORS = "torch.ops.mylib"
"""The namespace for operators that a program defines: torch has nothing there."""

PATHS: dict[str, Kind] = {**_paths(), "torch.ops": "module", OPERATORS: "module"}
"""Every dotted name, with what it is."""

ATTRIBUTES: frozenset[str] = frozenset(entry.name for entry in entries() if entry.kind == "attribute")
"""Every attribute that may be read of any object, apart from the ``_saved_...`` of nodes."""

BASES: frozenset[str] = frozenset(
    path
    for path, kind in PATHS.items()
    if kind == "class"
    and path.startswith(
        ("torch.nn.", "torch.optim.", "torch.autograd.", "torch.distributions.", "torch.Tensor")
    )
) - {"torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.Buffer", "torch.autograd.Variable"}
"""The classes that a program may subclass."""


def is_attribute(name: str) -> bool:
    """Whether ``name`` may be read as an attribute of anything."""
    return name in ATTRIBUTES or name.startswith(("_saved_", "_raw_saved_"))


@cache
def reserved() -> frozenset[str]:
    """Attributes outside the vocabulary of objects that a program can hold: no program may set such a name.

    Otherwise it could set ``from_file`` on an object of its own and then read it from a storage. Attributes of modules
    do not matter: a module may be used only before a dot, with the whole path in the vocabulary.
    """
    text = resources.files("conformance.language").joinpath("reserved.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def children(path: str) -> list[str]:
    """The names directly below a dotted name."""
    return [name for above, _, name in (known.rpartition(".") for known in PATHS) if above == path]
