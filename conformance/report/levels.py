"""The levels that an engine climbs within tier core: subject folders of the specs, in one order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conformance.report.result import Result
from conformance.report.share import Cell, cell

LEVELS = (
    ("tensors, backward and leaf flags", "backward grad_accumulation retain_graph leaf requires_grad detach"),
    ("writes and views", "inplace views version_counters saved_tensors"),
    ("autograd.grad and modes", "create_graph grad_modes"),
    ("hooks and nodes", "hooks retain_grad grad_fn custom_function"),
)
"""Each with its subject folders, below ``specs/autograd``."""
REST = "the rest"
NAMES = (*(name for name, _ in LEVELS), REST)
_OF = {f"autograd/{folder}": name for name, folders in LEVELS for folder in folders.split()}


def level_of(result: Result) -> str:
    """The level of a result of tier core; empty for one of another tier."""
    return _OF.get(result.area, REST) if result.tier == "core" else ""


def cells(results: Sequence[Result]) -> Iterator[tuple[str, Cell]]:
    """The levels that have results, in their order."""
    named = [(level_of(result), result) for result in results]
    for name in NAMES:
        own = [result for level, result in named if level == name]
        if own:
            yield name, cell(own)


def lines(results: Sequence[Result]) -> Iterable[str]:
    """A line of a summary, if there are several levels and not all agree."""
    found = [*cells(results)]
    if len(found) > 1 and any(each.agreeing < each.scenarios for _, each in found):
        shown = ", ".join(f"{name} {each.text}" for name, each in found)
        yield f"  agreeing in tier core by level: {shown}"
