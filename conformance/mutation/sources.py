"""The files of an engine in which faults are made, and a sample of these faults."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.mutation.changes import SourceChange, changes_of

ENGINE = Path(__file__).parents[1] / "engine"

CORE = (
    "_autograd", "_c10/modes.py", "_c10/version_counter.py", "_c10/tensor_metadata.py", "_c10/interpreter_stack.py",
    "_c10/shapes.py", "_aten/inplace.py", "_aten/inplace_errors.py", "_aten/view_replay.py", "_aten/registry.py",
    "_aten/type_promotion.py", "_aten/complex_gradients.py", "_aten/codegen", "_aten/pointwise", "_aten/shape",
    "_aten/reduction", "_aten/blas", "_aten/indexing", "_aten/linalg", "_aten/nn", "_transforms", "_functorch",
    "autograd/__init__.py", "autograd/function.py", "autograd/graph.py", "autograd/grad_mode.py",
    "autograd/functional.py", "autograd/forward_ad.py", "utils/checkpoint.py",
)  # fmt: skip
"""The paths of the in-house engine that a sample is drawn from by default: its core."""

_TEMPLATES = "codegen"  # the folder whose texts are code
_ABSENT = ("_autograd/torch_dispatch_subclass.py", "_autograd/storage_impl.py")
"""Files there that are breadth, see parts.yaml; they are taken where they are named."""


class NoSuchPathError(LookupError):
    """A path names no Python files."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Files below a folder, whose names are relative to it."""

    root: Path
    files: tuple[str, ...]

    def read(self, file: str) -> bytes:
        """The content of a file."""
        return (self.root / file).read_bytes()

    def changes(self, file: str) -> list[SourceChange]:
        """All changes of a file."""
        return changes_of(self.read(file), file, templates=_TEMPLATES in Path(file).parts)


def sources(paths: Sequence[str], engine: str) -> Sources:
    """The Python files in files and folders; a package may be named instead of its folder.

    Raises:
        NoSuchPathError: there are none.
    """
    own = engine == "inhouse"
    if not paths and not own:
        raise NoSuchPathError(
            f"which files of {engine} shall be changed? Name them by --paths, as in --paths {engine}/"
        )
    found = [_path(each, own) for each in (paths or CORE)]
    files = sorted(
        {file.resolve() for each in found for file in ([each] if each.is_file() else each.rglob("*.py"))}
    )
    if not files:
        raise NoSuchPathError(f"there are no Python files in {', '.join(map(str, found))}")
    root = ENGINE if all(each.is_relative_to(ENGINE) for each in files) else _above(files[0])
    names = (each.relative_to(root).as_posix() for each in files if each.is_relative_to(root))
    return Sources(root, tuple(each for each in names if each in paths or each not in _ABSENT))


def _path(text: str, own: bool) -> Path:
    if own and (ENGINE / text).exists():
        return ENGINE / text
    if Path(text).exists():
        return Path(text)
    name = text.rstrip("/").removesuffix(".py").replace("/", ".")
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise NoSuchPathError(f"{text} is neither a file or folder, nor a package that can be imported")
    return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)


def _above(file: Path) -> Path:
    """The folder that holds the package of a file."""
    folder = file.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def drawn(changes: Sequence[SourceChange], number: int, seed: int, of: Sources) -> list[SourceChange]:
    """So many of the changes at random, of which each gives valid source."""
    order = list(changes)
    random.Random(seed).shuffle(order)
    found: list[SourceChange] = []
    for change in order:
        if len(found) == number:
            break
        try:
            compile(change.applied_to(of.read(change.file)), change.file, "exec", dont_inherit=True)
        except SyntaxError:  # such as a keyword argument that is left out before a star
            continue
        found.append(change)
    return found
