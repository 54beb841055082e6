"""Import a module with other source than its file has."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType


def plant(file: Path, source: bytes) -> None:
    """From now on this process imports the file's module with this source.

    Raises:
        RuntimeError: the module has been imported already.
    """
    module = module_of(file)
    if module in sys.modules:
        raise RuntimeError(f"{module} has been imported already")
    sys.meta_path.insert(0, _Finder(module, source))


def module_of(file: Path) -> str:
    """The dotted name of the module that a file holds."""
    parts = [] if file.name == "__init__.py" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


class _Finder(MetaPathFinder):
    def __init__(self, module: str, source: bytes) -> None:
        self._module, self._source = module, source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual place of the module, with a loader of its own."""
        if fullname != self._module:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self._source)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        """The code of the given source; what is cached of the file is not used."""
        code: CodeType = compile(self._source, self.path, "exec", dont_inherit=True)
        return code
