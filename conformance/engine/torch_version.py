"""torch.torch_version: a version string that compares with strings and tuples (torch: torch_version.py)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

from . import version

_FORM = (  # re compiles it when a version is first compared
    r"\s*v?(?P<release>\d+(?:\.\d+)*)(?:[-_.]?(?P<early>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<number>\d*))?"
    r"(?:[-_.]?(?:post|rev|r)[-_.]?(?P<post>\d*))?(?:[-_.]?dev[-_.]?(?P<dev>\d*))?(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*"
)  # fmt: skip
_EARLY = {"a": 1, "alpha": 1, "b": 2, "beta": 2}  # the others are candidates


def _rank(text: str) -> tuple[Any, ...] | None:
    """The sort key of a version (PEP 440), or None if the text is not a version."""
    found = re.fullmatch(_FORM, text, re.IGNORECASE)
    if found is None:
        return None
    release = [int(part) for part in found["release"].split(".")]
    while len(release) > 1 and not release[-1]:
        release.pop()
    early, post, dev = found["early"], found["post"], found["dev"]
    if early:
        stage = (_EARLY.get(early.lower(), 3), int(found["number"] or 0))
    else:
        stage = (0, 0) if dev is not None and post is None else (4, 0)
    local = [
        (part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.split("[-_.]", found["local"] or "")
        if part
    ]
    return (
        release, stage, -1 if post is None else int(post or 0), (1, 0) if dev is None else (0, int(dev or 0)), local,
    )  # fmt: skip


class TorchVersion(str):
    """A string that compares as a version with strings and with tuples of numbers."""

    __slots__ = ()


def _comparison(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    name = f"__{compare.__name__}__"

    def compared(self: Any, other: Any) -> Any:
        listed = isinstance(other, Iterable) and not isinstance(other, str)
        text = ".".join(map(str, other)) if listed else other
        ranks = _rank(self), _rank(text) if isinstance(text, str) else None
        return getattr(str, name)(self, other) if None in ranks else compare(*ranks)

    return compared


for _compare in (operator.gt, operator.lt, operator.eq, operator.ge, operator.le):
    setattr(TorchVersion, f"__{_compare.__name__}__", _comparison(_compare))

__version__ = TorchVersion(version.__version__)
