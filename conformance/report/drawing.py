"""The graph of a state as boxes and arrows, in the style of torchviz: leaves on top, results at the bottom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from conformance.report.text import shorten
from conformance.runner.compare import shown_value
from conformance.runner.trace import Facets, State, is_error

Kind: TypeAlias = Literal["leaf", "node", "result", "saved", "cut"]
# ("leaf", name), ("of", name) for a tensor's node, ("of", name, "2") below it.
Key: TypeAlias = tuple[str, ...]

LONGEST = 28  # characters of a line in a box


@dataclass(frozen=True, slots=True)
class Box:
    """A leaf, a node of the graph, or a tensor that no other node uses."""

    key: Key
    kind: Kind
    lines: tuple[str, ...]
    tensors: tuple[str, ...] = ()  # names of living outputs, with their notable flags
    retained: bool = False  # one of its outputs retains its grad
    path: str = ""  # an expression for the node


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow in the direction of the forward pass."""

    start: Key
    end: Key
    label: str = ""  # the output number, if not 0
    saved: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and arrows without positions."""

    boxes: tuple[Box, ...] = ()
    arrows: tuple[Arrow, ...] = ()


def draw(state: State) -> Drawing:
    """The whole graph in a state, without constants."""
    reading = _GraphReader(state)
    for name, facets in state.items():
        if _has_node(facets):
            reading.name(name, facets)
    reading.tensors()
    # Leaves in the order of the program.
    order: dict[Key, int] = {("leaf", name): number for number, name in enumerate(state)}
    boxes = sorted(reading.boxes.values(), key=lambda box: order.get(box.key, len(order)))
    return Drawing(tuple(boxes), tuple(reading.arrows))


def nodes(drawing: Drawing) -> Iterator[Box]:
    """The boxes of nodes that an expression can reach."""
    return (
        box for box in drawing.boxes if box.kind == "node" and box.path and box.lines[0] != "AccumulateGrad"
    )


def with_saved(drawing: Drawing, saved: Mapping[Key, Sequence[str]]) -> Drawing:
    """The drawing with the saved tensors of each node."""
    boxes = [Box((*key, "saved"), "saved", tuple(lines)) for key, lines in saved.items() if lines]
    arrows = [Arrow(box.key, box.key[:-1], saved=True) for box in boxes]
    return Drawing((*drawing.boxes, *boxes), (*drawing.arrows, *arrows))


@dataclass(slots=True)
class _GraphReader:
    """Parses the texts that `conformance.runner.graph` wrote into boxes and arrows."""

    state: State
    boxes: dict[Key, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    used: set[tuple[Key, str]] = field(default_factory=set)  # outputs that another node uses
    names: str = ""  # a pattern that matches every name

    def __post_init__(self) -> None:
        known = sorted(map(re.escape, self.state), key=len, reverse=True)
        self.names = "|".join([*known, r"unnamed \d+"])

    def name(self, name: str, facets: Facets) -> None:
        """Add the nodes in the text of one name."""
        text, path = str(facets.get("edges", "")), f"{name}.grad_fn" if "shape" in facets else name
        if text.startswith("as "):
            return
        first, *more = text.split("\n")
        if facets["grad_fn"] == "AccumulateGrad":
            self.accumulate(first[1:-1])
            return
        self.node(("of", name), str(facets["grad_fn"]), path)
        paths = {0: path}
        self.edges(("of", name), first[1:-1], name, path, paths)
        for line in more:
            found = re.fullmatch(r"#(\d+) = (\w+)\((.*)\)", line, re.DOTALL)
            if found is None:  # a large graph is cut off
                self.boxes["cut", name] = Box(("cut", name), "cut", ("...",))
                continue
            number = int(found[1])
            key = ("of", name, found[1])
            self.node(key, found[2], paths.get(number, ""))
            self.edges(key, found[3], name, paths.get(number, ""), paths)

    def node(self, key: Key, label: str, path: str) -> None:
        self.boxes[key] = Box(key, "node", (label,), path=path)

    def edges(self, end: Key, text: str, owner: str, path: str, paths: dict[int, str]) -> None:
        """Add the arrows into one node; the text lists its `next_functions`."""
        if is_error(text):
            self.boxes[end] = replace(self.boxes[end], lines=(*self.boxes[end].lines, shorten(text, LONGEST)))
            return
        name = f"(?:{self.names})"
        targets = rf"None|AccumulateGrad\({name}\)|#\d+(?: of {name})?|grad_fn of {name}|{name}"
        for position, found in enumerate(re.finditer(rf"({targets})(?::(\d+))?(?:, |$)", text)):
            target, index = found[1], found[2] or ""
            if target == "None":
                continue
            further = f"{path}.next_functions[{position}][0]" if path else ""
            start, index = self.target(target, index, owner, further, paths)
            self.used.add((start, index))
            self.arrows.append(Arrow(start, end, index))

    def target(
        self, target: str, index: str, owner: str, path: str, paths: dict[int, str]
    ) -> tuple[Key, str]:
        if target.startswith("AccumulateGrad("):
            return self.accumulate(target[len("AccumulateGrad(") : -1]), index
        if target.startswith("#"):
            number, _, other = target[1:].partition(" of ")
            if not other:
                paths.setdefault(int(number), path)
            return ("of", other or owner, number), index
        if target.startswith("grad_fn of "):
            return self.owner(target.removeprefix("grad_fn of ")), index
        return self.owner(target), str(self.state.get(target, {}).get("output_nr") or "")

    def owner(self, name: str) -> Key:
        """The key of a name's node, which may belong to another name."""
        edges = str(self.state.get(name, {}).get("edges", ""))
        found = re.fullmatch(r"as (?:#(\d+) of )?(.*)", edges, re.DOTALL)
        if found is None:
            return ("of", name)
        return ("of", found[2], found[1]) if found[1] else ("of", found[2])

    def accumulate(self, leaf: str) -> Key:
        """Add the AccumulateGrad node of a leaf, and the leaf."""
        key = ("accumulate", leaf)
        if key not in self.boxes:
            self.boxes["leaf", leaf] = self.leaf(leaf)
            self.boxes[key] = Box(key, "node", ("AccumulateGrad",))
            self.arrows.append(Arrow(("leaf", leaf), key))
        return key

    def leaf(self, name: str) -> Box:
        facets = self.state.get(name)
        if facets is None:
            return Box(("leaf", name), "leaf", ("(no name)",))
        lines = [f"{self.called(name)} {facets.get('shape', '')}", *self.grad(name)]
        return Box(("leaf", name), "leaf", tuple(shorten(line, LONGEST) for line in lines))

    def called(self, name: str) -> str:
        """All the names of one tensor."""
        return " = ".join(
            [name, *(other for other, facets in self.state.items() if facets.get("is") == name)]
        )

    def grad(self, name: str) -> Iterator[str]:
        grad = self.state.get(f"{name}.grad")
        if grad is not None:
            value = (
                f"the same as {grad['is']}"
                if "is" in grad
                else shown_value(grad.get("value"), grad.get("dtype"))
            )
            yield f"grad {value}"

    def tensors(self) -> None:
        """Write the names of living tensors into their nodes; unused tensors get a box as results."""
        for name, facets in self.state.items():
            key = self.owner(name)
            if "shape" not in facets or not _has_node(facets) or key not in self.boxes:
                continue
            retained = facets.get("retains_grad") is True
            number = str(facets.get("output_nr") or "")
            lines = [f"{self.called(name)} {facets['shape']}", *(["retains grad"] if retained else [])]
            lines = [shorten(line, LONGEST) for line in (*lines, *self.grad(name))]
            if (key, number) in self.used:
                box = self.boxes[key]
                lines[0] = f"{number}: {lines[0]}" if number else lines[0]
                named = (*box.tensors, *lines)
                self.boxes[key] = replace(box, tensors=named, retained=box.retained or retained)
            else:
                result = Box(("result", name), "result", tuple(lines), retained=retained)
                self.boxes[result.key] = result
                self.arrows.append(Arrow(key, result.key, number))


def _has_node(facets: Facets) -> bool:
    """Reading the grad_fn of some views raises."""
    found = facets.get("grad_fn")
    return "is" not in facets and found is not None and not is_error(found)
