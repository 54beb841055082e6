"""The graph behind a tensor as text, from name to name.

An edge is written as the tensor it leads to, if that is alive: ``(b, AccumulateGrad(a), None)``. A node that is the
grad_fn of no living tensor gets a number and a line of its own; ``:1`` is an index other than 0. So the text of one
tensor covers only the nodes up to the next names, and a difference shows once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from conformance.runner.normalize import error_text

AT_ONCE, IN_ALL = 1000, 10_000
"""Nodes walked in one snapshot, and in all snapshots of one run: see Note [Observing]."""


class Allowance:
    """How many nodes a run may still walk."""

    def __init__(self) -> None:
        self.left = IN_ALL


def key_of(node: Any) -> Hashable:
    """The identity of a node within one snapshot."""
    try:
        hash(node)
    except TypeError:
        return id(node)
    key: Hashable = node
    return key


class Graphs:
    """The texts of all graphs of one snapshot, which share names and the allowance."""

    def __init__(self, name_of: Callable[[Any], str], allowance: Allowance) -> None:
        self._name_of = name_of  # of a leaf
        self._owners: dict[Hashable, dict[Any, str]] = {}  # node -> output_nr -> name of a tensor
        # node -> the name whose text contains it, and its number there
        self._numbers: dict[Hashable, tuple[str, int]] = {}
        self._described: dict[str, dict[str, str]] = {}
        self._last: dict[str, int] = {}  # the highest number in the text of each name
        self._allowance = allowance
        self._until = max(allowance.left - AT_ONCE, 0)

    def own(self, node: Any, output_nr: Any, name: str) -> None:
        """Register the grad_fn of a living tensor."""
        self._owners.setdefault(key_of(node), {}).setdefault(output_nr, name)

    def describe(self, root: Any, name: str) -> dict[str, str]:
        """The facets ``edges`` and ``name()`` of the node of this name."""
        if name not in self._described:  # an expectation may repeat a name
            self._described[name] = self._describe(root, name)
        return self._described[name]

    def _describe(self, root: Any, name: str) -> dict[str, str]:
        key = key_of(root)
        owners = self._owners.get(key)
        first = next(iter(owners.values())) if owners else self._called(key, name)
        if first != name:
            return {"edges": f"as {first}", "name()": _name(root)}
        self._numbers[key] = (name, 0)
        lines: list[str] = []
        called: list[str] = []
        queue = deque([root])
        while queue:
            node = queue.popleft()
            head = f"#{len(lines)} = {type(node).__name__}" if lines else ""
            if lines:  # a node without a name
                if self._allowance.left <= self._until:
                    lines.append("...")
                    break
                self._allowance.left -= 1
            called.append(_name(node))
            lines.append(f"{head}({self._edges(node, name, queue, called)})")
        return {"edges": "\n".join(lines), "name()": ", ".join(called)}

    def _edges(self, node: Any, name: str, queue: deque[Any], called: list[str]) -> str:
        try:
            if type(node).__name__ == "AccumulateGrad":
                return self._name_of(node.variable)
            edges = []
            for target, index in node.next_functions:
                if target is None:
                    edges.append("None")
                    continue
                if type(target).__name__ == "AccumulateGrad":
                    text = f"AccumulateGrad({self._name_of(target.variable)})"
                    called.append(_name(target))
                    edges.append(text if index == 0 else f"{text}:{index}")
                else:
                    edges.append(self._target(target, index, name, queue))
        except Exception as error:
            return f"raises {type(error).__name__}: {error_text(error)}"
        return ", ".join(edges)

    def _target(self, target: Any, index: Any, name: str, queue: deque[Any]) -> str:
        key = key_of(target)
        owners = self._owners.get(key)
        if owners is not None and index in owners:
            return owners[index]
        if owners is not None:
            text = f"grad_fn of {next(iter(owners.values()))}"
        else:
            if key not in self._numbers:
                queue.append(target)
                self._last[name] = number = self._last.get(name, 0) + 1
                self._numbers[key] = (name, number)
            text = self._called(key, name)
        return text if index == 0 else f"{text}:{index}"

    def _called(self, key: Hashable, name: str) -> str:
        """How the text of ``name`` refers to a node without a tensor."""
        owner, number = self._numbers.get(key, (name, 0))
        if not number:
            return owner
        return f"#{number}" if owner == name else f"#{number} of {owner}"


def _name(node: Any) -> str:
    try:
        return str(node.name())
    except Exception as error:
        return f"raises {type(error).__name__}"
