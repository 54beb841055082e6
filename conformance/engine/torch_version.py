"""torch.torch_version: a version string that compares with strings and tuples (torch: torch_version.py)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from . import version


class TorchVersion(str):
    """A string that compares as a version with the releases that strings and tuples of numbers name."""

    __slots__ = ()


def _rank(of: Any) -> tuple[list[int], str]:
    text = of if isinstance(of, str) else ".".join(map(str, of))
    found = re.fullmatch(r"(\d+(?:\.\d+)*?)(?:\.0)*(\+\w+)?", text)
    if found is None:
        raise NotImplementedError(
            f"conformance.engine compares torch.__version__ with releases, not with {of!r}"
        )
    return [int(part) for part in found[1].split(".")], found[2] or ""


def _comparison(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    return lambda self, other: compare(_rank(self), _rank(other))


for _compare in (operator.gt, operator.lt, operator.eq, operator.ge, operator.le):
    setattr(TorchVersion, f"__{_compare.__name__}__", _comparison(_compare))

__version__ = TorchVersion(version.__version__)
